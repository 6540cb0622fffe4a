"""All queries of insights: page views, and people's jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Row,
    RowMapping,
    Select,
    case,
    cast,
    delete,
    extract,
    func,
    insert,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from fundwright.accounts.schemas import Actor
from fundwright.core.jobs import Job
from fundwright.core.lists import count_all, ordered_by
from fundwright.core.paging import PageRequest
from fundwright.insights.models import PageView
from fundwright.insights.schemas import STATES, HistoryQuery, PagesQuery, UsageQuery, Viewed, kinds_counted_as

T = TypeVar("T")

People = Select[UUID, str, str]
"""Id, name, and email of accounts."""

VisitsRow = Row[str, int, int]
"""A path, its views, and the number of people."""

_DURATION_S = extract("epoch", Job.ended_at - Job.started_at)


async def add_views(session: AsyncSession, views: Sequence[Viewed]) -> None:
    await session.execute(insert(PageView), [view.model_dump() for view in views])


async def forget_views(session: AsyncSession, *, before: datetime) -> None:
    await session.execute(delete(PageView).where(PageView.at < before))


async def views_of(session: AsyncSession, account_id: UUID) -> Sequence[PageView]:
    """Oldest first."""
    return (await session.scalars(select(PageView).where(PageView.account_id == account_id).order_by(PageView.id))).all()


async def views_by_day(session: AsyncSession, query: UsageQuery) -> dict[date, tuple[int, int]]:
    """(views, people) of each day that has any."""
    return {day: (views, people) for day, views, people in await session.execute(_visits(_day(PageView.at), query))}


async def count_people(session: AsyncSession, query: UsageQuery) -> int:
    """Accounts that opened a page in these days."""
    who = select(PageView.account_id).where(_within(PageView.at, query)).distinct().subquery()
    return await session.scalar(select(func.count(who.c.account_id))) or 0


async def jobs_by_day(session: AsyncSession, query: UsageQuery) -> dict[tuple[date, str], int]:
    """The number of jobs of each kind that people started, for each day that has any."""
    day = _day(Job.created_at)
    begun = (_within(Job.created_at, query), _of_people())
    rows = await session.execute(select(day, Job.kind, func.count()).where(*begun).group_by(day, Job.kind))
    return {(at, kind): number for at, kind, number in rows}


def _visits(of: ColumnElement[T], query: UsageQuery, request: PageRequest | None = None) -> Select[T, int, int]:
    """Views and people `of` each day or path, counted by account first, which is several times faster than counting distinct ones directly."""
    each = (
        select(of.label("of"), PageView.account_id, func.count().label("views"))
        .where(_within(PageView.at, query))
        .group_by(of, PageView.account_id)
        .subquery()
    )
    views, people = cast(func.sum(each.c.views), BigInteger()), func.count(each.c.account_id)
    order = ordered_by(request or PageRequest(), {"path": each.c.of, "views": views, "people": people}, default=views.desc())
    return select(each.c.of, views.label("views"), people.label("people")).group_by(each.c.of).order_by(order, each.c.of)


async def page_of_pages(session: AsyncSession, query: PagesQuery) -> tuple[Sequence[VisitsRow], int]:
    paths = select(PageView.path).where(_within(PageView.at, query)).distinct().subquery()
    total = await session.scalar(select(func.count()).select_from(paths)) or 0
    rows = await session.execute(_visits(PageView.path.expression, query, query).offset(query.offset).limit(query.page_size))
    return rows.all(), total


async def list_pages(session: AsyncSession, query: PagesQuery) -> Sequence[VisitsRow]:
    """All of them: there are as many as screens."""
    return (await session.execute(_visits(PageView.path.expression, query, query))).all()


def _history(people: People, opened: Select[UUID], query: HistoryQuery) -> Select[*tuple[Any, ...]]:
    person = people.subquery()
    title = case((or_(Job.owner_id.is_(None), Job.owner_id.in_(opened)), Job.title), else_=literal("", Job.title.type))
    conditions: list[ColumnElement[bool]] = [_of_people()]
    if query.kind:
        conditions.append(Job.kind == query.kind)
    if query.state is not None:
        conditions.append(Job.state.in_(STATES[query.state]))
    if query.person is not None:
        conditions.append(Job.account_id == query.person)
    name = func.coalesce(person.c.name, "")
    order = {
        "kind": Job.kind,
        "title": func.lower(title),
        "person": func.lower(name),
        "state": Job.state,
        "created_at": Job.created_at,
        "duration_s": _DURATION_S,
    }
    return (
        select(
            *(Job.id, Job.kind, title.label("title"), Job.account_id, name.label("person"), Job.state, Job.done, Job.total),
            *(Job.created_at, Job.started_at, Job.ended_at, _DURATION_S.label("duration_s")),
        )
        .outerjoin(person, person.c.id == Job.account_id)
        .where(*conditions)
        .order_by(ordered_by(query, order, default=Job.created_at.desc()), Job.id)
    )


async def page_of_history(
    session: AsyncSession, actor: Actor, people: People, opened: Select[UUID], query: HistoryQuery
) -> tuple[Sequence[RowMapping], int]:
    own_run = case(
        ((Job.owner_id == actor.workspace_id) & Job.kind.in_(kinds_counted_as("trainings")), Job.payload["run_id"].astext)
    )
    found = _history(people, opened, query).add_columns(own_run.label("run_id"))
    total = await count_all(session, found)
    rows = await session.execute(found.offset(query.offset).limit(query.page_size))
    return rows.mappings().all(), total


async def stream_history(
    session: AsyncSession, people: People, opened: Select[UUID], query: HistoryQuery
) -> AsyncIterator[RowMapping]:
    rows = await session.stream(_history(people, opened, query))
    async for row in rows.mappings():
        yield row


async def list_kinds(session: AsyncSession) -> list[str]:
    return list(await session.scalars(select(Job.kind).where(_of_people()).distinct().order_by(Job.kind)))


async def list_people(session: AsyncSession, people: People) -> Sequence[RowMapping]:
    """People who have started a job, by name."""
    person = people.subquery()
    busy = select(person).where(
        person.c.id.in_(select(Job.account_id).where(Job.owner_id.is_not(None), Job.account_id.is_not(None)))
    )
    return (await session.execute(busy.order_by(func.lower(person.c.name), person.c.email))).mappings().all()


def _of_people() -> ColumnElement[bool]:
    """Jobs started by people, without the emails that they cause. An import without an owner was started from the command line."""
    return or_(Job.owner_id.is_not(None), Job.kind.in_(kinds_counted_as("imports")))


def _day(at: InstrumentedAttribute[datetime]) -> ColumnElement[date]:
    return cast(func.timezone("UTC", at), Date)


def _within(at: InstrumentedAttribute[datetime], query: UsageQuery) -> ColumnElement[bool]:
    begin = datetime.combine(query.first, time(), UTC)
    end = datetime.combine(query.last, time(), UTC) + timedelta(days=1)
    return (at >= begin) & (at < end)
