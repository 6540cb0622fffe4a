"""State of screens that is saved in the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from reactpy import component, html

from e2e.application import PROJECT, started
from fundwright.accounts import preferences
from fundwright.core.assembly import Core
from fundwright.core.plugins import hookimpl
from fundwright_ui.product import use_saved_state
from fundwright_ui.runtime.router import Screen
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button
from tests.support.accounts import add_account
from tests.support.python_path import python_path
from tests.ui.runtime.conftest import SCREENS, Server


class Notes(BaseModel):
    lines: list[str] = []


@component
def notes_screen() -> Any:
    count = use_saved_state("test count", 0)
    notes = use_saved_state("test notes", Notes())

    async def add(_event: object) -> None:
        await count.set(count.value + 1)

    return html.main(
        html.button({"id": "add", "onClick": add}, "Add"),
        button("Note", on_click=lambda: notes.set(Notes(lines=[*notes.value.lines, "one"]))),
        button("Much", on_click=lambda: notes.set(Notes(lines=["x" * 30_000]))),
        html.p(f"count {count.value} notes {notes.value.lines}"),
    )


async def _ada(core: Core) -> Any:
    async with core.database.transaction() as session:
        return await add_account(session, "ada@example.org", name="Ada")


class TestSavedState:
    async def test_is_there_when_the_page_is_opened_again(self, committed: Core) -> None:
        ada = await _ada(committed)
        async with mounted(committed, ada, notes_screen) as screen:
            assert screen.text.endswith("count 0 notes []")
            await screen.click("button", "Add")
            await screen.click("button", "Note")
            assert screen.text.endswith("count 1 notes ['one']")
        async with mounted(committed, ada, notes_screen, is_live=False) as again:
            assert again.text.endswith("count 1 notes ['one']")

    async def test_of_a_kind_that_is_no_longer_understood_starts_over(self, committed: Core) -> None:
        ada = await _ada(committed)
        async with committed.database.transaction() as session:
            await preferences.save_state(session, ada, "test count", "many")
        async with mounted(committed, ada, notes_screen) as screen:
            assert screen.text.endswith("count 0 notes []")

    async def test_that_is_too_large_is_refused_with_a_message(self, committed: Core) -> None:
        async with mounted(committed, await _ada(committed), notes_screen) as screen:
            await screen.click("button", "Much")
            assert screen.toasts == ["That is too long to save for this page. Shorten it and try again."]


NOTES = Screen("/saved", "Saved", notes_screen)


@hookimpl
def screens() -> list[Screen]:
    """This module is a plug-in of the second process."""
    return [NOTES]


@pytest.fixture
def with_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.runtime.conftest.SCREENS", [*SCREENS, NOTES])


@pytest.fixture
def another_process(server: Server, tmp_path: Path) -> Iterator[Server]:
    """`fundwright serve` with the database and the data folder of `server`."""
    about = tmp_path / "installed/notes-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[fundwright]\nnotes = {__name__}\n")
    settings = server.core.settings
    assert settings.database_url is not None
    environment = {
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "FUNDWRIGHT_MODELS": str(settings.models),
        **python_path(about.parent, PROJECT),
    }
    with started(settings.data, "--no-worker", environment=environment) as application:
        assert application.process.poll() is None
        yield replace(server, url=application.url)


@pytest.mark.pain(11)
@pytest.mark.usefixtures("with_notes")
@pytest.mark.slow
async def test_a_page_that_comes_to_another_process_finds_what_was_saved(server: Server, another_process: Server) -> None:
    token = await server.sign_in()
    async with server.socket(token=token) as client:
        await client.hello("/saved")
        await client.click("add")
        session, received = client.session, client.received
    async with another_process.socket(token=token) as client:
        await client.hello("/saved", session=session, received=received)
        assert client.session != session
        assert client.text.endswith("count 1 notes []")
        await client.click("add")
    async with server.socket(token=token) as client:
        await client.hello("/saved")
        assert client.text.endswith("count 2 notes []")
