"""Tables of workspaces. Secrets are kept as digests."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class WorkspaceInvitation(Base):
    """A link with which accounts may join a workspace."""

    __tablename__ = "workspace_invitation"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    email: Mapped[str | None] = mapped_column(index=True)
    """The only address that may use it; None for everyone with the link."""
    role: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    most_uses: Mapped[int]
    uses: Mapped[int] = mapped_column(default=0)
    invited_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    """When it was withdrawn or declined."""


class Restriction(Base):
    """A document, collection, draft, or saved search that only its chosen members see, even if none of them is left."""

    __tablename__ = "restriction"

    subject_id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    restricted_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    restricted_at: Mapped[datetime] = mapped_column(default=now)


class ContainedItem(Base):
    """An item in another one, such as a document in a collection: the restriction of the container also applies to it. Row-level security
    of documents looks here, so this cannot be a column of `document`."""

    __tablename__ = "contained_item"

    item_id: Mapped[UUID] = mapped_column(primary_key=True)
    container_id: Mapped[UUID] = mapped_column(index=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)


class RestrictionMember(Base):
    """A chosen member of a restricted item. Former members of the workspace are removed by the database."""

    __tablename__ = "restriction_member"
    __table_args__ = (
        ForeignKeyConstraint(
            ["owner_id", "account_id"], ["membership.workspace_id", "membership.account_id"], ondelete="CASCADE"
        ),
        Index("ix_restriction_member_owner_id_account_id", "owner_id", "account_id"),
    )

    subject_id: Mapped[UUID] = mapped_column(ForeignKey("restriction.subject_id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID]
    access: Mapped[str]
