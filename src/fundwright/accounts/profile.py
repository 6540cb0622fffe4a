"""The profile of a person."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import AccountProfile, AccountUser, Actor, Permission, ProfileChange


@needs(Permission.READ)
async def get_profile(session: AsyncSession, actor: Actor) -> AccountProfile:
    return AccountProfile.model_validate(await service.get_account_by_id(session, actor.id))


@needs(Permission.READ)
async def change_profile(session: AsyncSession, actor: Actor, change: ProfileChange) -> AccountProfile:
    account = await service.get_account_by_id(session, actor.id)
    for name, value in change:
        setattr(account, name, None if value == "" else value)
    return AccountProfile.model_validate(account)


@needs(Permission.READ)
async def get_user(session: AsyncSession, actor: Actor) -> AccountUser:
    """The actor's own account in the specification's field names."""
    return AccountUser.model_validate(await service.get_account(session, actor.email))
