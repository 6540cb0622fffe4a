"""Slow and failing queries do not discard typed text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application, free_port, started
from e2e.pages.laboratory import SlowPage
from e2e.pages.ready import ready

DELAYS_S = (0.5, *(pytest.param(delay_s, marks=pytest.mark.slow) for delay_s in (1.2, 3)))


@pytest.fixture
def slow(page: Page, laboratory: Application) -> SlowPage:
    return SlowPage(page, laboratory.url)


@pytest.mark.parametrize("delay_s", DELAYS_S)
def test_a_page_that_is_loaded_again(slow: SlowPage, delay_s: float) -> None:
    slow.go(delay_s)
    slow.watch()
    slow.text.press_sequentially("Typed before the server answers")
    slow.save.click()
    ready(slow.page)
    slow.expect_kept("Typed before the server answers")
    expect(slow.saved).to_have_text("saved [Typed before the server answers]")


@pytest.mark.parametrize("delay_s", DELAYS_S)
@pytest.mark.slow
def test_a_server_that_starts_again(page: Page, tmp_path: Path, environment: Mapping[str, str], delay_s: float) -> None:
    port = free_port()
    with started(tmp_path, "--no-worker", port=port, environment=environment) as application:
        slow = SlowPage(page, application.url)
        slow.go(delay_s)
        ready(page)
        slow.watch()
        slow.text.press_sequentially("Half of what")
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    with started(tmp_path, "--no-worker", port=port, environment=environment):
        slow.text.press_sequentially(" is to be said")
        ready(page)
        slow.expect_kept("Half of what is to be said")
        slow.save.click()
        expect(slow.saved).to_have_text("saved [Half of what is to be said]")


def test_a_reload_that_fails(slow: SlowPage) -> None:
    slow.go(0)
    ready(slow.page)
    slow.watch()
    slow.text.press_sequentially("Half of what")
    slow.break_it.click()
    expect(slow.banner).to_contain_text("This page may be out of date.")
    slow.text.press_sequentially(" is to be said")
    slow.mend.click()
    slow.banner.get_by_role("button", name="Try again").click()
    expect(slow.banner).to_be_empty()
    slow.expect_kept("Half of what is to be said")


def test_a_page_that_is_loaded_again_while_queries_fail(slow: SlowPage) -> None:
    slow.go(0)
    ready(slow.page)
    other = SlowPage(slow.page.context.new_page(), slow.url)
    other.go(1.2)
    other.watch()
    slow.break_it.click()
    other.text.press_sequentially("Half of what")
    notice = other.page.get_by_text("This page may be out of date")
    expect(notice).to_be_visible()
    slow.mend.click()
    expect(notice).to_be_hidden()
    ready(other.page)
    other.expect_kept("Half of what")
