"""The outbox, for administrators."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.mail import MailRead
from fundwright.core.paging import Page, PageRequest
from fundwright.identity.permissions import needs
from fundwright.identity.schemas import Actor, Permission


@needs(Permission.ADMINISTER)
async def list_mails(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[MailRead]:
    """Newest first."""
    return await mail.list_mails(session, request)


@needs(Permission.ADMINISTER)
async def get_mail(session: AsyncSession, actor: Actor, mail_id: UUID) -> MailRead:
    """Raises NotFound."""
    return await mail.get_mail(session, mail_id)
