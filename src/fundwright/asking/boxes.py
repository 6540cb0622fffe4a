"""Finds the boxes that a question names, checked or not: “Are we HUBZone certified?”, and those of one kind: “Which boxes are not checked?”"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from fundwright.asking.candidates import Candidate
from fundwright.asking.questions import Question, words_of
from fundwright.reading.lines import Aside
from fundwright.reading.symbols import CHECKED, UNCHECKED
from fundwright.training.schemas import Passage

_STEM = 5
_ASKS_WHICH = re.compile(
    r"\W{0,20}(?:what|which|how|who|whom|whose|when|where|why|list|welche\w*|was (?:ist|sind|war|wird|kann|können|hat|haben|macht|bedeutet)|wie\w*|wer|wem|wann|wo|warum|weshalb|quel\w*|comment|combien|qui|quand|où|pourquoi)\b",
    re.IGNORECASE,
)
"""Questions that a box cannot answer."""
_ASKS_FOR_LIST = re.compile(
    r"\W{0,20}(?:what|which|list|show|name|welche\w*|zeig\w*|nenn\w*|quelles|listez|montrez)\b", re.IGNORECASE
)
_BOXES = re.compile(r"\b(?:check)?box(?:es)?\b|kästchen\b|\bcases?\b(?=.{0,40}coch)", re.IGNORECASE)
_CHECKED_OR_NOT = re.compile(
    r"\b(?:(?:un|de)?(?:check|tick|mark|select)ed|empty|blank|(?:an)?gekreuzt|markiert|leer|(?:dé)?coché|vides?)", re.IGNORECASE
)
_NOT_CHECKED = re.compile(
    r"\b(?:not|(?:un|de)(?:check|tick|mark|select)ed|empty|blank|nicht|leer\w*|pas|non|décoché\w*|vides?)\b|n['’]t\b",
    re.IGNORECASE,
)
_BOX = re.compile(f"[{CHECKED}{UNCHECKED}]")
_SAYS_LITTLE = re.compile(
    r"an?|and|or|of|the|is|are|was|were|has|have|had|does?|did|can|if|that|this|in|for|with|to|on|by|as|at|any|it|its|we|our|us|you|your|check|here|box"
    r"|firms?|compan(?:y|ies)|organizations?|contractor|offeror|applicant"
    r"|und|oder|de[rsmn]|die|das|ein\w*|ist|sind|war|haben?|hat|wir|uns\w*|sie|ihr\w*|von|für|mit|firma|unternehmen\w*"
    r"|et|ou|les?|la|une?|du|des|est|sont|avons|avez|nous|notre|nos|vous|votre|entreprise|société"
)
"""Words that do not tell what a box is about."""
_OF_ANY_BOX = frozenset(("certi", "zerti", "regis", "statu"))
"""The beginnings of words that a question may add to the label of a box."""


def named_boxes(question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[Candidate]:
    """Return the candidates without the boxes that the question does not name, of those that are not checked. The ones that it names are marked: it
    has all words of the label, or a word that no other label has and most of the label's words or no others."""
    if listed := _listed(question, candidates):
        return listed
    is_aside = [passages[each.passage].aside is Aside.BOX for each in candidates]
    if _ASKS_WHICH.match(question.text):
        return [each for each, aside in zip(candidates, is_aside, strict=True) if not aside]
    labels = [_subject(each.box) for each in candidates]
    counts = Counter(word for label in set(labels) for word in label)
    asked = _subject(question.text)

    def names(label: frozenset[str]) -> bool:
        shared = label & asked
        is_only_one = any(counts[word] == 1 for word in shared - _OF_ANY_BOX)
        return bool(label) and (
            label <= asked or (is_only_one and (2 * len(shared) > len(label) or asked - _OF_ANY_BOX <= label))
        )

    marked = [replace(each, names_box=names(label)) for each, label in zip(candidates, labels, strict=True)]
    return [each for each, aside in zip(marked, is_aside, strict=True) if each.names_box or not aside]


def asks_for_boxes(question: str) -> bool:
    """Whether a question asks which boxes are checked, or are not."""
    return bool(_ASKS_FOR_LIST.match(question) and _BOXES.search(question) and _CHECKED_OR_NOT.search(question))


def _listed(question: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The boxes that a question asks for, those of a passage together: all that are checked, or all that are not."""
    if not asks_for_boxes(question.text):
        return []
    is_checked = not _NOT_CHECKED.search(question.text)
    wanted = [each for each in candidates if each.is_checked is is_checked and words_of(each.around).issuperset(question.names)]
    together = [list(boxes) for _, boxes in groupby(wanted, key=lambda each: each.passage)]
    return [
        replace(boxes[0], end=boxes[-1].end, text="; ".join(each.text for each in boxes), names_box=True) for boxes in together
    ]


def labels_in(text: str) -> list[str]:
    """Return the labels of the boxes of a text that begins with the first of them, after its sign."""
    first, *following = text.split("\n")
    return [" ".join(each.lstrip(f"{CHECKED}{UNCHECKED}").split()) for each in (first, *filter(_BOX.match, following))]


def _subject(text: str) -> frozenset[str]:
    """The beginnings of the words that tell what a question or the label of a box is about."""
    return frozenset(word[:_STEM] for word in words_of(text) if not _SAYS_LITTLE.fullmatch(word))
