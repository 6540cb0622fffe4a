"""Tells those who watch a notice of its changes and of its due date, once. A worker may be killed at any moment: a watcher counts as told
in the transaction that adds the notifications."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import DatabaseAway, NotAllowed, NotFound
from fundwright.core.scopes import Scope, installation
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationKind
from fundwright.opportunities import service
from fundwright.opportunities.differences import Version, difference
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.events import WATCHED_CHANGED, WATCHED_DUE, change_details
from fundwright.opportunities.repository import watches
from fundwright.opportunities.repository.watches import Due, Seen, Watcher
from fundwright.opportunities.schemas import ImportOpportunities
from fundwright.opportunities.washington import day_in_washington

log = structlog.get_logger()

_load_watcher = acting_with(Permission.READ)


async def tell_watchers(core: Core) -> None:
    """Tell all watchers of new versions, as soon as no import is underway, and remind them of due dates. Opens its own transactions, one
    for each watcher, so that one who cannot be told keeps no other waiting."""
    today = day_in_washington(now())
    async with core.database.transaction(scope=installation("watched notices")) as session:
        is_importing = await jobs.owners_underway(session, ImportOpportunities.job_kind)
        until = None if is_importing else await watches.newest_version(session)
        due = await watches.list_due(session, until, today)
    for watcher in due:
        try:
            await _tell(core, watcher, until, today)
        except DatabaseAway:
            raise
        except Exception:
            log.exception("watches.not_told", account_id=str(watcher.account_id))


async def _tell(core: Core, watcher: Watcher, until: datetime | None, today: date) -> None:
    """Acts as the watcher, who is told only of what the watcher may see. Opens its own transactions."""
    try:
        scope = Scope(workspace_id=watcher.workspace_id, account_id=watcher.account_id)
        async with core.database.transaction(scope=scope) as session:
            actor = await _load_watcher(session, watcher.account_id, watcher.workspace_id)
            watched = await watches.lock_due(session, watcher, until, today)
            seen = await watches.new_versions(session, watcher, watched, until) if until else []
            soon = await watches.soon_due(session, watcher, watched, today)
            await _tell_all(session, actor, [*_changes(watched, seen), *_reminders(soon, today)])
            await watches.mark_told(session, watcher, watched, until, today)
    except (NotAllowed, NotFound):  # disabled, or no longer a member
        async with core.database.transaction(scope=installation("watched notices")) as session:
            await watches.skip(session, watcher, until, today)


class _Told(NamedTuple):
    """What a notification tells of a notice."""

    kind: NotificationKind
    opportunity_id: UUID
    details: dict[str, str]


def _changes(watched: Sequence[UUID], found: Sequence[Seen]) -> Iterator[_Told]:
    """One for each watch with changes, in the order of `watched`. A notice that two watches cover counts for the first one."""
    told: set[UUID] = set()
    for watched_id in watched:
        seen = [each for each in found if each.watched_id == watched_id and each.opportunity_id not in told]
        told.update(each.opportunity_id for each in seen)
        new = [each for each in seen if each.known is None]
        changes = [change for each in seen if each.known and (change := difference(Version(*each.known), Version(*each.current)))]
        if details := change_details(changes, [each.type for each in new]):
            yield _Told(WATCHED_CHANGED, new[-1].opportunity_id if new and not changes else watched_id, details)


def _reminders(due: Sequence[Due], today: date) -> Iterator[_Told]:
    """One for each due date of each watch."""
    told: set[tuple[UUID, date]] = set()
    for each in due:
        if (each.watched_id, each.due_on) not in told:
            told.add((each.watched_id, each.due_on))
            details = {"days": str((each.due_on - today).days), "day": each.due_on.isoformat()}
            yield _Told(WATCHED_DUE, each.opportunity_id, details)


async def _tell_all(session: AsyncSession, actor: Actor, told: Sequence[_Told]) -> None:
    """Tell the watcher, also of what an import of the watcher's own has changed: nobody knows all changes of a file."""
    rows = await service.rows_of(session, actor, list({each.opportunity_id for each in told})) if told else []
    opportunities = {row.id: row for row in rows}
    news = [
        notifications.News(each.kind, [actor.id], display_title(opportunity.title), service.path_of(opportunity), each.details)
        for each in told
        for opportunity in [opportunities[each.opportunity_id]]
    ]
    await notifications.notify_all(session, news, actor=None, workspace_id=actor.workspace_id)
