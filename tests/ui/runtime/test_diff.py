"""Only differences are sent, and they always lead to the intended tree."""

import json
import random
from typing import Any

import pytest

from fundwright_ui.runtime.diff import Node, apply, diff


def normal(node: Node) -> Any:
    """A tree without empty parts, which are equivalent to missing ones, and without content that widgets no longer show."""
    if isinstance(node, str):
        return node
    kept = {name: value for name, value in node.items() if name == "k" or value not in ({}, [])}
    if "w" in kept:
        kept.pop("c", None)
    return kept | ({"c": [normal(child) for child in kept["c"]]} if "c" in kept else {})


def random_tree(rng: random.Random, depth: int = 3) -> Node:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["a", "b", "c"])
    kind = rng.random()
    children = [random_tree(rng, depth - 1) for _ in range(rng.randrange(4))]
    if rng.random() < 0.5:
        for key, child in zip(rng.sample(range(8), len(children)), children, strict=True):
            if isinstance(child, dict):
                child["k"] = f"k{key}"
    attributes = {name: rng.choice([1, True, "x", 1.0, None]) for name in rng.sample("pqr", rng.randrange(3))}
    node: dict[str, Any] = {"c": children}
    if kind < 0.15:
        return node | {"f": 1}
    if kind < 0.3:
        return node | {"w": rng.choice(["Table", "Menu"]), "a": attributes}
    return node | {
        "t": rng.choice(["div", "p"]),
        "a": attributes,
        "e": {"onClick": {"h": rng.choice("12")}} if rng.random() < 0.3 else {},
    }


@pytest.mark.parametrize("seed", range(300))
def test_applying_the_difference_gives_the_new_tree(seed: int) -> None:
    rng = random.Random(seed)
    old, new = random_tree(rng), random_tree(rng)
    assert json.dumps(normal(apply(old, diff(old, new))), sort_keys=True) == json.dumps(normal(new), sort_keys=True)


def test_equal_trees_need_no_operation() -> None:
    tree: Node = {"t": "div", "a": {"id": "x"}, "c": ["text", {"f": 1, "c": []}]}
    assert diff(tree, json.loads(json.dumps(tree))) == []


def test_a_new_fallback_of_a_widget_that_stays_is_not_sent() -> None:
    old: Node = {"w": "Clock", "a": {"zone": "UTC"}, "c": ["12:00"]}
    new: Node = {"w": "Clock", "a": {"zone": "CET"}, "c": ["13:00"]}
    assert diff(old, new) == [["attrs", [], {"zone": "CET"}, []]]


def test_moved_children_travel_as_their_old_places() -> None:
    rows: list[Node] = [{"t": "li", "k": n, "c": [f"row {n}"]} for n in range(4)]
    old: Node = {"t": "ul", "c": rows}
    new: Node = {"t": "ul", "c": [rows[3], rows[0], rows[1], rows[2]]}
    assert diff(old, new) == [["children", [], [3, 0, 1, 2]]]


def test_one_text_among_a_thousand_nodes_costs_less_than_200_bytes() -> None:
    def page(text: str) -> Node:
        rows: list[Node] = [{"t": "li", "k": n, "c": [text if n == 700 else "row"]} for n in range(1_000)]
        return {"t": "main", "c": [{"f": 1, "c": [{"t": "ul", "c": rows}]}]}

    assert len(json.dumps(diff(page("before"), page("after")))) < 200
