"""The duration of a session, and what happens to old tokens; the test controls the clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor
from fundwright.authentication import one_time_secrets, repository, session_tokens, sessions
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn
from fundwright.core import database
from fundwright.core.assembly import Core
from fundwright.core.mail import Mail
from fundwright.core.paging import PageRequest
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

_FORM = {"email": "ada@example.org", "password": PASSWORD}


class Clock:
    """A clock that stands still until the test advances it. It starts in the past, because tokens from the future are
    rejected."""

    def __init__(self) -> None:
        self.moment = database.now() - timedelta(hours=11)

    def __call__(self) -> datetime:
        return self.moment

    def pass_(self, **span: float) -> None:
        self.moment += timedelta(**span)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (one_time_secrets, repository, sessions):
        monkeypatch.setattr(module, "now", clock)
    return clock


async def sign_in(session: AsyncSession, core: Core, *, remember: bool = True) -> SignedIn:
    result = await authentication.sign_in(session, core, **_FORM, remember=remember, client=HERE)
    assert isinstance(result, SignedIn)
    return result


@pytest.fixture
async def visitor(committed: Core, ada: Actor, clock: Clock) -> AsyncIterator[httpx.AsyncClient]:
    """Ada, signed in in one browser."""
    async with browse(committed) as client:
        await client.post("/signin", json=_FORM)
        yield client


@asynccontextmanager
async def with_token(core: Core, token: str | None) -> AsyncIterator[httpx.AsyncClient]:
    """Another browser with a copy of the cookie."""
    async with browse(core) as client:
        client.cookies.set("session", token or "")
        yield client


async def status(client: httpx.AsyncClient) -> int:
    return (await client.get("/probe")).status_code


async def renewed(client: httpx.AsyncClient) -> str:
    answer = await client.post("/session", json={})
    assert answer.status_code == 200
    return answer.json()["token"]


async def rows(core: Core, table: Any) -> list[Any]:
    async with core.database.transaction() as session:
        return list(await session.scalars(select(table)))


@pytest.mark.security(23)
class TestLifetime:
    @pytest.mark.parametrize(("remember", "hours"), [(True, 120), (False, 12)])
    @pytest.mark.slow
    async def test_ends_however_much_it_is_used(
        self, committed: Core, ada: Actor, clock: Clock, remember: bool, hours: int
    ) -> None:
        async with browse(committed) as visitor:
            await visitor.post("/signin", json={**_FORM, "remember": remember})
            token = visitor.cookies["session"]
            for _ in range(hours - 1):
                clock.pass_(hours=1)
                async with with_token(committed, token) as browser:
                    assert await status(browser) == 200
            clock.pass_(hours=1)
            async with with_token(committed, token) as browser:
                assert await status(browser) == 401

    @pytest.mark.parametrize(("remember", "hours"), [(True, 72), (False, 2)])
    async def test_ends_without_use(self, session: AsyncSession, core: Core, clock: Clock, remember: bool, hours: int) -> None:
        ada = await add_account(session, "ada@example.org", name="Ada", password=PASSWORD)
        token = (await sign_in(session, core, remember=remember)).token
        clock.pass_(hours=hours / 2)
        assert await authentication.authenticate(session, core, token)
        clock.pass_(hours=hours, seconds=-1)
        assert len((await authentication.list_sessions(session, ada, PageRequest())).items) == 1
        clock.pass_(seconds=1)
        assert await authentication.authenticate(session, core, token) is None
        assert (await authentication.list_sessions(session, ada, PageRequest())).items == []

    async def test_a_page_that_is_only_open_does_not_use_it(self, session: AsyncSession, core: Core, clock: Clock) -> None:
        await add_account(session, "ada@example.org", name="Ada", password=PASSWORD)
        signed_in = await sign_in(session, core, remember=False)
        clock.pass_(minutes=90)
        assert await sessions.recognize(session, core, signed_in.actor)
        assert await sessions.resume(session, core, signed_in.token)
        clock.pass_(minutes=31)
        assert await sessions.recognize(session, core, signed_in.actor) is None

    async def test_a_click_on_an_open_page_does(self, session: AsyncSession, core: Core, clock: Clock) -> None:
        await add_account(session, "ada@example.org", name="Ada", password=PASSWORD)
        signed_in = await sign_in(session, core, remember=False)
        clock.pass_(minutes=90)
        found = await sessions.recognize(session, core, signed_in.actor)
        assert found and sessions.is_touch_due(found[0])
        await sessions.touch(session, found[0])
        clock.pass_(minutes=90)
        assert await sessions.recognize(session, core, signed_in.actor)

    async def test_settings_say_how_long(self, session: AsyncSession, core: Core, clock: Clock) -> None:
        brief = with_settings(core, kept_session_hours=24, idle_hours=0.5)
        await add_account(session, "ada@example.org", name="Ada", password=PASSWORD)
        assert (await sign_in(session, brief)).max_age_s == 24 * 3_600
        token = (await sign_in(session, brief, remember=False)).token
        clock.pass_(minutes=29)
        assert await authentication.authenticate(session, core, token)
        clock.pass_(minutes=31)
        assert await authentication.authenticate(session, core, token) is None


class TestRenewal:
    async def test_a_young_token_stays(self, visitor: httpx.AsyncClient, clock: Clock) -> None:
        token = visitor.cookies["session"]
        clock.pass_(minutes=29)
        assert await renewed(visitor) == token

    @pytest.mark.security(22)
    async def test_an_old_token_is_replaced_in_the_cookie_and_for_the_page(
        self, visitor: httpx.AsyncClient, clock: Clock
    ) -> None:
        first = visitor.cookies["session"]
        clock.pass_(minutes=31)
        second = await renewed(visitor)
        assert second != first
        assert visitor.cookies["session"] == second
        assert await status(visitor) == 200

    async def test_it_does_not_last_longer_than_its_session(self, core: Core, visitor: httpx.AsyncClient, clock: Clock) -> None:
        answer = await visitor.post("/session", json={})
        assert "Max-Age=432000" in answer.headers["set-cookie"]
        clock.pass_(hours=10)
        answer = await visitor.post("/session", json={})
        assert "Max-Age=396000" in answer.headers["set-cookie"]

    async def test_a_lost_response_does_no_harm(self, committed: Core, visitor: httpx.AsyncClient, clock: Clock) -> None:
        clock.pass_(minutes=31)
        async with with_token(committed, visitor.cookies["session"]) as lost:
            await renewed(lost)
        clock.pass_(minutes=10)
        assert await status(visitor) == 200
        await renewed(visitor)
        assert await status(visitor) == 200

    async def test_simultaneous_tabs_and_pending_requests_continue(
        self, committed: Core, visitor: httpx.AsyncClient, clock: Clock
    ) -> None:
        first = visitor.cookies["session"]
        clock.pass_(minutes=31)
        second = await renewed(visitor)
        assert await status(visitor) == 200
        async with with_token(committed, first) as other_tab:
            clock.pass_(seconds=59)
            assert await status(other_tab) == 200
            third = await renewed(other_tab)
            assert session_tokens.read(committed, third) is not None
            assert await status(other_tab) == 200
        async with with_token(committed, second) as again:
            assert await status(again) == 200

    @pytest.mark.security(22)
    @pytest.mark.parametrize("by", ["cookie", "bearer", "renewal"])
    async def test_an_old_copy_ends_the_session_for_everyone(
        self, committed: Core, visitor: httpx.AsyncClient, clock: Clock, by: str
    ) -> None:
        stolen = visitor.cookies["session"]
        clock.pass_(minutes=31)
        await renewed(visitor)
        assert await status(visitor) == 200
        clock.pass_(seconds=61)
        async with with_token(committed, stolen if by == "cookie" else None) as thief:
            match by:
                case "cookie":
                    assert await status(thief) == 401
                case "bearer":
                    answer = await thief.get("/probe", headers={"authorization": f"Bearer {stolen}"})
                    assert answer.status_code == 401
                case _:
                    assert (await thief.post("/session", json={"token": stolen})).status_code == 401
        assert await status(visitor) == 401
        (message,) = await rows(committed, Mail)
        assert (message.recipient, message.subject) == ("ada@example.org", "You were signed out for your security")
        (line,) = [line for line in await rows(committed, AuditEntry) if line.action == "session.replayed"]
        assert (line.subject, line.address) == ("ada@example.org", HERE.address)

    @pytest.mark.security(22)
    async def test_a_thiefs_renewal_reveals_the_theft(self, committed: Core, visitor: httpx.AsyncClient, clock: Clock) -> None:
        clock.pass_(minutes=31)
        async with with_token(committed, visitor.cookies["session"]) as thief:
            await renewed(thief)
            assert await status(thief) == 200
            clock.pass_(seconds=61)
            assert await status(visitor) == 401
            assert await status(thief) == 401

    async def test_an_old_copy_of_a_session_that_has_ended_is_only_refused(
        self, committed: Core, visitor: httpx.AsyncClient, clock: Clock
    ) -> None:
        stolen = visitor.cookies["session"]
        clock.pass_(minutes=31)
        await renewed(visitor)
        await visitor.delete("/session")
        clock.pass_(seconds=61)
        async with with_token(committed, stolen) as thief:
            assert await status(thief) == 401
        assert await rows(committed, Mail) == []
