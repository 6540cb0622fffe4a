"""Telling accounts what happened, and what they do with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.authentication import throttle
from fundwright.authentication.throttle import Budget
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.live import publish, publish_to
from fundwright.core.messages import t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import across_workspaces, installation
from fundwright.core.spreadsheets import csv_lines
from fundwright.core.visible import visible_line
from fundwright.notifications import repository
from fundwright.notifications.repository import Found
from fundwright.notifications.schemas import (
    KEPT,
    Choice,
    ChoiceChange,
    Choices,
    EmailTiming,
    Happening,
    NotificationKind,
    NotificationQuery,
    NotificationRead,
)

TOLD_BY_ONE = (Budget(40, timedelta(minutes=1)), Budget(300, timedelta(hours=1)))
"""How many notifications one account can cause for others: enough to mention a whole team a few times."""
_MOST_CHARACTERS = 200
_BATCH = 1_000


def notifications_topic(account_id: UUID) -> str:
    """The live topic of everything about an account's notifications."""
    return f"notifications:{account_id}"


def list_kinds(core: Core) -> list[NotificationKind]:
    return core.plugins.collect("notification_kinds")


def refuse_unknown_kind(core: Core, query: NotificationQuery) -> None:
    """Raise Invalid, naming the kinds."""
    refuse_unknown_values(query, kind=[kind.key for kind in list_kinds(core)])


@dataclass(frozen=True)
class News:
    """What accounts are told: `subject` names what it is about, such as the title of a draft, and `path` leads there. The sentence is
    written from `details`, too, when it is read. An account is told about an `event` only once."""

    kind: NotificationKind
    account_ids: Collection[UUID]
    subject: str
    path: str
    details: Mapping[str, str] = field(default_factory=dict)
    event: str | None = None


async def notify(
    session: AsyncSession,
    kind: NotificationKind,
    account_ids: Iterable[UUID],
    *,
    actor: Actor | None,
    workspace_id: UUID | None,
    subject: str,
    path: str,
    details: Mapping[str, str] | None = None,
    event: str | None = None,
) -> None:
    """Tell accounts what happened, as `notify_all` does."""
    news = News(kind, set(account_ids), subject, path, details or {}, event)
    await notify_all(session, [news], actor=actor, workspace_id=workspace_id)


async def notify_all(session: AsyncSession, news: Sequence[News], *, actor: Actor | None, workspace_id: UUID | None) -> None:
    """Tell accounts what happened, in the caller's transaction and in a few statements: they are told exactly if it commits.

    Nobody is told of what they did themselves. With a `workspace_id`, only its members are told, and what they were told is deleted
    once they are no longer members. Raises OverBudget if the actor has told too many people already: the caller's transaction fails.
    """
    wanted = {account_id for each in news for account_id in each.account_ids} - {actor.id if actor else None}
    if not wanted:
        return
    async with across_workspaces(session, "notifications"):  # the rows belong to others
        recipients = await repository.list_recipients(session, wanted, workspace_id)
        choices = await repository.choices_about(session, {each.kind.key for each in news}, recipients)
        rows = [
            {
                "id": uuid4(),
                "account_id": recipient,
                "workspace_id": workspace_id,
                "kind": each.kind.key,
                "actor_id": actor.id if actor else None,
                "has_actor": actor is not None,
                "subject": visible_line(each.subject, most=_MOST_CHARACTERS),
                "path": each.path,
                "details": dict(each.details),
                "event": each.event,
                "is_listed": is_listed,
                "email": email,
                "created_at": now(),
            }
            for each in news
            for recipient in recipients
            if recipient in each.account_ids
            for choice in [choices.get((recipient, each.kind.key))]
            for is_listed in [choice.is_listed if choice else each.kind.is_listed]
            for email in [timing_of(each.kind, choice.email if choice else None)]
            if is_listed or email is not EmailTiming.OFF
        ]
        told = await repository.add(session, rows) if rows else []
    if actor is not None and told and any(each.kind.is_limited for each in news):
        await throttle.spend(session, "told", actor.id, TOLD_BY_ONE, amount=len(told), refusal=_too_many_told)
    await publish_to(session, map(notifications_topic, set(told)))


def _too_many_told(wait: str) -> str:
    return t(
        "You have notified other people too often in a short time. Nothing was saved or sent. Try again in {wait}.", wait=wait
    )


def timing_of(kind: NotificationKind, chosen: str | None) -> EmailTiming:
    """Return when an email is sent: as chosen, or else as the kind suggests."""
    if kind.email is None:
        return EmailTiming.OFF
    return kind.email if chosen is None else EmailTiming(chosen)


async def forget_event(session: AsyncSession, event: str, account_ids: Collection[UUID] | None = None) -> None:
    """Delete what these accounts, or all, were told about an event that no longer matters to them."""
    await forget_events(session, [event], account_ids)


async def forget_events(session: AsyncSession, events: Collection[str], account_ids: Collection[UUID] | None = None) -> None:
    """Like `forget_event` for several events."""
    async with across_workspaces(session, "notifications"):
        told = await repository.forget_events(session, events, account_ids)
    await publish_to(session, map(notifications_topic, told))


@needs(Permission.READ)
async def list_notifications(session: AsyncSession, actor: Actor, core: Core, query: NotificationQuery) -> Page[NotificationRead]:
    """Return the notifications of the account, of all its workspaces."""
    kinds = {kind.key: kind for kind in list_kinds(core)}
    found, total = await repository.page(session, actor.id, query)
    return Page(items=[read(each, kinds) for each in found], total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_notifications(session: AsyncSession, actor: Actor, core: Core, query: NotificationQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""

    def label_of(each: NotificationRead) -> object:
        return next((kind.label for kind in list_kinds(core) if kind.key == each.kind), each.kind)

    columns: list[tuple[str, Callable[[NotificationRead], object]]] = [
        (t("Notification"), lambda each: each.title),
        (t("Kind"), label_of),
        (t("Workspace"), lambda each: each.workspace_title),
        (t("Created"), lambda each: each.created_at),
        (t("Read"), lambda each: each.read_at),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_notifications(session, actor, core, page), query))


@needs(Permission.READ)
async def count_unread(session: AsyncSession, actor: Actor, *paths: str) -> tuple[int, int]:
    """Return the number of unread notifications, and of those among them that lead to one of `paths` in the actor's workspace."""
    return await repository.count_unread(session, actor.id, actor.workspace_id, paths)


@needs(Permission.READ)
async def mark_seen(session: AsyncSession, actor: Actor, *paths: str) -> None:
    """Mark those notifications as read that lead to one of `paths` in the actor's workspace, because it is open now."""
    await repository.mark_seen(session, actor.id, actor.workspace_id, paths)
    await publish(session, notifications_topic(actor.id))


@needs(Permission.READ)
async def mark_seen_of(session: AsyncSession, actor: Actor, kind: NotificationKind, path: str) -> None:
    """Mark those of a kind as read that lead to `path` in the actor's workspace, also with further parameters: for what is open there
    now."""
    if await repository.mark_seen_of(session, actor.id, actor.workspace_id, kind.key, path):
        await publish(session, notifications_topic(actor.id))


@needs(Permission.READ)
async def mark_read(session: AsyncSession, actor: Actor, notification_id: UUID) -> None:
    """Raises NotFound."""
    found = await repository.lock(session, actor.id, notification_id)
    found.read_at = found.read_at or now()
    await publish(session, notifications_topic(actor.id))


@needs(Permission.READ)
async def mark_unread(session: AsyncSession, actor: Actor, notification_id: UUID) -> None:
    """The person has read it, so no email follows. Raises NotFound."""
    found = await repository.lock(session, actor.id, notification_id)
    if found.read_at is not None:
        found.read_at, found.email = None, EmailTiming.OFF
    await publish(session, notifications_topic(actor.id))


@needs(Permission.READ)
async def mark_all_read(session: AsyncSession, actor: Actor, query: NotificationQuery) -> int:
    """Mark all notifications that the list shows as read, also those on its other pages, and return how many were unread."""
    marked = await repository.mark_all_read(session, actor.id, query)
    await publish(session, notifications_topic(actor.id))
    return marked


@needs(Permission.READ)
async def list_workspaces(session: AsyncSession, actor: Actor) -> list[tuple[UUID, str]]:
    """Return the ids and names of the workspaces that the account has notifications of."""
    return [(id, name or t("Personal")) for id, name in await repository.list_workspaces(session, actor.id)]


@needs(Permission.READ)
async def list_choices(session: AsyncSession, actor: Actor, core: Core) -> Choices:
    """Return how the account is told about each kind."""
    chosen = {choice.kind: choice for choice in await repository.list_choices(session, actor.id)}
    return Choices(
        kinds=[
            Choice(
                kind=kind.key,
                label=str(kind.label),
                is_listed=choice.is_listed if choice else kind.is_listed,
                email=timing_of(kind, choice.email if choice else None) if kind.email else None,
            )
            for kind in list_kinds(core)
            for choice in [chosen.get(kind.key)]
        ]
    )


@needs(Permission.READ)
async def choose(session: AsyncSession, actor: Actor, core: Core, kind: str, change: ChoiceChange) -> None:
    """Choose how the account is told about a kind from now on, and when what has not been sent yet is sent. Raises NotFound."""
    if kind not in {known.key for known in list_kinds(core)}:
        raise NotFound(t("The kind of notification"))
    await repository.choose(session, actor.id, kind, is_listed=change.is_listed, email=change.email)
    await publish(session, notifications_topic(actor.id))


async def forget_old(core: Core) -> None:
    """Delete what is more than 90 days old. Opens its own transactions, of a thousand notifications each."""
    while True:
        async with core.database.transaction(scope=installation("old notifications")) as session:
            if await repository.forget_old(session, before=now() - KEPT, limit=_BATCH) < _BATCH:
                return


def read(found: Found, kinds: Mapping[str, NotificationKind]) -> NotificationRead:
    """Return a notification as its recipient sees it, in the current language."""
    row, actor, workspace = found
    name = (actor or t("Deleted account")) if row.has_actor else ""
    kind = kinds.get(row.kind)  # none if the package of the kind was removed
    return NotificationRead(
        id=row.id,
        kind=row.kind,
        title=kind.sentence(Happening(name, row.subject, row.details)) if kind else row.subject,
        actor=name,
        subject=row.subject,
        workspace_id=row.workspace_id or row.account_id,
        workspace=workspace or "",
        path=row.path,
        created_at=row.created_at,
        read_at=row.read_at,
    )
