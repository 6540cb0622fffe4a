"""Tables of authentication. Secrets are kept as digests."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class AccountSession(Base):
    """A sign-in of an account on one browser. Ended rows stay for a while, so that they can be traced."""

    __tablename__ = "account_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    remember: Mapped[bool]
    user_agent: Mapped[str]
    address: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_used_at: Mapped[datetime] = mapped_column(default=now)
    reauthenticated_until: Mapped[datetime] = mapped_column(default=now)
    """Until then, the owner need not re-authenticate before a sensitive change."""
    expires_at: Mapped[datetime]
    idle_limit: Mapped[timedelta]
    """The session ends after this long without use."""
    generation: Mapped[int] = mapped_column(default=0)
    """The number of the newest token that was used."""
    superseded_at: Mapped[datetime | None]
    """When that token was first used, which made the one before it an old one."""
    ended_at: Mapped[datetime | None]


class KnownDevice(Base):
    """A browser in which an account has signed in. One browser has one secret, for all accounts that have signed in there."""

    __tablename__ = "known_device"
    __table_args__ = (UniqueConstraint("digest", "owner_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str]
    signed_in_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class SecondFactor(Base):
    """An authenticator app. Its secret is derived from the id and the installation's key; it is not stored."""

    __tablename__ = "second_factor"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    confirmed_at: Mapped[datetime | None]
    """Codes are required only after the first code has been entered."""
    last_step: Mapped[int] = mapped_column(BigInteger, default=0)
    """Time step of the last accepted code: neither it nor an older one is accepted again."""


class RecoveryCode(Base):
    """Used by deleting its row."""

    __tablename__ = "recovery_code"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)


class Passkey(Base):
    """The public key of a passkey."""

    __tablename__ = "passkey"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    credential_id: Mapped[bytes] = mapped_column(unique=True)
    public_key: Mapped[bytes]
    sign_count: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_used_at: Mapped[datetime | None]


class OneTimeSecret(Base):
    """A handover code, a link, a sign-in that waits for its second step, or a challenge for a passkey: used by deleting its
    row."""

    __tablename__ = "one_time_secret"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    purpose: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    remember: Mapped[bool] = mapped_column(default=False)
    email: Mapped[str | None]
    """The address that the link confirms as the account's new one."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class ApiToken(Base):
    __tablename__ = "api_token"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    """Where requests with it act unless they name another workspace."""
    name: Mapped[str]
    scope: Mapped[str]
    prefix: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SignInThrottle(Base):
    """Wrong passwords of one account, one address, or one known place in the current window."""

    __tablename__ = "sign_in_throttle"

    subject: Mapped[str] = mapped_column(primary_key=True)
    """`account:` or `address:` and a digest, or `place:` and an id."""
    failures: Mapped[int] = mapped_column(default=0)
    window_ends_at: Mapped[datetime]
    banned_until: Mapped[datetime | None]
    refused: Mapped[int] = mapped_column(default=0)
    """Attempts that were refused since the ban began."""
    forget_at: Mapped[datetime] = mapped_column(index=True)
