"""All queries of access."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access.models import Invitation
from fundwright.access.schemas import InvitationQuery, InvitationState
from fundwright.accounts.models import Account
from fundwright.core.database import now
from fundwright.core.lists import contains, count_all, ordered_by


def _working(digest: str) -> tuple[ColumnElement[bool], ...]:
    return (
        Invitation.digest == digest,
        Invitation.used_at.is_(None),
        Invitation.revoked_at.is_(None),
        Invitation.expires_at > now(),
    )


async def find_invitation(session: AsyncSession, digest: str) -> Invitation | None:
    return await session.scalar(select(Invitation).where(*_working(digest)))


async def use_invitation(session: AsyncSession, digest: str) -> Invitation | None:
    """Mark it as used. Of two simultaneous uses, one succeeds."""
    return await session.scalar(update(Invitation).where(*_working(digest)).values(used_at=now()).returning(Invitation))


async def revoke_invitations(session: AsyncSession, email: str) -> None:
    """The unused invitations of this address."""
    await session.execute(
        update(Invitation).where(Invitation.email == email, Invitation.used_at.is_(None)).values(revoked_at=now())
    )


async def revoke_invitations_from(session: AsyncSession, sender_id: UUID) -> None:
    """Revoke the unused invitations that this account has sent."""
    sent = update(Invitation).where(Invitation.invited_by == sender_id, Invitation.used_at.is_(None))
    await session.execute(sent.values(revoked_at=func.coalesce(Invitation.revoked_at, now())))


async def delete_invitations(session: AsyncSession, email: str) -> None:
    await session.execute(delete(Invitation).where(Invitation.email == email))


async def withdraw_invitation(session: AsyncSession, invitation_id: UUID) -> Invitation | None:
    """Returns None when the invitation was accepted or does not exist. Of simultaneous acceptance and withdrawal, one succeeds."""
    unused = update(Invitation).where(Invitation.id == invitation_id, Invitation.used_at.is_(None))
    return await session.scalar(unused.values(revoked_at=func.coalesce(Invitation.revoked_at, now())).returning(Invitation))


async def renew_invitation(session: AsyncSession, invitation_id: UUID, **values: Any) -> Invitation | None:
    """Change an invitation that is neither used nor withdrawn; None if there is none."""
    unused = update(Invitation).where(
        Invitation.id == invitation_id, Invitation.used_at.is_(None), Invitation.revoked_at.is_(None)
    )
    return await session.scalar(unused.values(**values).returning(Invitation))


async def page_of_invitations(session: AsyncSession, query: InvitationQuery) -> tuple[list[tuple[Invitation, str | None]], int]:
    """Invitations, each with the email of the account that sent it, and their total."""
    found = select(Invitation, Account.email).outerjoin(Account, Account.id == Invitation.invited_by)
    if query.text:
        found = found.where(contains(query.text, Invitation.email))
    if query.state is not None:
        is_used, is_withdrawn = Invitation.used_at.is_not(None), Invitation.revoked_at.is_not(None)
        is_valid = Invitation.expires_at > now()
        found = found.where({
            InvitationState.ACCEPTED: is_used,
            InvitationState.WITHDRAWN: ~is_used & is_withdrawn,
            InvitationState.EXPIRED: ~is_used & ~is_withdrawn & ~is_valid,
            InvitationState.PENDING: ~is_used & ~is_withdrawn & is_valid,
        }[query.state])  # fmt: skip
    columns = {
        "email": Invitation.email, "role": Invitation.role, "created_at": Invitation.created_at,
        "expires_at": Invitation.expires_at,
    }  # fmt: skip
    total = await count_all(session, found)
    ordered = found.order_by(ordered_by(query, columns, default=Invitation.created_at.desc()), Invitation.id)
    rows = await session.execute(ordered.offset(query.offset).limit(query.page_size))
    return [(invitation, inviter) for invitation, inviter in rows], total
