"""Wrong passwords entered by others do not lock out a person with a known device, a session, a passkey, or a link from an
email."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import administration
from fundwright.accounts import passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.authentication import email_confirmation, password_change, reauthentication, second_factor, sessions, throttle
from fundwright.authentication import service as authentication
from fundwright.authentication.models import KnownDevice, SignInThrottle
from fundwright.authentication.schemas import RecoveryCodes, SignedIn, SignInRefusal, SignInRefused
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.paging import PageRequest
from tests.authentication.authenticator import code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

EMAIL = "ada@example.org"
STRANGER = Client(address="198.51.100.9", user_agent="Firefox", is_browser=True)
BROWSER = HERE.model_copy(update={"is_browser": True})
THROTTLED = SignInRefused(reason=SignInRefusal.THROTTLED)
WRONG_CODE = SignInRefused(reason=SignInRefusal.WRONG_CODE)


@pytest.fixture
async def person(session: AsyncSession) -> Actor:
    return await add_account(session, EMAIL, name="Ada Lovelace", password=PASSWORD)


async def sign_in(
    session: AsyncSession, core: Core, client: Client, *, email: str = EMAIL, password: str = PASSWORD, code: str = ""
) -> SignedIn | SignInRefused:
    return await authentication.sign_in(session, core, email=email, password=password, remember=True, client=client, code=code)


async def known_device(session: AsyncSession, core: Core, client: Client = BROWSER, *, email: str = EMAIL) -> Client:
    """A browser in which the account has signed in before."""
    result = await sign_in(session, core, client, email=email)
    assert isinstance(result, SignedIn) and result.device
    return with_cookie(result.device)


def with_cookie(secret: str) -> Client:
    return BROWSER.model_copy(update={"device": tokens.digest(secret)})


async def attack(session: AsyncSession, core: Core, *, email: str = EMAIL, client: Client = STRANGER) -> None:
    for _ in range(throttle.FAILURES_PER_ACCOUNT):
        assert isinstance(await sign_in(session, core, client, email=email, password="wrong"), SignInRefused)


async def five_minutes_pass(session: AsyncSession) -> None:
    past = now() - timedelta(seconds=1)
    await session.execute(update(SignInThrottle).values(window_ends_at=past))
    await session.execute(update(SignInThrottle).where(SignInThrottle.banned_until.isnot(None)).values(banned_until=past))


class TestAttack:
    @pytest.mark.security(1, 2)
    @pytest.mark.slow
    async def test_of_hours_does_not_keep_the_owner_out_of_a_known_device(
        self, session: AsyncSession, person: Actor, core: Core
    ) -> None:
        device = await known_device(session, core)
        for _ in range(24):
            await attack(session, core)
            assert await sign_in(session, core, HERE) == THROTTLED
            device = await known_device(session, core, device)
            await five_minutes_pass(session)

    @pytest.mark.security(2)
    async def test_of_a_whole_address_does_not_either(
        self, session: AsyncSession, person: Actor, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        device = await known_device(session, core)
        monkeypatch.setattr(throttle, "FAILURES_PER_ADDRESS", 4)
        await attack(session, core, email="nobody@example.org", client=HERE)
        assert await sign_in(session, core, HERE) == THROTTLED
        assert isinstance(await sign_in(session, core, device), SignedIn)

    @pytest.mark.security(1)
    async def test_on_codes_does_not_either(self, session: AsyncSession, person: Actor, core: Core) -> None:
        device = await known_device(session, core)
        begun = await second_factor.start(session, person, core)
        made = await second_factor.confirm(session, person, core, code=code_at(begun.secret, now()), client=HERE)
        assert isinstance(made, RecoveryCodes)
        for _ in range(4):
            assert await sign_in(session, core, STRANGER, code="000000") == WRONG_CODE
        assert await sign_in(session, core, HERE, code=made.codes[0]) == WRONG_CODE
        assert isinstance(await sign_in(session, core, device, code=made.codes[0]), SignedIn)

    @pytest.mark.security(1)
    async def test_does_not_keep_a_signed_in_person_from_entering_the_password(
        self, session: AsyncSession, person: Actor, core: Core
    ) -> None:
        signed_in = await sign_in(session, core, HERE)
        assert isinstance(signed_in, SignedIn)
        await attack(session, core)
        proved = await reauthentication.reauthenticate_by_password(session, signed_in.actor, core, password=PASSWORD, client=HERE)
        assert proved is None
        for _ in range(4):
            await reauthentication.reauthenticate_by_password(session, signed_in.actor, core, password="wrong", client=HERE)
        paused = await reauthentication.reauthenticate_by_password(session, signed_in.actor, core, password=PASSWORD, client=HERE)
        assert paused == THROTTLED

    async def test_does_not_keep_a_new_address_from_being_confirmed(self, session: AsyncSession, core: Core) -> None:
        await accounts.add_account(
            session, email=EMAIL, name="Ada", role=Role.USER, password=PASSWORD, is_verified=False, client=HERE
        )
        await email_confirmation.send_verification(session, core, email=EMAIL, language="en")
        secret = (await mail.list_messages(session, PageRequest())).items[0].text.partition("link=")[2].split()[0]
        await attack(session, core)
        for _ in range(3):
            await email_confirmation.confirm_email(session, core, secret=secret, password="wrong", client=HERE)
        assert isinstance(
            await email_confirmation.confirm_email(session, core, secret=secret, password=PASSWORD, client=HERE), str
        )


class TestKnownDevice:
    @pytest.mark.security(1)
    async def test_has_a_ban_of_its_own(self, session: AsyncSession, person: Actor, core: Core) -> None:
        first, second = await known_device(session, core), await known_device(session, core)
        wrong = await sign_in(session, core, first, password="wrong")
        for _ in range(3):
            await sign_in(session, core, first, password="wrong")
        right = await sign_in(session, core, first)
        assert isinstance(wrong, SignInRefused) and isinstance(right, SignInRefused)
        assert (right.reason, right.sentence) == (SignInRefusal.THROTTLED, wrong.sentence)
        assert isinstance(await sign_in(session, core, second), SignedIn)
        assert isinstance(await sign_in(session, core, HERE), SignedIn)

    @pytest.mark.security(1)
    async def test_of_another_account_or_a_made_up_one_helps_nobody(
        self, session: AsyncSession, person: Actor, core: Core
    ) -> None:
        await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        foreign = await known_device(session, core, email="eve@example.org")
        for device in (foreign, with_cookie("made up")):
            await attack(session, core, client=device)
            assert await sign_in(session, core, device) == THROTTLED
            assert await sign_in(session, core, HERE) == THROTTLED
            await five_minutes_pass(session)

    @pytest.mark.security(17)
    async def test_has_a_new_secret_after_each_sign_in(self, session: AsyncSession, person: Actor, core: Core) -> None:
        old = await known_device(session, core)
        new = await known_device(session, core, old)
        assert new.device != old.device
        await attack(session, core)
        assert await sign_in(session, core, old) == THROTTLED
        assert isinstance(await sign_in(session, core, new), SignedIn)

    async def test_may_be_one_of_several_accounts(self, session: AsyncSession, person: Actor, core: Core) -> None:
        await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        device = await known_device(session, core, await known_device(session, core), email="eve@example.org")
        for email in (EMAIL, "eve@example.org"):
            await attack(session, core, email=email)
        device = await known_device(session, core, device)
        assert isinstance(await sign_in(session, core, device, email="eve@example.org"), SignedIn)

    async def test_expires(self, session: AsyncSession, person: Actor, core: Core) -> None:
        device = await known_device(session, core)
        await session.execute(update(KnownDevice).values(expires_at=now()))
        await attack(session, core)
        assert await sign_in(session, core, device) == THROTTLED

    async def test_only_the_newest_thirty_are_remembered(self, session: AsyncSession, person: Actor, core: Core) -> None:
        oldest = await known_device(session, core)
        await session.execute(update(KnownDevice).values(signed_in_at=now() - timedelta(days=1)))
        devices = [await sessions.remember_device(session, person.id, lasts=sessions.KNOWN_FOR) for _ in range(30)]
        await attack(session, core)
        assert await sign_in(session, core, oldest) == THROTTLED
        assert isinstance(await sign_in(session, core, with_cookie(devices[0])), SignedIn)

    @pytest.mark.security(5, 7)
    async def test_does_not_reveal_which_addresses_have_an_account(
        self, session: AsyncSession, person: Actor, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        foreign = await known_device(session, core, email="eve@example.org")
        checked: list[bool] = []
        check = passwords.check_password

        async def count(password: str, stored: str | None) -> tuple[bool, str | None]:
            checked.append(stored is not None)
            return await check(password, stored)

        monkeypatch.setattr(passwords, "check_password", count)
        known = await sign_in(session, core, foreign, password="wrong")
        unknown = await sign_in(session, core, foreign, email="nobody@example.org", password="wrong")
        assert isinstance(known, SignInRefused) and isinstance(unknown, SignInRefused)
        assert (known.sentence, checked) == (unknown.sentence, [True, False])


class TestForgetting:
    @pytest.mark.parametrize("how", ["password", "others"])
    async def test_leaves_the_device_that_asks(self, session: AsyncSession, person: Actor, core: Core, how: str) -> None:
        elsewhere, here = await known_device(session, core), await known_device(session, core)
        if how == "password":
            await password_change.change_password(session, person, core, current=PASSWORD, new="a quiet harbor", client=here)
        else:
            await authentication.end_other_sessions(session, person, client=here)
        left = list(await session.scalars(select(KnownDevice.digest)))
        assert (here.device in left, elsewhere.device in left) == (True, False)

    @pytest.mark.parametrize("how", ["sessions", "disabled", "deleted"])
    async def test_leaves_none(self, session: AsyncSession, person: Actor, core: Core, how: str) -> None:
        root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
        device = await known_device(session, core)
        match how:
            case "sessions":
                await administration.end_sessions(session, root, person.id, client=HERE)
            case "disabled":
                await administration.disable(session, root, core, person.id, client=HERE)
            case _:
                await authentication.delete_account(session, person, core, email=EMAIL, password=PASSWORD, client=device)
        assert list(await session.scalars(select(KnownDevice))) == []

    async def test_does_not_happen_on_sign_out(self, session: AsyncSession, person: Actor, core: Core) -> None:
        signed_in = await sign_in(session, core, BROWSER)
        assert isinstance(signed_in, SignedIn)
        await authentication.sign_out(session, signed_in.actor, client=HERE)
        await attack(session, core)
        assert isinstance(await sign_in(session, core, with_cookie(signed_in.device)), SignedIn)


@pytest.mark.usefixtures("ada")
class TestCookie:
    FORM = {"email": EMAIL, "password": PASSWORD}

    async def banned(self, core: Core) -> httpx.Response:
        """Send four wrong passwords and then the right one from another address."""
        async with browse(core, address="198.51.100.9") as stranger:
            for _ in range(4):
                await stranger.post("/signin", json={**self.FORM, "password": "wrong"})
            return await stranger.post("/signin", json=self.FORM)

    @pytest.mark.security(1, 25)
    @pytest.mark.parametrize("secure", [False, True])
    async def test_accepts_the_browser_that_has_it(self, committed: Core, secure: bool) -> None:
        core = with_settings(committed, public_url="https://fundwright.test") if secure else committed
        name = "__Host-device" if secure else "device"
        async with browse(core, base_url="https://fundwright.test") as owner:
            first = await owner.post("/signin", json=self.FORM)
            (cookie,) = [each for each in first.headers.get_list("set-cookie") if each.startswith(f"{name}=")]
            given = {each.strip().partition("=")[0].lower() for each in cookie.split(";")[1:]}
            assert given == {"httponly", "max-age", "path", "samesite"} | ({"secure"} if secure else set())
            assert "Path=/;" in cookie and "Max-Age=31536000" in cookie
            assert (await self.banned(core)).json()["flag"] == "error"
            await owner.delete("/session")
            assert (await owner.post("/signin", json=self.FORM)).json()["flag"] == "success"
            owner.cookies.delete(name)
            assert (await owner.post("/signin", json=self.FORM)).json()["flag"] == "error"

    async def test_ends_with_the_browser_without_keep_me_signed_in(self, committed: Core) -> None:
        async with browse(committed) as owner:
            answer = await owner.post("/signin", json={**self.FORM, "remember": False})
            (cookie,) = [each for each in answer.headers.get_list("set-cookie") if each.startswith("device=")]
            assert "Max-Age" not in cookie and "expires" not in cookie.lower()

    async def test_is_set_after_a_sign_in_over_the_socket(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            code = await authentication.sign_in_by_socket(
                session, committed, email=EMAIL, password=PASSWORD, remember=True, client=HERE
            )
        async with browse(committed) as owner:
            await owner.post("/session", json={"code": code})
            before = owner.cookies["device"]
            await owner.post("/session", json={})
            assert owner.cookies["device"] == before
            await self.banned(committed)
            assert (await owner.post("/signin", json=self.FORM)).json()["flag"] == "success"

    async def test_is_not_for_programs_or_refused_sign_ins(self, committed: Core) -> None:
        async with browse(committed, same_origin=False) as program:
            await program.post("/signin", json=self.FORM)
            assert "device" not in program.cookies
        async with browse(committed) as stranger:
            await stranger.post("/signin", json={**self.FORM, "password": "wrong"})
            assert "device" not in stranger.cookies
        async with committed.database.transaction() as session:
            assert list(await session.scalars(select(KnownDevice))) == []
