"""Lists whose rows stay in place while someone works on them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright_ui.hooks.query import Query
from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.host import t
from fundwright_ui.runtime.layout import at_unmount, rerenderer, use_kept
from fundwright_ui.runtime.packing import packing_of

T = TypeVar("T")
V = TypeVar("V")
Item = TypeVar("Item", covariant=True)


class Listed(Protocol[Item]):
    """One page of a list, out of `total` items."""

    @property
    def items(self) -> Sequence[Item]: ...
    @property
    def total(self) -> int: ...


Undo = Callable[[AsyncSession], Awaitable[object]]
"""Reverses the action on a row."""


@dataclass(frozen=True)
class _Settled:
    outcome: str
    undo: Undo | None


@dataclass(frozen=True)
class Row(Generic[T]):
    """A row in its place. `outcome` is the result of an action, such as "Accepted"; "" while the row is as it was loaded."""

    id: str
    item: T
    outcome: str = ""
    can_undo: bool = False


class Rows(Generic[T]):
    """The rows of a list, in the order in which they were loaded."""

    def __init__(
        self, connection: Connection, rerender: Callable[[], None], render_next: Callable[[], None], id: Callable[[T], object]
    ) -> None:
        self.more = 0
        """How many new rows are not shown yet; `load` shows them."""
        self.last_outcome = ""
        """The outcome of the last action, for assistive technology."""
        self._connection = connection
        self._rerender = rerender
        self._render_next = render_next
        self._id = id
        self._key: tuple[object, ...] | None = None
        self._is_to_load = True
        self._items: tuple[T, ...] = ()
        self._gone: frozenset[str] = frozenset()
        self._reopened: dict[str, float] = {}
        """When the action of a row was reversed, until the list has been read since then."""
        self._settled: dict[str, _Settled] = {}
        self._packed = b""
        connection.on_idle.add(self.release_memory)
        at_unmount(self._leave)

    @property
    def shown(self) -> tuple[Row[T], ...]:
        return tuple(self._row(item) for item in self._unpacked())

    def load(self) -> None:
        """Show the current list: without deleted rows, and with new rows in their places."""
        self._is_to_load = True
        self._rerender()

    def settle(self, item: T, outcome: str, *, undo: Undo | None = None) -> None:
        """Show the outcome of an action in its row, which stays in place and shows `item`. `undo` reverses the action."""
        id = str(self._id(item))
        self._items = tuple(item if str(self._id(each)) == id else each for each in self._unpacked())
        self._settled[id] = _Settled(outcome, undo)
        self.last_outcome = outcome
        self._rerender()

    def omit(self, ids: Collection[str]) -> None:
        """Remove rows at once whose items the person may no longer see."""
        if ids and any(str(self._id(each)) in ids for each in self._unpacked()):
            self._items = tuple(each for each in self._unpacked() if str(self._id(each)) not in ids)
            self._packed = b""

    async def undo(self, session: AsyncSession, id: str) -> None:
        """Reverse the action on this row. Call `reopen` after the transaction."""
        settled = self._settled.get(id)
        if settled is not None and settled.undo is not None:
            await settled.undo(session)

    def reopen(self, id: str) -> None:
        """Show the row as it was before the action, which has been reversed."""
        self._settled.pop(id, None)
        self._gone -= {id}
        self._reopened[id] = asyncio.get_running_loop().time()
        self._render_next()
        self.last_outcome = t("Undone")
        self._rerender()

    def follow(
        self, items: Sequence[T] | None, key: tuple[object, ...], *, read_at: float, is_whole: bool, is_loading: bool
    ) -> None:
        """Follow the result of a query that was read at `read_at`: update rows in place, and count the new ones.

        A missing row is known to be gone only if the list has a single page (`is_whole`). Otherwise it may have moved to another page.
        """
        if key != self._key:
            self._key, self._is_to_load = key, True
        if items is None or (self._is_to_load and is_loading):
            return
        shown = self._unpacked()
        if self._is_to_load or not shown:
            self._is_to_load = False
            self._items, self._packed = tuple(items), b""
            self._gone, self._reopened, self._settled = frozenset(), {}, {}
            self.more, self.last_outcome = 0, ""
            return
        latest = {str(self._id(item)): item for item in items}
        ids = [str(self._id(item)) for item in shown]
        self._items = tuple(latest.get(id, item) for id, item in zip(ids, shown, strict=True))
        self._reopened = {id: moment for id, moment in self._reopened.items() if moment > read_at}
        self._gone = frozenset(ids) - latest.keys() - self._reopened.keys() if is_whole else frozenset()
        self.more = len(latest.keys() - ids)

    def release_memory(self) -> None:
        """Pack the rows until they are read again."""
        if self._items:
            self._packed = packing_of(getattr(self._id, "__code__", None)).pack_value(self._items)
            if self._packed:
                self._items = ()

    def _unpacked(self) -> tuple[T, ...]:
        if self._packed:
            self._items = packing_of(getattr(self._id, "__code__", None)).unpack_value(self._packed)
            self._packed = b""
        return self._items

    def _row(self, item: T) -> Row[T]:
        id = str(self._id(item))
        settled = self._settled.get(id)
        if settled is not None:
            return Row(id, item, settled.outcome, settled.undo is not None)
        return Row(id, item, t("No longer in this list") if id in self._gone else "")

    def _leave(self) -> None:
        self._connection.on_idle.discard(self.release_memory)


def use_rows(
    query: Query[V], items: Callable[[V], Sequence[T] | Listed[T]], *, key: Sequence[object] = (), id: Callable[[T], object]
) -> Rows[T]:
    """Rows of a list that stay in place until the next load: another `key` (page, filters, order) or `rows.load()`.

    A reload of `query` by a live topic or an action updates the rows but does not move them: a deleted row stays and says so, and
    new rows are counted in `more`. A double click, or a click at the moment of an update, therefore acts on the row that was shown.
    `items` extracts the rows from the result, as a page with `items` and a `total` if the list may have several pages, and `id` identifies them.
    """
    connection = use_connection()
    rows: Rows[Any] = use_kept(lambda: Rows(connection, rerenderer(), query.render_next, id))
    value = query.value
    found = () if value is None else items(value)
    listed, is_whole = (found, True) if isinstance(found, Sequence) else (found.items, found.total <= len(found.items))
    rows.follow(
        None if value is None else listed, tuple(key), read_at=query.read_at, is_whole=is_whole, is_loading=query.is_loading
    )
    return rows
