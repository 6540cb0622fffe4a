"""The parts that lists share. The page, order, and filters of a list are in the address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlencode

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page, PageRequest
from fundwright_ui.hooks import Rows, UrlState, is_valid, use_query, use_rows, use_url_state
from fundwright_ui.hooks.query import Query
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import Connection, use_connection
from fundwright_ui.runtime.events import handler
from fundwright_ui.ui import (
    Fields,
    Option,
    empty,
    form,
    icon,
    icon_button,
    link_button,
    loading,
    more_rows,
    pagination,
    problem,
    select_field,
    text_field,
)
from fundwright_ui.ui.buttons import ButtonVariant
from fundwright_ui.ui.elements import Child, attributes, classes
from fundwright_ui.widgets import Column, On, Row, RowOpened, Sort, TableQuery, data_table

Q = TypeVar("Q", bound=PageRequest)
T = TypeVar("T")
V = TypeVar("V")


class Labeled(Protocol):
    @property
    def value(self) -> str: ...
    @property
    def label(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Listing(Generic[V, T]):
    """A list whose query is in the address, and whose rows stay in place while someone works on them."""

    query: PageRequest
    found: Query[V]
    rows: Rows[T]

    @property
    def answer(self) -> V | None:
        """The loaded value; None while `pending` is shown instead."""
        return None if self.found.error else self.found.value

    def pending(self, label: str) -> VdomDict:
        """Shows that the list is loading, or why it could not be loaded."""
        return problem(self.found.error, on_retry=self.found.reload) if self.found.error else loading(label)

    def load(self) -> None:
        """Load the list again and show the current rows."""
        self.found.reload()
        self.rows.load()

    def more(self) -> VdomDict:
        """Goes below the rows; see `more_rows`."""
        return more_rows(self.rows.more, on_load=self.load, outcome=self.rows.last_outcome)

    def counted(self, count: str) -> str:
        """The number of items, and how many of the rows above which it stands an action has removed from the list."""
        settled = sum(1 for each in self.rows.shown if each.outcome)
        return " · ".join((count, nt("{n} done", "{n} done", settled))) if settled else count

    def opened(self, url: UrlState) -> T | None:
        """The selected item (`open_beside`), unless an action has removed it."""
        return next((each.item for each in self.rows.shown if each.id == url.get("open") and not each.outcome), None)


def use_listing(
    read: Callable[[AsyncSession], Awaitable[V]],
    query: PageRequest,
    items: Callable[[V], Sequence[T] | Page[T]],
    *,
    id: Callable[[T], object],
    key: Sequence[object] = (),
    topics: Sequence[str] = (),
) -> Listing[V, T]:
    """Load a list (`use_query`) for the `query` of the address and keep its rows in place (`use_rows`). `key` contains everything
    else that the list depends on."""
    found = use_query(read, key=[query, *key], topics=topics)
    return Listing(query, found, use_rows(found, items, key=[query, *key], id=id))


def listed_table(
    listing: Listing[V, T],
    listed: Page[T],
    *,
    label: str,
    count: str,
    columns: Sequence[Column],
    row_of: Callable[[KeptRow[T]], Row],
    export: str,
    nothing: str,
    narrow: Child = None,
    above: Child = None,
    on_open: On[RowOpened] = None,
    on_action: On[RowOpened] = None,
) -> list[Child]:
    """The `list_bar`, the table with `above` before it, and new rows. `export` is the path of the CSV file of the whole list, and
    `nothing` is shown if no item matches the filters."""
    connection, url = use_connection(), use_url_state()
    shown = listing.rows.shown
    return [
        list_bar(
            narrow,
            listing.counted(count),
            export_button(connection, export, len(shown), listing.query),
            sort=sort_choice(url, listing.query, columns) if shown else None,
        ),
        above,
        page_table(
            url,
            listing.query,
            listed,
            label=label,
            columns=columns,
            rows=[row_of(each) for each in shown],
            is_loading=listing.found.is_slow,
            on_open=on_open,
            on_action=on_action,
            is_sorted_above=True,
        )
        if shown
        else no_match(url, listing.query, nothing),
        listing.more(),
    ]


def list_bar(narrow: Child, count: str, export: Child, *, sort: Child = None) -> VdomDict:
    """The line above a list: the search and filters (`narrow`), the number of items, and the link to its CSV file. On a narrow screen,
    also its order (`sort_choice`)."""
    facts = html.div({"className": "fw-list-facts", "key": "facts"}, html.p({"role": "status"}, count), sort, export)
    return html.div({"className": "fw-list-bar", "key": "bar"}, narrow, facts)


def page_table(
    url: UrlState,
    query: PageRequest,
    listed: Page[Any],
    *,
    label: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    is_loading: bool = False,
    empty_text: str = "",
    is_dense: bool = False,
    is_sorted_above: bool = False,
    on_open: On[RowOpened] = None,
    on_action: On[RowOpened] = None,
    prefix: str = "",
) -> VdomDict:
    """A table with one page of a list. The page and the order are in the address, in parameters that start with `prefix`. The
    `sort_choice` is included unless the screen shows one above."""
    table = data_table(
        label=label,
        columns=columns,
        rows=rows,
        total=listed.total,
        page=listed.page,
        page_size=listed.page_size,
        sort=sort_of(query),
        is_loading=is_loading,
        empty_text=empty_text,
        is_dense=is_dense,
        on_query=ask(url, prefix=prefix),
        on_open=on_open,
        on_action=on_action,
        key=f"{prefix}table",
    )
    has_own_choice = bool(rows) and not (is_dense or is_sorted_above)
    return html.fragment(sort_choice(url, query, columns, prefix=prefix) if has_own_choice else None, table)


async def existing_page(read: Callable[[Q], Awaitable[Page[T]]], query: Q) -> Page[T]:
    """The requested page, or the last one if the list has become shorter."""
    found = await read(query)
    if found.total and not found.items:
        return await read(query.model_copy(update={"page": -(-found.total // query.page_size)}))
    return found


def has_filters(query: PageRequest) -> bool:
    return bool(_filters(query))


def no_match(url: UrlState, query: PageRequest, message: str) -> VdomDict:
    """A list whose filters match nothing, with a link that removes them."""
    filters = type(query).model_fields.keys() - PageRequest.model_fields.keys()
    label = t("Clear search and filters") if getattr(query, "text", "") else t("Clear filters")
    return empty(message, link_button(label, url.href(**dict.fromkeys((*filters, "page"))), size="small"), icon_name="search")


def sort_of(query: PageRequest) -> Sort | None:
    """The order of the list, for a table's `sort`."""
    return Sort(field=query.sort_field, direction="desc" if query.is_descending else "asc") if query.sort else None


def narrow(url: UrlState, name: str) -> Callable[[str], None]:
    """Write the value of a filter field to the address and return to the first page."""

    def narrowed(value: str) -> None:
        url.go(**{name: value}, page=None)

    return narrowed


def open_below(connection: Connection, path: str) -> Callable[[RowOpened], None]:
    """Go to the page below `path` with the id of the row."""

    def opened(row: RowOpened) -> None:
        connection.navigate(f"{path}/{row.id}")

    return opened


def open_beside(url: UrlState) -> Callable[[RowOpened], None]:
    """Write the selected row to the address as `open`; `Listing.opened` finds its item."""

    def opened(event: RowOpened) -> None:
        url.set(open=event.id)

    return opened


def choices(values: Iterable[Labeled], everything: str) -> list[Option]:
    """The options of a filter: `everything`, or one of the values."""
    return [Option("", everything), *(Option(each.value, each.label) for each in values)]


def ask(url: UrlState, *, prefix: str = "") -> Callable[[TableQuery], None]:
    """Write a table's query to the address, in parameters that start with `prefix`."""

    def asked(wanted: TableQuery) -> None:
        sort = f"{'-' if wanted.sort.direction == 'desc' else ''}{wanted.sort.field}" if wanted.sort else ""
        is_same_order = sort == url.get(f"{prefix}sort")
        changes = {
            "page": wanted.page if wanted.page > 1 and is_same_order else None,
            "page_size": wanted.page_size if wanted.page_size != PageRequest().page_size else None,
            "sort": sort,
        }
        url.go(**{f"{prefix}{name}": value for name, value in changes.items()})

    return asked


def search_box(url: UrlState, query: PageRequest, label: str, *fields: Child) -> VdomDict:
    """A `search_field`, and the filters of a list beside it (`filter_row`)."""
    return filter_row(url, query, *fields, search=search_field(url, label))


def search_field(url: UrlState, label: str) -> VdomDict:
    """A search, whose words are in the address as `text`."""

    def search(typed: Fields) -> None:
        url.go(text=str(typed.get("text", "")).strip(), page=None)

    return html.div(
        {"role": "search"},
        form(
            text_field(
                "text",
                t("Search"),
                type="search",
                value=url.get("text"),
                maxlength=200,
                end=icon_button(t("Search"), "search", type="submit", small=True),
            ),
            on_submit=search,
            label=label,
        ),
    )


def filter_row(url: UrlState, query: PageRequest, *fields: Child, search: Child = None) -> VdomDict:
    """The filters of a list, each of which applies as soon as it is chosen. On a narrow screen, a button shows them; they are shown
    while one is active."""
    is_active = bool(_filters(query).keys() - {"text"})
    url.open(filters=("open", "closed"))
    is_open = url.get("filters", "open" if is_active else "closed") == "open"
    toggle = attributes(
        type="button",
        className="fw-button fw-button-outlined fw-only-narrow",
        aria_expanded=is_open,
        onClick=handler(lambda: url.set(filters="closed" if is_open else "open")),
    )
    return html.div(
        {"className": "fw-filter-row", "key": "narrow"},
        search,
        html.button(toggle, icon("filter"), t("Filters")),
        html.div(
            {"className": classes("fw-filters", None if is_open else "fw-folded"), "role": "group", "aria-label": t("Filters")},
            *fields,
        ),
    )


def day_filter(url: UrlState, query: PageRequest, name: str, label: str) -> VdomDict:
    """A filter for the day in the field `name` of the query."""
    narrow_by = narrow(url, name)

    def enter(typed: str) -> None:
        # With each digit of a year that is typed, browsers send a date, such as one in the year 0002 for 2026.
        if not typed or is_valid(type(query), {name: typed}):
            narrow_by(typed)

    return text_field(name, label, type="date", value=str(getattr(query, name) or ""), on_change=enter)


def sort_choice(url: UrlState, query: PageRequest, columns: Sequence[Column], *, prefix: str = "") -> VdomDict | None:
    """The order of a list on a narrow screen, where its table has no headers."""
    orders = [
        Option(f"{sign}{column.field}", f"{column.label} {arrow}")
        for column in columns
        if column.is_sortable
        for sign, arrow in (("", "↑"), ("-", "↓"))
    ]

    def choose(order: str) -> None:
        url.go(**{f"{prefix}sort": order, f"{prefix}page": None})

    if not orders:
        return None
    choice = select_field(
        f"{prefix}sort", t("Sort by"), [Option("", t("Default order")), *orders], value=query.sort or "", on_change=choose
    )
    return html.div({"className": "fw-only-narrow fw-sort", "key": f"{prefix}sort"}, choice)


def pages(url: UrlState, found: Page[Any]) -> VdomDict | None:
    """Links to the pages of a list that has several."""
    return pagination(found.page, -(-found.total // found.page_size), href=lambda page: url.href(page=page if page > 1 else None))


def export_button(
    connection: Connection,
    path: str,
    count: int,
    query: PageRequest | None = None,
    *,
    label: str | None = None,
    variant: ButtonVariant = "outlined",
) -> VdomDict | None:
    """A link to the CSV file of the whole list, with the current filters and order. `label` names the list if a page has several.

    `count` is the number of rows. An empty list has no link, because its file would contain only headings.
    """
    if not count:
        return None
    address = connection.href(export_path(path, query or PageRequest()))
    return link_button(label or t("Export as CSV"), address, variant=variant, size="small", icon_name="download", download=True)


def export_path(path: str, query: PageRequest) -> str:
    """The path of the CSV file of a whole list, with its current filters and order."""
    asked = _filters(query) | ({"sort": query.sort} if query.sort else {})
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def _filters(query: PageRequest) -> dict[str, Any]:
    return query.model_dump(mode="json", exclude_defaults=True, exclude=set(PageRequest.model_fields))
