"""A text that is too long for the socket is refused with a message and stays in its field, and the page continues."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, WebSocket, expect

from e2e.pages.ready import ready
from e2e.pages.train import TrainPage

MEGABYTE = "pier harbor " * 90_000
# As one edit: with the keyboard of the test, a browser takes ten seconds.
PASTE = """(field, text) => {
  field.setRangeText(text);
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}"""
KEPT = "document.querySelector('textarea').value.length"


@pytest.mark.pain(19)
@pytest.mark.parametrize("megabytes", [5, 17])  # the second is more than the socket accepts
@pytest.mark.slow
def test_megabytes_pasted_into_a_form(signed_in: Page, megabytes: int) -> None:
    pasted = MEGABYTE * megabytes
    TrainPage(signed_in).open_text()
    opened: list[WebSocket] = []
    signed_in.on("websocket", lambda websocket: opened.append(websocket))
    add, text = signed_in.get_by_role("button", name="Add text"), signed_in.get_by_role("textbox", name="Text")
    signed_in.get_by_role("textbox", name="Title").fill("Piers")
    text.evaluate(PASTE, pasted)
    add.click()
    expect(signed_in.get_by_text("That was too much to send at once. Upload long content as a file.")).to_be_visible()
    ready(signed_in)
    assert signed_in.evaluate(KEPT) == len(pasted)
    text.fill(f"Harbor works, {megabytes} MB.")
    add.click()
    expect(signed_in.get_by_text("The text was added and is being processed.")).to_be_visible()
    assert opened == []
