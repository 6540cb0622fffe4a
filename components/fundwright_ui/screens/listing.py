"""What lists have in common whose page, order and filters stand in the address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from reactpy import html
from reactpy.types import Component, VdomDict

from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest
from fundwright_ui.hooks import Connection, UrlState
from fundwright_ui.ui import button, form, link_button, pagination, text_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import RowOpened, Sort, TableQuery

Q = TypeVar("Q", bound=PageRequest)
T = TypeVar("T")


async def existing_page(read: Callable[[Q], Awaitable[Page[T]]], query: Q) -> Page[T]:
    """The page that is asked for, or the last one when the list has become shorter than the address knows."""
    found = await read(query)
    if found.total and not found.items:
        return await read(query.model_copy(update={"page": -(-found.total // query.page_size)}))
    return found


def has_filters(query: PageRequest) -> bool:
    return bool(_filters(query))


def sort_of(query: PageRequest) -> Sort | None:
    return Sort(field=query.sort_field, direction="desc" if query.is_descending else "asc") if query.sort else None


def narrow(url: UrlState, name: str) -> Callable[[str], None]:
    """Writes into the address what the field of a filter holds; the list begins at its first page again."""

    def narrowed(value: str) -> None:
        url.set(**{name: value}, page=None)

    return narrowed


def open_below(connection: Connection, path: str) -> Callable[[RowOpened], None]:
    """Goes to the page below `path` that has the id of the row."""

    def opened(row: RowOpened) -> None:
        connection.navigate(f"{path}/{row.id}")

    return opened


def ask(url: UrlState, *, prefix: str = "") -> Callable[[TableQuery], None]:
    """Writes into the address what a table asks for, as parameters whose names begin with `prefix`."""

    def asked(wanted: TableQuery) -> None:
        sort = f"{'-' if wanted.sort.direction == 'desc' else ''}{wanted.sort.field}" if wanted.sort else ""
        is_same_order = sort == url.get(f"{prefix}sort")
        changes = {
            "page": wanted.page if wanted.page > 1 and is_same_order else None,
            "page_size": wanted.page_size if wanted.page_size != PageRequest().page_size else None,
            "sort": sort,
        }
        url.set(**{f"{prefix}{name}": value for name, value in changes.items()})

    return asked


def filters(url: UrlState, *fields: Child) -> Component:
    """A form whose fields have the names of the query's parameters in the address. Their `value` is the applied one."""

    def apply(content: dict[str, Any]) -> None:
        url.set(page=None, **{name: str(value).strip() for name, value in content.items()})

    return form(
        html.div({"className": "fw-filters"}, *fields, button(t("Apply filters"), type="submit")),
        on_submit=apply,
        label=t("Filters"),
    )


def search_box(url: UrlState, label: str) -> VdomDict:
    """A search whose words stand in the address, as `q`."""
    words = url.get("q")

    def search(fields: dict[str, Any]) -> None:
        url.set(q=str(fields.get("q", "")).strip(), page=None)

    return html.div(
        {"role": "search"},
        form(
            html.div(
                {"className": "fw-filters"},
                text_field("q", t("Search"), type="search", value=words, maxlength=200),
                button(t("Search"), type="submit", look="contained", icon_name="search"),
            ),
            on_submit=search,
            label=label,
        ),
    )


def pages(url: UrlState, found: Page[Any]) -> VdomDict | None:
    """Links to the pages of a list, when it has several."""
    return pagination(found.page, -(-found.total // found.page_size), href=lambda page: url.href(page=page if page > 1 else None))


def export_button(
    connection: Connection, path: str, count: int, query: PageRequest | None = None, label: str | None = None
) -> VdomDict | None:
    """A link to the whole list as CSV, filtered and sorted as it is shown. `label` names the list where a page has several.

    `count` is how many rows the list has. An empty list has no link, because its file would contain nothing but headings.
    """
    if not count:
        return None
    query = query or PageRequest()
    asked = _filters(query) | ({"sort": query.sort} if query.sort else {})
    address = f"{path}?{urlencode(asked, doseq=True)}" if asked else path
    return link_button(label or t("Export as CSV"), connection.href(address), size="small", icon_name="download", download=True)


def _filters(query: PageRequest) -> dict[str, Any]:
    return query.model_dump(mode="json", exclude_defaults=True, exclude=set(PageRequest.model_fields))
