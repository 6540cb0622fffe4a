"""Every query of generation. All start from the account that owns the draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, case, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.generation.models import Citation, Draft, DraftSection
from fundwright.generation.schemas import DraftQuery, DraftState, SectionState

# A draft has no state of its own that could disagree with its job's.
STATE = case(
    (Job.state == JobState.RUNNING, DraftState.WRITING),
    (Job.state == JobState.SUCCEEDED, DraftState.FINISHED),
    (Job.state == JobState.CANCELLED, DraftState.STOPPED),
    (Job.state == JobState.FAILED, DraftState.FAILED),
    else_=DraftState.QUEUED,
)
_SORTS = {
    "title": func.lower(Draft.title),
    "template_title": Draft.template_title,
    "opportunity_title": func.lower(Draft.opportunity_title),
    "state": STATE,
    "created_at": Draft.created_at,
    "ended_at": Job.ended_at,
}


class DraftAndJob(NamedTuple):
    draft: Draft
    state: DraftState
    job: Job | None


def _drafts(owner_id: UUID) -> Select[Draft, Any, Job]:
    return (
        select(Draft, STATE.label("state"), Job)
        .outerjoin(Job, Job.id == Draft.job_id)
        .where(Draft.owner_id == owner_id)
        .execution_options(populate_existing=True)
    )


async def get(session: AsyncSession, owner_id: UUID, draft_id: UUID) -> DraftAndJob:
    """Raises NotFound, also for somebody else's draft."""
    return await _one(session, _drafts(owner_id).where(Draft.id == draft_id))


async def get_by_slug(session: AsyncSession, owner_id: UUID, slug: str) -> DraftAndJob:
    """Raises NotFound, also for somebody else's draft."""
    return await _one(session, _drafts(owner_id).where(Draft.slug == slug))


async def _one(session: AsyncSession, query: Select[Draft, Any, Job]) -> DraftAndJob:
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(t("The draft"))
    return _draft_and_job(*row)


def _draft_and_job(draft: Draft, state: str, job: Job | None) -> DraftAndJob:
    return DraftAndJob(draft, DraftState(state), job)


async def page(session: AsyncSession, owner_id: UUID, query: DraftQuery) -> tuple[list[DraftAndJob], int]:
    conditions: list[ColumnElement[bool]] = []
    if query.text:
        like = "%" + query.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        conditions.append(or_(Draft.title.ilike(like), Draft.opportunity_title.ilike(like)))
    if query.state is not None:
        conditions.append(STATE.is_not_distinct_from(query.state))
    if query.opportunity_id is not None:
        conditions.append(Draft.opportunity_id == query.opportunity_id)
    drafts = _drafts(owner_id).where(*conditions)
    total = await session.scalar(select(func.count()).select_from(drafts.with_only_columns(Draft.id).subquery())) or 0
    order = _SORTS.get(query.sort_field, Draft.created_at)
    is_descending = query.is_descending or query.sort_field not in _SORTS
    rows = await session.execute(
        drafts.order_by(order.desc().nulls_last() if is_descending else order.asc().nulls_last(), Draft.id)
        .offset(query.offset)
        .limit(query.page_size)
    )
    return [_draft_and_job(*row) for row in rows], total


async def sections(session: AsyncSession, draft_id: UUID) -> list[DraftSection]:
    return list(
        await session.scalars(
            select(DraftSection)
            .where(DraftSection.draft_id == draft_id)
            .order_by(DraftSection.ordinal)
            .execution_options(populate_existing=True)
        )
    )


async def citations(session: AsyncSession, draft_id: UUID) -> list[Citation]:
    return list(await session.scalars(select(Citation).where(Citation.draft_id == draft_id).order_by(Citation.number)))


async def find_unfinished(session: AsyncSession, draft_id: UUID) -> DraftSection | None:
    """The first section that is not done."""
    return await session.scalar(
        select(DraftSection)
        .where(DraftSection.draft_id == draft_id, DraftSection.state != SectionState.DONE)
        .order_by(DraftSection.ordinal)
        .limit(1)
        .execution_options(populate_existing=True)
    )


async def clear_section(session: AsyncSession, section: DraftSection) -> None:
    """Make a section empty again, together with the citations that it brought in."""
    section.text, section.open_questions, section.dropped_citations = "", [], 0
    section.state = SectionState.WRITING
    await session.execute(
        delete(Citation).where(Citation.draft_id == section.draft_id, Citation.first_section >= section.ordinal)
    )
    await session.flush()


async def append_text(session: AsyncSession, section_id: UUID, text: str) -> None:
    await session.execute(update(DraftSection).where(DraftSection.id == section_id).values(text=DraftSection.text + text))


async def finish_section(
    session: AsyncSession, section_id: UUID, *, open_questions: Sequence[str], dropped_citations: int
) -> None:
    await session.execute(
        update(DraftSection)
        .where(DraftSection.id == section_id)
        .values(
            state=SectionState.DONE,
            text=func.btrim(DraftSection.text),
            open_questions=list(open_questions),
            dropped_citations=dropped_citations,
        )
    )


async def set_job(session: AsyncSession, draft_id: UUID, job_id: UUID) -> None:
    await session.execute(update(Draft).where(Draft.id == draft_id).values(job_id=job_id))


async def set_writer(session: AsyncSession, draft_id: UUID, *, writer_id: str, label: str) -> None:
    await session.execute(update(Draft).where(Draft.id == draft_id).values(writer_id=writer_id, writer_label=label))
