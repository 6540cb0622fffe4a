"""Ranks the results of a search."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Select,
    Uuid,
    func,
    literal,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import Text

from fundwright.language import retrieval
from fundwright.opportunities.models import (
    Opportunity,
    OpportunityText,
)
from fundwright.opportunities.question import Meaning, Question, is_named, parse
from fundwright.opportunities.repository import scoring
from fundwright.opportunities.repository.filters import SAMPLES_LAST, SOLICITATION, conditions_with, has_words
from fundwright.opportunities.repository.scoring import FOUND, Candidates, Found, Known, find_candidates
from fundwright.opportunities.schemas import (
    OpportunityQuery,
    Reason,
)
from fundwright.opportunities.states import place_pattern

_FEW = 10
"""With fewer matches, close matches follow."""
_CLOSE = 50
_NUMBERED = 1_000
_MOST_LISTED = 2_500
"""The maximum number of listed results. Below `scoring.MOST_COUNTED`, because a solicitation with several notices is listed once.
"""
_MIN_COSINE, _MIN_EVIDENCE = 0.35, 0.4
"""A close match has at least this cosine, or this sum of its cosine and its share of the words. The ten nearest of a few hundred
notices come this close to anything. In tests/relevance, every relevant notice among the first ten reaches these values, and most
nonsense searches find nothing that does."""
_MIN_COSINE_AFTER, _MIN_EVIDENCE_AFTER = 0.4, 0.6
"""The same minimums after the first ten results, where weaker matches would only fill the page."""
_WORDS_WEIGHT = 0.45
"""The weight of a notice's share of the words; its cosine has the weight 1."""
_MOST_WORDS = 2.5
"""The greatest share of the words that counts, as a multiple of the cosine."""
_FARTHER = 0.75
"""The assumed cosine of notices that are not among the nearest, as a fraction of the least of these."""
_MIN_MEANING = 0.5
"""A notice that has all words, but not in its title, matches if its meaning is in the upper half of those found by meaning."""
_NAMED_BOOST = 0.25
"""The share by which the score of a notice rises if the search names its agency."""
_MIN_WORDS = 0.5
"""The share of the best score by words that replaces `_MIN_MEANING` for notices that are not embedded."""
_NAMED_CANDIDATES = 150
"""The number of best notices whose scores this applies to."""
_PASSAGE_CHARACTERS, _SEARCHED_CHARACTERS = 2_000, 10_000
"""The length of the text from which a passage is chosen, and how far from the beginning of a description its words may be."""
MARK, END_MARK = "\x02", "\x03"
"""The marks around the search words in a passage."""
_HEADLINE = f'MaxFragments=1,MinWords=15,MaxWords=40,StartSel="{MARK}",StopSel="{END_MARK}"'


def rest_of(query: OpportunityQuery, labeled: Select[UUID] | None, ranked: Ranked) -> list[ColumnElement[bool]]:
    """Return conditions for matches other than the best. They are not grouped by solicitation, because for tens of thousands of
    notices that takes longer than a search may."""
    return [
        *_all_matching(query, labeled, ranked),
        SOLICITATION.op("<>", return_type=Boolean())(func.all(literal(list(ranked.solicitations), ARRAY(Text)))),
    ]


def _all_matching(query: OpportunityQuery, labeled: Select[UUID] | None, ranked: Ranked) -> list[ColumnElement[bool]]:
    """Return conditions for every match."""
    return [*conditions_with(query, labeled, None, ranked.question.excluded or None), ranked.matching]


@dataclass(frozen=True)
class Ranked:
    """The result of a search, before filters: one notice for each of the best solicitations, and conditions for every other match."""

    reasons: Mapping[UUID, Reason]
    """The reason for each of the best notices, best first. Other notices with all words follow, newest first."""
    solicitations: Collection[str]
    """The solicitations of the best notices."""
    close: Collection[UUID]
    """The best notices that are close matches only."""
    has_few_matches: bool
    """Whether all notices after the best are close matches, too."""
    matching: ColumnElement[bool]
    """The condition for notices with all words."""
    total: int
    has_uncounted: bool
    """Whether there are more results than `total`, the number counted and listed."""
    question: Question

    @property
    def ids(self) -> Collection[UUID]:
        return self.reasons.keys()

    def is_close(self, opportunity_id: UUID) -> bool:
        return opportunity_id in self.close or (self.has_few_matches and opportunity_id not in self.reasons)

    @property
    def closeness(self) -> ColumnElement[bool]:
        """The SQL equivalent of `is_close` for each row."""
        if self.has_few_matches:
            return Opportunity.id != func.all(literal([id for id in self.ids if not self.is_close(id)], ARRAY(Uuid)))
        return Opportunity.id == func.any(literal(list(self.close), ARRAY(Uuid)))


async def rank(session: AsyncSession, query: OpportunityQuery, labeled: Select[UUID] | None, meaning: Meaning | None) -> Ranked:
    """Find the notices that match the text of a query, and close matches if there are few. Without `meaning`, search by words only.

    Notices with all words compete by score like the others, because many of them are about something else. They count as matches if
    the words are in the title, or if the meaning is close enough or unknown.
    """
    question = parse(query.text)
    known = Known()
    numbered = await _list_numbered(session, question, query, labeled, known)
    candidates = await find_candidates(session, query, labeled, question, meaning, known)
    by_words, by_meaning, flags = candidates.by_words, candidates.by_meaning, candidates.matching
    word_scores, meaning_scores = retrieval.scaled(by_words), retrieval.scaled(by_meaning)
    fused = _boost_named_agencies(question, _fuse(candidates), meaning_scores)
    if question.states:
        fused = _put_states_first(question, fused, candidates, meaning_scores)
    scores = sorted(fused, key=lambda found: found.is_sample)
    about = {found for found, is_certain in flags.items() if is_certain or meaning_scores.get(found, 0) >= _MIN_MEANING}
    # What is new of a search is exactly what was counted, without close matches.
    is_open = question.is_open and query.added_after is None
    has_few_matches = is_open and not numbered and len(_by_solicitation(about)) < _FEW
    reasons: dict[Found, Reason] = dict.fromkeys(numbered, "number")
    ordered = [*scores, *sorted(flags.keys() - scores, key=Found.recency_key, reverse=True)]
    kept = about if has_few_matches else flags
    reasons.update((found, "all_words") for found in ordered if found in kept and found not in reasons)
    matched, close = _by_solicitation(reasons), dict[str, list[Found]]()
    if has_few_matches:
        others = _by_solicitation(found for found in ordered if found.solicitation not in matched)
        for key, group in others.items():
            is_likely = len(close) < _CLOSE and _is_likely(group, candidates, is_after=len(matched) + len(close) >= _FEW)
            if is_likely or not flags.keys().isdisjoint(group):
                close[key] = group
        for found in chain.from_iterable(close.values()):
            is_by_words = word_scores.get(found, 0) >= meaning_scores.get(found, 0)
            reasons[found] = "all_words" if found in flags else "words" if is_by_words else "meaning"
    best = {**matched, **close}
    shown = {solicitation: max(group, key=Found.recency_key).id for solicitation, group in best.items()}
    ranked = Ranked(
        reasons={shown[solicitation]: reasons[group[0]] for solicitation, group in best.items()},
        solicitations=shown.keys(),
        close=frozenset(shown[solicitation] for solicitation in close),
        has_few_matches=has_few_matches,
        matching=has_words(question.text),
        total=len(best),
        has_uncounted=False,
        question=question,
    )
    if candidates.has_all_matching:
        return ranked
    # A notice without a number counts as its own solicitation.
    alone = {notice for notice in flags if notice.solicitation == str(notice.id) and notice.solicitation in best}
    keys = literal(list(best.keys() - {notice.solicitation for notice in alone}), ARRAY(Text))
    is_of_best = Opportunity.number_key == func.any(keys)
    if candidates.number > scoring.MOST_COUNTED:
        # Most of the best solicitations have few notices, with or without the words: an index tells that.
        spare = scoring.MOST_COUNTED - _MOST_LISTED
        some = select(literal(1)).where(is_of_best).limit(spare + 1)
        if (await session.scalar(select(func.count()).select_from(some.subquery())) or 0) <= spare:
            return replace(ranked, total=_MOST_LISTED, has_uncounted=True)
    of_best = select(func.count()).where(*_all_matching(query, labeled, ranked), is_of_best)
    rest = candidates.number - len(alone) - (await session.scalar(of_best) or 0)
    if candidates.number > scoring.MOST_COUNTED and len(best) + rest <= _MOST_LISTED:
        # The best solicitations have so many notices that the rest, of which only some were counted, may not fill the list.
        others = select(Opportunity.id).where(*rest_of(query, labeled, ranked)).limit(_MOST_LISTED + 1 - len(best))
        rest = await session.scalar(select(func.count()).select_from(others.subquery())) or 0
    has_uncounted = candidates.number > scoring.MOST_COUNTED and len(best) + rest > _MOST_LISTED
    return replace(ranked, total=_MOST_LISTED if has_uncounted else len(best) + rest, has_uncounted=has_uncounted)


def _fuse(candidates: Candidates) -> Mapping[Found, float]:
    """Return the scores of notices by words and meaning, best first.

    Both are absolute: the share of the words' full score, and the cosine. Scaled to their best candidates, the best of a few hundred
    open notices would seem as close as the best of all. Words in a standard paragraph, such as “contact the help desk,” count no
    more than the meaning of the notice allows.
    """
    by_words, by_meaning = candidates.by_words, candidates.by_meaning
    # While few notices are embedded, the nearest of them need not be near.
    are_all_embedded, farther = candidates.coverage == 1, _FARTHER * min(by_meaning.values(), default=0)

    def score(found: Found) -> float:
        cosine, share = by_meaning.get(found, farther), by_words.get(found, 0) / (candidates.full_score or 1)
        is_limited = found in by_meaning or (by_meaning and are_all_embedded)
        return _WORDS_WEIGHT * (min(share, _MOST_WORDS * cosine) if is_limited else share) + candidates.coverage * cosine

    return dict(sorted(((found, score(found)) for found in {**by_words, **by_meaning}), key=lambda item: -item[1]))


def _boost_named_agencies(
    question: Question, scores: Mapping[Found, float], meaning_scores: Mapping[Found, float]
) -> Mapping[Found, float]:
    """Boost the scores of notices whose agency the question names, so that they come before others that fit equally well. Notices
    with a distant meaning are not boosted: the only word that they share may be the agency's name."""
    if not question.agencies:
        return scores
    best = islice(scores, _NAMED_CANDIDATES)
    likely = (found for found in best if not meaning_scores or meaning_scores.get(found, 0) >= _MIN_MEANING)
    of_named = {found for found in likely if is_named(found.agency, question) or is_named(found.sub_agency, question)}
    boosted = {found: score * (1 + _NAMED_BOOST * (found in of_named)) for found, score in scores.items()}
    return dict(sorted(boosted.items(), key=lambda item: -item[1]))


def _put_states_first(
    question: Question, scores: Mapping[Found, float], candidates: Candidates, meaning_scores: Mapping[Found, float]
) -> Mapping[Found, float]:
    """Rank notices in the states that the question names before others. Notices with a distant meaning are not moved: the only word
    that they share may be the state's name."""
    in_states, by_words = re.compile(place_pattern(question.states)), candidates.by_words
    least_words = _MIN_WORDS * max(by_words.values(), default=0)

    def is_first(found: Found) -> bool:
        is_unknown = found not in meaning_scores and (not meaning_scores or candidates.coverage < 1)
        fits = by_words.get(found, 0) >= least_words if is_unknown else meaning_scores.get(found, 0) >= _MIN_MEANING
        return fits and bool(in_states.search(found.place))

    return dict(sorted(scores.items(), key=lambda item: (not is_first(item[0]), -item[1])))


def _is_likely(group: Collection[Found], candidates: Candidates, *, is_after: bool) -> bool:
    """Whether a solicitation's notices are close enough to the question, by meaning or by meaning and words together. Before
    notices are embedded, any shared word is enough."""
    if not candidates.by_meaning:
        return True
    cosine = max(candidates.by_meaning.get(found, 0) for found in group)
    share = max(candidates.by_words.get(found, 0) for found in group) / (candidates.full_score or 1)
    least, least_evidence = (_MIN_COSINE_AFTER, _MIN_EVIDENCE_AFTER) if is_after else (_MIN_COSINE, _MIN_EVIDENCE)
    return cosine >= least or cosine + share >= least_evidence


def _by_solicitation(notices: Iterable[Found]) -> dict[str, list[Found]]:
    groups: dict[str, list[Found]] = {}
    for notice in notices:
        groups.setdefault(notice.solicitation, []).append(notice)
    return groups


async def _list_numbered(
    session: AsyncSession, question: Question, query: OpportunityQuery, labeled: Select[UUID] | None, known: Known
) -> Sequence[Found]:
    """List notices with a number of the question, newest first. If there are none and the question is just a part of a number, list
    the notices whose number begins with it or else contains it."""
    key = Opportunity.number_key
    tried = [key == func.any(literal(list(question.numbers), ARRAY(Text)))] if question.numbers else []
    if question.number:
        tried += [key.startswith(question.number), key.contains(question.number)]
    conditions = conditions_with(query, labeled, question.required or None, question.excluded or None) if tried else []
    for has_number in tried:
        newest = select(*FOUND).where(*conditions, has_number).order_by(SAMPLES_LAST, Opportunity.posted_at.desc())
        if found := [known.remember(row) for row in await session.execute(newest.limit(_NUMBERED))]:
            return found
    return []


def passage(words: str | BindParameter[str]) -> ColumnElement[str]:
    """Select the part of a notice's description with the most of these words, marked by `ts_headline`, or else its beginning. In a
    long description, the part begins before the first of the words."""
    config = literal_column("'english'")
    lexemes = func.tsvector_to_array(func.to_tsvector(config, words))
    any_word = func.array_to_string(lexemes, " or ")
    # A lexeme is the beginning of its word. Only letters and digits, because the rest would be part of the pattern.
    any_start = func.regexp_replace(func.array_to_string(lexemes, "|"), "[^[:alnum:]|]", ".", "g")
    pattern = func.concat(r"\m(", any_start, ")")
    first = func.regexp_instr(func.left(OpportunityText.description, _SEARCHED_CHARACTERS), pattern, 1, 1, 0, "i")
    start = func.greatest(1, first - _PASSAGE_CHARACTERS // 2)
    part = func.substr(OpportunityText.description, start, _PASSAGE_CHARACTERS)
    headline = func.ts_headline(config, part, func.websearch_to_tsquery(literal_column("'simple'"), any_word), _HEADLINE)
    return select(headline).where(OpportunityText.opportunity_id == Opportunity.id).correlate(Opportunity).scalar_subquery()
