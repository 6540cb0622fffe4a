"""One-time secrets: links, handover codes, and challenges. Each is used by deleting its row."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import repository
from fundwright.authentication.models import OneTimeSecret
from fundwright.core import tokens
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t

_HANDOVER = timedelta(seconds=30)


class LinkSpent(FundwrightError):
    """A one-time link or code was used before, has expired, or was replaced by a newer one."""

    status = 410

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(t("{what} was already used or has expired. {next_step}", what=what, next_step=next_step))


async def new_handover(session: AsyncSession, account_id: UUID, *, remember: bool) -> str:
    return await new_secret(session, "handover", lasts=_HANDOVER, owner_id=account_id, remember=remember)


async def new_secret(
    session: AsyncSession,
    purpose: str,
    *,
    lasts: timedelta,
    owner_id: UUID | None = None,
    remember: bool = False,
    email: str | None = None,
) -> str:
    await repository.forget_expired_secrets(session)
    secret = tokens.new_secret()
    moment: datetime = now()
    session.add(
        OneTimeSecret(
            purpose=purpose,
            digest=tokens.digest(secret),
            owner_id=owner_id,
            remember=remember,
            email=email,
            created_at=moment,
            expires_at=moment + lasts,
        )
    )
    await session.flush()
    return secret


async def is_working(session: AsyncSession, purpose: str, secret: str) -> bool:
    return await repository.find_secret(session, purpose=purpose, digest=tokens.digest(secret)) is not None


async def use_up(session: AsyncSession, purpose: str, secret: str) -> bool:
    """Use the secret. Returns whether it worked; it is invalid afterward, and so are all others for this purpose."""
    used = await repository.use_secret(session, purpose=purpose, digest=tokens.digest(secret))
    if used is not None:
        await repository.use_all_secrets(session, purpose=purpose)
    return used is not None
