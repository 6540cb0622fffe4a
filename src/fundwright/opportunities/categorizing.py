"""Categorizes notices as a job that learns from every decision. Open notices come first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any, TypedDict, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.classifier import Classifier, Subject
from fundwright.categories.terms import terms_of
from fundwright.core import jobs
from fundwright.core.jobs import JobRun
from fundwright.language.protocols import Embedder
from fundwright.opportunities import embedding
from fundwright.opportunities.importing import announce
from fundwright.opportunities.repository import indexing
from fundwright.opportunities.schemas import CategorizeOpportunities, SortingCounts, SortingResult

_READ_AT_ONCE = 256
_SORTED_AT_ONCE = 500
_UNKNOWN = 3_000
"""The number of undecided notices that show the classifier what is typical."""

_NOTHING_SORTED: SortingCounts = {"labeled": 0, "unchanged": 0, "abstained": 0, "kept": 0}

R = TypeVar("R")

_DEADLINE_S = 300.0
"""For the words of new notices, or the probabilities of a few thousand notices."""

Stored = Sequence[tuple[UUID, bytes, bytes]]


class SortingCheckpoint(TypedDict, total=False):
    counts: SortingCounts
    is_open: bool
    """Whether the open opportunities are being sorted."""
    after: str
    """The id of the last opportunity that was sorted."""


async def categorize(run: JobRun[CategorizeOpportunities, Actor, SortingCheckpoint], embedder: Embedder) -> SortingResult:
    """Return how many opportunities were labeled, unchanged, without a category, or not embedded yet.

    Can be interrupted at any time and run again: results are kept, and labels that still fit are not touched. If a newer job waits
    because of newer decisions, it sorts the rest. Notices without an embedding are sorted once they have one.
    """
    categorizing = Categorizing(run, embedder)
    await categorizing.read_words()
    await categorizing.sort()
    async with run.transaction() as session:
        lacking = await indexing.count_lacking_vectors(session, embedder.id)
        if lacking:
            await embedding.embed_later(session, run.services)
        await announce(session)
    return {**categorizing.counts, "waiting": lacking, "model": embedder.id}


class Categorizing:
    """The steps of a categorizing job."""

    def __init__(self, run: JobRun[CategorizeOpportunities, Actor, SortingCheckpoint], embedder: Embedder) -> None:
        self._run = run
        self._embedder = embedder
        self._total = 0
        self.counts: SortingCounts = run.checkpoint.get("counts", _NOTHING_SORTED)

    async def read_words(self) -> None:
        """Read the words of new notices."""
        while True:
            async with self._run.transaction() as session:
                unread = await indexing.list_unread(session, limit=_READ_AT_ONCE)
            if not unread:
                return
            terms = await self._compute(partial(_read, unread))
            async with self._run.transaction() as session:
                await indexing.add_terms(session, terms)
            await self._report()

    async def sort(self) -> None:
        """Sort the embedded notices. Starts over if a category changes in the meantime."""
        while True:
            try:
                lesson = await self._read_lesson()
                if lesson.keys:
                    await self._sort_by(lesson, await self._learn(lesson))
                return
            except categories.CategoriesChanged:
                self._run.checkpoint = {}

    async def _read_lesson(self) -> categories.Lesson:
        model_id = self._embedder.id
        async with self._run.transaction() as session:
            phrases = await categories.list_phrases_to_embed(session, self._run.actor, model_id=model_id)
        if phrases:
            vectors = await self._embedder.embed(list(chain.from_iterable(phrases.values())))
            async with self._run.transaction() as session:
                await categories.set_prototypes(session, self._run.actor, phrases, vectors, model_id=model_id)
        async with self._run.transaction() as session:
            return await categories.read_lesson(session, self._run.actor, model_id=model_id)

    async def _learn(self, lesson: categories.Lesson) -> Classifier:
        model_id = self._embedder.id
        async with self._run.transaction() as session:
            examples = dict(_subjects(await indexing.sortable_of(session, model_id, list(lesson.decided))))
            known = await indexing.sortable_sample(session, model_id, limit=_UNKNOWN)
            self._total = await indexing.count_sortable(session, model_id)
        others = [subject for id, subject in _subjects(known) if id not in lesson.decided]
        return await self._compute(partial(categories.learn, lesson, examples, others))

    async def _sort_by(self, lesson: categories.Lesson, classifier: Classifier) -> None:
        is_open = self._run.checkpoint.get("is_open", True)
        if is_open:
            await self._sort_all(lesson, classifier, is_open=True)
            async with self._run.transaction() as session:
                if await jobs.is_followed(session, self._run.id):
                    return  # the waiting job learns from the later decisions
        await self._sort_all(lesson, classifier, is_open=False)
        self._run.checkpoint = {}

    async def _sort_all(self, lesson: categories.Lesson, classifier: Classifier, *, is_open: bool) -> None:
        place: SortingCheckpoint = self._run.checkpoint if self._run.checkpoint.get("is_open") is is_open else {}
        after = UUID(place["after"]) if "after" in place else None
        while True:
            async with self._run.transaction() as session:
                stored = await indexing.sortable_after(session, self._embedder.id, after, is_open=is_open, limit=_SORTED_AT_ONCE)
            if not stored:
                return
            ids = [id for id, _, _ in stored]
            probabilities = await self._compute(partial(_probabilities, classifier, stored))
            async with self._run.transaction() as session:
                sorted_now = await categories.suggest(session, self._run.actor, lesson, ids, probabilities)
                self.counts = {
                    "labeled": self.counts["labeled"] + sorted_now.labeled,
                    "unchanged": self.counts["unchanged"] + sorted_now.unchanged,
                    "abstained": self.counts["abstained"] + sorted_now.abstained,
                    "kept": self.counts["kept"] + sorted_now.kept,
                }
                after = ids[-1]
                await self._run.save_checkpoint(session, {"is_open": is_open, "after": str(after), "counts": self.counts})
            await self._report()

    async def _compute(self, function: partial[R]) -> R:
        return await self._run.services.computing.run(function, deadline_s=_DEADLINE_S, is_background=True)

    async def _report(self) -> None:
        done = number_sorted(self.counts)
        await self._run.progress(done, max(done, self._total), "opportunities sorted")


def number_sorted(counts: SortingCounts) -> int:
    return counts["labeled"] + counts["unchanged"] + counts["abstained"] + counts["kept"]


def _read(texts: Sequence[tuple[UUID, str, str, str]]) -> dict[UUID, bytes]:
    return {id: terms_of(title, text, agency).tobytes() for id, title, text, agency in texts}


def _probabilities(classifier: Classifier, stored: Stored) -> NDArray[np.floating[Any]]:
    return classifier.probabilities([subject for _, subject in _subjects(stored)])


def _subjects(stored: Stored) -> list[tuple[UUID, Subject]]:
    """Convert the columns of `indexing.sortable_of`. A half vector is sent as two 16-bit numbers and its values, high byte first."""
    return [
        (id, Subject(np.frombuffer(terms, dtype=np.uint32), np.frombuffer(vector, dtype=">f2", offset=4).astype(np.float32)))
        for id, terms, vector in stored
    ]
