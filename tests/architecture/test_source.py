"""Rules for source files."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import pairwise

from tests.architecture.tree import PROJECT, SLICES, nodes, python, texts

LEFT_FOR_LATER = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
HOME_FOLDERS = re.compile(r"(?<![\w.])/(work|root|home/\w+|Users/\w+|opt)/")
REGISTRIES = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(org|com)|yarnpkg\.com")
NUMBER_FORMAT = re.compile(r"[,_]|%$")
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
QUERY_WORDS = {"select", "insert", "update", "delete", "exists"}
BOUNDARIES = {"api.py", "request_authentication.py", "jobs.py"}


def opens_its_own_transaction(node: ast.stmt) -> bool:
    if not isinstance(node, ast.AsyncFunctionDef):
        return False
    takes_session = any(argument.arg == "session" for argument in node.args.args)
    return not takes_session and "Opens its own transaction" in " ".join((ast.get_docstring(node) or "").split())


class TestEveryFile:
    def test_nothing_is_left_for_later(self) -> None:
        assert found(LEFT_FOR_LATER, without=(".json", ".txt")) == []

    def test_no_path_of_someones_machine(self) -> None:
        assert found(HOME_FOLDERS, without=(".json",)) == []

    def test_no_address_of_a_package_registry(self) -> None:
        assert found(REGISTRIES) == []

    def test_no_vague_module_names(self) -> None:
        assert [str(path) for path in texts() if path.suffix in (".py", ".ts", ".tsx") and path.stem.lower() in VAGUE_NAMES] == []


class TestSlices:
    def test_each_has_a_contract_for_its_layers(self) -> None:
        contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
        containers = {container for contract in contracts for container in contract.get("containers", ())}
        assert {each.removeprefix("src/").replace("/", ".") for each in SLICES} <= containers

    def test_queries_are_in_repositories(self) -> None:
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python(*SLICES)
            if "repository" not in (path.stem, path.parent.name)
            for node in nodes(tree)
            if isinstance(node, ast.ImportFrom)
            and node.module == "sqlalchemy"
            and {alias.name for alias in node.names} & QUERY_WORDS
        ]
        assert wrong == []

    def test_nothing_but_a_boundary_opens_or_closes_a_transaction(self) -> None:
        """Job steps are boundaries wherever they are: `run.transaction()`. So are functions that call a model, which must not be
        called in a transaction, that work on one account after another, or that record what they then raise: they get no session,
        and their docstring says that they open their own."""
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python(*SLICES)
            if path.name not in BOUNDARIES
            for function in tree.body
            if not opens_its_own_transaction(function)
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and re.search(r"\bcommit$|database\.transaction$", ast.unparse(node.func))
        ]
        assert wrong == []

    def test_arguments_have_one_order(self) -> None:
        """Session, actor, core, wherever a function takes a session as a positional argument."""
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python("src", "components")
            if not path.name.endswith("api.py")  # FastAPI fills in what routes take
            for node in nodes(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for names in [[argument.arg for argument in node.args.args if argument.arg != "self"]]
            if "session" in names
            for expected in [[name for name in ("session", "actor", "core") if name in names]]
            if names[: len(expected)] != expected
        ]
        assert wrong == []


class TestSpreadsheets:
    def test_one_module_writes_csv(self) -> None:
        """So that every cell that a spreadsheet would execute as a formula is written as text."""
        writers = {
            path.as_posix()
            for path, tree in python("src", "components")
            for node in nodes(tree)
            if isinstance(node, ast.Attribute)
            and node.attr.endswith("riter")
            and ast.unparse(node) in ("csv.writer", "csv.DictWriter")
        }
        assert writers == {"src/fundwright/core/spreadsheets.py"}


class TestNumbers:
    def test_are_written_in_the_language_of_the_reader(self) -> None:
        """Counts and shares with their own format (`:,`, `:.0%`) look English in every language; use `messages.number` and
        `percent`."""
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python("src", "components")
            for node in nodes(tree)
            if isinstance(node, ast.FormattedValue)
            and node.format_spec is not None
            and NUMBER_FORMAT.search(ast.unparse(node.format_spec)[2:-1])
        ]
        assert wrong == []

    def test_a_share_has_no_percent_sign_of_its_own(self) -> None:
        """`12%` is `12 %` in German; `messages.percent` handles this."""
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python("src", "components")
            if "cli" not in path.parts
            for node in nodes(tree)
            if isinstance(node, ast.JoinedStr)
            for before, after in pairwise(node.values)
            if isinstance(before, ast.FormattedValue)
            and isinstance(after, ast.Constant)
            and re.match(r"\s?%(?!\w)", str(after.value))
        ]
        assert wrong == []


class TestScreens:
    def test_no_style_attributes(self) -> None:
        """The content security policy blocks them in the first paint; use classes."""
        wrong = [
            f"{path}:{key.lineno}"
            for path, tree in python("components")
            for node in nodes(tree)
            if isinstance(node, ast.Dict)
            for key in node.keys
            if isinstance(key, ast.Constant) and key.value == "style"
        ]
        assert wrong == []

    def test_ids_are_parsed_in_one_place(self) -> None:
        """`UUID(...)` fails with a traceback on invalid input from an address or a form; `id_in` returns None, and `parse_id` reports
        that the item does not exist."""
        wrong = [
            f"{path}:{node.lineno}"
            for path, tree in python("components")
            for function in nodes(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name != "id_in"
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "UUID"
        ]
        assert wrong == []


def found(pattern: re.Pattern[str], *, without: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path, text in texts().items()
        if path.suffix not in without
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
