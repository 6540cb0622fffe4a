"""Emails about notifications: each is sent exactly once, at its time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Actor
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.mail import Mail, MailKind, OutgoingEmail
from fundwright.notifications import sending, service
from fundwright.notifications.models import Notification
from fundwright.notifications.schemas import ChoiceChange, EmailTiming, NotificationQuery
from fundwright.workspaces import events
from fundwright.workspaces import service as workspaces
from tests.support.polling import eventually
from tests.workspaces.test_service import create, do, member

pytestmark = pytest.mark.security(49)

_KILLS = 6
_ACCOUNTS, _EACH = 400, 5


async def add(core: Core, actor: Actor, *, email: EmailTiming = EmailTiming.DAILY, days: float = 2) -> UUID:
    """Adds a notification that waits for an email since some days."""
    row = Notification(
        id=uuid4(), account_id=actor.id, kind="x", has_actor=False, subject="Boats", path="/dashboard/train", details={},
        is_listed=True, email=email, created_at=now() - timedelta(days=days),
    )  # fmt: skip
    async with core.database.transaction() as session:
        session.add(row)
    return row.id


async def sent(core: Core) -> list[Mail]:
    async with core.database.transaction() as session:
        return list(await session.scalars(select(Mail).where(Mail.kind == MailKind.NOTIFICATION)))


@pytest.mark.parametrize(
    ("zone", "moment", "latest"),
    [
        ("Europe/Berlin", "2026-07-01T06:00", "2026-07-01T06:00"),
        ("Europe/Berlin", "2026-07-01T05:59", "2026-06-30T06:00"),
        ("Europe/Berlin", "2026-10-25T12:00", "2026-10-25T07:00"),
        ("Pacific/Auckland", "2026-07-01T21:00", "2026-07-01T20:00"),
        ("Asia/Kathmandu", "2026-07-01T03:00", "2026-07-01T02:15"),
        (None, "2026-01-15T13:30", "2026-01-15T13:00"),
    ],
)
def test_the_daily_email_is_due_at_eight_where_the_person_is(zone: str | None, moment: str, latest: str) -> None:
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert sending.latest_daily_at(zone, at) == datetime.fromisoformat(latest).replace(tzinfo=UTC)


class TestSending:
    async def test_a_daily_email_has_everything_once(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        async with committed.database.transaction() as session:
            await session.execute(update(Account).where(Account.id == bob.id).values(language="de"))
            await workspaces.remove_member(session, owner, bob.id)
            await session.execute(update(Notification).values(created_at=now() - timedelta(days=2)))
        await add(committed, bob)
        await sending.send_due(committed)
        await sending.send_due(committed)
        (email,) = await sent(committed)
        assert (email.recipient, email.subject, email.language) == (bob.email, "2 neue Benachrichtigungen", "de")
        assert "aus dem Arbeitsbereich „Harbor“ entfernt" in email.text and "Boats" in email.text
        assert "/dashboard/notifications" in email.text and "/dashboard/user/account?tab=notifications" in email.text
        assert "/dashboard/user/account?tab=notifications" in email.html

    async def test_waits_for_eight_o_clock(self, committed: Core, bob: Actor) -> None:
        await add(committed, bob, days=0)
        await sending.send_due(committed)
        assert await sent(committed) == []
        await add(committed, bob, days=0, email=EmailTiming.SOON)
        await sending.send_due(committed)
        (email,) = await sent(committed)
        assert email.subject == "Boats" and f"/dashboard/train?w={bob.id}" in email.text

    async def test_leaves_out_what_was_read(self, committed: Core, bob: Actor) -> None:
        read = await add(committed, bob)
        await do(committed, lambda session: service.mark_read(session, bob, read))
        await sending.send_due(committed)
        await do(committed, lambda session: service.mark_unread(session, bob, read))
        await sending.send_due(committed)
        assert await sent(committed) == []

    async def test_follows_a_later_choice(self, committed: Core, bob: Actor) -> None:
        await add(committed, bob)
        async with committed.database.transaction() as session:
            await session.execute(update(Notification).values(kind=events.REMOVED.key, details={}))
            await service.choose(session, bob, committed, events.REMOVED.key, ChoiceChange(is_listed=True))
        await sending.send_due(committed)
        assert await sent(committed) == []

    async def test_leaves_out_accounts_that_cannot_sign_in(self, committed: Core, bob: Actor) -> None:
        await add(committed, bob)
        await do(
            committed, lambda session: session.execute(update(Account).where(Account.id == bob.id).values(disabled_at=now()))
        )
        await sending.send_due(committed)
        assert await sent(committed) == []

    async def test_several_workers_send_one_email(self, committed: Core, ada: Actor, bob: Actor) -> None:
        for actor in (ada, bob):
            for _ in range(3):
                await add(committed, actor)
        await asyncio.gather(*(sending.send_due(committed) for _ in range(4)))
        assert sorted(email.recipient for email in await sent(committed)) == [ada.email, bob.email]

    async def test_what_fails_is_sent_later_and_delays_no_other(
        self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for actor in (ada, bob):
            await add(committed, actor)
        post = mail.post

        async def fail(failing: Actor, session: AsyncSession, core: Core, email: OutgoingEmail, **rest: UUID) -> None:
            if email.recipient == failing.email:
                raise LookupError
            await post(session, core, email, **rest)

        for failing, other in ((ada, bob), (bob, ada)):
            with monkeypatch.context() as patch:
                patch.setattr(mail, "post", partial(fail, failing))
                await sending.send_due(committed)
            assert {email.recipient for email in await sent(committed)} == {other.email}
            await sending.send_due(committed)
            assert sorted(email.recipient for email in await sent(committed)) == [ada.email, bob.email]
            async with committed.database.transaction() as session:
                await session.execute(delete(Mail))
            for actor in (ada, bob):
                await add(committed, actor)

    async def test_says_how_many_more_there_are(self, committed: Core, bob: Actor) -> None:
        for _ in range(32):
            await add(committed, bob)
        await sending.send_due(committed)
        (email,) = await sent(committed)
        assert email.text.count("Boats") == 30 and "… and 2 more" in email.text
        listed = await do(
            committed, lambda session: service.list_notifications(session, bob, committed, NotificationQuery(page_size=100))
        )
        assert listed.total == 32


@pytest.mark.slow
async def test_killed_workers_send_each_exactly_once(committed: Core) -> None:
    """Workers are killed with SIGKILL while they send, and the last one finishes."""
    url = committed.settings.database_url
    assert url is not None
    accounts = [uuid4() for _ in range(_ACCOUNTS)]
    async with committed.database.transaction() as session:
        people = [
            {"id": each, "email": f"{each.hex}@example.org", "display_name": "Bob", "password_hash": "", "role": "user", "verified_at": now()}
            for each in accounts
        ]  # fmt: skip
        await session.execute(insert(Account).values(people))
        waiting = [
            {
                "id": uuid4(), "account_id": each, "kind": "x", "has_actor": False, "subject": f"Boats {number}", "path": "/",
                "details": {}, "is_listed": True, "email": "daily" if number % 2 else "soon", "created_at": now() - timedelta(days=2),
            }
            for each in accounts
            for number in range(_EACH)
        ]  # fmt: skip
        await session.execute(insert(Notification).values(waiting))

    async def count() -> int:
        async with committed.database.transaction() as session:
            return await session.scalar(text("SELECT count(*) FROM notification WHERE emailed_at IS NOT NULL")) or 0

    async def beyond(number: int) -> bool:
        return await count() > number

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "fundwright", "--data", str(committed.settings.data), "worker"],
            env={**os.environ, "DATABASE_URL": url.get_secret_value(), "FUNDWRIGHT_MODELS": str(committed.settings.models)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    done, kills = 0, 0
    while kills < _KILLS and done < len(waiting):
        workers = [start(), start()]
        try:
            before = done
            await eventually(lambda before=before: beyond(before), within_s=60)
        finally:
            for worker in workers:
                worker.send_signal(signal.SIGKILL)
                worker.wait()
        done, kills = await count(), kills + 1
    assert kills == _KILLS
    await sending.send_due(committed)
    assert await count() == len(waiting)
    emails = await sent(committed)
    assert sorted(email.recipient for email in emails) == sorted(f"{each.hex}@example.org" for each in accounts)
    assert all(email.text.count(f"Boats {number}\n") == 1 for email in emails for number in range(_EACH))
