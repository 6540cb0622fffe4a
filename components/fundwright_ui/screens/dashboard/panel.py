"""A panel of the dashboard: a short list in its four states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import Query
from fundwright_ui.product import use_connection
from fundwright_ui.ui import link_button, loading, problem, section
from fundwright_ui.ui.elements import Child

T = TypeVar("T")


def panel(
    title: str,
    found: Query[T],
    items: Callable[[T], Sequence[VdomDict]],
    *,
    nothing: VdomDict,
    above: Callable[[T], Child] = lambda _found: None,
    more: Callable[[T], str | None] = lambda _found: None,
) -> VdomDict:
    """`more` returns the path of the whole list if it is longer. `nothing` is shown instead of an empty list."""
    value = found.value
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if value is None:
        return section(title, loading(title))
    shown, path = items(value), more(value)
    if not shown:
        return section(title, nothing)
    return section(
        title,
        above(value),
        html.ul({"className": "fw-list fw-brief", "aria-label": title}, *shown),
        actions=[link_button(t("View all"), use_connection().href(path), size="small")] if path else [],
    )


def item(title: str, href: str, *, note: str, end: Child, key: str) -> VdomDict:
    """A row that is one link as a whole, with `end` at its end."""
    return html.li(
        {"key": key},
        html.div(
            {"className": "fw-grow"},
            html.a({"href": href, "title": title, "dir": "auto"}, title),
            html.p({"className": "fw-muted fw-small"}, note),
        ),
        end,
    )
