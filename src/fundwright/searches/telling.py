"""Tells those who follow a saved search of its new matches, once. A worker may be killed at any moment: a follower counts as told in the
transaction that adds the notification."""

from __future__ import annotations

from datetime import datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway, NotAllowed, NotFound
from fundwright.core.scopes import Scope, installation
from fundwright.notifications import service as notifications
from fundwright.opportunities import service as opportunities
from fundwright.searches import repository, service
from fundwright.searches.events import MOST_COUNTED, NEW_MATCHES
from fundwright.searches.repository import Follower

log = structlog.get_logger()

_load_follower = acting_with(Permission.READ)


async def tell_new(core: Core) -> None:
    """Tell all followers of new matches, as soon as new notices have been imported, indexed, and sorted into their categories. Opens its
    own transactions, one for each follower."""
    async with core.database.transaction(scope=installation("matches of saved searches")) as session:
        newest = await opportunities.settled_until(session)
        if newest is None:
            return
        due = await repository.list_due(session, newest, await opportunities.categorizing_workspaces(session))
    for follower in due:
        try:
            await _tell(core, follower, newest)
        except DatabaseAway:
            raise
        except Exception:
            log.exception("searches.not_told", account_id=str(follower.account_id))


async def _tell(core: Core, follower: Follower, newest: datetime) -> None:
    """Acts as the follower, who is told only of what the follower may see. Opens its own transactions."""
    try:
        scope = Scope(workspace_id=follower.workspace_id, account_id=follower.account_id)
        async with core.database.transaction(scope=scope) as session:
            await _tell_new_matches(session, follower, newest)
    except (NotAllowed, NotFound):
        async with core.database.transaction(scope=installation("matches of saved searches")) as session:
            await repository.skip(session, follower, newest)


async def _tell_new_matches(session: AsyncSession, follower: Follower, newest: datetime) -> None:
    """Raises NotAllowed or NotFound if the follower is disabled or no longer a member."""
    actor = await _load_follower(session, follower.account_id, follower.workspace_id)
    for search, reader in await repository.lock_due(session, follower, newest):
        search_id, since = search.id, reader.told_until
        try:
            async with session.begin_nested():  # a search that cannot be counted delays no other one
                unknown = service.query_of(search).model_copy(update={"added_after": since})
                number = await opportunities.count_matching(session, actor, unknown, until=newest, limit=MOST_COUNTED + 1)
                if number:
                    await notifications.notify(
                        session,
                        NEW_MATCHES,
                        [follower.account_id],
                        actor=None,
                        workspace_id=follower.workspace_id,
                        subject=search.name,
                        path=service.path_of(search, added_after=since.isoformat()),
                        details={"number": str(number)},
                    )
                reader.told_until = newest
        except DatabaseAway:
            raise
        except Exception:
            log.exception("searches.not_counted", search_id=str(search_id))
