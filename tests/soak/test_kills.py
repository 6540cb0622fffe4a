"""Server, database, or both are killed while people add texts: every acknowledged text exists exactly once."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.soak.installation import PASSWORD, Installation

KILLS = int(os.environ.get("FUNDWRIGHT_SOAK_KILLS", "6"))
_PEOPLE = 3
_RETRY_S = 0.1
_NO_DATABASE = 503


class Contributor:
    """Adds one text after the other, and sends each again until the server has confirmed it."""

    def __init__(self, http: httpx.AsyncClient, email: str) -> None:
        self._http = http
        self._email = email
        self.acknowledged: list[str] = []
        self.is_done = False

    async def work(self) -> None:
        while not self.is_done:
            title = f"Roof {len(self.acknowledged)} of {self._email}"
            await self._add(title)
            self.acknowledged.append(title)

    async def listed(self) -> list[str]:
        """The titles of all documents of this person."""
        titles: list[str] = []
        while True:
            query = {"page": len(titles) // 100 + 1, "page_size": 100}
            page = (await self._http.get("/api/training/documents", params=query)).raise_for_status().json()
            titles += [document["title"] for document in page["items"]]
            if len(titles) >= page["total"]:
                return titles

    async def sign_in(self) -> None:
        answer = await self._http.post("/signin", json={"email": self._email, "password": PASSWORD})
        self._http.headers["Authorization"] = f"Bearer {answer.json()['token']}"

    async def _add(self, title: str) -> None:
        is_first = True
        while True:
            try:
                answer = await self._http.post("/api/training/texts", json={"title": title, "text": f"{title} was repaired."})
            except httpx.TransportError:
                answer = None  # whether it was added is not known
            if answer is not None and answer.status_code != _NO_DATABASE:
                # A text that an earlier, unanswered request had added is refused as a duplicate.
                assert answer.status_code == 201 or (answer.status_code == 409 and not is_first), answer.text
                return
            is_first = False
            await asyncio.sleep(_RETRY_S)


@pytest.mark.slow
async def test_every_acknowledged_text_is_there_exactly_once(tmp_path: Path) -> None:
    chance = random.Random(12)
    installation = Installation(tmp_path / "data")
    emails = await installation.add_people(_PEOPLE)
    async with installation.running(), AsyncExitStack() as clients:
        people = [
            Contributor(await clients.enter_async_context(httpx.AsyncClient(base_url=installation.url, timeout=30)), email)
            for email in emails
        ]
        for person in people:
            await person.sign_in()
        async with asyncio.TaskGroup() as working:
            for person in people:
                working.create_task(person.work())
            for number in range(KILLS):
                enough = sum(len(person.acknowledged) for person in people) + chance.randint(5, 40)
                while sum(len(person.acknowledged) for person in people) < enough:
                    await asyncio.sleep(0.005)
                if number % 3 != 0:
                    installation.kill_database()
                if number % 3 != 1:
                    installation.kill_web()
                    await installation.start_web()
            for person in people:
                person.is_done = True
        for person in people:
            assert Counter(await person.listed()) == Counter(person.acknowledged)
        print(
            f"{KILLS} kills, {sum(len(person.acknowledged) for person in people)} texts acknowledged, none lost, none duplicated"
        )
