"""Browsers that visit one screen after the other, so that scripts are fetched and compiled once, as for people."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from e2e.application import PROJECT, Application, started
from e2e.conftest import listening, recognize
from e2e.pages.screens import ADDRESSES
from fundwright.core.postgres import EmbeddedPostgres
from fundwright_ui import plugin
from fundwright_ui.extension import Screen
from tests.support.databases import environment_of


def addresses_of(screen: Screen) -> list[str]:
    """The addresses in e2e/pages/screens.py that belong to this screen."""
    pattern = re.sub(r"\{\w+\}", "[^/]+", screen.path)
    of_others = {each.path for each in plugin.screens()} - {screen.path}
    paths = {each: each.partition("?")[0] for each in ADDRESSES}
    return [each for each, path in paths.items() if re.fullmatch(pattern, path) and path not in of_others]


Visiting = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def _browsers(browser: Browser) -> Iterator[Visiting]:
    kept: dict[str, BrowserContext] = {}

    def of(token: str, options: dict[str, Any]) -> BrowserContext:
        key = json.dumps([token, options], sort_keys=True)
        if key not in kept:
            kept[key] = browser.new_context(**options)
            if token:
                recognize(kept[key], token)
        return kept[key]

    yield of
    for context in kept.values():
        context.close()


@pytest.fixture
def visiting(_browsers: Visiting, base_url: str, complaints: list[str]) -> Iterator[Visiting]:
    """`visiting(token, **options)`: a browser with these options in which the owner of the token is signed in.

    Without a token, nobody is signed in. `options` are those of `browser.new_context`. Its pages are closed at the end of the
    journey.
    """
    with ExitStack() as heard:

        def visit(token: str = "", **options: Any) -> BrowserContext:
            context = heard.enter_context(listening(_browsers(token, {"base_url": base_url, **options}), complaints))
            heard.callback(lambda: [page.close() for page in context.pages])
            return context

        yield visit


@pytest.fixture(scope="module")
def development_url(application: Application, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a second server of the same installation, with React's development build. That build reports hydration
    mismatches on the console, which fails the journey."""
    folder = tmp_path_factory.mktemp("development")
    subprocess.run(
        ["npx", "vite", "build", "--mode", "development", "--minify", "false", "--outDir", folder],
        cwd=PROJECT, env=os.environ | {"NODE_ENV": "development"}, check=True, capture_output=True,
    )  # fmt: skip
    with EmbeddedPostgres(application.data).use() as database:
        environment = {**environment_of(database), "FUNDWRIGHT_WEB_DIST": str(folder)}
        with started(application.data, "--no-worker", environment=environment) as served:
            yield served.url
