"""The files of ../shared/cases/documents, each of which stands for a kind of files that were read wrong."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fundwright.reading.document import Document
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import page_labels_of
from fundwright.training.chunking import chunk

_READERS = list(document_readers())


@pytest.fixture(scope="module")
def documents(shared_cases: Path) -> Path:
    return shared_cases / "documents"


@pytest.fixture(scope="module")
def expected(documents: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (documents / "expected.jsonl").read_text().splitlines()]


@cache
def read_case(path: Path) -> Document:
    return read(_READERS, path.read_bytes(), path.name)


def passages_of(path: Path) -> list[str]:
    """The passages of a file, each with the headings above it."""
    chunked = chunk(lines_of(read_case(path)))
    return [" ".join(" › ".join([*span.heading, chunked.text[span.start : span.end]]).split()) for span in chunked.chunks]


def test_what_belongs_together_stands_in_one_passage(documents: Path, expected: list[dict[str, Any]]) -> None:
    apart = list[tuple[str, list[str]]]()
    for case in expected:
        passages = passages_of(documents / case["file"]) if "together" in case else []
        for words in case["together"] if passages else ():
            if not any(all(word in passage for word in words) for passage in passages):
                apart.append((case["file"], words))
    assert apart == []


def test_what_nobody_sees_is_in_no_passage(documents: Path, expected: list[dict[str, Any]]) -> None:
    shown = [
        (case["file"], words)
        for case in expected
        if "absent" in case
        for words in case["absent"]
        if words in "\n".join(passages_of(documents / case["file"]))
    ]
    assert shown == []


def test_pages_have_the_labels_that_the_file_gives_them(documents: Path) -> None:
    path = documents / "p13_roman_front_matter.pdf"
    read_pages = read_case(path)
    assert read_pages.page_labels == ("i", "ii", "iii", "1", "2", "3", "4")
    assert page_labels_of(read_pages)[6] == "4"


def test_only_what_is_missing_in_a_case_is_reported(documents: Path) -> None:
    files = [path for path in documents.glob("*.*") if path.suffix != ".jsonl"]
    found = {
        path.name: [(each.missing.value, each.page, each.name, each.count) for each in read_case(path).unread] for path in files
    }
    assert {name: parts for name, parts in found.items() if parts} == {
        "p07_annotations.pdf": [("comments", 1, "", 1)],
        "t02_award_email.eml": [("attachment", None, "order.pdf", 1)],
    }


def test_each_passage_of_a_long_table_repeats_the_names_of_its_columns(documents: Path) -> None:
    passages = passages_of(documents / "d13_long_table.docx")
    assert len(passages) > 5
    head = "| Asset | Location | Purchased | Calibration due | Custodian |"
    assert [passage for passage in passages if head not in passage] == []
