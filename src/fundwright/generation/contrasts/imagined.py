"""Detects support from a statement about a hypothetical case, a competitor, or a goal, which says nothing about us today."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice

from fundwright.generation.contrasts.clauses import UNLIKE, Clause, clauses_in
from fundwright.generation.contrasts.pair import Pair
from fundwright.generation.normalizing import listed, read_text

_CONDITION = re.compile(
    r"(?<!even )(?<!see )\bif (?:we|I|it|they|our \w{1,20}|the \w{1,20}|[A-Z]\w{1,30}) (?:were|had|held|owned|won|got|received|hired|bought|employed|could|did|should)\b"
    r"|\A(?:were|had|should) (?:we|our|it|the|they|I|[A-Z]\w{1,30})\b",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(r"\b(?:would|could|might)\b", re.IGNORECASE)
_OPEN = frozenset(listed("if would could might should unless were had"))
"""Words of a claim that is hypothetical itself."""
_COMPETITOR = re.compile(
    r"(?:(?:our|the|a|an|one|some|most|many|all|other|another|each) )?(?:[\w-]{1,20} ){0,3}(?:competitors?|rivals?|incumbents?) (?!of\b)",
    re.IGNORECASE,
)
"""A clause about a competitor."""
_OURS = re.compile(r"\b(?:we|our|us|ours)\b", re.IGNORECASE)
_IS_OURS = re.compile(r" (?:we|our)\b", re.IGNORECASE)
_UNLIKE_US = re.compile(r"us|ourselves|our (?:company|firm|team|organization|agency|lab)", re.IGNORECASE)
_GOAL = re.compile(
    r"\b(?:working toward(?:s)?|appl(?:ied|ying|y) for(?! and (?:received|won|earned|obtained|got|hold))|pursuing)\b",
    re.IGNORECASE,
)


def contradictions(pair: Pair) -> dict[str, bool]:
    return {
        "imagined": any(is_of_another_case(pair, match.clause) for match in pair.matches),
        "goal": not _GOAL.search(pair.claim.text) and any(_is_goal(pair, match.clause) for match in pair.matches),
    }


def is_of_another_case(pair: Pair, clause: Clause) -> bool:
    """Whether a source clause is about a hypothetical case or a competitor, and the claim is not."""
    if not pair.words & _OPEN and _is_imagined(pair, clause):
        return True
    if _COMPETITOR.search(pair.claim.text):
        return False
    opening = _COMPETITOR.match(clause.text)
    if opening:
        named = clause.text[opening.end() :].partition(" ")[0]
        return not _OURS.search(clause.text, opening.end()) and not _is_known(pair, named)
    unlike = UNLIKE.match(clause.text)
    if unlike is None or _IS_OURS.match(clause.text, unlike.end()):
        return False
    return _UNLIKE_US.fullmatch(unlike["whom"]) is not None or _is_known(pair, unlike["whom"])


def is_of_another_case_at(pair: Pair, place: int) -> bool:
    """Like `is_of_another_case`, for the clause at a position of the source."""
    clauses = clauses_in(pair.source)
    return is_of_another_case(pair, clauses[bisect_right(clauses, place, key=lambda clause: clause.places[0]) - 1])


def _is_goal(pair: Pair, clause: Clause) -> bool:
    """Whether the source only works toward what the claim states: the word after “toward” is in the claim."""
    goal = _GOAL.search(clause.text)
    if goal is None:
        return False
    tokens = [pair.source.tokens[place] for place in clause.places]
    following = (token for token in tokens if token.start >= tokens[0].start + goal.end() and token.is_content)
    return any(token.key in pair.keys for token in islice(following, 1))


def _is_imagined(pair: Pair, clause: Clause) -> bool:
    tokens = pair.source.by_sentence[clause.sentence]
    sentence = pair.source.text[tokens[0].start : tokens[-1].end]
    return _CONDITION.search(sentence) is not None and _CONSEQUENCE.search(sentence) is not None


def _is_known(pair: Pair, name: str) -> bool:
    """Whether a name is ours."""
    words = read_text(name).content
    return bool(words) and all(word.key in pair.known.places for word in words)
