"""What the trash returns and accepts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from fundwright.core.paging import PageRequest

KEPT = timedelta(days=30)
"""How long an item stays in the trash."""


class TrashRead(BaseModel):
    """An item in the trash. `id` is the id of what was deleted, and `removed_at` is when it is deleted forever."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: str
    title: str
    trashed_at: datetime
    removed_at: datetime


class TrashQuery(PageRequest):
    """Which items to list: those of one kind, or with `text` in their titles."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "kind", "trashed_at", "removed_at")

    kind: str = Field(default="", max_length=40)
    text: str = Field(default="", max_length=200)
