"""`fundwright import`, `fundwright categorize`, and `fundwright watch`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO, TypedDict
from uuid import UUID

import typer

from fundwright.cli.context import AsJson, acting, emit, file_to_read, opened, run
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.core.files import file_name
from fundwright.core.jobs import ChangedJob, JobProgress, job_topic, jobs_topic, result_of
from fundwright.core.messages import nt, number
from fundwright.core.paging import iterate_all
from fundwright.opportunities import embedding, service, watching
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import (
    CategorizeOpportunities,
    EmbedOpportunities,
    ImportOpportunities,
    ImportReport,
    OpportunityQuery,
    OpportunityRow,
    SortingResult,
)
from fundwright.opportunities.washington import day_in_washington

_CHUNK_BYTES = 1 << 20


def add_to(app: typer.Typer) -> None:
    app.command("import")(import_file)
    app.command()(categorize)
    app.command()(watch)


def import_file(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FORMAT", help="sam, grants, nih, or a format that a plug-in adds.")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File to import: plain, gzip, or zip. Use - to read standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Import opportunities from a published file. They belong to the installation, so this needs no account.

    Importing a file again changes nothing. Rows that cannot be read are listed with line, column, and reason. The exit
    code is 1 only if no row could be read.
    """

    async def command() -> None:
        async with opened(context) as core:
            service.get_source(core, source)
            place = await _where(core, file)
            filename = "standard input" if file == "-" else file_name(file)
            async with core.database.transaction() as session:
                started = await service.prepare_system_import(session, core, source=source, filename=filename)
            try:
                with _progress(core, None, "Reading"):
                    payload = ImportOpportunities(run_id=started.id, source=source, **place)
                    await core.jobs.run_inline(payload, title=f"{source}: {filename}", owner_id=None)
            except Invalid as error:
                raise Invalid(f"{filename}: {error.sentence}") from error
            async with core.database.transaction() as session:
                report = await service.report_system_import(session, started.id)
        emit(report, as_json=as_json, human=_sentences(report))
        if report.rejected and not report.new + report.changed + report.unchanged:
            raise typer.Exit(1)

    run(command, if_canceled="Canceled. Opportunities imported so far were kept. Run the command again to import the rest.")


def categorize(context: typer.Context, as_json: AsJson = False) -> None:
    """Categorize all opportunities for the account."""

    async def command() -> None:
        async with acting(context) as (core, actor):
            with _progress(core, None, "Reading"):
                await core.jobs.run_inline(EmbedOpportunities(), title=embedding.TITLE, owner_id=None)
            with _progress(core, actor.workspace_id, "Sorting"):
                job = await core.jobs.run_inline(
                    CategorizeOpportunities(), title=service.CATEGORIZING_TITLE, owner_id=actor.workspace_id, account_id=actor.id
                )
        result = result_of(job, SortingResult)
        emit(
            result,
            as_json=as_json,
            human=f"{number(result['labeled'])} newly categorized, {number(result['unchanged'])} unchanged, {number(result['kept'])} decided by you, "
            f"{number(result['abstained'])} in no category (embedding model: {result['model']}).",
        )

    run(command, if_canceled="Canceled. Results so far were kept. Run the command again to continue.")


def watch(
    context: typer.Context,
    reference: Annotated[
        str | None, typer.Argument(metavar="NUMBER", help="Number or id of an opportunity. Without it, list what you watch.")
    ] = None,
    is_stopped: Annotated[bool, typer.Option("--stop", help="Stop watching it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watch an opportunity: get notifications of its changes, of new notices of its solicitation, and of due dates."""

    async def command() -> None:
        async with acting(context) as (core, actor), core.database.transaction() as session:
            if reference is None:
                if is_stopped:
                    raise Invalid("Specify the number of the opportunity that you no longer want to watch.")
                watched = OpportunityQuery(watched="me", sort="due")
                found = [row async for row in iterate_all(lambda page: service.list_opportunities(session, actor, page), watched)]
                shown = {"opportunities": [row.model_dump(mode="json") for row in found]}
                emit(shown, as_json=as_json, human="\n".join(map(_line, found)) or "You watch no opportunities.")
                return
            opportunity = await service.look_up(session, actor, reference)
            change = watching.unwatch if is_stopped else watching.watch
            now = await change(session, actor, opportunity.id)
        title = display_title(opportunity.title)
        done = f"You watch “{title}” now." if now.is_watched else f"You no longer watch “{title}”."
        emit({"id": str(opportunity.id), **now.model_dump()}, as_json=as_json, human=done)

    run(command)


def _line(opportunity: OpportunityRow) -> str:
    due = day_in_washington(opportunity.due_at).isoformat() if opportunity.due_at else "no due date"
    return f"{due:<11}  {opportunity.number}  {display_title(opportunity.title)}"


class _Place(TypedDict, total=False):
    """The fields of `ImportOpportunities` that say where the file is."""

    path: Path
    upload: str


async def _where(core: Core, file: str) -> _Place:
    """Prepare what the job needs to find the file, even if another process resumes it.

    Standard input is copied into the data folder, and so is a file whose path is not UTF-8, which a job's record cannot hold.
    """
    if file == "-":
        return {"upload": await core.files.spool(_pieces(sys.stdin.buffer))}
    path = (await asyncio.to_thread(file_to_read, file)).resolve()
    if _is_utf8(path):
        return {"path": path}
    with path.open("rb") as content:
        return {"upload": await core.files.spool(_pieces(content))}


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


async def _pieces(content: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(content.read, _CHUNK_BYTES):
        yield piece


@contextmanager
def _progress(core: Core, owner_id: UUID | None, verb: str) -> Iterator[None]:
    """Show the job's progress, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    seen: set[str] = set()

    def show(progress: JobProgress) -> None:
        if total := progress.get("total"):
            print(f"\r{verb} … {100 * progress.get('done', 0) // total:3} %", end="", file=sys.stderr, flush=True)

    def watch(changed: ChangedJob) -> None:
        if (id := changed.get("id")) and id not in seen:
            seen.add(id)
            watching.enter_context(core.live.subscribed(job_topic(UUID(id)), show))

    with ExitStack() as watching:
        watching.enter_context(core.live.subscribed(jobs_topic(owner_id), watch))
        yield
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


def _sentences(report: ImportReport) -> str:
    lines = [
        f"{report.filename}: {number(report.new)} new, {number(report.changed)} changed, {number(report.unchanged)} unchanged, "
        f"{number(report.rejected)} rejected."
    ]
    for rejection in report.rejections:
        where = f"line {rejection.line}" + (f", column {rejection.column}" if rejection.column else "")
        lines.append(f"  {report.filename}, {where}: {rejection.reason}")
    if report.rejected > len(report.rejections):
        lines.append(f"  … and {number(report.rejected - len(report.rejections))} more. The import's page lists all of them.")
    lines.extend(report.warnings.sentences())
    if report.samples_removed:
        lines.append(
            nt(
                "{n} sample opportunity was removed because real opportunities were imported.",
                "{n} sample opportunities were removed because real opportunities were imported.",
                report.samples_removed,
            )
        )
    return "\n".join(lines)
