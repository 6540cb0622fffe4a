"""Wrong authenticator codes are counted per account, regardless of the link, device, session, or address that sends them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, Client
from fundwright.authentication import passkeys, recovery, second_factor, sessions
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import RecoveryCodes, ResetChoices, SecondStep, SignedIn, SignInRefusal, SignInRefused
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from tests.authentication.authenticator import Device, code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

EMAIL = "ada@example.org"
WRONG_CODE = SignInRefused(reason=SignInRefusal.WRONG_CODE)


@dataclass
class Owner:
    """An account with two-step verification, a session, a known device, and a passkey."""

    actor: Actor
    device: Client
    secret: str
    passkey: Device
    recovery_codes: list[str]
    moment: datetime

    def code(self) -> str:
        return code_at(self.secret, self.moment)

    def wrong_code(self) -> str:
        right = {code_at(self.secret, self.moment, steps=steps) for steps in (-1, 0, 1)}
        return next(code for code in ("111111", "222222", "333333", "444444") if code not in right)


@pytest.fixture
def core(core: Core) -> Core:
    return with_settings(core, public_url="http://localhost:8000")


@pytest.fixture
async def owner(session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch) -> Owner:
    person = await add_account(session, EMAIL, name="Ada Lovelace", password=PASSWORD)
    device = HERE.model_copy(update={"is_browser": True})
    signed_in = await authentication.sign_in(session, core, email=EMAIL, password=PASSWORD, remember=True, client=device)
    assert isinstance(signed_in, SignedIn)
    passkey = Device()
    credential = passkey.create(await passkeys.start_adding(session, person, core))
    await passkeys.add(session, person, core, name="Telephone", credential=credential, client=HERE)
    begun, moment = await second_factor.start(session, person, core), now()
    made = await second_factor.confirm(session, person, core, code=code_at(begun.secret, moment), client=HERE)
    assert isinstance(made, RecoveryCodes)
    later = moment + timedelta(minutes=2)
    monkeypatch.setattr(second_factor, "now", lambda: later)
    known = device.model_copy(update={"device": tokens.digest(signed_in.device)})
    return Owner(signed_in.actor, known, begun.secret, passkey, made.codes, later)


Way = Callable[[AsyncSession, Owner, Core, str], Awaitable[object]]


async def by_program(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    client = Client(address="198.51.100.9")
    return await authentication.sign_in(session, core, email=EMAIL, password=PASSWORD, code=code, remember=True, client=client)


async def by_second_step(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    client = Client(address="203.0.113.5")
    step = await authentication.sign_in_by_socket(session, core, email=EMAIL, password=PASSWORD, remember=True, client=client)
    assert isinstance(step, SecondStep)
    return await second_factor.finish(session, core, pending=step.pending, code=code, client=client)


async def by_known_device(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    return await authentication.sign_in(
        session, core, email=EMAIL, password=PASSWORD, code=code, remember=True, client=owner.device
    )


async def by_new_device(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    secret = await sessions.remember_device(session, owner.actor.id, lasts=timedelta(minutes=15))
    client = Client(address="198.51.100.9", device=tokens.digest(secret))
    return await authentication.sign_in(session, core, email=EMAIL, password=PASSWORD, code=code, remember=True, client=client)


async def by_session(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    return await second_factor.reauthenticate_by_code(session, owner.actor, core, code=code, client=HERE)


async def by_reset_link(session: AsyncSession, owner: Owner, core: Core, code: str) -> object:
    link = (await recovery.reset_link(session, email=EMAIL)).rpartition("/")[2]
    choices = ResetChoices(end_everything=False, remove_authenticator=True, code=code)
    return await recovery.reset_password(session, core, secret=link, password=PASSWORD, client=HERE, choices=choices)


WAYS: dict[str, Way] = {
    "program": by_program,
    "second step": by_second_step,
    "known device": by_known_device,
    "new device": by_new_device,
    "session": by_session,
    "reset link": by_reset_link,
}


class TestWrongCodesOfTheApp:
    @pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
    async def test_pause_nothing_when_there_are_three(self, session: AsyncSession, owner: Owner, core: Core, way: Way) -> None:
        for one in (by_program, by_new_device, by_reset_link):
            assert await one(session, owner, core, owner.wrong_code()) == WRONG_CODE
        assert await way(session, owner, core, owner.code()) != WRONG_CODE

    @pytest.mark.security(1)
    @pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
    async def test_pause_every_way_together(self, session: AsyncSession, owner: Owner, core: Core, way: Way) -> None:
        for one in (by_new_device, by_reset_link, by_session, by_reset_link):
            assert await one(session, owner, core, owner.wrong_code()) == WRONG_CODE
        assert await way(session, owner, core, owner.code()) == WRONG_CODE

    @pytest.mark.security(1)
    async def test_are_no_more_than_four_with_many_reset_links_and_devices(
        self, session: AsyncSession, owner: Owner, core: Core
    ) -> None:
        for _ in range(7):
            for way in WAYS.values():
                await way(session, owner, core, owner.wrong_code())
        refused = await session.scalars(select(AuditEntry.details["reason"].astext).where(AuditEntry.action == "sign_in.refused"))
        assert list(refused).count("wrong_code") == 4


class TestOwnerDuringThePause:
    @pytest.fixture(autouse=True)
    async def pause(self, session: AsyncSession, owner: Owner, core: Core) -> None:
        for _ in range(4):
            await by_program(session, owner, core, owner.wrong_code())

    @pytest.mark.security(1, 2)
    async def test_signs_in_with_a_passkey(self, session: AsyncSession, owner: Owner, core: Core) -> None:
        credential = owner.passkey.get(await passkeys.start_sign_in(session, core))
        assert isinstance(await passkeys.sign_in(session, core, credential=credential, remember=True, client=HERE), str)

    @pytest.mark.security(1, 2)
    @pytest.mark.parametrize("way", ["known device", "session", "reset link"])
    async def test_enters_a_recovery_code_at_a_known_place(
        self, session: AsyncSession, owner: Owner, core: Core, way: str
    ) -> None:
        assert await WAYS[way](session, owner, core, owner.recovery_codes[0]) != WRONG_CODE

    @pytest.mark.security(1)
    @pytest.mark.parametrize("way", ["program", "second step"])
    async def test_is_refused_with_a_recovery_code_elsewhere(
        self, session: AsyncSession, owner: Owner, core: Core, way: str
    ) -> None:
        assert await WAYS[way](session, owner, core, owner.recovery_codes[0]) == WRONG_CODE


@pytest.mark.usefixtures("ada")
class TestApi:
    @pytest.mark.security(1)
    async def test_answers_the_same_of_a_wrong_code_and_of_a_right_one_during_the_pause(
        self, committed: Core, ada: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            begun = await second_factor.start(session, ada, committed)
            made = await second_factor.confirm(session, ada, committed, code=code_at(begun.secret, now()), client=HERE)
            assert isinstance(made, RecoveryCodes)
            link = (await recovery.reset_link(session, email=EMAIL)).rpartition("/")[2]
        login = {"email": EMAIL, "password": PASSWORD}
        reset = {"link": link, "password": PASSWORD, "remove_authenticator": True}
        async with browse(committed, same_origin=False) as program:
            for path, form in (("login", login), ("confirm-reset", reset)):
                tries = [*("recovery code that is wrong",) * 5, made.codes[0]]
                said = [await program.post(f"/api/account/{path}", json={**form, "code": code}) for code in tries]
                assert {each.status_code for each in said} == {403}
                assert {each.json()["error"]["code"] for each in said} == {"WrongCode"}
                assert len({each.json()["error"]["message"] for each in said}) == 1
