"""The list of opportunities is dense: rows begin near the top of the window, and each is as high as planned."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from e2e.journeys.screens.conftest import Visiting
from e2e.pages.measures import assert_as_designed
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready


class Layout(NamedTuple):
    width: int
    height: int
    row: str
    most_above: int
    row_height: int
    least_rows: int


VISIBLE_CHARACTERS = """field => {
  const style = getComputedStyle(field)
  const context = document.createElement("canvas").getContext("2d")
  context.font = style.font
  const text = "cloud migration and cybersecurity for a department of veterans affairs"
  const width = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
  return Math.floor((width / context.measureText(text).width) * text.length)
}"""


def speak(page: Page, language: str) -> None:
    """Choose a language in this browser."""
    page.context.add_cookies([{"name": "language", "value": language, "url": page.url}])


def cut(page: Page, cells: str) -> list[str]:
    """The texts of `cells` that are wider than their columns."""
    found = page.locator(f".fw-table {cells}").all()
    return [cell.inner_text() for cell in found if cell.evaluate("cell => cell.scrollWidth > cell.clientWidth")]


def assert_filters_are_sheets(page: Page, layout: Layout) -> None:
    """On a phone, chips are on one line that scrolls, and a tap beside the sheet with the options only closes it."""
    address = page.url
    chips = [chip.bounding_box() for chip in page.locator(".fw-filter").all()]
    assert len({chip["y"] for chip in chips if chip}) == 1
    sheet = OpportunitiesPage(page).open_filter("Agency")
    box = sheet.bounding_box()
    assert box and (box["x"], box["width"], box["y"] + box["height"]) == (0, layout.width, layout.height)
    page.touchscreen.tap(layout.width / 2, 350)  # a row
    expect(sheet).to_be_hidden()
    ready(page)
    assert page.url == address


@pytest.mark.parametrize("layout", [Layout(1440, 900, "tbody tr", 190, 44, 14), Layout(390, 844, ".fw-cards-item", 320, 56, 9)])
def test_rows_start_near_the_top(visiting: Visiting, token: str, layout: Layout) -> None:
    is_phone = layout.width < 600
    size = {"width": layout.width, "height": layout.height}
    recognized = visiting(token, viewport=size, has_touch=is_phone, is_mobile=is_phone).new_page()
    recognized.goto("/dashboard/sam")
    ready(recognized)
    row = recognized.locator(layout.row).nth(1).bounding_box()
    first = recognized.locator(layout.row).first.bounding_box()
    assert first and row
    assert first["y"] <= layout.most_above
    assert abs(row["height"] - layout.row_height) <= 1  # the border between rows
    assert (layout.height - first["y"]) // row["height"] >= layout.least_rows
    if is_phone:  # what is shown and its order are in sight, and there are no columns to choose
        title, button = (
            recognized.get_by_role(role, name=name).bounding_box()
            for role, name in (("heading", "Opportunities"), ("button", "Categorize"))
        )
        assert title and button and title["y"] + title["height"] / 2 == button["y"] + button["height"] / 2
        assert_filters_are_sheets(recognized, layout)
        expect(recognized.get_by_role("combobox", name="Sort by")).to_have_value("-posted")
        expect(recognized.get_by_role("button", name="Columns and rows")).to_be_hidden()
        for language in ("en", "de", "fr"):
            speak(recognized, language)
            recognized.goto("/dashboard/train")  # with the first steps above its list
            ready(recognized)
            first = recognized.locator(layout.row).first.bounding_box()
            assert first and first["y"] <= layout.most_above
        speak(recognized, "en")
        recognized.goto("/dashboard/user/account?tab=data")  # its tabs do not fit
        ready(recognized)
        tab = recognized.get_by_role("link", name="My data").bounding_box()
        assert tab and tab["x"] + tab["width"] <= layout.width
    else:
        assert_as_designed(recognized, is_phone=False)
        assert cut(recognized, "td:not(:first-child)") == []
        assert recognized.get_by_role("searchbox").evaluate(VISIBLE_CHARACTERS) >= 28
    speak(recognized, "fr")  # French headers, dates, and amounts are the longest
    recognized.goto("/dashboard/nih?availability=any")
    ready(recognized)
    assert cut(recognized, ":is(th, td.fw-number)") == []
