"""Imports files as jobs. Each batch is saved in its own transaction, together with the checkpoint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Permission
from fundwright.categories import service as categories
from fundwright.conversation import service as conversation
from fundwright.core.errors import NotFound
from fundwright.core.jobs import JobRun, watched
from fundwright.core.json_values import JsonObject
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.core.sandbox import Limits, crashed
from fundwright.opportunities.incoming import BATCH_ROWS, Batch, read_batches
from fundwright.opportunities.models import Opportunity
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.repository import listing, runs, writing
from fundwright.opportunities.schemas import ImportCounts, ImportOpportunities, ImportWarnings
from fundwright.opportunities.sources import Source

TOPIC = "opportunities"

LIMITS = Limits(
    error=UnreadableFile,
    silent_seconds=120,
    total_seconds=6 * 3600,
    memory_bytes=500_000_000,
    output_bytes=100_000_000_000,
)


class ImportCheckpoint(TypedDict, total=False):
    items: int
    """The number of items of the file that are in the database."""
    bytes_read: int
    """The number of bytes of the file, as it is stored, up to the last of these items."""
    is_read: bool
    samples_removed: int
    warnings: JsonObject
    """`ImportWarnings` of these items."""


async def run_import(
    run: JobRun[ImportOpportunities, Actor | None, ImportCheckpoint], *, run_id: UUID, source: Source, path: Path
) -> ImportCounts:
    """Import the file at `path`, continuing where an earlier run of the same job ended.

    Files that an administrator or the installation imports can change every opportunity. Those of other accounts change only what
    the same account has uploaded. The first import that adds real opportunities of a kind removes the samples of this kind in its last transaction.

    Raises NotFound if the file is gone, and UnreadableFile if it has another format.
    """
    core = run.services
    actor = run.actor
    uploader = None if actor is None or actor.may(Permission.ADMINISTER) else actor.id
    async with run.transaction() as session:
        filename = await runs.set_job(session, run_id, run.id) or path.name
        if run.checkpoint.get("is_read"):
            return await _counts(session, run, run_id)
    size_bytes, bytes_read = await asyncio.to_thread(_size, path, filename), run.checkpoint.get("bytes_read", 0)
    name = t("“{name}”", name=filename)
    items = run.checkpoint.get("items", 0)
    others = [other for other in core.plugins.collect("opportunity_sources") if other.name != source.name]

    def remaining() -> partial[Iterator[bytes]]:
        return partial(read_batches, path, source, skip=items, batch_rows=BATCH_ROWS, others=others)

    async with aclosing(core.sandbox.stream(remaining(), limits=LIMITS, name=name, readable=(path,), go_on=remaining)) as results:
        reading = _next(results, name)

        async def report() -> None:
            await run.progress(bytes_read, size_bytes, "bytes read")

        try:
            while (batch := await watched(reading, report)) is not None:
                is_first, items = items == 0, batch.items
                # The next batch is read while the database writes this one.
                reading = _next(results, name)
                bytes_read = batch.bytes_read
                if batch.size:
                    async with run.transaction() as session:
                        merged = await writing.merge(session, batch, source, run_id=run_id, uploader=uploader)
                        warnings = warnings_of(run.checkpoint) + merged.warnings
                        await run.save_checkpoint(
                            session, {"items": batch.items, "bytes_read": bytes_read, "warnings": warnings.model_dump()}
                        )
                        if is_first:  # update an empty list before the import ends
                            await announce(session)
                await report()
        finally:
            reading.cancel()
            await asyncio.wait([reading])
            async with run.transaction() as session:
                await announce(session)
    async with run.transaction() as session:
        # A job that was killed just before its end runs again, when its file may already be deleted.
        removed = await remove_sample(session, await listing.list_own_kinds(session))
        await writing.refresh_statistics(session)
        await run.save_checkpoint(session, {**run.checkpoint, "is_read": True, "samples_removed": removed})
    await core.database.vacuum(Opportunity)
    async with run.transaction() as session:
        return await _counts(session, run, run_id)


def _size(path: Path, filename: str) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise NotFound(t("The file {name}", name=filename)) from error


def _next(results: AsyncIterator[bytes], name: str) -> asyncio.Future[Batch | None]:
    async def read() -> Batch | None:
        result = await anext(results, None)
        try:
            return None if result is None else Batch.from_bytes(result)
        except ValueError as error:
            raise crashed(LIMITS, name, reason=type(error).__name__) from error

    return asyncio.ensure_future(read())


async def remove_sample(session: AsyncSession, kinds: Collection[str]) -> int:
    """Delete the sample opportunities of these kinds with their labels and the comments on them. Returns how many there were."""
    removed = await writing.remove_sample(session, kinds) if kinds else []
    if removed:
        await categories.forget_subjects(session, removed)
        await conversation.forget_subjects(session, removed)
        await announce(session)
    return len(removed)


async def _counts(
    session: AsyncSession, run: JobRun[ImportOpportunities, Actor | None, ImportCheckpoint], run_id: UUID
) -> ImportCounts:
    counts = await runs.counts(session, run_id)
    removed = run.checkpoint.get("samples_removed", 0)
    return counts.model_copy(update={"samples_removed": removed, "warnings": warnings_of(run.checkpoint)})


def warnings_of(checkpoint: Mapping[str, object]) -> ImportWarnings:
    """Return the warnings of a job that has got this far. Imports of earlier versions have none."""
    return ImportWarnings.model_validate(checkpoint.get("warnings", {}))


async def announce(session: AsyncSession) -> None:
    """Tell every list of opportunities to reload."""
    await publish(session, TOPIC)
