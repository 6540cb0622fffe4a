"""`fundwright user …`. Anyone who can open the data folder has full access, so no permission is checked."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from fundwright.access import commands as access_commands
from fundwright.accounts import commands as account_commands
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import AccountRead, Role
from fundwright.authentication import commands as authentication_commands
from fundwright.cli.context import AsJson, emit, opened, run
from fundwright.core.errors import Invalid

user = typer.Typer(help="Add accounts, list them, and change their role, password, or access.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    app.add_typer(user, name="user")


Email = Annotated[str, typer.Argument(metavar="EMAIL", help="Email address of the account.")]
GivenRole = Literal["user", "admin"]


@user.command("add")
def add_user(
    context: typer.Context,
    email: Email,
    name: Annotated[str, typer.Option(help="Display name. Default: the part of the email address before the @.")] = "",
    role: Annotated[GivenRole, typer.Option(help="What the account may do.")] = "user",
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from the first line of standard input.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add an account. Without --password-stdin, print a one-time link to set the password."""

    async def command() -> None:
        password = _first_line() if password_stdin else None
        link = None
        async with opened(context) as core, core.database.transaction() as session:
            actor = await accounts.create_account(
                session, core, email=email, name=name or email.partition("@")[0], role=Role(role), password=password
            )
            if password is None:
                link = core.settings.address + await authentication_commands.reset_link(session, email=actor.email)
        emit(
            {"id": str(actor.id), "email": actor.email, "name": actor.name, "role": actor.role.value, "link": link},
            as_json=as_json,
            human=f"Added {actor.email} ({actor.role}).\n" + (_link_sentence(link) if link else ""),
        )

    run(command)


@user.command("invite")
def invite_user(
    context: typer.Context,
    email: Email,
    role: Annotated[GivenRole, typer.Option(help="What the account may do.")] = "user",
    as_json: AsJson = False,
) -> None:
    """Print an invitation link for this address. It works once, within two weeks, and is also sent by email."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            link = await access_commands.invite(session, core, email=email, role=Role(role))
        emit(
            {"email": accounts.normalize_email(email), "role": role, "link": link},
            as_json=as_json,
            human=f"Send this link to its owner to register (it works once, for two weeks):\n  {link}",
        )

    run(command)


@user.command("list")
def list_users(context: typer.Context, as_json: AsJson = False) -> None:
    """List all accounts."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            found = await account_commands.list_accounts(session)
        emit(
            {"users": [account.model_dump(mode="json") for account in found]},
            as_json=as_json,
            human="\n".join(map(_account_line, found)) or "No accounts yet. Add one with `fundwright user add EMAIL`.",
        )

    run(command)


@user.command("disable")
def disable_user(context: typer.Context, email: Email, as_json: AsJson = False) -> None:
    """Disable an account and end its sessions immediately."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            changed = await access_commands.disable_account(session, core, email=email)
        emit(changed, as_json=as_json, human=_account_line(changed))

    run(command)


@user.command("enable")
def enable_user(context: typer.Context, email: Email, as_json: AsJson = False) -> None:
    """Enable a disabled account."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            changed = await access_commands.enable_account(session, core, email=email)
        emit(changed, as_json=as_json, human=_account_line(changed))

    run(command)


@user.command("role")
def change_role(
    context: typer.Context,
    email: Email,
    role: Annotated[GivenRole, typer.Argument(metavar="ROLE", help="The new role: user or admin.")],
    as_json: AsJson = False,
) -> None:
    """Change the role of an account. Its sessions end."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            changed = await access_commands.change_role(session, core, email=email, role=Role(role))
        emit(changed, as_json=as_json, human=_account_line(changed))

    run(command)


@user.command("reset")
def reset_user(context: typer.Context, email: Email, as_json: AsJson = False) -> None:
    """Print a link to reset the password. It works once, within an hour."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            link = core.settings.address + await authentication_commands.reset_link(session, email=email)
        emit({"email": accounts.normalize_email(email), "link": link}, as_json=as_json, human=_link_sentence(link))

    run(command)


@user.command("remove-second-factor")
def remove_second_factor(context: typer.Context, email: Email, as_json: AsJson = False) -> None:
    """Remove the authenticator app, recovery codes, and passkeys of an account. Its owner gets an email."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            await authentication_commands.remove_second_factor(session, core, email=email)
        plain = accounts.normalize_email(email)
        emit({"email": plain}, as_json=as_json, human=f"{plain} can now sign in with the password alone.")

    run(command)


def _first_line() -> str:
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise Invalid("There was no password on standard input. Pipe it in: `echo 'a long sentence' | fundwright user add …`.")
    return line


def _link_sentence(link: str) -> str:
    return f"Send this link to its owner to choose a password (it works once, for an hour):\n  {link}"


def _account_line(account: AccountRead) -> str:
    state = "disabled" if account.disabled_at else "active"
    return f"{account.email}  {account.role}  {state}  {account.name}"
