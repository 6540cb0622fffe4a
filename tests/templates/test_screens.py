"""The list of templates, and the editor of one."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from fundwright.accounts.schemas import Actor
from fundwright.core.scopes import acting_in
from fundwright.reading.topics import Topic
from fundwright.templates.schemas import TemplateRead
from fundwright_ui.screens.generate.generate import generate_screen
from fundwright_ui.screens.templates.template import template_screen
from fundwright_ui.screens.templates.templates_list import templates_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.templates.conftest import Office

LIST = "/generate/templates"


def opened(office: Office, actor: Actor, template: TemplateRead, query: str = "") -> AbstractAsyncContextManager[ScreenUnderTest]:
    path = f"{LIST}/{template.name}{query}"
    return mounted(office.core, actor, template_screen, path=path, params={"id": template.name})


class TestList:
    async def test_shows_own_and_included_templates_and_filters_them(self, office: Office) -> None:
        await office.create()
        with acting_in(office.bob.scope):
            async with mounted(office.core, office.bob, templates_screen, path=f"{LIST}?is_own=true") as screen:
                await screen.expect(lambda: len(screen.rows()) == 1 and "1 template" in screen.text)
                await screen.go(f"{LIST}?sort=-title")
                await screen.expect(
                    lambda: [row["title"]["label"] for row in screen.rows()][:2] == ["Safety plan", "Project summary"]
                )

    async def test_creates_one_that_is_empty_or_a_copy_and_opens_it(self, office: Office) -> None:
        with acting_in(office.bob.scope):
            async with mounted(office.core, office.bob, templates_screen, path=f"{LIST}?open=new") as screen:
                await screen.type("Title", "White paper")
                await screen.click("button", "Create template")
                await screen.expect(lambda: bool(screen.navigations))
            async with mounted(office.core, office.bob, templates_screen, path=f"{LIST}?open=new") as screen:
                await screen.type("Title", "White Paper")
                await screen.click("button", "Create template")
                await screen.expect(lambda: "already a template named" in screen.text)
                await screen.type("Title", "Letter")
                await screen.type("Start with", "cover-letter")
                await screen.click("button", "Create template")
                await screen.expect(lambda: bool(screen.navigations))
        letter, paper = await office.titles(office.ada, is_own=True)
        assert (letter, paper) == ("Letter", "White paper")

    async def test_a_viewer_creates_none(self, office: Office) -> None:
        with acting_in(office.vic.scope):
            async with mounted(office.core, office.vic, templates_screen, path=f"{LIST}?open=new") as screen:
                await screen.expect(lambda: len(screen.rows()) == 3)
                assert not screen.has("button", "New template") and "You can only view this workspace" in screen.text


class TestEditor:
    async def test_changes_a_section_and_keeps_topics_of_unchanged_questions(self, office: Office) -> None:
        template = await office.copy("capability-statement")
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=edit:5&questions=3") as screen:
                await screen.type("Heading", "About us")
                await screen.type("Question 1", "")
                await screen.type("Question 3", "What is our safety record?")
                await screen.type("Words", "300")
                await screen.click("button", "Save section")
                await screen.expect(lambda: "open=" not in screen.address)
                await screen.expect(lambda: "If it is missing: add your safety record." in screen.text)
        saved = (await office.read(office.ada, template.name)).sections[5]
        before = template.sections[5].questions
        assert (saved.heading, saved.words, saved.questions[0]) == ("About us", 300, before[1])
        assert [question.topic for question in saved.questions] == [Topic.CONTACT, None]

    async def test_adds_moves_and_deletes_sections(self, office: Office) -> None:
        template = await office.copy("cover-letter")
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=add") as screen:
                await screen.type("Heading", "Price")
                await screen.click("button", "Add the section")
                await screen.expect(lambda: screen.has("button", "Move Price up"))
                await screen.click("button", "Move Price up")
                await screen.expect(lambda: "“Price” is now section 4." in str(screen.toasts))
                await screen.expect(lambda: screen.find("button", "Move Contact down").is_disabled)
                await screen.click("button", "Delete Contact")
                await screen.expect(lambda: not screen.has("button", "Delete Contact"))
        assert (await office.read(office.ada, template.name)).headings[2:] == ("What we will deliver", "Price")

    async def test_what_someone_else_saved_is_not_overwritten(self, office: Office) -> None:
        template = await office.create()
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=edit:0") as screen:
                saved = await office.save(office.ada, template, title="Safety program")
                assert template.changed_at
                begun = {"heading": "Mine", "words": "100", "based_on": template.changed_at.isoformat()}
                await screen.emit("form", "on_submit", fields=begun)
                await screen.expect(lambda: "has been changed since you opened it" in screen.text)
        assert await office.read(office.bob, template.name) == saved

    async def test_the_section_that_someone_edits_stays_where_others_move_or_delete_sections(self, office: Office) -> None:
        template = await office.copy("cover-letter")
        others = template.content.sections[1:]
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=edit:3") as screen:
                await screen.expect(lambda: screen.value("Heading") == "Contact")
                await office.save(office.ada, template, title="Letter", sections=others)
                await screen.expect(lambda: screen.has("textbox", "Heading") and screen.value("Heading") == "Contact")
                await screen.type("Heading", "Our contact")
                await screen.click("button", "Save section")
                await screen.expect(lambda: "has been changed since you opened it" in screen.text)
                assert screen.value("Heading") == "Our contact"
            async with opened(office, office.bob, template, "?open=edit:3") as screen:
                await screen.expect(lambda: screen.has("button", "Edit Contact"))

    async def test_refuses_what_is_not_valid_at_its_field(self, office: Office) -> None:
        template = await office.create()
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=edit:0") as screen:
                await screen.type("Opening", "Dear {company.name}")
                await screen.click("button", "Save section")
                await screen.expect(lambda: "Braces are only for placeholders" in screen.text)
        assert await office.read(office.bob, template.name) == template

    async def test_changes_details_and_goes_to_the_trash(self, office: Office) -> None:
        template = await office.create()
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, template, "?open=details") as screen:
                await screen.type("Title", "Safety program")
                await screen.click("button", "Save")
                await screen.expect(lambda: "Safety program" in screen.text and "open=" not in screen.address)
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: screen.navigations[-1:] == [LIST])
        assert await office.titles(office.ada, is_own=True) == []

    async def test_an_included_template_is_only_copied(self, office: Office) -> None:
        included = await office.read(office.bob, "project-summary")
        with acting_in(office.bob.scope):
            async with opened(office, office.bob, included, "?open=edit:0") as screen:
                await screen.expect(lambda: screen.has("button", "Duplicate and change"))
                assert not screen.has("button", "Save section") and not screen.has("button", "Edit Approach")
                await screen.click("button", "Duplicate and change")
                await screen.expect(lambda: bool(screen.navigations))
        assert await office.titles(office.ada, is_own=True) == ["Project summary (2)"]

    async def test_a_viewer_reads(self, office: Office) -> None:
        template = await office.create()
        with acting_in(office.vic.scope):
            async with opened(office, office.vic, template, "?open=edit:0") as screen:
                await screen.expect(lambda: "What is our safety record?" in screen.text)
                assert not screen.has("button", "Edit Record") and not screen.has("link", "Use template")
                assert screen.has("link", "Download") and not screen.has("button", "Move to trash")

    async def test_of_another_workspace_is_not_found(self, office: Office) -> None:
        template = await office.create()
        with acting_in(office.eve.scope):
            async with opened(office, office.eve, template) as screen:
                await screen.expect(lambda: "The template was not found" in screen.text)


async def test_generate_offers_own_templates_first(office: Office) -> None:
    template = await office.create()
    with acting_in(office.bob.scope):
        async with mounted(office.core, office.bob, generate_screen, path=f"/generate/index?template={template.name}") as screen:
            await screen.expect(lambda: bool(screen.elements("radio")))
            radios = screen.elements("radio")
            assert [each.props["value"] for each in radios][:2] == [template.name, "capability-statement"]
            assert screen.find("link", "Edit template").props["href"] == f"{LIST}/{template.name}"
            later = await office.create(title="A plan")
            await screen.expect(lambda: screen.elements("radio")[0].props["value"] == later.name)
