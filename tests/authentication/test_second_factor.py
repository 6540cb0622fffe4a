"""Two-step verification: setup, one-time codes, recovery codes, and the second step of signing in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import administration
from fundwright.accounts.models import Account, AuditEntry
from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import email_confirmation, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.models import OneTimeSecret, RecoveryCode
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.schemas import RecoveryCodes, SecondStep, SignedIn, SignInRefusal, SignInRefused
from fundwright.authentication.second_factor import AlreadyOn, NotStarted
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.paging import PageRequest
from tests.authentication.authenticator import code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

EMAIL = "ada@example.org"
Clock = Callable[[timedelta], datetime]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stop the clock for codes, and advance it when called."""
    moment = now()
    monkeypatch.setattr(second_factor, "now", lambda: moment)

    def move(by: timedelta) -> datetime:
        nonlocal moment
        moment += by
        return moment

    return move


@pytest.fixture
async def person(session: AsyncSession) -> Actor:
    return await add_account(session, EMAIL, name="Ada Lovelace", password=PASSWORD)


async def turn_on(session: AsyncSession, actor: Actor, core: Core, moment: datetime) -> tuple[str, list[str]]:
    """Returns the app's secret and the recovery codes."""
    begun = await second_factor.start(session, actor, core)
    made = await second_factor.confirm(session, actor, core, code=code_at(begun.secret, moment), client=HERE)
    assert isinstance(made, RecoveryCodes)
    return begun.secret, made.codes


async def sign_in(session: AsyncSession, core: Core, code: str = "", *, password: str = PASSWORD) -> SignedIn | SignInRefused:
    return await authentication.sign_in(session, core, email=EMAIL, password=password, code=code, remember=True, client=HERE)


async def first_step(session: AsyncSession, core: Core, *, remember: bool = True) -> str:
    step = await authentication.sign_in_by_socket(session, core, email=EMAIL, password=PASSWORD, remember=remember, client=HERE)
    assert isinstance(step, SecondStep)
    return step.pending


async def sent_messages(session: AsyncSession) -> list[str]:
    return [message.subject for message in (await mail.list_messages(session, PageRequest())).items]


async def audit(session: AsyncSession) -> list[str]:
    return list(await session.scalars(select(AuditEntry.action).order_by(AuditEntry.at)))


class TestSettingUp:
    async def test_takes_effect_only_once_a_code_was_entered(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        begun = await second_factor.start(session, person, core)
        assert begun.secret in begun.address and begun.address.startswith("otpauth://totp/Fundwright:ada%40example.org?")
        assert begun.picture.startswith("data:image/svg+xml")
        assert isinstance(await sign_in(session, core), SignedIn)
        wrong = await second_factor.confirm(session, person, core, code="000000", client=HERE)
        assert wrong == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        moment = clock(timedelta())
        made = await second_factor.confirm(session, person, core, code=code_at(begun.secret, moment), client=HERE)
        assert isinstance(made, RecoveryCodes)
        assert len(set(made.codes)) == 10
        assert await sign_in(session, core) == SignInRefused(reason=SignInRefusal.CODE_NEEDED)
        read = await second_factor.read(session, person)
        assert (read.is_on, read.recovery_codes) == (True, 10)

    @pytest.mark.security(26, 45)
    async def test_the_owner_is_notified_and_it_is_audited(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        await turn_on(session, person, core, clock(timedelta()))
        await second_factor.turn_off(session, person, core, client=HERE)
        assert sorted(await sent_messages(session)) == ["Two-step verification turned off", "Two-step verification turned on"]
        assert (await audit(session))[-2:] == ["second_factor.added", "second_factor.removed"]
        assert isinstance(await sign_in(session, core), SignedIn)

    async def test_can_be_restarted_but_not_while_one_is_running(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        with pytest.raises(NotStarted):
            await second_factor.confirm(session, person, core, code="000000", client=HERE)
        first = await second_factor.start(session, person, core)
        second = await second_factor.start(session, person, core)
        assert first.secret != second.secret
        moment = clock(timedelta())
        old = await second_factor.confirm(session, person, core, code=code_at(first.secret, moment), client=HERE)
        assert old == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        code = code_at(second.secret, moment)
        await second_factor.confirm(session, person, core, code=code, client=HERE)
        with pytest.raises(AlreadyOn):
            await second_factor.start(session, person, core)
        with pytest.raises(AlreadyOn):
            await second_factor.confirm(session, person, core, code=code, client=HERE)

    @pytest.mark.security(1)
    async def test_wrong_codes_are_throttled_like_those_of_signing_in(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        begun = await second_factor.start(session, person, core)
        code = code_at(begun.secret, clock(timedelta()))
        for _ in range(4):
            wrong = await second_factor.confirm(session, person, core, code="000000", client=HERE)
            assert wrong == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        right = await second_factor.confirm(session, person, core, code=code, client=HERE)
        assert right == SignInRefused(reason=SignInRefusal.THROTTLED)
        assert not (await second_factor.read(session, person)).is_on

    async def test_started_twice_at_once_is_not_an_error(self, committed: Core, ada: Actor) -> None:
        async def begin() -> str:
            async with committed.database.transaction() as session:
                return (await second_factor.start(session, ada, committed)).secret

        assert len(set(await asyncio.gather(begin(), begin()))) == 2

    async def test_nothing_kept_in_the_database_gives_the_secret_or_a_recovery_code(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        secret, codes = await turn_on(session, person, core, clock(timedelta()))
        kept = str([await rows_of(session, table) for table in ("second_factor", "recovery_code")])
        assert secret not in kept
        assert not any(code in kept or code.replace("-", "") in kept for code in codes)


class TestCodes:
    async def test_count_once_and_soon(self, session: AsyncSession, person: Actor, core: Core, clock: Clock) -> None:
        moment = clock(timedelta())
        secret, _ = await turn_on(session, person, core, moment)
        assert await sign_in(session, core, code_at(secret, moment)) == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        moment = clock(timedelta(minutes=2))
        assert isinstance(await sign_in(session, core, code_at(secret, moment, steps=1)), SignedIn)
        for steps in (1, 0, -1):  # the one that was used, and those before it
            assert isinstance(await sign_in(session, core, code_at(secret, moment, steps=steps)), SignInRefused)

    @pytest.mark.parametrize("steps", [-1, 0, 1])
    async def test_may_be_a_step_early_or_late(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock, steps: int
    ) -> None:
        secret, _ = await turn_on(session, person, core, clock(timedelta()))
        moment = clock(timedelta(minutes=5))
        code = code_at(secret, moment, steps=steps)
        assert isinstance(await sign_in(session, core, f" {code[:3]} {code[3:]} "), SignedIn)

    @pytest.mark.parametrize("steps", [-2, 2])
    async def test_may_not_be_two_steps_off(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock, steps: int
    ) -> None:
        secret, _ = await turn_on(session, person, core, clock(timedelta()))
        moment = clock(timedelta(minutes=5))
        assert isinstance(await sign_in(session, core, code_at(secret, moment, steps=steps)), SignInRefused)

    async def test_of_two_that_use_one_at_once_one_gets_in(self, committed: Core, ada: Actor, clock: Clock) -> None:
        async with committed.database.transaction() as session:
            secret, _ = await turn_on(session, ada, committed, clock(timedelta()))
        code = code_at(secret, clock(timedelta(minutes=2)))

        async def attempt() -> SignedIn | SignInRefused:
            async with committed.database.transaction() as session:
                return await sign_in(session, committed, code)

        results = await asyncio.gather(*(attempt() for _ in range(3)))
        assert sum(isinstance(result, SignedIn) for result in results) == 1

    @pytest.mark.security(1)
    async def test_wrong_ones_are_counted_and_the_right_password_does_not_set_them_back(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        secret, codes = await turn_on(session, person, core, clock(timedelta()))
        code = code_at(secret, clock(timedelta(minutes=2)))
        for _ in range(4):
            assert await sign_in(session, core, "000000") == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        assert await sign_in(session, core, code) == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        assert await sign_in(session, core, codes[0]) == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        assert (await second_factor.read(session, person)).recovery_codes == 10

    async def test_are_not_asked_of_who_has_the_wrong_password(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        secret, _ = await turn_on(session, person, core, clock(timedelta()))
        code = code_at(secret, clock(timedelta(minutes=2)))
        assert await sign_in(session, core, code, password="wrong") == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)
        assert isinstance(await sign_in(session, core, code), SignedIn)


class TestRecoveryCodes:
    @pytest.mark.security(26, 45)
    async def test_work_once_each_however_they_are_written_and_the_owner_is_notified(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        _, codes = await turn_on(session, person, core, clock(timedelta()))
        assert isinstance(await sign_in(session, core, codes[0]), SignedIn)
        assert isinstance(await sign_in(session, core, codes[0]), SignInRefused)
        assert isinstance(await sign_in(session, core, f" {codes[1].replace('-', '').upper()} "), SignedIn)
        assert (await second_factor.read(session, person)).recovery_codes == 8
        assert (await sent_messages(session)).count("A recovery code was used") == 2
        assert (await audit(session)).count("second_factor.recovery_code_used") == 2

    async def test_new_ones_replace_the_old(self, session: AsyncSession, person: Actor, core: Core, clock: Clock) -> None:
        with pytest.raises(NotStarted):
            await second_factor.renew_recovery_codes(session, person, client=HERE)
        _, old = await turn_on(session, person, core, clock(timedelta()))
        new = (await second_factor.renew_recovery_codes(session, person, client=HERE)).codes
        assert isinstance(await sign_in(session, core, old[0]), SignInRefused)
        assert isinstance(await sign_in(session, core, new[0]), SignedIn)

    async def test_of_another_account_do_not_work(self, session: AsyncSession, person: Actor, core: Core, clock: Clock) -> None:
        await turn_on(session, person, core, clock(timedelta()))
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        _, foreign = await turn_on(session, eve, core, clock(timedelta()))
        assert isinstance(await sign_in(session, core, foreign[0]), SignInRefused)


class TestTheSecondStep:
    @pytest.mark.security(17)
    async def test_starts_the_session_and_keeps_remember_me(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        secret, _ = await turn_on(session, person, core, clock(timedelta()))
        pending = await first_step(session, core, remember=False)
        assert (await authentication.list_sessions(session, person, PageRequest())).items == []
        assert await second_factor.pending_email(session, pending) == EMAIL
        code = code_at(secret, clock(timedelta(minutes=2)))
        handover = await second_factor.finish(session, core, pending=pending, code=code, client=HERE)
        assert isinstance(handover, str)
        signed_in = await authentication.redeem_handover(session, core, handover, client=HERE)
        assert (signed_in.actor.email, signed_in.max_age_s) == (EMAIL, None)
        assert await second_factor.pending_email(session, pending) is None
        with pytest.raises(LinkSpent):
            await second_factor.finish(session, core, pending=pending, code=code, client=HERE)

    async def test_can_be_tried_again_after_a_wrong_code(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        _, codes = await turn_on(session, person, core, clock(timedelta()))
        pending = await first_step(session, core)
        refused = await second_factor.finish(session, core, pending=pending, code="123 456", client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.WRONG_CODE)
        assert isinstance(await second_factor.finish(session, core, pending=pending, code=codes[0], client=HERE), str)

    async def test_is_waited_for_five_minutes(self, session: AsyncSession, person: Actor, core: Core, clock: Clock) -> None:
        _, codes = await turn_on(session, person, core, clock(timedelta()))
        pending = await first_step(session, core)
        until = await session.scalar(select(OneTimeSecret.expires_at).where(OneTimeSecret.owner_id == person.id))
        assert until is not None and timedelta(minutes=4) < until - now() <= timedelta(minutes=5)
        await session.execute(update(OneTimeSecret).values(expires_at=now() - timedelta(seconds=1)))
        with pytest.raises(LinkSpent):
            await second_factor.finish(session, core, pending=pending, code=codes[0], client=HERE)

    async def test_a_handover_code_is_no_pending_sign_in_nor_the_other_way_round(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        await turn_on(session, person, core, clock(timedelta()))
        pending = await first_step(session, core)
        with pytest.raises(LinkSpent):
            await authentication.redeem_handover(session, core, pending, client=HERE)


class TestRemoval:
    @pytest.mark.security(45)
    async def test_an_administrator_can_remove_it_and_the_owner_is_notified(
        self, session: AsyncSession, person: Actor, core: Core, clock: Clock
    ) -> None:
        root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
        await turn_on(session, person, core, clock(timedelta()))
        assert await administration.has_second_factor(session, root, person.id)
        await administration.remove_second_factor(session, root, core, person.id, client=HERE)
        assert not await administration.has_second_factor(session, root, person.id)
        assert isinstance(await sign_in(session, core), SignedIn)
        assert "Two-step verification turned off" in await sent_messages(session)
        line = await session.scalar(select(AuditEntry).where(AuditEntry.action == "second_factor.removed"))
        assert line is not None and (line.actor_email, line.subject) == ("root@example.org", EMAIL)
        assert list(await session.scalars(select(RecoveryCode))) == []

    async def test_of_someone_who_has_none_says_nothing(self, session: AsyncSession, person: Actor, core: Core) -> None:
        await second_factor.remove(session, core, email=EMAIL)
        assert await sent_messages(session) == []
        assert "second_factor.removed" not in await audit(session)

    async def test_of_nobody_is_not_found(self, session: AsyncSession, core: Core) -> None:
        with pytest.raises(NotFound):
            await second_factor.remove(session, core, email="nobody@example.org")


class TestConfirmingTheAddress:
    async def test_does_not_bypass_the_second_step(self, session: AsyncSession, person: Actor, core: Core, clock: Clock) -> None:
        await turn_on(session, person, core, clock(timedelta()))
        account = await session.get(Account, person.id)
        assert account is not None
        account.verified_at = None
        await email_confirmation.send_verification(session, core, email=EMAIL, language="en")
        (message,) = [each for each in (await mail.list_messages(session, PageRequest())).items if "link=" in each.text]
        secret = re.findall(r"link=(\S+)", message.text)[0]
        refused = await email_confirmation.confirm_email(session, core, secret=secret, password=PASSWORD, client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.CODE_NEEDED)
        assert account.verified_at is not None


@pytest.mark.usefixtures("ada")
class TestPrograms:
    @pytest.mark.security(1)
    async def test_are_paused_after_four_wrong_codes_of_a_set_up(self, committed: Core) -> None:
        async with browse(committed) as visitor:
            await visitor.post("/signin", json={"email": EMAIL, "password": PASSWORD})
            secret = (await visitor.post("/api/account/second-factor")).json()["secret"]
            for _ in range(4):
                wrong = await visitor.put("/api/account/second-factor", json={"code": "000000"})
                assert wrong.status_code == 422
            paused = await visitor.put("/api/account/second-factor", json={"code": code_at(secret, now())})
            assert (paused.status_code, paused.json()["error"]["code"]) == (429, "CodesPaused")

    @pytest.mark.parametrize("uniform", [False, True])
    async def test_send_the_code_with_the_password(self, committed: Core, ada: Actor, uniform: bool) -> None:
        form = {"email": EMAIL, "password": PASSWORD}
        async with browse(with_settings(committed, uniform_errors=uniform)) as visitor:
            await visitor.post("/signin", json=form)
            secret = (await visitor.post("/api/account/second-factor")).json()["secret"]
            wrong = await visitor.put("/api/account/second-factor", json={"code": "000000"})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "WrongCode")
            for _ in range(2):
                await visitor.put("/api/account/second-factor", json={"code": "000000"})
            made = await visitor.put("/api/account/second-factor", json={"code": code_at(secret, now())})
            first, second, *_ = made.json()["codes"]
            assert (await visitor.get("/api/account/second-factor")).json()["recovery_codes"] == 10
        async with browse(with_settings(committed, uniform_errors=uniform)) as program:
            asked = await program.post("/signin", json=form)
            assert (asked.status_code, asked.json()["flag"], asked.json()["token"]) == (200, "error", None)
            assert "as `code`" in asked.json()["error"] and "set-cookie" not in asked.headers
            assert (await program.post("/signin", json={**form, "code": first})).json()["flag"] == "success"
            needed = await program.post("/api/account/login", json=form)
            assert (needed.status_code, needed.json()["error"]["code"]) == (403, "CodeNeeded")
            wrong = await program.post("/api/account/login", json={**form, "code": first})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "WrongCode")
            assert "accessToken" in (await program.post("/api/account/login", json={**form, "code": second})).json()
            assert (await program.delete("/api/account/second-factor")).status_code == 204
            assert "accessToken" in (await program.post("/api/account/login", json=form)).json()


async def rows_of(session: AsyncSession, table: str) -> list[object]:
    return list((await session.execute(text(f"SELECT * FROM {table}"))).all())
