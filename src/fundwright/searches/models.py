"""Tables of saved searches."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.json_values import JsonObject
from fundwright.trash.models import Trashable, owned_or_trashed


class SavedSearch(Trashable, Base):
    """A search that a workspace keeps."""

    __tablename__ = "saved_search"
    __table_args__ = (owned_or_trashed(),)

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    query: Mapped[JsonObject] = mapped_column(JSONB)
    """The words, filters, and order, without defaults."""
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class SavedSearchReader(Base):
    """What one member has seen of a saved search. Row-level security shows it to this member alone, and it is deleted with the membership."""

    __tablename__ = "saved_search_reader"
    __table_args__ = (
        ForeignKeyConstraint(
            ["owner_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_saved_search_reader_owner_id_membership",
            ondelete="CASCADE",
        ),
        Index("ix_saved_search_reader_owner_id_account_id", "owner_id", "account_id"),
        Index("ix_saved_search_reader_told_until", "told_until", postgresql_where=text("is_followed")),
    )

    search_id: Mapped[UUID] = mapped_column(ForeignKey("saved_search.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID]
    seen_until: Mapped[datetime]
    """When the newest notice was first seen that had been imported when the member last opened the search."""
    is_followed: Mapped[bool] = mapped_column(default=False)
    """Whether the member is told of new matches."""
    told_until: Mapped[datetime]
    """Like `seen_until`, for when the member was last told or opened the search."""
