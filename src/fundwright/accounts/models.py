"""Tables of accounts. Only the audit trail outlives an account."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class Account(Base):
    __tablename__ = "account"
    __table_args__ = (CheckConstraint("email = lower(email)", name="email_is_lower_case"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    first_name: Mapped[str] = mapped_column(default="")
    last_name: Mapped[str] = mapped_column(default="")
    password_hash: Mapped[str]
    role: Mapped[str]
    language: Mapped[str | None]
    """None until one is chosen under Settings: the browser's own language counts."""
    time_zone: Mapped[str | None]
    """None until one is chosen: the browser's own zone counts."""
    photo_url: Mapped[str | None]
    phone_number: Mapped[str | None]
    country: Mapped[str | None]
    address: Mapped[str | None]
    state: Mapped[str | None]
    city: Mapped[str | None]
    zip_code: Mapped[str | None]
    about: Mapped[str | None]
    is_public: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_signed_in_at: Mapped[datetime | None]
    verified_at: Mapped[datetime | None]
    """When the owner showed that letters to the address arrive; nobody signs in before."""
    disabled_at: Mapped[datetime | None]

    @property
    def name(self) -> str:
        return self.display_name


class SavedState(Base):
    """What a screen keeps for an account, under a name of its own."""

    __tablename__ = "saved_state"

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSONB)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class AccountPhoto(Base):
    """256 × 256 pixels as WebP; a new one has a new id, so that browsers may keep it."""

    __tablename__ = "account_photo"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    content: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)


class DataCopy(Base):
    """An archive of everything that belongs to an account, made by a job; the file has its id for a name."""

    __tablename__ = "data_copy"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[UUID | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class AuditEntry(Base):
    """Append-only: a trigger refuses UPDATE, DELETE and TRUNCATE, hence no foreign key to the account."""

    __tablename__ = "audit_entry"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    actor_id: Mapped[UUID | None] = mapped_column(index=True)
    actor_email: Mapped[str | None]
    action: Mapped[str]
    subject: Mapped[str]
    address: Mapped[str]
    details: Mapped[dict[str, Any]]
