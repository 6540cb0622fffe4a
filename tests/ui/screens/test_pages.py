"""A page beyond the end of a list shows the last page, because lists become shorter while links to their pages remain."""

from __future__ import annotations

import json
import re

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright_ui.runtime import document
from tests.access.table import SCREENS
from tests.access.test_events import ada, addresses
from tests.ui.screens.test_exports import TABS, signed_in

__all__ = ["ada"]

OTHERS = {"/feedback", "/dashboard/analyze", "/dashboard/index"}
"""In the first, `page` is the page that the feedback is about; in the others, every visit changes the figures."""

NO_PAGES = "There is no parameter \\u201cpage\\u201d here."


def shown(html: str) -> list[str]:
    """The text of the page, in pieces, without parts that depend on its address."""
    page = re.search(r'id="page">(.*?)</script>', html)
    if page is None:  # a redirect
        return []
    tree = json.loads(page[1])["tree"]
    written = re.sub(r"(?:[?&]|%3F|%26)page(?:=|%3D)99|\b[0-9a-f]{32}\b", "", json.dumps(tree))
    return re.findall(r'"(?:[^"\\]|\\.)*"|\d+', written)


@pytest.mark.slow
async def test_a_page_beyond_the_end_shows_what_there_is(committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_FIRST_PAINT_TIMEOUT_S", 60.0)  # on a busy machine too, whole pages are compared
    differing, compared = list[str](), 0
    async with signed_in(committed) as client:
        for pattern in set(SCREENS) - OTHERS:
            for address in await addresses(committed, pattern):
                for tab in TABS:
                    whole = f"{address}{tab}{'&' if tab else '?'}page_size=100"
                    first = shown((await client.get(whole)).text)
                    beyond = shown((await client.get(f"{whole}&page=99")).text)
                    if any(NO_PAGES in piece for piece in beyond):
                        continue
                    compared += 1
                    if first != beyond:
                        differing.append(f"{whole}: {sorted(set(first) ^ set(beyond))[:6]}")
    assert not differing, "\n".join(differing)
    assert compared > 30
