"""The default writer: the best sentences of the passages, word for word, each with its citation. It cannot invent.

Sentences are chosen by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998,
https://doi.org/10.1145/290941.291025): relevance to the question less similarity to what is already chosen.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np

from fundwright.core.assembly import Core
from fundwright.language.protocols import Embedder, SectionRequest, Vectors
from fundwright.language.sentences import sentences_of

LABEL = "Extractive: sentences of your documents, word for word"

_RELEVANCE_WEIGHT = 0.7
_LEAST_RELEVANCE = 0.25
"""Cosine similarity to the question below which a sentence does not answer it."""
_LEAST_SHARE = 0.6
"""A sentence is left out when it is less than this share as relevant as the best one."""
_SAME = 0.92
"""Cosine similarity above which two sentences say the same."""
_LEAST_WORDS, _MOST_WORDS = 6, 70
_DEFAULT_WORDS = 160
_MAX_CANDIDATES = 120
_WORDS_ASKED = re.compile(r"[Aa]bout (\d+) words")
_BOILERPLATE = re.compile(
    r"all rights reserved|copyright|confidential|table of contents|page \d+ of \d+|^\W*\d|https?://\S+$|click here|\.{4,}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Candidate:
    number: int
    place: int
    text: str


class ExtractiveWriter:
    """Answers a section by quoting. Yields one sentence after the other, in the order of the passages."""

    id = "extractive"
    label = LABEL
    is_generative = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def write(self, request: SectionRequest) -> AsyncIterator[str]:
        candidates = _candidates(request)
        if not candidates:
            return
        vectors = await self._embedder.embed([f"{request.heading}. {request.question}", *(item.text for item in candidates)])
        relevance = vectors[1:] @ vectors[0]
        asked = _WORDS_ASKED.search(request.instructions)
        chosen = _choose(candidates, vectors[1:], relevance, words=int(asked.group(1)) if asked else _DEFAULT_WORDS)
        for index, candidate in enumerate(sorted(chosen, key=lambda item: (item.number, item.place))):
            end = "" if candidate.text.endswith((".", "!", "?")) else "."
            yield f"{' ' if index else ''}{candidate.text}{end} [{candidate.number}]"


def create(_core: Core, embedder: Embedder) -> ExtractiveWriter:
    return ExtractiveWriter(embedder)


def _candidates(request: SectionRequest) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    for passage in request.passages:
        for place, sentence in enumerate(sentences_of(passage.text)):
            text = " ".join(sentence.split())
            if _is_worth_quoting(text):
                # Passages overlap: the same sentence may stand in two of them.
                found.setdefault(text.casefold(), _Candidate(number=passage.number, place=place, text=text))
    return list(found.values())[:_MAX_CANDIDATES]


def _is_worth_quoting(text: str) -> bool:
    words = text.split()
    if not _LEAST_WORDS <= len(words) <= _MOST_WORDS or _BOILERPLATE.search(text) or text.endswith(("?", ":")):
        return False
    # Half sentences at the border of a passage, headings and table rows do not start like a sentence or hold few words.
    is_started = words[0][0].isupper() or words[0][0] in "“\"'("
    letters = sum(character.isalpha() for character in text)
    return is_started and letters / len(text) > 0.65 and text.upper() != text


def _choose(candidates: list[_Candidate], vectors: Vectors, relevance: Vectors, *, words: int) -> list[_Candidate]:
    least = max(_LEAST_RELEVANCE, _LEAST_SHARE * float(relevance.max()))
    open_to_choice = [index for index in range(len(candidates)) if relevance[index] >= least]
    chosen: list[int] = []
    spent = 0
    while open_to_choice and spent < words:
        seen = (vectors[open_to_choice] @ vectors[chosen].T).max(axis=1) if chosen else np.zeros(len(open_to_choice))
        value = _RELEVANCE_WEIGHT * relevance[open_to_choice] - (1 - _RELEVANCE_WEIGHT) * seen
        best = int(np.argmax(value))
        index = open_to_choice.pop(best)
        if seen[best] < _SAME:
            chosen.append(index)
            spent += len(candidates[index].text.split())
    return [candidates[index] for index in chosen]
