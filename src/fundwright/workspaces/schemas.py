"""Workspaces, members, and invitations as people see them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, computed_field

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.database import now
from fundwright.core.messages import nt, t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line

_MOST_CHARACTERS = 100


def _visible(name: str) -> str:
    """Emails and other people's lists show the name."""
    if not (line := visible_line(name, most=_MOST_CHARACTERS)):
        raise ValueError(t("The name has no visible characters. Enter another name."))
    return line


WorkspaceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MOST_CHARACTERS), AfterValidator(_visible)
]


class WorkspaceRead(BaseModel):
    """A workspace with the reader's role in it."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    """Empty for the reader's personal workspace."""
    role: WorkspaceRole
    members: int

    @property
    def title(self) -> str:
        """The name; that of the personal workspace is in the reader's language."""
        return self.name or t("Personal")


class WorkspaceForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: WorkspaceName


class SupportDuration(StrEnum):
    """For how long support access may be granted."""

    HOUR = "1h"
    WORKDAY = "8h"
    DAY = "1d"
    WEEK = "7d"

    @property
    def hours(self) -> int:
        return {SupportDuration.HOUR: 1, SupportDuration.WORKDAY: 8, SupportDuration.DAY: 24, SupportDuration.WEEK: 7 * 24}[self]

    @property
    def label(self) -> str:
        """In the reader's language."""
        if self in (SupportDuration.HOUR, SupportDuration.WORKDAY):
            return nt("{n} hour", "{n} hours", self.hours)
        return nt("{n} day", "{n} days", self.hours // 24)


class SupportForm(BaseModel):
    """For how long administrators may view the workspace."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    duration: SupportDuration = SupportDuration.WORKDAY


class SupportRead(BaseModel):
    """Until when administrators may view the workspace; None if they may not."""

    model_config = ConfigDict(frozen=True)

    until: datetime | None


class SupportedWorkspaceRead(BaseModel):
    """A workspace that administrators may view. The title of a personal one is the name of its account."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    until: datetime


class MemberRead(BaseModel):
    """A member of a workspace. `id` is the id of the account."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    email: str
    name: str
    role: WorkspaceRole
    joined_at: datetime


class MemberQuery(PageRequest):
    """Which members to list, by name unless `sort` is name, email, role, or joined_at. `text` is part of a name or an email."""

    sorts: ClassVar[tuple[str, ...]] = ("name", "email", "role", "joined_at")

    text: str = Field(default="", max_length=200)
    role: WorkspaceRole | None = None


class RoleChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: WorkspaceRole


class InvitationForm(BaseModel):
    """Whom to invite: the account with an `email`, or without one everyone who has the link, `most_uses` times."""

    model_config = ConfigDict(frozen=True)

    email: Annotated[str | None, BeforeValidator(lambda given: given or None)] = Field(default=None, max_length=254)
    role: WorkspaceRole = WorkspaceRole.EDITOR
    lasts_days: int = Field(default=14, ge=1, le=90)
    most_uses: int = Field(default=1, ge=1, le=1_000)


class InvitationState(StrEnum):
    PENDING = "pending"
    USED = "used"
    EXPIRED = "expired"
    ENDED = "ended"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            InvitationState.PENDING: t("Pending"),
            InvitationState.USED: t("Used"),
            InvitationState.EXPIRED: t("Expired"),
            InvitationState.ENDED: t("Withdrawn or declined"),
        }[self]


class InvitationRead(BaseModel):
    """An invitation to a workspace, without the secret of its link. `invited_by` is the name of an account, or None once it
    is deleted."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    workspace_id: UUID
    workspace: str
    email: str | None
    role: WorkspaceRole
    most_uses: int
    uses: int
    invited_by: str | None
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None

    @computed_field
    @property
    def state(self) -> InvitationState:
        if self.uses >= self.most_uses:
            return InvitationState.USED
        if self.ended_at is not None:
            return InvitationState.ENDED
        return InvitationState.PENDING if self.expires_at > now() else InvitationState.EXPIRED


class InvitationSent(InvitationRead):
    """A new invitation with its link."""

    link: str


class InvitationQuery(PageRequest):
    """Which invitations of a workspace to list, newest first unless `sort` is email, role, created_at, or expires_at. `text` is part of
    an address."""

    sorts: ClassVar[tuple[str, ...]] = ("email", "role", "created_at", "expires_at")

    text: str = Field(default="", max_length=200)
    state: InvitationState | None = None


class Access(StrEnum):
    """What a chosen member may do with a restricted item, at most: the role in the workspace limits it, too."""

    VIEW = "view"
    COMMENT = "comment"
    EDIT = "edit"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {Access.VIEW: t("Can view"), Access.COMMENT: t("Can comment"), Access.EDIT: t("Can edit")}[self]

    def includes(self, other: Access) -> bool:
        order = list(Access)
        return order.index(self) >= order.index(other)


class ChosenMember(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    account_id: UUID
    access: Access = Access.VIEW


class RestrictionForm(BaseModel):
    """The only members who see the item. Who restricts it is always one of them, and may edit it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    members: tuple[ChosenMember, ...] = Field(default=(), max_length=1_000)


class ChosenMemberRead(BaseModel):
    """A chosen member of a restricted item."""

    model_config = ConfigDict(frozen=True)

    account_id: UUID
    name: str
    email: str
    access: Access


class RestrictionRead(BaseModel):
    """Who sees an item: its chosen members, or everyone in the workspace if it is not restricted."""

    model_config = ConfigDict(frozen=True)

    is_restricted: bool
    made_by: UUID | None = None
    """The account that made the item: as a member, it can always edit it."""
    members: tuple[ChosenMemberRead, ...] = ()


class RestrictedItemRead(BaseModel):
    """A restricted item as the owners of its workspace see it: without its title. `members` has the names of its chosen members."""

    model_config = ConfigDict(frozen=True)

    subject_id: UUID
    kind: str
    restricted_by: str
    """The name of the account; "" once it is deleted."""
    restricted_at: datetime
    members: tuple[str, ...]


class RestrictedItemQuery(PageRequest):
    """Which restricted items to list, newest first unless `sort` is kind or restricted_at."""

    sorts: ClassVar[tuple[str, ...]] = ("kind", "restricted_at")

    kind: str = Field(default="", max_length=40)
