"""Watching notices. A watch of a notice covers all notices of its kind that have its number."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs, refuse_support
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import number, t
from fundwright.opportunities.repository import listing, watches
from fundwright.opportunities.schemas import WatchRead
from fundwright.opportunities.washington import day_in_washington
from fundwright.workspaces import service as workspaces

MOST_WATCHED = 2_000
"""Notices that a member watches in a workspace."""


class TooManyWatched(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "You can watch at most {most} opportunities. Stop watching some that you no longer need.",
                most=number(MOST_WATCHED),
            )
        )


def watches_topic(workspace_id: UUID) -> str:
    """The live topic of who watches what in the workspace."""
    return f"watches:{workspace_id}"


def own_watches_topic(workspace_id: UUID, account_id: UUID) -> str:
    """The live topic of what the account watches in the workspace."""
    return f"watches:{workspace_id}:{account_id}"


async def _announce(session: AsyncSession, actor: Actor) -> None:
    await publish(session, watches_topic(actor.workspace_id))
    await publish(session, own_watches_topic(actor.workspace_id, actor.id))


@needs(Permission.READ)
async def get_watch(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> WatchRead:
    """Return who watches a notice. Raises NotFound."""
    await _check_exists(session, opportunity_id)
    watchers = await watches.watchers_of(session, actor.workspace_id, opportunity_id)
    names = await workspaces.names_of(session, actor, watchers)
    return WatchRead(is_watched=actor.id in watchers, others=[names[id] for id in watchers if id != actor.id and id in names])


@needs(Permission.READ)
async def watch(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> WatchRead:
    """Tell the actor of changes and due dates of a notice and of its solicitation from now on. Raises NotFound, TooManyWatched, or
    NotAllowed for an administrator with support access."""
    await _check_exists(session, opportunity_id)
    await watch_all(session, actor, [opportunity_id])
    return await get_watch(session, actor, opportunity_id)


@needs(Permission.READ)
async def watch_all(session: AsyncSession, actor: Actor, opportunity_ids: Collection[UUID]) -> list[UUID]:
    """Like `watch` for several notices, of which those are skipped that no longer exist or that the actor watches already. Return the
    others."""
    refuse_support(actor)
    # No two requests add watches of the same solicitation, or more than the limit.
    await acquire_lock(session, f"watches of {actor.id} in {actor.workspace_id}")
    added: list[UUID] = []
    for id in await listing.lock_existing(session, opportunity_ids):
        if not await watches.watched_among(session, actor.workspace_id, actor.id, [id]):
            await watches.add(session, actor.workspace_id, actor.id, id, now=now(), today=day_in_washington(now()))
            added.append(id)
    if await watches.count(session, actor.workspace_id, actor.id) > MOST_WATCHED:
        raise TooManyWatched
    if added:
        await _announce(session, actor)
    return added


@needs(Permission.READ)
async def unwatch(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> WatchRead:
    """No longer tell the actor of a notice and of its solicitation. Raises NotFound, or NotAllowed for an administrator with support
    access."""
    await _check_exists(session, opportunity_id)
    await unwatch_all(session, actor, [opportunity_id])
    return await get_watch(session, actor, opportunity_id)


@needs(Permission.READ)
async def unwatch_all(session: AsyncSession, actor: Actor, opportunity_ids: Collection[UUID]) -> None:
    """Like `unwatch` for several notices."""
    refuse_support(actor)
    for id in opportunity_ids:
        await watches.remove(session, actor.workspace_id, actor.id, id)
    await _announce(session, actor)


async def _check_exists(session: AsyncSession, opportunity_id: UUID) -> None:
    if not await listing.is_known(session, opportunity_id):
        raise NotFound(t("The opportunity"))
