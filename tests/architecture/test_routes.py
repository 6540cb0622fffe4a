"""API routes have consistent addresses and are protected."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import get_args, get_origin

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from fundwright import hooks
from fundwright.accounts.dependencies import CurrentActor, Uploader
from fundwright.core.paging import Page
from fundwright.core.plugins import Plugins
from fundwright.core.web import GUARDS, CsvDownload
from fundwright_ui import extension

ROUTES = [
    route
    for router in Plugins([hooks, extension]).collect("api_routers")
    for route in router.routes
    if isinstance(route, APIRoute)
]
NOT_UNDER_API = {
    "/signin": "scripts from outside sign in here",
    "/session": "the socket hands a sign-in over to the cookie",
    "/healthz": "orchestrators look for it there",
    "/readyz": "orchestrators look for it there",
    "/blog/rss.xml": "feed readers look for it beside the blog",
}
OPEN_TO_ALL = {
    "/signin", "/session", "/api/account/login", "/api/account/login/passkey", "/api/account/login/passkey-options",
    "/api/account/register", "/api/account/verify", "/api/account/confirm-email",
    "/api/account/resend-verification", "/api/account/reset-password", "/api/account/reset-choices",
    "/api/account/confirm-reset",
    "/api/health",
    "/healthz",
    "/readyz",
    "/api/blog", "/api/blog/export.csv", "/api/blog/{slug}", "/blog/rss.xml",
}  # fmt: skip
GUARDS_ITSELF = {"/api/account/my-account"}  # this route has its own error for a missing token
CHANGES = ("add", "cancel", "change", "create", "delete", "end", "remove", "repeat", "revoke", "start")


WITHOUT_EXPORT = {
    "/api/billing/payments/sums": "sums of a list that has its own",
    "/api/billing/plans": "the three plans, which everybody sees at /pricing",
    "/api/drafts/{draft_id}/export-warnings": "what is to be corrected in the draft before it is exported",
    "/api/drafts/{draft_id}/sections/{section_id}/versions": "whole texts; the copy of one's data has them",
    "/api/insights/figures": "numbers of lists that have their own",
    "/api/opportunities/matches": "the first rows of a list that has its own",
    "/api/opportunities/sources": "what can be chosen",
    "/api/pipeline/totals": "sums of a list that has its own",
    "/api/training/documents/{document_id}/blocks": "a tree",
    "/api/training/formats": "what can be chosen",
    "/api/opportunities/suggestions": "the first rows of a list that has its own",
}


LARGE_BODIES = {
    "/api/account/photo",
    "/api/opportunities/imports/{source}",
    "/api/templates/files",
    "/api/training/documents",
    "/api/training/texts",
}


def is_list(answer: object) -> bool:
    return get_origin(answer) is list or (isinstance(answer, type) and issubclass(answer, Page))


def dependencies(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for inner in dependant.dependencies:
        yield from dependencies(inner)


class TestLists:
    def test_each_has_its_export(self) -> None:
        listing = {route.path for route in ROUTES if "GET" in (route.methods or ()) and is_list(route.response_model)}
        exports = {route.path for route in ROUTES if route.response_class is CsvDownload}
        assert {path for path in listing if f"{path}/export.csv" not in exports} == WITHOUT_EXPORT.keys()
        assert all(path.endswith("/export.csv") for path in exports)


class TestRoutes:
    def test_each_is_under_api(self) -> None:
        assert [route.path for route in ROUTES if not route.path.startswith("/api/") and route.path not in NOT_UNDER_API] == []

    def test_each_authenticates_its_caller(self) -> None:
        guard = get_args(Uploader)[1].dependency
        unguarded = [route.path for route in ROUTES if guard not in dependencies(route.dependant)]
        assert sorted(set(unguarded) - OPEN_TO_ALL - GUARDS_ITSELF) == []

    def test_each_takes_a_request_slot_unless_it_receives_a_large_body_first(self) -> None:
        guard, turn = get_args(Uploader)[1].dependency, get_args(CurrentActor)[1].dependency
        called = {route.path: list(dependencies(route.dependant)) for route in ROUTES if "POST" in (route.methods or ())}
        assert {path for path, calls in called.items() if guard in calls and turn not in calls} == LARGE_BODIES

    def test_no_two_answer_the_same(self) -> None:
        seen = [(method, route.path) for route in ROUTES for method in route.methods or ()]
        assert sorted({each for each in seen if seen.count(each) > 1}) == []

    @pytest.mark.security(37)
    def test_no_route_that_reads_changes_anything(self) -> None:
        wrong = [route.path for route in ROUTES if "GET" in (route.methods or ()) and route.endpoint.__name__.startswith(CHANGES)]
        assert wrong == []

    @pytest.mark.security(15)
    def test_a_password_is_only_accepted_for_ones_own_account(self) -> None:
        taking = {
            route.path
            for route in ROUTES
            for body in route.dependant.body_params
            if "password" in f"{body.field_info.annotation} {getattr(body.field_info.annotation, 'model_fields', '')}".lower()
        }
        assert {"/signin", "/api/account/password", "/api/account/deletion"} <= taking
        taking -= {"/api/shares/drafts/{draft_id}", "/api/shares/opportunities"}  # the password of a link
        assert [path for path in sorted(taking) if "{" in path or not path.startswith(("/signin", "/api/account/"))] == []

    @pytest.mark.security(53)
    def test_each_is_a_coroutine_and_so_is_what_it_depends_on(self) -> None:
        """FastAPI calls others in threads that all requests share. Code that needs a thread starts one itself."""

        def calls(dependant: Dependant) -> Iterator[object]:
            yield dependant.call
            for each in dependant.dependencies:
                yield from calls(each)

        guards = [guard.dependency for guard in GUARDS]
        called = {call for route in ROUTES for call in calls(route.dependant)} | {*guards}
        assert [call for call in called if not inspect.iscoroutinefunction(call) and not inspect.isasyncgenfunction(call)] == []
