"""Simulated people who do the main job over HTTP and on an open page, and record every change that the server has
acknowledged."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from contextlib import suppress
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from tests.soak.installation import PASSWORD

_RETRY_S = 0.5
_PAUSE_S = 4.0
_SILENCE_S = 20
_LATER = (429, 503)
"""Statuses that ask to send the request again: everyone signs in at the same moment, from one address."""
_TEMPLATE = "cover-letter"


class Person:
    """Adds texts, decides about opportunities, trains, asks, searches, and starts drafts until `is_done`.

    Sends a request again until it gets a response, so that the outcome of every change is known.
    """

    def __init__(self, url: str, email: str, seed: int) -> None:
        self._url = url
        self._email = email
        self._chance = random.Random(seed)
        self._http = httpx.AsyncClient(base_url=url, timeout=60)
        self._category = ""
        self._notices: list[str] = []
        self.titles: list[str] = []
        self.decisions: set[str] = set()
        self.drafts = 0
        self.actions = 0
        self.pages = 0
        self.is_done = False

    async def sign_in(self) -> None:
        answer = await self._send("POST", "/signin", json={"email": self._email, "password": PASSWORD})
        self._http.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        created = await self._send("POST", "/api/categories", json={"name": "Roofs", "description": "Repair of roofs"})
        self._category = created.json()["id"]
        listed = await self._send("GET", "/api/opportunities", params={"page_size": 50})
        self._notices = [notice["id"] for notice in listed.json()["items"]]

    async def work(self) -> None:
        page = asyncio.create_task(self._keep_a_page_open())
        verbs = (self._add_text, self._decide, self._ask, self._search, self._train, self._draft)
        try:
            while not self.is_done:
                (verb,) = self._chance.choices(verbs, weights=(6, 6, 2, 6, 1, 1))
                await verb()
                self.actions += 1
                await asyncio.sleep(self._chance.uniform(0, 2 * _PAUSE_S))
        finally:
            page.cancel()
            with suppress(asyncio.CancelledError):
                await page

    async def check(self) -> list[str]:
        """The differences between the acknowledged changes and the database. Call this after the last kill."""
        wrong: list[str] = []
        documents = Counter([item["title"] for item in await self._all("/api/training/documents")])
        if documents != Counter(self.titles):
            lost, doubled = Counter(self.titles) - documents, documents - Counter(self.titles)
            wrong.append(f"{self._email}: lost {dict(lost)}, too many {dict(doubled)}")
        examples = Counter([item["subject_id"] for item in await self._all(f"/api/categories/{self._category}/examples")])
        if examples != Counter(self.decisions):
            wrong.append(f"{self._email}: {examples.total()} decisions, {len(self.decisions)} were acknowledged")
        drafts = await self._all("/api/drafts")
        if len(drafts) != self.drafts:
            wrong.append(f"{self._email}: {len(drafts)} drafts, {self.drafts} were acknowledged")
        return wrong

    async def close(self) -> None:
        await self._http.aclose()

    async def _add_text(self) -> None:
        title = f"Roof {len(self.titles)} of {self._email}"
        text = f"# {title}\n\nOur crew repaired it in {self._chance.randint(1, 90)} days, gutters and shingles included."
        await self._send("POST", "/api/training/texts", json={"title": title, "text": text}, duplicate=409)
        self.titles.append(title)

    async def _decide(self) -> None:
        notice = self._chance.choice(self._notices)
        await self._send("PUT", f"/api/categories/labels/{notice}", json={"category_id": self._category})
        self.decisions.add(notice)

    async def _ask(self) -> None:
        await self._send("GET", "/api/answers", params={"query": "How many days does a roof take?"})

    async def _search(self) -> None:
        text = self._chance.choice(("", "roof", "research", "health", "services"))
        await self._send("GET", "/api/opportunities", params={"text": text})

    async def _train(self) -> None:
        await self._send("POST", "/api/training/runs", json={}, refused=422)

    async def _draft(self) -> None:
        known = len(await self._all("/api/drafts"))
        while True:
            with suppress(httpx.TransportError):
                start = {"opportunity_id": self._chance.choice(self._notices), "template": _TEMPLATE}
                answer = await self._http.post("/api/drafts", json=start)
                if answer.status_code not in _LATER:
                    answer.raise_for_status()
                    break
            # A draft has no name by which the server could recognize a repeated request, so check before sending it again.
            await asyncio.sleep(_RETRY_S)
            if len(await self._all("/api/drafts")) > known:
                break
        self.drafts += 1

    async def _all(self, path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while True:
            page = (await self._send("GET", path, params={"page": len(items) // 100 + 1, "page_size": 100})).json()
            items += page["items"]
            if len(items) >= page["total"] or not page["items"]:
                return items

    async def _send(
        self, method: str, path: str, *, duplicate: int | None = None, refused: int | None = None, **options: Any
    ) -> httpx.Response:
        """Returns the response as soon as there is one. `duplicate` is a status that is accepted if an earlier attempt has
        succeeded."""
        is_first = True
        while True:
            with suppress(httpx.TransportError):
                answer = await self._http.request(method, path, **options)
                if answer.status_code not in _LATER:
                    is_expected = answer.is_success or answer.status_code == refused
                    assert is_expected or (answer.status_code == duplicate and not is_first), f"{method} {path}: {answer.text}"
                    return answer
            is_first = False
            await asyncio.sleep(_RETRY_S)

    async def _keep_a_page_open(self) -> None:
        """A page open in another tab: it reconnects whenever its server was killed, and receives changes."""
        token = self._http.headers["Authorization"].partition(" ")[2]
        address = self._url.replace("http", "ws", 1) + "/socket"
        while True:
            with suppress(OSError, WebSocketException, TimeoutError):
                headers = {"Cookie": f"session={token}"}
                async with connect(address, origin=Origin(self._url), additional_headers=headers, max_size=None) as socket:
                    await socket.send(json.dumps({"type": "hello", "path": "/dashboard/train", "hash": None}))
                    received = 0
                    while True:
                        try:
                            async with asyncio.timeout(_SILENCE_S):  # `wait_for` of Python 3.11 can lose a cancellation
                                frame = json.loads(await socket.recv())
                        except TimeoutError:
                            await socket.send(json.dumps({"type": "ping", "received": received}))
                            continue
                        if frame["type"] == "mount":
                            self.pages, received = self.pages + 1, 0
                        elif frame["type"] != "pong":
                            received += 1
            await asyncio.sleep(self._chance.uniform(0.5, 3))
