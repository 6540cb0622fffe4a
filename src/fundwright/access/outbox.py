"""The outbox, for administrators: who was sent which kind of email, and whether a mail server accepted it. Never the messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication.reauthentication import needs_recent_authentication, require_recent_authentication
from fundwright.core import mail
from fundwright.core.mail import MailQuery, MailRead
from fundwright.core.messages import t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines

_ONE_VISIT = timedelta(minutes=10)


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def list_mails(session: AsyncSession, actor: Actor, query: MailQuery, *, client: Client) -> Page[MailRead]:
    """Adds one line to the audit trail per visit, not per page. Raises ReauthenticationRequired or NotForPrograms."""
    if not await audit.is_recorded(session, "outbox.read", actor_id=actor.id, within=_ONE_VISIT):
        await audit.record(session, "outbox.read", actor=actor, subject=actor.email, client=client)
    return await mail.list_mails(session, query)


@needs(Permission.ADMINISTER)
async def export_mails(session: AsyncSession, actor: Actor, query: MailQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises ReauthenticationRequired or NotForPrograms."""
    await require_recent_authentication(session, actor)
    lines = csv_lines(
        [
            (t("Kind"), lambda found: found.kind),
            (t("To"), lambda found: found.recipient),
            (t("Status"), lambda found: found.state),
            (t("Written"), lambda found: found.created_at),
            (t("Sent"), lambda found: found.sent_at),
            (t("Error"), lambda found: found.error),
        ],
        iterate_all(lambda page: mail.list_mails(session, page), query),
    )
    async for line in lines:
        yield line
