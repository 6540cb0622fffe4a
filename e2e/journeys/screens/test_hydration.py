"""React's development build, which says what the other one keeps to itself: no screen is hydrated with a warning."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route

from e2e.application import PROJECT
from e2e.conftest import NewContext, recognise
from e2e.pages.ready import ready
from e2e.pages.screens import GUARDED, OVERSEEN, PUBLIC, Things

LANGUAGES = ("en", "de", "fr")


@pytest.fixture(scope="module")
def talkative(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The browser half with React's development build."""
    folder = tmp_path_factory.mktemp("development")
    subprocess.run(
        ["npx", "vite", "build", "--mode", "development", "--minify", "false", "--outDir", folder],
        cwd=PROJECT, env=os.environ | {"NODE_ENV": "development"}, check=True, capture_output=True,
    )  # fmt: skip
    return folder / "assets"


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest, new_context: NewContext, talkative: Path) -> Page:
    """A page in that language, with the scripts of the development build in the place of the served ones."""
    page = new_context(locale=request.param).new_page()
    (main,) = talkative.glob("main-*.js")

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if (talkative / name).exists():
            route.fulfill(path=talkative / name)
        elif name.startswith("main-") and name.endswith(".js"):
            # Under its own name, which the other chunks import it by: twice would be two applications.
            route.fulfill(content_type="text/javascript", body=f'import "./{main.name}";')
        else:
            route.continue_()  # preloaded for the served build, which nothing here uses

    page.route("**/assets/*", answer)
    return page


def hydrate(page: Page, path: str) -> None:
    """What React has to say against it fails the journey."""
    page.goto(path)
    ready(page)
    assert page.evaluate("Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__react'))")


@pytest.mark.parametrize("path", PUBLIC)
def test_screens_before_signing_in(spoken: Page, path: str) -> None:
    hydrate(spoken, path)


@pytest.mark.parametrize("pattern", GUARDED)
def test_screens_of_the_product(spoken: Page, token: str, things: Things, pattern: str) -> None:
    hydrate(recognise(spoken, token), things.path(pattern))


@pytest.mark.parametrize("spoken", ["de"], indirect=True)
@pytest.mark.parametrize("path", OVERSEEN)
def test_screens_of_administrators(spoken: Page, administrator: str, path: str) -> None:
    hydrate(recognise(spoken, administrator), path)
