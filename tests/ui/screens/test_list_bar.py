"""The search and filters of a list, the number of its items, and the link to its file are on one line."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright_ui.runtime.router import Screen
from fundwright_ui.screens.admin.audit import audit_screen
from fundwright_ui.screens.admin.people import people_screen
from fundwright_ui.screens.billing.subscriptions import subscriptions_screen
from fundwright_ui.testing import Element, mounted
from tests.support.accounts import add_account


def bar_of(element: Element) -> object:
    """The line above the list that contains the element."""
    return next(each for each in element.ancestors if each.get("a", {}).get("className") == "fw-list-bar")


@pytest.mark.parametrize(
    ("screen", "count"), [(people_screen, "1 account"), (audit_screen, "1 entry"), (subscriptions_screen, "1 workspace")]
)
async def test_the_count_and_the_export_are_beside_the_search(committed: Core, screen: Screen, count: str) -> None:
    async with committed.database.transaction() as session:
        root = await add_account(session, role=Role.ADMIN)
    async with mounted(committed, root, screen) as shown:
        bar = bar_of(shown.find("searchbox", "Search"))
        assert bar_of(shown.find("link", "Export as CSV")) is bar
        assert bar_of(shown.find("status", count)) is bar


async def test_addresses_of_40_characters_are_on_one_line_at_1440_pixels(committed: Core) -> None:
    async with committed.database.transaction() as session:
        root = await add_account(session, role=Role.ADMIN)
    async with mounted(committed, root, people_screen) as shown:
        widths = shown.props("DataTable")["widths"]
        assert widths[0] / sum(widths) * 1110 >= 40 * 8


@pytest.mark.parametrize(
    ("screen", "label", "space"), [(audit_screen, "Audit trail", 1112), (subscriptions_screen, "Plans", 703)]
)
async def test_all_columns_fit_at_1440_pixels(committed: Core, screen: Screen, label: str, space: int) -> None:
    """The plans fit beside their form."""
    async with committed.database.transaction() as session:
        root = await add_account(session, role=Role.ADMIN)
    async with mounted(committed, root, screen) as shown:
        assert sum(shown.find("DataTable", label).props["widths"]) <= space


async def test_on_a_narrow_screen_filters_are_shown_on_request_and_while_one_is_active(committed: Core) -> None:
    async with committed.database.transaction() as session:
        root = await add_account(session, role=Role.ADMIN)
    async with mounted(committed, root, people_screen) as shown:
        assert shown.find("button", "Filters").node["a"]["aria-expanded"] is False
        await shown.click("button", "Filters")
        assert shown.find("button", "Filters").node["a"]["aria-expanded"] is True
        await shown.choose("Sort by", "-email")
        assert shown.address == "/dashboard/users?filters=open&sort=-email"
    async with mounted(committed, root, people_screen, path="/dashboard/users?role=admin") as shown:
        assert shown.find("button", "Filters").node["a"]["aria-expanded"] is True
        await shown.click("button", "Filters")
        assert shown.find("button", "Filters").node["a"]["aria-expanded"] is False
