"""The checker's results on the screen of a draft."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager

import pytest

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.generation.claims import check_draft
from fundwright.generation.schemas import CheckState, DraftRead
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.testing import ScreenUnderTest, mounted, text_of
from tests.generation.conftest import Desk
from tests.generation.test_drafting import add, write
from tests.generation.test_screens import marks_in

TEXT = (
    "Shingles gutters were repaired at Hill base in 2024 [1]. They were repaired at Hill base in 2019 [1]. We are glad to help."
)


async def written(desk: Desk, text: str = TEXT) -> DraftRead:
    desk.writer.script = lambda request: (text,) if request.heading == "Roofs" else ()
    return await write(desk, (await add(desk)).id)


def opened(desk: Desk, draft: DraftRead, query: str = "") -> AbstractAsyncContextManager[ScreenUnderTest]:
    path = f"/generate/slug/{draft.slug}{query}"
    return mounted(desk.core, desk.actor, draft_screen, path=path, params={"token": draft.slug})


async def test_a_draft_comes_with_the_check_of_each_claim(desk: Desk) -> None:
    draft = await written(desk)
    checks = draft.sections[0].checks
    assert [check.state for check in checks] == [CheckState.SUPPORTED, CheckState.NOT_FOUND, CheckState.NO_SOURCE]
    assert [TEXT[check.start : check.end] for check in checks][1] == "They were repaired at Hill base in 2019 [1]."
    assert checks[1].missing == ("2019",)
    (citation,) = draft.citations
    assert [citation.text[start:end] for start, end in citation.quotes] == ["Shingles gutters were repaired at Hill base in 2024"]


async def test_a_citation_marks_only_what_supports_its_sentence(desk: Desk) -> None:
    text = "Shingles were repaired at Hill base [1]. Not a source [7]. Gutters were repaired in 2024 [1]."
    draft = await written(desk, text)
    (part,) = [part for part in draft.sections if part.text]
    async with opened(desk, draft) as screen:
        marked: list[str] = []
        for place in (0, 1, None, 5):
            await screen.emit("MarkdownView", "on_citation", number=1, place=place)
            marks = marks_in(screen.find("region", "Passage 1").node)
            marked.append(" … ".join(mark["c"][0] for mark in marks))
        first, second, whole, unknown = marked
        assert "Hill" in first and "2024" not in first
        assert "2024" in second and "Hill" not in second
        assert "Hill" in whole and "2024" in whole and unknown == whole
        await screen.emit("MarkdownView", "on_citation", number=1, place=1)
        assert screen.address.endswith(f"?passage=1&at={part.id}%3A1")


async def test_the_title_of_a_notice_supports_no_claim(desk: Desk) -> None:
    draft = await written(desk, "Shingles gutters have Top Secret facility clearance [1].")
    titled = draft.model_copy(update={"opportunity_title": "Operator with Top Secret facility clearance"})
    assert [check.state for check in check_draft(titled).sections[0].checks] == [CheckState.NOT_FOUND]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TEXT.partition(".")[0] + ".", "1 sentence, supported"),
        (TEXT.rpartition(".")[0].rpartition(". ")[0] + ".", "1 supported · 1 not found in the source"),
    ],
)
async def test_counts_of_zero_are_not_shown(desk: Desk, text: str, shown: str) -> None:
    async with opened(desk, await written(desk, text)) as screen:
        assert screen.find("group", "Checked sentences").text.startswith(shown)
        assert "0 " not in screen.find("group", "Checked sentences").text


async def test_counts_are_above_the_text_and_unsupported_claims_are_marked_in_it(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft) as screen:
        assert "1 supported · 1 not found in the source · 1 without a source" in screen.find("group", "Checked sentences").text
        facts = screen.find("group", "Checked sentences").ancestors[-2]
        assert re.fullmatch(r".+ · .+ · 1 supported · 1 not found in the source · 1 without a source .+", text_of(facts))
        (view,) = screen.elements("MarkdownView")
        assert [(TEXT[mark["start"] : mark["end"]], mark["note"]) for mark in view.props["marks"]] == [
            ("They were repaired at Hill base in 2019 [1].", "Not found in the source"),
            ("We are glad to help.", "No source"),
        ]


async def test_only_the_unsupported_ones_can_be_shown_with_what_is_missing_and_their_passage(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft) as screen:
        await screen.click("button", "Show only unsupported sentences")
        assert screen.address.endswith("?claims=unsupported")
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [
            "They were repaired at Hill base in 2019 [1].",
            "We are glad to help.",
        ]
        found = screen.find("list", "Unsupported sentences in Roofs").text
        assert "Not in the cited passages: “2019”" in found
        assert "This sentence has no citation." in found
        await screen.click("button", "Compare with [1] Roofs")
        passage = screen.find("region", "Passage 1")
        assert "Shingles gutters" in passage.text
        assert not marks_in(passage.node)  # the marks in this passage belong to other sentences
        await screen.click("button", "Show full draft")
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [TEXT]


async def test_a_claim_shows_no_mark_of_an_emphasis_that_ends_in_another(desk: Desk) -> None:
    draft = await written(desk, "**We are glad to help. We are *proud* of it.**")
    async with opened(desk, draft, "?claims=unsupported") as screen:
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [
            "We are glad to help.",
            "We are *proud* of it.",
        ]


async def test_when_everything_is_supported_there_is_nothing_to_filter(desk: Desk) -> None:
    draft = await written(desk, "Shingles gutters were repaired at Hill base in 2024 [1].")
    async with opened(desk, draft) as screen:
        assert not screen.has("button", "Show only unsupported sentences")
    async with opened(desk, draft, "?claims=unsupported") as screen:
        assert "Every checked sentence is supported" in screen.text


async def test_a_viewer_sees_the_checks_but_no_button_to_edit(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft, "?claims=unsupported") as screen:
        assert screen.has("button", "Edit Roofs")
    viewer = desk.actor.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
    async with mounted(
        desk.core, viewer, draft_screen, path=f"/generate/slug/{draft.slug}?claims=unsupported", params={"token": draft.slug}
    ) as screen:
        assert screen.has("list", "Unsupported sentences in Roofs")
        assert not screen.has("button", "Edit Roofs")
