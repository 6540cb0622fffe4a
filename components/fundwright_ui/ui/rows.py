"""Rows with actions and the outcomes of those actions."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.elements import Child, OnEvent, attributes, classes


def list_row(*children: Child, key: str | None = None) -> VdomDict:
    """A row of a `fw-list`. When a control in it disappears, the focus moves to the control with the same `name` in the next row."""
    return html.li(attributes(className="fw-list-item", data_row=True, key=key), *children)


def row_actions(*controls: Child, outcome: str = "", on_undo: OnEvent = None) -> VdomDict:
    """The controls of a row. An `outcome` covers them without moving anything on the page.

    "Undo" comes first, so that it never appears under the pointer that just pressed a control at the end of the row.
    """
    return html.div(
        {"className": classes("fw-row-actions", "fw-row-settled" if outcome else None)},
        html.div(attributes(className="fw-row", inert=True if outcome else None, key="controls"), *controls),
        html.div(
            {"className": "fw-row-outcome", "key": "outcome"},
            button(t("Undo"), size="small", variant="text", on_click=on_undo, name="undo", shortcut="u")
            if on_undo is not None
            else None,
            html.span(outcome),
        )
        if outcome
        else None,
    )


def more_rows(count: int, *, on_load: OnEvent, outcome: str = "") -> VdomDict:
    """Goes below a list: announces the last outcome and offers the rows that were added since the list was loaded."""
    return html.div(
        {"className": "fw-more"},
        html.div(
            {"role": "status"},
            html.span({"className": "fw-visually-hidden"}, outcome) if outcome else None,
            html.span(nt("{n} more entry in this list", "{n} more entries in this list", count)) if count else None,
        ),
        button(t("Show"), size="small", variant="soft", on_click=on_load) if count else None,
    )
