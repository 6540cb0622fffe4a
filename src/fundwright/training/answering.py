"""Finds the statement of a passage that answers a question, and says whether any does.

A passage of 180 words that answers in one sentence is hardly nearer to the question than one that does not answer at all; the
sentence is. A heading is near to whatever is asked about its subject and answers little of it, so it speaks for what stands below it
and is no answer. Measured with MiniLM on the sample documents (tests/training/test_answers.py) and on the development firms of
tests/firms: of 62 questions that the documents answer, 53 are answered, nine of them with another statement than expected; of 54 that
they do not answer, nonsense among them, two are. With sentences and headings alike, it was 50, 12, and two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fundwright.language.protocols import Vectors
from fundwright.language.structure import BlockKind, read
from fundwright.language.topics import Topic, topics_of
from fundwright.training.schemas import Answer, Passage

LEAST_RELEVANCE = 0.335
_ENDS = (".", "!", "?", "…", ".”", '."')
_SENTENCE_MEANING, _FRAGMENT_MEANING = 0.8, 0.5
"""How much meaning counts, and words the rest."""
_HEADING_WEIGHT = 0.15
_NAMED = 0.2
"""What it is worth that a heading or label names what is asked."""
_OF_OTHERS = 0.1
"""What a notice or policy loses when the question is about us."""
_US = re.compile(r"\b(?:we|our|us|I|my|wir|uns\w*|ich|mein\w*|nous|notre|nos|je|mon|mes)\b", re.IGNORECASE)
_WENT_WRONG = re.compile(
    r"\b(?:w[eo]nt wrong|go(?:es)? wrong|problems?|difficult\w+|challenges?|lessons?|learn(?:ed|t)?|mistakes?|fail\w*|obstacles?|setbacks?|trouble"
    r"|schief\w*|probleme?|schwierig\w+|herausforderung\w*|fehler|gelernt|problèmes?|difficultés?|défis?|erreurs?|leçons?|appris)\b",
    re.IGNORECASE,
)
"""People seldom ask about challenges in the words that headings have for them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, an item, a row, or a labeled value of a passage: where it stands there, and the heading above it."""

    passage: int
    start: int
    end: int
    text: str
    heading: str
    label: str
    is_sentence: bool


def statements_in(passages: Sequence[Passage]) -> list[Statement]:
    found: list[Statement] = []
    for index, passage in enumerate(passages):
        heading = passage.heading.rpartition(" › ")[2]
        for block in read(passage.text):
            if block.kind == BlockKind.HEADING:
                heading = block.text
                continue
            text = f"{block.label}: {block.text}" if block.label else block.text
            if text in passage.place_at(block.start)[0].split(" › "):
                continue  # its reader knows the heading by its style
            is_sentence = block.kind == BlockKind.ITEM or (block.kind == BlockKind.SENTENCE and text.endswith(_ENDS))
            found.append(Statement(index, block.start, block.end, text, heading, block.label, is_sentence))
    return found


def headings_of(statements: Sequence[Statement]) -> list[str]:
    """Each once."""
    return list(dict.fromkeys(statement.heading for statement in statements if statement.heading))


def answers(
    question: str,
    passages: Sequence[Passage],
    statements: Sequence[Statement],
    similarities: Vectors,
    shares: Sequence[float],
) -> list[Answer]:
    """The passages that answer, best first, each with its best statement. `similarities` are cosines with the question, first of the
    statements and then of their headings, `shares` how much of the question's words stands in each of these, in 0..1."""
    meaning = np.array([_SENTENCE_MEANING if statement.is_sentence else _FRAGMENT_MEANING for statement in statements])
    count = len(statements)
    words = np.asarray(shares)
    of_headings = _SENTENCE_MEANING * similarities[count:] + (1 - _SENTENCE_MEANING) * words[count:]
    by_heading = dict(zip(headings_of(statements), of_headings, strict=True))
    relevances = meaning * similarities[:count] + (1 - meaning) * words[:count]
    relevances += [_evidence(question, passages[each.passage], each, by_heading.get(each.heading, 0.0)) for each in statements]
    best: dict[int, Answer] = {}
    for place in np.argsort(-relevances, kind="stable"):
        statement, relevance = statements[place], float(relevances[place])
        if relevance < LEAST_RELEVANCE:
            break
        if statement.passage not in best:
            passage = passages[statement.passage]
            heading, page = passage.place_at(statement.start)
            found = passage.model_dump() | {"heading": heading, "page": page, "score": round(min(relevance, 1.0), 4)}
            best[statement.passage] = Answer(**found, answer_start=statement.start, answer_end=statement.end)
    return list(best.values())


def _evidence(question: str, passage: Passage, statement: Statement, heading: float) -> float:
    named = topics_of(statement.heading) | topics_of(statement.label)
    is_named = Topic.CHALLENGES in named and bool(_WENT_WRONG.search(question))
    is_of_others = not passage.document_kind.is_ours and bool(_US.search(question))
    return _HEADING_WEIGHT * max(heading, 0.0) + _NAMED * is_named - _OF_OTHERS * is_of_others
