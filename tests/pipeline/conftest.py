from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow
from fundwright.pipeline import service
from fundwright.pipeline.schemas import (
    PipelineQuery,
    PursuitChange,
    PursuitContent,
    PursuitDetails,
    PursuitForm,
    PursuitRead,
    Stage,
    StageChange,
)
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
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
    notices: list[OpportunityRow]

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def add(self, actor: Actor | None = None, notice: int = 0, **given: object) -> PursuitDetails:
        form = PursuitForm.model_validate({"opportunity_id": self.notices[notice].id, **given})
        adder = actor or self.ada
        return await self.do(adder, lambda session: service.add(session, adder, form))

    async def move(self, pursuit: PursuitRead, stage: Stage, reason: str = "", *, actor: Actor | None = None) -> PursuitDetails:
        change = StageChange(stage=stage, reason=reason, based_on=pursuit.revision)
        mover = actor or self.ada
        return await self.do(mover, lambda session: service.move(session, mover, pursuit.id, change))

    async def change(self, pursuit: PursuitRead, *, actor: Actor | None = None, **given: object) -> PursuitDetails:
        content = {
            "lead_id": pursuit.lead.id if pursuit.lead else None,
            **pursuit.model_dump(include=set(PursuitContent.model_fields) - {"lead_id"}),
        }
        change = PursuitChange.model_validate({**content, "based_on": pursuit.revision, **given})
        changer = actor or self.ada
        return await self.do(changer, lambda session: service.change(session, changer, pursuit.id, change))

    async def remove(self, pursuit: PursuitRead, actor: Actor | None = None) -> None:
        remover = actor or self.ada
        await self.do(remover, lambda session: service.remove(session, remover, pursuit.id))

    async def get(self, pursuit_id: UUID, actor: Actor | None = None) -> PursuitDetails:
        reader = actor or self.ada
        return await self.do(reader, lambda session: service.get_pursuit(session, reader, pursuit_id))

    async def listed(self, reader: Actor | None = None, **query: object) -> list[PursuitRead]:
        wanted, reader = PipelineQuery.model_validate(query), reader or self.ada
        return (await self.do(reader, lambda session: service.list_pursuits(session, reader, wanted))).items

    async def run(self, statement: str, **values: object) -> None:
        async with self.core.database.transaction() as session:
            await session.execute(text(statement), values)


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> Harbor:
    actors = list(await snapshots.of(committed, _fill))
    async with committed.database.transaction() as session:
        notices = await opportunities.list_opportunities(session, actors[0], OpportunityQuery(sort="due", page_size=10))
    return Harbor(committed, *actors, notices=notices.items)


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        await session.execute(text("UPDATE opportunity SET is_sample = false"))
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Harbor", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)], eve]
