"""Uploads, received while they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi import FastAPI, Request

from fundwright.core import uploads
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.core.files import FileStore
from fundwright.core.uploads import receive_file
from fundwright.core.web import CoreDep, RequestLimitMiddleware, add_error_handlers
from tests.support.polling import eventually

HEAD = b'--x\r\nContent-Disposition: form-data; name="file"; filename="bid.txt"\r\nContent-Type: text/plain\r\n\r\n'
END = b"\r\n--x--\r\n"
NOTE = b'--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nfile\r\n'


class Sender:
    """Sends a body of declared length piece by piece, when told to."""

    def __init__(self, app: FastAPI, *, account_id: UUID, length: int) -> None:
        self.sent = 0
        self._pieces = asyncio.Queue[bytes | None]()
        self.answer = asyncio.create_task(self._post(app, account_id, length))

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._pieces.put_nowait(piece)

    def end(self) -> None:
        self._pieces.put_nowait(None)

    async def _content(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            self.sent += len(piece)
            yield piece

    async def _post(self, app: FastAPI, account_id: UUID, length: int) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
            headers = {"content-type": "multipart/form-data; boundary=x", "content-length": str(length)}
            return await client.post(f"/{account_id}", content=self._content(), headers=headers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def app(core: Core, folder: Path) -> FastAPI:
    app = FastAPI()
    app.state.core = replace(core, files=FileStore(folder, max_bytes=10_000_000), cache={})
    app.add_middleware(RequestLimitMiddleware)
    add_error_handlers(app)

    async def require_room(size_bytes: int, arriving_bytes: int) -> None:
        if size_bytes + arriving_bytes > 5_000_000:
            raise Invalid("There is no room.")

    @app.post("/{account_id}")
    async def add_file(core: CoreDep, request: Request, account_id: UUID) -> str:
        keep = core.files.receive
        name, kept = await receive_file(core, request, keep, account_id=account_id, require_room=require_room)
        content = await asyncio.to_thread(kept.path.read_bytes)
        return f"{name} {kept.size_bytes} {content[:20].decode()}"

    return app


@pytest.fixture
async def sender(app: FastAPI) -> AsyncIterator[Callable[..., Sender]]:
    senders: list[Sender] = []
    account_id = uuid4()

    def begin(*, account: UUID = account_id, length: int = 1_000_000) -> Sender:
        senders.append(Sender(app, account_id=account, length=length))
        return senders[-1]

    yield begin
    for each in senders:
        each.answer.cancel()
        with suppress(asyncio.CancelledError, httpx.HTTPError):
            await each.answer


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def on_disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in files(folder))


class TestUpload:
    @pytest.mark.parametrize("size", [1, 7, 64, 100_000])
    async def test_is_the_same_however_it_is_cut(self, sender: Callable[..., Sender], size: int) -> None:
        body = NOTE + HEAD + b"first line\r\n--y of many\r\n" + END
        upload = sender(length=len(body))
        upload.send(*(body[start : start + size] for start in range(0, len(body), size)))
        upload.end()
        answer = await upload.answer
        assert (answer.status_code, answer.json()) == (200, "bid.txt 25 first line\r\n--y of m")

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (NOTE + b"--x--\r\n", 422),
            (b"nothing of the kind", 400),
            (HEAD + b"never ends", 400),
            (HEAD + b"a\r\n" + HEAD + b"b" + END, 400),
            (NOTE * 11 + HEAD + END, 400),
        ],
    )
    async def test_without_one_whole_file_is_refused(
        self, sender: Callable[..., Sender], folder: Path, body: bytes, status: int
    ) -> None:
        upload = sender(length=len(body))
        upload.send(body)
        upload.end()
        assert (await upload.answer).status_code == status
        assert files(folder) == []

    async def test_is_refused_before_it_is_sent_when_there_is_no_room(self, sender: Callable[..., Sender], folder: Path) -> None:
        upload = sender(length=6_000_000)
        answer = await upload.answer
        assert (answer.json()["error"]["message"], upload.sent, files(folder)) == ("There is no room.", 0, [])

    @pytest.mark.security(42, 53)
    async def test_counts_what_else_is_arriving(self, sender: Callable[..., Sender], folder: Path) -> None:
        """Uploads that had not ended took 1,188 MB of an account that may store 1,000 MB."""
        begun = [sender(length=2_000_000) for _ in range(2)]
        for each in begun:
            each.send(HEAD)
        await eventually(lambda: len(files(folder)) == 2)
        assert (await asyncio.wait_for(sender(length=2_000_000).answer, 10)).json()["error"]["message"] == "There is no room."
        assert (await sender(account=uuid4(), length=6_000_000).answer).status_code == 422

    @pytest.mark.security(42, 53)
    async def test_is_written_nowhere_else_while_it_arrives(
        self, sender: Callable[..., Sender], folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nothing may be written here"))
        upload = sender(length=4_000_000)
        upload.send(HEAD, *([b"y" * 100_000] * 30))
        await eventually(lambda: on_disk(folder) > 2_900_000)
        upload.answer.cancel()
        await asyncio.gather(upload.answer, return_exceptions=True)
        assert files(folder) == []

    @pytest.mark.security(42, 53)
    async def test_has_two_others_of_the_account_beside_it_at_most(
        self, sender: Callable[..., Sender], folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun = [sender() for _ in range(3)]
        for each in begun:
            each.send(HEAD)
        await eventually(lambda: len(files(folder)) == 3)
        refused = await asyncio.wait_for(sender().answer, 10)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        monkeypatch.setattr(uploads, "_OF_ALL", 3)
        other = uuid4()
        for _ in range(2):
            sender(account=other).send(HEAD)
        await eventually(lambda: len(files(folder)) == 4)
        begun[0].answer.cancel()
        await eventually(lambda: len(files(folder)) == 3)
