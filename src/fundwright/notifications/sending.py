"""Sends notifications by email. A worker may be killed at any moment: the email is put into the outbox in the transaction that marks
its notifications as sent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import using_language
from fundwright.core.scopes import installation
from fundwright.notifications import emails, repository, unsubscribing
from fundwright.notifications.repository import Waiting
from fundwright.notifications.service import list_kinds, read

log = structlog.get_logger()

DAILY_AT = time(8)
"""In the time zone of the recipient."""
OTHERWISE = "America/New_York"
"""For accounts that have not chosen a time zone: that of Washington, DC."""


async def send_due(core: Core) -> None:
    """Put the emails that are due into the outbox. Opens its own transactions, one for each account, so that an email that cannot be
    written, because of a package's sentence, delays no other one."""
    async with core.database.transaction(scope=installation("notification emails")) as session:
        waiting = await repository.list_waiting(session)
    for account_id, daily_before in await asyncio.to_thread(_due, waiting, now()):
        try:
            async with core.database.transaction(scope=installation("notification emails")) as session:
                await _send(session, core, account_id, daily_before=daily_before)
        except FundwrightError:  # the database is away
            raise
        except Exception:
            log.exception("notifications.not_sent", account_id=str(account_id))


def _due(waiting: Sequence[Waiting], moment: datetime) -> list[tuple[UUID, datetime]]:
    """The accounts whose email is due, each with the moment of its latest daily email. Reads time zones from disk."""
    latest = [(each, latest_daily_at(each.time_zone, moment)) for each in waiting]
    return [
        (each.account_id, daily_at)
        for each, daily_at in latest
        if each.has_soon or (each.oldest_daily_at is not None and each.oldest_daily_at < daily_at)
    ]


def latest_daily_at(time_zone: str | None, moment: datetime) -> datetime:
    """When the latest daily email before `moment` was due in a time zone."""
    zone = ZoneInfo(time_zone or OTHERWISE)
    here = moment.astimezone(zone)
    day = here.date() if here.time() >= DAILY_AT else here.date() - timedelta(days=1)
    return datetime.combine(day, DAILY_AT, zone).astimezone(UTC)


async def _send(session: AsyncSession, core: Core, account_id: UUID, *, daily_before: datetime) -> None:
    account = await repository.find_account(session, account_id)
    due = await repository.lock_waiting(session, account_id, daily_before=daily_before)
    if account is None or not due:  # another worker was faster
        return
    language = accounts.language_of(account, otherwise="en")
    kinds = {kind.key: kind for kind in list_kinds(core)}
    with using_language(language):
        told = [read(each, kinds) for each in due]
    unsubscribe_link = unsubscribing.link_of(core, account.id, account.email, {each.kind for each in told})
    email = emails.notifications(account.email, language, told, address=core.settings.address, unsubscribe_link=unsubscribe_link)
    await mail.post(session, core, email, recipient_id=account.id)
    await repository.mark_sent(session, [each.id for each in told])
