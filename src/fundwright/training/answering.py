"""Finds the sentence of a passage that answers a question, and says whether any does.

A passage of 180 words that answers in one sentence is hardly nearer to the question than one that does not answer at all; the
sentence is. Measured with MiniLM on the sample documents: of 26 questions that they answer, 25 were answered, 22 of them with the right
sentence first; of 24 that they do not answer, nonsense among them, two were (tests/training/test_answers.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fundwright.language.protocols import Vectors
from fundwright.language.sentences import spans_of
from fundwright.training.schemas import Answer, Passage

LEAST_RELEVANCE = 0.345
_ENDS = (".", "!", "?", "…", ".”", '."')
_SENTENCE_MEANING, _FRAGMENT_MEANING = 0.8, 0.5
"""How much meaning counts, and words the rest. A heading is near to whatever is asked about its subject, and answers little of it."""

Place = tuple[int, int, int]
"""A sentence: the index of its passage, and where it begins and ends there."""


def sentences_in(passages: Sequence[Passage]) -> list[Place]:
    return [(index, start, end) for index, passage in enumerate(passages) for start, end in spans_of(passage.text)]


def answers(passages: Sequence[Passage], places: Sequence[Place], similarities: Vectors, shares: Sequence[float]) -> list[Answer]:
    """The passages that answer, best first, each with its best sentence. `similarities` of shape (sentences,) are cosines with the
    question, `shares` how much of the question's words stands in each sentence, in 0..1."""
    is_sentence = [passages[index].text[start:end].endswith(_ENDS) for index, start, end in places]
    meaning = np.where(is_sentence, _SENTENCE_MEANING, _FRAGMENT_MEANING)
    relevances = meaning * similarities + (1 - meaning) * np.asarray(shares)
    best: dict[int, Answer] = {}
    for place in np.argsort(-relevances, kind="stable"):
        index, start, end = places[place]
        if relevances[place] < LEAST_RELEVANCE:
            break
        if index not in best:
            heading, page = passages[index].place_at(start)
            found = passages[index].model_dump() | {"heading": heading, "page": page, "score": round(float(relevances[place]), 4)}
            best[index] = Answer(**found, answer_start=start, answer_end=end)
    return list(best.values())
