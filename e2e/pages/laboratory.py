"""The screens of e2e/laboratory.py."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from e2e.pages.ready import ready


class TypingPage:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = f"{url}/laboratory/typing"
        self.plain = page.get_by_label("Plain")
        self.code = page.get_by_label("Code")
        self.name = page.get_by_label("Name")
        self.text = page.get_by_label("Text")
        self.heard = page.get_by_role("main").get_by_role("status")
        """The values that the server has received: plain, code, and name in brackets."""

    def open(self) -> TypingPage:
        self.page.goto(self.url)
        ready(self.page)
        return self

    def compose(self, *stages: str) -> None:
        """Type with an input method that shows each of the `stages` and commits the last one."""
        session = self.page.context.new_cdp_session(self.page)
        for stage in stages:
            session.send("Input.imeSetComposition", {"text": stage, "selectionStart": len(stage), "selectionEnd": len(stage)})
        session.send("Input.insertText", {"text": stages[-1]})
        session.detach()


class MovingPage:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = f"{url}/laboratory/moving"
        self.press = page.get_by_role("button", name="Press")
        self.doze = page.get_by_role("button", name="Doze")
        """Takes four seconds."""
        self.queue_up = page.get_by_role("button", name="Queue up")
        """Counts as pressed, and blocks its own later clicks for four seconds, once."""
        self.hog = page.get_by_role("button", name="Hog")
        """Blocks the whole server for half a second."""
        self.grow = page.get_by_role("button", name="Grow")
        self.pressed = page.get_by_role("main").get_by_role("status").filter(has_text="pressed")
        self.note = page.get_by_label("Note")
        self.fragile = page.locator("#fragile")
        self.problem = page.get_by_role("alert").filter(has_text="could not be shown")
        self.retry = self.problem.get_by_role("button", name="Try again")

    def open(self) -> MovingPage:
        self.page.goto(self.url)
        ready(self.page)
        return self

    def break_it(self) -> None:
        self.page.get_by_role("button", name="Break").click()
        ready(self.page)

    def link(self, n: int) -> Locator:
        return self.page.get_by_role("link", name=f"Row {n}", exact=True)


_WATCH = """field => {
  window.field = field;
  window.loadings = 0;
  const look = () => document.querySelector(".fw-loading, .fw-problem") && (window.loadings += 1);
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


class SlowPage:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.text = page.get_by_label("Text")
        self.save = page.get_by_role("button", name="Save")
        self.saved = page.get_by_role("main").get_by_role("status").filter(has_text="saved")
        self.break_it = page.get_by_role("button", name="Break")
        """Makes the screen's query fail and reloads it."""
        self.mend = page.get_by_role("button", name="Mend")
        self.banner = page.locator(".fw-out-of-date")

    def go(self, delay_s: float) -> None:
        """Open the page. Its first paint takes no time; later responses of the server take `delay_s` seconds each."""
        self.page.goto(f"{self.url}/laboratory/slow?delay_s={delay_s}")

    def watch(self) -> None:
        """From now on, record whether the field and the screen stay."""
        self.text.evaluate(_WATCH)

    def expect_kept(self, text: str) -> None:
        """The watched field is still there and contains `text`, and it has not been replaced in the meantime."""
        expect(self.text).to_have_value(text)
        assert self.text.evaluate("field => [field === window.field, window.loadings]") == [True, 0]
