"""Filters of a list: chips in its toolbar, each of which opens a popover with a control that applies immediately."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.runtime.events import Call, Handler, handler, read_open
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.ui.elements import Child, OnEvent, attributes, classes
from fundwright_ui.ui.icons import icon


def filter_chip(
    name: str,
    label: str,
    *content: Child,
    value: str = "",
    is_value_only: bool = False,
    on_toggle: Callable[[bool], object] | None = None,
    on_clear: OnEvent = None,
) -> VdomDict:
    """A button that shows the filter's label and `value` ("Set-aside: 8(a)") and opens a popover with `content`. The browser closes it
    on Escape and on a click elsewhere, and returns the focus.

    `on_toggle` gets whether the popover is open, so that its content can be sent only then. A filter that is set has a button that
    clears it. With `is_value_only`, the label is left to screen readers.
    """
    panel = f"filter-{name}"
    shown = f"{label}: {value}" if value else label
    is_set = bool(value) and on_clear is not None
    return html.div(
        {"className": classes("fw-filter", "fw-filter-set" if is_set else None), "key": name},
        html.button(
            attributes(
                type="button",
                name=panel,  # the focus goes here when the button that clears the filter disappears
                className="fw-filter-open",
                popoverTarget=panel,
                aria_haspopup="dialog",
                aria_label=t("Filter: {label}", label=shown) if on_clear else shown,  # headers of the table have the same labels
                title=shown if value else None,
            ),
            html.span({"className": "fw-filter-label", "dir": "auto"}, value if is_value_only else shown),
            None if is_set else icon("expand_more"),
        ),
        _clear_button(panel, shown, on_clear) if is_set and on_clear is not None else None,
        html.div(
            attributes(
                id=panel,
                className="fw-filter-panel",
                popover="auto",
                role="dialog",
                aria_label=label,
                onToggle=handler(on_toggle, read=read_open) if on_toggle else None,
                key="panel",
            ),
            html.div({"className": "fw-filter-head"}, html.strong(label), icon_button(t("Close"), "close", opens=panel)),
            *content,
        ),
    )


def fixed_filter(name: str, label: str, *, on_clear: Call | Handler) -> VdomDict:
    """A chip of a filter that can only be cleared."""
    return html.div(
        {"className": "fw-filter fw-filter-set", "key": name},
        html.span({"className": "fw-filter-open"}, html.span({"className": "fw-filter-label", "dir": "auto"}, label)),
        _clear_button(f"filter-{name}", label, on_clear),
    )


def _clear_button(name: str, label: str, on_clear: Call | Handler) -> VdomDict:
    label = t("Remove filter {label}", label=label)
    return html.button(
        attributes(
            type="button",
            name=name,
            className="fw-filter-clear",
            aria_label=label,
            title=label,
            onClick=handler(on_clear),
            key="clear",
        ),
        icon("close"),
    )
