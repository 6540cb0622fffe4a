"""Invitations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from fundwright.accounts.schemas import Role
from fundwright.core.database import now
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest


class InvitationState(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            InvitationState.PENDING: t("Pending"),
            InvitationState.ACCEPTED: t("Accepted"),
            InvitationState.EXPIRED: t("Expired"),
            InvitationState.WITHDRAWN: t("Withdrawn"),
        }[self]


class InvitationRead(BaseModel):
    """An invitation to register, without the secret of its link. `invited_by` is the email of the account that sent it, or None when
    the account was deleted or the command line sent it."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    email: str
    role: Role
    invited_by: str | None
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None

    @computed_field
    @property
    def state(self) -> InvitationState:
        if self.used_at is not None:
            return InvitationState.ACCEPTED
        if self.revoked_at is not None:
            return InvitationState.WITHDRAWN
        return InvitationState.PENDING if self.expires_at > now() else InvitationState.EXPIRED


class InvitationSent(InvitationRead):
    """An invitation with its new link, unless an email carries the link."""

    link: str | None


class InvitationQuery(PageRequest):
    """Which invitations to list, newest first unless `sort` is email, role, created_at, or expires_at. `text` is part of an
    address."""

    sorts: ClassVar[tuple[str, ...]] = ("email", "role", "created_at", "expires_at")

    text: str = Field(default="", max_length=200)
    state: InvitationState | None = None
