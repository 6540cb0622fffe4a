"""300 connected sessions on one server process with one event per second each, on our runtime and on stock ReactPy.

`python -m benchmarks.ui.sessions`. Both serve the same component under uvicorn. Ours has the runtime with its socket protocol and
garbage collection frozen at startup, as in the product; the other has ReactPy's own ASGI executor. The server and the load
generator each run in their own process. Memory is the growth of the server's resident memory while it opens the sessions, after a
few warm-up sessions.
"""

from __future__ import annotations

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import Any, NamedTuple

import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks.ui.servers import ENVIRONMENTS, PAGES, Framework, NotAvailable, serving

OURS, STOCK = "Fundwright", "ReactPy"
SESSIONS = 300
WARM_UP_SESSIONS = 50
SECONDS = 20
MAX_P99_MS = 100
SHARE_OF_MEMORY = 0.1
"""The maximum ratio of our memory per session to that of stock ReactPy."""


class Measured(NamedTuple):
    p50_ms: float
    p99_ms: float
    kb_a_session: float


def main() -> int:
    print(f"{SESSIONS} sessions on one process, one event a second each, {SECONDS} s")
    print(f"{'':14}{'p50 ms':>10}{'p99 ms':>10}{'kB a session':>16}")
    found: dict[str, Measured] = {}
    for framework in frameworks():
        try:
            measured = found[framework.name] = measure(framework)
        except NotAvailable as reason:
            print(f"{framework.name:14}{reason}")
            return 1
        print(f"{framework.name:14}{measured.p50_ms:>10.1f}{measured.p99_ms:>10.1f}{measured.kb_a_session:>16.0f}")
    ours, stock = found[OURS], found[STOCK]
    ratio = ours.kb_a_session / stock.kb_a_session
    print(f"{'ratio':14}{ours.p50_ms / stock.p50_ms:>10.2f}{ours.p99_ms / stock.p99_ms:>10.2f}{ratio:>16.2f}")
    print(f"goals: p99 under {MAX_P99_MS} ms ({_met(ours.p99_ms < MAX_P99_MS)}), ", end="")
    print(f"{SHARE_OF_MEMORY} of the memory ({_met(ratio <= SHARE_OF_MEMORY)})")
    return 0


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"


def frameworks() -> list[Framework]:
    """Both run in this environment; ReactPy's own executor needs some more packages."""
    site = ENVIRONMENTS / "reactpy/lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    return [
        Framework(OURS, None, lambda running: [sys.executable, "-m", "benchmarks.ui.pages.fundwright_dashboard", running.folder]),
        Framework(
            STOCK,
            f"reactpy[asgi]=={version('reactpy')}",
            lambda _running: [sys.executable, PAGES / "reactpy_dashboard.py"],
            {"PYTHONPATH": str(site)},
        ),
    ]


def measure(framework: Framework) -> Measured:
    """Raises NotAvailable."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with serving(framework, port=port, origin=f"http://127.0.0.1:{port}"):
        (server,) = psutil.Process().children()
        load = [sys.executable, "-m", "benchmarks.ui.sessions", "load", framework.name, str(port), str(server.pid)]
        return Measured(*json.loads(subprocess.run(load, check=True, stdout=subprocess.PIPE).stdout))


# The load


class Visitor:
    """An open page that presses the button and waits for the response."""

    def __init__(self, websocket: ClientConnection, name: str) -> None:
        self._websocket = websocket
        self._is_ours = name == OURS
        self._target = ""
        self._seq = 0

    async def open(self) -> None:
        if self._is_ours:
            await self._send({"type": "hello", "path": "/", "hash": None})
        first = await self._receive()
        self._target = _button(first["tree" if self._is_ours else "model"])
        assert self._target

    async def press(self) -> float:
        """Milliseconds until the response."""
        self._seq += 1
        started = time.perf_counter()
        if self._is_ours:
            await self._send({"type": "event", "seq": self._seq, "target": self._target, "data": {}})
            while (await self._receive())["type"] != "done":
                pass
        else:
            await self._send({"type": "layout-event", "target": self._target, "data": [{}]})
            await self._receive()
        return (time.perf_counter() - started) * 1000

    async def _send(self, frame: dict[str, Any]) -> None:
        await self._websocket.send(json.dumps(frame))

    async def _receive(self) -> dict[str, Any]:
        return json.loads(await self._websocket.recv())


def _button(node: Any) -> str:
    """The handler of the only button."""
    if isinstance(node, str):
        return ""
    for events in (node.get("e"), node.get("eventHandlers")):
        if events:
            return events["onClick"].get("h") or events["onClick"]["target"]
    return next(filter(None, map(_button, node.get("c") or node.get("children") or [])), "")


async def put_load_on(name: str, port: int, process: psutil.Process) -> Measured:
    async with visitors(name, port, WARM_UP_SESSIONS) as warming:
        await asyncio.gather(*(visitor.press() for visitor in warming))
    await asyncio.sleep(2)
    before = process.memory_info().rss
    async with visitors(name, port, SESSIONS) as open_pages:
        durations = await asyncio.gather(*(_press_each_second(page, n / SESSIONS) for n, page in enumerate(open_pages)))
        grown = process.memory_info().rss - before
    percentiles = statistics.quantiles([duration for one in durations for duration in one], n=100)
    return Measured(percentiles[49], percentiles[98], grown / SESSIONS / 1000)


async def _press_each_second(page: Visitor, phase_s: float) -> list[float]:
    await asyncio.sleep(phase_s)
    durations: list[float] = []
    due = time.perf_counter()
    for _ in range(SECONDS):
        durations.append(await page.press())
        due += 1
        await asyncio.sleep(max(0, due - time.perf_counter()))
    return durations


@asynccontextmanager
async def visitors(name: str, port: int, count: int) -> AsyncIterator[list[Visitor]]:
    path = "/socket" if name == OURS else "/reactpy/?path=/"
    async with AsyncExitStack() as stack:
        opened: list[Visitor] = []
        for _ in range(count):
            connecting = connect(f"ws://127.0.0.1:{port}{path}", origin=Origin(f"http://127.0.0.1:{port}"), max_size=None)
            visitor = Visitor(await stack.enter_async_context(connecting), name)
            await visitor.open()
            opened.append(visitor)
        yield opened


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["load", name, port, pid]:
            print(json.dumps(asyncio.run(put_load_on(name, int(port), psutil.Process(int(pid))))))
        case _:
            sys.exit(main())
