"""Lists, single opportunities, and facets. All accounts see the same."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, get_args
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Date,
    RowMapping,
    ScalarSelect,
    Select,
    Uuid,
    and_,
    bindparam,
    case,
    cast,
    distinct,
    exists,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.types import Text

from fundwright.core.errors import NotFound
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities.incoming import TEXTS
from fundwright.opportunities.models import (
    Opportunity,
    OpportunityFacet,
    OpportunitySighting,
    OpportunityText,
    OpportunityVersion,
)
from fundwright.opportunities.question import number_key, parse
from fundwright.opportunities.repository.filters import (
    IS_OPEN,
    SAMPLES_LAST,
    SOLICITATION,
    conditions_of,
    conditions_with,
    has_words,
    is_available,
)
from fundwright.opportunities.repository.ranking import Ranked, passage, rest_of
from fundwright.opportunities.schemas import (
    AWARD_NOTICE,
    Availability,
    Kind,
    OpportunityQuery,
)
from fundwright.opportunities.washington import WASHINGTON

_ROW = (
    Opportunity.id, Opportunity.source, Opportunity.kind, Opportunity.number, Opportunity.title, Opportunity.agency,
    Opportunity.sub_agency, Opportunity.type, Opportunity.status, Opportunity.naics, Opportunity.psc,
    Opportunity.set_aside_code, Opportunity.set_aside, Opportunity.activity_codes, Opportunity.posted_at, Opportunity.due_at,
    Opportunity.due_note, Opportunity.is_sample, Opportunity.version,
)  # fmt: skip
_NEWEST_FIRST = (SAMPLES_LAST, Opportunity.posted_at.desc(), Opportunity.id)

_OTHER = aliased(Opportunity)
_NOTICES = func.greatest(
    1,
    select(func.count())
    .where(Opportunity.number_key != "", _OTHER.number_key == Opportunity.number_key, _OTHER.kind == Opportunity.kind)
    .correlate(Opportunity)
    .scalar_subquery(),
).label("notices")


def _award_in(notice: type[Opportunity]) -> Select[Any]:
    """Select the award in an award notice."""
    award = func.jsonb_build_object(
        literal_column("'id'"), notice.id,
        literal_column("'awarded_on'"), func.coalesce(OpportunityText.raw["AwardDate"].astext, ""),
        literal_column("'awardee'"), func.coalesce(OpportunityText.raw["Awardee"].astext, ""),
        literal_column("'amount'"), cast(notice.award_amount, Text),
    )  # fmt: skip
    return select(award).where(OpportunityText.opportunity_id == notice.id).correlate(Opportunity)


_NEWEST_AWARD = (
    _award_in(_OTHER)
    .where(
        Opportunity.number_key != "", _OTHER.type == AWARD_NOTICE,
        _OTHER.number_key == Opportunity.number_key, _OTHER.kind == Opportunity.kind,
    )
    .order_by(_OTHER.posted_at.desc(), _OTHER.id)
    .limit(1)
)  # fmt: skip
_AWARD = case(
    (Opportunity.type == AWARD_NOTICE, _award_in(Opportunity).scalar_subquery()), else_=_NEWEST_AWARD.scalar_subquery()
).label("award")
"""The award of an award notice, or the newest award of the solicitation."""
_VALUE = func.coalesce(Opportunity.award_amount, Opportunity.total_funding, Opportunity.award_ceiling).label("value")
_COMPUTED = (IS_OPEN.label("is_open"), _NOTICES, _VALUE, _AWARD)


_ROWS = select(*_ROW, *_COMPUTED)


def _passage_if(is_close: ColumnElement[bool], words: str | BindParameter[str]) -> ColumnElement[str]:
    return case((is_close, passage(words))).label("passage")


# Built once, because that takes longer than reading a page.
_ROWS_OF = _ROWS.where(Opportunity.id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
_ROWS_WITH_PASSAGES = _ROWS_OF.add_columns(
    _passage_if(Opportunity.id == func.any(bindparam("close", type_=ARRAY(Uuid))), bindparam("words", type_=Text()))
)


def facts() -> Select[UUID, str, str, str, datetime | None]:
    return select(Opportunity.id, Opportunity.title, Opportunity.number, Opportunity.agency, Opportunity.due_at)


async def count_titled(
    session: AsyncSession, query: OpportunityQuery, labeled: Select[UUID] | None = None
) -> Mapping[Availability, int]:
    """Count the solicitations that have all words of the query in their titles, open and closed separately, ignoring the query's
    availability."""
    conditions = conditions_of(query.model_copy(update={"availability": None}), labeled)
    names: tuple[Availability, ...] = get_args(Availability)
    solicitations = func.count(distinct(SOLICITATION))
    counts = select(*(solicitations.filter(is_available(name)) for name in names)).select_from(Opportunity)
    row = (await session.execute(counts.where(*conditions, has_words(parse(query.text).text, Opportunity.title_search)))).one()
    return dict(zip(names, row, strict=True))


async def find_id(session: AsyncSession, reference: str) -> UUID | None:
    """Find the opportunity with this id, number, or source id, ignoring case. If there are several, returns the newest."""
    with suppress(ValueError):
        found = await session.scalar(select(Opportunity.id).where(Opportunity.id == UUID(reference)))
        if found is not None:
            return found
    wanted = func.lower(reference)
    key = number_key(reference)
    names = [func.lower(Opportunity.external_id) == wanted, func.lower(Opportunity.number) == wanted]
    if key:
        names.append(Opportunity.number_key == key)
    query = select(Opportunity.id).where(or_(*names))
    return await session.scalar(query.order_by(names[0].desc(), names[1].desc(), Opportunity.posted_at.desc(), Opportunity.id))


async def suggest(session: AsyncSession, words: str, *, limit: int) -> Sequence[RowMapping]:
    """Suggest the newest opportunities with these words in the title, the last of which may be incomplete, and then those with the
    words anywhere."""
    if not words:
        return await _newest(session, true(), limit=limit)
    found: list[RowMapping] = []
    if parts := re.findall(r"\w+", words):
        begun = func.to_tsquery(literal_column("'english'"), " & ".join(f"'{part}'" for part in parts) + ":*")
        in_title = Opportunity.title_search.op("@@", return_type=Boolean())(begun)
        found.extend(await _newest(session, in_title, limit=limit))
    if len(found) < limit:
        key = parse(words).number
        anywhere = or_(has_words(words), Opportunity.number_key.startswith(key)) if key else has_words(words)
        others = and_(anywhere, Opportunity.id.not_in([row["id"] for row in found]))
        found.extend(await _newest(session, others, limit=limit - len(found)))
    return found


async def _newest(session: AsyncSession, matching: ColumnElement[bool], *, limit: int) -> Sequence[RowMapping]:
    newest = (SAMPLES_LAST, Opportunity.posted_at.desc(), Opportunity.id)
    # Query each kind separately, because there is an index on the newest of each kind.
    of_kinds = [
        select(Opportunity.id).where(Opportunity.kind == kind, matching).order_by(*newest).limit(limit).subquery()
        for kind in get_args(Kind)
    ]
    ids = union_all(*(select(of_kind.c.id) for of_kind in of_kinds))
    rows = _ROWS.where(Opportunity.id.in_(ids)).order_by(*newest).limit(limit)
    return (await session.execute(rows)).mappings().all()


async def count_seen_after(session: AsyncSession, moment: datetime, labeled: Select[UUID], *, limit: int) -> int:
    """Count labeled opportunities that were first imported after `moment`, up to `limit`."""
    found = select(Opportunity.id).where(Opportunity.first_seen_at > moment, Opportunity.id.in_(labeled)).limit(limit)
    return await session.scalar(select(func.count()).select_from(found.subquery())) or 0


async def has_seen_after(session: AsyncSession, moment: datetime) -> bool:
    """Whether any opportunity was first imported after `moment`."""
    return bool(await session.scalar(select(exists().where(Opportunity.first_seen_at > moment))))


async def newest_arrival(session: AsyncSession) -> datetime | None:
    """Return when the newest notice that is not a sample was first imported."""
    newest = select(Opportunity.first_seen_at).where(Opportunity.is_sample.is_(False))
    return await session.scalar(newest.order_by(Opportunity.first_seen_at.desc()).limit(1))


async def count_matching(
    session: AsyncSession, query: OpportunityQuery, labeled: Select[UUID] | None, *, until: datetime | None, limit: int
) -> int:
    """Count what a list shows that was first imported at `until` or before, without close matches, up to `limit`."""
    question = parse(query.text)
    conditions = conditions_with(query, labeled, None, question.excluded or None)
    listed: ColumnElement[Any] = Opportunity.id.expression
    if query.text.strip():
        has_number = Opportunity.number_key == func.any(literal(list(question.numbers), ARRAY(Text)))
        conditions.append(or_(has_words(question.text), has_number))
        listed = SOLICITATION
    if until is not None:
        conditions.append(Opportunity.first_seen_at <= until)
    found = select(listed).where(*conditions).distinct().limit(limit)
    return await session.scalar(select(func.count()).select_from(found.subquery())) or 0


async def count_due_by_week(session: AsyncSession, first: date, labeled: Select[UUID] | None, *, weeks: int) -> Mapping[int, int]:
    """Count the open opportunities that are due in each of these weeks; week 0 begins on `first`. Weeks without any are missing."""
    query = OpportunityQuery(availability="open", due_from=first, due_to=first + timedelta(days=7 * weeks - 1))
    day = cast(func.timezone(WASHINGTON.key, Opportunity.due_at), Date)
    weeks_of = select(((day - first) // 7).label("week")).where(*conditions_of(query, labeled)).subquery()
    counts = select(weeks_of.c.week, func.count()).group_by(weeks_of.c.week)
    return dict((await session.execute(counts)).all())


async def count(session: AsyncSession, query: OpportunityQuery, labeled: Select[UUID] | None = None) -> int:
    """Count all matches, regardless of the page."""
    return await session.scalar(_count(conditions_of(query, labeled))) or 0


async def count_by_kind(session: AsyncSession, availability: Availability) -> Mapping[str, int]:
    """Count the notices of each kind. Kinds without any are missing."""
    counted = select(Opportunity.kind, func.count()).where(is_available(availability)).group_by(Opportunity.kind)
    return dict((await session.execute(counted)).all())


def _count(conditions: list[ColumnElement[bool]]) -> Select[int]:
    return select(func.count()).select_from(Opportunity).where(*conditions)


def _total(query: OpportunityQuery, conditions: list[ColumnElement[bool]]) -> Select[int]:
    """Count all matches. Totals per kind are kept up to date, so a list without filters counts nothing."""
    if len(conditions) > bool(query.kind):
        return _count(conditions)
    tally = select(func.coalesce(func.sum(OpportunityFacet.number), 0)).where(OpportunityFacet.facet.in_(("sample", "own")))
    return tally.where(OpportunityFacet.kind == query.kind) if query.kind else tally


async def page(
    session: AsyncSession,
    query: OpportunityQuery,
    labeled: Select[UUID] | None = None,
    *,
    ranked: Ranked | None = None,
    extra_columns: Sequence[ColumnElement[Any]] = (),
) -> tuple[Sequence[RowMapping], int]:
    """Return one page of matching opportunities, each with `extra_columns`, and the total.

    `ranked` is the result of `rank` for the query's text, if it has one. Close matches then have the `passage` that fits best.
    """
    if ranked is not None and query.offset >= ranked.total:
        return [], ranked.total
    if ranked is not None and query.sort_field in ("", "relevance"):
        return await _page_by_relevance(session, query, labeled, ranked, extra_columns), ranked.total
    limit = query.page_size if ranked is None else min(query.page_size, ranked.total - query.offset)
    conditions = _found_in(query, labeled, ranked, most=query.offset + limit)
    order = _order(query, ranked)
    total = literal(ranked.total) if ranked else _total(query, conditions).correlate(None).scalar_subquery()
    # Select the ids of the page first, possibly from an index, and then the rows.
    ids = select(Opportunity.id).where(*conditions).order_by(*order).offset(query.offset).limit(limit)
    rows = _ROWS.add_columns(total.label("total"), *extra_columns)
    if ranked is not None:
        rows = rows.add_columns(_passage_if(ranked.closeness, ranked.question.words))
    found = (await session.execute(rows.where(Opportunity.id.in_(ids.scalar_subquery())).order_by(*order))).mappings().all()
    number = found[0]["total"] if found else await session.scalar(select(total)) or 0
    return found, number


async def _page_by_relevance(
    session: AsyncSession,
    query: OpportunityQuery,
    labeled: Select[UUID] | None,
    ranked: Ranked,
    extra_columns: Sequence[ColumnElement[Any]],
) -> list[RowMapping]:
    """Return the best in order, then other matches, newest first."""
    best = list(ranked.ids)
    end = min(query.offset + query.page_size, ranked.total)
    ids = best[query.offset : end]
    if end > len(best):
        rest = select(Opportunity.id).where(*rest_of(query, labeled, ranked))
        newest = rest.order_by(*_NEWEST_FIRST)
        start = max(0, query.offset - len(best))
        ids += (await session.scalars(newest.offset(start).limit(end - query.offset - len(ids)))).all()
    close = [id for id in ids if ranked.is_close(id)]
    statement, parameters = (_ROWS_WITH_PASSAGES, {"close": close, "words": ranked.question.words}) if close else (_ROWS_OF, {})
    if extra_columns:
        statement = statement.add_columns(*extra_columns)
    return await _in_order(session, statement, ids, parameters)


async def _in_order(
    session: AsyncSession, statement: Select[*tuple[Any, ...]], ids: Sequence[UUID], parameters: Mapping[str, Any] | None = None
) -> list[RowMapping]:
    rows = (await session.execute(statement, {"ids": ids, **(parameters or {})})).mappings().all()
    place = {id: index for index, id in enumerate(ids)}
    return sorted(rows, key=lambda row: place[row["id"]])


def _order(query: OpportunityQuery, ranked: Ranked | None) -> tuple[Any, ...]:
    column: Any = {
        "due": Opportunity.due_at,
        "title": Opportunity.title_key,
        "agency": Opportunity.agency,
        "number": Opportunity.number,
        "type": Opportunity.type,
    }.get(query.sort_field)
    is_oldest_first = query.sort == "posted"
    posted = Opportunity.posted_at.asc() if is_oldest_first else Opportunity.posted_at.desc()
    ordered = posted if column is None else column.desc().nulls_last() if query.is_descending else column
    if ranked is None:
        return (SAMPLES_LAST, ordered, Opportunity.id)
    ids = literal(list(ranked.ids), ARRAY(Uuid))
    if query.sort_field in ("", "relevance"):
        return (func.array_position(ids, Opportunity.id), SAMPLES_LAST, posted, Opportunity.id)
    return (ranked.closeness, SAMPLES_LAST, ordered, Opportunity.id)


def _found_in(
    query: OpportunityQuery, labeled: Select[UUID] | None, ranked: Ranked | None, *, most: int | None = None
) -> list[ColumnElement[bool]]:
    """Select the results. Of the matches other than the best, the first are enough for a page, and an index may provide them."""
    if ranked is None:
        return conditions_of(query, labeled)
    best = literal(list(ranked.ids), ARRAY(Uuid))
    if ranked.total == len(ranked.ids):
        return [Opportunity.id == func.any(best)]
    rest = select(Opportunity.id).where(*rest_of(query, labeled, ranked)).correlate(None)
    if most is not None:
        _closeness, *order = _order(query, ranked)
        rest = rest.order_by(*order).limit(most)
    return [Opportunity.id.in_(union_all(select(func.unnest(best)), rest))]


async def stream(
    session: AsyncSession,
    query: OpportunityQuery,
    labeled: Select[UUID] | None,
    columns: Sequence[str],
    *,
    ranked: Ranked | None = None,
) -> AsyncIterator[Sequence[Any]]:
    """Stream every matching opportunity in the order of `page`."""
    chosen = select(*(getattr(OpportunityText if name in TEXTS else Opportunity, name) for name in columns)).join(
        OpportunityText, OpportunityText.opportunity_id == Opportunity.id
    )
    ordered = chosen.where(*_found_in(query, labeled, ranked)).order_by(*_order(query, ranked))
    async for row in await session.stream(ordered):
        yield row


async def found_among(
    session: AsyncSession,
    query: OpportunityQuery,
    labeled: Select[UUID] | None,
    ids: Collection[UUID],
    *,
    ranked: Ranked | None = None,
) -> Sequence[UUID]:
    """Return which of these opportunities are in the list."""
    found = select(Opportunity.id).where(Opportunity.id.in_(ids), *_found_in(query, labeled, ranked))
    return (await session.scalars(found)).all()


async def lock_existing(session: AsyncSession, opportunity_ids: Collection[UUID]) -> Sequence[UUID]:
    """Return which of these opportunities exist. None can be removed until the transaction ends."""
    found = select(Opportunity.id).where(Opportunity.id.in_(opportunity_ids))
    return (await session.scalars(found.with_for_update(read=True, key_share=True))).all()


async def is_known(session: AsyncSession, opportunity_id: UUID) -> bool:
    return bool(await session.scalar(select(exists().where(Opportunity.id == opportunity_id))))


async def get(session: AsyncSession, opportunity_id: UUID) -> RowMapping:
    """Every column of one opportunity. Raises NotFound."""
    left_out = {"search", "title_search", "number_key", "title_key", "content_hash", "uploaded_by"}
    columns = [column for name, column in Opportunity.__table__.columns.items() if name not in left_out]
    texts = (getattr(OpportunityText, name) for name in TEXTS)
    seen_at = OpportunitySighting.seen_at.label("last_seen_at")
    joined = (
        select(*columns, *texts, seen_at, *_COMPUTED)
        .join(OpportunityText, OpportunityText.opportunity_id == Opportunity.id)
        .join(OpportunitySighting, OpportunitySighting.opportunity_id == Opportunity.id)
    )
    found = joined.where(Opportunity.id == opportunity_id)
    row = (await session.execute(found)).mappings().one_or_none()
    if row is None:
        raise NotFound(t("The opportunity"))
    return row


async def rows_of(session: AsyncSession, ids: Sequence[UUID]) -> list[RowMapping]:
    return await _in_order(session, _ROWS_OF, ids)


async def requirements_of(session: AsyncSession, ids: Collection[UUID]) -> Sequence[RowMapping]:
    """Return the columns of `Requirements` of these opportunities. Grants.gov publishes a single code as a text, and with one digit or two."""
    published = OpportunityText.raw["EligibleApplicants"]
    listed = case((func.jsonb_typeof(published) == "array", published), else_=func.jsonb_build_array(published))
    code = func.jsonb_array_elements_text(listed).column_valued("code")
    applicants = select(func.array_agg(func.lpad(code, 2, "0"))).where(published.is_not(None)).scalar_subquery()
    columns = (
        Opportunity.id, Opportunity.kind, Opportunity.title, Opportunity.naics, Opportunity.set_aside_code, Opportunity.place,
        Opportunity.due_at, IS_OPEN.label("is_open"), func.coalesce(applicants, literal([], ARRAY(Text))).label("applicants"),
    )  # fmt: skip
    found = select(*columns).join(OpportunityText, OpportunityText.opportunity_id == Opportunity.id)
    return (await session.execute(found.where(Opportunity.id.in_(ids)))).mappings().all()


async def beginnings_of(session: AsyncSession, ids: Sequence[UUID], *, characters: int) -> dict[UUID, str]:
    """Return the first characters of the descriptions of these opportunities."""
    beginning = func.left(OpportunityText.description, characters)
    found = select(OpportunityText.opportunity_id, beginning).where(OpportunityText.opportunity_id.in_(ids))
    return dict((await session.execute(found)).all())


async def versions(
    session: AsyncSession, opportunity_id: UUID, *, offset: int, limit: int
) -> list[tuple[int, datetime, JsonObject, str, int]]:
    """Return (number, seen at, raw, description, number of the current version) of versions, newest first."""
    found = await session.execute(
        select(
            OpportunityVersion.number,
            OpportunityVersion.seen_at,
            func.coalesce(OpportunityVersion.raw, OpportunityText.raw),
            func.coalesce(OpportunityVersion.description, OpportunityText.description),
            Opportunity.version,
        )
        .join(Opportunity, Opportunity.id == OpportunityVersion.opportunity_id)
        .join(OpportunityText, OpportunityText.opportunity_id == OpportunityVersion.opportunity_id)
        .where(OpportunityVersion.opportunity_id == opportunity_id)
        .order_by(OpportunityVersion.number.desc())
        .offset(offset)
        .limit(limit)
    )
    return [(number, seen_at, raw, description, present) for number, seen_at, raw, description, present in found]


_NUMBER = func.sum(OpportunityFacet.number).label("number")


def _facets(kind: str | None) -> Select[*tuple[Any, ...]]:
    of_kind = [OpportunityFacet.kind == kind] if kind else []
    values = (
        select(OpportunityFacet.facet, OpportunityFacet.value, func.max(OpportunityFacet.label).label("label"), _NUMBER)
        .where(OpportunityFacet.number > 0, *of_kind)
        .group_by(OpportunityFacet.facet, OpportunityFacet.value)
    )
    totals = (
        select(literal("kind"), OpportunityFacet.kind, literal(""), _NUMBER)
        .where(OpportunityFacet.facet.in_(("sample", "own")))
        .group_by(OpportunityFacet.kind)
    )
    found = union_all(values, totals).subquery()
    return select(found).order_by(found.c.number.desc(), found.c.value)


_FACETS = {kind: _facets(kind) for kind in (None, *get_args(Kind))}


async def facets(session: AsyncSession, kind: Kind | None) -> list[tuple[str, str, str, int]]:
    """(facet, value, label, number of opportunities), most frequent first. The facet `kind` has the totals of all kinds."""
    return [(facet, value, label, int(count)) for facet, value, label, count in await session.execute(_FACETS[kind])]


async def list_naics(session: AsyncSession) -> list[tuple[str, int]]:
    """(NAICS code, number of opportunities), most frequent first."""
    counted = func.count().label("number")
    found = select(Opportunity.naics, counted).where(Opportunity.naics != "").group_by(Opportunity.naics)
    return [(code, count) for code, count in await session.execute(found.order_by(counted.desc(), Opportunity.naics))]


async def list_sub_agencies(session: AsyncSession, kind: Kind) -> list[tuple[str, str, int]]:
    """(sub-agency, its agency, number of opportunities), most frequent first. One that belongs to several agencies is returned once for
    each."""
    counted = func.count().label("number")
    found = select(Opportunity.sub_agency, Opportunity.agency, counted).where(
        Opportunity.kind == kind, Opportunity.sub_agency != "", Opportunity.sub_agency != Opportunity.agency
    )
    found = found.group_by(Opportunity.sub_agency, Opportunity.agency).order_by(counted.desc(), Opportunity.sub_agency)
    return [(sub_agency, agency, number) for sub_agency, agency, number in await session.execute(found)]


async def is_empty(session: AsyncSession) -> bool:
    return not await session.scalar(select(exists().where(Opportunity.id.is_not(None))))


async def list_own_kinds(session: AsyncSession) -> list[str]:
    """The kinds of which there is any opportunity that is not a sample."""
    own = select(OpportunityFacet.kind).where(OpportunityFacet.facet == "own", OpportunityFacet.number > 0).distinct()
    return list(await session.scalars(own))


def nothing_more(_id: ColumnElement[UUID]) -> ScalarSelect[Any]:
    """A column without values, in place of one of another slice."""
    return select(null()).scalar_subquery()
