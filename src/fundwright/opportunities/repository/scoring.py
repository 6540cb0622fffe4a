"""Scores notices for a search, by words and by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Float,
    Select,
    Uuid,
    and_,
    bindparam,
    case,
    false,
    func,
    literal,
    literal_column,
    not_,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy import (
    cast as sql_cast,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
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
from fundwright.opportunities.repository.filters import conditions_with, has_words, solicitation_of
from fundwright.opportunities.schemas import AWARD_NOTICE, OpportunityQuery

_CANDIDATES = 1_000
"""The number of notices with the rarest words that are scored by words. If there are more, the newest ones are scored."""
_EXACT_LIMIT = 5_000
"""Up to this many notices, all embeddings are compared."""
MOST_COUNTED = 3_000
"""The count of notices with all words stops just above this, because counting more would take longer than the rest of a search."""
_USUAL_WORDS = 100
"""The typical length of a notice in words, with its title counted three times."""
_MIN_COSINE_ALONE = 0.43
"""If no notice has any of the words, the nearest by meaning must reach this cosine. Nonsense never exceeds .42."""


@dataclass(slots=True, eq=False)
class Found:
    """A candidate notice. A search creates one object for each and compares by identity, which is faster than comparing ids."""

    id: UUID
    solicitation: str
    is_sample: bool
    is_award: bool
    posted_s: float
    agency: str
    sub_agency: str
    place: str

    def recency_key(self) -> tuple[bool, float, UUID]:
        """Sort key within a solicitation. The notice to show has the greatest one: the newest that is not an award notice."""
        return not self.is_award, self.posted_s, self.id


class Known(dict[UUID, Found]):
    """The candidate notices of a search, by id."""

    def remember(self, row: Sequence[Any]) -> Found:
        """Return the notice of a row whose first columns are `FOUND`."""
        found = self.get(row[0])
        if found is None:
            found = self[row[0]] = Found(*row[: len(FOUND)])
        return found


def _found(notice: type[Opportunity]) -> tuple[ColumnElement[Any], ...]:
    return (
        notice.id.label("id"), solicitation_of(notice).label("solicitation"), notice.is_sample.label("is_sample"),
        (notice.type == AWARD_NOTICE).label("is_award"), sql_cast(func.extract("epoch", notice.posted_at), Float).label("posted_s"),
        notice.agency.label("agency"), notice.sub_agency.label("sub_agency"),
        notice.place.label("performed_in"),
    )  # fmt: skip


FOUND = _found(Opportunity)
"""The columns of `Found`."""
_READ_BY_FOUND = (
    Opportunity.id, Opportunity.number_key, Opportunity.is_sample, Opportunity.type, Opportunity.posted_at, Opportunity.agency,
    Opportunity.sub_agency, Opportunity.place,
)  # fmt: skip


@dataclass(frozen=True)
class Candidates:
    """The candidate notices of a search, with their scores."""

    by_words: Mapping[Found, float]
    """BM25 scores of the best notices."""
    full_score: float
    """Approximate BM25 score of a notice that has each word of the question once."""
    coverage: float
    """The fraction of notices that are embedded."""
    by_meaning: Mapping[Found, float]
    """Cosine similarities of the nearest notices."""
    matching: Mapping[Found, bool]
    """Notices with all words, and whether each is certainly about them, whatever its meaning. If there are too many, only the best
    and the nearest."""
    has_all_matching: bool
    number: int
    """The number of notices with all words, at most `MOST_COUNTED + 1`."""


class Model(NamedTuple):
    """An embedding model."""

    id: str
    dimension: int


@dataclass(frozen=True)
class _Shape:
    """Everything that determines the candidate statement, apart from its parameters."""

    filters: OpportunityQuery
    has_required: bool
    has_excluded: bool
    in_titles: bool | None
    """Whether the rarest words are searched only in titles, because very many notices have them. None if there is no word to rank
    by."""
    model: Model | None
    """The model that computed the embedding of the search."""


_WORDS, _REQUIRED, _EXCLUDED = (bindparam(name, type_=Text()) for name in ("words", "required", "excluded"))
_RAREST, _WEIGHTS = bindparam("rarest", type_=Text()), bindparam("weights", type_=SPARSEVEC(retrieval.WORD_DIMENSION))


async def find_candidates(
    session: AsyncSession,
    query: OpportunityQuery,
    labeled: Select[UUID] | None,
    question: Question,
    meaning: Meaning | None,
    known: Known,
) -> Candidates:
    """Find all candidates in one statement that reads each notice once. Without a word to rank by, there are no best or nearest
    notices."""
    lexemes, statistics, coverage = await _lexemes_of(session, question.words)
    parameters: dict[str, Any] = {"words": question.text, "required": question.required, "excluded": question.excluded}
    in_titles, full_score = None, 0.0
    if lexemes:
        rarest = retrieval.rarest(lexemes, statistics, most=_CANDIDATES)
        in_titles = statistics.found_in[retrieval.place_of(rarest[0])] > _CANDIDATES
        weights = retrieval.weigh(lexemes, statistics)
        full_score = sum(weights.values())
        parameters |= {"rarest": retrieval.any_of(rarest), "weights": retrieval.words_vector(weights)}
    if meaning:
        parameters["vector"] = HalfVector(meaning.vector)
    shape = _Shape(
        filters=query.model_copy(update=_NOT_FILTERS),
        has_required=bool(question.required),
        has_excluded=bool(question.excluded),
        in_titles=in_titles,
        model=Model(meaning.model_id, len(meaning.vector)) if meaning else None,
    )
    statement = build_statement(shape) if labeled is None else _build_statement(shape, labeled)
    # Execute on the connection: for this many rows, the session's own overhead equals the driver's.
    rows = (await (await session.connection()).execute(statement, parameters)).all()
    number = rows[0].number
    by_words, by_meaning, matching = dict[Found, float](), dict[Found, float](), dict[Found, bool]()
    for row in rows:
        if row[0] is None:
            continue
        notice = known.remember(row)
        is_near, distance, is_certain, _ = row[len(FOUND) :]
        if is_certain is not None:
            matching[notice] = is_certain
        if distance is None:
            continue
        if is_near:
            by_meaning[notice] = 1 - distance
        elif distance < 0:
            by_words[notice] = -distance
    if not by_words and max(by_meaning.values(), default=0) < _MIN_COSINE_ALONE:
        by_meaning = {}
    has_all_matching = number <= 2 * retrieval.DEPTH
    if not has_all_matching:
        matching = {notice: matching[notice] for notice in matching if notice in by_words or notice in by_meaning}
    return Candidates(by_words, full_score, coverage, by_meaning, matching, has_all_matching, number)


_NOT_FILTERS = {"text": "", "verbatim": False, "sort": "", "page": 1, "page_size": 1}


@lru_cache(maxsize=64)
def build_statement(shape: _Shape) -> Select[*tuple[Any, ...]]:
    """Cached, because building the statement takes longer than most of its reads."""
    return _build_statement(shape, None)


def _build_statement(shape: _Shape, labeled: Select[UUID] | None) -> Select[*tuple[Any, ...]]:
    """Return the statement that finds the best notices by words, the nearest by meaning, and, if they are few, all others with all
    words.

    Columns: `FOUND`, whether the notice is one of the nearest, the distance, whether a notice with all words is certainly about
    them, and the number of notices with all words, at most `MOST_COUNTED + 1`. There is always at least one row. A notice can be
    among both the best and the nearest.
    """
    excluded = _EXCLUDED if shape.has_excluded else None
    conditions = conditions_with(shape.filters, labeled, _REQUIRED if shape.has_required else None, excluded)
    filters = len(conditions) - bool(shape.filters.kind)
    # How many notices are open or lack the excluded words differs; every other filter leaves few.
    is_narrow = None if 0 < filters == shape.has_excluded + (shape.filters.availability == "open") else filters > 0
    by_words = by_meaning = _NONE
    if shape.in_titles is not None:
        by_words = _by_words(conditions, in_titles=shape.in_titles)
        by_meaning = _by_meaning(shape.model, conditions, is_narrow=is_narrow) if shape.model else _NONE
    best, nearest = _placed(by_words, "best"), _placed(by_meaning, "nearest")
    # The words already include the required terms of the text, so these need no condition of their own.
    filtered = conditions_with(shape.filters, labeled, None, excluded)
    matching = select(Opportunity.id).where(*filtered, has_words(_WORDS)).cte("matching")
    # Hide the limit from the planner: with it, the planner scans the words of all notices, whose cost it underestimates.
    some = select(matching.c.id).limit(MOST_COUNTED + 1)
    number = select(func.count().label("number")).select_from(some.subquery()).cte("counted")
    are_counted = select(number.c.number <= MOST_COUNTED).scalar_subquery()
    most = 2 * retrieval.DEPTH
    few = select(matching.c.id).where(select(number.c.number <= most).scalar_subquery()).limit(most).subquery("few")
    competing = union_all(select(best.c.id), select(nearest.c.id))
    others = select(*FOUND).join(few, few.c.id == Opportunity.id).where(few.c.id.not_in(competing)).subquery("others")
    listed = union_all(
        select(best, false().label("is_near")),
        select(nearest, true()),
        select(others, null(), literal(0), null()),  # no distance, place, or list
    ).subquery("listed")
    is_certain: ColumnElement[bool] = true()
    if shape.model:
        # A scalar subquery, because for EXISTS the planner reads the vectors of all notices.
        vector = select(OpportunityVector.model_id).where(_is_vector(Opportunity.id.expression, shape.model))
        is_certain = or_(has_words(_WORDS, Opportunity.title_search), vector.scalar_subquery().is_(None))

    def look_up(value: ColumnElement[bool]) -> ColumnElement[bool]:
        return select(value).where(Opportunity.id == listed.c.id).scalar_subquery()

    described = select(
        *(listed.c[column.name] for column in FOUND),
        listed.c.is_near,
        listed.c.distance,
        case(
            (not_(are_counted), look_up(case((has_words(_WORDS), is_certain)))),
            (listed.c.id.in_(some), look_up(is_certain)),
        ).label("is_certain"),
        number.c.number,
    )
    return described.select_from(number.outerjoin(listed, true())).order_by(listed.c.place)


def _placed(ordered: Any, name: str) -> CTE:
    return select(ordered.subquery(), func.row_number().over().label("place")).cte(name)


_NONE = select(*FOUND, literal(0.0).label("distance")).where(false())


_LEXEME = search_sql.lexemes_of(bindparam("words", type_=Text))
_EVERYTHING, _EMBEDDED = (
    select(OpportunityWord.notices).where(OpportunityWord.place == place).scalar_subquery()
    for place in (search_sql.ALL_TEXTS, search_sql.EMBEDDED_TEXTS)
)
_COUNTED = select(
    _LEXEME.c.lexeme, func.cardinality(_LEXEME.c.positions), OpportunityWord.notices, _EVERYTHING, _EMBEDDED
).outerjoin_from(_LEXEME, OpportunityWord, OpportunityWord.place == func.word_place(_LEXEME.c.lexeme))


async def _lexemes_of(session: AsyncSession, words: str) -> tuple[Mapping[str, int], Statistics, float]:
    """Return how often each lexeme occurs in the words, in how many notices, and the share of notices that are embedded."""
    rows = (await session.execute(_COUNTED, {"words": words})).all()
    found_in = {retrieval.place_of(lexeme): notices or 0 for lexeme, _, notices, *_ in rows}
    everything, embedded = rows[0][3:] if rows else (0, None)
    coverage = 1.0 if embedded is None else min(embedded / (everything or 1), 1.0)
    return {lexeme: count for lexeme, count, *_ in rows}, Statistics(everything or 0, found_in), coverage


def _by_words(conditions: list[ColumnElement[bool]], *, in_titles: bool) -> Select[*tuple[Any, ...]]:
    """Select the best of the notices with the rarest words, each with its negated BM25 score."""
    column = (Opportunity.title_search if in_titles else Opportunity.search).expression
    having = select(*_READ_BY_FOUND).where(*conditions, search_sql.has_any(column, _RAREST))
    # Sort first: computing the columns of `FOUND` takes longer than sorting thousands of notices.
    newest = aliased(
        Opportunity,
        having.order_by(Opportunity.posted_at.desc()).limit(_CANDIDATES).subquery(),
    )
    # Right after an import, compute the weights that are not stored yet.
    unweighed = select(WEIGHTS).where(Opportunity.id == newest.id).scalar_subquery()
    distance = search_sql.word_distance(func.coalesce(OpportunityWords.words, unweighed), _WEIGHTS).label("distance")
    scored = select(*_found(newest), distance).outerjoin_from(
        newest, OpportunityWords, OpportunityWords.opportunity_id == newest.id
    )
    return scored.order_by(distance, newest.posted_at.desc(), newest.id).limit(retrieval.DEPTH)


WEIGHTS = func.word_weights(
    Opportunity.title_search.op("||")(Opportunity.title_search).op("||")(Opportunity.search),
    _USUAL_WORDS,
    retrieval.NOTICE_SATURATION,
)


def _by_meaning(model: Model, conditions: list[ColumnElement[bool]], *, is_narrow: bool | None) -> Any:
    """Select the nearest notices, each with its distance.

    If the filters leave few notices, all are compared, because with a narrow filter the index would be scanned to its end. If it is
    not known how narrow the filters are, the number of index results decides.
    """
    nearest = _nearest(model, conditions, FOUND, limit=retrieval.DEPTH)
    if is_narrow is False:
        return nearest
    some = select(Opportunity.id).where(*conditions).limit(_EXACT_LIMIT + 1).cte("some")
    are_few = select(func.count() <= _EXACT_LIMIT).select_from(some).scalar_subquery()
    if is_narrow:
        return union_all(_compared(model, some, are_few), nearest.where(not_(are_few)))
    found = nearest.cte("found")
    suffices = select(func.count() == retrieval.DEPTH).select_from(found).scalar_subquery()
    compared = _compared(model, some, and_(not_(suffices), are_few))
    return union_all(compared, select(found).where(or_(suffices, not_(are_few))))


def _compared(model: Model, some: CTE, condition: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    """Select the nearest of `some`, comparing all of them, if `condition` holds."""
    # An array, because with a join the planner reads the vectors of all notices.
    ids = func.array(select(some.c.id).where(condition).scalar_subquery(), type_=ARRAY(Uuid))
    distance = search_sql.cosine_distance(OpportunityVector.vector.expression, _vector(model), model.dimension)
    vectors = select(OpportunityVector.opportunity_id.label("id"), distance.label("distance")).where(
        OpportunityVector.opportunity_id == func.any(ids), OpportunityVector.model_id == model.id
    )
    compared = vectors.order_by(literal_column("distance"), literal_column("id")).limit(retrieval.DEPTH).subquery()
    found = select(*FOUND, compared.c.distance).join(compared, compared.c.id == Opportunity.id)
    return found.order_by(compared.c.distance, compared.c.id)


def _nearest(
    model: Model, conditions: list[ColumnElement[bool]], columns: Sequence[ColumnElement[Any]], *, limit: int
) -> Select[*tuple[Any, ...]]:
    """Select the nearest notices in order, each with these columns and its distance, using the model's index if there is one."""
    is_indexed, of_model = model.dimension <= search_sql.MAX_INDEXED_DIMENSION, OpportunityVector.model_id == model.id
    if is_indexed:
        # The planner uses the partial index only if the statement contains the model's id as a literal.
        of_model = OpportunityVector.model_id == literal_column("'" + model.id.replace("'", "''") + "'")
    distance = search_sql.cosine_distance(
        OpportunityVector.vector.expression, _vector(model), model.dimension, is_indexed=is_indexed
    )
    found = (
        select(*columns, distance.label("distance"))
        .select_from(OpportunityVector)
        .join(Opportunity, Opportunity.id == OpportunityVector.opportunity_id)
    )
    return found.where(of_model, *conditions).order_by(distance).limit(limit)


def _vector(model: Model) -> BindParameter[HalfVector]:
    return bindparam("vector", type_=HALFVEC(model.dimension))


def _is_vector(id: ColumnElement[UUID], model: Model) -> ColumnElement[bool]:
    return and_(OpportunityVector.opportunity_id == id, OpportunityVector.model_id == model.id)


async def similar(
    session: AsyncSession, model_id: str, vector: NDArray[np.float32], *, leave_out: UUID, limit: int
) -> list[tuple[UUID, float]]:
    """Return (id, cosine similarity) of the nearest opportunities, nearest first."""
    statement = _nearest(Model(model_id, len(vector)), [], (Opportunity.id.expression,), limit=limit + 1)
    nearest = await session.execute(statement, {"vector": HalfVector(vector)})
    return [(id, 1 - distance) for id, distance in nearest if id != leave_out][:limit]
