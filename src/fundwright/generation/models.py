"""The tables of generation: drafts, sections with their versions, and citations."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, ForeignKey, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.json_values import JsonObject
from fundwright.generation.schemas import PossibleMatchRecord, SectionState
from fundwright.trash.models import Trashable, owned_or_trashed


class Draft(Trashable, Base):
    """Titles are copied, because a draft can outlive its opportunity and its template. A letter has no section headings."""

    __tablename__ = "draft"
    __table_args__ = (owned_or_trashed(),)

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    opportunity_id: Mapped[UUID] = mapped_column(index=True)
    opportunity_title: Mapped[str]
    opportunity_number: Mapped[str]
    template: Mapped[str]
    template_title: Mapped[str]
    is_letter: Mapped[bool] = mapped_column(default=False)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    company: Mapped[str] = mapped_column(default="")
    """The name of the applicant."""
    document_ids: Mapped[list[str]] = mapped_column(JSONB, default=list)
    """The documents it is based on; empty means all of the owner's."""
    writer_id: Mapped[str] = mapped_column(default="")
    writer_label: Mapped[str] = mapped_column(default="")
    job_id: Mapped[UUID | None] = mapped_column(index=True)
    """The latest job that writes it. The draft's state is the state of this job."""
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)


class DraftSection(Base):
    """A section. Its id does not change when it is moved or renamed.

    The writer's text is streamed into `incoming` until it is complete, so that canceling loses nothing.
    """

    __tablename__ = "draft_section"
    __table_args__ = (UniqueConstraint("draft_id", "ordinal", deferrable=True),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    draft_id: Mapped[UUID] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    heading: Mapped[str]
    plan: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
    """The `TemplateSection` of the template as it was when the draft was started; None if a person added the section."""
    text: Mapped[str] = mapped_column(default="")
    incoming: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default=SectionState.WAITING)
    job_id: Mapped[UUID | None]
    """The latest job that regenerates it."""
    revision: Mapped[int] = mapped_column(default=0)
    """The number of changes of heading and text. A save names the revision that it is based on."""
    saved_by: Mapped[str] = mapped_column(default="")
    """The editor that made the last change. Saves of the same editor never conflict with each other."""
    saved_sequence: Mapped[int] = mapped_column(default=0)
    """The sequence number of that editor's last save. A late or repeated save changes nothing."""
    open_questions: Mapped[list[str]] = mapped_column(JSONB, default=list)
    done_questions: Mapped[list[str]] = mapped_column(JSONB, default=list)
    """Open questions that are marked as done."""
    possible_matches: Mapped[list[PossibleMatchRecord]] = mapped_column(JSONB, default=list)
    """Possible matches: question, text, the number of the citation, and, until it has a number, its source."""
    dropped_citations: Mapped[int] = mapped_column(default=0)
    checks: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
    """The `KeptChecks` of its claims. They are outstanding if they are of another revision."""


class DraftVersion(Base):
    """A version of a section's text. Once a section is written, its current text is always among its versions."""

    __tablename__ = "draft_version"
    __table_args__ = (UniqueConstraint("section_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    section_id: Mapped[UUID] = mapped_column(ForeignKey("draft_section.id", ondelete="CASCADE"))
    number: Mapped[int]
    heading: Mapped[str]
    text: Mapped[str]
    origin: Mapped[str]
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    author_name: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class Citation(Base):
    """A copy of the cited passage, so that a draft can be checked after the document has been removed."""

    __tablename__ = "citation"
    __table_args__ = (UniqueConstraint("draft_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    draft_id: Mapped[UUID] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"))
    number: Mapped[int]
    passage_id: Mapped[UUID]
    document_id: Mapped[UUID]
    document_title: Mapped[str]
    heading: Mapped[tuple[str, ...]] = mapped_column(ARRAY(Text, as_tuple=True))
    page: Mapped[int | None]
    text: Mapped[str]
