"""The controls above the opportunities list: kinds, search, filters, and order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from urllib.parse import urlencode

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.categories.schemas import CategoryRead
from fundwright.core.database import now
from fundwright.core.messages import number, t
from fundwright.opportunities.display_names import agency_name
from fundwright.opportunities.schemas import AWARD_NOTICE, NEVER_OPEN, Availability, Facets, FacetValue, Kind, OpportunityQuery
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import UNCHANGED, UrlState, use_unchanged, use_url_state
from fundwright_ui.product import SavedState, use_connection
from fundwright_ui.runtime.events import handler
from fundwright_ui.screens.listing import day_filter, narrow
from fundwright_ui.screens.opportunities.address import (
    ANY,
    AWARD,
    CLOSED,
    OPEN,
    PATHS,
    SEPARATOR,
    SEVERAL,
    SHARED,
    VERBATIM,
)
from fundwright_ui.screens.opportunities.jobs import embedding_progress
from fundwright_ui.screens.opportunities.table_view import TableView, view_menu
from fundwright_ui.screens.searches.menu import saved_searches_menu
from fundwright_ui.ui import Fields, Option, Tab, form, icon, icon_button, row, select_field, tabs, text_field, text_link
from fundwright_ui.ui.elements import attributes, classes


def kind_labels() -> Mapping[Kind, str]:
    return {"grant": t("Grants and NIH"), "contract": t("Contracts (SAM.gov)")}


def kind_tabs(kind: Kind, url: UrlState, totals: Mapping[Kind, int]) -> VdomDict:
    connection = use_connection()
    labels, kept = kind_labels(), {name: value for name in SHARED if (value := url.get(name))}
    kept_of_grants = {name: value for name, value in kept.items() if (name, value) != ("availability", AWARD)}

    def address(of: Kind, params: Mapping[str, str]) -> str:
        return connection.href(PATHS[of] + (f"?{urlencode(params)}" if params else ""))

    return tabs(
        [
            Tab("grant", labels["grant"], address("grant", kept_of_grants), totals.get("grant")),
            Tab("contract", labels["contract"], address("contract", kept), totals.get("contract")),
        ],
        kind,
        label=t("Kind of opportunity"),
    )


@component
def toolbar(kind: Kind, query: OpportunityQuery, count: str, view: SavedState[TableView]) -> VdomDict:
    """Search, availability, order, filters, the number of opportunities, and the menu of columns. Stays as it is on other pages."""
    url = use_url_state()
    if use_unchanged(url.params | {"page": ""}, count, view.value):
        return UNCHANGED
    is_filtering = url.get("filters") == "open"
    orders, order = _orders(query)
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
            _availability(kind, url, query),
            _choices(
                t("Sort by"), [(label, url.href(sort=name, page=None), name == order) for name, label in orders], is_wide=True
            ),
        ),
        html.p({"role": "status", "className": "fw-toolbar-count"}, count),
        embedding_progress(key="embedding"),
        saved_searches_menu(query, key="saved"),
        view_menu(kind, view),
        html.div(
            {"className": "fw-only-narrow fw-sort"},
            _order_field(url, query),
        ),
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
                placeholder=t('Words, "a phrase", -exclude'),
                maxlength=500,
                small=True,
                end=icon_button(t("Search"), "search", type="submit", small=True),
            ),
            on_submit=search,
            label=t("Search opportunities"),
        ),
    )


def _availability(kind: Kind, url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Links that select the notices."""
    shown = [
        (OPEN, t("Open")),
        (CLOSED, t("Closed")),
        *([(AWARD, t("Award notices"))] if kind == "contract" else []),
        (ANY, t("All")),
    ]
    current = query.availability or ANY
    return _choices(t("Show"), [(label, url.href(availability=name, page=None), name == current) for name, label in shown])


def _orders(query: OpportunityQuery) -> tuple[list[tuple[str, str]], str]:
    """The values and labels of the orders, and the current value."""
    orders = [
        *([("", t("Relevance"))] if query.text else []),
        ("due", t("Due date")),
        ("-posted", t("Posted date")),
    ]
    return orders, query.sort or ("" if query.text else "-posted")


def _order_field(url: UrlState, query: OpportunityQuery) -> VdomDict:
    """The order on a narrow screen; that of another column can only come from a wide one."""
    orders, order = _orders(query)
    others = [] if order in dict(orders) else [(order, t("Other"))]
    return select_field("order", t("Sort by"), [*orders, *others], value=order, on_change=narrow(url, "sort"), small=True)


def _choices(label: str, entries: list[tuple[str, str, bool]], *, is_wide: bool = False) -> VdomDict:
    """Links, one of which is current; with `is_wide`, not on a narrow screen."""
    return html.div(
        {
            "className": classes("fw-segments", "fw-hide-small" if is_wide else None),
            "role": "group",
            "aria-label": label,
            "title": label,
        },
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


def filter_panel(
    kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, own_categories: list[CategoryRead]
) -> VdomDict:
    """The filters, sent on request: most people use the list without them, and their options are larger than a page of the list. Whether
    they are shown is in the address, so that a page that lost its connection restores them."""
    is_open = url.get("filters") == "open"
    content = (_presets(url, query), _filters(kind, url, query, facets, own_categories)) if is_open else ()
    return html.div({"className": "fw-card", "hidden": not is_open, "key": "filters"}, *content)


def _presets(url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Links to filters that people often need."""
    today = day_in_washington(now())
    week, month = today - timedelta(days=7), today + timedelta(days=30)
    return html.div(
        {"className": "fw-chips", "role": "group", "aria-label": t("Often used")},
        *(
            html.a(
                attributes(
                    className="fw-chip",
                    href=url.href(page=None, **changes),
                    aria_current="true" if all(getattr(query, name) == value for name, value in changes.items()) else None,
                    key=label,
                ),
                label,
            )
            for label, changes in (
                (t("Due within 30 days"), {"due_from": today, "due_to": month}),
                (t("Posted this week"), {"posted_from": week, "posted_to": None}),
            )
        ),
    )


def _filters(kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, own_categories: list[CategoryRead]) -> VdomDict:
    """Each filter applies as soon as it is chosen."""
    any_ = Option("", t("Any"))
    # The numbers include open, closed, and award notices.
    are_counted = query.availability is None

    def with_count(label: str, value: FacetValue) -> str:
        return f"{label} ({number(value.count)})" if are_counted else label

    def several(name: str, label: str, values: Iterable[FacetValue], text: Callable[[FacetValue], str]) -> VdomDict:
        chosen: tuple[str, ...] = getattr(query, name)
        options = [Option(value.value, with_count(text(value), value)) for value in values if value.value not in chosen]
        return select_field(name, label, [any_, *options], on_change=partial(_add_to, url, name, chosen))

    def begin_naics(typed: str) -> None:
        url.set(naics=typed.strip(), page=None)  # the Back button does not undo typing

    return html.div(
        {"className": "fw-filters", "role": "group", "aria-label": t("Filters")},
        _agency_filter(facets.agencies, query.agency, are_counted=are_counted, key="agency"),
        several("type", t("Type"), _types_of(facets.types, query.availability), lambda value: value.label),
        several("set_aside", t("Set-aside"), facets.set_asides, lambda value: value.label)
        if kind == "contract"
        else several(
            "activity_code",
            t("Activity code"),
            sorted(facets.activity_codes, key=lambda value: value.value),
            lambda value: value.value,
        ),
        text_field(
            "naics",
            t("NAICS begins with"),
            value=query.naics,
            maxlength=6,
            keyboard="numeric",
            on_change=begin_naics,
        )
        if kind == "contract"
        else None,
        day_filter(url, query, "due_from", t("Due on or after")),
        day_filter(url, query, "due_to", t("Due on or before")),
        day_filter(url, query, "posted_from", t("Posted on or after")),
        day_filter(url, query, "posted_to", t("Posted on or before")),
        select_field(
            "category",
            t("Category"),
            [any_, *(Option(str(category.id), category.name) for category in own_categories)],
            value=str(query.category or ""),
            on_change=narrow(url, "category"),
        ),
    )


def _types_of(types: Iterable[FacetValue], availability: Availability | None) -> list[FacetValue]:
    """Return the types that notices of this availability can have."""
    can_be: Mapping[Availability | None, Callable[[str], bool]] = {
        None: lambda _type: True,
        "open": lambda type_: type_ not in NEVER_OPEN,
        "closed": lambda type_: type_ != AWARD_NOTICE,
        "award": lambda type_: type_ == AWARD_NOTICE,
    }
    return [type_ for type_ in types if can_be[availability](type_.value)]


def _add_to(url: UrlState, name: str, chosen: Sequence[str], value: str) -> None:
    if value:
        url.go(page=None, **{name: SEPARATOR.join((*chosen, value))})


@component
def _agency_filter(agencies: Sequence[FacetValue], chosen: Sequence[str], *, are_counted: bool) -> VdomDict:
    """A field that suggests the agencies whose names contain what is typed, and filters by one as soon as its name is complete."""
    url = use_url_state()
    typed, set_typed = use_state("")
    names = {agency_name(agency.label): agency for agency in agencies if agency.value not in chosen}
    by_name = {name.casefold(): agency for name, agency in names.items()}

    def enter(text: str) -> None:
        agency = by_name.get(text.strip().casefold())
        set_typed("" if agency else text)
        if agency:
            _add_to(url, "agency", chosen, agency.value)

    return html.div(
        text_field(
            "agency", t("Agency"), value=typed, placeholder=t("Any"), suggestions="agencies", maxlength=200, on_change=enter
        ),
        html.datalist(
            {"id": "agencies"},
            *(
                html.option({"value": name, "key": name}, number(agency.count) if are_counted else None)
                for name, agency in names.items()
            ),
        ),
    )


def active_filters(url: UrlState, query: OpportunityQuery, facets: Facets, own_categories: list[CategoryRead]) -> VdomDict | None:
    """The active filters, each with a link that removes it."""
    names = {str(category.id): category.name for category in own_categories}
    set_asides = {value.value: value.label for value in facets.set_asides}
    search = (t("Search: {words}", words=query.text), url.href(q=None, page=None))  # on a narrow screen, only the field has it
    entries = [search] if query.text else []
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
                attributes(key=f"{label}:{index}", className="fw-hide-small" if (label, href) == search else None),
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
