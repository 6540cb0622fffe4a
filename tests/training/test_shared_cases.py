"""The questions of ../shared/cases/documents, asked when all files are documents of one workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.training import answering, service
from tests.training.conftest import AddFile

_NOT_FIRST = {"d03_tracked_changes.docx", "p01_two_columns_drawn_by_rows.pdf", "p04_half_scanned.pdf"}
"""Another of the files names another program manager; the answer of the second file says “the network”; the third is a picture."""


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
    await service.run_inline(committed, owner, ids)
    embedder = await language.get_embedder(committed)
    wrong = set[str]()
    for case in cases:
        for question, expected in case.get("questions", ()):
            found = await service.find_answers(committed, owner, question, embedder=embedder)
            if not found or expected not in answering.in_words(found[0]):
                wrong.add(case["file"])
    assert wrong <= _NOT_FIRST
