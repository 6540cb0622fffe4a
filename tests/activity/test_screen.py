"""The feed of a workspace, and that beside a document."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update
from starlette.requests import HTTPConnection

from fundwright.accounts.schemas import Actor
from fundwright.activity import service
from fundwright.activity.models import Activity
from fundwright.core.assembly import Core
from fundwright.core.web import requested_time_zone
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.screens.workspaces.workspace import PATH, workspace_screen
from fundwright_ui.testing import mounted
from tests.support.scopes import INSTALLATION
from tests.workspaces.test_service import add_text, bob, create, member

__all__ = ["bob"]

FEED = f"{PATH}?tab=activity"


async def test_an_empty_feed_says_what_will_be_there(committed: Core, ada: Actor) -> None:
    async with mounted(committed, await create(committed, ada), workspace_screen, path=FEED) as screen:
        assert "No activity yet." in screen.text


async def test_a_failure_is_shown_with_a_way_to_try_again(committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_arguments: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(service, "list_activity", fail)
    async with mounted(committed, await create(committed, ada), workspace_screen, path=FEED) as screen:
        assert screen.has("button", "Try again")


async def test_entries_are_grouped_by_day_and_filtered(committed: Core, ada: Actor, bob: Actor) -> None:
    owner = await create(committed, ada)
    editor = await member(committed, owner, bob)
    async with committed.database.transaction(scope=INSTALLATION) as session:
        await session.execute(update(Activity).values(at=Activity.at - timedelta(days=1)))
    await add_text(committed, owner)
    await add_text(committed, editor, "Ports")
    async with mounted(committed, owner, workspace_screen, path=FEED) as screen:
        assert "3 entries" in screen.text
        places = [screen.text.index(part) for part in ("Today", "added the document", "Yesterday", "joined (role")]
        assert places == sorted(places)
        await screen.choose("Who", str(bob.id))
        assert "Boats" not in screen.text and "Ports" in screen.text
        await screen.choose("Kind", "trash.added")
        assert "No entries match." in screen.text


async def test_new_entries_are_announced(committed: Core, ada: Actor) -> None:
    owner = await create(committed, ada)
    await add_text(committed, owner)
    async with mounted(committed, owner, workspace_screen, path=FEED) as screen:
        await add_text(committed, owner, "Ports")
        await screen.expect("1 more entry in this list")
        assert "Ports" not in screen.text
        await screen.click("button", "Show")
        assert "Ports" in screen.text


async def test_a_document_shows_its_own(committed: Core, ada: Actor) -> None:
    id = await add_text(committed, ada)
    async with mounted(committed, ada, train_screen, path=f"/dashboard/train?document={id}") as screen:
        await screen.expect("Ada Lovelace added the document “ Boats ”")


async def test_who_can_see_a_document_has_the_focus_on_the_choice(committed: Core, ada: Actor) -> None:
    owner = await create(committed, ada)
    id = await add_text(committed, owner)
    async with mounted(committed, owner, train_screen, path=f"/dashboard/train?document={id}") as screen:
        await screen.click("button", "Who can see this")
        await screen.expect(lambda: screen.has("radio"))
        assert [each.props.get("autoFocus") for each in screen.elements("radio")] == [True, None]


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        ("", None),
        ("time_zone=Asia/Tokyo", "Asia/Tokyo"),
        ("time_zone=America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("time_zone=Etc/GMT+5", "Etc/GMT+5"),
        ("time_zone=America", None),
        ("time_zone=Mars/Olympus", None),
        ("time_zone=../../etc/passwd", None),
        (f"time_zone={'a/' * 900}b", None),
    ],
)
def test_the_time_zone_of_the_browser_is_known(cookie: str, zone: str | None) -> None:
    connection = HTTPConnection({"type": "http", "headers": [(b"cookie", cookie.encode())]})
    assert requested_time_zone(connection) == zone
