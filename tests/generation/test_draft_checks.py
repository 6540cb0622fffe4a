"""The checker's results on the screen of a draft."""

from __future__ import annotations

import asyncio
import re
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.computing import Computing
from fundwright.core.live import publish
from fundwright.generation import claims, editing, service
from fundwright.generation.claims import CHECKER
from fundwright.generation.models import Draft, DraftSection
from fundwright.generation.schemas import (
    Checking,
    DraftRead,
    DraftSectionRead,
    KeptChecks,
    NewSection,
    Provenance,
    SectionSave,
)
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.testing import ScreenUnderTest, mounted, text_of
from tests.core import computed
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
    assert [check.provenance for check in checks] == [Provenance.QUOTED, Provenance.WRITTEN, Provenance.NO_SOURCE]
    assert [TEXT[check.start : check.end] for check in checks][1] == "They were repaired at Hill base in 2019 [1]."
    assert checks[1].missing == ("2019",)
    (citation,) = draft.citations
    assert [citation.text[start:end] for start, end in citation.quotes] == [
        "Shingles gutters were repaired at Hill base in 2024.",
        "repaired at Hill base",
    ]


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Shingles gutters were repaired at Hill base in 2024 [1].", "Quoted The passage says this word for word."),
        ("Shingles gutters were repaired at Hill base in 2024. [1]", "Quoted The passage says this word for word."),
        ("- Shingles gutters were repaired at Hill base [1]", "Edited quotation The passage says almost the same."),
        ("At Hill base, gutters were repaired in 2019. [1]", "In other words Not found together in the cited passages: “2019”"),
        (
            "| Work |\n| - |\n| Gutters at Hill base in 2024 [1] |",
            "In other words 2 figures and names were found in the passage.",
        ),
    ],
)
async def test_the_passage_of_a_citation_says_where_its_sentence_comes_from(desk: Desk, text: str, shown: str) -> None:
    async with opened(desk, await written(desk, text)) as screen:
        await screen.emit("MarkdownView", "on_citation", number=1, place=0)
        assert shown in screen.find("region", "Passage 1").text


async def test_the_title_of_a_notice_supports_no_claim(desk: Desk) -> None:
    draft = await written(desk, "Shingles gutters have Top Secret facility clearance [1].")
    await forget_checks(desk, draft)
    async with desk.core.database.transaction() as session:
        title = "Operator with Top Secret facility clearance"
        await session.execute(update(Draft).where(Draft.id == draft.id).values(opportunity_title=title))
    checked = await service.get_checked(desk.core, desk.actor, draft.id)
    assert [check.missing for check in checked.sections[0].checks] == [("Top", "Secret")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TEXT.partition(".")[0] + ".", "1 quoted"),
        (TEXT.rpartition(".")[0].rpartition(". ")[0] + ".", "1 quoted · 1 in other words · 1 of 2 figures and names found"),
    ],
)
async def test_counts_of_zero_are_not_shown(desk: Desk, text: str, shown: str) -> None:
    async with opened(desk, await written(desk, text)) as screen:
        assert screen.find("group", "Checked sentences").text.startswith(shown)
        assert "0 " not in screen.find("group", "Checked sentences").text


async def test_counts_are_above_the_text_and_open_claims_are_marked_in_it(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft) as screen:
        assert (
            "1 quoted · 1 in other words · 1 of 2 figures and names found · 1 without a source"
            in screen.find("group", "Checked sentences").text
        )
        facts = screen.find("group", "Checked sentences").ancestors[-2]
        assert re.fullmatch(
            r".+ · .+ · 1 quoted · 1 in other words · 1 of 2 figures and names found · 1 without a source .+", text_of(facts)
        )
        (view,) = screen.elements("MarkdownView")
        assert [(TEXT[mark["start"] : mark["end"]], mark["note"]) for mark in view.props["marks"]] == [
            ("They were repaired at Hill base in 2019 [1].", "Check against the source"),
            ("We are glad to help.", "No source"),
        ]


async def test_only_the_open_ones_can_be_shown_with_what_is_missing_and_their_passage(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft) as screen:
        await screen.click("button", "Show only sentences to check")
        assert screen.address.endswith("?claims=open")
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [
            "They were repaired at Hill base in 2019 [1].",
            "We are glad to help.",
        ]
        found = screen.find("list", "Sentences to check in Roofs").text
        assert "Not found together in the cited passages: “2019”" in found
        assert "This sentence has no citation." in found
        await screen.click("button", "Compare with [1] Roofs")
        passage = screen.find("region", "Passage 1")
        assert "Shingles gutters" in passage.text
        assert not marks_in(passage.node)  # the marks in this passage belong to other sentences
        await screen.click("button", "Show full draft")
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [TEXT]


async def test_a_claim_shows_no_mark_of_an_emphasis_that_ends_in_another(desk: Desk) -> None:
    draft = await written(desk, "**We are glad to help. We are *proud* of it.**")
    async with opened(desk, draft, "?claims=open") as screen:
        assert [view.props["text"] for view in screen.elements("MarkdownView")] == [
            "We are glad to help.",
            "We are *proud* of it.",
        ]


async def test_when_everything_is_found_there_is_nothing_to_filter(desk: Desk) -> None:
    draft = await written(desk, "Shingles gutters were repaired at Hill base in 2024 [1].")
    async with opened(desk, draft) as screen:
        assert not screen.has("button", "Show only sentences to check")
    async with opened(desk, draft, "?claims=open") as screen:
        assert "No sentences to check." in screen.text


async def test_a_viewer_sees_the_checks_but_no_button_to_edit(desk: Desk) -> None:
    draft = await written(desk)
    async with opened(desk, draft, "?claims=open") as screen:
        assert screen.has("button", "Edit Roofs")
    viewer = desk.actor.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
    async with mounted(
        desk.core, viewer, draft_screen, path=f"/generate/slug/{draft.slug}?claims=open", params={"token": draft.slug}
    ) as screen:
        assert screen.has("list", "Sentences to check in Roofs")
        assert not screen.has("button", "Edit Roofs")


async def forget_checks(desk: Desk, draft: DraftRead, kept: KeptChecks | None = None) -> None:
    """As older releases left the sections, or with these checks."""
    values = {"checks": kept.model_dump(mode="json") if kept else None}
    async with desk.core.database.transaction() as session:
        await session.execute(update(DraftSection).where(DraftSection.draft_id == draft.id).values(**values))


def tasks_of(desk: Desk) -> dict[UUID, asyncio.Task[None]]:
    return desk.core.shared(f"{service.__name__}.checking", dict[UUID, asyncio.Task[None]])


async def checked_section(desk: Desk, draft: DraftRead, place: int = 0) -> DraftSectionRead:
    """A section once its checks are kept, without asking for them."""
    async with asyncio.timeout(20):
        while True:
            async with desk.core.database.reading() as session:
                part = (await service.get_draft(session, desk.actor, draft.id)).sections[place]
            if part.checking is not Checking.OUTSTANDING:
                return part
            await asyncio.sleep(0.02)


@pytest.fixture
def checked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose claims have been checked."""
    texts = list[str]()
    run = Computing.run

    async def counted(self: Computing, function: partial[Any], **options: Any) -> Any:
        if function.func is claims.check_claims:
            texts.append(function.args[0])
        return await run(self, function, **options)

    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError("The server itself has checked a claim.")

    monkeypatch.setattr(Computing, "run", counted)
    monkeypatch.setattr(claims, "_check", refuse)
    return texts


class TestKeptChecks:
    async def test_opening_a_draft_checks_nothing_again(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft, KeptChecks(revision=draft.sections[0].revision, checker=CHECKER))
        found = await service.get_by_slug(desk.core, desk.actor, draft.slug)
        assert (found.sections[0].checks, found.sections[0].checking) == ((), Checking.DONE)

    async def test_a_saved_text_is_checked_without_anyone_opening_it(self, desk: Desk) -> None:
        draft = await written(desk)
        save = SectionSave(
            heading="Roofs", text="They were repaired at Hill base in 2019 [1].", based_on=draft.sections[0].revision
        )
        async with desk.core.database.transaction() as session:
            saved = await editing.save_section(session, desk.actor, desk.core, draft.id, draft.sections[0].id, save)
        assert (saved.checks, saved.checking) == ((), Checking.OUTSTANDING)
        checked = await checked_section(desk, draft)
        assert ([bool(check.missing) for check in checked.checks], checked.checking) == ([True], Checking.DONE)

    async def test_so_are_a_restored_version_and_an_added_section(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft)
        async with desk.core.database.transaction() as session:
            await editing.restore_version(session, desk.actor, desk.core, draft.id, draft.sections[0].id, 1)
        assert len((await checked_section(desk, draft)).checks) == 3
        async with desk.core.database.transaction() as session:
            await editing.add_section(session, desk.actor, desk.core, draft.id, NewSection(heading="Fleet"))
        assert (await checked_section(desk, draft, -1)).heading == "Fleet"

    async def test_a_save_while_an_earlier_text_is_checked_is_checked_too(self, desk: Desk) -> None:
        draft = await written(desk)
        texts = [f"They were repaired at Hill base in {year} [1]." for year in (2017, 2018, 2024)]
        for revision, text in enumerate(texts, start=draft.sections[0].revision):
            save = SectionSave(heading="Roofs", text=text, based_on=revision)
            async with desk.core.database.transaction() as session:
                await editing.save_section(session, desk.actor, desk.core, draft.id, draft.sections[0].id, save)
            await asyncio.sleep(0.01)
        assert [check.missing for check in (await checked_section(desk, draft)).checks] == [()]

    async def test_a_text_that_is_not_saved_is_not_checked(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft)
        with suppress(LookupError):
            async with desk.core.database.transaction() as session:
                await editing.restore_version(session, desk.actor, desk.core, draft.id, draft.sections[0].id, 1)
                raise LookupError
        assert not tasks_of(desk)

    async def test_checks_that_are_underway_end_with_the_server(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft)
        async with AsyncExitStack() as closing:
            core = replace(desk.core, cache={}, closing=closing)
            busy = [asyncio.create_task(core.computing.run(partial(computed.never, ""))) for _ in range(2)]
            await service.check_later(core, desk.actor, draft.id)
            checking = next(iter(core.shared(f"{service.__name__}.checking", dict[UUID, asyncio.Task[None]]).values()))
        assert checking.cancelled()
        for task in busy:
            task.cancel()

    async def test_claims_that_take_long_hide_no_verdict_before_them(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        """The rest of the section is checked in other turns, up to a limit, and what is left is said to be too long."""
        draft = await written(desk)
        await forget_checks(desk, draft)
        monkeypatch.setattr(service, "_TURN_S", 0.0)
        monkeypatch.setattr(service, "_MOST_TURNS", 2)
        part = (await service.get_checked(desk.core, desk.actor, draft.id)).sections[0]
        assert [bool(check.missing) for check in part.checks] == [False, True]
        assert part.checking is Checking.TOO_LONG
        async with opened(desk, draft) as screen:
            await screen.expect("1 section is too long to check completely")

    async def test_a_draft_shows_a_limited_number_of_claims(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft)
        monkeypatch.setattr(claims, "MAX_CLAIMS_OF_DRAFT", 2)
        parts = (await service.get_checked(desk.core, desk.actor, draft.id)).sections
        assert (sum(len(part.checks) for part in parts), parts[0].checking) == (2, Checking.TOO_LONG)

    @pytest.mark.security(53)
    async def test_no_page_computes_a_check(self, desk: Desk, checked: list[str]) -> None:
        """Neither of a draft nor of its sentences to check, however often they are opened and reloaded."""
        draft = await written(desk)
        await checked_section(desk, draft)
        checked.clear()
        for query in ("", "?claims=open", "?passage=1"):
            async with opened(desk, draft, query) as screen:
                await screen.expect("1 quoted")
                async with desk.core.database.transaction() as session:
                    await publish(session, service.draft_topic(draft.id))
                await screen.settle()
        assert checked == []

    async def test_a_newer_checker_checks_once_in_the_background(
        self, desk: Desk, checked: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draft = await written(desk)
        await checked_section(desk, draft)
        checked.clear()
        monkeypatch.setattr(claims, "CHECKER", CHECKER + 1)
        for _ in range(3):  # one page after the other, and several at once
            async with opened(desk, draft) as first, opened(desk, draft) as second:
                await first.expect("1 quoted")
                await second.expect("1 quoted")
        assert sorted(checked) == sorted(section.text for section in draft.sections)

    async def test_a_newer_checker_checks_again(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft, KeptChecks(revision=draft.sections[0].revision, checker=CHECKER - 1))
        assert len((await service.get_checked(desk.core, desk.actor, draft.id)).sections[0].checks) == 3

    async def test_a_page_says_that_claims_are_being_checked_and_shows_the_checks(self, desk: Desk) -> None:
        draft = await written(desk)
        await forget_checks(desk, draft)
        busy = [asyncio.create_task(desk.core.computing.run(partial(computed.never, ""))) for _ in range(2)]
        async with opened(desk, draft) as screen:
            await screen.expect("Checking…")
            for task in busy:
                task.cancel()
            await screen.expect("1 quoted")
            await screen.expect(lambda: "Checking…" not in screen.text)
