"""A server with the laboratory's screens that keeps lost pages for half a second instead of a minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Page

from e2e.application import PROJECT, Application, started
from e2e.pages.laboratory import MovingPage, TypingPage
from tests.support.python_path import python_path

RESUME_S = 0.5


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment of a server with the laboratory installed."""
    installed = tmp_path_factory.mktemp("installed")
    about = installed / "laboratory-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: laboratory\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[fundwright]\nlaboratory = e2e.laboratory\n")
    return {**python_path(installed, PROJECT), "FUNDWRIGHT_RESUME_S": str(RESUME_S)}


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory, environment: Mapping[str, str]) -> Iterator[Application]:
    with started(tmp_path_factory.mktemp("laboratory"), "--no-worker", environment=environment) as application:
        yield application


@pytest.fixture
def typing(page: Page, laboratory: Application) -> TypingPage:
    return TypingPage(page, laboratory.url)


@pytest.fixture
def moving(page: Page, laboratory: Application) -> MovingPage:
    return MovingPage(page, laboratory.url)
