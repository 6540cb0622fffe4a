"""What an idle page costs the server, and whether closed pages give their memory back.

`python -m benchmarks.ui.memory [SESSIONS] [ROUNDS]`. The real application on a fresh data folder; signed-in people open `/dashboard/train`
and `/dashboard/sam` and do nothing. Then 500 pages are opened and closed ten times: the resident memory of the server after each
round is compared with that after the first one. Every figure is resident memory of the server process alone.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import httpx
import psutil
from e2e.application import Application, started
from websockets.asyncio.client import ClientConnection, connect

SCREENS = ("/dashboard/train", "/dashboard/sam")
SESSIONS = 500
ROUNDS = 10
PAGES_A_PERSON = 50
AT_ONCE = 10
MAX_KB = 150
MAX_GROWTH = 0.05
PASSWORD = "a quiet harbour at dawn"


async def main(sessions: int, rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as application:
        url, server = application.url, psutil.Process(application.process.pid)
        tokens = await sign_in(application, -(-sessions // PAGES_A_PERSON))
        for path in SCREENS:  # what is loaded with the first page of its kind belongs to nobody
            await close(await open_pages(url, path, tokens, len(tokens) * 5))
        for path in SCREENS:
            before = server.memory_info().rss
            pages = await open_pages(url, path, tokens, sessions)
            grown = (server.memory_info().rss - before) / sessions / 1000
            await close(pages)
            print(f"{path}, an idle page: {grown:.0f} kB (goal {MAX_KB})", flush=True)
        plateau = 0
        for number in range(rounds):
            await close(await open_pages(url, SCREENS[0], tokens, sessions))
            rss = server.memory_info().rss
            plateau = plateau or rss
            growth = rss / plateau - 1
            print(
                f"{sessions} pages closed, round {number + 1}: {rss / 1e6:.0f} MB ({growth:+.1%}, goal {MAX_GROWTH:+.0%})",
                flush=True,
            )
    return 0


async def sign_in(application: Application, people: int) -> list[str]:
    tokens: list[str] = []
    async with httpx.AsyncClient(base_url=application.url) as http:
        for number in range(people):
            email = f"person{number}@example.org"
            application.command("user", "add", email, "--role", "user", "--name", "Person", "--password-stdin", stdin=PASSWORD)
            answer = await http.post("/signin", json={"email": email, "password": PASSWORD})
            tokens.append(answer.json()["token"])
    return tokens


async def open_pages(url: str, path: str, tokens: Sequence[str], count: int) -> list[ClientConnection]:
    pages: list[ClientConnection] = []
    for start in range(0, count, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, count))
        pages += await asyncio.gather(*(_open(url, path, tokens[number % len(tokens)]) for number in numbers))
    await asyncio.sleep(2)
    return pages


async def _open(url: str, path: str, token: str) -> ClientConnection:
    page = await connect(
        f"{url.replace('http', 'ws')}/socket",
        origin=url,  # pyright: ignore[reportArgumentType]
        additional_headers={"Cookie": f"session={token}"},
        max_size=None,
    )
    await page.send(json.dumps({"type": "hello", "path": path, "hash": None}))
    first = json.loads(await page.recv())
    if first["type"] != "mount":
        sys.exit(f"{path} was not opened: {first}")
    return page


async def close(pages: Sequence[ClientConnection]) -> None:
    await asyncio.gather(*(page.close() for page in pages))
    await asyncio.sleep(3)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(asyncio.run(main(*(given + [SESSIONS, ROUNDS][len(given) :]))))
