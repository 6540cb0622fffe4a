"""A text that is too long for the socket is refused in a sentence and stays in its field, and the page goes on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, WebSocket, expect

from e2e.pages.ready import ready

FIVE_MEGABYTES = "pier harbour " * 400_000
KEPT = "document.querySelector('textarea').value.length"


@pytest.mark.pain(19)
def test_five_megabytes_pasted_into_a_form(signed_in: Page) -> None:
    ready(signed_in)
    opened: list[WebSocket] = []
    signed_in.on("websocket", lambda websocket: opened.append(websocket))
    add, text = signed_in.get_by_role("button", name="Add text"), signed_in.get_by_role("textbox", name="Text")
    signed_in.get_by_role("textbox", name="Title").fill("Piers")
    text.focus()
    signed_in.keyboard.insert_text(FIVE_MEGABYTES)
    add.click()
    expect(signed_in.get_by_text("That was too much to send at once. Upload long content as a file.")).to_be_visible()
    ready(signed_in)
    assert signed_in.evaluate(KEPT) == len(FIVE_MEGABYTES)
    text.fill("Harbour works.")
    add.click()
    expect(signed_in.get_by_text("The text was added.")).to_be_visible()
    assert opened == []
