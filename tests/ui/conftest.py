"""Opens screens as the socket does, without a browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from fundwright.accounts.schemas import Actor, Client
from fundwright.core.assembly import Core
from fundwright_ui import plugin
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.router import Found, Router, Screen
from fundwright_ui.runtime.view import View
from fundwright_ui.shell.frame import frame
from tests.support.accounts import add_account

PASSWORD = "a gentle rain of otters"
Node = Any
Open = Callable[..., AbstractAsyncContextManager["Page"]]


class Page:
    """An open page: its content, the frames that it received, and ways to interact with it."""

    def __init__(self, view: View, sent: list[dict[str, Any]]) -> None:
        self._view = view
        self.sent = sent
        self._seq = 0

    @property
    def title(self) -> str:
        return self._view.title

    @property
    def tree(self) -> Node:
        return self._view.tree

    @property
    def html(self) -> str:
        return to_html(self.tree)

    @property
    def text(self) -> str:
        return text_of(self._view.tree)

    def all(self, tag: str, **attributes: str) -> list[Node]:
        """Elements with this tag (or widgets with this name) and these attributes; `_` in names stands for `-`."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            node
            for node in walk(self._view.tree)
            if tag in (node.get("t"), node.get("w"))
            and all(node.get("a", {}).get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str, **attributes: str) -> Node:
        (found,) = self.all(tag, **attributes)
        return found

    def labeled(self, tag: str, label: str) -> Node:
        (found,) = [node for node in self.all(tag) if node.get("a", {}).get("aria-label") == label or text_of(node) == label]
        return found

    async def follow(self, address: str) -> None:
        """Follow a link to one of our own screens and wait for it."""
        found = Router(plugin.screens(), ProductHost.addresses, redirects={}).route(address, self._view.connection.actor)
        assert isinstance(found, Found), found
        self._view.move(found)
        await self._view.settle(5)

    async def fire(self, node: Node, event: str, **data: Any) -> None:
        self._seq += 1
        assert await self._view.handle(node["e"][event]["h"], data, self._seq)
        await self._view.settle(5)

    async def type(self, name: str, value: str) -> None:
        await self.fire(self.one("input", name=name), "onChange", value=value, checked=False)

    async def leave(self, name: str, value: str = "") -> None:
        await self.fire(self.one("input", name=name), "onBlur", value=value, name=name)

    async def submit(self, **fields: str) -> None:
        await self.fire(self.one("form"), "onSubmit", fields=fields, submitter=None)

    def changes(self) -> str:
        """The changes for the browser since the last call."""
        return json.dumps(self._view.take_operations())

    def frames(self, kind: str) -> list[dict[str, Any]]:
        return [sent for sent in self.sent if sent["type"] == kind]


def walk(node: Node) -> Iterator[Node]:
    if isinstance(node, str):
        return
    yield node
    for child in node.get("c", []):
        yield from walk(child)


def text_of(node: Node) -> str:
    return node if isinstance(node, str) else "".join(map(text_of, node.get("c", [])))


@pytest.fixture
def open_page(committed: Core) -> Open:
    """`async with open_page("/auth/login", actor=None, core=committed) as page`"""

    @asynccontextmanager
    async def opened(
        address: str, *, actor: Actor | None = None, core: Core = committed, extra: tuple[Screen, ...] = ()
    ) -> AsyncIterator[Page]:
        screens = (
            *extra,
            *plugin.screens(),
        )
        found = Router(screens, ProductHost.addresses, redirects={}).route(address, actor)
        assert isinstance(found, Found), found
        sent: list[dict[str, Any]] = []
        client = Client(address="192.0.2.7", user_agent="Firefox")
        connection = Connection(core, actor, location=found.location, is_live=True, client=client, send=sent.append)
        async with View(connection, found, frame) as view:
            await view.settle(5)
            yield Page(view, sent)

    return opened


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org", name="Ada Lovelace", password=PASSWORD)
