"""`fundwright templates`."""

from __future__ import annotations

import typer

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.templates import service


def add_to(app: typer.Typer) -> None:
    commands = typer.Typer(help="Draft templates.", no_args_is_help=True)
    commands.command("list")(list_templates)
    app.add_typer(commands, name="templates")


def list_templates(context: typer.Context, as_json: AsJson = False) -> None:
    """List the templates that `fundwright draft` accepts: your own by title or id, and the included ones by name."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.reading() as session:
            listed = await service.list_all(session, actor, core)
        lines = [f"{row.name}  {row.title}" for row in listed]
        templates = [row.model_dump(mode="json") for row in listed]
        emit({"templates": templates}, as_json=as_json, human="\n".join(lines))

    run(command)
