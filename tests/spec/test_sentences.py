"""Every sentence of the specification is listed in sentences.md with its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_PROJECT = Path(__file__).parents[2]
_LIST = Path(__file__).with_name("sentences.md")
_WITHOUT_TEST = {"demo", "not shown", "no behavior"}


def listed() -> Iterator[tuple[str, list[str]]]:
    for line in _LIST.read_text().splitlines():
        sentence, _, tests = line.strip("| ").rpartition(" | ")
        if line.startswith("| ") and sentence != "sentence":
            yield sentence, [each.strip("`") for each in tests.split("<br>")]


def sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield from re.split(r"(?<=[.:])'?\s+(?=[A-Z])", line.strip().removeprefix("- ").replace("|", "/"))


def test_all_are_listed(shared_data: Path) -> None:
    specification = (shared_data.parent / "spec/product-spec.md").read_text()
    assert [sentence for sentence, _ in listed()] == list(sentences(specification))


@pytest.mark.parametrize(("sentence", "tests"), list(listed()), ids=lambda each: each[:40] if isinstance(each, str) else "")
def test_each_has_tests_or_needs_none(sentence: str, tests: list[str]) -> None:
    for test in tests:
        if test in _WITHOUT_TEST:
            continue
        path, _, name = test.partition("::")
        source = (_PROJECT / path).read_text()
        assert f"def {name}(" in source if path.endswith(".py") else name in source, f"{test}, for: {sentence}"
