"""Every query of opportunities. All accounts see the same opportunities; an import run is seen by who started it."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import chain, islice
from typing import Any, cast, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    LargeBinary,
    Row,
    Select,
    TextClause,
    Uuid,
    and_,
    bindparam,
    delete,
    distinct,
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
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.types import Text

from fundwright.accounts.schemas import Actor, Role
from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.language import retrieval
from fundwright.language.protocols import Vectors
from fundwright.language.retrieval import Statistics
from fundwright.opportunities.incoming import COPIED, KEYS, Batch, copy_text
from fundwright.opportunities.models import (
    ImportRejection,
    ImportRun,
    Opportunity,
    OpportunityFacet,
    OpportunitySighting,
    OpportunitySpelling,
    OpportunityTerms,
    OpportunityText,
    OpportunityVector,
    OpportunityVersion,
    OpportunityWord,
    OpportunityWords,
)
from fundwright.opportunities.question import Meaning, Question, is_named, meant, number_key, parse, spelled_words, with_words
from fundwright.opportunities.reading import WASHINGTON
from fundwright.opportunities.schemas import (
    Availability,
    CategorizeOpportunities,
    EmbedOpportunities,
    ImportCounts,
    ImportOpportunities,
    OpportunityQuery,
    Reason,
)
from fundwright.opportunities.sources import Kind, RejectedRow, Source

_CANDIDATES = 1_000
"""How many notices with the rarest words are scored by words; of more, the newest."""
_EXACT_LIMIT = 5_000
"""Among no more notices than these, all embeddings are compared."""
_MAX_INDEXED_DIMENSION = 4_000  # what pgvector's HNSW takes of halfvec
_ALL = -1
"""Where `OpportunityWord` counts all opportunities."""
_USUAL_WORDS = 100
"""Of a notice whose title is counted three times."""
_RARE = 4
"""Words in no more notices than this are not counted."""
_MOST_MISSPELLED = 20
"""A word in more notices than this is spelled as it is meant."""
_MOST_CORRECTED = 5
"""Words of a search, each of which is compared with thousands."""
_SPELLED_CHARACTERS = 400
"""Of a description, for how words are spelled; reading all of it would take a minute."""
_LEAST_SPELLED = 3
"""Notices that must have a word for it to be known."""
_FEW = 10
"""With fewer matches, close ones follow."""
_CLOSE = 50
_NUMBERED = 1_000
_LEAST_COSINE, _LEAST_COSINE_ALONE = 0.35, 0.43
"""Of a match by meaning alone, because the ten nearest of a few hundred notices are that near to anything, and of the nearest one when no notice has any of the words: nonsense is no nearer than .42 to anything."""
_LEAST_MEANING = 0.5
"""A notice with all words elsewhere than in its title matches when its meaning is in the upper half of those found by meaning."""
_NAMED = 0.25
"""How much more a notice counts when the search names its agency."""
_NAMED_AMONG = 150
"""Of the best."""
_PASSAGE_CHARACTERS = 2_000
MARK, END_MARK = "\x02", "\x03"
"""Around the words that were asked for in a passage."""
_HEADLINE = f'MaxFragments=1,MinWords=15,MaxWords=40,StartSel="{MARK}",StopSel="{END_MARK}"'
_AWARD = "Award Notice"
_SORTED_AT_ONCE = 5_000

_EMBEDDED_CHARACTERS = 800
"""Of a description, for its vector. A migration that changes it removes the vectors, and the next start makes them anew."""
_READ_CHARACTERS = 500
"""Of a description, for the words of the classifier."""

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
            || setweight(to_tsvector('english', left(i.description, 100000)), 'D')
            || setweight(to_tsvector('english', concat_ws(' ', i.naics, i.psc, i.set_aside_code, i.set_aside)), 'C') AS everything
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
    WITH forgotten AS (
        DELETE FROM opportunity_words USING opportunity_verdict v
        WHERE v.verdict = 'changed' AND opportunity_words.opportunity_id = v.opportunity_id
    ), unread AS (
        DELETE FROM opportunity_terms USING opportunity_verdict v
        WHERE v.verdict = 'changed' AND opportunity_terms.opportunity_id = v.opportunity_id
    )
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
        "The notice {external_id} is already on an earlier line of this file, with different content.", external_id=external_id
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
_NEWEST_FIRST = (_SAMPLES_LAST, Opportunity.posted_at.desc(), Opportunity.id)


_OTHER = aliased(Opportunity)
_NOTICES = func.greatest(
    1,
    select(func.count())
    .where(Opportunity.number_key != "", _OTHER.number_key == Opportunity.number_key, _OTHER.kind == Opportunity.kind)
    .correlate(Opportunity)
    .scalar_subquery(),
).label("notices")
_AWARD_NOTICE = (
    select(
        func.jsonb_build_object(
            literal_column("'id'"), _OTHER.id,
            literal_column("'awarded_on'"), func.coalesce(OpportunityText.raw["AwardDate"].astext, ""),
            literal_column("'awardee'"), func.coalesce(OpportunityText.raw["Awardee"].astext, ""),
            literal_column("'amount'"), sql_cast(_OTHER.award_amount, Text),
        )
    )
    .join(OpportunityText, OpportunityText.opportunity_id == _OTHER.id)
    .where(
        Opportunity.number_key != "", Opportunity.type != _AWARD, _OTHER.type == _AWARD,
        _OTHER.number_key == Opportunity.number_key, _OTHER.kind == Opportunity.kind,
    )
    .order_by(_OTHER.posted_at.desc(), _OTHER.id)
    .limit(1)
    .correlate(Opportunity)
    .scalar_subquery()
    .label("award")
)  # fmt: skip
"""The newest award of the solicitation of a notice that is none itself."""
_SOLICITATION = func.coalesce(func.nullif(Opportunity.number_key, ""), sql_cast(Opportunity.id, Text)).collate("C")
"""What notices of the same solicitation share."""


def _rows(*extra_columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    return select(*_ROW, is_open_at(now()).label("is_open"), _NOTICES, _AWARD_NOTICE, *extra_columns)


def _day_start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=WASHINGTON)


def _has(words: str, column: Any = Opportunity.search) -> ColumnElement[bool]:
    """Whether a notice has these words, as people type them: with quotes, minus, and "or"."""
    return column.op("@@", return_type=Boolean())(func.websearch_to_tsquery(literal_column("'english'"), words))


def _conditions(query: OpportunityQuery, labelled: Select[UUID] | None) -> list[ColumnElement[bool]]:
    """What the filters ask for, whatever the text is."""
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
    if query.number:
        found.append(Opportunity.number_key == number_key(query.number))
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
        found.append(_is_available(query.availability))
    if query.sample is not None:
        found.append(Opportunity.is_sample.is_(query.sample))
    if labelled is not None:
        found.append(Opportunity.id.in_(labelled))
    return found


def _is_available(availability: Availability) -> ColumnElement[bool]:
    is_open, is_award = is_open_at(now()), Opportunity.type == _AWARD
    return {"open": is_open, "closed": not_(or_(is_open, is_award)), "award": is_award}[availability]


async def count_titled(
    session: AsyncSession, query: OpportunityQuery, labelled: Select[UUID] | None = None
) -> Mapping[Availability, int]:
    """How many solicitations have all words of the query in their titles, by whether they are open, whichever of them the query asks for."""
    conditions = _conditions(query.model_copy(update={"availability": None}), labelled)
    names: tuple[Availability, ...] = get_args(Availability)
    solicitations = func.count(distinct(_SOLICITATION))
    counts = select(*(solicitations.filter(_is_available(name)) for name in names)).select_from(Opportunity)
    row = (await session.execute(counts.where(*conditions, _has(parse(query.text).text, Opportunity.title_search)))).one()
    return dict(zip(names, row, strict=True))


async def find_id(session: AsyncSession, reference: str) -> UUID | None:
    """The opportunity with this id, number or id of its source, in any case of letters; the newest of several."""
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
        key = parse(words).number
        anywhere = or_(_has(words), Opportunity.number_key.startswith(key)) if key else _has(words)
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
    ranked: Ranked | None = None,
    extra_columns: Sequence[ColumnElement[Any]] = (),
) -> tuple[list[Mapping[str, Any]], int]:
    """One page of matching opportunities, each with `extra_columns`, and how many there are in all. `ranked` is what `rank` returned for
    the text of the query, if it has one."""
    if ranked is not None and query.sort_field in ("", "relevance"):
        return await _page_by_relevance(session, query, labelled, ranked, extra_columns), ranked.total
    conditions, order = _found_in(query, labelled, ranked), _order(query, ranked)
    total = literal(ranked.total) if ranked else _total(query, conditions).correlate(None).scalar_subquery()
    # First the ids of the page, which an index may provide, then the rows.
    ids = select(Opportunity.id).where(*conditions).order_by(*order).offset(query.offset).limit(query.page_size)
    rows = _rows(total.label("total"), *extra_columns)
    found = (await session.execute(rows.where(Opportunity.id.in_(ids.scalar_subquery())).order_by(*order))).mappings().all()
    number = found[0]["total"] if found else await session.scalar(select(total)) or 0
    return list(cast(Sequence[Mapping[str, Any]], found)), number


async def _page_by_relevance(
    session: AsyncSession,
    query: OpportunityQuery,
    labelled: Select[UUID] | None,
    ranked: Ranked,
    extra_columns: Sequence[ColumnElement[Any]],
) -> list[Mapping[str, Any]]:
    """The best, in their order, then what else matches, newest first."""
    best = list(ranked.ids)
    ids = best[query.offset : query.offset + query.page_size]
    if len(ids) < query.page_size and ranked.total > len(best):
        rest = select(Opportunity.id).where(*_rest(_conditions(query, labelled), ranked))
        newest = rest.order_by(*_NEWEST_FIRST)
        start = max(0, query.offset - len(best))
        ids += (await session.scalars(newest.offset(start).limit(query.page_size - len(ids)))).all()
    place = {id: index for index, id in enumerate(ids)}
    rows = (await session.execute(_rows(*extra_columns).where(Opportunity.id.in_(ids)))).mappings().all()
    return sorted(cast(Sequence[Mapping[str, Any]], rows), key=lambda row: place[row["id"]])


def _order(query: OpportunityQuery, ranked: Ranked | None) -> tuple[Any, ...]:
    column: Any = {
        "due": Opportunity.due_at,
        "title": Opportunity.title,
        "agency": Opportunity.agency,
        "number": Opportunity.number,
        "type": Opportunity.type,
    }.get(query.sort_field)
    is_oldest_first = query.sort == "posted"
    posted = Opportunity.posted_at.asc() if is_oldest_first else Opportunity.posted_at.desc()
    ordered = posted if column is None else column.desc().nulls_last() if query.is_descending else column
    if ranked is None:
        return (_SAMPLES_LAST, ordered, Opportunity.id)
    ids = literal(list(ranked.ids), ARRAY(Uuid))
    if query.sort_field in ("", "relevance"):
        return (func.array_position(ids, Opportunity.id), _SAMPLES_LAST, posted, Opportunity.id)
    if ranked.has_few:
        is_close = Opportunity.id != func.all(literal([id for id in ranked.ids if not ranked.is_close(id)], ARRAY(Uuid)))
    else:
        is_close = Opportunity.id == func.any(literal(list(ranked.close), ARRAY(Uuid)))
    return (is_close, _SAMPLES_LAST, ordered, Opportunity.id)


def _found_in(query: OpportunityQuery, labelled: Select[UUID] | None, ranked: Ranked | None) -> list[ColumnElement[bool]]:
    conditions = _conditions(query, labelled)
    if ranked is None:
        return conditions
    best = Opportunity.id == func.any(literal(list(ranked.ids), ARRAY(Uuid)))
    return [or_(best, and_(*_rest(conditions, ranked))) if ranked.total > len(ranked.ids) else best]


def _rest(conditions: list[ColumnElement[bool]], ranked: Ranked) -> list[ColumnElement[bool]]:
    """What matches beside the best. To tell the solicitations of tens of thousands of notices apart takes longer than a search may."""
    return [
        *conditions,
        ranked.matching,
        _SOLICITATION.op("<>", return_type=Boolean())(func.all(literal(list(ranked.solicitations), ARRAY(Text)))),
    ]


@dataclass(frozen=True)
class Ranked:
    """What a search found, apart from the filters: one notice of each of the best solicitations, and every notice of others that match."""

    reasons: Mapping[UUID, Reason]
    """Why each of the best was found, best first. Notices that have all words follow, newest first."""
    solicitations: Collection[str]
    """Of the best."""
    close: Collection[UUID]
    """Those of the best that do not match."""
    has_few: bool
    """Whether what follows the best is close as well."""
    matching: ColumnElement[bool]
    """Holds for notices that have all words."""
    total: int
    question: Question

    @property
    def ids(self) -> Collection[UUID]:
        return self.reasons.keys()

    def is_close(self, opportunity_id: UUID) -> bool:
        return opportunity_id in self.close or (self.has_few and opportunity_id not in self.reasons)


async def rank(session: AsyncSession, query: OpportunityQuery, labelled: Select[UUID] | None, meaning: Meaning | None) -> Ranked:
    """Find the notices that match the text of a query, and close ones when few do. Without `meaning`, by words only.

    Notices with all words compete by their scores like others, because many of them are about something else. They match when the words
    are in the title, or the meaning is near enough or not known.
    """
    question = parse(query.text)
    conditions = _conditions(query, labelled)
    if question.required:
        conditions.append(_has(question.required))
    if question.excluded:
        # Apart from the rest: an index that is asked for what lacks a word is read from end to end.
        conditions.append(not_(_has(question.excluded)))
    known = _Known()
    numbered = await _list_numbered(session, question, conditions, known)
    filters = len(conditions) - bool(query.kind)
    is_narrow = None if filters == 1 and query.availability == "open" else filters > 0
    by_words, by_meaning = await _scores(session, question, conditions, meaning, known, is_narrow=is_narrow)
    words, near = retrieval.scaled(by_words), retrieval.scaled(by_meaning)
    fused = _raise_named(question, retrieval.fuse(by_words, by_meaning, share=retrieval.NOTICE_WORDS), near)
    flags, has_all_flags = await _list_matching(session, question.text, conditions, fused, meaning, known)
    scores = sorted(fused, key=lambda found: found.is_sample)
    about = {found for found, is_certain in flags.items() if is_certain or near.get(found, 0) >= _LEAST_MEANING}
    has_few = question.is_open and not numbered and len(_by_solicitation(about)) < _FEW
    reasons: dict[_Found, Reason] = dict.fromkeys(numbered, "number")
    ordered = [*scores, *sorted(flags.keys() - scores, key=_Found.currency, reverse=True)]
    kept = about if has_few else flags
    reasons |= dict[_Found, Reason].fromkeys((found for found in ordered if found in kept and found not in reasons), "all_words")
    matched, close = _by_solicitation(reasons), dict[str, list[_Found]]()
    if has_few:
        likely = {found for found, cosine in by_meaning.items() if cosine >= _LEAST_COSINE}.union(by_words, flags)
        others = _by_solicitation(found for found in ordered if found.solicitation not in matched and found in likely)
        close = dict(islice(others.items(), _CLOSE)) | {
            key: alike for key, alike in others.items() if not flags.keys().isdisjoint(alike)
        }
        for found in chain.from_iterable(close.values()):
            is_by_words = words.get(found, 0) >= near.get(found, 0)
            reasons[found] = "all_words" if found in flags else "words" if is_by_words else "meaning"
    best = {**matched, **close}
    shown = {solicitation: max(alike, key=_Found.currency).id for solicitation, alike in best.items()}
    ranked = Ranked(
        reasons={shown[solicitation]: reasons[alike[0]] for solicitation, alike in best.items()},
        solicitations=shown.keys(),
        close=frozenset(shown[solicitation] for solicitation in close),
        has_few=has_few,
        matching=_has(question.text),
        total=len(best),
        question=question,
    )
    if has_all_flags:
        return ranked
    rest = await session.scalar(select(func.count()).select_from(Opportunity).where(*_rest(conditions, ranked))) or 0
    return replace(ranked, total=len(best) + rest)


def _raise_named(question: Question, scores: Mapping[_Found, float], near: Mapping[_Found, float]) -> Mapping[_Found, float]:
    """The notices of agencies that the question names come before others that fit as well. Those with a meaning far from that of the
    question do not fit, whatever words they have: the name of the agency is one of them."""
    if not question.agencies:
        return scores
    likely = (found for found in islice(scores, _NAMED_AMONG) if not near or near.get(found, 0) >= _LEAST_MEANING)
    of_named = {found for found in likely if is_named(found.agency, question) or is_named(found.sub_agency, question)}
    raised = {found: score * (1 + _NAMED * (found in of_named)) for found, score in scores.items()}
    return dict(sorted(raised.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
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


class _Known(dict[UUID, _Found]):
    """The notices that a search has come across."""

    def note(self, row: Sequence[Any]) -> _Found:
        """The notice of a row that begins with `_FOUND`."""
        found = self.get(row[0])
        if found is None:
            found = self[row[0]] = _Found(*row[: len(_FOUND)])
        return found


_FOUND = (
    Opportunity.id.label("id"), _SOLICITATION.label("solicitation"), Opportunity.is_sample.label("is_sample"),
    (Opportunity.type == _AWARD).label("is_award"), sql_cast(func.extract("epoch", Opportunity.posted_at), Float).label("posted_s"),
    Opportunity.agency.label("agency"), Opportunity.sub_agency.label("sub_agency"),
)  # fmt: skip
"""The columns of `_Found`."""


def _by_solicitation(notices: Iterable[_Found]) -> dict[str, list[_Found]]:
    alike: dict[str, list[_Found]] = {}
    for notice in notices:
        alike.setdefault(notice.solicitation, []).append(notice)
    return alike


_ASKED = func.unnest(bindparam("words", type_=ARRAY(Text))).table_valued("word").render_derived().c.word
_STEM = (
    func.unnest(func.to_tsvector(literal_column("'english'"), _ASKED))
    .table_valued("lexeme", "positions", "weights")
    .render_derived()
    .lateral()
)
_UNKNOWN = (
    select(_ASKED)
    .join(_STEM, true())
    .where(
        not_(exists().where(OpportunityWord.place == func.word_place(_STEM.c.lexeme), OpportunityWord.notices > _MOST_MISSPELLED))
    )
)
"""Words that few notices have. Like `_COUNTED`, it is made once: that takes as long as its execution."""


async def correct(session: AsyncSession, text_: str) -> str:
    """A text with words that no notice has, or hardly any, replaced by the known words that they are taken for."""
    spelled = spelled_words(text_)
    if not spelled:
        return text_
    unknown = (await session.scalars(_UNKNOWN, {"words": list(spelled)})).all()
    replaced = {spelled[word]: better for word in unknown[:_MOST_CORRECTED] if (better := await _meant(session, word))}
    return with_words(text_, replaced)


async def _meant(session: AsyncSession, word: str) -> str | None:
    some = select(Opportunity.id).where(_has(word)).limit(_MOST_MISSPELLED + 1)
    notices = await session.scalar(select(func.count()).select_from(some.subquery())) or 0
    if notices > _MOST_MISSPELLED:
        return None
    known = select(OpportunitySpelling.word, OpportunitySpelling.notices).where(
        func.left(OpportunitySpelling.word, 1) == word[0],
        func.length(OpportunitySpelling.word).between(len(word) - 1, len(word) + 1),
    )
    return meant(word, dict((await session.execute(known)).all()), notices=notices)


async def _list_matching(
    session: AsyncSession,
    text_: str,
    conditions: list[ColumnElement[bool]],
    scored: Collection[_Found],
    meaning: Meaning | None,
    known: _Known,
) -> tuple[Mapping[_Found, bool], bool]:
    """Which notices have all words of a text, each with whether it is about them for certain, whatever its meaning; of very many, only
    those that are scored. And whether these are all."""
    most, has_all = 2 * retrieval.DEPTH, [*conditions, _has(text_)]
    some = select(*_FOUND, Opportunity.title_search).where(*has_all).limit(most + 1).cte("some")
    number = select(func.count().label("number")).select_from(some).subquery()
    is_certain = or_(_has(text_, some.c.title_search), not_(_is_embedded(some.c.id, meaning)))
    columns = [some.c[column.name] for column in _FOUND]
    few = (
        select(*columns, is_certain.label("is_certain"), number.c.number)
        .select_from(number)
        .outerjoin(some, number.c.number <= most)
    )
    rows = (await session.execute(few)).all()
    if rows[0].number <= most:
        return {known.note(row): row.is_certain for row in rows if row.id is not None}, True
    of_scored = Opportunity.id == func.any(literal([each.id for each in scored], ARRAY(Uuid)))
    is_certain = or_(_has(text_, Opportunity.title_search), not_(_is_embedded(Opportunity.id.expression, meaning)))
    rows = (await session.execute(select(Opportunity.id, is_certain).where(*has_all, of_scored))).all()
    return {known[id]: is_certain for id, is_certain in rows}, False


async def _list_numbered(
    session: AsyncSession, question: Question, conditions: list[ColumnElement[bool]], known: _Known
) -> Sequence[_Found]:
    """Notices with a number of the question; if there are none and it is nothing but a part of a number, those that begin with it, or else
    contain it. Newest first."""
    key = Opportunity.number_key
    tried = [key == func.any(literal(list(question.numbers), ARRAY(Text)))] if question.numbers else []
    if question.number:
        tried += [key.startswith(question.number), key.contains(question.number)]
    for has_number in tried:
        newest = select(*_FOUND).where(*conditions, has_number).order_by(_SAMPLES_LAST, Opportunity.posted_at.desc())
        if found := [known.note(row) for row in await session.execute(newest.limit(_NUMBERED))]:
            return found
    return []


async def _scores(
    session: AsyncSession,
    question: Question,
    conditions: list[ColumnElement[bool]],
    meaning: Meaning | None,
    known: _Known,
    *,
    is_narrow: bool | None,
) -> tuple[Mapping[_Found, float], Mapping[_Found, float]]:
    """Of the best by words, and of the best by meaning. A question without a word that counts has neither."""
    lexemes, statistics = await _lexemes_of(session, question.words)
    if not lexemes:
        return {}, {}
    by_words = {known.note(row): -row[-1] for row in await _by_words(session, lexemes, statistics, conditions)}
    by_meaning = await _by_meaning(session, meaning, conditions, is_narrow=is_narrow) if meaning else ()
    cosines = {known.note(row): 1 - row[-1] for row in by_meaning}
    if not by_words and max(cosines.values(), default=0) < _LEAST_COSINE_ALONE:
        return {}, {}
    return by_words, cosines


_LEXEME = (
    func.unnest(func.to_tsvector(literal_column("'english'"), bindparam("words", type_=Text)))
    .table_valued("lexeme", "positions", "weights")
    .render_derived()
)
_EVERYTHING = select(OpportunityWord.notices).where(OpportunityWord.place == _ALL).scalar_subquery()
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
    term = sql_cast(retrieval.any_of(rarest), TSQUERY)
    is_rare = statistics.found_in[retrieval.place_of(rarest[0])] <= _CANDIDATES
    column = Opportunity.search if is_rare else Opportunity.title_search
    having = select(*_FOUND).where(*conditions, column.op("@@", return_type=Boolean())(term))
    newest = having.order_by(Opportunity.posted_at.desc()).limit(_CANDIDATES).subquery()
    # Right after an import, words that are not weighed yet are weighed here.
    unweighed = select(_WEIGHTS).where(Opportunity.id == newest.c.id).scalar_subquery()
    asked = sql_cast(retrieval.words_vector(weights), SPARSEVEC(retrieval.WORD_DIMENSION))
    distance = func.coalesce(OpportunityWords.words, unweighed).op("<#>", return_type=Float())(asked).label("distance")
    scored = select(*newest.c, distance).outerjoin_from(newest, OpportunityWords, OpportunityWords.opportunity_id == newest.c.id)
    best = scored.order_by(distance, newest.c.posted_s.desc(), newest.c.id).limit(retrieval.DEPTH)
    return [row for row in await session.execute(best) if row[-1] < 0]


_WEIGHTS = func.word_weights(
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
    distance = select(_distance(OpportunityVector.vector.expression, meaning)).where(of_notice).scalar_subquery()
    compared = select(some.c.id, distance.label("distance")).where(are_few)
    nearest = compared.order_by(literal_column("distance")).limit(retrieval.DEPTH).subquery()
    described = select(*_FOUND, nearest.c.distance).join(nearest, nearest.c.id == Opportunity.id)
    return (await session.execute(described.where(nearest.c.distance.is_not(None)))).all()


async def _nearest(
    session: AsyncSession, meaning: Meaning, conditions: list[ColumnElement[bool]], *, limit: int
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The nearest, nearest first, each with its distance, by the index of the model if there is one."""
    dimension = len(meaning.vector)
    stored, of_model = OpportunityVector.vector.expression, OpportunityVector.model_id == meaning.model_id
    if dimension <= _MAX_INDEXED_DIMENSION:
        # The planner takes the partial index only for this cast, and a model's id that stands in the statement.
        stored = sql_cast(OpportunityVector.vector, HALFVEC(dimension))
        of_model = OpportunityVector.model_id == literal_column("'" + meaning.model_id.replace("'", "''") + "'")
    distance = _distance(stored, meaning)
    found = (
        select(*_FOUND, distance)
        .select_from(OpportunityVector)
        .join(Opportunity, Opportunity.id == OpportunityVector.opportunity_id)
    )
    return (await session.execute(found.where(of_model, *conditions).order_by(distance).limit(limit))).all()


def _distance(stored: ColumnElement[Any], meaning: Meaning) -> ColumnElement[float]:
    asked = sql_cast(HalfVector(meaning.vector), HALFVEC(len(meaning.vector)))
    return stored.op("<=>", return_type=Float())(asked).label("distance")


def _is_embedded(id: ColumnElement[UUID], meaning: Meaning | None) -> ColumnElement[bool]:
    if meaning is None:
        return literal(False)
    return exists().where(OpportunityVector.opportunity_id == id, OpportunityVector.model_id == meaning.model_id)


async def passages_of(session: AsyncSession, ids: Sequence[UUID], words: str) -> Mapping[UUID, str]:
    """The part of each description with most of these words, marked as `ts_headline` is told to; else its beginning."""
    config = literal_column("'english'")
    term = func.to_tsvector(config, words)
    any_word = func.array_to_string(func.tsvector_to_array(term), " or ")
    beginning = func.left(OpportunityText.description, _PASSAGE_CHARACTERS)
    headline = func.ts_headline(config, beginning, func.websearch_to_tsquery(literal_column("'simple'"), any_word), _HEADLINE)
    rows = await session.execute(select(OpportunityText.opportunity_id, headline).where(OpportunityText.opportunity_id.in_(ids)))
    return {row[0]: row[1] for row in rows}


async def stream(
    session: AsyncSession,
    query: OpportunityQuery,
    labelled: Select[UUID] | None,
    columns: Sequence[str],
    *,
    ranked: Ranked | None = None,
) -> AsyncIterator[Sequence[Any]]:
    """Every matching opportunity in the order of `page`, read from the server bit by bit."""
    chosen = select(*(getattr(OpportunityText if name in _TEXTS else Opportunity, name) for name in columns)).join(
        OpportunityText, OpportunityText.opportunity_id == Opportunity.id
    )
    ordered = chosen.where(*_found_in(query, labelled, ranked)).order_by(*_order(query, ranked))
    async for row in await session.stream(ordered):
        yield row


async def lock_existing(session: AsyncSession, opportunity_ids: Collection[UUID]) -> Sequence[UUID]:
    """Which of these there are. Nobody can remove them until the transaction ends."""
    found = select(Opportunity.id).where(Opportunity.id.in_(opportunity_ids))
    return (await session.scalars(found.with_for_update(read=True, key_share=True))).all()


async def get(session: AsyncSession, opportunity_id: UUID) -> Mapping[str, Any]:
    """Every column of one opportunity. Raises NotFound."""
    left_out = {"search", "title_search", "number_key", "content_hash", "uploaded_by"}
    columns = [column for name, column in Opportunity.__table__.columns.items() if name not in left_out]
    texts = (getattr(OpportunityText, name) for name in _TEXTS)
    seen_at = OpportunitySighting.seen_at.label("last_seen_at")
    joined = (
        select(*columns, *texts, seen_at, is_open_at(now()).label("is_open"), _NOTICES, _AWARD_NOTICE)
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


async def set_job(session: AsyncSession, run_id: UUID, job_id: UUID) -> str | None:
    """Returns the name of the run's file."""
    run = update(ImportRun).where(ImportRun.id == run_id).values(job_id=job_id)
    return await session.scalar(run.returning(ImportRun.filename))


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
    order = (is_open_at(now()).desc(), Opportunity.posted_at.desc())
    # First the ids: sorting all notices must not read all their texts.
    ids = select(Opportunity.id).where(_lacks_vector(model_id)).order_by(*order).limit(limit)
    joined = select(Opportunity.id, Opportunity.version, words).join(OpportunityText)
    rows = await session.execute(joined.where(Opportunity.id.in_(ids.scalar_subquery())).order_by(*order))
    return [(id, version, words) for id, version, words in rows]


_SPELLED = f"""
    SELECT to_tsvector('simple', title || ' ' || left(description, {_SPELLED_CHARACTERS}))
    FROM opportunity JOIN opportunity_text ON opportunity_id = id
"""  # noqa: S608 (a constant)


async def weigh_words(session: AsyncSession, *, limit: int) -> bool:
    """Weigh the words of opportunities that lack it, and tell whether there were any."""
    await _change_alone(session)
    lacks = not_(exists().where(OpportunityWords.opportunity_id == Opportunity.id))
    some = select(Opportunity.id, _WEIGHTS).where(lacks).limit(limit)
    added = insert(OpportunityWords).from_select(["opportunity_id", "words"], some).returning(OpportunityWords.opportunity_id)
    return bool((await session.scalars(added)).all())


async def count_words(session: AsyncSession) -> None:
    """Count anew in how many opportunities each word occurs, and learn how words are spelled."""
    await database.acquire_lock(session, "opportunity_word")
    await session.execute(delete(OpportunityWord))
    words = func.ts_stat("SELECT search FROM opportunity").table_valued("word", "ndoc", "nentry")
    place, notices = func.word_place(words.c.word), func.sum(words.c.ndoc)
    each = select(place, notices).group_by(place).having(notices > _RARE)
    everything = select(literal(_ALL), func.count()).select_from(Opportunity)
    await session.execute(insert(OpportunityWord).from_select(["place", "notices"], each.union_all(everything)))
    await session.execute(delete(OpportunitySpelling))
    spelled = func.ts_stat(_SPELLED).table_valued("word", "ndoc", "nentry")
    known = select(spelled.c.word, spelled.c.ndoc).where(
        spelled.c.ndoc >= _LEAST_SPELLED, spelled.c.word.regexp_match("^[a-z]{5,40}$")
    )
    await session.execute(insert(OpportunitySpelling).from_select(["word", "notices"], known))


async def refresh_search_statistics(session: AsyncSession) -> None:
    """For the end of an embedding, so that searches are fast at once."""
    await database.refresh_statistics(session, OpportunityWords, OpportunityWord, OpportunitySpelling, OpportunityVector)


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


async def list_unread(session: AsyncSession, *, limit: int) -> list[tuple[UUID, str, str, str]]:
    """(id, title, description, agency) of opportunities whose words have not been read."""
    unread = not_(exists().where(OpportunityTerms.opportunity_id == Opportunity.id))
    agency = func.coalesce(func.nullif(Opportunity.sub_agency, ""), Opportunity.agency)
    joined = select(Opportunity.id, Opportunity.title, func.left(OpportunityText.description, _READ_CHARACTERS), agency)
    rows = await session.execute(joined.join(OpportunityText).where(unread).limit(limit))
    return [(id, title, description, of) for id, title, description, of in rows]


async def add_terms(session: AsyncSession, terms: Mapping[UUID, bytes]) -> None:
    """Keep the words of opportunities that still exist."""
    there = await session.scalars(select(Opportunity.id).where(Opportunity.id.in_(list(terms))))
    if rows := [{"opportunity_id": id, "terms": terms[id]} for id in there]:
        await session.execute(upsert(OpportunityTerms).on_conflict_do_nothing(), rows)


async def sorting_owners(session: AsyncSession) -> Sequence[UUID]:
    """Accounts that have ever sorted, always in the same order."""
    owners = select(Job.owner_id).where(Job.kind == CategorizeOpportunities.job_kind, Job.owner_id.is_not(None)).distinct()
    return [id for id in await session.scalars(owners.order_by(Job.owner_id)) if id is not None]


async def count_sortable(session: AsyncSession, model_id: str) -> int:
    return await session.scalar(select(func.count()).select_from(_sortable(model_id).subquery())) or 0


async def sortable_after(
    session: AsyncSession, model_id: str, after: UUID | None, *, is_open: bool, limit: int
) -> list[tuple[UUID, bytes, bytes]]:
    """(id, words, vector of this model) of opportunities that are open, or of those that are not, in the order of their ids."""
    condition = is_open_at(now())
    found = _sortable(model_id).where(condition if is_open else not_(condition))
    if after is not None:
        found = found.where(OpportunityTerms.opportunity_id > after)
    rows = await session.execute(found.order_by(OpportunityTerms.opportunity_id).limit(limit))
    return [(id, terms, vector) for id, terms, vector in rows]


async def sortable_of(session: AsyncSession, model_id: str, ids: Sequence[UUID]) -> list[tuple[UUID, bytes, bytes]]:
    """Like `sortable_after`, of these."""
    found: list[tuple[UUID, bytes, bytes]] = []
    for start in range(0, len(ids), _SORTED_AT_ONCE):
        some = OpportunityTerms.opportunity_id.in_(ids[start : start + _SORTED_AT_ONCE])
        found += [(id, terms, vector) for id, terms, vector in await session.execute(_sortable(model_id).where(some))]
    return found


async def sortable_sample(session: AsyncSession, model_id: str, *, limit: int) -> list[tuple[UUID, bytes, bytes]]:
    """Like `sortable_after`, the same few each time: ids are random."""
    rows = await session.execute(_sortable(model_id).order_by(OpportunityTerms.opportunity_id.desc()).limit(limit))
    return [(id, terms, vector) for id, terms, vector in rows]


def _sortable(model_id: str) -> Select[UUID, bytes, bytes]:
    # Its binary form is read much faster than its text.
    vector = func.halfvec_send(OpportunityVector.vector, type_=LargeBinary())
    joined = select(OpportunityTerms.opportunity_id, OpportunityTerms.terms, vector).join(
        OpportunityVector, OpportunityVector.opportunity_id == OpportunityTerms.opportunity_id
    )
    return joined.join(Opportunity, Opportunity.id == OpportunityTerms.opportunity_id).where(
        OpportunityVector.model_id == model_id
    )


def open_ids() -> Select[UUID]:
    return select(Opportunity.id).where(is_open_at(now()))


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
    if dimension > _MAX_INDEXED_DIMENSION or await session.scalar(text("SELECT to_regclass(:name)"), {"name": name}):
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
    nearest = await _nearest(session, Meaning(model_id, vector), [], limit=limit + 1)
    return [(row[0], 1 - row[-1]) for row in nearest if row[0] != leave_out][:limit]
