"""Screens look as in docs/images/screens: one picture of each, of 1440 × 900 and 390 × 844 px, light and dark.

Texts may differ, such as dates, because blocks of the reduced pictures are compared. `make pictures` takes the pictures again.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, BrowserContext

from e2e.application import PROJECT
from e2e.conftest import recognize
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready
from e2e.pages.screens import Fixtures

pytestmark = pytest.mark.slow

FOLDER = PROJECT / "docs/images/screens"
SIZES = ((1440, 900), (390, 844))
HEIGHT = 300
"""Of the reduced pictures, which are beside each other."""
GAP = 8
BLOCK = 12
"""Pixels of the reduced pictures."""
MAX_DIFFERENCE = 24
"""Of the mean of a block's colors, of 255."""
MAX_SHARE = 0.03
"""Of the blocks that may differ more."""

OWN = {
    "login": "/auth/login",
    "register": "/auth/register/standard/open",
    "contracts": "/dashboard/sam?availability=any",
    "grants": "/dashboard/nih?availability=any",
    "filters": "/dashboard/sam?availability=any&set_aside=SBA",
    "opportunity": "/dashboard/sam/{contract}",
    "pipeline": "/dashboard/pipeline",
    "tasks": "/dashboard/tasks",
    "category": "/dashboard/category",
    "train": "/dashboard/train",
    "answers": "/dashboard/train?question=Who+designed+the+data+platform%3F",
    "embedding-history": "/dashboard/history",
    "generate": "/generate/index",
    "draft": "/generate/slug/{draft}",
    "account": "/dashboard/user/account",
    "security": "/dashboard/user/account?tab=security",
    "help": "/help",
    "not-found": "/404",
}
ADMINISTERED = {
    "dashboard": "/dashboard/index",
    "people": "/dashboard/users",
    "blog-post": "/dashboard/blog/{post_id}/edit",
    "payments": "/dashboard/payment/history",
}


@pytest.fixture(scope="module")
def browsers_of(browser: Browser, base_url: str) -> Iterator[dict[tuple[str, int, str], BrowserContext]]:
    """Contexts by token, width, and mode."""
    kept: dict[tuple[str, int, str], BrowserContext] = {}
    yield kept
    for context in kept.values():
        context.close()


@pytest.mark.parametrize("name", [*OWN, *ADMINISTERED])
def test_screens_look_as_before(
    name: str,
    fixtures: Fixtures,
    token: str,
    administrator: str,
    browser: Browser,
    base_url: str,
    browsers_of: dict[tuple[str, int, str], BrowserContext],
) -> None:
    address = fixtures.path((OWN | ADMINISTERED)[name])
    owner = "" if address.startswith(("/auth/", "/404")) else token if name in OWN else administrator
    shots: list[Image.Image] = []
    for width, height in SIZES:
        for mode in ("light", "dark"):
            key = (owner, width, mode)
            if key not in browsers_of:
                is_phone = width < 600
                setting = {"name": "settings", "value": f'{{"themeMode":"{mode}"}}'}
                browsers_of[key] = browser.new_context(
                    base_url=base_url, viewport={"width": width, "height": height}, has_touch=is_phone, is_mobile=is_phone,
                    storage_state={"cookies": [], "origins": [{"origin": base_url, "localStorage": [setting]}]},
                )  # fmt: skip
                if owner:
                    recognize(browsers_of[key], owner)
            page = browsers_of[key].new_page()
            page.goto(address)
            ready(page)
            if name == "filters":
                OpportunitiesPage(page).open_filter("Agency")
            page.mouse.move(0, 0)
            shots.append(reduced(page.screenshot(animations="disabled", caret="hide")))
            page.close()
    found = beside(shots)
    path = FOLDER / f"{name}.webp"
    if os.environ.get("UPDATE_PICTURES"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        found.save(path, quality=60, method=6)
        return
    share = share_of_different_blocks(found, Image.open(path).convert("RGB"))
    if share > MAX_SHARE:
        found.save(failed := Path("test-results") / f"{name}.webp")
        pytest.fail(f"{share:.1%} of {path.name} differ. See {failed}, and if it is as you want it, run `make pictures`.")


def reduced(shot: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    return picture.resize((round(picture.width * HEIGHT / picture.height), HEIGHT), Image.Resampling.LANCZOS)


def beside(pictures: list[Image.Image]) -> Image.Image:
    both = Image.new("RGB", (sum(each.width for each in pictures) + GAP * (len(pictures) - 1), HEIGHT), "#888")
    left = 0
    for each in pictures:
        both.paste(each, (left, 0))
        left += each.width + GAP
    return both


def share_of_different_blocks(found: Image.Image, expected: Image.Image) -> float:
    """Return the share of blocks whose mean colors differ by more than the maximum; 1 for pictures of different sizes."""
    if found.size != expected.size:
        return 1.0
    difference = ImageChops.difference(found, expected)
    blocks = [
        ImageStat.Stat(difference.crop((x, y, min(x + BLOCK, found.width), min(y + BLOCK, found.height)))).mean
        for x in range(0, found.width, BLOCK)
        for y in range(0, found.height, BLOCK)
    ]
    return sum(max(mean) > MAX_DIFFERENCE for mean in blocks) / len(blocks)
