"""The command palette (Ctrl K): what it finds and does, and keyboard shortcuts for navigation."""

from __future__ import annotations

from typing import Any

import pytest

from fundwright.accounts import commands as accounts_commands
from fundwright.accounts.schemas import Actor, Permission, Role, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright_ui.shell.matching import best, fit_of
from tests.ui.conftest import Open, Page


async def search(page: Page, words: str) -> dict[str, list[dict[str, Any]]]:
    """The commands that are shown for `words`, by group."""
    await page.fire(page.one("CommandPalette"), "onSearch", words=words)
    palette = page.one("CommandPalette")["a"]
    assert palette["words"] == words
    return {group["label"]: group["commands"] for group in palette["groups"]}


async def labels(page: Page, words: str) -> dict[str, list[str]]:
    return {group: [command["label"] for command in commands] for group, commands in (await search(page, words)).items()}


@pytest.fixture
async def samples(committed: Core) -> None:
    async with committed.database.transaction() as session:
        await opportunities.load_sample_once(session)


class TestSearch:
    async def test_nothing_is_read_or_sent_before_it_is_opened(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            palette = page.one("CommandPalette")["a"]
            assert (palette["groups"], palette["words"]) == ([], None)

    @pytest.mark.usefixtures("samples")
    async def test_without_words_it_offers_pages_what_is_new_and_every_action(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            found = await labels(page, "")
            assert list(found) == ["Pages", "New opportunities", "Actions"]
            assert {"Train", "Category", "Generate", "Feedback", "Pricing"} <= set(found["Pages"])
            assert len(found["New opportunities"]) == 4
            assert {"Import opportunities", "New draft", "Dark mode", "Logout"} <= set(found["Actions"])
            await page.fire(page.one("CommandPalette"), "onClose")
            assert page.one("CommandPalette")["a"]["groups"] == []

    async def test_offers_only_pages_and_actions_that_the_role_may(self, open_page: Open, ada: Actor) -> None:
        administered = {"/dashboard/analyze", "/dashboard/users", "/dashboard/audit"}
        for role in Role:
            async with open_page("/dashboard/category", actor=ada.model_copy(update={"role": role})) as page:
                found = await search(page, "")
                paths = {command["path"] for command in found["Pages"]}
                assert paths.isdisjoint(administered) if role is Role.USER else administered <= paths
                assert not any("{" in path or path.startswith("/auth") for path in paths)
        for role in WorkspaceRole:
            member = ada.model_copy(update={"workspace_role": role})
            async with open_page("/dashboard/category", actor=member) as page:
                actions = (await search(page, ""))["Actions"]
                assert any(command["id"] == "import" for command in actions) is member.may(Permission.WORK)

    @pytest.mark.usefixtures("samples")
    async def test_finds_an_opportunity_by_the_beginning_of_a_word_of_its_title(
        self, open_page: Open, committed: Core, ada: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            row = (await opportunities.list_opportunities(session, ada, OpportunityQuery(kind="grant"))).items[0]
        longest = max(row.title.split(), key=len).strip("().,")
        async with open_page("/dashboard/category", actor=ada) as page:
            found = await search(page, longest[:-2])
            assert {"id": str(row.id), "label": row.title, "detail": row.number, "path": f"/dashboard/nih/{row.id}"}.items() <= (
                next(command for command in found["Opportunities"] if command["id"] == str(row.id)).items()
            )
            found = await search(page, row.number)
            assert found["Opportunities"][0]["id"] == str(row.id)

    @pytest.mark.usefixtures("samples")
    async def test_what_is_named_comes_before_what_only_has_the_word(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            assert list(await search(page, "system")) == ["Actions", "Opportunities"]
            assert list(await search(page, "repair")) == ["Opportunities", "Actions"]  # "Collapse or exPAnd the sIdebaR"

    @pytest.mark.usefixtures("samples")
    async def test_finds_a_draft(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            row = (await opportunities.list_opportunities(session, ada, OpportunityQuery())).items[0]
            draft = await generation.add_draft(session, ada, committed, opportunity_id=row.id, template="capability-statement")
        async with open_page("/dashboard/category", actor=ada) as page:
            (command,) = (await search(page, "capability"))["Drafts"]
            assert (command["label"], command["path"]) == (draft.title, f"/generate/slug/{draft.slug}")

    @pytest.mark.parametrize("words", ["'", "a & | !", ":*", "\\", "%", "é" * 200, "the"])
    async def test_accepts_any_text(self, open_page: Open, ada: Actor, words: str) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            await search(page, words)

    async def test_says_when_there_are_no_results(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            assert await search(page, "zzzzqqq") == {}
            assert page.one("CommandPalette")["a"]["summary"] == "No results"
            await search(page, "logout")
            assert page.one("CommandPalette")["a"]["summary"] == "1 result"


class TestCommands:
    async def test_logout_asks_first(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            await page.fire(page.one("CommandPalette"), "onCommand", act="logout")
            assert page.one("ConfirmDialog")["a"]["title"] == "Sure you want to Log Out?"
            await page.fire(page.one("ConfirmDialog"), "onCancel")
            assert page.all("ConfirmDialog") == []

    async def test_the_sidebar_collapses_where_there_is_one(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            await page.fire(page.one("CommandPalette"), "onCommand", act="sidebar")
            assert page.all("div", className="fw-shell fw-shell-collapsed")
        async with open_page("/generate/index", actor=ada) as page:
            assert "Collapse or expand the sidebar" not in (await labels(page, "sidebar")).get("Actions", [])

    async def test_a_language_is_kept_for_the_account(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            assert await labels(page, "deutsch") == {"Actions": ["Language: Deutsch"]}
            await page.fire(page.one("CommandPalette"), "onLanguage", code="de")
            assert page.frames("navigate")[0]["reload"] is True
        async with committed.database.transaction() as session:
            assert [account.language for account in await accounts_commands.list_accounts(session)] == ["de"]


class TestShortcuts:
    async def test_lead_to_the_pages_that_one_has(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            letters = {each["key"]: each["path"] for each in page.one("CommandPalette")["a"]["shortcuts"]}
            assert letters == {
                "o": "/dashboard/nih",
                "c": "/dashboard/category",
                "t": "/dashboard/train",
                "h": "/dashboard/history",
                "g": "/generate/index",
                "d": "/dashboard/index",
                "s": "/dashboard/user/account",
            }

    @pytest.mark.parametrize("role", Role)
    async def test_no_letter_leads_to_two_pages(self, open_page: Open, ada: Actor, role: Role) -> None:
        async with open_page("/dashboard/category", actor=ada.model_copy(update={"role": role})) as page:
            letters = [each["key"] for each in page.one("CommandPalette")["a"]["shortcuts"]]
            assert len(letters) == len(set(letters)) >= 5


class TestMatching:
    NAMES = ("Train", "Embedding History", "Payment history", "Premium Link")

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("", ["Train", "Embedding History", "Payment history", "Premium Link"]),
            ("tr", ["Train"]),
            ("HIST", ["Embedding History", "Payment history"]),
            ("hist pay", ["Payment history"]),
            ("ink", ["Premium Link"]),
            ("pmlk", ["Premium Link"]),
            ("x", []),
        ],
    )
    def test_finds(self, words: str, found: list[str]) -> None:
        assert best(words, self.NAMES, str) == found

    def test_what_starts_so_comes_first(self) -> None:
        assert best("pr", ("Compress", "The price", "Premium"), str) == ["Premium", "The price", "Compress"]

    def test_letters_must_be_in_this_order(self) -> None:
        assert (fit_of("tn", "Train"), fit_of("nt", "Train")) == (0, None)
