"""The controls above the opportunities list: kinds, search, filters, and order."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from reactpy import html
from reactpy.types import Component, VdomDict

from fundwright.categories.schemas import CategoryRead
from fundwright.core.messages import number, t
from fundwright.opportunities.display_names import agency_name
from fundwright.opportunities.schemas import Facets, Kind, OpportunityQuery
from fundwright_ui.hooks import UrlState
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.events import handler
from fundwright_ui.screens.opportunities.address import (
    ANY,
    AWARD,
    CLOSED,
    OPEN,
    PATHS,
    SEPARATOR,
    SEVERAL,
    SHARED,
    SINGLE,
    VERBATIM,
)
from fundwright_ui.ui import Fields, Option, Tab, form, icon, icon_button, row, select_field, tabs, text_field, text_link
from fundwright_ui.ui.elements import attributes


def kind_tabs(kind: Kind, url: UrlState, totals: Mapping[Kind, int]) -> VdomDict:
    connection = use_connection()
    kept = {name: value for name in SHARED if (value := url.get(name))}
    kept_of_grants = {name: value for name, value in kept.items() if (name, value) != ("availability", AWARD)}

    def address(of: Kind, params: Mapping[str, str]) -> str:
        return connection.href(PATHS[of] + (f"?{urlencode(params)}" if params else ""))

    return tabs(
        [
            Tab("grant", t("Grants and NIH"), address("grant", kept_of_grants), totals.get("grant")),
            Tab("contract", t("Contracts (SAM.gov)"), address("contract", kept), totals.get("contract")),
        ],
        kind,
        label=t("Kind of opportunity"),
    )


def toolbar(kind: Kind, url: UrlState, query: OpportunityQuery, count: str) -> VdomDict:
    """Search, what is shown and in which order, filters, and how many opportunities that makes."""
    is_filtering = url.get("filters") == "open"
    filters = attributes(
        type="button",
        className="fw-button fw-button-small fw-button-outlined",
        aria_expanded=is_filtering,
        onClick=handler(lambda: url.set(filters=None if is_filtering else "open")),
    )
    return html.div(
        {"className": "fw-toolbar"},
        _search_form(url),
        html.div(
            {"className": "fw-toolbar-choices"},
            html.button(filters, icon("filter"), t("Filters")),
            *_availability_and_order(kind, url, query),
        ),
        html.p({"role": "status", "className": "fw-toolbar-count"}, count),
    )


def _search_form(url: UrlState) -> VdomDict:
    words = url.get("q")

    def search(fields: Fields) -> None:
        url.go(q=str(fields.get("q", "")).strip(), verbatim=None, page=None)

    return html.div(
        {"role": "search"},
        form(
            text_field(
                "q",
                t("Search"),
                type="search",
                value=words,
                placeholder=t('Words or a sentence, "a phrase", -exclude, this or that'),
                maxlength=500,
                small=True,
                end=icon_button(t("Search"), "search", type="submit", small=True),
            ),
            on_submit=search,
            label=t("Search opportunities"),
        ),
    )


def _availability_and_order(kind: Kind, url: UrlState, query: OpportunityQuery) -> list[VdomDict]:
    """Links for which notices are shown, and in which order."""
    shown = [
        (OPEN, t("Open")),
        (CLOSED, t("Closed")),
        *([(AWARD, t("Award notices"))] if kind == "contract" else []),
        (ANY, t("All")),
    ]
    orders = [
        *([("", t("Relevance"))] if query.text else []),
        ("due", t("Due date")),
        ("-posted", t("Posted date")),
    ]
    availability, order = query.availability or ANY, query.sort or ("" if query.text else "-posted")
    return [
        _choices(t("Show"), [(label, url.href(availability=name, page=None), name == availability) for name, label in shown]),
        _choices(t("Sort by"), [(label, url.href(sort=name, page=None), name == order) for name, label in orders]),
    ]


def _choices(label: str, entries: list[tuple[str, str, bool]]) -> VdomDict:
    """Links, one of which is current."""
    return html.div(
        {"className": "fw-segments", "role": "group", "aria-label": label, "title": label},
        *(
            html.a(
                attributes(
                    className="fw-segment",
                    href=href,
                    aria_current="true" if is_current else None,
                    key=name,
                ),
                name,
            )
            for name, href, is_current in entries
        ),
    )


def filter_panel(kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> VdomDict:
    """The filters, sent on request: most people use the list without them, and their options are larger than a page of the list. Whether
    they are shown is in the address, so that a page that lost its connection restores them."""
    is_open = url.get("filters") == "open"
    fields = _filter_form(kind, url, query, facets, mine) if is_open else None
    return html.div({"className": "fw-card", "hidden": not is_open, "key": "filters"}, fields)


def _filter_form(kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> Component:
    any_ = Option("", t("Any"))

    def apply(fields: Fields) -> None:
        changes: dict[str, object] = {name: str(fields.get(name, "")).strip() for name in SINGLE if name in fields}
        for name in SEVERAL:
            chosen = str(fields.get(name, ""))
            if chosen:
                changes[name] = SEPARATOR.join(dict.fromkeys((*getattr(query, name), chosen)))
        url.go(page=None, **changes)

    code = (
        select_field(
            "set_aside",
            t("Set-aside"),
            [
                any_,
                *(Option(v.value, f"{v.label} ({number(v.count)})") for v in facets.set_asides if v.value not in query.set_aside),
            ],
        )
        if kind == "contract"
        else select_field(
            "activity_code",
            t("Activity code"),
            [
                any_,
                *(
                    Option(v.value, f"{v.value} ({number(v.count)})")
                    for v in sorted(facets.activity_codes, key=lambda v: v.value)
                    if v.value not in query.activity_code
                ),
            ],
        )
    )
    return form(
        html.div(
            {"className": "fw-filters"},
            select_field(
                "agency",
                t("Agency"),
                [
                    any_,
                    *(
                        Option(v.value, f"{agency_name(v.label)} ({number(v.count)})")
                        for v in facets.agencies
                        if v.value not in query.agency
                    ),
                ],
            ),
            select_field(
                "type",
                t("Type"),
                [any_, *(Option(v.value, f"{v.label} ({number(v.count)})") for v in facets.types if v.value not in query.type)],
            ),
            code,
            text_field("naics", t("NAICS begins with"), value=query.naics, maxlength=6) if kind == "contract" else None,
            text_field("due_from", t("Due on or after"), type="date", value=str(query.due_from or "")),
            text_field("due_to", t("Due on or before"), type="date", value=str(query.due_to or "")),
            text_field(
                "posted_from",
                t("Posted on or after"),
                type="date",
                value=str(query.posted_from or ""),
            ),
            text_field(
                "posted_to",
                t("Posted on or before"),
                type="date",
                value=str(query.posted_to or ""),
            ),
            select_field(
                "category",
                t("Category"),
                [any_, *(Option(str(category.id), category.name) for category in mine)],
                value=str(query.category or ""),
            ),
        ),
        on_submit=apply,
        submit=t("Apply filters"),
        label=t("Filters"),
    )


def active_filters(url: UrlState, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> VdomDict | None:
    """The active filters, each with a link that removes it."""
    names = {str(category.id): category.name for category in mine}
    set_asides = {value.value: value.label for value in facets.set_asides}
    entries: list[tuple[str, str]] = []
    if query.text:
        entries.append((t("Search: {words}", words=query.text), url.href(q=None, page=None)))
    for name in SEVERAL:
        values: tuple[str, ...] = getattr(query, name)
        for value in values:
            remaining = SEPARATOR.join(other for other in values if other != value)
            label = agency_name(value) if name == "agency" else set_asides.get(value, value)
            entries.append((label, url.href(**{name: remaining, "page": None})))
    labels = {
        "number": t("Number {value}", value=query.number),
        "naics": t("NAICS {value}…", value=query.naics),
        "due_from": t("Due on or after {value}", value=query.due_from),
        "due_to": t("Due on or before {value}", value=query.due_to),
        "posted_from": t("Posted on or after {value}", value=query.posted_from),
        "posted_to": t("Posted on or before {value}", value=query.posted_to),
        "category": t("Category: {name}", name=names.get(str(query.category), "…")),
    }
    entries += [(label, url.href(**{name: None, "page": None})) for name, label in labels.items() if getattr(query, name)]
    if not entries:
        return None
    return html.ul(
        {"className": "fw-chips", "aria-label": t("Active filters")},
        *(
            html.li(
                {"key": f"{label}:{index}"},
                html.a(
                    {"className": "fw-chip", "href": href, "aria-label": t("Remove filter {label}", label=label)}, f"{label} ×"
                ),
            )
            for index, (label, href) in enumerate(entries)
        ),
    )


def correction(url: UrlState, typed: str, searched: str) -> VdomDict:
    return row(
        html.span({"role": "status"}, t("Showing results for {words}.", words=searched)),
        text_link(t("Search instead for {words}", words=typed), url.href(verbatim=VERBATIM, page=None)),
        key="corrected",
    )
