"""Queries of who watches which notices, limited to a workspace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Date,
    Select,
    Subquery,
    Update,
    and_,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    tuple_,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.core.json_values import JsonObject
from fundwright.opportunities.models import Opportunity, OpportunityText, OpportunityVersion, OpportunityWatch
from fundwright.opportunities.repository.filters import IS_OPEN
from fundwright.opportunities.washington import WASHINGTON

REMINDERS = (7, 1)
"""How many days before a due date its watchers are reminded."""


_WATCHED, _SAME = aliased(Opportunity), aliased(Opportunity)
"""A watched notice, and another one of its solicitation, or the same one."""
_IN_SOLICITATION = and_(_WATCHED.number_key != "", _SAME.number_key == _WATCHED.number_key, _SAME.kind == _WATCHED.kind)


class Watcher(NamedTuple):
    """A member of a workspace who watches."""

    workspace_id: UUID
    account_id: UUID


class Seen(NamedTuple):
    """A version of a notice that is new to a watcher, and the one that the watcher knows, which a new notice has not: the source's record and
    the description."""

    watched_id: UUID
    opportunity_id: UUID
    type: str
    current: tuple[JsonObject, str]
    known: tuple[JsonObject, str] | None


class Due(NamedTuple):
    """A notice that is due on a day in Washington."""

    watched_id: UUID
    opportunity_id: UUID
    due_on: date


def _covered(*watches: ColumnElement[bool]) -> Subquery:
    """Select the notices that these watches cover: each watched notice, and those of its kind that have its number."""
    watch = OpportunityWatch
    keys = (watch.owner_id, watch.account_id, watch.opportunity_id.label("watched_id"), watch.told_until, watch.reminded_on)
    itself = select(*keys, watch.opportunity_id.label("notice_id")).where(*watches)
    of_number = select(*keys, _SAME.id).join(_WATCHED, _WATCHED.id == watch.opportunity_id).join(_SAME, _IN_SOLICITATION)
    return union(itself, of_number.where(*watches)).subquery("covered")


def _own(owner_id: UUID, account_id: UUID) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return OpportunityWatch.owner_id == owner_id, OpportunityWatch.account_id == account_id


def watched_ids(owner_id: UUID, account_id: UUID | None) -> Select[UUID]:
    """Select the ids of notices that the member watches (None: that anyone in the workspace does)."""
    watch = OpportunityWatch
    whose = _own(owner_id, account_id) if account_id else (watch.owner_id == owner_id,)
    itself = select(watch.opportunity_id.label("id")).where(*whose)
    of_number = select(_SAME.id).join(_WATCHED, _IN_SOLICITATION).join(watch, watch.opportunity_id == _WATCHED.id).where(*whose)
    return select(union(itself, of_number).subquery().c.id)


def is_watched(owner_id: UUID, account_id: UUID) -> ColumnElement[bool]:
    """Whether the member watches the notice of a row, looked up for each row: quicker than `watched_ids` for those of a page."""
    own = exists().where(*_own(owner_id, account_id), OpportunityWatch.opportunity_id == Opportunity.id).correlate(Opportunity)
    has_number = and_(Opportunity.number_key != "", _SAME.number_key == Opportunity.number_key, _SAME.kind == Opportunity.kind)
    of_number = exists().where(has_number, OpportunityWatch.opportunity_id == _SAME.id, *_own(owner_id, account_id))
    return or_(own, of_number.correlate(Opportunity))


async def watched_among(session: AsyncSession, owner_id: UUID, account_id: UUID, ids: Collection[UUID]) -> set[UUID]:
    """Return which of these notices the member watches."""
    covered = _covered(*_own(owner_id, account_id))
    return set(await session.scalars(select(covered.c.notice_id).where(covered.c.notice_id.in_(ids))))


async def watchers_of(session: AsyncSession, owner_id: UUID, opportunity_id: UUID) -> Sequence[UUID]:
    """Return the members of the workspace who watch a notice, the first one first."""
    sought = _related(opportunity_id)
    found = select(OpportunityWatch.account_id).where(
        OpportunityWatch.owner_id == owner_id, OpportunityWatch.opportunity_id.in_(sought)
    )
    found = found.group_by(OpportunityWatch.account_id)
    return (await session.scalars(found.order_by(func.min(OpportunityWatch.created_at), OpportunityWatch.account_id))).all()


def _related(opportunity_id: UUID) -> CompoundSelect[UUID]:
    """Select the notice and those of its kind that have its number."""
    of_number = select(_SAME.id).join(_WATCHED, _IN_SOLICITATION).where(_WATCHED.id == opportunity_id)
    return union(select(Opportunity.id).where(Opportunity.id == opportunity_id), of_number)


async def count(session: AsyncSession, owner_id: UUID, account_id: UUID) -> int:
    return await session.scalar(select(func.count()).select_from(OpportunityWatch).where(*_own(owner_id, account_id))) or 0


async def add(
    session: AsyncSession, owner_id: UUID, account_id: UUID, opportunity_id: UUID, *, now: datetime, today: date
) -> None:
    """Let the member watch a notice. All versions of it and of its solicitation that exist are known to the member."""
    known = await session.scalar(select(func.max(Opportunity.updated_at)).where(Opportunity.id.in_(_related(opportunity_id))))
    values = {"created_at": now, "told_until": known, "reminded_on": today}
    added = insert(OpportunityWatch).values(owner_id=owner_id, account_id=account_id, opportunity_id=opportunity_id, **values)
    await session.execute(added.on_conflict_do_nothing())


async def remove(session: AsyncSession, owner_id: UUID, account_id: UUID, opportunity_id: UUID) -> None:
    """Let the member no longer watch a notice, whichever notice of its solicitation was watched."""
    related = OpportunityWatch.opportunity_id.in_(_related(opportunity_id))
    await session.execute(delete(OpportunityWatch).where(*_own(owner_id, account_id), related))


async def own_watches(session: AsyncSession, account_id: UUID) -> Sequence[Sequence[Any]]:
    """(workspace, number, title, watched since) of what the account watches in all workspaces that the session sees, oldest first."""
    watch = OpportunityWatch
    since = watch.created_at.label("watched_since")
    found = select(watch.owner_id.label("workspace_id"), Opportunity.number, Opportunity.title, since)
    own = found.join(Opportunity, Opportunity.id == watch.opportunity_id).where(watch.account_id == account_id)
    return (await session.execute(own.order_by(watch.created_at, Opportunity.id))).all()


# Telling watchers


async def newest_version(session: AsyncSession) -> datetime | None:
    """Return when the newest version of a notice was seen."""
    newest = select(OpportunityVersion.seen_at).order_by(OpportunityVersion.seen_at.desc()).limit(1)
    return await session.scalar(newest)


def _is_behind(until: datetime | None, today: date) -> ColumnElement[bool]:
    is_unreminded = OpportunityWatch.reminded_on < today
    return is_unreminded if until is None else or_(OpportunityWatch.told_until < until, is_unreminded)


async def list_due(session: AsyncSession, until: datetime | None, today: date) -> Sequence[Watcher]:
    """Return the watchers, of all workspaces, whom there is something to tell; count all others as told."""
    if not await session.scalar(select(exists().where(_is_behind(until, today)))):
        return []
    covered = _covered(_is_behind(until, today))
    columns = (covered.c.owner_id, covered.c.account_id)
    is_due = _is_soon_due(covered, today)
    if until is not None:
        is_due = or_(is_due, _has_new_version(covered, until))
    due = select(*columns).join(Opportunity, Opportunity.id == covered.c.notice_id).where(is_due)
    watchers = [Watcher(*row) for row in await session.execute(due.distinct().order_by(*columns))]
    # Nobody else has anything to be told.
    others = tuple_(OpportunityWatch.owner_id, OpportunityWatch.account_id).not_in(watchers)
    await session.execute(_told(until, today).where(_is_behind(until, today), others))
    return watchers


def _has_new_version(covered: Subquery, until: datetime) -> ColumnElement[bool]:
    version = OpportunityVersion
    is_new = and_(version.seen_at > covered.c.told_until, version.seen_at <= until)
    return exists().where(version.opportunity_id == covered.c.notice_id, is_new)


def _due_on() -> ColumnElement[date]:
    return cast(func.timezone(WASHINGTON.key, Opportunity.due_at), Date)


def _is_soon_due(covered: Subquery, today: date) -> ColumnElement[bool]:
    """Whether a day on which the notice's watchers are reminded has come since they were reminded last."""
    reminders = (and_(_due_on() - days > covered.c.reminded_on, _due_on() - days <= today) for days in REMINDERS)
    return and_(IS_OPEN, _due_on() >= today, Opportunity.due_at.is_not(None), or_(*reminders))


def _told(until: datetime | None, today: date) -> Update:
    known = {} if until is None else {"told_until": func.greatest(OpportunityWatch.told_until, until)}
    return update(OpportunityWatch).values(reminded_on=func.greatest(OpportunityWatch.reminded_on, today), **known)


async def skip(session: AsyncSession, watcher: Watcher, until: datetime | None, today: date) -> None:
    """Count a watcher as told: for one who may not see anything now."""
    await session.execute(_told(until, today).where(*_own(*watcher)))


async def lock_due(session: AsyncSession, watcher: Watcher, until: datetime | None, today: date) -> Sequence[UUID]:
    """Return the ids of the notices of whose watches the watcher is told now, except those of which another worker is telling."""
    due = select(OpportunityWatch.opportunity_id).where(*_own(*watcher), _is_behind(until, today))
    due = due.order_by(OpportunityWatch.created_at, OpportunityWatch.opportunity_id)
    return (await session.scalars(due.with_for_update(skip_locked=True))).all()


async def mark_told(
    session: AsyncSession, watcher: Watcher, watched_ids: Collection[UUID], until: datetime | None, today: date
) -> None:
    """Count the watcher as told of these watches."""
    await session.execute(_told(until, today).where(*_own(*watcher), OpportunityWatch.opportunity_id.in_(watched_ids)))


async def new_versions(session: AsyncSession, watcher: Watcher, watched_ids: Collection[UUID], until: datetime) -> list[Seen]:
    """Return the newest versions that the watcher does not know, oldest notice first."""
    covered = _covered(*_own(*watcher), OpportunityWatch.opportunity_id.in_(watched_ids))
    version, text = OpportunityVersion, OpportunityText

    def newest(*conditions: ColumnElement[bool]) -> Any:
        of_notice = select(version).where(version.opportunity_id == covered.c.notice_id, *conditions)
        return of_notice.order_by(version.number.desc()).limit(1).lateral()

    after = newest(version.seen_at > covered.c.told_until, version.seen_at <= until)
    before = newest(version.seen_at <= covered.c.told_until)
    found = (
        select(
            covered.c.watched_id,
            Opportunity.id,
            Opportunity.type,
            func.coalesce(after.c.raw, text.raw),
            func.coalesce(after.c.description, text.description),
            before.c.raw,
            before.c.description,
        )
        .select_from(covered)
        .join(Opportunity, Opportunity.id == covered.c.notice_id)
        .join(text, text.opportunity_id == Opportunity.id)
        .join(after, true())
        .outerjoin(before, true())
    )
    rows = await session.execute(found.order_by(Opportunity.first_seen_at, Opportunity.posted_at, Opportunity.id))
    return [
        Seen(watched, id, type, (raw, description), None if known is None else (known, known_description))
        for watched, id, type, raw, description, known, known_description in rows
    ]


async def soon_due(session: AsyncSession, watcher: Watcher, watched_ids: Collection[UUID], today: date) -> list[Due]:
    """Return the notices of whose due dates the watcher is reminded today, the newest one first."""
    covered = _covered(*_own(*watcher), OpportunityWatch.opportunity_id.in_(watched_ids))
    found = select(covered.c.watched_id, Opportunity.id, _due_on()).join(covered, Opportunity.id == covered.c.notice_id)
    rows = await session.execute(found.where(_is_soon_due(covered, today)).order_by(Opportunity.posted_at.desc(), Opportunity.id))
    return [Due(*row) for row in rows]
