"""Logs contain no secrets, and the request's id is on every line."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from fundwright.core import logs
from fundwright.core.web import RequestId
from fundwright_ui.plugin import screens


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    structlog.reset_defaults()
    root.handlers = handlers
    root.setLevel(level)


class TestSecrets:
    @pytest.mark.parametrize(
        "text",
        [
            "connection to postgresql://ada:HIDDEN@db/x failed",
            "Authorization: Bearer HIDDEN",
            "GET /auth/first-admin/HIDDEN",
            "GET /app/auth/confirm-reset/HIDDEN?x=1",
            "GET /auth/confirm-email/HIDDEN",
            "GET /auth/register/team/HIDDEN",
            "GET /app/auth/register/premium/HIDDEN?x=1",
            "GET /verify?link=HIDDEN",
            "GET /auth/second-factor?pending=HIDDEN&next=%2Fdashboard",
            "GET /auth/login?next=%2Fauth%2Fregister%2Fteam%2FHIDDEN",
            "GET /auth/login?next=%2Fauth%2Fsecond-factor%3Fpending%3DHIDDEN%26next%3D%252F",
            "GET /session?x=1&code=HIDDEN",
            "GET /x?token=HIDDEN&y=1",
            "host=db password=HIDDEN",
            "made fwt_HIDDEN",
        ],
    )
    def test_in_a_text_are_masked(self, capsys: pytest.CaptureFixture[str], text: str) -> None:
        logs.configure(level="info", form="json")
        structlog.get_logger().warning("something", reason=text)
        logging.getLogger("library").warning(text)
        said = capsys.readouterr().err
        assert said.count("***") == 2 and "HIDDEN" not in said

    def test_in_a_trace_are_masked(self, capsys: pytest.CaptureFixture[str]) -> None:
        logs.configure(level="info", form="json")
        try:
            raise RuntimeError("cannot open postgresql://ada:HIDDEN@db/x")
        except RuntimeError:
            structlog.get_logger().exception("failed")
        line = json.loads(capsys.readouterr().err)
        assert "://ada:***@db/x" in line["exception"] and "HIDDEN" not in line["exception"]

    def test_in_a_structure_are_masked(self, capsys: pytest.CaptureFixture[str]) -> None:
        logs.configure(level="info", form="json")
        structlog.get_logger().warning("something", seen=["/auth/confirm-reset/HIDDEN", {"pending": 1, "token": "HIDDEN"}])
        said = capsys.readouterr().err
        assert said.count("***") == 2 and "HIDDEN" not in said

    def test_in_the_url_of_a_screen_are_masked(self, capsys: pytest.CaptureFixture[str]) -> None:
        """For every screen that a one-time link opens."""
        logs.configure(level="info", form="json")
        opened = [screen.path for screen in screens() if re.search(r"^/auth/.*\{(link|secret|token)\}", screen.path)]
        assert len(opened) >= 4
        for path in opened:
            structlog.get_logger().warning(
                "failed", at=re.sub(r"\{(link|secret|token)\}", "HIDDEN", path.replace("{type}", "team"))
            )
        assert "HIDDEN" not in capsys.readouterr().err

    def test_under_a_revealing_name_are_masked(self, capsys: pytest.CaptureFixture[str]) -> None:
        logs.configure(level="info", form="json")
        structlog.get_logger().warning("something", new_password="HIDDEN", api_key="HIDDEN")
        assert "HIDDEN" not in capsys.readouterr().err


class TestRequestId:
    async def test_is_on_every_line_and_in_the_answer(self, capsys: pytest.CaptureFixture[str]) -> None:
        logs.configure(level="info", form="json")
        sent: list[dict[str, list[tuple[bytes, bytes]]]] = []

        async def app(_scope: object, _receive: object, send: Any) -> None:
            structlog.get_logger().warning("ours")
            logging.getLogger("library").warning("theirs")
            await send({"type": "http.response.start", "headers": []})

        async def send(message: dict[str, list[tuple[bytes, bytes]]]) -> None:
            sent.append(message)

        middleware: Any = RequestId(app, account_of=lambda _: None)
        await middleware({"type": "http", "headers": []}, None, send)
        ids = {json.loads(line)["request_id"] for line in capsys.readouterr().err.splitlines()}
        assert len(ids) == 1
        assert (b"x-request-id", ids.pop().encode()) in sent[0]["headers"]
