"""The parts that lists share. The page, order, and filters of a list are in the address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlencode

from reactpy import html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest
from fundwright_ui.hooks import Rows, UrlState, use_query, use_rows, use_url_state
from fundwright_ui.hooks.query import Query
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import Connection, use_connection
from fundwright_ui.ui import Fields, Option, button, form, link_button, loading, more_rows, pagination, problem, text_field
from fundwright_ui.ui.buttons import ButtonVariant
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Column, Row, RowOpened, Sort, TableQuery, data_table

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
    nothing: VdomDict,
    narrow: Child = None,
    above: Child = None,
    on_open: Callable[[RowOpened], None] | None = None,
) -> list[Child]:
    """The `list_bar`, the table with `above` before it, and new rows. `export` is the path of the CSV file of the whole list, and
    `nothing` replaces a table without rows."""
    connection, url = use_connection(), use_url_state()
    shown = listing.rows.shown
    return [
        list_bar(narrow, count, export_button(connection, export, len(shown), listing.query)),
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
        )
        if shown
        else nothing,
        listing.more(),
    ]


def list_bar(narrow: Child, count: str, export: Child) -> VdomDict:
    """The line above a list: the search and filters (`narrow`), the number of items, and the link to its CSV file."""
    facts = html.div({"className": "fw-list-facts", "key": "facts"}, html.p({"role": "status"}, count), export)
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
    on_open: Callable[[RowOpened], None] | None = None,
    prefix: str = "",
) -> VdomDict:
    """A table with one page of a list. The page and the order are in the address, in parameters that start with `prefix`."""
    return data_table(
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
        key=f"{prefix}table",
    )


async def existing_page(read: Callable[[Q], Awaitable[Page[T]]], query: Q) -> Page[T]:
    """The requested page, or the last one if the list has become shorter."""
    found = await read(query)
    if found.total and not found.items:
        return await read(query.model_copy(update={"page": -(-found.total // query.page_size)}))
    return found


def has_filters(query: PageRequest) -> bool:
    return bool(_filters(query))


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


def filters(url: UrlState, *fields: Child) -> Component:
    """A form whose fields are named like the query parameters in the address. Each `value` is the applied one."""

    def apply(content: Fields) -> None:
        url.go(page=None, **{name: str(value).strip() for name, value in content.items()})

    return form(
        html.div({"className": "fw-filters"}, *fields, button(t("Apply filters"), type="submit")),
        on_submit=apply,
        label=t("Filters"),
    )


def text_filter(value: str) -> VdomDict:
    """The field of `filters` for the parameter `text`."""
    return text_field("text", t("Search"), type="search", value=value, maxlength=200)


def search_box(url: UrlState, label: str, *filters: Child) -> VdomDict:
    """A search, whose words are in the address as `q`, and the filters of a list beside it."""
    words = url.get("q")

    def search(fields: Fields) -> None:
        url.go(q=str(fields.get("q", "")).strip(), page=None)

    box = html.div(
        {"role": "search"},
        form(
            html.div(
                {"className": "fw-filters"},
                text_field("q", t("Search"), type="search", value=words, maxlength=200),
                button(t("Search"), type="submit", icon_name="search"),
            ),
            on_submit=search,
            label=label,
        ),
    )
    return html.div({"className": "fw-filter-row", "key": "narrow"}, box, html.div({"className": "fw-filters"}, *filters))


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
    query = query or PageRequest()
    asked = _filters(query) | ({"sort": query.sort} if query.sort else {})
    address = f"{path}?{urlencode(asked, doseq=True)}" if asked else path
    return link_button(
        label or t("Export as CSV"), connection.href(address), variant=variant, size="small", icon_name="download", download=True
    )


def _filters(query: PageRequest) -> dict[str, Any]:
    return query.model_dump(mode="json", exclude_defaults=True, exclude=set(PageRequest.model_fields))
