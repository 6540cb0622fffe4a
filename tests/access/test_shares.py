"""Guests with a share link, tried in each state of the link, and on each route: the link shows the draft or the list that it shares, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, text, update

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.conversation import service as conversation
from fundwright.conversation.models import Comment
from fundwright.conversation.schemas import CommentForm
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.scopes import acting_in
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import service as sharing
from fundwright.sharing.models import ShareLink
from fundwright.sharing.schemas import NewShare, ShareCreated
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, InvitationForm, RestrictionForm, WorkspaceForm
from fundwright_ui.app import build_app
from tests.access.table import ANYONE, OWN_PAGES, ROUTES
from tests.access.test_ids import CANARY
from tests.access.test_restricted import token_of
from tests.access.test_roles import Asker, code_of, opened
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

pytestmark = pytest.mark.security(50)

PASSWORD = "seven quiet harbors"
TEAM = "Only for the team."
GUEST = "Written by a guest."
BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}


@dataclass(frozen=True)
class Harbor:
    """A workspace of Ada, in which Bob, an editor, shares a draft and a list of grants for comments. Eve works in another workspace, where she
    shares hers."""

    core: Core
    ada: Actor
    bob: Actor
    eve: Actor
    draft_id: UUID
    open: ShareCreated
    locked: ShareCreated
    """With a password."""
    foreign: ShareCreated
    """Eve's."""
    listed: ShareCreated
    locked_list: ShareCreated
    """With a password."""
    grant_id: UUID
    contract_id: UUID

    async def restrict(self, *members: ChosenMember) -> None:
        with acting_in(self.ada.scope):
            async with self.core.database.transaction() as session:
                form = RestrictionForm(members=members)
                await generation.restrict_draft(session, self.ada, self.core, self.draft_id, form)

    async def texts(self) -> list[str]:
        """Those of all comments."""
        async with self.core.database.transaction() as session:
            return list(await session.scalars(select(Comment.text).order_by(Comment.created_at)))


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> Harbor:
    ada, bob, eve, draft_id, links, notices = await snapshots.of(committed, _make_harbor)
    return Harbor(committed, ada, bob, eve, draft_id, *links, *notices)


async def _make_harbor(core: Core) -> tuple[Actor, Actor, Actor, UUID, list[ShareCreated], list[UUID]]:
    async with core.database.transaction() as session:
        ada, bob, eve = [await add_account(session, f"{name}@example.org", name=name.title()) for name in ("ada", "bob", "eve")]
        await opportunities.load_sample_once(session)
        notice = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items[0]
        shared = await workspaces.create_workspace(session, ada, core, WorkspaceForm(name="Harbor"))
        ada = await workspaces.actor_in(session, ada, shared.id)
        sent = await invitations.invite(session, ada, core, InvitationForm(role=WorkspaceRole.EDITOR))
        await invitations.accept_link(session, bob, sent.link.rpartition("/")[2])
        bob = await workspaces.actor_in(session, bob, shared.id)
        links = list[ShareCreated]()
        drafts = list[UUID]()
        for actor, passwords in ((bob, (None, PASSWORD)), (eve, (None,))):
            draft = await generation.add_draft(session, actor, core, opportunity_id=notice.id, template="capability-statement")
            drafts.append(draft.id)
            for password in passwords:
                new = NewShare(recipient="Grace", draft_id=draft.id, password=password, allows_comments=True)
                links.append(await sharing.share(session, actor, core, new))
        await session.execute(text("UPDATE draft SET title = :title"), {"title": CANARY})
        await conversation.add_comment(session, ada, core, CommentForm(subject_id=drafts[0], text=TEAM))
        notices = list[UUID]()
        for kind in ("grant", "contract"):
            found = await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1, kind=kind))
            notices.append(found.items[0].id)
            await conversation.add_comment(session, ada, core, CommentForm(subject_id=notices[-1], text=TEAM))
        await session.execute(text("UPDATE opportunity SET title = :title WHERE id = :id"), {"title": CANARY, "id": notices[0]})
        for password in (None, PASSWORD):
            grants = OpportunityQuery(kind="grant")
            new = NewShare(recipient="Grace", query=grants, password=password, allows_comments=True)
            links.append(await sharing.share(session, bob, core, new))
    return ada, bob, eve, drafts[0], links, notices


async def ask(
    client: httpx.AsyncClient, link: ShareCreated, password: str | None = None, *, comment: bool = False, **fields: str
) -> httpx.Response:
    """Open the link, or send a comment through it, after its `password` was entered if one is given."""
    path = httpx.URL(link.link).path
    if password is not None:
        await client.post(path, data={"password": password})
    if comment:
        return await client.post(f"{path}/comments", data={"name": "Grace", "text": GUEST, "key": uuid4().hex} | fields)
    return await client.get(path)


async def outcome(harbor: Harbor, link: ShareCreated, password: str | None, **fields: str) -> tuple[str, str]:
    """What a guest gets from opening the link, and from sending a comment: "shown" or "added", "asked" for a password, or "over"."""
    became = list[str]()
    async with opened(build_app(harbor.core)) as client:
        client.headers.update(BROWSER)
        for is_comment in (False, True):
            response = await ask(client, link, password, comment=is_comment, **fields)
            assert TEAM not in response.text
            if response.status_code == 303:
                became.append("added")
            elif "Enter the password" in response.text:
                became.append("asked")
            elif "This link does not work" in response.text:
                became.append("over")
            else:
                became.append("shown")
            assert (CANARY in response.text) is (became[-1] == "shown")
            client.cookies.clear()
    assert (GUEST in await harbor.texts()) is (became[1] == "added")
    return became[0], became[1]


async def nothing(harbor: Harbor) -> None:
    pass


async def expire(harbor: Harbor) -> None:
    async with harbor.core.database.transaction() as session:
        await session.execute(update(ShareLink).values(expires_at=now() - timedelta(seconds=1)))


async def revoke(harbor: Harbor) -> None:
    async with harbor.core.database.transaction() as session:
        for link in (harbor.open, harbor.locked, harbor.listed, harbor.locked_list):
            await sharing.revoke(session, harbor.ada, link.id)


async def restrict(harbor: Harbor) -> None:
    """Who made a draft keeps access to it: this takes it away."""
    await harbor.restrict()
    async with harbor.core.database.transaction() as session:
        await session.execute(text("DELETE FROM restriction_member WHERE account_id = :bob"), {"bob": harbor.bob.id})


async def restrict_to_view(harbor: Harbor) -> None:
    await restrict(harbor)
    async with harbor.core.database.transaction() as session:
        await session.execute(
            text(
                "INSERT INTO restriction_member (subject_id, account_id, owner_id, access) VALUES (:draft, :bob, :owner, 'comment')"
            ),
            {"draft": harbor.draft_id, "bob": harbor.bob.id, "owner": harbor.bob.workspace_id},
        )


async def restrict_with_bob(harbor: Harbor) -> None:
    await harbor.restrict(ChosenMember(account_id=harbor.bob.id, access=Access.EDIT))


async def move_to_trash(harbor: Harbor) -> None:
    with acting_in(harbor.ada.scope):
        async with harbor.core.database.transaction() as session:
            await generation.delete_draft(session, harbor.ada, harbor.draft_id)


async def remove_bob(harbor: Harbor) -> None:
    async with harbor.core.database.transaction() as session:
        await workspaces.remove_member(session, harbor.ada, harbor.bob.id)


async def demote_bob(harbor: Harbor) -> None:
    async with harbor.core.database.transaction() as session:
        await workspaces.change_role(session, harbor.ada, harbor.bob.id, WorkspaceRole.REVIEWER)


Change = Callable[[Harbor], Awaitable[None]]
OVER = ("over", "over")
STATES: dict[str, tuple[Change, str | None, tuple[str, str]]] = {
    "without a password": (nothing, None, ("shown", "added")),
    "password not entered": (nothing, "", ("asked", "asked")),
    "wrong password": (nothing, "guess", ("asked", "asked")),
    "right password": (nothing, PASSWORD, ("shown", "added")),
    "expired": (expire, None, OVER),
    "expired, right password": (expire, PASSWORD, OVER),
    "revoked": (revoke, None, OVER),
    "revoked, right password": (revoke, PASSWORD, OVER),
    "draft restricted to others": (restrict, None, OVER),
    "draft that its creator may only comment on": (restrict_to_view, None, OVER),
    "restricted draft that its creator may edit": (restrict_with_bob, None, ("shown", "added")),
    "draft in the trash": (move_to_trash, None, OVER),
    "made by a member who was removed": (remove_bob, None, OVER),
    "made by a member who may no longer edit": (demote_bob, None, OVER),
}
"""What a guest gets in each state of the link. A password is given for the link that has one."""


@pytest.mark.parametrize("state", STATES)
async def test_a_guest_gets_what_the_state_of_the_link_allows(harbor: Harbor, state: str) -> None:
    change, password, meant = STATES[state]
    await change(harbor)
    assert await outcome(harbor, harbor.open if password is None else harbor.locked, password or None) == meant


@pytest.mark.parametrize("state", [state for state in STATES if "draft" not in state])
async def test_a_guest_gets_of_a_list_what_the_state_of_the_link_allows(harbor: Harbor, state: str) -> None:
    change, password, meant = STATES[state]
    await change(harbor)
    link = harbor.listed if password is None else harbor.locked_list
    assert await outcome(harbor, link, password or None, notice_id=str(harbor.grant_id)) == meant


async def test_a_list_opens_the_notices_that_it_finds_and_no_others(harbor: Harbor) -> None:
    async with opened(build_app(harbor.core)) as client:
        client.headers.update(BROWSER)
        answers = dict[str, list[int]]()
        for name, link in (("list", harbor.listed), ("draft", harbor.open), ("foreign draft", harbor.foreign)):
            path = httpx.URL(link.link).path
            pages = [await client.get(f"{path}/opportunities/{id}") for id in (harbor.grant_id, harbor.contract_id, uuid4())]
            assert all(TEAM not in page.text for page in pages)
            answers[name] = [page.status_code for page in pages]
        refused = await ask(client, harbor.listed, comment=True, notice_id=str(harbor.contract_id))
    assert answers == {"list": [200, 404, 404], "draft": [404] * 3, "foreign draft": [404] * 3}
    assert refused.status_code == 404 and GUEST not in await harbor.texts()


async def test_a_link_opens_nothing_of_another_workspace(harbor: Harbor) -> None:
    """Neither its comments by their ids, nor its page by the workspace in the address, nor its page with the proof of another link."""
    async with opened(build_app(harbor.core)) as client:
        client.headers.update(BROWSER)
        await ask(client, harbor.open, comment=True)
        async with harbor.core.database.transaction() as session:
            threads = list(await session.scalars(select(Comment.id)))
        assert len(threads) == 4
        for thread in threads:
            assert (await ask(client, harbor.foreign, comment=True, thread_id=str(thread))).status_code == 404
        page = (await client.get(httpx.URL(harbor.foreign.link).path, params={"w": str(harbor.bob.workspace_id)})).text
        assert "Shared by Eve" in page and GUEST not in page and TEAM not in page
        entered = await client.post(httpx.URL(harbor.locked.link).path, data={"password": PASSWORD})
        proof = entered.headers["set-cookie"].partition(";")[0]
        client.cookies.clear()
        page = (await client.get(httpx.URL(harbor.open.link).path, headers={"cookie": proof})).text
        assert "Shared by Bob" in page
    assert sorted(await harbor.texts()) == sorted([*[TEAM] * 3, GUEST])


@pytest.mark.parametrize("who", ["eve", "ada"])
async def test_signed_in_people_see_what_guests_see(harbor: Harbor, who: str) -> None:
    """Neither a member of another workspace nor one of this workspace gets more or less from the link."""
    path = httpx.URL(harbor.open.link).path
    token = await token_of(harbor.core, getattr(harbor, who))
    async with opened(build_app(harbor.core)) as client:
        client.headers.update(BROWSER)
        pages = [(await client.get(path, headers=headers)).text for headers in ({}, {"cookie": f"session={token}"})]
    guest, member = [re.sub(r'nonce="[^"]*"|value="[0-9a-f]{32}"', "", page) for page in pages]
    assert guest == member and CANARY in guest


async def test_members_of_other_workspaces_do_not_find_the_link(harbor: Harbor) -> None:
    token = await token_of(harbor.core, harbor.eve)
    async with opened(build_app(harbor.core)) as client:
        client.headers["authorization"] = f"Bearer {token}"
        listed = await client.get("/api/shares", params={"draft_id": str(harbor.draft_id)})
        assert listed.json()["items"] == []
        assert (await client.delete(f"/api/shares/{harbor.open.id}")).status_code == 404
        made = await client.post(f"/api/shares/drafts/{harbor.draft_id}", json={"recipient": "Eve"})
        assert made.status_code == 404
        comments = await client.get("/api/comments", params={"subject_id": str(harbor.draft_id)})
        assert comments.status_code == 404
    assert await outcome(harbor, harbor.open, None) == ("shown", "added")


async def test_a_share_link_carries_no_session(harbor: Harbor) -> None:
    """Its secret, the proof of its password, and everything that its page sets open no route that requires an account."""
    secret = harbor.locked.link.rpartition("/")[2]
    wrong, tried = [], 0
    app = build_app(harbor.core)
    async with opened(app) as client:
        client.headers.update(BROWSER)
        entered = await client.post(httpx.URL(harbor.locked.link).path, data={"password": PASSWORD})
        assert entered.status_code == 303
        proof = entered.headers["set-cookie"].partition(";")[0].partition("=")[2]
        client.headers["cookie"] = "; ".join(
            f"{name}={value}" for name in ("share", "session", "device") for value in (proof, secret)
        )
        asker = Asker(app, client)
        for route, need in ROUTES.items():
            if need in (ANYONE, OWN_PAGES) or not route.startswith("GET "):
                continue
            for token in ("", secret, proof):
                answer = await asker.ask(route, token)
                tried += 1
                if answer.status_code not in (401, 403):
                    wrong.append(f"{route}: {answer.status_code} {code_of(answer)}")
    assert not wrong, "\n".join(wrong)
    assert tried > 150
