"""The questions of ../shared/cases/documents, asked when all files are documents of one workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.asking import answering
from fundwright.asking import service as asking
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.training import runs
from tests.training.conftest import AddFile

_NOT_FIRST = {
    "d03_tracked_changes.docx",  # another file names another program manager
    "d05_footnotes_header_footer.docx",  # no record has name and value
    "h04_accordion_headings.html",  # refused
    "h06_preformatted.html",  # another file has a row like it
    "p01_two_columns_drawn_by_rows.pdf",  # says “the network”
    "p16_project_sheets.pdf",  # has the name below the values
}


@pytest.mark.slow
async def test_questions_are_answered_from_the_right_file(
    committed: Core, owner: Actor, add_file: AddFile, shared_cases: Path
) -> None:
    folder = shared_cases / "documents"
    cases = [json.loads(line) for line in (folder / "expected.jsonl").read_text().splitlines()]
    async with committed.database.transaction() as session:
        ids = [
            (await add_file(session, owner, committed, path.read_bytes(), path.name)).id
            for path in sorted({folder / case["file"] for case in cases})
        ]
    await runs.run_inline(committed, owner, ids)
    embedder = await language.get_embedder(committed)
    wrong = set[str]()
    for case in cases:
        for question, expected in case.get("questions", ()):
            found = (await asking.find_answers(committed, owner, question, embedder=embedder)).answers
            if not found or expected not in answering.in_words(found[0]):
                wrong.add(case["file"])
    assert wrong <= _NOT_FIRST
