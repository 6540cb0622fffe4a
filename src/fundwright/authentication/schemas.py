"""Signing in, second factors, sessions, and API tokens, as callers see them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from fundwright.accounts.schemas import Actor
from fundwright.core.messages import t


class Refusal(StrEnum):
    """Why nobody was signed in. Only `/api/account/login` tells the first two apart, as the specification asks; what comes after
    `throttled` is told to those alone who know the password."""

    UNKNOWN_EMAIL = "unknown_email"
    WRONG_PASSWORD = "wrong_password"
    THROTTLED = "throttled"
    UNVERIFIED = "unverified"
    CODE_NEEDED = "code_needed"
    WRONG_CODE = "wrong_code"
    WRONG_PASSKEY = "wrong_passkey"


class SignInRefused(BaseModel):
    """A refused sign-in. It is an answer rather than an error, so that the count of wrong passwords is committed."""

    model_config = ConfigDict(frozen=True)

    reason: Refusal

    @computed_field
    @property
    def sentence(self) -> str:
        """The same for whoever may not know the password: nobody learns which accounts exist, or that a guess was right but too
        late."""
        match self.reason:
            case Refusal.UNVERIFIED:
                return "Confirm your email address first: open the link in the email we sent you."
            case Refusal.CODE_NEEDED:
                return "Two-step verification is on for this account. Send the authenticator app's code as `code`, too."
            case Refusal.WRONG_CODE:
                return "That code is wrong or was already used. Wait for the next one, or use a recovery code. After several wrong attempts, you'll have to wait 5 minutes."
            case Refusal.WRONG_PASSKEY:
                return "That passkey doesn't match an account. Try again, or sign in with your password."
            case _:
                return "That email and password don't match an account. Check both and try again. After several wrong attempts, you'll have to wait 5 minutes."


class SignedIn(BaseModel):
    """A new session and the token that names it. `max_age_s` is None when it ends with the browser. `device` is the secret for the
    device cookie of a browser that has just signed in."""

    model_config = ConfigDict(frozen=True)

    token: str
    actor: Actor
    max_age_s: int | None
    device: str = ""


class SecondStep(BaseModel):
    """The password was right, and the account asks for a second factor. `pending` stands for the sign-in for five minutes."""

    model_config = ConfigDict(frozen=True)

    pending: str


class SecondFactorRead(BaseModel):
    """Whether signing in takes a code besides the password. `recovery_codes` are those not used yet."""

    model_config = ConfigDict(frozen=True)

    since: datetime | None
    recovery_codes: int

    @property
    def is_on(self) -> bool:
        return self.since is not None


class SecondFactorSetUp(BaseModel):
    """What an authenticator app has to know. `address` holds the same as `secret`, and `picture` is it as a QR code (an SVG image
    in a data URL)."""

    model_config = ConfigDict(frozen=True)

    secret: str
    address: str
    picture: str


class RecoveryCodes(BaseModel):
    """Right after they were made: the only time they can be seen. Each is good for one sign-in."""

    model_config = ConfigDict(frozen=True)

    codes: list[str]


class PasskeyRead(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


class ResetRead(BaseModel):
    """Ways to sign in that outlast a new password, unless the holder of the link removes them. `authenticator_since` is None when
    two-step verification is off."""

    model_config = ConfigDict(frozen=True)

    passkeys: list[PasskeyRead]
    authenticator_since: datetime | None


class ResetChoices(BaseModel):
    """What ends with the old password: every session and API token, and these passkeys and the authenticator app. Removing one of the
    latter takes a `code` of the app, or a recovery code, when two-step verification is on."""

    model_config = ConfigDict(frozen=True)

    end_everything: bool = True
    remove_passkeys: tuple[UUID, ...] = Field(default=(), max_length=100)
    remove_authenticator: bool = False
    code: str = Field(default="", max_length=100)

    @classmethod
    def everything(cls, passkeys: Iterable[UUID]) -> ResetChoices:
        """End and remove all there is."""
        return cls(remove_passkeys=tuple(passkeys), remove_authenticator=True)

    @property
    def removes(self) -> bool:
        """Whether a way to sign in is removed."""
        return self.remove_authenticator or bool(self.remove_passkeys)


class SessionRead(BaseModel):
    """One place where an account is signed in."""

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
    """An API token right after it was made: the only time `secret` can be seen."""

    secret: str
