"""Every API route refuses what it would otherwise ignore: `?psc=R425` and `sort=fit` returned everything."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute

from fundwright import hooks
from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest
from fundwright.core.plugins import Plugins
from fundwright.core.web import parameters_of
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright_ui import extension
from tests.architecture.test_routes import ROUTES
from tests.support.accounts import account_and_samples, add_account
from tests.support.programs import api_of, program, program_of_new_account

ID = "00000000-0000-4000-8000-000000000000"
UNKNOWN = "There is no parameter “psc” here."


def address_of(route: APIRoute) -> str:
    return re.sub(r"\{[^}]*\}", ID, route.path)


class TestParameters:
    async def test_unknown_ones_are_refused_by_every_route_with_those_it_takes(self, core: Core) -> None:
        app = api_of(core, *Plugins([hooks, extension]).collect("api_routers"))
        accepted: list[str] = []
        async with program(app, None) as client:
            for route in ROUTES:
                answer = await client.request(next(iter(route.methods)), f"{address_of(route)}?psc=R425")
                message = answer.json().get("error", {}).get("message", "") if answer.status_code == 422 else ""
                if not message.startswith(UNKNOWN) or any(name not in message for name in parameters_of(route)):
                    accepted.append(f"{route.path}: {answer.status_code} {message}")
        assert accepted == []

    async def test_the_workspace_can_be_named_everywhere(self, core: Core) -> None:
        app = api_of(core, *Plugins([hooks, extension]).collect("api_routers"))
        async with program(app, None) as client:
            assert (await client.get(f"/api/opportunities?w={ID}")).status_code == 401


class TestSorts:
    async def test_unknown_ones_are_refused_by_every_list(self, committed: Core) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        lists = [route for route in ROUTES if "sort" in parameters_of(route)]
        assert len(lists) > 40
        accepted: list[str] = []
        async with program_of_new_account(app) as client:
            for route in lists:
                answer = await client.request(next(iter(route.methods)), f"{address_of(route)}?sort=nonsense")
                if answer.status_code != 422 or "sorted" not in answer.text:
                    accepted.append(f"{route.path}: {answer.status_code}")
        assert accepted == []

    @pytest.mark.parametrize("sort", ["fit", "-fit", "-"])
    def test_the_message_names_those_of_the_list(self, sort: str) -> None:
        with pytest.raises(ValueError, match="It can be sorted by: relevance, due, posted, title"):
            OpportunityQuery(sort=sort)

    def test_a_list_of_one_order_has_none(self) -> None:
        with pytest.raises(ValueError, match="This list cannot be sorted. Leave out `sort`."):
            PageRequest(sort="title")

    @pytest.mark.parametrize("sort", ["due", "-due", ""])
    def test_known_ones_are_accepted(self, sort: str) -> None:
        assert OpportunityQuery(sort=sort).sort == sort


FREE_TEXT = {
    "name": "the name of what is deleted",
    "number": "how a notice is numbered, in any spelling",
    "query": "words",
    "sort": "an order, which TestSorts tries",
    "text": "words",
    "words": "words",
}
"""Parameters that can have any value."""
FILTERS = [(route, name) for route in ROUTES if "GET" in route.methods for name in parameters_of(route) if name not in FREE_TEXT]


@pytest.fixture
async def admin(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, role=Role.ADMIN)


WITHOUT_CHECK = {
    "assignee": "people who have left keep their tasks",
    "author": "people who have left keep their notes",
    "collection": "one that is hidden from the reader is like one without documents",
    "document": "what is gone or hidden has no facts to decide",
    "draft": "what is gone has no tasks",
    "draft_id": "what is gone has no links",
    "lead": "people who have left keep their pursuits",
    "opportunity": "what is gone has no tasks or notes",
    "opportunity_id": "what is gone has no drafts or pursuits",
    "person": "people who have left keep their activity",
    "subject_id": "what is gone keeps its activity",
    "thread_id": "what is gone has no comments",
    "workspace_id": "workspaces that one has left keep their notifications",
}
"""Parameters that can have the id of what no longer exists."""


class TestValues:
    async def test_unknown_ones_are_refused_by_every_route(self, committed: Core, admin: Actor) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        await account_and_samples(committed)
        accepted: list[str] = []
        async with program(app, admin) as client:
            for route, name in FILTERS:
                for value in ("nonsense", "99"):
                    if value == "99" and name in ("page", "page_size", "limit"):
                        continue
                    answer = await client.get(f"{address_of(route)}?{name}={value}")
                    if answer.status_code != 422 or name not in answer.text:
                        accepted.append(f"{route.path}?{name}={value}: {answer.status_code} {answer.text[:200]}")
        assert accepted == []

    async def test_unknown_ids_are_refused_by_every_route(self, committed: Core, admin: Actor) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        await account_and_samples(committed)
        accepted: list[str] = []
        async with program(app, admin) as client:
            for route, name in FILTERS:
                answer = await client.get(f"{address_of(route)}?{name}={ID}")
                if answer.status_code == 200 and name not in WITHOUT_CHECK:
                    accepted.append(f"{route.path}?{name}")
        assert accepted == []

    async def test_a_second_one_is_refused_where_one_is_taken(self, committed: Core, admin: Actor) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        accepted: list[str] = []
        async with program(app, admin) as client:
            for route in ROUTES:
                for name, has_several in parameters_of(route).items():
                    answer = await client.request(next(iter(route.methods)), f"{address_of(route)}?{name}=zzz&{name}=open")
                    if f"“{name}” accepts only one value." not in answer.text and not has_several:
                        accepted.append(f"{route.path}?{name}: {answer.status_code} {answer.text[:200]}")
            assert (await client.get("/api/opportunities?source=sam&source=grants")).status_code == 200
        assert accepted == []

    @pytest.mark.parametrize("path", ["/api/opportunities", "/api/opportunities/export.csv"])
    async def test_the_message_names_known_ones_and_those_are_accepted(self, committed: Core, path: str) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        ada = await account_and_samples(committed)
        async with program(app, ada) as client:
            for query, known in (
                ("source=samm", "grants"),
                ("set_aside=8B", "8AN"),
                ("type=Riddle", "Sources Sought"),
                ("naics=99", "92"),
                ("naics=541519X", "541519"),
                ("naics=5", "2 to 6 digits"),
                ("agency=Defence", "DEFENSE"),
                ("due_from=0", "2026-01-31"),
                ("added_after=0", "2026-01-31"),
            ):
                answer = await client.get(f"{path}?{query}")
                assert answer.status_code == 422
                assert known.lower() in answer.json()["error"]["message"].lower()
            for query in ("source=sam", "set_aside=8A", "type=Sources%20Sought", "naics=54", "naics=33", "due_from=2026-01-31"):
                assert (await client.get(f"{path}?{query}")).status_code == 200

    async def test_those_of_listed_items_are_accepted(self, committed: Core) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        async with program(app, await account_and_samples(committed)) as client:
            listed = (await client.get("/api/opportunities?page_size=100")).json()["items"]
            for name, values in {
                "agency": {each["agency"] for each in listed} | {each["sub_agency"] for each in listed},
                "activity_code": {code for each in listed for code in each["activity_codes"]},
                "naics": {each["naics"] for each in listed},
            }.items():
                for value in filter(None, values):
                    answer = await client.get("/api/opportunities", params={name: value})
                    assert (answer.status_code, answer.json().get("total", 0) > 0) == (200, True), f"{name}={value}"
