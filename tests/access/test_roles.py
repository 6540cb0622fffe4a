"""Every route, screen, and job kind, tried with every role of an account and in a workspace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from fundwright.access import account_changes
from fundwright.accounts.schemas import Client, Permission, Role, WorkspaceRole
from fundwright.authentication import api_tokens, one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import TokenScope
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.people import KINDS, Kind, granted
from tests.access.table import ANYONE, JOBS, OF_OWNERS, OWN_PAGES, ROUTES, SCREENS, Need
from tests.support.accounts import add_account, add_member

STRANGER, DISABLED = "stranger", "disabled"
EVERYBODY = (STRANGER, DISABLED, *KINDS)
NOT_OWNERS = set(WorkspaceRole) - {WorkspaceRole.OWNER}
whom = pytest.mark.parametrize("is_everybody", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "everybody"])
"""Everybody, or for each route or screen one person of each kind: let in, refused, and sent away. The persons take turns."""
REFUSALS = {"TokenMissing", "TokenInvalid", "NotAllowed"}
NOBODY = "00000000-0000-4000-8000-000000000000"
HERE = Client(address="192.0.2.7")

pytestmark = pytest.mark.security(40)


class People:
    """Signs people of each role in again for each request, because an allowed request may have changed their data."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def token(self, who: str) -> str:
        if who == STRANGER:
            return ""
        async with self._core.database.transaction() as session:
            email = f"{uuid4().hex}@example.org"
            if isinstance(who, WorkspaceRole):
                actor = await add_member(session, who, email)
            else:
                actor = await add_account(session, email, role=Role.ADMIN if who == DISABLED else Role(who))
            code = await one_time_secrets.new_handover(session, actor.id, remember=True)
            token = (await authentication.redeem_handover(session, self._core, code, client=HERE)).token
            if who == DISABLED:
                await account_changes.disable_account(session, self._core, email=email)
            return token


@asynccontextmanager
async def opened(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    for route in (route for included in app.routes for route in _inside(included)):
        for method in sorted(getattr(route, "methods", None) or ()):
            if method != "HEAD":
                yield method, str(getattr(route, "path", ""))


def _inside(route: Any) -> Iterator[Any]:
    """Replaces included routers by their routes."""
    router = getattr(route, "original_router", None)
    yield from (route,) if router is None else (each for inner in router.routes for each in _inside(inner))


def example(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """The minimal valid example, with one item in lists of records."""
    if "$ref" in schema:
        return example(known[schema["$ref"].rpartition("/")[2]], known)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return example(next(each for each in schema[choice] if each.get("type") != "null"), known)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object":
            return {name: example(schema["properties"][name], known) for name in schema.get("required", ())}
        case "array":
            return [example(schema["items"], known)] * schema.get("minItems", int("$ref" in schema["items"]))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case _:
            texts = {"uuid": NOBODY, "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z"}
            return texts.get(schema.get("format", ""), "x" * schema.get("minLength", 1))


def fill(body: Any, name: str, value: Any) -> None:
    """Set the value at the path `name`, with dots between names and `[]` after the name of an array."""
    first, _, rest = name.partition(".")
    if rest and first.endswith("[]"):
        for item in body.setdefault(first.removesuffix("[]"), [{}]):
            fill(item, rest, value)
    elif rest:
        fill(body[first], rest, value)
    elif first.endswith("[]"):
        body[first.removesuffix("[]")] = [value]
    else:
        body[first] = value


_descriptions: dict[frozenset[tuple[str, str]], dict[str, Any]] = {}


def description(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of an application, generated once for all that have the same routes: it takes as long as a hundred
    requests."""
    key = frozenset(routes(app))
    if key not in _descriptions:
        _descriptions[key] = app.openapi()
    return _descriptions[key]


class Asker:
    """Sends a minimal valid request to each route, about an object that does not exist."""

    def __init__(self, app: FastAPI, client: httpx.AsyncClient) -> None:
        schema = description(app)
        self._paths, self._known = schema["paths"], schema["components"]["schemas"]
        self._client = client

    async def ask(
        self, route: str, token: str, *, values: Mapping[tuple[str, str], Any] = MappingProxyType({})
    ) -> httpx.Response:
        """`values` replace parts of the request, by position (path, query, or body) and name."""
        method, path = route.split(" ")
        described = self._paths.get(path, {}).get(method.lower(), {})
        parameters = {
            each["name"]: example(each["schema"], self._known) for each in described.get("parameters", ()) if each["required"]
        }
        parameters |= {name: value for (place, name), value in values.items() if place in ("path", "query")}
        in_path = {each["name"] for each in described.get("parameters", ()) if each["in"] == "path"}
        address = path.replace(":path}", "}").replace(":page}", "}").replace("{path}", "dashboard/train")
        for name in in_path:
            address = address.replace(f"{{{name}}}", str(parameters[name]))
        options: dict[str, Any] = {"params": {name: value for name, value in parameters.items() if name not in in_path}}
        content = described.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            options["json"] = example(content["application/json"]["schema"], self._known)
            for (place, name), value in values.items():
                if place == "body":
                    fill(options["json"], name, value)
        elif "multipart/form-data" in content:
            options["files"] = {"file": ("notes.txt", b"The ferry carries forty.")}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with asyncio.timeout(60):  # only ends a test that has failed
            return await self._client.request(method, address, headers=headers, **options)


def code_of(answer: httpx.Response) -> str | None:
    if not answer.content or "json" not in answer.headers.get("content-type", ""):
        return None
    body = answer.json()
    error: Any = body.get("error") if isinstance(body, dict) else None
    return error.get("code") if isinstance(error, dict) else None


def expected(place: str, need: Need, who: str) -> str:
    if need is ANYONE:
        return "let in"
    if need is OWN_PAGES:
        return "refused"
    if who in (STRANGER, DISABLED):
        return "sent away"
    if place in OF_OWNERS and who in NOT_OWNERS:
        return "refused"
    return "let in" if need in granted(cast(Kind, who)) else "refused"


def asked(place: str, need: Need, turn: int, *, is_everybody: bool) -> Sequence[str]:
    """The people who request a route or screen that requires this permission."""
    if is_everybody:
        return EVERYBODY
    kinds = [[who for who in EVERYBODY if expected(place, need, who) == meant] for meant in ("let in", "refused", "sent away")]
    return [who[turn % len(who)] for who in kinds if who]


class TestRoutes:
    async def test_each_is_in_the_table(self, committed: Core) -> None:
        found = {f"{method} {path}" for method, path in routes(build_app(committed))}
        assert {"new": sorted(found - ROUTES.keys()), "gone": sorted(ROUTES.keys() - found)} == {"new": [], "gone": []}

    @whom
    async def test_each_allows_only_the_roles_in_the_table(self, committed: Core, is_everybody: bool) -> None:
        app, people = build_app(committed), People(committed)
        wrong: list[str] = []
        async with opened(app) as client:
            asker = Asker(app, client)
            kept_token = {who: await people.token(who) for who in EVERYBODY}
            for turn, (route, need) in enumerate(ROUTES.items()):
                for who in asked(route, need, turn, is_everybody=is_everybody):
                    meant = expected(route, need, who)
                    may_change = meant == "let in" and not route.startswith("GET ")
                    token = await people.token(who) if may_change else kept_token[who]
                    answer = await asker.ask(route, token)
                    code = code_of(answer)
                    if need in (ANYONE, OWN_PAGES):
                        became = "let in" if code not in {"TokenMissing", "NotAllowed"} else "refused"
                    elif answer.status_code == 401:
                        became = "sent away"
                    else:
                        became = "refused" if code == "NotAllowed" else "let in"
                    is_understood = answer.status_code != 422 or "problems" not in answer.json()
                    has_failed = answer.status_code >= 500 and route != "GET /readyz"  # no worker runs here
                    if became != meant or has_failed or not is_understood:
                        wrong.append(f"{route} by {who}: {answer.status_code} {code}, should be {meant}")
        assert not wrong, "\n".join(wrong)

    @pytest.mark.security(44)
    async def test_a_read_only_token_changes_nothing(self, committed: Core) -> None:
        app = build_app(committed)
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
            reading = await api_tokens.create_api_token(
                session, root, committed, name="report", scope=TokenScope.READ, lasts_days=1
            )
        async with opened(app) as client:
            asker = Asker(app, client)
            changing = [route for route, need in ROUTES.items() if isinstance(need, Permission) and not route.startswith("GET ")]
            codes = {route: code_of(await asker.ask(route, reading.secret)) for route in changing}
        assert len(codes) > 50
        assert {route: code for route, code in codes.items() if code != "ReadOnlyToken"} == {}


class TestScreens:
    async def test_each_is_in_the_table(self, committed: Core) -> None:
        found = {screen.path for screen in committed.plugins.collect("screens")}
        assert {"new": sorted(found - SCREENS.keys()), "gone": sorted(SCREENS.keys() - found)} == {"new": [], "gone": []}

    @whom
    async def test_each_is_shown_only_to_the_roles_in_the_table(self, committed: Core, is_everybody: bool) -> None:
        people = People(committed)
        wrong: list[str] = []
        async with opened(build_app(committed)) as client:
            tokens = {who: await people.token(who) for who in EVERYBODY}
            for turn, (path, need) in enumerate(SCREENS.items()):
                address = path.replace("{id}", NOBODY).replace("{", "").replace("}", "")
                for who in asked(path, need, turn, is_everybody=is_everybody):
                    answer = await client.get(address, headers={"cookie": f"session={tokens[who]}"})
                    led_to = answer.headers.get("location", "")
                    meant = expected(path, need, who)
                    became = "sent away" if led_to.startswith("/auth/login?") else "refused" if led_to == "/404" else "let in"
                    if became != meant or (answer.status_code >= 500 and path not in ("/500", "/maintenance")):
                        wrong.append(f"{path} to {who}: {answer.status_code} {led_to}, should be {meant}")
        assert not wrong, "\n".join(wrong)


class TestJobs:
    def test_each_kind_is_in_the_table(self, core: Core) -> None:
        kinds = {handler.kind for handler in (mail.JOB_HANDLER, *core.plugins.collect("job_handlers"))}
        assert kinds == JOBS.keys()

    def test_each_is_started_by_who_may_work_or_sort_or_about_their_own_account(self) -> None:
        needs = {kind: ROUTES[route] for kind, route in JOBS.items() if route}
        assert needs.pop("personal_data") == Permission.READ
        assert needs.pop("categorize") == Permission.LABEL
        assert set(needs.values()) == {Permission.WORK}
