"""One rendered page: the routed screen inside its shell, kept up to date as a tree of nodes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from reactpy import component
from reactpy.types import Component

from fundwright.core.messages import t
from fundwright.identity.schemas import Actor
from fundwright_ui.runtime.connection import Connection, ConnectionContext
from fundwright_ui.runtime.diff import Node, Operation, diff
from fundwright_ui.runtime.encoding import digest, encode
from fundwright_ui.runtime.layout import GuardedLayout, rerenderer
from fundwright_ui.runtime.packing import packing_of
from fundwright_ui.runtime.router import Area, Found
from fundwright_ui.runtime.vdom import replaced, to_node
from fundwright_ui.runtime.waiting import Event

Shell = Callable[[Area, Component], Component]
"""Puts a screen into the frame of its area. The frame stays mounted while the person moves within the area."""

OnView = Callable[[str, Actor | None, str], None]
"""Told of each page that somebody is shown: the pattern of its path, who it is and their language. It must not wait or raise."""


class View:
    """Use as an async context manager. `on_change` is called after each rendering."""

    def __init__(
        self, connection: Connection, found: Found, shell: Shell, *, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.connection = connection
        self.failure: Exception | None = None
        self._found = found
        self._on_change = on_change
        self._rerender: Callable[[], None] = lambda: None
        self._rendered = Event()
        self._tree: Node = {"f": 1}
        self._shown = self._tree
        self._resting = b""
        self._packing = packing_of(None)
        self._layout = GuardedLayout(_page(self, shell), has_effects=connection.is_live)

    async def __aenter__(self) -> Self:
        await self._layout.__aenter__()
        self._apply(await self._layout.render())
        self._pumping = asyncio.create_task(self._pump())
        return self

    async def __aexit__(self, *exception: object) -> None:
        """A stack of exits would do the same and cost each open page 1.5 kB."""
        try:
            await self.connection.close()
        finally:
            await _stopped(self._pumping)
            await self._layout.__aexit__(*exception)

    @property
    def tree(self) -> Node:
        if self._resting:
            self._tree = self._shown = json.loads(self._packing.unpack(self._resting))
            self._resting = b""
        return self._tree

    @property
    def found(self) -> Found:
        return self._found

    @property
    def title(self) -> str:
        return self.connection.title or t(self._found.screen.title)

    def move(self, found: Found) -> None:
        """Show another screen, or the same one at another address."""
        if found.location.path != self._found.location.path:
            self.connection.title = None
        self._found = found
        self.connection.location = found.location
        self._rerender()

    def bind(self, rerender: Callable[[], None]) -> None:
        self._rerender = rerender

    async def handle(self, target: str, data: dict[str, Any], seq: int) -> bool:
        with self.connection.handling():
            return await self._layout.handle(target, data, seq)

    async def settle(self, timeout_s: float) -> None:
        """Wait until nothing renders and no query runs, but not longer than `timeout_s` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.failure is None:
                    await self.rendered()
                    if not self.connection.pending_queries:
                        return
                    await asyncio.wait(self.connection.pending_queries, return_when=asyncio.FIRST_COMPLETED)

    async def rendered(self) -> None:
        """Wait until the tree shows every change made so far."""
        while self.failure is None and not self._layout.is_idle:
            self._rendered.clear()
            await self._rendered.wait()

    @property
    def is_settled(self) -> bool:
        return self._layout.is_idle and not self.connection.pending_queries

    def take_operations(self) -> list[Operation]:
        """What changed since this was called last."""
        if self._resting:
            return []
        before, self._shown = self._shown, self._tree
        return diff(before, self._tree)

    def mark_shown(self) -> None:
        """The client has the whole tree."""
        self._shown = self.tree

    def rest(self) -> None:
        """Nobody does anything: until something changes, the tree is kept packed, in a twentieth of the memory."""
        if self._shown is self._tree and not self._resting and self.is_settled:
            self._packing = packing_of(self._found.screen.path)
            self._resting = self._packing.pack(encode(self._tree).encode())
            self._tree = self._shown = ""
            self._layout.rest()
            self.connection.rest()

    def hash(self) -> str:
        return digest(self.tree)

    async def _pump(self) -> None:
        try:
            while True:
                self._apply(await self._layout.render())
                if self._layout.is_idle:
                    self._on_change()
        except Exception as error:
            # The tree can no longer be trusted: whoever shows it must start anew.
            self.failure = error
            self._rendered.set()
            self._on_change()

    def _apply(self, update: Any) -> None:
        self._tree = replaced(self.tree, update["path"], to_node(update["model"]))
        self._rendered.set()


@component
def _page(view: View, shell: Shell) -> Any:
    view.bind(rerenderer())
    found = view.found
    screen = _screen(found.screen.render, key=found.location.path)
    return ConnectionContext(shell(found.screen.area, screen), value=view.connection)


@component
def _screen(render: Callable[[], Component]) -> Any:
    return render()


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
