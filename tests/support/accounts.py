"""Accounts and their actors."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Role


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
