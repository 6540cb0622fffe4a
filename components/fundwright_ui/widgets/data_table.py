"""A table whose rows, order and pages come from the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import PlainSerializer
from reactpy import html
from reactpy.types import VdomDict
from typing_extensions import TypeAliasType

from fundwright.core.messages import t
from fundwright_ui.ui import Color, moment
from fundwright_ui.widgets.base import On, Props, Widget

ColumnKind = Literal["text", "number", "money", "percent", "date", "datetime", "chips", "link"]


class Chip(Props):
    """A short coloured label in a `chips` cell."""

    label: str
    color: Color = "primary"


class LinkCell(Props):
    """A link in a `link` cell; `href` with the proxy's prefix (`connection.href`)."""

    label: str
    href: str


class Column(Props):
    """`percent` cells hold shares between 0 and 1, `money` cells amounts of `currency`, dates ISO 8601."""

    field: str
    label: str
    kind: ColumnKind = "text"
    is_sortable: bool = False
    is_compact: bool = True
    """Shown on a narrow screen too."""
    flex: float = 1
    """Share of the width that is left."""
    min_width: int = 120
    """Pixels."""
    currency: str = "USD"
    """ISO 4217, for money."""
    href_base: str = ""
    """Where the texts of a `link` column lead, followed by the row's id; with the proxy's prefix (`connection.href`)."""


Amount = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
Cell = TypeAliasType("Cell", str | int | float | bool | datetime | date | Amount | UUID | LinkCell | tuple[Chip, ...] | None)


class Row(Props):
    """One row; `cells` by the field of the column."""

    id: str
    cells: Mapping[str, Cell]


class Sort(Props):
    field: str
    direction: Literal["asc", "desc"] = "asc"


class TableQuery(Props):
    """What the person wants to see."""

    page: int
    """From 1."""
    page_size: int
    sort: Sort | None = None


class RowOpened(Props):
    """A row was pressed."""

    id: str


class DataTable(Widget):
    """A table. `total` counts all rows, `rows` holds this page of them; every change of page or sort calls `on_query`."""

    label: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    total: int
    page: int = 1
    page_size: int = 25
    sort: Sort | None = None
    is_loading: bool = False
    language: str = "en"
    empty_text: str = ""
    on_query: On[TableQuery] = None
    on_open: On[RowOpened] = None


def data_table(
    *,
    label: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    total: int,
    page: int = 1,
    page_size: int = 25,
    sort: Sort | None = None,
    is_loading: bool = False,
    language: str = "en",
    empty_text: str = "",
    on_query: On[TableQuery] = None,
    on_open: On[RowOpened] = None,
    key: str | None = None,
) -> VdomDict:
    """A `DataTable` that can be read before any script runs."""
    return DataTable(
        label=label,
        columns=columns,
        rows=rows,
        total=total,
        page=page,
        page_size=page_size,
        sort=sort,
        is_loading=is_loading,
        language=language,
        empty_text=empty_text,
        on_query=on_query,
        on_open=on_open,
        key=key,
        fallback=[_fallback(label, columns, rows, empty_text)],
    )


def _fallback(label: str, columns: Sequence[Column], rows: Sequence[Row], empty_text: str) -> VdomDict:
    if not rows:
        return html.p({"className": "fw-muted"}, empty_text or t("Nothing to show."))
    return html.div(
        {"className": "fw-table-scroll"},
        html.table(
            {"className": "fw-table", "aria-label": label},
            html.thead(html.tr(*(html.th({"scope": "col"}, column.label) for column in columns))),
            html.tbody(*(html.tr({"key": row.id}, *(html.td(_cell(row, column)) for column in columns)) for row in rows)),
        ),
    )


def _cell(row: Row, column: Column) -> Any:
    cell: Any = row.cells.get(column.field)
    if cell is None:
        return None
    if isinstance(cell, datetime) and column.kind == "datetime":
        return moment(cell)
    if isinstance(cell, LinkCell):
        return html.a({"href": cell.href}, cell.label)
    if isinstance(cell, tuple):
        chips: tuple[Chip, ...] = cell
        return html.span({"className": "fw-chips"}, *(html.span({"className": "fw-chip"}, chip.label) for chip in chips))
    if column.href_base:
        return html.a({"href": f"{column.href_base}{row.id}"}, str(cell))
    return str(cell)
