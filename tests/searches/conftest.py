from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.opportunities import service as opportunities
from fundwright.searches import service
from fundwright.searches.schemas import SavedSearchForm, SavedSearchQuery, SavedSearchRead
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import ChosenMember, RestrictionForm
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

T = TypeVar("T")


@dataclass(frozen=True)
class Harbor:
    """A workspace of Ada (owner), Bob (editor), and Vic (viewer), and Eve outside of it; there are notices that are no samples."""

    core: Core
    ada: Actor
    bob: Actor
    vic: Actor
    eve: Actor

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def save(self, actor: Actor | None = None, name: str = "Cloud", **query: object) -> SavedSearchRead:
        form = SavedSearchForm.model_validate({"name": name, "query": {"kind": "contract", **query}})
        saver = actor or self.ada
        return await self.do(saver, lambda session: service.save(session, saver, form))

    async def listed(self, actor: Actor, **query: object) -> list[SavedSearchRead]:
        wanted = SavedSearchQuery.model_validate(query)
        return (await self.do(actor, lambda session: service.list_searches(session, actor, wanted))).items

    async def restrict(self, search: SavedSearchRead, *members: ChosenMember) -> None:
        form = RestrictionForm(members=members)
        await self.do(self.ada, lambda session: service.restrict(session, self.ada, self.core, search.id, form))

    async def arrive(self, *words: str) -> None:
        """Import the notices anew that have one of these words in their titles."""
        async with self.core.database.transaction() as session:
            for word in words:
                await session.execute(
                    text("UPDATE opportunity SET first_seen_at = clock_timestamp() WHERE title ILIKE :word"),
                    {"word": f"%{word}%"},
                )


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> Harbor:
    return Harbor(committed, *await snapshots.of(committed, _fill))


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        await session.execute(text("UPDATE opportunity SET is_sample = false, first_seen_at = '2026-01-01'"))
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Harbor", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)], eve]
