"""The operations that change the client's tree into the current one. Nodes: docs/runtime-protocol.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

ElementNode = dict[str, Any]
"""An element, a widget, or a fragment, as the JSON that the browser gets."""
Node = str | ElementNode
Path = list[int]
Operation = list[Any]

SLOT = "slot:"
"""A child of a widget whose key starts with this is a fragment with the content of the slot that the rest of the key names."""


def diff(old: Node, new: Node, path: Sequence[int] = ()) -> list[Operation]:
    """The operations, in the order in which they apply; empty if the trees are equal. `path` is the path of both trees."""
    operations: list[Operation] = []
    if old != new:
        _diff(old, new, list(path), operations)
    return operations


def _diff(old: Node, new: Node, path: Path, operations: list[Operation]) -> None:
    """Compare nodes that are not equal. Callers skip equal nodes with `==`, which is much faster and covers most of a page."""
    if isinstance(old, str) or isinstance(new, str) or _identity(old) != _identity(new) or "x" in new:
        operations.append(["set", path, new])
        return
    _diff_attributes(old.get("a", {}), new.get("a", {}), path, operations)
    if old.get("e", {}) != new.get("e", {}):
        operations.append(["events", path, new.get("e", {})])
    # The fallback of a widget is not shown again after the widget has loaded.
    if "w" not in new or any(_is_slot(child) for child in new.get("c", ())):
        _diff_children(old.get("c", []), new.get("c", []), path, operations)


def _diff_attributes(old: dict[str, Any], new: dict[str, Any], path: Path, operations: list[Operation]) -> None:
    changed = {name: value for name, value in new.items() if name not in old or not _same(old[name], value)}
    removed = [name for name in old if name not in new]
    if changed or removed:
        operations.append(["attrs", path, changed, removed])


def _same(old: object, new: object) -> bool:
    # True == 1 and 1 == 1.0 in Python, but not in JSON.
    return type(old) is type(new) and old == new


def _diff_children(old: list[Node], new: list[Node], path: Path, operations: list[Operation]) -> None:
    if len(old) == len(new):
        changed = [position for position in range(len(old)) if old[position] != new[position]]
        if all(_key(old[position]) == _key(new[position]) for position in changed):  # no child has moved
            for position in changed:
                _diff(old[position], new[position], [*path, position], operations)
            return
    origin = _match(old, new)
    if len(old) != len(new) or any(index != position for position, index in enumerate(origin)):
        operations.append(["children", path, [node if index is None else index for index, node in zip(origin, new, strict=True)]])
    for position, index in enumerate(origin):
        if index is not None and old[index] != new[position]:
            _diff(old[index], new[position], [*path, position], operations)


def _match(old: list[Node], new: list[Node]) -> list[int | None]:
    """For each new child, the index of the old child that it continues. A child without a key continues the one at its position."""
    by_key: dict[object, int] = {key: index for index, node in enumerate(old) if (key := _key(node)) is not None}
    origin: list[int | None] = []
    for position, node in enumerate(new):
        key = _key(node)
        in_place = position if position < len(old) and _key(old[position]) is None else None
        index = in_place if key is None else by_key.get(key)
        can_continue = index is not None and (_identity(old[index]) == _identity(node) or index == position)
        origin.append(index if can_continue else None)
    return origin


def _is_slot(node: Node) -> bool:
    return str(_key(node)).startswith(SLOT)


def _key(node: Node) -> object:
    return None if isinstance(node, str) else node.get("k")


def _identity(node: Node) -> tuple[object, ...]:
    """The properties that must be equal for one node to count as a changed version of the other."""
    if isinstance(node, str):
        return ("text",)
    return (node.get("t"), node.get("w"), node.get("f"), node.get("k"))


def apply(tree: Node, operations: Sequence[Operation]) -> Node:
    """The tree after `operations`, as the client computes it. Raises LookupError if they do not fit the tree."""
    for operation in operations:
        tree = _apply_at(tree, operation[1], operation)
    return tree


def _apply_at(node: Node, path: Path, operation: Operation) -> Node:
    if path:
        parent = dict(cast(ElementNode, node))
        children = list(parent["c"])
        children[path[0]] = _apply_at(children[path[0]], path[1:], operation)
        return parent | {"c": children}
    match operation:
        case ["set", _, replacement]:
            return replacement
        case ["attrs", _, changed, removed]:
            element = cast(ElementNode, node)
            attributes = {**element.get("a", {}), **changed}
            return {**element, "a": {name: value for name, value in attributes.items() if name not in removed}}
        case ["events", _, events]:
            return {**cast(ElementNode, node), "e": events}
        case ["children", _, children]:
            element = cast(ElementNode, node)
            before = element.get("c", [])
            return {**element, "c": [before[child] if isinstance(child, int) else child for child in children]}
        case _:
            raise LookupError(f"no such operation: {operation[0]}")
