"""Types of authentication that callers see: sign-in, second factors, sessions, and API tokens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from fundwright.accounts.schemas import Actor
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest


class SignInRefusal(StrEnum):
    """Why a sign-in was refused. Only `/api/account/login` distinguishes the first two, as the specification requires; what
    comes after `throttled` is shown only to people who know the password."""

    UNKNOWN_EMAIL = "unknown_email"
    WRONG_PASSWORD = "wrong_password"
    THROTTLED = "throttled"
    UNVERIFIED = "unverified"
    CODE_NEEDED = "code_needed"
    WRONG_CODE = "wrong_code"
    WRONG_PASSKEY = "wrong_passkey"


class SignInRefused(BaseModel):
    """A refused sign-in. It is a result rather than an error, so that the count of wrong passwords is committed."""

    model_config = ConfigDict(frozen=True)

    reason: SignInRefusal

    @computed_field
    @property
    def sentence(self) -> str:
        """The same for people who may not know the password: it does not show which accounts exist, or that a guess was right
        but too late."""
        match self.reason:
            case SignInRefusal.UNVERIFIED:
                return "Confirm your email address first: open the link in the email we sent you."
            case SignInRefusal.CODE_NEEDED:
                return "Two-step verification is on for this account. Also send the authenticator app's code as `code`."
            case SignInRefusal.WRONG_CODE:
                return "That code is wrong or was already used. Wait for the next one, or use a recovery code. After several wrong attempts, you'll have to wait 5 minutes."
            case SignInRefusal.WRONG_PASSKEY:
                return "That passkey doesn't match an account. Try again, or sign in with your password."
            case _:
                return "That email and password don't match an account. Check both and try again. After several wrong attempts, you'll have to wait 5 minutes."


class SignedIn(BaseModel):
    """A new session and its token. `max_age_s` is None if it ends with the browser. `device` is the secret for the device
    cookie of a browser that has just signed in."""

    model_config = ConfigDict(frozen=True)

    token: str
    actor: Actor
    max_age_s: int | None
    device: str = ""


class SecondStep(BaseModel):
    """The password was right, and the account requires a second factor. `pending` identifies the sign-in for five minutes."""

    model_config = ConfigDict(frozen=True)

    pending: str


class SecondFactorRead(BaseModel):
    """Whether signing in requires a code in addition to the password. `recovery_codes` is the number of unused codes."""

    model_config = ConfigDict(frozen=True)

    since: datetime | None
    recovery_codes: int

    @property
    def is_on(self) -> bool:
        return self.since is not None


class SecondFactorSetUp(BaseModel):
    """The data for an authenticator app. `address` contains the `secret`, and `picture` is the address as a QR code (an SVG
    image in a data URL)."""

    model_config = ConfigDict(frozen=True)

    secret: str
    address: str
    picture: str


class RecoveryCodes(BaseModel):
    """New recovery codes, which can be seen only once. Each is valid for one sign-in."""

    model_config = ConfigDict(frozen=True)

    codes: list[str]


class PasskeyRead(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


class ResetRead(BaseModel):
    """Ways to sign in that outlast a password reset, unless the holder of the link removes them. `authenticator_since` is None
    if two-step verification is off."""

    model_config = ConfigDict(frozen=True)

    passkeys: list[PasskeyRead]
    authenticator_since: datetime | None


class ResetChoices(BaseModel):
    """What ends with the old password: every session and API token, and these passkeys and the authenticator app. With
    two-step verification on, removing one of the latter requires a `code` of the app or a recovery code."""

    model_config = ConfigDict(frozen=True)

    end_everything: bool = True
    remove_passkeys: tuple[UUID, ...] = Field(default=(), max_length=100)
    remove_authenticator: bool = False
    code: str = Field(default="", max_length=100)

    @classmethod
    def everything(cls, passkeys: Iterable[UUID]) -> ResetChoices:
        """Revoke everything."""
        return cls(remove_passkeys=tuple(passkeys), remove_authenticator=True)

    @property
    def removes(self) -> bool:
        """Whether a way to sign in is removed."""
        return self.remove_authenticator or bool(self.remove_passkeys)


class ResetDone(BaseModel):
    """A new password was set. On a device with the cookie whose secret is `device`, wrong passwords entered by others do not keep
    the owner from signing in. `is_signed_out`: sessions were ended."""

    model_config = ConfigDict(frozen=True)

    device: str
    is_signed_out: bool


class SessionQuery(PageRequest):
    """Which sessions to list, the last used ones first unless `sort` is created_at."""

    sorts: ClassVar[tuple[str, ...]] = ("created_at",)


class ApiTokenQuery(PageRequest):
    """Which API tokens to list, newest first unless `sort` is name, expires_at, or last_used_at."""

    sorts: ClassVar[tuple[str, ...]] = ("name", "expires_at", "last_used_at")


class SessionRead(BaseModel):
    """A session of an account."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    user_agent: str
    address: str


class TokenScope(StrEnum):
    READ = "read"
    WRITE = "write"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            TokenScope.READ: t("Read"),
            TokenScope.WRITE: t("Read and write"),
        }[self]


class ApiTokenRead(BaseModel):
    """An API token without its secret. `prefix` is the part that is safe to show."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    name: str
    scope: TokenScope
    prefix: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class ApiTokenCreated(ApiTokenRead):
    """A new API token: the only time `secret` can be seen."""

    secret: str
