"""Filters of lists, as chips whose popovers set them. Those of the opportunities list alone are in `opportunities/filters.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from babel.dates import format_date
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.database import now
from fundwright.core.messages import current_language, number, t
from fundwright.core.paging import PageRequest
from fundwright.opportunities.schemas import kind_label
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import UrlState
from fundwright_ui.screens.listing import day_filter
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.ui import filter_chip
from fundwright_ui.ui.elements import Child, attributes


@dataclass(frozen=True, slots=True)
class Filter:
    """`value` describes what it is set to, and is empty if it is not set. `parameters` are its parameters of the address."""

    name: str
    label: str
    value: str
    parameters: tuple[str, ...]
    content: Callable[[], Child]


def kind_filter(url: UrlState, query: PageRequest) -> VdomDict:
    """Limits a list of something else about opportunities to one kind of them."""
    return choice_filter(url, query, "kind", t("Kind"), {kind: kind_label(kind) for kind in PATHS})


def due_filter(url: UrlState, query: PageRequest) -> VdomDict:
    """Limits a list of something else about opportunities by their due dates."""
    due = due_days(url, query)
    content = html.div({"className": "fw-filter-content"}, due.content())
    return filter_chip(due.name, due.label, content, value=due.value, on_clear=partial(clear_filter, url, due.parameters))


def choice_filter(url: UrlState, query: PageRequest, name: str, label: str, choices: Mapping[str, str]) -> VdomDict:
    """A filter for one of `choices`, the values of the parameter `name` with their labels."""
    current = choices.get(url.get(name), "" if getattr(query, name) is None else "…")
    entries = [(text, {name: value}, None) for value, text in choices.items()]
    on_clear = partial(clear_filter, url, (name,))
    return filter_chip(name, label, filter_links(url, entries, current), value=current, on_clear=on_clear)


def filter_links(url: UrlState, entries: Iterable[tuple[str, Mapping[str, object], int | None]], current: str) -> VdomDict:
    """Links of which one may be `current`: labels, the parameters that they change, and counts. A link closes the popover."""
    return html.div(
        {"className": "fw-filter-options"},
        *(
            html.a(
                attributes(
                    className="fw-filter-option",
                    href=url.href(page=None, filters=None, **changes),
                    aria_current="true" if label == current else None,
                    key=label,
                ),
                html.span({"dir": "auto"}, label),
                count_of_filter(count),
            )
            for label, changes, count in entries
        ),
    )


def count_of_filter(count: int | None) -> VdomDict | None:
    return None if count is None else html.span({"className": "fw-filter-count"}, number(count))


def due_days(url: UrlState, query: PageRequest) -> Filter:
    today = day_in_washington(now())
    return days_filter(
        url, query, "due", t("Due"), t("Due on or after"), t("Due on or before"),
        {t("Next {n} days", n=days): (today, today + timedelta(days=days)) for days in (7, 30, 90)},
    )  # fmt: skip


def days_filter(
    url: UrlState,
    query: PageRequest,
    name: str,
    label: str,
    from_label: str,
    to_label: str,
    frequent: Mapping[str, tuple[date, date | None]],
) -> Filter:
    """A filter for a range of days, some of which are links."""
    first, last = f"{name}_from", f"{name}_to"
    chosen: tuple[date | None, date | None] = getattr(query, first), getattr(query, last)
    current = next((text for text, days in frequent.items() if days == chosen), "") or _range_text(*chosen)

    def content() -> Child:
        entries = [(text, {first: days[0], last: days[1]}, None) for text, days in frequent.items()]
        return html.fragment(
            filter_links(url, entries, current),
            html.div(
                {"className": "fw-filter-days"}, day_filter(url, query, first, from_label), day_filter(url, query, last, to_label)
            ),
        )

    return Filter(name, label, current, (first, last), content)


def _range_text(first: date | None, last: date | None) -> str:
    if first and last:
        return f"{_day_text(first)} – {_day_text(last)}"
    if first:
        return t("from {date}", date=_day_text(first))
    return t("through {date}", date=_day_text(last)) if last else ""


def _day_text(day: date) -> str:
    return format_date(day, locale=current_language())


def clear_filter(url: UrlState, parameters: Iterable[str]) -> None:
    url.go(page=None, **dict.fromkeys(parameters))
