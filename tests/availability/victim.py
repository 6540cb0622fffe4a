"""Another person, who clicks, uploads a small document, exports, and drafts, and measures how long each takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

import httpx
from websockets.exceptions import WebSocketException

from tests.availability.people import OVER, Account, Tab, of_account, tab, until

_THINK_S = 0.5
"""Between two clicks, and between two jobs: a person who is in a hurry."""
_GIVE_UP_S = 60.0
_UNANSWERED_S = _GIVE_UP_S
"""What a click counts as that was not answered at all."""


@dataclass
class Times:
    """Seconds, by what was done."""

    clicks: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    jobs: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    failures: list[str] = field(default_factory=list[str])

    def all_clicks(self) -> list[float]:
        return [each for times in self.clicks.values() for each in times]

    def worst_job(self) -> tuple[str, float]:
        return max(
            ((name, max(times)) for name, times in self.jobs.items() if times), key=lambda each: each[1], default=("", 0.0)
        )


def p50(times: list[float]) -> float:
    return median(times) if times else 0.0


def p95(times: list[float]) -> float:
    return quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times)


class Victim:
    """Works as `account` until `measured` ends."""

    def __init__(self, url: str, account: Account) -> None:
        self._url = url
        self._account = account

    @asynccontextmanager
    async def measured(self) -> AsyncIterator[Times]:
        """The times of what begins within the context. It ends after the last job has ended, or been given up."""
        times, is_over = Times(), asyncio.Event()
        working = [asyncio.create_task(self._click(times, is_over)), asyncio.create_task(self._work(times, is_over))]
        try:
            yield times
        finally:
            is_over.set()
            await asyncio.gather(*working)

    async def _click(self, times: Times, is_over: asyncio.Event) -> None:
        ids = self._account.ids
        addresses = {
            "list": "/dashboard/sam",
            "filter": "/dashboard/sam?text=services",
            "opportunity": f"/dashboard/sam/{ids['contract']}",
            "draft": f"/generate/slug/{ids['draft slug']}",
        }
        while not is_over.is_set():
            try:
                async with asyncio.timeout(_GIVE_UP_S), tab(self._url, self._account) as page:
                    await self._timed(times.clicks, "open", page.open("/dashboard/train"))
                    while not is_over.is_set():
                        for name, address in addresses.items():
                            await self._timed(times.clicks, name, page.go(address))
                            await asyncio.sleep(_THINK_S)
                        await self._timed(times.clicks, "press", _press(page))
            except (OSError, WebSocketException, TimeoutError) as error:
                times.clicks.setdefault("unanswered", []).append(_UNANSWERED_S)
                times.failures.append(f"page: {type(error).__name__} {error}"[:200])
                await asyncio.sleep(_THINK_S)

    async def _work(self, times: Times, is_over: asyncio.Event) -> None:
        async with of_account(self._url, self._account) as http:
            while not is_over.is_set():
                for name, act in (
                    ("upload", self._upload),
                    ("CSV export", self._export_list),
                    ("draft export", self._export_draft),
                    ("section", self._draft_section),
                    ("draft", self._draft),
                ):
                    if is_over.is_set():
                        return
                    try:
                        async with asyncio.timeout(_GIVE_UP_S):
                            await self._timed(times.jobs, name, act(http))
                    except (httpx.HTTPError, TimeoutError, AssertionError) as error:
                        times.jobs.setdefault(name, []).append(_UNANSWERED_S)
                        times.failures.append(f"{name}: {type(error).__name__} {error}"[:200])
                    await asyncio.sleep(_THINK_S)

    async def _timed(self, times: dict[str, list[float]], name: str, act: Any) -> None:
        start = time.monotonic()
        await act
        times.setdefault(name, []).append(time.monotonic() - start)

    async def _upload(self, http: httpx.AsyncClient) -> None:
        """A small document, until it is trained."""
        content = f"Roof {uuid4().hex[:8]}. Our crew repairs roofs, gutters, and shingles in 12 days.".encode()
        answer = await http.post("/api/training/documents", files={"file": (f"{uuid4().hex[:8]}.txt", content)})
        assert answer.is_success, answer.text
        added = answer.json()
        answer = await http.post("/api/training/runs", json={"document_ids": [added["id"]]})
        assert answer.is_success, answer.text

        async def state() -> str:
            return (await http.get(f"/api/training/documents/{added['id']}")).json().get("state", "")

        assert await until(state, lambda found: found in ("trained", "failed"), every_s=0.1) == "trained"
        await http.delete(f"/api/training/documents/{added['id']}")

    async def _export_list(self, http: httpx.AsyncClient) -> None:
        answer = await http.get("/api/opportunities/export.csv", params={"text": "services"})
        assert answer.is_success, answer.text

    async def _export_draft(self, http: httpx.AsyncClient) -> None:
        answer = await http.get(f"/api/drafts/{self._account.ids['draft']}/export", params={"form": "docx"})
        assert answer.is_success, answer.text

    async def _draft(self, http: httpx.AsyncClient) -> None:
        """A new draft, until it is written."""
        body = {"opportunity_id": self._account.ids["notice"], "template": self._account.ids["template"]}
        answer = await http.post("/api/drafts", json=body)
        assert answer.is_success, answer.text
        path = f"/api/drafts/{answer.json()['id']}"

        async def state() -> str:
            return (await http.get(path)).json().get("state", "")

        assert await until(state, lambda found: found in OVER, every_s=0.1) == "finished"
        await http.delete(path)

    async def _draft_section(self, http: httpx.AsyncClient) -> None:
        """A section of the draft, written again."""
        path = f"/api/drafts/{self._account.ids['draft']}"
        answer = await http.put(
            f"{path}/sections/{self._account.ids['section']}/regeneration", json={"instructions": "Say it again."}
        )
        assert answer.is_success, answer.text

        async def state() -> str | None:
            sections = (await http.get(path)).json().get("sections", ())
            return next((each["rewriting"] for each in sections if each["id"] == self._account.ids["section"]), "underway")

        await until(state, lambda found: found != "underway", every_s=0.1)


async def _press(page: Tab) -> None:
    """Back to the list, and a press on the first control that takes a click."""
    node = next(each for each in page.nodes() if "onClick" in each.get("e", ()) and each.get("a", {}).get("id") != "skip")
    await page.fire(node, "onClick", {})
