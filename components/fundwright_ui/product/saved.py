"""State that is saved on the server for an account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from fundwright.accounts import preferences
from fundwright.accounts.schemas import Actor
from fundwright.core.database import acquire_lock
from fundwright_ui.hooks import use_query
from fundwright_ui.product.connection import Connection, use_actor, use_connection
from fundwright_ui.runtime.layout import rerenderer, use_kept

T = TypeVar("T")


class SavedState(Generic[T]):
    """The value saved last, on any page, or the initial value if none was saved."""

    def __init__(self, connection: Connection, actor: Actor, name: str, initial: T, rerender: Callable[[], None]) -> None:
        self.value = self._initial = initial
        self._kind = TypeAdapter[T](initial.__class__)
        self._connection = connection
        self._actor = actor
        self._name = name
        self._rerender = rerender
        self._is_changed = False
        self._unsaved = 0
        """The number of changes that are being saved."""

    async def set(self, value: T) -> None:
        """Show `value` immediately, then save it. Raises Invalid if it is larger than 20,000 characters of JSON."""
        await self.change(lambda _saved: value)

    async def change(self, change: Callable[[T], T]) -> None:
        """Replace the value saved last with what `change` returns for it, so that changes on other open pages are kept."""
        self._is_changed = True
        self._unsaved += 1
        self._show(change(self.value))
        try:
            async with self._connection.core.database.transaction() as session:
                await acquire_lock(session, f"saved state {self._actor.id} {self._name}")
                value = change(self._read(await preferences.saved_state(session, self._actor, self._name)))
                await preferences.save_state(session, self._actor, self._name, self._kind.dump_python(value, mode="json"))
        finally:
            self._unsaved -= 1
        if not self._unsaved:
            self._show(value)

    def take_over(self, saved: object) -> None:
        """Use the saved value, unless the value has changed here since or the saved one has another type."""
        if not self._is_changed:
            self.value = self._read(saved)

    def _show(self, value: T) -> None:
        self.value = value
        self._rerender()

    def _read(self, saved: object) -> T:
        """Returns the initial value if nothing was saved or if it has another type."""
        try:
            return self._initial if saved is None else self._kind.validate_python(saved)
        except ValidationError:
            return self._initial


def use_saved_state(name: str, initial: T) -> SavedState[T]:
    """State of the signed-in account under `name`. Names are global: begin them with the screen's name.

    The type is that of `initial`: a number, text, list, dict, or pydantic model. Call `await state.set(value)` in a handler, or
    `await state.change(update)` to change only a part of the value.
    """
    connection, actor = use_connection(), use_actor()
    state = use_kept(lambda: SavedState(connection, actor, name, initial, rerenderer()))
    saved = use_query(lambda session: preferences.saved_state(session, actor, name), key=[actor.id, name])
    state.take_over(saved.value)
    return state
