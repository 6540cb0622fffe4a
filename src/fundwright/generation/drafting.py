"""Writes a draft section by section, or a single section again, as a job: finds passages, runs the writer, and checks and saves the
streamed text.

The saved state is the checkpoint: a section is either done or not. If the process is killed, one section is left unfinished, and
the next process starts that section again. Streamed text is stored separately from the section's text until it is complete. If a
person changes the section in the meantime, the person's text is kept.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.core.computing import Busy, Ended
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import JobRun
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.generation import citing, cover_letter, editing, repository, service
from fundwright.generation.citing import CitationStream
from fundwright.generation.collecting import Material, collect, question_text, topic_of
from fundwright.generation.models import Citation, DraftSection
from fundwright.generation.schemas import (
    MatchSource,
    PossibleMatchRecord,
    Rewriting,
    SectionState,
    VersionOrigin,
    WriteDraft,
    WriteSection,
    WrittenDraft,
    WrittenSection,
)
from fundwright.language import service as language
from fundwright.language.protocols import Embedder, NumberedPassage, PossibleMatch, SectionRequest, Unanswered, Writer
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.templates.schemas import TemplateQuestion, TemplateSection
from fundwright.training.schemas import Passage
from fundwright.workspaces import restrictions

_FLUSH_INTERVAL_S = 0.2
_SUMMARY_CHARACTERS = 1_500


class SectionCheckpoint(TypedDict, total=False):
    outcome: Rewriting
    """The outcome of the last section."""


DraftingRun = JobRun[WriteDraft, Actor, SectionCheckpoint] | JobRun[WriteSection, Actor, SectionCheckpoint]


async def write(run: JobRun[WriteDraft, Actor, SectionCheckpoint]) -> WrittenDraft:
    """Write every unfinished section. Raises JobCanceled, and FundwrightError if a model cannot be used."""
    core = run.services
    draft_id = run.payload.draft_id
    async with run.transaction() as session:
        draft = await service.get_draft(session, run.actor, draft_id)
        # Do this first, so that the draft shows the outcome of this job, even an early failure.
        await repository.set_job(session, draft_id, run.id)
    embedder = await language.get_embedder(core)
    writer = await language.get_writer(core)
    async with run.transaction() as session:
        opportunity = await service.get_opportunity(session, run.actor, draft)
        await repository.set_writer(session, draft_id, writer_id=writer.id, label=writer.label)
        await publish(session, service.draft_topic(draft_id))
    total = len(draft.sections)
    while True:
        async with run.transaction() as session:
            await _require_access(session, run.actor, draft_id)
            section = await repository.find_unfinished(session, draft_id)
            # The owner may choose other documents while the draft is being written.
            sources = await repository.document_ids(session, draft_id)
        if section is None:
            break
        await run.progress(section.ordinal, total, "" if draft.access else section.heading)  # administrators see it
        await _write_section(
            run,
            section,
            _plan(section),
            opportunity,
            embedder,
            writer,
            document_ids=sources or None,
            company=draft.company,
        )
    async with run.transaction() as session:
        await editing.number_matches(session, run.actor.workspace_id, draft_id)
        draft = await service.get_draft(session, run.actor, draft_id)
        await activity.record(session, run.actor, service.FINISHED, service.subject_of(draft), related=[draft.opportunity_id])
    await _check(run, draft_id)
    await run.progress(total, total, "")
    return {"draft_id": str(draft_id), "slug": draft.slug}


async def write_again(run: JobRun[WriteSection, Actor, SectionCheckpoint]) -> WrittenSection:
    """Regenerate one section. Raises JobCanceled, NotFound, and FundwrightError if a model cannot be used."""
    core = run.services
    async with run.transaction() as session:
        section = await repository.find_own_section(session, run.actor.workspace_id, run.payload.section_id)
        if section is None:
            raise NotFound(t("The section"))
        draft = await service.get_draft(session, run.actor, section.draft_id)
        opportunity = await service.get_opportunity(session, run.actor, draft)
    outcome = run.checkpoint.get("outcome")  # left by a process that ended before it could report them
    if outcome is None:
        embedder = await language.get_embedder(core)
        writer = await language.get_writer(core)
        plan = _plan(section)
        sources, instructions = draft.document_ids or None, run.payload.instructions
        outcome = await _write_section(
            run,
            section,
            plan,
            opportunity,
            embedder,
            writer,
            document_ids=sources,
            company=draft.company,
            instructions=instructions,
        )
    async with run.transaction() as session:
        await editing.number_matches(session, run.actor.workspace_id, draft.id)
    await _check(run, draft.id)
    return {"draft_id": str(draft.id), "slug": draft.slug, "outcome": outcome}


async def _check(run: DraftingRun, draft_id: UUID) -> None:
    """Check the claims, so that the first page that opens shows the checks."""
    with suppress(Busy, Ended):  # the page has them made
        await service.check_outstanding(run.services, run.actor, draft_id, is_background=True)


async def _write_section(
    run: DraftingRun,
    section: DraftSection,
    plan: TemplateSection,
    opportunity: OpportunityRead,
    embedder: Embedder,
    writer: Writer,
    *,
    document_ids: Collection[UUID] | None,
    company: str,
    instructions: str = "",
) -> Rewriting:
    """Raises JobCanceled. `instructions` contains the person's instructions for the section."""
    revision = await _begin(run, section)
    if revision is None:
        return Rewriting.CANCELED
    extended_plan = _with_instructions(plan, instructions)
    async with run.transaction() as session:
        citations = await repository.citations(session, section.draft_id)
        taken = await repository.citation_numbers(session, section.draft_id)
        others = [other for other in await repository.sections(session, section.draft_id) if other.id != section.id]
    written = "\n\n".join(other.text for other in others)
    numbers = {(citation.passage_id, citation.text): citation.number for citation in citations}
    material = await collect(
        run.services,
        run.actor,
        extended_plan,
        opportunity,
        embedder,
        cited=set(numbers),
        document_ids=document_ids,
        company=company,
        is_generative=writer.is_generative,
    )
    added: list[Citation] = []
    possible: list[PossibleMatch] = []

    def renumber(written: int) -> int | None:
        if not 1 <= written <= len(material.parts):
            return None
        part = material.parts[written - 1]
        key = (part.id, part.text)
        if key not in numbers:
            numbers[key] = max(taken, default=0) + 1
            taken.add(numbers[key])
            added.append(editing.citation(section.draft_id, numbers[key], _source(part)))
        return numbers[key]

    stream, unanswered = CitationStream(renumber), set(material.unanswered)
    opening = _filled(plan.opening, opportunity, material.company)
    text, ready, flushed_at = "", f"{opening}\n\n" if opening else "", time.monotonic()

    async def flush() -> None:
        async with run.transaction() as session:
            await _require_access(session, run.actor, section.draft_id)
            session.add_all(added)
            await repository.append_incoming(session, section.id, ready, revision=revision)
            await publish(session, service.draft_topic(section.draft_id))
        added.clear()

    if opening:
        await flush()
        ready = ""
    if material.parts:
        cleaned = await run.services.computing.run(partial(_cleaned, material), is_background=True)
        request = _request(run.actor, extended_plan, opportunity, cleaned, written, instructions)
        async with language.closing_stream(writer.write(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Unanswered):
                    unanswered.add(piece.question)
                    continue
                if isinstance(piece, PossibleMatch):
                    is_written = citing.without_marks(piece.text).rstrip(" .") in written
                    if piece.question < len(plan.questions) and not is_written:
                        possible.append(piece)
                    continue
                ready += stream.feed(piece)
                if ready and time.monotonic() - flushed_at >= _FLUSH_INTERVAL_S:
                    await flush()
                    text, ready, flushed_at = text + ready, "", time.monotonic()
                    await run.progress(section.ordinal)
        ready += stream.close()
        if ready:
            await flush()
        text = (text + ready).strip()
    asked = [question.missing_from(text) for question in plan.questions]
    missing = [each for place, each in enumerate(asked) if not text or place in unanswered]
    if instructions and text and len(plan.questions) == 1 and len(plan.questions) not in unanswered:
        missing = []  # the passage chosen by the person answers the only question
    if text or section.state != SectionState.DONE:
        text = f"{opening}\n\n{text or _filled(plan.otherwise, opportunity, material.company)}".strip()
    async with run.transaction() as session:
        await _require_access(session, run.actor, section.draft_id)
        session.add_all(added)
        outcome = await _finish(
            session,
            run.actor,
            section,
            text,
            revision,
            missing=missing,
            possible=[_possible(asked[match.question], match, material.parts) for match in possible],
            dropped=stream.dropped,
        )
        await run.save_checkpoint(session, {"outcome": outcome})
    return outcome


async def _require_access(session: AsyncSession, actor: Actor, draft_id: UUID) -> None:
    """Stop writing once the draft has been hidden from the account that the job acts for. Raises NotFound or NotAllowed."""
    if not await repository.is_visible(session, draft_id):
        raise NotFound(t("The draft"))
    await restrictions.require(session, actor, draft_id)


async def _begin(run: DraftingRun, section: DraftSection) -> int | None:
    """Clear the incoming text, and remove citations that only an unfinished attempt has made.

    Returns the revision of the section, or None if a person has deleted or written it in the meantime.
    """
    async with run.transaction() as session:
        is_first = section.state != SectionState.DONE
        revision = await repository.begin_section(session, section.id, is_first=is_first)
        if is_first and revision is not None:
            texts = await repository.texts(session, section.draft_id)
            cited = {number for text in texts for number in citing.numbers_in(text)}
            matches = await repository.possible_matches(session, section.draft_id)
            cited |= {match["number"] for match in matches if match["number"] is not None}
            await repository.remove_citations(session, section.draft_id, except_numbers=cited)
        await publish(session, service.draft_topic(section.draft_id))
    return revision


async def _finish(
    session: AsyncSession,
    actor: Actor,
    section: DraftSection,
    text: str,
    revision: int,
    *,
    missing: Sequence[str],
    possible: Sequence[PossibleMatchRecord],
    dropped: int,
) -> Rewriting:
    try:
        current = await repository.lock_section(session, actor.workspace_id, section.draft_id, section.id)
    except NotFound:  # deleted in the meantime
        return Rewriting.CANCELED
    await publish(session, service.draft_topic(section.draft_id))
    current.incoming = ""
    is_first = current.state != SectionState.DONE
    if current.revision != revision:
        if text and text != current.text:
            await editing.keep_version(session, current, text=text, origin=VersionOrigin.WRITER, author=None)
        return Rewriting.KEPT_AS_VERSION
    current.open_questions = [question for question in missing if question not in current.done_questions]
    current.done_questions = [question for question in current.done_questions if question in missing]
    current.possible_matches = list(possible)
    if not text and not is_first:
        return Rewriting.NOTHING_FOUND
    current.dropped_citations = dropped
    if text == current.text and not is_first:
        return Rewriting.SAME
    if text:
        await editing.change_text(session, current, text, origin=VersionOrigin.WRITER, author=None)
    current.state = SectionState.DONE
    return Rewriting.REPLACED


def _plan(section: DraftSection) -> TemplateSection:
    """Return the plan for a section, with at least one question. For a section added by a person, only the heading says what it is about."""
    planned = TemplateSection.model_validate({**(section.plan or {}), "heading": section.heading})
    return planned.model_copy(update={"questions": planned.asked})


def _with_instructions(plan: TemplateSection, instructions: str) -> TemplateSection:
    """Search for the person's instructions first. If nothing answers them, they are not listed as an open question."""
    if not instructions:
        return plan
    asked = TemplateQuestion.model_construct(ask=instructions)  # instructions may be longer than the question of a template
    return plan.model_copy(update={"questions": (*plan.questions, asked)})


def _cleaned(material: Material) -> Material:
    """Material whose own brackets cannot pass for citations, and whose values make no links or headings in the draft."""
    return replace(
        material,
        parts=[
            part.model_copy(
                update={"text": citing.without_marks(part.text), "heading": tuple(map(citing.without_marks, part.heading))}
            )
            for part in material.parts
        ],
        facts=tuple(
            fact.model_copy(update={"values": {field: _without_syntax(value) for field, value in fact.values.items()}})
            for fact in material.facts
        ),
    )


def _request(
    actor: Actor, plan: TemplateSection, opportunity: OpportunityRead, material: Material, written: str, instructions: str
) -> SectionRequest:
    return SectionRequest(
        heading=plan.heading,
        questions=tuple(question_text(question, opportunity) for question in plan.questions),
        topics=tuple(topic_of(plan, question) for question in plan.questions),
        instructions=" ".join(filter(None, (plan.instructions, instructions, f"About {plan.words} words."))),
        opportunity=_summary(opportunity),
        requirements=material.requirements,
        passages=tuple(
            NumberedPassage(
                number=number,
                text=part.text,
                heading=part.heading,
                head=part.head,
                kind=part.document_kind,
                document=part.document_title,
                is_record=part.is_record,
            )
            for number, part in enumerate(material.parts, start=1)
        ),
        language=actor.language or "en",
        facts=material.facts,
        written=written,
        company=material.company,
    )


def _without_syntax(value: str) -> str:
    return citing.without_marks(value).replace("](", "] (").lstrip("#> ")


def _summary(opportunity: OpportunityRead) -> str:
    return f"{opportunity.title}\n{opportunity.number}, {opportunity.agency}\n{opportunity.description}"[:_SUMMARY_CHARACTERS]


def _filled(text: str, opportunity: OpportunityRead, company: str) -> str:
    """Return the opening of a section, or its fallback text if nothing is found, regardless of the writer."""
    return t(text, **cover_letter.opening_fields(opportunity, company, today=now().date())).strip() if text else ""


def _possible(question: str, match: PossibleMatch, parts: Sequence[Passage]) -> PossibleMatchRecord:
    """Possible matches are numbered once the whole text is written, so that their citations come after those of the text."""
    text = citing.without_marks(match.text)
    source = _source(parts[match.number - 1]) if 1 <= match.number <= len(parts) else None
    return {"question": question, "text": text, "number": None, "source": source}


def _source(passage: Passage) -> MatchSource:
    return {
        "passage_id": str(passage.id),
        "document_id": str(passage.document_id),
        "document_title": passage.document_title,
        "heading": passage.heading,
        "page": passage.page,
        "text": passage.text,
    }
