"""`fundwright keys …`: the signing keys of session tokens."""

from __future__ import annotations

from typing import Annotated

import typer

from fundwright.authentication import commands
from fundwright.authentication.commands import KeyRead
from fundwright.cli.context import AsJson, emit, opened, run

keys = typer.Typer(help="List, rotate, and retire the keys that sign sessions.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    app.add_typer(keys, name="keys")


@keys.command("list")
def list_keys(context: typer.Context, as_json: AsJson = False) -> None:
    """List the keys, oldest first. The last one signs."""

    async def command() -> None:
        async with opened(context) as core:
            found = commands.list_keys(core)
        emit({"keys": [key.model_dump(mode="json") for key in found]}, as_json=as_json, human="\n".join(map(_line, found)))

    run(command)


@keys.command("rotate")
def rotate(context: typer.Context, as_json: AsJson = False) -> None:
    """Sign with a new key from now on. Nobody is signed out, and running servers need no restart."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            made = await commands.rotate_key(session, core)
        emit(made, as_json=as_json, human=f"Key {made.id} is now the signing key.")

    run(command)


@keys.command("retire")
def retire(
    context: typer.Context,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as `keys list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Retire an older key immediately. People with tokens signed by it have to sign in again."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            await commands.retire_key(session, core, key_id)
        emit({"id": key_id}, as_json=as_json, human=f"Key {key_id} is retired. Tokens it signed are no longer accepted.")

    run(command)


def _line(key: KeyRead) -> str:
    use = f"read until {key.read_until:%Y-%m-%d %H:%M} UTC" if key.read_until else "signs"
    return f"{key.id}  made {key.made_at:%Y-%m-%d %H:%M} UTC  {use}"
