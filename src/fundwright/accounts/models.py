"""Tables of accounts and of workspaces, in which they work. Only the audit trail outlives an account."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, String, and_, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from fundwright.core.database import Base, now
from fundwright.core.json_values import JsonValue
from fundwright.core.messages import Language


class Workspace(Base):
    """Owns documents, categories, and drafts. Each account has a personal one, which has the id of the account and no name."""

    __tablename__ = "workspace"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    support_until: Mapped[datetime | None]
    """Until then, administrators who are not members may view it."""


class Membership(Base):
    """An account that may act in a workspace, with its role there."""

    __tablename__ = "membership"

    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str]
    joined_at: Mapped[datetime] = mapped_column(default=now)


class FormerMember(Base):
    """An account that has left a workspace, or was removed from it: what it may be told about its old links."""

    __tablename__ = "former_member"

    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, index=True)
    ended_at: Mapped[datetime] = mapped_column(default=now)


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
    language: Mapped[Language | None] = mapped_column(String)
    """None until one is chosen under Settings: then the browser's language applies."""
    time_zone: Mapped[str | None]
    """None until one is chosen: then the browser's time zone applies."""
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
    """When the owner confirmed the address; nobody can sign in before."""
    disabled_at: Mapped[datetime | None]
    workspace_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="SET NULL"))
    """The last used workspace; None stands for the personal one."""
    membership: Mapped[Membership | None] = relationship(
        primaryjoin=lambda: and_(
            Membership.account_id == foreign(Account.id),
            Membership.workspace_id == func.coalesce(Account.workspace_id, Account.id),
        ),
        lazy="joined",
        viewonly=True,
        uselist=False,
    )
    """In the last used workspace; None once it has ended."""

    @property
    def name(self) -> str:
        return self.display_name


class SavedState(Base):
    """State that a screen saves for an account, identified by a name."""

    __tablename__ = "saved_state"

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[JsonValue] = mapped_column(JSONB)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class AccountPhoto(Base):
    """256 × 256 pixels as WebP. A new photo has a new id, so that browsers may cache it."""

    __tablename__ = "account_photo"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    content: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)


class DataCopy(Base):
    """An archive of an account's data, written by a job; its file is named by its id."""

    __tablename__ = "data_copy"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[UUID | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class AuditEntry(Base):
    """Append-only: a trigger refuses UPDATE, DELETE, and TRUNCATE, so there is no foreign key to the account."""

    __tablename__ = "audit_entry"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    actor_id: Mapped[UUID | None] = mapped_column(index=True)
    actor_email: Mapped[str | None]
    action: Mapped[str]
    subject: Mapped[str]
    address: Mapped[str]
    details: Mapped[dict[str, str]] = mapped_column(JSONB)
