"""The tab Profile of a workspace."""

from __future__ import annotations

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactCorrection, FactForm
from fundwright.profiles import service
from fundwright.profiles.schemas import OrganizationProfileForm
from fundwright.reading.facts import FactField, FactKind, FactStatus
from fundwright.training import removing
from fundwright.training import service as training
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.screens.workspaces.workspace import workspace_screen
from fundwright_ui.testing import mounted
from tests.profiles.test_service import change, do, save
from tests.support.accounts import add_account


async def test_names_the_field_with_a_wrong_code_and_keeps_the_rest(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        await shown.type("Legal business name", "Harbor Light LLC")
        await shown.type("UEI", "QW3RTY789LPO")
        await shown.submit("About your organization")
        assert "Use 12 letters and digits, without I and O." in shown.text
        await shown.type("UEI", "QW3RTY789LP2")
        await shown.submit("About your organization")
        assert "The profile was saved." in shown.toasts
    saved = await do(committed, ada, lambda session: service.get_profile(session, ada))
    assert saved is not None
    assert saved.uei == "QW3RTY789LP2"


async def test_shows_only_facts_to_who_only_reads(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    form = OrganizationProfileForm(name="Harbor Light LLC", naics_codes="541511")
    await do(committed, ada, lambda session: service.save_profile(session, ada, committed, form))
    viewer: Actor = ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
    async with mounted(committed, viewer, workspace_screen, path=service.PATH) as shown:
        assert "541511 · Custom Computer Programming Services" in shown.text
        assert not shown.has("form", "About your organization")


async def test_its_document_leads_to_it_and_it_says_when_the_document_is_in_the_trash(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    form = OrganizationProfileForm(name="Harbor Light LLC")
    await do(committed, ada, lambda session: service.save_profile(session, ada, committed, form))
    (document,) = (await do(committed, ada, lambda session: training.list_documents(session, ada))).items
    async with mounted(committed, ada, train_screen, path=f"/dashboard/train?document={document.id}") as shown:
        await shown.expect(lambda: shown.has("link", "Organization profile"))
        assert shown.find("link", "Organization profile").props["href"] == service.PATH
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        await shown.expect("use and cite this profile")
        await do(committed, ada, lambda session: removing.remove_document(session, ada, document.id))
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        await shown.expect("do not use this profile")
        assert "use and cite this profile" not in shown.text


async def test_what_someone_else_has_saved_is_shown_and_replaced_only_on_request(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    first = await save(committed, ada)
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        await shown.type("Description", "Mine")
        await change(committed, ada, about="The other one")
        await shown.expect("Someone else has saved another version:")
        assert "The other one" in shown.text
        await shown.submit("About your organization")
        assert "The profile has been changed since you opened it." in shown.text and shown.value("Description") == "Mine"
        await shown.click("button", "Keep mine")
        await shown.submit("About your organization")
        await shown.expect(lambda: "The profile was saved." in shown.toasts)
        assert "Someone else" not in shown.text
    saved = await do(committed, ada, lambda session: service.get_profile(session, ada))
    assert saved is not None and saved.about == "Mine" and saved.changed_at > first.changed_at


async def test_the_version_of_someone_else_can_be_edited_instead(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        await shown.type("Legal business name", "Mine")
        await save(committed, ada)
        await shown.expect("Someone else has saved another version:")
        await shown.click("button", "Use the other one")
        await shown.expect(lambda: shown.value("Legal business name") == "Harbor Light LLC")
        await shown.expect(lambda: shown.value("Legal business name") == "Harbor Light LLC")
        await shown.type("Description", "Founded in 2010.")
        await shown.submit("About your organization")
        await shown.expect(lambda: "The profile was saved." in shown.toasts)
    saved = await do(committed, ada, lambda session: service.get_profile(session, ada))
    assert saved is not None and (saved.name, saved.about) == ("Harbor Light LLC", "Founded in 2010.")


async def test_shows_accepted_facts_first_and_as_they_change(committed: Core) -> None:
    async with committed.database.transaction() as session:
        ada = await add_account(session)
    values = {FactField.NAME: "HUBZone"}
    async with mounted(committed, ada, workspace_screen, path=service.PATH) as shown:
        assert not shown.has("region", "Accepted facts")
        added = await do(
            committed,
            ada,
            lambda session: facts.add_fact(session, ada, FactForm(kind=FactKind.CERTIFICATION, values=values)),
        )
        await shown.expect("Drafts and fit use these first, then the profile.")
        assert "Not held" not in shown.text
        ended = FactCorrection(values=values, status=FactStatus.ENDED, based_on=added.changed_at)
        await do(committed, ada, lambda session: facts.correct(session, ada, added.id, ended))
        await shown.expect("Not held")
