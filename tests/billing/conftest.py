"""An administrator, two members of a workspace, and the client's address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Client, Role, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, WorkspaceForm
from tests.support.accounts import add_account
from tests.support.polling import eventually

T = TypeVar("T")
HERE = Client(address="192.0.2.7")


@pytest.fixture
async def admin(session: AsyncSession) -> Actor:
    return await add_account(session, "admin@example.org", role=Role.ADMIN)


@pytest.fixture
async def boss(committed: Core) -> Actor:
    """An administrator in the committed database."""
    async with committed.database.transaction() as session:
        return await add_account(session, "boss@example.org", role=Role.ADMIN)


@pytest.fixture
async def ada(committed: Core) -> Actor:
    """An account in the committed database."""
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org")


async def do(core: Core, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    with acting_in(actor.scope):
        async with core.database.transaction() as session:
            return await work(session)


@pytest.fixture
async def harbor(committed: Core, ada: Actor) -> Actor:
    """Ada in a shared workspace, which she owns."""
    form = WorkspaceForm(name="Harbor")
    made = await do(committed, ada, lambda session: workspaces.create_workspace(session, ada, committed, form))
    return await do(committed, ada, lambda session: workspaces.actor_in(session, ada, made.id))


@pytest.fixture
async def bob(committed: Core, harbor: Actor) -> Actor:
    """An editor of the shared workspace."""
    async with committed.database.transaction() as session:
        bob = await add_account(session, "bob@example.org", name="Bob")
    form = InvitationForm(email=bob.email, role=WorkspaceRole.EDITOR)
    sent = await do(committed, harbor, lambda session: invitations.invite(session, harbor, committed, form))
    await do(committed, bob, lambda session: invitations.accept_link(session, bob, sent.link.rpartition("/")[2]))
    return await do(committed, bob, lambda session: workspaces.actor_in(session, bob, harbor.workspace_id))


_BLOCKED = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


async def at_once(
    core: Core, calls: Sequence[Callable[[AsyncSession], Awaitable[None]]], *, refused_with: type[Exception]
) -> int:
    """Return how many of these calls succeed if each commits only after all others have reached their commit, ended, or started
    to wait for a lock."""
    through = over = 0

    async def all_have_come() -> bool:
        async with core.database.transaction() as session:
            return through + over + (await session.scalar(_BLOCKED) or 0) >= len(calls)

    async def attempt(call: Callable[[AsyncSession], Awaitable[None]]) -> bool:
        nonlocal through, over
        try:
            async with core.database.transaction() as session:
                await call(session)
                through += 1
                await eventually(all_have_come)
            through -= 1
        except refused_with:
            return False
        finally:
            over += 1
        return True

    return sum(await asyncio.gather(*map(attempt, calls)))
