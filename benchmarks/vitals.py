"""The list of opportunities with all notices in headless Chromium: Largest Contentful Paint and Interaction to Next Paint.

`python -m benchmarks.vitals`. Both are what the browser itself measures, as https://web.dev/vitals defines them. Every load has its
own browser context, so nothing is cached.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks._notices import EMAIL, PASSWORD, all_notices, sign_in
from e2e.application import launch_options, started
from e2e.pages.ready import ready

LIST = "/dashboard/sam?availability=any"
ROUNDS = 7
GOALS = {"largest contentful paint": 600, "interaction to next paint": 100}

OBSERVE = """
window.vitals = {paint: 0, interaction: 0};
new PerformanceObserver((list) => {
  for (const {startTime} of list.getEntries()) window.vitals.paint = startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver((list) => {
  for (const {interactionId, duration} of list.getEntries()) {
    if (interactionId > 0) window.vitals.interaction = Math.max(window.vitals.interaction, duration);
  }
}).observe({type: "event", buffered: true, durationThreshold: 16});
"""


def search(page: Page) -> None:
    page.get_by_role("searchbox").press_sequentially("water quality", delay=40)
    page.keyboard.press("Enter")


INTERACTIONS: tuple[Callable[[Page], object], ...] = (
    lambda page: page.get_by_role("button", name="Next page", exact=True).click(),
    lambda page: page.locator("th button").filter(has_text="Agency").click(),
    lambda page: page.get_by_role("button", name="More filters", exact=True).click(),
    lambda page: page.get_by_role("group", name="Type", exact=True).get_by_role("checkbox").first.check(),
    lambda page: page.keyboard.press("Escape"),
    lambda page: page.get_by_role("button", name="Columns and rows", exact=True).click(),
    lambda page: page.get_by_role("checkbox", name="Compact", exact=True).check(),
    search,
)


def main() -> None:
    with all_notices() as folder, sync_playwright() as playwright, started(folder) as application:
        application.add_person(EMAIL, PASSWORD)
        browser = playwright.chromium.launch(**launch_options())
        rounds = [measure(browser, application.url) for _ in range(ROUNDS + 1)][1:]
        browser.close()
    for name, values in zip(GOALS, zip(*rounds, strict=True), strict=True):
        worst, median = max(values), statistics.median(values)
        print(
            f"list, {name}: median {median:.0f} ms, worst {worst:.0f} ms (goal {GOALS[name]}, ratio {median / GOALS[name]:.2f})"
        )


def measure(browser: Browser, url: str) -> tuple[float, float]:
    """Return the largest contentful paint, and the longest interaction."""
    context = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900})
    sign_in(context)
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.goto(LIST)
    ready(page)
    paint: float = page.evaluate("window.vitals.paint")
    for interact in INTERACTIONS:
        interact(page)
        ready(page)
    page.wait_for_timeout(200)  # the browser reports an interaction after its frame
    interaction: float = page.evaluate("window.vitals.interaction")
    context.close()
    return paint, interaction


if __name__ == "__main__":
    main()
