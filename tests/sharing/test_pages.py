"""The page of a share link: who can open it, and what it shows."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text, update

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.authentication import throttle
from fundwright.core.database import now
from fundwright.generation import service as generation
from fundwright.generation.models import Citation, DraftSection
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import opening
from fundwright.sharing.models import ShareLink
from fundwright.sharing.opening import WorkingLink
from fundwright.sharing.schemas import ShareCreated, ShareState
from fundwright.trash import service as trash
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, WorkspaceForm
from tests.sharing.conftest import Office, do
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD

pytestmark = pytest.mark.security(50)

WORKS = "Shared by Ada Lovelace"
OVER = "This link does not work"
LOCK = "Enter the password"
SECRET = "seven quiet harbors"


async def write(office: Office, text: str) -> None:
    """Let the draft's first section have this text, with a citation of each of two documents."""
    sections = select(DraftSection.id).where(DraftSection.draft_id == office.draft_id).order_by(DraftSection.ordinal)
    async with office.core.database.transaction() as session:
        first = update(DraftSection).where(DraftSection.id == sections.limit(1).scalar_subquery())
        await session.execute(first.values(text=text, state="done"))
        session.add_all(
            Citation(
                draft_id=office.draft_id,
                number=number,
                passage_id=uuid4(),
                document_id=uuid4(),
                document_title=title,
                heading=("Confidential heading",),
                page=4,
                text="The passage itself is confidential.",
            )
            for number, title in ((1, "Harbor study"), (2, "Price list"))
        )


async def actions(office: Office) -> list[str]:
    async with office.core.database.transaction() as session:
        found = await session.scalars(
            select(AuditEntry.action).where(AuditEntry.action.startswith("share.")).order_by(AuditEntry.at)
        )
        return list(found)


async def age(office: Office, link: ShareCreated, by: timedelta) -> None:
    async with office.core.database.transaction() as session:
        await session.execute(update(ShareLink).where(ShareLink.id == link.id).values(expires_at=link.expires_at - by))


class TestDraft:
    async def test_is_shown_with_citations_and_without_the_titles_of_documents(self, office: Office) -> None:
        await write(office, "We **dredge** harbors [1] for less [2].")
        response = await office.get(await office.share())
        assert response.status_code == 200 and WORKS in response.text
        assert "<strong>dredge</strong>" in response.text
        assert '<a class="fw-citation" href="#source-1">1</a>' in response.text and 'id="source-1"' in response.text
        assert "Document 1" in response.text and "Document 2" in response.text
        for withheld in ("Harbor study", "Price list", "onfidential", "page 4"):
            assert withheld not in response.text

    async def test_shows_the_titles_but_no_passage_if_the_creator_allows_it(self, office: Office) -> None:
        await write(office, "We dredge harbors [1] for less [2].")
        response = await office.get(await office.share(shows_titles=True))
        assert "Harbor study" in response.text and "page 4" in response.text and "Document 1" not in response.text
        assert "onfidential" not in response.text

    async def test_leads_nowhere_into_the_application(self, office: Office) -> None:
        await write(
            office, "See [this](/dashboard/train), [that](https://example.org), and [x](javascript:alert(1)). <img src=x>"
        )
        response = await office.get(await office.share())
        assert re.findall(r'<a [^>]*href="([^"]*)"', response.text) == ["https://example.org"]
        assert "<img" not in response.text and str(office.draft_id) not in response.text
        assert office.ada.email not in response.text

    async def test_shows_the_draft_as_it_is_now(self, office: Office) -> None:
        link = await office.share()
        assert "No text yet." in (await office.get(link)).text
        await write(office, "Written later.")
        shown = (await office.get(link)).text
        assert "Written later." in shown and "No text yet." not in shown
        assert shown.count('class="fw-section-header"') == 1  # the other sections are empty


@pytest.mark.security(53)
class TestTurns:
    async def test_links_of_one_member_together_have_few_readers_at_once(self, office: Office) -> None:
        shown, may_end = list[UUID](), asyncio.Event()

        async def show(creator: Actor) -> None:
            async with opening.turn_of(office.core, WorkingLink(ShareLink(id=uuid4()), creator)):
                shown.append(creator.id)
                await may_end.wait()

        grace = office.ada.model_copy(update={"id": uuid4()})
        async with asyncio.TaskGroup() as tasks:
            for creator in (*[office.ada] * 20, grace):
                tasks.create_task(show(creator))
            for _ in range(3):
                await asyncio.sleep(0)
            assert shown == [office.ada.id] * 4 + [grace.id]
            may_end.set()


class TestHeaders:
    async def test_nothing_is_kept_anywhere_and_no_script_runs(self, office: Office) -> None:
        response = await office.get(await office.share())
        headers = response.headers
        assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert headers["x-robots-tag"] == "noindex, nofollow"
        policy = headers["content-security-policy"]
        assert (
            policy.startswith("default-src 'none'; script-src 'sha256-")
            and "unsafe" not in policy
            and "connect-src" not in policy
        )
        assert response.text.count("<script") == 2 and "src=" not in response.text
        assert "set-cookie" not in headers

    async def test_the_session_of_the_reader_changes_nothing(self, office: Office) -> None:
        link = await office.share()
        signed_in = await office.get(link, cookie="session=whatever", authorization="Bearer nonsense")
        stranger = await office.get(link)

        def plain(html: str) -> str:
            return re.sub(r'nonce="[^"]*"', "", html)

        assert plain(signed_in.text) == plain(stranger.text)


class TestWatermark:
    async def test_shows_the_recipient_as_text(self, office: Office) -> None:
        response = await office.get(await office.share(recipient="<b onclick=x>Grace</b>\u202e", has_watermark=True))
        assert "&lt;b onclick=x&gt;Grace&lt;/b&gt; · " in response.text
        assert "<b onclick" not in response.text and "\u202e" not in response.text
        assert "fw-watermark" not in re.sub(
            r"<style.*?</style>", "", (await office.get(await office.share())).text, flags=re.DOTALL
        )


class TestOver:
    """One answer for every link that does not work, whatever the reason."""

    async def expect_over(self, office: Office, link: ShareCreated) -> None:
        response = await office.get(link)
        assert (response.status_code, OVER in response.text, WORKS in response.text) == (404, True, False)

    async def test_unknown(self, office: Office) -> None:
        link = await office.share()
        await self.expect_over(office, link.model_copy(update={"link": link.link[:-1] + "~"}))
        await self.expect_over(office, link.model_copy(update={"link": f"{office.core.settings.address}/shared/{link.id}"}))

    async def test_expired(self, office: Office) -> None:
        link = await office.share(lasts_days=1)
        await age(office, link, timedelta(hours=23))
        assert WORKS in (await office.get(link)).text
        await age(office, link, timedelta(days=1))
        await self.expect_over(office, link)
        assert (await office.listed(link)).state is ShareState.EXPIRED

    async def test_revoked(self, office: Office) -> None:
        link = await office.share(password=SECRET)
        async with office.visitor() as visitor:
            await visitor.post(link.link, data={"password": SECRET})
            assert WORKS in (await visitor.get(link.link)).text
            await office.revoke(link)
            assert OVER in (await visitor.get(link.link)).text
            assert OVER in (await visitor.post(link.link, data={"password": SECRET})).text
        assert (await office.listed(link)).state is ShareState.ENDED

    async def test_while_it_is_being_read(self, office: Office) -> None:
        """A link that is revoked after the draft was read, and before it is sent."""
        link = await office.share()
        shared = await opening.find(office.core, link.link.rpartition("/")[2])
        await office.revoke(link)
        with pytest.raises(opening.LinkOver):
            await do(office.core, lambda session: opening.count(session, shared, client=HERE))

    async def test_in_the_trash_until_it_is_restored(self, office: Office) -> None:
        link = await office.share()
        await do(office.core, lambda session: generation.delete_draft(session, office.ada, office.draft_id))
        await self.expect_over(office, link)
        assert (await office.listed(link)).state is ShareState.PAUSED
        await do(office.core, lambda session: trash.restore(session, office.ada, office.core, office.draft_id))
        assert WORKS in (await office.get(link)).text
        await do(office.core, lambda session: generation.delete_draft(session, office.ada, office.draft_id))
        await do(office.core, lambda session: trash.delete_forever(session, office.ada, office.core, office.draft_id))
        await self.expect_over(office, link)

    async def test_of_a_former_member_also_after_a_return(self, office: Office) -> None:
        async with office.core.database.transaction() as session:
            created = await workspaces.create_workspace(session, office.ada, office.core, WorkspaceForm(name="Harbor"))
            there = await workspaces.actor_in(session, office.ada, created.id)
            bob = await add_account(session, "bob@example.org", name="Bob", password=PASSWORD)
        bob_there = await join(office, there, bob)
        link = await office.share(bob_there, query={"kind": "grant"})
        assert "Shared by Bob" in (await office.get(link)).text
        await do(office.core, lambda session: workspaces.change_role(session, there, bob.id, WorkspaceRole.VIEWER))
        await self.expect_over(office, link)
        assert (await office.listed(link, there)).state is ShareState.PAUSED
        await do(office.core, lambda session: workspaces.change_role(session, there, bob.id, WorkspaceRole.EDITOR))
        assert "Shared by Bob" in (await office.get(link)).text
        await do(office.core, lambda session: workspaces.remove_member(session, there, bob.id))
        await self.expect_over(office, link)
        await join(office, there, bob)
        await self.expect_over(office, link)
        assert ((await office.listed(link, there)).state, (await office.listed(link, there)).created_by) == (ShareState.ENDED, "")


async def join(office: Office, owner: Actor, bob: Actor) -> Actor:
    async with office.core.database.transaction() as session:
        sent = await invitations.invite(session, owner, office.core, InvitationForm(role=WorkspaceRole.EDITOR))
        await invitations.accept_link(session, bob, sent.link.rpartition("/")[2])
        return await workspaces.actor_in(session, bob, owner.workspace_id)


class TestPassword:
    async def test_is_asked_for_before_anything_is_shown(self, office: Office) -> None:
        link = await office.share(password=SECRET)
        response = await office.get(link)
        assert LOCK in response.text and WORKS not in response.text and link.title not in response.text
        assert (await office.listed(link)).opens == 0

    async def test_opens_this_page_for_an_hour(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        link, other = await office.share(password=SECRET), await office.share(password=SECRET)
        async with office.visitor() as visitor:
            entered = await visitor.post(link.link, data={"password": SECRET})
            assert entered.status_code == 303
            cookie = entered.headers["set-cookie"]
            path = link.link.removeprefix(office.core.settings.address)
            assert "HttpOnly" in cookie and f"Path={path}" in cookie and "Max-Age=3600" in cookie
            assert WORKS in (await visitor.get(link.link)).text
            proof = cookie.partition(";")[0]
            assert LOCK in (await visitor.get(other.link, headers={"cookie": proof})).text
            later = now() + timedelta(hours=1, seconds=1)
            monkeypatch.setattr(opening, "now", lambda: later)
            assert LOCK in (await visitor.get(link.link, headers={"cookie": proof})).text

    @pytest.mark.parametrize("forged", ["", "x", "9999999999.", "9999999999.00", "9" * 400])
    async def test_a_made_up_proof_opens_nothing(self, office: Office, forged: str) -> None:
        link = await office.share(password=SECRET)
        assert LOCK in (await office.get(link, cookie=f"share={forged}")).text

    async def test_a_wrong_one_is_counted_and_recorded(self, office: Office) -> None:
        link = await office.share(password=SECRET)
        async with office.visitor() as visitor:
            refused = await visitor.post(link.link, data={"password": "guess"})
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
        assert "not correct" in refused.text and WORKS not in refused.text
        assert (await office.listed(link)).wrong_passwords == 1
        assert await actions(office) == ["share.created", "share.refused"]

    async def test_after_four_wrong_ones_even_the_right_one_is_refused_to_this_address(self, office: Office) -> None:
        link, other = await office.share(password=SECRET), await office.share(password=SECRET)
        async with office.visitor() as visitor:
            for _ in range(4):
                await visitor.post(link.link, data={"password": "guess"})
            refused = await visitor.post(link.link, data={"password": SECRET})
            assert (refused.status_code, "set-cookie" in refused.headers) == (429, False)
            assert (await visitor.post(other.link, data={"password": SECRET})).status_code == 303
        async with office.visitor("203.0.113.1") as elsewhere:
            assert (await elsewhere.post(link.link, data={"password": SECRET})).status_code == 303
        assert (await office.listed(link)).wrong_passwords == 4

    async def test_guesses_of_one_link_from_many_addresses_are_refused(
        self, office: Office, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "FAILURES_PER_SHARED", 6)
        link, other = await office.share(password=SECRET), await office.share(password=SECRET)
        for number in range(3):
            async with office.visitor(f"203.0.113.{number}") as visitor:
                for _ in range(2):
                    await visitor.post(link.link, data={"password": "guess"})
        async with office.visitor() as visitor:
            assert (await visitor.post(link.link, data={"password": SECRET})).status_code == 429
            assert (await visitor.post(other.link, data={"password": SECRET})).status_code == 303

    async def test_guesses_of_many_links_from_one_address_are_refused(
        self, office: Office, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "FAILURES_PER_ADDRESS", 4)
        links = [await office.share(password=SECRET) for _ in range(3)]
        async with office.visitor() as visitor:
            for link in links[:2]:
                for _ in range(2):
                    await visitor.post(link.link, data={"password": "guess"})
            assert (await visitor.post(links[2].link, data={"password": SECRET})).status_code == 429

    @pytest.mark.parametrize(
        "form",
        [
            {"content": b"--x", "headers": {"content-type": "multipart/form-data; boundary=y"}},
            {"files": {"password": ("password.txt", SECRET)}},
            {"data": dict.fromkeys("abcde", SECRET)},
        ],
    )
    async def test_a_form_that_no_browser_sends_is_refused(self, office: Office, form: dict[str, Any]) -> None:
        link = await office.share(password=SECRET)
        async with office.visitor() as visitor:
            response = await visitor.post(link.link, **form)
        assert response.status_code == 400
        assert (await office.listed(link)).wrong_passwords == 0

    async def test_another_site_cannot_send_it(self, office: Office) -> None:
        link = await office.share(password=SECRET)
        async with office.visitor(**{"sec-fetch-site": "cross-site"}) as visitor:
            assert (await visitor.post(link.link, data={"password": SECRET})).status_code == 403


class TestOpens:
    async def test_each_is_counted_and_the_trail_is_not_flooded(self, office: Office) -> None:
        link = await office.share()
        async with office.visitor() as visitor:
            await asyncio.gather(*(visitor.get(link.link) for _ in range(5)))
        async with office.visitor("203.0.113.1") as visitor:
            await visitor.get(link.link)
        listed = await office.listed(link)
        assert (listed.opens, listed.last_opened_at is not None) == (6, True)
        assert await actions(office) == ["share.created", "share.opened", "share.opened"]

    @pytest.mark.parametrize(
        "headers",
        [
            {"user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"},
            {"user-agent": "Slack-ImgProxy (+https://api.slack.com/robots)"},
            {"user-agent": "TelegramBot (like TwitterBot)"},
            {"user-agent": "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"},
            {"user-agent": "WhatsApp/2.23"},
            {"user-agent": "facebookexternalhit/1.1"},
            {"sec-fetch-mode": "no-cors"},
            {"sec-purpose": "prefetch"},
            {"purpose": "prefetch"},
        ],
    )
    async def test_previews_see_nothing_and_do_not_count(self, office: Office, headers: dict[str, str]) -> None:
        link = await office.share()
        response = await office.get(link, **headers)
        assert WORKS not in response.text and link.title not in response.text
        async with office.visitor() as visitor:
            assert (await visitor.head(link.link)).status_code == 200
        assert (await office.listed(link)).opens == 0

    @pytest.mark.parametrize("browser", ["Android 11; CUBOT NOTE 20", "Telegram-Android/11.3.3 (Samsung)", "[Pinterest/iOS]"])
    async def test_people_are_not_taken_for_programs(self, office: Office, browser: str) -> None:
        response = await office.get(await office.share(), **{"user-agent": f"Mozilla/5.0 ({browser}) Chrome/130.0 Mobile"})
        assert WORKS in response.text


class TestList:
    async def test_shows_what_the_filters_find_now_page_by_page(self, office: Office) -> None:
        link = await office.share(query={"kind": "contract", "sort": "title"}, title="Contracts for <Grace>")
        async with office.visitor() as visitor:
            first = await visitor.get(link.link)
            assert "Contracts for &lt;Grace&gt;" in first.text and "fw-shared-table" in first.text
            pages = re.findall(r'href="(\?page=2[^"]*)"', first.text)
            assert pages
            second = await visitor.get(f"{link.link}{pages[0].replace('&amp;', '&')}")
        assert second.status_code == 200 and second.text != first.text
        assert (await office.listed(link)).opens == 1
        assert set(re.findall(r'<a [^>]*href="([^"?]*)', first.text + second.text)) == {""}
        async with office.visitor() as visitor:  # without the proof that the visit was counted
            await visitor.get(f"{link.link}?page=2")
        assert (await office.listed(link)).opens == 2

    @pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999999999999", "5000"])
    async def test_another_page_is_one_that_exists(self, office: Office, number: str) -> None:
        link = await office.share(query={"kind": "contract"})
        async with office.visitor() as visitor:
            assert "<td" in (await visitor.get(f"{link.link}?page={number}")).text

    async def test_a_list_without_results_says_so(self, office: Office) -> None:
        link = await office.share(query=OpportunityQuery(number="no such number").model_dump(exclude_defaults=True))
        assert "No opportunities match now" in (await office.get(link)).text


async def test_a_plain_scope_reads_no_links(office: Office) -> None:
    await office.share()
    async with office.core.database.reading(scope=office.ada.model_copy(update={"workspace_id": uuid4()}).scope) as session:
        assert await session.scalar(text("SELECT count(*) FROM share_link")) == 0


class TestLanguage:
    async def test_offers_the_language_that_the_browser_prefers_once(self, office: Office) -> None:
        link = await office.share()
        async with office.visitor(**{"accept-language": "en;q=0.5, de-AT, fr;q=0.3"}) as visitor:
            page = await visitor.get(link.link)
            assert '<html lang="en"' in page.text and '<aside class="fw-language-offer" lang="de"' in page.text
            chosen = await visitor.get(f"{link.link}?page=1&language=de")
            assert chosen.status_code == 303 and chosen.headers["location"].endswith("?page=1")
            assert visitor.cookies["language"] == "de"
            assert "fw-language-offer" not in (await visitor.get(link.link)).text

    @pytest.mark.parametrize("path", [None, "/shared/nothing"], ids=["a link", "a link that does not work"])
    async def test_the_offer_looks_like_that_of_other_pages(self, office: Office, path: str | None) -> None:
        link = path or (await office.share()).link
        async with office.visitor(**{"accept-language": "de"}) as visitor:
            head, body = (await visitor.get(link)).text.split("</head>")
        assert '<a class="fw-link" href="?language=de">' in body
        styles = "".join(re.findall(r"<style[^>]*>(.*?)</style>", head, re.DOTALL))
        rules = "".join(re.findall(r"\.fw-language-offer\{([^}]*)\}", styles))
        assert "position:fixed" in rules and "display:none" in rules.split("position:fixed")[1]  # in print
        assert re.search(r"\.fw-language-dismiss\{[^}]*inline-size:32px", styles)

    @pytest.mark.parametrize("path", [None, "/shared/nothing"], ids=["a link", "a link that does not work"])
    async def test_is_not_offered_again_after_it_was_shown(self, office: Office, path: str | None) -> None:
        link = path or (await office.share()).link
        async with office.visitor(**{"accept-language": "fr"}) as visitor:
            assert "fw-language-offer" in (await visitor.get(link)).text
            page = await visitor.get(link)
            assert '<html lang="en"' in page.text and "fw-language-offer" not in page.text

    @pytest.mark.parametrize("accepted", ["", "en-US, de;q=0.9", "es, it", "de;q=x, en", "xx" * 5_000])
    async def test_is_not_offered_to_those_who_prefer_english_or_none_of_ours(self, office: Office, accepted: str) -> None:
        page = await office.get(await office.share(), **{"accept-language": accepted})
        assert page.status_code == 200 and "fw-language-offer" not in page.text
