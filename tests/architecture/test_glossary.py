"""docs/glossary.md agrees with the code and the catalogs, and nothing uses the words that it rejects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from fundwright.core.messages import LANGUAGES
from scripts.messages import LOCALES
from tests.architecture.tree import PROJECT, texts

PAGE = Path("docs/glossary.md")
TRANSLATED = tuple(language for language in LANGUAGES if language != "en")
TERMS, REJECTED = (PROJECT / PAGE).read_text().split("## Words that are not used")
ROWS = re.findall(r"^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|", TERMS, re.MULTILINE)
WORDS = [word.replace("\\|", "|") for word in re.findall(r"^\| `(\S.*?)` \| [^|]+ \|$", REJECTED, re.MULTILINE)]
EXEMPT = (
    "CHANGELOG.md",  # lists the old names
    "components/fundwright_ui/screens/help/de",
    "components/fundwright_ui/screens/help/fr",
    "docs/glossary.md",
    "package-lock.json",
    "src/fundwright/core/migrations/versions",
    "src/fundwright/generation/extractive/examples.txt",
    "src/fundwright/opportunities/sample",
    "tests/checking",
    "tests/core/test_migrations.py",  # sets up the tables of earlier versions
    "tests/firms",
    "tests/relevance",
    "tests/spec",  # quotes the specification
)
"""Quotations, other people's data, and the history of the database."""


def test_there_are_terms_and_words() -> None:
    assert len(ROWS) >= 60
    assert len(WORDS) >= 20


def test_each_identifier_is_in_the_code() -> None:
    code = "\n".join(text for path, text in texts().items() if path.suffix == ".py" and path.parts[0] in ("src", "components"))
    used = set(re.findall(r"\w+", code))
    assert {identifier for _, identifier, _, _ in ROWS} - used == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_labels_are_translated_as_in_the_catalog(language: str) -> None:
    with (LOCALES / language / "LC_MESSAGES/messages.po").open("rb") as file:
        catalog = {str(message.id): message.string for message in read_po(file)}
    column = 2 + TRANSLATED.index(language)
    wrong = {row[0]: catalog[row[0]] for row in ROWS if row[0] in catalog and catalog[row[0]] != row[column]}
    assert wrong == {}


def test_rejected_words_are_used_nowhere() -> None:
    """Messages are covered, because they are in the sources."""
    pattern = re.compile("|".join(WORDS))
    found = [
        f"{path}:{number}: {line.strip()[:120]}"
        for path, text in texts().items()
        if not any(path.is_relative_to(each) for each in EXEMPT) and pattern.search(text.lower())
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line.lower())
    ]
    assert found == [], f"Write the words of {PAGE} instead."
