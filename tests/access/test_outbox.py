"""Neither programs with a token nor administrators can read the messages of other people."""

from __future__ import annotations

import csv
import re
from datetime import timedelta

import httpx
import pytest
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy import text, update

from fundwright.access import administration
from fundwright.accounts import audit
from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, AuditQuery, Role
from fundwright.authentication import service as authentication
from fundwright.authentication.models import AccountSession
from fundwright.authentication.schemas import SignedIn, TokenScope
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui.screens.admin.outbox import outbox_screen
from fundwright_ui.screens.admin.person import person_screen
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.access.table import SCREENS
from tests.accounts.test_api import browse
from tests.support.accounts import add_account
from tests.support.jobs import working
from tests.support.polling import eventually
from tests.support.programs import add_token
from tests.support.signing_in import HERE, PASSWORD

NEW = "seven quiet lighthouses"
PATHS = ("/api/mails", "/api/mails/export.csv")


@pytest.fixture
async def root(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "root@example.org", name="Root", role=Role.ADMIN, password=PASSWORD)


async def request_reset(core: Core, client: httpx.AsyncClient, actor: Actor) -> str:
    """Request a new password, as anyone can; returns the secret of the link that was sent to the actor."""

    async def secret() -> str | None:
        async with core.database.transaction() as session:
            written = "SELECT text FROM mail WHERE recipient = :recipient AND kind = 'password_reset'"
            body = await session.scalar(text(written), {"recipient": actor.email})
        return body and re.findall(r"/auth/confirm-reset/(\S+)", body)[0]

    assert (await client.post("/api/account/reset-password", json={"email": actor.email})).status_code == 202
    async with working(core.jobs):
        return await eventually(secret)


async def sign_in(client: httpx.AsyncClient, actor: Actor, password: str = PASSWORD) -> bool:
    answer = await client.post("/signin", json={"email": actor.email, "password": password})
    return answer.json()["flag"] == "success"


async def let_time_pass(core: Core) -> None:
    async with core.database.transaction() as session:
        await session.execute(update(AccountSession).values(reauthenticated_until=now() - timedelta(seconds=1)))


async def recorded(core: Core, root: Actor) -> list[str]:
    """The audit trail's entries about the outbox, newest first."""
    async with core.database.transaction() as session:
        found = (await audit.list_audit(session, root, AuditQuery())).items
    lines = [line for line in found if (line.action, line.subject) in (("outbox.read", root.email), ("export", "emails.csv"))]
    assert {(line.actor_email, line.address) for line in lines} <= {(root.email, HERE.address)}
    return [line.action for line in lines]


class TestMessages:
    @pytest.mark.security(15, 26, 44)
    @pytest.mark.parametrize("scope", TokenScope)
    async def test_an_api_token_of_an_administrator_cannot_take_over_accounts(
        self, committed: Core, root: Actor, scope: TokenScope
    ) -> None:
        headers = await add_token(committed, root, scope)
        async with browse(committed) as thief:
            await request_reset(committed, thief, root)
            answers = [await thief.get(path, headers=headers) for path in PATHS]
            for secret in re.findall(r"/auth/confirm-reset/([\w-]+)", "".join(answer.text for answer in answers)):
                await thief.post("/api/account/confirm-reset", json={"link": secret, "password": NEW})
            assert not await sign_in(thief, root, NEW)
        assert [(answer.status_code, answer.json()["error"]["code"]) for answer in answers] == [(403, "NotForPrograms")] * 2

    @pytest.mark.slow
    @pytest.mark.security(15)
    async def test_no_data_for_administrators_contains_their_links(self, committed: Core, root: Actor) -> None:
        headers = await add_token(committed, root, TokenScope.WRITE)
        async with browse(committed) as client:
            secret = await request_reset(committed, client, root)
            assert await sign_in(client, root)
            described = (await client.get("/api/openapi.json")).json()["paths"]
            addresses = [path for path in (*described, *SCREENS) if "{" not in path and "get" in described.get(path, ["get"])]
            answers = [(path, await client.get(path, headers=asked)) for path in addresses for asked in ({}, headers)]
        assert len([path for path, answer in answers if answer.status_code == 200]) > 80
        assert [path for path, answer in answers if secret in answer.text] == []

    @pytest.mark.security(15, 26)
    async def test_a_reset_for_another_person_requires_reauthentication(self, committed: Core, root: Actor, ada: Actor) -> None:
        async with browse(committed) as client:
            assert await sign_in(client, root)
            await let_time_pass(committed)
            refused = await client.post(f"/api/people/{ada.id}/reset")
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ReauthenticationRequired")
            assert (await client.put("/api/account/reauthentication", json={"password": PASSWORD})).status_code == 204
            assert (await client.post(f"/api/people/{ada.id}/reset")).status_code == 202
            (listed,) = (await client.get("/api/mails")).json()["items"]
        assert (listed["recipient"], listed["kind"]) == (ada.email, "password_reset")


class TestApi:
    @pytest.mark.security(15, 26)
    @pytest.mark.parametrize("path", PATHS)
    async def test_it_requires_recent_authentication(self, committed: Core, root: Actor, path: str) -> None:
        async with browse(committed) as client:
            assert await sign_in(client, root)
            await let_time_pass(committed)
            refused = await client.get(path)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ReauthenticationRequired")
            assert await recorded(committed, root) == []
            assert (await client.put("/api/account/reauthentication", json={"password": PASSWORD})).status_code == 204
            assert (await client.get(path)).status_code == 200

    async def test_it_lists_recipients_and_kinds_but_no_messages(self, committed: Core, root: Actor, ada: Actor) -> None:
        async with browse(committed) as client:
            await request_reset(committed, client, ada)
            assert await sign_in(client, root)
            (listed,) = (await client.get("/api/mails")).json()["items"]
            client.cookies.set("language", "de")
            exported = (await client.get("/api/mails/export.csv")).text
        written = {"id", "kind", "recipient", "state", "tries", "error", "created_at", "sent_at"}
        assert listed.keys() == written
        assert [listed[name] for name in ("kind", "recipient", "state")] == ["password_reset", ada.email, "kept"]
        heading, row = csv.reader(exported.splitlines())
        assert heading == ["Art", "An", "Status", "Geschrieben", "Gesendet", "Fehler"]
        assert row[:3] == ["Link zum Zurücksetzen des Passworts", ada.email, "Gespeichert"]

    async def test_it_is_searched_by_recipient_and_by_kind_in_words(self, committed: Core, root: Actor, ada: Actor) -> None:
        async with browse(committed) as client:
            await request_reset(committed, client, ada)
            assert await sign_in(client, root)

            async def count(**asked: str) -> int:
                return (await client.get("/api/mails", params=asked)).json()["total"]

            found = [await count(text=text) for text in ("ADA@", "reset link", "invoice", "")]
            states = [await count(state=state) for state in ("kept", "sent")]
            exported = (await client.get("/api/mails/export.csv", params={"text": "invoice"})).text
        assert (found, states, len(exported.splitlines())) == ([1, 1, 0, 1], [1, 0], 1)

    @pytest.mark.security(45)
    async def test_each_visit_and_each_export_is_recorded(self, committed: Core, root: Actor) -> None:
        async with browse(committed) as client:
            assert await sign_in(client, root)
            for page in (1, 2, 3):
                await client.get("/api/mails", params={"page": page})
            assert await recorded(committed, root) == ["outbox.read"]
            for _ in range(2):
                await client.get("/api/mails/export.csv")
            assert await recorded(committed, root) == ["export", "export", "outbox.read"]

    @pytest.mark.security(45)
    async def test_a_later_visit_is_recorded_again(self, committed: Core, root: Actor) -> None:
        earlier = now() - timedelta(minutes=11)
        async with committed.database.transaction() as session:
            line = {"action": "outbox.read", "subject": root.email, "address": HERE.address, "details": {}}
            session.add(AuditEntry(at=earlier, actor_id=root.id, actor_email=root.email, **line))
        async with browse(committed) as client:
            assert await sign_in(client, root)
            await client.get("/api/mails")
        assert await recorded(committed, root) == ["outbox.read", "outbox.read"]


@component
def outbox_in_frame() -> VdomDict:
    """The outbox in the dashboard's frame."""
    return html.div(outbox_screen.render(), prompts())


class TestScreen:
    @pytest.fixture
    async def signed_in(self, committed: Core, root: Actor, ada: Actor) -> Actor:
        """An administrator who signed in a while ago, with one email in the outbox."""
        async with committed.database.transaction() as session:
            await administration.start_reset(session, root, committed, ada.id, client=HERE)
            result = await authentication.sign_in(
                session, committed, email=root.email, password=PASSWORD, remember=True, client=HERE
            )
        assert isinstance(result, SignedIn)
        await let_time_pass(committed)
        return result.actor

    async def reauthenticate(self, screen: ScreenUnderTest) -> None:
        await screen.emit("ReauthenticationDialog", "on_reauthenticate", password=PASSWORD, code="")

    @pytest.mark.security(15, 26)
    async def test_it_requires_reauthentication_and_then_shows_the_list(self, committed: Core, signed_in: Actor) -> None:
        async with mounted(committed, signed_in, outbox_in_frame, path="/dashboard/outbox") as screen:
            assert not screen.has("DataTable")
            await screen.click("button", "Confirm your identity")
            await self.reauthenticate(screen)
            (row,) = screen.rows()
            assert (row["kind"], row["recipient"]) == ("Password reset link", "ada@example.org")
            assert "/auth/confirm-reset/" not in str(screen.view.tree)
            assert "Run fundwright mail on the server" in screen.text

    async def test_it_requires_reauthentication_again_after_a_while(self, committed: Core, signed_in: Actor) -> None:
        async with mounted(committed, signed_in, outbox_in_frame, path="/dashboard/outbox") as screen:
            await screen.click("button", "Confirm your identity")
            await self.reauthenticate(screen)
            await let_time_pass(committed)
            await screen.go("/dashboard/outbox?page_size=10")
            assert not screen.has("DataTable")
            await screen.click("button", "Confirm your identity")
            await self.reauthenticate(screen)
            assert len(screen.rows()) == 1

    async def test_an_export_requires_reauthentication(self, committed: Core, signed_in: Actor) -> None:
        async with mounted(committed, signed_in, outbox_in_frame, path="/dashboard/outbox") as screen:
            await screen.click("button", "Confirm your identity")
            await self.reauthenticate(screen)
            await screen.go("/dashboard/outbox?text=ada&state=kept")
            assert "1 email" in screen.text
            await screen.go("/dashboard/outbox?text=nobody")
            assert "No emails match. Change the filters." in screen.text
            await screen.go("/dashboard/outbox?text=ada")
            await let_time_pass(committed)
            await screen.click("button", "Export as CSV")
            assert [frame for frame in screen.frames if frame["type"] == "download"] == []
            await self.reauthenticate(screen)
            (download,) = [frame for frame in screen.frames if frame["type"] == "download"]
            assert download["url"] == "/api/mails/export.csv?text=ada"

    async def test_a_reset_for_another_person_asks_first(self, committed: Core, signed_in: Actor, ada: Actor) -> None:
        async with mounted(committed, signed_in, person_screen, params={"id": str(ada.id)}) as screen:
            await screen.click("button", "Reset password")
            assert screen.toasts == [
                "To continue, confirm your identity with your password (or a code if two-step verification is on) or a passkey."
            ]
