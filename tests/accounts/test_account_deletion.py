"""Downloading personal data and deleting the account."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import zipfile
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Table, Text, cast, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import commands
from fundwright.accounts import audit, personal_data, photos, preferences, profile
from fundwright.accounts import service as accounts
from fundwright.accounts.account_deletion import OnlyAdministrator
from fundwright.accounts.models import AuditEntry, DataCopy
from fundwright.accounts.personal_data import CollectData, DataFile
from fundwright.accounts.schemas import Actor, AuditQuery, Client, DataCopyRead, ProfileChange, Role
from fundwright.authentication import api_tokens, sessions
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn, SignInRefusal, SignInRefused, TokenScope
from fundwright.billing import service as billing
from fundwright.billing.schemas import PaymentCreate
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.content import service as content
from fundwright.content.schemas import FeedbackKind, FeedbackSend
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import Base, now
from fundwright.core.errors import Conflict, DatabaseAway, Invalid, NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.paging import PageRequest
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from tests.accounts.test_photos import picture
from tests.support.accounts import add_account
from tests.support.jobs import working
from tests.support.polling import eventually
from tests.support.signing_in import HERE, PASSWORD


async def sign_in(session: AsyncSession, core: Core, email: str = "ada@example.org") -> SignedIn:
    result = await authentication.sign_in(session, core, email=email, password=PASSWORD, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result


async def live(core: Core, ada: Actor) -> tuple[Actor, str]:
    """Give the account one row in every table; returns an administrator and the secret of an API token."""
    async with core.database.transaction() as session:
        root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN, password=PASSWORD)
        await profile.change_profile(session, ada, ProfileChange(display_name="Ada Lovelace", about="=1+1"))
        await photos.set_photo(session, ada, core.sandbox, picture(), client=HERE)
        await sign_in(session, core)
        token = await api_tokens.create_api_token(
            session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=3, client=HERE
        )
        await preferences.save_state(session, ada, "notes", {"text": "remember"})
        await categories.create(session, ada, CategoryCreate(name="Roofing"))
        await adding.add_text(session, ada, core, PastedText(title="Boats", text="The ferry carries forty."))
        await content.send_feedback(session, ada, FeedbackSend(kind=FeedbackKind.IDEA, text="=cmd()", page="/"))
        invoice = {
            "workspace_id": ada.id,
            "email": ada.email,
            "text": "Pro",
            "amount_cents": 4900,
            "issued": now().date(),
            "due": now().date(),
        }
        await billing.add_payment(session, root, core, PaymentCreate.model_validate({**invoice, "currency": "usd"}), client=HERE)
        await opportunities.load_sample_once(session)
        (opportunity,) = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items
        await generation.start_draft(session, ada, core, opportunity_id=opportunity.id, template="capability-statement")
    return root, token.secret


async def collected(core: Core, ada: Actor) -> DataCopyRead:
    async with core.database.transaction() as session:
        await personal_data.start_copy(session, ada, core, client=HERE)

    async def look() -> DataCopyRead | None:
        async with core.database.transaction() as session:
            copy = await personal_data.find_copy(session, ada)
        assert copy is not None
        return copy if copy.job.state.is_over else None

    async with working(core.jobs):
        return await eventually(look, within_s=60)


async def files_of(session: AsyncSession, actor: Actor, core: Core) -> dict[str, bytes]:
    """The files that the account's copy contains."""
    files: dict[str, bytes] = {}
    for read in core.plugins.collect("personal_data"):
        async for file in read(session, actor, core):
            content = file.content
            files[file.name] = await asyncio.to_thread(content.read_bytes) if isinstance(content, Path) else content
    return files


class TestCopy:
    async def test_holds_everything_but_secrets(self, committed: Core, ada: Actor) -> None:
        _, secret = await live(committed, ada)
        copy = await collected(committed, ada)
        assert (copy.job.state, copy.job.error) == (JobState.SUCCEEDED, None)
        async with committed.database.transaction() as session:
            path = await personal_data.open_copy(session, ada, committed, client=HERE)
        assert path.stat().st_size == copy.size_bytes
        assert oct(path.stat().st_mode & 0o777) == "0o600"
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        assert json.loads(files["account/profile.json"])["about"] == "=1+1"
        assert files["account/photo.webp"].startswith(b"RIFF")
        assert [each["user_agent"] for each in json.loads(files["account/sessions.json"])] == ["Firefox"]
        assert [each["name"] for each in json.loads(files["account/api_tokens.json"])] == ["nightly"]
        assert json.loads(files["account/kept_by_screens.json"]) == {"notes": {"text": "remember"}}
        assert [each["name"] for each in json.loads(files["categories/categories.json"])] == ["Roofing"]
        assert [files[name] for name in files if name.startswith("training/files/")] == [b"The ferry carries forty."]
        assert any(name.startswith("generation/drafts/") and name.endswith(".md") for name in files)
        # Cells that a spreadsheet would run as a formula begin with an apostrophe.
        assert next(csv.DictReader(io.StringIO(files["content/feedback.csv"].decode())))["text"] == "'=cmd()"
        assert b",4900,usd," in files["billing/payments.csv"]
        assert b"sign_in" in files["account/audit.csv"]
        assert b"personal_data" in files["account/history.csv"]
        everything = b"".join(files.values()).decode("latin-1")
        assert secret not in everything
        assert "argon2" not in everything

    async def test_holds_nothing_of_people_whose_records_touch_those_of_the_account(self, committed: Core, ada: Actor) -> None:
        """The copy contains actions of others on the account and actions of the account on others, but no email or network
        addresses of other people."""
        elsewhere = Client(address="198.51.100.9", user_agent="Bob's browser")
        async with committed.database.transaction() as session:
            bob = await add_account(session, "bob@example.org", name="Bob Secret", role=Role.ADMIN, password=PASSWORD)
            await audit.record(session, "sign_in.refused", actor=None, subject=bob.email, client=elsewhere)
            await audit.record(session, "account.role_changed", actor=bob, subject=ada.email, client=elsewhere, by=bob.email)
            await audit.record(session, "invitation.sent", actor=ada, subject=bob.email, client=HERE, to=f"Bob <{bob.email}>")
            for who in (ada, bob):
                title = "Boats" if who is ada else "Of Bob"
                await adding.add_text(session, who, committed, PastedText(title=title, text="The ferry carries forty."))
                await content.send_feedback(session, who, FeedbackSend(kind=FeedbackKind.IDEA, text=f"By {who.name}", page="/"))
                await preferences.save_state(session, who, "notes", {"text": who.email})
                await photos.set_photo(session, who, committed.sandbox, picture(), client=HERE if who is ada else elsewhere)
            files = await files_of(session, ada, committed)
        lines = list(csv.DictReader(io.StringIO(files["account/audit.csv"].decode())))
        seen = {line["action"]: (line["actor_email"], line["subject"], line["address"], line["details"]) for line in lines}
        assert seen["account.role_changed"] == ("***", ada.email, "", "{'by': '***'}")
        assert seen["invitation.sent"][:3] == (ada.email, "***", HERE.address)
        assert "sign_in.refused" not in seen
        everything = b"".join(files.values()).decode("latin-1")
        for other in ("bob@example.org", "Bob Secret", "Of Bob", elsewhere.address, str(bob.id)):
            assert other not in everything

    async def test_holds_nothing_about_the_earlier_owner_of_the_address(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await audit.record(session, "sign_in.refused", actor=None, subject="later@example.org", client=HERE, device="Earlier")
            await add_account(session, "later@example.org", name="Bob", password=PASSWORD)
            late = await accounts.get_account(session, "later@example.org")
            assert late is not None
            await audit.record(session, "sign_in.refused", actor=None, subject="later@example.org", client=HERE, device="Later")
            files = await files_of(session, accounts.actor_of(late), committed)
            assert b"Later" in files["account/audit.csv"] and b"Earlier" not in files["account/audit.csv"]
            ada_row = await accounts.get_account_by_id(session, ada.id)
            late.email = "elsewhere@example.org"
            await session.flush()
            ada_row.email = "later@example.org"
            await audit.record(session, "email.changed", actor=ada, subject="later@example.org", client=HERE, old=ada.email)
            files = await files_of(session, accounts.actor_of(ada_row), committed)
            assert b"email.changed" in files["account/audit.csv"] and b"Later" not in files["account/audit.csv"]

    @pytest.mark.security(45)
    async def test_asking_and_downloading_are_recorded(self, committed: Core, ada: Actor) -> None:
        await collected(committed, ada)
        async with committed.database.transaction() as session:
            await personal_data.open_copy(session, ada, committed, client=HERE)
            mine = select(AuditEntry).where(AuditEntry.actor_id == ada.id).order_by(AuditEntry.at)
            lines = [(line.action, line.address) for line in await session.scalars(mine)]
        assert lines[-2:] == [("personal_data.asked", HERE.address), ("personal_data.downloaded", HERE.address)]

    async def test_of_several_that_are_asked_for_at_once_one_is_collected(self, committed: Core, ada: Actor) -> None:
        async def ask() -> None:
            async with committed.database.transaction() as session:
                await personal_data.start_copy(session, ada, committed, client=HERE)

        outcomes = await asyncio.gather(*(ask() for _ in range(6)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes if outcome is not None] == [Conflict] * 5

    async def test_nothing_stays_of_one_that_is_not_finished(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.core.jobs._PROGRESS_INTERVAL_S", 0.0)
        collect = committed.plugins.collect

        async def delete(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
            async with core.database.transaction() as other:
                await authentication.delete_account(other, actor, core, email=actor.email, password=PASSWORD, client=HERE)
            yield DataFile("secret.txt", b"a line that belongs to Ada")

        def with_deletion(hook: str) -> list[Any]:
            return [delete, *collect(hook)] if hook == "personal_data" else collect(hook)

        monkeypatch.setattr(committed.plugins, "collect", with_deletion)
        async with committed.database.transaction() as session:
            copy = await personal_data.start_copy(session, ada, committed, client=HERE)
        with pytest.raises(NotFound):
            await committed.jobs.run_inline(CollectData(copy_id=copy.id), title="Collect", owner_id=ada.id)
        assert not committed.files.path(copy.id.hex).exists()

    async def test_one_that_lost_the_database_stays_for_the_run_that_resumes_it(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def lose_database(*_about: object) -> AsyncIterator[DataFile]:
            yield DataFile("notes.txt", b"a line")
            raise DatabaseAway

        monkeypatch.setattr(committed.plugins, "collect", lambda _hook: [lose_database])
        async with committed.database.transaction() as session:
            copy = await personal_data.start_copy(session, ada, committed, client=HERE)
        with pytest.raises(DatabaseAway):
            await committed.jobs.run_inline(CollectData(copy_id=copy.id), title="Collect", owner_id=ada.id)
        assert committed.files.path(copy.id.hex).exists()

    @pytest.mark.security(40)
    async def test_is_its_owner_s_alone(self, committed: Core, ada: Actor) -> None:
        await collected(committed, ada)
        async with committed.database.transaction() as session:
            eve = await add_account(session, role=Role.ADMIN)
            assert await personal_data.find_copy(session, eve) is None
            with pytest.raises(NotFound):
                await personal_data.open_copy(session, eve, committed, client=HERE)

    async def test_a_new_one_takes_the_place_of_the_old_one(self, committed: Core, ada: Actor) -> None:
        first = await collected(committed, ada)
        second = await collected(committed, ada)
        assert first.id != second.id
        assert not committed.files.path(first.id.hex).exists()
        assert committed.files.path(second.id.hex).exists()

    async def test_only_one_is_written_at_a_time(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await personal_data.start_copy(session, ada, committed, client=HERE)
        with pytest.raises(Conflict, match="already being prepared"):
            async with committed.database.transaction() as session:
                await personal_data.start_copy(session, ada, committed, client=HERE)

    async def test_is_forgotten_after_seven_days(self, committed: Core, ada: Actor) -> None:
        copy = await collected(committed, ada)
        assert copy.expires_at - copy.created_at > timedelta(days=6, hours=23)
        async with committed.database.transaction() as session:
            await session.execute(update(DataCopy).values(expires_at=now()))
            with pytest.raises(NotFound):
                await personal_data.open_copy(session, ada, committed, client=HERE)
        await committed.jobs.run_inline(personal_data.ForgetCopy(copy_id=copy.id), title="Forget", owner_id=None)
        assert not committed.files.path(copy.id.hex).exists()
        async with committed.database.transaction() as session:
            assert await session.get(DataCopy, copy.id) is None


class TestDeleteAccount:
    async def delete(
        self, core: Core, actor: Actor, *, email: str = "ada@example.org", password: str = PASSWORD
    ) -> SignInRefused | None:
        async with core.database.transaction() as session:
            return await authentication.delete_account(session, actor, core, email=email, password=password, client=HERE)

    @pytest.mark.security(20, 45)
    async def test_deletes_everything_except_invoices_and_the_audit_trail(self, committed: Core, ada: Actor) -> None:
        root, secret = await live(committed, ada)
        copy = await collected(committed, ada)
        async with committed.database.transaction() as session:
            signed_in = await sign_in(session, committed)
            (document,) = (await training.list_documents(session, ada)).items
        assert signed_in.actor.session_id is not None
        ended = asyncio.Event()
        with committed.live.subscribed(sessions.session_topic(signed_in.actor.session_id), lambda _payload: ended.set()):
            assert await self.delete(committed, ada, email=" ADA@example.org ") is None
            async with asyncio.timeout(5):
                await ended.wait()
        async with committed.database.transaction() as session:
            assert await authentication.authenticate(session, committed, signed_in.token) is None
            assert await api_tokens.authenticate_api_token(session, secret) is None
            assert await left_of(session, ada.id) == {}
            assert not committed.files.path(copy.id.hex).exists()
            (last,) = [each for each in (await mail.list_messages(session, PageRequest())).items if each.recipient == ada.email]
            assert last.subject == "Your account was deleted"
            (invoice,) = (await billing.list_payments(session, root, billing.PaymentQuery())).items
            assert (invoice.workspace_name, invoice.email, invoice.workspace_id) == ("Ada Lovelace", "ada@example.org", None)
            line = (await audit.list_audit(session, root, AuditQuery())).items[0]
            assert (line.action, line.actor_email) == ("account.deleted", "ada@example.org")
        async with working(committed.jobs):
            await eventually(lambda: not committed.files.path(document.sha256).exists())

    async def test_needs_password_and_address(self, committed: Core, ada: Actor) -> None:
        assert await self.delete(committed, ada, password="wrong") == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)
        with pytest.raises(Invalid, match="Type ada@example.org"):
            await self.delete(committed, ada, email="eve@example.org")
        async with committed.database.transaction() as session:
            await sign_in(session, committed)

    async def test_the_only_administrator_stays(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN, password=PASSWORD)
        with pytest.raises(OnlyAdministrator, match="Make someone else an administrator under People"):
            await self.delete(committed, root, email=root.email)
        async with committed.database.transaction() as session:
            await add_account(session, "other@example.org", name="Other", role=Role.ADMIN)
        assert await self.delete(committed, root, email=root.email) is None

    async def test_the_address_is_free_again(self, committed: Core, ada: Actor) -> None:
        assert await self.delete(committed, ada) is None
        async with committed.database.transaction() as session:
            link = await commands.invite(session, committed, email=ada.email, role=Role.USER)
        assert "/auth/register/team/" in link


async def left_of(session: AsyncSession, owner_id: UUID) -> dict[str, int]:
    """How many rows of each table still name the account, except the audit trail, invoices, and jobs without an owner."""
    left: dict[str, int] = {}
    tables: list[Table] = [each for each in Base.metadata.sorted_tables if each.name != "audit_entry"]
    for table in tables:
        for name in ("owner_id", "account_id", "sender_id", "author_id", "actor_id"):
            if name in table.columns:
                number = await session.scalar(select(func.count()).select_from(table).where(table.columns[name] == owner_id))
                if number:
                    left[table.name] = number
    named = await session.scalars(select(Job).where(cast(Job.payload, Text).contains(str(owner_id))))
    return left | ({"job payloads": len(rest)} if (rest := list(named)) else {})
