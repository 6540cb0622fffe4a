from __future__ import annotations

from uuid import UUID

import pytest

from fundwright.core.assembly import Core
from fundwright.core.messages import speaking
from fundwright.identity.schemas import Actor
from fundwright.language import service as language
from fundwright.training import service
from fundwright.training.schemas import RunRead
from fundwright_ui.runtime.testing import mounted
from fundwright_ui.screens.history import duration_text, history_screen
from fundwright_ui.screens.run import run_screen
from fundwright_ui.screens.train import train_screen
from tests.training.conftest import AddFile

FERRY = "# Boats\n\nThe harbour ferry carries forty passengers across the bay every hour of the day in summer."
BROKEN = b"%PDF-1.7\nnot really"


class Other:
    """Another embedding model than the one that the documents were trained with."""

    id, dimension, embed = "other", 3, None


async def add(core: Core, owner: Actor, add_file: AddFile, content: str | bytes, filename: str) -> UUID:
    async with core.database.transaction() as session:
        return (await add_file(core, session, owner, content, filename)).id


class TestTrain:
    async def test_the_problem_column_appears_with_the_first_problem(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        trained = [await add(committed, owner, add_file, FERRY, "boats.md")]
        await service.run_inline(committed, owner, trained)
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            assert "Problem" not in screen.text
            broken = await add(committed, owner, add_file, BROKEN, "broken.pdf")
            await service.run_inline(committed, owner, [broken])
            await screen.expect("1 more entry in this list")
            await screen.click("button", "Show")
            await screen.expect(lambda: "“broken.pdf” is damaged" in screen.text)
            assert "Problem" in screen.text

    @pytest.mark.parametrize(
        ("question", "fits"), [("How many people can the ferry take?", True), ("quasar spectroscopy of distant galaxies", False)]
    )
    async def test_a_question_that_nothing_fits_gets_a_message(
        self, committed: Core, owner: Actor, add_file: AddFile, question: str, fits: bool
    ) -> None:
        await service.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.type("Question", question)
            await screen.submit("Ask the knowledge base")
            await screen.expect(lambda: ("Nothing in the documents fits this question." in screen.text) is not fits)
            assert ("forty passengers" in screen.text) is fits

    async def test_documents_of_another_model_are_named(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        await service.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        await language.get_embedder(committed)
        committed.cache["language.embedder"] = Other()
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.expect(lambda: "1 document was trained with another embedding model" in screen.text)
            assert "Trained with another model" in screen.text

    async def test_a_model_that_cannot_be_used_is_said_and_hides_no_document(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await add(committed, owner, add_file, FERRY, "boats.md")
        monkeypatch.setitem(committed.settings.__dict__, "models", committed.settings.data)
        async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
            await screen.expect(lambda: "The embedding model is not installed. Run `make setup`" in screen.text)
            assert "boats" in screen.text


class TestHistory:
    async def test_the_error_column_appears_with_the_first_error(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        await service.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])
        async with mounted(committed, owner, history_screen, path="/dashboard/history") as screen:
            assert "Errors" not in screen.text
            await service.run_inline(committed, owner, [await add(committed, owner, add_file, BROKEN, "broken.pdf")])
            await screen.expect("1 more entry in this list")
            await screen.click("button", "Show")
            await screen.expect(lambda: "1 document failed" in screen.text)


class TestDuration:
    def test_in_the_readers_way_of_writing(self) -> None:
        with speaking("de"):
            assert duration_text(1.44) == "1,4 s"
        assert (duration_text(None), duration_text(1.44), duration_text(125)) == ("", "1.4 s", "0:02:05")


class TestRun:
    async def test_a_long_run_shows_its_first_documents_and_exports_all(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.screens.run._SHOWN", 2)
        documents = [await add(committed, owner, add_file, f"{FERRY} {n}", f"boats{n}.md") for n in range(5)]
        run = await service.run_inline(committed, owner, documents)
        async with mounted(
            committed, owner, run_screen, path=f"/dashboard/history/{run.id}", params={"id": str(run.id)}
        ) as screen:
            assert "boats1" in screen.text
            assert "boats2" not in screen.text
            assert "and 3 more" in screen.text
            assert screen.find("link", "Export as CSV").props["href"] == f"/api/training/runs/{run.id}/documents/export.csv"

    async def test_counts_are_written_in_the_readers_way(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = await service.run_inline(committed, owner, [await add(committed, owner, add_file, FERRY, "boats.md")])

        async def get_run(*_arguments: object) -> RunRead:
            return run.model_copy(update={"documents": 1_468, "chunks": 12_309})

        monkeypatch.setattr("fundwright.training.service.get_run", get_run)
        path = f"/dashboard/history/{run.id}"
        async with mounted(committed, owner, run_screen, path=path, params={"id": str(run.id)}, language="de") as screen:
            assert "1.468" in screen.text and "12.309" in screen.text
