"""Chips, progress, definitions, tabs, and pagination."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import number, t
from fundwright_ui.runtime.events import handler
from fundwright_ui.ui.elements import Child, OnEvent, attributes

Color = Literal["primary", "secondary", "info", "success", "warning", "error", "purple"]


def chip(label: str, *, color: Color = "secondary", key: str | None = None) -> VdomDict:
    """A short label."""
    return html.span(attributes(className=f"fw-chip fw-chip-{color}", key=key), label)


def progress(done: int, total: int | None, *, label: str, message: str | None = None) -> VdomDict:
    """Progress in any unit; with `total=None`, the progress is indeterminate."""
    # The text follows from the numbers, so that assistive technology reads them.
    share = {} if not total else {"value": min(done, total), "max": total}
    return html.div(
        {"className": "fw-stack fw-stack-tight"},
        html.progress({"className": "fw-progress", "aria-label": label, **share}),
        html.p({"className": "fw-progress-label"}, message or (f"{number(done)} / {number(total)}" if total else number(done))),
    )


def definition_list(entries: Mapping[str, Child] | Iterable[tuple[str, Child]]) -> VdomDict:
    """Names and their values; a value of None or "" is omitted."""
    pairs = entries.items() if isinstance(entries, Mapping) else entries
    parts: list[VdomDict] = []
    for name, value in pairs:
        if value is not None and value != "":
            parts += [html.dt(name), html.dd(value)]
    return html.dl({"className": "fw-definitions"}, *parts)


def facts(*entries: Child | tuple[str, Child], key: str | None = None) -> VdomDict:
    """One line about something, with dots between its parts. A part is a text, a control, or a name with its value; None and ""
    are omitted."""
    shown = [each if isinstance(each, tuple) else ("", each) for each in entries if each]
    parts = (
        html.span({"key": f"{place}"}, " · " if place else None, f"{name} " if name else None, value)
        for place, (name, value) in enumerate(shown)
    )
    return html.p(attributes(className="fw-muted fw-small", key=key), *parts)


@dataclass(frozen=True)
class Tab:
    """One tab; with `href` it is a link, so that the choice is in the address. `count` is the number of entries behind it."""

    id: str
    label: str
    href: str | None = None
    count: int | None = None


def tabs(
    entries: Sequence[Tab], chosen: str, *children: Child, label: str, on_choose: OnEvent = None, id: str = "tabs"
) -> VdomDict:
    """A row of tabs. If all of them have an `href`, they are links to other addresses, whose content the screen renders itself.

    Otherwise they switch between parts of the page: `on_choose` is given the id, `children` is the panel of the selected one, and
    the arrow keys, Home, and End move between them. `id` distinguishes several rows on one page.
    """
    if all(entry.href is not None for entry in entries):
        # A group: the page's one navigation landmark is the sidebar.
        return html.div(
            {"className": "fw-tabs", "role": "group", "aria-label": label},
            *(
                html.a(
                    attributes(
                        className="fw-tab", href=entry.href, aria_current="page" if entry.id == chosen else None, key=entry.id
                    ),
                    entry.label,
                    html.span({"className": "fw-tab-count"}, f" {number(entry.count)}") if entry.count is not None else None,
                )
                for entry in entries
            ),
        )
    row = html.div(
        {"className": "fw-tabs", "role": "tablist", "aria-label": label},
        *(
            html.button(
                attributes(
                    type="button",
                    role="tab",
                    id=f"{id}-{entry.id}",
                    className="fw-tab",
                    aria_selected=entry.id == chosen,
                    aria_controls=f"{id}-panel",
                    tabIndex=0 if entry.id == chosen else -1,
                    onClick=handler(on_choose, read=_constant(entry.id)) if on_choose is not None else None,
                    key=entry.id,
                ),
                entry.label,
            )
            for entry in entries
        ),
    )
    panel = {"role": "tabpanel", "id": f"{id}-panel", "aria-labelledby": f"{id}-{chosen}", "tabIndex": 0, "className": "fw-stack"}
    return html.div({"className": "fw-stack"}, row, html.div({**panel, "key": chosen}, *children))


def pagination(
    page: int, page_count: int, *, href: Callable[[int], str] | None = None, on_page: OnEvent = None
) -> VdomDict | None:
    """Links (`href(page)`) or buttons (`on_page` gets the page) to the pages, counted from 1. None if there is only one."""
    if page_count <= 1:
        return None

    def item(target: int, text: str, name: str, *, current: bool = False, disabled: bool = False) -> VdomDict:
        shared = attributes(
            className="fw-pagination-item", aria_label=name, aria_current="page" if current else None, key=f"{name}{target}"
        )
        if href is not None and not disabled:
            return html.a({**shared, "href": href(target)}, text)
        if on_page is not None and not disabled:
            return html.button({**shared, "type": "button", "onClick": handler(on_page, read=_constant(target))}, text)
        return html.span({**shared, "aria-disabled": "true"}, text)

    shown = sorted({1, page_count, *(p for p in range(page - 2, page + 3) if 1 <= p <= page_count)})
    return html.div(
        {"className": "fw-pagination", "role": "group", "aria-label": t("Pages")},
        item(page - 1, "‹", t("Previous page"), disabled=page <= 1),
        *chain.from_iterable(
            (
                html.span({"aria-hidden": "true", "key": f"before {p}"}, "…") if p - before > 1 else None,
                item(p, number(p), t("Page {page}", page=p), current=p == page),
            )
            for before, p in pairwise((0, *shown))
        ),
        item(page + 1, "›", t("Next page"), disabled=page >= page_count),
    )


def _constant(value: object) -> Callable[[dict[str, object]], object]:
    return lambda _payload: value
