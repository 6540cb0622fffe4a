"""Writes a draft section by section, as a job: find passages, let the writer write, check and save what streams out.

What is saved is the checkpoint: a section is done or it is not. A process that is killed leaves one section unfinished;
the next one empties it and writes it again.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.jobs import JobRun
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.generation import repository, service
from fundwright.generation.citing import CitationStream
from fundwright.generation.models import Citation, DraftSection
from fundwright.generation.schemas import DraftTemplate, TemplateQuestion, TemplateSection, WriteDraft
from fundwright.identity.schemas import Actor
from fundwright.language import service as language
from fundwright.language.protocols import Embedder, NumberedPassage, SectionRequest, Unanswered, Writer
from fundwright.language.schemas import OUR_KINDS
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.training import service as training
from fundwright.training.schemas import Passage

_FLUSH_INTERVAL_S = 0.2
_PASSAGES_PER_QUESTION = 6
_CANDIDATES = 12
_LEAST_SIMILARITY = 0.2
"""Cosine similarity below which a passage does not answer a question. Low, because a passage may answer with one of many sentences."""
_FIT_WEIGHT = 0.5
_REPETITION = 0.15
"""What a passage loses when an earlier section has cited it."""
_SUMMARY_CHARACTERS = 1_500


@dataclass(frozen=True)
class Material:
    """What a section is written from. Passage n of the writer is `passages[n - 1]`."""

    passages: list[Passage]
    unanswered: set[int]
    """Places of the questions that no passage answers."""


async def write(run: JobRun[WriteDraft, Actor]) -> dict[str, Any]:
    """Write every section that is not done. Raises JobCancelled, and FundwrightError when a model cannot be used."""
    core: Core = run.services
    draft_id = run.payload.draft_id
    async with run.transaction() as session:
        draft = await service.get_draft(session, run.actor, draft_id)
        # First of all: the draft shows what becomes of this job, including an early failure.
        await repository.set_job(session, draft_id, run.id)
    embedder = await language.get_embedder(core)
    writer = await language.get_writer(core)
    async with run.transaction() as session:
        opportunity = await service.get_opportunity(session, run.actor, draft)
        await repository.set_writer(session, draft_id, writer_id=writer.id, label=writer.label)
        await publish(session, service.draft_topic(draft_id))
    template = service.get_template(core, draft.template)
    total = len(draft.sections)
    while True:
        async with run.transaction() as session:
            section = await repository.find_unfinished(session, draft_id)
            if section is None:
                break
            await repository.clear_section(session, section)
            await publish(session, service.draft_topic(draft_id), {"section": section.ordinal})
        await run.progress(section.ordinal, total, section.heading)
        await _write_section(run, section, template, opportunity, embedder, writer, document_ids=draft.document_ids or None)
    await run.progress(total, total, "")
    return {"draft_id": str(draft_id), "slug": draft.slug}


async def _write_section(
    run: JobRun[WriteDraft, Actor],
    section: DraftSection,
    template: DraftTemplate,
    opportunity: OpportunityRead,
    embedder: Embedder,
    writer: Writer,
    *,
    document_ids: Collection[UUID] | None,
) -> None:
    plan = _plan(template, section)
    async with run.transaction() as session:
        numbers = {citation.passage_id: citation.number for citation in await repository.citations(session, section.draft_id)}
        written = "\n\n".join(other.text for other in await repository.sections(session, section.draft_id))
    material = await _collect(run, plan, opportunity, embedder, cited=set(numbers), document_ids=document_ids)
    added: list[Citation] = []

    def renumber(written: int) -> int | None:
        if not 1 <= written <= len(material.passages):
            return None
        passage = material.passages[written - 1]
        if passage.id not in numbers:
            numbers[passage.id] = len(numbers) + 1
            added.append(_citation(section, numbers[passage.id], passage))
        return numbers[passage.id]

    stream, unanswered = CitationStream(renumber), set(material.unanswered)
    ready, is_empty, flushed_at = "", True, time.monotonic()

    async def flush() -> None:
        async with run.transaction() as session:
            session.add_all(added)
            await repository.append_text(session, section.id, ready)
            await publish(session, service.draft_topic(section.draft_id), {"section": section.ordinal})
        added.clear()

    if material.passages:
        async with language.closing_stream(writer.write(_request(run.actor, plan, opportunity, material, written))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Unanswered):
                    unanswered.add(piece.question)
                    continue
                ready += stream.feed(piece)
                if ready and time.monotonic() - flushed_at >= _FLUSH_INTERVAL_S:
                    await flush()
                    ready, is_empty, flushed_at = "", is_empty and not ready.strip(), time.monotonic()
                    await run.progress(section.ordinal)
        ready += stream.close()
        is_empty = is_empty and not ready.strip()
        if ready:
            await flush()
    missing = [question.missing for place, question in enumerate(plan.questions) if is_empty or place in unanswered]
    async with run.transaction() as session:
        await repository.finish_section(session, section.id, open_questions=missing, dropped_citations=stream.dropped)
        await publish(session, service.draft_topic(section.draft_id), {"section": section.ordinal})


def _plan(template: DraftTemplate, section: DraftSection) -> TemplateSection:
    for plan in template.sections[section.ordinal : section.ordinal + 1]:
        if plan.heading == section.heading:
            return plan
    raise Conflict(t("The template “{title}” has changed since this draft was begun. Start a new draft.", title=template.title))


async def _collect(
    run: JobRun[WriteDraft, Actor],
    plan: TemplateSection,
    opportunity: OpportunityRead,
    embedder: Embedder,
    *,
    cited: set[UUID],
    document_ids: Collection[UUID] | None,
) -> Material:
    """Passages for each question of a section, those that fit the opportunity first, and the questions none answers."""
    core: Core = run.services
    found: dict[UUID, Passage] = {}
    unanswered: set[int] = set()
    find = partial(
        training.find_passages, core, run.actor, embedder=embedder, limit=_CANDIDATES, document_ids=document_ids, kinds=OUR_KINDS
    )
    for place, question in enumerate(plan.questions):
        ask = _asked(question, opportunity)
        nearest = await find(ask)
        support = [passage for passage in nearest if passage.similarity >= _LEAST_SIMILARITY]
        fitting = await find(f"{ask} {opportunity.title}")
        if not support:
            unanswered.add(place)
        # The question alone says whether a passage answers it; with the opportunity it says which answer fits best.
        fit = {passage.id: passage.similarity for passage in fitting}
        value = {
            passage.id: passage.similarity + _FIT_WEIGHT * fit.get(passage.id, 0) - _REPETITION * (passage.id in cited)
            for passage in support
        }
        best = sorted(support, key=lambda passage: -value[passage.id])[:_PASSAGES_PER_QUESTION]
        found |= {passage.id: passage for passage in best}
    return Material(passages=list(found.values()), unanswered=unanswered)


def _request(
    actor: Actor, plan: TemplateSection, opportunity: OpportunityRead, material: Material, written: str
) -> SectionRequest:
    return SectionRequest(
        heading=plan.heading,
        questions=tuple(_asked(question, opportunity) for question in plan.questions),
        instructions=f"{plan.instructions} About {plan.words} words.",
        opportunity=_summary(opportunity),
        passages=tuple(
            NumberedPassage(number=number, text=passage.text, heading=passage.heading, kind=passage.document_kind)
            for number, passage in enumerate(material.passages, start=1)
        ),
        language=actor.language or "en",
        written=written,
    )


def _asked(question: TemplateQuestion, opportunity: OpportunityRead) -> str:
    return question.ask.replace("{opportunity}", opportunity.title)


def _summary(opportunity: OpportunityRead) -> str:
    return f"{opportunity.title}\n{opportunity.number}, {opportunity.agency}\n{opportunity.description}"[:_SUMMARY_CHARACTERS]


def _citation(section: DraftSection, number: int, passage: Passage) -> Citation:
    return Citation(
        draft_id=section.draft_id,
        number=number,
        first_section=section.ordinal,
        passage_id=passage.id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        heading=passage.heading or None,
        page=passage.page,
        text=passage.text,
    )
