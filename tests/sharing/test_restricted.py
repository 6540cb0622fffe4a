"""Share links of drafts that only chosen members of a workspace see, or that cite documents which only they see."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor
from fundwright.core.errors import NotAllowed
from fundwright.core.scopes import acting_in
from fundwright.generation import service as generation
from fundwright.generation.models import Citation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing.schemas import ShareRead, ShareState
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm, WorkspaceForm
from tests.sharing.conftest import Office, do
from tests.sharing.test_pages import OVER, SECRET, WORKS, join, write
from tests.support.accounts import add_account

pytestmark = pytest.mark.security(51)


@pytest.fixture
async def harbor(office: Office) -> tuple[Office, Actor]:
    """Ada's draft in a workspace where Bob edits, too."""
    async with office.core.database.transaction() as session:
        created = await workspaces.create_workspace(session, office.ada, office.core, WorkspaceForm(name="Harbor"))
        ada = await workspaces.actor_in(session, office.ada, created.id)
        bob = await add_account(session, "bob@example.org", name="Bob")
    bob = await join(office, ada, bob)
    with acting_in(ada.scope):
        async with office.core.database.transaction() as session:
            found = await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1, kind="contract"))
            opportunity_id = found.items[0].id
            draft = await generation.add_draft(
                session, ada, office.core, opportunity_id=opportunity_id, template="capability-statement"
            )
    return replace(office, ada=ada, draft_id=draft.id), bob


async def restrict(office: Office, *members: ChosenMember) -> str:
    """Let only Ada and these members see the draft; returns its title."""
    form = RestrictionForm(members=members)
    with acting_in(office.ada.scope):
        await do(office.core, lambda session: generation.restrict_draft(session, office.ada, office.core, office.draft_id, form))
        return (await do(office.core, lambda session: generation.get_draft(session, office.ada, office.draft_id))).title


async def listed(office: Office) -> ShareRead:
    """The only link, as Ada sees it."""
    with acting_in(office.ada.scope):
        (link,) = await office.all()
    return link


async def test_administrators_do_not_read_the_title_in_the_audit_trail(harbor: tuple[Office, Actor]) -> None:
    office, _ = harbor
    title = await restrict(office)
    with acting_in(office.ada.scope):
        link = await office.share(password=SECRET)
        async with office.visitor() as visitor:
            assert (await visitor.post(link.link, data={"password": "wrong"})).status_code == 403
            assert WORKS in (await visitor.post(link.link, data={"password": SECRET}, follow_redirects=True)).text
        await office.revoke(link)
    async with office.core.database.transaction() as session:
        entries = (await session.scalars(select(AuditEntry).where(AuditEntry.action.startswith("share.")))).all()
    assert {entry.action for entry in entries} == {"share.created", "share.refused", "share.opened", "share.revoked"}
    assert {entry.subject for entry in entries} == {str(office.draft_id)} and title not in str([each.details for each in entries])


@pytest.mark.parametrize("access", [Access.VIEW, Access.COMMENT])
async def test_who_may_only_view_the_draft_cannot_show_it_to_everyone(harbor: tuple[Office, Actor], access: Access) -> None:
    office, bob = harbor
    with acting_in(bob.scope):
        link = await office.share(bob)
    assert WORKS.replace("Ada Lovelace", "Bob") in (await office.get(link)).text
    await restrict(office, ChosenMember(account_id=bob.id, access=access))
    with acting_in(bob.scope), pytest.raises(NotAllowed):
        await office.share(bob)
    assert OVER in (await office.get(link)).text
    assert (await listed(office)).state is ShareState.PAUSED
    await restrict(office, ChosenMember(account_id=bob.id, access=Access.EDIT))
    assert (await office.get(link)).status_code == 200
    assert (await listed(office)).state is ShareState.ACTIVE


async def test_of_a_hidden_draft_are_over(harbor: tuple[Office, Actor]) -> None:
    office, bob = harbor
    with acting_in(bob.scope):
        link = await office.share(bob)
    await restrict(office)
    assert OVER in (await office.get(link)).text
    assert (await listed(office)).state is ShareState.PAUSED


async def test_never_name_restricted_documents(harbor: tuple[Office, Actor]) -> None:
    office, _ = harbor
    await write(office, "We dredge harbors [1] for less [2].")
    with acting_in(office.ada.scope):
        link = await office.share(shows_titles=True)
        assert "Harbor study" in (await office.get(link)).text
        async with office.core.database.transaction() as session:
            document_id = await session.scalar(select(Citation.document_id).where(Citation.number == 1))
            assert document_id is not None
            members = {office.ada.id: Access.EDIT}
            await repository.save_restriction(
                session, office.ada.workspace_id, document_id, kind="document", restricted_by=office.ada.id, members=members
            )
    text = (await office.get(link)).text
    assert "Harbor study" not in text and "Restricted source" in text and "Price list" in text
