from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import ComputedFile, DataFile
from fundwright.accounts.schemas import COMMAND_LINE, Role
from fundwright.billing import service as billing
from fundwright.billing.schemas import PlanChange, PlanCode
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.paging import PageRequest
from fundwright.generation import editing, repository, service
from fundwright.generation.models import DraftVersion
from fundwright.generation.personal_data import own_files
from fundwright.generation.schemas import (
    DraftRead,
    DraftSectionRead,
    DraftSources,
    DraftState,
    DraftTitle,
    MatchDecision,
    NewSection,
    QuestionChange,
    Regeneration,
    Rewriting,
    SectionPosition,
    SectionSave,
    SectionState,
    VersionOrigin,
    VersionRead,
    WriteSection,
)
from fundwright.language.protocols import PossibleMatch, SectionRequest, Unanswered
from fundwright.trash import service as trash
from tests.core import computed
from tests.generation.conftest import Desk, EndpointDown, quote_all
from tests.generation.test_drafting import add, has_begun, read, write, written_draft
from tests.support.accounts import add_account
from tests.support.jobs import working
from tests.support.polling import eventually

T = TypeVar("T")


async def do(desk: Desk, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with desk.core.database.transaction() as session:
        return await work(session)


async def save(
    desk: Desk,
    draft: DraftRead,
    part: DraftSectionRead,
    text: str,
    *,
    based_on: int | None = None,
    heading: str = "",
    **given: object,
) -> DraftSectionRead:
    wanted = SectionSave.model_validate(
        {"heading": heading or part.heading, "text": text, "based_on": part.revision if based_on is None else based_on, **given}
    )
    return await do(desk, lambda session: editing.save_section(session, desk.actor, desk.core, draft.id, part.id, wanted))


async def versions(desk: Desk, draft: DraftRead, part: DraftSectionRead) -> list[VersionRead]:
    page = await do(desk, lambda s: editing.list_versions(s, desk.actor, draft.id, part.id, PageRequest(page_size=100)))
    return page.items


async def regenerate(desk: Desk, draft: DraftRead, part: DraftSectionRead, instructions: str = "") -> DraftSectionRead:
    regeneration = Regeneration(instructions=instructions)
    return await do(desk, lambda s: editing.regenerate_section(s, desk.actor, desk.core, draft.id, part.id, regeneration))


async def rewritten(desk: Desk, draft: DraftRead, place: int = 0) -> DraftRead:
    async def ended() -> DraftRead | None:
        found = await read(desk, draft.id)
        return None if found.sections[place].rewriting is Rewriting.UNDERWAY else found

    async with working(desk.core.jobs):
        return await eventually(ended)


async def written(desk: Desk) -> tuple[DraftRead, DraftSectionRead]:
    draft = await written_draft(desk)
    return draft, draft.sections[0]


class TestSaving:
    async def test_text_and_heading_are_saved_and_the_writers_text_stays_a_version(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        saved = await save(desk, draft, roofs, "We repair roofs [1].", heading="Our roofs")
        assert (saved.heading, saved.text, saved.revision) == ("Our roofs", "We repair roofs [1].", roofs.revision + 1)
        mine, writers = await versions(desk, draft, roofs)
        assert (mine.origin, mine.author, mine.is_current) == (VersionOrigin.PERSON, "Ada Example", True)
        assert (writers.origin, writers.text, writers.heading) == (VersionOrigin.WRITER, roofs.text, "Roofs")

    async def test_a_text_that_is_too_long_is_refused_with_the_limit(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        with pytest.raises(
            ValueError, match=r"A section can have at most 200,000 characters, and this one has 200,001\. Move a part"
        ):
            await save(desk, draft, roofs, "x" * 200_001)
        assert len((await save(desk, draft, roofs, "x" * 200_000)).text) == 200_000

    async def test_a_save_on_an_older_revision_is_refused_and_changes_nothing(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await save(desk, draft, roofs, "First.")
        with pytest.raises(editing.SectionChanged):
            await save(desk, draft, roofs, "Second.")
        assert (await read(desk, draft.id)).sections[0].text == "First."

    async def test_of_two_saves_at_once_one_is_refused(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        outcomes = await asyncio.gather(*(save(desk, draft, roofs, f"Text {n}.") for n in range(4)), return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["DraftSectionRead", *["SectionChanged"] * 3]

    async def test_saving_while_sections_are_moved_and_added_ends_well(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        last = SectionPosition(position=100)

        async def move(part: DraftSectionRead) -> None:
            await do(desk, lambda session: editing.move_section(session, desk.actor, draft.id, part.id, last))

        async def insert(heading: str) -> None:
            new = NewSection(heading=heading, position=0)
            await do(desk, lambda session: editing.add_section(session, desk.actor, desk.core, draft.id, new))

        for number in range(5):
            sections = (await read(desk, draft.id)).sections
            saves = (save(desk, draft, part, f"{number} of {part.heading}") for part in sections)
            await asyncio.gather(*saves, *map(move, sections), insert(f"New {number}"))
        assert [part.ordinal for part in (await read(desk, draft.id)).sections] == list(range(len(draft.sections) + 5))

    async def test_a_save_whose_answer_was_lost_is_sent_again_and_counts_once(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        first = await save(desk, draft, roofs, "One.", editor="tab", sequence=1)
        assert await save(desk, draft, roofs, "One.", editor="tab", sequence=1) == first
        more = await save(desk, draft, roofs, "One. Two.", editor="tab", sequence=2)
        assert (more.text, more.revision) == ("One. Two.", first.revision + 1)
        late = await save(desk, draft, roofs, "One.", editor="tab", sequence=1)
        assert late.text == "One. Two."

    async def test_an_editor_that_saved_before_another_user_conflicts_again(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        one = await save(desk, draft, roofs, "One.", editor="tab", sequence=1)
        await save(desk, draft, one, "Other.", editor="other tab", sequence=1)
        with pytest.raises(editing.SectionChanged):
            await save(desk, draft, one, "One. Two.", editor="tab", sequence=2)

    async def test_typing_makes_one_version_until_ten_minutes_have_gone_by(self, desk: Desk) -> None:
        draft, part = await written(desk)
        for sequence, text in enumerate(("A", "Ab", "Abc"), start=1):
            part = await save(desk, draft, part, text, editor="tab", sequence=sequence)
        assert [version.text for version in await versions(desk, draft, part)][:-1] == ["Abc"]
        earlier = DraftVersion.created_at - timedelta(minutes=10)
        await do(desk, lambda session: session.execute(update(DraftVersion).values(created_at=earlier)))
        await save(desk, draft, part, "Abcd", editor="tab", sequence=4)
        assert [version.text for version in await versions(desk, draft, part)][:-1] == ["Abcd", "Abc"]

    async def test_a_text_that_another_tab_saved_stays_a_version_when_it_is_overwritten(self, desk: Desk) -> None:
        draft, part = await written(desk)
        mine = await save(desk, draft, part, "Mine.", editor="tab", sequence=1)
        other = await save(desk, draft, mine, "Other.", editor="other tab", sequence=1)
        await save(desk, draft, other, "Mine. Kept.", editor="tab", sequence=2)
        assert [version.text for version in await versions(desk, draft, part)][:-1] == ["Mine. Kept.", "Other.", "Mine."]

    async def test_only_sources_of_the_draft_can_be_cited(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        with pytest.raises(Invalid, match=r"no source \[1999\]"):
            await save(desk, draft, roofs, "We are the best [1999].")
        assert (await save(desk, draft, roofs, r"In \[9\] words [2].")).text == r"In \[9\] words [2]."

    async def test_a_source_that_nothing_cites_any_more_is_not_listed_until_it_is_cited_again(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        bare = await save(desk, draft, roofs, "We repair roofs.")
        assert [citation.number for citation in (await read(desk, draft.id)).citations] == [2]
        await save(desk, draft, bare, "We repair roofs [1].")
        assert [citation.number for citation in (await read(desk, draft.id)).citations] == [1, 2]

    async def test_a_draft_that_was_stopped_is_finished_when_a_person_has_written_the_rest(self, desk: Desk) -> None:
        def fail(_request: object, index: int) -> None:
            if index == 1:
                raise EndpointDown("Gone.")

        desk.writer.before_piece = fail
        draft = await add(desk)
        with pytest.raises(EndpointDown):
            await write(desk, draft.id)
        draft = await read(desk, draft.id)
        assert not draft.is_complete
        for part in draft.sections:
            await save(desk, draft, part, f"Manual: {part.heading}")
        draft = await read(desk, draft.id)
        assert (draft.state, draft.is_complete) == (DraftState.FINISHED, True)
        with pytest.raises(Conflict, match="already finished or being written"):
            await do(desk, lambda session: service.continue_draft(session, desk.actor, desk.core, draft.id))

    async def test_a_count_of_saves_that_no_editor_reaches_is_refused(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        with pytest.raises(ValidationError):
            await save(desk, draft, roofs, "Mine.", editor="tab", sequence=2**31)


class TestRaceWithTheWriter:
    async def test_a_section_that_a_person_changes_while_it_is_written_keeps_the_persons_text(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.generation.drafting._FLUSH_INTERVAL_S", 0.0)
        desk.writer.script = lambda _request: ("First words [1]. ", "Last words [1].")
        desk.writer.pause.clear()
        desk.writer.before_piece = lambda _request, index: desk.writer.pause.set() if index == 0 else desk.writer.pause.clear()
        draft = await add(desk)
        task = asyncio.create_task(write(desk, draft.id))
        underway = await eventually(lambda: has_begun(desk, draft.id))
        saved = await save(desk, draft, underway.sections[0], "By a person.")
        desk.writer.before_piece = lambda _request, _index: None
        desk.writer.pause.set()
        finished = await task
        assert finished.sections[0].text == saved.text == "By a person."
        assert finished.sections[2].text != ""
        texts = [version.text for version in await versions(desk, draft, saved)]
        assert texts == ["First words [1]. Last words [1].", "By a person.", "First words [1]."]

    async def test_a_section_that_is_deleted_while_it_is_written_stops_nothing(self, desk: Desk) -> None:
        draft = await add(desk)

        def delete(_request: object, _index: int) -> None:
            desk.writer.before_piece = lambda _request, _index: None
            asyncio.get_running_loop().create_task(
                do(desk, lambda s: editing.delete_section(s, desk.actor, draft.id, draft.sections[0].id))
            ).add_done_callback(lambda _task: desk.writer.pause.set())
            desk.writer.pause.clear()

        desk.writer.before_piece = delete
        finished = await write(desk, draft.id)
        assert [part.heading for part in finished.sections] == ["Submarines", "Team"]
        assert finished.state == DraftState.FINISHED


class TestRegenerating:
    async def test_the_new_text_becomes_a_version_and_the_old_one_can_be_restored(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        desk.writer.script = lambda _request: ("Gutters, too [1].",)
        assert (await regenerate(desk, draft, roofs, "Mention gutters.")).rewriting is Rewriting.UNDERWAY
        again = await rewritten(desk, draft)
        assert desk.writer.requests[-1].instructions == "Plainly. Mention gutters. About 50 words."
        assert desk.writer.requests[-1].questions[-1] == "Mention gutters."
        assert (again.sections[0].text, again.sections[0].rewriting) == ("Gutters, too [1].", Rewriting.REPLACED)
        assert again.state == DraftState.FINISHED
        restored = await do(desk, lambda s: editing.restore_version(s, desk.actor, desk.core, draft.id, roofs.id, 1))
        assert restored.text == roofs.text
        assert [v.origin for v in await versions(desk, draft, roofs)] == ["restored", "writer", "writer"]

    async def test_others_keep_citing_what_they_cite(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        team = draft.sections[2]
        await save(desk, draft, team, "Bo Diaz repairs roofs [1][2].")
        desk.writer.script = lambda _request: ("No proof.",)
        await regenerate(desk, draft, roofs)
        again = await rewritten(desk, draft)
        assert [citation.number for citation in again.citations] == [1, 2]
        assert again.citations[0].text == draft.citations[0].text

    async def test_what_finds_nothing_leaves_the_text(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        desk.writer.script = lambda _request: ()
        await regenerate(desk, draft, roofs)
        again = (await rewritten(desk, draft)).sections[0]
        assert (again.text, again.rewriting) == (roofs.text, Rewriting.NOTHING_FOUND)

    async def test_instructions_that_find_evidence_close_the_gap_of_the_one_question(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        submarines = draft.sections[1]
        assert submarines.open_questions == ("your submarines",)
        await regenerate(desk, draft, submarines, "foreman electrician")
        again = (await rewritten(desk, draft, 1)).sections[1]
        assert again.text.startswith("Foreman electrician Bo Diaz")
        assert again.open_questions == ()

    async def test_instructions_may_be_longer_than_the_question_of_a_template(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        await regenerate(desk, draft, draft.sections[1], "foreman electrician " * 100)
        again = (await rewritten(desk, draft, 1)).sections[1]
        assert again.rewriting is not Rewriting.FAILED and again.text.startswith("Foreman electrician Bo Diaz")

    async def test_the_same_text_makes_no_version(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await regenerate(desk, draft, roofs)
        again = (await rewritten(desk, draft)).sections[0]
        assert (again.revision, again.rewriting) == (roofs.revision, Rewriting.SAME)

    async def test_a_writer_that_fails_or_is_stopped_leaves_the_text(self, desk: Desk) -> None:
        def fail(_request: object, index: int) -> None:
            if index == 1:
                raise EndpointDown("The endpoint does not answer.")

        draft, roofs = await written(desk)
        desk.writer.script = lambda _request: ("Half ", "whole.")
        desk.writer.before_piece = fail
        await regenerate(desk, draft, roofs)
        failed = (await rewritten(desk, draft)).sections[0]
        assert (failed.text, failed.rewriting) == (roofs.text, Rewriting.FAILED)
        assert failed.error == "The endpoint does not answer."
        await regenerate(desk, draft, roofs)
        canceled = await do(desk, lambda s: editing.cancel_regeneration(s, desk.actor, draft.id, roofs.id))
        assert (canceled.text, canceled.rewriting) == (roofs.text, Rewriting.CANCELED)
        with pytest.raises(Conflict):
            await do(desk, lambda s: editing.cancel_regeneration(s, desk.actor, draft.id, roofs.id))

    async def test_a_process_that_dies_before_it_reports_it_has_written_once(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        desk.writer.script = lambda _request: (f"Attempt {len(desk.writer.requests)} [1].",)
        await regenerate(desk, draft, roofs)
        first = await rewritten(desk, draft)
        died = update(Job).where(Job.kind == WriteSection.job_kind).values(state=JobState.RUNNING, result=None, ended_at=None)
        await do(desk, lambda session: session.execute(died))
        second = await rewritten(desk, draft)
        assert second.sections == first.sections
        assert second.sections[0].rewriting is Rewriting.REPLACED

    async def test_of_several_requests_at_once_one_is_done(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        outcomes = await asyncio.gather(*(regenerate(desk, draft, part) for part in draft.sections * 2), return_exceptions=True)
        assert sorted(type(each).__name__ for each in outcomes) == [*["BeingWritten"] * 5, "DraftSectionRead"]

    async def test_a_person_who_saves_meanwhile_keeps_the_text_and_finds_the_writers_among_the_versions(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await regenerate(desk, draft, roofs)
        await save(desk, draft, roofs, "By a person [1].")
        desk.writer.script = lambda _request: ("By the writer [1].",)
        again = (await rewritten(desk, draft)).sections[0]
        # The job started after the save, so it was supposed to replace the saved text.
        assert again.text == "By the writer [1]."
        assert [version.text for version in await versions(desk, draft, roofs)][1] == "By a person [1]."

    async def test_a_process_that_dies_half_way_leaves_the_text_and_is_followed_by_another(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await regenerate(desk, draft, roofs)
        desk.writer.script = lambda _request: ("Anew [1].",)
        desk.writer.pause.clear()
        desk.writer.requests.clear()

        async def has_asked() -> bool:
            return len(desk.writer.requests) == 1

        async with working(desk.core.jobs):
            await eventually(has_asked)
            assert (await read(desk, draft.id)).sections[0].text == roofs.text
        desk.writer.pause.set()
        assert (await rewritten(desk, draft)).sections[0].text == "Anew [1]."


class TestSections:
    async def test_one_is_added_moved_and_deleted_and_the_others_keep_their_order(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        new = NewSection(heading="Prices", position=1)
        added = await do(desk, lambda s: editing.add_section(s, desk.actor, desk.core, draft.id, new))
        assert (added.ordinal, added.state, added.is_added) == (1, SectionState.DONE, True)
        place = SectionPosition(position=99)
        moved = await do(desk, lambda s: editing.move_section(s, desk.actor, draft.id, roofs.id, place))
        assert [part.heading for part in moved.sections] == ["Prices", "Submarines", "Team", "Roofs"]
        await do(desk, lambda s: editing.delete_section(s, desk.actor, draft.id, added.id))
        left = await read(desk, draft.id)
        assert [(part.heading, part.ordinal) for part in left.sections] == [("Submarines", 0), ("Team", 1), ("Roofs", 2)]

    async def test_a_moved_and_renamed_one_is_still_written_from_its_template(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        part = await save(desk, draft, roofs, "Text.", heading="What we repair")
        await do(desk, lambda s: editing.move_section(s, desk.actor, draft.id, roofs.id, SectionPosition(position=2)))
        await regenerate(desk, draft, part)
        again = (await rewritten(desk, draft, 2)).sections[2]
        assert (again.heading, again.text) == ("What we repair", roofs.text)

    async def test_with_instructions_an_added_one_is_written(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        new = NewSection(heading="Safety", instructions="foreman electrician")
        await do(desk, lambda s: editing.add_section(s, desk.actor, desk.core, draft.id, new))
        added = (await rewritten(desk, draft, 3)).sections[3]
        assert added.text.startswith("Foreman electrician Bo Diaz")

    async def test_there_are_at_most_200(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        assert editing._MAX_SECTIONS == 200
        monkeypatch.setattr(editing, "_MAX_SECTIONS", 8)
        draft = await add(desk)

        async def add_many(session: AsyncSession) -> None:
            for _ in range(8 - len(draft.sections)):
                await editing.add_section(session, desk.actor, desk.core, draft.id, NewSection(heading="More"))
            with pytest.raises(Conflict, match="at most 8 sections"):
                await editing.add_section(session, desk.actor, desk.core, draft.id, NewSection(heading="Too many"))

        await do(desk, add_many)

    async def test_the_last_one_stays(self, desk: Desk) -> None:
        draft = await add(desk)
        for part in draft.sections[1:]:
            await do(desk, lambda s, part=part: editing.delete_section(s, desk.actor, draft.id, part.id))
        with pytest.raises(Conflict, match="at least one section"):
            await do(desk, lambda s: editing.delete_section(s, desk.actor, draft.id, draft.sections[0].id))

    async def test_an_open_question_is_marked_as_done_and_reopened_and_stays_done_when_written_again(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        team = draft.sections[2]

        async def mark(*, is_done: bool) -> DraftSectionRead:
            change = QuestionChange(question="your hangar", is_done=is_done)
            return await do(desk, lambda s: editing.mark_question(s, desk.actor, draft.id, team.id, change))

        done = await mark(is_done=True)
        assert (done.open_questions, done.done_questions) == ((), ("your hangar",))
        await regenerate(desk, draft, team)
        assert (await rewritten(desk, draft, 2)).sections[2].done_questions == ("your hangar",)
        assert (await mark(is_done=False)).open_questions == ("your hangar",)
        unknown = QuestionChange(question="your dreams", is_done=True)
        with pytest.raises(Invalid):
            await do(desk, lambda s: editing.mark_question(s, desk.actor, draft.id, team.id, unknown))

    async def test_possible_matches_are_numbered_after_the_text_that_is_written_later(self, desk: Desk) -> None:
        def script(request: SectionRequest) -> Iterator[str | Unanswered | PossibleMatch]:
            if request.heading != "Roofs":
                yield from quote_all(request)
                return
            yield Unanswered(0)
            yield PossibleMatch(0, "Shingles and gutters.", 1)

        desk.writer.script = script
        draft = await write(desk, (await add(desk)).id)
        assert draft.sections[0].text == ""
        numbers = [int(number) for number in re.findall(r"\[(\d+)\]", " ".join(section.text for section in draft.sections))]
        assert numbers[0] == 1
        assert [match.number for match in draft.sections[0].possible_matches] == [max(numbers) + 1]
        assert max(numbers) + 1 in {citation.number for citation in draft.citations}

    async def test_a_possible_match_is_added_with_its_citation_or_dropped(self, desk: Desk) -> None:
        def script(request: SectionRequest) -> Iterator[str | Unanswered | PossibleMatch]:
            if request.heading != "Team":
                yield from quote_all(request)
                return
            yield Unanswered(1)
            yield PossibleMatch(1, "Bo Diaz flies.", 1)
            yield PossibleMatch(1, "A hangar stands.", 1)
            yield PossibleMatch(0, "Bo Diaz flies.", 1)

        desk.writer.script = script
        draft = await write(desk, (await add(desk)).id)
        team = draft.sections[2]
        assert [match.text for match in team.possible_matches] == ["Bo Diaz flies.", "A hangar stands.", "Bo Diaz flies."]
        assert [citation.number for citation in draft.citations] == [1, team.possible_matches[0].number]

        async def decide(text: str, *, is_accepted: bool, question: str = "your hangar") -> DraftSectionRead:
            decision = MatchDecision(question=question, text=text, is_accepted=is_accepted)
            return await do(desk, lambda s: editing.decide_match(s, desk.actor, desk.core, draft.id, team.id, decision))

        same = await decide("Bo Diaz flies.", is_accepted=False, question="your team")
        assert [match.question for match in same.possible_matches] == ["your hangar", "your hangar"]
        dropped = await decide("Bo Diaz flies.", is_accepted=False)
        assert ([match.text for match in dropped.possible_matches], dropped.text) == (["A hangar stands."], team.text)
        added = await decide("A hangar stands.", is_accepted=True)
        number = team.possible_matches[1].number
        assert (added.text, added.possible_matches) == (f"A hangar stands. [{number}]", ())
        assert "your hangar" in added.done_questions
        with pytest.raises(Invalid):
            await decide("A hangar stands.", is_accepted=True)

    async def test_sources_are_the_actors_documents(self, desk: Desk) -> None:
        draft, _ = await written(desk)
        document_id = draft.citations[0].document_id
        chosen = DraftSources(document_ids=(document_id,))
        again = await do(desk, lambda s: editing.choose_sources(s, desk.actor, draft.id, chosen))
        assert again.document_ids == (document_id,)
        foreign = DraftSources(document_ids=(draft.id,))
        with pytest.raises(NotFound):
            await do(desk, lambda s: editing.choose_sources(s, desk.actor, draft.id, foreign))

    async def test_a_draft_is_renamed(self, desk: Desk) -> None:
        draft = await add(desk)
        named = await do(desk, lambda s: editing.rename_draft(s, desk.actor, draft.id, DraftTitle(title="  Roofs 2027 ")))
        assert named.title == "Roofs 2027"

    def test_its_title_has_no_hidden_characters(self) -> None:
        assert DraftTitle(title="Roofs\u202e\u200b").title == "Roofs"
        with pytest.raises(ValueError, match="no visible characters"):
            DraftTitle(title="\u200b\u202e")


class TestQuota:
    async def test_sections_that_the_writer_writes_again_or_in_addition_are_counted(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        async with desk.core.database.transaction() as session:
            boss = await add_account(session, "boss@example.org", name="Boss", role=Role.ADMIN)
            none = PlanChange(price_cents=0, workspaces=None, documents=None, drafts=0, imports=None)
            await billing.change_plan(session, boss, PlanCode.FREE, none, client=COMMAND_LINE)
        with pytest.raises(billing.QuotaSpent):
            await regenerate(desk, draft, roofs)
        new = NewSection(heading="Bridges", instructions="Our bridges")
        with pytest.raises(billing.QuotaSpent):
            await do(desk, lambda s: editing.add_section(s, desk.actor, desk.core, draft.id, new))
        # Canceling a draft and continuing it also writes a section again.
        async with desk.core.database.transaction() as session:
            await billing.change_plan(
                session,
                boss,
                PlanCode.FREE,
                PlanChange(price_cents=0, workspaces=None, documents=None, drafts=None, imports=None),
                client=COMMAND_LINE,
            )
            canceled = await service.start_draft(
                session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief"
            )
            await service.cancel_draft(session, desk.actor, canceled.id)
            await billing.change_plan(session, boss, PlanCode.FREE, none, client=COMMAND_LINE)
        with pytest.raises(billing.QuotaSpent):
            await do(desk, lambda s: service.continue_draft(s, desk.actor, desk.core, canceled.id))
        by_hand = NewSection(heading="Bridges")
        assert (await do(desk, lambda s: editing.add_section(s, desk.actor, desk.core, draft.id, by_hand))).heading == "Bridges"


class TestVersions:
    async def test_are_paged_and_compared_with_the_current_text(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await save(desk, draft, roofs, roofs.text.replace("repaired", "replaced"))
        page = await do(
            desk, lambda s: editing.list_versions(s, desk.actor, draft.id, roofs.id, PageRequest(page=2, page_size=1))
        )
        assert (page.total, [version.number for version in page.items]) == (2, [1])
        diff = await editing.compare_version(desk.core, desk.actor, draft.id, roofs.id, 1)
        assert [(p.kind, p.text) for p in diff.pieces if p.kind != "same"] == [("removed", "repaired"), ("added", "replaced")]

    async def test_only_the_latest_text_is_the_current_one_whatever_the_page(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        changed = await save(desk, draft, roofs, "Other words.")
        again = await save(desk, draft, changed, roofs.text)
        assert again.text == roofs.text

        async def current(page: int) -> list[tuple[int, bool]]:
            request = PageRequest(page=page, page_size=1)
            listed = await do(desk, lambda s: editing.list_versions(s, desk.actor, draft.id, roofs.id, request))
            return [(version.number, version.is_current) for version in listed.items]

        assert [await current(page) for page in (1, 2, 3)] == [[(3, True)], [(2, False)], [(1, False)]]

    async def test_a_hundred_of_a_section_are_kept(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        async with desk.core.database.transaction() as session:
            locked = await repository.lock_section(session, desk.actor.id, draft.id, roofs.id)
            for number in range(2, 103):
                await editing.change_text(session, locked, f"Text {number}.", origin=VersionOrigin.PERSON, author=desk.actor)
        kept = await versions(desk, draft, roofs)
        assert [version.number for version in kept] == list(range(102, 2, -1))
        assert kept[0].is_current

    @pytest.mark.parametrize("number", [0, -1, 2**31, 10**20])
    async def test_one_that_there_cannot_be_is_not_found(self, desk: Desk, number: int) -> None:
        draft, roofs = await written(desk)
        with pytest.raises(NotFound):
            await editing.compare_version(desk.core, desk.actor, draft.id, roofs.id, number)
        with pytest.raises(NotFound):
            await do(desk, lambda s: editing.restore_version(s, desk.actor, desk.core, draft.id, roofs.id, number))

    @pytest.mark.security(20)
    async def test_of_another_account_and_of_another_draft_are_not_found(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        other = await add(desk)
        async with desk.core.database.transaction() as session:
            bob = await add_account(session, "bob@example.org", name="Bob")

        def ways(section_id: UUID) -> list[Callable[[AsyncSession], Awaitable[object]]]:
            change = SectionSave(heading="x", text="x", based_on=roofs.revision)
            return [
                lambda s: editing.save_section(s, bob, desk.core, draft.id, section_id, change),
                lambda s: editing.list_versions(s, bob, draft.id, section_id, PageRequest()),
                lambda s: editing.restore_version(s, bob, desk.core, draft.id, section_id, 1),
                lambda _: editing.compare_version(desk.core, desk.actor, other.id, section_id, 1),
                lambda s: editing.save_section(s, desk.actor, desk.core, other.id, section_id, change),
                lambda s: editing.delete_section(s, desk.actor, other.id, section_id),
            ]

        for way in ways(roofs.id):
            with pytest.raises(NotFound):
                await do(desk, way)
        assert await read(desk, draft.id) == draft

    async def test_the_copy_of_an_account_has_those_of_sections_with_the_same_heading(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await save(desk, draft, draft.sections[2], "We have a foreman.", heading=roofs.heading)
        async with desk.core.database.transaction() as session:
            files = {file.name: file async for file in own_files(session, desk.actor, desk.core)}
        file = files[f"generation/drafts/{draft.id}-versions.json"]
        assert isinstance(file, DataFile) and isinstance(file.content, bytes)
        texts = [version["text"] for listed in json.loads(file.content).values() for version in listed]
        assert {roofs.text, "We have a foreman."} <= set(texts)

    @pytest.mark.security(53)
    async def test_the_copy_of_an_account_has_the_text_of_a_draft_which_is_made_in_a_process(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        removed = await add(desk)
        async with desk.core.database.transaction() as session:
            files = {file.name: file async for file in own_files(session, desk.actor, desk.core)}
        texts = [files[f"generation/drafts/{each.id}.md"] for each in (draft, removed)]
        await do(desk, lambda session: service.delete_draft(session, desk.actor, removed.id))
        contents = [await file.compute() for file in texts if isinstance(file, ComputedFile)]
        assert contents[0] is not None and roofs.text.partition(" [")[0] in contents[0].decode()
        assert contents[1:] == [None]

    async def test_leave_with_their_draft(self, desk: Desk) -> None:
        draft, roofs = await written(desk)
        await regenerate(desk, draft, roofs)
        await do(desk, lambda session: service.delete_draft(session, desk.actor, draft.id))
        await do(desk, lambda session: trash.delete_forever(session, desk.actor, desk.core, draft.id))
        assert await do(desk, lambda session: session.scalar(select(func.count(DraftVersion.id)))) == 0
        states = await do(desk, lambda s: s.scalars(select(Job.state).where(Job.kind == WriteSection.job_kind)))
        assert states.all() == [JobState.CANCELED]


async def test_waiting_for_checks_and_comparisons_holds_no_connection(desk: Desk) -> None:
    draft, roofs = await written(desk)
    slow = [asyncio.create_task(desk.core.computing.run(partial(computed.never, ""))) for _ in range(2)]
    reading = [asyncio.create_task(service.get_checked(desk.core, desk.actor, draft.id)) for _ in range(15)]
    comparing = [asyncio.create_task(editing.compare_version(desk.core, desk.actor, draft.id, roofs.id, 1)) for _ in range(15)]
    async with asyncio.timeout(30):
        for _ in range(50):  # meanwhile, the others start to wait
            await do(desk, lambda session: session.scalar(select(1)))
        await do(desk, lambda s: editing.rename_draft(s, desk.actor, draft.id, DraftTitle(title="Roofs 2027")))
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    assert {found.id for found in await asyncio.gather(*reading)} == {draft.id}
    assert {found.number for found in await asyncio.gather(*comparing)} == {1}
