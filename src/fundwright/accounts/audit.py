"""The audit trail: who did what, when, and from where."""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import repository
from fundwright.accounts.models import AuditEntry
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, UPGRADE, Actor, AuditQuery, AuditRead, Client, Permission
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.keys import lasting_key
from fundwright.core.logs import masked
from fundwright.core.messages import Message, later, t
from fundwright.core.paging import Page
from fundwright.core.spreadsheets import csv_lines

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SECRET_NAME = re.compile(r"password|token|secret|authorization|cookie|api_?key", re.IGNORECASE)
_MAX_LENGTH = 300


_LABELS: Mapping[str, Message] = {
    "account.created": later("Account created"),
    "account.deleted": later("Account deleted"),
    "account.disabled": later("Account disabled"),
    "account.enabled": later("Account enabled"),
    "account.role_changed": later("Role changed"),
    "account.verified": later("Email address confirmed"),
    "api_key.created": later("API token created"),
    "api_key.revoked": later("API token revoked"),
    "blog_post.changed": later("Blog post changed"),
    "blog_post.created": later("Blog post created"),
    "blog_post.deleted": later("Blog post deleted"),
    "blog_post.published": later("Blog post published"),
    "blog_post.withdrawn": later("Blog post unpublished"),
    "category.deleted": later("Category moved to the trash"),
    "collection.deleted": later("Collection moved to the trash"),
    "document.deleted": later("Document moved to the trash"),
    "document.renamed": later("Document renamed"),
    "comment.deleted": later("Comment deleted"),
    "draft.deleted": later("Draft moved to the trash"),
    "draft.exported": later("Draft exported"),
    "draft.section_deleted": later("Draft section deleted"),
    "email.change_asked": later("Email address change requested"),
    "email.changed": later("Email address changed"),
    "export": later("List exported"),
    "feedback.changed": later("Feedback changed"),
    "import.started": later("Import started"),
    "invitation.link_created": later("Invitation link created"),
    "invitation.sent": later("Invitation sent"),
    "invitation.withdrawn": later("Invitation withdrawn"),
    "item.restricted": later("Item restricted"),
    "item.restriction_lifted": later("Restriction lifted"),
    "notification.emails_off": later("Notification emails turned off"),
    "outbox.read": later("Outbox viewed"),
    "passkey.added": later("Passkey added"),
    "passkey.removed": later("Passkey removed"),
    "passkey.used": later("Passkey used"),
    "password.changed": later("Password changed"),
    "password.reset": later("Password reset"),
    "password.reset_asked": later("Password reset requested"),
    "password.reset_started": later("Password reset started"),
    "payment.created": later("Invoice created"),
    "payment.paid": later("Invoice marked as paid"),
    "payment.void": later("Invoice voided"),
    "personal_data.asked": later("Copy of personal data requested"),
    "personal_data.downloaded": later("Copy of personal data downloaded"),
    "photo.changed": later("Photo changed"),
    "photo.removed": later("Photo removed"),
    "plan.changed": later("Plan changed"),
    "premium_link.created": later("Premium link created"),
    "premium_link.revoked": later("Premium link revoked"),
    "premium_link.used": later("Premium link used"),
    "pursuit.deleted": later("Pursuit moved to the trash"),
    "sample.deleted": later("Samples removed"),
    "sample.restored": later("Samples restored"),
    "share.commented": later("Comment through a share link"),
    "share.created": later("Share link created"),
    "share.opened": later("Share link opened"),
    "share.refused": later("Wrong password for a share link"),
    "share.revoked": later("Share link revoked"),
    "search.deleted": later("Saved search moved to the trash"),
    "task.deleted": later("Task moved to the trash"),
    "fact.deleted": later("Organization fact deleted"),
    "note.deleted": later("Note moved to the trash"),
    "second_factor.added": later("Two-step verification turned on"),
    "second_factor.recovery_code_used": later("Recovery code used"),
    "second_factor.recovery_codes_renewed": later("Recovery codes renewed"),
    "second_factor.removed": later("Two-step verification turned off"),
    "session.all_ended": later("All sessions ended"),
    "session.ended": later("Session ended"),
    "session.others_ended": later("All other sessions ended"),
    "session.proved": later("Identity confirmed"),
    "session.replayed": later("Old session token used"),
    "sign_in": later("Signed in"),
    "sign_in.code_asked": later("Verification code requested"),
    "sign_in.refused": later("Sign-in refused"),
    "sign_out": later("Signed out"),
    "signing_key.added": later("Signing key added"),
    "signing_key.retired": later("Signing key retired"),
    "subscription.changed": later("Subscription changed"),
    "template.deleted": later("Template moved to the trash"),
    "trash.deleted": later("Deleted forever"),
    "trash.emptied": later("Trash emptied"),
    "trash.restored": later("Restored from the trash"),
    "workspace.created": later("Workspace created"),
    "workspace.deleted": later("Workspace deleted"),
    "workspace.invitation_declined": later("Invitation to a workspace declined"),
    "workspace.invitation_withdrawn": later("Invitation to a workspace withdrawn"),
    "workspace.invited": later("Invited to a workspace"),
    "workspace.joined": later("Workspace joined"),
    "workspace.left": later("Workspace left"),
    "workspace.member_removed": later("Removed from a workspace"),
    "workspace.ownership_transferred": later("Ownership of a workspace transferred"),
    "workspace.renamed": later("Workspace renamed"),
    "workspace.role_changed": later("Role in a workspace changed"),
    "workspace.support_ended": later("Support access ended"),
    "workspace.support_granted": later("Support access granted"),
    "workspace.support_used": later("Workspace viewed with support access"),
}


def action_label(action: str) -> str:
    """The label of an action in the reader's language. Actions of packages are shown by their name."""
    return str(_LABELS[action]) if action in _LABELS else action


def address_label(address: str) -> str:
    """A network address, or the command line or an upgrade in the reader's language."""
    return {COMMAND_LINE.address: t("Command line"), UPGRADE.address: t("Upgrade")}.get(address, address)


def actions_called(text: str) -> list[str]:
    """Actions whose label in the reader's language contains `text`."""
    return [action for action in _LABELS if text.casefold() in action_label(action).casefold()]


async def record(
    session: AsyncSession, action: str, *, actor: Actor | None, subject: str, client: Client, **details: str
) -> None:
    """Add a line in the caller's transaction. `actor` is None when nobody was signed in or the command line acted."""
    await repository.add_audit_entry(
        session,
        AuditEntry(
            actor_id=actor.id if actor else None,
            actor_email=actor.email if actor else None,
            action=action,
            subject=one_line(subject),
            address=one_line(client.address),
            details={name: "***" if _SECRET_NAME.search(name) else one_line(value) for name, value in details.items()},
        ),
    )


async def is_recorded(session: AsyncSession, action: str, *, actor_id: UUID, within: timedelta) -> bool:
    """Whether the account has an entry for this action within the last `within`, so that reading page by page adds one entry
    only."""
    return await repository.has_audit_entry(session, action, since=now() - within, actor_id=actor_id)


async def is_recorded_from(session: AsyncSession, action: str, *, client: Client, within: timedelta, **details: str) -> bool:
    """Like `is_recorded`, for what someone who is not signed in did from the client's network address."""
    return await repository.has_audit_entry(
        session, action, since=now() - within, actor_id=None, address=one_line(client.address), details=details
    )


def unknown_address(core: Core, email: str) -> str:
    """Return what is recorded of an address without an account: it may be a password that was typed into the wrong field. The
    same address gives the same text, and only the key in the data folder can tell which address it was."""
    return f"unknown address {hmac.digest(lasting_key(core, 'audit.key'), email.encode(), 'sha256').hex()[:16]}"


def one_line(text: str) -> str:
    """Shorten text from outside, and remove line breaks, control characters, and secrets, so that it cannot forge an entry."""
    return masked(_CONTROL.sub(" ", text))[:_MAX_LENGTH]


@needs(Permission.ADMINISTER)
async def list_audit(session: AsyncSession, actor: Actor, query: AuditQuery) -> Page[AuditRead]:
    """Newest first unless `sort` is `at`."""
    entries, total = await repository.page_of_audit(session, query, actions=actions_called(query.text))
    items = [AuditRead.model_validate(line) for line in entries]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def export_audit(session: AsyncSession, actor: Actor, query: AuditQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    lines = csv_lines(
        [
            (t("When"), lambda line: line.at),
            (t("Who"), lambda line: line.actor_email),
            (t("Action"), lambda line: action_label(line.action)),
            (t("Target"), lambda line: line.subject),
            (t("Network address"), lambda line: address_label(line.address)),
            (t("Details"), lambda line: ", ".join(f"{name}: {value}" for name, value in line.details.items())),
        ],
        repository.stream_audit(session, query, actions=actions_called(query.text)),
    )
    async for line in lines:
        yield line
