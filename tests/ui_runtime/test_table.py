"""The table that is shown whole: painted from its props, sent once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError
from reactpy import component, html, use_state

from fundwright.core.assembly import Core
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.testing import mounted
from fundwright_ui.ui import button
from fundwright_ui.widgets import LinkCell, Table, TableColumn

COLUMNS = (TableColumn(label="Title"), TableColumn(label="Amount", is_number=True))


@component
def grants() -> Any:
    return Table(
        label="Grants",
        columns=COLUMNS,
        rows=[(LinkCell(label="Roofs", href="/grants/1"), "1 200"), ("Walls & doors", "")],
        empty_text="No grants yet.",
    )


async def test_it_is_painted_as_the_browser_draws_it(core: Core) -> None:
    # As web/src/widgets/Table/Table.test.tsx hydrates it.
    async with mounted(core, None, grants, is_live=False) as screen:
        assert to_html(screen.view.tree).endswith(
            '<div data-widget="Table"><div class="fw-table-scroll" tabindex="0"><table class="fw-table" aria-label="Grants"><thead><tr>'
            '<th scope="col">Title</th><th scope="col" class="fw-number">Amount</th></tr></thead><tbody>'
            '<tr><td><a href="/grants/1">Roofs</a></td><td class="fw-number">1 200</td></tr>'
            '<tr><td>Walls &amp; doors</td><td class="fw-number"></td></tr></tbody></table></div></div>'
        )
        assert screen.find("link", "Roofs").props["href"] == "/grants/1"


async def test_an_empty_one_says_so(core: Core) -> None:
    @component
    def nothing() -> Any:
        return Table(label="Grants", columns=COLUMNS, rows=[], empty_text="No grants yet.")

    async with mounted(core, None, nothing) as screen:
        assert screen.text == "No grants yet."


def test_a_row_has_a_cell_for_each_column() -> None:
    with pytest.raises(ValidationError, match="row 2 has 1 cells for 2 columns"):
        Table(label="Grants", columns=COLUMNS, rows=[("a", "1"), ("b",)])


async def test_a_change_travels_once(core: Core) -> None:
    @component
    def ticking() -> Any:
        tick, set_tick = use_state(0)
        rows = [[f"{row}.{column}.{tick}" for column in range(8)] for row in range(100)]
        columns = [TableColumn(label=str(column)) for column in range(8)]
        return html.div(button("Turn", on_click=lambda: set_tick(tick + 1)), Table(label="Numbers", columns=columns, rows=rows))

    async with mounted(core, None, ticking) as screen:
        screen.view.mark_shown()
        await screen.click("button", "Turn")
        operations = screen.view.take_operations()
    assert len(operations) == 1
    assert len(json.dumps(operations, separators=(",", ":"))) < 7_500
