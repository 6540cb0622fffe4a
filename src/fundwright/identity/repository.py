"""Every query of identity."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import now
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.paging import PageRequest
from fundwright.identity.models import (
    Account,
    AccountPhoto,
    AccountSession,
    ApiToken,
    AuditEntry,
    DataCopy,
    Invitation,
    KnownDevice,
    OneTimeSecret,
    Passkey,
    RecoveryCode,
    SavedState,
    SecondFactor,
    SignInThrottle,
)
from fundwright.identity.schemas import AccountState, AuditQuery, InvitationQuery, InvitationState, PeopleQuery, Role

Row = TypeVar("Row")

_KEEP_ENDED_SESSIONS = timedelta(days=30)


async def find_account(session: AsyncSession, email: str) -> Account | None:
    return await session.scalar(select(Account).where(Account.email == email))


async def find_account_by_id(session: AsyncSession, account_id: UUID) -> Account | None:
    return await session.get(Account, account_id)


async def has_accounts(session: AsyncSession) -> bool:
    return bool(await session.scalar(select(select(Account.id).exists())))


async def find_oldest_account(session: AsyncSession) -> Account | None:
    """The oldest account of role user that is not disabled, else the oldest of any role."""
    return await session.scalar(
        select(Account)
        .where(Account.disabled_at.is_(None))
        .order_by(Account.role != Role.USER, Account.created_at, Account.id)
        .limit(1)
    )


async def list_accounts(session: AsyncSession) -> Sequence[Account]:
    return (await session.scalars(select(Account).order_by(Account.email))).all()


def directory() -> Select[UUID, str, str]:
    return select(Account.id, Account.email, Account.display_name.label("name"))


async def page_of_people(session: AsyncSession, query: PeopleQuery) -> tuple[Sequence[Account], int]:
    found = _people(query)
    total = await count_all(session, found)
    return (await session.scalars(found.offset(query.offset).limit(query.page_size))).all(), total


async def stream_people(session: AsyncSession, query: PeopleQuery) -> AsyncIterator[Account]:
    async for account in await session.stream_scalars(_people(query)):
        yield account


def _people(query: PeopleQuery) -> Select[Account]:
    found = select(Account)
    if query.text:
        found = found.where(contains(query.text, Account.email, Account.display_name))
    if query.role is not None:
        found = found.where(Account.role == query.role)
    if query.state is not None:
        is_open, is_verified = Account.disabled_at.is_(None), Account.verified_at.is_not(None)
        found = found.where({
            AccountState.ACTIVE: is_open & is_verified,
            AccountState.UNCONFIRMED: is_open & ~is_verified,
            AccountState.DISABLED: ~is_open,
        }[query.state])  # fmt: skip
    columns = {
        "name": func.lower(Account.display_name), "role": Account.role, "created_at": Account.created_at,
        "last_signed_in_at": Account.last_signed_in_at,
        "email": Account.email,
    }  # fmt: skip
    return found.order_by(ordered_by(query, columns, default=Account.email), Account.id)


async def lock_administrators(session: AsyncSession) -> Sequence[UUID]:
    """Those who can sign in; they stay so until the transaction ends."""
    query = select(Account.id).where(Account.role == Role.ADMIN, Account.disabled_at.is_(None))
    return (await session.scalars(query.with_for_update())).all()


async def page_of_audit(session: AsyncSession, query: AuditQuery, *, actions: Sequence[str]) -> tuple[Sequence[AuditEntry], int]:
    found = _audit(query, actions)
    total = await count_all(session, found)
    return (await session.scalars(found.offset(query.offset).limit(query.page_size))).all(), total


async def stream_audit(session: AsyncSession, query: AuditQuery, *, actions: Sequence[str]) -> AsyncIterator[AuditEntry]:
    async for entry in await session.stream_scalars(_audit(query, actions)):
        yield entry


def _audit(query: AuditQuery, actions: Sequence[str]) -> Select[AuditEntry]:
    """`actions` are the actions whose labels match the text of the query."""
    found = select(AuditEntry)
    if query.text:
        columns = (AuditEntry.action, AuditEntry.actor_email, AuditEntry.subject, AuditEntry.address)
        found = found.where(or_(contains(query.text, *columns), AuditEntry.action.in_(actions)))
    if query.first is not None:
        found = found.where(AuditEntry.at >= _midnight(query.first))
    if query.last is not None:
        found = found.where(AuditEntry.at < _midnight(query.last) + timedelta(days=1))
    return found.order_by(AuditEntry.at.asc() if query.sort == "at" else AuditEntry.at.desc(), AuditEntry.id)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


async def add_account(session: AsyncSession, **values: Any) -> Account | None:
    """The new account, or None when the email is taken (also by a transaction that commits first)."""
    account_id = await session.scalar(
        insert(Account).values(**values).on_conflict_do_nothing(index_elements=["email"]).returning(Account.id)
    )
    return None if account_id is None else await session.get(Account, account_id)


async def find_live_session(session: AsyncSession, session_id: UUID) -> tuple[AccountSession, Account] | None:
    """The session and its account, unless it has ended, expired, rested for too long, or the account is disabled."""
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
    """Note the first use of a newer token. Of two at once, one has noted it."""
    query = update(AccountSession).where(AccountSession.id == session_id, AccountSession.generation < generation)
    await session.execute(query.values(generation=generation, superseded_at=moment))


async def page_of_live_sessions(
    session: AsyncSession, owner_id: UUID, request: PageRequest
) -> tuple[Sequence[AccountSession], int]:
    order = ordered_by(request, {"created_at": AccountSession.created_at}, default=AccountSession.last_used_at.desc())
    found = select(AccountSession).where(AccountSession.owner_id == owner_id, *_live())
    return await _page(session, found.order_by(order, AccountSession.id), request)


async def end_sessions(
    session: AsyncSession, owner_id: UUID, *, only: UUID | None = None, but: UUID | None = None
) -> Sequence[UUID]:
    """End all sessions of an account, one of them, or all but one; answers the ids of those that were still open."""
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


async def prove_session(session: AsyncSession, session_id: UUID, owner_id: UUID, *, until: datetime) -> bool:
    """Whether the session is still live and was marked as proved."""
    own = update(AccountSession).where(AccountSession.id == session_id, *_live_and_of(owner_id))
    return await session.scalar(own.values(proved_until=until).returning(AccountSession.id)) is not None


async def find_proof(session: AsyncSession, session_id: UUID, owner_id: UUID) -> datetime | None:
    """Until when the session is proved, or None when it is no longer live."""
    query = select(AccountSession.proved_until).where(AccountSession.id == session_id, *_live_and_of(owner_id))
    return await session.scalar(query)


async def withdraw_proofs(session: AsyncSession, owner_id: UUID, *, but: UUID | None) -> None:
    """Every session of the account, except `but`, has to be proved again."""
    query = update(AccountSession).where(AccountSession.owner_id == owner_id, AccountSession.id.is_distinct_from(but))
    await session.execute(query.values(proved_until=now()))


def _live_and_of(owner_id: UUID) -> tuple[ColumnElement[bool], ...]:
    is_open = select(Account.id).where(Account.id == owner_id, Account.disabled_at.is_(None)).exists()
    return (AccountSession.owner_id == owner_id, is_open, *_live())


async def find_known_device(session: AsyncSession, email: str, digest: str) -> UUID | None:
    """The id of the known device, if it is one of the account with this email."""
    query = select(KnownDevice.id).join(Account, Account.id == KnownDevice.owner_id)
    return await session.scalar(query.where(Account.email == email, KnownDevice.digest == digest, KnownDevice.expires_at > now()))


async def add_known_device(
    session: AsyncSession, owner_id: UUID, *, digest: str, replaces: str, expires_at: datetime, limit: int
) -> None:
    """Add it, or renew the one with the digest `replaces`, which every account on the device exchanges for the new digest. Only the
    `limit` devices of the account that were used last stay known."""
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
    """A new one that waits to be confirmed, in place of one that still does; None when there is a confirmed one."""
    fresh = {"id": uuid4(), "created_at": now(), "last_step": 0}
    query = insert(SecondFactor).values(owner_id=owner_id, **fresh)
    waits = SecondFactor.confirmed_at.is_(None)
    query = query.on_conflict_do_update(index_elements=["owner_id"], set_=fresh, where=waits)
    return await session.scalar(query.returning(SecondFactor.id))


async def take_step(session: AsyncSession, factor_id: UUID, step: int) -> bool:
    """Whether this time step had not been taken yet; of two that try at once, one gets it."""
    query = update(SecondFactor).where(SecondFactor.id == factor_id, SecondFactor.last_step < step).values(last_step=step)
    return await session.scalar(query.returning(SecondFactor.id)) is not None


async def forget_second_factor(session: AsyncSession, owner_id: UUID) -> bool:
    """Take it away with its recovery codes; answers whether there was a confirmed one."""
    await forget_recovery_codes(session, owner_id)
    query = delete(SecondFactor).where(SecondFactor.owner_id == owner_id)
    return await session.scalar(query.returning(SecondFactor.confirmed_at)) is not None


async def forget_recovery_codes(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(delete(RecoveryCode).where(RecoveryCode.owner_id == owner_id))


async def use_recovery_code(session: AsyncSession, owner_id: UUID, digest: str) -> bool:
    """Take it out of the table; of two that try at once, one gets it."""
    query = delete(RecoveryCode).where(RecoveryCode.owner_id == owner_id, RecoveryCode.digest == digest)
    return await session.scalar(query.returning(RecoveryCode.id)) is not None


async def count_recovery_codes(session: AsyncSession, owner_id: UUID) -> int:
    query = select(func.count()).select_from(RecoveryCode).where(RecoveryCode.owner_id == owner_id)
    return await session.scalar(query) or 0


async def list_passkeys(session: AsyncSession, owner_id: UUID) -> Sequence[Passkey]:
    query = select(Passkey).where(Passkey.owner_id == owner_id).order_by(Passkey.created_at, Passkey.id)
    return (await session.scalars(query)).all()


async def find_passkey(session: AsyncSession, credential_id: bytes) -> Passkey | None:
    """Locked until the transaction ends, because its counter is about to change."""
    return await session.scalar(select(Passkey).where(Passkey.credential_id == credential_id).with_for_update())


async def add_passkey(session: AsyncSession, **values: Any) -> Passkey | None:
    """The new passkey, or None when somebody has it already."""
    query = (
        insert(Passkey).values(id=uuid4(), created_at=now(), **values).on_conflict_do_nothing(index_elements=["credential_id"])
    )
    return await session.scalar(query.returning(Passkey))


async def forget_passkeys(session: AsyncSession, owner_id: UUID, *, only: UUID | None = None) -> Sequence[str]:
    """Remove all passkeys of an account, or one of them; answers their names."""
    query = delete(Passkey).where(Passkey.owner_id == owner_id)
    if only is not None:
        query = query.where(Passkey.id == only)
    return (await session.scalars(query.returning(Passkey.name))).all()


async def forget_expired_secrets(session: AsyncSession) -> None:
    expired = select(OneTimeSecret.id).where(OneTimeSecret.expires_at < now()).with_for_update(skip_locked=True)
    await session.execute(delete(OneTimeSecret).where(OneTimeSecret.id.in_(expired)))


async def forget_secrets(session: AsyncSession, *, owner_id: UUID, purpose: str | None = None) -> None:
    """Those for one purpose, or all."""
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
    """Take the secret out of the table; of two that try at once, one gets it."""
    return await session.scalar(
        delete(OneTimeSecret)
        .where(OneTimeSecret.purpose == purpose, OneTimeSecret.digest == digest, OneTimeSecret.expires_at > now())
        .returning(OneTimeSecret)
    )


async def use_all_secrets(session: AsyncSession, *, purpose: str) -> None:
    await session.execute(delete(OneTimeSecret).where(OneTimeSecret.purpose == purpose))


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
    """Mark it as used; of two that try at once, one gets it."""
    return await session.scalar(update(Invitation).where(*_working(digest)).values(used_at=now()).returning(Invitation))


async def revoke_invitations(session: AsyncSession, email: str) -> None:
    """Those of this address that were not used."""
    await session.execute(
        update(Invitation).where(Invitation.email == email, Invitation.used_at.is_(None)).values(revoked_at=now())
    )


async def revoke_invitations_from(session: AsyncSession, sender_id: UUID) -> None:
    """Revoke the invitations that this account has sent and that nobody has accepted."""
    sent = update(Invitation).where(Invitation.invited_by == sender_id, Invitation.used_at.is_(None))
    await session.execute(sent.values(revoked_at=func.coalesce(Invitation.revoked_at, now())))


async def withdraw_invitation(session: AsyncSession, invitation_id: UUID) -> Invitation | None:
    """Returns None when the invitation was accepted or does not exist. Of simultaneous acceptance and withdrawal, one succeeds."""
    unused = update(Invitation).where(Invitation.id == invitation_id, Invitation.used_at.is_(None))
    return await session.scalar(unused.values(revoked_at=func.coalesce(Invitation.revoked_at, now())).returning(Invitation))


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


async def find_saved_state(session: AsyncSession, owner_id: UUID, name: str) -> Any:
    return await session.scalar(select(SavedState.value).where(SavedState.owner_id == owner_id, SavedState.name == name))


async def save_state(session: AsyncSession, owner_id: UUID, name: str, value: Any) -> None:
    change = {"value": value, "changed_at": now()}
    query = insert(SavedState).values(owner_id=owner_id, name=name, **change)
    await session.execute(query.on_conflict_do_update(index_elements=["owner_id", "name"], set_=change))


async def find_photo(session: AsyncSession, photo_id: UUID, *, reader_id: UUID, sees_all: bool) -> AccountPhoto | None:
    """If it is the reader's own, of a public profile, or anybody's when the reader `sees_all`."""
    query = select(AccountPhoto).join(Account, Account.id == AccountPhoto.owner_id).where(AccountPhoto.id == photo_id)
    return await session.scalar(query if sees_all else query.where(or_(Account.id == reader_id, Account.is_public)))


async def remove_photos(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(delete(AccountPhoto).where(AccountPhoto.owner_id == owner_id))


async def find_data_copy(session: AsyncSession, owner_id: UUID) -> DataCopy | None:
    """The account's only one."""
    return await session.scalar(select(DataCopy).where(DataCopy.owner_id == owner_id, DataCopy.expires_at > now()))


async def list_kept_copies(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    """Which of these files are archives that can still be downloaded or are being written."""
    copies = await session.scalars(select(DataCopy.id).where(DataCopy.expires_at > now()))
    return {copy_id.hex for copy_id in copies}.intersection(names)


async def remove_data_copies(session: AsyncSession, owner_id: UUID) -> Sequence[UUID]:
    return (await session.scalars(delete(DataCopy).where(DataCopy.owner_id == owner_id).returning(DataCopy.id))).all()


async def list_audit_of(session: AsyncSession, account: Account) -> Sequence[AuditEntry]:
    """What the account did, and what was done about it since it has its present address, oldest first. Before, the address may have been
    somebody else's."""
    changed = (AuditEntry.actor_id == account.id) & (AuditEntry.action == "email.changed")
    changed_at = await session.scalar(select(func.max(AuditEntry.at)).where(changed))
    since = max(account.created_at, changed_at or account.created_at)
    is_about = (AuditEntry.actor_id == account.id) | (AuditEntry.subject == account.email) & (AuditEntry.at >= since)
    return (await session.scalars(select(AuditEntry).where(is_about).order_by(AuditEntry.at, AuditEntry.id))).all()


async def list_saved_states(session: AsyncSession, owner_id: UUID) -> Sequence[SavedState]:
    return (await session.scalars(select(SavedState).where(SavedState.owner_id == owner_id).order_by(SavedState.name))).all()


async def delete_account(session: AsyncSession, account: Account) -> None:
    """With all that refers to it, and the invitation by which it came."""
    await session.execute(delete(Invitation).where(Invitation.email == account.email))
    await session.delete(account)
    await session.flush()


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
    """The counter of this subject, made if there is none, locked until the transaction ends."""
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


async def has_audit_entry(session: AsyncSession, actor_id: UUID, action: str, *, since: datetime) -> bool:
    query = select(AuditEntry.id).where(AuditEntry.actor_id == actor_id, AuditEntry.action == action, AuditEntry.at > since)
    return await session.scalar(query.limit(1)) is not None


async def add_audit_entry(session: AsyncSession, entry: AuditEntry) -> None:
    session.add(entry)
    await session.flush()


async def _page(session: AsyncSession, found: Select[Row], request: PageRequest) -> tuple[Sequence[Row], int]:
    """One page of what the query finds in its order, and how many there are in all."""
    rows = await session.scalars(found.offset(request.offset).limit(request.page_size))
    return rows.all(), await count_all(session, found)
