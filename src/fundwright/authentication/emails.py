"""Emails about signing in, in the language of their recipient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fundwright.core.mail import Letter, MailKind
from fundwright.core.messages import Language, speaking, t


def reset(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Choose a new password"),
            (
                t("Somebody, probably you, asked for a new password for your account at Fundwright."),
                t("The link works once, within an hour. If it was not you, your password stays as it is."),
            ),
            (t("Choose a new password"), link),
            language,
            kind=MailKind.PASSWORD_RESET,
        )


def verification(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Confirm your email address"),
            (
                t("An account at Fundwright was registered with this address."),
                t("Follow the link within a day and enter the password that you chose; then you are signed in."),
            ),
            (t("Confirm your email address"), link),
            language,
            kind=MailKind.EMAIL_CONFIRMATION,
        )


SecurityNews = Literal[
    MailKind.SECOND_FACTOR_ON,
    MailKind.SECOND_FACTOR_OFF,
    MailKind.RECOVERY_CODE_USED,
    MailKind.PASSKEY_ADDED,
    MailKind.PASSKEY_REMOVED,
]


def security(recipient: str, language: Language, news: SecurityNews, *, link: str, what: str = "") -> Letter:
    """How one signs in to the account has changed. `what` is the name of a passkey."""
    with speaking(language):
        subject, sentence = {
            MailKind.SECOND_FACTOR_ON: (
                t("Two-step verification is on"),
                t("Signing in to your account at Fundwright takes a code of your authenticator app from now on."),
            ),
            MailKind.SECOND_FACTOR_OFF: (
                t("Two-step verification is off"),
                t("The second factor of your account at Fundwright was removed: the password alone opens it now."),
            ),
            MailKind.RECOVERY_CODE_USED: (
                t("A recovery code was used"),
                t("Somebody used a recovery code of your account at Fundwright instead of the authenticator app."),
            ),
            MailKind.PASSKEY_ADDED: (
                t("A passkey was added"),
                t("The passkey {name} opens your account at Fundwright from now on.", name=what),
            ),
            MailKind.PASSKEY_REMOVED: (
                t("A passkey was removed"),
                t("The passkey {name} does not open your account at Fundwright any more.", name=what),
            ),
        }[news]
        return Letter(
            recipient,
            subject,
            (sentence, t("If it was not you, choose a new password at once by the link below; that ends every session.")),
            (t("Choose a new password"), link),
            language,
            kind=news,
        )


def session_replayed(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("You were signed out for your safety"),
            (
                t("Somebody used an old copy of your sign-in to Fundwright, so that sign-in was ended."),
                t(
                    "If you restored a browser or copied its data, sign in again; if not, choose a new password by the link below."
                ),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.SESSION_REPLAYED,
        )


@dataclass(frozen=True)
class Ended:
    """What ended with an old password."""

    sessions: bool
    api_tokens: Sequence[str]
    passkeys: Sequence[str]
    authenticator: bool


def password_reset(recipient: str, language: Language, *, ended: Ended, passkeys_kept: Sequence[str], link: str) -> Letter:
    with speaking(language):
        changes = [
            t("All sessions of the account were ended, and all API tokens were revoked.")
            if ended.sessions
            else t("The sessions and API tokens of the account were kept."),
            t("Revoked API tokens: {names}", names=_listed(ended.api_tokens)) if ended.api_tokens else "",
            t("Removed passkeys: {names}", names=_listed(ended.passkeys)) if ended.passkeys else "",
            t("The authenticator app was removed: two-step verification is off.") if ended.authenticator else "",
            t("Passkeys that can still sign in: {names}", names=_listed(passkeys_kept)) if passkeys_kept else "",
        ]
        return Letter(
            recipient,
            t("Your password was changed"),
            (
                t("The password of your Fundwright account was changed through a link in an email."),
                *filter(None, changes),
                t("If it was not you, choose a new one at once by the link below."),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.PASSWORD_CHANGED,
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def own_password_changed(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Your password was changed"),
            (
                t("You changed the password of your account at Fundwright, and every other session of it was ended."),
                t("If it was not you, choose a new one at once by the link below."),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.PASSWORD_CHANGED,
        )


def confirm_new_email(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Confirm your new email address"),
            (
                t("Somebody, probably you, wants to use this address for an account at Fundwright."),
                t("The link works once, within an hour. If it was not you, nothing changes."),
            ),
            (t("Confirm your new email address"), link),
            language,
            kind=MailKind.NEW_EMAIL_CONFIRMATION,
        )


def email_wanted(recipient: str, language: Language) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("You have an account already"),
            (
                t(
                    "Somebody, probably you, wanted to use this address for another account at Fundwright. It has one, so nothing changes."
                ),
                t("To use it there, give this account another address or delete it first."),
            ),
            None,
            language,
            kind=MailKind.ACCOUNT_EXISTS,
        )


def email_changes(recipient: str, language: Language, *, new: str, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Your email address is about to change"),
            (
                t("Somebody who knows your password wants to use {new} for your account at Fundwright.", new=new),
                t(
                    "It counts once it is confirmed from there. If it was not you, choose a new password at once by the link below."
                ),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.EMAIL_CHANGE,
        )


def token_made(recipient: str, language: Language, *, name: str, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("An API token was made"),
            (
                t(
                    "The API token “{name}” was made for your account at Fundwright. Programs that have it act for you.",
                    name=name,
                ),
                t("If it was not you, revoke it by the link below and change your password."),
            ),
            (t("Your API tokens"), link),
            language,
            kind=MailKind.API_TOKEN_CREATED,
        )
