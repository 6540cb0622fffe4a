"""The table of insights."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Identity
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base


class PageView(Base):
    """A page view. `path` is the screen's pattern, such as `/dashboard/sam/{id}`, without the id."""

    __tablename__ = "page_view"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    path: Mapped[str]
    at: Mapped[datetime] = mapped_column(index=True)
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None for a visitor, and once the account is gone."""
    language: Mapped[str]
