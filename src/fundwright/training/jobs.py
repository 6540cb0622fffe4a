"""Jobs of training. `train` reads, splits, and embeds the documents of a run.

Vectors are committed batch by batch and documents one by one, so that a killed process loses at most one batch. If a document
cannot be read, its reason is recorded, and the run continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.core.assembly import Core
from fundwright.core.computing import TookTooLong, TookTooMuchMemory
from fundwright.core.errors import NotFound
from fundwright.core.jobs import JobRun, watched
from fundwright.core.live import publish
from fundwright.core.messages import from_stored, number, t, to_stored
from fundwright.core.scopes import Scope, installation
from fundwright.core.sweeping import remove_unused
from fundwright.core.visible import visible_line
from fundwright.language import service as language
from fundwright.language.protocols import Embedder
from fundwright.language.schemas import nearest_heading
from fundwright.reading import kinds
from fundwright.reading.formats import Reader, Unreadable
from fundwright.reading.kinds import DocumentKind
from fundwright.training.chunking import ChunkedDocument, ids_of
from fundwright.training.collecting import documents_topic
from fundwright.training.extraction import divide, extract
from fundwright.training.models import Document, FailureRecord
from fundwright.training.repository import indexing, listing, runs, texts, versions
from fundwright.training.runs import TrainedDocumentHandler
from fundwright.training.schemas import (
    DocumentSource,
    FindFacts,
    PassagePlace,
    ProposeKinds,
    RemoveFiles,
    TrainDocuments,
    TrainedDocument,
)
from fundwright.training.service import find_facts_later, subject_of
from fundwright.training.titles import MAX_TITLE_CHARACTERS, title_of_file
from fundwright.workspaces import restrictions

_READ, _BATCH = 512, 32
"""The number of passages read, and of passages embedded and saved, in one transaction."""
_PROPOSED = 20
"""The number of documents that get a kind in one transaction."""


class TrainingCheckpoint(TypedDict, total=False):
    next: int
    """The index of the next document of the run."""


class TrainingResult(TypedDict):
    documents: int
    chunks: int
    failed: list[FailureRecord]


class KindsCheckpoint(TypedDict, total=False):
    after: str
    """The id of the last document that got a kind."""


async def train(run: JobRun[TrainDocuments, Actor, TrainingCheckpoint]) -> TrainingResult | None:
    """Train the documents of a run. Raises FundwrightError if the embedding model cannot be used."""
    core = run.services
    run_id, owner_id = run.payload.run_id, run.actor.workspace_id
    embedder = await language.get_embedder(core)
    async with run.transaction() as session:
        training_run = await runs.find_run_for_job(session, owner_id, run_id)
        if training_run is None:
            raise NotFound(t("The training run"))
        training_run.job_id, training_run.model_id = run.id, embedder.id
        document_ids = [UUID(document_id) for document_id in training_run.document_ids]
        await indexing.make_vector_index(session, embedder.dimension)
    next_one = run.checkpoint.get("next", 0)
    for place in range(next_one, len(document_ids)):
        await _train_document(run, core, embedder, owner_id, run_id, document_ids[place], place, len(document_ids))
    await run.progress(len(document_ids), len(document_ids), "")
    async with run.transaction() as session:
        await indexing.count_words(session, owner_id)
        await indexing.refresh_statistics(session)
        done = await runs.find_run_for_job(session, owner_id, run_id)
        if done is None:
            return None
        failed = [FailureRecord({**each, "reason": from_stored(each["reason"])}) for each in done.failed]
        return {"documents": done.documents, "chunks": done.chunks, "failed": failed}


async def _train_document(
    run: JobRun[TrainDocuments, Actor, TrainingCheckpoint],
    core: Core,
    embedder: Embedder,
    owner_id: UUID,
    run_id: UUID,
    document_id: UUID,
    place: int,
    total: int,
) -> None:
    removed = t("It was removed before it could be read.")
    reason = ""
    title, chunk_count = t("A removed document"), 0
    try:
        async with run.transaction() as session:
            document = await listing.get_document(session, owner_id, document_id)
            structure = await indexing.find_structure(session, owner_id, document_id)
            earlier = await indexing.list_digests(session, owner_id, document_id)
            is_restricted = bool(await restrictions.access_to(session, run.actor, [document_id]))
        title = document.title
        shown = t("A restricted document") if is_restricted else title  # everyone in the workspace sees the progress
        report = partial(run.progress, place, total, shown)
        await report()
        readers: list[Reader] = core.plugins.collect("document_readers")
        path = core.files.path(document.sha256)
        if structure is None:
            reading = asyncio.ensure_future(extract(core, readers, path, document.filename))
            try:
                structure = await watched(reading, report)
            finally:
                reading.cancel()
                await asyncio.wait([reading])
        kind = DocumentKind(document.kind) if document.is_kind_chosen else None
        chunked = await divide(core, structure, document.filename, title=title, kind=kind)
        ids = await core.computing.run(partial(ids_of, document_id, chunked, earlier), is_background=True)
        async with run.transaction() as session:
            content, document = document.sha256, await listing.get_document(session, owner_id, document_id, for_update=True)
            is_current = document.sha256 == content
            is_kind_chosen_meanwhile = document.is_kind_chosen and document.kind != chunked.kind
            if is_current:
                await indexing.save_chunks(session, owner_id, document_id, structure, chunked, ids)
                await _tell_trained(session, core, _trained(document_id, owner_id, chunked, ids))
                if document.trained_at is None and document.source == DocumentSource.UPLOAD:
                    document.resembles = await versions.find_earlier(session, document, chunked.title, chunked.sketch)
                await _take_title(session, owner_id, document, chunked.title)
                if is_kind_chosen_meanwhile:
                    await find_facts_later(session, run.actor, core, document_id)
        if not is_current:  # it got another content while it was read
            await _train_document(run, core, embedder, owner_id, run_id, document_id, place, total)
            return
        await _embed(run, embedder, owner_id, document_id, shown, place)
        chunk_count = len(chunked.chunks)
    except Unreadable as error:
        reason = error.sentence
    except NotFound:  # removed since the run was started
        reason = removed
    async with run.transaction() as session:
        training_run = await runs.find_run_for_job(session, owner_id, run_id)
        if training_run is None:
            raise NotFound(t("The training run"))
        is_saved = not reason and await indexing.save_trained(
            session, owner_id, document_id, model_id=embedder.id, chunk_count=chunk_count
        )
        if not is_saved:
            reason = reason or removed
            failure = FailureRecord(document_id=str(document_id), title=title, reason=to_stored(reason))
            training_run.failed = [*training_run.failed, failure]
            if not (run.payload.reads_again and await indexing.keep_read_earlier(session, owner_id, document_id)):
                await indexing.save_failure(session, owner_id, document_id, reason)
        else:
            training_run.documents += 1
            training_run.chunks += chunk_count
        await run.save_checkpoint(session, {"next": place + 1})
        await publish(session, documents_topic(owner_id))


async def find_facts(run: JobRun[FindFacts, Actor]) -> None:
    """Find the facts of a document whose kind a person has chosen. Raises Unreadable."""
    document_id, owner_id = run.payload.document_id, run.actor.workspace_id
    async with run.transaction() as session:
        document = await listing.find_document(session, owner_id, document_id)
        structure = await indexing.find_structure(session, owner_id, document_id)
        earlier = await indexing.list_digests(session, owner_id, document_id)
    if document is None or structure is None:
        return  # removed since, or not trained yet
    kind = DocumentKind(document.kind)
    trained = await _read_as(run.services, document_id, owner_id, structure, earlier, document.filename, document.title, kind)
    async with run.transaction() as session:
        now = await listing.find_document(session, owner_id, document_id)
        if now is not None and (now.kind, now.sha256) == (document.kind, document.sha256):
            await _tell_trained(session, run.services, trained)


async def _read_as(
    core: Core,
    document_id: UUID,
    owner_id: UUID,
    structure: bytes,
    earlier: Sequence[tuple[UUID, str]],
    filename: str,
    title: str,
    kind: DocumentKind,
) -> TrainedDocument:
    """Return what a document of this kind states. Raises Unreadable."""
    chunked = await divide(core, structure, filename, title=title, kind=kind)
    ids = await core.computing.run(partial(ids_of, document_id, chunked, earlier), is_background=True)
    return _trained(document_id, owner_id, chunked, ids)


async def _tell_trained(session: AsyncSession, core: Core, trained: TrainedDocument) -> None:
    handlers: list[TrainedDocumentHandler] = core.plugins.collect("trained_document_handlers")
    for handler in handlers:
        await handler(session, trained)


def _trained(document_id: UUID, owner_id: UUID, chunked: ChunkedDocument, ids: Sequence[UUID]) -> TrainedDocument:
    return TrainedDocument(
        id=document_id,
        owner_id=owner_id,
        text=chunked.text,
        passages=[
            PassagePlace(
                id=id,
                heading=span.heading,
                page=span.page,
                start=span.start,
                end=span.end,
                places=tuple((place.start, place.heading, place.page) for place in span.places),
            )
            for id, span in zip(ids, chunked.chunks, strict=True)
            if not span.aside
        ],
        facts=chunked.facts,
    )


async def _take_title(session: AsyncSession, owner_id: UUID, document: Document, title: str) -> None:
    """Give a document that is read for the first time the title that is in it, unless a person chose one or another document has
    it."""
    named = visible_line(title_of_file(document.filename), most=MAX_TITLE_CHARACTERS)
    is_named_after_file = document.title in (named, document.filename)
    if not title or document.trained_at is not None or document.source != DocumentSource.UPLOAD or not is_named_after_file:
        return
    if title not in await listing.list_titles_like(session, owner_id, title, title):
        document.title = title
        await activity.update_subject(session, owner_id, subject_of(document))


async def propose_kinds(run: JobRun[ProposeKinds, None, KindsCheckpoint]) -> None:
    """Propose kinds from the stored texts of documents without a kind chosen by a person, and find facts again in those whose kind changes."""
    after = UUID(run.checkpoint.get("after", UUID(int=0).hex))
    while True:
        async with run.transaction(scope=_proposing()) as session:
            documents = await texts.list_unproposed(session, after=after, limit=_PROPOSED)
        if not documents:
            return
        for document in documents:
            await _propose_kind(run, document)
        after = documents[-1].id
        async with run.transaction(scope=_proposing()) as session:
            await run.save_checkpoint(session, {"after": after.hex})
        await run.progress(0)


def _proposing() -> Scope:
    return installation("kinds of documents")


async def _propose_kind(run: JobRun[ProposeKinds, None, KindsCheckpoint], document: texts.Unproposed) -> None:
    kind = await _proposed(run.services, document.title, document.filename, document.text)
    if kind == DocumentKind.ABOUT_US:
        return
    trained, owner_id = None, document.owner_id
    if owner_id is not None:
        async with run.transaction(scope=_proposing()) as session:
            structure = await indexing.find_structure(session, owner_id, document.id)
            earlier = await indexing.list_digests(session, owner_id, document.id)
        with suppress(Unreadable):
            if structure is not None:
                trained = await _read_as(
                    run.services, document.id, owner_id, structure, earlier, document.filename, document.title, kind
                )
    async with run.transaction(scope=_proposing()) as session:
        if not await texts.set_proposed_kind(session, document.id, document.sha256, kind) or owner_id is None:
            return
        if trained is not None:
            await _tell_trained(session, run.services, trained)
        await publish(session, documents_topic(owner_id))


async def _proposed(core: Core, title: str, filename: str, text: str) -> DocumentKind:
    try:
        return await core.computing.run(partial(kinds.propose, title=title, filename=filename, text=text), is_background=True)
    except (TookTooLong, TookTooMuchMemory):
        return DocumentKind.ABOUT_US


async def remove_files(run: JobRun[RemoveFiles, None]) -> None:
    """Delete files of removed documents, unless other documents or packages now need the same content."""
    core = run.services
    for sha256 in run.payload.sha256:
        async with run.transaction() as session:
            await remove_unused(session, core, sha256)


async def _embed(
    run: JobRun[TrainDocuments, Actor, TrainingCheckpoint],
    embedder: Embedder,
    owner_id: UUID,
    document_id: UUID,
    title: str,
    place: int,
) -> None:
    async with run.transaction() as session:
        done, count = await indexing.count_embedded(session, owner_id, document_id, embedder.id)
    while True:
        async with run.transaction() as session:
            missing = await indexing.list_chunks_without_vector(session, owner_id, document_id, embedder.id, limit=_READ)
        if not missing:
            return
        for start in range(0, len(missing), _BATCH):
            chunks = missing[start : start + _BATCH]
            vectors = await embedder.embed([_embedded_text(item.heading, item.text) for item in chunks])
            async with run.transaction() as session:
                await indexing.save_vectors(session, owner_id, [item.id for item in chunks], vectors, embedder.id)
                await run.save_checkpoint(session, run.checkpoint)
            done += len(chunks)
            await run.progress(place, None, f"{title} ({number(done)} / {number(count)})")


def _embedded_text(heading: Sequence[str], text: str) -> str:
    """Return the passage with the heading directly above it, which often contains a word that the passage leaves out."""
    last = nearest_heading(heading)
    return text if not last or text.startswith(last) else f"{last}\n{text}"
