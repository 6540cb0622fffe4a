"""The first administrator of an installation, created through a link that is printed when it starts without accounts."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Client, Role
from fundwright.authentication import one_time_secrets
from fundwright.core.assembly import Core
from fundwright.core.messages import t

_FIRST_ADMIN_LINK = timedelta(days=1)


async def first_admin_link(session: AsyncSession) -> str | None:
    """Return the path of a page that creates the first administrator, once, within a day; None if there is an account."""
    if await accounts.has_accounts(session):
        return None
    return f"/auth/first-admin/{await one_time_secrets.new_secret(session, 'first_admin', lasts=_FIRST_ADMIN_LINK)}"


async def is_first_admin_link(session: AsyncSession, secret: str) -> bool:
    """Whether the link still works."""
    return await one_time_secrets.is_working(session, "first_admin", secret) and not await accounts.has_accounts(session)


async def create_first_admin(
    session: AsyncSession, core: Core, *, secret: str, email: str, name: str, password: str, client: Client
) -> str:
    """Create the first administrator and return a handover code. Raises LinkSpent, Invalid, or WeakPassword."""
    if not await one_time_secrets.use_up(session, "first_admin", secret) or await accounts.has_accounts(session):
        raise one_time_secrets.LinkSpent(
            t("This link"), t("Sign in. If there is no account yet, restart Fundwright to get a new link.")
        )
    actor = await accounts.create_account(
        session, core, email=email, name=name, role=Role.ADMIN, password=password, client=client
    )
    return await one_time_secrets.new_handover(session, actor.id, remember=True)
