"""The memory that an idle page uses on the server, and whether closed pages release theirs.

`python -m benchmarks.ui.memory [SESSIONS] [ROUNDS]`. Runs the application on a new data folder. Signed-in people open 500 idle
pages of `/dashboard/train`, and of `/dashboard/sam` on another new data folder. Then 500 pages are opened and closed ten times, and
the memory of the server after each round is compared with that after the first one. All figures are the resident memory of the
server process alone. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from e2e.application import Application, started

SCREENS = ("/dashboard/train", "/dashboard/sam")
SESSIONS = 500
ROUNDS = 10
PAGES_A_PERSON = 50
AT_ONCE = 10
IDLE_S = 8
"""How long a page does nothing until it counts as idle."""
WARM_UP_PAGES = 10
"""Modules that the first page of a kind loads are not part of its cost. Only a few warm-up pages, because later pages reuse the
memory that they release."""
MAX_KB = 150
MAX_GROWTH = 0.05
PASSWORD = "a quiet harbor at dawn"


class Served(NamedTuple):
    url: str
    process: psutil.Process
    tokens: list[str]

    @property
    def rss(self) -> int:
        return self.process.memory_info().rss


async def main(sessions: int, rounds: int) -> int:
    costs = [await cost_of_page(path, sessions) for path in SCREENS]
    growth = await growth_over(rounds, sessions)
    return 0 if max(costs) < MAX_KB and growth <= MAX_GROWTH else 1


async def cost_of_page(path: str, sessions: int) -> float:
    async with served(sessions) as server:
        await close(await open_pages(server, path, WARM_UP_PAGES))
        before = server.rss
        pages = await open_pages(server, path, sessions)
        await asyncio.gather(*(confirm(page) for page in pages))
        await asyncio.sleep(IDLE_S)
        cost = (server.rss - before) / sessions / 1000
        await close(pages)
    print(f"{path}, an idle page: {cost:.0f} kB (goal {MAX_KB})", flush=True)
    return cost


async def growth_over(rounds: int, sessions: int) -> float:
    """The growth from the first round to the last, as a share of the first."""
    async with served(sessions) as server:
        plateau = growth = 0.0
        for number in range(1, rounds + 1):
            await close(await open_pages(server, SCREENS[0], sessions))
            plateau = plateau or server.rss
            growth = server.rss / plateau - 1
            print(f"{sessions} pages closed, round {number}: {server.rss / 1e6:.0f} MB", end="")
            print(f" ({growth:+.1%}, goal {MAX_GROWTH:+.0%})", flush=True)
    return growth


@asynccontextmanager
async def served(sessions: int) -> AsyncIterator[Served]:
    """A new server with enough accounts to open that many pages."""
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as application:
        tokens = await sign_in(application, -(-sessions // PAGES_A_PERSON))
        yield Served(application.url, psutil.Process(application.process.pid), tokens)


async def sign_in(application: Application, people: int) -> list[str]:
    tokens: list[str] = []
    async with httpx.AsyncClient(base_url=application.url) as http:
        for number in range(people):
            email = f"person{number}@example.org"
            application.command("user", "add", email, "--role", "user", "--name", "Person", "--password-stdin", stdin=PASSWORD)
            answer = await http.post("/signin", json={"email": email, "password": PASSWORD})
            tokens.append(answer.json()["token"])
    return tokens


async def open_pages(server: Served, path: str, count: int) -> list[ClientConnection]:
    pages: list[ClientConnection] = []
    for start in range(0, count, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, count))
        pages += await asyncio.gather(*(_open(server, path, number) for number in numbers))
    await asyncio.sleep(2)
    return pages


async def _open(server: Served, path: str, number: int) -> ClientConnection:
    page = await connect(
        f"{server.url.replace('http', 'ws')}/socket",
        origin=Origin(server.url),
        additional_headers={"Cookie": f"session={server.tokens[number % len(server.tokens)]}"},
        max_size=None,
    )
    await page.send(json.dumps({"type": "hello", "path": path, "hash": None}))
    first = json.loads(await page.recv())
    if first["type"] != "mount":
        sys.exit(f"{path} was not opened: {first}")
    return page


async def confirm(page: ClientConnection) -> None:
    """Acknowledge the frames received since `mount`, as a browser does after 20 s of silence: until then, the server keeps them."""
    received = 0
    with suppress(TimeoutError):
        while True:
            async with asyncio.timeout(1):
                await page.recv()
            received += 1
    await page.send(json.dumps({"type": "ping", "received": received}))


async def close(pages: Sequence[ClientConnection]) -> None:
    await asyncio.gather(*(page.close() for page in pages))
    await asyncio.sleep(3)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(asyncio.run(main(*(given + [SESSIONS, ROUNDS][len(given) :]))))
