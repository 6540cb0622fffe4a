"""Scores notices for a question, by words and by meaning."""

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
from fundwright.opportunities.repository.filters import AWARD, conditions_with, has_words, solicitation_of
from fundwright.opportunities.schemas import OpportunityQuery

_CANDIDATES = 1_000
"""How many notices with the rarest words are scored by words; of more, the newest."""
_EXACT_LIMIT = 5_000
"""Among no more notices than these, all embeddings are compared."""
MOST_COUNTED = 5_500
"""Of more notices with all words, it is known only that there are more: counting them takes longer than the rest of a search."""
_USUAL_WORDS = 100
"""Of a notice whose title is counted three times."""
_MIN_COSINE_ALONE = 0.43
"""Of the nearest by meaning when no notice has any of the words: nonsense is no nearer than .42 to anything."""


@dataclass(slots=True, eq=False)
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


def _found(notice: type[Opportunity]) -> tuple[ColumnElement[Any], ...]:
    return (
        notice.id.label("id"), solicitation_of(notice).label("solicitation"), notice.is_sample.label("is_sample"),
        (notice.type == AWARD).label("is_award"), sql_cast(func.extract("epoch", notice.posted_at), Float).label("posted_s"),
        notice.agency.label("agency"), notice.sub_agency.label("sub_agency"),
    )  # fmt: skip


FOUND = _found(Opportunity)
"""The columns of `Found`."""
_READ_BY_FOUND = (
    Opportunity.id, Opportunity.number_key, Opportunity.is_sample, Opportunity.type, Opportunity.posted_at, Opportunity.agency,
    Opportunity.sub_agency,
)  # fmt: skip


@dataclass(frozen=True)
class Candidates:
    """The notices that compete in a search."""

    by_words: Mapping[Found, float]
    """BM25 scores of the best."""
    whole: float
    """About the score of a notice that has each word of the question once."""
    by_meaning: Mapping[Found, float]
    """Cosines of the nearest."""
    matching: Mapping[Found, bool]
    """Those with all words, each with whether it is about them for certain, whatever its meaning; of very many, only those that are among
    the best or the nearest."""
    has_all_matching: bool
    number: int
    """How many have all words, up to one more than `MOST_COUNTED`."""


class Model(NamedTuple):
    """An embedding model."""

    id: str
    dimension: int


@dataclass(frozen=True)
class _Shape:
    """What the statement for candidates depends on, apart from its parameters."""

    filters: OpportunityQuery
    has_required: bool
    has_excluded: bool
    has_excluded_apart: bool
    in_titles: bool | None
    """Whether the rarest words are looked for in titles only, because very many notices have them; None when no word counts."""
    model: Model | None
    """Of the meaning."""


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
    """All in one statement, which reads each notice once. A question without a word that counts has no best and no nearest."""
    lexemes, statistics = await _lexemes_of(session, question.words)
    parameters: dict[str, Any] = {"words": question.text, "required": question.required, "excluded": question.excluded}
    in_titles, whole = None, 0.0
    if lexemes:
        rarest = retrieval.rarest(lexemes, statistics, most=_CANDIDATES)
        in_titles = statistics.found_in[retrieval.place_of(rarest[0])] > _CANDIDATES
        weights = retrieval.weigh(lexemes, statistics)
        whole = sum(weights.values())
        parameters |= {"rarest": retrieval.any_of(rarest), "weights": retrieval.words_vector(weights)}
    if meaning:
        parameters["vector"] = HalfVector(meaning.vector)
    shape = _Shape(
        filters=query.model_copy(update=_NOT_FILTERS),
        has_required=bool(question.required),
        has_excluded=bool(question.excluded),
        has_excluded_apart=bool(question.excluded_apart),
        in_titles=in_titles,
        model=Model(meaning.model_id, len(meaning.vector)) if meaning else None,
    )
    statement = make_statement(shape) if labeled is None else _make_statement_among(shape, labeled)
    # Not by the session, which takes as long for that many rows as the driver.
    rows = (await (await session.connection()).execute(statement, parameters)).all()
    number = rows[0].number
    by_words, by_meaning, matching = dict[Found, float](), dict[Found, float](), dict[Found, bool]()
    for row in rows:
        if row[0] is None:
            continue
        notice = known.note(row)
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
    return Candidates(by_words, whole, by_meaning, matching, has_all_matching, number)


_NOT_FILTERS = {"text": "", "verbatim": False, "sort": "", "page": 1, "page_size": 1}


@lru_cache(maxsize=64)
def make_statement(shape: _Shape) -> Select[*tuple[Any, ...]]:
    """Made once, because that takes longer than most of what it reads."""
    return _make_statement_among(shape, None)


def _make_statement_among(shape: _Shape, labeled: Select[UUID] | None) -> Select[*tuple[Any, ...]]:
    """The best by words, the nearest by meaning, and, unless they are many, what else has all words: the columns of `FOUND`, whether it is
    one of the nearest, the distance, and whether a notice with all words is about them for certain. Each row, of which there is at least
    one, has the number of those, up to one too many. A notice may be both among the best and among the nearest."""
    conditions = conditions_with(
        shape.filters, labeled, _REQUIRED if shape.has_required else None, _EXCLUDED if shape.has_excluded else None
    )
    filters = len(conditions) - bool(shape.filters.kind)
    is_narrow = None if filters == 1 and shape.filters.availability == "open" else filters > 0
    by_words = by_meaning = _NONE
    if shape.in_titles is not None:
        by_words = _by_words(conditions, in_titles=shape.in_titles)
        by_meaning = _by_meaning(shape.model, conditions, is_narrow=is_narrow) if shape.model else _NONE
    best, nearest = _placed(by_words, "best"), _placed(by_meaning, "nearest")
    # Its words contain the conditions in the text, which would otherwise be looked up in each notice.
    filtered = conditions_with(shape.filters, labeled, None, _EXCLUDED if shape.has_excluded_apart else None)
    matching = select(Opportunity.id).where(*filtered, has_words(_WORDS)).cte("matching")
    # The planner must not know of the limit: it would rather read the words of all notices, which takes it longer than it expects.
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
        # Not EXISTS, for which the planner would read the vectors of all notices.
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
_EVERYTHING = select(OpportunityWord.notices).where(OpportunityWord.place == search_sql.ALL_TEXTS).scalar_subquery()
_COUNTED = select(_LEXEME.c.lexeme, func.cardinality(_LEXEME.c.positions), OpportunityWord.notices, _EVERYTHING).outerjoin_from(
    _LEXEME, OpportunityWord, OpportunityWord.place == func.word_place(_LEXEME.c.lexeme)
)


async def _lexemes_of(session: AsyncSession, words: str) -> tuple[Mapping[str, int], Statistics]:
    """How often each lexeme is in the words, and in how many notices."""
    rows = (await session.execute(_COUNTED, {"words": words})).all()
    found_in = {retrieval.place_of(lexeme): notices or 0 for lexeme, _, notices, _ in rows}
    return {lexeme: count for lexeme, count, _, _ in rows}, Statistics(rows[0][3] or 0 if rows else 0, found_in)


def _by_words(conditions: list[ColumnElement[bool]], *, in_titles: bool) -> Select[*tuple[Any, ...]]:
    """The best among the notices with the rarest words, each with its BM25 score, negated."""
    column = (Opportunity.title_search if in_titles else Opportunity.search).expression
    having = select(*_READ_BY_FOUND).where(*conditions, search_sql.has_any(column, _RAREST))
    # The columns of `FOUND` take longer to compute than thousands of notices take to sort.
    newest = aliased(Opportunity, having.order_by(Opportunity.posted_at.desc()).limit(_CANDIDATES).subquery())
    # Right after an import, words that are not weighed yet are weighed here.
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
    """The nearest, each with its distance. Among few notices all are compared: with a narrow filter, the index would be read to its end.
    When it is not known how narrow the filter is, what the index finds tells."""
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
    """The nearest of some, which are all compared when a condition holds."""
    # As an array: with a join, the planner would rather read the vectors of all notices.
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
    """The nearest, nearest first, each with these columns and its distance, by the index of the model if there is one."""
    is_indexed, of_model = model.dimension <= search_sql.MAX_INDEXED_DIMENSION, OpportunityVector.model_id == model.id
    if is_indexed:
        # The planner takes the partial index only when the model's id stands in the statement.
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
    """(id, cosine) of the nearest opportunities, nearest first."""
    statement = _nearest(Model(model_id, len(vector)), [], (Opportunity.id.expression,), limit=limit + 1)
    nearest = await session.execute(statement, {"vector": HalfVector(vector)})
    return [(id, 1 - distance) for id, distance in nearest if id != leave_out][:limit]
