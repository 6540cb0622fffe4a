"""Event handlers: what an element or widget calls, with its payload read into the shape the handler wants."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Any, cast

from reactpy.types import BaseEventHandler

Payload = dict[str, Any]
Call = Callable[..., Any]

received_at: ContextVar[float] = ContextVar("received_at", default=0.0)
"""When the event now being handled arrived, in `time.monotonic` seconds."""


class Handler(BaseEventHandler):
    """Calls `call` with what `read` makes of the payload, or with nothing when `call` takes no argument.

    `is_exclusive`: the browser drops further events of it until the last one is done. `deed` is what the person gets done by
    it, when `call` only leads there: an event that was meant for another deed is not answered.
    """

    __slots__ = ("call", "deed", "is_exclusive", "read")

    def __init__(
        self,
        call: Call,
        *,
        read: Callable[[Payload], object] | None = None,
        prevent_default: bool = False,
        stop_propagation: bool = False,
        is_exclusive: bool = False,
        deed: Call | None = None,
    ) -> None:
        self.call = call
        self.deed = deed or call
        self.read = read
        self.is_exclusive = is_exclusive
        self.prevent_default = prevent_default
        self.stop_propagation = stop_propagation
        self.target = None
        self.debounce = None
        self.throttle = None

    @property
    def function(self) -> Callable[[Sequence[Any]], Awaitable[None]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._handle  # kept, it would be a cycle

    async def _handle(self, data: Sequence[Any]) -> None:
        if takes_argument(self.call):  # asked of the few that are called, not of all that are rendered
            payload = cast(Payload, data[0] if data else {})
            result = self.call(self.read(payload) if self.read else payload)
        else:
            result = self.call()
        if inspect.isawaitable(result):
            await cast(Awaitable[object], result)


def handler(
    target: Call | Handler,
    *,
    read: Callable[[Payload], object] | None = None,
    prevent_default: bool = False,
    stop_propagation: bool = False,
) -> Handler:
    """A handler for a plain function, coroutine function or action, reading its payload with `read`."""
    is_action = isinstance(target, Handler)
    return Handler(
        target.call if is_action else target,
        read=read,
        prevent_default=prevent_default,
        stop_propagation=stop_propagation,
        is_exclusive=is_action and target.is_exclusive,
        deed=target.deed if is_action else None,
    )


def takes_argument(call: Call, *, count: int = 1) -> bool:
    """Whether `call` accepts `count` positional arguments."""
    try:
        inspect.signature(call).bind(*[None] * count)
    except TypeError:
        return False
    return True
