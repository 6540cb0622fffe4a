"""The whole main job through the browser: from a real notice to a cited draft."""

from __future__ import annotations

import csv
import gzip
import re
from itertools import islice
from pathlib import Path

from playwright.sync_api import Page, expect

from e2e.application import PROJECT
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from e2e.pages.train import TrainPage

SHARED = PROJECT.parent / "shared" / "data"
SAMPLE = PROJECT / "src/fundwright"
DRAFT_TIMEOUT_MS = 60_000
MOST_NOTICES = 3_000


def notices(folder: Path) -> Path:
    """The beginning of the real bulk file where it is present, else the sample in the same format.

    The whole of it is imported by the tests of imports; here each of its notices would also be put into categories.
    """
    real = SHARED / "sam/ContractOpportunitiesFullCSV.csv.gz"
    if not real.exists():
        return SAMPLE / "opportunities/sample/sam.csv"
    beginning = folder / real.name
    # Whatever the bytes mean, they stay.
    with (
        gzip.open(real, "rt", encoding="latin-1", newline="") as source,
        gzip.open(beginning, "wt", encoding="latin-1", newline="") as copy,
    ):
        csv.writer(copy).writerows(islice(csv.reader(source), MOST_NOTICES + 1))
    return beginning


def documents(folder: Path) -> list[Path]:
    """Two real documents; without them, the sample's in a wording of our own, since the sample itself is there already."""
    real = [
        SHARED / "documents/RFI_14_0004_IMDS_CDB_Modernization_Assessement_PWS_27Nov13.pdf",
        SHARED / "documents/RFA-TR-25-002.md",
    ]
    if all(path.exists() for path in real):
        return real
    copies = [folder / "our-capability-profile.md", folder / "our-past-performance.md"]
    for copy in copies:
        sample = SAMPLE / "training/sample" / copy.name.removeprefix("our-")
        copy.write_text(f"{sample.read_text()}\nRevised this year.\n")
    return copies


def test_from_a_notice_to_a_cited_draft(page: Page, tmp_path: Path) -> None:
    SignInPage(page).open().sign_in(EMAIL, PASSWORD)
    page.wait_for_url("**/dashboard/train")
    ready(page)
    shell = Shell(page)

    shell.go_to("Opportunities")
    opportunities = OpportunitiesPage(page).open_contracts()
    summary = opportunities.import_file(notices(tmp_path))
    expect(summary).to_contain_text("new")

    opportunities.categorise()

    shell.go_to("Train")
    train = TrainPage(page)
    train.add(documents(tmp_path))
    train.train()
    train.ask("What is required?")
    expect(page.get_by_role("link", name="Show in the document").first).to_be_visible()

    shell.go_to("Embedding History")
    expect(page.get_by_role("main").get_by_text("Done").first).to_be_visible()

    shell.go_to("Opportunities")
    opportunities.open_contracts().search("maintenance")
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
    page.get_by_role("button", name="Show passage 1", exact=True).click()
    expect(page.get_by_role("region", name="Passage 1", exact=True).locator("mark").first).to_be_visible()

    page.reload()
    ready(page)
    expect(page.get_by_role("main").get_by_text("Finished", exact=True)).to_be_visible()

    page.goto("/dashboard/train")
    ready(page)
    shell.sign_out()
