from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Literal, cast
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import QueuePool, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import account_changes, first_admin, registration
from fundwright.access.registration import RegistrationClosed
from fundwright.accounts import audit, commands, passwords, preferences
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account, AuditEntry
from fundwright.accounts.passwords import WeakPassword
from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.accounts.service import EmailTaken
from fundwright.authentication import (
    api_tokens,
    email_change,
    emails,
    one_time_secrets,
    recovery,
    second_factor,
    session_tokens,
    sessions,
    throttle,
)
from fundwright.authentication import service as authentication
from fundwright.authentication.models import AccountSession, ApiToken, OneTimeSecret, SecondFactor, SignInThrottle
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.schemas import SignedIn, SignInRefusal, SignInRefused, TokenScope
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.mail import Mail, MailKind
from fundwright.core.messages import using_language
from fundwright.core.paging import PageRequest
from fundwright.core.plugins import hookimpl
from tests.support.accounts import add_account
from tests.support.databases import as_owner
from tests.support.polling import eventually
from tests.support.signing_in import HERE, PASSWORD, with_settings
from tests.support.statements import statements, waits


async def _add(session: AsyncSession, email: str = "ada@example.org", *, role: Role = Role.USER) -> Actor:
    return await add_account(session, email, name="Ada Lovelace", role=role, password=PASSWORD)


async def _sign_in(
    session: AsyncSession,
    core: Core,
    *,
    email: str = "ada@example.org",
    password: str = PASSWORD,
    remember: bool = True,
    client: Client = HERE,
) -> SignedIn | SignInRefused:
    return await authentication.sign_in(session, core, email=email, password=password, remember=remember, client=client)


async def _signed_in(session: AsyncSession, core: Core, *, remember: bool = True) -> SignedIn:
    result = await _sign_in(session, core, remember=remember)
    assert isinstance(result, SignedIn)
    return result


async def _audit(session: AsyncSession) -> list[AuditEntry]:
    return list(await session.scalars(select(AuditEntry).order_by(AuditEntry.at)))


class TestAddAccount:
    async def test_keeps_the_email_in_lower_case(self, session: AsyncSession) -> None:
        assert (await _add(session, "  Ada@Example.ORG ")).email == "ada@example.org"

    async def test_refuses_the_same_email_in_another_case(self, session: AsyncSession) -> None:
        await _add(session)
        with pytest.raises(EmailTaken, match=r"^There already exists an account with the given email address\.$"):
            await _add(session, "ADA@example.org")

    @pytest.mark.parametrize("email", ["", "ada", "ada@", "@example.org", "a b@example.org", "ada@example", "x" * 250 + "@a.org"])
    async def test_refuses_what_is_not_an_address(self, session: AsyncSession, email: str) -> None:
        with pytest.raises(Invalid, match="Email must be a valid email address"):
            await _add(session, email)

    async def test_refuses_a_weak_password(self, session: AsyncSession) -> None:
        with pytest.raises(WeakPassword):
            await add_account(session, "a@b.org", name="Ada", password="password")

    async def test_refuses_an_empty_name(self, session: AsyncSession) -> None:
        with pytest.raises(Invalid, match="name"):
            await add_account(session, "a@b.org", name=" \n ", password=PASSWORD)

    async def test_an_account_without_a_password_cannot_be_signed_in_to(self, session: AsyncSession, core: Core) -> None:
        await add_account(session, "ada@example.org", name="Ada")
        for password in ("", "!", PASSWORD):
            assert isinstance(await _sign_in(session, core, password=password), SignInRefused)


class TestCreateAccount:
    async def test_lets_plug_ins_prepare_it_in_the_same_transaction(self, committed: Core) -> None:
        prepared: list[Actor] = []

        async def prepare(session: AsyncSession, actor: Actor, core: Core) -> None:
            assert await session.get(Account, actor.id) is not None
            prepared.append(actor)

        class Samples:
            @hookimpl
            def account_created_handlers(self) -> Iterable[Any]:
                return [prepare]

        committed.plugins.register(Samples())
        async with committed.database.transaction() as session:
            actor = await accounts.create_account(
                session, committed, email="ada@example.org", name="Ada", role=Role.USER, password=PASSWORD
            )
        assert prepared == [actor]


class TestSavedState:
    async def test_belongs_to_the_account_and_the_name(self, session: AsyncSession) -> None:
        ada, eve = await _add(session), await _add(session, "eve@example.org")
        await preferences.save_state(session, ada, "notes", {"text": "first"})
        await preferences.save_state(session, ada, "notes", {"text": "second"})
        assert await preferences.saved_state(session, ada, "notes") == {"text": "second"}
        assert await preferences.saved_state(session, ada, "other") is None
        assert await preferences.saved_state(session, eve, "notes") is None

    async def test_has_a_limit(self, session: AsyncSession) -> None:
        with pytest.raises(Invalid, match="too long to save"):
            await preferences.save_state(session, await _add(session), "notes", "x" * 30_000)


class TestChooseLanguage:
    async def test_follows_the_account_to_wherever_it_signs_in(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        assert (await _signed_in(session, core)).actor.language is None
        await preferences.choose_language(session, ada, "de")
        assert (await _signed_in(session, core)).actor.language == "de"


class TestActorForCommand:
    async def test_is_the_oldest_user_by_default(self, session: AsyncSession) -> None:
        await _add(session, "root@example.org", role=Role.ADMIN)
        oldest = await _add(session, "first@example.org")
        await _add(session, "second@example.org")
        assert (await commands.actor_for_command(session, email=None)).id == oldest.id

    async def test_is_an_admin_when_there_is_nobody_else(self, session: AsyncSession) -> None:
        admin = await _add(session, role=Role.ADMIN)
        assert (await commands.actor_for_command(session, email=None)).id == admin.id

    async def test_says_when_there_is_none(self, session: AsyncSession) -> None:
        with pytest.raises(NotFound, match="nobody@example.org"):
            await commands.actor_for_command(session, email="nobody@example.org")
        with pytest.raises(NotFound, match="user add"):
            await commands.actor_for_command(session, email=None)

    async def test_skips_a_disabled_account(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        await account_changes.disable_account(session, core, email="ada@example.org")
        with pytest.raises(NotFound):
            await commands.actor_for_command(session, email="ada@example.org")


class TestSignIn:
    async def test_gives_a_token_that_authenticates(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        signed_in = await _signed_in(session, core)
        actor = await authentication.authenticate(session, core, signed_in.token)
        assert actor is not None
        assert (actor.id, actor.session_id, actor.role) == (ada.id, signed_in.actor.session_id, Role.USER)

    async def test_ignores_case_in_the_email(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        assert isinstance(await _sign_in(session, core, email=" ADA@example.org "), SignedIn)

    async def test_lasts_5_days_when_remembered_and_12_hours_in_the_browser_otherwise(
        self, session: AsyncSession, core: Core
    ) -> None:
        await _add(session)
        remembered = await _signed_in(session, core)
        brief = await _signed_in(session, core, remember=False)
        assert remembered.max_age_s == 5 * 86_400
        assert brief.max_age_s is None
        rows = list(await session.scalars(select(AccountSession).order_by(AccountSession.expires_at)))
        assert [row.expires_at - row.created_at for row in rows] == [timedelta(hours=12), timedelta(days=5)]

    @pytest.mark.security(5)
    async def test_hashes_once_whether_the_account_exists_or_not(
        self, session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await _add(session)
        hashed = 0
        verify = passwords._context.verify_and_update

        def counted(secret: str, stored: str) -> tuple[bool, str | None]:
            nonlocal hashed
            hashed += 1
            return verify(secret, stored)

        monkeypatch.setattr(passwords._context, "verify_and_update", counted)
        for email in ("ada@example.org", "nobody@example.org"):
            hashed = 0
            assert isinstance(await _sign_in(session, core, email=email, password="wrong"), SignInRefused)
            assert hashed == 1

    @pytest.mark.security(6)
    @pytest.mark.usefixtures("full_hashes")
    async def test_does_the_same_work_for_a_known_and_an_unknown_email(
        self, session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the same statements and a hash of the same cost, both take the same time on every machine."""
        await _add(session)
        verify = passwords._context.verify_and_update
        costs: list[str] = []

        def noted(secret: str, stored: str) -> tuple[bool, str | None]:
            costs.append(stored.rsplit("$", 2)[0])
            return verify(secret, stored)

        monkeypatch.setattr(passwords._context, "verify_and_update", noted)
        work: list[tuple[list[str], set[float]]] = []
        for email in ("ada@example.org", "nobody@example.org"):
            costs.clear()
            with statements((await session.connection()).sync_connection) as sent, waits() as waited:
                await _sign_in(session, core, email=email, password="wrong")
            assert sent
            work.append(([*sent, *costs], set(waited)))
        assert work[0] == work[1]

    async def test_responds_the_same_for_every_reason_unless_the_password_is_right(self) -> None:
        to_anybody = (SignInRefusal.UNKNOWN_EMAIL, SignInRefusal.WRONG_PASSWORD, SignInRefusal.THROTTLED)
        assert len({SignInRefused(reason=reason).sentence for reason in to_anybody}) == 1

    @pytest.mark.security(7, 20)
    async def test_refuses_a_disabled_account_as_if_it_were_unknown(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        await account_changes.disable_account(session, core, email="ada@example.org")
        assert await _sign_in(session, core) == SignInRefused(reason=SignInRefusal.UNKNOWN_EMAIL)

    @pytest.mark.security(14)
    @pytest.mark.usefixtures("full_hashes")
    async def test_renews_an_outdated_hash(self, session: AsyncSession, core: Core) -> None:
        from passlib.hash import argon2

        ada = await _add(session)
        weak: str = argon2.using(type="ID", memory_cost=8_192, rounds=1, parallelism=1).hash(PASSWORD)
        await session.execute(update(Account).values(password_hash=weak))
        await _signed_in(session, core)
        account = await session.get_one(Account, ada.id)
        assert account.password_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")

    @pytest.mark.security(17)
    async def test_starts_a_new_session_each_time(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        first, second = await _signed_in(session, core), await _signed_in(session, core)
        assert first.actor.session_id != second.actor.session_id
        assert first.token != second.token


class TestThrottle:
    async def _fail(self, session: AsyncSession, core: Core, times: int, **where: Any) -> None:
        for _ in range(times):
            assert isinstance(await _sign_in(session, core, password="wrong", **where), SignInRefused)

    @pytest.mark.security(1)
    async def test_refuses_even_the_right_password_after_the_fourth_wrong_one(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        wrong = await _sign_in(session, core, password="wrong")
        await self._fail(session, core, 3)
        right = await _sign_in(session, core)
        assert isinstance(wrong, SignInRefused)
        assert isinstance(right, SignInRefused)
        assert right.sentence == wrong.sentence

    @pytest.mark.security(1)
    async def test_lets_the_owner_in_after_three_and_forgets_them(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        for _ in range(3):
            await self._fail(session, core, 3)
            assert isinstance(await _sign_in(session, core), SignedIn)

    @pytest.mark.security(2)
    async def test_the_ban_ends_automatically_and_wrong_tries_do_not_extend_it(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        before = now()
        await self._fail(session, core, 4)
        banned_until = await session.scalar(select(SignInThrottle.banned_until).where(SignInThrottle.banned_until.isnot(None)))
        await self._fail(session, core, 5)
        assert banned_until is not None
        assert before + timedelta(minutes=5) <= banned_until <= now() + timedelta(minutes=5)
        assert [banned_until] == list(
            await session.scalars(select(SignInThrottle.banned_until).where(SignInThrottle.banned_until.isnot(None)))
        )
        await session.execute(
            update(SignInThrottle).values(banned_until=now() - timedelta(seconds=1), window_ends_at=now() - timedelta(seconds=1))
        )
        assert isinstance(await _sign_in(session, core), SignedIn)

    async def test_the_ban_ends_also_when_the_clock_is_set_back_meanwhile(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        await self._fail(session, core, 4)
        assert isinstance(await _sign_in(session, core), SignInRefused)
        in_an_hour = now() + timedelta(hours=1)
        await session.execute(update(SignInThrottle).values(banned_until=in_an_hour, window_ends_at=in_an_hour))
        assert isinstance(await _sign_in(session, core), SignedIn)

    async def test_attempts_far_apart_do_not_add_up(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        for _ in range(3):
            await self._fail(session, core, 3)
            await session.execute(update(SignInThrottle).values(window_ends_at=now() - timedelta(seconds=1)))
        assert isinstance(await _sign_in(session, core), SignedIn)

    @pytest.mark.security(2)
    async def test_bans_an_address_that_tries_many_accounts(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        for number in range(30):
            await _sign_in(session, core, email=f"n{number}@example.org", password="wrong")
        assert isinstance(await _sign_in(session, core), SignInRefused)
        assert isinstance(await _sign_in(session, core, client=Client(address="192.0.2.8")), SignedIn)

    async def test_takes_an_ipv6_network_as_one_address(
        self, session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "FAILURES_PER_ADDRESS", 5)
        await _add(session)
        for number in range(5):
            client = Client(address=f"2001:db8:1:2::{number:x}")
            await _sign_in(session, core, email=f"n{number}@example.org", password="wrong", client=client)
        assert isinstance(await _sign_in(session, core, client=Client(address="2001:db8:1:2:ffff::1")), SignInRefused)
        assert isinstance(await _sign_in(session, core, client=Client(address="2001:db8:1:3::1")), SignedIn)

    @pytest.mark.security(3)
    async def test_counts_simultaneous_attempts(self, committed: Core, ada: Actor) -> None:
        async def attempt(password: str) -> SignedIn | SignInRefused:
            async with committed.database.transaction() as session:
                return await _sign_in(session, committed, password=password)

        results = await asyncio.gather(*(attempt(f"wrong {number}") for number in range(9)))
        assert all(isinstance(result, SignInRefused) for result in results)
        reasons = [result.reason for result in results if isinstance(result, SignInRefused)]
        assert reasons.count(SignInRefusal.WRONG_PASSWORD) == throttle.FAILURES_PER_ACCOUNT
        assert isinstance(await attempt(PASSWORD), SignInRefused)

    async def test_forgets_counters_nobody_needs_any_more(self, session: AsyncSession, core: Core) -> None:
        await self._fail(session, core, 1, email="old@example.org")
        await session.execute(update(SignInThrottle).values(forget_at=now() - timedelta(seconds=1)))
        await self._fail(session, core, 1, email="new@example.org", client=Client(address="192.0.2.9"))
        assert len(list(await session.scalars(select(SignInThrottle.subject)))) == 2


class CountingSemaphore(asyncio.Semaphore):
    """Counts the calls of `acquire`."""

    acquired = 0

    async def acquire(self) -> Literal[True]:
        self.acquired += 1
        return await super().acquire()


class TestQueue:
    async def test_waiting_for_a_password_hash_holds_no_connection(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go_on, hashing = asyncio.Event(), list[str]()
        queue = committed.cache[f"{authentication.__name__}.queue"] = CountingSemaphore(2 * passwords.THREADS)

        async def slowly(password: str, _stored: str | None) -> tuple[bool, str | None]:
            hashing.append(password)
            await go_on.wait()
            return False, None

        async def sign_in(number: int) -> object:
            async with committed.database.transaction() as session:
                return await _sign_in(session, committed, email=f"person{number}@example.org")

        monkeypatch.setattr(passwords, "check_password", slowly)
        waiting = [asyncio.create_task(sign_in(number)) for number in range(3 * passwords.THREADS)]
        await eventually(lambda: queue.acquired == len(waiting) and len(hashing) == 2 * passwords.THREADS)
        pool = cast("QueuePool", committed.database.engine.sync_engine.pool)
        held = pool.checkedout()
        go_on.set()
        assert all(isinstance(refused, SignInRefused) for refused in await asyncio.gather(*waiting))
        assert held == 2 * passwords.THREADS

    async def test_many_sign_ins_of_one_account_do_not_delay_others(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Sign-ins with the right password are not rate limited: the owner can send them as often as they like."""
        go_on, hashing = asyncio.Event(), list[str]()

        async def slowly(password: str, _stored: str | None) -> tuple[bool, str | None]:
            hashing.append(password)
            await go_on.wait()
            return False, None

        async def sign_in(email: str) -> object:
            async with committed.database.transaction() as session:
                return await _sign_in(session, committed, email=email, password=email)

        monkeypatch.setattr(passwords, "check_password", slowly)
        waiting = [asyncio.create_task(sign_in("Ada@example.org")) for _ in range(3 * passwords.THREADS)]
        await eventually(lambda: hashing)
        waiting.append(asyncio.create_task(sign_in("grace@example.org")))
        await eventually(lambda: len(hashing) > 1)
        assert sorted(hashing) == ["Ada@example.org", "grace@example.org"]
        go_on.set()
        await asyncio.gather(*waiting)


class TestHandover:
    async def _code(self, session: AsyncSession, core: Core, *, remember: bool = True) -> str:
        code = await authentication.sign_in_by_socket(
            session, core, email="ada@example.org", password=PASSWORD, remember=remember, client=HERE
        )
        assert isinstance(code, str)
        return code

    @pytest.mark.security(34)
    async def test_a_code_works_once(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        code = await self._code(session, core, remember=False)
        signed_in = await authentication.redeem_handover(session, core, code, client=HERE)
        assert signed_in.max_age_s is None
        assert await authentication.authenticate(session, core, signed_in.token)
        with pytest.raises(LinkSpent):
            await authentication.redeem_handover(session, core, code, client=HERE)

    @pytest.mark.security(34)
    async def test_a_code_lasts_at_most_30_seconds(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        code = await self._code(session, core)
        expires_at = await session.scalar(select(OneTimeSecret.expires_at))
        assert expires_at is not None
        assert expires_at <= now() + timedelta(seconds=30)
        await session.execute(update(OneTimeSecret).values(expires_at=now() - timedelta(seconds=1)))
        with pytest.raises(LinkSpent):
            await authentication.redeem_handover(session, core, code, client=HERE)

    async def test_a_code_is_kept_as_a_digest(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        code = await self._code(session, core)
        assert code not in str(list(await session.scalars(select(OneTimeSecret.digest))))

    async def test_a_wrong_password_gives_none(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        result = await authentication.sign_in_by_socket(
            session, core, email="ada@example.org", password="x", remember=True, client=HERE
        )
        assert result == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)

    async def test_a_reset_link_is_not_a_code(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        link = await recovery.reset_link(session, email="ada@example.org")
        with pytest.raises(LinkSpent):
            await authentication.redeem_handover(session, core, link.rpartition("/")[2], client=HERE)


class TestAuthenticate:
    @pytest.mark.security(18)
    async def test_refuses_after_signing_out(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        signed_in = await _signed_in(session, core)
        await authentication.sign_out(session, signed_in.actor, client=HERE)
        assert await authentication.authenticate(session, core, signed_in.token) is None

    @pytest.mark.security(20)
    async def test_refuses_a_disabled_account(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        tokens = [(await _signed_in(session, core)).token for _ in range(2)]
        await account_changes.disable_account(session, core, email="ada@example.org")
        assert [await authentication.authenticate(session, core, token) for token in tokens] == [None, None]
        await account_changes.enable_account(session, core, email="ada@example.org")
        assert [await authentication.authenticate(session, core, token) for token in tokens] == [None, None]

    @pytest.mark.security(21)
    async def test_refuses_the_token_of_an_earlier_role(self, session: AsyncSession, core: Core) -> None:
        await _add(session, role=Role.ADMIN)
        token = (await _signed_in(session, core)).token
        await account_changes.change_role(session, core, email="ada@example.org", role=Role.USER)
        assert await authentication.authenticate(session, core, token) is None
        assert (await _signed_in(session, core)).actor.role is Role.USER

    async def test_refuses_the_placeholder_address(self, session: AsyncSession, core: Core) -> None:
        await _add(session, core.settings.unknown_email)
        result = await _sign_in(session, core, email=core.settings.unknown_email)
        assert isinstance(result, SignedIn)
        assert await authentication.authenticate(session, core, result.token) is None

    async def test_remembers_when_it_was_last_used(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        token = (await _signed_in(session, core)).token
        await session.execute(update(AccountSession).values(last_used_at=now() - timedelta(hours=1)))
        await authentication.authenticate(session, core, token)
        (row,) = (await authentication.list_sessions(session, ada, PageRequest())).items
        assert now() - row.last_used_at < timedelta(minutes=1)


class TestSessions:
    @pytest.mark.security(24)
    async def test_only_the_owner_sees_and_ends_them(self, session: AsyncSession, core: Core) -> None:
        ada, eve = await _add(session), await _add(session, "eve@example.org")
        signed_in = await _signed_in(session, core)
        (row,) = (await authentication.list_sessions(session, ada, PageRequest())).items
        assert (await authentication.list_sessions(session, eve, PageRequest())).items == []
        with pytest.raises(NotFound):
            await authentication.end_session(session, eve, row.id, client=HERE)
        await authentication.end_session(session, ada, row.id, client=HERE)
        assert await authentication.authenticate(session, core, signed_in.token) is None
        with pytest.raises(NotFound):
            await authentication.end_session(session, ada, row.id, client=HERE)

    @pytest.mark.security(20, 30)
    async def test_an_end_is_published_so_that_sockets_close(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            signed_in = await _signed_in(session, committed)
        assert signed_in.actor.session_id is not None
        ended = asyncio.Event()
        with committed.live.subscribed(sessions.session_topic(signed_in.actor.session_id), lambda _payload: ended.set()):
            async with committed.database.transaction() as session:
                await account_changes.disable_account(session, committed, email="ada@example.org")
            async with asyncio.timeout(5):
                await ended.wait()


class TestFirstAdmin:
    async def _make(self, session: AsyncSession, core: Core, secret: str, email: str = "root@example.org") -> str:
        return await first_admin.create_first_admin(
            session, core, secret=secret, email=email, name="Root", password=PASSWORD, client=HERE
        )

    @pytest.mark.security(9)
    async def test_the_link_makes_one_admin(self, session: AsyncSession, core: Core) -> None:
        link = await first_admin.first_admin_link(session)
        assert link is not None
        secret = link.removeprefix("/auth/first-admin/")
        assert await first_admin.is_first_admin_link(session, secret)
        code = await self._make(session, core, secret)
        assert (await authentication.redeem_handover(session, core, code, client=HERE)).actor.role is Role.ADMIN
        assert not await first_admin.is_first_admin_link(session, secret)
        with pytest.raises(LinkSpent):
            await self._make(session, core, secret, "second@example.org")

    @pytest.mark.security(9)
    async def test_no_other_link_works_afterward(self, session: AsyncSession, core: Core) -> None:
        links = [await first_admin.first_admin_link(session) for _ in range(2)]
        secrets = [str(link).rpartition("/")[2] for link in links]
        await self._make(session, core, secrets[0])
        with pytest.raises(LinkSpent):
            await self._make(session, core, secrets[1], "second@example.org")
        assert await first_admin.first_admin_link(session) is None

    @pytest.mark.security(9)
    async def test_does_not_work_once_another_user_has_an_account(self, session: AsyncSession, core: Core) -> None:
        secret = str(await first_admin.first_admin_link(session)).rpartition("/")[2]
        await _add(session)
        assert not await first_admin.is_first_admin_link(session, secret)
        with pytest.raises(LinkSpent):
            await self._make(session, core, secret)

    @pytest.mark.security(9)
    async def test_a_guess_does_not_work(self, session: AsyncSession, core: Core) -> None:
        await first_admin.first_admin_link(session)
        assert not await first_admin.is_first_admin_link(session, "guess")
        with pytest.raises(LinkSpent):
            await self._make(session, core, "guess")

    async def test_a_weak_password_leaves_the_link_usable(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            secret = str(await first_admin.first_admin_link(session)).rpartition("/")[2]
        with pytest.raises(WeakPassword):
            async with committed.database.transaction() as session:
                await first_admin.create_first_admin(
                    session, committed, secret=secret, email="r@b.org", name="Root", password="password", client=HERE
                )
        async with committed.database.transaction() as session:
            await self._make(session, committed, secret)


class TestReset:
    async def _link(self, session: AsyncSession) -> str:
        link = await recovery.reset_link(session, email="ada@example.org")
        return link.removeprefix("/auth/confirm-reset/")

    @pytest.mark.security(16)
    async def test_a_link_works_once_and_for_an_hour(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        secret = await self._link(session)
        assert len(secret) >= 22  # 128 bits
        assert secret not in str(list(await session.scalars(select(OneTimeSecret.digest))))
        expires_at = await session.scalar(select(OneTimeSecret.expires_at))
        assert expires_at is not None
        assert expires_at <= now() + timedelta(hours=1)
        assert await recovery.find_reset(session, secret)
        await recovery.reset_password(session, core, secret=secret, password="another fine sentence", client=HERE)
        assert isinstance(await _sign_in(session, core), SignInRefused)
        assert isinstance(await _sign_in(session, core, password="another fine sentence"), SignedIn)
        with pytest.raises(LinkSpent):
            await recovery.reset_password(session, core, secret=secret, password="another fine sentence", client=HERE)

    @pytest.mark.security(16)
    async def test_a_newer_link_replaces_it(self, session: AsyncSession) -> None:
        await _add(session)
        older, newer = await self._link(session), await self._link(session)
        assert not await recovery.find_reset(session, older)
        assert await recovery.find_reset(session, newer)

    @pytest.mark.security(19, 26)
    async def test_ends_every_session_and_notifies_the_owner(self, session: AsyncSession, core: Core) -> None:
        await _add(session)
        token = (await _signed_in(session, core)).token
        await recovery.reset_password(
            session, core, secret=await self._link(session), password="another fine sentence", client=HERE
        )
        assert await authentication.authenticate(session, core, token) is None
        (message,) = await session.scalars(select(Mail))
        assert (message.recipient, message.subject) == ("ada@example.org", "Your password was changed")

    @pytest.mark.security(16)
    async def test_expires(self, session: AsyncSession) -> None:
        await _add(session)
        secret = await self._link(session)
        await session.execute(update(OneTimeSecret).values(expires_at=now() - timedelta(seconds=1)))
        assert not await recovery.find_reset(session, secret)


class TestRegister:
    async def test_is_closed_unless_the_installation_is_open(self, session: AsyncSession, core: Core) -> None:
        with pytest.raises(RegistrationClosed, match="by invitation"):
            await registration.register(session, core, email="a@b.org", name="Ada", password=PASSWORD, client=HERE)

    async def test_creates_a_user_and_signs_in(self, session: AsyncSession, core: Core) -> None:
        """According to the specification, programs can sign in immediately. On the pages, the address must be confirmed
        first."""
        is_open = with_settings(core, open_registration=True)
        signed_in = await registration.register(session, is_open, email="a@b.org", name="Ada", password=PASSWORD, client=HERE)
        assert signed_in.actor.role is Role.USER
        assert await authentication.authenticate(session, core, signed_in.token)

    async def test_uses_the_current_language_until_one_is_chosen(self, session: AsyncSession, core: Core) -> None:
        core = with_settings(core, open_registration=True)
        with using_language("de"):
            new = await registration.register(session, core, email="grace@example.org", name="G", password=PASSWORD, client=HERE)
            await emails.notify_owner(
                session, core, await accounts.get_account(session, new.actor.email), MailKind.PASSKEY_ADDED, what="Key"
            )
            await preferences.choose_language(session, new.actor, "fr")
            await emails.notify_owner(
                session, core, await accounts.get_account(session, new.actor.email), MailKind.PASSKEY_ADDED, what="Key"
            )
        assert list(await session.scalars(select(Mail.language).order_by(Mail.created_at))) == ["de", "de", "fr"]

    @pytest.mark.parametrize("by", ["link", "email"])
    async def test_earlier_credentials_are_revoked_when_the_owner_registers(
        self, session: AsyncSession, core: Core, by: str
    ) -> None:
        core, email = with_settings(core, open_registration=True), "grace@example.org"
        stranger = await registration.register(session, core, email=email, name="Eve", password=PASSWORD, client=HERE)
        earlier = stranger.actor.model_copy(update={"is_confirmed": True})  # an account from a version without confirmation
        token = await api_tokens.create_api_token(session, earlier, core, name="script", scope=TokenScope.READ, lasts_days=9)
        move = await one_time_secrets.new_secret(
            session, "email", lasts=timedelta(days=1), owner_id=stranger.actor.id, email="eve@a.org"
        )
        assert await second_factor.start(session, stranger.actor, core)
        if by == "link":
            await registration.register_by_link(
                session, core, type="standard", token="open", email=email, name="Grace", password=f"{PASSWORD}!",
                language="en", client=HERE,
            )  # fmt: skip
        else:
            secret = (await recovery.reset_link(session, email=email)).rpartition("/")[2]
            await recovery.reset_password(session, core, secret=secret, password=f"{PASSWORD}!", client=HERE)
        assert await authentication.authenticate(session, core, stranger.token) is None
        assert await api_tokens.authenticate_api_token(session, token.secret) is None
        assert await email_change.address_to_confirm(session, move) is None
        assert await session.scalar(select(SecondFactor)) is None
        recorded = set(await session.scalars(select(AuditEntry.action)))
        assert {"session.all_ended", "api_key.revoked"} <= recorded


class TestApiTokens:
    @pytest.mark.security(44)
    async def test_is_shown_once_and_kept_as_a_digest(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        made = await api_tokens.create_api_token(session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=30)
        (listed,) = (await api_tokens.list_api_tokens(session, ada, PageRequest())).items
        assert made.secret not in listed.model_dump_json()
        assert made.secret not in str([vars(row) for row in await session.scalars(select(ApiToken))])
        holder = ada.model_copy(update={"is_program": True})
        assert await api_tokens.authenticate_api_token(session, made.secret) == (holder, TokenScope.READ)
        (listed,) = (await api_tokens.list_api_tokens(session, ada, PageRequest())).items
        assert listed.last_used_at is not None

    @pytest.mark.security(20, 44)
    async def test_stops_when_it_expires_or_is_revoked_or_the_account_is_closed(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        made = [
            await api_tokens.create_api_token(session, ada, core, name=f"t{n}", scope=TokenScope.WRITE, lasts_days=1)
            for n in range(3)
        ]
        await api_tokens.revoke_api_token(session, ada, made[0].id)
        await session.execute(update(ApiToken).where(ApiToken.id == made[1].id).values(expires_at=now()))
        assert await api_tokens.authenticate_api_token(session, made[0].secret) is None
        assert await api_tokens.authenticate_api_token(session, made[1].secret) is None
        assert await api_tokens.authenticate_api_token(session, made[2].secret)
        await account_changes.disable_account(session, core, email=ada.email)
        assert await api_tokens.authenticate_api_token(session, made[2].secret) is None

    async def test_has_a_limit_that_revoked_and_expired_ones_do_not_count_toward(
        self, session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(api_tokens, "_MAX_API_TOKENS", 1)
        ada, eve = await _add(session), await _add(session, "eve@example.org")
        for holder in (ada, eve):
            made = await api_tokens.create_api_token(session, holder, core, name="a", scope=TokenScope.READ, lasts_days=1)
        with pytest.raises(api_tokens.TooManyApiTokens, match="at most 1 valid"):
            await api_tokens.create_api_token(session, eve, core, name="b", scope=TokenScope.READ, lasts_days=1)
        await api_tokens.revoke_api_token(session, eve, made.id)
        made = await api_tokens.create_api_token(session, eve, core, name="b", scope=TokenScope.READ, lasts_days=1)
        await session.execute(update(ApiToken).where(ApiToken.id == made.id).values(expires_at=now()))
        assert await api_tokens.create_api_token(session, eve, core, name="c", scope=TokenScope.READ, lasts_days=1)

    @pytest.mark.security(53)
    async def test_creating_and_revoking_them_has_a_budget(
        self, session: AsyncSession, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(api_tokens, "CREATED_BY_ONE", (throttle.Budget(2, timedelta(hours=1)),))
        ada, eve = await _add(session), await _add(session, "eve@example.org")
        for _ in range(2):
            made = await api_tokens.create_api_token(session, eve, core, name="a", scope=TokenScope.READ, lasts_days=1)
            await api_tokens.revoke_api_token(session, eve, made.id)
        with pytest.raises(throttle.OverBudget, match=r"too many API tokens.* Try again in \d+ minutes\."):
            await api_tokens.create_api_token(session, eve, core, name="a", scope=TokenScope.READ, lasts_days=1)
        assert await api_tokens.create_api_token(session, ada, core, name="a", scope=TokenScope.READ, lasts_days=1)

    @pytest.mark.security(40)
    async def test_cannot_be_revoked_by_another_user(self, session: AsyncSession, core: Core) -> None:
        ada, eve = await _add(session), await _add(session, "eve@example.org")
        made = await api_tokens.create_api_token(session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=30)
        with pytest.raises(NotFound):
            await api_tokens.revoke_api_token(session, eve, made.id)

    @pytest.mark.security(44)
    @pytest.mark.parametrize("days", [0, 367])
    async def test_cannot_last_forever(self, session: AsyncSession, core: Core, days: int) -> None:
        with pytest.raises(Invalid):
            await api_tokens.create_api_token(
                session, await _add(session), core, name="t", scope=TokenScope.READ, lasts_days=days
            )


class TestAudit:
    @pytest.mark.security(45)
    async def test_has_a_line_for_each_event(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        await _sign_in(session, core, password="wrong")
        signed_in = await _signed_in(session, core)
        await account_changes.change_role(session, core, email=ada.email, role=Role.ADMIN)
        made = await api_tokens.create_api_token(session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=30)
        await api_tokens.revoke_api_token(session, ada, made.id)
        await authentication.sign_out(session, signed_in.actor, client=HERE)
        secret = (await recovery.reset_link(session, email=ada.email)).rpartition("/")[2]
        await recovery.reset_password(session, core, secret=secret, password="another fine sentence", client=HERE)
        entries = await _audit(session)
        assert [entry.action for entry in entries] == [
            "account.created", "sign_in.refused", "sign_in", "account.role_changed", "api_key.created", "api_key.revoked",
            "sign_out", "password.reset_started", "password.reset",
        ]  # fmt: skip
        signing_in = entries[2]
        assert (signing_in.actor_id, signing_in.actor_email, signing_in.address) == (ada.id, ada.email, HERE.address)
        assert signing_in.at.tzinfo is not None
        kept = str([vars(entry) for entry in entries])
        assert not any(word in kept for word in (PASSWORD, "wrong'", made.secret, secret, signed_in.token))

    @pytest.mark.security(45)
    @pytest.mark.parametrize("name", ["password", "new_password", "token", "Authorization", "api_key", "cookie"])
    async def test_keeps_no_detail_that_is_named_like_a_secret(self, session: AsyncSession, name: str) -> None:
        await audit.record(session, "x", actor=None, subject="Ada", client=HERE, **{name: "HIDDEN", "reason": "wrong"})
        (entry,) = await _audit(session)
        assert entry.details == {name: "***", "reason": "wrong"}

    @pytest.mark.security(45)
    async def test_a_line_break_cannot_forge_a_line(self, session: AsyncSession, core: Core) -> None:
        evil = "ada@example.org\r\n2026-01-01 sign_in root\u2028\x1b[31m"
        client = Client(address="192.0.2.7\n", user_agent="x\ny")
        await _sign_in(session, core, email=evil, password="wrong", client=client)
        (entry,) = await _audit(session)
        assert not any(ord(character) < 32 or character == "\u2028" for character in entry.subject + entry.address)

    @pytest.mark.security(45)
    @pytest.mark.parametrize(
        "statement", ["UPDATE audit_entry SET action = 'x'", "DELETE FROM audit_entry", "TRUNCATE audit_entry"]
    )
    def test_cannot_be_changed_even_by_its_owner(self, core: Core, statement: str) -> None:
        with psycopg.connect(as_owner(core.database.url)) as connection, pytest.raises(psycopg.Error, match="append-only"):
            connection.execute(statement.encode())

    async def test_outlives_its_account(self, session: AsyncSession, core: Core) -> None:
        ada = await _add(session)
        await api_tokens.create_api_token(session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=30)
        await session.delete(await session.get_one(Account, ada.id))
        await session.flush()
        assert [entry.actor_id for entry in await _audit(session)] == [None, ada.id]


class TestUnknownSession:
    async def test_a_well_signed_token_of_no_session_is_refused(self, session: AsyncSession, core: Core) -> None:

        ada = await _add(session)
        token = session_tokens.sign(core, ada, session_id=uuid4(), issued_at=now(), expires_at=now() + timedelta(days=1))
        assert await authentication.authenticate(session, core, token) is None
