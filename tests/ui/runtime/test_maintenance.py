"""During maintenance, an installation is closed to everyone except administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright.core.settings import Settings
from fundwright_ui.app import build_app
from tests.support.accounts import add_account
from tests.support.cores import OwnSettings
from tests.support.signing_in import with_settings
from tests.ui.runtime.test_application import PASSWORD, browse

UNTIL = "We are moving house until noon."


@pytest.fixture
async def closed(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with committed.database.transaction() as session:
        for role in (Role.ADMIN, Role.USER):
            email = f"{role}@example.org"
            await add_account(session, email, name="Ada", role=role, password=PASSWORD)
    async with browse(build_app(with_settings(committed, maintenance=UNTIL))) as client:
        yield client


async def sign_in(client: httpx.AsyncClient, role: Role) -> None:
    """Sign in as `role`: the client has the cookie from now on."""
    answer = await client.post("/signin", json={"email": f"{role}@example.org", "password": PASSWORD})
    assert answer.json()["flag"] == "success"


class TestPages:
    async def test_lead_to_the_page_that_says_why(self, closed: httpx.AsyncClient) -> None:
        for path in ("/dashboard/train", "/pricing", "/blog", "/feedback", "/auth/register/standard/open", "/404"):
            assert (await closed.get(path)).headers["location"] == "/maintenance", path
        answer = await closed.get("/maintenance")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "300")
        assert UNTIL in answer.text and "Website currently under maintenance" in answer.text

    async def test_are_open_to_administrators(self, closed: httpx.AsyncClient) -> None:
        assert (await closed.get("/auth/login")).status_code == 200
        assert (await closed.get("/auth/second-factor?pending=x")).status_code == 200
        await sign_in(closed, Role.ADMIN)
        assert (await closed.get("/dashboard/train")).status_code == 200

    async def test_stay_closed_to_other_accounts(self, closed: httpx.AsyncClient) -> None:
        await sign_in(closed, Role.USER)
        assert (await closed.get("/dashboard/train")).headers["location"] == "/maintenance"


class TestApi:
    @pytest.mark.parametrize("role", [None, Role.USER])
    async def test_shows_a_message_and_when_to_ask_again(self, closed: httpx.AsyncClient, role: Role | None) -> None:
        if role:
            await sign_in(closed, role)
        answer = await closed.get("/api/opportunities")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "300")
        assert answer.json()["error"] == {"code": "UnderMaintenance", "message": UNTIL, "id": None}

    async def test_is_open_to_administrators(self, closed: httpx.AsyncClient) -> None:
        await sign_in(closed, Role.ADMIN)
        assert (await closed.get("/api/opportunities")).status_code == 200

    async def test_shows_a_message_at_every_path_that_only_ends_like_one_of_signing_in(self, closed: httpx.AsyncClient) -> None:
        for path in ("/api/blog/session", "/api/blog/signin"):
            assert (await closed.get(path)).status_code == 503
        assert (await closed.get("/api/blog/session/")).status_code == 404

    async def test_lets_administrators_sign_in_below_a_prefix(self, committed: Core, closed: httpx.AsyncClient) -> None:
        async with browse(build_app(with_settings(committed, maintenance=UNTIL), base="/app")) as client:
            answer = await client.post("/app/signin", json={"email": f"{Role.ADMIN}@example.org", "password": PASSWORD})
        assert answer.json()["flag"] == "success"

    async def test_health_stays_up(self, closed: httpx.AsyncClient) -> None:
        answer = await closed.get("/api/health")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("given", "kept"),
    [(None, None), ("false", None), ("off", None), ("true", ""), (" On ", ""), (f" {UNTIL} ", UNTIL)],
)
def test_the_setting_is_a_switch_or_a_sentence(given: str | None, kept: str | None) -> None:
    settings: Settings = OwnSettings(maintenance=given)
    assert (settings.maintenance, settings.is_closed) == (kept, kept is not None)


async def test_nothing_is_closed_otherwise(committed: Core) -> None:
    async with browse(build_app(committed)) as client:
        assert (await client.get("/pricing")).status_code == 200
        assert (await client.get("/coming-soon")).status_code == 200
