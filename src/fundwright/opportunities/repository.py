"""Every query of opportunities. All accounts see the same opportunities; an import run is seen by who started it."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, cast, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Select,
    TextClause,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    literal_column,
    not_,
    or_,
    select,
    text,
    true,
    union_all,
    update,
)
from sqlalchemy import (
    cast as sql_cast,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import Text

from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.identity.schemas import Actor, Role
from fundwright.language.protocols import Vectors
from fundwright.opportunities.incoming import COPIED, KEYS, Batch, copy_text
from fundwright.opportunities.models import (
    ImportRejection,
    ImportRun,
    Opportunity,
    OpportunityFacet,
    OpportunitySighting,
    OpportunityText,
    OpportunityVector,
    OpportunityVersion,
)
from fundwright.opportunities.reading import WASHINGTON
from fundwright.opportunities.schemas import EmbedOpportunities, ImportCounts, ImportOpportunities, OpportunityQuery
from fundwright.opportunities.sources import Kind, RejectedRow, Source

_RANKED = 200
"""How many of the newest matches in the title, and elsewhere, compete by rank; the rest follows by date."""

_EMBEDDED_CHARACTERS = 500

_OFFERED_CHARACTERS = 500
"""A longer agency or type, which only a broken file has, is no choice of a filter; nor would it fit into an index."""

_COPIED_TYPES = {
    "position": "int", "posted_at": "timestamptz", "due_at": "timestamptz", "archive_at": "timestamptz",
    "closes_at": "timestamptz", "activity_codes": "text[]", "assistance_listings": "text[]", "contacts": "jsonb", "raw": "jsonb",
    "award_amount": "numeric", "award_ceiling": "numeric", "award_floor": "numeric", "total_funding": "numeric",
    "expected_awards": "int",
}  # fmt: skip
_TEXTS = ("description", "eligibility", "contacts", "url", "raw")
_CONTENT = tuple(name for name in COPIED if name not in ("position", *_TEXTS))

_STAGE = (
    "CREATE TEMP TABLE IF NOT EXISTS opportunity_key "
    "(position int, line int, content_hash text, external_id text, status text) ON COMMIT DROP",
    "CREATE TEMP TABLE IF NOT EXISTS opportunity_verdict "
    "(position int, verdict text, opportunity_id uuid, version int, is_same boolean, is_taken_over boolean) ON COMMIT DROP",
    "CREATE TEMP TABLE IF NOT EXISTS opportunity_incoming "
    "(" + ", ".join(f"{name} {_COPIED_TYPES.get(name, 'text')}" for name in COPIED) + ") ON COMMIT DROP",
    "TRUNCATE opportunity_key, opportunity_verdict, opportunity_incoming",
)
_JUDGE = text("""
    INSERT INTO opportunity_verdict
    SELECT k.position,
           CASE WHEN k.nth > 1 OR s.import_run_id = :run THEN 'repeated'
                WHEN o.id IS NULL THEN 'new'
                WHEN o.content_hash = k.content_hash THEN 'unchanged'
                WHEN k.status = 'forecasted' AND o.status <> 'forecasted' AND NOT owned.is_taken_over THEN 'unchanged'
                WHEN CAST(:uploader AS uuid) IS NOT NULL AND o.uploaded_by IS DISTINCT FROM CAST(:uploader AS uuid) AND NOT o.is_sample
                    THEN 'refused'
                ELSE 'changed' END,
           coalesce(o.id, gen_random_uuid()),
           coalesce(o.version, 0) + 1,
           k.content_hash = CASE WHEN k.nth > 1 THEN k.first_hash ELSE o.content_hash END,
           owned.is_taken_over
    FROM (
        SELECT position, external_id, content_hash, status,
               row_number() OVER same AS nth, first_value(content_hash) OVER same AS first_hash
        FROM opportunity_key WINDOW same AS (PARTITION BY external_id ORDER BY position)
    ) k
    LEFT JOIN opportunity o ON o.source = :source AND o.external_id = k.external_id
    LEFT JOIN opportunity_sighting s ON s.opportunity_id = o.id
    CROSS JOIN LATERAL (SELECT CAST(:uploader AS uuid) IS NULL AND o.uploaded_by IS NOT NULL AS is_taken_over) owned
""")
_TO_COPY = text("SELECT position FROM opportunity_verdict WHERE verdict IN ('new', 'changed') ORDER BY position")
_VECTORS = """
    CROSS JOIN LATERAL (SELECT to_tsvector('english', i.title) AS title) t
    CROSS JOIN LATERAL (
        SELECT setweight(t.title, 'A')
            || setweight(to_tsvector('english', concat_ws(' ', i.number, i.agency, i.sub_agency, i.office)), 'B')
            || setweight(to_tsvector('english', left(i.description, 100000)), 'D') AS everything
    ) s
"""
_ADD = text(f"""
    INSERT INTO opportunity (
        id, source, kind, version, is_sample, uploaded_by, first_seen_at, updated_at, title_search, search,
        {", ".join(_CONTENT)}
    )
    SELECT v.opportunity_id, :source, :kind, 1, :is_sample, CAST(:uploader AS uuid), now(), now(), t.title, s.everything,
           {", ".join(f"i.{name}" for name in _CONTENT)}
    FROM opportunity_incoming i JOIN opportunity_verdict v USING (position) {_VECTORS}
    WHERE v.verdict = 'new' ORDER BY position
""")  # noqa: S608 (names of columns only)
_ADD_TEXTS = text(f"""
    INSERT INTO opportunity_text (opportunity_id, {", ".join(_TEXTS)})
    SELECT v.opportunity_id, {", ".join(f"i.{name}" for name in _TEXTS)}
    FROM opportunity_incoming i JOIN opportunity_verdict v USING (position)
    WHERE v.verdict IN ('new', 'changed')
    ON CONFLICT (opportunity_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _TEXTS)}
""")  # noqa: S608 (names of columns only)
_KEEP_REPLACED = text("""
    UPDATE opportunity_version old SET raw = t.raw, description = t.description
    FROM opportunity_verdict v JOIN opportunity o ON o.id = v.opportunity_id JOIN opportunity_text t USING (opportunity_id)
    WHERE v.verdict = 'changed' AND old.opportunity_id = o.id AND old.number = o.version
""")
_REPLACE = text(f"""
    UPDATE opportunity o
    SET version = v.version, updated_at = now(), is_sample = :is_sample, uploaded_by = CAST(:uploader AS uuid),
        title_search = t.title, search = s.everything, {", ".join(f"{name} = i.{name}" for name in _CONTENT)}
    FROM opportunity_incoming i JOIN opportunity_verdict v USING (position) {_VECTORS}
    WHERE v.verdict = 'changed' AND o.id = v.opportunity_id
""")  # noqa: S608 (names of columns only)
_ADD_VERSIONS = text("""
    INSERT INTO opportunity_version (id, opportunity_id, number, content_hash, seen_at, import_run_id)
    SELECT gen_random_uuid(), v.opportunity_id, v.version, k.content_hash, now(), :run
    FROM opportunity_key k JOIN opportunity_verdict v USING (position) WHERE v.verdict IN ('new', 'changed')
""")
_FORGET_VECTORS = text("""
    DELETE FROM opportunity_vector USING opportunity_verdict v
    WHERE v.verdict = 'changed' AND opportunity_vector.opportunity_id = v.opportunity_id
""")
_SEE = text("""
    INSERT INTO opportunity_sighting (opportunity_id, import_run_id, seen_at)
    SELECT opportunity_id, :run, now() FROM opportunity_verdict WHERE verdict NOT IN ('repeated', 'refused')
    ON CONFLICT (opportunity_id) DO UPDATE SET import_run_id = excluded.import_run_id, seen_at = excluded.seen_at
""")


def _tally(sign: str, which: str) -> TextClause:
    """Count opportunities into the facets, or out of them: `which` are in the table as `o`."""
    return text(f"""
        INSERT INTO opportunity_facet (kind, facet, value, label, number)
        SELECT o.kind, f.facet, f.value, max(f.label), {sign} count(*)
        FROM opportunity o CROSS JOIN LATERAL (
            VALUES ('agency', o.agency, o.agency), ('type', o.type, o.type), ('source', o.source, o.source),
                   ('set_aside', o.set_aside_code, coalesce(nullif(o.set_aside, ''), o.set_aside_code)),
                   (CASE WHEN o.is_sample THEN 'sample' ELSE 'own' END, 'all', '')
            UNION ALL SELECT 'activity_code', code, code FROM unnest(o.activity_codes) code
        ) f (facet, value, label)
        WHERE {which} AND length(f.value) BETWEEN 1 AND {_OFFERED_CHARACTERS}
        GROUP BY o.kind, f.facet, f.value
        ON CONFLICT (kind, facet, value) DO UPDATE
        SET number = opportunity_facet.number + excluded.number, label = greatest(opportunity_facet.label, excluded.label)
    """)  # noqa: S608 (constants only)


_COUNT_OUT = _tally("-", "o.id IN (SELECT opportunity_id FROM opportunity_verdict WHERE verdict = 'changed')")
_COUNT_IN = _tally("+", "o.id IN (SELECT opportunity_id FROM opportunity_verdict WHERE verdict IN ('new', 'changed'))")
_COUNT_SAMPLE_OUT = _tally("-", "o.is_sample")
_COUNT = text("""
    SELECT count(*) FILTER (WHERE verdict = 'new'), count(*) FILTER (WHERE verdict = 'changed'),
           count(*) FILTER (WHERE verdict = 'unchanged' OR verdict = 'repeated' AND is_same),
           count(*) FILTER (WHERE verdict = 'unchanged' AND is_taken_over)
    FROM opportunity_verdict
""")
_TAKE_OVER = text("""
    UPDATE opportunity o SET uploaded_by = NULL FROM opportunity_verdict v
    WHERE v.verdict = 'unchanged' AND v.is_taken_over AND o.id = v.opportunity_id
""")
_LEFT_OUT = text("""
    SELECT k.line, k.external_id, v.verdict FROM opportunity_key k JOIN opportunity_verdict v USING (position)
    WHERE v.verdict = 'refused' OR v.verdict = 'repeated' AND NOT v.is_same
""")


async def merge(
    session: AsyncSession, batch: Batch, source: Source, *, run_id: UUID, uploader: UUID | None, is_sample: bool = False
) -> ImportCounts:
    """Take a batch in: new notices, new versions of changed ones, and why rows were left out. Safe to repeat.

    An `uploader` changes only samples and notices that it has uploaded. Without one, the batch comes from the installation, which
    changes every notice and keeps it from then on, also one that an account has uploaded under the same id before.
    """
    rejections = list(batch.rejections)
    new = changed = unchanged = 0
    if batch.rows:
        await _change_alone(session)
        for statement in _STAGE:
            await session.execute(text(statement))
        named = {"source": source.name, "kind": source.kind, "run": run_id, "is_sample": is_sample, "uploader": uploader}
        await _copy(session, "opportunity_key", KEYS, batch.keys)
        await session.execute(_JUDGE, named)
        new, changed, unchanged, taken_over = (await session.execute(_COUNT)).one()
        positions = await session.scalars(_TO_COPY)
        await _copy(session, "opportunity_incoming", COPIED, [batch.rows[position] for position in positions])
        if new:
            await session.execute(_ADD, named)
        if changed:
            await session.execute(_COUNT_OUT)
            await session.execute(_KEEP_REPLACED)
            await session.execute(_REPLACE, named)
            await session.execute(_FORGET_VECTORS)
        if new or changed:
            await session.execute(_COUNT_IN)
            await session.execute(_ADD_TEXTS)
            await session.execute(_ADD_VERSIONS, named)
        if taken_over:
            await session.execute(_TAKE_OVER)
        await session.execute(_SEE, named)
        rejections += [
            RejectedRow(line, "", _reason(verdict, external_id))
            for line, external_id, verdict in await session.execute(_LEFT_OUT)
        ]
    if rejections:
        rows = [{"import_run_id": run_id, "line": r.line, "column": r.column, "reason": r.reason} for r in rejections]
        await session.execute(insert(ImportRejection), rows)
    counts = ImportCounts(new=new, changed=changed, unchanged=unchanged, rejected=len(rejections))
    await session.execute(
        update(ImportRun)
        .where(ImportRun.id == run_id)
        .values(
            new=ImportRun.new + counts.new,
            changed=ImportRun.changed + counts.changed,
            unchanged=ImportRun.unchanged + counts.unchanged,
            rejected=ImportRun.rejected + counts.rejected,
        )
    )
    return counts


def _reason(verdict: str, external_id: str) -> str:
    if verdict == "refused":
        return t(
            "The notice {external_id} already exists with different content, and you did not upload it. Ask an administrator to "
            "import the file.",
            external_id=external_id,
        )
    return t(
        "The notice {external_id} already stands on an earlier line of this file, with other content.", external_id=external_id
    )


async def _change_alone(session: AsyncSession) -> None:
    """One change of the opportunities at a time: two imports would take the same notice for new, and wait for each other's
    facets for ever."""
    await database.acquire_lock(session, "opportunities")


async def _copy(session: AsyncSession, table: str, columns: Sequence[str], rows: list[str]) -> None:
    if not rows:
        return
    content = await asyncio.to_thread(copy_text, rows)
    connection = await (await session.connection()).get_raw_connection()
    cursor = cast(Any, connection.driver_connection).cursor()
    async with cursor, cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        await copy.write(content)


def is_open_at(moment: datetime) -> ColumnElement[bool]:
    return and_(Opportunity.status != "archived", or_(Opportunity.closes_at.is_(None), Opportunity.closes_at >= moment))


_ROW = (
    Opportunity.id, Opportunity.source, Opportunity.kind, Opportunity.number, Opportunity.title, Opportunity.agency,
    Opportunity.sub_agency, Opportunity.type, Opportunity.status, Opportunity.naics, Opportunity.psc,
    Opportunity.set_aside_code, Opportunity.set_aside, Opportunity.activity_codes, Opportunity.posted_at, Opportunity.due_at,
    Opportunity.due_note, Opportunity.is_sample, Opportunity.version,
)  # fmt: skip


ID: ColumnElement[UUID] = Opportunity.id.expression
"""Lets other slices correlate a column with the opportunity of a row."""

_SAMPLES_LAST = Opportunity.is_sample.expression
"""Every sort order begins with it, and so do the indexes for these orders."""


def _rows(*extra_columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    return select(*_ROW, is_open_at(now()).label("is_open"), *extra_columns)


def _day_start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=WASHINGTON)


def _search_term(words: str) -> ColumnElement[Any]:
    return func.websearch_to_tsquery(literal_column("'english'"), words)


def _conditions(query: OpportunityQuery, labelled: Select[UUID] | None) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for column, values in (
        (Opportunity.agency, query.agency),
        (Opportunity.type, query.type),
        (Opportunity.set_aside_code, query.set_aside),
        (Opportunity.source, query.source),
    ):
        if values:
            found.append(column.in_(values))
    if query.kind:
        found.append(Opportunity.kind == query.kind)
    if query.activity_code:
        found.append(Opportunity.activity_codes.op("&&")(sql_cast(list(query.activity_code), ARRAY(Text))))
    if query.naics:
        found.append(Opportunity.naics.startswith(query.naics, autoescape=True))
    if query.due_from:
        found.append(Opportunity.due_at >= _day_start(query.due_from))
    if query.due_to:
        found.append(Opportunity.due_at < _day_start(query.due_to + timedelta(days=1)))
    if query.posted_from:
        found.append(Opportunity.posted_at >= _day_start(query.posted_from))
    if query.posted_to:
        found.append(Opportunity.posted_at < _day_start(query.posted_to + timedelta(days=1)))
    if query.availability:
        is_open = is_open_at(now())
        found.append(is_open if query.availability == "open" else not_(is_open))
    if query.sample is not None:
        found.append(Opportunity.is_sample.is_(query.sample))
    if labelled is not None:
        found.append(Opportunity.id.in_(labelled))
    if query.text.strip():
        found.append(Opportunity.search.op("@@", return_type=Boolean())(_search_term(query.text)))
    return found


async def find_id(session: AsyncSession, reference: str) -> UUID | None:
    """The opportunity with this id, number or id of its source, in any case of letters; the newest of several."""
    with suppress(ValueError):
        found = await session.scalar(select(Opportunity.id).where(Opportunity.id == UUID(reference)))
        if found is not None:
            return found
    wanted = func.lower(reference)
    names = (func.lower(Opportunity.external_id) == wanted, func.lower(Opportunity.number) == wanted)
    query = select(Opportunity.id).where(or_(*names))
    return await session.scalar(query.order_by(names[0].desc(), Opportunity.posted_at.desc(), Opportunity.id))


async def suggest(session: AsyncSession, words: str, *, limit: int) -> Sequence[Mapping[str, Any]]:
    """The newest with these words in the title, of which the last may lack its end; then those with just these words anywhere."""
    if not words:
        return await _newest(session, true(), limit=limit)
    found: list[Mapping[str, Any]] = []
    if parts := re.findall(r"\w+", words):
        begun = func.to_tsquery(literal_column("'english'"), " & ".join(f"'{part}'" for part in parts) + ":*")
        in_title = Opportunity.title_search.op("@@", return_type=Boolean())(begun)
        found.extend(await _newest(session, in_title, limit=limit))
    if len(found) < limit:
        anywhere = Opportunity.search.op("@@", return_type=Boolean())(_search_term(words))
        others = and_(anywhere, Opportunity.id.not_in([row["id"] for row in found]))
        found.extend(await _newest(session, others, limit=limit - len(found)))
    return found


async def _newest(session: AsyncSession, matching: ColumnElement[bool], *, limit: int) -> Sequence[Mapping[str, Any]]:
    newest = (_SAMPLES_LAST, Opportunity.posted_at.desc(), Opportunity.id)
    # Of each kind apart: an index knows which are the newest of a kind.
    of_kinds = [
        select(Opportunity.id).where(Opportunity.kind == kind, matching).order_by(*newest).limit(limit).subquery()
        for kind in get_args(Kind)
    ]
    ids = union_all(*(select(of_kind.c.id) for of_kind in of_kinds))
    rows = _rows().where(Opportunity.id.in_(ids)).order_by(*newest).limit(limit)
    return cast(Sequence[Mapping[str, Any]], (await session.execute(rows)).mappings().all())


async def count_seen_after(session: AsyncSession, moment: datetime, labelled: Select[UUID], *, limit: int) -> int:
    """How many labelled ones came in after `moment`; counting ends at `limit`."""
    found = select(Opportunity.id).where(Opportunity.first_seen_at > moment, Opportunity.id.in_(labelled)).limit(limit)
    return await session.scalar(select(func.count()).select_from(found.subquery())) or 0


async def count(session: AsyncSession, query: OpportunityQuery, labelled: Select[UUID] | None = None) -> int:
    """How many match, whatever the page."""
    return await session.scalar(_count(_conditions(query, labelled))) or 0


def _count(conditions: list[ColumnElement[bool]]) -> Select[int]:
    return select(func.count()).select_from(Opportunity).where(*conditions)


def _total(query: OpportunityQuery, conditions: list[ColumnElement[bool]]) -> Select[int]:
    """How many match. Totals per kind are kept up to date as opportunities come and go, so a list without filters counts nothing."""
    if len(conditions) > bool(query.kind):
        return _count(conditions)
    tally = select(func.coalesce(func.sum(OpportunityFacet.number), 0)).where(OpportunityFacet.facet.in_(("sample", "own")))
    return tally.where(OpportunityFacet.kind == query.kind) if query.kind else tally


async def page(
    session: AsyncSession,
    query: OpportunityQuery,
    labelled: Select[UUID] | None = None,
    *,
    extra_columns: Sequence[ColumnElement[Any]] = (),
) -> tuple[list[Mapping[str, Any]], int]:
    """One page of matching opportunities, each with `extra_columns`, and how many there are in all."""
    conditions = _conditions(query, labelled)
    total = _total(query, conditions)
    if query.text.strip() and query.sort_field in ("", "relevance"):
        number = await session.scalar(total) or 0
        found = await _page_by_relevance(session, query, conditions, number, extra_columns) if query.offset < number else []
        return list(cast(Sequence[Mapping[str, Any]], found)), number
    order = _order(query)
    # First the ids of the page, which an index may provide, then the rows.
    ids = select(Opportunity.id).where(*conditions).order_by(*order).offset(query.offset).limit(query.page_size)
    rows = _rows(total.correlate(None).scalar_subquery().label("total"), *extra_columns)
    found = (await session.execute(rows.where(Opportunity.id.in_(ids.scalar_subquery())).order_by(*order))).mappings().all()
    number = found[0]["total"] if found else await session.scalar(total) or 0
    return list(cast(Sequence[Mapping[str, Any]], found)), number


def _order(query: OpportunityQuery) -> tuple[Any, ...]:
    column: Any = {
        "due": Opportunity.due_at,
        "title": Opportunity.title,
        "agency": Opportunity.agency,
        "number": Opportunity.number,
        "type": Opportunity.type,
    }.get(query.sort_field)
    if column is None:
        is_oldest_first = query.sort == "posted"
        posted = Opportunity.posted_at.asc() if is_oldest_first else Opportunity.posted_at.desc()
        return (_SAMPLES_LAST, posted, Opportunity.id)
    return (_SAMPLES_LAST, column.desc().nulls_last() if query.is_descending else column, Opportunity.id)


async def _page_by_relevance(
    session: AsyncSession,
    query: OpportunityQuery,
    conditions: list[ColumnElement[bool]],
    total: int,
    extra_columns: Sequence[ColumnElement[Any]],
) -> Sequence[Any]:
    """Matches by rank. Among many matches only the newest with the words in the title, and the newest of all, compete;
    the rest follows newest first. The order is the same for every page."""
    term = _search_term(query.text)
    rank = func.ts_rank(Opportunity.search, term)
    newest = (_SAMPLES_LAST, Opportunity.posted_at.desc(), Opportunity.id)
    if total <= 2 * _RANKED:
        ranked = _rows(*extra_columns).where(*conditions).order_by(_SAMPLES_LAST, rank.desc(), *newest)
        return (await session.execute(ranked.offset(query.offset).limit(query.page_size))).mappings().all()
    in_title = Opportunity.title_search.op("@@", return_type=Boolean())(term)
    real = not_(Opportunity.is_sample)
    titled = select(Opportunity.id).where(*conditions, real, in_title).order_by(*newest).limit(_RANKED)
    recent = select(Opportunity.id).where(*conditions, real).order_by(*newest).limit(_RANKED)
    competing = titled.union(recent).subquery()
    ids = select(competing.c.id)
    ranked = _rows(*extra_columns).where(Opportunity.id.in_(ids)).order_by(rank.desc(), *newest)
    found = (await session.execute(ranked.offset(query.offset).limit(query.page_size))).mappings().all()
    if len(found) == query.page_size:
        return found
    number = await session.scalar(select(func.count()).select_from(competing)) or 0
    rest = _rows(*extra_columns).where(*conditions, Opportunity.id.not_in(ids)).order_by(*newest)
    rest = rest.offset(max(0, query.offset - number)).limit(query.page_size - len(found))
    return [*found, *(await session.execute(rest)).mappings().all()]


async def stream(
    session: AsyncSession, query: OpportunityQuery, labelled: Select[UUID] | None, columns: Sequence[str]
) -> AsyncIterator[Sequence[Any]]:
    """Every matching opportunity, newest first unless a column to sort by is given, read from the server bit by bit."""
    chosen = select(*(getattr(OpportunityText if name in _TEXTS else Opportunity, name) for name in columns)).join(
        OpportunityText, OpportunityText.opportunity_id == Opportunity.id
    )
    rows = await session.stream(chosen.where(*_conditions(query, labelled)).order_by(*_order(query)))
    async for row in rows:
        yield row


async def lock_existing(session: AsyncSession, opportunity_ids: Collection[UUID]) -> Sequence[UUID]:
    """Which of these there are. Nobody can remove them until the transaction ends."""
    found = select(Opportunity.id).where(Opportunity.id.in_(opportunity_ids))
    return (await session.scalars(found.with_for_update(read=True, key_share=True))).all()


async def get(session: AsyncSession, opportunity_id: UUID) -> Mapping[str, Any]:
    """Every column of one opportunity. Raises NotFound."""
    left_out = {"search", "title_search", "content_hash", "uploaded_by"}
    columns = [column for name, column in Opportunity.__table__.columns.items() if name not in left_out]
    texts = (getattr(OpportunityText, name) for name in _TEXTS)
    seen_at = OpportunitySighting.seen_at.label("last_seen_at")
    joined = (
        select(*columns, *texts, seen_at, is_open_at(now()).label("is_open"))
        .join(OpportunityText, OpportunityText.opportunity_id == Opportunity.id)
        .join(OpportunitySighting, OpportunitySighting.opportunity_id == Opportunity.id)
    )
    found = joined.where(Opportunity.id == opportunity_id)
    row = (await session.execute(found)).mappings().one_or_none()
    if row is None:
        raise NotFound(t("The opportunity"))
    return cast(Mapping[str, Any], row)


async def rows_of(session: AsyncSession, ids: Sequence[UUID]) -> list[Mapping[str, Any]]:
    found = (await session.execute(_rows().where(Opportunity.id.in_(ids)))).mappings().all()
    position = {id: index for index, id in enumerate(ids)}
    return sorted(cast(Sequence[Mapping[str, Any]], found), key=lambda row: position[row["id"]])


async def versions(
    session: AsyncSession, opportunity_id: UUID, *, offset: int, limit: int
) -> list[tuple[int, datetime, dict[str, Any], str, int]]:
    """(number, seen at, raw, description, number of the present version) of versions, newest first."""
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


_NUMBER = func.sum(OpportunityFacet.number)
_FACETS = (
    select(OpportunityFacet.facet, OpportunityFacet.value, func.max(OpportunityFacet.label), _NUMBER)
    .where(OpportunityFacet.number > 0)
    .group_by(OpportunityFacet.facet, OpportunityFacet.value)
    .order_by(_NUMBER.desc(), OpportunityFacet.value)
)


async def facets(session: AsyncSession, kind: str | None) -> list[tuple[str, str, str, int]]:
    """(facet, value, label, number of opportunities), most frequent first."""
    found = _FACETS if kind is None else _FACETS.where(OpportunityFacet.kind == kind)
    return [(facet, value, label, int(count)) for facet, value, label, count in await session.execute(found)]


async def is_empty(session: AsyncSession) -> bool:
    return not await session.scalar(select(exists().where(Opportunity.id.is_not(None))))


async def was_ever_imported(session: AsyncSession) -> bool:
    return bool(await session.scalar(select(exists().where(ImportRun.id.is_not(None)))))


async def has_own(session: AsyncSession) -> bool:
    """Whether there is any real opportunity."""
    return bool(await session.scalar(select(exists().where(OpportunityFacet.facet == "own", OpportunityFacet.number > 0))))


async def remove_sample(session: AsyncSession) -> list[UUID]:
    await _change_alone(session)
    await session.execute(_COUNT_SAMPLE_OUT)
    removed = await session.scalars(delete(Opportunity).where(Opportunity.is_sample).returning(Opportunity.id))
    return list(removed)


def _seen_by(actor: Actor) -> ColumnElement[bool]:
    return true() if actor.role == Role.ADMIN else ImportRun.owner_id == actor.id


async def list_pending_uploads(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    """Which of these files belong to imports that are queued or running."""
    upload = Job.payload["upload"].astext
    underway = Job.state.in_((JobState.QUEUED, JobState.RUNNING))
    return (
        await session.scalars(select(upload).where(Job.kind == ImportOpportunities.job_kind, underway, upload.in_(names)))
    ).all()


async def list_waiting_uploads(session: AsyncSession, owner_id: UUID) -> Sequence[str]:
    """The files of the account's imports that are queued or running. Nobody else adds one until the end of the transaction."""
    await database.acquire_lock(session, f"uploads:{owner_id}")
    upload = Job.payload["upload"].astext
    underway = Job.state.in_((JobState.QUEUED, JobState.RUNNING))
    of_owner = and_(Job.owner_id == owner_id, Job.kind == ImportOpportunities.job_kind, underway, upload.is_not(None))
    return (await session.scalars(select(upload).where(of_owner))).all()


async def add_run(
    session: AsyncSession, *, owner_id: UUID | None, source: str, filename: str, is_sample: bool = False
) -> ImportRun:
    run = ImportRun(owner_id=owner_id, source=source, filename=filename, is_sample=is_sample)
    session.add(run)
    await session.flush()
    return run


async def get_run(session: AsyncSession, actor: Actor, run_id: UUID) -> tuple[ImportRun, Job | None]:
    """Raises NotFound."""
    found = select(ImportRun, Job).outerjoin(Job, Job.id == ImportRun.job_id).where(ImportRun.id == run_id, _seen_by(actor))
    row = (await session.execute(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(t("The import"))
    return row[0], row[1]


async def get_system_run(session: AsyncSession, run_id: UUID) -> tuple[ImportRun, Job | None]:
    """An import that belongs to no account. Raises NotFound."""
    found = select(ImportRun, Job).outerjoin(Job, Job.id == ImportRun.job_id)
    row = (await session.execute(found.where(ImportRun.id == run_id, ImportRun.owner_id.is_(None)))).one_or_none()
    if row is None:
        raise NotFound(t("The import"))
    return row[0], row[1]


async def counts(session: AsyncSession, run_id: UUID) -> ImportCounts:
    columns = (ImportRun.new, ImportRun.changed, ImportRun.unchanged, ImportRun.rejected)
    row = (await session.execute(select(*columns).where(ImportRun.id == run_id))).mappings().one()
    return ImportCounts.model_validate(dict(row))


async def page_of_runs(
    session: AsyncSession, actor: Actor, *, sources: Sequence[str], offset: int, limit: int
) -> tuple[list[tuple[ImportRun, Job | None]], int]:
    mine = and_(_seen_by(actor), not_(ImportRun.is_sample))
    if sources:
        mine = and_(mine, ImportRun.source.in_(sources))
    total = await session.scalar(select(func.count()).select_from(ImportRun).where(mine)) or 0
    found = (
        select(ImportRun, Job)
        .outerjoin(Job, Job.id == ImportRun.job_id)
        .where(mine)
        .order_by(ImportRun.created_at.desc(), ImportRun.id)
        .offset(offset)
        .limit(limit)
    )
    return [(run, job) for run, job in await session.execute(found)], total


async def own_runs(session: AsyncSession, owner_id: UUID) -> Sequence[ImportRun]:
    """Those that the account has begun, oldest first."""
    query = select(ImportRun).where(ImportRun.owner_id == owner_id).order_by(ImportRun.created_at, ImportRun.id)
    return (await session.scalars(query)).all()


async def set_job(session: AsyncSession, run_id: UUID, job_id: UUID) -> None:
    await session.execute(update(ImportRun).where(ImportRun.id == run_id).values(job_id=job_id))


async def rejections(
    session: AsyncSession, run_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[list[ImportRejection], int]:
    """Rejected rows of an import that the caller may see, in the order of the file."""
    of_run = ImportRejection.import_run_id == run_id
    total = await session.scalar(select(func.count()).select_from(ImportRejection).where(of_run)) or 0
    found = select(ImportRejection).where(of_run).order_by(ImportRejection.line, ImportRejection.id).offset(offset).limit(limit)
    return list(await session.scalars(found)), total


async def stream_rejections(session: AsyncSession, run_id: UUID) -> AsyncIterator[tuple[int, str, str]]:
    found = select(ImportRejection.line, ImportRejection.column, ImportRejection.reason)
    rows = await session.stream(found.where(ImportRejection.import_run_id == run_id).order_by(ImportRejection.line))
    async for line, column, reason in rows:
        yield line, column, reason


def _lacks_vector(model_id: str) -> ColumnElement[bool]:
    return not_(exists().where(OpportunityVector.opportunity_id == Opportunity.id, OpportunityVector.model_id == model_id))


async def count_lacking_vectors(session: AsyncSession, model_id: str) -> int:
    return await session.scalar(select(func.count()).select_from(Opportunity).where(_lacks_vector(model_id))) or 0


async def texts_lacking_vectors(
    session: AsyncSession, model_id: str, *, limit: int, of: Sequence[UUID] | None = None
) -> list[tuple[UUID, str]]:
    """(id, text to embed) of opportunities, or of those `of` these, that this model has not embedded, newest first."""
    words = Opportunity.title + literal("\n") + func.left(OpportunityText.description, _EMBEDDED_CHARACTERS)
    joined = select(Opportunity.id, words).join(OpportunityText, OpportunityText.opportunity_id == Opportunity.id)
    among = Opportunity.id.in_(of) if of is not None else true()
    found = joined.where(_lacks_vector(model_id), among).order_by(Opportunity.posted_at.desc()).limit(limit)
    return [(id, words) for id, words in await session.execute(found)]


async def lock_embedding(session: AsyncSession) -> None:
    await database.acquire_lock(session, "embedding of opportunities")


async def is_embedding_underway(session: AsyncSession) -> bool:
    """Whether a job waits or runs that has yet to look for notices without vectors. It does not end before the transaction does."""
    await lock_embedding(session)
    underway = and_(Job.kind == EmbedOpportunities.job_kind, Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
    will_look = and_(not_(Job.cancel_requested), Job.checkpoint["is_ending"].astext.is_(None))
    return bool(await session.scalar(select(exists().where(underway, will_look))))


async def find_embedding(session: AsyncSession) -> Job | None:
    """The latest embedding job, in any state."""
    latest = select(Job).where(Job.kind == EmbedOpportunities.job_kind).order_by(Job.created_at.desc()).limit(1)
    return await session.scalar(latest.execution_options(populate_existing=True))


async def list_unembedded(session: AsyncSession, model_id: str, *, limit: int) -> Sequence[tuple[UUID, int, str]]:
    """(id, version, text to embed) of opportunities that this model has not embedded, the open ones first, and of these the newest."""
    words = Opportunity.title + literal("\n") + func.left(OpportunityText.description, _EMBEDDED_CHARACTERS)
    joined = select(Opportunity.id, Opportunity.version, words).join(OpportunityText)
    order = (is_open_at(now()).desc(), Opportunity.posted_at.desc())
    rows = await session.execute(joined.where(_lacks_vector(model_id)).order_by(*order).limit(limit))
    return [(id, version, words) for id, version, words in rows]


async def save_vectors(session: AsyncSession, model_id: str, versions: Sequence[tuple[UUID, int]], vectors: Vectors) -> None:
    """Keep the vectors of opportunities that still have these versions."""
    await _change_alone(session)
    current = select(Opportunity.id, Opportunity.version).where(Opportunity.id.in_([id for id, _ in versions]))
    found = {(id, version) for id, version in await session.execute(current)}
    rows = [
        {"opportunity_id": id, "model_id": model_id, "vector": vector}
        for (id, version), vector in zip(versions, vectors, strict=True)
        if (id, version) in found
    ]
    if rows:
        await session.execute(upsert(OpportunityVector).on_conflict_do_nothing(), rows)


async def add_vectors(session: AsyncSession, model_id: str, vectors: Sequence[tuple[UUID, NDArray[np.float32]]]) -> None:
    """Keep vectors of opportunities that still exist."""
    there = set(await session.scalars(select(Opportunity.id).where(Opportunity.id.in_([id for id, _ in vectors]))))
    rows = [{"opportunity_id": id, "model_id": model_id, "vector": vector} for id, vector in vectors if id in there]
    if rows:
        await session.execute(upsert(OpportunityVector).on_conflict_do_nothing(), rows)


async def vectors_after(
    session: AsyncSession, model_id: str, after: UUID | None, *, limit: int
) -> list[tuple[UUID, NDArray[np.float32]]]:
    """Vectors of this model in the order of their opportunities' ids, from the one after `after`."""
    found = select(OpportunityVector.opportunity_id, OpportunityVector.vector).where(OpportunityVector.model_id == model_id)
    if after is not None:
        found = found.where(OpportunityVector.opportunity_id > after)
    rows = await session.execute(found.order_by(OpportunityVector.opportunity_id).limit(limit))
    return [(id, np.asarray(vector, dtype=np.float32)) for id, vector in rows]


async def count_vectors(session: AsyncSession, model_id: str) -> int:
    return await session.scalar(select(func.count()).where(OpportunityVector.model_id == model_id)) or 0


async def vectors_of(session: AsyncSession, model_id: str, ids: Sequence[UUID]) -> dict[UUID, NDArray[np.float32]]:
    found = select(OpportunityVector.opportunity_id, OpportunityVector.vector)
    rows = await session.execute(found.where(OpportunityVector.model_id == model_id, OpportunityVector.opportunity_id.in_(ids)))
    return {id: np.asarray(vector, dtype=np.float32) for id, vector in rows}


async def vector_of(session: AsyncSession, model_id: str, opportunity_id: UUID) -> NDArray[np.float32] | None:
    """Its unit-length embedding by this model; None when it has none yet. Raises NotFound."""
    is_of_model = and_(OpportunityVector.opportunity_id == Opportunity.id, OpportunityVector.model_id == model_id)
    found = select(OpportunityVector.vector).select_from(Opportunity).outerjoin(OpportunityVector, is_of_model)
    row = (await session.execute(found.where(Opportunity.id == opportunity_id))).one_or_none()
    if row is None:
        raise NotFound(t("The opportunity"))
    return None if row.vector is None else np.asarray(row.vector, dtype=np.float32)


async def refresh_statistics(session: AsyncSession) -> None:
    """For the end of an import. `Opportunity` itself is vacuumed."""
    await database.refresh_statistics(session, OpportunityText, OpportunityVersion, OpportunitySighting)


async def index_vectors(session: AsyncSession, model_id: str, dimension: int) -> None:
    """Make the HNSW index of this model's vectors unless it is there."""
    name = "ix_opportunity_vector_hnsw_" + hashlib.sha256(model_id.encode()).hexdigest()[:12]
    quoted = model_id.replace("'", "''")
    if await session.scalar(text("SELECT to_regclass(:name)"), {"name": name}):
        return
    # IF NOT EXISTS is not enough: of two jobs that create the index at the same time, the second would fail.
    await database.acquire_lock(session, "opportunity_vector index")
    statement = (
        f"CREATE INDEX IF NOT EXISTS {name} ON opportunity_vector "
        f"USING hnsw ((vector::halfvec({int(dimension)})) halfvec_cosine_ops) WHERE model_id = '{quoted}'"
    )
    await (await session.connection()).exec_driver_sql(statement.replace("%", "%%"))


async def similar(
    session: AsyncSession, model_id: str, vector: NDArray[np.float32], *, leave_out: UUID, limit: int
) -> list[tuple[UUID, float]]:
    """(id, cosine) of the nearest opportunities, nearest first."""
    dimension = len(vector)
    # The model's id must stand in the statement for the planner to see that the partial index fits.
    of_model = OpportunityVector.model_id == literal_column("'" + model_id.replace("'", "''") + "'")
    distance = sql_cast(OpportunityVector.vector, HALFVEC(dimension)).cosine_distance(vector)
    await session.execute(text("SET LOCAL hnsw.ef_search = 100"))
    nearest = select(OpportunityVector.opportunity_id, distance.label("distance")).where(of_model)
    rows = await session.execute(nearest.order_by(distance).limit(limit + 1))
    return [(id, 1 - far) for id, far in rows if id != leave_out][:limit]
