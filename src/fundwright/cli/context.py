"""Shared parts of commands: options, the opened Core, the account, and output."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from fundwright import hooks
from fundwright.accounts import commands
from fundwright.accounts.schemas import Actor
from fundwright.core import logs
from fundwright.core.assembly import Core, open_core
from fundwright.core.errors import Invalid
from fundwright.core.fair_loop import FairEventLoop
from fundwright.core.files import printable, use_temporary_folder
from fundwright.core.plugins import Plugins
from fundwright.core.scopes import act_in
from fundwright.core.settings import Settings

_INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")]


@dataclass(frozen=True)
class Options:
    settings: Settings
    user: str | None
    workspace: str | None


ADDRESS_FILE = "address"
"""The file in the data folder with the address that was served last."""


@asynccontextmanager
async def opened(context: typer.Context, *, serves: bool = False) -> AsyncIterator[Core]:
    """Open the Core of the data folder given to this command; works beside a running server. Unless it `serves`, links have the
    address of the server."""
    options: Options = context.obj
    logs.configure(level=options.settings.log_level, form=options.settings.log_format)
    use_temporary_folder(options.settings.data)
    settings = options.settings if serves else await asyncio.to_thread(as_served, options.settings)
    async with open_core(settings, load_plugins()) as core:
        yield core


def as_served(settings: Settings) -> Settings:
    """These settings with the address that was served last, unless they have a public URL."""
    try:
        address = (settings.data / ADDRESS_FILE).read_text()
    except OSError:
        return settings
    return settings if settings.public_url else settings.model_copy(update={"public_url": address})


@asynccontextmanager
async def acting(context: typer.Context) -> AsyncIterator[tuple[Core, Actor]]:
    """The Core and the account that the command acts as. Raises NotFound when there is no such account or workspace."""
    options: Options = context.obj
    async with opened(context) as core:
        async with core.database.transaction() as session:
            actor = await commands.actor_for_command(session, email=options.user, workspace=options.workspace)
        act_in(actor.scope)
        yield core, actor


def file_to_read(name: str) -> Path:
    """The path of a regular, readable file. Raises Invalid for anything else: a pipe or a device may block the command or never end."""
    path, shown = Path(name), printable(name)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise Invalid(f"There is no file {shown}. Check the name and try again.") from error
    except OSError as error:
        raise Invalid(f"The file {shown} cannot be read: {error.strerror}. Check the name and try again.") from error
    if stat.S_ISDIR(mode):
        raise Invalid(f"{shown} is a folder. Specify the files in it instead.")
    if not stat.S_ISREG(mode):
        raise Invalid(f"{shown} is a pipe or a device. Save its content to a file and specify that file.")
    if not os.access(path, os.R_OK):
        raise Invalid(f"You do not have permission to read the file {shown}. Change its permissions and try again.")
    return path


def load_plugins() -> Plugins:
    from fundwright_ui import extension

    return Plugins([hooks, extension])


_SWITCH_S = 0.0005
"""How long the event loop waits for a thread that computes in Python, each time it has sent or received something. Python's own 5 ms add up to
300 ms for a page with 13 queries."""


def run(command: Callable[[], Awaitable[None]], *, if_canceled: str = "Canceled.") -> None:
    """Run the command. After Ctrl-C, print `if_canceled`, which says what was kept."""

    async def awaited() -> None:
        await command()

    sys.setswitchinterval(_SWITCH_S)
    try:
        with asyncio.Runner(loop_factory=FairEventLoop) as runner:
            runner.run(awaited())
    except KeyboardInterrupt:
        print(f"\n{if_canceled}", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED) from None


def emit(result: BaseModel | Mapping[str, object], *, as_json: bool, human: str) -> None:
    """Print `human`, or the result as one line of JSON."""
    if not as_json:
        print(human)
        return
    print(result.model_dump_json() if isinstance(result, BaseModel) else json.dumps(result, default=str))
