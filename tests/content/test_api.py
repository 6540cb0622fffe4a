from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from email.utils import parsedate_to_datetime
from html import unescape
from uuid import uuid4

import httpx
import pytest
from defusedxml.ElementTree import fromstring

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui.app import build_app
from tests.content.conftest import Write
from tests.support.accounts import add_account
from tests.support.programs import program

POST = {"title": "What is new", "summary": "In short", "text": "Much."}


def client_of(core: Core, actor: Actor | None) -> AbstractAsyncContextManager[httpx.AsyncClient]:
    return program(build_app(core), actor, base_url="http://localhost")


@pytest.fixture
async def admin(committed: Core, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(committed, ada) as client:
        yield client


@pytest.fixture
async def stranger(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(committed, None) as client:
        yield client


@pytest.fixture
def as_role(committed: Core, ada: Actor):
    """Opens the API for an account with this role."""

    @asynccontextmanager
    async def opened(role: Role) -> AsyncIterator[httpx.AsyncClient]:
        async with committed.database.transaction() as session:
            actor = await add_account(session, f"{role}@example.org", name="Bob", role=role)
        async with client_of(committed, actor) as client:
            yield client

    return opened


class TestPosts:
    async def test_one_is_written_published_read_by_strangers_withdrawn_and_deleted(
        self, admin: httpx.AsyncClient, stranger: httpx.AsyncClient
    ) -> None:
        made = await admin.post("/api/blog/posts", json=POST)
        assert (made.status_code, made.json()["state"]) == (201, "draft")
        url = f"/api/blog/posts/{made.json()['id']}"
        assert (await stranger.get("/api/blog/what-is-new")).status_code == 404
        assert (await admin.put(url, json={**POST, "text": "More."})).json()["text"] == "More."
        assert (await admin.put(f"{url}/publication", json={})).json()["state"] == "published"
        assert (await stranger.get("/api/blog/what-is-new")).json()["text"] == "More."
        listed = (await stranger.get("/api/blog")).json()
        assert (listed["page_size"], [post["slug"] for post in listed["items"]]) == (11, ["what-is-new"])
        assert "id" not in listed["items"][0]
        assert (await admin.delete(f"{url}/publication")).json()["state"] == "draft"
        assert (await stranger.get("/api/blog")).json()["total"] == 0
        assert (await admin.delete(url)).status_code == 204
        assert (await admin.get(url)).status_code == 404

    async def test_one_is_scheduled(self, admin: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
        id = (await admin.post("/api/blog/posts", json=POST)).json()["id"]
        soon = (now() + timedelta(days=1)).isoformat()
        assert (await admin.put(f"/api/blog/posts/{id}/publication", json={"at": soon})).json()["state"] == "scheduled"
        assert (await stranger.get("/api/blog/what-is-new")).status_code == 404

    async def test_bad_input_is_refused(self, admin: httpx.AsyncClient) -> None:
        assert (await admin.post("/api/blog/posts", json={**POST, "title": " "})).status_code == 422
        assert (await admin.post("/api/blog/posts", json={**POST, "slug": "mine"})).status_code == 422
        id = (await admin.post("/api/blog/posts", json=POST)).json()["id"]
        for at in ("soon", "2030-01-01T10:00:00", "9999-12-31T23:59:59-12:00"):
            assert (await admin.put(f"/api/blog/posts/{id}/publication", json={"at": at})).status_code == 422

    async def test_the_list_is_exported(self, admin: httpx.AsyncClient) -> None:
        await admin.post("/api/blog/posts", json=POST)
        answer = await admin.get("/api/blog/posts/export.csv", params={"state": "draft"})
        assert answer.headers["content-disposition"] == 'attachment; filename="posts.csv"'
        assert [line.split(",")[0] for line in answer.text.splitlines()] == ["Address", "what-is-new"]

    @pytest.mark.parametrize("path", ["/api/blog/%00", "/api/blog/posts?text=%00", "/api/blog?page=0", "/api/feedback?text=%00"])
    async def test_odd_addresses_are_answered(self, admin: httpx.AsyncClient, path: str) -> None:
        assert (await admin.get(path)).status_code in (200, 404, 422)


class TestFeedback:
    async def test_it_is_sent_listed_worked_on_and_exported(self, admin: httpx.AsyncClient, as_role) -> None:
        async with as_role(Role.USER) as bob:
            sent = await bob.post("/api/feedback", json={"kind": "idea", "text": "=More", "page": "/dashboard/train"})
        assert sent.status_code == 201
        assert "note" not in sent.json()
        url = f"/api/feedback/{sent.json()['id']}"
        assert (await admin.get(url)).json()["sender"] == "user@example.org"
        changed = await admin.patch(url, json={"state": "closed", "note": "Done"})
        assert (changed.json()["state"], changed.json()["note"]) == ("closed", "Done")
        assert (await admin.get("/api/feedback", params={"state": "closed"})).json()["total"] == 1
        assert "'=More" in (await admin.get("/api/feedback/export.csv")).text
        assert (await admin.patch(f"/api/feedback/{uuid4()}", json={})).status_code == 404


class TestPermissions:
    async def test_users_change_nothing(self, admin: httpx.AsyncClient, as_role) -> None:
        id = (await admin.post("/api/blog/posts", json=POST)).json()["id"]
        sent = (await admin.post("/api/feedback", json={"text": "x"})).json()["id"]
        async with as_role(Role.USER) as client:
            assert (await client.post("/api/blog/posts", json=POST)).status_code == 403
            assert (await client.put(f"/api/blog/posts/{id}", json=POST)).status_code == 403
            assert (await client.put(f"/api/blog/posts/{id}/publication", json={})).status_code == 403
            assert (await client.delete(f"/api/blog/posts/{id}/publication")).status_code == 403
            assert (await client.delete(f"/api/blog/posts/{id}")).status_code == 403
            assert (await client.patch(f"/api/feedback/{sent}", json={"state": "closed"})).status_code == 403

    async def test_users_see_neither_drafts_nor_feedback(self, as_role) -> None:
        async with as_role(Role.USER) as client:
            for path in ("/api/blog/posts", "/api/blog/posts/export.csv", "/api/feedback", "/api/feedback/export.csv"):
                assert (await client.get(path)).status_code == 403

    async def test_strangers_send_no_feedback(self, stranger: httpx.AsyncClient) -> None:
        assert (await stranger.post("/api/feedback", json={"text": "x"})).status_code == 401


class TestFeed:
    async def test_it_is_rss_of_what_is_published(self, stranger: httpx.AsyncClient, write: Write) -> None:
        post = await write("Fish & <Chips>")
        await write("Later", at=now() + timedelta(days=1))
        answer = await stranger.get("/blog/rss.xml")
        assert answer.headers["content-type"] == "application/rss+xml"
        feed = fromstring(answer.content)
        assert (feed.tag, feed.get("version")) == ("rss", "2.0")
        assert [feed.findtext(f"channel/{name}") for name in ("title", "link")] == ["Fundwright", "http://127.0.0.1:8000/blog"]
        (item,) = feed.findall("channel/item")
        link = "http://127.0.0.1:8000/blog/fish-chips"
        assert [item.findtext(name) for name in ("title", "link", "guid")] == ["Fish & <Chips>", link, link]
        assert unescape(item.findtext("description")) == "On Fish & <Chips>"
        assert parsedate_to_datetime(item.findtext("pubDate")) == post.published_at.replace(microsecond=0)

    @pytest.mark.security(39)
    async def test_markup_in_a_summary_is_text_to_readers_that_take_it_for_html(
        self, stranger: httpx.AsyncClient, write: Write
    ) -> None:
        await write("<img src=x onerror=alert(1)>")
        description = fromstring((await stranger.get("/blog/rss.xml")).content).findtext("channel/item/description")
        assert description == "On &lt;img src=x onerror=alert(1)&gt;"

    async def test_links_use_the_public_address_and_never_the_host_of_the_request(self, committed: Core, write: Write) -> None:
        await write("News")
        settings = committed.settings.model_copy(update={"public_url": "https://funding.example.org/app"})
        async with program(
            build_app(replace(committed, settings=settings), base="/app"), None, base_url="http://forged.example"
        ) as client:
            feed = (await client.get("/app/blog/rss.xml")).text
        assert "<link>https://funding.example.org/app/blog/news</link>" in feed
        assert "forged.example" not in feed

    async def test_the_head_of_the_blog_names_it(self, committed: Core) -> None:
        async with program(build_app(committed, base="/app"), None, base_url="http://localhost") as client:
            head = (await client.get("/app/blog")).text.split("</head>")[0]
            assert '<link rel="alternate" type="application/rss+xml" href="/app/blog/rss.xml">' in head
            assert "application/rss+xml" not in (await client.get("/app/auth/login")).text
