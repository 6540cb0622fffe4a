"""Scores notices for a question, by words and by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Float,
    Row,
    and_,
    bindparam,
    exists,
    func,
    literal,
    literal_column,
    select,
)
from sqlalchemy import (
    cast as sql_cast,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import Text

from fundwright.language import retrieval, search_sql
from fundwright.language.retrieval import Statistics
from fundwright.opportunities.models import (
    Opportunity,
    OpportunityVector,
    OpportunityWord,
    OpportunityWords,
)
from fundwright.opportunities.question import Meaning, Question
from fundwright.opportunities.repository.filters import AWARD, SOLICITATION

_CANDIDATES = 1_000
"""How many notices with the rarest words are scored by words; of more, the newest."""
_EXACT_LIMIT = 5_000
"""Among no more notices than these, all embeddings are compared."""
_USUAL_WORDS = 100
"""Of a notice whose title is counted three times."""
_MIN_COSINE_ALONE = 0.43
"""Of the nearest by meaning when no notice has any of the words: nonsense is no nearer than .42 to anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A notice of which a search may show the solicitation. There is one object of each in a search: comparing ids takes longer."""

    id: UUID
    solicitation: str
    is_sample: bool
    is_award: bool
    posted_s: float
    agency: str
    sub_agency: str

    def currency(self) -> tuple[bool, float, UUID]:
        """The greatest of a solicitation is the one to read: the newest that is not of an award."""
        return not self.is_award, self.posted_s, self.id


class Known(dict[UUID, Found]):
    """The notices that a search has come across."""

    def note(self, row: Sequence[Any]) -> Found:
        """The notice of a row that begins with `FOUND`."""
        found = self.get(row[0])
        if found is None:
            found = self[row[0]] = Found(*row[: len(FOUND)])
        return found


FOUND = (
    Opportunity.id.label("id"), SOLICITATION.label("solicitation"), Opportunity.is_sample.label("is_sample"),
    (Opportunity.type == AWARD).label("is_award"), sql_cast(func.extract("epoch", Opportunity.posted_at), Float).label("posted_s"),
    Opportunity.agency.label("agency"), Opportunity.sub_agency.label("sub_agency"),
)  # fmt: skip
"""The columns of `Found`."""


async def score_notices(
    session: AsyncSession,
    question: Question,
    conditions: list[ColumnElement[bool]],
    meaning: Meaning | None,
    known: Known,
    *,
    is_narrow: bool | None,
) -> tuple[Mapping[Found, float], Mapping[Found, float]]:
    """Of the best by words, and of the best by meaning. A question without a word that counts has neither."""
    lexemes, statistics = await _lexemes_of(session, question.words)
    if not lexemes:
        return {}, {}
    by_words = {known.note(row): -row[-1] for row in await _by_words(session, lexemes, statistics, conditions)}
    by_meaning = await _by_meaning(session, meaning, conditions, is_narrow=is_narrow) if meaning else ()
    cosines = {known.note(row): 1 - row[-1] for row in by_meaning}
    if not by_words and max(cosines.values(), default=0) < _MIN_COSINE_ALONE:
        return {}, {}
    return by_words, cosines


_LEXEME = search_sql.lexemes_of(bindparam("words", type_=Text))
_EVERYTHING = select(OpportunityWord.notices).where(OpportunityWord.place == search_sql.ALL_TEXTS).scalar_subquery()
_COUNTED = select(_LEXEME.c.lexeme, func.cardinality(_LEXEME.c.positions), OpportunityWord.notices, _EVERYTHING).outerjoin_from(
    _LEXEME, OpportunityWord, OpportunityWord.place == func.word_place(_LEXEME.c.lexeme)
)


async def _lexemes_of(session: AsyncSession, words: str) -> tuple[Mapping[str, int], Statistics]:
    """How often each lexeme is in the words, and in how many notices."""
    rows = (await session.execute(_COUNTED, {"words": words})).all()
    found_in = {retrieval.place_of(lexeme): notices or 0 for lexeme, _, notices, _ in rows}
    return {lexeme: count for lexeme, count, _, _ in rows}, Statistics(rows[0][3] or 0 if rows else 0, found_in)


async def _by_words(
    session: AsyncSession, lexemes: Mapping[str, int], statistics: Statistics, conditions: list[ColumnElement[bool]]
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The best among the notices with the rarest of these words, each with its BM25 score, negated."""
    weights = retrieval.weigh(lexemes, statistics)
    rarest = retrieval.rarest(lexemes, statistics, most=_CANDIDATES)
    is_rare = statistics.found_in[retrieval.place_of(rarest[0])] <= _CANDIDATES
    column = (Opportunity.search if is_rare else Opportunity.title_search).expression
    having = select(*FOUND).where(*conditions, search_sql.has_any(column, rarest))
    newest = having.order_by(Opportunity.posted_at.desc()).limit(_CANDIDATES).subquery()
    # Right after an import, words that are not weighed yet are weighed here.
    unweighed = select(WEIGHTS).where(Opportunity.id == newest.c.id).scalar_subquery()
    distance = search_sql.word_distance(func.coalesce(OpportunityWords.words, unweighed), weights).label("distance")
    scored = select(*newest.c, distance).outerjoin_from(newest, OpportunityWords, OpportunityWords.opportunity_id == newest.c.id)
    best = scored.order_by(distance, newest.c.posted_s.desc(), newest.c.id).limit(retrieval.DEPTH)
    return [row for row in await session.execute(best) if row[-1] < 0]


WEIGHTS = func.word_weights(
    Opportunity.title_search.op("||")(Opportunity.title_search).op("||")(Opportunity.search),
    _USUAL_WORDS,
    retrieval.NOTICE_SATURATION,
)


async def _by_meaning(
    session: AsyncSession, meaning: Meaning, conditions: list[ColumnElement[bool]], *, is_narrow: bool | None
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The nearest, each with its distance. Among few notices all are compared: with a narrow filter, the index would be read to its end.
    When it is not known how narrow the filter is, what the index finds tells."""
    if is_narrow and (found := await _compared(session, meaning, conditions)):
        return found
    found = await _nearest(session, meaning, conditions, limit=retrieval.DEPTH)
    if is_narrow is None and len(found) < retrieval.DEPTH:
        return await _compared(session, meaning, conditions) or found
    return found


async def _compared(
    session: AsyncSession, meaning: Meaning, conditions: list[ColumnElement[bool]]
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The nearest of few notices; none of many."""
    some = select(Opportunity.id).where(*conditions).limit(_EXACT_LIMIT + 1).cte("some")
    are_few = select(func.count() <= _EXACT_LIMIT).select_from(some).scalar_subquery()
    # One by one: with a join, the planner would rather read the vectors of all notices.
    of_notice = and_(OpportunityVector.opportunity_id == some.c.id, OpportunityVector.model_id == meaning.model_id)
    distance = (
        select(search_sql.cosine_distance(OpportunityVector.vector.expression, meaning.vector)).where(of_notice).scalar_subquery()
    )
    compared = select(some.c.id, distance.label("distance")).where(are_few)
    nearest = compared.order_by(literal_column("distance")).limit(retrieval.DEPTH).subquery()
    described = select(*FOUND, nearest.c.distance).join(nearest, nearest.c.id == Opportunity.id)
    return (await session.execute(described.where(nearest.c.distance.is_not(None)))).all()


async def _nearest(
    session: AsyncSession, meaning: Meaning, conditions: list[ColumnElement[bool]], *, limit: int
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The nearest, nearest first, each with its distance, by the index of the model if there is one."""
    is_indexed, of_model = len(meaning.vector) <= search_sql.MAX_INDEXED_DIMENSION, OpportunityVector.model_id == meaning.model_id
    if is_indexed:
        # The planner takes the partial index only when the model's id stands in the statement.
        of_model = OpportunityVector.model_id == literal_column("'" + meaning.model_id.replace("'", "''") + "'")
    distance = search_sql.cosine_distance(OpportunityVector.vector.expression, meaning.vector, is_indexed=is_indexed)
    found = (
        select(*FOUND, distance)
        .select_from(OpportunityVector)
        .join(Opportunity, Opportunity.id == OpportunityVector.opportunity_id)
    )
    return (await session.execute(found.where(of_model, *conditions).order_by(distance).limit(limit))).all()


def is_embedded(id: ColumnElement[UUID], meaning: Meaning | None) -> ColumnElement[bool]:
    if meaning is None:
        return literal(False)
    return exists().where(OpportunityVector.opportunity_id == id, OpportunityVector.model_id == meaning.model_id)


async def similar(
    session: AsyncSession, model_id: str, vector: NDArray[np.float32], *, leave_out: UUID, limit: int
) -> list[tuple[UUID, float]]:
    """(id, cosine) of the nearest opportunities, nearest first."""
    nearest = await _nearest(session, Meaning(model_id, vector), [], limit=limit + 1)
    return [(row[0], 1 - row[-1]) for row in nearest if row[0] != leave_out][:limit]
