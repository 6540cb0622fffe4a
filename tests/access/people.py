"""People of each kind: users and administrators in their personal workspace, and members with each role in a workspace of someone
else."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import GRANTED, GRANTED_IN_WORKSPACE, Actor, Permission, Role, WorkspaceRole
from fundwright.core.assembly import Core
from tests.support.accounts import add_member

Kind = Role | WorkspaceRole
KINDS: tuple[Kind, ...] = (*Role, *WorkspaceRole)


def granted(kind: Kind) -> frozenset[Permission]:
    """The permissions; members are users."""
    return GRANTED_IN_WORKSPACE[kind] if isinstance(kind, WorkspaceRole) else GRANTED[kind]


async def add_person(session: AsyncSession, core: Core, kind: Kind, email: str) -> Actor:
    """A new account named Bob, with the samples in its personal workspace."""
    if isinstance(kind, WorkspaceRole):
        return await add_member(session, kind, email, name="Bob")
    return await accounts.create_account(session, core, email=email, name="Bob", role=kind, password=None)
