"""Every API route refuses what it would otherwise ignore: `?psc=R425` and `sort=fit` returned everything."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute

from fundwright import hooks
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest
from fundwright.core.plugins import Plugins
from fundwright.core.web import parameters_of
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright_ui import extension
from tests.architecture.test_routes import ROUTES
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


class TestValues:
    @pytest.mark.parametrize("path", ["/api/opportunities", "/api/opportunities/export.csv"])
    async def test_unknown_sources_set_asides_and_types_are_refused_with_the_known_ones(self, committed: Core, path: str) -> None:
        app = api_of(committed, *Plugins([hooks, extension]).collect("api_routers"))
        async with program_of_new_account(app) as client:
            for query, known in (("source=samm", "grants"), ("set_aside=8B", "8AN"), ("type=Riddle", "Sources Sought")):
                answer = await client.get(f"{path}?{query}")
                assert answer.status_code == 422
                message = answer.json()["error"]["message"]
                assert f"is not a value of “{query.partition('=')[0]}”. The values are: " in message and known in message
            for query in ("source=sam", "set_aside=8A", "type=Sources%20Sought"):
                assert (await client.get(f"{path}?{query}")).status_code == 200
