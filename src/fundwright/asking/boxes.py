"""Finds the boxes that a question names, checked or not: “Are we HUBZone certified?”"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fundwright.asking.candidates import Candidate
from fundwright.asking.questions import Question, words_of
from fundwright.reading.lines import Aside
from fundwright.training.schemas import Passage

_STEM = 5
_ASKS_WHICH = re.compile(
    r"\W{0,20}(?:what|which|how|who|whom|whose|when|where|why|list|welche\w*|was (?:ist|sind|war|wird|kann|können|hat|haben|macht|bedeutet)|wie\w*|wer|wem|wann|wo|warum|weshalb|quel\w*|comment|combien|qui|quand|où|pourquoi)\b",
    re.IGNORECASE,
)
"""Questions that a box cannot answer."""
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


def _subject(text: str) -> frozenset[str]:
    """The beginnings of the words that tell what a question or the label of a box is about."""
    return frozenset(word[:_STEM] for word in words_of(text) if not _SAYS_LITTLE.fullmatch(word))
