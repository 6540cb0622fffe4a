"""Declares the React widgets in Python. A widget is a class whose instances are its nodes.

```python
class Clock(Widget):
    \"\"\"Shows the time.\"\"\"

    time_zone: str
    on_alarm: On[AlarmRang] = None

Clock(time_zone="UTC", on_alarm=rang, fallback=["12:00"])      # a node, used as a child of an element
```

A field that is declared as a `Slot` takes nodes rendered on the server, which the widget shows in a place of its choice. `children` is an
ordinary slot, too:

```python
class Panel(Widget):
    title: str
    children: Slot = ()
    footer: Slot = ()

Panel(title="Note", children=[html.p("Text")], footer=[button("Close", on_click=close)])
```

The other annotations are the props. Pydantic validates them, and `fundwright_ui.widgets.typescript` generates their TypeScript types, with
names in camelCase. Every `On[Payload]` is an event whose payload is validated when it arrives.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, Union, cast, dataclass_transform, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.alias_generators import to_camel
from reactpy.types import VdomDict

from fundwright_ui.runtime.diff import SLOT
from fundwright_ui.runtime.events import Handler, Payload, handler, read_model
from fundwright_ui.runtime.vdom import WIDGET

P = TypeVar("P")

_RESERVED = frozenset(("props_model", "events", "slots", "key", "fallback"))


class Event:
    """Marks an annotation as an event."""


On = Annotated[Callable[[P], Any] | Callable[[], Any] | Handler | None, Event]
"""A handler that takes a `P` or nothing, or an action."""


class SlotMark:
    """Marks an annotation as a slot."""


Slot = Annotated[Sequence[Any], SlotMark]
"""Server-rendered nodes that the widget shows. They are in the first paint, after the fallback, and are updated like all others."""


class Props(BaseModel):
    """Base class of the data that is sent to or from a widget."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Nothing(Props):
    """The payload of an event without data."""


@dataclass_transform(kw_only_default=True)
class _Declared(VdomDict):
    """Derives a typed constructor, a props model, events, and slots from the annotations of each subclass."""

    props_model: ClassVar[type[Props]]
    events: ClassVar[Mapping[str, type[BaseModel]]]
    slots: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        own = {name: hint for name, hint in hints.items() if name not in _RESERVED}
        cls.events = {name: payload for name, hint in own.items() if (payload := _payload(hint)) is not None}
        cls.slots = tuple(name for name, hint in own.items() if SlotMark in get_args(hint)[1:])
        props = {name: _as_tuples(hint) for name, hint in own.items() if name not in cls.events and name not in cls.slots}
        fields: dict[str, Any] = {name: (hint, getattr(cls, name, ...)) for name, hint in props.items()}
        cls.props_model = create_model(f"{cls.__name__}Props", __base__=Props, __doc__=cls.__doc__, **fields)

    def __init__(self, **given: Any) -> None:
        key, fallback = given.pop("key", None), given.pop("fallback", ())
        slots = [_slot(name, given.pop(name, ())) for name in self.slots]
        handlers = {name: given.pop(name, None) for name in self.events}
        attributes = self.props_model(**given).model_dump(mode="json", by_alias=True)
        if key is not None:
            attributes["key"] = key
        super().__init__(
            tagName=WIDGET + type(self).__name__,
            attributes=attributes,
            children=[*fallback, *slots],
            eventHandlers={
                to_camel(name): handler(call, read=_reader(self.events[name]))
                for name, call in handlers.items()
                if call is not None
            },
        )


class Widget(_Declared):
    """Base class of every widget; an instance is a ReactPy node. `events` names each event (in Python) and its payload."""

    key: str | None = None
    fallback: Sequence[Any] = ()
    """Nodes that are shown until the widget has loaded, before the content of its slots."""


def _slot(name: str, content: Sequence[Any]) -> VdomDict:
    """The fragment with the content of a slot. The client identifies it by its key."""
    return VdomDict(tagName="", attributes={"key": SLOT + to_camel(name)}, children=list(content))


@cache
def _reader(model: type[BaseModel]) -> Callable[[Payload], object]:
    return lambda payload: read_model(model, payload)


def _as_tuples(hint: Any) -> Any:
    """Replace `Sequence` with tuples, which pydantic processes natively: this saves a millisecond for 800 cells."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin not in (Annotated, Sequence):
        return hint
    inner = _as_tuples(arguments[0])
    return Annotated[(inner, *arguments[1:])] if origin is Annotated else tuple[inner, ...]


def _payload(hint: object) -> type[BaseModel] | None:
    """The payload of an `On[…]` annotation, None for a prop."""
    if get_origin(hint) is not Annotated or Event not in get_args(hint)[1:]:
        return None
    union = get_args(hint)[0]
    assert get_origin(union) in (Union, types.UnionType)
    takes_payload = get_args(union)[0]
    return cast(type[BaseModel], get_args(takes_payload)[0][0])
