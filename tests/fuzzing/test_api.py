"""Schemathesis uses the API as a script would: the next request uses data from earlier responses. Schemathesis derives the links
between routes from the ids in the API's description.

The scenarios run with the cookie of each role and with two API tokens. The server must not fail, every response must match the
description, and no response may show internals or Ada's data.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import httpx
import pytest
import requests
import schemathesis
from hypothesis import settings
from hypothesis.errors import Flaky
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from structlog.testing import capture_logs

from fundwright.accounts.schemas import Role
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.people import KINDS, Kind
from tests.access.test_ids import World, kind_of, records_of
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.people import PRIVATE_TABLES, secrets_of, sign_in

CHECKS: list[Any] = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
INTERNAL = re.compile(
    r"Traceback|File \"/|site-packages|psycopg|sqlalchemy|\b[A-Z]\w*(?:Error|Exception)\(|\bSELECT \w|\bINSERT INTO\b"
)
"""Signs of a stack trace, SQL, or an exception message."""
SCENARIOS, STEPS = 3, 8

pytestmark = pytest.mark.slow


class Person:
    """A person who sends requests, and signs in again if a request has ended the session."""

    def __init__(self, core: Core, kind: Kind, scope: TokenScope | None) -> None:
        self._core = core
        self._kind = kind
        self._scope = scope
        self._secret = ""

    async def headers(self) -> Mapping[str, str]:
        self._secret = self._secret or await sign_in(self._core, self._kind, scope=self._scope)
        if self._scope:
            return {"authorization": f"Bearer {self._secret}"}
        return {"cookie": f"session={self._secret}", "origin": "http://localhost"}

    def is_signed_out(self) -> None:
        self._secret = ""


@pytest.mark.parametrize(
    ("kind", "scope"),
    [*((kind, None) for kind in KINDS), (Role.ADMIN, TokenScope.READ), (Role.USER, TokenScope.WRITE)],
    ids=[*KINDS, "reading token", "writing token"],
)
async def test_scenarios(committed: Core, world: World, fuzz: Fuzz, kind: Kind, scope: TokenScope | None) -> None:
    app, person, before = build_app(committed), Person(committed, kind, scope), await records_of(committed, world.owner)
    loop, problems = asyncio.get_running_loop(), dict[str, None]()
    secrets = secrets_of(world, seen_by=kind)
    schema = schemathesis.openapi.from_dict(app.openapi())

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://localhost"
    ) as client:

        async def send(asked: requests.PreparedRequest) -> httpx.Response:
            headers = {**asked.headers, **await person.headers()}
            headers = {name.lower(): value for name, value in headers.items()}
            body = cast(bytes | None, asked.body)
            return await client.request(str(asked.method), str(asked.url), headers=headers, content=body)

        class Scenario(schema.as_state_machine()):
            def setup(self) -> None:
                self.requests = list[str]()

            def call(self, case: Any, **_options: Any) -> Response:
                route = case.operation.label
                if len(self.requests) % 4 == 3:  # with ids of Ada's
                    for name in case.path_parameters or {}:
                        if (of := kind_of(route, name)) in world.ids:
                            case.path_parameters[name] = world.ids[of]
                asked = requests.Request(**case.as_transport_kwargs(base_url="http://localhost")).prepare()
                answer = asyncio.run_coroutine_threadsafe(send(asked), loop).result(timeout=60)
                self.requests.append(f"{asked.method} {asked.url} {str(asked.body or '')[:300]} -> {answer.status_code}")
                fuzz.tried += 1
                fuzz.outcomes[f"{answer.status_code // 100}xx"] += 1
                if answer.status_code == 401:
                    person.is_signed_out()
                sent = f"{asked.url} {asked.body}"
                shown = [secret for secret in secrets if secret in answer.text and secret not in sent]
                if shown or INTERNAL.search(answer.text):
                    self.report(route, answer.status_code, f"shows {shown}: {answer.text[:500]}")
                response = Response.from_any(answer)
                response.request = asked
                return response

            def validate_response(self, response: Response, case: Any, additional_checks: Any = None, **options: Any) -> None:
                try:
                    case.validate_response(response, checks=CHECKS)
                except FailureGroup as failures:
                    reasons = " | ".join(map(str, failures.exceptions))
                    self.report(case.operation.label, response.status_code, f"{reasons[:600]} {response.content[:200]!r}")

            def report(self, route: str, status: int, what: str) -> None:
                """Report each route and status once, with the requests that led there."""
                if not any(each.startswith(f"{route} {status} ") for each in problems):
                    problems["\n    ".join([f"{route} {status} {what}", *self.requests])] = None

        def run() -> None:
            for number in fuzz.rounds(3):
                # Data left by earlier scenarios changes the results of the same requests, which Hypothesis would report as flaky.
                with suppress(Flaky):
                    Scenario._hypothesis_internal_use_seed = number
                    Scenario.run(settings=settings(fuzz.settings(SCENARIOS), derandomize=False, stateful_step_count=STEPS))

        with capture_logs() as logs:
            await asyncio.to_thread(run)
        await app.state.tracker.close()
    failures = [repr(line["exc_info"]) for line in logs if "exc_info" in line]
    assert not problems and not failures, f"{len(problems)}\n" + "\n".join([*problems, *failures])
    assert fuzz.outcomes["2xx"] > fuzz.tried / 10, fuzz.outcomes
    after = await records_of(committed, world.owner)
    assert {table for table in PRIVATE_TABLES if before[table] != after[table]} == set()
