"""Who may create, see, and revoke share links."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from fundwright.accounts.passwords import WeakPassword
from fundwright.accounts.permissions import NotForPrograms
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.sharing import service
from fundwright.sharing.schemas import NewShare, ShareKind, ShareQuery, ShareState
from fundwright.sharing.service import TooManyLinks
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceForm
from tests.sharing.conftest import Office, do
from tests.sharing.test_pages import join
from tests.support.accounts import add_account
from tests.support.programs import program

pytestmark = pytest.mark.security(50)


@pytest.fixture
async def bob(office: Office) -> Actor:
    return await do(office.core, lambda session: add_account(session, "bob@example.org", name="Bob"))


@pytest.fixture
async def harbor(office: Office) -> Actor:
    """Ada in a workspace with the name Harbor."""
    async with office.core.database.transaction() as session:
        created = await workspaces.create_workspace(session, office.ada, office.core, WorkspaceForm(name="Harbor"))
        return await workspaces.actor_in(session, office.ada, created.id)


async def titles(office: Office, actor: Actor, **query: object) -> list[str]:
    page = await do(office.core, lambda session: service.list_shares(session, actor, ShareQuery.model_validate(query)))
    return [each.recipient for each in page.items]


class TestCreating:
    async def test_the_secret_is_shown_once_and_kept_as_a_digest(self, office: Office) -> None:
        link = await office.share()
        secret = link.link.rpartition("/")[2]
        assert len(secret) >= 43 and (await office.listed(link)).model_dump() == {**link.model_dump(exclude={"link"})}
        async with office.core.database.transaction() as session:
            row = str((await session.execute(text("SELECT * FROM share_link"))).one())
        assert secret not in row

    async def test_the_activity_of_the_draft_has_it(self, office: Office) -> None:
        await office.share()
        query = ActivityQuery(subject_id=office.draft_id)
        page = await do(office.core, lambda session: activity.list_activity(session, office.ada, office.core, query))
        assert page.items[0].sentence.startswith(f"{office.ada.name} shared the draft ")

    async def test_a_list_has_what_it_finds_whenever_it_was_imported(self, office: Office) -> None:
        await office.share(query={"text": "cloud", "added_after": "2026-01-01T00:00Z", "page": 2})
        async with office.core.database.transaction() as session:
            assert (await session.scalars(text("SELECT query FROM share_link"))).all() == [{"text": "cloud"}]

    @pytest.mark.parametrize("days", [0, 91])
    async def test_links_expire_within_90_days(self, office: Office, days: int) -> None:
        with pytest.raises(ValueError, match="lasts_days"):
            await office.share(lasts_days=days)

    async def test_a_password_must_not_be_easy_to_guess(self, office: Office) -> None:
        with pytest.raises(WeakPassword):
            await office.share(password="password")

    async def test_viewers_and_reviewers_cannot(self, office: Office) -> None:
        for role in (WorkspaceRole.VIEWER, WorkspaceRole.REVIEWER):
            with pytest.raises(NotAllowed):
                await office.share(office.ada.model_copy(update={"workspace_role": role}))

    async def test_programs_cannot_because_the_link_would_outlive_their_token(self, office: Office) -> None:
        with pytest.raises(NotForPrograms):
            await office.share(office.ada.model_copy(update={"is_program": True}))
        async with program(office.app, office.ada) as client:
            refused = await client.post(f"/api/shares/drafts/{office.draft_id}", json={"recipient": "Grace"})
            assert refused.status_code == 403
            refused = await client.post("/api/shares/opportunities", json={"recipient": "Grace", "query": {"kind": "grant"}})
            assert refused.status_code == 403
            assert (await client.get("/api/shares")).json()["total"] == 0

    async def test_only_what_is_in_the_workspace(self, office: Office, bob: Actor) -> None:
        for subject in ({"draft_id": office.draft_id}, {"query": {"category": uuid4()}}):
            with pytest.raises(NotFound):
                await office.share(bob, **subject)

    @pytest.mark.parametrize("subject", [{"draft_id": None}, {"draft_id": UUID(int=1), "query": {}}, {"query": {"kind": "x"}}])
    def test_exactly_one_subject_is_needed(self, subject: dict[str, object]) -> None:
        with pytest.raises(ValueError):
            NewShare.model_validate({"recipient": "Grace", **subject})

    async def test_their_number_is_limited(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MOST_LINKS", 1)
        link = await office.share()
        with pytest.raises(TooManyLinks):
            await office.share()
        await office.revoke(link)
        await office.share()


class TestListing:
    async def test_owners_see_all_and_others_their_own(self, office: Office, harbor: Actor, bob: Actor) -> None:
        there = await join(office, harbor, bob)
        await office.share(harbor, query={}, recipient="From Ada")
        await office.share(there, query={}, recipient="From Bob")
        assert await titles(office, harbor, sort="recipient") == ["From Ada", "From Bob"]
        assert await titles(office, there) == ["From Bob"]
        assert await titles(office, office.ada) == []

    async def test_is_filtered_and_sorted(self, office: Office) -> None:
        first = await office.share(recipient="Zuse")
        await office.share(recipient="Hopper", query={"kind": "grant"}, title="Grants")
        await office.revoke(first)
        assert await titles(office, office.ada, sort="recipient") == ["Hopper", "Zuse"]
        assert await titles(office, office.ada, text="GRANTS") == ["Hopper"]
        assert await titles(office, office.ada, kind=ShareKind.DRAFT) == ["Zuse"]
        assert await titles(office, office.ada, state=ShareState.ENDED) == ["Zuse"]
        assert await titles(office, office.ada, draft_id=office.draft_id) == ["Zuse"]
        async with office.core.database.transaction() as session:
            lines = [line async for line in service.export_shares(session, office.ada, ShareQuery(sort="recipient"))]
        assert [line.split(",")[2] for line in lines] == ["For", "Hopper", "Zuse"]


class TestRevoking:
    async def test_links_of_other_workspaces_are_like_unknown_ones(self, office: Office, bob: Actor, harbor: Actor) -> None:
        link = await office.share()
        for actor, share_id in ((bob, link.id), (harbor, link.id), (office.ada, uuid4())):
            with pytest.raises(NotFound):
                await do(office.core, lambda session, actor=actor, id=share_id: service.revoke(session, actor, id))
        assert (await office.listed(link)).state is ShareState.ACTIVE

    async def test_through_the_api(self, office: Office) -> None:
        link = await office.share()
        async with program(office.app, office.ada) as client:
            (listed,) = (await client.get("/api/shares")).json()["items"]
            assert "link" not in listed and "digest" not in str(listed)
            for _ in range(2):
                assert (await client.delete(f"/api/shares/{link.id}")).status_code == 204
        assert (await office.listed(link)).state is ShareState.ENDED
