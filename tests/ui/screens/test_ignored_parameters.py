"""Screens say which parts of their address they ignore: `?psc=R425` and `sort=fit` listed everything."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

import fundwright_ui
from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright_ui.hooks.url import OPENED
from tests.access.table import QUERIES, SCREENS
from tests.support.accounts import account_and_samples, add_account
from tests.ui.conftest import Open, Page

LISTS = (
    "/dashboard/nih", "/dashboard/sam", "/dashboard/train", "/dashboard/train/collections", "/dashboard/notifications", "/dashboard/trash",
    "/dashboard/history", "/generate/index", "/generate/templates", "/dashboard/saved-searches",
    "/dashboard/pipeline?view=table", "/dashboard/tasks", "/dashboard/notes", "/dashboard/share-links", "/dashboard/audit",
    "/dashboard/analyze", "/dashboard/blog/list", "/dashboard/feedback", "/dashboard/freepremium", "/dashboard/payment/history",
    "/dashboard/subscription", "/dashboard/users", "/dashboard/outbox", "/dashboard/user/account?tab=security",
)  # fmt: skip
GUARDED = [path for path, need in SCREENS.items() if need is not None and "{" not in path]
IGNORED = "This page does not understand a part of its address."


def alerts(page: Page) -> str:
    return "".join(str(node) for node in page.all("div", className="fw-alert fw-alert-info"))


class TestOpened:
    def test_lists_what_screens_read_of_their_address_except_filters(self) -> None:
        sources = [path.read_text(encoding="utf-8") for path in Path(fundwright_ui.__file__).parent.rglob("*.py")]
        read = {name for source in sources for name in re.findall(r"\burl\.get\(\"(\w+)\"", source)}
        assert read - OPENED == {"comments_state", "is_restricted", "kind", "q", "state", "text"}
        written = {name for source in sources for name in re.findall(r"\"(\w+)\"", source.replace("OPENED = ", ""))}
        assert written >= OPENED


@pytest.fixture
async def root(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, role=Role.ADMIN)


class TestIgnoredParameters:
    @pytest.mark.parametrize("path", GUARDED)
    async def test_every_screen_names_an_unknown_one(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(f"{path}?psc=R425", actor=root) as page:
            assert "There is no parameter “psc” here." in alerts(page)
            await page.follow(path)
            assert IGNORED not in page.text

    @pytest.mark.parametrize("path", LISTS)
    async def test_every_list_says_how_it_can_be_sorted(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(f"{path}{'&' if '?' in path else '?'}sort=nonsense", actor=root) as page:
            assert "This list cannot be sorted" in alerts(page)

    @pytest.mark.parametrize("path", [path for path in QUERIES if SCREENS[urlsplit(path).path] is not None])
    async def test_a_known_one_is_not_reported(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(path.replace("{id}", str(uuid4())), actor=root) as page:
            assert IGNORED not in page.text

    async def test_a_value_that_a_filter_cannot_have_is_named_with_those_it_can(self, committed: Core, open_page: Open) -> None:
        async with committed.database.transaction() as session:
            ada = await add_account(session)
        async with open_page("/dashboard/tasks?state=lost&page=0", actor=ada) as page:
            assert "“lost” is not a value of “state”. The values are: open, done, all." in alerts(page)
            assert "“0” is not a value of “page”." in alerts(page)
            assert page.all("h1")

    async def test_a_source_a_set_aside_or_a_type_that_there_is_not_is_named(self, committed: Core, open_page: Open) -> None:
        ada = await account_and_samples(committed)
        async with open_page("/dashboard/sam?type=Riddle&set_aside=SBA&source=sam|samm", actor=ada) as page:
            assert "“Riddle” is not a value of “type”. The values are: " in alerts(page)
            assert "“samm” is not a value of “source”." in alerts(page)
            assert "set_aside" not in alerts(page)
