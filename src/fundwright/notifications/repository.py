"""All queries of notifications. Those of an account are limited to its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, Select, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import Account, Membership, Workspace
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.lists import count_all, ordered_by
from fundwright.core.messages import t
from fundwright.notifications.models import Notification, NotificationChoice
from fundwright.notifications.schemas import EmailTiming, NotificationQuery

Found = Row[Notification, str, str]
"""A notification with the names of its actor and of its workspace. Either is None if there is none."""

_IS_WAITING = Notification.email != EmailTiming.OFF, Notification.emailed_at.is_(None), Notification.read_at.is_(None)
_opened_in = func.coalesce(Notification.workspace_id, Notification.account_id)
"""The workspace in which a notification is opened."""


@dataclass(frozen=True)
class Waiting:
    """An account with notifications that wait for an email."""

    account_id: UUID
    time_zone: str | None
    has_soon: bool
    oldest_daily_at: datetime | None


async def list_recipients(session: AsyncSession, account_ids: Collection[UUID], workspace_id: UUID | None) -> Sequence[UUID]:
    """Return those who may be told: existing accounts, or else members of the workspace. They remain so until the transaction ends."""
    if workspace_id is None:
        found = select(Account.id).where(Account.id.in_(account_ids)).order_by(Account.id)
        return (await session.scalars(found.with_for_update(read=True, key_share=True, of=Account))).all()
    members = select(Membership.account_id).where(Membership.workspace_id == workspace_id, Membership.account_id.in_(account_ids))
    return (await session.scalars(members.order_by(Membership.account_id).with_for_update(read=True, key_share=True))).all()


async def choices_about(
    session: AsyncSession, kinds: Collection[str], account_ids: Collection[UUID]
) -> Mapping[tuple[UUID, str], NotificationChoice]:
    """Return what these accounts have chosen about these kinds, by account and kind."""
    chosen = select(NotificationChoice).where(NotificationChoice.kind.in_(kinds), NotificationChoice.account_id.in_(account_ids))
    return {(choice.account_id, choice.kind): choice for choice in await session.scalars(chosen)}


async def add(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> Sequence[UUID]:
    """Add notifications, except those whose account has already been told about the event. Returns the accounts that are told."""
    added = insert(Notification).on_conflict_do_nothing(index_elements=["account_id", "event"])
    return (await session.scalars(added.returning(Notification.account_id), rows)).all()


async def forget_events(session: AsyncSession, events: Collection[str], account_ids: Collection[UUID] | None) -> set[UUID]:
    """Delete what these accounts, or all, were told about these events. Returns the accounts."""
    told = delete(Notification).where(Notification.event.in_(events))
    if account_ids is not None:
        told = told.where(Notification.account_id.in_(account_ids))
    return set(await session.scalars(told.returning(Notification.account_id)))


async def page(session: AsyncSession, account_id: UUID, query: NotificationQuery) -> tuple[Sequence[Found], int]:
    found = _named().where(*_matching(account_id, query))
    order = ordered_by(query, {"created_at": Notification.created_at}, default=Notification.created_at.desc())
    rows = await session.execute(found.order_by(order, Notification.id).offset(query.offset).limit(query.page_size))
    return rows.all(), await count_all(session, found)


async def all_of(session: AsyncSession, account_id: UUID) -> Sequence[Found]:
    """Every notification of the account, also those that are only sent by email, oldest first."""
    found = _named().where(Notification.account_id == account_id)
    return (await session.execute(found.order_by(Notification.created_at, Notification.id))).all()


def _named() -> Select[Notification, str, str]:
    """With the names of the actor and of the workspace, which may be None."""
    return (
        select(Notification, Account.display_name, Workspace.name)
        .outerjoin(Account, Account.id == Notification.actor_id)
        .outerjoin(Workspace, Workspace.id == Notification.workspace_id)
    )


def _matching(account_id: UUID, query: NotificationQuery) -> list[ColumnExpressionArgument[bool]]:
    conditions: list[ColumnExpressionArgument[bool]] = [Notification.account_id == account_id, Notification.is_listed]
    if query.unread:
        conditions.append(Notification.read_at.is_(None))
    if query.kind:
        conditions.append(Notification.kind == query.kind)
    if query.workspace_id:
        conditions.append(_opened_in == query.workspace_id)
    return conditions


_UNREAD = NotificationQuery(unread=True)


async def count_unread(session: AsyncSession, account_id: UUID, workspace_id: UUID, paths: Collection[str]) -> tuple[int, int]:
    """Return the number of unread notifications, and of those among them that lead to one of `paths` in the workspace."""
    counts = select(func.count(), func.count().filter(_leads_to(workspace_id, paths)))
    row = (await session.execute(counts.where(*_matching(account_id, _UNREAD)))).one()
    return row[0], row[1]


async def mark_seen(session: AsyncSession, account_id: UUID, workspace_id: UUID, paths: Collection[str]) -> None:
    """Mark those as read that lead to one of `paths` in the workspace."""
    seen = update(Notification).where(*_matching(account_id, _UNREAD), _leads_to(workspace_id, paths))
    await session.execute(seen.values(read_at=now()))


async def mark_seen_of(session: AsyncSession, account_id: UUID, workspace_id: UUID, kind: str, path: str) -> int:
    """Mark those of a kind as read that lead to `path` in the workspace, also with further parameters. Returns how many there were."""
    begins = (_opened_in == workspace_id) & Notification.path.startswith(path, autoescape=True)
    seen = update(Notification).where(*_matching(account_id, _UNREAD), Notification.kind == kind, begins)
    return len((await session.scalars(seen.values(read_at=now()).returning(Notification.id))).all())


def _leads_to(workspace_id: UUID, paths: Collection[str]) -> ColumnElement[bool]:
    return (_opened_in == workspace_id) & Notification.path.in_(paths)


async def mark_all_read(session: AsyncSession, account_id: UUID, query: NotificationQuery) -> int:
    """Return how many there were."""
    unread = update(Notification).where(*_matching(account_id, query.model_copy(update={"unread": True})))
    return len((await session.scalars(unread.values(read_at=now()).returning(Notification.id))).all())


async def lock(session: AsyncSession, account_id: UUID, notification_id: UUID) -> Notification:
    """Raises NotFound, also for a notification of another account."""
    own = select(Notification).where(*_matching(account_id, NotificationQuery()), Notification.id == notification_id)
    found = await session.scalar(own.with_for_update().execution_options(populate_existing=True))
    if found is None:
        raise NotFound(t("The notification"))
    return found


async def list_workspaces(session: AsyncSession, account_id: UUID) -> Sequence[tuple[UUID, str]]:
    """Return the workspaces that the account has notifications of, with their names; that of the personal one is empty."""
    named = (
        select(_opened_in, func.coalesce(Workspace.name, ""))
        .select_from(Notification)
        .outerjoin(Workspace, Workspace.id == Notification.workspace_id)
        .where(*_matching(account_id, NotificationQuery()))
        .distinct()
    )
    return sorted(((id, name) for id, name in await session.execute(named)), key=lambda each: (each[1].casefold(), each[0]))


# Choices


async def list_choices(session: AsyncSession, account_id: UUID) -> Sequence[NotificationChoice]:
    chosen = select(NotificationChoice).where(NotificationChoice.account_id == account_id)
    return (await session.scalars(chosen.order_by(NotificationChoice.kind))).all()


async def choose(session: AsyncSession, account_id: UUID, kind: str, *, is_listed: bool, email: EmailTiming) -> None:
    """Save a choice, which also applies to what waits for an email."""
    values = {"is_listed": is_listed, "email": email}
    saved = insert(NotificationChoice).values(account_id=account_id, kind=kind, **values)
    await session.execute(saved.on_conflict_do_update(index_elements=["account_id", "kind"], set_=values))
    waiting = update(Notification).where(Notification.account_id == account_id, Notification.kind == kind, *_IS_WAITING)
    await session.execute(waiting.values(email=email))


# Emails


async def list_waiting(session: AsyncSession) -> Sequence[Waiting]:
    """Return the accounts, of those that can sign in, with notifications that wait for an email."""
    is_soon = Notification.email == EmailTiming.SOON
    rows = await session.execute(
        select(
            Account.id,
            Account.time_zone,
            func.bool_or(is_soon),
            func.min(Notification.created_at).filter(Notification.email == EmailTiming.DAILY),
        )
        .join(Notification, Notification.account_id == Account.id)
        .where(*_IS_WAITING, Account.disabled_at.is_(None), Account.verified_at.is_not(None))
        .group_by(Account.id)
        .order_by(Account.id)
    )
    return [Waiting(*row) for row in rows]


async def lock_waiting(session: AsyncSession, account_id: UUID, *, daily_before: datetime) -> Sequence[Found]:
    """Lock and return what waits for an email now, oldest first, except what another worker is sending: those that are sent soon, and
    those for the daily email that were created before `daily_before`."""
    is_due = or_(
        Notification.email == EmailTiming.SOON,
        (Notification.email == EmailTiming.DAILY) & (Notification.created_at < daily_before),
    )
    due = _named().where(Notification.account_id == account_id, *_IS_WAITING, is_due)
    due = due.order_by(Notification.created_at, Notification.id)
    return (await session.execute(due.with_for_update(of=Notification, skip_locked=True))).all()


async def mark_sent(session: AsyncSession, notification_ids: Collection[UUID]) -> None:
    await session.execute(update(Notification).where(Notification.id.in_(notification_ids)).values(emailed_at=now()))


async def find_account(session: AsyncSession, account_id: UUID) -> Account | None:
    return await session.get(Account, account_id)


async def forget_old(session: AsyncSession, *, before: datetime, limit: int) -> int:
    """Delete some notifications of all accounts, and return how many."""
    old = select(Notification.id).where(Notification.created_at < before).limit(limit).with_for_update(skip_locked=True)
    return len((await session.scalars(delete(Notification).where(Notification.id.in_(old)).returning(Notification.id))).all())
