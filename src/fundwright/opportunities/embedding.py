"""Embeds notices in a job that starts automatically, so that searches find them by meaning and similar notices can be listed.

The job belongs to the installation. There is one such job at a time; it includes notices that are added while it runs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRun
from fundwright.core.messages import later
from fundwright.language.protocols import Embedder
from fundwright.opportunities.importing import announce
from fundwright.opportunities.repository import indexing
from fundwright.opportunities.schemas import EmbedOpportunities

TITLE = later("Index notices")

_WEIGHED_AT_ONCE = 500
_READ_AT_ONCE = 512
_EMBEDDED_AT_ONCE = 16
_PAUSE_SHARE = 0.5
"""The fraction of the embedding time that the job pauses to leave processor time for other work."""
_REPORT_INTERVAL_S = 2
"""How often the progress is reported; every open list shows it."""
_TURN_S = 5
"""How long the job works before it pauses for waiting jobs."""


async def embed_later(session: AsyncSession, core: Core) -> None:
    """Enqueue the job that embeds notices without an embedding of the current model, unless a waiting or running job will.

    Call it in a later transaction than the one that added the notices.
    """
    if not await indexing.is_embedding_underway(session):
        await core.jobs.enqueue(session, EmbedOpportunities(), title=TITLE, owner_id=None)


class EmbeddingCheckpoint(TypedDict, total=False):
    embedded: int
    is_ending: bool
    """Whether the job has stopped looking for notices. Code that adds notices then starts another job."""


class EmbeddingResult(TypedDict):
    embedded: int
    model: str


async def embed(
    run: JobRun[EmbedOpportunities, None, EmbeddingCheckpoint],
    embedder: Embedder,
    sort_again: Callable[[AsyncSession], Awaitable[None]],
) -> EmbeddingResult:
    """Weight the words of notices without weights, and embed notices without a vector of this model, open and newest ones first.

    Can be interrupted at any time and run again; it pauses while other jobs wait. `sort_again` is called each time the number of
    embedded notices has doubled, and at the end.
    """
    async with run.transaction() as session:
        await indexing.index_vectors(session, embedder.id, embedder.dimension)
        done, total = await indexing.count_embedded(session, embedder.id)
        await indexing.note_embedded(session, done if done < total else None)
    embedded = run.checkpoint.get("embedded", 0)  # before the job was interrupted or paused
    run.checkpoint = {"embedded": embedded}
    sorted_at = max(embedded, _READ_AT_ONCE // 2)
    reported_at, turn_started_at = 0.0, time.monotonic()
    await run.progress(done, total, "notices")
    while True:
        await _weigh(run)
        if not (lacking := await _list_lacking(run, embedder)):
            break
        async with run.transaction() as session:  # notices may have been added or changed in the meantime
            done, total = await indexing.count_embedded(session, embedder.id)
        for start in range(0, len(lacking), _EMBEDDED_AT_ONCE):
            some = lacking[start : start + _EMBEDDED_AT_ONCE]
            began = time.monotonic()
            vectors = await embedder.embed([text for _, _, text in some])
            took_s = time.monotonic() - began
            async with run.transaction() as session:
                await indexing.save_vectors(session, embedder.id, [(id, version) for id, version, _ in some], vectors)
                await indexing.note_embedded(session, done + len(some))
                embedded += len(some)
                await run.save_checkpoint(session, {"embedded": embedded})
            done += len(some)
            if time.monotonic() - reported_at > _REPORT_INTERVAL_S:
                reported_at = time.monotonic()
                await run.progress(done, total, "notices")
            await asyncio.sleep(took_s * _PAUSE_SHARE)
            if time.monotonic() - turn_started_at > _TURN_S:
                turn_started_at = time.monotonic()
                await run.pause_if_others_wait()
        if embedded >= sorted_at * 2:
            sorted_at = embedded
            async with run.transaction() as session:
                await sort_again(session)
    async with run.transaction() as session:
        await indexing.note_embedded(session, None)
        await indexing.refresh_search_statistics(session)
        await sort_again(session)
        await announce(session)
    return {"embedded": embedded, "model": embedder.id}


async def _weigh(run: JobRun[EmbedOpportunities, None, EmbeddingCheckpoint]) -> None:
    """Weight words: it speeds up searches by words and updates how rare each word is."""
    is_any = False
    while await _weigh_some(run):
        is_any = True
    if is_any:
        async with run.transaction() as session:
            await indexing.count_words(session)
            await indexing.refresh_search_statistics(session)


async def _weigh_some(run: JobRun[EmbedOpportunities, None, EmbeddingCheckpoint]) -> bool:
    async with run.transaction() as session:
        is_any = await indexing.weigh_words(session, limit=_WEIGHED_AT_ONCE)
        await run.save_checkpoint(session, run.checkpoint)
    return is_any


async def _list_lacking(
    run: JobRun[EmbedOpportunities, None, EmbeddingCheckpoint], embedder: Embedder
) -> Sequence[tuple[UUID, int, str]]:
    """List notices to embed. Once none are left, notices that are added later start another job."""
    async with run.transaction() as session:
        if lacking := await indexing.list_unembedded(session, embedder.id, limit=_READ_AT_ONCE):
            return lacking
        await indexing.lock_embedding(session)
        if lacking := await indexing.list_unembedded(session, embedder.id, limit=_READ_AT_ONCE):
            return lacking
        await run.save_checkpoint(session, {**run.checkpoint, "is_ending": True})
        return []
