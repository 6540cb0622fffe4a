"""One invented organization from its files to its drafts, with the real embedding model; `make eval ONLY=firms` measures all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.templates.builtin import CAPABILITY_STATEMENT, TEMPLATES
from fundwright.templates.schemas import DraftTemplate
from fundwright.training import searching
from tests.firms import load_firm
from tests.firms.drafts import add_documents, add_opportunity, draft, flat
from tests.support.accounts import add_account

FIRM = load_firm("tamarack")


@pytest.fixture
async def member(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session)


@pytest.mark.parametrize(
    "asked",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each is not CAPABILITY_STATEMENT)) for each in TEMPLATES],
)
async def test_drafts_say_what_the_documents_say_and_nothing_that_is_not_so(
    committed: Core, member: Actor, tmp_path: Path, asked: DraftTemplate
) -> None:
    ids = dict(zip(FIRM.kinds, await add_documents(committed, member, FIRM), strict=True))
    (notice,) = await searching.read_documents(committed, member, document_ids=[ids[FIRM.opportunity["notice"]]])
    opportunity_id = await add_opportunity(committed, member, FIRM, tmp_path, notice=notice.text)
    written = await draft(committed, member, opportunity_id, asked)
    for section in written.sections:
        expected, text = FIRM.sections[asked.name, section.heading], flat(section.text)
        assert [fact for fact in expected.facts if flat(fact) not in text] == [], section.heading
        assert [each for each in (*FIRM.never, *expected.never) if flat(each) in text] == [], section.heading
    assert all(section.text for section in written.sections if FIRM.sections[asked.name, section.heading].facts)
    assert {citation.document_title for citation in written.citations}
