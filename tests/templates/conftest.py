from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.templates import service
from fundwright.templates.schemas import NewCopy, NewTemplate, TemplateQuery, TemplateRead, TemplateSave
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

T = TypeVar("T")

RECORD = {"heading": "Record", "questions": [{"ask": "What is our safety record?"}], "words": 200}


@dataclass(frozen=True)
class Office:
    """A workspace of Ada (owner), Bob (editor), and Vic (viewer), and Eve outside of it."""

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

    async def create(self, actor: Actor | None = None, title: str = "Safety plan", **content: object) -> TemplateRead:
        maker = actor or self.ada
        new = NewTemplate.model_validate({"title": title, "sections": [RECORD], **content})
        return await self.do(maker, lambda session: service.create(session, maker, self.core, new))

    async def copy(self, name: str, actor: Actor | None = None, **new: str) -> TemplateRead:
        maker = actor or self.ada
        wanted = NewCopy.model_validate(new)
        return await self.do(maker, lambda session: service.duplicate(session, maker, self.core, name, wanted))

    async def read(self, actor: Actor, name: str) -> TemplateRead:
        return await self.do(actor, lambda session: service.get_template(session, actor, self.core, name))

    async def save(self, actor: Actor, template: TemplateRead, **changes: object) -> TemplateRead:
        """Save `template`, as it was read, with changes."""
        given = TemplateSave.model_validate({**template.content.model_dump(), "based_on": template.changed_at, **changes})
        return await self.do(actor, lambda session: service.save(session, actor, self.core, template.id, given))

    async def delete(self, actor: Actor, template: TemplateRead) -> None:
        await self.do(actor, lambda session: service.delete(session, actor, template.id))

    async def titles(self, actor: Actor, **query: object) -> list[str]:
        wanted = TemplateQuery.model_validate(query)
        listed = await self.do(actor, lambda session: service.list_templates(session, actor, self.core, wanted))
        return [row.title for row in listed.items]


@pytest.fixture
async def office(committed: Core, snapshots: Snapshots) -> Office:
    return Office(committed, *await snapshots.of(committed, _fill))


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Office", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)], eve]
