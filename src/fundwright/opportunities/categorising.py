"""Categorising as a job: what the present model has read is sorted first, then the rest is read and sorted batch by batch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.core.jobs import JobRun
from fundwright.identity.schemas import Actor
from fundwright.language.protocols import Embedder
from fundwright.opportunities import repository
from fundwright.opportunities.importing import announce

T = TypeVar("T")

_EMBEDDED_AT_ONCE = 64
_READ_AT_ONCE = 256
"""Read before their suggestions appear, some seconds apart: sorting begins by learning from every example."""
_SORTED_AT_ONCE = 2_000


async def categorise(run: JobRun[Any, Actor], embedder: Embedder) -> dict[str, Any]:
    """Answers how many opportunities were embedded now, labelled anew, left as they were, and fit no category.

    May stop at any moment and be run again: vectors that are there are not made again, labels that fit are left alone.
    """
    categorising = Categorising(run, embedder)
    await categorising.learn()
    await categorising.sort_known()
    await categorising.read_and_sort()
    async with run.transaction() as session:
        await repository.index_vectors(session, embedder.id, embedder.dimension)
        await announce(session)
    return {**categorising.counts, "model": embedder.id}


class Categorising:
    """The steps of the job. The checkpoint holds `counts`, and `after`, the last opportunity of those known before that was
    sorted, or `is_reading` once all of them are."""

    def __init__(self, run: JobRun[Any, Actor], embedder: Embedder) -> None:
        self._run = run
        self._embedder = embedder
        self._total = 0
        self.counts: dict[str, int] = {
            "embedded": 0, "labelled": 0, "unchanged": 0, "abstained": 0, "kept": 0, **run.checkpoint.get("counts", {}),
        }  # fmt: skip

    async def learn(self) -> None:
        """Read the examples that people gave first: everything is sorted by them."""
        model_id = self._embedder.id
        async with self._run.transaction() as session:
            known = await repository.count_vectors(session, model_id)
            self._total = known + await repository.count_lacking_vectors(session, model_id)
            examples = await categories.examples_lacking_vectors(session, self._run.actor, model_id=model_id)
        for start in range(0, len(examples), _READ_AT_ONCE):
            some = examples[start : start + _READ_AT_ONCE]
            async with self._run.transaction() as session:
                lacking = await repository.texts_lacking_vectors(session, model_id, limit=_READ_AT_ONCE, of=some)
            vectors = await self._embed(lacking)
            async with self._run.transaction() as session:
                await repository.add_vectors(session, model_id, vectors)
                found = await repository.vectors_of(session, model_id, some)
                await categories.supply_vectors(session, self._run.actor, found, model_id=model_id)

    async def sort_known(self) -> None:
        if self._run.checkpoint.get("is_reading"):
            return
        while await self._with_prototypes(self._sort_next):
            await self._report()

    async def _sort_next(self, session: AsyncSession) -> bool:
        """Whether there was anything left to sort."""
        after = UUID(self._run.checkpoint["after"]) if "after" in self._run.checkpoint else None
        items = await repository.vectors_after(session, self._embedder.id, after, limit=_SORTED_AT_ONCE)
        if not items:
            await self._run.save_checkpoint(session, {"is_reading": True, "counts": self.counts})
            return False
        await self._sort(session, items)
        await self._run.save_checkpoint(session, {"after": str(items[-1][0]), "counts": self.counts})
        return True

    async def read_and_sort(self) -> None:
        while True:
            async with self._run.transaction() as session:
                lacking = await repository.texts_lacking_vectors(session, self._embedder.id, limit=_READ_AT_ONCE)
            if not lacking:
                return
            vectors = await self._embed(lacking)
            await self._with_prototypes(partial(self._sort_new, vectors))
            await self._report()

    async def _sort_new(self, vectors: Sequence[tuple[UUID, NDArray[np.float32]]], session: AsyncSession) -> None:
        # Store the vectors only once they are sorted: after a restart, every opportunity with a vector counts as sorted.
        await repository.add_vectors(session, self._embedder.id, vectors)
        found = await repository.vectors_of(session, self._embedder.id, [id for id, _ in vectors])
        await self._sort(session, list(found.items()))
        await self._run.save_checkpoint(session, {"is_reading": True, "counts": self.counts})

    async def _with_prototypes(self, sort: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """Run `sort` in a transaction once the phrases of every category are embedded. Start over if a category changes meanwhile."""
        while True:
            await self._embed_phrases()
            with suppress(categories.PrototypesOutdated):
                async with self._run.transaction() as session:
                    return await sort(session)

    async def _embed_phrases(self) -> None:
        model_id = self._embedder.id
        async with self._run.transaction() as session:
            phrases = await categories.list_phrases_to_embed(session, self._run.actor, model_id=model_id)
        if not phrases:
            return
        vectors = await self._embedder.embed(list(chain.from_iterable(phrases.values())))
        async with self._run.transaction() as session:
            await categories.supply_prototypes(session, self._run.actor, phrases, vectors, model_id=model_id)

    async def _embed(self, texts: Sequence[tuple[UUID, str]]) -> list[tuple[UUID, NDArray[np.float32]]]:
        embedded: list[tuple[UUID, NDArray[np.float32]]] = []
        for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
            some = texts[start : start + _EMBEDDED_AT_ONCE]
            vectors = await self._embedder.embed([text for _, text in some])
            embedded += [(id, vector) for (id, _), vector in zip(some, vectors, strict=True)]
            await self._report(len(embedded))
        self.counts["embedded"] += len(embedded)
        return embedded

    async def _sort(self, session: AsyncSession, items: Sequence[tuple[UUID, NDArray[np.float32]]]) -> None:
        sorted_now = await categories.classify(session, self._run.actor, items, model_id=self._embedder.id)
        for name, number in sorted_now.model_dump().items():
            self.counts[name] += number

    async def _report(self, read: int = 0) -> None:
        done = read + sum(number for name, number in self.counts.items() if name != "embedded")
        await self._run.progress(done, max(done, self._total), "opportunities read and sorted")
