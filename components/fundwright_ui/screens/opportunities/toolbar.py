"""The controls above the opportunities list: kinds, search, filters, and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.categories.schemas import CategoryRead
from fundwright.core.messages import t
from fundwright.opportunities.schemas import Facets, Kind, OpportunityQuery
from fundwright_ui.hooks import UNCHANGED, UrlState, use_unchanged, use_url_state
from fundwright_ui.product import SavedState, use_connection
from fundwright_ui.screens.listing import narrow
from fundwright_ui.screens.notice_address import AWARD, PATHS, SHARED, VERBATIM
from fundwright_ui.screens.opportunities.filters import filter_chips
from fundwright_ui.screens.opportunities.jobs import embedding_progress
from fundwright_ui.screens.opportunities.table_view import TableView, view_menu
from fundwright_ui.screens.searches.menu import saved_searches_menu
from fundwright_ui.ui import Fields, Tab, form, icon_button, row, select_field, tabs, text_field, text_link


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
def toolbar(
    kind: Kind,
    query: OpportunityQuery,
    count: str,
    view: SavedState[TableView],
    facets: Facets,
    own_categories: Sequence[CategoryRead],
) -> VdomDict:
    """Search, filters, the number of opportunities, order, and the menu of columns. Stays as it is on other pages."""
    url = use_url_state()
    if use_unchanged(url.params | {"page": ""}, count, view.value, facets, own_categories):
        return UNCHANGED
    return html.div(
        {"className": "fw-toolbar"},
        _search_form(url),
        filter_chips(kind, url, query, facets, own_categories),
        html.p({"role": "status", "className": "fw-toolbar-count"}, count),
        embedding_progress(key="embedding"),
        saved_searches_menu(query, key="saved"),
        html.div({"className": "fw-sort"}, _order_field(url, query)),
        view_menu(kind, view),
    )


def _search_form(url: UrlState) -> VdomDict:
    words = url.get("q")

    def search(fields: Fields) -> None:
        url.go(q=str(fields.get("q", "")).strip(), verbatim=None, page=None)

    def clear() -> None:
        url.go(q=None, verbatim=None, page=None)

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
                end=html.div(
                    {"className": "fw-input-end"},
                    icon_button(t("Clear search"), "close", name="q", on_click=clear, small=True) if words else None,
                    icon_button(t("Search"), "search", type="submit", small=True),
                ),
            ),
            on_submit=search,
            label=t("Search opportunities"),
        ),
    )


def _order_field(url: UrlState, query: OpportunityQuery) -> VdomDict:
    """The order; that of another column can only come from the table."""
    orders = [
        *([("", t("Relevance"))] if query.text else []),
        ("due", t("Due date")),
        ("-posted", t("Posted date")),
    ]
    order = query.sort or ("" if query.text else "-posted")
    others = [] if order in dict(orders) else [(order, t("Other"))]
    return select_field("order", t("Sort by"), [*orders, *others], value=order, on_change=narrow(url, "sort"), small=True)


def correction(url: UrlState, typed: str, searched: str) -> VdomDict:
    return row(
        html.span({"role": "status"}, t("Showing results for {words}.", words=searched)),
        text_link(t("Search instead for {words}", words=typed), url.href(verbatim=VERBATIM, page=None)),
        key="corrected",
    )
