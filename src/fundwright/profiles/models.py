"""The table of profiles."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class OrganizationProfile(Base):
    """What a workspace says about its organization. Its text is a document, which answers and drafts cite like any other."""

    __tablename__ = "organization_profile"

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str]
    uei: Mapped[str]
    cage_code: Mapped[str]
    address: Mapped[str]
    website: Mapped[str]
    naics_codes: Mapped[tuple[str, ...]] = mapped_column(ARRAY(Text, as_tuple=True))
    certifications: Mapped[str]
    contact: Mapped[str]
    about: Mapped[str]
    document_id: Mapped[UUID | None] = mapped_column(ForeignKey("document.id", ondelete="SET NULL"), index=True)
    """None once the document is deleted for good. It may be in the trash."""
    changed_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    changed_at: Mapped[datetime] = mapped_column(default=now)
