"""No code is duplicated if a named helper could replace it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import nodes, python, texts

EQUAL_LINES = 6
ACCEPTED = {
    "@hookimpl": "each package lists its own parts",
    "def __init__(self, app: ASGIApp) -> None:": "the interface of ASGI middleware",
    "FROM opportunity o CROSS JOIN LATERAL (": "a migration keeps the statement of its time",
    "takes boolean;": "a migration keeps the function of its time",
    '(t("Author"), lambda post: post.author),': "the columns of two lists of posts, of which one has more",
    "section: DraftSection,": "the parameters of a function and of one that does more",
    "document_ids: Sequence[UUID] = (),": "the parameters of a function and of one that does more",
    "external_id=external_id,": "the fields of a notice, from two formats",
}
"""Duplicate declarations that are kept, each identified by one of its lines."""


def test_no_run_of_lines_is_in_two_places() -> None:
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, tree in python("src", "components"):
        lines = list(lines_that_count(path, tree))
        for start in range(len(lines) - EQUAL_LINES + 1):
            run = lines[start : start + EQUAL_LINES]
            places[tuple(text for _, text in run)].append(f"{path}:{run[0][0]}")
    assert [found for run, found in places.items() if len(found) > 1 and ACCEPTED.keys().isdisjoint(run)] == []


def lines_that_count(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Skips imports, lists of public names, lines with only brackets, and comments."""
    skipped = {
        number
        for node in nodes(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for number, line in enumerate(texts()[path].splitlines(), 1):
        text = line.strip()
        if number not in skipped and not text.startswith("#") and any(map(str.isalnum, text)):
            yield number, text
