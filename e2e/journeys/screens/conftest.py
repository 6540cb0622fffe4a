"""Browsers that go from screen to screen: scripts are fetched and compiled once, as for people."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Route

from e2e.application import PROJECT
from e2e.conftest import listening, recognize
from e2e.pages.screens import ADDRESSES
from fundwright_ui.extension import Screen


def addresses_of(screen: Screen) -> list[str]:
    """Those in e2e/pages/screens.py that this screen answers."""
    pattern = re.sub(r"\{\w+\}", "[^/]+", screen.path)
    return [each for each in ADDRESSES if re.fullmatch(pattern, each.partition("?")[0])]


Prepare = Callable[[BrowserContext], object]
Visiting = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def _browsers(browser: Browser, base_url: str) -> Iterator[Visiting]:
    kept: dict[str, BrowserContext] = {}

    def of(token: str, prepare: Prepare | None, options: dict[str, Any]) -> BrowserContext:
        key = json.dumps([token, options], sort_keys=True)
        if key not in kept:
            kept[key] = browser.new_context(base_url=base_url, **options)
            if token:
                recognize(kept[key], token)
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


@pytest.fixture(scope="module")
def development_build(tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """Puts React's development build in the place of the served one. It says on the console what the other keeps to itself,
    so that a screen which is hydrated to something else fails its journey."""
    folder = tmp_path_factory.mktemp("development")
    subprocess.run(
        ["npx", "vite", "build", "--mode", "development", "--minify", "false", "--outDir", folder],
        cwd=PROJECT, env=os.environ | {"NODE_ENV": "development"}, check=True, capture_output=True,
    )  # fmt: skip
    assets = folder / "assets"
    (main,) = assets.glob("main-*.js")

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if (assets / name).exists():
            route.fulfill(path=assets / name)
        elif name.startswith("main-") and name.endswith(".js"):
            # Under its own name, which the other chunks import it by: twice would be two applications.
            route.fulfill(content_type="text/javascript", body=f'import "./{main.name}";')
        else:
            route.continue_()  # preloaded for the served build, which nothing here uses

    return lambda browser: browser.route("**/assets/*", answer)
