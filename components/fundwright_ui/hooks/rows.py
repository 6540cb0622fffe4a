"""Lists whose rows stay where they are while somebody works on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright_ui.hooks.query import Query
from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.layout import at_unmount, rerenderer, use_kept
from fundwright_ui.runtime.packing import packing_of

T = TypeVar("T")
V = TypeVar("V")

Undo = Callable[[AsyncSession], Awaitable[object]]
"""Takes back what was done to a row."""


@dataclass(frozen=True)
class _Settled:
    outcome: str
    undo: Undo | None


@dataclass(frozen=True)
class Row(Generic[T]):
    """One row in its place. `outcome` says what became of it, such as "Accepted"; "" while it is as it was loaded."""

    id: str
    item: T
    outcome: str = ""
    can_undo: bool = False


class Rows(Generic[T]):
    """The rows of a list in the places they had when it was loaded."""

    def __init__(self, connection: Connection, rerender: Callable[[], None], id: Callable[[T], object]) -> None:
        self.more = 0
        """How many rows the list has by now that are not shown; `load` shows them."""
        self.last_outcome = ""
        """What the last action did, for assistive technology."""
        self._connection = connection
        self._rerender = rerender
        self._id = id
        self._key: tuple[object, ...] | None = None
        self._is_to_load = True
        self._items: tuple[T, ...] = ()
        self._gone: frozenset[str] = frozenset()
        self._settled: dict[str, _Settled] = {}
        self._packed = b""
        connection.at_rest.add(self.rest)
        at_unmount(self._leave)

    @property
    def shown(self) -> tuple[Row[T], ...]:
        return tuple(self._row(item) for item in self._unpacked())

    def load(self) -> None:
        """Show the list as it is by now: what has gone disappears, and what has come takes its place."""
        self._is_to_load = True
        self._rerender()

    def settle(self, item: T, outcome: str, *, undo: Undo | None = None) -> None:
        """Say what became of a row, which keeps its place. `item` is shown in it; `undo` takes the action back."""
        id = str(self._id(item))
        self._items = tuple(item if str(self._id(each)) == id else each for each in self._unpacked())
        self._settled[id] = _Settled(outcome, undo)
        self.last_outcome = outcome
        self._rerender()

    async def undo(self, session: AsyncSession, id: str) -> None:
        """Take back what was done to this row; give the rest to `reopen`."""
        settled = self._settled.get(id)
        if settled is not None and settled.undo is not None:
            await settled.undo(session)

    def reopen(self, id: str) -> None:
        """The action was taken back: the row is as it was."""
        self._settled.pop(id, None)
        self._gone -= {id}
        self.last_outcome = t("Undone")
        self._rerender()

    def follow(self, items: Sequence[T] | None, key: tuple[object, ...], *, is_loading: bool) -> None:
        """Take over what a query has answered."""
        if key != self._key:
            self._key, self._is_to_load = key, True
        if items is None or (self._is_to_load and is_loading):
            return
        shown = self._unpacked()
        if self._is_to_load or not shown:
            self._is_to_load = False
            self._items, self._packed = tuple(items), b""
            self._gone, self._settled, self.more, self.last_outcome = frozenset(), {}, 0, ""
            return
        latest = {str(self._id(item)): item for item in items}
        ids = [str(self._id(item)) for item in shown]
        self._items = tuple(latest.get(id, item) for id, item in zip(ids, shown, strict=True))
        self._gone = frozenset(ids) - latest.keys()
        self.more = len(latest.keys() - ids)

    def rest(self) -> None:
        """Keep the rows packed until somebody asks for them."""
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
        self._connection.at_rest.discard(self.rest)


def use_rows(
    query: Query[V], items: Callable[[V], Sequence[T]], *, key: Sequence[object] = (), id: Callable[[T], object]
) -> Rows[T]:
    """The rows of a list, which keep their places until the next load: another `key` (page, filters, order) or `rows.load()`.

    A live topic or an action that reads `query` again changes what is in the rows, never where they are: a row that has gone
    stays and says so, and new ones are counted in `more`. So whoever presses a button twice, or just when something arrives,
    acts on the row that was there. `items` picks the rows out of the answer, `id` tells them apart.
    """
    connection = use_connection()
    rows: Rows[Any] = use_kept(lambda: Rows(connection, rerenderer(), id))
    value = query.value
    rows.follow(None if value is None else items(value), tuple(key), is_loading=query.is_loading)
    return rows
