"""Schemathesis sends requests to every route of the API, valid and invalid, as an administrator or a user.

The server must not fail, and every response must match the API's description.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from schemathesis.specs.openapi.schemas import OpenApiSchema
from structlog.testing import capture_logs

from fundwright.accounts.schemas import Role
from fundwright.authentication import api_tokens
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.support.accounts import add_account

EXAMPLES = 1
CHECKS: list[Any] = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


async def token_of(core: Core, role: Role) -> str:
    """A token that survives signing out, which is one of the requests."""
    async with core.database.transaction() as session:
        actor = await add_account(session, f"{role}@example.org", name="Ada", role=role)
        made = await api_tokens.create_api_token(session, actor, core, name="all of it", scope=TokenScope.WRITE, lasts_days=1)
    return made.secret


Send = Callable[[Any], httpx.Response]


def ask_everything(schema: OpenApiSchema, send: Send) -> list[str]:
    """Returns the problems as text."""
    return [problem for found in schema.get_all_operations() for problem in ask(found.ok(), send)]


def ask(operation: Any, send: Send) -> Iterable[str]:
    problems: dict[str, None] = {}

    @seed(0)  # `derandomize` would read the source of `one` for each route
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, verbosity=Verbosity.quiet,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def one(case: Any) -> None:
        answer = send(case)
        try:
            case.validate_response(answer, checks=CHECKS)
        except FailureGroup as failures:
            reasons = " | ".join(map(str, failures.exceptions))
            problems[f"{operation.label} {answer.status_code} {answer.text[:200]}: {reasons[:400]}"] = None

    one()
    return problems


@pytest.fixture
async def loop() -> asyncio.AbstractEventLoop:
    """The event loop in which the application's core was opened."""
    return asyncio.get_running_loop()


@contextmanager
def no_collection() -> Iterator[None]:
    """Hypothesis parses the source of functions. Python 3.11 fails to when garbage collection interrupts it and reports an error of
    a finalizer, since formatting that error parses source, too."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("role", [Role.ADMIN, pytest.param(Role.USER, marks=pytest.mark.slow)])
def test_every_answer_is_as_it_is_described(committed: Core, loop: asyncio.AbstractEventLoop, tmp_path: Path, role: Role) -> None:
    """Hypothesis and the application take turns in one thread: two threads that parse source disturb each other in the same way."""
    set_hypothesis_home_dir(tmp_path)  # otherwise, it would save files in the project
    app = build_app(committed)
    token = loop.run_until_complete(token_of(committed, role))
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://localhost")
    answers = Counter[int]()

    async def answer_to(asked: requests.PreparedRequest) -> httpx.Response:
        headers = {**asked.headers, "authorization": f"Bearer {token}"}
        body = cast(bytes | None, asked.body)
        async with asyncio.timeout(20):
            return await client.request(str(asked.method), str(asked.url), headers=headers, content=body)

    def send(case: Any) -> httpx.Response:
        asked = requests.Request(**case.as_transport_kwargs(base_url="http://localhost")).prepare()
        answer = loop.run_until_complete(answer_to(asked))
        answers[answer.status_code] += 1
        return answer

    schema = schemathesis.openapi.from_dict(app.openapi())
    with capture_logs() as logs, no_collection():
        problems = ask_everything(schema, send)
    failures = [repr(line["exc_info"]) for line in logs if "exc_info" in line]
    assert not problems, f"{len(problems)}\n" + "\n".join([*problems, *failures])
    assert answers[200] > answers.total() / 5, answers  # otherwise, the search would have covered too little
