"""What is shown before scripts run stays where it is."""

from __future__ import annotations

from playwright.sync_api import Page

from e2e.journeys.screens.conftest import Visiting
from e2e.pages.ready import ready

_BOXES = """names => names.map(name => {
  const shown = [...document.querySelectorAll("main button")].find(button => button.innerText.trim() === name);
  const { x, y, width, height } = shown.getBoundingClientRect();
  return [name, x, y, width, height].map(each => typeof each === "number" ? Math.round(each) : each);
})"""


def test_the_buttons_that_add_documents_do_not_move(visiting: Visiting, token: str) -> None:
    def boxes(page: Page) -> object:
        return page.evaluate(_BOXES, ["Choose files", "Paste text"])

    painted = visiting(token, java_script_enabled=False, viewport={"width": 1440, "height": 900}).new_page()
    painted.goto("/dashboard/train")
    live = visiting(token, viewport={"width": 1440, "height": 900}).new_page()
    live.goto("/dashboard/train")
    ready(live)
    assert boxes(painted) == boxes(live)
