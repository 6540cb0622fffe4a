"""Emails about authentication, in the language of their recipient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, current_language, t, using_language


def reset(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Choose a new password"),
            (
                t("We received a request to reset the password of your Fundwright account."),
                t(
                    "The link works once and expires in an hour. If you did not request this, ignore this email; your password stays the same."
                ),
            ),
            (t("Choose a new password"), link),
            language,
            kind=MailKind.PASSWORD_RESET,
        )


def verification(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Confirm your email address"),
            (
                t("A Fundwright account was registered with this address."),
                t("Open the link within a day and enter the password you chose to sign in."),
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


async def notify_owner(session: AsyncSession, core: Core, account: Account, news: SecurityNews, *, what: str = "") -> None:
    """Email the owner that a way to sign in to the account has changed. `what` is the name of a passkey."""
    language, link = accounts.language_of(account, otherwise=current_language()), f"{core.settings.address}/auth/reset-password"
    await mail.post(session, core, _security(account.email, language, news, what=what, link=link), recipient_id=account.id)


def _security(recipient: str, language: Language, news: SecurityNews, *, what: str, link: str) -> OutgoingEmail:
    with using_language(language):
        subject, sentence = {
            MailKind.SECOND_FACTOR_ON: (
                t("Two-step verification turned on"),
                t("Signing in to your Fundwright account now requires a code from your authenticator app."),
            ),
            MailKind.SECOND_FACTOR_OFF: (
                t("Two-step verification turned off"),
                t("The second factor of your Fundwright account was removed. Your password alone is now enough to sign in."),
            ),
            MailKind.RECOVERY_CODE_USED: (
                t("A recovery code was used"),
                t("A recovery code was used to sign in to your Fundwright account instead of the authenticator app."),
            ),
            MailKind.PASSKEY_ADDED: (
                t("A passkey was added"),
                t("The passkey {name} can now sign in to your Fundwright account.", name=what),
            ),
            MailKind.PASSKEY_REMOVED: (
                t("A passkey was removed"),
                t("The passkey {name} can no longer sign in to your Fundwright account.", name=what),
            ),
        }[news]
        return OutgoingEmail(
            recipient,
            subject,
            (sentence, t("If this wasn't you, use the link below to choose a new password right away. This ends all sessions.")),
            (t("Choose a new password"), link),
            language,
            kind=news,
        )


def session_replayed(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("You were signed out for your security"),
            (
                t("Someone used an old copy of one of your Fundwright sessions, so we ended that session."),
                t(
                    "If you restored a browser or copied its data, sign in again. If not, use the link below to choose a new password."
                ),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.SESSION_REPLAYED,
        )


@dataclass(frozen=True)
class Ended:
    """What ended with an old password. `is_everything`: no session and no API token is left."""

    is_everything: bool
    sessions: bool
    api_tokens: Sequence[str]
    passkeys: Sequence[str]
    authenticator: bool


def password_reset(recipient: str, language: Language, *, ended: Ended, passkeys_kept: Sequence[str], link: str) -> OutgoingEmail:
    with using_language(language):
        changes = [
            t("All sessions of the account were ended, and all API tokens were revoked.") if ended.sessions else "",
            "" if ended.is_everything else t("The sessions and API tokens of the account were kept."),
            t("Revoked API tokens: {names}", names=_listed(ended.api_tokens)) if ended.api_tokens else "",
            t("Removed passkeys: {names}", names=_listed(ended.passkeys)) if ended.passkeys else "",
            t("The authenticator app was removed: two-step verification is off.") if ended.authenticator else "",
            t("Passkeys that can still sign in: {names}", names=_listed(passkeys_kept)) if passkeys_kept else "",
        ]
        return OutgoingEmail(
            recipient,
            t("Your password was changed"),
            (
                t("The password of your Fundwright account was changed through a link in an email."),
                *filter(None, changes),
                t("If this wasn't you, use the link below to choose a new one right away."),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.PASSWORD_CHANGED,
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(t("“{name}”", name=name) for name in names)


def own_password_changed(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your password was changed"),
            (
                t("The password of your Fundwright account was changed, and all other sessions were ended."),
                t("If this wasn't you, use the link below to choose a new one right away."),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.PASSWORD_CHANGED,
        )


def confirm_new_email(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Confirm your new email address"),
            (
                t("Someone, probably you, wants to use this address for a Fundwright account."),
                t("The link works once and expires in an hour. If this wasn't you, ignore this email."),
            ),
            (t("Confirm your new email address"), link),
            language,
            kind=MailKind.NEW_EMAIL_CONFIRMATION,
        )


def address_in_use(recipient: str, language: Language) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("You already have an account"),
            (
                t(
                    "Someone, probably you, tried to use this address for another Fundwright account. The address already has an account, so nothing changed."
                ),
                t("To use it there, change the address of this account or delete this account first."),
            ),
            None,
            language,
            kind=MailKind.ACCOUNT_EXISTS,
        )


def email_changes(recipient: str, language: Language, *, new: str, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your email address is about to change"),
            (
                t(
                    "Someone who knows your password asked to change the email address of your Fundwright account to {new}.",
                    new=new,
                ),
                t(
                    "The change takes effect once it is confirmed from that address. If this wasn't you, use the link below to choose a new password right away."
                ),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.EMAIL_CHANGE,
            addresses=(new,),
        )


def api_token_created(recipient: str, language: Language, *, name: str, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("An API token was created"),
            (
                t(
                    "The API token “{name}” was created for your Fundwright account. Programs that have it can act on your behalf.",
                    name=name,
                ),
                t("If this wasn't you, use the link below to revoke it, and change your password."),
            ),
            (t("Your API tokens"), link),
            language,
            kind=MailKind.API_TOKEN_CREATED,
        )
