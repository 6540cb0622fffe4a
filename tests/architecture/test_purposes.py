"""Whatever sees all workspaces says what for. The database knows each purpose and no other, and each belongs to one module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import psycopg
import pytest

from tests.architecture.tree import nodes, python
from tests.support.databases import as_owner

pytestmark = pytest.mark.security(54)

_PLACES = {"installation": 0, "across_workspaces": 1}
"""The functions that take a purpose, and its position."""


def purposes(module: ast.Module) -> Iterator[str]:
    for call in nodes(module):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _PLACES:
            purpose = call.args[_PLACES[call.func.id]]
            if isinstance(purpose, ast.Constant):
                yield str(purpose.value)


PURPOSES = [
    (purpose, path) for path, module in python("src/fundwright", "components/fundwright_ui") for purpose in purposes(module)
]


def test_the_purposes_of_the_code_are_those_of_the_database(database_url: str) -> None:
    with psycopg.connect(as_owner(database_url)) as connection:
        known = {name for (name,) in connection.execute("SELECT name FROM installation_purpose")}
    assert {purpose for purpose, _ in PURPOSES} == known


def test_no_module_uses_the_purpose_of_another() -> None:
    modules = dict(PURPOSES)
    assert not [(purpose, path, modules[purpose]) for purpose, path in PURPOSES if path != modules[purpose]]


def test_each_purpose_is_a_literal() -> None:
    """A purpose that is computed could be anyone's. `scopes` passes on what its callers say."""
    for path, module in python("src/fundwright", "components/fundwright_ui"):
        if path.name != "scopes.py":
            for call in (node for node in nodes(module) if isinstance(node, ast.Call)):
                name = ast.unparse(call.func).rpartition(".")[2]
                assert name != "Scope" or "purpose" not in {each.arg for each in call.keywords}, path
                assert name not in _PLACES or (
                    len(call.args) > _PLACES[name] and isinstance(call.args[_PLACES[name]], ast.Constant)
                ), path
