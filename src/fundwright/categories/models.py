"""The tables of categories: a workspace's categories, and the labels of subjects."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.categories.schemas import LabelSource, LabelState
from fundwright.core.database import Base, now
from fundwright.trash.models import Trashable, owned_or_trashed


class Category(Trashable, Base):
    __tablename__ = "category"
    __table_args__ = (UniqueConstraint("owner_id", "name"), owned_or_trashed())

    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    color: Mapped[str]
    is_sample: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    """When the name, the description, or the color was last changed."""
    prototype: Mapped[bytes | None]
    """The embeddings of the phrases of name and description, concatenated as float16, for `prototype_key`."""
    prototype_key: Mapped[str | None]
    """The model, and a digest of the phrases."""


class Label(Base):
    """One row per workspace, subject, and category. A person's decision is also an example for the classifier. Labels of a category in
    the trash have no owner either."""

    __tablename__ = "label"
    __table_args__ = (UniqueConstraint("owner_id", "subject_id", "category_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    subject_id: Mapped[UUID] = mapped_column(index=True)
    category_id: Mapped[UUID] = mapped_column(ForeignKey("category.id", ondelete="CASCADE"), index=True)
    confidence: Mapped[float] = mapped_column(default=1.0)
    state: Mapped[str] = mapped_column(default=LabelState.SUGGESTED)
    source: Mapped[str] = mapped_column(default=LabelSource.MODEL)
    model_id: Mapped[str | None]
    decided_at: Mapped[datetime] = mapped_column(default=now)
