"""Templates of a workspace: who may do what with them, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
from pydantic import ValidationError
from sqlalchemy import select

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.personal_data import DataFile
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.errors import Invalid, NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.templates import files, service
from fundwright.templates.builtin import CAPABILITY_STATEMENT, COVER_LETTER, TEMPLATES
from fundwright.templates.personal_data import own_files
from fundwright.templates.schemas import (
    MOST_QUESTIONS,
    MOST_SECTIONS,
    DraftTemplate,
    NewTemplate,
    TemplateContent,
    TemplateQuery,
    TemplateQuestion,
    TemplateSection,
    missing_answer,
)
from fundwright.trash import service as trash
from tests.support.polling import eventually
from tests.templates.conftest import RECORD, Office

INCLUDED = ["Capability statement", "Project summary", "Cover letter"]


def test_headings_and_questions_are_lines_that_can_be_seen() -> None:
    question = TemplateQuestion(ask="What is\nour\u202e plan?")
    planned = TemplateSection(heading="Our\n# plan", questions=(question,), opening="To\x0b \u202e{company}\r\nnow")
    (section,) = TemplateContent(title="Plan", sections=(planned,)).sections
    assert section.opening == "To {company}\nnow"
    assert (section.heading, section.questions[0].ask) == ("Our # plan", "What is our plan?")
    for hidden in (
        TemplateSection(heading="\u200b"),
        TemplateSection(heading="Plan", questions=(TemplateQuestion(ask="\u3164"),)),
    ):
        with pytest.raises(ValidationError, match="no visible characters"):
            TemplateContent(title="Plan", sections=(hidden,))
    assert [DraftTemplate.model_validate(each.model_dump()) for each in TEMPLATES] == list(TEMPLATES)


class TestList:
    async def test_own_templates_come_first_by_title_and_others_do_not_see_them(self, office: Office) -> None:
        await office.create(title="White paper")
        await office.create(title="safety plan")
        assert await office.titles(office.vic) == ["safety plan", "White paper", *INCLUDED]
        assert await office.titles(office.eve) == INCLUDED

    async def test_is_filtered_sorted_and_paged(self, office: Office) -> None:
        await office.create(title="White paper", description="For a program officer")
        assert await office.titles(office.ada, text="OFFICER") == ["White paper", "Capability statement"]
        assert await office.titles(office.ada, text="differentiators") == ["Capability statement"]
        assert await office.titles(office.ada, is_own=True) == ["White paper"]
        assert await office.titles(office.ada, is_own=False) == INCLUDED
        assert await office.titles(office.ada, sort="-title", page_size=2) == ["White paper", "Project summary"]
        assert await office.titles(office.ada, sort="-title", page_size=2, page=2) == ["Cover letter", "Capability statement"]
        assert await office.titles(office.ada, sort="sections") == [
            "White paper", "Cover letter", "Project summary", "Capability statement"
        ]  # fmt: skip
        assert (await office.titles(office.ada, sort="-changed_at"))[0] == "White paper"

    async def test_included_templates_are_listed_in_the_readers_language(self, office: Office) -> None:
        await office.create(title="Contact")
        with using_language("de"):
            listed = await office.do(office.ada, lambda session: service.list_all(session, office.ada, office.core))
            assert [row.shown_title for row in listed[:2]] == ["Contact", "Leistungsprofil"]

    async def test_the_whole_list_is_exported(self, office: Office) -> None:
        await office.create()
        lines = await office.do(
            office.vic,
            lambda session: _joined(service.export_templates(session, office.vic, office.core, TemplateQuery(page_size=1))),
        )
        assert "Safety plan,,Record,This workspace,Ada," in lines
        assert lines.count("Included") == len(INCLUDED)


async def _joined(lines: AsyncIterator[str]) -> str:
    return "".join([line async for line in lines])


class TestCreate:
    async def test_keeps_who_made_it_and_tells_activity_and_open_pages(self, office: Office) -> None:
        heard: list[object] = []
        with office.core.live.subscribed(service.templates_topic(office.ada.workspace_id), heard.append):
            made = await office.create()
            await eventually(lambda: heard)
        assert (made.title, made.created_by, made.changed_by, made.is_own, made.headings) == (
            "Safety plan", "Ada", "Ada", True, ("Record",)
        )  # fmt: skip
        entries = await office.do(
            office.vic, lambda session: activity.list_activity(session, office.vic, office.core, ActivityQuery())
        )
        assert [(entry.sentence, entry.path) for entry in entries.items][:1] == [
            ("Ada created the template “Safety plan”", f"/generate/templates/{made.name}")
        ]

    async def test_a_repeated_request_makes_no_second_one(self, office: Office) -> None:
        assert await office.create(key="1") == await office.create(key="1")
        assert (await office.copy("cover-letter", key="2")).name == (await office.copy("cover-letter", key="2")).name
        assert await office.titles(office.ada, is_own=True) == ["Cover letter (2)", "Safety plan"]

    @pytest.mark.parametrize("title", ["SAFETY plan", "cover letter"])
    async def test_a_title_that_is_taken_is_refused(self, office: Office, title: str) -> None:
        await office.create()
        with pytest.raises(service.TitleTaken, match=f"already a template named “{title}”"):
            await office.create(office.bob, title=title)
        assert (await office.create(office.eve, title="Safety plan")).title == "Safety plan"

    async def test_viewers_may_not(self, office: Office) -> None:
        with pytest.raises(NotAllowed):
            await office.create(office.vic)

    async def test_a_workspace_has_a_limited_number(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MOST_TEMPLATES", 1)
        first = await office.create()
        with pytest.raises(service.TooManyTemplates, match="at most 1 templates"):
            await office.create(title="Another")
        await office.delete(office.ada, first)
        await office.create(title="Another")
        with pytest.raises(service.TooManyTemplates):
            await office.do(office.ada, lambda session: trash.restore(session, office.ada, office.core, first.id))


class TestCopy:
    @pytest.mark.parametrize("original", TEMPLATES, ids=lambda original: original.name)
    async def test_differs_only_in_its_title(self, office: Office, original: DraftTemplate) -> None:
        copied = await office.copy(original.name)
        assert copied.content == TemplateContent(**original.model_dump(exclude={"name", "title"}), title=f"{original.title} (2)")

    async def test_of_an_own_one_gets_the_next_number(self, office: Office) -> None:
        made = await office.create(title="x" * 100)
        await office.copy(made.name)
        assert (await office.copy(made.name)).title == f"{'x' * 92} (3)"

    async def test_of_another_workspace_is_refused(self, office: Office) -> None:
        made = await office.create()
        with pytest.raises(NotFound):
            await office.copy(made.name, office.eve)


class TestSave:
    async def test_replaces_the_whole_content(self, office: Office) -> None:
        made = await office.create()
        saved = await office.save(
            office.bob, made, title="Safety program", sections=[{"heading": "Program"}, RECORD], is_letter=True
        )
        assert (saved.title, saved.headings, saved.is_letter, saved.changed_by) == (
            "Safety program", ("Program", "Record"), True, "Bob"
        )  # fmt: skip
        assert saved == await office.read(office.vic, made.name)

    async def test_of_an_outdated_one_is_refused_and_changes_nothing(self, office: Office) -> None:
        made = await office.create()
        saved = await office.save(office.bob, made, title="Safety program")
        with pytest.raises(service.TemplateChangedMeanwhile):
            await office.save(office.ada, made, description="Two pages")
        assert await office.read(office.ada, made.name) == saved
        assert await office.save(office.ada, made, title="Safety program") == saved  # a repeated save

    async def test_keeps_its_own_title_and_takes_no_other(self, office: Office) -> None:
        made = await office.create()
        await office.create(title="White paper")
        assert (await office.save(office.ada, made, title="safety PLAN")).title == "safety PLAN"
        with pytest.raises(service.TitleTaken):
            await office.save(office.ada, await office.read(office.ada, made.name), title="White Paper")

    async def test_viewers_and_others_may_not(self, office: Office) -> None:
        made = await office.create()
        with pytest.raises(NotAllowed):
            await office.save(office.vic, made, title="Mine")
        with pytest.raises(NotFound):
            await office.save(office.eve, made, title="Mine")


class TestDelete:
    async def test_moves_it_to_the_trash_and_restoring_gives_it_a_free_title(self, office: Office) -> None:
        made = await office.create()
        await office.delete(office.bob, made)
        with pytest.raises(NotFound):
            await office.read(office.ada, made.name)
        again = await office.create()
        await office.do(office.ada, lambda session: trash.restore(session, office.ada, office.core, made.id))
        assert await office.titles(office.ada, is_own=True) == ["Safety plan", "Safety plan (2)"]
        assert (await office.read(office.ada, made.name)).sections == again.sections

    async def test_is_in_the_audit_trail_by_its_id(self, office: Office) -> None:
        made = await office.create()
        await office.delete(office.ada, made)
        async with office.core.database.transaction() as session:
            entries = await session.scalars(select(AuditEntry).where(AuditEntry.action == "template.deleted"))
            assert [(entry.actor_id, entry.subject) for entry in entries] == [(office.ada.id, made.name)]

    async def test_viewers_and_others_may_not(self, office: Office) -> None:
        made = await office.create()
        for actor, refusal in ((office.vic, NotAllowed), (office.eve, NotFound)):
            with pytest.raises(refusal):
                await office.delete(actor, made)


class TestLookUp:
    async def test_finds_names_ids_and_own_titles(self, office: Office) -> None:
        made = await office.create()
        for reference, title in (("cover-letter", "Cover letter"), (made.name, "Safety plan"), (" safety PLAN", "Safety plan")):
            found = await office.do(
                office.vic,
                lambda session, reference=reference: service.look_up(session, office.vic, office.core, reference),
            )
            assert found.title == title

    async def test_an_unknown_name_is_refused_and_the_known_ones_are_listed(self, office: Office) -> None:
        await office.create()
        known = "no template named “poem”. Choose one of these: Safety plan, capability-statement, project-summary, cover-letter"
        with pytest.raises(Invalid, match=known):
            await office.do(office.ada, lambda session: service.look_up(session, office.ada, office.core, "poem"))


class TestFile:
    async def test_holds_what_a_copy_has(self, office: Office) -> None:
        copied = await office.copy("cover-letter")
        assert files.read(service.as_file(copied)) == copied.content
        assert json.loads(service.as_file(copied))["sections"][0]["heading"] == COVER_LETTER.sections[0].heading

    def test_may_begin_with_the_mark_that_editors_write(self) -> None:
        assert files.read(b'\xef\xbb\xbf{"title": "A", "sections": [{"heading": "B"}]}').title == "A"

    async def test_has_a_limited_size(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b" " * 400_000

        with pytest.raises(Invalid, match="at most 1 MB"):
            await service.receive(pieces())

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b'{\n "title": "A",\n "sections": [}', "line 3 column 15"),
            (b'{"title": "A", "sections": [{"heading": "B"}, {"heading": ""}]}', r"sections\.2\.heading: String should have"),
            (b'{"title": "A", "sections": [{"heading": "B", "questions": [{"ask": "C", "x": 1}]}]}', r"sections\.1\.questions\.1\.x: "),
            (b'{"title": "A", "sections": [{"heading": "B", "opening": "{company.x}"}]}', "Braces are only for placeholders"),
            (b"\xff", "is not a template"),
            (b"[" * 100_000, "is not a template"),
        ],
    )  # fmt: skip
    def test_errors_name_the_line_or_the_path(self, content: bytes, message: str) -> None:
        with pytest.raises(Invalid, match=message):
            files.read(content)


class TestContent:
    def test_is_limited(self) -> None:
        section = {"heading": "A"}
        question = {"ask": "b"}
        too_much: list[dict[str, object]] = [
            {"sections": []},
            {"sections": [section] * (MOST_SECTIONS + 1)},
            {"sections": [section | {"questions": [question] * (MOST_QUESTIONS + 1)}]},
            {"sections": [section | {"questions": [{"ask": " "}]}]},
            {"sections": [section | {"words": 9}]},
            {"sections": [section], "title": "\u200b"},
            {"sections": [section | {"instructions": "x" * 2_000, "opening": "y" * 2_000}] * 30},
        ]
        for content in too_much:
            with pytest.raises(ValidationError):
                NewTemplate.model_validate({"title": "A", **content})
        with pytest.raises(ValidationError, match="can have at most 100,000 characters, and this one has 12"):
            NewTemplate.model_validate({"title": "A", **too_much[-1]})

    @pytest.mark.parametrize("opening", ["{", "{other}", "{company.__class__}", "{date:>9999999}", "{number!r}", "{}"])
    def test_an_opening_has_only_known_placeholders(self, opening: str) -> None:
        with pytest.raises(ValidationError, match="Braces are only for placeholders"):
            TemplateSection(heading="A", opening=opening)

    def test_headings_of_included_templates_differ(self) -> None:
        for template in TEMPLATES:
            headings = [section.heading for section in template.sections]
            assert len(set(headings)) == len(headings)

    def test_without_questions_the_heading_is_asked(self) -> None:
        (question,) = TemplateSection(heading="Safety").asked
        assert (question.ask, question.missing_from("")) == ("Safety", "a document about “Safety”")
        assert CAPABILITY_STATEMENT.sections[0].asked == CAPABILITY_STATEMENT.sections[0].questions


class TestMissing:
    @pytest.mark.parametrize(
        ("ask", "missing"),
        [
            ("What is our safety record?", "your safety record"),
            ("Who are the key personnel, with which qualifications?", "a document that answers “Who are the key personnel, with which qualifications?”"),
            ("Which insurance do we have?", "your insurance"),
            ("Quality control", "a document that answers “Quality control”"),
        ],
    )  # fmt: skip
    def test_is_derived_from_the_question_unless_it_is_given(self, ask: str, missing: str) -> None:
        assert missing_answer(ask) == TemplateQuestion(ask=ask).missing_from("") == missing
        assert TemplateQuestion(ask=ask, missing="a plan").missing_from("") == "a plan"

    def test_a_part_that_the_text_answers_is_left_out(self) -> None:
        question = TemplateQuestion(ask="Who helps?", missing="who helps", answered=("our partners",), remaining="the data")
        assert (question.missing_from("Our  partnership"), question.missing_from("with OUR PARTNERS.")) == (
            "who helps",
            "the data",
        )


class TestPersonalData:
    async def test_has_the_templates_also_those_in_the_trash(self, office: Office) -> None:
        kept, trashed = await office.create(), await office.create(title="White paper")
        await office.delete(office.ada, trashed)
        files = await office.do(office.ada, lambda session: _all(own_files(session, office.ada, office.core)))
        found = {
            file.name: [each["title"] for each in json.loads(file.content)] for file in files if isinstance(file.content, bytes)
        }
        assert found == {"templates/templates.json": [kept.title], "templates/templates_in_trash.json": [trashed.title]}


async def _all(files: AsyncIterator[DataFile]) -> list[DataFile]:
    return [file async for file in files]
