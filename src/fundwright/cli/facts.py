"""`fundwright facts …`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import typer

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.paging import iterate_all
from fundwright.facts import service
from fundwright.facts.schemas import FactQuery, FactRead, FactState
from fundwright.reading.facts import FactKind, FactStatus

facts = typer.Typer(help="List what documents state about the organization, and decide about it.", no_args_is_help=True)

_Ids = Annotated[list[UUID], typer.Argument(metavar="ID…", help="The ids of facts, as `fundwright facts list` prints them.")]


def add_to(app: typer.Typer) -> None:
    app.add_typer(facts, name="facts")


@facts.command("list")
def list_facts(
    context: typer.Context,
    state: Annotated[FactState, typer.Option(help="Which facts to list.")] = FactState.PROPOSED,
    kind: Annotated[FactKind | None, typer.Option(help="Only facts of this kind.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the facts that are to decide."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            query = FactQuery(state=state, kind=kind)
            found = [each async for each in iterate_all(lambda page: service.list_facts(session, actor, page), query)]
        emit(
            {"facts": [fact.model_dump(mode="json") for fact in found]},
            as_json=as_json,
            human="\n".join(map(_line, found)) or "No facts.",
        )

    run(command)


@facts.command()
def accept(context: typer.Context, ids: _Ids, as_json: AsJson = False) -> None:
    """Accept facts, which drafts then use first."""
    _decide(context, ids, FactState.ACCEPTED, as_json=as_json)


@facts.command()
def reject(context: typer.Context, ids: _Ids, as_json: AsJson = False) -> None:
    """Reject facts, which drafts then never use."""
    _decide(context, ids, FactState.REJECTED, as_json=as_json)


def _decide(context: typer.Context, ids: Sequence[UUID], decision: FactState, *, as_json: bool) -> None:
    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            found = [await service.get_fact(session, actor, id) for id in ids]
            await service.decide(session, actor, [fact.version for fact in found], decision)
            decided = [await service.get_fact(session, actor, id) for id in ids]
        emit(
            {"facts": [fact.model_dump(mode="json") for fact in decided]},
            as_json=as_json,
            human="\n".join(f"{decision}  {_line(fact)}" for fact in decided),
        )

    run(command)


def _line(fact: FactRead) -> str:
    status = "" if fact.status is FactStatus.CURRENT else f"  ({fact.status})"
    return f"{fact.id}  {fact.kind}  {'; '.join(fact.values.values())}{status}"
