"""Opening the list, signed in: `python -m benchmarks.openings [PAGES]`. With 12,309 real notices if the data is beside the project, otherwise
with the samples. Waits until the notices are indexed, so that only openings are measured.

The web process is pinned to one core, and its database and these people to the others. Twelve people open 600 pages, as browsers do: the
document, then its socket with the hash of what was painted. Then the server is killed, and all 600 pages reconnect at once to a new one.

The CPU time is that of the web process alone, so that other work on the machine hardly changes it. The limit that is measured in the same
run is the same document as a fixed response of the bare framework, followed by a socket that sends the same frame. Memory is the growth of
the resident memory of the web process for each idle page. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

import brotli
import httpx
import psutil
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from benchmarks.ui.memory import PAGES_A_PERSON, close, confirm, sign_in
from e2e.application import PROJECT, free_port, run_command, started

NOTICES = PROJECT.parent / "shared/data/sam/ContractOpportunitiesFullCSV.csv.gz"
LIST = "/dashboard/sam"
PAGES = 600
WARM_UP_PAGES = 20
AT_ONCE = 8
IDLE_S = 8
"""How long a page does nothing until it counts as idle."""
RETRY_S = 1
IDLE_SHARE = 0.1
"""Of a core, below which the web process has nothing to do."""
MIN_PER_S, MAX_KB = 25, 120
_HASH = re.compile(rb'"hash":"([0-9a-f]+)"')


class Opening(NamedTuple):
    """A page that is open, with the hash of what was painted. `is_unchanged` says whether its socket repeated nothing."""

    socket: ClientConnection
    hash: str
    is_unchanged: bool


class Cost(NamedTuple):
    """What opening `count` pages took: seconds of the clock, and CPU seconds of the web process."""

    count: int
    wall_s: float
    cpu_s: float

    @property
    def per_s(self) -> float:
        """How many pages a second one core can open."""
        return self.count / self.cpu_s

    def __str__(self) -> str:
        return f"{self.per_s:.1f} a second on one core ({self.cpu_s / self.count * 1000:.1f} ms each), {self.wall_s:.0f} s in all"


class Web:
    """The web process, pinned to the first core, while its database and everything else use the others."""

    def __init__(self, url: str, pid: int, folder: Path | None = None) -> None:
        self.url = url
        self._process = psutil.Process(pid)
        cores = sorted(os.sched_getaffinity(0))
        for thread in self._process.threads():
            os.sched_setaffinity(thread.id, cores[:1])
        for thread in (each for other in (psutil.Process(), *_database_in(folder)) for each in other.threads()):
            with suppress(OSError, psutil.Error):
                os.sched_setaffinity(thread.id, cores[1:] or cores)

    @property
    def cpu_s(self) -> float:
        spent = self._process.cpu_times()
        return spent.user + spent.system

    @property
    def rss(self) -> int:
        return self._process.memory_info().rss

    @contextmanager
    def costing(self, count: int, costs: list[Cost]) -> Iterator[None]:
        began_at, before = time.monotonic(), self.cpu_s
        yield
        costs.append(Cost(count, time.monotonic() - began_at, self.cpu_s - before))


def _database_in(folder: Path | None) -> Iterator[psutil.Process]:
    """The processes of the embedded server."""
    started = folder / "postgres/postmaster.pid" if folder is not None else None
    if started is not None and started.exists():
        server = psutil.Process(int(started.read_text().split()[0]))
        yield from (server, *server.children())


async def main(pages: int) -> int:
    with tempfile.TemporaryDirectory(prefix="fundwright-bench-") as folder:
        if NOTICES.exists():
            run_command(Path(folder), {}, "import", "sam", str(NOTICES))
        return await measure(Path(folder), pages)


async def measure(folder: Path, count: int) -> int:
    costs: list[Cost] = []
    port = free_port()
    with started(folder, port=port) as application:
        tokens = await sign_in(application, -(-count // PAGES_A_PERSON))
        web = Web(application.url, application.process.pid, folder)
        await until_indexed(web)
        await close([page.socket for page in await open_all(web, tokens, WARM_UP_PAGES)])
        before = web.rss
        with web.costing(count, costs):
            pages = await open_all(web, tokens, count)
        await asyncio.gather(*(confirm(page.socket) for page in pages))
        await asyncio.sleep(IDLE_S)
        kilobytes = (web.rss - before) / count / 1000
        document = await document_of(web, tokens[0])
        application.process.kill()
    (opened,) = costs
    print(f"opening the list: {opened} (goal {MIN_PER_S})", flush=True)
    print(f"  {sum(page.is_unchanged for page in pages)} of {count} sockets repeated nothing of the document")
    print(f"memory of an idle page: {kilobytes:.0f} kB (goal {MAX_KB})")
    print(f"document: {len(document):,} bytes compressed, {len(brotli.decompress(document)):,} as it is", flush=True)
    with started(folder, port=port) as application:
        web = Web(application.url, application.process.pid, folder)
        began_at, open_at_s = time.monotonic(), list[float]()

        async def reconnect(token: str, painted: str) -> tuple[ClientConnection, str]:
            mounted = await mount(web, token, painted)
            open_at_s.append(time.monotonic() - began_at)
            return mounted

        with web.costing(count, costs):
            again = await asyncio.gather(*(reconnect(tokens[n % len(tokens)], page.hash) for n, page in enumerate(pages)))
        await close([socket for socket, _ in again])
    print(f"reconnecting all after a restart: {costs[1]}", flush=True)
    print(f"  half of them are open after {median(open_at_s):.0f} s, all after {max(open_at_s):.0f} s")
    limit = await limit_of(document, count)
    print(f"  limit: the same document from the bare framework: {limit} (ratio {opened.per_s / limit.per_s:.3f})")
    return 0 if opened.per_s >= MIN_PER_S and kilobytes <= MAX_KB else 1


async def open_all(web: Web, tokens: Sequence[str], count: int) -> list[Opening]:
    free = asyncio.Semaphore(AT_ONCE)

    async with httpx.AsyncClient(base_url=web.url, timeout=60) as http:

        async def one(token: str) -> Opening:
            async with free:
                return await open_page(web, http, token)

        return list(await asyncio.gather(*(one(tokens[n % len(tokens)]) for n in range(count))))


async def open_page(web: Web, http: httpx.AsyncClient, token: str) -> Opening:
    """Load the document, then connect its socket."""
    headers = {"Cookie": f"session={token}", "Accept-Encoding": "br"}
    async with http.stream("GET", LIST, headers=headers) as response:
        raw = b"".join([part async for part in response.aiter_raw()])
    found = _HASH.search(brotli.decompress(raw))
    assert found, response.status_code
    painted = found[1].decode()
    socket, first = await mount(web, token, painted)
    return Opening(socket, painted, json.loads(first)["tree"] is None)


async def mount(web: Web, token: str, painted: str) -> tuple[ClientConnection, str]:
    """The socket of a page, and its first frame."""
    headers = {"Cookie": f"session={token}"}
    address = f"{web.url.replace('http', 'ws')}/socket"
    while True:
        try:
            socket = await connect(address, origin=Origin(web.url), additional_headers=headers, max_size=None, open_timeout=300)
            break
        except InvalidStatus as refused:  # browsers also try again while all connections to the database are in use
            if refused.response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                raise
            await asyncio.sleep(RETRY_S)
    await socket.send(json.dumps({"type": "hello", "path": LIST, "hash": painted, "complete": True}))
    while True:
        first = await socket.recv(decode=True)
        if json.loads(first)["type"] != "pong":
            assert json.loads(first)["type"] == "mount", first
            return socket, first


async def document_of(web: Web, token: str) -> bytes:
    async with httpx.AsyncClient(base_url=web.url) as http:
        headers = {"Cookie": f"session={token}", "Accept-Encoding": "br"}
        async with http.stream("GET", LIST, headers=headers) as response:
            return b"".join([part async for part in response.aiter_raw()])


async def until_indexed(web: Web) -> None:
    """The web process also runs the jobs. They have ended once it does nothing."""
    while True:
        before = web.cpu_s
        await asyncio.sleep(5)
        if web.cpu_s - before < IDLE_SHARE * 5:
            return


async def limit_of(document: bytes, pages: int) -> Cost:
    """The bare framework: the same document from memory, and a socket that repeats nothing."""
    port = free_port()
    with tempfile.NamedTemporaryFile() as kept:
        kept.write(document)
        kept.flush()
        server = subprocess.Popen([sys.executable, "-m", "benchmarks.openings", "limit", str(port), kept.name], cwd=PROJECT)
        try:
            url = f"http://127.0.0.1:{port}"
            await until_it_answers(url)
            web, costs = Web(url, server.pid), list[Cost]()
            await close([page.socket for page in await open_all(web, [""], WARM_UP_PAGES)])
            with web.costing(pages, costs):
                opened = await open_all(web, [""], pages)
            await close([page.socket for page in opened])
        finally:
            server.terminate()
            server.wait(20)
    return costs[0]


async def until_it_answers(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as http:
        while True:
            with suppress(httpx.TransportError):
                await http.get(LIST)
                return
            await asyncio.sleep(0.1)


def serve_limit(port: int, document: bytes) -> None:
    first = json.dumps({"type": "mount", "tree": None, "title": "", "session": "", "build": ""})

    async def page(_request: Request) -> Response:
        return Response(document, media_type="text/html", headers={"Content-Encoding": "br"})

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await websocket.receive_text()
                await websocket.send_text(first)

    app = Starlette(routes=[Route(LIST, page), WebSocketRoute("/socket", socket)])
    uvicorn.run(app, port=port, log_level="error")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["limit", port, path]:
            serve_limit(int(port), Path(path).read_bytes())
        case given:
            sys.exit(asyncio.run(main(int(given[0]) if given else PAGES)))
