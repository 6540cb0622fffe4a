"""What administrators can and cannot do to accounts."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import account_changes, administration
from fundwright.access.administration import LastAdministrator
from fundwright.accounts import audit as accounts_audit
from fundwright.accounts import people
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import COMMAND_LINE, UPGRADE, AccountState, Actor, AuditQuery, Client, PeopleQuery, Role
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.messages import using_language
from fundwright.core.paging import PageRequest
from tests.support.accounts import add_account

HERE = Client(address="192.0.2.7", user_agent="Firefox")
PASSWORD = "a gentle rain of otters"


@pytest.fixture
async def root(session: AsyncSession) -> Actor:
    return await add_account(session, "root@example.org", role=Role.ADMIN)


@pytest.fixture
async def ada(session: AsyncSession) -> Actor:
    return await add_account(session, "ada@example.org", name="Ada Byron", password=PASSWORD)


async def _sign_in(session: AsyncSession, core: Core) -> SignedIn:
    result = await authentication.sign_in(session, core, email="ada@example.org", password=PASSWORD, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result


class TestListPeople:
    async def test_filters_sorts_and_pages(self, session: AsyncSession, root: Actor, ada: Actor) -> None:
        await accounts.add_account(session, email="new@example.org", name="Zoe", role=Role.USER, password=None, is_verified=False)

        async def emails(**asked: object) -> list[str]:
            found = await people.list_people(session, root, PeopleQuery.model_validate(asked))
            return [person.email for person in found.items]

        assert await emails() == ["ada@example.org", "new@example.org", "root@example.org"]
        assert await emails(sort="-name") == ["new@example.org", "root@example.org", "ada@example.org"]
        assert await emails(text="BYR") == ["ada@example.org"]
        assert await emails(text="%") == []
        assert await emails(role="admin") == ["root@example.org"]
        assert await emails(state="unconfirmed") == ["new@example.org"]
        assert await emails(page=2, page_size=2) == ["root@example.org"]

    async def test_is_exported(self, session: AsyncSession, root: Actor, ada: Actor) -> None:
        lines = [line async for line in people.export_people(session, root, PeopleQuery(text="ada"))]
        assert lines[0] == "Email,Name,Role,Status,Created,Last signed in\r\n"
        assert lines[1].startswith("ada@example.org,Ada Byron,User,Active,")


class TestChange:
    @pytest.mark.security(20, 45)
    async def test_disabling_ends_every_session(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        token = (await _sign_in(session, core)).token
        assert (await administration.disable(session, root, core, ada.id, client=HERE)).state is AccountState.DISABLED
        assert await authentication.authenticate(session, core, token) is None
        assert (await administration.enable(session, root, core, ada.id, client=HERE)).state is AccountState.ACTIVE
        audit = (await accounts_audit.list_audit(session, root, AuditQuery(text="ada@"))).items
        assert [(line.action, line.actor_email) for line in audit if line.actor_email == root.email] == [
            ("account.enabled", root.email), ("account.disabled", root.email),
        ]  # fmt: skip

    @pytest.mark.security(21)
    async def test_a_role_counts_at_once(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        token = (await _sign_in(session, core)).token
        assert (await administration.change_role(session, root, core, ada.id, Role.ADMIN, client=HERE)).role is Role.ADMIN
        assert await authentication.authenticate(session, core, token) is None
        (entry,) = (await accounts_audit.list_audit(session, root, AuditQuery(text="account.role_changed"))).items
        assert (entry.subject, entry.details) == (ada.email, {"role": "admin", "previous_role": "user"})

    @pytest.mark.security(26)
    async def test_the_owner_is_notified_of_each_once(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        for _ in range(2):
            await administration.change_role(session, root, core, ada.id, Role.ADMIN, client=HERE)
        for _ in range(2):
            await administration.disable(session, root, core, ada.id, client=HERE)
        for _ in range(2):
            await administration.enable(session, root, core, ada.id, client=HERE)
        sent = (await mail.list_messages(session, PageRequest())).items
        assert {(message.recipient, message.subject) for message in sent} == {
            ("ada@example.org", "Your role was changed"),
            ("ada@example.org", "Your account was disabled"),
            ("ada@example.org", "Your account was enabled"),
        }
        assert len(sent) == 3
        assert any("changed the role of your Fundwright account to Administrator" in message.text for message in sent)

    @pytest.mark.parametrize("is_command", [False, True])
    async def test_each_email_says_who_did_it(
        self, session: AsyncSession, root: Actor, core: Core, ada: Actor, is_command: bool
    ) -> None:
        by = None if is_command else root
        await account_changes.disable_account(session, core, email=ada.email, by=by)
        await account_changes.enable_account(session, core, email=ada.email, by=by)
        await account_changes.change_role(session, core, email=ada.email, role=Role.ADMIN, by=by)
        texts = [message.text for message in (await mail.list_messages(session, PageRequest())).items]
        operator, administrator = (
            ("The operator of the server" in text for text in texts),
            ("An administrator" in text for text in texts),
        )
        assert (list(operator), list(administrator)) == ([is_command] * 3, [not is_command] * 3)

    @pytest.mark.parametrize("is_signed_in", [False, True])
    async def test_only_who_was_signed_in_is_said_to_be_signed_out(
        self, session: AsyncSession, core: Core, ada: Actor, is_signed_in: bool
    ) -> None:
        for change in (partial(account_changes.change_role, role=Role.ADMIN), account_changes.disable_account):
            if is_signed_in:
                await _sign_in(session, core)
            await change(session, core, email=ada.email)
        texts = [message.text for message in (await mail.list_messages(session, PageRequest())).items]
        assert ["You were signed out everywhere." in text for text in texts] == [is_signed_in] * 2

    async def test_the_only_administrator_stays_one(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        with pytest.raises(LastAdministrator):
            await administration.disable(session, root, core, root.id, client=HERE)
        with pytest.raises(LastAdministrator):
            await administration.change_role(session, root, core, root.id, Role.USER, client=HERE)
        await administration.change_role(session, root, core, ada.id, Role.ADMIN, client=HERE)
        await administration.disable(session, root, core, root.id, client=HERE)

    @pytest.mark.security(24)
    async def test_sessions_are_seen_and_ended(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        token = (await _sign_in(session, core)).token
        (seen,) = (await administration.list_sessions(session, root, ada.id, PageRequest())).items
        assert (seen.address, seen.user_agent) == ("192.0.2.7", "Firefox")
        await administration.end_sessions(session, root, ada.id, client=HERE)
        assert await authentication.authenticate(session, core, token) is None
        assert (await administration.list_sessions(session, root, ada.id, PageRequest())).items == []

    @pytest.mark.security(15, 16)
    async def test_a_reset_is_started_and_never_seen(self, session: AsyncSession, root: Actor, core: Core, ada: Actor) -> None:
        await administration.start_reset(session, root, core, ada.id, client=HERE)
        (message,) = (await mail.list_messages(session, PageRequest())).items
        assert (message.recipient, "/auth/confirm-reset/" in message.text) == ("ada@example.org", True)
        assert set(re.findall(r"https?://\S+(?=/auth/)", message.text)) == {core.settings.address}
        secret = message.text.partition("/auth/confirm-reset/")[2].split()[0]
        assert secret not in str(await accounts_audit.list_audit(session, root, AuditQuery()))
        takes = [name for module in (people, administration) for name, function in vars(module).items() if inspect.isfunction(function)
                 and "password" in inspect.signature(function).parameters]  # fmt: skip
        assert takes == []

    async def test_an_unknown_account_is_not_found(self, session: AsyncSession, root: Actor) -> None:
        with pytest.raises(NotFound):
            await people.get_person(session, root, type(root.id)(int=0))


class TestAudit:
    async def test_is_searched_by_words_and_days(self, session: AsyncSession, root: Actor, ada: Actor) -> None:
        async def count(**asked: object) -> int:
            return (await accounts_audit.list_audit(session, root, AuditQuery.model_validate(asked))).total

        today = now().date()
        assert await count() == 2
        assert await count(text="ADA@") == 1
        assert await count(first=today, last=today) == 2
        assert await count(last=today - timedelta(days=1)) == 0
        with using_language("de"):
            assert await count(text="konto ERST") == 2
        assert await count(text="konto ERST") == 0
        lines = [line async for line in accounts_audit.export_audit(session, root, AuditQuery(text="ada@"))]
        assert (len(lines), ",Account created,ada@example.org" in lines[1]) == (2, True)

    @pytest.mark.parametrize(("client", "name"), [(COMMAND_LINE, "Befehlszeile"), (UPGRADE, "Aktualisierung")])
    async def test_where_nobody_acted_is_named_in_the_language_of_the_reader(
        self, session: AsyncSession, root: Actor, client: Client, name: str
    ) -> None:
        await accounts_audit.record(session, "import.started", actor=None, subject="x.csv", client=client)
        with using_language("de"):
            lines = [line async for line in accounts_audit.export_audit(session, root, AuditQuery(text="x.csv"))]
        assert f",{name}," in lines[1]
