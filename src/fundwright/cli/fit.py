"""`fundwright fit`."""

from __future__ import annotations

from typing import Annotated

import typer

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.fit import service
from fundwright.fit.schemas import FitRead
from fundwright.opportunities import service as opportunities


def add_to(app: typer.Typer) -> None:
    app.command()(fit)


def fit(
    context: typer.Context,
    opportunity: Annotated[
        str, typer.Argument(metavar="ID", help="The opportunity's id, its number, or its id at SAM.gov, Grants.gov, or NIH.")
    ],
    as_json: AsJson = False,
) -> None:
    """Print how well an opportunity fits the workspace, from 0 to 100, and why."""

    async def command() -> None:
        async with acting(context) as (core, actor):
            async with core.database.transaction() as session:
                found = await opportunities.look_up(session, actor, opportunity)
            scored = await service.get_fit(core, actor, found.id)
        emit(scored, as_json=as_json, human=_sentences(scored))

    run(command)


def _sentences(scored: FitRead) -> str:
    computed = "No score yet" if scored.score is None else f"{scored.score} of 100"
    lines = [f"{computed}, not eligible" if scored.is_ineligible else computed]
    if scored.own:
        lines.append(f"Score of the workspace: {scored.own.score} of 100 ({scored.own.reason})")
    for part in scored.parts:
        points = f"{part.points} of {part.most}" if part.most else "not counted"
        lines.append(f"{part.name.label}: {points}. {part.reason}")
    return "\n".join(lines)
