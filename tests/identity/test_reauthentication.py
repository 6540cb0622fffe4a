"""Sensitive changes ask once more who somebody is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.identity import passkeys, people, reauthentication, registration, second_factor, service
from fundwright.identity.models import AccountSession
from fundwright.identity.reauthentication import NotForPrograms, ProofRequired
from fundwright.identity.schemas import Actor, Refusal, Role, SignedIn, SignInRefused, TokenScope
from tests.identity.conftest import HERE, PASSWORD, browse, with_settings

SENSITIVE = (
    service.create_api_token,
    people.change_role,
    people.remove_second_factor,
    registration.invite,
    second_factor.start,
    second_factor.turn_off,
    second_factor.renew_recovery_codes,
    passkeys.start_adding,
    passkeys.remove,
)


async def sign_in(core: Core, session: AsyncSession) -> Actor:
    await service.add_account(session, email="ada@example.org", name="Ada", role=Role.ADMIN, password=PASSWORD)
    result = await service.sign_in(core, session, email="ada@example.org", password=PASSWORD, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result.actor


async def let_time_pass(session: AsyncSession) -> None:
    await session.execute(update(AccountSession).values(proved_until=now() - timedelta(seconds=1)))


async def make_token(session: AsyncSession, actor: Actor) -> None:
    await service.create_api_token(session, actor, name="nightly", scope=TokenScope.READ, lasts_days=1)


class TestSensitiveChanges:
    @pytest.mark.security(26)
    @pytest.mark.parametrize("change", SENSITIVE, ids=lambda change: f"{change.__module__}.{change.__name__}")
    async def test_each_asks_for_a_recent_proof(self, core: Core, session: AsyncSession, change: Callable[..., Any]) -> None:
        actor = await sign_in(core, session)
        await let_time_pass(session)
        takes = inspect.signature(change).parameters.values()
        given = {each.name: None for each in takes if each.default is each.empty}
        with pytest.raises(ProofRequired):
            await change(**{**given, "session": session, "actor": actor})

    async def test_signing_in_is_a_proof_for_some_minutes(self, core: Core, session: AsyncSession) -> None:
        actor = await sign_in(core, session)
        await make_token(session, actor)
        row = await session.get(AccountSession, actor.session_id)
        assert row is not None and timedelta(minutes=9) < row.proved_until - now() <= timedelta(minutes=10)
        await let_time_pass(session)
        with pytest.raises(ProofRequired):
            await make_token(session, actor)

    async def test_how_many_minutes_is_a_setting(self, core: Core, session: AsyncSession) -> None:
        actor = await sign_in(with_settings(core, proof_minutes=60), session)
        row = await session.get(AccountSession, actor.session_id)
        assert row is not None and row.proved_until - now() > timedelta(minutes=59)

    async def test_a_proof_counts_for_its_own_session_alone(self, core: Core, session: AsyncSession) -> None:
        actor = await sign_in(core, session)
        await let_time_pass(session)
        other = await service.sign_in(core, session, email=actor.email, password=PASSWORD, remember=True, client=HERE)
        assert isinstance(other, SignedIn)
        await make_token(session, other.actor)
        with pytest.raises(ProofRequired):
            await make_token(session, actor)


class TestPassword:
    async def test_the_right_one_is_a_proof(self, core: Core, session: AsyncSession) -> None:
        actor = await sign_in(core, session)
        await let_time_pass(session)
        proved = await reauthentication.prove_by_password(core, session, actor, password=PASSWORD, client=HERE)
        assert proved is None
        await make_token(session, actor)

    @pytest.mark.security(1)
    async def test_wrong_ones_are_counted_like_those_of_signing_in(self, core: Core, session: AsyncSession) -> None:
        actor = await sign_in(core, session)
        await let_time_pass(session)
        for _ in range(4):
            wrong = await reauthentication.prove_by_password(core, session, actor, password="wrong", client=HERE)
            assert wrong == SignInRefused(reason=Refusal.WRONG_PASSWORD)
        late = await reauthentication.prove_by_password(core, session, actor, password=PASSWORD, client=HERE)
        assert late == SignInRefused(reason=Refusal.THROTTLED)
        with pytest.raises(ProofRequired):
            await make_token(session, actor)


@pytest.mark.usefixtures("ada")
class TestApi:
    async def test_asks_and_goes_on_after_the_proof(self, committed: Core) -> None:
        async with browse(committed) as visitor:
            await visitor.post("/signin", json={"email": "ada@example.org", "password": PASSWORD})
            async with committed.database.transaction() as session:
                await let_time_pass(session)
            refused = await visitor.post("/api/account/tokens", json={"name": "nightly"})
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ProofRequired")
            wrong = await visitor.put("/api/account/proof", json={"password": "wrong"})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "ProofRefused")
            assert (await visitor.post("/api/account/tokens", json={"name": "nightly"})).status_code == 403
            assert (await visitor.put("/api/account/proof", json={"password": PASSWORD})).status_code == 204
            assert (await visitor.post("/api/account/tokens", json={"name": "nightly"})).status_code == 201

    @pytest.mark.security(26, 44)
    async def test_an_api_token_makes_no_other(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            made = await service.create_api_token(session, ada, name="n", scope=TokenScope.WRITE, lasts_days=1)
            found = await service.authenticate_api_token(session, made.secret)
            assert found is not None
            with pytest.raises(NotForPrograms):
                await make_token(session, found[0])
        async with browse(committed, same_origin=False) as program:
            headers = {"authorization": f"Bearer {made.secret}"}
            refused = await program.post("/api/account/tokens", json={"name": "another"}, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NotForPrograms")
