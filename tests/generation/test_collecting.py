from __future__ import annotations

from uuid import UUID

from sqlalchemy import update

from fundwright.facts import service as facts
from fundwright.facts.schemas import FactForm
from fundwright.generation import service
from fundwright.generation.collecting import collect, parts_of
from fundwright.generation.schemas import SuggestedCompany
from fundwright.language.service import get_embedder
from fundwright.opportunities import service as opportunities
from fundwright.reading.facts import FactField, FactKind
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, runs
from fundwright.training.models import Document
from fundwright.training.schemas import DocumentText, PassagePlace, PastedText
from tests.generation.conftest import BRIEF, Desk
from tests.support.accounts import add_account

ONE = "Facilities\n\nWe run a clean laboratory of 1,400 square feet in Athens.\n\n"
TWO = "Our second hall houses four presses and a furnace.\n"


class TestPartsOf:
    def test_a_part_ends_with_its_page(self) -> None:
        passage = PassagePlace(
            id=UUID(int=1), heading=("Facilities",), page=1, start=0, end=len(ONE + TWO), places=((len(ONE), ("Facilities",), 2),)
        )
        for kind in (DocumentKind.ABOUT_US, DocumentKind.PAST_PERFORMANCE):
            document = DocumentText(id=UUID(int=2), title="About", kind=kind, text=ONE + TWO, passages=(passage,))
            assert [(part.page, part.text) for part in parts_of(document)] == [(1, ONE.strip()), (2, TWO.strip())]

    def test_what_is_not_offered_is_a_part_of_its_own(self) -> None:
        text = "What we make\n\nSpur gears and worm sets.\n\nWhat we don't make\n\nBevel gears, castings.\n\nQuality\n\nAll parts are measured.\n"
        passage = PassagePlace(
            id=UUID(int=1), heading=("What we make",), page=None, start=0, end=len(text), places=((0, ("What we make",), None),)
        )
        document = DocumentText(id=UUID(int=2), title="Line card", kind=DocumentKind.ABOUT_US, text=text, passages=(passage,))
        assert [part.heading[-1] for part in parts_of(document)] == ["What we make", "What we don't make"]


class TestDocumentsOfOthers:
    async def test_the_report_of_another_organization_is_no_material(self, desk: Desk) -> None:
        about = "# Hill Roofing LLC\n\nHill Roofing LLC is a small business in Salina. Shingles gutters are our trade."
        report = "# Harbor Light\n\nHarbor Light is a nonprofit in Duluth. Shingles gutters of our library were new in 2024."
        async with desk.core.database.transaction() as session:
            added = [
                await adding.add_text(session, desk.actor, desk.core, PastedText(title=title, text=text))
                for title, text in (("About us", about), ("Report", report))
            ]
        await runs.run_inline(desk.core, desk.actor, [document.id for document in added])
        async with desk.core.database.transaction() as session:
            await session.execute(
                update(Document).where(Document.id.in_([each.id for each in added])).values(kind=DocumentKind.ABOUT_US)
            )
            opportunity = await opportunities.get_opportunity(session, desk.actor, desk.opportunity_id)

        async def texts(company: str) -> str:
            material = await collect(
                desk.core, desk.actor, BRIEF.sections[0], opportunity, await get_embedder(desk.core), company=company
            )
            return " ".join(part.text for part in material.parts)

        assert "Salina" in await texts("Hill Roofing LLC") and "Duluth" not in await texts("Hill Roofing LLC")
        assert "Duluth" in await texts("Harbor Light") and "Salina" not in await texts("Harbor Light")


class TestSuggestCompany:
    async def test_is_that_of_the_last_draft_or_what_the_documents_are_about(self, desk: Desk) -> None:
        about = (
            "# Hill Roofing LLC\n\nHill Roofing LLC is a small business in Salina. Hill Roofing LLC was founded in 2009 and "
            "repairs roofs."
        )
        async with desk.core.database.transaction() as session:
            document = await adding.add_text(session, desk.actor, desk.core, PastedText(title="About us", text=about))
        await runs.run_inline(desk.core, desk.actor, [document.id])
        assert await service.suggest_company(desk.core, desk.actor) == SuggestedCompany("", "Hill Roofing LLC")
        async with desk.core.database.transaction() as session:
            await service.add_draft(
                session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief", company="Hill & Daughters"
            )
        assert await service.suggest_company(desk.core, desk.actor) == SuggestedCompany("Hill & Daughters", "Hill Roofing LLC")

    async def test_is_the_accepted_legal_name_rather_than_that_of_documents(self, desk: Desk) -> None:
        values = {FactField.LABEL: "Legal name", FactField.VALUE: "Hill Roofing Holdings LLC"}
        async with desk.core.database.transaction() as session:
            await facts.add_fact(session, desk.actor, FactForm(kind=FactKind.DETAIL, values=values))
        assert (await service.suggest_company(desk.core, desk.actor)).of_documents == "Hill Roofing Holdings LLC"

    async def test_is_never_the_company_of_the_sample(self, desk: Desk) -> None:
        about = "# Hill Roofing LLC\n\nHill Roofing LLC is a small business in Salina. Hill Roofing LLC was founded in 2009."
        async with desk.core.database.transaction() as session:
            beginner = await add_account(session)
            document = await adding.add_text(session, beginner, desk.core, PastedText(title="About us", text=about))
        await runs.run_inline(desk.core, beginner, [document.id])
        async with desk.core.database.transaction() as session:
            await session.execute(update(Document).where(Document.id == document.id).values(is_sample=True))
        assert await service.suggest_company(desk.core, beginner) == SuggestedCompany()
