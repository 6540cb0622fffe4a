"""A change on a page affects nothing else: scroll position, focus, selection, the rest of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from e2e.application import Application
from e2e.pages.laboratory import MovingPage
from e2e.pages.network import slow_down
from e2e.pages.ready import ready

POSITION = "() => scrollY"
SAME = "(link) => { link.dataset.mark = 'same'; }"
WATCH = """() => {
  window.removed = [];
  new MutationObserver((changes) => {
    for (const change of changes)
      for (const node of change.removedNodes) window.removed.push(node.textContent);
  }).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.pain(16)
def test_scroll_focus_and_selection_stay_while_the_page_changes(moving: MovingPage) -> None:
    page = moving.open().page
    moving.note.fill("half a sentence")
    link = moving.link(150)
    link.focus()
    link.evaluate(SAME)
    page.evaluate("() => scrollTo(0, 1200)")
    page.evaluate(WATCH)
    before = page.evaluate(POSITION)
    for button in (moving.press, moving.grow):
        button.evaluate("(button) => button.click()")  # without the scrolling and focusing of a real click
        ready(page)
    expect(moving.pressed).to_have_text("pressed 1")
    expect(moving.link(-1)).to_be_attached()
    expect(link).to_be_focused()
    expect(link).to_have_attribute("data-mark", "same")
    expect(moving.note).to_have_value("half a sentence")
    assert page.evaluate("window.removed") == []
    # The browser keeps the content in place although a row was added above it.
    grown = page.evaluate(POSITION) - before
    assert 0 <= grown <= moving.link(-1).evaluate("(link) => link.closest('li').getBoundingClientRect().height") + 1


@pytest.mark.pain(7)
def test_ten_rapid_clicks_while_the_page_changes(moving: MovingPage) -> None:
    slow_down(moving.page, latency_ms=300)
    moving.open()
    for _ in range(10):
        moving.press.click()
    ready(moving.page)
    expect(moving.pressed).to_have_text("pressed 10")


@pytest.mark.pain(9)
def test_a_handler_that_blocks_everyone_is_named_in_the_log(moving: MovingPage, laboratory: Application) -> None:
    page = moving.open().page
    moving.hog.click()
    ready(page)
    named = [
        line for line in (laboratory.data / "server.log").read_text().splitlines() if "loop.blocked" in line and "_hog" in line
    ]
    assert len(named) == 1, named


class TestProblem:
    def test_of_a_component_stays_in_its_place_and_a_retry_mends_it_alone(self, moving: MovingPage) -> None:
        loads: list[str] = []
        page = moving.open().page
        moving.note.fill("half a sentence")
        page.on("load", lambda page: loads.append(page.url))
        moving.break_it()
        expect(moving.problem).to_contain_text("Error ID")
        expect(moving.problem).not_to_contain_text("secret")
        first = moving.problem.locator("code").inner_text()
        moving.press.click()
        ready(page)
        expect(moving.pressed).to_have_text("pressed 1")
        moving.retry.click()
        ready(page)
        expect(moving.problem).to_have_count(0)
        expect(moving.fragile).to_have_text("mended")
        expect(moving.note).to_have_value("half a sentence")
        assert len(first) == 8 and loads == []

    def test_of_a_widget_stays_in_its_place_with_an_id_that_the_log_has(
        self, moving: MovingPage, laboratory: Application, complaints: list[str]
    ) -> None:
        code = """
          const CopyButton = () => { if (!window.isMended) throw new Error('a flaw'); return 'mended'; };
          const module = { CopyButton };
          export { module as n, CopyButton as t };  // the bundler's names
        """
        page = moving.page
        page.route("**/assets/CopyButton-*.js", lambda route: route.fulfill(content_type="text/javascript", body=code))
        moving.open()
        error_id = moving.problem.locator("code").inner_text()
        moving.press.click()
        ready(page)
        expect(moving.pressed).to_have_text("pressed 1")
        assert error_id in (laboratory.data / "server.log").read_text()
        page.evaluate("window.isMended = true")
        moving.retry.click()
        expect(moving.problem).to_have_count(0)
        expect(page.get_by_text("mended")).to_be_visible()
        assert complaints
        assert {"a flaw" in complaint for complaint in complaints} == {True}
        complaints.clear()
