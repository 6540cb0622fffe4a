"""Operations on access for the command line only. They check no permission: anyone who can open the data folder has
full access."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import account_changes, first_admin, invitations
from fundwright.accounts.schemas import COMMAND_LINE, AccountRead, Role
from fundwright.core.assembly import Core


async def invite(session: AsyncSession, core: Core, *, email: str, role: Role) -> str:
    """Send an invitation and return its link, which the operator may also pass on. Raises Invalid or EmailTaken."""
    _, link = await invitations.add_invitation(session, core, email=email, role=role, inviter=None, client=COMMAND_LINE)
    return link


async def disable_account(session: AsyncSession, core: Core, *, email: str) -> AccountRead:
    return await account_changes.disable_account(session, core, email=email, client=COMMAND_LINE, by=None)


async def enable_account(session: AsyncSession, core: Core, *, email: str) -> AccountRead:
    return await account_changes.enable_account(session, core, email=email, client=COMMAND_LINE, by=None)


async def change_role(session: AsyncSession, core: Core, *, email: str, role: Role) -> AccountRead:
    return await account_changes.change_role(session, core, email=email, role=role, client=COMMAND_LINE, by=None)


async def first_admin_link(session: AsyncSession) -> str | None:
    """Return the path of a page that creates the first administrator, once, within a day; None if there is an account."""
    return await first_admin.first_admin_link(session)
