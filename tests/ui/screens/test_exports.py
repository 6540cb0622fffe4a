"""No screen offers to export an empty list: the file would contain only column names."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.table import SCREENS
from tests.access.test_events import ada, addresses
from tests.support.accounts import add_account

__all__ = ["ada"]

PASSWORD = "a quiet harbor at dawn"
TABS = ("", "?tab=security", "?tab=tokens", "?tab=invitations", "?import=open", "?days=30")
NO_MATCH = (
    "?q=qqqqqq&text=qqqqqq",
    "?text=qqqqqq&tab=invitations",
    "?state=failed",
    "?state=void",
    "?state=revoked",
    "?kind=import",
)
"""URLs with filters that match none of `ada`'s records."""


@asynccontextmanager
async def signed_in(core: Core) -> AsyncIterator[httpx.AsyncClient]:
    """The browser of an administrator who has just registered."""
    async with core.database.transaction() as session:
        await add_account(session, "new-admin@example.org", name="New", role=Role.ADMIN, password=PASSWORD)
    transport = httpx.ASGITransport(build_app(core))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/signin", json={"email": "new-admin@example.org", "password": PASSWORD})
        client.headers["authorization"] = f"Bearer {answer.json()['token']}"
        yield client


async def offered(core: Core, client: httpx.AsyncClient, queries: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """The exports that the screens offer, with the rows of the files."""
    hrefs: set[str] = set()
    for pattern in SCREENS:
        for address in await addresses(core, pattern):
            for query in queries:
                page = await client.get(address + query)
                hrefs.update(html.unescape(href) for href in re.findall(r'href="([^"]+/export\.csv[^"]*)"', page.text))
    files = {href: await client.get(href) for href in sorted(hrefs)}
    return {href: list(csv.reader(file.raise_for_status().text.splitlines())) for href, file in files.items()}


def without_rows(exports: dict[str, list[list[str]]]) -> list[str]:
    return [href for href, rows in exports.items() if len(rows) < 2]


@pytest.mark.slow
async def test_filters_that_match_nothing_leave_no_export_without_rows(committed: Core, ada: Actor) -> None:
    async with signed_in(committed) as client:
        everything = await offered(committed, client, TABS)
        nothing = await offered(committed, client, NO_MATCH)
    assert len(everything) > 12
    assert without_rows(everything | nothing) == []
