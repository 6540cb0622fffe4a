"""Screens in tests, without a browser: find things as a person would, press them, and read what is shown.

```python
async with mounted(core, actor, categories_screen) as screen:
    await screen.type("Name", "Robotics")
    await screen.click("button", "Create")
    await screen.expect("Robotics")
    assert screen.toasts == ["The category was created."]
```

Each action waits until its results are shown, including queries; `expect` waits for other changes, such as a live message.
Roles and names follow the HTML: `button`, `link`, `heading`, `textbox`, `checkbox`, `combobox`, `table`, `row`, `alert`, `status`,
`tab`; a name is the `aria-label`, the label or the text.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic.alias_generators import to_camel
from reactpy.types import Component

from fundwright.accounts.schemas import Actor, Client
from fundwright.core.assembly import Core
from fundwright.core.messages import Language, using_language
from fundwright_ui.runtime.connection import Connection, Frame, Move, toast_frame
from fundwright_ui.runtime.diff import ElementNode, Node
from fundwright_ui.runtime.events import Payload
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.html import shown_in
from fundwright_ui.runtime.router import Found, Location, Screen
from fundwright_ui.runtime.view import View
from fundwright_ui.ui.forms import Fields
from fundwright_ui.widgets.data_table import shown_columns, whole_id

_SETTLE_TIMEOUT_S = 10.0
_ROLES = {
    "a": "link",
    "article": "article",
    "button": "button",
    "dialog": "dialog",
    "form": "form",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "li": "listitem",
    "main": "main",
    "mark": "mark",
    "nav": "navigation",
    "option": "option",
    "progress": "progressbar",
    "section": "region",
    "select": "combobox",
    "table": "table",
    "td": "cell",
    "textarea": "textbox",
    "th": "columnheader",
    "tr": "row",
    "ul": "list",
}
_INPUT_ROLES = {"checkbox": "checkbox", "radio": "radio", "number": "spinbutton", "search": "searchbox", "submit": "button"}


@dataclass(frozen=True)
class Element:
    """An element or widget at the time it was found."""

    node: ElementNode
    ancestors: tuple[ElementNode, ...]
    role: str
    name: str

    @property
    def text(self) -> str:
        return text_of(self.node)

    @property
    def props(self) -> Mapping[str, Any]:
        return self.node.get("a", {})

    @property
    def is_disabled(self) -> bool:
        return bool(self.props.get("disabled"))


class ScreenUnderTest:
    """An open screen. `frames` contains everything it has sent to the browser besides its tree."""

    def __init__(self, view: View, frames: list[Frame]) -> None:
        self.view = view
        self.frames = frames
        self._has_changed = asyncio.Event()
        self._typed: dict[str, tuple[Any, Any]] = {}
        """For each field, what was typed and the `value` from the server at that time. When the server changes that, the browser shows it."""
        self._opened = ""
        """The id of the open popover."""
        self._seq = 0

    def note_change(self) -> None:
        """Check again for the text or condition that a test waits for."""
        self._has_changed.set()

    # What is shown

    @property
    def text(self) -> str:
        return text_of(self.view.tree)

    @property
    def title(self) -> str:
        return self.view.title

    @property
    def address(self) -> str:
        """Path and query."""
        return self.view.connection.location.address

    @property
    def toasts(self) -> list[str]:
        return [frame["message"] for frame in self.frames if frame["type"] == "toast"]

    @property
    def navigations(self) -> list[str]:
        """The paths that the screen told the browser to navigate to."""
        return [frame["path"] for frame in self.frames if frame["type"] == "navigate"]

    def elements(self, role: str, name: str | None = None) -> list[Element]:
        """Return every element with this role and, if given, exactly this accessible name. The role of a widget is its own name."""
        return [each for each in self._walk() if each.role == role and (name is None or each.name == name)]

    def find(self, role: str, name: str | None = None) -> Element:
        """Return the only element with this role and name. Raises AssertionError, listing what exists, unless there is exactly one."""
        found = self.elements(role, name)
        if len(found) != 1:
            there = sorted({each.name for each in self._walk() if each.role == role})
            raise AssertionError(f"{len(found)} of role {role!r} named {name!r}; there are {there}. Shown: {self.text[:500]!r}")
        return found[0]

    def find_text(self, text: str) -> Element:
        """Return the only innermost element that shows `text`. Raises AssertionError, with the text shown, unless there is exactly
        one."""
        nodes = _nodes(self.view.tree, ())
        showing = [(node, ancestors) for node, ancestors in nodes if ("t" in node or "w" in node) and text in text_of(node)]
        outer = {id(ancestor) for _, ancestors in showing for ancestor in ancestors}
        found = [(node, ancestors) for node, ancestors in showing if id(node) not in outer]
        assert len(found) == 1, f"{len(found)} elements show {text!r}. Shown: {self.text[:500]!r}"
        node, ancestors = found[0]
        return Element(node, ancestors, node.get("w") or _role(node) or "", text_of(node))

    async def expect(self, wanted: str | Callable[[], object], *, timeout_s: float = 15.0) -> None:
        """Wait until a text is shown or `wanted()` is true. Raises AssertionError if that takes longer than `timeout_s`."""
        holds = wanted if callable(wanted) else lambda: wanted in self.text
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while not holds():
                    self._has_changed.clear()
                    await self._has_changed.wait()
                return
        name = "What was waited for" if callable(wanted) else repr(wanted)
        raise AssertionError(f"{name} did not come within {timeout_s:g} s. Shown: {self.text[:500]!r}")

    def has(self, role: str, name: str | None = None) -> bool:
        return bool(self.elements(role, name))

    def props(self, widget: str) -> Mapping[str, Any]:
        """Return the props of the only widget with this name, in camelCase."""
        return self.find(widget).props

    def columns(self, label: str | None = None) -> list[dict[str, Any]]:
        """Return the columns that the table with this label, or the only one, shows."""
        return shown_columns(self.find("DataTable", label).props)

    def rows(self, label: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of the table with this label, or of the only one: the cells by field, and `id`."""
        table = self.find("DataTable", label).props
        fields = [column["field"] for column in self.columns(label)]
        ids = map(whole_id, table["ids"])
        return [dict(zip(fields, cells, strict=True)) | {"id": id} for id, cells in zip(ids, table["rows"], strict=True)]

    def value(self, label: str) -> str:
        """Return the content of the field with this label."""
        return str(self._value(self._field(label)) or "")

    # What a person does

    async def click(self, role: str, name: str | None = None) -> None:
        """Click the element. A submit button submits its form; a link navigates to its address; a button with a popover opens it."""
        target = self.find(role, name)
        assert not target.is_disabled, f"{role} {name!r} is disabled"
        if "onClick" in target.node.get("e", {}):
            await self._send(target.node, "onClick", {})
        if target.node.get("t") == "button" and target.props.get("type") == "submit":
            form = next((each for each in reversed(target.ancestors) if each.get("t") == "form"), None)
            assert form is not None, f"{role} {name!r} sends a form, but stands in none"
            await self._submit(form, submitter=target.props)
        elif target.node.get("t") == "a" and "onClick" not in target.node.get("e", {}):
            if any("popover" in each.get("a", {}) for each in target.ancestors):
                await self._toggle(self._opened)  # a link in a popover closes it
            await self.go(str(target.props["href"]))
        elif opened := target.props.get("popoverTarget"):
            await self._toggle(str(opened))

    async def type(self, label: str, value: str) -> None:
        """Enter `value` into the field with this label and leave the field. In a `select_field`, select the value."""
        field = self._field(label)
        self._typed[_identity(field)] = (value, field.props.get("value"))
        if "onChange" in field.node.get("e", {}):
            await self._send(field.node, "onChange", {"value": value, "checked": False})
        field = self._field(label)
        if "onBlur" in field.node.get("e", {}):
            await self._send(field.node, "onBlur", {"value": value, "name": field.props.get("name", "")})

    choose = type

    async def check(self, label: str, checked: bool = True) -> None:
        """Check or clear the checkbox with this label."""
        field = self.find("checkbox", label)
        self._typed[_identity(field)] = (checked, field.props.get("value"))
        if "onChange" in field.node.get("e", {}):
            await self._send(field.node, "onChange", {"value": field.props.get("value", "on"), "checked": checked})

    async def submit(self, label: str | None = None) -> None:
        """Submit the form with this label, or the only one."""
        await self._submit(self.find("form", label).node, submitter={})

    async def emit(self, widget: str, event: str, *, of: str | None = None, **payload: Any) -> None:
        """Emit an event of the widget that listens to it, with the label `of` if there are several: `emit("DataTable", "on_open",
        id="3")`. Names may be in Python's style."""
        data = {to_camel(name): value for name, value in payload.items()}
        (heard,) = [each.node for each in self.elements(widget, of) if to_camel(event) in each.node.get("e", {})]
        await self._send(heard, to_camel(event), data)

    async def press(self, label: str, key: str) -> None:
        """Press `key` in the field with this label."""
        pressed = {"key": key, "ctrl": False, "meta": False, "shift": False, "alt": False}
        await self._send(self._field(label).node, "onKeyDown", pressed)

    async def go(self, address: str) -> None:
        """Navigate to `address` on the same screen, as Back, Forward, or a link does. If it belongs to another screen, the
        navigation is only recorded."""
        base = self.view.connection.base
        address = address.removeprefix(base) if base else address
        if urlsplit(address).path == self.view.connection.location.path:
            self.relocate(address)
            await self.settle()
        else:
            self.frames.append({"type": "navigate", "path": address, "replace": False, "reload": False})

    def follow(self, wanted: Move) -> None:
        """Record where the screen navigates, and go there if it is the screen's own path."""
        self.frames.append(wanted.frame())
        self.note_change()
        if not wanted.leaves_the_document and urlsplit(wanted.path).path == self.view.connection.location.path:
            self.relocate(wanted.path)

    def relocate(self, address: str) -> None:
        screen = self.view.found.screen
        location = self.view.connection.location
        self.view.move(Found(screen, Location(location.path, location.params, dict(parse_qsl(urlsplit(address).query)))))

    async def settle(self) -> None:
        """Wait until nothing is rendering and no query is running, for example after a live message."""
        await self.view.settle(_SETTLE_TIMEOUT_S)
        if self.view.failure is not None:
            raise self.view.failure

    # How

    def _walk(self) -> Iterator[Element]:
        labels = {
            str(node.get("a", {}).get("htmlFor")): text_of(node)
            for node, _ in _nodes(self.view.tree, ())
            if node.get("t") == "label"
        }
        for node, ancestors in _nodes(self.view.tree, ()):
            if any(each.get("a", {}).get("inert") for each in ancestors):
                continue  # not reachable
            if "w" in node:
                yield Element(node, ancestors, node["w"], str(node.get("a", {}).get("label", "")))
            elif "t" in node and (role := _role(node)):
                yield Element(node, ancestors, role, _name(node, ancestors, labels))

    def _field(self, label: str) -> Element:
        fields = [
            each
            for each in self._walk()
            if each.node.get("t") in ("input", "textarea", "select") and each.name == label and self._is_shown(each)
        ]
        assert len(fields) == 1, f"{len(fields)} fields are labeled {label!r}. Shown: {self.text[:500]!r}"
        return fields[0]

    def _is_shown(self, element: Element) -> bool:
        """Whether the element is in no popover, or in the open one."""
        popovers = [each.get("a", {}) for each in element.ancestors if "popover" in each.get("a", {})]
        return all(each.get("id") == self._opened for each in popovers)

    def _value(self, field: Element) -> Any:
        props = field.props
        has_handler = "onChange" in field.node.get("e", {})
        has_value = "value" in props and props.get("type") not in ("checkbox", "radio")
        if (key := _identity(field)) in self._typed and not (has_value and has_handler):
            return self._typed[key][0]
        if has_value:
            return props["value"]
        if props.get("type") in ("checkbox", "radio"):
            return bool(props.get("checked", props.get("defaultChecked", False)))
        if field.node["t"] == "select" and "defaultValue" not in props:
            options = [node for node, _ in _nodes(field.node, ()) if node.get("t") == "option"]
            return options[0].get("a", {}).get("value", text_of(options[0])) if options else None
        return props.get("defaultValue", "")

    async def _toggle(self, popover: str) -> None:
        """Open the popover with this id, which closes the open one, or close it."""
        closing, self._opened = self._opened, "" if popover == self._opened else popover
        for id, is_open in ((closing, False), (self._opened, True)):
            for node in [node for node, _ in _nodes(self.view.tree, ()) if id and node.get("a", {}).get("id") == id]:
                if "onToggle" in node.get("e", {}):
                    await self._send(node, "onToggle", {"open": is_open})

    async def _submit(self, form: ElementNode, *, submitter: Mapping[str, Any]) -> None:
        fields: Fields = {}
        for each in self._walk():
            inside = any(ancestor is form for ancestor in each.ancestors)
            name = each.props.get("name")
            if not inside or not name or each.is_disabled or each.node.get("t") not in ("input", "textarea", "select"):
                continue
            value = self._value(each)
            if each.props.get("type") in ("checkbox", "radio"):
                if not value:
                    continue
                value = each.props.get("value", "on")
            if value is None:
                continue
            earlier = fields.get(name)
            fields[name] = value if earlier is None else [*(earlier if isinstance(earlier, list) else [earlier]), value]
        if name := submitter.get("name"):
            fields[name] = submitter.get("value", "")
        await self._send(form, "onSubmit", {"fields": fields, "submitter": submitter.get("name")})

    async def _send(self, node: ElementNode, event: str, data: Payload) -> None:
        handlers = node.get("e", {})
        assert event in handlers, f"{node.get('t') or node.get('w')} has no {event}, only {sorted(handlers)}"
        self._seq += 1
        try:
            assert await self.view.handle(handlers[event]["h"], data, self._seq), "the handler is gone"
        except AssertionError:
            raise
        except Exception as error:
            self.frames.append(toast_frame(sentence_of(error, while_doing="event"), "error"))
        await self.settle()
        for each in self._walk():
            key = _identity(each)
            if key in self._typed and self._typed[key][1] != each.props.get("value"):
                del self._typed[key]


@asynccontextmanager
async def mounted(
    core: Core,
    actor: Actor | None,
    render: Screen | Callable[[], Component],
    *,
    path: str | None = None,
    params: Mapping[str, str] | None = None,
    language: Language = "en",
    is_live: bool = True,
) -> AsyncIterator[ScreenUnderTest]:
    """Open a screen, or any component, as `actor` at `path` (with its query), and wait for the results of its queries.

    Without `path`, a screen is opened at its own path. `params` are the parameters in the screen's path; roles are not checked.
    Pass the `committed` core, because queries and actions open their own transactions. `is_live=False` simulates first paint.
    """
    screen = render if isinstance(render, Screen) else Screen("/", "Test", render, area="public")
    parts = urlsplit(screen.path.format_map(dict(params or {})) if path is None else path)
    location = Location(parts.path, dict(params or {}), dict(parse_qsl(parts.query, keep_blank_values=True)))
    frames: list[Frame] = []
    opened: list[ScreenUnderTest] = []

    def changed() -> None:
        for each in opened:
            each.note_change()

    def sent(frame: Frame) -> None:
        frames.append(frame)
        changed()

    connection = Connection(
        core,
        actor,
        client=Client(address=""),
        location=location,
        language=language,
        is_live=is_live,
        send=sent,
        move=lambda wanted: opened[0].follow(wanted),
    )
    with using_language(language):
        async with View(connection, Found(screen, location), lambda _area, shown: shown, on_change=changed) as view:
            opened.append(ScreenUnderTest(view, frames))
            await opened[0].settle()
            yield opened[0]


def text_of(node: Node) -> str:
    """Return the readable text of `node`, with spaces between blocks."""
    parts = [each for each in _texts(node) if each]
    return " ".join(" ".join(parts).split())


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    else:
        for child in shown_in(node):
            yield from _texts(child)


def _nodes(node: Node, ancestors: tuple[ElementNode, ...]) -> Iterator[tuple[ElementNode, tuple[ElementNode, ...]]]:
    if isinstance(node, str):
        return
    yield node, ancestors
    for child in shown_in(node):
        yield from _nodes(child, (*ancestors, node))


def _role(node: ElementNode) -> str | None:
    attributes = node.get("a", {})
    if "role" in attributes:
        return str(attributes["role"])
    if node["t"] == "input":
        return _INPUT_ROLES.get(attributes.get("type", "text"), "textbox")
    if node["t"] == "a" and "href" not in attributes:
        return None
    return _ROLES.get(node["t"])


def _name(node: ElementNode, ancestors: tuple[ElementNode, ...], labels: Mapping[str, str]) -> str:
    attributes = node.get("a", {})
    if "aria-label" in attributes:
        return str(attributes["aria-label"])
    if node["t"] in ("input", "textarea", "select"):
        if (own := attributes.get("id")) in labels:
            return labels[own]
        around = next((each for each in reversed(ancestors) if each.get("t") == "label"), None)
        return text_of(around) if around else str(attributes.get("title", attributes.get("placeholder", "")))
    return text_of(node) or str(attributes.get("title", ""))


def _identity(field: Element) -> str:
    keys = [each.get("k") for each in field.ancestors]
    return f"{field.props.get('id')}|{field.props.get('name')}|{field.name}|{keys}"
