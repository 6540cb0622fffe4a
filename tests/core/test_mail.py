"""Emails, sent to a real SMTP server or stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy import select, update

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.jobs import Job, JobState
from fundwright.core.mail import MailKind, MailMessage, MailState, OutgoingEmail
from fundwright.core.messages import Language
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import NOBODY, Scope, acting_in
from tests.support.jobs import working
from tests.support.polling import eventually
from tests.support.signing_in import with_settings

MESSAGE = OutgoingEmail(
    "ada@example.org",
    "Prüfung <b>",
    ("Zwei & zwei.",),
    ("Öffnen", "http://127.0.0.1:8000/a?b=1&c=2"),
    "de",
    kind=MailKind.INVITATION,
)


_LESS_THAN_THE_TIMEOUT_S = 20


class Postbox:
    """The received messages. The server replies with `answers` one by one and then accepts everything."""

    def __init__(self) -> None:
        self.arrived: list[Any] = []
        self.answers: list[str] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.answers:
            return self.answers.pop(0)
        self.arrived.append(message_from_bytes(cast(bytes, envelope.content or b""), policy=default))
        return "250 OK"


@pytest.fixture
async def postbox() -> AsyncIterator[tuple[Postbox, dict[str, Any]]]:
    """A mail server, and the settings for it."""
    box = Postbox()
    async with await asyncio.get_running_loop().create_server(lambda: SMTP(box), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield box, {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}


@asynccontextmanager
async def reciting(*answers: bytes) -> AsyncIterator[tuple[list[bytes], dict[str, Any]]]:
    """The data received by a server that sends these replies one by one and then nothing, and the settings for that server."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            writer.write(answer + b"\r\n")
            heard.append(await reader.readuntil(b"\r\n.\r\n" if answer.startswith(b"354") else b"\r\n"))
        heard.append(await reader.read())
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        yield heard, {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}


async def _post(core: Core) -> MailMessage:
    async with core.database.transaction() as session:
        await mail.post(session, core, MESSAGE)
    return await _only(core)


async def _only(core: Core) -> MailMessage:
    async with core.database.transaction() as session:
        (message,) = (await mail.list_messages(session, PageRequest())).items
    return message


async def _try(core: Core) -> MailMessage:
    """Run the queued job."""
    core.jobs.services = core
    message = await _only(core)
    done = await core.jobs.run_inline(mail.SendMail(mail_id=message.id), title="", owner_id=None)
    assert done.state is JobState.SUCCEEDED
    return await _only(core)


class TestPost:
    async def test_keeps_an_email_without_a_server(self, committed: Core) -> None:
        message = await _post(committed)
        assert (message.state, message.kind, message.recipient) == (MailState.KEPT, MailKind.INVITATION, "ada@example.org")
        assert "http://127.0.0.1:8000/a?b=1&c=2" in message.text
        assert (await _try(committed)).state is MailState.KEPT

    async def test_escapes_text_in_its_html(self) -> None:
        assert "<title>Prüfung &lt;b&gt;</title>" in MESSAGE.html
        assert 'href="http://127.0.0.1:8000/a?b=1&amp;c=2"' in MESSAGE.html
        assert "Gesendet von Fundwright" in MESSAGE.html
        assert "Gesendet von Fundwright" in MESSAGE.text


@pytest.mark.parametrize(("language", "introduction"), [("en", "Open:"), ("de", "Open:"), ("fr", "Open\u00a0:")])
def test_the_link_is_introduced_as_its_language_requires(language: Language, introduction: str) -> None:
    email = OutgoingEmail("ada@example.org", "Hello", (), ("Open", "https://example.org/a"), language, kind=MailKind.OTHER)
    assert f"{introduction}\nhttps://example.org/a\n" in email.text


class TestSend:
    async def test_hands_over_both_parts_once_and_forgets_them(
        self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]
    ) -> None:
        box, settings = postbox
        core = with_settings(committed, **settings)
        assert (await _post(core)).state is MailState.WAITING
        message = await _try(core)
        assert (message.state, message.text, message.tries) == (MailState.SENT, "", 1)
        await _try(core)
        (arrived,) = box.arrived
        assert (arrived["To"], arrived["Subject"], arrived["Content-Language"]) == ("ada@example.org", "Prüfung <b>", "de")
        assert arrived["Message-ID"] == f"<{message.id}@localhost>"
        assert [part.get_content_type() for part in arrived.iter_parts()] == ["text/plain", "text/html"]
        assert "Zwei & zwei." in arrived.get_body(("plain",)).get_content()

    async def test_tries_a_busy_server_again(self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]) -> None:
        box, settings = postbox
        box.answers = ["451 Try later"]
        core = with_settings(committed, **settings)
        await _post(core)
        waiting = await _try(core)
        assert (waiting.state, waiting.error) == (MailState.WAITING, "451 Try later")
        assert (await _try(core)).state is MailState.SENT

    @pytest.mark.parametrize("refusal", [b"451 Sp\xe4ter", b"451 la\x00ter", b"\x00\xff", b"451 \xed\xa0\x80"])
    async def test_tries_a_server_again_whose_refusal_is_not_text(self, committed: Core, refusal: bytes) -> None:
        async with reciting(b"220 hi", b"250 hi", b"250 ok", refusal, b"250 reset", b"221 bye") as (_, settings):
            core = with_settings(committed, **settings)
            await _post(core)
            waiting = await _try(core)
        assert (waiting.state, waiting.tries, waiting.error != "") == (MailState.WAITING, 1, True)

    async def test_tries_a_server_again_that_refuses_before_the_message(self, committed: Core) -> None:
        async with reciting(b"554 Come from another address") as (_, settings):
            core = with_settings(committed, **settings)
            await _post(core)
            waiting = await _try(core)
        assert (waiting.state, waiting.error) == (MailState.WAITING, "554 Come from another address")

    async def test_of_an_accepted_email_does_not_wait_for_the_end_of_the_connection(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.core.mail._QUIT_TIMEOUT_S", 0)
        async with reciting(b"220 hi", b"250 hi", b"250 ok", b"250 ok", b"354 go", b"250 accepted") as (heard, settings):
            core = with_settings(committed, **settings)
            await _post(core)
            async with asyncio.timeout(_LESS_THAN_THE_TIMEOUT_S):
                sent = await _try(core)
        assert (sent.state, sent.tries, heard[5]) == (MailState.SENT, 1, b"QUIT\r\n")

    async def test_a_worker_that_is_stopped_does_not_wait_for_a_silent_server(self, committed: Core) -> None:
        async with reciting(b"220 hi", b"250 hi") as (heard, settings):
            object.__setattr__(committed, "settings", with_settings(committed, **settings).settings)
            committed.jobs.services = committed
            await _post(committed)
            async with working(committed.jobs):
                await eventually(lambda: heard and heard[-1].startswith(b"MAIL"))
            await eventually(lambda: len(heard) == len([b"EHLO", b"MAIL", b""]))
        assert heard[-1] == b""  # no QUIT, because the worker would have to wait for the response
        assert (await _only(committed)).state is MailState.WAITING

    async def test_gives_up_what_is_refused_for_good(self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]) -> None:
        box, settings = postbox
        box.answers = ["554 No such person"]
        core = with_settings(committed, **settings)
        await _post(core)
        refused = await _try(core)
        assert (refused.state, refused.error, refused.text != "") == (MailState.FAILED, "554 No such person", True)
        assert box.arrived == []

    @pytest.mark.security(15)
    async def test_an_error_does_not_repeat_the_links_of_the_message(
        self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]
    ) -> None:
        box, settings = postbox
        box.answers = ["554 Spam: http://127.0.0.1:8000/a?b=1&c=2 is listed, see https://lists.example.org/why"]
        core = with_settings(committed, **settings)
        await _post(core)
        refused = await _try(core)
        assert refused.error == "554 Spam: http://… is listed, see https://lists.example.org/why"

    async def test_gives_up_a_server_that_is_away_after_some_tries(self, committed: Core) -> None:
        core = with_settings(committed, smtp_host="127.0.0.1", smtp_port=1, smtp_security="none")
        await _post(core)
        states = [(await _try(core)).state for _ in range(6)]
        assert states == [MailState.WAITING] * 5 + [MailState.FAILED]

    async def test_is_sent_by_the_worker(self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]) -> None:
        box, settings = postbox
        core = with_settings(committed, **settings)
        core.jobs.services = core
        await _post(core)
        async with working(core.jobs):
            await eventually(lambda: box.arrived)
        assert len(box.arrived) == 1

    async def test_fails_with_the_job_that_would_have_sent_it(
        self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]
    ) -> None:
        box, settings = postbox
        object.__setattr__(committed, "settings", with_settings(committed, **settings).settings)
        await _post(committed)
        async with committed.database.transaction() as session:
            await session.execute(update(Job).values(state=JobState.RUNNING, attempts=5))
        async with working(committed.jobs):
            failed = await eventually(lambda: _failed(committed))
        assert "ended unexpectedly 5 times" in failed.error and box.arrived == []


async def _failed(core: Core) -> MailMessage | None:
    sent = await _only(core)
    return sent if sent.state == MailState.FAILED else None


class TestTurns:
    @pytest.mark.security(53)
    async def test_an_email_for_someone_else_passes_those_of_a_busy_account(
        self, committed: Core, postbox: tuple[Postbox, dict[str, Any]]
    ) -> None:
        box, settings = postbox
        object.__setattr__(committed, "settings", with_settings(committed, **settings).settings)
        committed.jobs.services = committed
        busy = Scope(account_id=uuid4())
        for number in range(5):
            with acting_in(busy):
                await _post_to(committed, f"busy{number}@example.org")
        await _post_to(committed, "ada@example.org", recipient_id=uuid4())
        async with working(committed.jobs):
            await eventually(lambda: len(box.arrived) == 6)
        assert [each["To"] for each in box.arrived].index("ada@example.org") <= 1

    @pytest.mark.parametrize("is_signed_in", [True, False])
    async def test_all_tries_are_of_the_account_that_caused_it_or_of_the_recipient(
        self, committed: Core, postbox: tuple[Postbox, dict[str, Any]], is_signed_in: bool
    ) -> None:
        box, settings = postbox
        box.answers = ["451 Try later"]
        object.__setattr__(committed, "settings", with_settings(committed, **settings).settings)
        committed.jobs.services = committed
        causing, recipient = uuid4(), uuid4()
        with acting_in(Scope(account_id=causing) if is_signed_in else NOBODY):
            await _post_to(committed, "ada@example.org", recipient_id=recipient)
        async with working(committed.jobs):
            await eventually(lambda: not box.answers)
            accounts = await eventually(lambda: _accounts_of_two(committed))
        assert accounts == [causing if is_signed_in else recipient] * 2


async def _post_to(core: Core, address: str, *, recipient_id: UUID | None = None) -> None:
    async with core.database.transaction() as session:
        await mail.post(session, core, replace(MESSAGE, recipient=address), recipient_id=recipient_id)


async def _accounts_of_two(core: Core) -> list[UUID | None] | None:
    async with core.database.transaction() as session:
        found = list(await session.scalars(select(Job.account_id).where(Job.kind == mail.SendMail.job_kind)))
    return found if len(found) == 2 else None
