"""A person opens a cited PDF document, turns its pages with keys, enlarges them, searches, and sees hidden text."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from e2e.pages.keyboard import Keyboard
from e2e.pages.ready import ready
from e2e.pages.train import TrainPage
from tests.support.pdf_files import written_pdf

FERRY = "The harbor ferry Wendeltrud carries forty passengers across the bay every hour of the day in summer."
PDF = written_pdf(
    [b"(We build boats for every harbor of the coast.)"],
    [
        f"({FERRY})".encode(),
        b"1 1 1 rg (Confidential note about the shipyard.)",
        b"0 0 0 rg (Boats are repaired in the winter, too.)",
    ],
    [b"(A boat lasts for thirty years.)"],
)


def test_a_cited_document_is_read(signed_in: Page, tmp_path: Path) -> None:
    page = signed_in
    file = tmp_path / "ferry.pdf"
    file.write_bytes(PDF)
    train = TrainPage(page)
    train.add([file])
    train.wait_until_processed()
    train.ask("How many passengers does Wendeltrud carry?")
    page.get_by_role("link", name="Show in the document").first.click()
    page.wait_for_url(re.compile(r"/dashboard/train/[0-9a-f-]{36}\?passage="))
    ready(page)
    place = page.get_by_role("group", name="Pages").locator("p")
    expect(place).to_have_text("Page 2 of 3")  # where the answer is, although the passage begins before
    picture = page.get_by_role("img", name="Picture of page 2")
    expect(picture).to_be_visible()
    assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 1200

    page.keyboard.press("n")
    expect(place).to_have_text("Page 3 of 3")
    page.keyboard.press("p")
    expect(place).to_have_text("Page 2 of 3")
    words = page.get_by_role("group", name="Text of page 2")
    expect(words.get_by_text(FERRY)).to_be_attached()
    cited = page.locator("rect.fw-page-cited")
    expect(cited.first).to_be_visible()
    line, mark = words.get_by_text(FERRY).bounding_box(), cited.first.bounding_box()
    assert line is not None and mark is not None
    assert abs(line["x"] - mark["x"]) < 4 and abs(line["width"] - mark["width"]) < 8 and abs(line["y"] - mark["y"]) < 12
    words.get_by_text(FERRY).select_text()
    assert FERRY in page.evaluate("getSelection().toString()")

    before = page.get_by_role("img", name="Picture of page 2").bounding_box()
    page.get_by_label("Zoom").select_option("150")
    page.wait_for_url(re.compile("zoom=150"))
    ready(page)
    after = page.get_by_role("img", name="Picture of page 2").bounding_box()
    assert before is not None and after is not None
    assert abs(after["width"] - 1.5 * before["width"]) < 4
    page.go_back()
    expect(page.get_by_label("Zoom")).to_have_value("100")

    page.get_by_role("searchbox", name="Search in this document").fill("boat")
    page.keyboard.press("Enter")
    hit = page.get_by_role("search").last.locator("p")
    expect(hit).to_have_text("Match 1 of 3")
    expect(page.locator("rect.fw-page-current")).to_have_count(1)
    page.get_by_role("link", name="Next match").click()
    expect(hit).to_have_text("Match 2 of 3")
    expect(place).to_have_text("Page 2 of 3")
    ready(page).reload()
    expect(hit).to_have_text("Match 2 of 3")

    page.get_by_role("link", name="Text", exact=True).click()
    expect(page.get_by_role("main").locator("mark[aria-current]")).to_have_text("Boats")
    expect(page.get_by_text("Confidential note")).to_have_count(0)
    page.get_by_role("checkbox", name="Show hidden text").check()
    expect(page.get_by_text("Hidden: Confidential note about the shipyard.")).to_be_visible()
    page.get_by_role("spinbutton", name="Page", exact=True).fill("3")
    page.keyboard.press("Enter")
    expect(place).to_have_text("Page 3 of 3")
    expect(page.get_by_text("A boat lasts for thirty years.")).to_be_visible()


def test_cancel_returns_the_focus_to_the_button_that_opened_the_form(signed_in: Page, tmp_path: Path) -> None:
    page, keys = signed_in, Keyboard(signed_in)
    file = tmp_path / "pier of its own.pdf"
    file.write_bytes(PDF + b"\n% one of its own\n")  # the same content is refused
    TrainPage(page).add([file])
    page.get_by_role("row").filter(has_text="pier of its own").click()
    ready(page)
    rename = page.get_by_role("button", name="Rename…")
    rename.focus()
    for key in ("Enter", " "):
        keys.press(key)
        expect(page.get_by_role("textbox", name="New title")).to_be_focused()
        keys.tab_to(page.get_by_role("button", name="Cancel", exact=True)).press(key)
        expect(rename).to_be_focused()
