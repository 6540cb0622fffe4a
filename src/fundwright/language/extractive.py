"""The default writer: the best sentences of the passages, word for word, each with its citation. It cannot invent.

Whether a sentence answers a question is told by its similarity to the question less half its similarity to a question that
asks for nothing in particular, because sentences about projects and plans resemble every question of a proposal;
benchmarks/drafting.py measures it. Answers are chosen by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998,
https://doi.org/10.1145/290941.291025): relevance to the question less similarity to what is already chosen.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fundwright.core.assembly import Core
from fundwright.language.protocols import Embedder, NumberedPassage, SectionRequest, Unanswered, Vectors
from fundwright.language.sentences import sentences_of

LABEL = "Extractive: sentences of your documents, word for word"

_RELEVANCE_WEIGHT = 0.7
_FIT_WEIGHT = 0.3
"""What similarity to the opportunity counts beside similarity to the question."""
_NOTHING_IN_PARTICULAR = "What does the organisation do?"
_COMMONPLACE_WEIGHT = 0.5
LEAST_RELEVANCE = 0.3
"""Where no sentence is this relevant, the question is open."""
_LEAST_SHARE = 0.6
"""A sentence is left out when it is less than this share as relevant as the best one."""
_SAME = 0.92
"""Cosine similarity above which two sentences say the same."""
_LEAST_WORDS, _MOST_WORDS = 6, 70
_LEAST_LISTED_WORDS = 4
_MOST_HEADING_WORDS = 14
_DEFAULT_WORDS = 160
_MAX_CANDIDATES = 120
_TITLE_SHARE = 0.6
"""A line with a greater share of capitalised words is a title or a label, not a sentence."""
_WORDS_ASKED = re.compile(r"[Aa]bout (\d+) words")
_BOILERPLATE = re.compile(
    r"all rights reserved|copyright|confidential|table of contents|page \d+ of \d+|^\W*\d|https?://\S+$|click here|\.{4,}"
    r"|this is a sample|[|\t]|\\n",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*•–▪●o]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_IS_ENDED = re.compile(r"[.!…][\"”’')\]]*$")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])")
_POINTS_BACK = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|these|those|such|both|however|also|additionally|moreover|furthermore|therefore|"
    r"er|sie|es|dies\w*|außerdem|daher|il|elle|ils|elles|cette?|ces|de plus)\b|.{0,60}\b(?:he|she)\b",
    re.IGNORECASE,
)
_TELLS_OTHERS = re.compile(
    r"\b(?:contractors?|offerors?|vendors?|applicants?|applications?|proposals?|reviewers?|recipients?|awardees?)\b.{0,60}"
    r"\b(?:shall|must|will|should|may|are required)\b|^(?:see|refer to|note|include|describe|evaluate|assess|provide|for example)\b"
    r"|^(?!.*\b(?:we|our|us|I|my|wir|unser\w*|nous|notre|nos)\b).*\b(?:shall|must|should)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Candidate:
    number: int
    place: int
    text: str
    heading: str
    is_listed: bool
    before: int | None
    """Place among the candidates of the sentence that this one points back to (“She …”), which has to stand before it."""


class ExtractiveWriter:
    """Answers a section by quoting. Yields one sentence after the other, in the order of the passages."""

    id = "extractive"
    label = LABEL
    is_generative = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered]:
        candidates = _candidates(request)
        if not candidates:
            return
        relevance, fit, vectors = await self._compare(request, candidates)
        answered = relevance.max(axis=1) >= LEAST_RELEVANCE
        asked = _WORDS_ASKED.search(request.instructions)
        words = int(asked.group(1)) if asked else _DEFAULT_WORDS
        chosen: list[int] = []
        for place, is_answered in enumerate(answered):
            if is_answered:
                _choose(chosen, candidates, relevance[place], fit, vectors, words=words // int(answered.sum()))
            else:
                yield Unanswered(place)
        before: _Candidate | None = None
        for candidate in sorted((candidates[index] for index in chosen), key=lambda item: (item.number, item.place)):
            yield f"{_space(before, candidate)}{candidate.text} [{candidate.number}]"
            before = candidate

    async def best_relevance(self, request: SectionRequest) -> list[float]:
        """Of each question, the relevance of the sentence that answers it best; what benchmarks/drafting.py measures."""
        candidates = _candidates(request)
        if not candidates:
            return [0.0] * len(request.questions)
        relevance, _, _ = await self._compare(request, candidates)
        return [float(best) for best in relevance.max(axis=1)]

    async def _compare(self, request: SectionRequest, candidates: list[_Candidate]) -> tuple[Vectors, Vectors, Vectors]:
        """Relevance (questions, candidates), fit to the opportunity (candidates), and unit vectors (candidates, dimension).

        Question and sentence count half on their own and half under their heading, without which many say nothing.
        """
        asked, count = len(request.questions), len(candidates)
        embedded = await self._embedder.embed(
            [
                *request.questions,
                *(f"{request.heading}. {question}" for question in request.questions),
                *(item.text for item in candidates),
                *(f"{item.heading}\n{item.text}" for item in candidates),
                _NOTHING_IN_PARTICULAR,
                request.opportunity,
            ]
        )
        alone, headed, sentences, under_heading, (commonplace, opportunity) = np.split(
            embedded, np.cumsum([asked, asked, count, count])
        )
        questions, vectors = _unit(alone + headed), _unit(sentences + under_heading)
        relevance = questions @ vectors.T - _COMMONPLACE_WEIGHT * (vectors @ commonplace)
        return relevance, vectors @ opportunity, vectors


def _unit(vectors: Vectors) -> Vectors:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def create(_core: Core, embedder: Embedder) -> ExtractiveWriter:
    return ExtractiveWriter(embedder)


def _space(before: _Candidate | None, after: _Candidate) -> str:
    """What Markdown needs between the two: sentences run on, items of a list stay a list."""
    mark = "- " if after.is_listed else ""
    if before is None:
        return mark
    if before.is_listed or after.is_listed:
        return f"\n{mark}" if before.is_listed and after.is_listed else f"\n\n{mark}"
    return " "


def _candidates(request: SectionRequest) -> list[_Candidate]:
    found: list[_Candidate] = []
    # Passages overlap, and the answer to one question may answer another: nothing is said twice in a draft.
    said: set[str] = set()
    written = " ".join(request.written.split()).casefold()
    for passage in request.passages:
        last_place, last = -2, 0
        for candidate in _sentences(passage):
            key = candidate.text.casefold()
            if key in said or key in written:
                continue
            if _POINTS_BACK.match(candidate.text):
                if last_place != candidate.place - 1:
                    continue
                candidate = replace(candidate, before=last)
            said.add(key)
            last_place, last = candidate.place, len(found)
            found.append(candidate)
    return found[:_MAX_CANDIDATES]


def _sentences(passage: NumberedPassage) -> Iterator[_Candidate]:
    """What can be quoted of a passage; short lines without a full stop are the headings of what follows."""
    heading = passage.heading
    document = passage.heading.partition(" › ")[0]
    for place, sentence in enumerate(sentences_of(passage.text)):
        line = " ".join(_EMPHASIS.sub(r"\2", sentence).split())
        bullet = _BULLET.match(line)
        text = line[bullet.end() :] if bullet else line
        if _is_worth_quoting(text, is_listed=bool(bullet)):
            yield _Candidate(passage.number, place, text, heading, is_listed=bool(bullet), before=None)
        elif len(text.split()) <= _MOST_HEADING_WORDS and not _IS_ENDED.search(text):
            heading = f"{document} › {text}" if document != text else text


def _is_worth_quoting(text: str, *, is_listed: bool) -> bool:
    words = text.split()
    least = _LEAST_LISTED_WORDS if is_listed else _LEAST_WORDS
    if not least <= len(words) <= _MOST_WORDS or _BOILERPLATE.search(text) or text.endswith(("?", ":", ";", ",")):
        return False
    if not is_listed and not _IS_ENDED.search(text):
        return False
    long_words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    capitalised = sum(word[0].isupper() for word in long_words)
    if len(long_words) < 2 or (not is_listed and capitalised / len(long_words) > _TITLE_SHARE):
        return False
    # Half sentences at the border of a passage and table rows do not start like a sentence or hold few words.
    is_started = words[0][0].isupper() or words[0][0] in "“\"'("
    # What a contractor, an applicant or a reviewer has to do says nothing about whoever drafts.
    if _TELLS_OTHERS.search(text):
        return False
    letters = sum(character.isalpha() for character in text)
    return is_started and letters / len(text) > 0.65 and text.upper() != text


def _choose(
    chosen: list[int], candidates: list[_Candidate], relevance: Vectors, fit: Vectors, vectors: Vectors, *, words: int
) -> None:
    """Add to `chosen` what answers one question best, in about so many words."""
    worth = relevance + _FIT_WEIGHT * fit
    least = _LEAST_SHARE * float(relevance.max())
    open_to_choice = [index for index in range(len(candidates)) if relevance[index] >= least and index not in chosen]
    spent = 0
    while open_to_choice and spent < words:
        seen = (vectors[open_to_choice] @ vectors[chosen].T).max(axis=1) if chosen else np.zeros(len(open_to_choice))
        value = _RELEVANCE_WEIGHT * worth[open_to_choice] - (1 - _RELEVANCE_WEIGHT) * seen
        best = int(np.argmax(value))
        index: int | None = open_to_choice.pop(best)
        if seen[best] >= _SAME:
            continue
        while index is not None and index not in chosen:
            chosen.append(index)
            spent += len(candidates[index].text.split())
            index = candidates[index].before
        open_to_choice = [index for index in open_to_choice if index not in chosen]
