"""The checklist of a new account on the dashboard and on Train."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactField, FactForm, FactKind, FactState
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.profiles import service as profiles
from fundwright.profiles.schemas import OrganizationProfileForm
from fundwright.training import adding
from fundwright.training.schemas import PastedText
from fundwright_ui.runtime.router import Screen
from fundwright_ui.screens.dashboard.dashboard import dashboard_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account

LEFT = {
    "Import opportunities": "/dashboard/sam?import=open",
    "Describe your organization": "/dashboard/workspace?tab=profile",
    "Add documents": "/dashboard/train#add-documents",
    "Check your organization’s facts": "/dashboard/workspace/facts",
    "Write your first draft": "/generate/index",
}


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        await opportunities.load_sample_once(session)
        return await add_account(session)


async def left(core: Core, actor: Actor, screen: Screen) -> dict[str, str]:
    """The links of the steps that are not done yet."""
    async with mounted(core, actor, screen) as shown:
        return {
            link.text: link.props["href"]
            for link in shown.elements("link")
            if link.text in LEFT and "fw-first-step" in link.props["className"]
        }


@pytest.mark.parametrize("screen", [dashboard_screen, train_screen])
async def test_each_step_leads_to_where_it_is_done(committed: Core, ada: Actor, screen: Screen) -> None:
    assert await left(committed, ada, screen) == LEFT


async def test_each_step_follows_from_the_data_until_all_are_done(committed: Core, ada: Actor) -> None:
    async with committed.database.transaction() as session:
        await profiles.save_profile(session, ada, committed, OrganizationProfileForm(name="River Maps LLC"))
    assert "Add documents" in await left(committed, ada, dashboard_screen)  # the profile's own is none
    async with committed.database.transaction() as session:
        await adding.add_text(session, ada, committed, PastedText(title="Rivers", text="We map rivers."))
    assert list(await left(committed, ada, dashboard_screen)) == ["Import opportunities", "Write your first draft"]
    added = FactForm(kind=FactKind.PERSON, values={FactField.NAME: "Ann Ford"})
    async with committed.database.transaction() as session:
        fact = await facts.add_fact(session, ada, added)
        await facts.decide(session, ada, [fact.version], FactState.PROPOSED)
    assert "Check your organization’s facts" in await left(committed, ada, dashboard_screen)
    async with committed.database.transaction() as session:
        await facts.decide(session, ada, [(await facts.get_fact(session, ada, fact.id)).version], FactState.ACCEPTED)
    async with committed.database.transaction() as session:
        (notice,) = await opportunities.suggest(session, ada, "", limit=1)
        await generation.add_draft(session, ada, committed, opportunity_id=notice.id, template="capability-statement")
    async with mounted(committed, ada, dashboard_screen) as shown:
        assert "4 of 5 done" in shown.find("region", "First steps").text


async def test_is_dismissed_for_good(committed: Core, ada: Actor) -> None:
    async with mounted(committed, ada, train_screen) as shown:
        region = shown.find("region", "First steps")
        assert "0 of 5 done" in region.text
        await shown.click("button", "Dismiss first steps")
        assert not shown.has("region", "First steps")
    assert await left(committed, ada, dashboard_screen) == {}


async def test_is_not_for_who_only_reads(committed: Core, ada: Actor) -> None:
    assert await left(committed, ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER}), dashboard_screen) == {}


async def test_says_when_the_steps_cannot_be_read(committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_args: object) -> bool:
        raise ConnectionError

    with monkeypatch.context() as failing:
        failing.setattr(opportunities, "has_imported", refuse)
        async with mounted(committed, ada, train_screen) as shown:
            assert not shown.has("region", "First steps")
            failing.undo()
            await shown.click("button", "Try again")
            assert "0 of 5 done" in shown.find("region", "First steps").text
