"""Whatever sees all workspaces says what for, and the database knows each purpose and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import psycopg

from tests.architecture.tree import nodes, python
from tests.support.databases import as_owner

_PLACES = {"installation": 0, "across_workspaces": 1}
"""The functions that take a purpose, and its position."""


def purposes(module: ast.Module) -> Iterator[str]:
    for call in nodes(module):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _PLACES:
            purpose = call.args[_PLACES[call.func.id]]
            if isinstance(purpose, ast.Constant):
                yield str(purpose.value)


def test_the_purposes_of_the_code_are_those_of_the_database(database_url: str) -> None:
    with psycopg.connect(as_owner(database_url)) as connection:
        known = {name for (name,) in connection.execute("SELECT name FROM installation_purpose")}
    assert {
        purpose for _, module in python("src/fundwright", "components/fundwright_ui") for purpose in purposes(module)
    } == known
