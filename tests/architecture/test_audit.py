"""Every action of the audit trail has a label in the reader's language."""

from __future__ import annotations

import ast
import re

from fundwright.billing.schemas import PaymentState
from fundwright.identity.audit import action_label
from tests.architecture.tree import python

RECORDING = re.compile(r"(audit\.)?record|_record_payment")
COMPOSED = {
    "f'blog_post.{deed}'": [f"blog_post.{deed}" for deed in ("created", "changed", "published", "withdrawn", "deleted")],
    "f'payment.{state}'": [f"payment.{state}" for state in (PaymentState.PAID, PaymentState.VOID)],
}
"""Actions whose name is put together, by the expression that does so."""


def test_each_has_a_label() -> None:
    written = [
        ast.unparse(node.args[1])
        for _, tree in python("src")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and RECORDING.fullmatch(ast.unparse(node.func)) and len(node.args) > 1
    ]
    actions = {action for text in written if text != "action" for action in COMPOSED.get(text, [text.strip("'")])}
    assert len(actions) > 50
    assert sorted(action for action in actions if action_label(action) == action) == []
