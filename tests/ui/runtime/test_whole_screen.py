"""The screen at the end of docs/extending.md works as described."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path

import pytest

from fundwright import hooks
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core, open_core
from fundwright.core.plugins import Plugins
from fundwright_ui import extension
from fundwright_ui.testing import mounted
from tests.architecture.tree import PROJECT
from tests.support.accounts import add_account
from tests.support.cores import settings_of


@pytest.fixture
async def partners(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    """A Core with the package."""
    monkeypatch.syspath_prepend(PROJECT / "tests/ui/extension_partners")
    plugins = Plugins([hooks, extension])
    plugins.register(import_module("fundwright_partners.plugin"))
    async with open_core(settings_of(database_url, tmp_path), plugins) as core:
        yield core


async def test_a_partner_is_added_in_the_dialog_and_counted_by_the_job(partners: Core) -> None:
    package = import_module("fundwright_partners.partners")
    async with partners.database.transaction() as session:
        ada: Actor = await add_account(session)
    async with mounted(partners, ada, package.partners_screen) as screen:
        assert "No partners yet." in screen.text
        await screen.click("button", "Add partner")
        await screen.type("Name", "Acme")
        await screen.type("CAGE code", "short")
        await screen.click("button", "Save")
        assert screen.find("alert").text == "Use the five characters of the CAGE code."
        await screen.type("CAGE code", "")
        await screen.click("button", "Save")
        assert screen.toasts == ["The partner was added."]
        assert not screen.has("textbox", "Name")
        assert screen.props("DataTable")["rows"] == [["Acme", "", ""]]
        await screen.click("button", "Count")
        await screen.expect(lambda: screen.has("button", "Cancel"))
        await partners.jobs.run_inline(package.CountNotices(), title="Count notices", owner_id=ada.id)
        await screen.expect(lambda: screen.props("DataTable")["rows"] == [["Acme", "", "0"]])
