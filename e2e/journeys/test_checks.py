"""Sentences that a person must look at are counted, marked, and listed, including those that a person typed."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from e2e.pages.polling import eventually
from e2e.pages.ready import ready
from e2e.pages.screens import Fixtures

HEADERS = {"X-Requested-With": "fundwright"}


def _violations(page: Page) -> list[str]:
    return [violation["id"] for violation in Axe().run(page).response["violations"]]


@pytest.mark.slow
def test_typed_sentences_are_checked(recognized: Page, fixtures: Fixtures) -> None:
    page = recognized
    asked = {"opportunity_id": fixtures.contract, "template": "capability-statement"}
    made = page.request.post("/api/drafts", data=asked, headers=HEADERS).json()
    address = f"/api/drafts/{made['id']}"

    def finished() -> dict[str, Any] | None:
        draft = page.request.get(address).json()
        return draft if draft["state"] == "finished" else None

    draft = eventually(finished, within_s=60)
    section = draft["sections"][0]
    cited = "".join(f"We flew 97 airships over Peru [{each['number']}]. " for each in draft["citations"][:1])
    wanted = {"heading": "Part 1", "text": f"{cited}We are glad to help.", "based_on": section["revision"]}
    assert page.request.put(f"{address}/sections/{section['id']}", data=wanted, headers=HEADERS).ok
    page.goto(f"/generate/slug/{made['slug']}")
    ready(page)
    expect(page.get_by_role("group", name="Checked sentences")).to_contain_text("without a source")
    expect(page.get_by_role("region", name="Part 1")).to_contain_text("We are glad to help. (No source)")
    assert _violations(page) == []
    page.get_by_role("button", name="Show only sentences to check").click()
    page.wait_for_url("**claims=open")
    found = page.get_by_role("list", name="Sentences to check in Part 1")
    expect(found).to_contain_text("This sentence has no citation.")
    assert _violations(page) == []
    if cited:
        found.get_by_role("button", name="Compare with").click()
        passage = page.get_by_role("region", name="Passage")
        expect(passage).to_be_visible()
        expect(passage.locator("mark")).to_have_count(0)
