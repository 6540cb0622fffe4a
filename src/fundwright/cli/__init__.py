"""The command line `fundwright`. Each module adds its commands."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Annotated

import typer

from fundwright.cli.context import Options
from fundwright.core.settings import Settings

app = typer.Typer(
    help="Find federal funding, categorize it, and draft proposals that cite your documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help="Folder for the database, uploaded files, and keys.")] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Account to act as. Default: the oldest account with the role user.", envvar="FUNDWRIGHT_USER"),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            help="Workspace to use, by name or id. Default: the account's personal workspace.", envvar="FUNDWRIGHT_WORKSPACE"
        ),
    ] = None,
) -> None:
    settings = Settings.read() if data is None else Settings.read(data=data.resolve())
    context.obj = Options(settings=settings, user=user, workspace=workspace)


for _module in pkgutil.iter_modules(__path__):
    if _module.name != "context":
        importlib.import_module(f"{__name__}.{_module.name}").add_to(app)
