"""The table of templates that workspaces make."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.json_values import JsonObject
from fundwright.trash.models import Trashable, owned_or_trashed


class Template(Trashable, Base):
    """A draft template of a workspace. Drafts keep copies of its sections."""

    __tablename__ = "draft_template"
    __table_args__ = (owned_or_trashed(),)

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    description: Mapped[str]
    sections: Mapped[list[JsonObject]] = mapped_column(JSONB)
    """Each as in `TemplateSection`."""
    is_letter: Mapped[bool]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    changed_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
