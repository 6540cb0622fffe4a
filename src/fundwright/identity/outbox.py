"""The outbox, for administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.mail import MailRead
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.identity.permissions import needs
from fundwright.identity.schemas import Actor, Permission


@needs(Permission.ADMINISTER)
async def list_mails(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[MailRead]:
    """Newest first."""
    return await mail.list_mails(session, request)


@needs(Permission.ADMINISTER)
def export_mails(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list, without the texts of the emails, as lines of CSV."""
    return csv_lines(
        [
            (t("Subject"), lambda letter: letter.subject),
            (t("To"), lambda letter: letter.recipient),
            (t("State"), lambda letter: letter.state),
            (t("Written"), lambda letter: letter.created_at),
            (t("Sent"), lambda letter: letter.sent_at),
            (t("Error"), lambda letter: letter.error),
        ],
        iterate_all(lambda page: list_mails(session, actor, page), request),
    )


@needs(Permission.ADMINISTER)
async def get_mail(session: AsyncSession, actor: Actor, mail_id: UUID) -> MailRead:
    """Raises NotFound."""
    return await mail.get_mail(session, mail_id)
