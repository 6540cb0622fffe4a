"""Routes of tasks."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.tasks import service
from fundwright.tasks.schemas import TaskChange, TaskCounts, TaskForm, TaskQuery, TaskRead

router = APIRouter(prefix="/api/tasks", tags=["tasks"])


@router.get("")
async def list_tasks(session: DbSession, actor: CurrentActor, query: Annotated[TaskQuery, Query()]) -> Page[TaskRead]:
    """List tasks of the workspace: your own open ones, unless `assignee` and `state` say otherwise."""
    return await service.list_tasks(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_tasks(export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[TaskQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("tasks.csv", lambda session: service.export_tasks(session, actor, core, query))


@router.get("/due")
async def count_due(session: DbSession, actor: CurrentActor) -> TaskCounts:
    """Count your open tasks by when they are due."""
    return await service.count_due(session, actor)


@router.post("", status_code=status.HTTP_201_CREATED)
async def add_task(session: DbSession, actor: CurrentActor, form: TaskForm) -> TaskRead:
    """Add a task. A member to whom you assign it is notified."""
    return await service.add_task(session, actor, form)


@router.get("/{task_id}")
async def get_task(session: DbSession, actor: CurrentActor, task_id: UUID) -> TaskRead:
    return await service.get_task(session, actor, task_id)


@router.put("/{task_id}")
async def change_task(session: DbSession, actor: CurrentActor, task_id: UUID, change: TaskChange) -> TaskRead:
    """Change a task. It must not have been changed since `based_on`, the `changed_at` of the task that you read."""
    return await service.change_task(session, actor, task_id, change)


@router.delete("/{task_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete(session: DbSession, actor: CurrentActor, client: RequestClient, task_id: UUID) -> None:
    """Move a task to the trash, where `PUT /api/trash/{task_id}/restoration` restores it for 30 days."""
    await service.delete(session, actor, task_id, client=client)


@router.put("/{task_id}/completion")
async def complete(session: DbSession, actor: CurrentActor, task_id: UUID) -> TaskRead:
    """Mark a task as done."""
    return await service.complete(session, actor, task_id)


@router.delete("/{task_id}/completion")
async def reopen(session: DbSession, actor: CurrentActor, task_id: UUID) -> TaskRead:
    """Open a task again that is done."""
    return await service.reopen(session, actor, task_id)
