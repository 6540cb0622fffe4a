"""The link in the header of an email turns off exactly the emails that it came with, without signing in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import urlsplit

import httpx
import pytest
from aiosmtplib.email import flatten_message
from fastapi import FastAPI
from sqlalchemy import select, update

from fundwright.accounts.models import Account, AuditEntry
from fundwright.accounts.schemas import Actor
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.notifications import sending, service, unsubscribing
from fundwright.notifications.models import Notification
from fundwright.notifications.schemas import ChoiceChange, EmailTiming
from fundwright.workspaces import events
from fundwright.workspaces import service as workspaces
from fundwright_ui.screens.unsubscribing import add_unsubscribe_page
from tests.notifications.test_sending import add, sent
from tests.workspaces.test_service import create, do, member

pytestmark = pytest.mark.security(49)

KIND = events.REMOVED.key
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
async def visitor(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.state.core = committed
    add_unsubscribe_page(app, core=committed, base="")
    transport = httpx.ASGITransport(app, client=("198.51.100.7", 5_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


def path_of(core: Core, actor: Actor, *kinds: str) -> str:
    return urlsplit(unsubscribing.link_of(core, actor.id, actor.email, kinds or [KIND])).path


async def timings(core: Core, actor: Actor) -> dict[str, EmailTiming | None]:
    choices = await do(core, lambda session: service.list_choices(session, actor, core))
    return {each.kind: each.email for each in choices.kinds}


async def entries(core: Core) -> list[AuditEntry]:
    async with core.database.transaction() as session:
        return list(await session.scalars(select(AuditEntry).where(AuditEntry.action == "notification.emails_off")))


class TestHeaders:
    async def test_name_the_link_in_one_line(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await do(committed, lambda session: workspaces.remove_member(session, owner, bob.id))
        await add(committed, bob)
        async with committed.database.transaction() as session:
            await session.execute(update(Notification).values(email=EmailTiming.SOON))
        await sending.send_due(committed)
        (email,) = [each for each in await sent(committed) if each.recipient == bob.email]
        assert email.unsubscribe_link == unsubscribing.link_of(committed, bob.id, bob.email, {KIND, "x"})
        email.unsubscribe_link = email.unsubscribe_link.replace("http://", "https://")
        lines = flatten_message(mail._message(committed.settings, email)).decode().splitlines()
        assert f"List-Unsubscribe: <{email.unsubscribe_link}>" in lines
        assert "List-Unsubscribe-Post: List-Unsubscribe=One-Click" in lines

    def test_other_emails_have_none(self, core: Core) -> None:
        lines = flatten_message(mail._message(core.settings, _plain_mail())).decode()
        assert "List-Unsubscribe" not in lines


def _plain_mail() -> mail.Mail:
    return mail.Mail(
        recipient="ada@example.org", subject="x", text="x", html="x", language="en", unsubscribe_link="", created_at=mail.now()
    )


class TestPage:
    async def test_asks_first(self, committed: Core, bob: Actor, visitor: httpx.AsyncClient) -> None:
        before = await timings(committed, bob)
        for _ in range(2):
            page = await visitor.get(path_of(committed, bob))
            assert page.status_code == 200 and str(events.REMOVED.label) in page.text
            assert "<form" in page.text and page.headers["referrer-policy"] == "no-referrer"
        await visitor.head(path_of(committed, bob))
        await visitor.post(path_of(committed, bob))
        assert await timings(committed, bob) == before and await entries(committed) == []

    async def test_turns_off_exactly_these_emails(
        self, committed: Core, ada: Actor, bob: Actor, visitor: httpx.AsyncClient
    ) -> None:
        before, of_ada = await timings(committed, bob), await timings(committed, ada)
        assert before[KIND] is not EmailTiming.OFF
        for _ in range(2):
            page = await visitor.post(path_of(committed, bob), data=ONE_CLICK)
            assert page.status_code == 200 and "turned off" in page.text
        assert await timings(committed, bob) == before | {KIND: EmailTiming.OFF} and await timings(committed, ada) == of_ada
        (entry,) = await entries(committed)
        assert (entry.subject, entry.details, entry.actor_id) == (bob.email, {"kinds": KIND}, None)

    async def test_keeps_where_they_are_listed(self, committed: Core, bob: Actor, visitor: httpx.AsyncClient) -> None:
        hidden = ChoiceChange(is_listed=False, email=EmailTiming.SOON)
        await do(committed, lambda session: service.choose(session, bob, committed, KIND, hidden))
        await visitor.post(path_of(committed, bob), files={"List-Unsubscribe": (None, "One-Click")})
        choices = await do(committed, lambda session: service.list_choices(session, bob, committed))
        chosen = next(each for each in choices.kinds if each.kind == KIND)
        assert (chosen.is_listed, chosen.email) == (False, EmailTiming.OFF)

    async def test_a_made_up_link_does_nothing(self, committed: Core, ada: Actor, bob: Actor, visitor: httpx.AsyncClient) -> None:
        right, other = path_of(committed, bob), path_of(committed, ada)
        seal, content = right.rpartition(".")[2], other.rpartition(".")[0]
        forged = [f"{content}.{seal}", right[:-1], f"{right}0", "/unsubscribe/x", "/unsubscribe/x.y", "/unsubscribe/4pyT.é"]
        before = await timings(committed, ada)
        for path in forged:
            for response in (await visitor.get(path), await visitor.post(path, data=ONE_CLICK)):
                assert response.status_code == 404 and "This link does not work" in response.text, path
        assert await timings(committed, ada) == before and await entries(committed) == []

    async def test_ends_when_the_address_changes(self, committed: Core, bob: Actor, visitor: httpx.AsyncClient) -> None:
        path = path_of(committed, bob)
        async with committed.database.transaction() as session:
            await session.execute(update(Account).where(Account.id == bob.id).values(email="new@example.org"))
        assert (await visitor.post(path, data=ONE_CLICK)).status_code == 404

    async def test_is_valid_for_60_days(
        self, committed: Core, bob: Actor, visitor: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, sent_at = path_of(committed, bob), now()
        for days, status in ((61, 404), (60, 200)):
            monkeypatch.setattr(unsubscribing, "now", lambda days=days: sent_at + timedelta(days=days))
            assert (await visitor.get(path)).status_code == status
            assert (await visitor.post(path, data=ONE_CLICK)).status_code == status
            assert len(await entries(committed)) == (status == 200)
