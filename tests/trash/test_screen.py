"""The screen of the trash, and Undo."""

from __future__ import annotations

from uuid import uuid4

import pytest
from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.trash import service
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.screens.trash import trash_screen
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account
from tests.trash.test_service import boats, do, listed, throw_away

PATH = "/dashboard/trash"


@pytest.fixture
async def ada(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "ada@example.org"))


async def fill(core: Core, actor: Actor) -> None:
    """Put a document and a category into the trash."""
    document = await boats(core, actor)
    await throw_away(core, actor, document.id)
    async with core.database.transaction() as session:
        category = await categories.create(session, actor, CategoryCreate(name="Roofing"))
        await categories.delete(session, actor, category.id)


class TestTrash:
    async def test_when_empty_it_says_what_will_be_here(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, trash_screen, path=PATH) as screen:
            assert "The trash is empty." in screen.text
            assert not screen.has("button", "Empty trash")

    async def test_a_failure_is_shown_with_a_way_to_try_again(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_arguments: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(service, "list_trash", fail)
        async with mounted(committed, ada, trash_screen, path=PATH) as screen:
            assert screen.has("button", "Try again")

    async def test_items_are_listed_filtered_and_restored(self, committed: Core, ada: Actor) -> None:
        await fill(committed, ada)
        async with mounted(committed, ada, trash_screen, path=PATH) as screen:
            assert [row["title"] for row in screen.rows("Trash")] == ["Roofing", "Boats"]
            assert "2 items" in screen.text
            await screen.choose("Kind", "document")
            (row,) = screen.rows("Trash")
            assert row["title"] == "Boats"
            (item,) = [item for item in await listed(committed, ada) if item.kind == "document"]
            assert row["action"] == {"label": "Restore", "name": "Restore Boats"}
            await screen.emit("DataTable", "on_action", id=str(item.id))
            assert screen.toasts == ["“Boats” was restored."]
            (row,) = screen.rows("Trash")
            assert row["action"] == "Restored" and [chip["label"] for chip in row["kind"]] == ["Document"]
        async with mounted(committed, ada, trash_screen, path=f"{PATH}?text=ferry") as screen:
            assert "No items in the trash match." in screen.text
        assert [item.kind for item in await listed(committed, ada)] == ["category"]

    async def test_what_is_no_longer_in_the_list_was_not_found(self, committed: Core, ada: Actor) -> None:
        await fill(committed, ada)
        async with mounted(committed, ada, trash_screen, path=PATH) as screen:
            await screen.emit("DataTable", "on_action", id=str(uuid4()))
            assert screen.toasts == [
                "The item in the trash was not found. It may have been removed. Go back to the list and try again."
            ]

    async def test_an_opened_item_is_restored(self, committed: Core, ada: Actor) -> None:
        await fill(committed, ada)
        item = (await listed(committed, ada))[0]
        async with mounted(committed, ada, trash_screen, path=f"{PATH}?open={item.id}") as screen:
            await screen.click("button", "Restore")
            assert screen.toasts == ["“Roofing” was restored."]

    async def test_deleting_forever_asks_first(self, committed: Core, ada: Actor) -> None:
        await fill(committed, ada)
        item = (await listed(committed, ada))[0]
        async with mounted(committed, ada, trash_screen, path=f"{PATH}?open={item.id}") as screen:
            await screen.click("button", "Delete forever")
            assert screen.props("ConfirmDialog")["title"] == "Delete “Roofing” forever?"
            await screen.emit("ConfirmDialog", "on_cancel")
            assert not screen.has("ConfirmDialog")
            await screen.click("button", "Delete forever")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["“Roofing” was deleted forever."]
            await screen.click("button", "Empty trash")
            assert len(await listed(committed, ada)) == 1
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect("The trash is empty.")
        assert await listed(committed, ada) == []

    async def test_a_viewer_sees_it_and_can_change_nothing(self, committed: Core, ada: Actor) -> None:
        await fill(committed, ada)
        viewer = ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        item = (await listed(committed, ada))[0]
        async with mounted(committed, viewer, trash_screen, path=f"{PATH}?open={item.id}") as screen:
            assert [row["action"] for row in screen.rows("Trash")] == ["", ""]
            assert not any(screen.has("button", name) for name in ("Restore", "Delete forever", "Empty trash"))


@component
def documents_with_prompts() -> VdomDict:
    return html.div(train_screen.render(), prompts())


@pytest.mark.security(48)
async def test_undo_brings_a_document_back_into_its_row(committed: Core, ada: Actor) -> None:
    document = await boats(committed, ada)
    async with mounted(committed, ada, documents_with_prompts, path=f"/dashboard/train?document={document.id}") as screen:
        await screen.click("button", "Move to trash")
        assert screen.props("UndoToast")["message"] == "“Boats” was moved to the trash."
        await screen.expect("Moved to trash")
        await screen.emit("UndoToast", "on_undo")
        await screen.expect(lambda: "Moved to trash" not in screen.text)
        assert [row["title"] for row in screen.rows("Documents")] == ["Boats"]
        assert not screen.has("UndoToast")
    assert await listed(committed, ada) == []


@pytest.mark.security(21, 48)
async def test_undo_needs_the_permission_as_of_now(committed: Core, ada: Actor) -> None:
    document = await boats(committed, ada)
    async with mounted(committed, ada, documents_with_prompts, path=f"/dashboard/train?document={document.id}") as screen:
        await screen.click("button", "Move to trash")
        screen.view.connection.actor = ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        await screen.emit("UndoToast", "on_undo")
        assert len(screen.toasts) == 1
    assert len(await listed(committed, ada)) == 1


async def test_undo_of_what_was_deleted_forever_in_another_tab_says_so(committed: Core, ada: Actor) -> None:
    document = await boats(committed, ada)
    async with mounted(committed, ada, documents_with_prompts, path=f"/dashboard/train?document={document.id}") as screen:
        await screen.click("button", "Move to trash")
        await do(committed, lambda session: service.empty(session, ada, committed))
        await screen.emit("UndoToast", "on_undo")
        assert [toast.partition(".")[0] for toast in screen.toasts] == ["The item in the trash was not found"]
