"""A table. The server sorts and pages it, formats its cells, and paints it before any script runs."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from math import ceil
from typing import Any, Literal
from uuid import UUID

from babel import Locale
from babel.dates import format_date
from babel.numbers import NumberPattern, parse_pattern
from reactpy.types import VdomDict
from typing_extensions import TypeAliasType

from fundwright.core.messages import current_language, number, percent, t
from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.html import paints
from fundwright_ui.runtime.vdom import to_node
from fundwright_ui.ui import Color, icon, moment
from fundwright_ui.ui.elements import classes
from fundwright_ui.widgets.base import On, Props, Widget

ColumnKind = Literal["text", "number", "money", "percent", "date", "datetime", "chips", "link"]

_NUMBERS = frozenset(("number", "money", "percent"))
_TEXTS = frozenset(("text", "chips", "link"))
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GROUPS = re.compile("(.{8})(.{4})(.{4})(.{4})(.{12})")
_SHORT_UUID = re.compile(r"~[\w-]{22}", re.ASCII)
_PAGE_SIZES = (10, 25, 50, 100)
_USUAL_WIDTH = 1200
_USUAL_WIDTH_OF_DENSE = 1100
"""Of the list of opportunities in a window of 1440 px, rounded down."""
_PADDING = 20
_PADDING_OF_CHIP = 16
_GAP_OF_CHIPS = 8
_WIDTH_OF_EYE = 56
_STEP = 8
"""Widths are multiples of this, so that columns rarely move from page to page."""
_ARROW = 14
_SHARE_OF_SMALL_TEXT = 0.9
"""Width of the text of headers and chips, 12 px and bold, compared with that of cells, 14 px."""
_USUAL_CHARACTER = 7.7
_CHARACTERS = {
    character: width
    for characters, width in (
        (" \u202f\xa0'!(),.:;I[]`ijl|·’", 4.0), ('"*-/Jfrt{}', 6.0), ("0123456789ABCDEGHKNOPQRSUVXYZ$&w", 10.0), ("%@MWm", 12.5),
    )
    for character in characters
}  # fmt: skip
"""Widths in pixels of characters in cells that differ from the usual one."""


class Chip(Props):
    """A short colored label in a `chips` cell."""

    label: str
    color: Color = "primary"
    is_locked: bool = False
    """Whether a lock is before the label."""


class LinkCell(Props):
    """A link in a `link` cell; `href` with the proxy's prefix (`connection.href`)."""

    label: str
    href: str


class NoteCell(Props):
    """A text in a cell with a `note` that the pointer shows; `secondary` is the color of other text."""

    label: str
    note: str
    color: Color = "secondary"


class DetailCell(Props):
    """A text in a cell with a less important one below it, such as the name of a file."""

    label: str
    detail: str


class ActionCell(Props):
    """A button in a cell, for what a row is listed for. `name` is its accessible name and begins with the label. It calls `on_action`."""

    label: str
    name: str


class WatchCell(Props):
    """A button with an eye in a cell, which is open while the row `is_watched`. Its accessible name is the label of the column with what the
    row is called. It calls `on_action`."""

    is_watched: bool


Cell = (
    str | int | float | bool | Decimal | date | UUID
    | LinkCell | NoteCell | DetailCell | ActionCell | WatchCell | tuple[Chip, ...] | None
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column. `percent` cells are shares between 0 and 1, `money` cells amounts of `currency`, and `date` and `datetime` cells
    values of these types."""

    field: str
    label: str
    kind: ColumnKind = "text"
    is_sortable: bool = False
    is_shown: bool = True
    """Whether this page has the column. It is sent anyway, so that a page with other columns only says which ones it has."""
    is_compact: bool = True
    """Also shown on a narrow screen."""
    is_wide: bool = False
    """Of a dense table, shown only where it is at least 1,400 px wide, and on a narrow screen."""
    flex: float = 1
    """Share of the remaining width, unless the table is dense."""
    min_width: int = 120
    """Pixels. In dense tables, only of the first column."""
    currency: str = "USD"
    """ISO 4217, for money."""
    href_base: str = ""
    """Base address of the links of a `link` column, followed by the row's id; with the proxy's prefix (`connection.href`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row; `cells` by the field of the column."""

    id: str
    cells: Mapping[str, Cell]


class Sort(Props):
    field: str
    direction: Literal["asc", "desc"] = "asc"


class TableQuery(Props):
    """The page and order that the person wants."""

    page: int
    """From 1."""
    page_size: int
    sort: Sort | None = None


class RowOpened(Props):
    """The person opened a row, or pressed the button in it."""

    id: str


class TableColumn(Props):
    """A column as it is sent."""

    field: str
    label: str
    is_number: bool
    is_moment: bool
    is_sortable: bool
    href_base: str


TableCell = TypeAliasType("TableCell", str | LinkCell | NoteCell | DetailCell | ActionCell | WatchCell | tuple[Chip, ...])


class DataTable(Widget):
    """A table as it is sent: `columns` are those of all pages, `shown` the indexes of those of this page, and `compact` and `wide` of those
    for narrow screens and only for wide ones. `rows` are the cells of this page by shown column, `ids` identify the rows (see `_short_id`),
    and `total` counts those of all pages. `widths` of the shown columns are in pixels; the remaining width is shared in proportion, or
    belongs to a column without one. What differs from page to page is not part of `columns`, which would then be sent with every page.
    Every row of a dense table is one line, or two on a narrow screen. Every change of page or order calls `on_query`. Created by
    `data_table`."""

    label: str
    columns: Sequence[TableColumn]
    shown: Sequence[int]
    compact: Sequence[int]
    wide: Sequence[int]
    widths: Sequence[int | None]
    rows: Sequence[Sequence[TableCell]]
    ids: Sequence[str]
    total: int
    page: int
    page_size: int
    sort: Sort | None
    is_loading: bool
    is_dense: bool
    empty_text: str
    on_query: On[TableQuery] = None
    on_open: On[RowOpened] = None
    on_action: On[RowOpened] = None


def data_table(
    *,
    label: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    total: int | None = None,
    page: int = 1,
    page_size: int = 25,
    sort: Sort | None = None,
    is_loading: bool = False,
    is_dense: bool = False,
    empty_text: str = "",
    on_query: On[TableQuery] = None,
    on_open: On[RowOpened] = None,
    on_action: On[RowOpened] = None,
    key: str | None = None,
) -> VdomDict:
    """A table of one page out of `total` rows, or of these rows alone if `total` is omitted. A row that does not change is not
    drawn again. With `is_dense`, for lists that people scan, each row is one line, and on a narrow screen two lines without labels;
    columns are as wide as their texts, and the first one gets the rest."""
    shown = [column for column in columns if column.is_shown]
    kinds = [(column.field, _writer(column)) for column in shown]
    written = [[write(row.cells.get(field)) for field, write in kinds] for row in rows]
    return DataTable(
        label=label,
        columns=[_sent_column(column) for column in columns],
        shown=_indexes(column.is_shown for column in columns),
        compact=_indexes(column.is_compact for column in columns),
        wide=_indexes(column.is_wide for column in columns),
        widths=_widths_of_texts(shown, written) if is_dense else _shared_widths(shown),
        rows=written,
        ids=[_short_id(row.id) for row in rows],
        total=len(rows) if total is None else total,
        page=page,
        page_size=page_size,
        sort=sort,
        is_loading=is_loading,
        is_dense=is_dense,
        empty_text=empty_text or t("No data"),
        on_query=on_query,
        on_open=on_open,
        on_action=on_action,
        key=key,
    )


def _indexes(of: Iterable[bool]) -> list[int]:
    return [index for index, is_so in enumerate(of) if is_so]


def _short_id(id: str) -> str:
    """Shorten a UUID to "~" and its 16 bytes in base64. As hexadecimal digits, the ids are 40% of a compressed page."""
    return f"~{urlsafe_b64encode(bytes.fromhex(id.replace('-', '')))[:22].decode()}" if _UUID.fullmatch(id) else id


def whole_id(sent: str) -> str:
    """The id of a row from what `_short_id` made of it."""
    return _GROUPS.sub(r"\1-\2-\3-\4-\5", urlsafe_b64decode(f"{sent[1:]}==").hex()) if _SHORT_UUID.fullmatch(sent) else sent


def _sent_column(column: Column) -> TableColumn:
    return TableColumn(
        field=column.field,
        label=column.label,
        is_number=column.kind in _NUMBERS,
        is_moment=column.kind == "datetime",
        is_sortable=column.is_sortable,
        href_base=column.href_base,
    )


def _shared_widths(columns: Sequence[Column]) -> list[int]:
    """Divide the width: each column gets its minimum width and, at the usual width of a table, its share of the rest. Then reduce all
    widths in proportion as long as each column keeps its minimum; with less space, the table scrolls."""
    least = sum(column.min_width for column in columns)
    parts = sum(column.flex for column in columns)
    width = max(_USUAL_WIDTH, least)
    shares = [(column.min_width + (width - least) * column.flex / parts) / width for column in columns]
    tightest = max((column.min_width / share for column, share in zip(columns, shares, strict=True)), default=0)
    return [ceil(share * tightest) for share in shares]


def _widths_of_texts(columns: Sequence[Column], rows: Sequence[Sequence[TableCell]]) -> list[int | None]:
    """Give each column the width of its longest text, and the first one the rest. If too little remains for the first one, the longest
    texts of the others are cut, but no headers, numbers, dates, and wide columns."""
    first, *others = columns
    heads = [_width_of_head(column) for column in others]
    needed = [max([head, *[_width_of(row[index]) for row in rows]]) for index, head in enumerate(heads, 1)]
    can_cut = [column.kind in _TEXTS and not column.is_wide for column in others]
    whole = sum(width for column, width, cut in zip(others, needed, can_cut, strict=True) if not (cut or column.is_wide))
    texts = sorted(width for width, cut in zip(needed, can_cut, strict=True) if cut)
    most = _highest_level(texts, _USUAL_WIDTH_OF_DENSE - first.min_width - whole)
    return [
        None,
        *(
            _STEP * ceil((max(head, min(width, most)) if cut else width) / _STEP)
            for head, width, cut in zip(heads, needed, can_cut, strict=True)
        ),
    ]


def _highest_level(widths: Sequence[float], room: float) -> float:
    """The largest width to which the `widths`, in ascending order, must be cut to fit into the `room` together."""
    for index, width in enumerate(widths):
        level = room / (len(widths) - index)
        if width > level:
            return level
        room -= width
    return max(widths, default=0)


def _width_of_head(column: Column) -> float:
    return _PADDING + _SHARE_OF_SMALL_TEXT * _text_width(column.label) + (_ARROW if column.is_sortable else 0)


def _width_of(cell: TableCell) -> float:
    if isinstance(cell, tuple):
        chips = [_PADDING_OF_CHIP + _SHARE_OF_SMALL_TEXT * _text_width(chip.label) for chip in cell]
        return _PADDING + sum(chips) + _GAP_OF_CHIPS * max(0, len(chips) - 1)
    if isinstance(cell, WatchCell):
        return _WIDTH_OF_EYE
    return _PADDING + _text_width(cell if isinstance(cell, str) else cell.label)


@lru_cache(maxsize=5_000)
def _text_width(text: str) -> float:
    """About the width of a text in a cell, in pixels."""
    return sum(_CHARACTERS.get(character, _USUAL_CHARACTER) for character in text)


def _writer(column: Column) -> Callable[[Any], TableCell]:
    """Return a function that formats the cells of a column in the current language. Only the browser knows the time zone of
    times."""
    language = current_language()

    def write(cell: Any) -> TableCell:
        if type(cell) is str or isinstance(cell, (LinkCell, NoteCell, DetailCell, ActionCell, WatchCell, tuple)):
            return cell
        if cell is None:
            return ""
        match column.kind:
            case "number":
                return number(cell)
            case "percent":
                return percent(cell)
            case "money":
                return _money(cell, column.currency, language)
            case "date":
                return _day(cell.astimezone(UTC).date() if isinstance(cell, datetime) else cell, language)
            case "datetime":
                return cell.isoformat()
            case _:
                return str(cell)

    return write


@lru_cache(maxsize=1_000)
def _day(day: date, language: str) -> str:
    return format_date(day, locale=language)


@lru_cache(maxsize=1_000)
def _money(amount: Decimal | float, currency: str, language: str) -> str:
    pattern, locale = _money_format(language)
    return pattern.apply(amount, locale, currency=currency, currency_digits=False)


@lru_cache
def _money_format(language: str) -> tuple[NumberPattern, Locale]:
    """The usual format without cents. Babel's `format_currency` would parse it again for each amount."""
    locale = Locale.parse(language)
    return parse_pattern(locale.currency_formats["standard"].pattern.replace("0.00", "0")), locale


def shown_columns(props: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns of this page from the props of a table, with `isCompact` and `isWide`."""
    return [
        {**props["columns"][index], "isCompact": index in props["compact"], "isWide": index in props["wide"]}
        for index in props["shown"]
    ]


# The same markup as web/src/widgets/DataTable renders on a wide screen. Hydration fails if they differ.


@paints(DataTable.__name__)
def _painted(node: Mapping[str, Any]) -> Sequence[Node]:
    props, events = node["a"], node.get("e", {})
    columns = shown_columns(props)
    looks = [_look(column) for column in columns]
    head = [_head(column, look, props["sort"], can_sort="onQuery" in events) for column, look in zip(columns, looks, strict=True)]
    body: list[Node] = []
    for id, cells in zip(map(whole_id, props["ids"]), props["rows"], strict=True):
        about: dict[str, Any] = {}
        name = _name_of(cells[0]) if cells else ""
        if "onOpen" in events:
            about["data-row"] = id
            if not any(map(_is_link, cells, columns)):
                about["tabIndex"] = 0
        places = zip(looks, cells, columns, strict=True)
        body.append(
            _element("tr", about, [_element("td", look, _content(cell, column, id, name)) for look, cell, column in places])
        )
    table = _element(
        "table",
        {
            "className": f"fw-table fw-table-fixed{' fw-table-dense' if props['isDense'] else ''}",
            "aria-label": props["label"],
            "aria-busy": props["isLoading"],
        },
        [
            _element(
                "colgroup",
                {},
                [
                    _element(
                        "col",
                        ({} if width is None else {"width": width}) | _look(column),
                        [],
                    )
                    for width, column in zip(props["widths"], columns, strict=True)
                ],
            ),
            _element("thead", {}, [_element("tr", {}, head)]),
            _element("tbody", {}, body),
        ],
    )
    nothing = [] if body else [_element("p", {"className": "fw-empty"}, [props["emptyText"]])]
    scroll = _element("div", {"className": "fw-table-scroll", "tabIndex": 0}, [table, *nothing])
    return [_element("div", {"className": "fw-grid-frame"}, [scroll, *(_pager(props) if "onQuery" in events else [])])]


def _name_of(cell: Any) -> str:
    return cell if isinstance(cell, str) else cell.get("label", "") if isinstance(cell, dict) else ""


def _look(column: Mapping[str, Any]) -> dict[str, Any]:
    names = classes(
        "fw-number" if column["isNumber"] else None,
        "fw-wide" if column["isWide"] else None,
        None if column["isCompact"] else "fw-spare",
    )
    return {"className": names} if names else {}


def _head(column: Mapping[str, Any], look: Mapping[str, Any], sort: Mapping[str, Any] | None, *, can_sort: bool) -> Node:
    about: dict[str, Any] = {"scope": "col", **look}
    if not (column["isSortable"] and can_sort):
        return _element("th", about, [column["label"]])
    direction = sort["direction"] if sort and sort["field"] == column["field"] else ""
    if direction:
        about["aria-sort"] = "ascending" if direction == "asc" else "descending"
    arrow = _element("span", {"aria-hidden": "true"}, [{"asc": " ↑", "desc": " ↓"}.get(direction, "")])
    return _element("th", about, [_element("button", {"type": "button", "className": "fw-table-sort"}, [column["label"], arrow])])


def _is_link(cell: Any, column: Mapping[str, Any]) -> bool:
    return "href" in cell if isinstance(cell, dict) else isinstance(cell, str) and cell != "" and column["hrefBase"] != ""


def _content(cell: Any, column: Mapping[str, Any], id: str, name: str) -> list[Node]:
    """`name` is what the row is called."""
    if isinstance(cell, str):
        if column["isMoment"] and cell:
            return [to_node(moment(datetime.fromisoformat(cell)))]
        return [_element("a", {"href": column["hrefBase"] + id}, [cell])] if _is_link(cell, column) else [cell]
    if isinstance(cell, dict) and "note" in cell:
        return [_element("span", {"className": f"fw-note-{cell['color']}", "title": cell["note"]}, [cell["label"]])]
    if isinstance(cell, dict) and "detail" in cell:
        return [cell["label"], _element("span", {"className": "fw-cell-detail"}, [cell["detail"]])]
    if isinstance(cell, dict) and "isWatched" in cell:
        about = {"type": "button", "className": "fw-icon-button fw-icon-button-small", "aria-label": f"{column['label']}: {name}"}
        pressed = {"title": column["label"], "aria-pressed": "true" if cell["isWatched"] else "false", "data-action": id}
        return [_element("button", about | pressed, [to_node(icon("visibility" if cell["isWatched"] else "watch"))])]
    if isinstance(cell, dict) and "name" in cell:
        about = {"type": "button", "className": "fw-button fw-button-outlined fw-button-small", "aria-label": cell["name"]}
        return [_element("button", {**about, "data-action": id}, [cell["label"]])]
    if isinstance(cell, dict):
        return [_element("a", {"href": cell["href"]}, [cell["label"]])]
    chips = [
        _element("span", {"className": f"fw-chip fw-chip-{chip['color']}{' fw-chip-locked' * chip['isLocked']}"}, [chip["label"]])
        for chip in cell
    ]
    return [_element("span", {"className": "fw-chips"}, chips)]


def _pager(props: Mapping[str, Any]) -> list[Node]:
    page, size, total = props["page"], props["pageSize"], props["total"]
    last = max(1, ceil(total / size))
    sizes = _PAGE_SIZES if size in _PAGE_SIZES else (size, *_PAGE_SIZES)
    if last == 1 and total <= min(sizes):
        return []

    def turn(label: str, text: str, *, can_turn: bool) -> Node:
        about = {"type": "button", "className": "fw-pagination-item", "disabled": not can_turn, "aria-label": label}
        return _element("button", about, [text])

    options = [_element("option", {"value": each}, [str(each)]) for each in sizes]
    choice = _element("select", {"className": "fw-input fw-input-small", "value": size}, options)
    shown = t("Page {page} of {last}", page=number(page), last=number(last))
    return [
        _element(
            "div",
            {"className": "fw-pagination", "role": "group", "aria-label": t("Pages")},
            [
                _element("label", {"className": "fw-pagination-sizes"}, [_element("span", {}, [t("Rows per page")]), choice]),
                turn(t("Previous page"), "‹", can_turn=page > 1),
                _element("span", {}, [shown]),
                turn(t("Next page"), "›", can_turn=page < last),
            ],
        )
    ]


def _element(tag: str, attributes: Mapping[str, Any], children: Sequence[Node]) -> Node:
    return {"t": tag, "a": dict(attributes), "c": list(children)}
