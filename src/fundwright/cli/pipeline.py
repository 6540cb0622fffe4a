"""`fundwright pipeline …`."""

from __future__ import annotations

from typing import Annotated

import typer

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.paging import iterate_all
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.washington import day_in_washington
from fundwright.pipeline import service
from fundwright.pipeline.schemas import MOST_DOLLARS, MOST_IN_REASON, PipelineQuery, PursuitForm, PursuitRead, Stage, StageChange

pipeline = typer.Typer(help="List, add, and move the opportunities that you pursue.", no_args_is_help=True)

_Opportunity = Annotated[
    str, typer.Argument(metavar="ID", help="The opportunity's id, its number, or its id at SAM.gov, Grants.gov, or NIH.")
]


def _short_enough(reason: str) -> str:
    """Raises Invalid."""
    if len(reason) > MOST_IN_REASON:
        raise Invalid(f"Enter a reason of at most {MOST_IN_REASON} characters.")
    return reason


_Reason = Annotated[str, typer.Option(help="Why. Required for lost and no_go.", callback=_short_enough)]


def add_to(app: typer.Typer) -> None:
    app.add_typer(pipeline, name="pipeline")


@pipeline.command("list")
def list_pursuits(
    context: typer.Context,
    stage: Annotated[Stage | None, typer.Option(help="Only pursuits in this stage.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the pipeline of the workspace, by due date."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            query = PipelineQuery(stage=stage)
            found = [each async for each in iterate_all(lambda page: service.list_pursuits(session, actor, page), query)]
        emit(
            {"pursuits": [pursuit.model_dump(mode="json") for pursuit in found]},
            as_json=as_json,
            human="\n".join(map(_line, found)) or "No opportunities in the pipeline.",
        )

    run(command)


@pipeline.command()
def add(
    context: typer.Context,
    opportunity: _Opportunity,
    stage: Annotated[Stage, typer.Option(help="The stage in which it starts.")] = Stage.IDENTIFIED,
    probability: Annotated[int | None, typer.Option(min=0, max=100, help="Probability of winning, in percent.")] = None,
    value: Annotated[int | None, typer.Option(min=0, max=MOST_DOLLARS, help="Estimated value in US dollars.")] = None,
    reason: _Reason = "",
    as_json: AsJson = False,
) -> None:
    """Add an opportunity to the pipeline. If it is there already, nothing changes."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            found = await opportunities.look_up(session, actor, opportunity)
            form = PursuitForm(opportunity_id=found.id, stage=stage, probability=probability, value=value, reason=reason)
            pursuit = await service.add(session, actor, form)
        emit(pursuit, as_json=as_json, human=_line(pursuit))

    run(command)


@pipeline.command()
def move(
    context: typer.Context,
    opportunity: _Opportunity,
    stage: Annotated[Stage, typer.Argument(metavar="STAGE", help=f"One of {', '.join(Stage)}.")],
    reason: _Reason = "",
    as_json: AsJson = False,
) -> None:
    """Move an opportunity of the pipeline to another stage."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            found = await opportunities.look_up(session, actor, opportunity)
            pursuit = await service.find_of(session, actor, found.id)
            if pursuit is None:
                raise NotFound("The opportunity in the pipeline")
            change = StageChange(stage=stage, reason=reason, based_on=pursuit.revision)
            moved = await service.move(session, actor, pursuit.id, change)
        emit(moved, as_json=as_json, human=_line(moved))

    run(command)


def _line(pursuit: PursuitRead) -> str:
    due = f"due {day_in_washington(pursuit.due_at):%Y-%m-%d}" if pursuit.due_at else "no due date"
    return f"{pursuit.stage}  {due}  {pursuit.number}  {display_title(pursuit.title)}"
