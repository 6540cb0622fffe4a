"""Who somebody is, what their role permits, and what accounts look like to their owners and to administrators."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from fundwright.accounts import locale_data
from fundwright.core.days import Day
from fundwright.core.jobs import JobRead
from fundwright.core.messages import Language, t
from fundwright.core.paging import PageRequest

_PHONE = re.compile(r"\+?[\d\s()./-]+(?:\s?(?:ext|x)\.?\s?\d{1,6})?", re.IGNORECASE)


class Role(StrEnum):
    """What an account is for; `GRANTED` says what each may do."""

    USER = "user"
    ADMIN = "admin"
    VIEWER = "viewer"
    REVIEWER = "reviewer"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            Role.USER: t("User"),
            Role.ADMIN: t("Administrator"),
            Role.VIEWER: t("Viewer"),
            Role.REVIEWER: t("Reviewer"),
        }[self]


class Permission(StrEnum):
    """What a service asks of whoever calls it."""

    READ = "read"
    """Look at opportunities and at what is one's own, and look after one's own account."""
    LABEL = "label"
    """Create categories, run the classifier, and decide on its suggestions."""
    WORK = "work"
    """Import, upload, train and draft."""
    OVERSEE = "oversee"
    """See usage, everybody's runs, payments, feedback and who subscribes, without changing any of it."""
    ADMINISTER = "administer"
    """Change accounts, plans, payments, the blog and what visitors sent."""


GRANTED: Mapping[Role, frozenset[Permission]] = {
    Role.USER: frozenset({Permission.READ, Permission.LABEL, Permission.WORK}),
    Role.REVIEWER: frozenset({Permission.READ, Permission.LABEL, Permission.OVERSEE}),
    Role.VIEWER: frozenset({Permission.READ, Permission.OVERSEE}),
    Role.ADMIN: frozenset(Permission),
}


class AccountState(StrEnum):
    """An account that is `unconfirmed` has not shown yet that letters to its address arrive."""

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
    """Whoever acts: the account behind a request, a socket, a job or a command. `session_id` is None outside a browser."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    email: str
    name: str
    role: Role
    session_id: UUID | None = None
    language: Language | None = None
    """The one chosen under Settings, on whatever browser."""
    is_program: bool = False
    """It holds an API token: nobody can be asked who they are."""
    time_zone: str | None = None
    """The one that times are shown in, if it is not to be the browser's."""
    photo_url: str | None = None
    is_confirmed: bool = True
    """The email address has been confirmed. Until then, the account may only read."""

    def may(self, permission: Permission) -> bool:
        """Whether services do it for the actor. Screens offer nothing else."""
        return permission in GRANTED[self.role] and (self.is_confirmed or permission is Permission.READ)


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
    """Which accounts to list. `text` is part of a name or an email; sort by email, name, role, created_at or last_signed_in_at."""

    text: str = Field(default="", max_length=200)
    role: Role | None = None
    state: AccountState | None = None


class AuditRead(BaseModel):
    """A line of the audit trail. `actor_email` is None when nobody was signed in, or the command line acted."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    at: datetime
    actor_email: str | None
    action: str
    subject: str
    address: str
    details: dict[str, Any]


class AuditQuery(PageRequest):
    """Which lines to list, newest first unless `sort` is `at`. `text` is part of the action, of who acted, of what or of where from."""

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
    """One's own account as its page shows it."""

    language: Language | None
    time_zone: str | None


def _without_spare_space(value: Any) -> Any:
    return " ".join(value.replace("\x00", " ").split()) if isinstance(value, str) else value


def _without_spare_lines(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    lines = (_without_spare_space(line) for line in value.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


_NothingChosen = BeforeValidator(lambda value: value or None)


_Line = BeforeValidator(_without_spare_space)


class ProfileChange(BaseModel):
    """What people say about themselves. All of it is written; "" empties a field. `country` is an ISO 3166 code."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    display_name: Annotated[str, Field(min_length=1, max_length=200), _Line]
    phone_number: Annotated[str, Field(max_length=40), _Line] = ""
    country: Annotated[str, Field(max_length=2), _Line] = ""
    address: Annotated[str, Field(max_length=200), _Line] = ""
    state: Annotated[str, Field(max_length=100), _Line] = ""
    city: Annotated[str, Field(max_length=100), _Line] = ""
    zip_code: Annotated[str, Field(max_length=20), _Line] = ""
    about: Annotated[str, Field(max_length=2_000), BeforeValidator(_without_spare_lines)] = ""
    is_public: bool = False

    @field_validator("phone_number")
    @classmethod
    def _can_be_called(cls, number: str) -> str:
        if number and not (_PHONE.fullmatch(number) and 5 <= sum(map(str.isdigit, number)) <= 20):
            raise ValueError(t("Enter a phone number such as +1 202 555 0100, or leave the field empty."))
        return number

    @field_validator("country")
    @classmethod
    def _is_on_the_map(cls, code: str) -> str:
        if code and code not in locale_data.country_codes():
            raise ValueError(t("Choose a country from the list."))
        return code


class LocaleChange(BaseModel):
    """How things are written for the account. None follows the browser."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    language: Annotated[Language | None, _NothingChosen] = None
    time_zone: Annotated[Annotated[str, Field(max_length=100)] | None, _NothingChosen] = None


class DataCopyRead(BaseModel):
    """An archive of one's own data. It can be downloaded once `job` has succeeded, until `expires_at`."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    job: JobRead
    size_bytes: int | None
    created_at: datetime
    expires_at: datetime


class Client(BaseModel):
    """Where a request comes from: the peer's address (of a trusted proxy's client, never a stranger's word) and its user agent."""

    model_config = ConfigDict(frozen=True)

    address: str
    user_agent: str = ""
    is_browser: bool = False
    """It can be remembered by a cookie."""
    device: str = ""
    """Digest of the secret in its device cookie, if it sends one."""


COMMAND_LINE = Client(address="command line")
"""Where commands come from."""
