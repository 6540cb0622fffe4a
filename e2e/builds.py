"""A copy of the built client, and the next build in its place."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from e2e.application import PROJECT
from e2e.pages.category import CategoryPage

MARK = "window.isOfTheOldBuild = true"
IS_OLD = "window.isOfTheOldBuild === true"


def copy_build(folder: Path) -> Path:
    """A copy of the built client in its own folder."""
    return Path(shutil.copytree(PROJECT / "web/dist", folder / "dist"))


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


def expect_the_new_build(page: Page, screen: CategoryPage, name: str) -> None:
    """The page was reloaded once, and the form still has the name of a category."""
    expect(screen.name).to_have_value(name)
    assert not page.evaluate(IS_OLD)
    main = page.locator("script[data-main]").get_attribute("data-main")
    assert main is not None and main.endswith("-new.js")
    page.evaluate(MARK.replace("Old", "New"))
    screen.create.click()
    expect(page.get_by_role("article", name=name)).to_be_visible()
    assert page.evaluate(IS_OLD.replace("Old", "New"))  # reloaded once, not again
