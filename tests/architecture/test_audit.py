"""Every action of the audit trail has a label in the reader's language."""

from __future__ import annotations

import ast
import re

import pytest

from fundwright.accounts.audit import action_label
from fundwright.billing.schemas import PaymentState
from tests.architecture.tree import nodes, python

DELETES = re.compile(r"(delete|remove)(_|$)")
NOT_DELETIONS = {
    "activity.remove_old": "removes what happened more than a year ago",
    "categories.remove_example": "takes back a decision",
    "training.remove_all": "part of the deletion of a workspace, which is recorded",
    "training.remove_files_of": "part of the deletion of documents, which is recorded",
    "trash.remove_expired": "deletes what a recorded deletion moved to the trash 30 days ago",
}
"""Services whose names sound like a deletion, and what they do."""
PUBLIC_EXPORTS = {"src/fundwright/content/api.py": "published posts, which anyone may read"}
RECORDING = re.compile(r"(audit\.)?record|_record_payment")
COMPOSED = {
    "f'blog_post.{action}'": [f"blog_post.{action}" for action in ("created", "changed", "published", "withdrawn", "deleted")],
    "f'payment.{state}'": [f"payment.{state}" for state in (PaymentState.PAID, PaymentState.VOID)],
}
"""Actions whose name is composed at run time, by the expression that composes it."""


def test_each_has_a_label() -> None:
    written = [
        ast.unparse(node.args[1])
        for _, tree in python("src")
        for node in nodes(tree)
        if isinstance(node, ast.Call) and RECORDING.fullmatch(ast.unparse(node.func)) and len(node.args) > 1
    ]
    actions = {action for text in written if text != "action" for action in COMPOSED.get(text, [text.strip("'")])}
    assert len(actions) > 50
    assert sorted(action for action in actions if action_label(action) == action) == []


def deletions() -> dict[str, ast.AsyncFunctionDef]:
    """Services that delete a person's data, by slice and name."""
    return {
        f"{path.parent.name}.{function.name}": function
        for path, tree in python("src")
        if path.name == "service.py"
        for function in tree.body
        if isinstance(function, ast.AsyncFunctionDef) and DELETES.match(function.name)
    }


@pytest.mark.security(45)
def test_each_deletion_is_recorded_with_where_it_came_from() -> None:
    found = {name: function for name, function in deletions().items() if name not in NOT_DELETIONS}
    assert len(found) >= 6
    assert [
        name
        for name, function in found.items()
        if not re.search(r"audit\.record|_record\(|account_deletion\.", ast.unparse(function))
    ] == []
    names = {name.partition(".")[2] for name in found} - {"delete"}
    calls = [
        (f"{path}:{node.lineno}", node)
        for path, tree in python("src", "components")
        if path.name.endswith("api.py") or "screens" in path.parts
        for node in nodes(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    ]
    assert len(calls) >= 8
    assert [place for place, node in calls if "client" not in {keyword.arg for keyword in node.keywords}] == []


@pytest.mark.security(45)
def test_each_export_is_recorded() -> None:
    """Only the dependency `Export`, which records the export, creates CSV files."""
    makers = {
        str(path)
        for path, tree in python("src")
        for node in nodes(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "csv_download"
    }
    assert makers - PUBLIC_EXPORTS.keys() == {"src/fundwright/accounts/dependencies.py"}
