"""Tables of share links. Secrets are kept as digests."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.json_values import JsonObject


class ShareLink(Base):
    """A link that shows a draft, or the opportunities that a query finds, as its creator sees them."""

    __tablename__ = "share_link"
    __table_args__ = (
        ForeignKeyConstraint(
            ["owner_id", "created_by"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_share_link_created_by_membership",
            ondelete="SET NULL (created_by)",
        ),
        CheckConstraint("num_nonnulls(draft_id, query) = 1", name="subject"),
        UniqueConstraint("id", "owner_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    draft_id: Mapped[UUID | None] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"), index=True)
    query: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
    """The filters, words, and order of a list of opportunities."""
    title: Mapped[str]
    """Of the page; that of a draft follows the draft."""
    recipient: Mapped[str]
    """For whom it is, as its creator wrote it."""
    password_hash: Mapped[str | None]
    has_watermark: Mapped[bool]
    shows_titles: Mapped[bool]
    """Whether the titles of cited documents are shown."""
    allows_comments: Mapped[bool]
    """Whether guests can comment on the draft, or on the notices of the list."""
    created_by: Mapped[UUID | None]
    """None once that person is no longer a member of the workspace; then the link has ended."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    """When it was revoked."""
    opens: Mapped[int] = mapped_column(default=0)
    last_opened_at: Mapped[datetime | None]
    wrong_passwords: Mapped[int] = mapped_column(default=0)
