"""A migration removes only what the previous release does not use: its processes go on while an installation is upgraded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fundwright.core import migrations

PREVIOUS = "0081"
"""The last revision of the previous release. Each release changes it."""
_FOLDER = Path(migrations.__file__).parent / "versions"
_REMOVES = {"drop_column", "drop_table", "rename_table"}
_NARROWS = {"new_column_name", "type_"}
_SQL = re.compile(
    r"\bDROP\s+(?:TABLE|COLUMN|TYPE)\b|\bRENAME\b|\bSET\s+NOT\s+NULL\b|\bDROP\s+DEFAULT\b|\bALTER\s+COLUMN\s+\S+\s+TYPE\b",
    re.IGNORECASE,
)


def contractions(source: str) -> Iterator[str]:
    """What a migration does that code of the previous release may not expect."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _SQL.search(node.value):
            yield f"line {node.lineno}: {node.value.strip()[:60]}"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        name = node.func.attr
        narrows = _NARROWS & given.keys() or given.get("nullable") == "False" or given.get("server_default") == "None"
        if name in _REMOVES or (name == "alter_column" and narrows):
            yield f"line {node.lineno}: {name}"
        if (
            name == "add_column"
            and re.search(r"nullable=False", ast.unparse(node))
            and not re.search(r"server_default=(?!None)|Computed|Identity", ast.unparse(node))
        ):
            yield f"line {node.lineno}: add_column without a default for the rows that the previous release adds"


@pytest.mark.parametrize(
    "statement",
    [
        'op.drop_column("draft_section", "template_heading")',
        'op.drop_table("draft")',
        'op.alter_column("draft", "title", new_column_name="name")',
        'op.alter_column("draft", "is_letter", server_default=None)',
        'op.alter_column("draft", "title", nullable=False)',
        'op.add_column("draft", sa.Column("size", sa.Integer(), nullable=False))',
        'op.execute("ALTER TABLE draft RENAME title TO name")',
        'op.execute("ALTER TABLE draft\\n DROP COLUMN title")',
    ],
)
def test_are_found(statement: str) -> None:
    assert len(list(contractions(statement))) == 1


@pytest.mark.parametrize(
    "statement",
    [
        'op.add_column("draft", sa.Column("size", sa.Integer(), nullable=False, server_default="0"))',
        'op.add_column("draft", sa.Column("size", sa.Integer(), nullable=True))',
        'op.alter_column("draft", "title", nullable=True)',
        'op.execute("DROP POLICY workspace ON draft")',
    ],
)
def test_additions_are_none(statement: str) -> None:
    assert list(contractions(statement)) == []


def test_a_migration_with_one_is_listed_with_the_revision_that_stopped_using_it() -> None:
    found = {
        path.name[1:5]: list(contractions(path.read_text(encoding="utf-8")))
        for path in sorted(_FOLDER.glob("v*.py"))
        if path.name[1:5] > PREVIOUS
    }
    unlisted = {revision: each for revision, each in found.items() if each and revision not in migrations.CONTRACTIONS}
    assert not unlisted, "Remove it a release after the code stops using it, and list the migration in `CONTRACTIONS`."
    assert all(since <= PREVIOUS for revision, since in migrations.CONTRACTIONS.items() if revision > PREVIOUS)
