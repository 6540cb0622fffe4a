from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import httpx
import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright.insights import api
from tests.insights.conftest import add_job, add_view
from tests.support.accounts import add_account
from tests.support.programs import api_of, program

ROUTES = ("figures", "usage", "usage/export.csv", "pages", "pages/export.csv", "history", "history/choices", "history/export.csv")


def client_of(core: Core, actor: Actor) -> AbstractAsyncContextManager[httpx.AsyncClient]:
    return program(api_of(core, api.router), actor, scope=TokenScope.READ)


@pytest.mark.parametrize("route", ROUTES)
async def test_administrators_get_an_answer(committed: Core, root: Actor, route: str) -> None:
    async with committed.database.transaction() as session:
        await add_view(session, "/dashboard/train", by=root)
        await add_job(session, root, "draft")
    async with client_of(committed, root) as client:
        answer = await client.get(f"/api/insights/{route}")
    assert answer.status_code == 200
    if route.endswith(".csv"):
        name = route.removesuffix("/export.csv")
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
        assert len(answer.text.splitlines()) >= 2
    else:
        assert answer.json()


@pytest.mark.parametrize("route", ROUTES)
async def test_others_are_refused(committed: Core, route: str) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session, role=Role.USER)
    async with client_of(committed, ada) as client:
        answer = await client.get(f"/api/insights/{route}")
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        403,
        "You don't have permission to administer Fundwright. Ask an administrator for access.",
    )


async def test_invalid_days_are_reported(committed: Core, root: Actor) -> None:
    async with client_of(committed, root) as client:
        answer = await client.get("/api/insights/usage?day_from=2026-03-02&day_to=2026-03-01")
    assert answer.status_code == 422
    assert "The start date is after the end date. Change one of them." in answer.json()["error"]["message"]


@pytest.mark.parametrize("query", ["usage?day_to=0001-01-01", "pages?day_to=9999-12-31", "history?kind=%00", "history?state=nap"])
async def test_nonsense_is_refused(committed: Core, root: Actor, query: str) -> None:
    async with client_of(committed, root) as client:
        assert (await client.get(f"/api/insights/{query}")).status_code == 422
