"""A workspace with members of each role, for tests of what a workspace owns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

T = TypeVar("T")


@dataclass(frozen=True)
class Team:
    """A workspace of Ada (owner), Bob (editor), Rae (reviewer), and Vic (viewer), and Eve outside of it, and the sample opportunities."""

    core: Core
    ada: Actor
    bob: Actor
    rae: Actor
    vic: Actor
    eve: Actor

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def opportunity_id(self) -> UUID:
        query = OpportunityQuery(kind="contract", sort="title")
        return (await self.do(self.ada, lambda session: opportunities.list_opportunities(session, self.ada, query))).items[0].id


async def team_of(core: Core, snapshots: Snapshots) -> Team:
    return Team(core, *await snapshots.of(core, _fill))


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        ada, bob, rae, vic, eve = [
            await add_account(session, f"{name}@example.org".lower(), name=name) for name in ("Ada", "Bob", "Rae", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Harbor", owner_id=ada.id)
        roles = {bob: WorkspaceRole.EDITOR, rae: WorkspaceRole.REVIEWER, vic: WorkspaceRole.VIEWER}
        for member, role in roles.items():
            await repository.add_member(session, workspace.id, member.id, role)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, rae, vic)], eve]
