"""The conditions of lists and searches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    DateTime,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    not_,
    or_,
    select,
)
from sqlalchemy import (
    cast as sql_cast,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Text

from fundwright.core.database import now
from fundwright.language.search_sql import stems_of
from fundwright.opportunities.models import (
    Opportunity,
)
from fundwright.opportunities.question import number_key
from fundwright.opportunities.schemas import (
    AWARD_NOTICE,
    Availability,
    OpportunityQuery,
)
from fundwright.opportunities.washington import day_start

_ENGLISH = literal_column("'english'")
_JOINING = "/–—‐‑"
"""What joins words in the index: a slash or a dash."""


IS_OPEN = and_(
    Opportunity.status != "archived",
    or_(Opportunity.closes_at.is_(None), Opportunity.closes_at >= bindparam("now", type_=DateTime(timezone=True), callable_=now)),
)
"""Evaluated when the statement is executed."""


ID: ColumnElement[UUID] = Opportunity.id.expression
"""Lets other slices correlate a subquery with the opportunity of a row."""

SAMPLES_LAST = Opportunity.is_sample.expression
"""The first key of every sort order, and of the indexes for them."""


def solicitation_of(notice: type[Opportunity]) -> ColumnElement[str]:
    """Return an expression that is the same for all notices of a solicitation."""
    return func.coalesce(func.nullif(notice.number_key, ""), sql_cast(notice.id, Text)).collate("C")


SOLICITATION = solicitation_of(Opportunity)


def has_words(words: str | BindParameter[str], column: Any = Opportunity.search) -> ColumnElement[bool]:
    """Whether a notice has these words, in search syntax: with quotes, minus, and "or"."""
    return column.op("@@", return_type=Boolean())(func.websearch_to_tsquery(_ENGLISH, func.keep_names(words)))


def _has_joined(words: str | BindParameter[str]) -> ColumnElement[bool]:
    """Whether a notice has one of these words, in search syntax, joined to another: PostgreSQL reads `roof/gutter` and `roof–gutter`
    as one word. Only joined words are read again, and only of notices that may have one of these. Of words joined by a dash,
    PostgreSQL may have shortened the last one too much to be recognized."""
    word = func.unnest(func.tsvector_to_array(stems_of(words))).column_valued("word")
    patterns = select(func.array_agg(func.concat("%", word, "%"))).scalar_subquery()
    indexed = sql_cast(func.strip(Opportunity.search), Text)
    may_be = indexed.op("LIKE", return_type=Boolean())(func.any(func.coalesce(patterns, sql_cast([], ARRAY(Text)))))
    joined = func.unnest(func.tsvector_to_array(Opportunity.search)).column_valued("joined")
    apart = func.translate(joined, _JOINING, " " * len(_JOINING))
    # A stop word between them, so that words beside each other in the index are no phrase.
    text = select(func.string_agg(apart, " the ")).where(apart != joined).scalar_subquery()
    return and_(may_be, has_words(words, func.to_tsvector(_ENGLISH, func.coalesce(text, ""))))


def conditions_of(query: OpportunityQuery, labeled: Select[UUID] | None) -> list[ColumnElement[bool]]:
    """Return the conditions of the filters, ignoring the text."""
    found: list[ColumnElement[bool]] = []
    for column, values in (
        (Opportunity.type, query.type),
        (Opportunity.set_aside_code, query.set_aside),
        (Opportunity.source, query.source),
    ):
        if values:
            found.append(column.in_(values))
    if query.agency:
        found.append(or_(Opportunity.agency.in_(query.agency), Opportunity.sub_agency.in_(query.agency)))
    if query.kind:
        found.append(Opportunity.kind == query.kind)
    if query.activity_code:
        found.append(Opportunity.activity_codes.op("&&")(sql_cast(list(query.activity_code), ARRAY(Text))))
    if query.number:
        found.append(Opportunity.number_key == number_key(query.number))
    if query.naics:
        found.append(or_(*(Opportunity.naics.startswith(code, autoescape=True) for code in query.naics)))
    if query.due_from:
        found.append(Opportunity.due_at >= day_start(query.due_from))
    if query.due_to:
        found.append(Opportunity.due_at < day_start(query.due_to + timedelta(days=1)))
    if query.posted_from:
        found.append(Opportunity.posted_at >= day_start(query.posted_from))
    if query.posted_to:
        found.append(Opportunity.posted_at < day_start(query.posted_to + timedelta(days=1)))
    if query.added_after:
        found.append(Opportunity.first_seen_at > query.added_after)
    if query.availability:
        found.append(is_available(query.availability))
    if query.sample is not None:
        found.append(Opportunity.is_sample.is_(query.sample))
    if labeled is not None:
        found.append(Opportunity.id.in_(labeled))
    return found


def conditions_with(
    query: OpportunityQuery,
    labeled: Select[UUID] | None,
    required: str | BindParameter[str] | None,
    excluded: str | BindParameter[str] | None,
) -> list[ColumnElement[bool]]:
    """Return the conditions of the filters and of the text."""
    found = conditions_of(query, labeled)
    if required is not None:
        found.append(has_words(required))
    if excluded is not None:
        # A separate condition, because an index scan for rows that lack a word reads the whole index.
        found.append(and_(not_(has_words(excluded)), not_(_has_joined(excluded))))
    return found


def is_available(availability: Availability) -> ColumnElement[bool]:
    is_open, is_award = IS_OPEN, Opportunity.type == AWARD_NOTICE
    return {"open": is_open, "closed": not_(or_(is_open, is_award)), "award": is_award}[availability]


def open_ids() -> Select[UUID]:
    return select(Opportunity.id).where(IS_OPEN)
