"""Writes nodes as HTML exactly as React's server rendering does, so that React can hydrate the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from fundwright_ui.runtime.diff import ElementNode, Node
from fundwright_ui.runtime.encoding import encode

_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_RENAMED = {
    "className": "class",
    "htmlFor": "for",
    "httpEquiv": "http-equiv",
    "acceptCharset": "accept-charset",
    "defaultValue": "value",
    "defaultChecked": "checked",
    "strokeWidth": "stroke-width",
    "strokeLinecap": "stroke-linecap",
    "strokeLinejoin": "stroke-linejoin",
    "fillRule": "fill-rule",
    "clipRule": "clip-rule",
    "strokeDasharray": "stroke-dasharray",
    "textAnchor": "text-anchor",
    "fontSize": "font-size",
}
_CASE_MATTERS = frozenset(
    ("viewBox", "preserveAspectRatio", "gradientUnits", "patternUnits", "pathLength", "textLength", "lengthAdjust")
)
# The content security policy blocks `style`; the others are meant for React or the client.
_NEVER = frozenset(("style", "key", "ref", "ack", "dangerouslySetInnerHTML", "suppressHydrationWarning"))
_BOOLEAN = frozenset(
    (
        "allowfullscreen", "async", "autofocus", "autoplay", "checked", "controls", "default", "defer", "disabled",
        "formnovalidate", "hidden", "inert", "loop", "multiple", "muted", "nomodule", "novalidate", "open", "playsinline",
        "readonly", "required", "reversed", "selected",
    )
)  # fmt: skip

Painter = Callable[[Mapping[str, Any]], Sequence[Node]]
_PAINTERS: dict[str, Painter] = {}


def paints(widget: str) -> Callable[[Painter], Painter]:
    """Register a function that returns the content of this widget's node. The widget then needs no fallback, and the client
    hydrates it in place. For widgets whose content would otherwise be sent twice."""

    def add(painter: Painter) -> Painter:
        _PAINTERS[widget] = painter
        return painter

    return add


def shown_in(node: Mapping[str, Any]) -> Sequence[Node]:
    """The content of an element, fragment, or widget before any script runs."""
    painter = _PAINTERS.get(node.get("w", ""))
    return painter(node) if painter else node.get("c", ())


def painted_widgets(node: Node) -> Iterator[str]:
    """The widgets in `node` that are painted on the server; the client needs their code before it can hydrate the page."""
    if isinstance(node, str):
        return
    if node.get("w", "") in _PAINTERS:
        yield node["w"]
    for child in node.get("c", ()):
        yield from painted_widgets(child)


def to_html(node: Node) -> str:
    """The node and its descendants as HTML."""
    parts: list[str] = []
    _write([node], parts, selected=None)
    return "".join(parts)


def embedded_json(value: object) -> str:
    """JSON that is safe inside a `<script>` element."""
    return encode(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _write(nodes: Sequence[Node], parts: list[str], *, selected: object) -> None:
    after_text = False
    for node in _flatten(nodes):
        if isinstance(node, str):
            if after_text:
                parts.append("<!-- -->")
            parts.append(escape(node))
            after_text = True
            continue
        after_text = False
        if "x" in node:
            parts.append('<div class="fw-problem" role="alert"></div>')
        elif "w" in node:
            parts.append(f'<div data-widget="{escape(node["w"])}">')
            _write(shown_in(node), parts, selected=None)
            parts.append("</div>")
        else:
            _write_element(node, parts, selected=selected)


def _flatten(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, dict) and "f" in node:
            yield from _flatten(node.get("c", []))
        elif node != "":
            yield node


def _write_element(node: ElementNode, parts: list[str], *, selected: object) -> None:
    tag: str = node["t"]
    attributes: dict[str, Any] = node.get("a", {})
    children: list[Node] = node.get("c", [])
    if tag in ("textarea", "select"):
        value = attributes.get("value", attributes.get("defaultValue"))
        attributes = {name: each for name, each in attributes.items() if name not in ("value", "defaultValue")}
        if tag == "textarea":
            # Browsers drop a newline directly after the tag.
            text = "" if value is None else str(value)
            children = [f"\n{text}" if text.startswith("\n") else text]
        else:
            selected = value
    elif tag == "option" and selected is not None:
        chosen = {str(each) for each in selected} if isinstance(selected, list) else {str(selected)}
        if str(attributes.get("value", "")) in chosen:
            attributes = {**attributes, "selected": True}
    parts.append(f"<{tag}{''.join(_attributes(attributes))}>")
    if tag not in _VOID:
        _write(children, parts, selected=selected)
        parts.append(f"</{tag}>")


def _attributes(attributes: dict[str, Any]) -> Iterator[str]:
    if "value" in attributes and "defaultValue" in attributes:
        attributes = {name: value for name, value in attributes.items() if name != "defaultValue"}
    if "checked" in attributes and "defaultChecked" in attributes:
        attributes = {name: value for name, value in attributes.items() if name != "defaultChecked"}
    for given, value in attributes.items():
        if given in _NEVER or value is None:
            continue
        name = _RENAMED.get(given) or (given if given in _CASE_MATTERS or "-" in given else given.lower())
        if name in _BOOLEAN:
            if value:
                yield f' {name}=""'
        elif isinstance(value, bool) and (
            name.startswith(("aria-", "data-")) or name in ("contenteditable", "draggable", "spellcheck")
        ):
            yield f' {name}="{str(value).lower()}"'
        elif value is True:
            yield f' {name}=""'
        elif value is not False:
            yield f' {name}="{escape(str(value))}"'
