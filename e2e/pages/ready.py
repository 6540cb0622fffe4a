"""Waiting without sleeping."""

from __future__ import annotations

from playwright.sync_api import Page


def ready(page: Page) -> Page:
    """Wait until the page is hydrated, connected, and has no unanswered event."""
    page.wait_for_selector("html[data-ready]", state="attached")
    return page
