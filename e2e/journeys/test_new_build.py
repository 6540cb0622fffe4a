"""A new build is deployed while a person is filling in a form."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import PROJECT, free_port, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage

MARK = "window.isOfTheOldBuild = true"
IS_OLD = "window.isOfTheOldBuild === true"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A copy of the built client in its own folder."""
    return Path(shutil.copytree(PROJECT / "web/dist", tmp_path / "dist"))


def deploy(build: Path) -> None:
    """Like `vite build` after a change in every chunk: all chunks have new names, and the old ones are gone."""
    assets = build / "assets"
    scripts = [path for path in assets.iterdir() if path.suffix == ".js"]
    for packed in [*assets.glob("*.js.br"), *assets.glob("*.js.gz")]:
        packed.unlink()
    old_names = re.compile("|".join(re.escape(script.stem) for script in scripts))
    for script in scripts:
        renamed = old_names.sub(r"\g<0>-new", script.read_text())
        script.unlink()
        script.with_stem(f"{script.stem}-new").write_text(renamed)
    manifest = build / ".vite/manifest.json"
    manifest.write_text(old_names.sub(r"\g<0>-new", manifest.read_text()))


def open_half_filled_form(page: Page, url: str) -> CategoryPage:
    page.goto(f"{url}/auth/login")
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    page.wait_for_url(f"{url}/dashboard/train")
    page.goto(f"{url}/dashboard/category?open=new")
    ready(page)
    screen = CategoryPage(page)
    screen.name.fill("Half a category")
    ready(page)
    page.evaluate(MARK)
    return screen


def expect_the_new_build(page: Page, screen: CategoryPage) -> None:
    expect(screen.name).to_have_value("Half a category")
    assert not page.evaluate(IS_OLD)
    main = page.locator("script[data-main]").get_attribute("data-main")
    assert main is not None and main.endswith("-new.js")
    page.evaluate(MARK.replace("Old", "New"))
    screen.create.click()
    expect(page.get_by_role("article", name="Half a category")).to_be_visible()
    assert page.evaluate(IS_OLD.replace("Old", "New"))  # reloaded once, not again


def test_when_the_server_starts_again_the_page_is_loaded_anew_with_what_was_typed(
    page: Page, tmp_path: Path, build: Path
) -> None:
    port, environment = free_port(), {"FUNDWRIGHT_WEB_DIST": str(build)}
    with started(tmp_path, port=port, environment=environment) as application:
        application.add_person(EMAIL, PASSWORD)
        screen = open_half_filled_form(page, application.url)
    deploy(build)
    with started(tmp_path, port=port, environment=environment):
        expect(page.locator("script[data-main$='-new.js']")).to_have_count(1)
        ready(page)
        expect_the_new_build(page, screen)


@pytest.mark.slow
def test_a_missing_chunk_reloads_the_page_too_while_the_server_runs(
    page: Page, tmp_path: Path, build: Path, complaints: list[str]
) -> None:
    with started(tmp_path, environment={"FUNDWRIGHT_WEB_DIST": str(build)}) as application:
        application.add_person(EMAIL, PASSWORD)
        screen = open_half_filled_form(page, application.url)
        deploy(build)
        Shell(page).settings.click()
        expect(page.locator("script[data-main$='-new.js']")).to_have_count(1)
        ready(page)
        expect_the_new_build(page, screen)
        assert any("404" in each or "dynamically imported module" in each for each in complaints)
        complaints.clear()
