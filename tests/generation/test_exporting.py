from __future__ import annotations

import io
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from docx import Document

from fundwright.core.messages import speaking
from fundwright.generation.exporting import export
from fundwright.generation.schemas import (
    CitationRead,
    DraftRead,
    DraftSectionRead,
    DraftState,
    ExportFormat,
    SectionState,
)


def draft(*, title: str = "Cover letter: Roof", text: str = "We repair roofs [1].\n\n- **Hill** base\n- Ogden") -> DraftRead:
    return DraftRead(
        id=uuid4(),
        slug="s",
        title=title,
        template="cover-letter",
        template_title="Cover letter",
        opportunity_id=uuid4(),
        opportunity_title="Roof",
        opportunity_number="FA8201-26-R-0001",
        state=DraftState.FINISHED,
        writer_id="extractive",
        writer_label="Extractive",
        created_at=datetime(2026, 4, 1, tzinfo=UTC),
        ended_at=None,
        job_id=None,
        error=None,
        sections=(
            DraftSectionRead(
                ordinal=0, heading="Who we are", text=text, state=SectionState.DONE, open_questions=(), dropped_citations=0
            ),
            DraftSectionRead(
                ordinal=1,
                heading="Contact",
                text="",
                state=SectionState.DONE,
                open_questions=("your contact person",),
                dropped_citations=0,
            ),
        ),
        citations=(
            CitationRead(
                number=1,
                passage_id=uuid4(),
                document_id=uuid4(),
                document_title="Past work",
                heading="Projects",
                page=3,
                text="We repair roofs.",
                quotes=(),
            ),
        ),
    )


def words_of(content: bytes) -> list[tuple[str | None, str]]:
    return [(p.style.name if p.style else "", p.text) for p in Document(io.BytesIO(content)).paragraphs]


class TestMarkdown:
    def test_it_holds_text_open_questions_and_sources(self) -> None:
        text = export(draft(), ExportFormat.MARKDOWN).content.decode()
        assert text.startswith("# Cover letter: Roof\n\nFor: Roof (FA8201-26-R-0001). Drafted on April 1, 2026 with Extractive.")
        assert "## Who we are\n\nWe repair roofs [1]." in text
        assert "## Open questions\n\n- Contact: add your contact person." in text
        assert "## Sources\n\n- [1] Past work, page 3, “Projects”" in text

    def test_what_stands_around_the_text_is_in_the_language_of_the_reader(self) -> None:
        with speaking("de"):
            text = export(draft(), ExportFormat.MARKDOWN).content.decode()
        assert "Für: Roof (FA8201-26-R-0001). Entworfen am 1. April 2026 mit Extractive." in text
        assert "## Offene Fragen\n\n- Kontakt: ergänzen Sie your contact person." in text
        assert "## Quellen\n\n- [1] Past work, Seite 3, “Projects”" in text

    def test_the_file_is_named_after_the_title_without_anything_odd(self) -> None:
        assert export(draft(title="../é “x”\n/etc"), ExportFormat.MARKDOWN).filename == "x-etc.md"
        assert export(draft(title="…"), ExportFormat.MARKDOWN).filename == "draft.md"


class TestWord:
    def test_headings_lists_and_emphasis_are_words_own(self) -> None:
        exported = export(draft(), ExportFormat.DOCX)
        paragraphs = words_of(exported.content)
        assert exported.filename == "Cover-letter-Roof.docx"
        assert ("Heading 1", "Who we are") in paragraphs
        assert ("Normal", "We repair roofs [1].") in paragraphs
        assert ("List Bullet", "Hill base") in paragraphs
        assert ("Normal", "[1] Past work, page 3, “Projects”") in paragraphs
        bold = [run.text for p in Document(io.BytesIO(exported.content)).paragraphs for run in p.runs if run.bold]
        assert bold == ["Hill"]

    @pytest.mark.parametrize("character", ["\x0b", "\ufffe", "\uffff"])
    def test_no_part_of_it_is_broken_by_a_character_that_xml_cannot_hold(self, character: str) -> None:
        content = export(draft(title=f"Roof{character}s", text=f"We{character} repair."), ExportFormat.DOCX).content
        assert ("Normal", "We repair.") in words_of(content)
        assert Document(io.BytesIO(content)).core_properties.title == "Roofs"

    def test_characters_that_xml_cannot_hold_do_not_break_it(self) -> None:
        paragraphs = words_of(export(draft(text="Form\x0cfeed and <b>tags</b> & more"), ExportFormat.DOCX).content)
        assert ("Normal", "Formfeed and <b>tags</b> & more") in paragraphs
