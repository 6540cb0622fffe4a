"""A person with an account, who uses the API and an open page, from an address of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from fundwright_ui.runtime.diff import apply
from tests.availability import worst
from tests.soak.installation import PASSWORD

_TIMEOUT_S = 120.0
_ROOFS = "# About us\n\nOur crew of 14 repairs 120 roofs a year, gutters and shingles included."
_NOT_UNDERSTOOD = 422
OVER = ("succeeded", "finished", "failed", "canceled")


@dataclass
class Account:
    """What one process tells another about a person."""

    email: str
    address: str
    """From which the person connects: each has a loopback address of their own, because addresses are limited, too."""
    token: str = ""
    ids: dict[str, str] = field(default_factory=dict[str, str])
    secret: str = ""
    """Of a share link that allows comments."""


def client(url: str, address: str, **options: Any) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=None), retries=0)
    return httpx.AsyncClient(base_url=url, transport=transport, timeout=_TIMEOUT_S, **options)


def of_account(url: str, account: Account) -> httpx.AsyncClient:
    """The API as the account."""
    return client(url, account.address, headers={"Authorization": f"Bearer {account.token}"})


class Tab:
    """An open page, as far as a browser keeps it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.tree: Any = ""
        self._seq = 0
        self._received = 0

    async def open(self, path: str) -> None:
        """Wait for the page. Raises Refused."""
        await self._socket.send(json.dumps({"type": "hello", "path": path, "hash": None}))
        await self._until(lambda frame: frame["type"] == "mount")

    async def go(self, path: str) -> None:
        """Navigate, and wait until the new screen has been sent."""
        await self._send({"type": "location", "path": path})

    async def fire(self, node: Mapping[str, Any], event: str, data: Mapping[str, Any], *, waits: bool = True) -> None:
        await self._send({"type": "event", "target": node["e"][event]["h"], "data": data}, waits=waits)

    def nodes(self) -> Iterator[dict[str, Any]]:
        return walk(self.tree)

    def named(self, label: str) -> dict[str, Any]:
        """The control with this label."""
        return next(
            node for node in self.nodes() if "e" in node and label in (node.get("a", {}).get("aria-label"), text_of(node))
        )

    async def _send(self, frame: Mapping[str, Any], *, waits: bool = True) -> None:
        self._seq += 1
        seq = self._seq
        await self._socket.send(json.dumps({**frame, "seq": seq, "received": self._received}))
        if waits:
            await self._until(lambda answer: answer["type"] == "done" and answer["seq"] == seq)

    async def _until(self, is_wanted: Callable[[Mapping[str, Any]], bool]) -> None:
        while True:
            frame = json.loads(await self._socket.recv())
            if frame["type"] == "mount":
                self.tree, self._received = frame["tree"], 0
            elif frame["type"] not in ("resumed", "pong"):
                self._received += 1
            if frame["type"] == "patch":
                self.tree = apply(self.tree, frame["ops"])
            if is_wanted(frame):
                return


@asynccontextmanager
async def tab(url: str, account: Account | None, *, address: str = "") -> AsyncIterator[Tab]:
    """A socket of the account, or of a visitor at the address."""
    headers = {"Cookie": f"session={account.token}"} if account else {}
    async with connect(
        url.replace("http", "ws", 1) + "/socket",
        origin=Origin(url),
        additional_headers=headers,
        max_size=None,
        open_timeout=_TIMEOUT_S,
        close_timeout=0.5,
        ping_interval=None,
        local_addr=(account.address if account else address, 0),
    ) as socket:
        yield Tab(socket)


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for child in node.get("c", ()):
            yield from walk(child)


def text_of(node: Any) -> str:
    return node if isinstance(node, str) else "".join(map(text_of, node.get("c", ())))


async def sign_in(url: str, account: Account) -> None:
    async with client(url, account.address) as http:
        answer = await http.post("/signin", json={"email": account.email, "password": PASSWORD})
        answer.raise_for_status()
        account.token = answer.json()["token"]


async def settle_in(url: str, account: Account, *, is_hostile: bool = False) -> None:
    """Give the account one of everything: what routes and screens are about. The draft of someone hostile consists of digits."""
    async with of_account(url, account) as http:

        async def call(method: str, path: str, **options: Any) -> Any:
            answer = await http.request(method, path, **options)
            assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
            return answer.json() if answer.content else None

        ids = account.ids
        notices = (await call("GET", "/api/opportunities", params={"page_size": 50}))["items"]
        ids["notice"] = ids["subject"] = notices[0]["id"]
        ids["other notice"] = notices[1]["id"]
        ids["grant"] = next((each["id"] for each in notices if each["kind"] == "grant"), notices[0]["id"])
        ids["contract"] = next((each["id"] for each in notices if each["kind"] == "contract"), notices[0]["id"])
        ids["account"] = (await call("GET", "/api/account/my-account"))["user"]["id"]
        ids["category"] = (await call("POST", "/api/categories", json={"name": "Roofs", "description": "Repair of roofs"}))["id"]
        ids["collection"] = (await call("POST", "/api/training/collections", json={"name": "Shelf"}))["id"]
        await until(lambda: call("GET", "/api/opportunities/embedding"), lambda job: job is None or job["state"] in OVER)
        added = {"title": "Roofs", "text": worst.ANSWERS if is_hostile else _ROOFS}
        ids["document"] = (await call("POST", "/api/training/texts", json=added))["id"]
        run = await call("POST", "/api/training/runs", json={})
        ids["run"], ids["job"] = run["id"], run["job_id"]
        await until(lambda: call("GET", f"/api/training/runs/{run['id']}"), lambda found: found["state"] in OVER)
        draft = await call("POST", "/api/drafts", json={"opportunity_id": ids["notice"], "template": "capability-statement"})
        ids["draft"], ids["draft slug"] = draft["id"], draft["slug"]
        draft = await until(
            lambda: call("GET", f"/api/drafts/{ids['draft']}"),
            lambda found: found["state"] in OVER,
        )
        ids["section"] = draft["sections"][0]["id"]
        template = {
            "title": "Short",
            "sections": [{"heading": "Who we are", "instructions": "Say how many roofs the crew repairs."}],
        }
        ids["template"] = (await call("POST", "/api/templates", json=template))["name"]
        ids["saved search"] = (await call("POST", "/api/saved-searches", json={"name": "Mine", "query": {"kind": "grant"}}))["id"]
        ids["pursuit"] = (await call("POST", "/api/pipeline", json={"opportunity_id": ids["notice"]}))["id"]
        ids["task"] = (await call("POST", "/api/tasks", json={"title": "Measure", "draft_id": ids["draft"]}))["id"]
        ids["note"] = (await call("POST", "/api/notes", json={"text": "Steep", "opportunity_id": ids["notice"]}))["id"]
        ids["comment"] = (await call("POST", "/api/comments", json={"text": "Right?", "subject_id": ids["draft"]}))["id"]
        share = await call("POST", f"/api/shares/drafts/{ids['draft']}", json={"recipient": "Grace", "allows_comments": True})
        ids["share link"] = share["id"]
        account.secret = share["link"].rpartition("/")[2]
        if is_hostile:
            sources = [each["number"] for each in draft["citations"]]
            assert sources, "no passage answers the draft, so that its claims cannot be compared with anything"
            for section in draft["sections"]:
                saved = {"heading": section["heading"], "text": worst.claims(480, sources), "based_on": section["revision"]}
                answer = await http.put(f"/api/drafts/{ids['draft']}/sections/{section['id']}", json=saved)
                if "DraftTooLong" in answer.text:
                    break  # as long as a draft can be
                assert answer.status_code != _NOT_UNDERSTOOD, answer.text


async def until(ask: Callable[[], Any], is_wanted: Callable[[Any], bool], *, every_s: float = 0.25) -> Any:
    while not is_wanted(found := await ask()):
        await asyncio.sleep(every_s)
    return found
