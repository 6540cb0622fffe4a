"""Every email that the code can compose."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints
from uuid import uuid4

import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication.emails import Ended
from fundwright.billing.schemas import PaymentRead
from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language
from fundwright.notifications.schemas import NotificationRead
from tests.architecture.tree import nodes, python

SOURCE = Path(__file__).resolve().parents[2] / "src"
HOSTILE = "URGENT: verify at https://evil.example/x?y or HTTP://1.2.3.4, www.evil.example, evil.example, eve@evil.example"
ADA, OURS = "ada@example.org", "https://ours.example/a"
LINKED = re.compile(r"://|www\.\w|\w\.[a-z]{2}|\w@\w", re.IGNORECASE)

WRITTEN_BY_US = {
    "recipient": ADA,
    "new": ADA,
    "link": OURS,
    "address": OURS,
    "unsubscribe_link": OURS,
    "news": MailKind.PASSKEY_ADDED,
}
BY_TYPE: dict[object, object] = {
    str: HOSTILE,
    bool: True,
    int: 3,
    Language: "en",
    Role: Role.ADMIN,
    Sequence[str]: (HOSTILE,),
    Ended: Ended(is_everything=False, sessions=True, api_tokens=(HOSTILE,), passkeys=(HOSTILE,), authenticator=True),
    Actor: Actor(id=uuid4(), email=ADA, name=HOSTILE, role=Role.ADMIN),
    PaymentRead: PaymentRead.model_construct(
        number="1",
        email=ADA,
        workspace_name=HOSTILE,
        text=HOSTILE,
        issued=date(2026, 1, 1),
        due=date(2026, 2, 1),
        amount_cents=1,
        currency="usd",
    ),
    Sequence[NotificationRead]: (
        NotificationRead.model_construct(title=HOSTILE, workspace=HOSTILE, workspace_id=uuid4(), path="/dashboard"),
    ),
}


def modules() -> Iterator[str]:
    """The modules that compose emails."""
    for path, tree in python("src"):
        names = {node.func.id for node in nodes(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        if "OutgoingEmail" in names:
            yield ".".join(path.relative_to("src").with_suffix("").parts)


def templates() -> Iterator[Callable[..., OutgoingEmail]]:
    for module in map(import_module, modules()):
        for function in vars(module).values():
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and get_type_hints(function).get("return") is OutgoingEmail:
                yield function


def composed(template: Callable[..., Any]) -> OutgoingEmail:
    """The email, whose texts by people are hostile."""
    hints = get_type_hints(template)
    return template(
        **{
            name: WRITTEN_BY_US[name] if name in WRITTEN_BY_US else BY_TYPE[hints[name]]
            for name in inspect.signature(template).parameters
        }
    )


class TestEmails:
    def test_all_are_composed_in_functions_that_are_checked_below(self) -> None:
        assert {module.rpartition(".")[2] for module in modules()} == {"emails"}
        calls = [(SOURCE / f"{module.replace('.', '/')}.py").read_text().count("OutgoingEmail(\n") for module in modules()]
        assert len(list(templates())) == sum(calls) > 15

    @pytest.mark.parametrize("template", list(templates()), ids=lambda each: f"{each.__module__}.{each.__name__}")
    def test_no_text_by_somebody_else_is_a_link(self, template: Callable[..., OutgoingEmail]) -> None:
        email = composed(template)
        texts = [email.subject, *email.paragraphs]
        assert [found[0] for each in texts if (found := LINKED.search(each.replace(ADA, "")))] == []
        for each in (email.text, email.html):
            assert not re.search(r"evil\.example|https?://(?!ours\.example)", each, re.IGNORECASE)
