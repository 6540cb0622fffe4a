"""Guests comment on a draft through its share link."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.conversation import service as conversation
from fundwright.conversation.models import Comment
from fundwright.conversation.schemas import CommentForm, CommentQuery, CommentRead, CommentState, ReplyForm, ThreadQuery
from fundwright.core.errors import ItemHidden, NotAllowed
from fundwright.core.scopes import Scope
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftSectionRead
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import opening
from fundwright.sharing.models import ShareLink
from fundwright.sharing.schemas import ShareCreated
from tests.sharing.conftest import Office, do
from tests.sharing.test_pages import OVER, SECRET, age
from tests.support.statements import statements

pytestmark = pytest.mark.security(50)

UNKNOWN = UUID(int=1)
TEXT = "Please name the dredging depth."


async def send(office: Office, link: ShareCreated, *, client: httpx.AsyncClient | None = None, **fields: str) -> httpx.Response:
    """Send the form for a comment, as a new visitor unless a `client` is given."""
    data = {"name": "Grace", "text": TEXT, "key": uuid4().hex} | fields
    if client is not None:
        return await client.post(f"{link.link}/comments", data=data)
    async with office.visitor() as visitor:
        return await visitor.post(f"{link.link}/comments", data=data)


async def comments(office: Office, actor: Actor | None = None) -> list[CommentRead]:
    actor, query = actor or office.ada, CommentQuery(subject_id=office.draft_id)
    found = await do(office.core, lambda session: conversation.list_comments(session, actor, office.core, query))
    return found.items


async def begin(office: Office, text: str = "Only for the team.") -> CommentRead:
    form = CommentForm(subject_id=office.draft_id, text=text)
    return await do(office.core, lambda session: conversation.add_comment(session, office.ada, office.core, form))


async def answer(office: Office, comment: CommentRead, text: str) -> CommentRead:
    form = ReplyForm(text=text)
    return await do(office.core, lambda session: conversation.reply(session, office.ada, office.core, comment.id, form))


async def sections(office: Office, link: ShareCreated) -> Sequence[DraftSectionRead]:
    shared = await opening.read(office.core, await opening.find(office.core, link.link.rpartition("/")[2]))
    assert shared.draft is not None
    return shared.draft.sections


class TestComment:
    async def test_is_among_the_comments_on_the_draft(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        response = await send(office, link)
        [written] = await comments(office)
        assert response.status_code == 303
        assert response.headers["location"].startswith(f"/shared/{link.link.rpartition('/')[2]}?")
        assert response.headers["location"].endswith(f"#comment-{written.id}")
        assert (written.signature, written.text, written.author_id) == ("Grace (guest)", TEXT, None)
        assert (written.is_guest, written.share_id, written.state) == (True, link.id, CommentState.OPEN)

    async def test_members_answer_and_resolve_and_the_guest_sees_it(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await send(office, link)
        [written] = await comments(office)
        await answer(office, written, "Twelve feet.")
        await do(
            office.core, lambda session: conversation.resolve(session, office.ada, office.core, written.id, is_resolved=True)
        )
        page = (await office.get(link)).text
        assert page.index(TEXT) < page.index("Twelve feet.") and "Ada Lovelace</strong>" in page and "Resolved" in page
        assert "Grace (guest)" in page and 'action="/shared/' in page

    async def test_a_reply_of_a_guest_opens_the_thread_again(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await send(office, link)
        [written] = await comments(office)
        await do(
            office.core, lambda session: conversation.resolve(session, office.ada, office.core, written.id, is_resolved=True)
        )
        await send(office, link, thread_id=str(written.id), text="One more question.", page="1")
        assert [(each.text, each.state) for each in await comments(office)] == [
            (TEXT, CommentState.OPEN),
            ("One more question.", CommentState.OPEN),
        ]

    async def test_may_be_about_a_section(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        [part, *_] = await sections(office, link)
        await send(office, link, part_id=str(part.id))
        [written] = await comments(office)
        assert written.part_id == part.id and f"About “{written.part}”" in (await office.get(link)).text
        assert (await send(office, link, part_id=str(uuid4()))).status_code == 404

    async def test_about_another_section_is_another_one(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        parts = await sections(office, link)
        for part in parts[:2]:
            await send(office, link, key="k1", part_id=str(part.id))
        assert {each.part_id for each in await comments(office)} == {part.id for part in parts[:2]}

    async def test_is_added_once_if_the_browser_sends_it_again(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        first, again = [await send(office, link, key="k1") for _ in range(2)]
        assert len(await comments(office)) == 1
        assert first.headers["location"].partition("#")[2] == again.headers["location"].partition("#")[2]

    async def test_opens_are_not_counted_by_it(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        async with office.visitor() as visitor:
            await visitor.get(link.link)
            response = await send(office, link, client=visitor)
            assert TEXT in (await visitor.get(response.headers["location"])).text
        assert (await office.listed(link)).opens == 1

    async def test_is_plain_text(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await send(office, link, name="<b>Grace</b>\u202e\u200b", text="<script>alert(1)</script> **bold** \u202e @Ada Lovelace")
        page = (await office.get(link)).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**" in page and "\u202e" not in page
        assert "&lt;b&gt;Grace&lt;/b&gt; (guest)" in page and page.count("<script") == 2
        [written] = await comments(office)
        assert written.mentions == () and written.author == "<b>Grace</b>"


class TestWhoIsTold:
    async def test_the_member_who_created_the_link_and_those_in_the_thread(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await send(office, link)
        told = await do(
            office.core, lambda session: notifications.list_notifications(session, office.ada, office.core, NotificationQuery())
        )
        [written] = await comments(office)
        assert told.items[0].title == f"Comment by a guest on “{(await office.listed(link)).title}”"
        assert f"comment={written.id}" in told.items[0].path
        done = await do(office.core, lambda session: activity.list_activity(session, office.ada, office.core, ActivityQuery()))
        assert done.items[0].sentence.startswith("Grace (guest) commented on “") and done.items[0].person_id is None
        async with office.core.database.transaction() as session:
            entry = await session.scalar(select(AuditEntry).where(AuditEntry.action == "share.commented"))
        assert entry is not None and entry.details["link"] == str(link.id) and entry.actor_id is None


class TestWhatGuestsRead:
    async def test_no_comment_of_the_team_and_none_of_another_link(self, office: Office) -> None:
        link, other = [await office.share(allows_comments=True) for _ in range(2)]
        internal = await begin(office)
        await send(office, other, text="Through the other link.")
        page = (await office.get(link)).text
        assert "Only for the team." not in page and "Through the other link." not in page and "No comments yet." in page
        [_, foreign] = await comments(office)
        for thread in (internal.id, foreign.id, uuid4()):
            response = await send(office, link, thread_id=str(thread))
            assert response.status_code == 404 and TEXT in response.text
        assert len(await comments(office)) == 2

    async def test_a_link_to_view_has_no_comments(self, office: Office) -> None:
        link = await office.share()
        await begin(office)
        page = (await office.get(link)).text
        assert "<form" not in page and "Only for the team." not in page
        response = await send(office, link)
        assert response.status_code == 403 and "does not allow comments" in response.text and "Please name" in response.text
        assert len(await comments(office)) == 1


class TestDatabase:
    """What a guest's session can do in the database, whatever the services do."""

    @pytest.fixture
    async def link(self, office: Office) -> ShareCreated:
        link = await office.share(allows_comments=True)
        await begin(office)
        await send(office, link)
        return link

    def row(self, office: Office, link: ShareCreated, **given: object) -> dict[str, object]:
        return {
            "id": uuid4(),
            "owner_id": office.ada.workspace_id,
            "subject_kind": "draft",
            "subject_id": office.draft_id,
            "share_id": link.id,
            "is_guest": True,
            "author": "Grace",
            "text": "Raw",
            "mentions": {},
        } | given

    async def test_reads_only_the_threads_of_the_link(self, office: Office, link: ShareCreated) -> None:
        async with office.core.database.reading(scope=Scope(share_id=link.id)) as session:
            assert (await session.scalars(select(Comment.text))).all() == [TEXT]
            assert await session.scalar(select(func.count()).select_from(ShareLink)) == 0
        async with office.core.database.reading(scope=Scope(share_id=uuid4())) as session:
            assert (await session.scalars(select(Comment.text))).all() == []

    async def test_changes_and_deletes_nothing(self, office: Office, link: ShareCreated) -> None:
        async with office.core.database.transaction(scope=Scope(share_id=link.id)) as session:
            changed: Any = await session.execute(update(Comment).values(text="Changed"))
            assert changed.rowcount == 0

    @pytest.mark.parametrize("given", [{"share_id": None, "is_guest": False}, {"is_guest": False}, {"share_id": UNKNOWN}])
    async def test_writes_only_as_a_guest_of_the_link(self, office: Office, link: ShareCreated, given: dict[str, object]) -> None:
        with pytest.raises(ItemHidden):
            async with office.core.database.transaction(scope=Scope(share_id=link.id)) as session:
                await session.execute(insert(Comment).values(self.row(office, link, **given)))

    @pytest.mark.parametrize("given", [{"subject_id": UNKNOWN}, {"owner_id": UNKNOWN}, {"subject_kind": "opportunity"}])
    async def test_writes_only_about_the_draft(self, office: Office, link: ShareCreated, given: dict[str, object]) -> None:
        with pytest.raises(ItemHidden):
            async with office.core.database.transaction(scope=Scope(share_id=link.id)) as session:
                await session.execute(insert(Comment).values(self.row(office, link, **given)))

    @pytest.mark.parametrize(
        "change",
        [
            {"ended_at": func.now()},
            {"created_by": None},
            {"allows_comments": False},
            {"expires_at": func.now() - timedelta(seconds=1)},
        ],
    )
    async def test_writes_through_no_link_that_has_ended_or_allows_no_comments(
        self, office: Office, link: ShareCreated, change: dict[str, Any]
    ) -> None:
        async with office.core.database.transaction() as session:
            await session.execute(update(ShareLink).where(ShareLink.id == link.id).values(**change))
        with pytest.raises(ItemHidden):
            async with office.core.database.transaction(scope=Scope(share_id=link.id)) as session:
                await session.execute(insert(Comment).values(self.row(office, link)))

    async def test_writes_on_notices_only_through_a_link_to_a_list(self, office: Office, link: ShareCreated) -> None:
        listed = await office.share(query=OpportunityQuery(), allows_comments=True)
        for kind in ("opportunity", "draft", "document"):
            row = self.row(office, listed, subject_kind=kind)
            with nullcontext() if kind == "opportunity" else pytest.raises(ItemHidden):
                async with office.core.database.transaction(scope=Scope(share_id=listed.id)) as session:
                    await session.execute(insert(Comment).values(row))

    async def test_writes_into_no_other_thread(self, office: Office, link: ShareCreated) -> None:
        other = await office.share(allows_comments=True)
        await send(office, other, text="Through the other link.")
        own, *others = sorted(await comments(office), key=lambda each: each.share_id != link.id)
        for thread in (own, *others):
            with pytest.raises(IntegrityError) if thread is not own else nullcontext():
                async with office.core.database.transaction(scope=Scope(share_id=link.id)) as session:
                    await session.execute(insert(Comment).values(self.row(office, link, thread_id=thread.id)))


class TestTypedTextIsNotLost:
    @pytest.fixture
    async def link(self, office: Office) -> ShareCreated:
        return await office.share(allows_comments=True)

    async def test_when_the_link_was_revoked(self, office: Office, link: ShareCreated) -> None:
        async with office.visitor() as visitor:
            await visitor.get(link.link)
            await office.revoke(link)
            response = await send(office, link, client=visitor)
        assert response.status_code == 404 and OVER in response.text and TEXT in response.text
        assert await comments(office) == []

    async def test_when_it_is_revoked_while_the_request_is_handled(
        self, office: Office, link: ShareCreated, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = await opening.find(office.core, link.link.rpartition("/")[2])
        await office.revoke(link)

        async def find(*_: object) -> opening.WorkingLink:
            return found

        monkeypatch.setattr(opening, "find", find)
        response = await send(office, link)
        assert response.status_code == 404 and TEXT in response.text and await comments(office) == []

    async def test_when_something_fails(
        self, office: Office, link: ShareCreated, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fail(*_: object, **__: object) -> UUID:
            raise NotAllowed("Not now.")

        monkeypatch.setattr(opening, "comment", fail)
        response = await send(office, link)
        assert response.status_code == 403 and "Not now." in response.text and f">{TEXT}</textarea>" in response.text

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"name": " \u200b "}, "Enter your name."),
            ({"text": " \n "}, "Write a comment first."),
            *(
                ({"name": f"Verify at {address} now"}, "Enter a name without a web or email address.")
                for address in ("https://evil.example/login", "WWW.evil.example", "ada@evil.example")
            ),
            ({"text": "x" * 2_001}, "Use at most 2,000 characters."),
            ({"thread_id": "x"}, 'role="alert"'),
        ],
    )
    async def test_when_a_field_is_wrong(self, office: Office, link: ShareCreated, fields: dict[str, Any], sentence: str) -> None:
        given: dict[str, Any] = {"name": "Grace Hopper"} | fields
        response = await send(office, link, **given)
        assert response.status_code == 422 and sentence in response.text
        assert fields.get("text", TEXT).strip() in response.text and await comments(office) == []
        assert 'value="Grace Hopper"' in response.text or "name" in fields

    async def test_when_the_password_must_be_entered_again(self, office: Office) -> None:
        link = await office.share(allows_comments=True, password=SECRET)
        asked = await send(office, link)
        assert asked.status_code == 200 and "Enter the password" in asked.text and f">{TEXT}</textarea>" in asked.text
        wrong = await send(office, link, password="wrong")
        assert wrong.status_code == 403 and f">{TEXT}</textarea>" in wrong.text and await comments(office) == []
        async with office.visitor() as visitor:
            right = await send(office, link, client=visitor, password=SECRET)
            assert right.status_code == 303 and TEXT in (await visitor.get(right.headers["location"])).text
            key = re.search(r'name="key" value="(\w+)"', asked.text)
            assert key
        assert len(await comments(office)) == 1


class TestEnd:
    async def test_an_expired_link_takes_none(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await age(office, link, timedelta(days=15))
        assert (await send(office, link)).status_code == 404 and await comments(office) == []

    async def test_a_link_to_a_draft_in_the_trash_takes_none(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        await do(office.core, lambda session: generation.delete_draft(session, office.ada, office.draft_id))
        assert (await send(office, link)).status_code == 404

    @pytest.mark.parametrize(
        "headers",
        [
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "cross-site", "origin": "null"},
            {"origin": "https://evil.example"},
        ],
    )
    async def test_other_sites_cannot_send_the_form(self, office: Office, headers: dict[str, str]) -> None:
        link = await office.share(allows_comments=True)
        async with office.visitor(**headers) as visitor:
            response = await send(office, link, client=visitor)
        assert response.status_code == 403 and await comments(office) == []

    @pytest.mark.parametrize("headers", [{"origin": "null"}, {"sec-fetch-site": "same-origin", "origin": "null"}])
    async def test_pages_without_a_referrer_can(self, office: Office, headers: dict[str, str]) -> None:
        link = await office.share(allows_comments=True)
        async with office.visitor(**headers) as visitor:
            assert (await send(office, link, client=visitor)).status_code == 303

    async def test_readers_of_all_links_of_a_member_share_turns_for_drawing_pages(
        self, office: Office, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parties: list[Hashable] = []
        run = office.core.computing.run

        async def noted(function: partial[str], *, party: Hashable = None) -> str:
            parties.append(party)
            return await run(function, party=party)

        monkeypatch.setattr(office.core.computing, "run", noted)
        for _ in range(2):
            assert (await office.get(await office.share(allows_comments=True))).status_code == 200
        assert len(parties) == 2 and parties[0] == parties[1] not in (None, office.ada.id)

    async def test_comments_are_limited(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        link = await office.share(allows_comments=True)
        responses = [await send(office, link, text=f"Comment {n}") for n in range(21)]
        assert [each.status_code for each in responses] == [303] * 20 + [429]
        assert "Comment 20</textarea>" in responses[-1].text and len(await comments(office)) == 20
        monkeypatch.setattr(conversation, "MOST_OF_GUESTS", 20)
        async with office.visitor("203.0.113.9") as visitor:
            response = await send(office, link, client=visitor)
        assert response.status_code == 409 and len(await comments(office)) == 20

    @pytest.mark.security(50, 53)
    @pytest.mark.parametrize("is_locked", [False, True])
    async def test_a_guest_who_is_banned_does_not_cause_work(
        self, office: Office, monkeypatch: pytest.MonkeyPatch, is_locked: bool
    ) -> None:
        link = await office.share(allows_comments=True, password="correct horse battery" if is_locked else None)
        if is_locked:
            for _ in range(4):
                await send(office, link, password="guess")
        else:
            monkeypatch.setattr(opening, "_COMMENT_LIMITS", (1, 1))
            await send(office, link)
        with statements(office.core.database.engine.sync_engine) as sent:
            response = await send(office, link, password="guess" if is_locked else "")
        assert response.status_code == 429 and TEXT in response.text
        assert not [each for each in sent if "draft_section" in each or "citation" in each]

    @pytest.mark.security(50)
    async def test_a_page_that_asks_for_a_password_reads_no_draft(self, office: Office) -> None:
        link = await office.share(password="correct horse battery")
        with statements(office.core.database.engine.sync_engine) as sent:
            response = await office.get(link)
        assert response.status_code == 200
        assert not [each for each in sent if "draft_section" in each or "citation" in each]


class TestMembers:
    async def test_delete_comments_of_guests_but_do_not_change_them(self, office: Office) -> None:
        await send(office, await office.share(allows_comments=True))
        [written] = await comments(office)
        with pytest.raises(NotAllowed):
            await do(
                office.core,
                lambda session: conversation.change_comment(
                    session, office.ada, office.core, written.id, ReplyForm(text="Other words")
                ),
            )
        reviewer = office.ada.model_copy(update={"id": uuid4(), "workspace_role": WorkspaceRole.REVIEWER})
        with pytest.raises(NotAllowed):
            await do(office.core, lambda session: conversation.delete_comment(session, reviewer, office.core, written.id))
        await do(office.core, lambda session: conversation.delete_comment(session, office.ada, office.core, written.id))
        assert await comments(office) == []

    async def test_read_them_in_the_panel(self, office: Office) -> None:
        await send(office, await office.share(allows_comments=True))
        shown = await do(
            office.core,
            lambda session: conversation.read_conversation(session, office.ada, office.core, office.draft_id, ThreadQuery()),
        )
        assert shown.threads.items[0].first.signature == "Grace (guest)"
