"""The switcher of workspaces in the head of the sidebar."""

from __future__ import annotations

import pytest

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceForm
from tests.support.accounts import add_account
from tests.ui.conftest import Open, Page


@pytest.fixture
async def in_tideline(committed: Core, ada: Actor) -> Actor:
    """Ada in a workspace that she created, while her personal one is the last used."""
    async with committed.database.transaction() as session:
        made = await workspaces.create_workspace(session, ada, committed, WorkspaceForm(name="Tideline"))
        return await workspaces.actor_in(session, ada, made.id)


async def opened(page: Page) -> list[tuple[str, str, bool]]:
    """Open the menu; return its choices."""
    assert page.one("WorkspaceSwitcher")["a"].get("menu") is None  # nothing is loaded or sent before
    await page.fire(page.one("WorkspaceSwitcher"), "onOpen")
    menu = page.one("WorkspaceSwitcher")["a"]["menu"]
    return [(each["name"], each["role"], each["isCurrent"]) for each in menu["choices"]]


@pytest.mark.parametrize("path", ["/dashboard/train", "/generate/index"])
async def test_lists_the_workspaces_once_it_opens(open_page: Open, in_tideline: Actor, path: str) -> None:
    async with open_page(path, actor=in_tideline) as page:
        assert page.one("WorkspaceSwitcher")["a"]["name"] == "Tideline"
        assert await opened(page) == [("Personal", "Owner", False), ("Tideline", "Owner", True)]
        links = page.one("WorkspaceSwitcher")["a"]["menu"]["links"]
        assert [link["href"] for link in links] == [
            "/dashboard/workspace?open=new",
            "/dashboard/workspace",
            "/dashboard/workspace/facts",
        ]


async def test_has_a_search_field_for_more_than_seven(open_page: Open, committed: Core, in_tideline: Actor, ada: Actor) -> None:
    for number in range(2, 8):
        async with open_page("/dashboard/trash", actor=ada) as page:
            await opened(page)
            assert page.one("WorkspaceSwitcher")["a"]["menu"]["searchLabel"] == ""
        async with committed.database.transaction() as session:
            await workspaces.create_workspace(session, ada, committed, WorkspaceForm(name=f"Team {number}"))
    async with open_page("/dashboard/trash", actor=ada) as page:
        assert len(await opened(page)) == 8
        assert page.one("WorkspaceSwitcher")["a"]["menu"]["searchLabel"] == "Search workspaces"


@pytest.mark.parametrize(
    ("path", "list_page"),
    [
        ("/dashboard/category?open=new", "/dashboard/category"),
        ("/dashboard/history/00000000-0000-0000-0000-000000000001", "/dashboard/history"),
        ("/generate/slug/nothing", "/generate/index"),
        ("/workspaces/join/nonsense", "/dashboard/train"),
    ],
)
async def test_a_choice_loads_the_list_page_there(
    open_page: Open, committed: Core, in_tideline: Actor, ada: Actor, path: str, list_page: str
) -> None:
    async with open_page(path, actor=ada) as page:
        await page.fire(page.one("WorkspaceSwitcher"), "onChoose", id=str(in_tideline.workspace_id))
        (move,) = page.frames("navigate")
        assert (move["path"], move["reload"]) == (list_page, True)
    async with committed.database.transaction() as session:
        account = await accounts.get_account_by_id(session, ada.id)
        assert accounts.actor_of(account).workspace_id == in_tideline.workspace_id


async def test_a_workspace_of_others_is_refused(open_page: Open, committed: Core, in_tideline: Actor, ada: Actor) -> None:
    async with committed.database.transaction() as session:
        bob = await add_account(session)
    async with open_page("/dashboard/train", actor=bob) as page:
        for id in (str(in_tideline.workspace_id), "nonsense"):
            await page.fire(page.one("WorkspaceSwitcher"), "onChoose", id=id)
        assert not page.frames("navigate")
        assert all(frame["message"].startswith("The workspace was not found.") for frame in page.frames("toast"))


async def test_costs_an_ordinary_page_nothing(open_page: Open, ada: Actor) -> None:
    async with open_page("/dashboard/category", actor=ada) as page:
        page.changes()
        await page.follow("/dashboard/trash")
        assert "Personal" not in page.changes()
