"""Emails of workspaces, in the language of their recipient, or else of the sender if the address has no account."""

from __future__ import annotations

from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, nt, t, using_language


def invitation(recipient: str, language: Language, *, inviter: str, workspace: str, lasts_days: int, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("{name} invited you to the workspace “{workspace}”", name=inviter, workspace=workspace),
            (
                t(
                    "{name} invited you to work together in the Fundwright workspace “{workspace}”.",
                    name=inviter,
                    workspace=workspace,
                ),
                nt(
                    "Sign in with this address to join. The invitation expires in {n} day.",
                    "Sign in with this address to join. The invitation expires in {n} days.",
                    lasts_days,
                ),
            ),
            (t("View invitation"), link),
            language,
            kind=MailKind.INVITATION,
        )
