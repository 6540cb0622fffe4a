"""All queries of generation, limited to the workspace that owns the draft."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, case, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.lists import ordered_by
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import across_workspaces
from fundwright.generation.models import Citation, Draft, DraftSection, DraftVersion
from fundwright.generation.schemas import LARGEST_INTEGER, DraftQuery, DraftState, KeptChecks, PossibleMatchRecord, SectionState
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import restricted_ids

_HAS_UNFINISHED = exists().where(DraftSection.draft_id == Draft.id, DraftSection.state != SectionState.DONE)

# A draft has no state of its own, which could disagree with its job's. If a person has written the last sections, it is finished.
STATE = case(
    (and_(Job.state.in_((JobState.CANCELED, JobState.FAILED)), ~_HAS_UNFINISHED), DraftState.FINISHED),
    (Job.state == JobState.RUNNING, DraftState.WRITING),
    (Job.state == JobState.SUCCEEDED, DraftState.FINISHED),
    (Job.state == JobState.CANCELED, DraftState.CANCELED),
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


def _drafts(owner_id: UUID) -> Select[Draft, str, Job]:
    return (
        select(Draft, STATE.label("state"), Job)
        .outerjoin(Job, Job.id == Draft.job_id)
        .where(Draft.owner_id == owner_id)
        .execution_options(populate_existing=True)
    )


def titles(owner_id: UUID) -> Select[UUID, str]:
    return select(Draft.id, Draft.title).where(Draft.owner_id == owner_id)


async def links_of(session: AsyncSession, owner_id: UUID, draft_ids: Collection[UUID]) -> Sequence[Row[UUID, str, str]]:
    """Return the ids, titles, and slugs of drafts."""
    found = select(Draft.id, Draft.title, Draft.slug).where(Draft.owner_id == owner_id, Draft.id.in_(draft_ids))
    return (await session.execute(found)).all()


async def list_trashed(session: AsyncSession, owner_id: UUID) -> list[DraftAndJob]:
    """Return the drafts in the workspace's trash, oldest first."""
    trashed = select(Draft, STATE.label("state"), Job).outerjoin(Job, Job.id == Draft.job_id)
    rows = await session.execute(trashed.where(trash.in_trash_of(owner_id, Draft)).order_by(Draft.created_at, Draft.id))
    return [_draft_and_job(*row) for row in rows]


async def get(session: AsyncSession, owner_id: UUID, draft_id: UUID) -> DraftAndJob:
    """Raises NotFound, also for another workspace's draft."""
    return await _one(session, _drafts(owner_id).where(Draft.id == draft_id))


async def get_by_slug(session: AsyncSession, owner_id: UUID, slug: str) -> DraftAndJob:
    """Raises NotFound, also for another workspace's draft."""
    return await _one(session, _drafts(owner_id).where(Draft.slug == slug))


async def is_of_former(session: AsyncSession, slug: str, former: Select[UUID, datetime]) -> bool:
    """Whether a draft belongs to one of the workspaces of `former`, and is older than the time that comes with it."""
    workspace_id, ended_at = former.subquery().c
    found = exists().where(Draft.slug == slug, Draft.owner_id == workspace_id, Draft.created_at <= ended_at)
    return await session.scalar(select(found)) or False


async def _one(session: AsyncSession, query: Select[Draft, str, Job]) -> DraftAndJob:
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(t("The draft"))
    return _draft_and_job(*row)


async def is_visible(session: AsyncSession, draft_id: UUID) -> bool:
    """Whether the draft, which may be in the trash, still exists and is not hidden from the account for which the session acts."""
    return bool(await session.scalar(select(exists().where(Draft.id == draft_id))))


async def state_of(session: AsyncSession, draft_id: UUID) -> DraftState:
    state = select(STATE).select_from(Draft).outerjoin(Job, Job.id == Draft.job_id).where(Draft.id == draft_id)
    return DraftState((await session.scalars(state)).one())


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
    if query.is_restricted is not None:
        is_restricted = Draft.id.in_(restricted_ids(owner_id))
        conditions.append(is_restricted if query.is_restricted else ~is_restricted)
    drafts = _drafts(owner_id).where(*conditions)
    total = await session.scalar(select(func.count()).select_from(drafts.with_only_columns(Draft.id).subquery())) or 0
    order = ordered_by(query, _SORTS, default=Draft.created_at.desc())
    rows = await session.execute(drafts.order_by(order, Draft.id).offset(query.offset).limit(query.page_size))
    return [_draft_and_job(*row) for row in rows], total


async def numbers_of(session: AsyncSession, owner_id: UUID, draft_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the number of each of these drafts among the workspace's drafts with the same title, oldest first."""
    order = func.row_number().over(partition_by=Draft.title, order_by=(Draft.created_at, Draft.id))
    numbered = select(Draft.id, order.label("number")).where(Draft.owner_id == owner_id).subquery()
    rows = await session.execute(select(numbered.c.id, numbered.c.number).where(numbered.c.id.in_(draft_ids)))
    return dict(rows.all())


async def last_company(session: AsyncSession, owner_id: UUID) -> str | None:
    """Return the company of the workspace's newest draft that names one."""
    named = select(Draft.company).where(Draft.owner_id == owner_id, Draft.company != "")
    return await session.scalar(named.order_by(Draft.created_at.desc()).limit(1))


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


async def citation_numbers(session: AsyncSession, draft_id: UUID) -> set[int]:
    """Return the numbers of all citations of a draft that the caller sees, also of those that `citations` leaves out because their
    documents are hidden from it."""
    async with across_workspaces(session, "citations"):
        return set(await session.scalars(select(Citation.number).where(Citation.draft_id == draft_id)))


async def document_ids(session: AsyncSession, draft_id: UUID) -> list[UUID]:
    """Return the documents that the draft is based on; none means all."""
    return [
        UUID(document_id) for document_id in await session.scalar(select(Draft.document_ids).where(Draft.id == draft_id)) or ()
    ]


async def find_unfinished(session: AsyncSession, draft_id: UUID) -> DraftSection | None:
    """Return the first section that is not done."""
    return await session.scalar(
        select(DraftSection)
        .where(DraftSection.draft_id == draft_id, DraftSection.state != SectionState.DONE)
        .order_by(DraftSection.ordinal)
        .limit(1)
        .execution_options(populate_existing=True)
    )


async def section_jobs(session: AsyncSession, draft_id: UUID) -> dict[UUID, Job]:
    """Return the latest job that regenerates each section."""
    rows = await session.execute(
        select(DraftSection.id, Job)
        .join(Job, Job.id == DraftSection.job_id)
        .where(DraftSection.draft_id == draft_id)
        .execution_options(populate_existing=True)
    )
    return {row.id: row.Job for row in rows}


async def lock_section(session: AsyncSession, owner_id: UUID, draft_id: UUID, section_id: UUID) -> DraftSection:
    """Lock a section until the transaction ends. Raises NotFound, also for a section of another workspace's draft."""
    await get_section(
        session, owner_id, draft_id, section_id
    )  # check first, so that no workspace waits for another workspace's lock
    locked = await session.scalar(
        select(DraftSection).where(DraftSection.id == section_id).with_for_update().execution_options(populate_existing=True)
    )
    if locked is None:
        raise NotFound(t("The section"))
    return locked


async def get_section(session: AsyncSession, owner_id: UUID, draft_id: UUID, section_id: UUID) -> DraftSection:
    """Raises NotFound, also for a section of another workspace's draft."""
    section = await session.scalar(
        select(DraftSection)
        .join(Draft, Draft.id == DraftSection.draft_id)
        .where(Draft.owner_id == owner_id, Draft.id == draft_id, DraftSection.id == section_id)
    )
    if section is None:
        raise NotFound(t("The section"))
    return section


async def find_own_section(session: AsyncSession, owner_id: UUID, section_id: UUID) -> DraftSection | None:
    return await session.scalar(
        select(DraftSection)
        .join(Draft, Draft.id == DraftSection.draft_id)
        .where(Draft.owner_id == owner_id, DraftSection.id == section_id)
        .execution_options(populate_existing=True)
    )


async def all_citations(session: AsyncSession, draft_id: UUID) -> list[Citation]:
    """Return all citations of a draft that the caller sees, also those whose documents are hidden from it. Only for what shows none of
    them, such as checks, which are filtered when they are read."""
    async with across_workspaces(session, "citations"):
        return await citations(session, draft_id)


async def keep_checks(session: AsyncSession, section_id: UUID, kept: KeptChecks) -> None:
    """Keep the checks of a section, unless its text has changed or a newer checker has checked it in the meantime. The reader, who may
    not change the draft, causes it."""
    checker = func.coalesce(DraftSection.checks["checker"].as_integer(), 0)
    is_current = and_(DraftSection.id == section_id, DraftSection.revision == kept.revision, checker <= kept.checker)
    async with across_workspaces(session, "checks of drafts"):
        await session.execute(update(DraftSection).where(is_current).values(checks=kept.model_dump(mode="json")))


async def order_sections(session: AsyncSession, section_ids: Sequence[UUID]) -> None:
    """Number the sections of a draft in this order."""
    places = {section_id: ordinal for ordinal, section_id in enumerate(section_ids)}
    if places:
        # Lock all of them before any change. Otherwise, this and a request that saves one of them could deadlock.
        ordered = DraftSection.id.in_(places)
        await session.execute(select(DraftSection.id).where(ordered).order_by(DraftSection.id).with_for_update())
        ordinal = case(places, value=DraftSection.id)
        await session.execute(update(DraftSection).where(ordered).values(ordinal=ordinal))


async def begin_section(session: AsyncSession, section_id: UUID, *, is_first: bool) -> int | None:
    """Clear the section's incoming text for the writer, and return the revision that it starts from.

    Returns None if the section is gone, or if `is_first` and it has been written.
    """
    begun = update(DraftSection).where(DraftSection.id == section_id).values(incoming="").returning(DraftSection.revision)
    if is_first:
        begun = begun.where(DraftSection.state != SectionState.DONE).values(state=SectionState.WRITING)
    return await session.scalar(begun)


async def append_incoming(session: AsyncSession, section_id: UUID, text: str, *, revision: int) -> None:
    """Append the writer's text, unless the section has changed in the meantime."""
    await session.execute(
        update(DraftSection)
        .where(DraftSection.id == section_id, DraftSection.revision == revision)
        .values(incoming=DraftSection.incoming + text)
    )


async def remove_citations(session: AsyncSession, draft_id: UUID, *, except_numbers: Collection[int]) -> None:
    await session.execute(delete(Citation).where(Citation.draft_id == draft_id, Citation.number.not_in(except_numbers)))


async def possible_matches(session: AsyncSession, draft_id: UUID) -> list[PossibleMatchRecord]:
    """Return the possible matches of all sections of the draft."""
    kept = await session.scalars(select(DraftSection.possible_matches).where(DraftSection.draft_id == draft_id))
    return [match for matches in kept for match in matches]


async def characters_without(session: AsyncSession, section: DraftSection) -> int:
    """Return the number of characters of a draft without those of one section."""
    others = DraftSection.draft_id == section.draft_id, DraftSection.id != section.id
    return await session.scalar(select(func.coalesce(func.sum(func.length(DraftSection.text)), 0)).where(*others)) or 0


async def texts(session: AsyncSession, draft_id: UUID) -> list[str]:
    """Return every text of the draft and its versions."""
    of_draft = DraftSection.draft_id == draft_id
    versions = select(DraftVersion.text).join(DraftSection, DraftSection.id == DraftVersion.section_id).where(of_draft)
    return list(
        await session.scalars(
            select(DraftSection.text).where(of_draft).union_all(select(DraftSection.incoming).where(of_draft), versions)
        )
    )


async def find_latest_version(session: AsyncSession, section_id: UUID) -> DraftVersion | None:
    return await session.scalar(
        select(DraftVersion)
        .where(DraftVersion.section_id == section_id)
        .order_by(DraftVersion.number.desc())
        .limit(1)
        .execution_options(populate_existing=True)
    )


async def get_version(session: AsyncSession, section_id: UUID, number: int) -> DraftVersion:
    """Raises NotFound."""
    found = select(DraftVersion).where(DraftVersion.section_id == section_id, DraftVersion.number == number)
    version = await session.scalar(found) if number <= LARGEST_INTEGER else None
    if version is None:
        raise NotFound(t("The version"))
    return version


async def versions(session: AsyncSession, section_id: UUID, request: PageRequest) -> tuple[list[DraftVersion], int]:
    """Return versions, newest first."""
    found = select(DraftVersion).where(DraftVersion.section_id == section_id)
    total = await session.scalar(select(func.count()).select_from(found.subquery())) or 0
    rows = await session.scalars(
        found.order_by(DraftVersion.number.desc())
        .offset(request.offset)
        .limit(request.page_size)
        .execution_options(populate_existing=True)
    )
    return list(rows), total


async def find_current_version(session: AsyncSession, section_id: UUID) -> int | None:
    """Return the number of the latest version with the section's heading and text."""
    is_same = and_(DraftVersion.heading == DraftSection.heading, DraftVersion.text == DraftSection.text)
    found = select(func.max(DraftVersion.number)).join(DraftSection, DraftSection.id == DraftVersion.section_id)
    return await session.scalar(found.where(DraftVersion.section_id == section_id, is_same))


async def remove_versions(session: AsyncSession, section_id: UUID, *, up_to: int) -> None:
    await session.execute(delete(DraftVersion).where(DraftVersion.section_id == section_id, DraftVersion.number <= up_to))


async def set_job(session: AsyncSession, draft_id: UUID, job_id: UUID) -> None:
    await session.execute(update(Draft).where(Draft.id == draft_id).values(job_id=job_id))


async def set_writer(session: AsyncSession, draft_id: UUID, *, writer_id: str, label: str) -> None:
    await session.execute(update(Draft).where(Draft.id == draft_id).values(writer_id=writer_id, writer_label=label))
