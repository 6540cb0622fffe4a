"""All queries of authentication."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import Account
from fundwright.authentication.models import (
    AccountSession,
    ApiToken,
    KnownDevice,
    OneTimeSecret,
    Passkey,
    RecoveryCode,
    SecondFactor,
    SignInThrottle,
)
from fundwright.core.database import now
from fundwright.core.lists import count_all, ordered_by
from fundwright.core.paging import PageRequest

Row = TypeVar("Row")


_KEEP_ENDED_SESSIONS = timedelta(days=30)


async def find_live_session(session: AsyncSession, session_id: UUID) -> tuple[AccountSession, Account] | None:
    """The session and its account, unless it has ended, expired, or been idle for too long, or the account is disabled."""
    row = (
        await session.execute(
            select(AccountSession, Account)
            .join(Account, Account.id == AccountSession.owner_id)
            .where(AccountSession.id == session_id, *_live(), Account.disabled_at.is_(None))
            .execution_options(populate_existing=True)
        )
    ).one_or_none()
    return None if row is None else (row[0], row[1])


def _live() -> tuple[ColumnElement[bool], ...]:
    moment = now()
    return (
        AccountSession.ended_at.is_(None),
        AccountSession.expires_at > moment,
        AccountSession.last_used_at + AccountSession.idle_limit > moment,
    )


async def touch_session(session: AsyncSession, session_id: UUID, *, moment: datetime) -> None:
    await session.execute(update(AccountSession).where(AccountSession.id == session_id).values(last_used_at=moment))


async def advance_session(session: AsyncSession, session_id: UUID, *, generation: int, moment: datetime) -> None:
    """Record the first use of a newer token. Of two simultaneous uses, one is recorded."""
    query = update(AccountSession).where(AccountSession.id == session_id, AccountSession.generation < generation)
    await session.execute(query.values(generation=generation, superseded_at=moment))


async def page_of_live_sessions(
    session: AsyncSession, owner_id: UUID, request: PageRequest
) -> tuple[Sequence[AccountSession], int]:
    order = ordered_by(request, {"created_at": AccountSession.created_at}, default=AccountSession.last_used_at.desc())
    found = select(AccountSession).where(AccountSession.owner_id == owner_id, *_live())
    return await _page(session, found.order_by(order, AccountSession.id), request)


async def list_live_session_ids(session: AsyncSession, owner_ids: Collection[UUID]) -> Sequence[UUID]:
    return (await session.scalars(select(AccountSession.id).where(AccountSession.owner_id.in_(owner_ids), *_live()))).all()


async def end_sessions(
    session: AsyncSession, owner_id: UUID, *, only: UUID | None = None, but: UUID | None = None
) -> Sequence[UUID]:
    """End all sessions of an account, one of them, or all but one; return the ids of those that were open."""
    query = update(AccountSession).where(AccountSession.owner_id == owner_id, AccountSession.ended_at.is_(None))
    if only is not None:
        query = query.where(AccountSession.id == only)
    if but is not None:
        query = query.where(AccountSession.id != but)
    return (await session.scalars(query.values(ended_at=now()).returning(AccountSession.id))).all()


async def forget_old_sessions(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(
        delete(AccountSession).where(
            AccountSession.owner_id == owner_id, AccountSession.expires_at < now() - _KEEP_ENDED_SESSIONS
        )
    )


async def mark_reauthenticated(session: AsyncSession, session_id: UUID, owner_id: UUID, *, until: datetime) -> bool:
    """Record a re-authentication. Returns False when the session is no longer live."""
    own = update(AccountSession).where(AccountSession.id == session_id, *_live_of(owner_id))
    return await session.scalar(own.values(reauthenticated_until=until).returning(AccountSession.id)) is not None


async def find_reauthenticated_until(session: AsyncSession, session_id: UUID, owner_id: UUID) -> datetime | None:
    """Until when the last authentication counts as recent, or None when the session is no longer live."""
    query = select(AccountSession.reauthenticated_until).where(AccountSession.id == session_id, *_live_of(owner_id))
    return await session.scalar(query)


async def require_reauthentication(session: AsyncSession, owner_id: UUID, *, but: UUID | None) -> None:
    """Require re-authentication in every session of the account except `but`."""
    query = update(AccountSession).where(AccountSession.owner_id == owner_id, AccountSession.id.is_distinct_from(but))
    await session.execute(query.values(reauthenticated_until=now()))


def _live_of(owner_id: UUID) -> tuple[ColumnElement[bool], ...]:
    is_open = select(Account.id).where(Account.id == owner_id, Account.disabled_at.is_(None)).exists()
    return (AccountSession.owner_id == owner_id, is_open, *_live())


async def find_known_device(session: AsyncSession, email: str, digest: str) -> UUID | None:
    """The id of the known device, if it belongs to the account with this email."""
    query = select(KnownDevice.id).join(Account, Account.id == KnownDevice.owner_id)
    return await session.scalar(query.where(Account.email == email, KnownDevice.digest == digest, KnownDevice.expires_at > now()))


async def add_known_device(
    session: AsyncSession, owner_id: UUID, *, digest: str, replaces: str, expires_at: datetime, limit: int
) -> None:
    """Add a known device, or replace the one with the digest `replaces` for every account on the device. Only the `limit` most
    recently used devices of the account stay known."""
    if replaces:
        await session.execute(update(KnownDevice).where(KnownDevice.digest == replaces).values(digest=digest))
    fresh = {"signed_in_at": now(), "expires_at": expires_at}
    query = insert(KnownDevice).values(id=uuid4(), owner_id=owner_id, digest=digest, **fresh)
    await session.execute(query.on_conflict_do_update(index_elements=["digest", "owner_id"], set_=fresh))
    kept = select(KnownDevice.id).where(KnownDevice.owner_id == owner_id, KnownDevice.expires_at > now())
    kept = kept.order_by(KnownDevice.signed_in_at.desc(), KnownDevice.id).limit(limit)
    await session.execute(delete(KnownDevice).where(KnownDevice.owner_id == owner_id, KnownDevice.id.not_in(kept)))


async def forget_known_devices(session: AsyncSession, owner_id: UUID, *, but: str = "") -> None:
    """Forget all devices of the account, except the one with the digest `but`."""
    await session.execute(delete(KnownDevice).where(KnownDevice.owner_id == owner_id, KnownDevice.digest != but))


async def find_second_factor(session: AsyncSession, owner_id: UUID) -> SecondFactor | None:
    return await session.scalar(select(SecondFactor).where(SecondFactor.owner_id == owner_id))


async def has_second_factor(session: AsyncSession, owner_id: UUID) -> bool:
    query = select(SecondFactor.id).where(SecondFactor.owner_id == owner_id, SecondFactor.confirmed_at.is_not(None))
    return await session.scalar(query) is not None


async def begin_second_factor(session: AsyncSession, owner_id: UUID) -> UUID | None:
    """A new authenticator that waits to be confirmed, replacing an unconfirmed one; None if there is a confirmed one."""
    fresh = {"id": uuid4(), "created_at": now(), "last_step": 0}
    query = insert(SecondFactor).values(owner_id=owner_id, **fresh)
    waits = SecondFactor.confirmed_at.is_(None)
    query = query.on_conflict_do_update(index_elements=["owner_id"], set_=fresh, where=waits)
    return await session.scalar(query.returning(SecondFactor.id))


async def take_step(session: AsyncSession, factor_id: UUID, step: int) -> bool:
    """Whether this time step was unused until now; of two simultaneous uses, one succeeds."""
    query = update(SecondFactor).where(SecondFactor.id == factor_id, SecondFactor.last_step < step).values(last_step=step)
    return await session.scalar(query.returning(SecondFactor.id)) is not None


async def forget_second_factor(session: AsyncSession, owner_id: UUID) -> bool:
    """Remove the authenticator app with its recovery codes; return whether it was confirmed."""
    await forget_recovery_codes(session, owner_id)
    query = delete(SecondFactor).where(SecondFactor.owner_id == owner_id)
    return await session.scalar(query.returning(SecondFactor.confirmed_at)) is not None


async def forget_recovery_codes(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(delete(RecoveryCode).where(RecoveryCode.owner_id == owner_id))


async def use_recovery_code(session: AsyncSession, owner_id: UUID, digest: str) -> bool:
    """Delete the recovery code; of two simultaneous uses, one succeeds."""
    query = delete(RecoveryCode).where(RecoveryCode.owner_id == owner_id, RecoveryCode.digest == digest)
    return await session.scalar(query.returning(RecoveryCode.id)) is not None


async def count_recovery_codes(session: AsyncSession, owner_id: UUID) -> int:
    query = select(func.count()).select_from(RecoveryCode).where(RecoveryCode.owner_id == owner_id)
    return await session.scalar(query) or 0


async def list_passkeys(session: AsyncSession, owner_id: UUID) -> Sequence[Passkey]:
    query = select(Passkey).where(Passkey.owner_id == owner_id).order_by(Passkey.created_at, Passkey.id)
    return (await session.scalars(query)).all()


async def find_passkey(session: AsyncSession, credential_id: bytes) -> Passkey | None:
    """Lock the passkey until the transaction ends, because its counter is about to change."""
    return await session.scalar(select(Passkey).where(Passkey.credential_id == credential_id).with_for_update())


async def add_passkey(
    session: AsyncSession, *, owner_id: UUID, name: str, credential_id: bytes, public_key: bytes, sign_count: int
) -> Passkey | None:
    """The new passkey, or None if someone already has it."""
    query = insert(Passkey).values(
        owner_id=owner_id, name=name, credential_id=credential_id, public_key=public_key, sign_count=sign_count
    )
    return await session.scalar(query.on_conflict_do_nothing(index_elements=["credential_id"]).returning(Passkey))


async def forget_passkeys(session: AsyncSession, owner_id: UUID, *, only: UUID | None = None) -> Sequence[str]:
    """Remove all passkeys of an account, or one of them; return their names."""
    query = delete(Passkey).where(Passkey.owner_id == owner_id)
    if only is not None:
        query = query.where(Passkey.id == only)
    return (await session.scalars(query.returning(Passkey.name))).all()


async def forget_expired_secrets(session: AsyncSession) -> None:
    expired = select(OneTimeSecret.id).where(OneTimeSecret.expires_at < now()).with_for_update(skip_locked=True)
    await session.execute(delete(OneTimeSecret).where(OneTimeSecret.id.in_(expired)))


async def forget_secrets(session: AsyncSession, *, owner_id: UUID, purpose: str | None = None) -> None:
    """Delete the secrets of the account for one purpose, or all."""
    query = delete(OneTimeSecret).where(OneTimeSecret.owner_id == owner_id)
    if purpose is not None:
        query = query.where(OneTimeSecret.purpose == purpose)
    await session.execute(query)


async def find_secret(session: AsyncSession, *, purpose: str, digest: str) -> OneTimeSecret | None:
    return await session.scalar(
        select(OneTimeSecret).where(
            OneTimeSecret.purpose == purpose, OneTimeSecret.digest == digest, OneTimeSecret.expires_at > now()
        )
    )


async def use_secret(session: AsyncSession, *, purpose: str, digest: str) -> OneTimeSecret | None:
    """Delete the secret from the table; of two simultaneous uses, one succeeds."""
    return await session.scalar(
        delete(OneTimeSecret)
        .where(OneTimeSecret.purpose == purpose, OneTimeSecret.digest == digest, OneTimeSecret.expires_at > now())
        .returning(OneTimeSecret)
    )


async def use_all_secrets(session: AsyncSession, *, purpose: str) -> None:
    await session.execute(delete(OneTimeSecret).where(OneTimeSecret.purpose == purpose))


async def find_live_api_token(session: AsyncSession, digest: str) -> tuple[ApiToken, Account] | None:
    row = (
        await session.execute(
            select(ApiToken, Account)
            .join(Account, Account.id == ApiToken.owner_id)
            .where(
                ApiToken.digest == digest,
                ApiToken.revoked_at.is_(None),
                ApiToken.expires_at > now(),
                Account.disabled_at.is_(None),
            )
        )
    ).one_or_none()
    return None if row is None else (row[0], row[1])


async def count_live_api_tokens(session: AsyncSession, owner_id: UUID) -> int:
    live = ApiToken.owner_id == owner_id, ApiToken.revoked_at.is_(None), ApiToken.expires_at > now()
    return await count_all(session, select(ApiToken.id).where(*live))


async def page_of_api_tokens(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[Sequence[ApiToken], int]:
    columns = {"name": ApiToken.name, "expires_at": ApiToken.expires_at, "last_used_at": ApiToken.last_used_at}
    order = ordered_by(request, columns, default=ApiToken.created_at.desc())
    found = select(ApiToken).where(ApiToken.owner_id == owner_id)
    return await _page(session, found.order_by(order, ApiToken.id), request)


async def find_api_token(session: AsyncSession, owner_id: UUID, token_id: UUID) -> ApiToken | None:
    return await session.scalar(select(ApiToken).where(ApiToken.owner_id == owner_id, ApiToken.id == token_id))


async def revoke_api_tokens(session: AsyncSession, owner_id: UUID) -> Sequence[str]:
    """Revoke the valid tokens of an account; returns their names."""
    live = ApiToken.owner_id == owner_id, ApiToken.revoked_at.is_(None), ApiToken.expires_at > now()
    return (await session.scalars(update(ApiToken).where(*live).values(revoked_at=now()).returning(ApiToken.name))).all()


async def list_throttles(session: AsyncSession, subjects: Sequence[str]) -> Sequence[SignInThrottle]:
    return (await session.scalars(select(SignInThrottle).where(SignInThrottle.subject.in_(subjects)))).all()


async def count_refused(session: AsyncSession, subjects: Sequence[str]) -> int:
    """Count an attempt that a ban of one of these subjects refuses; returns how many it has refused."""
    query = (
        update(SignInThrottle)
        .where(SignInThrottle.subject.in_(subjects), SignInThrottle.banned_until > now())
        .values(refused=SignInThrottle.refused + 1)
        .returning(SignInThrottle.refused)
    )
    return max((await session.scalars(query)).all(), default=1)


async def lock_throttle(session: AsyncSession, subject: str, *, window: timedelta) -> SignInThrottle:
    """The counter of this subject, created if missing, locked until the transaction ends."""
    ends_at = now() + window
    query = (
        insert(SignInThrottle)
        .values(subject=subject, failures=0, window_ends_at=ends_at, forget_at=ends_at)
        .on_conflict_do_update(index_elements=["subject"], set_={"forget_at": func.greatest(SignInThrottle.forget_at, ends_at)})
        .returning(SignInThrottle)
    )
    throttle = await session.scalar(query, execution_options={"populate_existing": True})
    assert throttle is not None
    return throttle


async def forget_old_throttles(session: AsyncSession) -> None:
    old = select(SignInThrottle.subject).where(SignInThrottle.forget_at < now()).with_for_update(skip_locked=True).limit(100)
    await session.execute(delete(SignInThrottle).where(SignInThrottle.subject.in_(old)))


async def _page(session: AsyncSession, found: Select[Row], request: PageRequest) -> tuple[Sequence[Row], int]:
    """One page of the query's results in its order, and their total."""
    rows = await session.scalars(found.offset(request.offset).limit(request.page_size))
    return rows.all(), await count_all(session, found)
