"""Drafts of the invented firms without a database: their documents in any layout are read, split, and used as in the product."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import NAMESPACE_URL, uuid5

from fundwright.generation import collecting
from fundwright.generation.collecting import Part, parts_of, topic_of
from fundwright.generation.extractive import ExtractiveWriter
from fundwright.language.protocols import CitedFact, Embedder, NumberedPassage, SectionRequest, Unanswered
from fundwright.reading.company import infer_company
from fundwright.reading.facts import FactStatus
from fundwright.reading.finding_facts import facts_of
from fundwright.reading.formats import read
from fundwright.reading.kinds import DocumentKind, propose
from fundwright.reading.lines import lines_of
from fundwright.reading.markdown import MarkdownReader
from fundwright.reading.text import TextReader
from fundwright.templates.builtin import TEMPLATES
from fundwright.templates.schemas import TemplateSection
from fundwright.training.chunking import chunk
from fundwright.training.schemas import DocumentText, PassagePlace
from tests.firms import Firm
from tests.firms.layouts import Layout

_READERS = (MarkdownReader(), TextReader())


R = TypeVar("R")


async def _at_once(function: partial[R]) -> R:
    return function()


def read_document(filename: str, text: str) -> DocumentText:
    title = Path(filename).stem
    cut = chunk(lines_of(read(_READERS, text.encode(), filename)))
    id = uuid5(NAMESPACE_URL, filename)
    places = tuple(
        PassagePlace(
            id=piece.id(id, cut.text),
            heading=piece.heading,
            page=piece.page,
            start=piece.start,
            end=piece.end,
            places=tuple((place.start, place.heading, place.page) for place in piece.places),
        )
        for piece in cut.chunks
    )
    kind = propose(title=title, filename=filename, text=cut.text)
    return DocumentText(id=id, title=title, kind=kind, text=cut.text, passages=places)


async def sections(firm: Firm, layout: Layout, embedder: Embedder) -> dict[tuple[str, str], tuple[str, frozenset[int]]]:
    """By template and heading: the text, and the indexes of open questions. Letters come without their openings."""
    documents = [
        read_document(name, layout(firm.text(name)) if DocumentKind(kind).is_ours else firm.text(name))
        for name, kind in firm.kinds.items()
    ]
    ours = [document for document in documents if document.kind.is_ours]
    parts = [part for document in ours for part in parts_of(document)]
    facts = list[CitedFact]()
    for document in ours:
        for fact in facts_of(document.text, collecting._entries(document), document.kind):
            if fact.status is FactStatus.CURRENT:
                parts.append(collecting._part(document, fact.start, fact.end))
                facts.append(CitedFact(kind=fact.kind, values=fact.values, number=len(parts)))
    company = infer_company([(document.kind, document.text) for document in documents])
    required = tuple(document.text[:1200] for document in documents if not document.kind.is_ours)
    writer = ExtractiveWriter(embedder, _at_once)
    found: dict[tuple[str, str], tuple[str, frozenset[int]]] = {}
    for template in TEMPLATES:
        written: list[str] = []
        for plan in template.sections:
            pieces = [
                piece async for piece in writer.write(_request(firm, plan, parts, facts, required, company, "\n\n".join(written)))
            ]
            text = "".join(piece for piece in pieces if isinstance(piece, str))
            written.append(text)
            opened = frozenset(piece.question for piece in pieces if isinstance(piece, Unanswered))
            found[template.name, plan.heading] = (text, opened)
    return found


def _request(
    firm: Firm,
    plan: TemplateSection,
    parts: list[Part],
    facts: list[CitedFact],
    required: tuple[str, ...],
    company: str,
    written: str,
) -> SectionRequest:
    title = firm.opportunity["title"]
    return SectionRequest(
        heading=plan.heading,
        questions=tuple(question.ask.replace("{opportunity}", title) for question in plan.questions),
        topics=tuple(topic_of(plan, question) for question in plan.questions),
        instructions=f"{plan.instructions} About {plan.words} words.",
        opportunity=f"{title}\n{firm.opportunity['number']}, {firm.opportunity['agency']}",
        requirements=required,
        passages=tuple(
            NumberedPassage(
                number=number,
                text=part.text,
                heading=part.heading,
                head=part.head,
                kind=part.document_kind,
                document=part.document_title,
            )
            for number, part in enumerate(parts, start=1)
        ),
        facts=tuple(facts),
        language="en",
        written=written,
        company=company,
    )
