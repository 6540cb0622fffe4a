"""The table is rendered from its props and sent once."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from reactpy import component, html, use_state

from fundwright.core.assembly import Core
from fundwright.core.messages import using_language
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.vdom import to_node
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button
from fundwright_ui.widgets import ActionCell, Chip, Column, DetailCell, LinkCell, NoteCell, Row, Sort, WatchCell, data_table

COLUMNS = (
    Column(field="title", label="Title", kind="link", is_sortable=True, flex=3, min_width=200, href_base="/grants/"),
    Column(field="amount", label="Amount", kind="number"),
    Column(field="marks", label="Marks", kind="chips"),
    Column(field="at", label="Changed", kind="datetime"),
)
ROWS = (
    Row(
        id="1",
        cells={
            "title": "Roofs & walls",
            "amount": 1200,
            "marks": (Chip(label="Open"),),
            "at": datetime(2026, 5, 1, 12, 30, tzinfo=UTC),
        },
    ),
    Row(
        id="2",
        cells={
            "title": DetailCell(label="Walls", detail="walls.pdf"),
            "amount": NoteCell(label="9 days", note="May 10, 2026", color="error"),
            "marks": ActionCell(label="Edit", name="Edit walls"),
            "at": WatchCell(is_watched=False),
        },
    ),
)
# web/src/widgets/DataTable/DataTable.test.tsx hydrates the same.
PAINTED = (
    '<div data-widget="DataTable"><div class="fw-grid-frame"><div class="fw-table-scroll" tabindex="0">'
    '<table class="fw-table fw-table-fixed fw-table-dense" aria-label="Grants" aria-busy="false">'
    '<colgroup><col><col width="72" class="fw-number"><col width="72"><col width="240"></colgroup>'
    '<thead><tr><th scope="col" aria-sort="descending"><button type="button" class="fw-table-sort">Title'
    '<span aria-hidden="true"> ↓</span></button></th><th scope="col" class="fw-number">Amount</th>'
    '<th scope="col">Marks</th><th scope="col">Changed</th></tr></thead><tbody>'
    '<tr data-row="1"><td><a href="/grants/1">Roofs &amp; walls</a></td><td class="fw-number">1,200</td>'
    '<td><span class="fw-chips"><span class="fw-chip fw-chip-primary">Open</span></span></td>'
    '<td><time datetime="2026-05-01T12:30:00+00:00" data-moment="datetime">May 1, 2026, 12:30\u202fPM UTC</time></td></tr>'
    '<tr data-row="2" tabindex="0"><td>Walls<span class="fw-cell-detail">walls.pdf</span></td>'
    '<td class="fw-number"><span class="fw-note-error" title="May 10, 2026">9 days</span></td>'
    '<td><button type="button" class="fw-button fw-button-outlined fw-button-small" aria-label="Edit walls" data-action="2">Edit</button></td>'
    '<td><button type="button" class="fw-icon-button fw-icon-button-small" aria-label="Changed: Walls" title="Changed" aria-pressed="false" data-action="2">'
    '<svg class="fw-icon" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">'
    '<path d="M12 6a9.77 9.77 0 0 1 8.82 5.5 9.77 9.77 0 0 1-17.64 0A9.77 9.77 0 0 1 12 6m0-2C7 4 2.73 7.11 1 11.5 2.73 15.89 7 19 12 19s9.27-3.11 11-7.5C21.27 7.11 17 4 12 4m0 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5m0-2a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9"></path></svg></button></td></tr></tbody></table></div>'
    '<div class="fw-pagination" role="group" aria-label="Pages"><label class="fw-pagination-sizes"><span>Rows per page</span>'
    '<select class="fw-input fw-input-small"><option value="10">10</option><option value="25" selected="">25</option>'
    '<option value="50">50</option><option value="100">100</option></select></label>'
    '<button type="button" class="fw-pagination-item" disabled="" aria-label="Previous page">‹</button>'
    '<span>Page 1 of 3</span>'
    '<button type="button" class="fw-pagination-item" aria-label="Next page">›</button></div></div></div>'
)  # fmt: skip


@component
def grants() -> Any:
    return data_table(
        label="Grants",
        columns=COLUMNS,
        rows=ROWS,
        total=52,
        is_dense=True,
        sort=Sort(field="title", direction="desc"),
        on_query=lambda: None,
        on_open=lambda: None,
    )


async def test_it_is_painted_as_the_browser_draws_it(core: Core) -> None:
    async with mounted(core, None, grants, is_live=False) as screen:
        assert to_html(screen.view.tree).endswith(PAINTED)
        assert screen.find("link", "Roofs & walls").props["href"] == "/grants/1"


def dense_table(cells: dict[str, Any], *, min_width: int = 200) -> dict[str, Any]:
    columns = [
        Column(field="title", label="Title", kind="link", min_width=min_width),
        Column(field="agency", label="Agency", is_sortable=True),
        Column(field="type", label="Type"),
        Column(field="value", label="Value", kind="money"),
    ]
    table: Any = data_table(label="Notices", columns=columns, rows=[Row(id="1", cells=cells)], is_dense=True)
    return table["attributes"]


def widths_of(cells: dict[str, Any], *, min_width: int = 200) -> dict[str, int | None]:
    table = dense_table(cells, min_width=min_width)
    return {column["field"]: width for column, width in zip(table["columns"], table["widths"], strict=True)}


def test_columns_of_a_dense_table_are_as_wide_as_their_texts_and_the_first_gets_the_rest() -> None:
    widths = widths_of({"title": "Roof" * 99, "agency": "NIH", "type": "Combined Synopsis/Solicitation", "value": 75_000_000})
    # In pixels, measured in Chromium with 14 px Public Sans: 20 of padding and 202 and 98 of text.
    assert widths["title"] is None
    assert widths["type"] and 222 <= widths["type"] < 240
    assert widths["value"] and 118 <= widths["value"] < 125
    assert widths["agency"] and widths["agency"] < 90


def test_the_longest_texts_are_cut_if_too_little_remains_for_the_first_column_but_no_numbers() -> None:
    texts = {"agency": "Agency " * 99, "type": "Combined Synopsis/Solicitation", "value": 75_000_000}
    whole, cut, least = widths_of(texts), widths_of(texts, min_width=800), widths_of(texts, min_width=2_000)
    assert (whole["type"], whole["value"]) == (widths_of({"type": texts["type"]})["type"], cut["value"])
    assert cut["agency"] == cut["type"] and sum(filter(None, cut.values())) <= 300 + 2 * 7  # rounded up
    assert least["value"] == cut["value"] and least["agency"] == widths_of({})["agency"]  # that of its header


def test_columns_that_only_wide_windows_show_take_no_width_from_the_others() -> None:
    texts = {"title": "Roof", "agency": "Agency " * 30, "type": "Combined Synopsis/Solicitation"}

    def table_with(is_wide: bool) -> Any:
        columns = [
            Column(field="title", label="Title", min_width=300),
            Column(field="agency", label="Agency"),
            Column(field="type", label="Type", is_wide=is_wide),
        ]
        return data_table(label="Notices", columns=columns, rows=[Row(id="1", cells=texts)], is_dense=True)

    narrow, wide = table_with(False), table_with(True)
    assert narrow["attributes"]["widths"][1] < wide["attributes"]["widths"][1]
    assert to_html(to_node(wide)).count('class="fw-wide"') == 3  # the column, its header, and its cell


def test_rows_of_other_widths_do_not_change_what_is_sent_about_the_columns() -> None:
    narrow, wide = dense_table({"type": "Grant"}), dense_table({"type": "Combined Synopsis/Solicitation"})
    assert narrow["columns"] == wide["columns"] and narrow["widths"] != wide["widths"]


def test_a_page_with_other_columns_does_not_change_what_is_sent_about_them() -> None:
    def table(has_value: bool) -> Any:
        columns = [
            Column(field="title", label="Title"),
            Column(field="value", label="Value", kind="money", is_shown=has_value),
            Column(field="posted", label="Posted", is_compact=not has_value, is_wide=has_value),
        ]
        cells = {"title": "Roof", "value": 75, "posted": "May 1"}
        return data_table(label="Notices", columns=columns, rows=[Row(id="1", cells=cells)], is_dense=True)["attributes"]

    without, with_value = table(False), table(True)
    assert without["columns"] == with_value["columns"]
    assert (without["shown"], without["compact"], without["wide"]) == ([0, 2], [0, 1, 2], [])
    assert (with_value["shown"], with_value["compact"], with_value["wide"]) == ([0, 1, 2], [0, 1], [2])
    assert (without["rows"], with_value["rows"]) == ([["Roof", "May 1"]], [["Roof", "$75", "May 1"]])
    assert (len(without["widths"]), len(with_value["widths"])) == (2, 3)


async def test_shortens_ids_that_are_sent_but_not_those_in_links(core: Core) -> None:
    id = "9f6a68b7-1008-493e-8a14-0ad1447e8fff"

    @component
    def grants() -> Any:
        return data_table(label="Grants", columns=COLUMNS, rows=[Row(id=id, cells={"title": "Roofs"})])

    async with mounted(core, None, grants, is_live=False) as screen:
        assert f'href="/grants/{id}"' in to_html(screen.view.tree)
        assert '["~n2potxAIST6KFArRRH6P_w"]' in json.dumps(screen.view.tree)


async def test_an_empty_one_shows_a_message(core: Core) -> None:
    @component
    def nothing() -> Any:
        return data_table(label="Grants", columns=COLUMNS, rows=[], empty_text="No grants yet.")

    async with mounted(core, None, nothing) as screen:
        assert screen.text.endswith("No grants yet.")


@pytest.mark.parametrize(
    ("kind", "cell", "english", "german"),
    [
        ("text", 7, "7", "7"),
        ("number", 1234.5, "1,234.5", "1.234,5"),
        ("percent", 0.256, "26%", "26\xa0%"),
        ("money", Decimal(125_000), "$125,000", "125.000\xa0$"),
        ("date", date(2026, 12, 24), "Dec 24, 2026", "24.12.2026"),
        ("date", datetime(2026, 12, 24, 23, 30, tzinfo=UTC), "Dec 24, 2026", "24.12.2026"),
        ("number", "many", "many", "many"),
        ("money", None, "", ""),
        ("link", LinkCell(label="A", href="/a"), {"label": "A", "href": "/a"}, {"label": "A", "href": "/a"}),
    ],
)
def test_cells_are_written_in_the_language_of_the_page(kind: Any, cell: Any, english: object, german: object) -> None:
    def written() -> object:
        table: Any = data_table(
            label="T", columns=[Column(field="a", label="A", kind=kind)], rows=[Row(id="1", cells={"a": cell})]
        )
        return table["attributes"]["rows"][0][0]

    assert written() == english
    with using_language("de"):
        assert written() == german


async def test_a_change_travels_once(core: Core) -> None:
    @component
    def ticking() -> Any:
        tick, set_tick = use_state(0)
        rows = [
            Row(id=str(row), cells={str(column): f"{row}.{column}.{tick}" for column in range(8)}) for row in range(100)
        ]  # fmt: skip
        columns = [Column(field=str(column), label=str(column)) for column in range(8)]
        return html.div(
            button("Turn", on_click=lambda: set_tick(tick + 1)), data_table(label="Numbers", columns=columns, rows=rows)
        )

    async with mounted(core, None, ticking) as screen:
        screen.view.mark_shown()
        await screen.click("button", "Turn")
        operations = screen.view.take_operations()
    assert len(operations) == 1
    assert len(json.dumps(operations, separators=(",", ":"))) < 7_500
