"""Emails about registration, invitations, roles, and disabled accounts, in the language of their recipient."""

from __future__ import annotations

from fundwright.accounts.schemas import Role
from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, t, using_language


def already_registered(recipient: str, language: Language, *, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("You already have an account"),
            (
                t("Someone, probably you, tried to register a Fundwright account with this address, which already has one."),
                t("Sign in with your password, or use the link below to choose a new one."),
            ),
            (t("Forgot your password?"), link),
            language,
            kind=MailKind.ACCOUNT_EXISTS,
        )


def invitation(recipient: str, language: Language, *, inviter: str, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("{name} invited you to Fundwright", name=inviter),
            (
                t("{name} invited you to collaborate in Fundwright.", name=inviter),
                t("The link works once and expires in two weeks."),
            ),
            (t("Accept invitation"), link),
            language,
            kind=MailKind.INVITATION,
        )


def role_changed(
    recipient: str, language: Language, *, role: Role, by_operator: bool, is_signed_out: bool, link: str
) -> OutgoingEmail:
    """`by_operator`: by a command on the server, which names no administrator. `is_signed_out`: sessions were ended."""
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your role was changed"),
            (
                t("The operator of the server changed the role of your Fundwright account to {role}.", role=role.label)
                if by_operator
                else t("An administrator changed the role of your Fundwright account to {role}.", role=role.label),
                *([t("You were signed out everywhere.")] if is_signed_out else []),
                t("If you did not expect this, contact an administrator."),
            ),
            (t("Sign in"), link),
            language,
            kind=MailKind.ROLE_CHANGED,
        )


def account_disabled(recipient: str, language: Language, *, by_operator: bool, is_signed_out: bool) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your account was disabled"),
            (
                t("The operator of the server disabled your Fundwright account. You cannot sign in.")
                if by_operator
                else t("An administrator disabled your Fundwright account. You cannot sign in."),
                *([t("You were signed out everywhere.")] if is_signed_out else []),
                t("If you did not expect this, contact an administrator."),
            ),
            None,
            language,
            kind=MailKind.ACCOUNT_DISABLED,
        )


def account_enabled(recipient: str, language: Language, *, by_operator: bool, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your account was enabled"),
            (
                t("The operator of the server enabled your Fundwright account. You can sign in again.")
                if by_operator
                else t("An administrator enabled your Fundwright account. You can sign in again."),
                t("If you did not expect this, contact an administrator."),
            ),
            (t("Sign in"), link),
            language,
            kind=MailKind.ACCOUNT_ENABLED,
        )
