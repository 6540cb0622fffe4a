"""Converts ReactPy's rendering to the nodes of docs/runtime-protocol.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fundwright_ui.runtime.diff import ElementNode, Node

WIDGET = "widget:"
"""Prefix of the tag of a widget, followed by the name of its React component."""


def to_node(model: object, tree: Node = "") -> Node:
    """The node for a rendered model, or for an element that needed no rendering. What is unchanged is taken from `tree`. Children keep
    their positions, because ReactPy's update paths count them."""
    if not isinstance(model, dict):
        return ("" if model is None else str(model)) or {"f": 1}
    model = cast(dict[str, Any], model)
    if "error" in model:
        return {"x": model["error"]}
    if "unchanged" in model:
        return _node_at(tree, _indexes(model["unchanged"]))
    tag: str = model.get("tagName", "")
    node: ElementNode
    if not tag:
        node = {"f": 1}
    elif tag.startswith(WIDGET):
        node = {"w": tag.removeprefix(WIDGET)}
    else:
        node = {"t": tag}
    if given := model.get("attributes"):
        attributes: dict[str, Any] = dict(given)
        if (key := attributes.pop("key", None)) is not None:
            node["k"] = key
        if (ack := attributes.pop("_reactpy_ack_seq", None)) is not None:
            attributes["ack"] = ack
        if "t" in node and None in attributes.values():
            attributes = {name: value for name, value in attributes.items() if value is not None}
        if attributes:
            node["a"] = attributes
    if events := model.get("eventHandlers"):
        node["e"] = {name: _handler(handler) for name, handler in events.items()}
    if children := model.get("children"):
        node["c"] = [child if child and type(child) is str else to_node(child, tree) for child in children]
    return node


def replaced(tree: Node, path: str, node: Node) -> Node:
    """`tree` with `node` at ReactPy's `path`, such as `/children/0/children/2`. Raises LookupError if the path does not exist."""
    return _replaced(tree, _indexes(path), node)


def _indexes(path: str) -> list[int]:
    return [int(part) for part in path.split("/") if part and part != "children"]


def _node_at(tree: Node, indexes: list[int]) -> Node:
    for index in indexes:
        if isinstance(tree, str):
            raise LookupError("a text has no children")
        tree = tree["c"][index]
    return tree


def _replaced(tree: Node, indexes: list[int], node: Node) -> Node:
    if not indexes:
        return node
    if isinstance(tree, str):
        raise LookupError("a text has no children")
    children = list(tree["c"])
    children[indexes[0]] = _replaced(children[indexes[0]], indexes[1:], node)
    return {**tree, "c": children}


def _handler(handler: Mapping[str, Any]) -> dict[str, Any]:
    wire: dict[str, Any] = {"h": handler["target"]}
    if handler.get("preventDefault"):
        wire["p"] = 1
    if handler.get("stopPropagation"):
        wire["s"] = 1
    if handler.get("isExclusive"):
        wire["o"] = 1
    return wire
