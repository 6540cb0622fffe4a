"""Working on a draft: typed text is saved automatically and never lost, versions can be restored, sections can be moved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext, recognize
from e2e.pages.polling import eventually
from e2e.pages.ready import ready, until
from e2e.pages.screens import requests_of
from e2e.pages.shell import Shell

HEADERS = {"X-Requested-With": "fundwright"}
TABLE = """\
| Project | Customer | Contract | Value | Period | Rating |
| --- | --- | --- | --- | --- | --- |
| Depot Maintenance Data Modernization | Software Engineering Group | 70Z08021FPBN12300 | $2,960,500 | 10/01/2019 – 09/30/2024 | Satisfactory |
"""
HIDDEN_WIDTH = "table => table.scrollWidth - table.clientWidth"
SPACE_BETWEEN = """group => {
  const boxOf = (node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect()
  }
  const [count, label] = [...group.children].map((child) => boxOf(child.lastChild))
  return Math.max(label.left - count.right, count.left - label.right)
}"""


class DraftPage:
    """A draft with at least three sections of known texts, whose first versions were generated."""

    def __init__(self, page: Page, draft: dict[str, object]) -> None:
        self.page = page
        self.id = draft["id"]
        self.path = f"/generate/slug/{draft['slug']}"

    def open(self) -> DraftPage:
        self.page.goto(self.path)
        ready(self.page)
        return self

    def sections(self) -> list[dict[str, str]]:
        return self.page.request.get(f"/api/drafts/{self.id}").json()["sections"]

    def saved(self, text: str) -> bool:
        return any(text in section["text"] for section in self.sections())

    def edit(self, heading: str) -> Locator:
        self.page.get_by_role("button", name=f"Edit {heading}").click()
        ready(self.page)  # the address, too, so that a reload edits the same section
        expect(self.text).to_be_visible()
        return self.text

    def act(self, heading: str, action: str) -> Locator:
        """Open the menu of a section and return one of its entries."""
        self.page.get_by_role("button", name=f"More actions for {heading}", exact=True).press("Enter")
        return self.page.get_by_role("button", name=action)

    @property
    def text(self) -> Locator:
        return self.page.get_by_role("textbox", name="Text", exact=True)

    def headings(self) -> list[str]:
        return [section["heading"] for section in self.sections()]


@pytest.fixture(scope="module")
def token(application: Application, browser: Browser) -> Iterator[str]:
    """The token of a person who has the sample's documents, independent of what other journeys do with Ada's."""
    email = "edith@example.org"
    application.add_person(email, PASSWORD, name="Edith Example", has_sample=True)
    context = browser.new_context(base_url=application.url)
    token = context.request.post("/signin", data={"email": email, "password": PASSWORD}).json()["token"]
    with requests_of(browser, application.url, token) as requests:
        documents = "/api/training/documents"
        eventually(
            lambda: {each["state"] for each in requests.get(documents).json()["items"]} == {"trained"} or None, within_s=60
        )
        yield token
    context.close()


@pytest.fixture(scope="module")
def written(application: Application, browser: Browser, token: str) -> dict[str, object]:
    """A draft of generated text, which the journeys share."""
    with requests_of(browser, application.url, token) as requests:
        notice = requests.get("/api/opportunities?kind=contract").json()["items"][0]["id"]
        made = requests.post("/api/drafts", data={"opportunity_id": notice, "template": "capability-statement"}).json()
        eventually(lambda: (requests.get(f"/api/drafts/{made['id']}").json()["state"] == "finished") or None, within_s=60)
    return made


@pytest.fixture
def draft(recognized: Page, written: dict[str, object]) -> DraftPage:
    request, address = recognized.request, f"/api/drafts/{written['id']}"
    for place, section in enumerate(request.get(address).json()["sections"]):
        wanted = {"heading": f"Part {place + 1}", "text": f"Words of part {place + 1}.", "based_on": section["revision"]}
        assert request.put(f"{address}/sections/{section['id']}", data=wanted, headers=HEADERS).ok
    return DraftPage(recognized, written).open()


def test_typed_text_saves_itself_and_outlives_a_reload_in_the_middle(draft: DraftPage) -> None:
    draft.edit("Part 1").press_sequentially("Typed and ")
    draft.page.reload()
    ready(draft.page)
    expect(draft.text).to_contain_text("Typed and Words of part 1.")
    expect(draft.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert draft.saved("Typed and Words of part 1.")
    draft.page.get_by_role("button", name="Done", exact=True).click()
    expect(draft.text).to_have_count(0)
    expect(draft.page.get_by_role("region", name="Part 1")).to_contain_text("Typed and Words of part 1.")


def test_formatted_text_is_saved_as_markdown(draft: DraftPage) -> None:
    draft.edit("Part 1").press("ControlOrMeta+a")
    draft.page.keyboard.type("- one")
    draft.page.keyboard.press("Enter")
    draft.page.keyboard.press("ControlOrMeta+b")
    tools = draft.page.get_by_role("toolbar").locator("> *").all()
    assert len({tool.evaluate("tool => tool.getBoundingClientRect().bottom") for tool in tools}) == 1, (
        "The tools are on one line."
    )
    draft.page.keyboard.type("two")
    draft.page.keyboard.press("ControlOrMeta+s")
    eventually(lambda: draft.saved("- one\n- **two**") or None)


def test_what_is_typed_offline_is_saved_later(draft: DraftPage, complaints: list[str]) -> None:
    draft.edit("Part 1")
    draft.page.context.set_offline(True)
    draft.text.press_sequentially("On the train. ")
    expect(draft.page.get_by_role("alert").filter(has_text="Not saved:")).to_be_visible()
    draft.page.context.set_offline(False)
    expect(draft.page.get_by_text("Saved", exact=True)).to_be_visible(timeout=15_000)
    assert draft.saved("On the train. Words of part 1.")
    complaints[:] = [each for each in complaints if "ERR_INTERNET_DISCONNECTED" not in each]


def test_what_could_not_be_saved_is_named_and_saved_later_although_the_editor_is_closed(
    draft: DraftPage, complaints: list[str]
) -> None:
    draft.page.route("**/api/drafts/**", lambda route: route.abort())
    draft.edit("Part 1").press_sequentially("Stuck. ")
    draft.page.get_by_role("button", name="Edit Part 2").click()
    expect(draft.page.get_by_text("Your text in “Part 1” has not been saved.")).to_be_visible()
    draft.page.get_by_role("button", name="Continue editing").click()
    expect(draft.text).to_contain_text("Stuck. Words of part 1.")
    draft.page.get_by_role("button", name="Edit Part 2").click()
    draft.page.unroute_all()
    eventually(lambda: draft.saved("Stuck. Words of part 1.") or None, within_s=30)
    complaints.clear()  # the browser reports each failed request


@pytest.mark.slow
def test_a_section_that_is_deleted_elsewhere_leaves_the_typed_text(draft: DraftPage, complaints: list[str]) -> None:
    draft.page.route("**/api/drafts/**", lambda route: route.abort())
    draft.edit("Part 1").press_sequentially("Orphaned. ")
    address = f"/api/drafts/{draft.id}/sections/{draft.sections()[0]['id']}"
    assert draft.page.request.delete(address, headers=HEADERS).ok
    draft.page.unroute_all()
    expect(draft.page.get_by_text("The section “Part 1” was deleted before")).to_be_visible(timeout=15_000)
    draft.page.get_by_role("button", name="Discard").click()
    expect(draft.page.get_by_text("was deleted before")).to_have_count(0)
    complaints.clear()


@pytest.mark.slow
def test_of_two_tabs_none_overwrites_the_other_unseen(draft: DraftPage, complaints: list[str]) -> None:
    other = DraftPage(draft.page.context.new_page(), {"id": draft.id, "slug": draft.path.rpartition("/")[2]}).open()
    draft.edit("Part 1")
    other.page.route("**/api/drafts/**", lambda route: route.abort())
    other.edit("Part 1").press_sequentially("Second tab. ")
    draft.text.press_sequentially("First tab. ")
    eventually(lambda: draft.saved("First tab.") or None)
    other.page.unroute_all()
    conflict = other.page.get_by_role("alert").filter(has_text="You changed this section elsewhere")
    expect(conflict.get_by_role("insertion")).to_contain_text("Second")
    assert not draft.saved("Second tab.")
    conflict.get_by_role("button", name="Keep my text").click()
    eventually(lambda: draft.saved("Second tab.") or None)
    expect(draft.text).to_contain_text("Second tab.")  # the first tab had no unsaved text
    complaints.clear()  # the browser reports each refused request


def test_a_version_is_compared_and_restored_and_that_is_undone(draft: DraftPage) -> None:
    page, before = draft.page, draft.sections()[0]["text"]
    draft.act("Part 1", "Versions of Part 1").click()
    page.get_by_role("button", name="Show changes since version 1", exact=True).click()
    expect(page.get_by_role("group", name="Changes").get_by_role("insertion").first).to_contain_text("Words")
    page.get_by_role("button", name="Restore version 1", exact=True).click()
    expect(page.get_by_text("Version 1 was restored.")).to_be_visible()
    assert draft.sections()[0]["text"] != before
    page.get_by_role("button", name="Undo").click()
    eventually(lambda: (draft.sections()[0]["text"] == before) or None)


@pytest.mark.slow
def test_a_section_is_written_again_and_the_text_before_stays_a_version(draft: DraftPage) -> None:
    page = draft.page
    draft.act("Part 1", "Regenerate Part 1").click()
    page.get_by_label("Instructions").fill("air quality")
    page.get_by_role("button", name="Regenerate", exact=True).click()
    eventually(lambda: (draft.sections()[0]["rewriting"] in ("replaced", "nothing_found")) or None)
    versions = page.request.get(f"/api/drafts/{draft.id}/sections/{draft.sections()[0]['id']}/versions").json()
    assert any(version["text"] == "Words of part 1." for version in versions["items"])


def test_sections_are_moved_added_and_deleted_with_the_keyboard(draft: DraftPage) -> None:
    page, first = draft.page, draft.headings()
    draft.act("Part 1", "Move Part 1 down").press("Enter")
    eventually(lambda: (draft.headings()[:2] == [first[1], first[0]]) or None)
    expect(page.get_by_role("button", name="More actions for Part 1")).to_be_focused()
    page.get_by_role("button", name="Add a section").press("Enter")
    page.get_by_label("Heading").fill("Prices")
    page.get_by_label("Heading").press("Enter")
    expect(page.get_by_role("heading", name="Prices")).to_be_visible()
    draft.act("Prices", "Delete Prices").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_role("heading", name="Prices")).to_have_count(0)

    title = page.get_by_role("heading", level=1).inner_text()
    page.get_by_role("button", name="More actions", exact=True).press("Enter")
    page.get_by_role("button", name="Move to trash").press("Enter")
    page.wait_for_url("**/generate/index")
    Shell(page).go_to("Category")
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_text("Undone.")).to_be_visible()
    Shell(page).go_to("Generate")
    expect(page.get_by_role("link", name=title)).to_be_visible()


def test_a_table_of_six_columns_fits_and_shows_on_a_phone_that_it_scrolls(draft: DraftPage, new_context: NewContext) -> None:
    section = draft.sections()[0]
    wanted = {"heading": "Part 1", "text": TABLE, "based_on": section["revision"]}
    request = draft.page.request
    assert request.put(f"/api/drafts/{draft.id}/sections/{section['id']}", data=wanted, headers=HEADERS).ok
    link = request.post(f"/api/shares/drafts/{draft.id}", data={"recipient": "Grace"}, headers=HEADERS).json()["link"]
    draft.page.set_viewport_size({"width": 1440, "height": 900})
    draft.open()
    guest = new_context(viewport={"width": 1440, "height": 900}).new_page()
    guest.goto(link)
    for page in (draft.page, guest):
        table = page.get_by_role("table")
        assert table.evaluate(HIDDEN_WIDTH) == 0
        page.set_viewport_size({"width": 390, "height": 844})
        assert table.evaluate(HIDDEN_WIDTH) > 0
        until(page, "getComputedStyle(document.querySelector('table')).maskImage.includes('- 48px')")  # fades out


def test_the_filter_of_sentences_to_check_is_apart_from_their_count_in_both_directions(draft: DraftPage) -> None:
    page = draft.page
    for direction in ("ltr", "rtl"):
        page.evaluate("themeDirection => localStorage.setItem('settings', JSON.stringify({ themeDirection }))", direction)
        draft.open()
        expect(page.locator("html")).to_have_attribute("dir", direction)
        assert page.get_by_role("group", name="Checked sentences").evaluate(SPACE_BETWEEN) >= 12


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), pytest.param(1440, "dark", marks=pytest.mark.slow)])
def test_the_editor_has_no_barriers(draft: DraftPage, new_context: NewContext, token: str, width: int, scheme: str) -> None:
    context = recognize(new_context(viewport={"width": width, "height": 900}, color_scheme=scheme), token)
    page = DraftPage(context.new_page(), {"id": draft.id, "slug": draft.path.rpartition("/")[2]}).open()
    read = page.page.locator(".fw-sheet .fw-markdown").first.bounding_box()
    page.edit("Part 1")
    edited = page.text.bounding_box()
    assert read and edited and (edited["x"] + 15, edited["width"] - 30) == (read["x"], read["width"])  # the same lines
    page.act("Part 2", "Versions of Part 2").click()
    page.page.get_by_role("button", name="Show changes since version").first.click()
    _assert_no_barriers(page.page, width)
    page.act("Part 3", "Regenerate Part 3").click()
    expect(page.page.get_by_label("Instructions")).to_be_visible()
    _assert_no_barriers(page.page, width)


def _assert_no_barriers(page: Page, width: int) -> None:
    ready(page)
    violations = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in violations] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
