"""The profile of a workspace's organization: who may change it, and what answers and drafts get from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.asking import service as asking
from fundwright.core.assembly import Core
from fundwright.core.errors import NotAllowed
from fundwright.core.scopes import acting_in
from fundwright.generation import service as generation
from fundwright.language import service as language
from fundwright.opportunities import service as opportunities
from fundwright.profiles import service
from fundwright.profiles.schemas import OrganizationProfileForm, OrganizationProfileRead
from fundwright.reading.kinds import DocumentKind
from fundwright.templates.builtin import TEMPLATES
from fundwright.training import adding, removing, restricting, runs, searching
from fundwright.training import service as training
from fundwright.training.schemas import DocumentRead, DocumentState, PastedText
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from tests.firms.drafts import draft
from tests.support.accounts import add_account

T = TypeVar("T")
HARBOR = OrganizationProfileForm(
    name="Harbor Light LLC",
    uei="qw3rty789lp2",
    cage_code="7abc1",
    naics_codes="541511, 541512,",
    address="12 Pier Road, Toledo, OH 43604",
    about="Harbor Light LLC was founded in 2009.",
)


async def do(core: Core, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    """In the scope of the actor, as at the boundaries."""
    with acting_in(actor.scope):
        async with core.database.transaction() as session:
            return await work(session)


async def save(core: Core, actor: Actor, form: OrganizationProfileForm = HARBOR) -> OrganizationProfileRead:
    return await do(core, actor, lambda session: service.save_profile(session, actor, core, form))


async def change(core: Core, actor: Actor, **changes: object) -> OrganizationProfileRead:
    """Save the profile of the harbor again, with changes to what is there."""
    current = await do(core, actor, lambda session: service.get_profile(session, actor))
    assert current is not None
    return await save(core, actor, HARBOR.model_copy(update={"based_on": current.changed_at, **changes}))


async def documents(core: Core, actor: Actor) -> list[DocumentRead]:
    return list((await do(core, actor, lambda session: training.list_documents(session, actor))).items)


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, name="Ada")


async def test_is_kept_with_capitals_and_codes(committed: Core, ada: Actor) -> None:
    assert await do(committed, ada, lambda session: service.get_profile(session, ada)) is None
    saved = await save(committed, ada)
    assert saved == await do(committed, ada, lambda session: service.get_profile(session, ada))
    assert (saved.uei, saved.cage_code, saved.naics_codes) == ("QW3RTY789LP2", "7ABC1", ("541511", "541512"))
    assert saved.changed_by == ada.name


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"uei": "QW3RTY789LPO"},
        {"uei": "123"},
        {"cage_code": "7ABC"},
        {"website": "javascript:alert(1)"},
        {"naics_codes": "5415"},
        {"naics_codes": "999999"},
        {"naics_codes": "٥٤١٥١١"},
        {"name": "\u202e\u200b"},
    ],
    ids=str,
)
def test_refuses_what_sam_gov_would_not_accept(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        OrganizationProfileForm.model_validate({"name": "Harbor Light LLC", **wrong})


async def test_is_one_document_however_often_it_is_saved(committed: Core, ada: Actor) -> None:
    await save(committed, ada)
    (first,) = await documents(committed, ada)
    await runs.run_inline(committed, ada, [first.id])
    await change(committed, ada, address="40 Quay Street, Duluth, MN 55802")
    (second,) = await documents(committed, ada)
    assert (second.id, second.title, second.state) == (first.id, service.DOCUMENT_TITLE, DocumentState.WAITING)
    await runs.run_inline(committed, ada, [second.id])
    embedder = await language.get_embedder(committed)
    with acting_in(ada.scope):
        (passage, *_others) = await searching.find_passages(committed, ada, "What is our address?", embedder=embedder)
    assert "Duluth" in passage.text
    assert "Toledo" not in passage.text


async def test_a_document_in_the_trash_is_added_again_when_the_profile_is_saved(committed: Core, ada: Actor) -> None:
    await save(committed, ada)
    (first,) = await documents(committed, ada)
    await do(committed, ada, lambda session: removing.remove_document(session, ada, first.id))
    await change(committed, ada)
    (second,) = await documents(committed, ada)
    assert second.id != first.id


async def test_its_document_says_what_it_is_and_whether_it_is_there(committed: Core, ada: Actor) -> None:
    saved = await save(committed, ada)
    (document,) = await documents(committed, ada)
    assert (document.filename, saved.has_document) == ("organization-profile.md", True)
    assert await do(committed, ada, lambda session: service.is_profile(session, ada, document.id))
    await do(committed, ada, lambda session: removing.remove_document(session, ada, document.id))
    read = await do(committed, ada, lambda session: service.get_profile(session, ada))
    assert read is not None and not read.has_document


async def test_names_the_company_of_the_next_draft(committed: Core, ada: Actor) -> None:
    await save(committed, ada)
    (document,) = await documents(committed, ada)
    await runs.run_inline(committed, ada, [document.id])
    suggested = await generation.suggest_company(committed, ada)
    assert suggested.name == "Harbor Light LLC"


async def test_what_someone_else_has_saved_meanwhile_is_not_overwritten(committed: Core, ada: Actor) -> None:
    first = await save(committed, ada)
    await change(committed, ada, about="Founded in 2010.")
    for based_on in (first.changed_at, None):  # None: the form was opened before there was a profile
        with pytest.raises(service.ProfileChangedMeanwhile):
            await save(committed, ada, HARBOR.model_copy(update={"about": "Founded in 2011.", "based_on": based_on}))


async def test_saving_again_after_a_lost_connection_changes_nothing(committed: Core, ada: Actor) -> None:
    first = await save(committed, ada)
    assert await save(committed, ada) == first
    assert len(await documents(committed, ada)) == 1


async def test_a_document_that_others_restricted_is_neither_changed_nor_doubled(committed: Core, ada: Actor) -> None:
    async with committed.database.transaction() as session:
        bob = await add_account(session, "bob@example.org", name="Bob")
        harbor = await repository.add(session, name="Harbor", owner_id=ada.id)
        await repository.add_member(session, harbor.id, bob.id, WorkspaceRole.EDITOR)
        owner, editor = [await workspaces.actor_in(session, each, harbor.id) for each in (ada, bob)]
    await save(committed, owner)
    (document,) = await documents(committed, owner)
    form = RestrictionForm(members=(ChosenMember(account_id=ada.id, access=Access.EDIT),))
    await do(committed, owner, lambda session: restricting.restrict_document(session, owner, committed, document.id, form))
    with pytest.raises(NotAllowed, match="restricted"):
        await change(committed, editor, about="Founded in 2010.")
    assert await documents(committed, editor) == []


async def test_belongs_to_the_workspace_and_viewers_only_read_it(committed: Core, ada: Actor) -> None:
    async with committed.database.transaction() as session:
        vic = await add_account(session, "vic@example.org", name="Vic")
        harbor = await repository.add(session, name="Harbor", owner_id=ada.id)
        await repository.add_member(session, harbor.id, vic.id, WorkspaceRole.VIEWER)
        owner, viewer = [await workspaces.actor_in(session, each, harbor.id) for each in (ada, vic)]
    await save(committed, owner)
    for reader, is_there in ((viewer, True), (ada, False)):
        seen = await do(committed, reader, lambda session, reader=reader: service.get_profile(session, reader))
        assert (seen is not None) is is_there
    with pytest.raises(NotAllowed):
        await save(committed, viewer)


def test_completes_an_address_without_a_scheme() -> None:
    form = OrganizationProfileForm.model_validate({"name": "Harbor Light LLC", "website": "harbor.example"})
    assert form.website == "https://harbor.example"


async def test_a_line_stays_one_visible_line(committed: Core, ada: Actor) -> None:
    saved = await save(committed, ada, OrganizationProfileForm.model_validate({"name": "Harbor\n## Light\u202e LLC"}))
    assert saved.name == "Harbor ## Light LLC"


NOTICE = (
    "# Solicitation\n\nOfferors shall state their UEI, CAGE code, and address on the cover page. What is the UEI of your organization? Enter the "
    "Unique Entity ID (UEI) as registered in SAM.gov. The contact for questions about the UEI is the Contact Center, 800-518-4726.\n"
)


ANSWERS = {
    "What is our UEI?": "QW3RTY789LP2",
    "CAGE code": "7ABC1",
    "What is our address?": "12 Pier Road",
    "Who is our contact?": "Jane Roe",
}


async def test_answers_questions_about_us_from_the_profile_and_not_from_notices(committed: Core, ada: Actor) -> None:
    await save(committed, ada, HARBOR.model_copy(update={"contact": "Jane Roe, President, 419-555-0100"}))
    for place in range(8):
        pasted = PastedText(title=f"Solicitation {place}", text=f"{NOTICE}\nAmendment {place}.")
        await do(committed, ada, lambda session, pasted=pasted: adding.add_text(session, ada, committed, pasted))
    await runs.run_inline(committed, ada, [document.id for document in await documents(committed, ada)])
    embedder = await language.get_embedder(committed)
    with acting_in(ada.scope):
        for question, answer in ANSWERS.items():
            found = (await asking.find_answers(committed, ada, question, embedder=embedder)).answers
            assert answer in found[0].text[found[0].answer_start : found[0].answer_end], question
            assert {each.document_title for each in found} == {service.DOCUMENT_TITLE}
        (asked, *_others) = (await asking.find_answers(committed, ada, "What is a UEI?", embedder=embedder)).answers
    assert asked.document_kind == DocumentKind.NOTICE


async def test_a_capability_statement_says_what_the_description_says(committed: Core, ada: Actor) -> None:
    about = "Harbor Light LLC was founded in 2009. We build and operate data platforms for environmental agencies."
    await save(committed, ada, HARBOR.model_copy(update={"about": about}))
    await runs.run_inline(committed, ada, [document.id for document in await documents(committed, ada)])
    async with committed.database.transaction() as session:
        await opportunities.load_sample_once(session)
        notice = await opportunities.look_up(session, ada, "sample-sam-0004")
    (template,) = [template for template in TEMPLATES if template.name == "capability-statement"]
    with acting_in(ada.scope):
        written = await draft(committed, ada, notice.id, template)
    sections = {section.heading: section for section in written.sections}
    assert "We build and operate data platforms" in sections["Core competencies"].text
    possible = [match.text for section in written.sections for match in section.possible_matches]
    assert not any("541511" in text for text in possible)
