"""Items of a list have keys, so that a pending event reaches its item, and not another item that has taken its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import python

_SILENT = frozenset(("span", "td", "th"))
"""Elements of items that cannot be pressed."""


def items_without_key(module: ast.Module) -> Iterator[int]:
    """Lines with `*(… for …)` among an element's children if neither the items nor the function that creates them has a key."""
    functions = {each.name: each for each in ast.walk(module) if isinstance(each, ast.FunctionDef)}
    for call in (each for each in ast.walk(module) if isinstance(each, ast.Call)):
        for child in call.args:
            if isinstance(child, ast.Starred) and isinstance(child.value, (ast.GeneratorExp, ast.ListComp)):
                item = child.value.elt
                if isinstance(item, ast.Call) and not _is_silent(item) and not _says_key(item):
                    maker = functions.get(item.func.id) if isinstance(item.func, ast.Name) else None
                    if maker is None or not any(isinstance(each, ast.Call) and _says_key(each) for each in ast.walk(maker)):
                        yield item.lineno


def _is_silent(item: ast.Call) -> bool:
    return isinstance(item.func, ast.Attribute) and item.func.attr in _SILENT


def _says_key(call: ast.Call) -> bool:
    named = {keyword.arg for keyword in call.keywords}
    for argument in call.args:
        if isinstance(argument, ast.Dict):
            named |= {key.value for key in argument.keys if isinstance(key, ast.Constant)}
        elif isinstance(argument, ast.Call):
            named |= {keyword.arg for keyword in argument.keywords}
    return "key" in named


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("html.ul(*(html.li({'key': x}, x) for x in xs))", []),
        ("html.ul(*(html.li(x) for x in xs))", [1]),
        ("def row(x):\n    return card(x, key=x)\nstack(*(row(x) for x in xs))", []),
        ("def row(x):\n    return card(x)\nstack(*[row(x) for x in xs])", [3]),
    ],
)
def test_the_check_itself(source: str, lines: list[int]) -> None:
    assert list(items_without_key(ast.parse(source))) == lines


def test_items_of_lists_have_keys() -> None:
    found: list[tuple[Path, int]] = []
    for path, module in python("components"):
        found += [(path, line) for line in items_without_key(module)]
    assert found == []
