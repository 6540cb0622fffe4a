"""Categorising as a job: embed what the present model has not seen, then sort everything into the actor's categories."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fundwright.categories import service as categories
from fundwright.core.jobs import JobRun
from fundwright.identity.schemas import Actor
from fundwright.language.protocols import Embedder
from fundwright.opportunities import repository
from fundwright.opportunities.importing import announce

_EMBEDDED_AT_ONCE = 64
_CLASSIFIED_AT_ONCE = 2_000


async def categorise(run: JobRun, actor: Actor, embedder: Embedder) -> dict[str, Any]:
    """Answers how many opportunities were embedded now, labelled anew, left as they were, and fit no category.

    May stop at any moment and be run again: vectors that are there are not made again, labels that fit are left alone.
    """
    async with run.transaction() as session:
        lacking = await repository.count_lacking_vectors(session, embedder.id)
        total = lacking + lacking + await repository.count_vectors(session, embedder.id)
    embedded = await _embed(run, embedder, total)
    async with run.transaction() as session:
        await repository.index_vectors(session, embedder.id, embedder.dimension)
        examples = await categories.examples_lacking_vectors(session, actor, model_id=embedder.id)
        known = await repository.vectors_of(session, embedder.id, examples)
        await categories.supply_vectors(session, actor, known, model_id=embedder.id)
    counts = {"labelled": 0, "unchanged": 0, "abstained": 0, "kept": 0} | run.checkpoint.get("counts", {})
    after = UUID(run.checkpoint["after"]) if "after" in run.checkpoint else None
    done = embedded
    while True:
        async with run.transaction() as session:
            items = await repository.vectors_after(session, embedder.id, after, limit=_CLASSIFIED_AT_ONCE)
            if not items:
                break
            classified = await categories.classify(session, actor, items, embedder=embedder)
            counts = {name: number + getattr(classified, name) for name, number in counts.items()}
            after = items[-1][0]
            await run.save_checkpoint(session, {"after": str(after), "counts": counts})
        done += len(items)
        await run.progress(done, max(done, total), "opportunities sorted")
    async with run.transaction() as session:
        await announce(session)
    return {"embedded": embedded, **counts, "model": embedder.id}


async def _embed(run: JobRun, embedder: Embedder, total: int) -> int:
    embedded = 0
    while True:
        async with run.transaction() as session:
            lacking = await repository.texts_lacking_vectors(session, embedder.id, limit=_EMBEDDED_AT_ONCE)
        if not lacking:
            return embedded
        vectors = await embedder.embed([text for _, text in lacking])
        async with run.transaction() as session:
            await repository.add_vectors(
                session, embedder.id, [(id, vector) for (id, _), vector in zip(lacking, vectors, strict=True)]
            )
        embedded += len(lacking)
        await run.progress(embedded, max(embedded, total), "opportunities read by the model")
