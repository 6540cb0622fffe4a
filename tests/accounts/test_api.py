"""The account's own routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest
from fundwright_ui.app import build_app
from tests.accounts.test_photos import picture
from tests.support.jobs import working
from tests.support.signing_in import PASSWORD

NEW = "seven quiet lighthouses"


@asynccontextmanager
async def browse(core: Core) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build_app(core), client=("192.0.2.7", 5_000), raise_app_exceptions=False)
    headers = {"sec-fetch-site": "same-origin"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        yield client


async def sign_in(client: httpx.AsyncClient, password: str = PASSWORD) -> bool:
    answer = await client.post("/signin", json={"email": "ada@example.org", "password": password})
    return answer.json()["flag"] == "success"


@pytest.fixture
async def signed_in(committed: Core, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(committed) as client:
        assert await sign_in(client)
        yield client


async def newest_letter(core: Core) -> str:
    async with core.database.transaction() as session:
        return (await mail.list_messages(session, PageRequest())).items[0].text


class TestProfile:
    async def test_is_read_and_written_in_the_specification_s_names(self, signed_in: httpx.AsyncClient) -> None:
        written = {"displayName": "Ada King", "phoneNumber": "+1 202 555 0100", "zipCode": "20001", "isPublic": True}
        answer = await signed_in.put("/api/account/profile", json=written)
        assert answer.status_code == 200
        assert written.items() <= answer.json().items()
        assert (await signed_in.get("/api/account/profile")).json() == answer.json()

    async def test_says_what_is_wrong(self, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.put("/api/account/profile", json={"displayName": "Ada", "phoneNumber": "call me"})
        assert answer.status_code == 422
        assert "Enter a phone number such as" in answer.json()["error"]["message"]

    async def test_language_and_zone_are_chosen(self, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.put("/api/account/locale", json={"language": "de", "timeZone": "Europe/Berlin"})
        assert (answer.json()["language"], answer.json()["timeZone"]) == ("de", "Europe/Berlin")
        assert '"timeZone":"Europe/Berlin"' in (await signed_in.get("/dashboard/user/account")).text.replace('": ', '":')


class TestPassword:
    @pytest.mark.security(13)
    async def test_requires_the_current_one(self, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.put("/api/account/password", json={"current": "wrong", "new": NEW})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "WrongPassword")
        assert (await signed_in.put("/api/account/password", json={"current": PASSWORD, "new": NEW})).status_code == 204
        assert (await signed_in.get("/api/account/profile")).status_code == 200
        assert await sign_in(signed_in, NEW)

    @pytest.mark.security(1, 13)
    async def test_wrong_ones_are_counted_although_they_are_refused(self, signed_in: httpx.AsyncClient) -> None:
        statuses = [
            (await signed_in.put("/api/account/password", json={"current": "wrong", "new": NEW})).status_code for _ in range(5)
        ]
        assert statuses == [403, 403, 403, 403, 429]


class TestEmail:
    async def test_changes_once_it_is_confirmed(self, committed: Core, signed_in: httpx.AsyncClient) -> None:
        asked = {"email": "new@example.org", "password": PASSWORD}
        assert (await signed_in.post("/api/account/email", json=asked)).status_code == 202
        async with committed.database.transaction() as session:
            sent_messages = (await mail.list_messages(session, PageRequest())).items
        text = next(message.text for message in sent_messages if message.recipient == "new@example.org")
        link = text.partition("/auth/confirm-email/")[2].split()[0]
        assert (await signed_in.get(f"/auth/confirm-email/{link}")).status_code == 200
        answer = await signed_in.post("/api/account/confirm-email", json={"link": link})
        assert answer.json() == {"email": "new@example.org"}
        assert (await signed_in.get("/api/account/profile")).status_code == 401
        assert (await signed_in.post("/api/account/confirm-email", json={"link": link})).status_code == 410

    @pytest.mark.security(37)
    async def test_a_page_of_another_site_cannot_confirm(self, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.post("/api/account/confirm-email", json={"link": "x"}, headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 403


class TestPhoto:
    @pytest.mark.security(36, 42)
    async def test_is_kept_for_those_who_are_signed_in(self, committed: Core, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.post("/api/account/photo", files={"file": ("me.png", picture())})
        assert answer.status_code == 200
        address = answer.json()["photoURL"]
        shown = await signed_in.get(address)
        assert (shown.status_code, shown.headers["content-type"]) == (200, "image/webp")
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert shown.headers["cache-control"] == "private, max-age=86400"
        async with browse(committed) as stranger:
            assert (await stranger.get(address)).status_code == 401
        page = await signed_in.get("/dashboard/user/account")
        assert f'src="{address}"' in page.text
        assert "img-src 'self'" in page.headers["content-security-policy"]
        assert (await signed_in.delete("/api/account/photo")).json()["photoURL"] is None
        assert (await signed_in.get(address)).status_code == 404

    @pytest.mark.security(42)
    async def test_is_refused_by_size_and_by_content(self, signed_in: httpx.AsyncClient) -> None:
        answer = await signed_in.post("/api/account/photo", files={"file": ("me.png", b"x" * 3_000_001)})
        assert (answer.status_code, "larger than 3 MB" in answer.text) == (422, True)
        answer = await signed_in.post("/api/account/photo", files={"file": ("me.png", b"x" * 5_000_000)})
        assert (answer.status_code, "Choose a smaller photo." in answer.text) == (422, True)
        answer = await signed_in.post("/api/account/photo", files={"file": ("me.png", b"<html>")})
        assert (answer.status_code, "Choose a PNG, JPEG, or WebP file" in answer.text) == (422, True)


class TestSessions:
    @pytest.mark.security(24)
    async def test_all_others_are_ended(self, committed: Core, signed_in: httpx.AsyncClient) -> None:
        async with browse(committed) as elsewhere:
            assert await sign_in(elsewhere)
            assert (await signed_in.delete("/api/account/sessions")).status_code == 204
            assert (await elsewhere.get("/api/account/profile")).status_code == 401
        assert len((await signed_in.get("/api/account/sessions")).json()["items"]) == 1


class TestTokens:
    async def test_the_owner_is_notified(self, committed: Core, signed_in: httpx.AsyncClient) -> None:
        assert (await signed_in.post("/api/account/tokens", json={"name": "nightly"})).status_code == 201
        assert "“nightly”" in await newest_letter(committed)


class TestData:
    async def test_is_collected_and_downloaded(self, committed: Core, signed_in: httpx.AsyncClient) -> None:
        assert (await signed_in.get("/api/account/data")).json() is None
        assert (await signed_in.get("/api/account/data/archive")).status_code == 404
        assert (await signed_in.post("/api/account/data")).json()["job"]["state"] == "queued"
        assert (await signed_in.post("/api/account/data")).status_code == 409
        async with working(committed.jobs):
            while (await signed_in.get("/api/account/data")).json()["job"]["state"] != "succeeded":
                pass
        archive = await signed_in.get("/api/account/data/archive")
        assert archive.content.startswith(b"PK")
        assert archive.headers["content-disposition"] == 'attachment; filename="fundwright-data.zip"'
        assert archive.headers["cache-control"] == "no-store"


class TestDeletion:
    @pytest.mark.security(20)
    async def test_ends_the_account_at_once(self, signed_in: httpx.AsyncClient) -> None:
        meant = {"email": "ada@example.org", "password": PASSWORD}
        assert (await signed_in.post("/api/account/deletion", json={**meant, "password": "wrong"})).status_code == 403
        assert (await signed_in.post("/api/account/deletion", json={**meant, "email": "x@y.org"})).status_code == 422
        assert (await signed_in.post("/api/account/deletion", json=meant)).status_code == 204
        assert (await signed_in.get("/api/account/profile")).status_code == 401
        assert not await sign_in(signed_in)
        assert "Your account was deleted." in (await signed_in.get("/auth/login?notice=deleted")).text
