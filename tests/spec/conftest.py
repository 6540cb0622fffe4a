"""The whole application over HTTP with an account of each kind, shared by all tests in this folder, because they mostly read.

One file for each section of the product specification; a test's docstring quotes the line that it covers. sentences.md lists every
sentence with its tests, here and elsewhere. Lines about demo data describe no product behavior.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from fundwright import hooks
from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core, open_core
from fundwright.core.plugins import Plugins
from fundwright_ui import extension
from fundwright_ui.app import build_app
from tests.support.accounts import add_account
from tests.support.cores import settings_of
from tests.support.databases import Databases
from tests.ui.conftest import text_of, walk
from tests.ui.runtime.test_application import browse

PROJECT = Path(__file__).parent.parent.parent
PASSWORD = "a gentle rain of otters"
Node = Any


@dataclass(frozen=True)
class Visitor:
    """A person's browser, and the token that `/signin` returned."""

    client: httpx.AsyncClient
    token: str = ""

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def leads_to(self, path: str) -> str:
        answer = await self.get(path)
        assert answer.status_code == 302, f"{path} answers {answer.status_code}"
        return answer.headers["location"]

    async def open(self, path: str) -> Screen:
        answer = await self.get(path)
        assert answer.headers["content-type"].startswith("text/html"), answer.text
        return Screen(answer.text)


class Screen:
    """A page as the browser receives it."""

    def __init__(self, html: str) -> None:
        self.html = html
        found = re.search(r'<script type="application/json" id="page">(.*?)</script>', html, re.DOTALL)
        assert found
        self.page: dict[str, Any] = json.loads(found[1])

    @property
    def title(self) -> str:
        return self.page["title"]

    @property
    def text(self) -> str:
        return text_of(self.page["tree"])

    def all(self, kind: str, **attributes: object) -> list[Node]:
        """Elements with this tag, or widgets with this name, with these attributes."""
        return [
            node
            for node in walk(self.page["tree"])
            if kind in (node.get("t"), node.get("w"))
            and all(node.get("a", {}).get(name.replace("_", "-")) == value for name, value in attributes.items())
        ]

    def one(self, kind: str, **attributes: object) -> Node:
        (found,) = self.all(kind, **attributes)
        return found

    def links(self, inside: str | None = None) -> dict[str, str]:
        """Link targets by text; only those within the element with this tag."""
        nodes = [self.page["tree"]] if inside is None else self.all(inside)
        found = [link for node in nodes for link in walk(node) if link.get("t") == "a"]
        return {text_of(link) or link["a"].get("aria-label", ""): link["a"]["href"] for link in found}


@pytest.fixture(scope="session")
async def spec_core(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Core]:
    settings = settings_of(databases.address(databases.take()), tmp_path_factory.mktemp("spec"))
    async with open_core(settings, Plugins([hooks, extension])) as core:
        async with core.database.transaction() as session:
            for role in Role:
                email = f"{role}@example.org"
                await add_account(session, email, name=f"Ada {role.title()}", role=role, password=PASSWORD)
        yield core


@pytest.fixture(scope="session")
async def visitors(spec_core: Core) -> AsyncIterator[dict[str, Visitor]]:
    """Visitors by role; "" is not signed in."""
    app = build_app(spec_core)
    async with AsyncExitStack() as stack:
        found = {"": Visitor(await stack.enter_async_context(browse(app)))}
        for role in Role:
            client = await stack.enter_async_context(browse(app))
            answer = await client.post("/signin", json={"email": f"{role}@example.org", "password": PASSWORD})
            found[role] = Visitor(client, answer.json()["token"])
        yield found


@pytest.fixture
def stranger(visitors: dict[str, Visitor]) -> Visitor:
    return visitors[""]


@pytest.fixture
def user(visitors: dict[str, Visitor]) -> Visitor:
    return visitors[Role.USER]


@pytest.fixture
def admin(visitors: dict[str, Visitor]) -> Visitor:
    return visitors[Role.ADMIN]
