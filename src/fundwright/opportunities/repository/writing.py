"""Writes imported batches."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any, cast
from uuid import UUID

from sqlalchemy import (
    TextClause,
    delete,
    exists,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.messages import t
from fundwright.opportunities.incoming import COPIED, KEYS, TEXTS, Batch, copy_text
from fundwright.opportunities.models import (
    ImportRejection,
    ImportRun,
    Opportunity,
    OpportunitySighting,
    OpportunityText,
    OpportunityVersion,
)
from fundwright.opportunities.schemas import (
    ImportCounts,
    ImportWarnings,
)
from fundwright.opportunities.sources import RejectedRow, Source

_OFFERED_CHARACTERS = 500
"""A longer agency or type, which only a broken file contains, is not offered as a filter. It would not fit into an index, either.
"""

EMBEDDED_CHARACTERS = 800
"""Characters of a description that are embedded. To change this, add a migration that deletes the vectors; the next start computes
them again."""
READ_CHARACTERS = 500
"""Characters of a description that the classifier reads."""

_COPIED_TYPES = {
    "position": "int", "posted_at": "timestamptz", "due_at": "timestamptz", "archive_at": "timestamptz",
    "closes_at": "timestamptz", "activity_codes": "text[]", "assistance_listings": "text[]", "contacts": "jsonb", "raw": "jsonb",
    "award_amount": "numeric", "award_ceiling": "numeric", "award_floor": "numeric", "total_funding": "numeric",
    "expected_awards": "int",
}  # fmt: skip
_CONTENT = tuple(name for name in COPIED if name not in ("position", *TEXTS))

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
    CROSS JOIN LATERAL (SELECT to_tsvector('english', keep_names(i.title)) AS title) t
    CROSS JOIN LATERAL (
        SELECT setweight(t.title, 'A')
            || setweight(to_tsvector('english', keep_names(concat_ws(' ', i.number, i.agency, i.sub_agency, i.office))), 'B')
            || setweight(to_tsvector('english', keep_names(left(i.description, 100000))), 'D')
            || setweight(to_tsvector('english', concat_ws(' ', i.naics, i.psc, i.set_aside_code, i.set_aside)), 'C')
            || setweight(to_tsvector('english', keep_names(coalesce(state_of(i.place), ''))), 'C') AS everything
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
    INSERT INTO opportunity_text (opportunity_id, {", ".join(TEXTS)})
    SELECT v.opportunity_id, {", ".join(f"i.{name}" for name in TEXTS)}
    FROM opportunity_incoming i JOIN opportunity_verdict v USING (position)
    WHERE v.verdict IN ('new', 'changed')
    ON CONFLICT (opportunity_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in TEXTS)}
""")  # noqa: S608 (names of columns only)
_KEEP_REPLACED = text("""
    UPDATE opportunity_version old SET raw = t.raw, description = t.description
    FROM opportunity_verdict v JOIN opportunity o ON o.id = v.opportunity_id JOIN opportunity_text t USING (opportunity_id)
    WHERE v.verdict = 'changed' AND old.opportunity_id = o.id AND old.number = o.version
""")
_REPLACE = text(f"""
    WITH replaced AS (
        UPDATE opportunity o
        SET version = v.version, updated_at = now(), is_sample = :is_sample, uploaded_by = CAST(:uploader AS uuid),
            title_search = t.title, search = s.everything, {", ".join(f"{name} = i.{name}" for name in _CONTENT)}
        FROM opportunity_incoming i JOIN opportunity_verdict v USING (position) {_VECTORS}
        WHERE v.verdict = 'changed' AND o.id = v.opportunity_id
        RETURNING o.id, o.search, o.title, o.agency, o.sub_agency, i.description
    ), difference AS (
        SELECT opportunity_id, new.search <> old.search AS in_words,
               new.title <> old.title OR left(new.description, {EMBEDDED_CHARACTERS}) <> left(t.description, {EMBEDDED_CHARACTERS})
                   AS in_meaning,
               new.title <> old.title OR left(new.description, {READ_CHARACTERS}) <> left(t.description, {READ_CHARACTERS})
                   OR new.agency <> old.agency OR new.sub_agency <> old.sub_agency AS in_terms
        FROM replaced new JOIN opportunity old USING (id) JOIN opportunity_text t ON t.opportunity_id = id
    ), unweighed AS (
        DELETE FROM opportunity_words f USING difference d WHERE d.in_words AND f.opportunity_id = d.opportunity_id
    ), unread AS (
        DELETE FROM opportunity_terms f USING difference d WHERE d.in_terms AND f.opportunity_id = d.opportunity_id
    )
    DELETE FROM opportunity_vector f USING difference d WHERE d.in_meaning AND f.opportunity_id = d.opportunity_id
""")  # noqa: S608 (constants only)
"""Replaces notices and deletes what was computed from a text that differs: every part of the statement reads the old rows."""
_ADD_VERSIONS = text("""
    INSERT INTO opportunity_version (id, opportunity_id, number, content_hash, seen_at, import_run_id)
    SELECT gen_random_uuid(), v.opportunity_id, v.version, k.content_hash, now(), :run
    FROM opportunity_key k JOIN opportunity_verdict v USING (position) WHERE v.verdict IN ('new', 'changed')
""")
_SEE = text("""
    INSERT INTO opportunity_sighting (opportunity_id, import_run_id, seen_at)
    SELECT opportunity_id, :run, now() FROM opportunity_verdict WHERE verdict NOT IN ('repeated', 'refused')
    ON CONFLICT (opportunity_id) DO UPDATE SET import_run_id = excluded.import_run_id, seen_at = excluded.seen_at
""")


def _update_facets(sign: str, condition: str) -> TextClause:
    """Add opportunities to the facet counts, or subtract them. `condition` selects them from the table, aliased as `o`."""
    return text(f"""
        INSERT INTO opportunity_facet (kind, facet, value, label, number)
        SELECT o.kind, f.facet, f.value, max(f.label), {sign} count(*)
        FROM opportunity o CROSS JOIN LATERAL (
            VALUES ('agency', o.agency, o.agency), ('type', o.type, o.type), ('source', o.source, o.source),
                   ('set_aside', o.set_aside_code, coalesce(nullif(o.set_aside, ''), o.set_aside_code)),
                   (CASE WHEN o.is_sample THEN 'sample' ELSE 'own' END, 'all', '')
            UNION ALL SELECT 'activity_code', code, code FROM unnest(o.activity_codes) code
        ) f (facet, value, label)
        WHERE {condition} AND length(f.value) BETWEEN 1 AND {_OFFERED_CHARACTERS}
        GROUP BY o.kind, f.facet, f.value
        ON CONFLICT (kind, facet, value) DO UPDATE
        SET number = opportunity_facet.number + excluded.number, label = greatest(opportunity_facet.label, excluded.label)
    """)  # noqa: S608 (constants only)


_SUBTRACT_FACETS = _update_facets("-", "o.id IN (SELECT opportunity_id FROM opportunity_verdict WHERE verdict = 'changed')")
_ADD_FACETS = _update_facets("+", "o.id IN (SELECT opportunity_id FROM opportunity_verdict WHERE verdict IN ('new', 'changed'))")
_SUBTRACT_SAMPLE_FACETS = _update_facets("-", "o.is_sample AND o.kind = ANY(:kinds)")
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
_REPEATED = text("""
    SELECT k.external_id FROM opportunity_key k JOIN opportunity_verdict v USING (position) WHERE v.verdict = 'repeated' ORDER BY position
""")
_LEFT_OUT = text("""
    SELECT k.line, k.external_id, v.verdict FROM opportunity_key k JOIN opportunity_verdict v USING (position)
    WHERE v.verdict = 'refused' OR v.verdict = 'repeated' AND NOT v.is_same
""")


async def merge(
    session: AsyncSession, batch: Batch, source: Source, *, run_id: UUID, uploader: UUID | None, is_sample: bool = False
) -> ImportCounts:
    """Merge a batch: add new notices, add new versions of changed ones, and record why rows were left out. Can be repeated safely.
    Returns the counts of the batch.

    With an `uploader`, only samples and notices that this account uploaded are changed. Without one, the batch belongs to the
    installation, which may change every notice. From then on, the notice belongs to the installation, even if an account uploaded
    the same id before.
    """
    rejections = list(batch.rejections)
    new = changed = unchanged = 0
    repeated: Sequence[str] = ()
    if batch.rows:
        await change_alone(session)
        for statement in _STAGE:
            await session.execute(text(statement))
        named = {"source": source.name, "kind": source.kind, "run": run_id, "is_sample": is_sample, "uploader": uploader}
        await _copy(session, "opportunity_key", KEYS, batch.keys)
        await session.execute(_JUDGE, named)
        new, changed, unchanged, transferred = (await session.execute(_COUNT)).one()
        positions = await session.scalars(_TO_COPY)
        await _copy(session, "opportunity_incoming", COPIED, [batch.rows[position] for position in positions])
        if new:
            await session.execute(_ADD, named)
        if changed:
            await session.execute(_SUBTRACT_FACETS)
            await session.execute(_KEEP_REPLACED)
            await session.execute(_REPLACE, named)
        if new or changed:
            await session.execute(_ADD_FACETS)
            await session.execute(_ADD_TEXTS)
            await session.execute(_ADD_VERSIONS, named)
        if transferred:
            await session.execute(_TAKE_OVER)
        await session.execute(_SEE, named)
        repeated = (await session.scalars(_REPEATED)).all()
        rejections += [
            RejectedRow(line, "", _reason(verdict, external_id))
            for line, external_id, verdict in await session.execute(_LEFT_OUT)
        ]
    if rejections:
        rows = [{"import_run_id": run_id, "line": r.line, "column": r.column, "reason": r.reason} for r in rejections]
        await session.execute(insert(ImportRejection), rows)
    warnings = ImportWarnings() + ImportWarnings(
        deadlines=len(batch.deadlines),
        first_deadlines=batch.deadlines,
        duplicates=len(repeated),
        duplicate_ids=list(repeated),
        unused_columns=batch.unused_columns,
    )
    counts = ImportCounts(new=new, changed=changed, unchanged=unchanged, rejected=len(rejections), warnings=warnings)
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


async def change_alone(session: AsyncSession) -> None:
    """Serialize changes of opportunities. Otherwise, two imports could add the same notice, or deadlock on each other's facets."""
    await database.acquire_lock(session, "opportunities")


async def _copy(session: AsyncSession, table: str, columns: Sequence[str], rows: list[str]) -> None:
    if not rows:
        return
    content = await asyncio.to_thread(copy_text, rows)
    connection = await (await session.connection()).get_raw_connection()
    cursor = cast(Any, connection.driver_connection).cursor()
    async with cursor, cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        await copy.write(content)


async def has_sample(session: AsyncSession) -> bool:
    """The answer holds until the transaction ends."""
    await change_alone(session)
    return bool(await session.scalar(select(exists().where(Opportunity.is_sample))))


async def remove_sample(session: AsyncSession, kinds: Collection[str]) -> list[UUID]:
    await change_alone(session)
    await session.execute(_SUBTRACT_SAMPLE_FACETS, {"kinds": list(kinds)})
    samples = delete(Opportunity).where(Opportunity.is_sample, Opportunity.kind.in_(kinds))
    removed = await session.scalars(samples.returning(Opportunity.id))
    return list(removed)


async def refresh_statistics(session: AsyncSession) -> None:
    """Refresh the planner's statistics at the end of an import. `Opportunity` itself is vacuumed."""
    await database.refresh_statistics(session, OpportunityText, OpportunityVersion, OpportunitySighting)
