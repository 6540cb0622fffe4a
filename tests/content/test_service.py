from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from pydantic import ValidationError
from sqlalchemy import text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Role
from fundwright.content import service
from fundwright.content.models import Feedback
from fundwright.content.schemas import (
    BlogPage,
    FeedbackChange,
    FeedbackKind,
    FeedbackQuery,
    FeedbackSend,
    FeedbackState,
    PostChange,
    PostContent,
    PostQuery,
    PostState,
    Publication,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import using_language
from tests.content.conftest import HERE, write_post
from tests.support.accounts import add_account

HOUR = timedelta(hours=1)


@pytest.fixture
async def admin(session: AsyncSession) -> Actor:
    return await add_account(session, role=Role.ADMIN)


async def audited(session: AsyncSession) -> list[tuple[str, str]]:
    rows = await session.execute(text("SELECT action, subject FROM audit_entry WHERE action ~ '^(blog|feed)' ORDER BY at"))
    return [(action, subject) for action, subject in rows]


async def read(lines: AsyncIterator[str]) -> list[str]:
    return [line.rstrip("\r\n") async for line in lines]


class TestSlug:
    @pytest.mark.parametrize(
        ("title", "slug"),
        [
            ("What is new?", "what-is-new"),
            ("Änderungen im März — Teil 2", "anderungen-im-marz-teil-2"),
            ("  Straße/Weg  ", "strasse-weg"),
            ("資金", "post"),
            ("x" * 100, "x" * 80),
        ],
    )
    def test_it_follows_from_the_title(self, title: str, slug: str) -> None:
        assert service.slug_of(title) == slug

    async def test_no_two_posts_have_the_same(self, session: AsyncSession, admin: Actor) -> None:
        slugs = [(await write_post(session, admin, title, draft=True)).slug for title in ("News", "News!", "news", "News 2")]
        assert slugs == ["news", "news-2", "news-3", "news-2-2"]

    async def test_two_posts_written_at_once_have_two(self, committed: Core, ada: Actor) -> None:
        async def add() -> str:
            async with committed.database.transaction() as session:
                return (await write_post(session, ada, "News", draft=True)).slug

        assert sorted(await asyncio.gather(add(), add(), add())) == ["news", "news-2", "news-3"]

    async def test_one_that_the_api_uses_is_not_given(self, session: AsyncSession, admin: Actor) -> None:
        assert (await write_post(session, admin, "Posts")).slug == "posts-2"

    async def test_it_follows_the_title_until_everyone_may_know_it(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "First", draft=True)
        renamed = PostChange(title="Second", text="x")
        assert (await service.change_post(session, admin, post.id, renamed, client=HERE)).slug == "second"
        await service.publish_post(session, admin, post.id, client=HERE)
        changed = await service.change_post(session, admin, post.id, PostChange(title="Third", text="x"), client=HERE)
        assert (changed.slug, changed.title) == ("second", "Third")

    async def test_saving_the_same_title_keeps_it(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "First", draft=True)
        again = PostChange(title="First.", text="y")
        assert (await service.change_post(session, admin, post.id, again, client=HERE)).slug == "first"


class TestContent:
    def test_characters_that_cannot_be_kept_are_left_out(self) -> None:
        assert PostContent(title=" a\x00b\x0c ", text="c\nd\ufffe").model_dump() == {"title": "ab", "summary": "", "text": "c\nd"}

    @pytest.mark.parametrize("fields", [{"title": " "}, {"text": "\x00"}, {"title": "x" * 201}])
    def test_what_is_too_short_or_too_long_is_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            PostContent.model_validate({"title": "a", "text": "b", **fields})

    @pytest.mark.parametrize("at", [datetime(1999, 12, 31, tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(2030, 1, 1)])  # noqa: DTZ001
    def test_a_time_must_be_in_this_century_and_have_a_zone(self, at: datetime) -> None:
        with pytest.raises(ValidationError):
            Publication(at=at)


class TestPublishing:
    async def test_a_draft_is_seen_by_nobody_else(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "News", draft=True)
        assert post.state == PostState.DRAFT
        assert (await service.list_published(session, BlogPage())).total == 0
        with pytest.raises(service.PostNotFound):
            await service.get_published(session, post.slug)

    async def test_a_scheduled_post_appears_when_its_time_has_come(
        self, session: AsyncSession, admin: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post = await write_post(session, admin, "News", at=now() + HOUR)
        assert post.state == PostState.SCHEDULED
        with pytest.raises(service.PostNotFound):
            await service.get_published(session, post.slug)
        monkeypatch.setattr("fundwright.content.repository.now", lambda: datetime.now(UTC) + 2 * HOUR)
        assert (await service.get_published(session, post.slug)).title == "News"
        assert [each.slug for each in (await service.list_published(session, BlogPage())).items] == ["news"]

    async def test_it_can_be_withdrawn(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "News")
        withdrawn = await service.withdraw_post(session, admin, post.id, client=HERE)
        assert (withdrawn.state, withdrawn.published_at) == (PostState.DRAFT, None)
        with pytest.raises(service.PostNotFound):
            await service.get_published(session, post.slug)

    async def test_every_step_is_in_the_audit_trail(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "News")
        await service.change_post(session, admin, post.id, PostChange(title="News", text="x"), client=HERE)
        await service.withdraw_post(session, admin, post.id, client=HERE)
        await service.delete_post(session, admin, post.id, client=HERE)
        actions = ("created", "published", "changed", "withdrawn", "deleted")
        assert await audited(session) == [(f"blog_post.{action}", "News") for action in actions]

    async def test_it_outlives_its_author(self, session: AsyncSession, admin: Actor) -> None:
        post = await write_post(session, admin, "News")
        await session.execute(text("DELETE FROM account WHERE id = :id"), {"id": admin.id})
        assert (await service.get_published(session, post.slug)).author == "Ada Example"


class TestReading:
    async def test_the_newest_come_first_eleven_on_a_page(self, session: AsyncSession, admin: Actor) -> None:
        for number in range(13):
            await write_post(session, admin, f"Post {number}", at=now() - number * HOUR)
        first, second = [await service.list_published(session, BlogPage(page=page)) for page in (1, 2)]
        assert [post.title for post in first.items] == [f"Post {number}" for number in range(11)]
        assert [post.title for post in second.items] == ["Post 11", "Post 12"]
        assert first.total == 13

    @pytest.mark.parametrize("slug", ["nothing", "\x00", "../posts", "NEWS", ""])
    async def test_an_address_without_a_post_shows_a_message(self, session: AsyncSession, slug: str) -> None:
        with pytest.raises(service.PostNotFound, match="This post doesn't exist"):
            await service.get_published(session, slug)

    async def test_in_the_readers_language(self, session: AsyncSession) -> None:
        with using_language("de"), pytest.raises(service.PostNotFound) as refused:
            await service.get_published(session, "nothing")
        assert "This post doesn't exist" not in refused.value.sentence


class TestListing:
    @pytest.fixture(autouse=True)
    async def posts(self, session: AsyncSession, admin: Actor) -> None:
        await write_post(session, admin, "Berlin", draft=True)
        await write_post(session, admin, "Athens 100 %", at=now() + HOUR)
        await write_post(session, admin, "Calais", at=now() - HOUR)

    @pytest.mark.parametrize(
        ("query", "titles"),
        [
            (PostQuery(), ["Calais", "Athens 100 %", "Berlin"]),
            (PostQuery(sort="title"), ["Athens 100 %", "Berlin", "Calais"]),
            (PostQuery(sort="-title"), ["Calais", "Berlin", "Athens 100 %"]),
            (PostQuery(sort="published_at"), ["Calais", "Athens 100 %", "Berlin"]),
            (PostQuery(sort="-published_at"), ["Athens 100 %", "Calais", "Berlin"]),
            (PostQuery(state=PostState.DRAFT), ["Berlin"]),
            (PostQuery(state=PostState.SCHEDULED), ["Athens 100 %"]),
            (PostQuery(state=PostState.PUBLISHED), ["Calais"]),
            (PostQuery(text="ON BERL"), ["Berlin"]),
            (PostQuery(text="%"), ["Athens 100 %"]),
            (PostQuery(page=2, page_size=2), ["Berlin"]),
        ],
    )
    async def test_sorts_filters_and_pages(
        self, session: AsyncSession, admin: Actor, query: PostQuery, titles: list[str]
    ) -> None:
        assert [post.title for post in (await service.list_posts(session, admin, query)).items] == titles

    def test_refuses_an_unknown_order(self) -> None:
        with pytest.raises(ValidationError, match="cannot be sorted by “drop table”"):
            PostQuery(sort="drop table")

    async def test_exports_what_is_listed_whatever_the_page(self, session: AsyncSession, admin: Actor) -> None:
        await write_post(session, admin, "=1+1", draft=True)
        lines = await read(service.export_posts(session, admin, PostQuery(page=2, page_size=1, state=PostState.DRAFT)))
        assert lines[0].startswith("Address,Title,Summary,Author,Status")
        assert [line.split(",")[1:5] for line in lines[1:]] == [
            ["'=1+1", "On =1+1", "Ada Example", "Draft"],
            ["Berlin", "On Berlin", "Ada Example", "Draft"],
        ]


class TestFeedback:
    async def send(self, session: AsyncSession, actor: Actor, words: str, kind: FeedbackKind = FeedbackKind.IDEA) -> None:
        await service.send_feedback(session, actor, FeedbackSend(kind=kind, text=words, page="/dashboard/train"))

    async def test_it_arrives_as_new_with_its_sender(self, session: AsyncSession, actor: Actor, admin: Actor) -> None:
        await self.send(session, actor, "More colors")
        (entry,) = (await service.list_feedback(session, admin, FeedbackQuery())).items
        assert (entry.text, entry.sender, entry.state, entry.note) == ("More colors", actor.email, FeedbackState.NEW, "")

    async def test_nobody_sends_more_than_a_number_a_day(
        self, session: AsyncSession, actor: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "_FEEDBACK_PER_DAY", 2)
        await self.send(session, actor, "One")
        await self.send(session, actor, "Two")
        with pytest.raises(service.TooMuchFeedback, match="2 messages in 24 hours"):
            await self.send(session, actor, "Three")
        await self.send(session, admin, "Someone else's")
        await session.execute(update(Feedback).where(Feedback.text == "One").values(created_at=now() - 25 * HOUR))
        await self.send(session, actor, "Three, a day later")

    async def test_the_team_says_how_far_it_is(self, session: AsyncSession, actor: Actor, admin: Actor) -> None:
        await self.send(session, actor, "More colors")
        (entry,) = (await service.list_feedback(session, admin, FeedbackQuery())).items
        change = FeedbackChange(state=FeedbackState.OPEN, note="Asked the designer")
        await service.change_feedback(session, admin, entry.id, change, client=HERE)
        kept = await service.change_feedback(session, admin, entry.id, FeedbackChange(), client=HERE)
        assert (kept.state, kept.note) == (FeedbackState.OPEN, "Asked the designer")
        assert await audited(session) == [("feedback.changed", str(entry.id))] * 2

    @pytest.mark.parametrize(
        ("query", "texts"),
        [
            (FeedbackQuery(), ["=Bravo", "Alpha"]),
            (FeedbackQuery(sort="created_at"), ["Alpha", "=Bravo"]),
            (FeedbackQuery(sort="kind"), ["=Bravo", "Alpha"]),
            (FeedbackQuery(kind=FeedbackKind.PROBLEM), ["Alpha"]),
            (FeedbackQuery(state=FeedbackState.CLOSED), []),
            (FeedbackQuery(text="alp"), ["Alpha"]),
            (FeedbackQuery(text="/TRAIN"), ["=Bravo", "Alpha"]),
        ],
    )
    async def test_sorts_filters_and_exports(
        self, session: AsyncSession, actor: Actor, admin: Actor, query: FeedbackQuery, texts: list[str]
    ) -> None:
        await self.send(session, actor, "Alpha", FeedbackKind.PROBLEM)
        await self.send(session, actor, "=Bravo", FeedbackKind.IDEA)
        assert [entry.text for entry in (await service.list_feedback(session, admin, query)).items] == texts
        lines = await read(service.export_feedback(session, admin, query))
        assert [line.split(",")[5] for line in lines[1:]] == [text.replace("=", "'=") for text in texts]

    async def test_it_goes_with_the_account_that_sent_it(self, session: AsyncSession, actor: Actor, admin: Actor) -> None:
        await self.send(session, actor, "More colors")
        await session.execute(text("DELETE FROM account WHERE id = :id"), {"id": actor.id})
        assert (await service.list_feedback(session, admin, FeedbackQuery())).total == 0

    async def test_one_that_is_gone_shows_a_message(self, session: AsyncSession, admin: Actor) -> None:
        with pytest.raises(service.FeedbackNotFound):
            await service.change_feedback(session, admin, uuid4(), FeedbackChange(), client=HERE)
