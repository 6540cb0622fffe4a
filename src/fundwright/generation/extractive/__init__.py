"""The built-in writer: it quotes documents word for word and cites each quotation, so it cannot invent anything.

People, projects, data, and the contact come from the facts of the organization, in tables. Everything else is answered with whole statements of the
documents, see `statements`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from fundwright.core.assembly import Core
from fundwright.core.messages import Message, later
from fundwright.generation.extractive import statements, tables
from fundwright.generation.extractive.headings import HeadingClassifier
from fundwright.generation.extractive.statements import Choice, Comparison, Statement
from fundwright.language.protocols import Embedder, PossibleMatch, SectionRequest, Unanswered
from fundwright.reading.topics import Topic

LABEL = "Built-in (quotes your documents word for word)"
_REQUESTED_WORDS = re.compile(r"[Aa]bout (\d{1,5}) words")
_DEFAULT_WORDS = 160
_DEADLINE_S = 120.0
_MOST_STATEMENTS = 600
_MOST_FITTING = 2
"""Projects in the paragraph that says why we fit."""
_INTRODUCTIONS = {
    Topic.FIT: later("Our capabilities and experience include:"),
    Topic.OFFER: later("Our goals and deliverables are:"),
}
"""Sentences that introduce the lists in a letter."""

Compute = Callable[[partial[Any]], Awaitable[Any]]
"""Calls a function that takes long in another process."""


class ExtractiveWriter:
    """Writes a section by quoting, question by question."""

    id = "extractive"
    label = LABEL
    is_generative = False

    def __init__(self, embedder: Embedder, compute: Compute) -> None:
        self._compute = compute
        self._embedder = embedder
        self._headings = HeadingClassifier(embedder)

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        requested = _REQUESTED_WORDS.search(request.instructions)
        words = (int(requested.group(1)) if requested else _DEFAULT_WORDS) // max(1, len(request.questions))
        texts = [tables.written(topic, request.facts, request.company) for topic in request.all_topics]
        open_places = [place for place, text in enumerate(texts) if not text]
        found: list[Statement] = []
        choices: dict[int, Choice] = {}
        if open_places:
            found = await self._compute(partial(_statements, request))
            choices = await self._chosen(request, found, open_places, words) if found else {}
        is_first = True
        for place, topic in enumerate(request.all_topics):
            text = texts[place]
            if choice := choices.get(place):
                text = "".join(_quoted([found[each] for each in choice.answer], _INTRODUCTIONS.get(topic) if topic else None))
                if topic is Topic.FIT and (done := [*islice(tables.works(request.facts, request.company), _MOST_FITTING)]):
                    text = "\n".join(filter(None, (text, *done)))
                for each in choice.possible:
                    yield PossibleMatch(question=place, text=found[each].text, number=found[each].number)
            if not text:
                yield Unanswered(place)
                continue
            yield text if is_first else f"\n\n{text}"
            is_first = False

    async def _chosen(
        self, request: SectionRequest, found: Sequence[Statement], places: Sequence[int], words: int
    ) -> dict[int, Choice]:
        headings = await self._headings.find(found)
        compared = await self._compare(request, found)
        choices: dict[int, Choice] = {}
        for place in places:
            taken = frozenset(index for choice in choices.values() for index in choice.answer)
            choices[place] = statements.choose(
                found, compared, headings, place, request.all_topics[place], words=words, taken=taken
            )
        return choices

    async def _compare(self, request: SectionRequest, found: Sequence[Statement]) -> Comparison:
        count = len(request.questions)
        embedded = await self._embedder.embed(
            [*request.questions, *(each.headed for each in found), request.opportunity, *request.requirements]
        )
        questions, told, (opportunity, *required) = np.split(embedded, (count, count + len(found)))
        wanted = np.mean([opportunity, *required], axis=0)
        return Comparison(questions @ told.T, told @ (wanted / max(float(np.linalg.norm(wanted)), 1e-12)))


def create(core: Core, embedder: Embedder) -> ExtractiveWriter:
    return ExtractiveWriter(embedder, partial(core.computing.run, deadline_s=_DEADLINE_S, is_background=True))


def _statements(request: SectionRequest) -> list[Statement]:
    ours = [passage for passage in request.passages if passage.kind.is_ours]
    return statements.statements_of(ours, request.written, request.company)[:_MOST_STATEMENTS]


def _quoted(quoted: Sequence[Statement], introduction: Message | None) -> Iterator[str]:
    """Sentences form a paragraph, and items a list, below a sentence that introduces it in a letter."""
    if introduction:
        quoted = sorted(quoted, key=lambda each: each.is_listed)
    before: Statement | None = None
    for each in quoted:
        if each.is_listed and not (before and before.is_listed):
            yield "\n\n" if before else ""
            yield f"{introduction}\n\n" if introduction else ""
        elif before:
            yield "\n" if each.is_listed else " " if not before.is_listed and each.section == before.section else "\n\n"
        yield f"{'- ' if each.is_listed else ''}{each.text} [{each.number}]"
        before = each
