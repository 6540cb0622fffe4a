"""Tasks: who may do what with them, which are listed, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from datetime import date, timedelta
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.tasks import service
from fundwright.tasks.personal_data import own_files
from fundwright.tasks.schemas import Due, OpenTasks, TaskChange, TaskForm, TaskQuery, TaskRead
from fundwright.trash import service as trash
from fundwright.trash.schemas import TrashQuery
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from tests.support.scopes import INSTALLATION
from tests.support.teams import Team

pytestmark = pytest.mark.security(51)

ANYONE = {"assignee": "anyone", "state": "all"}


async def add(team: Team, actor: Actor | None = None, title: str = "Price it", **more: object) -> TaskRead:
    adder, form = actor or team.ada, TaskForm.model_validate({"title": title, **more})
    return await team.do(adder, lambda session: service.add_task(session, adder, form))


async def change(team: Team, actor: Actor, task: TaskRead, **changes: object) -> TaskRead:
    content = {"title": task.title, "details": task.details, "assignee_id": task.assignee_id, "due_on": task.due_on}
    wanted = TaskChange.model_validate({**content, "based_on": task.changed_at, **changes})
    return await team.do(actor, lambda session: service.change_task(session, actor, task.id, wanted))


async def complete(team: Team, actor: Actor, task: TaskRead) -> TaskRead:
    return await team.do(actor, lambda session: service.complete(session, actor, task.id))


async def reopen(team: Team, actor: Actor, task: TaskRead) -> TaskRead:
    return await team.do(actor, lambda session: service.reopen(session, actor, task.id))


async def open_of(team: Team, actor: Actor, opportunity_id: UUID) -> Mapping[UUID, OpenTasks]:
    return await team.do(actor, lambda session: service.open_tasks_of(session, actor, [opportunity_id]))


async def delete(team: Team, actor: Actor, task: TaskRead) -> None:
    await team.do(actor, lambda session: service.delete(session, actor, task.id))


async def listed(team: Team, actor: Actor, **query: object) -> list[str]:
    wanted = TaskQuery.model_validate(query)
    return [each.title for each in (await team.do(actor, lambda session: service.list_tasks(session, actor, wanted))).items]


async def told(team: Team, actor: Actor) -> list[str]:
    with using_language("en"):
        found = await team.do(
            actor, lambda session: notifications.list_notifications(session, actor, team.core, NotificationQuery())
        )
    return [each.title for each in found.items]


async def happened(team: Team, actor: Actor, subject_id: UUID | None = None) -> list[str]:
    query = ActivityQuery(subject_id=subject_id)
    with using_language("en"):
        found = await team.do(actor, lambda session: activity.list_activity(session, actor, team.core, query))
    return [each.sentence for each in found.items]


async def draft_of(team: Team) -> DraftRead:
    notice = await team.opportunity_id()
    return await team.do(
        team.ada,
        lambda session: generation.add_draft(
            session, team.ada, team.core, opportunity_id=notice, template="capability-statement"
        ),
    )


class TestAdd:
    async def test_belongs_to_an_opportunity_and_appears_in_its_activity(self, team: Team) -> None:
        notice = await team.opportunity_id()
        task = await add(team, details="With **options**", opportunity_id=notice, due_on="2026-12-01")
        assert (task.opportunity_id, task.details, task.due_on) == (notice, "With **options**", date(2026, 12, 1))
        assert task.opportunity and task.opportunity_path.endswith(str(notice))
        assert await happened(team, team.vic, notice) == ["Ada added the task “Price it”"]

    async def test_the_member_to_whom_it_is_assigned_is_told_and_nobody_else(self, team: Team) -> None:
        task = await add(team, assignee_id=team.bob.id)
        assert task.assignee == "Bob" and not task.is_own
        assert await told(team, team.bob) == ["Ada assigned the task “Price it” to you"]
        assert await told(team, team.ada) == await told(team, team.vic) == []

    async def test_the_same_request_again_adds_no_second_task(self, team: Team) -> None:
        first = await add(team, key="a1")
        assert (await add(team, key="a1")).id == first.id
        assert (await add(team, team.bob, key="a1")).id != first.id
        assert await listed(team, team.ada, **ANYONE) == ["Price it", "Price it"]

    async def test_refuses_what_another_workspace_owns(self, team: Team) -> None:
        draft = await draft_of(team)
        with pytest.raises(NotFound):
            await add(team, team.eve, assignee_id=team.ada.id)
        with pytest.raises(NotFound):
            await add(team, team.eve, draft_id=draft.id)
        with pytest.raises(NotFound):
            await add(team, assignee_id=team.eve.id)

    @pytest.mark.parametrize("title", ["", "  ", "\u200b", "x" * 201])
    def test_refuses_a_title_that_nobody_can_read(self, title: str) -> None:
        with pytest.raises(ValidationError):
            TaskForm(title=title)


class TestRoles:
    async def test_reviewers_and_viewers_read_but_do_not_add_change_or_delete(self, team: Team) -> None:
        task = await add(team)
        for actor in (team.rae, team.vic):
            assert await listed(team, actor, **ANYONE) == ["Price it"]
            for attempt in (
                add(team, actor),
                change(team, actor, task, title="X"),
                complete(team, actor, task),
                delete(team, actor, task),
            ):
                with pytest.raises(NotAllowed):
                    await attempt

    async def test_whoever_has_the_task_marks_it_as_done_and_opens_it_again(self, team: Team) -> None:
        for actor in (team.rae, team.vic):
            task = await add(team, title=actor.name, assignee_id=actor.id)
            done = await complete(team, actor, task)
            assert (done.is_done, done.done_by, done.due) == (True, actor.name, None)
            assert not (await reopen(team, actor, task)).is_done

    async def test_support_access_finishes_nothing(self, team: Team) -> None:
        task = await add(team, assignee_id=team.ada.id)
        support = team.ada.model_copy(update={"is_support": True})
        with pytest.raises(NotAllowed):
            await complete(team, support, task)

    async def test_nobody_outside_of_the_workspace_sees_it(self, team: Team) -> None:
        task = await add(team)
        assert await listed(team, team.eve, **ANYONE) == []
        with pytest.raises(NotFound):
            await team.do(team.eve, lambda session: service.get_task(session, team.eve, task.id))

    async def test_a_task_of_a_personal_workspace_is_its_owners(self, team: Team) -> None:
        await team.do(team.eve, lambda session: service.add_task(session, team.eve, TaskForm(title="Alone")))
        assert await listed(team, team.eve) == ["Alone"]


class TestList:
    async def test_shows_ones_own_open_tasks_by_due_date(self, team: Team) -> None:
        today = service.today_of(team.ada)
        for title, days in (("never", None), ("later", 30), ("overdue", -1), ("today", 0), ("soon", 7)):
            due_on = None if days is None else today + timedelta(days=days)
            await add(team, title=title, assignee_id=team.ada.id, due_on=due_on)
        await add(team, title="of Bob", assignee_id=team.bob.id)
        await complete(team, team.ada, await add(team, title="done", assignee_id=team.ada.id))
        assert await listed(team, team.ada) == ["overdue", "today", "soon", "later", "never"]
        for due in Due:
            assert await listed(team, team.ada, due=due) == [{Due.NEVER: "never"}.get(due, due.value)]
        counts = await team.do(team.ada, lambda session: service.count_due(session, team.ada))
        assert counts.due == dict.fromkeys(Due, 1)

    async def test_filters(self, team: Team) -> None:
        notice = await team.opportunity_id()
        await add(team, title="Letter", details="of support", opportunity_id=notice)
        await complete(team, team.ada, await add(team, title="Budget", assignee_id=team.bob.id))
        for query, expected in (
            (ANYONE, ["Letter", "Budget"]),
            ({**ANYONE, "text": "SUPPORT"}, ["Letter"]),
            ({**ANYONE, "assignee": "nobody"}, ["Letter"]),
            ({**ANYONE, "assignee": str(team.bob.id)}, ["Budget"]),
            ({**ANYONE, "state": "done"}, ["Budget"]),
            ({**ANYONE, "opportunity": notice}, ["Letter"]),
            ({**ANYONE, "sort": "title"}, ["Budget", "Letter"]),
            ({**ANYONE, "sort": "-title"}, ["Letter", "Budget"]),
        ):
            assert await listed(team, team.ada, **query) == expected, query

    async def test_exports_the_whole_list(self, team: Team) -> None:
        await add(team, assignee_id=team.bob.id)

        async def export(session: AsyncSession) -> list[str]:
            query = TaskQuery.model_validate({**ANYONE, "page_size": 1})
            return [line async for line in service.export_tasks(session, team.ada, team.core, query)]

        with using_language("en"):
            lines = await team.do(team.ada, export)
        assert lines[0].startswith("Task,Details,Assigned to,Due") and "Price it" in lines[1] and "Bob" in lines[1]

    async def test_counts_the_open_tasks_of_opportunities(self, team: Team) -> None:
        notice, today = await team.opportunity_id(), service.today_of(team.ada)
        overdue = today - timedelta(days=2)
        await add(team, opportunity_id=notice, due_on=overdue)
        await add(team, opportunity_id=notice)
        await complete(team, team.ada, await add(team, opportunity_id=notice))
        for actor, expected in (
            (team.vic, {notice: OpenTasks(count=2, overdue=1, next_due_on=overdue)}),
            (team.eve, {}),
        ):
            assert await open_of(team, actor, notice) == expected


class TestChange:
    async def test_changes_what_people_enter_and_tells_the_new_assignee_instead_of_the_former_one(self, team: Team) -> None:
        task = await add(team, assignee_id=team.bob.id)
        changed = await change(team, team.ada, task, title="Price again", assignee_id=team.rae.id)
        assert (changed.title, changed.assignee) == ("Price again", "Rae")
        assert await told(team, team.bob) == []
        assert await told(team, team.rae) == ["Ada assigned the task “Price again” to you"]

    async def test_nobody_overwrites_what_someone_else_has_changed(self, team: Team) -> None:
        task = await add(team)
        await change(team, team.bob, task, details="Bob’s")
        with pytest.raises(service.TaskChangedMeanwhile):
            await change(team, team.ada, task, details="Ada’s")
        assert (await change(team, team.ada, task, details="Bob’s")).details == "Bob’s"  # a repeated request

    async def test_marking_it_as_done_is_no_conflict(self, team: Team) -> None:
        task = await add(team)
        await complete(team, team.bob, task)
        assert (await change(team, team.ada, task, details="More")).is_done


class TestDelete:
    async def test_moves_it_to_the_trash_and_restores_it(self, team: Team) -> None:
        task = await add(team, assignee_id=team.bob.id)
        await delete(team, team.ada, task)
        assert await listed(team, team.ada, **ANYONE) == await told(team, team.bob) == []
        await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.core, task.id))
        assert await listed(team, team.bob) == ["Price it"]

    async def test_is_assigned_to_nobody_if_the_member_has_left(self, team: Team) -> None:
        kept, trashed = await add(team, assignee_id=team.bob.id), await add(team, title="B", assignee_id=team.bob.id)
        await delete(team, team.ada, trashed)
        await team.do(team.ada, lambda session: workspaces.remove_member(session, team.ada, team.bob.id))
        await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.core, trashed.id))
        assert await listed(team, team.ada, assignee="nobody") == [kept.title, trashed.title]

    async def test_what_a_deleted_account_did_stays_without_the_name(self, team: Team) -> None:
        task = await complete(team, team.bob, await add(team, team.bob, assignee_id=team.bob.id))
        async with team.core.database.transaction(scope=INSTALLATION) as session:
            await session.execute(text("DELETE FROM membership WHERE account_id = :id"), {"id": team.bob.id})
            await session.execute(text("DELETE FROM account WHERE id = :id"), {"id": team.bob.id})
        with using_language("en"):
            kept = await team.do(team.ada, lambda session: service.get_task(session, team.ada, task.id))
        assert (kept.created_by, kept.done_by, kept.assignee) == ("Former member", "Former member", "")


class TestRestrictedDraft:
    async def test_its_tasks_are_hidden_with_it_also_in_the_trash_and_in_activity(self, team: Team) -> None:
        draft = await draft_of(team)
        task, trashed = await add(team, draft_id=draft.id), await add(team, title="Old", draft_id=draft.id)
        assert task.draft == draft.title and task.draft_path.endswith(draft.slug)
        form = RestrictionForm(members=(ChosenMember(account_id=team.rae.id, access=Access.VIEW),))
        await team.do(team.ada, lambda session: generation.restrict_draft(session, team.ada, team.core, draft.id, form))
        await delete(team, team.ada, trashed)
        assert await listed(team, team.rae, **ANYONE) == ["Price it"]
        assert await listed(team, team.bob, **ANYONE) == []
        items = await team.do(team.bob, lambda session: trash.list_trash(session, team.bob, TrashQuery()))
        assert items.total == 0
        assert not [each for each in await happened(team, team.bob) if "Price it" in each or "Old" in each]
        with pytest.raises(service.HiddenFromAssignee):
            await add(team, draft_id=draft.id, assignee_id=team.bob.id)
        with pytest.raises(NotFound):
            await complete(team, team.bob, task)

    async def test_its_tasks_are_deleted_with_it(self, team: Team) -> None:
        draft = await draft_of(team)
        await add(team, draft_id=draft.id)
        trashed = await add(team, title="Old", draft_id=draft.id)
        await delete(team, team.ada, trashed)
        await team.do(team.ada, lambda session: generation.delete_draft(session, team.ada, draft.id))
        await team.do(team.ada, lambda session: trash.delete_forever(session, team.ada, team.core, draft.id))
        assert await listed(team, team.ada, **ANYONE) == []
        with pytest.raises(NotFound):
            await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.core, trashed.id))

    async def test_nobody_sees_its_tasks_after_it_is_deleted_forever(self, team: Team) -> None:
        draft = await draft_of(team)
        done = await add(team, title="Done", draft_id=draft.id, assignee_id=team.bob.id)
        await complete(team, team.ada, done)
        await add(team, title="Open", draft_id=draft.id, assignee_id=team.bob.id)
        trashed = await add(team, title="Old", draft_id=draft.id)
        await delete(team, team.ada, trashed)
        form = RestrictionForm(members=())
        await team.do(team.ada, lambda session: generation.restrict_draft(session, team.ada, team.core, draft.id, form))
        await team.do(team.ada, lambda session: generation.delete_draft(session, team.ada, draft.id))
        await team.do(team.ada, lambda session: trash.delete_forever(session, team.ada, team.core, draft.id))
        for member in (team.ada, team.bob):
            items = await team.do(member, lambda session, member=member: trash.list_trash(session, member, TrashQuery()))
            assert items.total == 0
            assert await told(team, member) == [] and not [
                each for each in await happened(team, member) if "“O" in each or "“D" in each
            ]


def content_of(file: DataFile) -> bytes:
    assert isinstance(file.content, bytes)
    return file.content


async def test_are_part_of_a_copy_of_personal_data(team: Team) -> None:
    await add(team)
    await delete(team, team.ada, await add(team, title="Old"))

    async def files(session: AsyncSession) -> list[DataFile]:
        found: AsyncIterator[DataFile] = own_files(session, team.ada, team.core)
        return [each async for each in found]

    kept, trashed = await team.do(team.ada, files)
    assert [json.loads(content_of(each))[0]["title"] for each in (kept, trashed)] == ["Price it", "Old"]
