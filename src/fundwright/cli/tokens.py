"""`fundwright token …`. Anyone who can open the data folder has full access, so no permission is checked."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from fundwright.accounts.schemas import COMMAND_LINE
from fundwright.authentication import api_tokens
from fundwright.authentication.schemas import ApiTokenRead, TokenScope
from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.paging import PageRequest, iterate_all

token = typer.Typer(help="Create, list, and revoke API tokens.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    app.add_typer(token, name="token")


@token.command("create")
def create_token(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the token is for.")],
    scope: Annotated[TokenScope, typer.Option(help="Whether the token may change data.")] = TokenScope.READ,
    days: Annotated[int, typer.Option(help="Days until the token expires, 1 to 366.")] = 90,
    as_json: AsJson = False,
) -> None:
    """Create an API token for the account given by --user. It is shown only once."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            made = await api_tokens.create_api_token(
                session, actor, core, name=name, scope=scope, lasts_days=days, client=COMMAND_LINE
            )
        emit(
            made,
            as_json=as_json,
            human=f"{made.secret}\nSave it now; it cannot be shown again. It acts as {actor.email} until {made.expires_at:%Y-%m-%d}.",
        )

    run(command)


@token.command("list")
def list_tokens(context: typer.Context, as_json: AsJson = False) -> None:
    """List the API tokens of the account given by --user."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            made = [
                each async for each in iterate_all(lambda page: api_tokens.list_api_tokens(session, actor, page), PageRequest())
            ]
        emit(
            {"tokens": [one.model_dump(mode="json") for one in made]},
            as_json=as_json,
            human="\n".join(map(_token_line, made)) or f"{actor.email} has no API tokens.",
        )

    run(command)


@token.command("revoke")
def revoke_token(
    context: typer.Context,
    token_id: Annotated[UUID, typer.Argument(help="Id of the token, as `token list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Revoke an API token immediately."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            revoked = await api_tokens.revoke_api_token(session, actor, token_id)
        emit(revoked, as_json=as_json, human=_token_line(revoked))

    run(command)


def _token_line(made: ApiTokenRead) -> str:
    state = "revoked" if made.revoked_at else f"until {made.expires_at:%Y-%m-%d}"
    return f"{made.id}  {made.prefix}…  {made.scope}  {state}  {made.name}"
