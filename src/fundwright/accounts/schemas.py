"""Actors, roles, permissions, and accounts as their owners and administrators see them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from fundwright.accounts import locale_data
from fundwright.core.days import Day
from fundwright.core.jobs import JobRead
from fundwright.core.messages import Language, t
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import Scope

_PHONE = re.compile(r"\+?[\d\s()./-]+(?:\s?(?:ext|x)\.?\s?\d{1,6})?", re.IGNORECASE)


class Role(StrEnum):
    """What an account may do in the installation; `GRANTED` lists the permissions of each role."""

    USER = "user"
    ADMIN = "admin"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {Role.USER: t("User"), Role.ADMIN: t("Administrator")}[self]


class Permission(StrEnum):
    """What a service requires of its actor."""

    READ = "read"
    """View opportunities and the account's own data, and manage the account."""
    LABEL = "label"
    """Create categories, run the classifier, decide on its suggestions, and comment."""
    WORK = "work"
    """Import, upload, train, and draft."""
    ADMINISTER = "administer"
    """View usage and everyone's jobs, and manage accounts, plans, payments, the blog, and feedback."""


GRANTED: Mapping[Role, frozenset[Permission]] = {
    Role.USER: frozenset({Permission.READ, Permission.LABEL, Permission.WORK}),
    Role.ADMIN: frozenset(Permission),
}


class WorkspaceRole(StrEnum):
    """What a member may do in a workspace, at most; `GRANTED_IN_WORKSPACE` lists the permissions."""

    OWNER = "owner"
    EDITOR = "editor"
    REVIEWER = "reviewer"
    VIEWER = "viewer"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            WorkspaceRole.OWNER: t("Owner"),
            WorkspaceRole.EDITOR: t("Editor"),
            WorkspaceRole.REVIEWER: t("Reviewer"),
            WorkspaceRole.VIEWER: t("Viewer"),
        }[self]


GRANTED_IN_WORKSPACE: Mapping[WorkspaceRole, frozenset[Permission]] = {
    WorkspaceRole.OWNER: frozenset({Permission.READ, Permission.LABEL, Permission.WORK}),
    WorkspaceRole.EDITOR: frozenset({Permission.READ, Permission.LABEL, Permission.WORK}),
    WorkspaceRole.REVIEWER: frozenset({Permission.READ, Permission.LABEL}),
    WorkspaceRole.VIEWER: frozenset({Permission.READ}),
}
"""ADMINISTER is for the installation and does not depend on a workspace."""
_OF_WORKSPACES = GRANTED_IN_WORKSPACE[WorkspaceRole.OWNER]


class AccountState(StrEnum):
    """The email address of an `unconfirmed` account has not been confirmed yet."""

    ACTIVE = "active"
    UNCONFIRMED = "unconfirmed"
    DISABLED = "disabled"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            AccountState.ACTIVE: t("Active"),
            AccountState.UNCONFIRMED: t("Not confirmed"),
            AccountState.DISABLED: t("Disabled"),
        }[self]


class Actor(BaseModel):
    """Who acts: the account behind a request, a socket, a job, or a command. `session_id` is None outside of a browser."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    email: str
    name: str
    role: Role
    workspace_id: UUID = Field(default_factory=lambda data: data["id"])
    """The workspace in which the account acts. Its personal one has its own id."""
    workspace_role: WorkspaceRole = WorkspaceRole.OWNER
    is_support: bool = False
    """An administrator who is not a member of the workspace, and may view it while its owners allow support access."""
    session_id: UUID | None = None
    language: Language | None = None
    """The language chosen under Settings, on any device."""
    is_program: bool = False
    """It uses an API token, so it cannot re-authenticate."""
    time_zone: str | None = None
    """The time zone for times, unless it is the browser's."""
    browser_time_zone: str | None = None
    """The time zone of the browser, if it is known."""
    photo_url: str | None = None
    is_confirmed: bool = True
    """The email address has been confirmed. Until then, the account may only read."""

    @property
    def is_in_shared_workspace(self) -> bool:
        """Whether it acts in a workspace that others may belong to."""
        return self.workspace_id != self.id

    @property
    def scope(self) -> Scope:
        """What database sessions that act for the actor may see."""
        return Scope(workspace_id=self.workspace_id, account_id=self.id)

    def may(self, permission: Permission) -> bool:
        """Whether the actor has the permission. Screens offer nothing else."""
        return (
            permission in GRANTED[self.role]
            and (permission not in _OF_WORKSPACES or permission in GRANTED_IN_WORKSPACE[self.workspace_role])
            and (self.is_confirmed or permission is Permission.READ)
        )


class AccountRead(BaseModel):
    """An account as administrators and the command line see it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    email: str
    name: str
    role: Role
    language: Language | None
    created_at: datetime
    last_signed_in_at: datetime | None
    verified_at: datetime | None
    disabled_at: datetime | None

    @property
    def state(self) -> AccountState:
        if self.disabled_at is not None:
            return AccountState.DISABLED
        return AccountState.ACTIVE if self.verified_at is not None else AccountState.UNCONFIRMED


class PeopleQuery(PageRequest):
    """Which accounts to list. `text` is part of a name or an email; sort by email, name, role, created_at, or
    last_signed_in_at."""

    sorts: ClassVar[tuple[str, ...]] = ("email", "name", "role", "created_at", "last_signed_in_at")

    text: str = Field(default="", max_length=200)
    role: Role | None = None
    state: AccountState | None = None


class AuditRead(BaseModel):
    """An entry of the audit trail. `actor_email` is None if nobody was signed in, or the command line acted."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    at: datetime
    actor_email: str | None
    action: str
    subject: str
    address: str
    details: dict[str, str]


class AuditQuery(PageRequest):
    """Which entries to list, newest first unless `sort` is `at`. `text` is part of the action, the actor, the subject, or the
    address."""

    sorts: ClassVar[tuple[str, ...]] = ("at",)

    text: str = Field(default="", max_length=200)
    first: Day | None = None
    last: Day | None = None


class AccountUser(BaseModel):
    """The `user` of `/api/account/*`, in the field names of the product specification."""

    model_config = ConfigDict(frozen=True, from_attributes=True, alias_generator=to_camel, populate_by_name=True)

    id: UUID
    display_name: str
    email: str
    photo_url: str | None = Field(alias="photoURL")
    phone_number: str | None
    country: str | None
    address: str | None
    state: str | None
    city: str | None
    zip_code: str | None
    about: str | None
    role: Role
    is_public: bool


class AccountProfile(AccountUser):
    """The account as its own page shows it."""

    language: Language | None
    time_zone: str | None


def _collapse_spaces(value: Any) -> Any:
    return " ".join(value.replace("\x00", " ").split()) if isinstance(value, str) else value


def _collapse_lines(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    lines = (_collapse_spaces(line) for line in value.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


_NothingChosen = BeforeValidator(lambda value: value or None)


_Line = BeforeValidator(_collapse_spaces)


class ProfileChange(BaseModel):
    """A whole profile: "" empties a field. `country` is an ISO 3166 code."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    display_name: Annotated[str, Field(min_length=1, max_length=200), _Line]
    phone_number: Annotated[str, Field(max_length=40), _Line] = ""
    country: Annotated[str, Field(max_length=2), _Line] = ""
    address: Annotated[str, Field(max_length=200), _Line] = ""
    state: Annotated[str, Field(max_length=100), _Line] = ""
    city: Annotated[str, Field(max_length=100), _Line] = ""
    zip_code: Annotated[str, Field(max_length=20), _Line] = ""
    about: Annotated[str, Field(max_length=2_000), BeforeValidator(_collapse_lines)] = ""
    is_public: bool = False

    @field_validator("phone_number")
    @classmethod
    def _require_phone_number(cls, number: str) -> str:
        if number and not (_PHONE.fullmatch(number) and 5 <= sum(map(str.isdigit, number)) <= 20):
            raise ValueError(t("Enter a phone number such as +1 202 555 0100, or leave the field empty."))
        return number

    @field_validator("country")
    @classmethod
    def _require_known_country(cls, code: str) -> str:
        if code and code not in locale_data.country_codes():
            raise ValueError(t("Choose a country from the list."))
        return code


class LocaleChange(BaseModel):
    """Preferences of the account. None follows the browser."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    language: Annotated[Language | None, _NothingChosen] = None
    time_zone: Annotated[Annotated[str, Field(max_length=100)] | None, _NothingChosen] = None


class DataCopyRead(BaseModel):
    """An archive of the account's data. It can be downloaded once `job` has succeeded, until `expires_at`."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    job: JobRead
    size_bytes: int | None
    created_at: datetime
    expires_at: datetime


class Client(BaseModel):
    """The origin of a request: the peer's address (or that of a trusted proxy's client) and its user agent."""

    model_config = ConfigDict(frozen=True)

    address: str
    user_agent: str = ""
    is_browser: bool = False
    """It accepts cookies, so it can be remembered."""
    device: str = ""
    """Digest of the secret in its device cookie, if it has one."""


COMMAND_LINE = Client(address="command line")
"""The origin of commands."""
UPGRADE = Client(address="upgrade")
"""The origin of what a migration changed."""
