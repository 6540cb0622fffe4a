from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from uuid import uuid4

import pytest
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy import update

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import CommentForm
from fundwright.core.database import now
from fundwright.core.paging import PageRequest
from fundwright.core.presence import Presence
from fundwright.generation import editing, repository, service
from fundwright.generation.schemas import DraftRead, DraftSources, DraftState, KeptText, SectionSave, SectionText, VersionOrigin
from fundwright.language.protocols import PossibleMatch, SectionRequest, Unanswered
from fundwright.opportunities.models import Opportunity
from fundwright.reading.document import Missing
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.report import ReadingReport, UnreadPart
from fundwright.training import adding, runs
from fundwright.training import service as training
from fundwright.training.models import Document
from fundwright.training.schemas import PastedText
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, WorkspaceForm
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.screens.generate.draft_passages import cited_documents, title_within
from fundwright_ui.screens.generate.generate import generate_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.generation.conftest import Desk, EndpointDown
from tests.generation.drafts import citation, draft
from tests.generation.test_drafting import add, read, write, written_draft
from tests.generation.test_editing import save
from tests.support.accounts import add_account

INDEX = "/generate/index"


def test_the_editor_tells_the_passages_of_a_document_apart() -> None:
    assert title_within(citation(1)) == "Past work · Projects · page 3"
    assert title_within(citation(1, heading=(), page=None)) == "Past work"


class TestGenerateScreen:
    async def test_an_opportunity_and_a_template_make_a_draft_and_open_it(self, desk: Desk) -> None:
        async with mounted(desk.core, desk.actor, generate_screen, path=f"{INDEX}?opportunity={desk.opportunity_id}") as screen:
            assert screen.find("button", "Generate").is_disabled
            assert "Choose a template first." in screen.text
            (radio,) = [each for each in screen.elements("radio") if each.props["value"] == "brief"]
            await screen.view.handle(radio.node["e"]["onChange"]["h"], {"value": "brief", "checked": True}, 1)
            await screen.expect(lambda: not screen.find("button", "Generate").is_disabled)
            await screen.click("button", "Generate")
            (path,) = [path for path in screen.navigations if path.startswith("/generate/slug/")]
        draft = await service.get_by_slug(desk.core, desk.actor, path.rsplit("/", 1)[1])
        assert (draft.template, draft.opportunity_id, draft.state) == ("brief", desk.opportunity_id, DraftState.QUEUED)

    async def test_a_draft_is_written_from_the_chosen_documents_of_the_company(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            documents = {document.title: document for document in (await training.list_documents(session, desk.actor)).items}
            await training.choose_kind(session, desk.actor, desk.core, documents["Team"].id, DocumentKind.RESUME)
            notice = await adding.add_text(session, desk.actor, desk.core, PastedText(title="RFP", text="Offerors shall bid."))
            await training.choose_kind(session, desk.actor, desk.core, notice.id, DocumentKind.NOTICE)
        await runs.run_inline(desk.core, desk.actor, [notice.id])
        path = f"{INDEX}?opportunity={desk.opportunity_id}&template=brief"
        async with mounted(desk.core, desk.actor, generate_screen, path=path) as screen:
            await screen.expect(lambda: {box.name for box in screen.elements("checkbox")} == {"Roofs", "Team"})
            assert "RFP" in screen.text
            await screen.check("Roofs", False)
            await screen.type("Company or organization name", "Hill Roofing LLC")
            assert "company=Hill+Roofing+LLC" in screen.address
        async with mounted(desk.core, desk.actor, generate_screen, path=screen.address) as screen:
            await screen.expect(lambda: screen.has("checkbox", "Roofs") and not screen.find("checkbox", "Roofs").props["checked"])
            await screen.click("button", "Generate")
            (path,) = [path for path in screen.navigations if path.startswith("/generate/slug/")]
        draft = await service.get_by_slug(desk.core, desk.actor, path.rsplit("/", 1)[1])
        assert (set(draft.document_ids), draft.company) == ({documents["Team"].id, notice.id}, "Hill Roofing LLC")
        async with mounted(
            desk.core, desk.actor, generate_screen, path=f"{INDEX}?opportunity={desk.opportunity_id}&template=brief"
        ) as screen:
            company = screen.find("textbox", "Company or organization name")
            await screen.expect(lambda: company.props["value"] == "Hill Roofing LLC")
            await screen.check("Team", False)
            await screen.click("button", "Generate")
            assert "Choose at least one of your documents." in screen.toasts

    async def test_company_and_documents_of_the_last_draft_are_named_and_reset_with_one_click(self, desk: Desk) -> None:
        about = "# Hill Roofing LLC\n\nHill Roofing LLC is a small business in Salina. Hill Roofing LLC was founded in 2009."
        async with desk.core.database.transaction() as session:
            document = await adding.add_text(session, desk.actor, desk.core, PastedText(title="About us", text=about))
        await runs.run_inline(desk.core, desk.actor, [document.id])
        path = f"{INDEX}?opportunity={desk.opportunity_id}&template=brief"
        async with mounted(desk.core, desk.actor, generate_screen, path=path) as screen:
            await screen.expect(lambda: screen.has("checkbox", "Roofs"))
            assert screen.value("Company or organization name") == "Hill Roofing LLC"
            assert "last draft" not in screen.text
            assert not screen.has("button", "Choose all documents")
            await screen.type("Company or organization name", "Harbor Light Literacy")
            await screen.check("Roofs", False)
            await screen.expect("Chosen documents: 2 of 3.")
            await screen.click("button", "Choose all documents")
            await screen.expect(lambda: not screen.has("button", "Choose all documents"))
            assert screen.value("Company or organization name") == "Harbor Light Literacy"
            await screen.check("Roofs", False)
            await screen.click("button", "Generate")
        async with mounted(desk.core, desk.actor, generate_screen, path=path) as screen:
            await screen.expect("Company from your last draft: Harbor Light Literacy. Chosen documents: 2 of 3.")
            await screen.click("button", "Use Hill Roofing LLC and all documents")
            await screen.expect(lambda: "Chosen documents" not in screen.text)
            assert screen.value("Company or organization name") == "Hill Roofing LLC"
            assert screen.find("checkbox", "Roofs").props["checked"]

    async def test_a_group_of_documents_is_chosen_at_once(self, desk: Desk) -> None:
        async with desk.core.database.transaction() as session:
            texts = [PastedText(title=f"Job {number}", text=f"Job {number}.") for number in range(7)]
            added = [await adding.add_text(session, desk.actor, desk.core, text) for text in texts]
        await runs.run_inline(desk.core, desk.actor, [document.id for document in added])
        async with desk.core.database.transaction() as session:
            for document in (await training.list_documents(session, desk.actor)).items:
                await training.choose_kind(session, desk.actor, desk.core, document.id, DocumentKind.ABOUT_US)
            untrained = PastedText(title="Broken scan", text="Not trained yet.")
            await adding.add_text(session, desk.actor, desk.core, untrained)
        path = f"{INDEX}?opportunity={desk.opportunity_id}&template=brief"
        async with mounted(desk.core, desk.actor, generate_screen, path=path) as screen:
            await screen.expect(lambda: "About us · 9 of 9" in screen.text)
            assert len(screen.elements("checkbox")) == 5
            await screen.click("button", "Show 4 more")
            await screen.expect(lambda: len(screen.elements("checkbox")) == 9)
            await screen.click("button", "Choose none: About us")
            await screen.expect(lambda: "About us · 0 of 9" in screen.text)
            await screen.type("Search your documents", "job 3")
            await screen.expect(lambda: [box.name for box in screen.elements("checkbox")] == ["Job 3"])
            await screen.check("Job 3")
            await screen.expect(lambda: "About us · 1 of 9" in screen.text)

    async def test_an_opportunity_is_found_by_its_words(self, desk: Desk) -> None:
        title = (await add(desk)).opportunity_title
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            await screen.type("Search opportunities", title)
            await screen.click("button", f"Choose {title}")
            assert screen.address == f"{INDEX}?opportunity={desk.opportunity_id}"
            assert screen.has("article", title)
            await screen.click("button", "Choose another")
            assert screen.has("searchbox", "Search opportunities")

    async def test_opportunities_in_own_categories_are_offered_first(self, desk: Desk) -> None:
        title = (await add(desk)).opportunity_title
        async with desk.core.database.transaction() as session:
            await session.execute(
                update(Opportunity).values(due_at=now() + timedelta(days=9), closes_at=now() + timedelta(days=9))
            )
            category = await categories.create(session, desk.actor, CategoryCreate(name="Mine"))
            await categories.accept(session, desk.actor, desk.core, desk.opportunity_id, category.id)
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            (offered,) = (button.name for button in screen.elements("button") if button.name.startswith("Choose "))
            assert offered == f"Choose {title}"

    async def test_when_every_opportunity_is_closed_it_says_how_to_find_one(self, desk: Desk) -> None:
        title = (await add(desk)).opportunity_title
        async with desk.core.database.transaction() as session:
            await session.execute(update(Opportunity).values(closes_at=now() - timedelta(days=1)))
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            assert "There are no open opportunities. Search to find closed ones" in screen.text
            await screen.type("Search opportunities", title)
            assert screen.has("button", f"Choose {title}")

    async def test_words_that_nothing_has_show_a_message(self, desk: Desk) -> None:
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            await screen.type("Search opportunities", "xylophonequartz")
            assert "No results. Try other words." in screen.text

    @pytest.mark.parametrize("opportunity", ["00000000-0000-0000-0000-000000000000", "nonsense"])
    async def test_a_link_to_an_opportunity_that_is_gone_shows_a_message(self, desk: Desk, opportunity: str) -> None:
        async with mounted(desk.core, desk.actor, generate_screen, path=f"{INDEX}?opportunity={opportunity}") as screen:
            assert "The opportunity in this link no longer exists." in screen.text

    async def test_the_writer_in_use_is_named_with_a_link_to_connect_another(self, desk: Desk) -> None:
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            assert "Writer: Scripted" in screen.text
            assert screen.find("link", "Connect another language model").props["href"] == "/help/language-model"

    async def test_drafts_are_listed_filtered_and_deleted(self, desk: Desk) -> None:
        finished = await written_draft(desk)
        await add(desk, "cover-letter")
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            assert len(screen.find("list", "Drafts").node["c"]) == 2
            await screen.choose("Status", "finished")
            assert screen.address == f"{INDEX}?state=finished"
            await screen.click("button", f"Move {finished.title} to trash")
            assert screen.toasts == [f"“{finished.title}” was moved to the trash."]
            assert "Moved to trash" in screen.find("list", "Drafts").text
            assert not screen.has("button", f"Move {finished.title} to trash")
        async with mounted(desk.core, desk.actor, generate_screen, path=f"{INDEX}?state=finished") as screen:
            assert "No drafts with this status." in screen.text

    async def test_without_drafts_it_says_where_the_first_will_be(self, desk: Desk) -> None:
        async with mounted(desk.core, desk.actor, generate_screen, path=INDEX) as screen:
            assert "No drafts yet." in screen.text


def opened(
    desk: Desk, draft: DraftRead, *, actor: Actor | None = None, query: str = ""
) -> AbstractAsyncContextManager[ScreenUnderTest]:
    path = f"/generate/slug/{draft.slug}{query}"
    return mounted(desk.core, actor or desk.actor, draft_screen, path=path, params={"token": draft.slug})


class TestDraftScreen:
    async def test_a_finished_draft_shows_its_text_sources_and_open_questions(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert screen.title == draft.title
            texts = [view.props["text"] for view in screen.elements("MarkdownView")]
            assert texts == [section.text for section in draft.sections if section.text]
            assert "Not in your documents: add your submarines." in screen.find("region", "Submarines").text
            sources = screen.find("list", "Sources").text
            assert "About us · cited 1 time 1 Shingles gutters were repaired" in sources  # it has no heading
            assert screen.has("button", "Word")  # first shows what to look at

    async def test_sources_that_are_not_cited_name_what_was_not_read_of_them(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with desk.core.database.transaction() as session:
            text = PastedText(title="Boats", text="We are a crew that sails ferries across the harbor every day.")
            boats = await adding.add_text(session, desk.actor, desk.core, text)
        await runs.run_inline(desk.core, desk.actor, [boats.id])
        cited = {citation.document_title for citation in draft.citations}
        report = ReadingReport(unread=(UnreadPart(missing=Missing.TEXT, page=7),)).model_dump(mode="json")
        async with desk.core.database.transaction() as session:
            await session.execute(update(Document).values(report=report))
            titles = {each.title: each for each in (await training.list_documents(session, desk.actor)).items}
        own = {title for title, each in titles.items() if each.kind.is_ours} - cited
        assert own == {"Boats"}
        async with opened(desk, draft) as screen:
            await screen.expect("Sources that were not read completely")
            listed = screen.find("list", "Sources that were not read completely").text
            assert {title for title in titles if title in listed} == own
            assert listed.count("Not read: page 7: part of the text") == len(own)
            chosen = DraftSources(document_ids=tuple(titles[title].id for title in cited))
            async with desk.core.database.transaction() as session:
                await editing.choose_sources(session, desk.actor, draft.id, chosen)
            await screen.expect(lambda: not screen.has("list", "Sources that were not read completely"))

    async def test_the_draft_and_each_section_can_be_copied_once_written(self, desk: Desk) -> None:
        draft = await add(desk)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert not screen.elements("CopyButton")
            written = await write(desk, draft.id)
            await screen.expect(lambda: "Finished" in screen.text)
            await screen.expect(lambda: any(button.props["label"] == "Copy draft" for button in screen.elements("CopyButton")))
            whole, *parts = [view.props["text"] for view in screen.elements("CopyButton")]
        assert whole.startswith(f"# {draft.title}")
        assert "[^1]: Roofs." in whole
        assert parts == [section.text for section in written.sections if section.text]

    async def test_a_comment_on_a_section_leads_to_it(self, desk: Desk) -> None:
        draft = await write(desk, (await add(desk)).id)
        part = draft.sections[0]
        async with desk.core.database.transaction() as session:
            comment = CommentForm(subject_id=draft.id, part_id=part.id, text="Which roofs?")
            await conversation.add_comment(session, desk.actor, desk.core, comment)
        async with opened(desk, draft, query="?comments=open") as screen:
            assert screen.find("link", f"About “{part.heading}”").props["href"] == f"#{part.id}"
            assert screen.find("region", part.heading).props["id"] == str(part.id)

    async def test_a_citation_opens_the_passage_with_the_quoted_words_marked(self, desk: Desk) -> None:
        desk.writer.script = lambda request: (request.passages[0].text, " [1]") if request.heading == "Roofs" else ()
        draft = await write(desk, (await add(desk)).id)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            await screen.emit("MarkdownView", "on_citation", number=1)
            assert screen.address == f"/generate/slug/{draft.slug}?passage=1"
            passage = screen.find("region", "Passage 1")
            assert "[1] Roofs" in passage.text
            assert any("Shingles gutters" in mark["c"][0] for mark in marks_in(passage.node))
            await screen.click("button", "Close passage")
            assert not screen.has("region", "Passage 1")
            await screen.click("button", "Show passage 1")
            assert screen.has("region", "Passage 1")
            assert screen.find("button", "Show passage 1").props["aria-current"] == "true"

    async def test_only_one_button_is_filled(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        for query in ("", "?open=rename", "?open=sources", "?open=section", f"?open=regenerate:{draft.sections[0].id}"):
            async with opened(desk, draft, query=query) as screen:
                filled = [each for each in screen.elements("button") if "fw-button-contained" in each.props.get("className", "")]
                assert len(filled) == 1, query

    async def test_a_section_is_edited_and_the_url_shows_it(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        roofs = draft.sections[0]
        async with opened(desk, draft) as screen:
            await screen.click("button", "Edit Roofs")
            editor = screen.find("SectionEditor")
            assert editor.props["path"] == f"/api/drafts/{draft.id}/sections/{roofs.id}"
            assert (editor.props["text"], editor.props["revision"]) == (roofs.text, roofs.revision)
            assert screen.address == f"/generate/slug/{draft.slug}?edit={roofs.id}"
            await screen.emit("SectionEditor", "on_citation", number=1)
            assert screen.has("region", "Passage 1")
            await screen.emit("SectionEditor", "on_done")
            assert not screen.has("SectionEditor")

    async def test_a_text_that_was_not_saved_leads_back_to_its_section(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        roofs = draft.sections[0]
        async with opened(desk, draft) as screen:
            left = screen.find("UnsavedTexts")
            assert left.props["path"] == f"/api/drafts/{draft.id}/sections/"
            assert left.props["sections"][0] == {"id": str(roofs.id), "heading": "Roofs"}
            await screen.emit("UnsavedTexts", "on_continue", id=str(roofs.id))
            assert screen.address == f"/generate/slug/{draft.slug}?edit={roofs.id}"

    async def test_a_draft_that_is_deleted_while_it_is_edited_shows_a_message_and_can_be_copied(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft, query=f"?edit={draft.sections[0].id}") as screen:
            await save(desk, draft, draft.sections[0], "Typed a moment ago.")
            await screen.expect(lambda: screen.find("SectionEditor").props["text"] == "Typed a moment ago.")
            async with desk.core.database.transaction() as session:
                await service.delete_draft(session, desk.actor, draft.id)
            await screen.expect(lambda: "This draft was moved to the trash in another tab" in screen.text)
            left = screen.find("UnsavedTexts")
            assert (left.props["path"], left.props["sections"]) == (f"/api/drafts/{draft.id}/sections/", [])
            await screen.expect(lambda: bool(screen.elements("CopyButton")))
            assert "Typed a moment ago." in screen.find("CopyButton").props["text"]
            assert screen.has("link", "New draft for this opportunity")

    async def test_a_version_is_compared_and_restored_and_that_is_undone(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        roofs = draft.sections[0]
        await save(desk, draft, roofs, roofs.text.replace("repaired", "replaced"))
        async with opened(desk, draft) as screen:
            await screen.click("button", "Versions of Roofs")
            await screen.click("button", "Show changes since version 1")
            await screen.expect(lambda: screen.has("group", "Changes"))
            await screen.click("button", "Restore version 1")
            await screen.expect(lambda: "Version 1 was restored." in screen.text)
            assert (await read(desk, draft.id)).sections[0].text == roofs.text
            await screen.click("button", "Undo")
            await screen.expect(lambda: "Version 1 was restored." not in screen.text)
            assert "replaced" in (await read(desk, draft.id)).sections[0].text

    async def test_undoing_a_restoration_brings_back_the_current_version_not_the_newest(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        roofs = draft.sections[0]
        await save(desk, draft, roofs, "Mine.")
        async with desk.core.database.transaction() as session:
            section = await repository.lock_section(session, desk.actor.id, draft.id, roofs.id)
            await editing.keep_version(session, section, text="Too late.", origin=VersionOrigin.WRITER, author=None)
        async with opened(desk, draft) as screen:
            await screen.click("button", "Versions of Roofs")
            await screen.expect(lambda: screen.has("button", "Restore version 1"))
            await screen.click("button", "Restore version 1")
            await screen.expect(lambda: "Version 1 was restored." in screen.text)
            await screen.click("button", "Undo")
            await screen.expect(lambda: "Version 1 was restored." not in screen.text)
        assert (await read(desk, draft.id)).sections[0].text == "Mine."

    async def test_a_gap_is_marked_as_done_and_reopened(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft) as screen:
            await screen.click("button", "Mark as done: your hangar")
            await screen.expect(lambda: "Done: your hangar" in screen.text)
            await screen.click("button", "Reopen: your hangar")
            await screen.expect(lambda: "Done: your hangar" not in screen.text)

    async def test_a_possible_match_opens_its_passage(self, desk: Desk) -> None:
        def script(request: SectionRequest) -> Iterator[str | Unanswered | PossibleMatch]:
            if request.heading == "Team":
                yield from (Unanswered(1), PossibleMatch(1, "Bo Diaz flies.", 1))

        desk.writer.script = script
        draft = await write(desk, (await add(desk)).id)
        async with opened(desk, draft) as screen:
            await screen.emit("MarkdownView", "on_citation", number=1)
            assert "[1] Team" in screen.find("region", "Passage 1").text
            assert not screen.has("button", "Show passage 1")

    async def test_sections_are_moved_and_deleted(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft) as screen:
            assert screen.find("button", "Move Roofs up").is_disabled
            await screen.click("button", "Move Roofs down")
            await screen.expect(lambda: screen.find("button", "Move Submarines up").is_disabled)
            await screen.click("button", "Delete Submarines")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect(lambda: not screen.has("button", "Delete Submarines"))
        assert [part.heading for part in (await read(desk, draft.id)).sections] == ["Roofs", "Team"]

    async def test_a_section_is_written_again_with_instructions(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft) as screen:
            await screen.click("button", "Regenerate Roofs")
            await screen.type("Instructions", "Mention gutters")
            await screen.submit("Regenerate Roofs")
            await screen.expect(lambda: "Regenerating" in screen.text)
            assert not screen.has("button", "Regenerate Team")
            await screen.click("button", "Cancel")
            await screen.expect(lambda: "Regenerating" not in screen.text)
        assert (await read(desk, draft.id)).sections[0].text == draft.sections[0].text

    async def test_a_section_is_added_and_the_draft_renamed(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft) as screen:
            await screen.click("button", "Add a section")
            await screen.type("Heading", "Prices")
            await screen.choose("Position", "1")
            await screen.submit("New section")
            await screen.expect(lambda: screen.has("button", "Edit Prices"))
            await screen.click("button", "Rename draft")
            await screen.type("Title", "Roofs 2027")
            await screen.submit("Rename draft")
            await screen.expect(lambda: screen.title == "Roofs 2027")
        assert [part.heading for part in (await read(desk, draft.id)).sections][:2] == ["Roofs", "Prices"]

    async def test_its_sources_are_chosen_again(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        async with opened(desk, draft) as screen:
            await screen.click("button", "Choose sources")
            await screen.expect(lambda: screen.has("checkbox", "Team"))
            await screen.check("Team", False)
            await screen.click("button", "Use these sources")
            await screen.expect(lambda: not screen.has("checkbox", "Team"))
        chosen = (await read(desk, draft.id)).document_ids
        assert chosen == (draft.citations[0].document_id,)

    async def test_a_viewer_is_offered_versions_but_no_changes(self, desk: Desk) -> None:
        draft = await written_draft(desk)
        reader = desk.actor.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        async with opened(desk, draft, actor=reader, query=f"?edit={draft.sections[0].id}") as screen:
            offered = {button.name for button in screen.elements("button")}
            assert not screen.has("SectionEditor")
            assert not [name for name in offered if re.match(r"Edit|Regenerate|Move|Delete|Mark\b|Add|Rename", name)]

    async def test_an_open_page_follows_the_draft_while_it_is_written(self, desk: Desk) -> None:
        draft = await add(desk)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert not screen.elements("MarkdownView")
            await write(desk, draft.id)
            await screen.expect(lambda: "Finished" in screen.text)
            assert len(screen.elements("MarkdownView")) == 2

    async def test_a_failed_draft_says_why_and_can_be_continued(self, desk: Desk) -> None:
        def fail(_request: object, _index: int) -> None:
            raise EndpointDown("The endpoint does not answer. Start it.")

        desk.writer.before_piece = fail
        draft = await add(desk)
        with pytest.raises(EndpointDown):
            await write(desk, draft.id)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert "The endpoint does not answer. Start it." in screen.find("alert").text
            await screen.click("button", "Continue")
            await screen.expect(lambda: screen.has("button", "Cancel"))
            await screen.click("button", "Cancel")
            await screen.expect(lambda: "Canceled. The text so far was kept." in screen.text)
        assert (await read(desk, draft.id)).state == DraftState.CANCELED

    async def test_dropped_citations_are_pointed_out(self, desk: Desk) -> None:
        desk.writer.script = lambda _request: ("We won a prize [77].",)
        draft = await write(desk, (await add(desk)).id)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert "1 citation was removed because it referred to no passage." in screen.text

    async def test_deleting_leads_back_to_the_list(self, desk: Desk) -> None:
        draft = await add(desk)
        async with mounted(
            desk.core, desk.actor, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            await screen.click("button", "Move to trash")
            assert "/generate/index" in screen.navigations

    @pytest.mark.security(40)
    async def test_another_accounts_slug_is_not_found(self, desk: Desk) -> None:
        draft = await add(desk)
        async with desk.core.database.transaction() as session:
            bob = await add_account(session, "bob@example.org", name="Bob")
        async with mounted(
            desk.core, bob, draft_screen, path=f"/generate/slug/{draft.slug}", params={"token": draft.slug}
        ) as screen:
            assert "The draft was not found." in screen.text
            assert draft.title not in screen.text


def marks_in(node: object) -> list[dict[str, list[str]]]:
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("t") == "mark" else []
    return own + [mark for child in node.get("c", []) for mark in marks_in(child)]


@pytest.fixture
async def team(desk: Desk) -> tuple[Actor, Actor, DraftRead]:
    """Ana and Ben in a workspace, with a draft of theirs."""
    async with desk.core.database.transaction() as session:
        made = await workspaces.create_workspace(session, desk.actor, desk.core, WorkspaceForm(name="Tideline"))
        ana = (await workspaces.actor_in(session, desk.actor, made.id)).model_copy(update={"name": "Ana Silva"})
        person = await add_account(session, "ben@example.org", name="Ben Ode")
        sent = await invitations.invite(session, ana, desk.core, InvitationForm(email=person.email))
        await invitations.accept(session, person, sent.id)
        ben = await workspaces.actor_in(session, person, made.id)
        return ana, ben, await service.add_draft(session, ana, desk.core, opportunity_id=desk.opportunity_id, template="brief")


class TestTogether:
    async def test_people_see_who_else_has_the_draft_open_and_edits_a_section(
        self, desk: Desk, team: tuple[Actor, Actor, DraftRead]
    ) -> None:
        ana, ben, draft = team
        async with opened(desk, draft, actor=ana) as hers:
            assert "Also here" not in hers.text
            async with opened(desk, draft, actor=ben) as his:
                await his.expect("Also here: A Ana Silva")
                await hers.expect("Also here: B Ben Ode")
                his.relocate(f"{his.address}?edit={draft.sections[1].id}")
                await hers.expect("Ben Ode is editing this section")
                assert hers.find("region", "Submarines").text.startswith("Submarines")
                assert "Ben Ode is editing" in hers.find("region", "Submarines").text
                assert "Ben Ode is editing" not in his.text
            await hers.expect(lambda: "Ben Ode" not in hers.text)

    async def test_a_member_who_only_reads_edits_nothing(self, desk: Desk, team: tuple[Actor, Actor, DraftRead]) -> None:
        ana, ben, draft = team
        reader = ben.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        async with opened(desk, draft, actor=ana) as hers:
            async with opened(desk, draft, actor=reader, query=f"?edit={draft.sections[0].id}"):
                await hers.expect("Also here: B Ben Ode")
                assert "is editing" not in hers.text

    async def test_a_conflict_names_who_changed_the_section_and_when_and_loses_neither_text(
        self, desk: Desk, team: tuple[Actor, Actor, DraftRead]
    ) -> None:
        ana, ben, draft = team
        section = draft.sections[0]
        async with desk.core.database.transaction() as session:
            save = SectionSave(heading="Roofs", text="Of Ben.", based_on=section.revision)
            await editing.save_section(session, ben, desk.core, draft.id, section.id, save)
            kept = KeptText(heading="Our roofs", text="Of Ana.")
            after = await editing.keep_text(session, ana, draft.id, section.id, kept)
            versions = (await editing.list_versions(session, ana, draft.id, section.id, PageRequest())).items
        assert (after.text, after.heading) == ("Of Ben.", "Roofs")
        assert [(each.heading, each.text, each.is_current) for each in versions] == [
            ("Our roofs", "Of Ana.", False),
            ("Roofs", "Of Ben.", True),
        ]
        compared = [
            await editing.compare_text(desk.core, actor, draft.id, section.id, SectionText(text="Of Ana."))
            for actor in (ana, ben)
        ]
        assert [(each.changed_by, each.is_own_change) for each in compared] == [("Ben Ode", False), ("Ben Ode", True)]
        assert all(each.changed_at is not None and now() - each.changed_at < timedelta(minutes=1) for each in compared)

    async def test_an_editor_stays_open_without_saving_when_the_role_changes(
        self, desk: Desk, team: tuple[Actor, Actor, DraftRead]
    ) -> None:
        _, ben, draft = team
        edit = f"?edit={draft.sections[0].id}"
        reader = ben.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        async with opened(desk, draft, actor=ben, query=edit) as screen:
            assert screen.props("SectionEditor")["refusal"] == ""
            screen.view.connection.actor = reader
            screen.relocate(screen.address)
            await screen.settle()
            assert screen.props("SectionEditor")["refusal"] == "Your role has changed: you can no longer edit this draft."
            await screen.emit("SectionEditor", "on_done")
            assert not screen.has("SectionEditor")
            assert screen.props("UnsavedTexts")["editing"] == ""
        async with opened(desk, draft, actor=reader, query=edit) as screen:
            assert not screen.has("SectionEditor")
            assert screen.has("UnsavedTexts")

    async def test_a_former_member_is_told_so_and_a_stranger_is_not(
        self, desk: Desk, team: tuple[Actor, Actor, DraftRead]
    ) -> None:
        ana, ben, draft = team
        async with desk.core.database.transaction() as session:
            await workspaces.remove_member(session, ana, ben.id)
            eve = await add_account(session, "eve@example.org")
            later = await service.add_draft(session, ana, desk.core, opportunity_id=desk.opportunity_id, template="brief")
        former = ben.model_copy(update={"workspace_id": ben.id, "workspace_role": WorkspaceRole.OWNER})
        told = "You are no longer a member of this workspace. Ask one of its owners to invite you again."
        for actor, shown, is_told in ((former, draft, True), (eve, draft, False), (former, later, False)):
            async with opened(desk, shown, actor=actor) as screen:
                await screen.expect(told if is_told else "The draft was not found.")
                assert (told in screen.text) is is_told
                assert screen.view.connection.is_missing
                assert screen.props("LeftTexts")["workspaces"] == [str(actor.id)]

    async def test_nobody_is_announced_in_a_personal_workspace(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(Presence, "visit")
        draft = await add(desk)
        async with opened(desk, draft) as screen:
            await screen.expect(draft.title)


async def test_records_of_one_place_are_listed_under_its_name_once(desk: Desk) -> None:
    document_id = uuid4()
    cited = tuple(
        citation(number, heading=("Company data",) if number < 4 else ("Staff",)).model_copy(update={"document_id": document_id})
        for number in range(1, 5)
    )
    shown_draft = draft(text="UEI [1]. CAGE [2]. NAICS [3]. Ada [4].", citations=cited)

    @component
    def sources() -> VdomDict:
        return html.div(cited_documents(shown_draft, "2", lambda number: None))

    async with mounted(desk.core, desk.actor, sources) as screen:
        text = screen.find("list", "Sources").text
        assert text.count("Company data · page 3") == 1 and "Company data · page 3 1 2 3 4 Staff" in text
        assert screen.find("button", "Show passage 2").props["aria-current"] == "true"
