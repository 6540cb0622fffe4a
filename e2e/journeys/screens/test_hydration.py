"""React's development build, which says what the other one keeps to itself: no screen is hydrated with a warning."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Route

from e2e.application import PROJECT
from e2e.journeys.screens.conftest import Visiting
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


Hydrate = Callable[..., None]


@pytest.fixture
def hydrate(visiting: Visiting, talkative: Path) -> Hydrate:
    """Opens a page with the scripts of the development build in the place of the served ones.

    What React has to say against it fails the journey.
    """
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

    def open(path: str, *, language: str, token: str = "") -> None:
        page = visiting(token, lambda browser: browser.route("**/assets/*", answer), locale=language).new_page()
        page.goto(path)
        ready(page)
        assert page.evaluate("Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__react'))")

    return open


def in_turn(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Each with one of the languages: what a screen does in one of them it does in the others."""
    return list(zip(paths, cycle(LANGUAGES), strict=False))


@pytest.mark.parametrize(("path", "language"), in_turn(PUBLIC))
def test_screens_before_signing_in(hydrate: Hydrate, path: str, language: str) -> None:
    hydrate(path, language=language)


@pytest.mark.parametrize(("pattern", "language"), in_turn(GUARDED))
def test_screens_of_the_product(hydrate: Hydrate, token: str, things: Things, pattern: str, language: str) -> None:
    hydrate(things.path(pattern), language=language, token=token)


@pytest.mark.parametrize(("path", "language"), in_turn(OVERSEEN))
def test_screens_of_administrators(hydrate: Hydrate, administrator: str, path: str, language: str) -> None:
    hydrate(path, language=language, token=administrator)
