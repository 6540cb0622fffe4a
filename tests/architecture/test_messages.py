"""The catalogs translate all messages of the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import walk_packages
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import fundwright
from fundwright.core import errors
from fundwright.core.errors import FundwrightError
from scripts import extraction, messages
from tests.architecture.tree import nodes, python


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """All messages of the sources."""
    path = tmp_path_factory.mktemp("messages") / "messages.pot"
    messages.extract(path)
    return read(path)


@pytest.mark.parametrize("path", sorted(messages.LOCALES.rglob("*.po")), ids=lambda path: path.parts[-3])
def test_every_message_is_translated(path: Path, template: Catalog) -> None:
    assert list(problems(read(path), template)) == [], "Run `python -m scripts.messages` and translate what is missing."


class TestProblems:
    @pytest.mark.parametrize(
        ("translation", "problem"),
        [
            ('msgid "Open {name}"\nmsgstr "{name} öffnen"', None),
            ('msgid "Open {name}"\nmsgstr ""', "missing: Open {name}"),
            ("", "missing: Open {name}"),
            ('#, fuzzy\nmsgid "Open {name}"\nmsgstr "{name} öffnen"', "fuzzy: Open {name}"),
            ('msgid "Open {name}"\nmsgstr "{Name} öffnen"', "other placeholders: Open {name}"),
            ('msgid "Open {name}"\nmsgstr "{name} öffnen{name} öffnen"', "other placeholders: Open {name}"),
            ('msgid "Open {name}"\nmsgstr "{name} öffnen"\n\nmsgid "Old"\nmsgstr "Alt"', "unused: Old"),
        ],
    )
    def test_are_what_a_reader_would_notice(self, translation: str, problem: str | None) -> None:
        template, catalog = (read_po(StringIO(text)) for text in ('msgid "Open {name}"\nmsgstr ""', translation))
        assert list(problems(catalog, template)) == ([problem] if problem else [])


BREAKABLE = {"de": r"\w …|[\d}] MB\b", "fr": r"« | [»:;!?]|[\d}] Mo\b"}
"""Ordinary spaces where these languages need one that does not break the line (U+00A0, U+202F)."""


@pytest.mark.parametrize("language", BREAKABLE)
def test_no_line_begins_with_punctuation_or_a_unit(language: str) -> None:
    catalog = read(messages.LOCALES / language / "LC_MESSAGES/messages.po")
    texts = [text for message in catalog if message.id for text in forms(message.string)]
    texts += [path.read_text() for path in (messages.PROJECT / f"components/fundwright_ui/screens/help/{language}").glob("*.md")]
    assert [text for text in texts if re.search(BREAKABLE[language], text)] == []


@pytest.mark.parametrize("language", BREAKABLE)
def test_buttons_that_do_different_things_have_different_labels(language: str) -> None:
    catalog = read(messages.LOCALES / language / "LC_MESSAGES/messages.po")
    labels = [catalog[action].string for action in ("Cancel", "Undo", "Redo", "Restore", "Remove", "Delete")]
    assert len(set(labels)) == len(labels)


def test_messages_come_from_both_halves_and_from_data(template: Catalog) -> None:
    files = {path for message in template for path, _ in message.locations}
    assert {
        "components/fundwright_ui/login/sign_in.py",
        "components/fundwright_ui/plugin.py",
        "components/fundwright_ui/sidebar/entries.py",
        "src/fundwright/templates/builtin.py",
        "web/src/widgets/FileDrop/FileDrop.tsx",
    } <= files
    assert set(extraction.PASSED_AS_DATA) <= files


def test_no_message_is_within_an_f_string_where_babel_does_not_find_it() -> None:
    within = [
        f"{path}:{call.lineno}"
        for path, tree in python("src", "components")
        for text in nodes(tree)
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {keyword.partition(":")[0] for keyword in messages.KEYWORDS}
    ]
    assert within == [], "Call it outside of the f-string."


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def problems(catalog: Catalog, template: Catalog) -> Iterator[str]:
    """Missing, fuzzy, and wrong translations, one per line."""
    yield from (f"unused: {message.id}" for message in catalog if message.id and template.get(forms(message.id)[0]) is None)
    for message in template:
        english = forms(message.id)[0]
        if not english:
            continue
        translated = catalog.get(english)
        if translated is None or translated.id != message.id or not all(forms(translated.string)):
            yield f"missing: {message.id}"
        elif translated.fuzzy:
            yield f"fuzzy: {message.id}"
        elif {placeholders(form) for form in forms(translated.string)} != {placeholders(english)}:
            yield f"other placeholders: {message.id}"


def forms(texts: str | Sequence[str] | None) -> tuple[str, ...]:
    return (texts or "",) if isinstance(texts, str | None) else tuple(texts)


def placeholders(text: str) -> tuple[str, ...]:
    """Sorted, each as often as it occurs."""
    return tuple(sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None))


IN_ENGLISH = {
    "StartRefused": "shown before anyone could choose a language",
    "EmailTaken": "the specification's own text",
    "TokenMissing": "the specification's own text",
    "TokenInvalid": "the specification's own text",
    "NoSuchAccount": "shown by the command line",
}
"""Errors that are not translated, and why."""


def test_every_refusal_is_in_the_language_of_its_reader() -> None:
    plain = [
        f"{path}:{line}"
        for path, tree in python("src/fundwright", "components/fundwright_ui")
        if "cli" not in path.parts
        for line in refusals_in_english(tree)
    ]
    assert plain == [], "Wrap the sentence in t(…)."


def refusals_in_english(tree: ast.AST, within: str = "") -> Iterator[int]:
    """Lines that pass untranslated text to an error that people see."""
    for node in ast.iter_child_nodes(tree):
        name = node.name if isinstance(node, ast.ClassDef) else within
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=error) | ast.Attribute(attr=error), args=[text, *_])) if (
                error in REFUSALS
            ):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"))), args=[text, *_]) if name in REFUSALS:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=error), attr="__init__"), args=[_, text]) if (
                error in REFUSALS and name in REFUSALS
            ):
                pass
            case ast.Call(func=ast.Name(id="parse_id"), args=[_, text]):  # raises NotFound with that text
                pass
            case _:
                text = None
        if isinstance(text, ast.JoinedStr | ast.Constant):
            yield text.lineno
        yield from refusals_in_english(node, name)


def _refusals() -> Iterator[type[FundwrightError]]:
    for module in walk_packages(fundwright.__path__, "fundwright."):  # `__subclasses__` lists only loaded classes
        if not {"migrations", "__main__"} & set(module.name.split(".")):
            import_module(module.name)
    waiting: list[type[FundwrightError]] = [errors.FundwrightError]
    while waiting:
        waiting += (found := waiting.pop()).__subclasses__()
        yield found


REFUSALS = {error.__name__ for error in _refusals()} - IN_ENGLISH.keys()


def test_every_column_of_an_export_is_named_in_the_language_of_its_reader() -> None:
    columns = [
        (f"{path}:{column.lineno}", ast.unparse(column.elts[0]))
        for path, tree in python("src")
        for call in nodes(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "csv_lines" and isinstance(call.args[0], ast.List)
        for column in call.args[0].elts
        if isinstance(column, ast.Tuple)
    ]
    assert len(columns) > 100
    assert [where for where, name in columns if not name.startswith("t(")] == []
