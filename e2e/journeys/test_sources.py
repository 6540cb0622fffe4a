"""Added documents are processed automatically, and a draft is written from selected ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import EMAIL, open_train
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.train import TrainPage

DOCUMENTS = {
    "Hill capability statement.md": "# Core competencies\n\nHill Roofing LLC repairs roofs of occupied buildings. We are a small business. UEI: K7QJ2MHT4RL9",
    "Resume Ada Hill.md": "# Ada Hill, P.E.\n\n## Education\n\nB.S., Civil Engineering, 2004\n\n## Experience\n\n2010-present: leads our crews.",
    "RFP roofs.txt": "SOLICITATION NO. 140P2024\n\nOfferors shall submit a technical proposal. Proposals are due by June 14.",
}


@pytest.mark.slow
def test_a_draft_is_written_from_the_chosen_documents(page: Page, tmp_path: Path) -> None:
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    train = TrainPage(open_train(page, EMAIL))
    train.add([tmp_path / name for name in DOCUMENTS])
    train.wait_until_processed()
    for title, kind in (
        ("Hill capability statement", "About us"),
        ("Ada Hill, P.E. Resume Ada Hill.md", "Résumé"),
        ("RFP roofs", "Notice"),
    ):
        expect(page.get_by_role("row", name=re.compile(f"^{re.escape(title)} {kind}"))).to_be_visible()
    train.choose_kind("Ada Hill, P.E.", "Past performance")
    expect(page.get_by_role("row", name=re.compile("^Ada Hill, P.E. Resume Ada Hill.md Past performance"))).to_be_visible()

    Shell(page).go_to("Generate")
    page.get_by_role("button", name=re.compile("^Choose ")).first.click()
    page.get_by_role("radio", name=re.compile("Capability statement")).check()
    chosen = page.get_by_role("checkbox", name="Ada Hill, P.E.")
    expect(chosen).to_be_checked()
    expect(page.get_by_role("checkbox", name="RFP roofs")).to_have_count(0)
    expect(page.get_by_role("main").get_by_text("RFP roofs")).to_be_visible()
    chosen.uncheck()
    page.get_by_role("textbox", name="Company or organization name").fill("Hill Roofing LLC")
    ready(page)
    page.reload()
    ready(page)
    expect(chosen).not_to_be_checked()
    expect(page.get_by_role("textbox", name="Company or organization name")).to_have_value("Hill Roofing LLC")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.wait_for_url("**/generate/slug/*")
