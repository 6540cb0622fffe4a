"""Tables of generation: a draft, its sections and what it cites."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.generation.schemas import SectionState


class Draft(Base):
    """Titles are copied, not referred to: a draft outlives the opportunity and the template it was made from."""

    __tablename__ = "draft"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    opportunity_id: Mapped[UUID] = mapped_column(index=True)
    opportunity_title: Mapped[str]
    opportunity_number: Mapped[str]
    template: Mapped[str]
    template_title: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    company: Mapped[str] = mapped_column(default="")
    """The name of the firm that applies."""
    document_ids: Mapped[list[Any]] = mapped_column(default=list)
    """The documents it is written from; empty for all of the owner's."""
    writer_id: Mapped[str] = mapped_column(default="")
    writer_label: Mapped[str] = mapped_column(default="")
    job_id: Mapped[UUID | None] = mapped_column(index=True)
    """The job that writes it, or wrote it last; the draft's state is that job's."""
    created_at: Mapped[datetime] = mapped_column(default=now)


class DraftSection(Base):
    __tablename__ = "draft_section"
    __table_args__ = (UniqueConstraint("draft_id", "ordinal"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    draft_id: Mapped[UUID] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    heading: Mapped[str]
    text: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default=SectionState.WAITING)
    open_questions: Mapped[list[Any]] = mapped_column(default=list)
    dropped_citations: Mapped[int] = mapped_column(default=0)


class Citation(Base):
    """A copy of the cited passage, so that a draft can be checked after its document has been removed."""

    __tablename__ = "citation"
    __table_args__ = (UniqueConstraint("draft_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    draft_id: Mapped[UUID] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"))
    number: Mapped[int]
    first_section: Mapped[int]
    """Ordinal of the section that cited it first; writing that section again takes the citation back."""
    passage_id: Mapped[UUID]
    document_id: Mapped[UUID]
    document_title: Mapped[str]
    heading: Mapped[str | None]
    page: Mapped[int | None]
    text: Mapped[str]
