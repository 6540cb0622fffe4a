"""`fundwright tasks …`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer
from pydantic import ValidationError

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.days import YEARS
from fundwright.core.errors import Invalid
from fundwright.core.paging import iterate_all
from fundwright.opportunities import service as opportunities
from fundwright.tasks import service
from fundwright.tasks.schemas import MOST_CHARACTERS, Assignee, TaskForm, TaskQuery, TaskRead, TaskState

tasks = typer.Typer(help="List, add, and finish tasks of the workspace.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    app.add_typer(tasks, name="tasks")


@tasks.command("list")
def list_tasks(
    context: typer.Context,
    everyone: Annotated[bool, typer.Option("--everyone", help="Also list tasks of other members, and of nobody.")] = False,
    state: Annotated[TaskState, typer.Option(help="Which tasks to list.")] = TaskState.OPEN,
    as_json: AsJson = False,
) -> None:
    """List your open tasks, by due date."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            query = TaskQuery(assignee=Assignee.ANYONE if everyone else Assignee.ME, state=state)
            found = [each async for each in iterate_all(lambda page: service.list_tasks(session, actor, page), query)]
        emit(
            {"tasks": [task.model_dump(mode="json") for task in found]},
            as_json=as_json,
            human="\n".join(map(_line, found)) or "No tasks.",
        )

    run(command)


@tasks.command()
def add(
    context: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What has to be done.")],
    due: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day on which it is due.")] = None,
    opportunity: Annotated[
        str, typer.Option(metavar="ID", help="The opportunity it belongs to: its id, its number, or its id at the source.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Add a task, which is assigned to you."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            subject = await opportunities.look_up(session, actor, opportunity) if opportunity else None
            task = await service.add_task(session, actor, _form(title, due, actor.id, subject.id if subject else None))
        emit(task, as_json=as_json, human=_line(task))

    run(command)


@tasks.command()
def done(
    context: typer.Context,
    task_id: Annotated[UUID, typer.Argument(metavar="ID", help="The id of the task, as `fundwright tasks list` prints it.")],
    as_json: AsJson = False,
) -> None:
    """Mark a task as done."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            task = await service.complete(session, actor, task_id)
        emit(task, as_json=as_json, human=_line(task))

    run(command)


def _form(title: str, due: datetime | None, assignee_id: UUID, opportunity_id: UUID | None) -> TaskForm:
    """Raises Invalid."""
    try:
        return TaskForm(title=title, due_on=due.date() if due else None, assignee_id=assignee_id, opportunity_id=opportunity_id)
    except ValidationError as error:
        raise Invalid(
            f"Enter a title of at most {MOST_CHARACTERS} characters, and a due date from {YEARS[0]} to {YEARS[-1]}."
        ) from error


def _line(task: TaskRead) -> str:
    due = "done" if task.is_done else f"due {task.due_on:%Y-%m-%d}" if task.due_on else "no due date"
    return f"{task.id}  {due}  {task.title}"
