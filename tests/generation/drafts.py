"""Drafts with the given parts, as services return them."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from fundwright.generation.schemas import CitationRead, DraftRead, DraftSectionRead, DraftState, SectionState


def citation(
    number: int, title: str = "Past work", heading: tuple[str, ...] = ("Projects",), page: int | None = 3
) -> CitationRead:
    return CitationRead(
        number=number,
        passage_id=uuid4(),
        document_id=uuid4(),
        document_title=title,
        heading=heading,
        page=page,
        text="We repair roofs.",
        quotes=(),
    )


def part(ordinal: int, heading: str, text: str, *, missing: tuple[str, ...] = ()) -> DraftSectionRead:
    return DraftSectionRead(
        id=uuid4(),
        ordinal=ordinal,
        heading=heading,
        is_added=False,
        text=text,
        revision=1,
        state=SectionState.DONE,
        rewriting=None,
        error=None,
        open_questions=missing,
        done_questions=(),
        dropped_citations=0,
    )


def draft(
    *,
    title: str = "Cover letter: Roof",
    text: str = "We repair roofs [1].\n\n- **Hill** base\n- Ogden",
    sections: tuple[DraftSectionRead, ...] | None = None,
    citations: tuple[CitationRead, ...] = (
        citation(1),
        citation(2, "Data sheet", (), None),
        citation(3, "Notes", ("Notes", "Hill"), None),
    ),
    number: str = "FA8201-26-R-0001",
    company: str = "",
    is_letter: bool = False,
) -> DraftRead:
    return DraftRead(
        id=uuid4(),
        slug="s",
        title=title,
        template="white-paper",
        template_title="Cover letter",
        opportunity_id=uuid4(),
        opportunity_title="Roof",
        opportunity_number=number,
        is_letter=is_letter,
        company=company,
        document_ids=(),
        state=DraftState.FINISHED,
        writer_id="extractive",
        writer_label="Extractive",
        created_at=datetime(2026, 4, 1, tzinfo=UTC),
        ended_at=None,
        job_id=None,
        error=None,
        sections=sections or (part(0, "Who we are", text), part(1, "Contact", "", missing=("your contact person",))),
        citations=citations,
    )
