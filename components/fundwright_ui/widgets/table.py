"""A table that is shown whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo

from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.html import paints
from fundwright_ui.widgets.base import Props, Widget
from fundwright_ui.widgets.data_table import LinkCell


class TableColumn(Props):
    """A column of texts and links; those of a `is_number` column end where the column ends."""

    label: str
    is_number: bool = False


def _complete(rows: Sequence[Sequence[object]], info: ValidationInfo) -> Sequence[Sequence[object]]:
    wanted = len(info.data.get("columns", ()))
    for number, row in enumerate(rows, 1):
        if len(row) != wanted:
            raise ValueError(f"row {number} has {len(row)} cells for {wanted} columns")
    return rows


class Table(Widget):
    """A table without pages, sorting or events, for up to some hundred rows: each holds a text or a link for each column.

    Only its content travels, once, and a row that stays the same is not drawn again.
    """

    label: str
    columns: Sequence[TableColumn]
    rows: Annotated[Sequence[Sequence[str | LinkCell]], AfterValidator(_complete)]
    empty_text: str = ""


@paints(Table.__name__)
def _painted(props: Mapping[str, Any]) -> Sequence[Node]:
    """What `web/src/widgets/Table` draws. Hydration fails when they differ."""
    columns: list[dict[str, Any]] = props["columns"]
    rows: list[list[str | dict[str, str]]] = props["rows"]
    if not rows and props["emptyText"]:
        return [_element("p", {"className": "fw-muted"}, [props["emptyText"]])]
    looks = [{"className": "fw-number"} if column["isNumber"] else {} for column in columns]
    head = [_element("th", {"scope": "col", **look}, [column["label"]]) for column, look in zip(columns, looks, strict=True)]
    body = [
        _element("tr", {}, [_element("td", look, [_cell(cell)]) for cell, look in zip(row, looks, strict=True)]) for row in rows
    ]
    table = _element(
        "table",
        {"className": "fw-table", "aria-label": props["label"]},
        [_element("thead", {}, [_element("tr", {}, head)]), _element("tbody", {}, body)],
    )
    return [_element("div", {"className": "fw-table-scroll", "tabIndex": 0}, [table])]


def _cell(cell: str | dict[str, str]) -> Node:
    return cell if isinstance(cell, str) else _element("a", {"href": cell["href"]}, [cell["label"]])


def _element(tag: str, attributes: dict[str, Any], children: Sequence[Node]) -> Node:
    return {"t": tag, "a": attributes, "c": children}
