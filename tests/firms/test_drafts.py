"""One invented firm from its files to its drafts, with the real embedding model; `make eval ONLY=drafting` measures all firms."""

from __future__ import annotations

from pathlib import Path

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.language.schemas import nearest_heading
from fundwright.templates.builtin import CAPABILITY_STATEMENT, TEMPLATES
from fundwright.templates.schemas import DraftTemplate
from tests.firms import load_firm
from tests.firms.drafts import add_documents, add_opportunity, draft, score
from tests.support.accounts import add_account

FIRM = load_firm("brightwater")


@pytest.fixture
async def member(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session)


@pytest.mark.parametrize(
    "asked",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each is not CAPABILITY_STATEMENT)) for each in TEMPLATES],
)
async def test_drafts_say_what_the_documents_say_and_nothing_else(
    committed: Core, member: Actor, tmp_path: Path, asked: DraftTemplate
) -> None:
    await add_documents(committed, member, FIRM)
    opportunity_id = await add_opportunity(committed, member, FIRM, tmp_path)
    written = await draft(committed, member, opportunity_id, asked)
    for section in score(FIRM, written):
        where = f"{section.template}, {section.heading}"
        assert not section.missing, where
        assert not section.forbidden, where
        assert not section.foreign, where
        assert not section.empty, where
        assert not section.filled, where
    headings = {nearest_heading(citation.heading) for citation in written.citations}
    if asked is CAPABILITY_STATEMENT:
        assert {"CORE COMPETENCIES", "DIFFERENTIATORS", "COMPANY DATA"} <= headings
