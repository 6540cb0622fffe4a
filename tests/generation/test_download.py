from __future__ import annotations

from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.testing import mounted
from tests.generation.conftest import Desk
from tests.generation.test_drafting import add


async def test_a_draft_is_downloaded_with_citations_or_without(desk: Desk) -> None:
    draft = await add(desk)
    path = f"/generate/slug/{draft.slug}"
    async with mounted(desk.core, desk.actor, draft_screen, path=path, params={"token": draft.slug}) as screen:
        for label, query in (
            ("Word", "form=docx"),
            ("Word without citations", "form=docx&citations=none"),
            ("Markdown", "form=md"),
            ("Markdown without citations", "form=md&citations=none"),
        ):
            await screen.click("button", label)
            await screen.expect("Check 3 items before you submit this draft.")  # it is not written yet
            assert screen.find("link", "Export anyway").props["href"] == f"/api/drafts/{draft.id}/export?{query}"
            await screen.click("button", "Close export")
