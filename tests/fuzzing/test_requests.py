"""Nearly valid requests: searches and filters of every list, bodies of every route, paths of every page. Each succeeds or is
rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from structlog.testing import capture_logs

from fundwright.accounts.schemas import GRANTED, Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.table import ROUTES, SCREENS
from tests.access.test_ids import World
from tests.access.test_roles import example, opened
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.people import sign_in
from tests.fuzzing.test_files import Run, in_a_thread
from tests.fuzzing.texts import json_texts, mutated, mutated_bytes, texts

pytestmark = pytest.mark.slow

WORDS = (
    'roof repair -"metal roof" or solar', '"', "'", "a:*", "!x & (y | z)", "a <-> b", "\\", "%_", "it''s:A", "the", "-", "ﬁ\u0301", "roofs " * 200, "_", "'x':*B",
    "2026-03-07", "9999-12-31", "0001-01-01", "-1", "100000", "100001", "1e3", "true", "null", "-due_at", "title", "sam", "open", "2026-03-07T00:00:00Z",
    "9999-12-31T23:59:59-14:00", "00000000-0000-0000-0000-000000000000",
)  # fmt: skip


Question = tuple[str, list[tuple[str, str]]]


def questions(app: Any, ids: SearchStrategy[str]) -> SearchStrategy[Question]:
    """Queries for the routes that read without an id in their path. Most values have the described type."""
    schema = app.openapi()
    lists = dict[str, list[SearchStrategy[tuple[str, str]]]]()
    for path, methods in schema["paths"].items():
        if "get" in methods and "{" not in path:
            asked = [each for each in methods["get"].get("parameters", ()) if each["in"] == "query"]
            known = schema["components"]["schemas"]
            lists[path] = [st.tuples(st.just(each["name"]), value_of(each["schema"], known, ids)) for each in asked]
    return st.sampled_from(sorted(path for path, values in lists.items() if values)).flatmap(
        lambda path: st.tuples(st.just(path), st.lists(st.one_of(lists[path]), max_size=3))
    )


def value_of(schema: Mapping[str, Any], known: Mapping[str, Any], ids: SearchStrategy[str]) -> SearchStrategy[str]:
    if "$ref" in schema:
        return value_of(known[schema["$ref"].rpartition("/")[2]], known, ids)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return value_of(next(each for each in schema[choice] if each.get("type") != "null"), known, ids)
    if schema.get("type") == "array":
        return value_of(schema["items"], known, ids)
    anything = texts(*WORDS)
    if "enum" in schema or "const" in schema:
        return st.one_of(st.sampled_from([str(each) for each in schema.get("enum", [schema.get("const")])]), anything)
    match schema.get("format", schema.get("type")):
        case "date":
            return st.one_of(st.dates().map(str), st.sampled_from(["0001-01-01", "9999-12-31"]), anything)
        case "date-time":
            return st.one_of(st.datetimes(timezones=st.timezones()).map(datetime.isoformat), anything)
        case "uuid":
            return st.one_of(ids, st.uuids().map(str), anything)
        case "integer":
            return st.one_of(st.integers(1, 100).map(str), st.integers().map(str), anything)
        case "boolean":
            return st.sampled_from(["true", "false", "maybe"])
        case _:
            return st.one_of(anything, st.text(max_size=20))


async def try_all(
    core: Core, fuzz: Fuzz, role: Role, requests: SearchStrategy[tuple[str, str, Mapping[str, Any]]], *, examples: int
) -> None:
    """Send requests (method, path, and options of httpx), none of which may cause a server error."""
    app, token = build_app(core), await sign_in(core, role)
    async with opened(app) as client:

        async def send(method: str, path: str, options: Mapping[str, Any]) -> httpx.Response:
            nonlocal token
            headers = {"cookie": f"session={token}", "origin": "http://localhost", **options.get("headers", {})}
            answer = await client.request(method, path, **{**options, "headers": headers})
            if answer.status_code == 401:
                token = await sign_in(core, role)
            return answer

        def work(run: Run[Any]) -> None:
            def check(request: tuple[str, str, Mapping[str, Any]]) -> None:
                with capture_logs() as logs:
                    answer = run(send(*request))
                fuzz.outcomes[str(answer.status_code)] += 1
                failures = [line["exc_info"] for line in logs if "exc_info" in line]
                assert answer.status_code < 500 or request[1].startswith(("/500", "/maintenance")), (answer.text, failures)
                assert failures == []

            fuzz(check, examples=examples, request=requests)

        await in_a_thread(work)
        await app.state.tracker.close()


async def test_lists(committed: Core, world: World, fuzz: Fuzz) -> None:
    asked = questions(build_app(committed), st.sampled_from(sorted(world.ids.values())))
    await try_all(committed, fuzz, Role.ADMIN, asked.map(lambda asked: ("GET", asked[0], {"params": asked[1]})), examples=40)
    assert fuzz.outcomes["200"] > fuzz.tried / 6  # most values of filters are unknown, which is refused


async def test_bodies(committed: Core, world: World, fuzz: Fuzz) -> None:
    """Damaged JSON, JSON that the route does not accept, and forms with or without a file."""
    ids = st.sampled_from(sorted(world.ids.values()))
    routes = [
        route.split(" ") for route in ROUTES if not route.startswith("GET ") and not route.endswith(("/stream", "{path:page}"))
    ]
    schema = build_app(committed).openapi()
    known = schema["components"]["schemas"]

    def taken(method: str, path: str) -> str:
        """The minimal valid body."""
        content = schema["paths"].get(path, {}).get(method.lower(), {}).get("requestBody", {}).get("content", {})
        return json.dumps(
            example(content["application/json"]["schema"], known) if "application/json" in content else {"token": "x"}
        )

    forms = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n--x--\r\n',
        b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename*=utf-8''%ff%00.csv\r\n\r\nhello\r\n--x--\r\n",
    )
    kinds = st.sampled_from(
        ["application/json", "multipart/form-data; boundary=x", "text/plain", "application/json; charset=utf-7", ""]
    )

    @st.composite
    def requests(draw: DrawFn) -> tuple[str, str, Mapping[str, Any]]:
        method, path = draw(st.sampled_from(routes))
        text = taken(method, path)
        body = draw(
            st.one_of(
                st.just(text.encode()),
                mutated(text).map(str.encode),
                json_texts().map(str.encode),
                mutated_bytes(*forms),
                st.binary(max_size=20),
            )
        )
        kind = draw(
            st.one_of(st.just("multipart/form-data; boundary=x" if body.startswith(b"--x") else "application/json"), kinds)
        )
        return method, re.sub(r"{\w+}", lambda _: draw(ids), path), {"content": body, "headers": {"content-type": kind}}

    await try_all(committed, fuzz, Role.USER, requests(), examples=40)
    assert fuzz.outcomes["422"] > fuzz.tried / 5


async def test_pages(committed: Core, world: World, fuzz: Fuzz) -> None:
    ids = st.sampled_from(sorted(world.ids.values()))
    open_to = [
        path for path, need in SCREENS.items() if (need is None or need in GRANTED[Role.USER]) and not path.startswith("/auth")
    ]
    good = st.sampled_from(open_to).flatmap(lambda path: ids.map(lambda id: re.sub(r"{\w+}", id, path)))
    odd = mutated(*sorted(SCREENS), "/assets/main.js", "/blog/rss.xml", "/api/docs", "/connection")
    encoded = (
        st.booleans()
        .flatmap(lambda is_good: good if is_good else odd)
        .map(lambda path: "/" + quote(path.lstrip("/"), safe="/%?=&"))
    )
    names = st.sampled_from(["q", "page", "sort", "open", "next", "id", "pending", "due_to", "page_size", "text"])
    queries = st.dictionaries(names, texts(*WORDS), max_size=2)
    headers = st.fixed_dictionaries(
        {},
        optional={
            "accept-language": texts("de-DE,de;q=0.9", "*", "fr;q=x").map(_as_header),
            "accept-encoding": st.sampled_from(["br", "gzip", "x", ""]),
        },
    )
    requests = st.tuples(
        st.just("GET"), encoded, st.builds(lambda query, headers: {"params": query, "headers": headers}, queries, headers)
    )
    await try_all(committed, fuzz, Role.USER, requests, examples=25)
    assert fuzz.outcomes["200"] > fuzz.tried / 8


def _as_header(text: str) -> bytes:
    return re.sub(r"[\r\n\0]", "", text).encode("latin-1", errors="replace")
