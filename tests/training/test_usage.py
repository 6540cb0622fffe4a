"""The storage limit of an account."""

from __future__ import annotations

import asyncio

import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.billing import service as billing
from fundwright.core.assembly import Core
from fundwright.training import adding, removing, samples, storage
from fundwright.training.schemas import PastedText
from fundwright.trash import service as trash
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceForm
from fundwright_ui.screens.account.account import account_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account
from tests.support.signing_in import with_settings
from tests.training.conftest import AddFile

FULL = (
    r"Your documents use 3 kB of your limit of 5 kB, and this one is 3 kB\. Move documents to the trash and empty it, or ask an "
    "administrator to raise FUNDWRIGHT_ACCOUNT_BYTES"
)


def text(letter: str, size_bytes: int = 3_000) -> str:
    return letter * size_bytes


@pytest.fixture
def small(committed: Core) -> Core:
    """An installation with a storage limit of 5 kB per account."""
    return with_settings(committed, account_bytes=5_000)


class TestQuota:
    @pytest.mark.security(42)
    async def test_is_in_bytes_and_says_how_much_is_used_and_what_to_do(
        self, small: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with small.database.transaction() as session:
            first = await add_file(session, owner, small, text("a"))
        with pytest.raises(billing.QuotaSpent, match=FULL):
            async with small.database.transaction() as session:
                await add_file(session, owner, small, text("b"))
        with pytest.raises(billing.QuotaSpent, match=FULL):
            async with small.database.transaction() as session:
                await adding.add_text(session, owner, small, PastedText(title="Pasted", text=text("c")))
        async with small.database.transaction() as session:
            await removing.remove_document(session, owner, first.id)
        with pytest.raises(billing.QuotaSpent, match=FULL):
            async with small.database.transaction() as session:
                await add_file(session, owner, small, text("b"))
        async with small.database.transaction() as session:
            await trash.empty(session, owner, small)
        async with small.database.transaction() as session:
            await add_file(session, owner, small, text("b", 5_000))

    @pytest.mark.security(42)
    async def test_of_two_documents_at_once_only_one_fits(self, small: Core, owner: Actor, add_file: AddFile) -> None:
        async def add(letter: str) -> object:
            async with small.database.transaction() as session:
                return await add_file(session, owner, small, text(letter), f"{letter}.md")

        outcomes = await asyncio.gather(*map(add, "abcd"), return_exceptions=True)
        assert sum(isinstance(outcome, billing.QuotaSpent) for outcome in outcomes) == 3
        async with small.database.transaction() as session:
            assert (await storage.get_usage(session, owner, small)).size_bytes == 3_000

    @pytest.mark.security(42)
    async def test_counts_what_the_person_added_in_all_workspaces(
        self, small: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with small.database.transaction() as session:
            created = [await workspaces.create_workspace(session, owner, small, WorkspaceForm(name=name)) for name in "abc"]
            actors = [await workspaces.actor_in(session, owner, each.id) for each in created]

        async def add(actor: Actor) -> object:
            async with small.database.transaction() as session:
                return await add_file(session, actor, small, text("a"))

        outcomes = await asyncio.gather(*map(add, actors), return_exceptions=True)
        assert sum(isinstance(outcome, billing.QuotaSpent) for outcome in outcomes) == 2
        async with small.database.transaction() as session:
            assert (await storage.get_usage(session, owner, small)).size_bytes == 3_000
            await add_file(session, stranger, small, text("a"))

    async def test_leaves_out_the_sample_other_accounts_and_administrators(
        self, small: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with small.database.transaction() as session:
            await samples.add_sample(session, owner, small)
            admin = await add_account(session, role=Role.ADMIN)
            for who in (owner, stranger, admin):
                await add_file(session, who, small, text("a"))
            await add_file(session, admin, small, text("b"))
            usage = await storage.get_usage(session, owner, small)
            assert (usage.size_bytes, usage.most_bytes) == (3_000, 5_000)
            assert await storage.count_documents(session, owner) == 1
            assert (await storage.get_usage(session, admin, small)).text == "6 kB"


class TestScreens:
    async def test_show_how_much_is_used(self, small: Core, owner: Actor, add_file: AddFile) -> None:
        async with small.database.transaction() as session:
            await add_file(session, owner, small, text("a"))
        async with mounted(small, owner, train_screen, path="/dashboard/train") as screen:
            assert "Documents in this workspace: 1 of 1,000 (Free plan)." in screen.text
            assert "The documents that you added in all workspaces use 3 kB of 5 kB." in screen.text
            assert screen.find("link", "View usage").props["href"] == "/dashboard/workspace?tab=plan"
        async with mounted(small, owner, account_screen, path="/dashboard/account") as screen:
            assert "Documents that you added in all workspaces 3 kB of 5 kB" in screen.text
