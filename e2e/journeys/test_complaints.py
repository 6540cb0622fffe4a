"""The check for all journeys: any error that a browser reports fails them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from e2e.conftest import NewContext
from e2e.pages.ready import ready

FAULTS = {
    "an error": ("console.error('one')", "one"),
    "a warning": ("console.warn('two')", "two"),
    "an exception": ("setTimeout(() => { throw new Error('three') })", "three"),
    "an inline style": ("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')", "style-src"),
    "an inline script": ("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))", "script-src"),
    "eval": ("setTimeout('1')", "unsafe-eval"),
    "another site": ("new Image().src = 'https://fundwright.test/x.png'", "img-src"),
}


@pytest.mark.security(35)
@pytest.mark.parametrize("where", ["this tab", "another tab", "another browser"])
def test_every_browser_error_is_reported(
    page: Page, new_context: NewContext, complaints: list[str], subtests: pytest.Subtests, where: str
) -> None:
    pages = {
        "this tab": lambda: page,
        "another tab": page.context.new_page,
        "another browser": lambda: new_context().new_page(),
    }
    at_fault = pages[where]()
    at_fault.goto("/auth/login")
    ready(at_fault)
    assert complaints == []
    for fault, (script, word) in FAULTS.items():
        with subtests.test(fault):
            with at_fault.context.expect_event("weberror" if fault == "an exception" else "console"):
                at_fault.evaluate(f"() => {{ {script} }}")
            assert {word in complaint for complaint in complaints} == {True}
        complaints.clear()
