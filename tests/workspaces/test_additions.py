"""How much can be added to a workspace of what has no quota of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.authentication import throttle
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.notes import service as notes
from fundwright.notes.schemas import NoteForm
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import PursuitForm
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import TaskForm
from fundwright.training import collecting
from fundwright.training.schemas import CollectionForm
from fundwright.workspaces import additions
from tests.support.snapshots import Snapshots
from tests.support.teams import Team, team_of

pytestmark = pytest.mark.security(53)


@pytest.fixture
async def team(committed: Core, snapshots: Snapshots) -> Team:
    return await team_of(committed, snapshots)


async def task(session: AsyncSession, actor: Actor, number: int) -> object:
    return await tasks.add_task(session, actor, TaskForm(title=f"Task {number}", key=f"task {number}"))


async def note(session: AsyncSession, actor: Actor, number: int) -> object:
    (first, *_) = (await opportunities.list_opportunities(session, actor, OpportunityQuery(sort="title"))).items
    return await notes.add_note(session, actor, NoteForm(text=f"Note {number}", key=f"note {number}", opportunity_id=first.id))


async def pursuit(session: AsyncSession, actor: Actor, number: int) -> object:
    listed = (await opportunities.list_opportunities(session, actor, OpportunityQuery(sort="title"))).items
    return await pipeline.add(session, actor, PursuitForm(opportunity_id=listed[number].id))


async def collection(session: AsyncSession, actor: Actor, number: int) -> object:
    return await collecting.create(session, actor, CollectionForm(name=f"Collection {number}"))


Add = Callable[[AsyncSession, Actor, int], Awaitable[object]]


@pytest.mark.parametrize(
    ("add", "refusal"),
    [
        (task, r"A workspace can have at most 2 tasks\. Delete some"),
        (note, r"A workspace can have at most 2 notes\. Delete some"),
        (pursuit, r"A workspace can pursue at most 2 opportunities\. Remove some"),
        (collection, r"A workspace can have at most 2 collections\. Delete some"),
    ],
)
async def test_a_workspace_has_a_limit(team: Team, monkeypatch: pytest.MonkeyPatch, add: Add, refusal: str) -> None:
    monkeypatch.setattr(additions, "MOST_ADDED", 2)
    for number in range(2):
        await team.do(team.ada, lambda session, number=number: add(session, team.ada, number))
    with pytest.raises(Conflict, match=refusal):
        await team.do(team.bob, lambda session: add(session, team.bob, 2))
    await team.do(team.eve, lambda session: add(session, team.eve, 0))


async def test_an_account_has_a_budget_for_all_of_them_in_all_workspaces(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(additions, "ADDED_BY_ONE", (throttle.Budget(4, timedelta(hours=1)),))
    for add in (task, note, pursuit, collection):
        await team.do(team.ada, lambda session, add=add: add(session, team.ada, 0))
    await team.do(team.ada, lambda session: task(session, team.ada, 0))  # repeated by the browser
    for add in (task, note, pursuit, collection):
        with pytest.raises(throttle.OverBudget, match=r"added too much.* Try again in \d+ minutes\."):
            await team.do(team.ada, lambda session, add=add: add(session, team.ada, 1))
    await team.do(team.bob, lambda session: task(session, team.bob, 1))
