"""The tasks of the workspace, and those of an opportunity and of a draft on their pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fundwright.core.scopes import acting_in
from fundwright.tasks import service
from fundwright.tasks.schemas import TaskQuery, TaskRead
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.screens.tasks.tasks import tasks_screen
from fundwright_ui.testing import mounted
from tests.support.teams import Team
from tests.tasks.test_service import ANYONE, add, change, draft_of, listed

PATH = service.PATH


async def only(team: Team, **query: object) -> TaskRead:
    wanted = TaskQuery.model_validate({**ANYONE, **query})
    (task,) = (await team.do(team.ada, lambda session: service.list_tasks(session, team.ada, wanted))).items
    return task


class TestList:
    async def test_without_any_it_says_what_to_do(self, team: Team) -> None:
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: "You have no open tasks. Type one above" in screen.text)

    async def test_names_nobody_else_in_a_personal_workspace(self, team: Team) -> None:
        with acting_in(team.eve.scope):
            async with mounted(team.core, team.eve, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: "You have no open tasks. Type one above." in screen.text)
                assert "Anyone" not in screen.text

    async def test_shows_ones_own_open_tasks_under_when_they_are_due(self, team: Team) -> None:
        today = service.today_of(team.ada)
        await add(team, title="Yesterday", assignee_id=team.ada.id, due_on=today - timedelta(days=1))
        await add(team, title="Now", assignee_id=team.ada.id, due_on=today)
        await add(team, title="Of Bob", assignee_id=team.bob.id)
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: "2 tasks" in screen.text)
                assert screen.has("region", "Overdue") and screen.has("region", "Today") and "Of Bob" not in screen.text
                await screen.go(f"{PATH}?assignee=anyone&due=none")
                await screen.expect(lambda: "Of Bob" in screen.text and "Yesterday" not in screen.text)

    async def test_adds_tasks_one_after_the_other_for_the_person(self, team: Team) -> None:
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("textbox", "New task"))
                await screen.type("New task", "First")
                await screen.submit("New task")
                await screen.expect(lambda: screen.has("link", "First"))
                await screen.type("New task", "Second")
                await screen.submit("New task")
                await screen.expect(lambda: screen.has("link", "Second"))
                assert screen.find("textbox", "New task").props.get("autoFocus")
        assert await listed(team, team.ada) == ["First", "Second"]

    async def test_a_checkbox_marks_a_task_as_done_and_undo_opens_it_again(self, team: Team) -> None:
        await add(team, assignee_id=team.ada.id)
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("checkbox", "Done: Price it"))
                await screen.check("Done: Price it")
                await screen.expect(lambda: "“Price it” was marked as done." in screen.toasts)
                assert "Price it" in screen.text  # it stays in place
                assert (await only(team)).done_by == "Ada"
                await screen.settle()
                await screen.check("Done: Price it", False)
                await screen.expect(lambda: "“Price it” was opened again." in screen.toasts)
        assert not (await only(team)).is_done

    async def test_a_viewer_only_finishes_own_tasks(self, team: Team) -> None:
        await add(team, title="Mine", assignee_id=team.vic.id)
        await add(team, title="Other")
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, tasks_screen, path=f"{PATH}?assignee=anyone") as screen:
                await screen.expect(lambda: "2 tasks" in screen.text)
                assert not screen.has("textbox", "New task")
                assert screen.find("checkbox", "Done: Other").props.get("disabled")
                await screen.check("Done: Mine")
                await screen.expect(lambda: "“Mine” was marked as done." in screen.toasts)

    async def test_other_members_pages_follow(self, team: Team) -> None:
        with acting_in(team.bob.scope):
            async with mounted(team.core, team.bob, tasks_screen, path=PATH) as screen:
                await screen.expect(lambda: "You have no open tasks." in screen.text)
                await add(team, assignee_id=team.bob.id)
                await screen.expect(lambda: "Price it" in screen.text)


class TestPanel:
    async def test_changes_a_task(self, team: Team) -> None:
        task = await add(team, assignee_id=team.ada.id)
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=f"{PATH}?open={task.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Title"))
                await screen.type("Title", "Price the options")
                await screen.submit("Task")
                await screen.expect(lambda: "The task was saved." in screen.toasts)
        assert (await only(team)).title == "Price the options"

    @pytest.mark.parametrize("is_live", [True, False])
    async def test_what_someone_else_has_saved_is_shown_and_replaced_only_on_request(
        self, team: Team, monkeypatch: pytest.MonkeyPatch, *, is_live: bool
    ) -> None:
        if not is_live:
            monkeypatch.setattr(service, "topics_of", lambda _actor: ())
        task = await add(team, assignee_id=team.ada.id)
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=f"{PATH}?open={task.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Title"))
                await change(team, team.bob, task, title="Bob’s")
                if is_live:
                    await screen.expect(lambda: "Someone else has saved another version:" in screen.text)
                await screen.type("Title", "Ada’s")
                await screen.submit("Task")
                await screen.expect(lambda: "Someone else has saved another version:" in screen.text)
                assert (await only(team)).title == "Bob’s"
                assert screen.find("textbox", "Title").props["defaultValue"] == "Price it"
                await screen.click("button", "Keep mine")
                await screen.expect(lambda: "Saving will replace the other version with yours." in screen.text)
                await screen.type("Title", "Ada’s")
                await screen.submit("Task")
                await screen.expect(lambda: "The task was saved." in screen.toasts)
        assert (await only(team)).title == "Ada’s"

    async def test_moves_a_task_to_the_trash(self, team: Team) -> None:
        task = await add(team, assignee_id=team.ada.id)
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, tasks_screen, path=f"{PATH}?open={task.id}") as screen:
                await screen.expect(lambda: screen.has("button", "Move to trash"))
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: "“Price it” was moved to the trash." in screen.toasts)
        assert await listed(team, team.ada, **ANYONE) == []

    async def test_a_viewer_reads_the_details(self, team: Team) -> None:
        task = await add(team, details="With **options**")
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, tasks_screen, path=f"{PATH}?open={task.id}") as screen:
                await screen.expect(lambda: "With options" in screen.text)
                assert not screen.has("textbox", "Title") and not screen.has("button", "Mark as done")


async def test_the_page_of_an_opportunity_adds_a_task_for_it(team: Team) -> None:
    notice = await team.opportunity_id()
    with acting_in(team.ada.scope):
        path = f"/dashboard/sam/{notice}"
        async with mounted(team.core, team.ada, contract_screen, path=path, params={"id": str(notice)}) as screen:
            await screen.expect(lambda: screen.has("textbox", "New task"))
            await screen.type("New task", "Ask a question")
            await screen.submit("New task")
            await screen.expect(lambda: screen.has("link", "Ask a question"))
    assert (await only(team, opportunity=notice)).assignee == "Ada"


async def test_the_page_of_a_draft_has_its_tasks(team: Team) -> None:
    draft = await draft_of(team)
    await add(team, draft_id=draft.id)
    with acting_in(team.ada.scope):
        path = f"/generate/slug/{draft.slug}"
        async with mounted(team.core, team.ada, draft_screen, path=path, params={"token": draft.slug}) as screen:
            await screen.expect(lambda: screen.has("button", "Tasks (1)"))
            await screen.click("button", "Tasks (1)")
            await screen.expect(lambda: screen.has("link", "Price it"))
