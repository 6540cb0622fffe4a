"""All queries of activity. Those of a workspace are limited to its own entries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Row, Select, and_, any_, delete, exists, false, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.accounts.models import Account, Membership
from fundwright.activity.models import Activity
from fundwright.activity.schemas import MEMBER, ActivePerson, ActivityQuery, Subject
from fundwright.core.lists import contains, count_all, ordered_by

Entry = Row[Activity, str, str]
"""An entry with the names of the person and of the member it is about, None if there is none."""
_Member = aliased(Account)


async def find_latest(
    session: AsyncSession,
    owner_id: UUID,
    account_id: UUID,
    kind: str,
    subject_id: UUID,
    *,
    since: datetime,
    details: Mapping[str, str],
) -> Activity | None:
    """Return the latest entry of a person that a new one can be combined with."""
    found = select(Activity).where(
        Activity.owner_id == owner_id,
        Activity.subject_id == subject_id,
        Activity.account_id == account_id,
        Activity.kind == kind,
        Activity.details == details,
        Activity.at >= since,
    )
    return await session.scalar(found.order_by(Activity.at.desc()).limit(1).execution_options(populate_existing=True))


async def page(
    session: AsyncSession,
    owner_id: UUID,
    query: ActivityQuery,
    zone: ZoneInfo,
    *,
    stand_ins: Collection[str] = (),
    is_owner: bool = False,
) -> tuple[Sequence[Entry], int]:
    """Return entries, and the number of all. Days begin at midnight in `zone`. Those of the kinds `stand_ins` are for owners who see no
    entry about their related things."""
    found = _entries(owner_id, query, zone)
    if stand_ins:
        of_related = aliased(Activity)
        is_unseen = ~exists().where(of_related.owner_id == owner_id, of_related.subject_id == any_(Activity.related_ids))
        found = found.where(or_(Activity.kind.not_in(stand_ins), is_unseen if is_owner else false()))
    order = ordered_by(query, {"at": Activity.at}, default=Activity.at.desc())
    rows = await session.execute(found.order_by(order, Activity.id).offset(query.offset).limit(query.page_size))
    return rows.all(), await count_all(session, found)


def _entries(owner_id: UUID, query: ActivityQuery, zone: ZoneInfo) -> Select[Activity, str, str]:
    found = (
        select(Activity, Account.display_name.label("person"), _Member.display_name.label("member"))
        .outerjoin(Account, Account.id == Activity.account_id)
        .outerjoin(_Member, and_(Activity.subject_kind == MEMBER, _Member.id == Activity.subject_id))
        .where(Activity.owner_id == owner_id)
    )
    if query.text.strip():
        found = found.where(contains(query.text.strip(), Activity.subject_title, _Member.display_name))
    if query.person is not None:
        found = found.where(Activity.account_id == query.person)
    if query.kind:
        found = found.where(Activity.kind == query.kind)
    if query.first is not None:
        found = found.where(Activity.at >= _midnight(query.first, zone))
    if query.last is not None:
        found = found.where(Activity.at < _midnight(query.last + timedelta(days=1), zone))
    if query.subject_id is not None:
        found = found.where(or_(Activity.subject_id == query.subject_id, Activity.related_ids.contains([query.subject_id])))
    return found


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)


async def list_people(session: AsyncSession, owner_id: UUID) -> list[ActivePerson]:
    """Return everyone with an entry, by name."""
    ids = select(Activity.account_id).where(Activity.owner_id == owner_id).distinct()
    found = (
        select(Account.id, Account.display_name).where(Account.id.in_(ids)).order_by(func.lower(Account.display_name), Account.id)
    )
    return [ActivePerson(id=id, name=name) for id, name in await session.execute(found)]


async def list_workspaces_of(session: AsyncSession, account_id: UUID) -> Sequence[UUID]:
    return (await session.scalars(select(Membership.workspace_id).where(Membership.account_id == account_id))).all()


async def list_own(session: AsyncSession, owner_id: UUID, account_id: UUID) -> Sequence[Activity]:
    """Return what an account did in a workspace, oldest first."""
    found = select(Activity).where(Activity.owner_id == owner_id, Activity.account_id == account_id)
    return (await session.scalars(found.order_by(Activity.at, Activity.id))).all()


async def update_subject(session: AsyncSession, owner_id: UUID, subject: Subject) -> None:
    """Give the entries about a subject its current title and path."""
    current = {"subject_title": subject.title, "path": subject.path}
    is_outdated = tuple_(Activity.subject_title, Activity.path) != tuple_(subject.title, subject.path)
    found = update(Activity).where(Activity.owner_id == owner_id, Activity.subject_id == subject.id, is_outdated)
    await session.execute(found.values(current))


async def unlink(session: AsyncSession, subject_ids: Collection[UUID]) -> None:
    """Remove the paths of things that are deleted."""
    await session.execute(update(Activity).where(Activity.subject_id.in_(subject_ids), Activity.path != "").values(path=""))


async def remove_of(session: AsyncSession, subject_ids: Collection[UUID], *, stand_in: str) -> None:
    """Remove the entries about things, and those of the kind `stand_in` that are related to them."""
    stands_in = and_(Activity.kind == stand_in, Activity.related_ids.overlap(subject_ids))
    await session.execute(delete(Activity).where(or_(Activity.subject_id.in_(subject_ids), stands_in)))


async def remove_before(session: AsyncSession, moment: datetime) -> None:
    await session.execute(delete(Activity).where(Activity.at < moment))
