"""Slow and failing queries do not discard typed text, on every screen with a text field.

The test covers all registered screens, including new ones. Queries are slow or fail for as long as the test wants, which represents
any duration.
"""

from __future__ import annotations

import ast
import asyncio
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from fundwright.accounts import commands
from fundwright.accounts.schemas import GRANTED, Actor, Role
from fundwright.authentication import recovery
from fundwright.authentication.models import SecondFactor
from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui import plugin
from fundwright_ui.runtime.diff import Node
from fundwright_ui.shell.frame import frame
from tests.access.table import SCREENS, Need
from tests.access.test_events import ada, addresses
from tests.architecture.tree import nodes, python
from tests.support.slow_queries import Pages, Wire, text_fields, text_of, walk

__all__ = ["ada"]

OUT_OF_DATE = "This page may be out of date"
LAST = "test:last"
OPENED = (
    "?open=new",
    "?open=invite",
    "?open=pro",
    "?import=open",
    "?filters=agency",
    "?filters=naics",
    "?filters=due",
    "?filters=more",
    "?tab=security",
    "?tab=tokens",
    "?tab=data",
    "?tab=plan&open=redeem",
)
"""URL parameters that open a form."""

OF_ONE = {
    "/dashboard/category": (
        "SELECT category.id FROM category JOIN account ON account.id = owner_id WHERE role = 'user'",
        ("?open=edit:{}", "?open=examples:{}"),
    ),
    "/dashboard/pipeline": ("SELECT id FROM pursuit", ("?open={}",)),
    "/dashboard/feedback": ("SELECT id FROM feedback", ("?open={}",)),
    "/dashboard/payment/history": ("SELECT id FROM account WHERE role = 'user'", ("?open=new&workspace={}",)),
    "/dashboard/sam": ("SELECT NULL", ("?open=share",)),
}
"""The same for forms of one screen, of which most are about items in a list."""

FIELDS = {"text_field": 0, "text_area": 0, "text_input": 1, "password_input": 1, "new_password_input": 1}
"""The functions that create fields, and the position of the argument with the name; the label follows it."""

NOT_IN_ADDRESSES = {
    ("name", "Passkey name"): "passkeys need a host name, which tests have not",
    ("code", "Code"): "the key of two-step verification, which is another one after a restart",
    ("company", "Company or organization name"): "part of the form to draft, which begins with a chosen opportunity",
    ("sources-search", "Search your documents"): "likewise",
    ("heading", "Heading"): "a form that a button on a draft opens",
    ("most_uses", "People who can use the link"): "part of the invitation to a workspace that is not personal",
    ("find", "Search in this document"): "part of a document that has been read, and nothing is trained in tests",
    ("title", "New title"): "a form that a button on a document opens",
    ("instructions", "What to write"): "likewise",
    ("instructions", "Instructions"): "likewise",
    ("name", "New name"): "a form that a button on a collection opens",
    ("instructions", "Instructions for the writer"): "part of a template that a workspace has made",
    ("opening", "Opening"): "likewise",
    ("words", "Words"): "likewise",
    ("score", "Score from 0 to 100"): "a form that a button on an opportunity opens",
    ("text", "Note"): "likewise",
    ("details", "Details"): "part of a task that members have added",
    ("name", "Your name"): "a plain page without a connection: the tab keeps what is typed",
    ("text", "Your comment"): "likewise",
    ("unsent", "Your comment, which was not sent"): "likewise",
}
"""Fields of forms that no address opens, with the reason."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Form:
    """A screen with fields, as shown in the first paint."""

    address: str
    pages: Pages
    tree: Node
    hash: str

    def expect_whole(self, wire: Wire) -> None:
        """All text fields into which something may have been typed are still there."""
        assert not wire.is_loading, self.address
        missing = set(text_fields(self.tree)) - set(wire.fields)
        assert not missing, f"{self.address} has lost {missing}"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fundwright_ui.runtime.session.KEEP_ALIVE_S", 0.02)
    monkeypatch.setattr("fundwright_ui.runtime.connection._FIRST_RETRY_S", 0.02)
    monkeypatch.setattr("fundwright_ui.runtime.session._SETTLE_TIMEOUT_S", 0.0)  # a page that shows nothing yet waits this long


@pytest.fixture
async def forms(committed: Core, ada: Actor) -> list[Form]:
    async with committed.database.transaction() as session:
        root = await commands.actor_for_command(session, email="root@example.org")
        reset = await recovery.reset_link(session, email=ada.email)
        session.add(SecondFactor(owner_id=ada.id, confirmed_at=now()))  # the page of the link then asks for a code
    core = replace(committed, settings=committed.settings.model_copy(update={"open_registration": True}))
    found: dict[tuple[str, frozenset[tuple[str, str]]], Form] = {}
    for pattern, need in SCREENS.items():
        for actor in readers(pattern, need, ada, root):
            pages = Pages(core, plugin.screens(), frame, actor)
            for address in [reset] if pattern == "/auth/confirm-reset/{link}" else await addresses(committed, pattern):
                for variant in await variants(committed, pages, address):
                    tree, hash = await pages.painted(variant)
                    if fields := text_fields(tree):
                        found.setdefault((urlsplit(variant).path, frozenset(fields)), Form(variant, pages, tree, hash))
    assert len({urlsplit(form.address).path for form in found.values()}) >= 15, list(found)
    return list(found.values())


def readers(pattern: str, need: Need, ada: Actor, root: Actor) -> tuple[Actor | None, ...]:
    """The person who sees the screen: a visitor or a signed-in person, depending on the form."""
    if need is not None:
        return (ada,) if need in GRANTED[Role.USER] else (root,)
    return (None,) if pattern.startswith("/auth/") else (None, ada)


async def variants(core: Core, pages: Pages, address: str) -> list[str]:
    """The address, and addresses of the same screen that it links to or that open a form."""
    tree, _ = await pages.painted(address)
    linked = [str(node["a"]["href"]) for node in walk(tree) if node.get("t") == "a" and "href" in node.get("a", {})]
    statement, queries = OF_ONE.get(address, ("SELECT NULL", ()))
    async with core.database.transaction() as session:
        id = await session.scalar(text(statement))
    return [
        address,
        *(each for each in linked if each.startswith(f"{address}?")),
        *(address + query for query in OPENED),
        *(address + query.format(id) for query in queries),
    ]


def declared_fields() -> set[tuple[str, str]]:
    """The name and label of each text field in the source of the screens."""
    return {
        (str(name.value), str(label.args[0].value))
        for _path, tree in python("components/fundwright_ui/screens", "components/fundwright_ui/login")
        for node in nodes(tree)
        if isinstance(node, ast.Call) and (first := FIELDS.get(ast.unparse(node.func))) is not None
        for name, label in [node.args[first : first + 2]]
        if isinstance(name, ast.Constant) and isinstance(label, ast.Call) and isinstance(label.args[0], ast.Constant)
    }


def shown_fields(tree: Node) -> set[tuple[str, str]]:
    names = {str(about.get("id")): str(about.get("name")) for node in walk(tree) if (about := node.get("a", {})).get("name")}
    return {
        (names[about["htmlFor"]], text_of(node).strip())
        for node in walk(tree)
        if node.get("t") == "label" and (about := node.get("a", {})).get("htmlFor") in names
    }


async def test_every_field_of_a_screen_is_among_them(forms: list[Form]) -> None:
    shown = set[tuple[str, str]]().union(*(shown_fields(form.tree) for form in forms))
    assert declared_fields() - shown == NOT_IN_ADDRESSES.keys()


async def test_a_page_keeps_its_fields_while_the_queries_of_a_fresh_session_are_slow_or_fail(forms: list[Form]) -> None:
    for form in forms:
        gate = form.pages.gate
        for hash in (form.hash, None):  # reloaded, or patched and then connected to a restarted server
            gate.close_gate()
            async with form.pages.open(form.address, shows=form.tree, hash=hash, complete=True) as wire:
                await wire.until(lambda: wire.of("pong") or wire.of("mount"))
                form.expect_whole(wire)
                gate.is_broken = True
                gate.open_gate()
                await wire.until(lambda: wire.of("refused") or wire.of("mount"))
                form.expect_whole(wire)
                gate.is_broken = False
                await wire.until_frame("mount")
                form.expect_whole(wire)


async def test_a_reload_that_fails_leaves_the_fields_and_reports_it(committed: Core, forms: list[Form]) -> None:
    reloaded = 0
    for form in forms:
        async with form.pages.open(form.address, shows=form.tree, complete=True) as wire:
            await wire.until_frame("mount")
            form.pages.gate.is_broken = True
            if await reload_all(committed, form.pages):
                reloaded += 1
                await wire.until(lambda: OUT_OF_DATE in wire.text)
            form.expect_whole(wire)
            form.pages.gate.is_broken = False
            await wire.until(lambda: OUT_OF_DATE not in wire.text)
            form.expect_whole(wire)
    assert reloaded >= 10


async def reload_all(core: Core, pages: Pages) -> bool:
    """Publish every topic with a subscriber. Returns whether a query ran again."""
    asked_before, heard = pages.gate.refused, asyncio.Event()
    topics = list(core.live._listeners)
    with core.live.subscribed(LAST, lambda _payload: heard.set()):
        async with core.database.transaction() as session:
            for topic in (*topics, LAST):
                await live.publish(session, topic)
        await heard.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    return pages.gate.refused > asked_before
