"""Waiting without sleeping."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

_LOOK = """() => new Promise((done, fail) => {
  const looking = setInterval(() => (CONDITION) && done(clearInterval(looking)), 20);
  setTimeout(() => fail(new Error(`Still not so: CONDITION`)), 15_000);
})"""

_MAX_SCROLLS = 200


def ready(page: Page) -> Page:
    """Wait until the page is hydrated, connected, and has no unanswered event."""
    page.wait_for_selector("html[data-ready]", state="attached")
    return page


def until(page: Page, condition: str) -> None:
    """Wait until `condition`, a JavaScript expression, is true in the current document. Times out after 15 s.

    Playwright's own `wait_for_function` uses `eval`, which the content security policy forbids.
    """
    page.evaluate(_LOOK.replace("CONDITION", condition))


def scroll_to(page: Page, wanted: Locator) -> Locator:
    """Scroll down a page that renders only the visible part until `wanted` appears."""
    for _ in range(_MAX_SCROLLS):
        if wanted.count():
            break
        page.evaluate(
            "scrollBy(0, innerHeight / 2); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
    return wanted
