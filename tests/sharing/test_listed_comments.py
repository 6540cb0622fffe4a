"""Guests comment on the notices of a shared list."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, text

from fundwright.accounts.models import AuditEntry
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import CommentForm, CommentQuery, CommentRead, ReplyForm
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow
from fundwright.sharing.schemas import ShareCreated
from tests.sharing.conftest import Office, do
from tests.support.polling import eventually

pytestmark = pytest.mark.security(50)

TEXT = "We built one like this."
CONTRACTS = OpportunityQuery(kind="contract")


async def notices(office: Office, query: OpportunityQuery = CONTRACTS) -> list[OpportunityRow]:
    return (await do(office.core, lambda session: opportunities.list_opportunities(session, office.ada, query))).items


async def share(office: Office, query: OpportunityQuery = CONTRACTS, **given: Any) -> ShareCreated:
    content: dict[str, Any] = {"allows_comments": True, "title": "Harbor works"} | given
    return await office.share(query=query, **content)


async def send(
    office: Office, link: ShareCreated, notice_id: UUID, *, client: httpx.AsyncClient | None = None, **fields: str
) -> httpx.Response:
    data = {"name": "Grace", "text": TEXT, "key": uuid4().hex, "notice_id": str(notice_id)} | fields
    if client is not None:
        return await client.post(f"{link.link}/comments", data=data)
    async with office.visitor() as visitor:
        return await visitor.post(f"{link.link}/comments", data=data)


async def open_notice(office: Office, link: ShareCreated, notice_id: object) -> httpx.Response:
    async with office.visitor() as visitor:
        return await visitor.get(f"{link.link}/opportunities/{notice_id}")


async def comments(office: Office, notice_id: UUID) -> list[CommentRead]:
    query = CommentQuery(subject_id=notice_id)
    return (await do(office.core, lambda session: conversation.list_comments(session, office.ada, office.core, query))).items


async def begin(office: Office, notice_id: UUID, text: str) -> CommentRead:
    form = CommentForm(subject_id=notice_id, text=text)
    return await do(office.core, lambda session: conversation.add_comment(session, office.ada, office.core, form))


async def answer(office: Office, comment: CommentRead, text: str) -> CommentRead:
    form = ReplyForm(text=text)
    return await do(office.core, lambda session: conversation.reply(session, office.ada, office.core, comment.id, form))


async def close(office: Office, notice: OpportunityRow) -> None:
    """Take the notice out of the list of open ones."""
    async with office.core.database.transaction() as session:
        await session.execute(text("UPDATE opportunity SET closes_at = '2020-01-01' WHERE id = :id"), {"id": notice.id})


class TestNotice:
    async def test_opens_from_the_list_and_is_not_another_open(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        async with office.visitor() as visitor:
            listed = (await visitor.get(link.link)).text
            address = next(each for each in listed.split('href="') if f"/opportunities/{notice.id}" in each).partition('"')[0]
            page = await visitor.get(address.replace("&amp;", "&"))
        assert page.status_code == 200 and display_title(notice.title) in page.text
        assert "<form" in page.text and "No comments yet." in page.text and "Back to the list" in page.text
        assert "no-store" in page.headers["cache-control"] and "set-cookie" not in page.headers
        assert (await office.listed(link)).opens == 1

    async def test_counts_as_an_open_by_itself(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        await open_notice(office, link, notice.id)
        assert (await office.listed(link)).opens == 1

    async def test_that_is_not_in_the_list_is_like_an_unknown_one(self, office: Office) -> None:
        link = await share(office)
        [grant, *_] = await notices(office, OpportunityQuery(kind="grant"))
        pages = {(await open_notice(office, link, id)).text.partition("<body>")[2] for id in (grant.id, uuid4(), "nonsense")}
        assert len(pages) == 1 and "is not in the list that was shared with you" in pages.pop()
        response = await send(office, link, grant.id)
        assert response.status_code == 404 and TEXT in response.text  # and what was typed is not lost
        assert await comments(office, grant.id) == []

    async def test_is_looked_for_twice_at_once_for_each_link(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        at_once, most, release = 0, 0, asyncio.Event()

        async def slow(*_: object) -> set[UUID]:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            await release.wait()
            at_once -= 1
            return set()

        monkeypatch.setattr(opportunities, "found_among", slow)
        link = await share(office)
        sent = [asyncio.create_task(send(office, link, uuid4())) for _ in range(6)]

        async def are_two_sought() -> bool:
            return at_once >= 2

        await eventually(are_two_sought)
        await asyncio.sleep(0.2)
        release.set()
        assert {each.status_code for each in await asyncio.gather(*sent)} == {404} and most == 2

    async def test_of_a_search_by_words_is_one_that_it_finds(self, office: Office) -> None:
        [notice, other, *_] = await notices(office)
        query = OpportunityQuery(kind="contract", text=f'"{notice.title}"')
        found = {each.id for each in await notices(office, query)}
        assert notice.id in found and other.id not in found
        link = await share(office, query)
        assert [(await open_notice(office, link, id)).status_code for id in (notice.id, other.id)] == [200, 404]

    async def test_of_a_list_to_view_does_not_open(self, office: Office) -> None:
        link = await share(office, allows_comments=False)
        [notice, *_] = await notices(office)
        assert "/opportunities/" not in (await office.get(link)).text
        assert (await open_notice(office, link, notice.id)).status_code == 404
        assert (await send(office, link, notice.id)).status_code == 404
        assert await comments(office, notice.id) == []

    async def test_does_not_open_through_a_link_to_a_draft(self, office: Office) -> None:
        link = await office.share(allows_comments=True)
        [notice, *_] = await notices(office)
        assert (await open_notice(office, link, notice.id)).status_code == 404

    async def test_asks_for_the_password_and_has_the_watermark(self, office: Office) -> None:
        link = await share(office, password="seven quiet harbors", has_watermark=True)
        [notice, *_] = await notices(office)
        async with office.visitor() as visitor:
            assert "Enter the password" in (await visitor.get(f"{link.link}/opportunities/{notice.id}")).text
            typed = await send(office, link, notice.id, client=visitor)
            assert "Enter the password" in typed.text and TEXT in typed.text and str(notice.id) in typed.text
            sent = await send(office, link, notice.id, client=visitor, password="seven quiet harbors")
            assert sent.status_code == 303
            page = (await visitor.get(f"{link.link}/opportunities/{notice.id}")).text
        assert TEXT in page and "fw-watermark" in page

    @pytest.mark.parametrize("headers", [{"purpose": "prefetch"}, {"user-agent": "Slackbot-LinkExpanding 1.0"}])
    async def test_is_not_shown_to_programs(self, office: Office, headers: dict[str, str]) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        async with office.visitor(**headers) as visitor:
            page = await visitor.get(f"{link.link}/opportunities/{notice.id}")
        assert display_title(notice.title) not in page.text
        assert (await office.listed(link)).opens == 0


class TestComment:
    async def test_is_among_the_comments_on_the_notice(self, office: Office) -> None:
        link = await share(office)
        [notice, other, *_] = await notices(office)
        response = await send(office, link, notice.id)
        [written] = await comments(office, notice.id)
        assert response.status_code == 303
        assert f"/opportunities/{notice.id}?" in response.headers["location"]
        assert response.headers["location"].endswith(f"#comment-{written.id}")
        assert (written.signature, written.text, written.share_id) == ("Grace (guest)", TEXT, link.id)
        assert await comments(office, other.id) == []

    async def test_is_answered_and_counted_in_the_list(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        assert "Comments" not in (await office.get(link)).text
        await send(office, link, notice.id)
        [written] = await comments(office, notice.id)
        await answer(office, written, "Where was it?")
        page = (await open_notice(office, link, notice.id)).text
        assert page.index(TEXT) < page.index("Where was it?") and "Ada Lovelace</strong>" in page
        assert '<td data-label="Comments">2</td>' in (await office.get(link)).text

    async def test_tells_the_member_who_created_the_link(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        await send(office, link, notice.id)
        told = await do(
            office.core, lambda session: notifications.list_notifications(session, office.ada, office.core, NotificationQuery())
        )
        assert told.items[0].title == f"Comment by a guest on “{display_title(notice.title)}”"
        assert told.items[0].path.startswith(f"/dashboard/sam/{notice.id}?comment=")
        done = await do(office.core, lambda session: activity.list_activity(session, office.ada, office.core, ActivityQuery()))
        assert done.items[0].sentence.startswith("Grace (guest) commented on “")
        async with office.core.database.transaction() as session:
            entry = await session.scalar(select(AuditEntry).where(AuditEntry.action == "share.commented"))
        assert entry is not None and (entry.subject, entry.details["link"]) == ("", str(link.id))

    async def test_is_added_once_if_the_browser_sends_it_again(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        for _ in range(2):
            await send(office, link, notice.id, key="k1")
        assert len(await comments(office, notice.id)) == 1

    async def test_that_is_refused_stays_in_the_form(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        response = await send(office, link, notice.id, name="www.example.org")
        assert response.status_code == 422 and TEXT in response.text and display_title(notice.title) in response.text

    async def test_through_a_revoked_link_is_shown_and_not_added(self, office: Office) -> None:
        link = await share(office)
        [notice, *_] = await notices(office)
        await office.revoke(link)
        response = await send(office, link, notice.id)
        assert response.status_code == 404 and TEXT in response.text
        assert await comments(office, notice.id) == []


class TestWhatGuestsRead:
    async def test_no_comment_of_the_team_and_none_of_another_link(self, office: Office) -> None:
        link, other = [await share(office) for _ in range(2)]
        [notice, second, *_] = await notices(office)
        team = await begin(office, notice.id, "Only for the team.")
        await send(office, other, notice.id, text="Through the other link.")
        foreign = next(each for each in await comments(office, notice.id) if each.share_id == other.id)
        page = (await open_notice(office, link, notice.id)).text
        assert "Only for the team." not in page and "Through the other link." not in page and "No comments yet." in page
        await send(office, link, second.id)
        [own] = await comments(office, second.id)
        for thread in (team.id, foreign.id, own.id, uuid4()):  # also one of this link on another notice
            response = await send(office, link, notice.id, thread_id=str(thread))
            assert response.status_code == 404 and TEXT in response.text
        assert len(await comments(office, notice.id)) == 2

    async def test_a_notice_with_a_thread_stays_after_it_has_left_the_list(self, office: Office) -> None:
        query = OpportunityQuery(kind="contract", availability="open")
        [notice, other, *_] = await notices(office, query)
        link = await share(office, query)
        await send(office, link, notice.id)
        assert "No longer in the list" not in (await office.get(link)).text
        for each in (notice, other):
            await close(office, each)
        page = (await office.get(link)).text
        gone = page.partition("No longer in the list")[2]
        assert display_title(notice.title) in gone and display_title(other.title) not in page
        [written] = await comments(office, notice.id)
        assert (await send(office, link, notice.id, thread_id=str(written.id), text="Still here.")).status_code == 303
        assert "Still here." in (await open_notice(office, link, notice.id)).text
        assert (await open_notice(office, link, other.id)).status_code == 404

    async def test_one_on_another_page_has_not_left_the_list(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        found = await notices(office)
        link = await share(office)
        await send(office, link, found[-1].id)
        async with office.visitor() as visitor:
            for page in range(1, 4):
                assert "No longer in the list" not in (await visitor.get(link.link, params={"page": page})).text
