"""Queries that wait or fail until a test lets them continue, and a page at the other end of a session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from fundwright.accounts.schemas import Actor, Client
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway
from fundwright.core.scopes import Scope
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.diff import Node, apply
from fundwright_ui.runtime.html import shown_in
from fundwright_ui.runtime.painted import PaintedPages
from fundwright_ui.runtime.render_slots import Allowances, RenderSlots
from fundwright_ui.runtime.router import Found, Router, Screen
from fundwright_ui.runtime.session import Site
from fundwright_ui.runtime.socket import Sockets
from fundwright_ui.runtime.transport import TransportClosed
from fundwright_ui.runtime.view import Shell, View

_TIMEOUT_S = 10


class Gate(Database):
    """The database for the queries of a page. They wait while it is `close`d and fail while it `is_broken`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_open = asyncio.Event()
        self._is_open.set()
        self.waiting = 0
        self.refused = 0
        self.is_broken = False

    def close_gate(self) -> None:
        self._is_open.clear()

    def open_gate(self) -> None:
        self._is_open.set()

    async def let_one_through(self) -> None:
        """Let the waiting queries continue, but not later ones."""
        self._is_open.set()
        await asyncio.sleep(0)
        self._is_open.clear()

    @asynccontextmanager
    async def transaction(self, *, is_snapshot: bool = False, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        async with self._let_through(), self._database.transaction(is_snapshot=is_snapshot, scope=scope) as session:
            yield session

    @asynccontextmanager
    async def reading(self, *, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        async with self._let_through(), self._database.reading(scope=scope) as session:
            yield session

    def together(self) -> Callable[[], AbstractAsyncContextManager[AsyncSession]]:
        return self.reading

    @asynccontextmanager
    async def _let_through(self) -> AsyncIterator[None]:
        self.waiting += 1
        try:
            await self._is_open.wait()
        finally:
            self.waiting -= 1
        if self.is_broken:
            self.refused += 1
            raise DatabaseAway
        yield


class Wire:
    """An in-memory transport, and the page at its other end."""

    def __init__(self, core: Core) -> None:
        app = Starlette()
        app.state.core = core
        client = ("192.0.2.7", 50_000)
        self.request = HTTPConnection({"type": "websocket", "app": app, "headers": [], "client": client, "path": "/socket"})
        self.is_full = False
        """Whether frames from the server are held back, as when the page reads nothing."""
        self.frames: list[dict[str, Any]] = []
        self.tree: Node = ""
        self._incoming = asyncio.Queue[str | None]()
        self._has_come = asyncio.Event()
        self._gone = asyncio.Event()
        self._seq = 0

    async def send(self, text: str) -> None:
        if self.is_full:
            await self._gone.wait()
        if self._gone.is_set():
            raise TransportClosed(1006)
        frame = json.loads(text)
        self.frames.append(frame)
        if frame["type"] == "mount":
            self.tree = frame["tree"] or self.tree
        elif frame["type"] == "patch":
            self.tree = apply(self.tree, frame["ops"])
        self._has_come.set()

    async def receive(self) -> str:
        text = await self._incoming.get()
        if text is None:
            raise TransportClosed(1001)
        return text

    async def close(self, code: int) -> None:
        self._incoming.put_nowait(None)

    # The page

    def say(self, **frame: object) -> None:
        self._incoming.put_nowait(json.dumps(frame))

    def go(self, path: str) -> None:
        self._seq += 1
        self.say(type="location", seq=self._seq, path=path)

    def press(self, name: str, event: str = "onClick") -> None:
        """The only element with this text."""
        (found,) = [node for node in self.elements if text_of(node) == name and event in node.get("e", {})]
        self._seq += 1
        self.say(type="event", seq=self._seq, target=found["e"][event]["h"], data={})

    @property
    def waiting(self) -> int:
        """The number of frames of the page that the server has not received yet."""
        return self._incoming.qsize()

    def leave(self) -> None:
        self._gone.set()
        self._incoming.put_nowait(None)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for frames until `holds()`."""
        async with asyncio.timeout(_TIMEOUT_S):
            while not holds():
                self._has_come.clear()
                await self._has_come.wait()

    async def until_frame(self, kind: str, count: int = 1) -> None:
        await self.until(lambda: len(self.of(kind)) >= count)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == kind]

    @property
    def elements(self) -> list[dict[str, Any]]:
        return list(walk(self.tree))

    @property
    def text(self) -> str:
        return text_of(self.tree)

    @property
    def is_loading(self) -> bool:
        return any("fw-loading" in str(node.get("a", {}).get("className")) for node in self.elements)

    @property
    def fields(self) -> list[tuple[str, str]]:
        return text_fields(self.tree)


class _Host(ProductHost):
    """Every visitor is `actor`."""

    def __init__(self, core: Core, actor: Actor | None) -> None:
        super().__init__(core)
        self._actor = actor

    async def authenticate(self, connection: HTTPConnection, *, is_use: bool = True) -> Actor | None:
        return self._actor

    async def recognize(self, actor: Actor, *, is_use: bool) -> Actor | None:
        return actor


class Pages:
    """Opens pages of `screens` for `actor` whose queries go through `gate`."""

    def __init__(self, core: Core, screens: Iterable[Screen], shell: Shell, actor: Actor | None = None) -> None:
        self.gate = Gate(core.database)
        self.actor = actor
        self._core = replace(core, database=self.gate)
        self._router = Router(screens, ProductHost.addresses, redirects={})
        self._shell = shell
        site = Site(
            _Host(self._core, self.actor),
            router=self._router,
            shell=shell,
            base="",
            bundle=Bundle(core.settings.web_dist, base=""),
            painted=PaintedPages(),
            render_slots=RenderSlots(),
            event_slots=RenderSlots(),
            allowances=Allowances(),
        )
        self._sockets = Sockets(site)

    async def painted(self, address: str, *, settle_s: float = 5.0) -> tuple[Node, str]:
        """The tree of the first paint, and its hash."""
        found = self._router.route(address, self.actor)
        assert isinstance(found, Found), found
        connection = Connection(self._core, self.actor, client=Client(address=""), location=found.location)
        async with View(connection, found, self._shell) as view:
            await view.settle(settle_s)
            return view.tree, view.hash()

    @asynccontextmanager
    async def open(
        self, address: str, *, shows: Node = "", hash: str | None = None, complete: bool = False
    ) -> AsyncIterator[Wire]:
        """A page that sends `hello`; it shows the tree `shows`."""
        wire = Wire(self._core)
        wire.tree = shows
        wire.say(type="hello", path=address, hash=hash, complete=complete)
        serving = asyncio.create_task(self._sockets.serve(wire, self.actor))
        try:
            yield wire
        finally:
            wire.leave()
            self.gate.open_gate()
            await asyncio.wait_for(serving, _TIMEOUT_S)


def walk(node: Node) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for child in shown_in(node):
            yield from walk(child)


def text_of(node: Node) -> str:
    return node if isinstance(node, str) else "".join(map(text_of, shown_in(node)))


def text_fields(tree: Node) -> list[tuple[str, str]]:
    """The text fields of a page: tag and name, or an equivalent of the name."""
    return [
        (node["t"], str(about.get("name") or about.get("id") or about.get("aria-label")))
        for node in walk(tree)
        if node.get("t") in ("input", "textarea")
        and (about := node.get("a", {})).get("type", "text") not in ("checkbox", "radio", "file", "hidden", "submit", "button")
    ]
