"""Training runs: the jobs that read, split, and embed documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import Message, later, nlater, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.language import service as language
from fundwright.training import service
from fundwright.training.models import TrainingRun
from fundwright.training.repository import indexing, listing, runs
from fundwright.training.schemas import DocumentFailure, DocumentQuery, DocumentRead, RunRead, TrainDocuments, TrainedDocument
from fundwright.workspaces import restrictions

TrainedDocumentHandler = Callable[[AsyncSession, TrainedDocument], Awaitable[None]]
"""Called in the transaction that saves the passages of a document that was read, for the first time or again."""


@needs(Permission.READ)
def export_runs(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Status"), lambda run: run.state),
            (t("Created"), lambda run: run.created_at),
            (t("Started"), lambda run: run.started_at),
            (t("Ended"), lambda run: run.ended_at),
            (t("Documents"), lambda run: run.documents),
            (t("Passages"), lambda run: run.chunks),
            (t("Model"), lambda run: run.model_id),
            (t("Errors"), lambda run: run.error or ", ".join(f"{failure.title}: {failure.reason}" for failure in run.failed)),
        ],
        iterate_all(lambda page: list_runs(session, actor, page), request),
    )


@needs(Permission.READ)
async def count_underway(session: AsyncSession, actor: Actor) -> int:
    """Return the number of the actor's waiting and running training runs."""
    return await jobs.count_underway(session, actor.workspace_id, kind=TrainDocuments.job_kind)


@needs(Permission.WORK)
async def start_run(core: Core, actor: Actor, document_ids: Sequence[UUID] | None = None) -> RunRead:
    """Train documents in a job. By default, these are the documents without vectors of the model in use, or all if there are none.
    Opens its own transaction.

    If a waiting or running run includes these documents, returns that run. Raises Invalid if there is nothing to train, and
    FundwrightError if the embedding model cannot be loaded.
    """
    if document_ids is not None:
        async with core.database.transaction() as session:
            return await _start_run_of(session, actor, core, document_ids)
    embedder = await language.get_embedder(core)
    async with core.database.transaction() as session:
        wanted = await indexing.list_untrained_ids(session, actor.workspace_id, embedder.id)
        wanted = wanted or [document.id for document in await listing.list_all(session, actor.workspace_id)]
        wanted = await service.changeable(session, actor, wanted)
        if not wanted:
            raise Invalid(t("You have no documents to train. Add a document first."))
        return await enqueue(session, actor, core, wanted)


@needs(Permission.WORK)
async def read_again(session: AsyncSession, actor: Actor, core: Core) -> set[UUID]:
    """Train the documents that an earlier release has read, in a job, unless they are underway. Returns these documents, also those that are
    underway."""
    await runs.lock_runs(session, actor.workspace_id)
    outdated = (await indexing.list_read_earlier(session, actor.workspace_id)).get(actor.workspace_id, [])
    changeable = await service.changeable(session, actor, outdated)
    underway = await runs.list_underway_ids(session, actor.workspace_id)
    wanted = [id for id in changeable if id not in underway]
    if wanted:
        title = nlater("Read {n} document again", "Read {n} documents again", len(wanted))
        await begin_run(session, actor, core, wanted, title=title, reads_again=True)
    return set(changeable)


@needs(Permission.WORK)
async def run_inline(core: Core, actor: Actor, document_ids: Sequence[UUID]) -> RunRead:
    """Train documents in this process and wait, for the command line. Opens its own transactions."""
    async with core.database.transaction() as session:
        run = await _add_run(session, actor, document_ids)
    await core.jobs.run_inline(
        TrainDocuments(run_id=run.id), title=_title(len(document_ids)), owner_id=actor.workspace_id, account_id=actor.id
    )
    async with core.database.transaction() as session:
        return await get_run(session, actor, run.id)


@needs(Permission.READ)
async def list_runs(session: AsyncSession, actor: Actor, request: PageRequest | None = None) -> Page[RunRead]:
    """Return runs, newest first unless `request.sort` is state, documents, chunks, duration_s, or created_at."""
    request = request or PageRequest()
    found, total = await runs.list_runs(session, actor.workspace_id, request)
    hidden = await restrictions.hidden_ids(session, actor)
    items = [_run(run, job, hidden) for run, job in found]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def get_run(session: AsyncSession, actor: Actor, run_id: UUID) -> RunRead:
    """Raises NotFound."""
    return await _read_run(session, actor, *await runs.get_run(session, actor.workspace_id, run_id))


@needs(Permission.READ)
async def list_run_documents(
    session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest | None = None
) -> Page[DocumentRead]:
    """Return the documents of a run that still exist, in its order unless `request.sort` is set as in `list_documents`. Raises
    NotFound."""
    request = request or PageRequest()
    run, _ = await runs.get_run(session, actor.workspace_id, run_id)
    of_run = [UUID(document_id) for document_id in run.document_ids]
    wanted = DocumentQuery().model_copy(update=request.model_dump())
    return await service.list_documents(session, actor, wanted, only=of_run)


@needs(Permission.READ)
def export_run_documents(session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the documents of a run that still exist as lines of CSV. Raises NotFound."""
    return service.documents_as_csv(iterate_all(lambda page: list_run_documents(session, actor, run_id, page), request))


@needs(Permission.READ)
async def list_run_failures(
    session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest | None = None
) -> Page[DocumentFailure]:
    """Return the documents that a run could not train, in its order unless `request.sort` is title or reason. Raises NotFound."""
    request = request or PageRequest()
    run, _ = await runs.get_run(session, actor.workspace_id, run_id)
    failures = _failures(run, await restrictions.hidden_ids(session, actor))
    if request.sort:
        failures.sort(key=lambda failure: str(getattr(failure, request.sort_field)).casefold(), reverse=request.is_descending)
    items = failures[request.offset : request.offset + request.page_size]
    return Page(items=items, total=len(failures), page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_run_failures(session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the documents that a run could not train as lines of CSV. Raises NotFound."""
    return csv_lines(
        [(t("Title"), lambda failure: failure.title), (t("Problem"), lambda failure: failure.reason)],
        iterate_all(lambda page: list_run_failures(session, actor, run_id, page), request),
    )


@needs(Permission.WORK)
async def cancel_run(session: AsyncSession, actor: Actor, run_id: UUID) -> RunRead:
    """Cancel a run after its current step. Passages embedded so far are kept. Raises NotFound, or Conflict if it has ended."""
    _, job = await runs.get_run(session, actor.workspace_id, run_id)
    await jobs.cancel(session, job.id, owner_id=actor.workspace_id)
    return await get_run(session, actor, run_id)


@needs(Permission.WORK)
async def repeat_run(session: AsyncSession, actor: Actor, core: Core, run_id: UUID) -> RunRead:
    """Train the documents of an earlier run again, or return a waiting or running run that trains them. Raises NotFound, or Invalid
    if none of them exists anymore."""
    run, _ = await runs.get_run(session, actor.workspace_id, run_id)
    return await _start_run_of(session, actor, core, [UUID(document_id) for document_id in run.document_ids])


@needs(Permission.WORK)
async def train_later(session: AsyncSession, actor: Actor, core: Core, document: DocumentRead) -> DocumentRead:
    """Train the document in the waiting run if there is one, so that documents added one after another are trained together."""
    if not await runs.join_waiting_run(session, actor.workspace_id, document.id):
        await enqueue(session, actor, core, [document.id], title=later("Train added documents"))
    return await service.get_document(session, actor, document.id)


async def _start_run_of(session: AsyncSession, actor: Actor, core: Core, document_ids: Sequence[UUID]) -> RunRead:
    known = await listing.list_known_ids(session, actor.workspace_id, list(dict.fromkeys(document_ids)))
    wanted = await service.changeable(session, actor, known)
    if not wanted:
        raise Invalid(t("None of these documents exist anymore. Add a document first."))
    return await enqueue(session, actor, core, wanted)


async def _add_run(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> TrainingRun:
    run = TrainingRun(owner_id=actor.workspace_id, document_ids=[str(document_id) for document_id in document_ids])
    session.add(run)
    await session.flush()
    return run


@needs(Permission.READ)
async def enqueue(
    session: AsyncSession, actor: Actor, core: Core, document_ids: Sequence[UUID], *, title: Message | None = None
) -> RunRead:
    """Train documents in a job, or return a waiting or running run that trains them. New accounts may not work yet, but have a sample."""
    underway = await runs.find_underway_run(session, actor.workspace_id, document_ids)
    if underway:
        return await _read_run(session, actor, *underway)
    return await begin_run(session, actor, core, document_ids, title=title)


@needs(Permission.READ)
async def begin_run(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    document_ids: Sequence[UUID],
    *,
    title: Message | None = None,
    reads_again: bool = False,
) -> RunRead:
    """Train documents in a job, even if another run trains them."""
    run = await _add_run(session, actor, document_ids)
    payload = TrainDocuments(run_id=run.id, reads_again=reads_again)
    named = title or _title(len(document_ids))
    job = await core.jobs.enqueue(session, payload, title=named, owner_id=actor.workspace_id, account_id=actor.id)
    run.job_id = job.id
    await session.flush()
    return await get_run(session, actor, run.id)


def _title(count: int) -> Message:
    return nlater("Train {n} document", "Train {n} documents", count)


async def _read_run(session: AsyncSession, actor: Actor, run: TrainingRun, job: Job) -> RunRead:
    return _run(run, job, await restrictions.hidden_ids(session, actor))


def _failures(run: TrainingRun, hidden: Collection[UUID]) -> list[DocumentFailure]:
    failures = [DocumentFailure.model_validate(failure) for failure in run.failed]
    return [failure for failure in failures if failure.document_id not in hidden]


def _run(run: TrainingRun, job: Job, hidden: frozenset[UUID]) -> RunRead:
    """What the run says about `hidden` documents is left out."""
    is_shown = hidden.isdisjoint(map(UUID, run.document_ids))
    return RunRead(
        id=run.id,
        job_id=job.id,
        state=JobState(job.state),
        done=run.documents + len(run.failed),
        total=len(run.document_ids),
        message=job.message if is_shown else "",
        documents=run.documents,
        chunks=run.chunks,
        failed=tuple(_failures(run, hidden)),
        model_id=run.model_id,
        error=job.error,
        created_at=run.created_at,
        started_at=job.started_at,
        ended_at=job.ended_at,
    )
