"""Accounts and their actors."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, Role, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.opportunities import service as opportunities
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces


async def add_account(
    session: AsyncSession,
    email: str | None = None,
    *,
    name: str = "Ada Example",
    role: Role = Role.USER,
    password: str | None = None,
) -> Actor:
    """An account with a verified address, by default a unique one."""
    if email is None:
        email = f"{uuid4().hex[:10]}@example.org"
    return await accounts.add_account(session, email=email, name=name, role=role, password=password)


async def add_member(session: AsyncSession, role: WorkspaceRole, email: str | None = None, *, name: str = "Ada Example") -> Actor:
    """A new user in a workspace of someone else, which is the last used one, with this role there."""
    owner, member = await add_account(session, name="Olga Owner"), await add_account(session, email, name=name)
    workspace = await repository.add(session, name="Harbor", owner_id=owner.id)
    await repository.add_member(session, workspace.id, member.id, role)
    await workspaces.use_workspace(session, member, workspace.id)
    return await workspaces.actor_in(session, member, workspace.id)


async def account_and_samples(core: Core) -> Actor:
    """An account in an installation that has the sample notices."""
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        return await add_account(session)


async def count_audited(session: AsyncSession, action: str) -> int:
    """How often the audit trail has this action."""
    return await session.scalar(select(func.count()).select_from(AuditEntry).where(AuditEntry.action == action)) or 0
