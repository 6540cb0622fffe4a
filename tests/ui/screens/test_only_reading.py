"""Screens offer members who only view a workspace no actions that services would refuse."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding, runs
from fundwright.training.schemas import PastedText
from fundwright_ui.runtime.router import Screen
from fundwright_ui.screens.categories.category import category_screen
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.screens.generate.generate import generate_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.screens.training.run import run_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.categories.embedding import WordEmbedder, classify
from tests.support.accounts import account_and_samples
from tests.support.snapshots import Snapshots


@pytest.fixture
async def ada(committed: Core, snapshots: Snapshots) -> Actor:
    return await snapshots.of(committed, account_and_samples)


@pytest.fixture
async def places(committed: Core, ada: Actor) -> dict[str, str]:
    """One object of each kind: the parameters of the addresses."""
    async with committed.database.transaction() as session:
        notice = (await opportunities.list_opportunities(session, ada, OpportunityQuery(kind="contract"))).items[0]
        await categories.create(session, ada, CategoryCreate(name="Roofing"))
        await classify(session, ada, [(notice.id, "Roofing")], embedder=WordEmbedder())
        document = await adding.add_text(session, ada, committed, PastedText(title="Boats", text="The ferry carries forty."))
    run = await runs.start_run(committed, ada, [document.id])
    async with committed.database.transaction() as session:
        draft = await generation.add_draft(session, ada, committed, opportunity_id=notice.id, template="cover-letter")
    return {"notice": str(notice.id), "run": str(run.id), "draft": draft.slug}


Offered = tuple[str, str]

SCREENS: list[tuple[Screen, str, list[Offered]]] = [
    (sam_screen, "/dashboard/sam?import=open", [
        ("button", "Hide import"), ("button", "Categorize"), ("FileDrop", "Choose file"),
    ]),
    (contract_screen, "/dashboard/sam/{notice}", [("link", "Draft a proposal"), ("button", "Accept Roofing"), ("form", "Change category"), ("button", "Give your own score")]),
    (category_screen, "/dashboard/category", [
        ("button", "New category"), ("button", "Categorize"), ("button", "Edit Roofing"), ("button", "Move Roofing to trash"),
        ("list", "Suggestions"),
    ]),
    (train_screen, "/dashboard/train", [
        ("button", "Paste text"), ("FileDrop", "Choose files"), ("button", "Train"), ("button", "Cancel run"),
    ]),
    (run_screen, "/dashboard/history/{run}", [("button", "Cancel run")]),
    (generate_screen, "/generate/index", [("button", "Generate"), ("searchbox", "Search opportunities")]),
    (draft_screen, "/generate/slug/{draft}", [
        ("button", "Move to trash"), ("link", "New draft for this opportunity"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "path", "offered"), SCREENS, ids=[path for _, path, _ in SCREENS])
async def test_what_a_user_is_offered_a_viewer_is_not(
    committed: Core, ada: Actor, places: dict[str, str], shown: Screen, path: str, offered: list[Offered]
) -> None:
    part = next((places[name] for name in places if f"{{{name}}}" in path), "")
    params = {"id": part, "token": part}
    viewer = ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
    async with mounted(committed, ada, shown, path=path.format(**places), params=params) as screen:
        assert [each for each in offered if not screen.has(*each)] == []
    async with mounted(committed, viewer, shown, path=path.format(**places), params=params) as screen:
        assert [each for each in offered if screen.has(*each)] == []
        assert not screen.has("alert")
