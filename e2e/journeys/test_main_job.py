"""The main job in the browser, from importing a real notice to exporting a draft with citations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from e2e.application import PROJECT, Application
from e2e.conftest import PASSWORD
from e2e.pages.opportunities import CATEGORIZE_TIMEOUT_MS, OpportunitiesPage
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from e2e.pages.train import TrainPage

SHARED = PROJECT.parent / "shared" / "data"
SAMPLE = PROJECT / "src/fundwright"
DRAFT_TIMEOUT_MS = 60_000


@dataclass(frozen=True)
class Notices:
    """A file of contract opportunities, the summary after its import into an installation with the sample, and funders' documents."""

    file: Path
    summary: str
    newest: str = ""
    """The title of a notice that is not in the sample."""
    documents: Sequence[Path] = ()


REAL_NOTICES = Notices(
    SHARED / "sam/ContractOpportunitiesFullCSV.csv.gz",
    "12,309 new, 0 changed, 0 unchanged, 0 rejected",
    newest="HAZMAT BUILDING",
    documents=(
        SHARED / "documents/RFI_14_0004_IMDS_CDB_Modernization_Assessement_PWS_27Nov13.pdf",
        SHARED / "documents/RFA-TR-25-002.md",
    ),
)
SAMPLE_NOTICES = Notices(SAMPLE / "opportunities/sample/sam.csv", "0 new, 0 changed, 30 unchanged, 0 rejected")
NOTICES = REAL_NOTICES if REAL_NOTICES.file.exists() else SAMPLE_NOTICES


def own_documents(folder: Path) -> list[Path]:
    """The sample's documents with different wording, because duplicates are refused."""
    copies = [folder / "our-Past-performance-Northern-Lakes-network.md", folder / "our-Resume-Tomas-Okafor.txt"]
    for copy in copies:
        sample = SAMPLE / "training/sample" / copy.name.removeprefix("our-")
        copy.write_text(f"{sample.read_text()}\nRevised this year.\n")
    return copies


@pytest.mark.parametrize(
    "notices", [SAMPLE_NOTICES, pytest.param(NOTICES, marks=pytest.mark.slow)], ids=["the sample", "all that there are"]
)
def test_from_a_notice_to_a_cited_draft(page: Page, application: Application, tmp_path: Path, notices: Notices) -> None:
    email = f"{uuid4()}@example.org"
    application.add_person(email, PASSWORD)
    SignInPage(page).open().sign_in(email, PASSWORD)
    page.wait_for_url("**/dashboard/train")
    ready(page)
    do_main_job(page, notices, tmp_path)


def do_main_job(page: Page, notices: Notices, folder: Path) -> None:
    """The whole job, starting from the Train screen after the first sign-in; signs out at the end."""
    shell = Shell(page)

    shell.go_to("Opportunities")
    opportunities = OpportunitiesPage(page).open_contracts()
    # The worker may have categorized the sample before.
    expect(opportunities.categorize()).to_have_text(re.compile(r"^Last run: \d+ newly categorized$"))
    expect(opportunities.import_file(notices.file)).to_have_text(notices.summary)
    if notices.newest:  # read first, so it is not necessary to wait for the rest
        opportunities.show("All")
        expect(opportunities.count).to_have_text("12,309 opportunities")  # without the sample, which the import removed
        opportunities.start_categorizing()
        opportunities.search(f'"{notices.newest}"')
        expect(opportunities.category_of(notices.newest)).to_contain_text(
            "Construction and facilities", timeout=CATEGORIZE_TIMEOUT_MS
        )
        opportunities.cancel_categorizing()

    shell.go_to("Train")
    train = TrainPage(page)
    train.add([*own_documents(folder), *notices.documents])
    train.wait_until_processed()
    train.choose_kind("our-Resume-Tomas-Okafor", "About us")
    train.ask("How many stations were installed on the lakes?")
    answer = page.get_by_role("main").locator("mark").first
    expect(answer).to_be_visible()
    train.ask("asdf qwer zxcv")
    expect(page.get_by_text("Your documents don't answer this.")).to_be_visible()
    page.go_back()
    expect(answer).to_be_visible()
    expect(page.get_by_role("textbox", name="Question")).to_have_value("How many stations were installed on the lakes?")

    shell.go_to("Embedding History")
    expect(page.get_by_role("main").get_by_text("Done").first).to_be_visible()

    shell.go_to("Opportunities")
    opportunities.open_contracts().show("All").search("maintenance")
    opportunities.first_title().click()
    page.wait_for_url(re.compile(r"/dashboard/sam/[0-9a-f-]{36}"))
    ready(page)
    page.get_by_role("link", name="Draft a proposal").click()
    page.wait_for_url("**/generate/index?opportunity=*")
    ready(page)
    page.get_by_role("radio", name=re.compile("Capability statement", re.IGNORECASE)).check()
    page.get_by_role("button", name="Generate", exact=True).click()

    page.wait_for_url("**/generate/slug/*")
    ready(page)
    expect(page.get_by_role("main").get_by_text("Finished", exact=True)).to_be_visible(timeout=DRAFT_TIMEOUT_MS)
    citation = page.get_by_role("button", name=re.compile(r"^Citation \d+: ")).first
    citation.press("Enter")
    passage = page.get_by_role("region", name=re.compile(r"^Passage \d+$"))
    expect(passage.locator("mark").first).to_be_visible()
    expect(passage).to_be_focused()
    page.keyboard.press("Escape")
    expect(passage).to_have_count(0)
    expect(citation).to_be_focused()
    page.get_by_role("button", name=re.compile(r"^Show passage \d+$")).first.click()
    expect(passage).to_be_visible()

    ready(page).reload()
    ready(page)
    expect(passage).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Finished", exact=True)).to_be_visible()
    page.get_by_role("button", name="Export").click()
    formats = page.locator("#draft-export").bounding_box()
    assert formats is not None
    assert formats["width"] < 400  # as wide as the longest entry, not as all of them together
    page.keyboard.press("Escape")
    assert_prints(page)

    shell.go_to("Train")
    shell.sign_out()


def assert_prints(page: Page) -> None:
    """The draft on paper: black on white in dark mode, too, with its sources and without controls."""
    page.evaluate("document.documentElement.dataset.mode = 'dark'")
    page.emulate_media(media="print")
    expect(page.get_by_role("list", name="Sources")).to_be_visible()
    expect(page.get_by_role("button", name="Export")).to_be_hidden()
    expect(page.get_by_role("region", name=re.compile(r"^Passage \d+$"))).to_be_hidden()
    expect(page.get_by_role("banner")).to_be_hidden()
    colors = "(element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]"
    assert page.locator("body").evaluate(colors) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    width = page.viewport_size
    page.set_viewport_size({"width": 718, "height": 1000})  # A4
    assert page.locator(".fw-sheet").evaluate("(sheet) => sheet.getBoundingClientRect().left") >= 0
    page.set_viewport_size(width or {"width": 1280, "height": 720})
    page.emulate_media(media="screen")
    page.evaluate("document.documentElement.dataset.mode = 'light'")
