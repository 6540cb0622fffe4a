"""Sensitive changes require re-authentication."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import administration, invitations, outbox
from fundwright.accounts.models import Account
from fundwright.accounts.permissions import NotForPrograms
from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import api_tokens, email_change, passkeys, password_change, reauthentication, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.models import AccountSession
from fundwright.authentication.reauthentication import ReauthenticationRequired, SessionEnded
from fundwright.authentication.schemas import RecoveryCodes, SignedIn, SignInRefusal, SignInRefused, TokenScope
from fundwright.core.assembly import Core
from fundwright.core.database import now
from tests.authentication.authenticator import code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

SENSITIVE = (
    api_tokens.create_api_token,
    outbox.list_mails,
    administration.change_role,
    administration.remove_second_factor,
    administration.start_reset,
    invitations.invite,
    second_factor.start,
    second_factor.turn_off,
    second_factor.renew_recovery_codes,
    passkeys.start_adding,
    passkeys.remove,
)


async def sign_in(session: AsyncSession, core: Core) -> Actor:
    await add_account(session, "ada@example.org", name="Ada", role=Role.ADMIN, password=PASSWORD)
    result = await authentication.sign_in(session, core, email="ada@example.org", password=PASSWORD, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result.actor


async def let_time_pass(session: AsyncSession) -> None:
    await session.execute(update(AccountSession).values(reauthenticated_until=now() - timedelta(seconds=1)))


async def make_token(session: AsyncSession, actor: Actor, core: Core) -> None:
    await api_tokens.create_api_token(session, actor, core, name="nightly", scope=TokenScope.READ, lasts_days=1)


class TestSensitiveChanges:
    @pytest.mark.security(26)
    @pytest.mark.parametrize("change", SENSITIVE, ids=lambda change: f"{change.__module__}.{change.__name__}")
    async def test_each_requires_recent_authentication(
        self, session: AsyncSession, core: Core, change: Callable[..., Any]
    ) -> None:
        actor = await sign_in(session, core)
        await let_time_pass(session)
        takes = inspect.signature(change).parameters.values()
        given = {each.name: None for each in takes if each.default is each.empty}
        with pytest.raises(ReauthenticationRequired):
            await change(**{**given, "session": session, "actor": actor})

    async def test_signing_in_counts_for_some_minutes(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await make_token(session, actor, core)
        row = await session.get(AccountSession, actor.session_id)
        assert row is not None and timedelta(minutes=9) < row.reauthenticated_until - now() <= timedelta(minutes=10)
        await let_time_pass(session)
        with pytest.raises(ReauthenticationRequired):
            await make_token(session, actor, core)

    async def test_the_number_of_minutes_is_a_setting(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, with_settings(core, reauthentication_minutes=60))
        row = await session.get(AccountSession, actor.session_id)
        assert row is not None and row.reauthenticated_until - now() > timedelta(minutes=59)

    async def test_it_applies_only_to_its_own_session(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await let_time_pass(session)
        other = await authentication.sign_in(session, core, email=actor.email, password=PASSWORD, remember=True, client=HERE)
        assert isinstance(other, SignedIn)
        await make_token(session, other.actor, core)
        with pytest.raises(ReauthenticationRequired):
            await make_token(session, actor, core)


class TestPassword:
    async def test_the_right_one_is_accepted(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await let_time_pass(session)
        proved = await reauthentication.reauthenticate_by_password(session, actor, core, password=PASSWORD, client=HERE)
        assert proved is None
        await make_token(session, actor, core)

    @pytest.mark.security(1)
    async def test_wrong_ones_are_counted_like_those_of_signing_in(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await let_time_pass(session)
        for _ in range(4):
            wrong = await reauthentication.reauthenticate_by_password(session, actor, core, password="wrong", client=HERE)
            assert wrong == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)
        late = await reauthentication.reauthenticate_by_password(session, actor, core, password=PASSWORD, client=HERE)
        assert late == SignInRefused(reason=SignInRefusal.THROTTLED)
        with pytest.raises(ReauthenticationRequired):
            await make_token(session, actor, core)


async def turn_on(session: AsyncSession, actor: Actor, core: Core) -> list[str]:
    """Turn on two-step verification; returns the recovery codes."""
    begun = await second_factor.start(session, actor, core)
    made = await second_factor.confirm(session, actor, core, code=code_at(begun.secret, now()), client=HERE)
    assert isinstance(made, RecoveryCodes)
    return made.codes


class TestTwoStepVerification:
    @pytest.mark.security(26)
    async def test_the_password_alone_is_not_enough(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        codes = await turn_on(session, actor, core)
        await let_time_pass(session)
        refused = await reauthentication.reauthenticate_by_password(session, actor, core, password=PASSWORD, client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.CODE_NEEDED)
        with pytest.raises(ReauthenticationRequired):
            await second_factor.turn_off(session, actor, core, client=HERE)
        assert await second_factor.reauthenticate_by_code(session, actor, core, code=codes[0], client=HERE) is None
        await second_factor.turn_off(session, actor, core, client=HERE)

    @pytest.mark.security(26)
    async def test_requires_more_than_the_password(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        codes = await turn_on(session, actor, core)
        await let_time_pass(session)

        async def change_password() -> SignInRefused | None:
            return await password_change.change_password(
                session, actor, core, current=PASSWORD, new="a quiet harbor", client=HERE
            )

        async def change_email() -> SignInRefused | None:
            return await email_change.ask(session, actor, core, email="eve@example.org", password=PASSWORD, client=HERE)

        async def delete() -> SignInRefused | None:
            return await authentication.delete_account(session, actor, core, email=actor.email, password=PASSWORD, client=HERE)

        for change in (change_password, change_email, delete):
            with pytest.raises(ReauthenticationRequired):
                await change()
        await second_factor.reauthenticate_by_code(session, actor, core, code=codes[0], client=HERE)
        assert await change_email() is None
        assert await change_password() is None

    @pytest.mark.security(26)
    async def test_an_api_token_cannot_make_such_a_change(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await turn_on(session, actor, core)
        program = actor.model_copy(update={"session_id": None, "is_program": True})
        with pytest.raises(NotForPrograms):
            await email_change.ask(session, program, core, email="eve@example.org", password=PASSWORD, client=HERE)

    @pytest.mark.security(26)
    async def test_turning_it_on_requires_reauthentication_in_other_sessions(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        other = await authentication.sign_in(session, core, email=actor.email, password=PASSWORD, remember=True, client=HERE)
        assert isinstance(other, SignedIn)
        await turn_on(session, actor, core)
        with pytest.raises(ReauthenticationRequired):
            await second_factor.turn_off(session, other.actor, core, client=HERE)
        await second_factor.turn_off(session, actor, core, client=HERE)


class TestEndedSession:
    @pytest.mark.security(18, 26)
    @pytest.mark.parametrize("how", ["signed out", "expired", "idle", "disabled"])
    async def test_does_not_count(self, session: AsyncSession, core: Core, how: str) -> None:
        actor = await sign_in(session, core)
        match how:
            case "signed out":
                await authentication.sign_out(session, actor, client=HERE)
            case "expired":
                await session.execute(update(AccountSession).values(expires_at=now()))
            case "idle":
                await session.execute(update(AccountSession).values(last_used_at=now() - timedelta(days=30)))
            case _:
                await session.execute(update(Account).values(disabled_at=now()))
        with pytest.raises(SessionEnded):
            await make_token(session, actor, core)

    @pytest.mark.security(18, 26)
    async def test_cannot_be_reauthenticated(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        await authentication.sign_out(session, actor, client=HERE)
        with pytest.raises(SessionEnded):
            await reauthentication.reauthenticate_by_password(session, actor, core, password=PASSWORD, client=HERE)

    @pytest.mark.security(26)
    async def test_of_another_account_does_not_count(self, session: AsyncSession, core: Core) -> None:
        actor = await sign_in(session, core)
        eve = await add_account(session, "eve@example.org", name="Eve", role=Role.ADMIN, password=PASSWORD)
        with pytest.raises(SessionEnded):
            await make_token(session, eve.model_copy(update={"session_id": actor.session_id}), core)


@pytest.mark.usefixtures("ada")
class TestApi:
    @pytest.mark.security(26)
    async def test_accepts_no_password_where_two_step_verification_is_on(self, committed: Core) -> None:
        async with browse(committed) as visitor:
            await visitor.post("/signin", json={"email": "ada@example.org", "password": PASSWORD})
            secret = (await visitor.post("/api/account/second-factor")).json()["secret"]
            code = code_at(secret, now())
            codes = (await visitor.put("/api/account/second-factor", json={"code": code})).json()["codes"]
            async with committed.database.transaction() as session:
                await let_time_pass(session)
            refused = await visitor.put("/api/account/reauthentication", json={"password": PASSWORD})
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ReauthenticationRefused")
            assert (await visitor.delete("/api/account/second-factor")).status_code == 403
            assert (
                await visitor.put("/api/account/reauthentication", json={"password": PASSWORD, "code": codes[0]})
            ).status_code == 204
            assert (await visitor.delete("/api/account/second-factor")).status_code == 204

    async def test_asks_and_continues_after_reauthentication(self, committed: Core) -> None:
        async with browse(committed) as visitor:
            await visitor.post("/signin", json={"email": "ada@example.org", "password": PASSWORD})
            async with committed.database.transaction() as session:
                await let_time_pass(session)
            refused = await visitor.post("/api/account/tokens", json={"name": "nightly"})
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ReauthenticationRequired")
            wrong = await visitor.put("/api/account/reauthentication", json={"password": "wrong"})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "ReauthenticationRefused")
            assert (await visitor.post("/api/account/tokens", json={"name": "nightly"})).status_code == 403
            assert (await visitor.put("/api/account/reauthentication", json={"password": PASSWORD})).status_code == 204
            assert (await visitor.post("/api/account/tokens", json={"name": "nightly"})).status_code == 201

    @pytest.mark.security(26, 44)
    async def test_an_api_token_cannot_create_another(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            made = await api_tokens.create_api_token(session, ada, committed, name="n", scope=TokenScope.WRITE, lasts_days=1)
            found = await api_tokens.authenticate_api_token(session, made.secret)
            assert found is not None
            with pytest.raises(NotForPrograms):
                await make_token(session, found[0], committed)
        async with browse(committed, same_origin=False) as program:
            headers = {"authorization": f"Bearer {made.secret}"}
            refused = await program.post("/api/account/tokens", json={"name": "another"}, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NotForPrograms")
