"""A guest comments on a shared draft."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext, sign_in

OWNER = "sharer@example.org"
WORDS = "Is the third paragraph about us?"


def call(page: Page, path: str, data: object = None) -> dict[str, Any]:
    answer = page.request.fetch(path, method="POST" if data else "GET", data=data, headers={"X-Requested-With": "fundwright"})
    assert answer.ok, answer.text()
    return answer.json()


@pytest.mark.slow
def test_what_a_guest_types_outlives_a_reload_until_it_is_sent(
    application: Application, page: Page, new_context: NewContext
) -> None:
    application.add_person(OWNER, PASSWORD, name="Ada Sharer")
    sign_in(page, OWNER)
    notice = call(page, "/api/opportunities?page_size=1")["items"][0]
    draft = call(page, "/api/drafts", {"opportunity_id": notice["id"], "template": "cover-letter"})
    link = call(page, f"/api/shares/drafts/{draft['id']}", {"recipient": "Grace", "allows_comments": True})
    guest = new_context().new_page()
    guest.goto(link["link"])
    name, text = guest.get_by_label("Your name"), guest.get_by_label("Your comment")
    name.fill("Grace")
    text.fill(WORDS)
    guest.reload()
    expect(name).to_have_value("Grace")
    expect(text).to_have_value(WORDS)
    guest.get_by_role("button", name="Add comment").click()
    expect(guest.get_by_label("Comments").get_by_text(WORDS)).to_be_visible()
    guest.reload()
    expect(name.first).to_have_value("Grace")
    expect(text.first).to_have_value("")
