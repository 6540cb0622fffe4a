"""`fundwright migrate`."""

from __future__ import annotations

from dataclasses import replace

import typer

from fundwright.cli.context import Options, opened, run
from fundwright.core.migrations import revisions


def add_to(app: typer.Typer) -> None:
    app.command()(migrate)


def migrate(context: typer.Context) -> None:
    """Bring the database to the schema of this version. Processes of the previous version go on meanwhile."""
    options: Options = context.obj
    context.obj = replace(options, settings=options.settings.model_copy(update={"migrate": True}))

    async def command() -> None:
        async with opened(context):
            print(f"The database has the schema {revisions()[-1]}.")

    run(command)
