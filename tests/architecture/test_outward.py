"""All outgoing HTTP requests go through core/fetch.py and all email through core/mail.py, and nothing shows the messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import nodes, python

CLIENTS = {
    "httpx2",
    "httpx",
    "httpcore",
    "httpcore2",
    "requests",
    "aiohttp",
    "urllib3",
    "urllib.request",
    "http.client",
    "ftplib",
}
MAY = {Path("src/fundwright/core/fetch.py")}
SMTP = {"aiosmtplib", "smtplib"}
MAY_SEND_LETTERS = {Path("src/fundwright/core/mail.py")}  # to the server that a setting names
HAVE_MESSAGES = {"Mail", "MailMessage", "list_messages"}
MAY_READ_MESSAGES = {Path("src/fundwright/core/mail.py"), Path("src/fundwright/cli/mail.py")}
SDK = {"AsyncOpenAI", "OpenAI"}

pytestmark = pytest.mark.security(43)


def imported(tree: ast.Module) -> Iterator[str]:
    """Names imported at run time, without those imported only for type checking."""
    only_types = {
        inner for node in nodes(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for inner in ast.walk(node)
    }  # fmt: skip
    for node in nodes(tree):
        if node in only_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(modules: set[str], *, but: set[Path]) -> list[str]:
    return [
        f"{path}: {name}"
        for path, tree in python("src", "components")
        for name in imported(tree)
        if path not in but and any(name == module or name.startswith(f"{module}.") for module in modules)
    ]


def test_nothing_else_has_a_client_of_its_own() -> None:
    assert importers(CLIENTS, but=MAY) == []


def test_emails_are_sent_from_one_place() -> None:
    assert importers(SMTP, but=MAY_SEND_LETTERS) == []


@pytest.mark.security(15)
def test_messages_are_read_on_the_command_line_only() -> None:
    """Messages can contain links that give access to their recipient's account."""
    readers = [
        f"{path}:{node.lineno}"
        for path, tree in python("src", "components")
        for node in nodes(tree)
        if isinstance(node, ast.Name | ast.Attribute | ast.alias) and _last_name(node) in HAVE_MESSAGES
        if path not in MAY_READ_MESSAGES
    ]
    assert readers == []


def _last_name(node: ast.Name | ast.Attribute | ast.alias) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name


def test_the_client_of_the_models_uses_our_http_client() -> None:
    calls = [
        (f"{path}:{node.lineno}", {keyword.arg for keyword in node.keywords})
        for path, tree in python("src", "components")
        for node in nodes(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in SDK
    ]
    assert calls
    assert [where for where, options in calls if "http_client" not in options] == []
