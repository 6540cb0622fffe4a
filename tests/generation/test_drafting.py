from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from markdown_it import MarkdownIt
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, Invalid
from fundwright.core.jobs import JobState
from fundwright.core.messages import using_language
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactForm
from fundwright.generation import drafting, editing, service
from fundwright.generation.exporting import export
from fundwright.generation.schemas import (
    CitationStyle,
    DraftRead,
    DraftSources,
    DraftState,
    ExportFormat,
    Regeneration,
    Rewriting,
    SectionState,
    WriteDraft,
)
from fundwright.language.protocols import PossibleMatch, SectionRequest, Unanswered
from fundwright.opportunities.models import Opportunity, OpportunityText
from fundwright.reading.facts import FactField, FactKind
from fundwright.templates import service as templates
from fundwright.templates.schemas import NewCopy, TemplateRead, TemplateSave
from fundwright.training import adding, removing, runs
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from tests.generation.conftest import Desk, EndpointDown
from tests.notifications.test_service import listed
from tests.support.endpoints import DONE, answering, chunk, serving, writer_at
from tests.support.jobs import Trial, ended, trial, working
from tests.support.polling import eventually
from tests.support.signing_in import with_settings


async def add(desk: Desk, template: str = "brief") -> DraftRead:
    async with desk.core.database.transaction() as session:
        return await service.add_draft(session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template=template)


async def write(desk: Desk, draft_id: UUID) -> DraftRead:
    """Run the job to its end and return the draft."""
    await desk.core.jobs.run_inline(WriteDraft(draft_id=draft_id), title="Draft", owner_id=desk.actor.id)
    return await read(desk, draft_id)


async def written_draft(desk: Desk) -> DraftRead:
    """A draft that has been written from the documents of the desk."""

    async def make(_core: Core) -> DraftRead:
        return await write(desk, (await add(desk)).id)

    return await desk.snapshots.of(desk.core, make)


async def read(desk: Desk, draft_id: UUID) -> DraftRead:
    return await service.get_checked(desk.core, desk.actor, draft_id)


async def has_begun(desk: Desk, draft_id: UUID) -> DraftRead | None:
    draft = await read(desk, draft_id)
    return draft if draft.sections[0].text else None


async def has_ended(desk: Desk, draft_id: UUID) -> DraftRead | None:
    draft = await read(desk, draft_id)
    return draft if draft.state.is_over else None


class TestWriting:
    async def test_each_section_is_written_from_passages_and_cites_them(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        roofs, _, team = draft.sections
        assert draft.state == DraftState.FINISHED
        assert roofs.text == "Shingles gutters were repaired at Hill base in 2024. [1]"
        assert team.text == "Foreman electrician Bo Diaz holds a master license. [2]"
        assert [(c.number, c.document_title) for c in draft.citations] == [(1, "Roofs"), (2, "Team")]
        assert all(section.state == SectionState.DONE for section in draft.sections)
        (told,) = await listed(desk.core, desk.actor)
        assert (told.title, told.path) == (f"The draft “{draft.title}” is finished", f"/generate/slug/{draft.slug}")

    async def test_only_the_chosen_documents_are_cited(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            documents = {document.title: document.id for document in (await training.list_documents(session, desk.actor)).items}
            draft = await service.add_draft(
                session,
                desk.actor,
                desk.core,
                opportunity_id=desk.opportunity_id,
                template="brief",
                document_ids=[documents["Team"]],
                company=" Hill Roofing LLC ",
            )
        written = await write(desk, draft.id)
        assert (written.company, written.document_ids) == ("Hill Roofing LLC", (documents["Team"],))
        assert [citation.document_title for citation in written.citations] == ["Team"]

    async def test_documents_chosen_meanwhile_are_those_of_the_sections_still_to_be_written(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draft = await add(desk)
        async with desk.core.database.transaction() as session:
            documents = {document.title: document.id for document in (await training.list_documents(session, desk.actor)).items}
        finish = drafting._finish

        async def choose_then_finish(session: AsyncSession, *given: Any, **options: Any) -> Any:
            chosen = DraftSources(document_ids=(documents["Roofs"],))
            await editing.choose_sources(session, desk.actor, draft.id, chosen)
            return await finish(session, *given, **options)

        monkeypatch.setattr(drafting, "_finish", choose_then_finish)
        written = await write(desk, draft.id)
        assert [citation.document_title for citation in written.citations] == ["Roofs"]

    async def test_each_section_that_is_done_says_that_its_job_does_not_end_processes(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            draft = await service.start_draft(
                session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief"
            )
            await session.execute(update(jobs.Job).where(jobs.Job.id == draft.job_id).values(attempts=3))
        async with working(desk.core.jobs):
            await eventually(lambda: has_ended(desk, draft.id))
        async with desk.core.database.transaction() as session:
            assert await session.scalar(select(jobs.Job.attempts).where(jobs.Job.id == draft.job_id)) == 1

    async def test_a_draft_does_not_wait_for_long_jobs_of_anyone(self, desk: Desk) -> None:
        running, may_end = list[UUID | None](), asyncio.Event()

        async def wait(run: jobs.JobRun[Trial, None]) -> None:
            running.append(run.owner_id)
            await may_end.wait()

        desk.core.jobs.register(trial(wait))
        async with desk.core.database.transaction() as session:
            owners = (desk.actor.id, uuid4(), desk.actor.id)
            long = [await desk.core.jobs.enqueue(session, Trial(), title="Long", owner_id=owner) for owner in owners]
        async with working(desk.core.jobs):
            await eventually(lambda: len(running) == 3)
            async with desk.core.database.transaction() as session:
                draft = await service.start_draft(
                    session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief"
                )
            await eventually(lambda: has_ended(desk, draft.id))
            assert len(running) == 3
            may_end.set()
            for job in long:
                await ended(desk.core.jobs, job.id)

    async def test_the_quoted_words_of_a_passage_are_marked(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        citation = draft.citations[0]
        ((start, end),) = citation.quotes
        assert citation.text[start:end] == "Shingles gutters were repaired at Hill base in 2024."

    async def test_what_no_document_answers_is_an_open_question(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        assert draft.sections[1].text == ""
        assert draft.open_questions == (("Submarines", "your submarines"), ("Team", "your hangar"))

    async def test_a_writer_that_finds_no_answer_leaves_every_question_of_the_section_open(self, desk: Desk) -> None:
        desk.writer.script = lambda _request: (" ",)
        draft = await write(desk, (await add(desk)).id)
        assert draft.sections[2].open_questions == ("your team", "your hangar")
        assert draft.citations == ()

    async def test_a_question_that_the_writer_says_is_unanswered_is_open(self, desk: Desk) -> None:
        desk.writer.script = lambda _request: ("Bo Diaz is our foreman [1].", Unanswered(0))
        draft = await write(desk, (await add(desk)).id)
        assert draft.sections[0].text == "Bo Diaz is our foreman [1]."
        assert draft.sections[0].open_questions == ("your roofs",)
        assert draft.sections[2].open_questions == ("your team", "your hangar")

    async def test_of_a_question_that_the_text_answers_in_part_only_the_rest_is_open(self, desk: Desk) -> None:
        near = PossibleMatch(question=1, text="A mast.", number=1)
        desk.writer.script = lambda _request: ("Captain Bo Diaz is our foreman [1].", near, Unanswered(1))
        team = (await write(desk, (await add(desk)).id)).sections[2]
        assert team.open_questions == ("your mast",)
        assert [match.question for match in team.possible_matches] == ["your mast"]

    async def test_what_another_section_says_is_no_possible_match(self, desk: Desk) -> None:
        near = [PossibleMatch(question=1, text=text, number=1) for text in ("Bo Diaz is our foreman.", "A mast.")]
        desk.writer.script = lambda _request: ("Bo Diaz is our foreman [1].", *near, Unanswered(1))
        team = (await write(desk, (await add(desk)).id)).sections[2]
        assert [match.text for match in team.possible_matches] == ["A mast."]

    async def test_the_writer_receives_the_opportunity_and_the_length(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        request = desk.writer.requests[0]
        assert draft.opportunity_title in request.opportunity
        assert request.instructions == "Plainly. About 50 words."
        assert [passage.number for passage in request.passages] == list(range(1, len(request.passages) + 1))

    async def test_the_writer_receives_the_preceding_sections(self, desk: Desk) -> None:
        await write(desk, (await add(desk)).id)
        first, last = desk.writer.requests[0], desk.writer.requests[-1]
        assert first.written.strip() == ""
        assert "Shingles gutters were repaired" in last.written

    async def test_a_question_may_name_the_opportunity(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        assert desk.writer.requests[-1].questions == ("foreman electrician", f"zeppelin hangar {draft.opportunity_title}")

    async def test_made_up_citations_are_removed_and_counted(self, desk: Desk) -> None:
        desk.writer.script = lambda _request: ("We won a pr", "ize [", "77", "]. True [1].")
        draft = await write(desk, (await add(desk)).id)
        assert draft.sections[0].text == "We won a prize. True [1]."
        assert draft.sections[0].dropped_citations == 1

    async def test_what_an_endpoint_writes_loads_and_runs_nothing_and_cites_only_what_it_was_given(self, desk: Desk) -> None:
        answer = "Won [77], [9999] [1](javascript:alert(1)) ![](https://evil.example/?q=1) <img src=x onerror=alert(1)> [1]."
        async with serving(answering(chunk(json.dumps(answer)), DONE)) as address:
            core = with_settings(desk.core, **writer_at(address))
            desk.core = core.jobs.services = core
            draft = await write(desk, (await add(desk)).id)
        roofs = draft.sections[0]
        assert (roofs.dropped_citations, "77" in roofs.text, "9999" in roofs.text) == (2, False, False)
        content = export(draft, ExportFormat.MARKDOWN, citations=CitationStyle.NONE).content.decode()
        parsed = [token for block in MarkdownIt("commonmark").parse(content) for token in block.children or ()]
        assert not [token for token in parsed if token.type in ("image", "html_inline")]
        assert {token.attrs["href"] for token in parsed if token.type == "link_open"} == {"https://evil.example/?q=1"}

    async def test_a_passage_keeps_its_number_throughout_the_draft(self, desk: Desk) -> None:
        desk.writer.script = lambda request: [f"[{n.number}]" for n in reversed(request.passages)]
        draft = await write(desk, (await add(desk)).id)
        numbers = [citation.number for citation in draft.citations]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len({citation.passage_id for citation in draft.citations}) == len(numbers)

    @pytest.mark.security(41)
    async def test_bracketed_numbers_of_a_document_are_not_citations(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            pasted = PastedText(title="Paper", text="Shingles gutters last for decades [2], as [1] says.")
            paper = await adding.add_text(session, desk.actor, desk.core, pasted)
        await runs.run_inline(desk.core, desk.actor, [paper.id])
        draft = await write(desk, (await add(desk)).id)
        assert "last for decades, as says. [" in draft.sections[0].text

    @pytest.mark.security(39, 41)
    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("5000 [1][2]", "5000"),
            ("5000 [more](https://evil.example)", "5000 [more] (https://evil.example)"),
            ("# 5000", "5000"),
        ],
    )
    async def test_values_of_facts_cite_and_link_nothing(self, desk: Desk, value: str, shown: str) -> None:
        async with desk.core.database.transaction() as session:
            values = {FactField.LABEL: "Employees", FactField.VALUE: value}
            await facts.add_fact(session, desk.actor, FactForm(kind=FactKind.DETAIL, values=values))
        await write(desk, (await add(desk)).id)
        assert [fact.values[FactField.VALUE] for fact in desk.writer.requests[0].facts] == [shown]

    async def test_the_title_has_no_product_code(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            published = {"title": "J046--REPAIR OF THE ROOF"}
            await session.execute(update(Opportunity).where(Opportunity.id == desk.opportunity_id).values(published))
        draft = await write(desk, (await add(desk, "cover-letter")).id)
        assert (draft.title, draft.opportunity_title) == ("Cover letter: Repair of the Roof", "Repair of the Roof")
        assert "**Re: Repair of the Roof, " in draft.sections[0].text

    async def test_the_title_is_in_the_language_of_the_person_who_adds_it(self, desk: Desk) -> None:
        with using_language("de"):
            assert (await add(desk, "cover-letter")).title.startswith("Anschreiben: ")

    @pytest.mark.security(39, 41)
    async def test_the_author_of_a_notice_cannot_add_markdown_to_its_drafts(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            contacts = [{"name": "Bo # ![Fake](x)", "email": "", "phone": "", "title": ""}]
            title = "Roof [1] [link](https://x.example) <b>"
            of_notice = OpportunityText.opportunity_id == desk.opportunity_id
            await session.execute(update(OpportunityText).where(of_notice).values(contacts=contacts))
            await session.execute(update(Opportunity).where(Opportunity.id == desk.opportunity_id).values(title=title))
        opening = (await write(desk, (await add(desk, "cover-letter")).id)).sections[0].text.split("\n\n")[:4]
        assert opening[1].startswith(r"Bo # !\[Fake\](x)")
        assert opening[2].startswith(r"**Re: Roof \[1\] \[link\](https://x.example) \<b>, ")
        assert opening[3] == r"Dear Bo # !\[Fake\](x),"

    async def test_an_open_page_is_notified_of_text_while_it_is_written(self, desk: Desk) -> None:
        draft = await add(desk)
        heard: list[dict[str, Any]] = []
        with desk.core.live.subscribed(service.draft_topic(draft.id), heard.append):
            await write(desk, draft.id)
            await eventually(lambda: len(heard) > len(draft.sections))

    async def test_long_text_is_saved_before_the_section_ends(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright.generation.drafting._FLUSH_INTERVAL_S", 0.0)
        draft = await add(desk)
        desk.writer.pause.clear()
        desk.writer.before_piece = lambda _request, index: desk.writer.pause.set() if index == 0 else desk.writer.pause.clear()
        desk.writer.script = lambda _request: ("First words [1]. ", "Last words [1].")
        task = asyncio.create_task(write(desk, draft.id))
        underway = await eventually(lambda: has_begun(desk, draft.id))
        assert underway.state == DraftState.WRITING
        assert underway.sections[0].text.startswith("First words [1].")
        desk.writer.before_piece = lambda _request, _index: None
        desk.writer.pause.set()
        assert (await task).sections[0].text == "First words [1]. Last words [1]."

    async def test_a_removed_document_stays_readable_in_the_citation(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        async with desk.core.database.transaction() as session:
            await removing.remove_document(session, desk.actor, draft.citations[0].document_id)
        again = await read(desk, draft.id)
        assert again.citations == draft.citations

    async def test_an_account_without_documents_gets_open_questions_and_no_text(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            for document in (await training.list_documents(session, desk.actor)).items:
                await removing.remove_document(session, desk.actor, document.id)
        draft = await write(desk, (await add(desk)).id)
        assert draft.state == DraftState.FINISHED
        assert len(draft.open_questions) == 4
        assert desk.writer.requests == []


class TestStopping:
    async def test_a_failing_writer_leaves_its_message_and_the_work_done_so_far(self, desk: Desk) -> None:
        def fail(request: object, _index: int) -> None:
            if len(desk.writer.requests) == 2:
                raise EndpointDown("The endpoint at localhost:1 does not answer. Start it, then continue the draft.")

        desk.writer.before_piece = fail
        draft = await add(desk)
        with pytest.raises(EndpointDown):
            await write(desk, draft.id)
        failed = await read(desk, draft.id)
        assert failed.state == DraftState.FAILED
        assert failed.error == "The endpoint at localhost:1 does not answer. Start it, then continue the draft."
        assert failed.sections[0].state == SectionState.DONE
        assert failed.sections[2].state == SectionState.WAITING

    async def test_a_draft_whose_opportunity_was_removed_shows_a_message(self, desk: Desk) -> None:
        draft = await add(desk)
        async with desk.core.database.transaction() as session:
            await session.execute(text("DELETE FROM opportunity"))
        with pytest.raises(service.OpportunityRemoved):
            await write(desk, draft.id)
        failed = await read(desk, draft.id)
        assert failed.state == DraftState.FAILED
        assert failed.error is not None
        assert failed.error.startswith(f"“{draft.opportunity_title}” was removed, so this draft cannot be finished.")
        with pytest.raises(service.OpportunityRemoved):
            async with desk.core.database.transaction() as session:
                await service.continue_draft(session, desk.actor, desk.core, draft.id)

    async def test_continuing_writes_only_what_is_missing_and_nothing_twice(self, desk: Desk) -> None:
        desk.writer.script = lambda request: (f"Half {request.heading} [1]. ", f"Whole {request.heading} [1].")

        def die(_request: object, index: int) -> None:
            if index == 1 and len(desk.writer.requests) == 2:
                raise EndpointDown("Gone.")

        desk.writer.before_piece = die
        draft = await add(desk)
        with pytest.raises(EndpointDown):
            await write(desk, draft.id)
        desk.writer.before_piece = lambda _request, _index: None
        finished = await write(desk, draft.id)
        assert [request.heading for request in desk.writer.requests] == ["Roofs", "Team", "Team"]
        assert finished.state == DraftState.FINISHED
        assert finished.sections[2].text == "Half Team [1]. Whole Team [1].".replace("[1]", "[2]")
        assert [citation.number for citation in finished.citations] == [1, 2]

    async def test_a_canceled_draft_keeps_its_text_and_can_be_continued(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.generation.drafting._FLUSH_INTERVAL_S", 0.0)
        monkeypatch.setattr("fundwright.core.jobs._PROGRESS_INTERVAL_S", 0.0)
        desk.writer.script = lambda _request: ("Words [1]. " for _ in range(1_000))
        draft = await add(desk)
        task = asyncio.create_task(write(desk, draft.id))
        await eventually(lambda: has_begun(desk, draft.id))
        async with desk.core.database.transaction() as session:
            await service.cancel_draft(session, desk.actor, draft.id)
        with pytest.raises(Conflict):
            await asyncio.wait_for(task, 10)
        canceled = await read(desk, draft.id)
        assert canceled.state == DraftState.CANCELED
        assert canceled.sections[0].text.startswith("Words [1].")
        assert all(section.state == SectionState.WAITING for section in canceled.sections), "nothing is being written"
        async with desk.core.database.transaction() as session:
            continued = await service.continue_draft(session, desk.actor, desk.core, draft.id)
        assert continued.state == DraftState.QUEUED

    async def test_of_several_requests_to_continue_a_draft_one_does(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            draft = await service.start_draft(
                session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief"
            )
            await service.cancel_draft(session, desk.actor, draft.id)

        async def go_on() -> None:
            async with desk.core.database.transaction() as session:
                await service.continue_draft(session, desk.actor, desk.core, draft.id)

        outcomes = await asyncio.gather(*(go_on() for _ in range(6)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes if outcome is not None] == [Conflict] * 5


async def copied(desk: Desk, name: str) -> TemplateRead:
    async with desk.core.database.transaction() as session:
        return await templates.duplicate(session, desk.actor, desk.core, name, NewCopy())


async def changed(desk: Desk, template: TemplateRead) -> None:
    """Give the template another section instead of all others, and move it to the trash."""
    content = {"title": template.title, "sections": [{"heading": "Hats"}], "based_on": template.changed_at}
    given = TemplateSave.model_validate(content)
    async with desk.core.database.transaction() as session:
        await templates.save(session, desk.actor, desk.core, template.id, given)
        await templates.delete(session, desk.actor, template.id)


class TestOwnTemplates:
    @pytest.mark.parametrize("name", ["brief", "capability-statement", "project-summary", "cover-letter"])
    async def test_a_copy_asks_the_writer_for_the_same_and_gives_the_same_draft(self, desk: Desk, name: str) -> None:
        def essence(draft: DraftRead) -> object:
            sections = [(part.heading, part.text, part.open_questions, part.possible_matches) for part in draft.sections]
            return sections, [(cited.number, cited.text) for cited in draft.citations], draft.is_letter

        original = await write(desk, (await add(desk, name)).id)
        requests, desk.writer.requests = desk.writer.requests, []
        draft = await write(desk, (await add(desk, (await copied(desk, name)).name)).id)
        assert desk.writer.requests == requests
        assert essence(draft) == essence(original)
        assert (draft.template_title, draft.is_letter) == (f"{original.template_title} (2)", name == "cover-letter")

    async def test_a_draft_is_written_as_it_was_started_even_if_its_template_is_changed_and_deleted(self, desk: Desk) -> None:
        expected = await written_draft(desk)  # may restore the database, so it comes first
        template = await copied(desk, "brief")
        draft = await add(desk, template.title)
        desk.writer.before_piece = stop_in("Team")
        with pytest.raises(EndpointDown):
            await write(desk, draft.id)
        await changed(desk, template)
        desk.writer.before_piece = lambda _request, _index: None
        written = await write(desk, draft.id)  # it is continued
        assert [(part.heading, part.text, part.open_questions) for part in written.sections] == [
            (part.heading, part.text, part.open_questions) for part in expected.sections
        ]
        with pytest.raises(Invalid, match="no template named"):
            await add(desk, template.name)

    async def test_a_section_is_regenerated_from_what_the_draft_was_started_with(self, desk: Desk) -> None:
        template = await copied(desk, "brief")
        draft = await write(desk, (await add(desk, template.name)).id)
        await changed(desk, template)
        desk.writer.requests.clear()
        async with desk.core.database.transaction() as session:
            await editing.regenerate_section(session, desk.actor, desk.core, draft.id, draft.sections[2].id, Regeneration())
        async with working(desk.core.jobs):
            await eventually(lambda: is_regenerated(desk, draft.id))
        (request,) = desk.writer.requests
        assert (request.heading, request.questions[0]) == ("Team", "foreman electrician")


def stop_in(heading: str) -> Callable[[SectionRequest, int], None]:
    def stop(request: SectionRequest, _index: int) -> None:
        if request.heading == heading:
            raise EndpointDown("The endpoint is down.")

    return stop


async def is_regenerated(desk: Desk, draft_id: UUID) -> bool:
    return (await read(desk, draft_id)).sections[2].rewriting is Rewriting.SAME


async def test_a_queued_draft_is_written_by_a_worker(desk: Desk) -> None:
    async with desk.core.database.transaction() as session:
        draft = await service.start_draft(session, desk.actor, desk.core, opportunity_id=desk.opportunity_id, template="brief")
    assert draft.state == DraftState.QUEUED
    async with working(desk.core.jobs):
        finished = await eventually(lambda: has_ended(desk, draft.id))
    assert finished.state == DraftState.FINISHED
    assert finished.ended_at is not None
    assert finished.writer_label == "Scripted"
    async with desk.core.database.transaction() as session:
        assert finished.job_id is not None
        assert (await jobs.get(session, finished.job_id)).state == JobState.SUCCEEDED
