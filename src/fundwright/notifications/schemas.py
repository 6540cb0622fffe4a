"""Notifications, their kinds, and how people are told about each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar
from urllib.parse import urlencode
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from fundwright.core.messages import Message, t
from fundwright.core.paging import PageRequest

KEPT = timedelta(days=90)
"""How long a notification is kept."""
SETTINGS_PATH = "/dashboard/user/account?tab=notifications"
"""Where people choose how they are told."""


class EmailTiming(StrEnum):
    """When an email tells about a notification that has not been read by then."""

    OFF = "off"
    SOON = "soon"
    DAILY = "daily"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            EmailTiming.OFF: t("No email"),
            EmailTiming.SOON: t("Email within a minute"),
            EmailTiming.DAILY: t("Email once a day"),
        }[self]


@dataclass(frozen=True)
class Happening:
    """What a notification tells. `actor` is the name of who did it, "" if it happened by itself."""

    actor: str
    subject: str
    details: Mapping[str, str]


@dataclass(frozen=True)
class NotificationKind:
    """A kind of notification. `sentence` writes it in the reader's language."""

    key: str
    label: Message
    sentence: Callable[[Happening], str]
    is_listed: bool = True
    """Whether it is listed, unless the person chooses otherwise."""
    email: EmailTiming | None = EmailTiming.OFF
    """When it is sent by email, unless the person chooses otherwise. None: never, because an email of its own tells the same."""
    is_limited: bool = True
    """Whether it counts against the budget of the person who does it. Not for what must never wait and cannot be repeated."""


class NotificationRead(BaseModel):
    """A notification. `title` is in the reader's language, and `actor` is empty if it happened by itself."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: str
    title: str
    actor: str
    subject: str
    workspace_id: UUID
    """The workspace in which `path` is opened: the reader's personal one for what belongs to none."""
    workspace: str
    """Empty for the reader's personal workspace."""
    path: str
    created_at: datetime
    read_at: datetime | None

    @property
    def workspace_title(self) -> str:
        """The name; that of the personal workspace is in the reader's language."""
        return self.workspace or t("Personal")

    @property
    def address(self) -> str:
        """The path with its workspace."""
        return f"{self.path}{'&' if '?' in self.path else '?'}{urlencode({'w': self.workspace_id})}"


class NotificationQuery(PageRequest):
    """Which notifications to list, newest first unless `sort` is `created_at`."""

    sorts: ClassVar[tuple[str, ...]] = ("created_at",)

    unread: bool = False
    kind: str = Field(default="", max_length=60)
    workspace_id: UUID | None = None


class UnreadCount(BaseModel):
    model_config = ConfigDict(frozen=True)

    unread: int


class Choice(BaseModel):
    """How an account is told about a kind. `email` is None if the kind is never sent, because an email of its own tells the same."""

    model_config = ConfigDict(frozen=True)

    kind: str
    label: str
    is_listed: bool
    email: EmailTiming | None


class Choices(BaseModel):
    model_config = ConfigDict(frozen=True)

    kinds: list[Choice]


class ChoiceChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    is_listed: bool
    email: EmailTiming = EmailTiming.OFF
