"""The page of the longest possible draft shows a limited part of it at once, so that no step of its rendering delays others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from fundwright.generation import editing, service
from fundwright.generation.schemas import Checking, ClaimCheck, DraftRead, Provenance, SectionSave
from fundwright_ui.runtime import view
from fundwright_ui.screens.generate import draft_section
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.generation.conftest import Desk
from tests.generation.drafts import citation, draft, part
from tests.generation.test_drafting import add, write
from tests.support.polling import eventually

pytestmark = pytest.mark.security(53)

SECTIONS, CLAIMS, CITATIONS = 200, 3_000, 1_000


def huge() -> DraftRead:
    """As many sections, claims, and citations as a draft may have."""
    of_section = CLAIMS // SECTIONS
    sections = []
    for place in range(SECTIONS):
        text, checks = "", list[ClaimCheck]()
        for number in range(place * of_section, (place + 1) * of_section):
            sentence = f"We repair **roof** {number} [{number % CITATIONS + 1}]."
            start, text = len(text), f"{text}{sentence}\n\n"
            checks.append(
                ClaimCheck(
                    start=start,
                    end=start + len(sentence),
                    provenance=Provenance.WRITTEN,
                    numbers=(number % CITATIONS + 1,),
                    quotes=(),
                    missing=("roof",),
                )
            )
        checked = {"checks": tuple(checks), "checking": Checking.DONE}
        sections.append(part(place, f"Section {place}", text).model_copy(update=checked))
    return draft(sections=tuple(sections), citations=tuple(citation(number) for number in range(1, CITATIONS + 1)))


@pytest.fixture
def opened(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Any:
    async def found(*_: object) -> DraftRead:
        return shown

    def open_page(query: str = "") -> AbstractAsyncContextManager[ScreenUnderTest]:
        return mounted(desk.core, desk.actor, draft_screen, path=f"/generate/slug/s{query}", params={"token": "s"})

    shown = huge()
    monkeypatch.setattr(service, "get_by_slug", found)
    return open_page


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes each rendering converts, which is a single step of the event loop. Each takes a few microseconds."""
    sizes = list[int]()
    to_node = view.to_node

    def counted(model: object, tree: Any = "") -> Any:
        node = to_node(model, tree)
        sizes.append(sum(1 for _ in _nodes(node)))
        return node

    monkeypatch.setattr(view, "to_node", counted)
    return sizes


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.get("c", ()) if isinstance(node, dict) else ():
        yield from _nodes(child)


@pytest.mark.parametrize("query", ["", "?claims=open"])
async def test_a_rendering_has_a_limited_size(opened: Any, steps: list[int], query: str) -> None:
    async with opened(query) as screen:
        assert screen.text.count("roof") >= 50
    assert max(steps) < 10_000


async def test_later_sections_show_their_texts_one_after_the_other(opened: Any) -> None:
    async with opened() as screen:
        await eventually(lambda: "We repair roof 600 " in screen.text and screen.has("button", "Edit Section 40"))


async def test_later_sections_show_their_text_at_once_on_request(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_section, "_NEXT_AFTER_S", 60)
    async with opened() as screen:
        assert "We repair roof 599 " in screen.text and "We repair roof 600 " not in screen.text
        await screen.click("button", "Show Section 40")
        assert "We repair roof 600 " in screen.text and screen.has("button", "Edit Section 40")


async def test_open_claims_come_in_pages(opened: Any) -> None:
    async with opened("?claims=open") as screen:
        texts = [view.props["text"] for view in screen.elements("MarkdownView")]
        assert (len(texts), texts[-1]) == (50, "We repair **roof** 49 [50].")
        await screen.click("button", "Page 60")
        texts = [view.props["text"] for view in screen.elements("MarkdownView")]
        assert (len(texts), texts[-1]) == (50, "We repair **roof** 2999 [1000].")
        assert screen.elements("MarkdownView")[-1].props["citations"] == [{"number": 1000, "title": "Past work"}]


async def test_cited_passages_come_in_pages(opened: Any) -> None:
    async with opened() as screen:
        assert screen.has("button", "Show passage 50") and not screen.has("button", "Show passage 51")
        await screen.click("button", "Page 20")
        assert screen.has("button", "Show passage 951") and not screen.has("button", "Show passage 50")


async def test_a_draft_gets_no_longer_than_a_million_characters(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    written = await write(desk, (await add(desk)).id)
    first, others = written.sections[0], sum(len(section.text) for section in written.sections[1:])
    monkeypatch.setattr(editing, "_MAX_CHARACTERS_OF_DRAFT", others + 20)

    async def save(text: str) -> None:
        async with desk.core.database.transaction() as session:
            based_on = (await service.get_draft(session, desk.actor, written.id)).sections[0].revision
            change = SectionSave(heading="Roofs", text=text, based_on=based_on)
            await editing.save_section(session, desk.actor, desk.core, written.id, first.id, change)

    await save("b" * 20)
    with pytest.raises(editing.DraftTooLong, match=r"^A draft can have at most \d+ characters, and this one would have \d+\. "):
        await save("b" * 21)
    monkeypatch.setattr(editing, "_MAX_CHARACTERS_OF_DRAFT", 10)
    await save("b" * 19)  # whoever shortens a text that is too long may keep the rest
