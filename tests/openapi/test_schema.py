"""Schemathesis asks every route of the API what its description allows, and some of what it does not, as several people.

Nothing may fail on the server, and each answer has to be one that the description names.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
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

EXAMPLES = 2
CHECKS: list[Any] = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


async def token_of(core: Core, role: Role) -> str:
    """One that outlives signing out, which is among what is asked for."""
    async with core.database.transaction() as session:
        actor = await add_account(session, f"{role}@example.org", name="Ada", role=role)
        made = await api_tokens.create_api_token(session, actor, core, name="all of it", scope=TokenScope.WRITE, lasts_days=1)
    return made.secret


Send = Callable[[Any], Sequence[httpx.Response]]
"""As each person."""


def ask_everything(schema: OpenApiSchema, send: Send) -> list[str]:
    """What is wrong, in words."""
    return [problem for found in schema.get_all_operations() for problem in ask(found.ok(), send)]


def ask(operation: Any, send: Send) -> Iterable[str]:
    problems: dict[str, None] = {}

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, verbosity=Verbosity.quiet,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def one(case: Any) -> None:
        for answer in send(case):
            try:
                case.validate_response(answer, checks=CHECKS)
            except FailureGroup as failures:
                reasons = " | ".join(map(str, failures.exceptions))
                problems[f"{operation.label} {answer.status_code} {answer.text[:200]}: {reasons[:400]}"] = None

    one()
    return problems


async def test_every_answer_is_as_it_is_described(committed: Core, tmp_path: Path) -> None:
    set_hypothesis_home_dir(tmp_path)  # or it would keep notes in the project
    app = build_app(committed)
    tokens = [await token_of(committed, role) for role in (Role.ADMIN, Role.USER)]
    loop = asyncio.get_running_loop()
    answers = Counter[int]()
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://localhost"
    ) as client:

        async def send_as(asked: requests.PreparedRequest, token: str) -> httpx.Response:
            headers = {**asked.headers, "authorization": f"Bearer {token}"}
            body = cast(bytes | None, asked.body)
            return await client.request(str(asked.method), str(asked.url), headers=headers, content=body)

        async def send_as_each(asked: requests.PreparedRequest) -> Sequence[httpx.Response]:
            found = [await send_as(asked, token) for token in tokens]
            answers.update(answer.status_code for answer in found)
            return found

        def send(case: Any) -> Sequence[httpx.Response]:
            asked = requests.Request(**case.as_transport_kwargs(base_url="http://localhost")).prepare()
            return asyncio.run_coroutine_threadsafe(send_as_each(asked), loop).result(timeout=20)

        # Not in the thread: it imports much, and Python 3.11 fails now and then when pytest rewrites modules in two threads.
        schema = schemathesis.openapi.from_dict(app.openapi())
        with capture_logs() as logs:  # a trace in colors takes seconds
            problems = await asyncio.to_thread(ask_everything, schema, send)
    failures = [repr(line["exc_info"]) for line in logs if "exc_info" in line]
    assert not problems, f"{len(problems)}\n" + "\n".join([*problems, *failures])
    assert answers[200] > answers.total() / 5, answers  # or nobody would have looked far
