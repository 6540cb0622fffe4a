"""Chooses what of the passages answers a question, or finds that nothing does.

A statement answers only if its record names what the question names, if it has a value of the kind that the question wants, and if it is
about the same. Of those, the best has the most similar meaning and the most words of the question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fundwright.asking.boxes import labels_in, named_boxes
from fundwright.asking.candidates import Candidate, boxes_in, candidates_in, lists_of
from fundwright.asking.identifiers import CELL
from fundwright.asking.listings import requested_list
from fundwright.asking.questions import NUMERALS, SYNONYMS, Kind, Question, stems_of, words_of
from fundwright.asking.schemas import Answer
from fundwright.core.messages import t
from fundwright.language.protocols import Vectors
from fundwright.reading.entries import Entry
from fundwright.reading.facts import FactStatus
from fundwright.reading.lines import Aside
from fundwright.reading.states import status_of
from fundwright.reading.units import spell_out_label
from fundwright.training.schemas import Passage, in_months

MIN_SCORE, MIN_OF_SPECIFIC = 0.93, 0.4
"""The least score of an answer, of 2: its similarity to the question, and the share of the question's words that it and its record have. A value
of what the question names needs less. When chosen, the first refused 7 of 10 unanswerable questions that still got an answer, and 4 of 42 right answers.
"""
_NEAR = 0.55
"""Words whose embeddings are at least this similar have nearly the same meaning: “price” and “cost”, but not “crew” and “salvaged”."""
_READ = 16
"""The number of passages whose statements are compared with the question."""
_COMPARED, _MOST_WORDS = 40, 1_000
"""Of this many candidates, at most this many words are compared with those of the question."""
_IDENTIFIED, _LISTED = 3.0, 1.0
"""Added to what an identifier of the question names, and to a box or list that the question names: these come before all others."""
_NUMBER_WORDS = 6
"""A value with more words is no number of what its label names."""
_MOST_SHOWN = 600
"""The maximum number of characters from the answer to one part of a question to the answer to another."""
_LEAST_OF_BEST = 0.8
"""The least score of an answer as a share of the best one's."""
_NO = re.compile(r"no|none|not held|nein|non|aucune?", re.IGNORECASE)
_COUNT = re.compile(
    r"((?:[^\W\d_][\w’'-]{0,30}[\s,]{1,3}){0,3})"
    rf"((?<![\w.,$€£])\d[\d,.]{{0,15}}(?![%\d])|\b(?i:(?:{NUMERALS})-?(?:one|{NUMERALS})?|one)\b)"
    r"((?:[\s-]{1,3}[^\W\d_][\w’'-]{0,30}){0,5})"
)
"""A number with the words around it."""

Near = Mapping[str, Collection[str]]
"""For words of the question, those of the candidates that mean nearly the same."""


def candidates_of(question: Question, passages: Sequence[Passage]) -> list[Candidate]:
    """Return what may answer, of at most `_READ` passages: those that have what the question names, and then the first. CPU-bound: call it in a
    process."""
    found, boxes = list[Candidate](), list[Candidate]()
    named = list[int]()
    wanted, asked, names = requested_list(question.text), words_of(question.text), set(question.names)
    for index, passage in enumerate(passages):
        if passage.aside is Aside.BOX:
            boxes += boxes_in(passage, index)
            continue
        statements = candidates_in(passage, index)
        found += statements
        if wanted and passage.document_kind.is_ours:
            found += lists_of(statements, wanted)
        if any(names <= words_of(each) for each in {each.around for each in statements}) and all(
            any(each.rating(c.cells, _headings(passages, c)) > 0 for c in statements) for each in question.identifiers
        ):
            named.append(index)
    read = {*named[:_READ], *[index for index in range(len(passages)) if index not in named][: max(_READ - len(named), 0)]}
    found = [
        each for each in found if each.passage in read and (each.is_checked or each.is_list or not _repeats(each.text, asked))
    ]
    return named_boxes(question, [*found, *boxes], passages)


def _repeats(text: str, asked: frozenset[str]) -> bool:
    """Whether a text only repeats words of the question, ignoring initials: “JANE E. MARLOW, P.E.”"""
    return {word for word in words_of(text) if len(word) > 1 or word.isdigit()} <= asked


def text_of(candidate: Candidate) -> str:
    """Return what is compared with the question: the statement and the heading above it."""
    return f"{candidate.heading}: {candidate.text}" if candidate.heading else candidate.text


def words_to_compare(question: Question, candidates: Sequence[Candidate], similarities: Vectors) -> tuple[list[str], list[str]]:
    """Return the words of the question, and those of the most similar candidates, whose embeddings tell which mean nearly the same. CPU-bound:
    call it in a process."""
    best = [candidates[place] for place in np.argsort(-similarities)[:_COMPARED]]
    others = {
        word
        for each in best
        for word in words_of(f"{each.around} {each.text}")
        if word.isalpha() and len(word) > 2 and stems_of(word)
    }
    return sorted({*question.content, *question.counted}), sorted(others)[:_MOST_WORDS]


def near(words: Sequence[str], others: Sequence[str], similarities: Vectors) -> Near:
    """`similarities` has a row for each of the words and a column for each of the others."""
    return {
        word: {others[place] for place in np.flatnonzero(row >= _NEAR).tolist()} | SYNONYMS.get(word, frozenset())
        for word, row in zip(words, similarities, strict=True)
    }


def answers(
    question: Question,
    passages: Sequence[Passage],
    candidates: Sequence[Candidate],
    similarities: Vectors,
    near: Near,
    phrases: Mapping[str, str],
) -> list[Answer]:
    """Return the passages that answer, best first, each with its best statement. CPU-bound: call it in a process.

    `similarities` are the cosines of the candidates with the question, `phrases` what its abbreviations stand for.
    """
    if not candidates:
        return []
    meanings = _Meanings(near, {short: words_of(phrase) for short, phrase in phrases.items()})
    own = [_Words(f"{each.text} {each.heading}") for each in candidates]
    records = {each: _Words(each) for each in {each.around for each in candidates}}
    around = [records[each.around] for each in candidates]
    rarity = _rarities(question, passages)
    shares = np.array([[_share(rarity, each, meanings) for each in words] for words in (own, around)])
    scores = similarities + shares.mean(axis=0)
    is_named = _are_named(question, passages, candidates, around, meanings)
    has_value = np.array([_has_value(question, each, meanings) for each in candidates])
    is_box = np.array([each.names_box for each in candidates])
    is_list = np.array([each.is_list for each in candidates])
    is_close = scores >= (MIN_OF_SPECIFIC if question.is_specific else MIN_SCORE)
    may_answer = is_named & has_value & is_close
    if question.identifiers:
        ratings = [[each.rating(c.cells, _headings(passages, c)) for each in question.identifiers] for c in candidates]
        identified = np.array(ratings).max(axis=1)
        may_answer = is_named & (identified > 0) & (may_answer | (identified >= CELL))
        scores = scores + _IDENTIFIED * identified
    is_new = np.array([not each.label or not _repeats(each.value, words_of(question.text)) for each in candidates])
    if (may_answer & is_new).any():
        may_answer &= is_new
    if question.attribute:
        may_answer &= np.array([words.has(question.attribute, meanings) for words in around])
    is_required = np.array([passages[each.passage].document_kind.is_requirement for each in candidates])
    if question.is_about_requirement and (may_answer & is_required).any():
        may_answer &= is_required
    scores = np.where(is_box | is_list, scores + _LISTED, np.where(may_answer, scores, -1.0))
    may_answer |= is_box | is_list
    best: dict[int, tuple[Candidate, Answer]] = {}
    least = _LEAST_OF_BEST * float(scores.max())
    for place in np.argsort(-scores, kind="stable"):
        if not may_answer[place] or scores[place] < least:
            break
        found = candidates[place]
        if found.passage not in best:
            start, end = _span(question, found, candidates)
            answer = _answer(passages[found.passage], found, start, end, float(scores[place]))
            best[found.passage] = found, answer.model_copy(update={"status": _status(question, found)})
    return _newest_first(question, [*best.values()], meanings)


def _newest_first(question: Question, found: Sequence[tuple[Candidate, Answer]], meanings: _Meanings) -> list[Answer]:
    """If answers state different values of what the best one is about, mark all that are about it, and put the newest of these first."""
    stated = [_stated(question, candidate, meanings) for candidate, _ in found]
    values: dict[str, set[str]] = {}
    for attribute, value in filter(None, stated):
        values.setdefault(attribute, set()).add(value)
    first = stated[0] if stated else None
    if first is None or len(values[first[0]]) == 1 or len({answer.document_id for _, answer in found}) == 1:
        return [answer for _, answer in found]
    is_rival = [each is not None and each[0] == first[0] for each in stated]
    rivals = [
        answer.model_copy(update={"is_disputed": True}) for (_, answer), is_it in zip(found, is_rival, strict=True) if is_it
    ]
    others = [answer for (_, answer), is_it in zip(found, is_rival, strict=True) if not is_it]
    return [*sorted(rivals, key=lambda each: each.dated or date.min, reverse=True), *others]


def _stated(question: Question, candidate: Candidate, meanings: _Meanings) -> tuple[str, str] | None:
    """What a statement is about and the value it states: a label and its value, or what is counted and its number."""
    if candidate.label:
        return " ".join(sorted(words_of(candidate.label))), " ".join(candidate.value.casefold().split())
    counts = _counts(question, candidate.text, meanings) if question.kind is Kind.COUNT else []
    return (" ".join(sorted(question.counted)), counts[0]) if counts else None


@dataclass(frozen=True)
class _Meanings:
    near: Near
    phrases: Mapping[str, frozenset[str]]


class _Words:
    def __init__(self, text: str) -> None:
        self.words, self.stems = words_of(text), stems_of(text)

    def has(self, word: str, meanings: _Meanings) -> bool:
        """Whether the text has the word, another form of it, one that means nearly the same, or what it abbreviates."""
        is_said = word in self.words or not stems_of(word).isdisjoint(self.stems)
        return is_said or self.names(word, meanings) or not self.words.isdisjoint(meanings.near.get(word, ()))

    def names(self, name: str, meanings: _Meanings) -> bool:
        return name in self.words or (name in meanings.phrases and meanings.phrases[name] <= self.words)


def _rarities(question: Question, passages: Sequence[Passage]) -> dict[str, float]:
    """The weights of the words of the question: those that few passages have weigh more."""
    texts = [stems_of(f"{each.text} {each.document_title} {' '.join(each.heading)}") for each in passages]
    return {
        word: math.log1p((len(texts) + 1) / (sum(not stems_of(word).isdisjoint(text) for text in texts) + 0.5))
        for word in (*question.content, *question.names)
    }


def _share(rarity: Mapping[str, float], words: _Words, meanings: _Meanings) -> float:
    """The share of the question's words that a text has."""
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if words.has(word, meanings)) / total if total else 1.0


def _headings(passages: Sequence[Passage], candidate: Candidate) -> tuple[str, ...]:
    return (*passages[candidate.passage].place_at(candidate.start)[0], candidate.heading)


def _are_named(
    question: Question,
    passages: Sequence[Passage],
    candidates: Sequence[Candidate],
    around: Sequence[_Words],
    meanings: _Meanings,
) -> NDArray[np.bool_]:
    """Whether the records have all names of the question. In a document in which a heading has them, but not the title, only what stands below that
    heading is about them, or says them itself."""

    @cache
    def names(text: str) -> bool:
        words = _Words(text)
        return all(words.names(each, meanings) for each in question.names)

    if not question.names:
        return np.ones(len(candidates), dtype=bool)
    is_below = [any(map(names, _headings(passages, each))) for each in candidates]
    documents = [passages[each.passage] for each in candidates]
    notices = {each.document_id for each in passages if each.document_kind.is_requirement and not each.start and names(each.text)}
    sections = {
        each.document_id for each, below in zip(documents, is_below, strict=True) if below and not names(each.document_title)
    }
    return np.array(
        [
            document.document_id in notices
            or (
                all(words.names(name, meanings) for name in question.names)
                and (below or document.document_id not in sections or names(each.text))
            )
            for each, words, below, document in zip(candidates, around, is_below, documents, strict=True)
        ]
    )


def _has_value(question: Question, candidate: Candidate, meanings: _Meanings) -> bool:
    """Whether a candidate has a value of the kind that the question wants: of persons, also in its record, or by their role alone, and of numbers, one
    of what is counted."""
    if question.kind is Kind.PERSON:
        own = _Words(candidate.text)
        return question.has_value(candidate.around) or all(own.has(word, meanings) for word in question.content)
    if question.parts or question.kind is not Kind.COUNT or not question.counted:
        return question.has_value(candidate.text)
    numbers = [each for each in candidate.values if any(map(str.isdigit, each.text)) and len(each.text.split()) <= _NUMBER_WORDS]
    labels = [spell_out_label(each.label) for each in numbers]
    is_labeled = any(_Words(label).has(word, meanings) for label in labels for word in question.counted)
    return is_labeled or bool(_counts(question, candidate.text, meanings))


def _counts(question: Question, text: str, meanings: _Meanings) -> list[str]:
    """The numbers of a text beside what is counted."""
    return [
        number.strip(".,")
        for before, number, after in _COUNT.findall(text)
        if any(_Words(f"{before} {after}").has(word, meanings) for word in question.counted)
    ]


def _span(question: Question, found: Candidate, candidates: Sequence[Candidate]) -> tuple[int, int]:
    """Where the answer is, with the statements of its record that answer the parts of the question."""
    start, end = found.start, found.end
    beside = [each for each in candidates if (each.passage, each.record) == (found.passage, found.record)]
    for part in question.parts:
        answering = next((each for each in beside if part.has_value(each.text)), found)
        both = min(start, answering.start), max(end, answering.end)
        if not part.has_value(found.text) and both[1] - both[0] <= _MOST_SHOWN:
            start, end = both
    return start, end


def _answer(passage: Passage, found: Candidate, start: int, end: int, score: float) -> Answer:
    heading, page = passage.place_at(start)
    values = passage.model_dump() | {"heading": heading, "page": page, "score": round(min(score / 2, 1.0), 4)}
    return Answer(**values, answer_start=start, answer_end=end, is_checked=found.is_checked)


def _status(question: Question, found: Candidate) -> FactStatus:
    """What the cells of a row, or a labeled value, say of what a question asks: “graduated 2017,” “No.”"""
    texts = [value.text.strip(" .") for value in found.values] if question.kind is Kind.YES_NO else []
    return FactStatus.DENIED if any(map(_NO.fullmatch, texts)) else status_of(texts)


def in_words(answer: Answer) -> str:
    """Return the text of an answer in the reader's language: each cell of a row follows the name of its column, a box says whether it is checked,
    and a disputed answer ends with the date of its document: “31 employees (2025)”."""
    if answer.is_checked is not None:
        label = "; ".join(labels_in(answer.text[answer.answer_start : answer.answer_end]))
        return t("Checked: {label}", label=label) if answer.is_checked else t("Not checked: {label}", label=label)
    parts, place = list[str](), answer.answer_start
    for entry in answer.entries():
        if (
            entry.values
            and answer.answer_start <= entry.start
            and entry.end <= answer.answer_end
            and answer.text[entry.start] == "|"
        ):
            parts += [answer.text[place : entry.start] if place <= entry.start else "\n", _row_in_words(entry)]
            place = entry.end
    said = "".join([*parts, answer.text[place : answer.answer_end]])
    said = f"{said} ({in_months(answer.dated)})" if answer.is_disputed and answer.dated else said
    return f"{answer.status_label}: {said}" if answer.status_label else said


def _row_in_words(row: Entry) -> str:
    return "; ".join(f"{value.label}: {value.text}" if value.label else value.text for value in row.values)
