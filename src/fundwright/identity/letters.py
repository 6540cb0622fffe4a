"""What identity writes to people, in their language."""

from __future__ import annotations

from fundwright.core.mail import Letter
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
        )


def already_registered(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("You have an account already"),
            (
                t("Somebody, probably you, tried to register at Fundwright with this address, which has an account."),
                t("Sign in with your password, or choose a new one by the link below."),
            ),
            (t("Forgot your password?"), link),
            language,
        )


def invitation(recipient: str, language: Language, *, inviter: str, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("{name} invites you to Fundwright", name=inviter),
            (
                t("{name} has invited you to work together at Fundwright.", name=inviter),
                t("The link works once, within two weeks."),
            ),
            (t("Accept the invitation"), link),
            language,
        )


def password_changed(recipient: str, language: Language, *, link: str) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Your password was changed"),
            (
                t("The password of your account at Fundwright was changed, and every session of it was ended."),
                t("If it was not you, choose a new one at once by the link below."),
            ),
            (t("Forgot your password?"), link),
            language,
        )


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
        )


def account_deleted(recipient: str, language: Language) -> Letter:
    with speaking(language):
        return Letter(
            recipient,
            t("Your account is deleted"),
            (
                t("Your account at Fundwright and everything that belonged to it were deleted, as you asked."),
                t("Invoices, and the record that this was done, are kept. This is the last letter to this address."),
            ),
            None,
            language,
        )
