"""Event handlers of elements and widgets, which convert and validate the payload before they call a function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import partial
from types import CodeType, MethodType
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, with_config
from reactpy.types import BaseEventHandler
from typing_extensions import TypedDict  # pydantic does not support typing.TypedDict before Python 3.12

Payload = dict[str, Any]
Call = Callable[..., Any]

received_at: ContextVar[float] = ContextVar("received_at", default=0.0)
"""The arrival time of the event that is being handled, in seconds of `time.monotonic`."""


class MalformedPayload(Exception):
    """The browser sent a payload that its element or widget never sends."""


@with_config(ConfigDict(strict=True, extra="allow"))
class _ElementPayload(TypedDict, total=False):
    value: str | list[str]
    checked: bool
    name: str | None
    fields: dict[str, str | list[str]]
    submitter: str | None
    key: str
    ctrl: bool
    meta: bool
    shift: bool
    alt: bool
    open: bool


_ELEMENT_PAYLOAD = TypeAdapter(_ElementPayload)

_Model = TypeVar("_Model", bound=BaseModel)


class UnclearHandler(TypeError):
    """The parameters of a function do not show whether it takes the payload."""


class Handler(BaseEventHandler):
    """Calls `call` with the result of `read` for the payload, or with nothing, see `takes_payload`. Raises UnclearHandler.

    Without `read` the payload is that of an element. Calling the handler raises MalformedPayload.

    `is_exclusive`: the browser drops further events of this handler until the last one is done. `operation` identifies the handler
    if `call` is only a wrapper around it. An event that was sent for another operation is ignored.
    """

    __slots__ = ("call", "is_exclusive", "operation", "read", "takes_payload")

    def __init__(
        self,
        call: Call,
        *,
        read: Callable[[Payload], object] | None = None,
        prevent_default: bool = False,
        stop_propagation: bool = False,
        is_exclusive: bool = False,
        operation: Call | None = None,
    ) -> None:
        self.call = call
        self.takes_payload = takes_payload(call)
        self.operation = operation or call
        self.read = read
        self.is_exclusive = is_exclusive
        self.prevent_default = prevent_default
        self.stop_propagation = stop_propagation
        self.target = None
        self.debounce = None
        self.throttle = None

    @property
    def function(self) -> Callable[[Sequence[Any]], Awaitable[None]]:  # pyrefly: ignore[bad-override]  # a reference cycle if stored
        return self._handle

    async def _handle(self, data: Sequence[Any]) -> None:
        if self.takes_payload:
            payload = cast(Payload, data[0] if data else {})
            result = self.call((self.read or read_element)(payload))
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
        operation=target.operation if is_action else None,
    )


def read_element(payload: Payload) -> Payload:
    """The payload of an element's event; any field may be missing. Raises MalformedPayload."""
    try:
        return cast(Payload, _ELEMENT_PAYLOAD.validate_python(payload))
    except ValidationError as error:
        raise MalformedPayload from error


def read_value(payload: Payload) -> str:
    """The content of a text field. Raises MalformedPayload."""
    value = read_element(payload).get("value", "")
    if not isinstance(value, str):
        raise MalformedPayload
    return value


def read_checked(payload: Payload) -> bool:
    """Whether a checkbox is checked. Raises MalformedPayload."""
    return read_element(payload).get("checked", False)


def read_open(payload: Payload) -> bool:
    """Whether a popover is open now. Raises MalformedPayload."""
    return read_element(payload).get("open", False)


def read_model(model: type[_Model], payload: Payload) -> _Model:
    """The payload of a widget's event. Raises MalformedPayload."""
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise MalformedPayload from error


def takes_payload(call: Call, *, given: int = 0) -> bool:
    """Whether `call` takes the payload, after `given` other arguments: through one annotated parameter without a default.
    A parameter with a default, as in `lambda i=i: remove(i)`, never receives it. Raises UnclearHandler for anything else.
    """
    required = required_parameters(call, given=given)
    if len(required) > 1 or not all(each.endswith(":") for each in required):
        name = getattr(call, "__qualname__", repr(call))
        unclear = ", ".join(each.rstrip(":") for each in required)
        raise UnclearHandler(
            f"{name} cannot be a handler because of its parameters ({unclear}). A handler takes the payload through one annotated "
            "parameter, as in `def opened(row: RowOpened)`, or not at all. Other parameters need defaults: `lambda i=i: remove(i)`."
        )
    return bool(required)


def required_parameters(call: Call, *, given: int = 0) -> tuple[str, ...]:
    """Names of the required parameters of `call` after `given` arguments; a `:` follows annotated ones.
    Handlers are created again in each rendering, so the result is cached by code object."""
    function: Any = call
    named: frozenset[str] = frozenset()
    while True:
        if isinstance(function, partial):
            given += len(function.args)
            named = named.union(function.keywords)
            function = function.func
        elif isinstance(function, MethodType):
            given += 1
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return _required(call, 0, frozenset())
    key = (code, given, named, len(function.__defaults__ or ()))
    known = _REQUIRED.get(key)
    if known is None:
        known = _REQUIRED[key] = _required(function, given, named)
    return known


_REQUIRED: dict[tuple[CodeType, int, frozenset[str], int], tuple[str, ...]] = {}


def _required(call: Call, given: int, named: frozenset[str]) -> tuple[str, ...]:
    parameters = list(inspect.signature(call).parameters.values())[given:]
    return tuple(
        each.name if each.annotation is each.empty else f"{each.name}:"
        for each in parameters
        if each.default is each.empty and each.name not in named and each.kind is not each.VAR_KEYWORD
    )
