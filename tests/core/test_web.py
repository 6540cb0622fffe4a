"""Behavior that all routes share, tested with two small routes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Annotated
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI, Request, Response
from pydantic import AfterValidator, BaseModel
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.types import Message
from structlog.testing import capture_logs

from fundwright.core import web
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway
from fundwright.core.mail import Mail, MailKind, MailState
from fundwright.core.uploads import receive_file
from fundwright.core.web import (
    CoreDep,
    CsvDownload,
    DbSession,
    LocaleMiddleware,
    RequestLimitMiddleware,
    add_error_handlers,
    csv_download,
)
from tests.support.polling import eventually

ACCOUNT_ID = uuid4()


def _polite(text: str) -> str:
    if text == "rude":
        raise ValueError("Write something else.")
    return text


class Note(BaseModel):
    text: Annotated[str, AfterValidator(_polite)]


def build(core: Core) -> FastAPI:
    app = FastAPI()
    app.state.core = core
    app.add_middleware(RequestLimitMiddleware)
    app.add_middleware(LocaleMiddleware)
    add_error_handlers(app)

    @app.post("/api/notes")
    async def add_note(note: Note) -> int:
        return len(note.text)

    @app.post("/api/many-notes")
    async def add_notes(notes: list[Note]) -> int:
        return len(notes)

    @app.post("/api/files")
    async def add_file(core: CoreDep, request: Request) -> int:
        received = await receive_file(core, request, core.files.receive, account_id=ACCOUNT_ID)
        return received.kept.size_bytes

    @app.get("/api/refused")
    async def refused() -> None:
        raise DatabaseAway

    @app.get("/api/broken")
    async def broken() -> None:
        raise RuntimeError("SELECT token FROM secrets")

    @app.api_route("/api/writing", methods=["GET", "HEAD", "POST"])
    async def write(session: DbSession) -> None:
        await session.execute(text("DELETE FROM job"))

    @app.get("/api/export.csv")
    async def export(core: CoreDep, rows: int, failure: str = "") -> CsvDownload:
        async def lines(_session: AsyncSession) -> AsyncIterator[str]:
            for number in range(rows):
                yield f"{number}\r\n"
            if failure:
                raise DatabaseAway if failure == "away" else RuntimeError

        return csv_download(core, "numbers.csv", lines, party="ada")

    @app.get("/api/picture")
    async def picture() -> Response:
        return Response(headers={"Cache-Control": "public, max-age=60"})

    return app


@pytest.fixture
async def program(core: Core) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(core), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://fundwright.test") as client:
        yield client


class TestSession:
    @pytest.mark.security(37)
    @pytest.mark.parametrize(("method", "status"), [("GET", 500), ("HEAD", 500), ("POST", 200)])
    async def test_changes_nothing_for_methods_that_only_read(self, program: httpx.AsyncClient, method: str, status: int) -> None:
        assert (await program.request(method, "/api/writing")).status_code == status


class TestErrors:
    @pytest.mark.security(46)
    async def test_an_unexpected_one_shows_an_id_that_is_in_the_log(self, program: httpx.AsyncClient) -> None:
        with capture_logs() as logs:
            answer = await program.get("/api/broken")
        assert answer.status_code == 500
        assert "SELECT" not in answer.text and "RuntimeError" not in answer.text and "Traceback" not in answer.text
        (line,) = [each for each in logs if each["event"] == "request.failed"]
        assert answer.json()["error"]["id"] == line["error_id"]

    @pytest.mark.parametrize(
        ("method", "path", "body", "status", "code"),
        [
            ("GET", "/api/nothing", b"", 404, "NotFound"),
            ("PUT", "/api/notes", b"", 405, "MethodNotAllowed"),
            ("POST", "/api/notes", b"\xff", 400, "BadRequest"),
            ("POST", "/api/notes", b"", 422, "Invalid"),
            ("POST", "/api/notes", b"{", 422, "Invalid"),
        ],
    )
    async def test_all_have_one_shape(
        self, program: httpx.AsyncClient, method: str, path: str, body: bytes, status: int, code: str
    ) -> None:
        answer = await program.request(method, path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == status
        assert answer.json()["error"]["code"] == code
        assert answer.json()["error"]["message"].endswith(".")

    async def test_what_a_model_of_ours_refuses_is_its_sentence(self, program: httpx.AsyncClient) -> None:
        answer = await program.post("/api/notes", json={"text": "rude"})
        assert (answer.status_code, answer.json()["error"]["message"]) == (422, "Write something else.")

    @pytest.mark.parametrize(
        ("headers", "beginning"),
        [
            ({}, "The database"),
            ({"accept-language": "nl, fr-CH;q=0.8, de;q=0.5"}, "The database"),
            ({"accept-language": "fr", "cookie": "language=de"}, "Die Datenbank"),
        ],
    )
    async def test_use_the_language_chosen_in_the_browser(
        self, program: httpx.AsyncClient, headers: dict[str, str], beginning: str
    ) -> None:
        answer = await program.get("/api/refused", headers=headers)
        assert answer.json()["error"]["message"].startswith(beginning)

    async def test_another_method_gets_the_allowed_ones(self, program: httpx.AsyncClient) -> None:
        assert (await program.get("/api/notes")).headers["allow"] == "POST"


class TestBounds:
    @pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
    async def test_a_body_has_a_size_limit(self, program: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        monkeypatch.setattr(web, "_MAX_BODY_BYTES", 1_000)
        taken_bytes = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal taken_bytes
            while True:
                taken_bytes += 100
                yield b"x" * 100

        answer = await program.post("/api/notes", content=endless(), headers={"content-type": kind})
        assert answer.status_code == 413
        assert answer.json()["error"]["message"].startswith("The request is larger than 1,000 bytes.")
        assert taken_bytes < 2_000

    @pytest.mark.security(53)
    @pytest.mark.parametrize("body", [b"text=" + b"%41" * 60_000, b"&" * 200], ids=["long", "many fields"])
    async def test_a_form_is_small(self, program: httpx.AsyncClient, body: bytes) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 90):
                yield body[start : start + 90]

        for content, kind in (body, "application/x-www-form-urlencoded"), (pieces(), "Application/X-WWW-form-urlencoded"):
            answer = await program.post("/api/notes", content=content, headers={"content-type": kind})
            assert answer.status_code == 413

    @pytest.mark.security(53)
    @pytest.mark.parametrize("part", ['"%06x":0,', '"%06x" : 0,', '"%06x":"\\"y,,",', '"",', "[],", "{},", "0,"])
    async def test_a_body_has_a_limited_number_of_parts(self, program: httpx.AsyncClient, part: str) -> None:
        def body(count: int) -> bytes:
            parts = ("".join(part % number if "%" in part else part for number in range(count))).rstrip(",")
            return ('{"text":"x","more":' + (f"{{{parts}}}" if "%" in part else f"[{parts}]") + "}").encode()

        headers = {"content-type": "application/json"}
        answers = [await program.post("/api/notes", content=body(count), headers=headers) for count in (9_990, 10_001)]
        assert [answer.status_code for answer in answers] == [200, 413]
        sentence = "The request has more than 10,000 objects, arrays, and members. Split it into several requests."
        assert answers[1].json()["error"]["message"].startswith(sentence)

    async def test_a_text_may_have_any_number_of_brackets(self, program: httpx.AsyncClient) -> None:
        body = json.dumps({"text": '[x], {"y": 1}\\' * 20_000}).encode()
        answer = await program.post("/api/notes", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200

    @pytest.mark.security(42)
    async def test_strangers_cannot_have_megabytes_of_json_parsed(self, program: httpx.AsyncClient) -> None:
        """Parsing blocks all other requests: 16 MB of JSON took two seconds and 400 MB of memory."""
        bodies = [b'{"text":[' + b"[]," * 100_000 + b'"x"]}', b'{"text":"' + b"x" * 2_000_000 + b'"}']
        answers = [
            await program.post("/api/notes", content=body, headers={"content-type": "application/json"}) for body in bodies
        ]
        assert [answer.status_code for answer in answers] == [413, 413]

    async def test_an_upload_has_a_bound_of_its_own(self, program: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(web, "_MAX_BODY_BYTES", 1_000)
        answer = await program.post("/api/files", files={"file": ("big.txt", b"x" * 50_000)})
        assert (answer.status_code, answer.json()) == (200, 50_000)

    @pytest.mark.security(36)
    async def test_answers_are_neither_guessed_at_nor_kept_unless_the_route_allows_it(self, program: httpx.AsyncClient) -> None:
        answer = await program.post("/api/notes", json={"text": "abc"})
        assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
        assert (await program.get("/api/picture")).headers["cache-control"] == "public, max-age=60"


@pytest.mark.security(53)
async def test_no_body_has_more_problems_than_an_answer_lists(core: Core) -> None:
    """90,000 took two seconds to write, and everyone waited."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(build(core)), base_url="http://fundwright.test") as client:
        answer = await client.post("/api/many-notes", json=[{}] * 1_000)
    assert answer.status_code == 422
    assert len(answer.json()["problems"]) == 100
    assert answer.json()["error"]["message"].startswith("body.0.text: ")


async def test_a_client_that_disconnects_while_sending_is_not_an_error(core: Core) -> None:
    headers = [(b"content-length", b"100"), (b"content-type", b"multipart/form-data; boundary=x")]
    scope = {"type": "http", "method": "POST", "path": "/api/files", "headers": headers, "query_string": b""}

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def send(_message: object) -> None: ...

    with capture_logs() as logs:
        await build(core)(scope, receive, send)
    assert logs == []


Sent = Callable[[Message], Awaitable[None]]


async def download(
    core: Core, lines: Callable[[AsyncSession], AsyncIterator[str]], on_send: Sent | None = None, *, party: object = "ada"
) -> bytes:
    """The file as received by a client that stays connected."""
    pieces: list[bytes] = []

    async def receive() -> Message:
        return await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        if on_send:
            await on_send(message)
        pieces.append(message.get("body", b""))

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await csv_download(core, "x.csv", lines, party=party)(scope, receive, send)
    return b"".join(pieces)


class TestCsvDownload:
    async def test_states_its_size(self, program: httpx.AsyncClient) -> None:
        answer = await program.get("/api/export.csv", params={"rows": 3})
        assert (answer.status_code, answer.text, answer.headers["content-length"]) == (200, "0\r\n1\r\n2\r\n", "9")
        assert answer.headers["content-disposition"] == 'attachment; filename="numbers.csv"'

    @pytest.mark.parametrize(("failure", "status"), [("away", 503), ("unexpected", 500)])
    async def test_a_failure_while_it_is_written_is_an_error_and_no_file(
        self, program: httpx.AsyncClient, failure: str, status: int
    ) -> None:
        answer = await program.get("/api/export.csv", params={"rows": 3, "failure": failure})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert "content-disposition" not in answer.headers

    async def test_is_not_written_to_its_end_for_a_client_that_leaves(self, core: Core) -> None:
        begun, ended, gone = asyncio.Event(), list[str](), asyncio.Event()

        async def lines(_session: AsyncSession) -> AsyncIterator[str]:
            begun.set()
            try:
                await asyncio.Event().wait()
                yield ""
            finally:
                ended.append("early")

        async def receive() -> Message:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(_message: Message) -> None:
            ended.append("sent")

        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        downloading = asyncio.create_task(csv_download(core, "x.csv", lines, party="ada")(scope, receive, send))
        await begun.wait()
        gone.set()
        await downloading
        assert ended == ["early"]

    async def test_keeps_no_connection_while_it_is_read(self, committed: Core) -> None:
        async def lines(session: AsyncSession) -> AsyncIterator[str]:
            await session.execute(text("SELECT 1"))
            for number in range(300_000):
                yield f"{number}\n"

        async def check(_message: Message) -> None:
            async with committed.database.transaction() as session:
                others = (
                    "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()"
                )
                assert await session.scalar(text(others)) == 0

        assert await download(committed, lines, check) == b"".join(f"{number}\n".encode() for number in range(300_000))

    async def test_is_of_one_moment(self, committed: Core) -> None:
        async def lines(session: AsyncSession) -> AsyncIterator[str]:
            for _ in range(2):
                yield f"{await session.scalar(text('SELECT count(*) FROM mail'))}\n"
                async with committed.database.transaction() as other:
                    other.add(
                        Mail(kind=MailKind.OTHER, recipient="", subject="", text="", html="", language="en", state=MailState.KEPT)
                    )

        assert await download(committed, lines) == b"0\n0\n"

    async def test_asked_for_many_times_at_once_leaves_connections_to_others(self, core: Core) -> None:
        database = Database(core.database.url, pool_size=2)  # and two more when those are in use
        small = replace(core, database=database, cache={})
        gate, begun = asyncio.Event(), list[int]()

        async def lines(session: AsyncSession) -> AsyncIterator[str]:
            await session.execute(text("SELECT 1"))
            begun.append(1)
            await gate.wait()
            yield "a line\r\n"

        downloads = [asyncio.create_task(download(small, lines, party=number)) for number in range(10)]
        await eventually(lambda: begun)
        async with database.transaction() as session:
            assert await session.scalar(text("SELECT 2")) == 2
        gate.set()
        assert await asyncio.gather(*downloads) == [b"a line\r\n"] * len(downloads)
        await database.close()

    @pytest.mark.security(53)
    async def test_does_not_wait_for_those_of_one_other_account(self, core: Core) -> None:
        """Two permits for everyone: with two long exports of one person, a small one of another took 45.7 s."""
        gate, begun = asyncio.Event(), list[int]()

        async def long(_session: AsyncSession) -> AsyncIterator[str]:
            begun.append(1)
            await gate.wait()
            yield "long\r\n"

        async def short(_session: AsyncSession) -> AsyncIterator[str]:
            yield "short\r\n"

        downloads = [asyncio.create_task(download(core, long, party="ada")) for _ in range(20)]
        await eventually(lambda: begun)
        assert await asyncio.wait_for(download(core, short, party="grace"), 10) == b"short\r\n"
        assert len(begun) == 1
        gate.set()
        assert await asyncio.gather(*downloads) == [b"long\r\n"] * 20

    async def test_lets_others_have_a_turn_while_it_is_written(self, core: Core) -> None:
        turns, turns_meanwhile = 0, 0

        async def lines(session: AsyncSession) -> AsyncIterator[str]:
            nonlocal turns_meanwhile
            before = turns
            for _ in range(10_000):
                yield "a line of a list that is as long as most of them are\r\n"
            turns_meanwhile = turns - before

        async def take_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        others = asyncio.create_task(take_turns())
        await download(core, lines)
        others.cancel()
        assert turns_meanwhile > 30
