"""Event handlers that run an action."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from fundwright_ui.runtime.connection import Connection, Undo, use_connection
from fundwright_ui.runtime.events import Handler, received_at, required_parameters, takes_payload
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.host import Refusal
from fundwright_ui.runtime.layout import rerenderer, use_kept


class Action(Handler):
    """An event handler that runs once at a time. Pass it to `on_click=`, `on_submit=`, or a widget's event."""

    __slots__ = (
        "_connection",
        "_error",
        "_finished_at",
        "_in_transaction",
        "_is_error_shown",
        "_rerender",
        "is_running",
        "success",
        "then",
        "undo",
        "wants_payload",
        "work",
    )

    def __init__(self, connection: Connection, rerender: Callable[[], None], *, in_transaction: bool) -> None:
        super().__init__(self._take, is_exclusive=True)
        self.is_running = False
        self._error: str | None = None
        self._is_error_shown = False
        self.work: Callable[..., Any] = lambda: None
        self.wants_payload = False
        self.success: str | None = None
        self.undo: Undo | None = None
        self.then: Callable[..., Any] | None = None
        self._connection = connection
        self._rerender = rerender
        self._in_transaction = in_transaction
        self._finished_at = 0.0

    @property
    def error(self) -> str | None:
        """The error message of the last failure; None once it runs again. Once a screen has read it, failures show no notice, because the
        screen shows the message itself."""
        self._is_error_shown = True
        return self._error

    async def _take(self, payload: object) -> None:
        await self.run(payload)

    async def run(self, payload: object = None, *, on_success: Callable[[], None] = lambda: None) -> None:
        """Run the action, unless it is running or this event was sent before it ended. `on_success` is called only if nothing
        was refused, and after re-authentication if it is required."""
        if self.is_running or 0 < received_at.get() <= self._finished_at:
            return
        self.is_running, self._error = True, None
        self._rerender()
        try:
            result = await self._work(payload)
            if self.then is not None:
                returned = self.then(result) if required_parameters(self.then) else self.then()
                if inspect.isawaitable(returned):
                    await cast(Awaitable[object], returned)
            if self.success is not None:
                self._connection.toast(self.success, undo=self.undo)
            on_success()
        except Exception as error:
            self._error = sentence_of(error, while_doing="action")
            ask = self._connection.ask_reauthentication
            if isinstance(error, Refusal) and error.needs_reauthentication and ask is not None:
                ask(lambda: self.run(payload, on_success=on_success))
            elif not self._is_error_shown:
                self._connection.toast(self._error, "error")
        finally:
            self.is_running = False
            self._finished_at = time.monotonic()
            self._rerender()

    async def _work(self, payload: object) -> object:
        given = (payload,) if self.wants_payload else ()
        if not self._in_transaction:
            return await self.work(*given)
        async with self._connection.core.database.transaction() as session:
            return await self.work(session, *given)


def use_action(
    work: Callable[..., Awaitable[object]],
    *,
    success: str | None = None,
    undo: Undo | None = None,
    then: Callable[..., Any] | None = None,
    in_transaction: bool = True,
) -> Action:
    """Make `work(session, payload)` an event handler: one transaction, one at a time, a second click is dropped.

    `work` may omit the payload parameter; otherwise it is annotated, see `takes_payload`. If it raises, the transaction is rolled back, a notice shows the error message until it is closed, unless
    a form, a dialog, or the screen reads `.error` to show it, and what the person typed stays. If the error `needs_reauthentication`, the page asks the person to re-authenticate and then runs it again. After the commit `then` runs,
    with the result if it has a parameter without a default, and a toast shows `success`, or a notice with a button Undo if there is an `undo`, which gets a session, too. Work that is refused but must be committed,
    such as the count of wrong passwords, returns the refusal, and `then` raises it. With `in_transaction=False` there is no session: `work(payload)`. The button that was pressed is disabled at once and shows
    after 150 ms that the action is running; `.is_running` tells other parts of the screen.
    """
    connection = use_connection()
    action = use_kept(lambda: Action(connection, rerenderer(), in_transaction=in_transaction))
    action.work = action.operation = work
    action.wants_payload = takes_payload(work, given=1 if in_transaction else 0)
    action.success, action.undo, action.then = success, undo, then
    return action
