"""Browsers that go from screen to screen: scripts are fetched and compiled once, as for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from e2e.conftest import listening, recognise

Prepare = Callable[[BrowserContext], None]
Visiting = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def _browsers(browser: Browser, base_url: str) -> Iterator[Visiting]:
    kept: dict[str, BrowserContext] = {}

    def of(token: str, prepare: Prepare | None, options: dict[str, Any]) -> BrowserContext:
        key = json.dumps([token, options], sort_keys=True)
        if key not in kept:
            kept[key] = browser.new_context(base_url=base_url, **options)
            if token:
                recognise(kept[key], token)
            if prepare:
                prepare(kept[key])
        return kept[key]

    yield of
    for context in kept.values():
        context.close()


@pytest.fixture
def visiting(_browsers: Visiting, complaints: list[str]) -> Iterator[Visiting]:
    """`visiting(token, prepare, **options)`: the browser with these options that whoever has the token is signed in with.

    Without a token it is nobody's. `prepare` is called when it is opened, `options` are those of `browser.new_context`.
    Its pages are closed at the end of the journey.
    """
    with ExitStack() as heard:

        def visit(token: str = "", prepare: Prepare | None = None, **options: Any) -> BrowserContext:
            context = heard.enter_context(listening(_browsers(token, prepare, options), complaints))
            heard.callback(lambda: [page.close() for page in context.pages])
            return context

        yield visit
