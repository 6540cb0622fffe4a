"""The API reference page works under the security policy of all pages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.pages.ready import scroll_to


@pytest.mark.slow
def test_the_reference_answers(recognized: Page) -> None:
    answer = recognized.goto("/api/docs")
    assert answer is not None
    assert "'unsafe" not in answer.headers["content-security-policy"]
    expect(recognized.get_by_role("heading", name="Fundwright")).to_be_visible()
    expect(recognized.get_by_role("heading", name=re.compile("^access"))).to_be_visible()
    scroll_to(recognized, recognized.get_by_role("button", name=re.compile(r"^get .*api\W+account\W+sessions$"))).click()
    recognized.get_by_role("button", name="Execute").click()
    expect(recognized.locator(".live-responses-table .response-col_status").filter(has_text="200")).to_be_visible()


@pytest.mark.slow
def test_the_reference_lists_every_part(recognized: Page) -> None:
    recognized.goto("/api/docs")
    expect(recognized.get_by_role("heading", name=re.compile("^access"))).to_be_visible()
    for part in ("categories", "drafts", "opportunities", "training"):  # scrolled to in order
        expect(scroll_to(recognized, recognized.get_by_role("heading", name=re.compile(f"^{part}")))).to_be_visible()
