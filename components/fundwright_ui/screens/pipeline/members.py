"""The members of the workspace, as choices."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.paging import iterate_all
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import MemberQuery, MemberRead


async def list_members(session: AsyncSession, actor: Actor) -> list[MemberRead]:
    """Return all members, by name."""
    return [each async for each in iterate_all(lambda page: workspaces.list_members(session, actor, page), MemberQuery())]
