"""Pages, sections, cards, rows, and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.events import handler
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.ui.elements import Child, OnEvent, attributes, classes
from fundwright_ui.ui.icons import icon


def page(
    title: str, *children: Child, subtitle: str | None = None, beside: Child = None, actions: Sequence[Child] = ()
) -> VdomDict:
    """A whole screen under its `h1`, which has the link to its help; `beside`, such as tabs, and `actions` are in the same line.
    The shell provides the `main` landmark."""
    return html.div(
        {"className": "fw-page"},
        html.div(
            {"className": "fw-page-header"},
            html.div(
                html.div(
                    {"className": "fw-page-heading"},
                    html.h1({"className": "fw-page-title", "tabIndex": -1}, title),
                    _help_link(use_connection()),
                ),
                html.p({"className": "fw-page-subtitle"}, subtitle) if subtitle else None,
            ),
            html.div({"className": "fw-page-beside"}, beside) if beside is not None else None,
            html.div({"className": "fw-page-actions"}, *actions) if actions else None,
        ),
        *children,
    )


def _help_link(connection: Connection) -> VdomDict | None:
    if connection.help is None:
        return None
    return html.a(
        {
            "className": "fw-icon-button fw-icon-button-small",
            "href": connection.href(connection.help),
            "aria-label": t("Help"),
            "title": t("Help"),
        },
        icon("help"),
    )


def section(
    title: str, *children: Child, actions: Sequence[Child] = (), id: str | None = None, key: str | None = None
) -> VdomDict:
    """A named part of a screen under an `h2`. Links lead to its `id`."""
    return html.section(
        attributes(className="fw-section", aria_label=title, id=id, key=key),
        html.div(
            {"className": "fw-section-header"},
            html.h2(title),
            html.div({"className": "fw-actions"}, *actions) if actions else None,
        ),
        *children,
    )


def card(
    *children: Child,
    title: str | None = None,
    subtitle: str | None = None,
    actions: Sequence[Child] = (),
    label: str | None = None,
    is_row: bool = False,
    key: str | None = None,
) -> VdomDict:
    """A card with an optional title; `label` names it for assistive technology if it has none.

    `is_row` says that it is one of several, like `list_row`.
    """
    return html.article(
        attributes(className="fw-card", aria_label=label or title, data_row=True if is_row else None, key=key),
        html.div(
            {"className": "fw-card-header"},
            html.div(
                html.h3({"className": "fw-card-title"}, title),
                html.p({"className": "fw-card-subtitle"}, subtitle) if subtitle else None,
            ),
        )
        if title
        else None,
        *children,
        html.div({"className": "fw-card-actions"}, *actions) if actions else None,
    )


def disclosure(title: str, *children: Child, is_open: bool, on_toggle: Callable[[], object], key: str | None = None) -> VdomDict:
    """A card that is one line until it is opened. `children` need not be created while it is closed."""
    toggle = attributes(
        type="button", className="fw-disclosure-toggle fw-strong", aria_expanded=is_open, onClick=handler(on_toggle)
    )
    body = html.div({"className": "fw-disclosure-body"}, *children) if is_open else None
    return html.div(attributes(className="fw-card fw-disclosure", key=key), html.button(toggle, title), body)


def row(*children: Child, spread: bool = False, key: str | None = None) -> VdomDict:
    """Children beside each other; they wrap if there is not enough space."""
    return html.div(attributes(className=classes("fw-row", "fw-row-between" if spread else None), key=key), *children)


def stack(*children: Child, tight: bool = False, key: str | None = None) -> VdomDict:
    """Children below each other."""
    return html.div(attributes(className=classes("fw-stack", "fw-stack-tight" if tight else None), key=key), *children)


def grid(*children: Child) -> VdomDict:
    """Cards in as many columns as fit."""
    return html.div({"className": "fw-grid"}, *children)


def columns(*children: Child) -> VdomDict:
    """Two columns on a wide screen."""
    return html.div({"className": "fw-columns"}, *children)


def main_column(facts: Child, main: Child, beside: Child) -> VdomDict:
    """On a wide screen, `main` is twice as wide as the column with the other two; on a narrow one, it is between them."""
    return html.div({"className": "fw-columns fw-columns-main"}, facts, main, beside)


def beside(*children: Child, panel: Child = None, aside: Child = None) -> VdomDict:
    """The content of a screen with a column for `panel`, a `side_panel` or None, and `aside` below it. On a narrow screen, `aside`
    follows the content, and the panel is a sheet at the bottom of the window."""
    return html.div(
        {"className": "fw-beside"},
        html.div({"className": "fw-stack", "key": "content"}, *children),
        html.div({"className": "fw-beside-column", "key": "column"}, panel, aside),
    )


def side_panel(
    title: str, *children: Child, label: str | None = None, subtitle: str | None = None, close: str, on_close: OnEvent, key: str
) -> VdomDict:
    """What was opened beside the content of a screen; `key` identifies it. It gets the focus when it opens, and Escape or its button
    `close` closes it. The focus then returns to the control that opened it. Keep what is open in the address."""
    return html.aside(
        {
            "className": "fw-card fw-panel",
            "role": "region",
            "aria-label": label or title,
            "tabIndex": -1,
            "data-panel": True,
            "key": key,
        },
        html.div(
            {"className": "fw-panel-header"},
            html.div(
                html.h2({"className": "fw-card-title"}, title),
                html.p({"className": "fw-card-subtitle fw-small"}, subtitle) if subtitle else None,
            ),
            icon_button(close, "close", small=True, on_click=on_close, name="close"),
        ),
        *children,
    )
