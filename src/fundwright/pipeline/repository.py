"""All queries of the pipeline, limited to the workspace that owns it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Select, Subquery, case, extract, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.opportunities.washington import day_in_washington, day_start
from fundwright.pipeline.models import Pursuit, PursuitMove
from fundwright.pipeline.schemas import NO_LEAD, OUTCOMES, PipelineQuery, Stage, StageTotal
from fundwright.trash import repository as trash

Notices = Select[UUID, str, str, str, datetime | None]
"""Selects the id, title, number, agency, and due date of notices."""

_IN_ORDER = case({stage.value: place for place, stage in enumerate(Stage)}, value=Pursuit.stage)
_WEIGHTED = Pursuit.value * Pursuit.probability


class Found(NamedTuple):
    """A pursuit with the facts of its notice: the current ones if it exists."""

    pursuit: Pursuit
    has_notice: bool
    title: str
    number: str
    agency: str
    due_at: datetime | None


class _Facts(NamedTuple):
    notice: Subquery
    has_notice: ColumnElement[bool]
    title: ColumnElement[str]
    number: ColumnElement[str]
    agency: ColumnElement[str]
    due_at: ColumnElement[datetime | None]


def _facts(notices: Notices) -> _Facts:
    notice = notices.subquery("notice")
    exists = notice.c.id.is_not(None)
    title, number, agency, due_at = (
        case((exists, notice.c[name]), else_=getattr(Pursuit, name)) for name in ("title", "number", "agency", "due_at")
    )
    return _Facts(notice, exists, title, number, agency, due_at)


def _found(facts: _Facts) -> Select[Pursuit, bool, str, str, str, datetime | None]:
    found = select(Pursuit, facts.has_notice, facts.title, facts.number, facts.agency, facts.due_at)
    joined = found.outerjoin(facts.notice, facts.notice.c.id == Pursuit.opportunity_id)
    return joined.execution_options(populate_existing=True)


async def page(session: AsyncSession, owner_id: UUID, notices: Notices, query: PipelineQuery) -> tuple[list[Found], int]:
    facts = _facts(notices)
    found = _found(facts).where(*_conditions(owner_id, facts, query))
    columns = {
        "title": func.lower(facts.title),
        "number": facts.number,
        "agency": func.lower(facts.agency),
        "due": facts.due_at,
        "stage": _IN_ORDER,
        "stage_since": Pursuit.stage_since,
        "probability": Pursuit.probability,
        "value": Pursuit.value,
        "weighted_value": _WEIGHTED,
        "added_at": Pursuit.added_at,
    }
    order = ordered_by(query, columns, default=None)
    default = _by_due_date(facts.due_at)
    rows = await session.execute(
        found.order_by(*(default if order is None else (order,)), Pursuit.id).offset(query.offset).limit(query.page_size)
    )
    return [Found(*row) for row in rows], await count_all(session, found)


def _by_due_date(due_at: ColumnElement[datetime | None]) -> tuple[ColumnElement[int], ColumnElement[float]]:
    """What is due next comes first, then what has no due date, then what was due, the latest first."""
    today = day_start(day_in_washington(now()))
    place = case((due_at >= today, 0), (due_at.is_(None), 1), else_=2)
    return place, func.abs(extract("epoch", due_at - today))


async def first_of_stages(
    session: AsyncSession, owner_id: UUID, notices: Notices, query: PipelineQuery, limits: Mapping[Stage, int]
) -> list[Found]:
    """Return up to this number of pursuits of each of these stages, by due date."""
    facts = _facts(notices)
    by_due_date = (*_by_due_date(facts.due_at), Pursuit.id)
    place = func.row_number().over(partition_by=Pursuit.stage, order_by=by_due_date)
    numbered = (
        select(Pursuit.id, Pursuit.stage, place.label("place"))
        .outerjoin(facts.notice, facts.notice.c.id == Pursuit.opportunity_id)
        .where(*_conditions(owner_id, facts, query), Pursuit.stage.in_(limits))
        .subquery()
    )
    first = select(numbered.c.id).where(numbered.c.place <= case(dict(limits), value=numbered.c.stage))
    rows = await session.execute(_found(facts).where(Pursuit.id.in_(first)).order_by(*by_due_date))
    return [Found(*row) for row in rows]


async def totals(session: AsyncSession, owner_id: UUID, notices: Notices, query: PipelineQuery) -> list[StageTotal]:
    """Return the totals of the stages with pursuits."""
    facts = _facts(notices)
    sums = select(Pursuit.stage, func.count(), func.sum(Pursuit.value), func.sum(_WEIGHTED))
    sums = sums.outerjoin(facts.notice, facts.notice.c.id == Pursuit.opportunity_id).where(*_conditions(owner_id, facts, query))
    return [
        StageTotal(stage=Stage(stage), count=count, value=int(value or 0), weighted_value=round((weighted or 0) / 100))
        for stage, count, value, weighted in await session.execute(sums.group_by(Pursuit.stage))
    ]


def _conditions(owner_id: UUID, facts: _Facts, query: PipelineQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [Pursuit.owner_id == owner_id]
    if query.text.strip():
        found.append(contains(query.text.strip(), facts.title, facts.number, facts.agency))
    if query.stage is not None:
        found.append(Pursuit.stage == query.stage)
    if query.is_open is not None:
        found.append(Pursuit.stage.in_(OUTCOMES) != query.is_open)
    if query.lead == NO_LEAD:
        found.append(Pursuit.has_lead.is_(False))
    elif query.lead is not None:
        found.append(Pursuit.lead_id == query.lead)
    if query.kind is not None:
        found.append(Pursuit.kind == query.kind)
    if query.opportunity_id is not None:
        found.append(Pursuit.opportunity_id == query.opportunity_id)
    if query.due_from is not None:
        found.append(facts.due_at >= day_start(query.due_from))
    if query.due_to is not None:
        found.append(facts.due_at < day_start(query.due_to + timedelta(days=1)))
    return found


async def get(session: AsyncSession, owner_id: UUID, notices: Notices, pursuit_id: UUID) -> Found:
    """Raises NotFound, also for another workspace's pursuit and for one in the trash."""
    row = (
        await session.execute(_found(_facts(notices)).where(Pursuit.owner_id == owner_id, Pursuit.id == pursuit_id))
    ).one_or_none()
    if row is None:
        raise NotFound(t("The pursuit"))
    return Found(*row)


async def find_of(session: AsyncSession, owner_id: UUID, opportunity_id: UUID) -> UUID | None:
    """Return the id of the workspace's pursuit of an opportunity."""
    return await session.scalar(select(Pursuit.id).where(Pursuit.owner_id == owner_id, Pursuit.opportunity_id == opportunity_id))


async def lock(session: AsyncSession, owner_id: UUID, pursuit_id: UUID) -> Pursuit:
    """Raises NotFound, like `get`."""
    wanted = select(Pursuit).where(Pursuit.owner_id == owner_id, Pursuit.id == pursuit_id)
    pursuit = await session.scalar(wanted.with_for_update().execution_options(populate_existing=True))
    if pursuit is None:
        raise NotFound(t("The pursuit"))
    return pursuit


def stage_in(owner_id: UUID, opportunity_id: ColumnElement[UUID]) -> ScalarSelect[str]:
    """Select the stage of the workspace's pursuit of an opportunity, or NULL: a correlated subquery for statements of other slices."""
    found = select(Pursuit.stage).where(Pursuit.owner_id == owner_id, Pursuit.opportunity_id == opportunity_id)
    return found.correlate_except(Pursuit).scalar_subquery()


async def list_moves(session: AsyncSession, pursuit_ids: Collection[UUID]) -> Sequence[PursuitMove]:
    """Return the moves of these pursuits, oldest first."""
    found = select(PursuitMove).where(PursuitMove.pursuit_id.in_(pursuit_ids)).order_by(PursuitMove.at, PursuitMove.id)
    return (await session.scalars(found)).all()


async def list_trashed(session: AsyncSession, owner_id: UUID, notices: Notices) -> list[Found]:
    """Return the pursuits in the workspace's trash, oldest first."""
    found = _found(_facts(notices)).where(trash.in_trash_of(owner_id, Pursuit)).order_by(Pursuit.added_at, Pursuit.id)
    return [Found(*row) for row in await session.execute(found)]
