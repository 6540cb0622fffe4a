from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.asking.schemas import Answers
from fundwright.core.assembly import Core
from fundwright.core.messages import using_language
from fundwright.core.paging import Page
from fundwright.language import service as language
from fundwright.reading.kinds import DocumentKind
from fundwright.training import removing, runs, service
from fundwright.training.schemas import DocumentQuery, DocumentRead, RunRead
from fundwright.workspaces.schemas import Access
from fundwright_ui.screens.training.history import duration_text, history_screen
from fundwright_ui.screens.training.run import run_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.training.conftest import AddFile

FERRY = "# Boats\n\nThe harbor ferry carries forty passengers across the bay every hour of the day in summer."
BROKEN = b"%PDF-1.7\nnot really"


class Other:
    """An embedding model other than the one with which the documents were trained."""

    id, dimension, embed = "other", 3, None


async def add(core: Core, owner: Actor, add_file: AddFile, content: str | bytes, filename: str) -> UUID:
    async with core.database.transaction() as session:
        return (await add_file(session, owner, core, content, filename)).id


class TestTrain:
    async def test_choose_files_looks_ready_before_the_page_has_loaded(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            assert not screen.find("button", "Choose files").is_disabled

    async def test_a_problem_is_shown_below_the_title_of_its_document(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        trained = [await add(committed, owner, add_file, FERRY, "boats.md")]
        await runs.run_inline(committed, owner, trained)
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            widths = screen.props("DataTable")["widths"]
            assert sum(widths) <= 687  # the space beside Ask at 1440 pixels, with a scroll bar
            assert widths[0] >= 235  # titles need most of the space
            broken = await add(committed, owner, add_file, BROKEN, "broken.pdf")
            await runs.run_inline(committed, owner, [broken])
            await screen.expect("1 more entry in this list")
            await screen.click("button", "Show")
            await screen.expect(lambda: "“broken.pdf” is damaged" in screen.text)
            table = screen.props("DataTable")
            assert [column["label"] for column in table["columns"]] == ["Title", "Kind", "Status", "Passages"]
            assert sum(table["widths"]) <= 687
            assert table["widths"][0] >= 335

    async def test_a_restricted_document_has_one_chip_and_leaves_all_columns_in_sight(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        list_documents = service.list_documents

        async def list_restricted(
            session: AsyncSession, actor: Actor, request: DocumentQuery | None = None
        ) -> Page[DocumentRead]:
            page = await list_documents(session, actor, request)
            return page.model_copy(update={"items": [each.model_copy(update={"access": Access.EDIT}) for each in page.items]})

        monkeypatch.setattr(service, "list_documents", list_restricted)
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            assert [chip["label"] for chip in screen.rows("Documents")[0]["state"]] == ["Restricted"]
            assert sum(screen.props("DataTable")["widths"]) <= 687

    async def test_the_kind_is_shown_once_it_is_proposed_and_changed(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        boats = await add(
            committed, owner, add_file, "Harbor Boats Inc. is a small business. Our company builds ferries.", "boats.md"
        )
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            assert [row["kind"] for row in screen.rows("Documents")] == [""]
            await runs.run_inline(committed, owner, [boats])
            await screen.expect(lambda: [row["kind"] for row in screen.rows("Documents")] == ["About us"])
            await screen.emit("DataTable", "on_open", id=str(boats))
            assert screen.address == f"/dashboard/train?document={boats}"
            original = screen.find("link", "Download original").props["href"]
            assert original == f"/api/training/documents/{boats}/file"
            await screen.choose("Kind", "notice")
            await screen.expect(lambda: [row["kind"] for row in screen.rows("Documents")] == ["Notice"])
            await screen.click("button", "Rename…")
            await screen.type("New title", "Our boats")
            await screen.submit("Rename boats")
            renamed = {"label": "Our boats", "detail": "boats.md"}  # with the name of its file
            await screen.expect(lambda: [row["title"] for row in screen.rows("Documents")] == [renamed])
            await screen.click("button", "Close")
            assert not screen.has("region", "Our boats")
        async with committed.database.transaction() as session:
            assert (await service.get_document(session, owner, boats)).is_kind_chosen

    async def test_an_outdated_document_says_so_and_is_used_anyway(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        texts = {"Line card 2026": "31 employees", "Website 2013": "12 employees"}
        documents = [
            await add(
                committed, owner, add_file, f"Iron Peak Inc.\n\nIron Peak Inc. is a small business with {said}.", f"{name}.txt"
            )
            for name, said in texts.items()
        ]
        async with committed.database.transaction() as session:
            for document_id in documents:
                await service.choose_kind(session, owner, committed, document_id, DocumentKind.ABOUT_US)
        await runs.run_inline(committed, owner, documents)
        async with mounted(committed, owner, train_screen, path=f"/dashboard/train?document={documents[1]}") as screen:
            await screen.expect(lambda: "Not used in drafts: It is more than two years old" in screen.text)
            await screen.check("Use in drafts anyway", True)
            await screen.expect(
                lambda: "Not used in drafts" not in screen.text and "It is more than two years old" in screen.text
            )
            await screen.type("Date", "2026-01-01")
            await screen.submit("Date of Website 2013")
            await screen.expect(lambda: "more than two years old" not in screen.text)
        async with committed.database.transaction() as session:
            found = await service.get_document(session, owner, documents[1])
        assert (found.is_always_used, found.dated_text, found.is_date_chosen) == (True, "2026", True)

    @pytest.mark.parametrize("number", [1, 2])
    async def test_a_document_in_the_address_opens_on_each_page_of_the_list(
        self, committed: Core, owner: Actor, add_file: AddFile, number: int
    ) -> None:
        boats = await add(committed, owner, add_file, FERRY, "boats.md")
        await add(committed, owner, add_file, "# Crews\n\nNine people work here.", "crews.md")
        path = f"/dashboard/train?page_size=1&page={number}&document={boats}"
        async with mounted(committed, owner, train_screen, path=path) as screen:
            await screen.expect(lambda: screen.has("region", "boats"))
            await screen.click("button", "Rename…")
            await screen.type("New title", "Our boats")
            await screen.submit("Rename boats")
            await screen.expect(lambda: screen.has("region", "Our boats"))

    async def test_a_document_in_the_address_that_does_not_exist_is_named(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, train_screen, path=f"/dashboard/train?document={owner.id}") as screen:
            await screen.expect("This document no longer exists, or you do not have access to it.")
            await screen.click("button", "Close")
            assert screen.address == "/dashboard/train"

    async def test_a_text_is_pasted_in_a_panel_that_is_in_the_address(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            assert not screen.has("form", "Paste text")
            await screen.click("button", "Paste text")
            assert screen.address == "/dashboard/train?open=text"
            await screen.type("Title", "Boats")
            await screen.type("Text", FERRY)
            await screen.submit("Paste text")
            await screen.expect(lambda: [row["title"] for row in screen.rows("Documents")] == ["Boats"])
            assert screen.address == "/dashboard/train"
            assert not screen.has("form", "Paste text")

    async def test_a_document_that_is_being_processed_shows_a_message(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, FERRY, "boats.md", is_trained_later=True)
        async with mounted(committed, owner, train_screen, path="/dashboard/train?question=Who+takes+the+ferry%3F") as screen:
            await screen.expect(lambda: "Still processing and not searched yet: boats" in screen.text)
            assert screen.rows("Documents")[0]["state"][0]["label"] == "Processing"

    @pytest.mark.parametrize(
        ("question", "fits"),
        [("How many passengers can the ferry take?", True), ("quasar spectroscopy of distant galaxies", False)],
    )
    async def test_a_question_is_in_the_url_with_its_answers(
        self, committed: Core, owner: Actor, add_file: AddFile, question: str, fits: bool
    ) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.type("Question", question)
            await screen.submit("Ask the knowledge base")
            await screen.expect(lambda: ("Your documents don't answer this." in screen.text) is not fits)
            assert bool(screen.elements("mark")) is fits
            assert ("Closest:" in screen.text) is not fits
            asked = screen.address
        assert asked == f"/dashboard/train?{urlencode({'question': question})}"
        async with mounted(committed, owner, train_screen, path=asked) as screen:
            await screen.expect(lambda: bool(screen.elements("mark")) is fits)
            assert [link.text for link in screen.elements("link") if "CSV" in link.text] == [
                "Export documents as CSV",
                *(["Export answers as CSV"] if fits else []),
            ]
            assert ("Your documents don't answer this." in screen.text) is not fits

    async def test_the_export_and_the_trash_are_under_more_actions(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        await add(committed, owner, add_file, FERRY, "boats.md")
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            for label in ("Export documents as CSV", "Trash"):
                assert any(each.get("a", {}).get("id") == "train-actions" for each in screen.find("link", label).ancestors)

    async def test_an_answer_says_what_its_document_is_and_keeps_its_layout(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        text = "# Fleet\n\nOur ferries.\n\n| Ferry | Speed | Seats |\n|---|---|---|\n| Anna | 12 knots | forty |\n| Berta | 9 knots | ten |\n\n"
        text += "» Life vests for everyone\n» Two spare engines\n"
        boats = await add(committed, owner, add_file, text, "boats.md")
        async with committed.database.transaction() as session:
            await service.choose_kind(session, owner, committed, boats, DocumentKind.DATA)
        await runs.run_inline(committed, owner, [boats])
        async with mounted(
            committed, owner, train_screen, path="/dashboard/train?question=How+fast+is+the+ferry+Anna%3F"
        ) as screen:
            await screen.expect("Data · Fleet")
            assert [marked.text for marked in screen.elements("mark")] == ["Anna", "12 knots", "forty"]
            around = [each.get("a", {}) for each in screen.elements("mark")[0].ancestors]
            assert "How fast is the ferry Anna?" in [each.get("data-answers") for each in around]
            assert ("group", "Scrollable table", 0) in [
                (each.get("role"), each.get("aria-label"), each.get("tabIndex")) for each in around
            ]
            assert [column.text for column in screen.elements("columnheader")][-3:] == ["Ferry", "Speed", "Seats"]
            assert [item.text for item in screen.elements("listitem")][-2:] == ["Life vests for everyone", "Two spare engines"]

    async def test_a_box_says_whether_it_is_checked(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        text = "# Status\n\nOur ferries run daily.\n\n- [x] Small business\n- [ ] HUBZone small business\n"
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, text, "status.md")])
        for question, answer in (
            ("HUBZone", "Not checked: HUBZone small business"),
            ("small+business", "Checked: Small business"),
        ):
            path = f"/dashboard/train?question=Is+the+firm+a+{question}%3F"
            async with mounted(committed, owner, train_screen, path=path) as screen:
                await screen.expect(answer)
                assert [marked.text for marked in screen.elements("mark")][:1] == [answer]

    async def test_each_table_has_the_names_of_its_columns_and_each_clause_its_number(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        text = "# Fleet\n\n| Ferry | Speed | Seats |\n|---|---|---|\n| Anna | 12 knots | forty |\n\n| Pier | Depth | Owner |\n|---|---|---|\n"
        text += "| North | 4 m | City |\n\n3.1.1. Ferries leave on time.\n\n3.1.2. Crews count the guests.\n"
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, text, "boats.md")])
        async with mounted(
            committed, owner, train_screen, path="/dashboard/train?question=How+fast+is+the+ferry+Anna%3F"
        ) as screen:
            await screen.expect("12 knots")
            names = [column.text for column in screen.elements("columnheader")]
            assert names[-6:] == ["Ferry", "Speed", "Seats", "Pier", "Depth", "Owner"]
            clauses = [item.text for item in screen.elements("listitem")][-2:]
            assert clauses == ["3.1.1. Ferries leave on time.", "3.1.2. Crews count the guests."]

    async def test_a_message_is_shown_while_answers_are_searched(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        may_answer = asyncio.Event()
        find_answers = asking.find_answers

        async def find_later(*arguments: Any, **options: Any) -> Answers:
            await may_answer.wait()
            return await find_answers(*arguments, **options)

        async with mounted(committed, owner, train_screen, path="/dashboard/train?question=quasar+spectroscopy") as screen:
            await screen.expect("Your documents don't")
            monkeypatch.setattr(asking, "find_answers", find_later)
            screen.relocate("/dashboard/train?question=Who+takes+the+ferry%3F")
            await screen.expect(lambda: "Your documents don't" not in screen.text)
            assert screen.has("status", "Looking for answers")
            assert "Your documents don't" not in screen.text
            may_answer.set()
            await screen.expect("forty passengers")

    async def test_documents_that_were_not_searched_are_named(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        for name in ("bread", "rowing", "sailing", "swimming"):
            await add(committed, owner, add_file, f"{FERRY} {name}", f"{name}.md")
        async with mounted(committed, owner, train_screen, path="/dashboard/train?question=Who+takes+the+ferry%3F") as screen:
            await screen.expect(lambda: "not searched: swimming, sailing, rowing …" in screen.text)

    async def test_documents_of_another_model_are_named(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        await language.get_embedder(committed)
        committed.cache["language.embedder"] = Other()
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.expect(lambda: "1 document was trained with a different embedding model" in screen.text)
            assert "Trained with a different model" in screen.text

    async def test_an_unusable_model_is_reported_and_hides_no_document(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await add(committed, owner, add_file, FERRY, "boats.md")
        monkeypatch.setitem(committed.settings.__dict__, "models", committed.settings.data)
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.expect(lambda: "The embedding model is not installed. Run make setup" in screen.text)
            assert "boats" in screen.text


class TestHistory:
    async def test_the_error_column_appears_with_the_first_error(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        async with mounted(committed, owner, history_screen, path="/dashboard/history") as screen:
            assert "Errors" not in screen.text
            assert screen.has("status", "1 training run") and screen.has("combobox", "Sort by")  # as above other lists
            await runs.run_inline(committed, owner, [await add(committed, owner, add_file, BROKEN, "broken.pdf")])
            await screen.expect("1 more entry in this list")
            await screen.click("button", "Show")
            await screen.expect(lambda: "1 document failed" in screen.text)


class TestDuration:
    def test_in_the_readers_way_of_writing(self) -> None:
        with using_language("de"):
            assert duration_text(1.44) == "1,4 s"
        assert (duration_text(None), duration_text(1.44), duration_text(125)) == ("", "1.4 s", "0:02:05")


class TestRun:
    async def test_documents_are_paged_sorted_and_exported(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        documents = [await add(committed, owner, add_file, f"{FERRY} {n}", f"boats{n}.md") for n in range(5)]
        run = await runs.run_inline(committed, owner, documents)
        path = f"/dashboard/history/{run.id}"
        async with mounted(
            committed, owner, run_screen, path=f"{path}?sort=-title&page=2&page_size=2", params={"id": str(run.id)}
        ) as screen:
            assert [row["title"] for row in screen.rows("Documents of this run")] == ["boats2", "boats1"]
            address = f"/api/training/runs/{run.id}/documents/export.csv?sort=-title"
            assert screen.find("link", "Export as CSV").props["href"] == address
            with pytest.raises(AssertionError):
                screen.rows("Not trained")

    async def test_what_was_not_trained_is_paged_sorted_and_exported(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        documents = [await add(committed, owner, add_file, BROKEN + str(n).encode(), f"broken{n}.pdf") for n in range(5)]
        run = await runs.run_inline(committed, owner, documents)
        path = f"/dashboard/history/{run.id}"
        asked = "failures_sort=-title&failures_page=2&failures_page_size=2"
        async with mounted(committed, owner, run_screen, path=f"{path}?{asked}", params={"id": str(run.id)}) as screen:
            assert [row["title"] for row in screen.rows("Not trained")] == ["broken2", "broken1"]
            assert "“broken2.pdf” is damaged" in screen.rows("Not trained")[0]["reason"]
            assert len(screen.rows("Documents of this run")) == 5
            address = f"/api/training/runs/{run.id}/failures/export.csv?sort=-title"
            assert screen.find("link", "Export untrained documents as CSV").props["href"] == address
        for document in documents:
            async with committed.database.transaction() as session:
                await removing.remove_document(session, owner, document)
        async with mounted(committed, owner, run_screen, path=f"{path}?{asked}", params={"id": str(run.id)}) as screen:
            await screen.emit(
                "DataTable", "on_query", page=3, pageSize=2, sort={"field": "title", "direction": "desc"}, filters=[]
            )
            assert screen.address == f"{path}?failures_sort=-title&failures_page=3&failures_page_size=2"
            assert [row["title"] for row in screen.rows("Not trained")] == ["broken0"]

    async def test_counts_are_written_in_the_readers_way(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = await runs.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])

        async def get_run(*_arguments: object) -> RunRead:
            return run.model_copy(update={"documents": 1_468, "chunks": 12_309})

        monkeypatch.setattr("fundwright.training.runs.get_run", get_run)
        path = f"/dashboard/history/{run.id}"
        async with mounted(committed, owner, run_screen, path=path, params={"id": str(run.id)}, language="de") as screen:
            assert "1.468" in screen.text and "12.309" in screen.text
