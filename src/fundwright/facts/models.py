"""The table of facts."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, ForeignKey, Index, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.facts.schemas import FactState
from fundwright.reading.facts import FactField, FactStatus


class OrganizationFact(Base):
    """A fact that a record of a document states, or that a person added."""

    __tablename__ = "organization_fact"
    __table_args__ = (
        Index("ix_organization_fact_owner_id_kind_key_state", "owner_id", "kind", "key", "state"),
        Index("ix_organization_fact_owner_id_digest", "owner_id", "digest"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    kind: Mapped[str]
    key: Mapped[str]
    """What it is about, see `schemas.key_of`. Facts of one kind with the same key may disagree."""
    digest: Mapped[str]
    """See `schemas.digest_of`. It stays that of what its document states if a person corrects it."""
    values: Mapped[dict[FactField, str]] = mapped_column(JSONB)
    status: Mapped[str] = mapped_column(default=FactStatus.CURRENT)
    state: Mapped[str] = mapped_column(default=FactState.PROPOSED)
    is_added: Mapped[bool] = mapped_column(default=False)
    """Whether a person added it, rather than reading."""
    read_values: Mapped[dict[FactField, str] | None] = mapped_column(JSONB(none_as_null=True))
    """What its document states, if a person corrected it."""
    read_status: Mapped[str | None]
    document_id: Mapped[UUID | None] = mapped_column(ForeignKey("document.id", ondelete="SET NULL"), index=True)
    """None once the document is deleted for good. It may be in the trash."""
    passage_id: Mapped[UUID | None]
    """The passage in which its record begins, if the document still states it."""
    passage_start: Mapped[int | None]
    start: Mapped[int | None]
    end: Mapped[int | None]
    """Where its record is; offsets count characters of the document's text."""
    record: Mapped[str] = mapped_column(default="")
    """The text of the record as it was read."""
    heading: Mapped[tuple[str, ...]] = mapped_column(ARRAY(Text, as_tuple=True), default=())
    page: Mapped[int | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """The account that added it."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    decided_at: Mapped[datetime | None]
    changed_at: Mapped[datetime] = mapped_column(default=now, server_default=func.now())
    """When a person decided about it, took a decision back, or corrected it, or else when it was first read or added."""

    @property
    def is_corrected(self) -> bool:
        """Whether a person changed what its document states."""
        return self.read_values is not None
