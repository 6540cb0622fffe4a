"""All queries of facts, limited to the workspace that owns them. Row-level security hides facts of documents that the reader may not see.

A proposal is listed once: not if it states the same as a fact that was decided, or as an earlier proposal. It is settled, and no longer
listed, if a fact that has been accepted since then disagrees with it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Select, Subquery, Text, and_, case, cast, delete, func, or_, select, true
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.facts.models import OrganizationFact
from fundwright.facts.schemas import FactCounts, FactQuery, FactState
from fundwright.reading.facts import FactField, FactKind, FactStatus

_DESCRIPTIVE = (FactField.WORK, FactField.QUALIFICATIONS)
"""What documents say about the same thing in words of their own, without disagreeing."""


class Documents(NamedTuple):
    """Those that the reader's questions and drafts search, and the sample documents."""

    searched: Select[UUID]
    samples: Select[UUID]


def _counts(fact: type[OrganizationFact], documents: Documents) -> ColumnElement[bool]:
    """Whether a fact counts: an accepted one is the organization's, and others count while their document is searched."""
    is_ours = and_(fact.state == FactState.ACCEPTED, fact.document_id.not_in(documents.samples))
    return or_(fact.document_id.is_(None), is_ours, fact.document_id.in_(documents.searched))


def _judged(owner_id: UUID, documents: Documents, *, about: ColumnElement[bool] | None = None) -> Subquery:
    """Select the id and the kind of each fact of a workspace with what others make of it. It `is_open` if it is a proposal to decide, `is_listed` if
    it is that or was decided, and `is_repeated` if it is a proposal that states the same as a fact that was decided, or as an earlier proposal. It
    `has_rival` if an accepted fact disagrees, and `is_disputed` if a proposal to decide disagrees, or if it is a proposal with such a rival.

    Two facts about the same thing disagree if their status differs, or a value that both have. Each value is compared with four others of its
    field: the two that were accepted last, and the first and the last one that are to decide. So the time grows with the number of facts and not
    of pairs; and it does so whatever number of facts the database expects, because windows sort.
    """
    fact = OrganizationFact
    counts, is_proposed = _counts(fact, documents), fact.state == FactState.PROPOSED
    same = func.bool_or(~is_proposed).over(partition_by=fact.digest)
    place = func.row_number().over(partition_by=(fact.digest, and_(is_proposed, counts)), order_by=(fact.created_at, fact.id))
    equal = (fact.kind, fact.key, fact.values, fact.status)
    corrected = func.bool_or(fact.read_values.is_not(None)).over(partition_by=equal)
    status = func.jsonb_build_object("", case((fact.status != FactStatus.OF_OTHERS, fact.status)))
    own = case((fact.status != FactStatus.OF_OTHERS, fact.values.op("-")(cast(_DESCRIPTIVE, ARRAY(Text)))), else_=cast({}, JSONB))
    considered = select(
        *(fact.id, fact.kind, fact.key, fact.state, fact.created_at, fact.decided_at),
        counts.label("counts"),
        and_(is_proposed, or_(same, place > 1, corrected)).label("is_repeated"),
        status.op("||")(own).label("compared"),
    ).where(fact.owner_id == owner_id, *(() if about is None else (about,)))
    facts = considered.subquery()
    each = func.jsonb_each_text(facts.c.compared).table_valued("field", "value").render_derived().lateral()
    one = select(*facts.c, each.c.field, func.lower(each.c.value).label("value")).join_from(facts, each, true()).subquery().c

    is_accepted = and_(one.state == FactState.ACCEPTED, one.counts, one.value.is_not(None))
    about_it = (one.kind, one.key, one.field)
    one = _with(one, value_at=func.max(one.decided_at).filter(is_accepted).over(partition_by=(*about_it, one.value)))
    about_it, latest_first = (one.kind, one.key, one.field), (one.value_at.desc().nulls_last(), one.value)
    one = _with(
        one,
        latest=func.first_value(one.value).over(partition_by=about_it, order_by=latest_first),
        latest_at=func.first_value(one.value_at).over(partition_by=about_it, order_by=latest_first),
    )
    is_other = one.value != one.latest
    second_at = func.max(one.value_at).filter(is_other).over(partition_by=(one.kind, one.key, one.field))
    one = _with(one, other_at=case((is_other, one.latest_at), (one.value == one.latest, second_at)))
    one = _with(one, rival_at=func.max(one.other_at).over(partition_by=one.id))
    is_settled = func.coalesce(one.rival_at >= one.created_at, False)
    one = _with(one, is_open=and_(one.state == FactState.PROPOSED, one.counts, ~one.is_repeated, ~is_settled))
    about_it = (one.kind, one.key, one.field)
    one = _with(
        one,
        first=func.min(one.value).filter(one.is_open).over(partition_by=about_it),
        last=func.max(one.value).filter(one.is_open).over(partition_by=about_it),
    )
    one = _with(one, differs=func.bool_or(or_(one.value != one.first, one.value != one.last)).over(partition_by=one.id))
    has_rival, is_decided = one.rival_at.is_not(None), one.state != FactState.PROPOSED
    return (
        select(
            *(one.id, one.kind, one.is_repeated, one.is_open, has_rival.label("has_rival")),
            or_(and_(is_decided, one.counts), one.is_open).label("is_listed"),
            and_(one.state == FactState.ACCEPTED, one.counts).label("is_accepted"),
            and_(one.state != FactState.REJECTED, or_(func.coalesce(one.differs, False), and_(~is_decided, has_rival))).label(
                "is_disputed"
            ),
        )
        .where(one.field == "")  # the status, which each fact has
        .subquery()
    )


def _with(columns: ReadOnlyColumnCollection[str, Any], **more: ColumnElement[Any]) -> ReadOnlyColumnCollection[str, Any]:
    """Select further columns, which the next ones may be made of."""
    return select(*columns, *(column.label(name) for name, column in more.items())).subquery().c


def _facts_of(judged: Subquery) -> type[OrganizationFact]:
    """The whole facts, to join. Each is found by its id: with `OFFSET`, the database does not compare each with all others instead, if it
    expects few."""
    return aliased(OrganizationFact, select(OrganizationFact).where(OrganizationFact.id == judged.c.id).offset(0).lateral())


async def page(
    session: AsyncSession, owner_id: UUID, query: FactQuery, documents: Documents
) -> tuple[Sequence[tuple[OrganizationFact, bool]], int]:
    """Return facts, each with whether it is disputed."""
    judged = _judged(owner_id, documents)
    fact = _facts_of(judged)
    found = select(fact, judged.c.is_disputed).join_from(judged, fact, true()).where(*_conditions(query, judged, fact))
    kind = case({kind.value: place for place, kind in enumerate(FactKind)}, value=fact.kind)
    columns = {"kind": kind, "title": fact.key, "created_at": fact.created_at, "decided_at": fact.decided_at}
    listed = await session.execute(
        found.add_columns(func.count().over())  # in the same pass, which compares each fact with others
        .order_by(ordered_by(query, columns, default=kind), kind, fact.key, fact.created_at, fact.id)
        .offset(query.offset)
        .limit(query.page_size)
        .execution_options(populate_existing=True)
    )
    rows = listed.all()
    total = rows[0][2] if rows else await count_all(session, found.with_only_columns(fact.id)) if query.offset else 0
    return [(each, disputed) for each, disputed, _ in rows], total


def _conditions(query: FactQuery, judged: Subquery, fact: type[OrganizationFact]) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [judged.c.is_listed]
    if query.is_disputed is not None:
        found.append(judged.c.is_disputed if query.is_disputed else ~judged.c.is_disputed)
    if query.state != "all" and not query.is_disputed:
        found.append(fact.state == query.state)
    if query.kind is not None:
        found.append(fact.kind == query.kind)
    if query.status is not None:
        found.append(fact.status == query.status)
    if query.document is not None:
        found.append(fact.document_id == query.document)
    if query.text.strip():
        words = func.jsonb_path_query_array(fact.values, cast("$.*", JSONPATH))
        found.append(contains(query.text.strip(), cast(words, Text), fact.record))
    return found


async def count(session: AsyncSession, owner_id: UUID, documents: Documents) -> FactCounts:
    each = _judged(owner_id, documents).c
    to_decide, disputed, accepted = (
        func.count().filter(condition) for condition in (each.is_open, and_(each.is_listed, each.is_disputed), each.is_accepted)
    )
    rows = (await session.execute(select(each.kind, to_decide, disputed, accepted).group_by(each.kind))).all()
    return FactCounts(
        to_decide={FactKind(kind): count for kind, count, _, _ in rows if count},
        disputed=sum(count for _, _, count, _ in rows),
        accepted=sum(count for _, _, _, count in rows),
    )


async def list_accepted(session: AsyncSession, owner_id: UUID, documents: Documents) -> Sequence[OrganizationFact]:
    """Return the accepted facts about the organization's data and certifications, the latest decision first."""
    fact = OrganizationFact
    found = _accepted(owner_id, documents).where(fact.kind.in_((FactKind.DETAIL, FactKind.CERTIFICATION)))
    return (await session.scalars(found.order_by(fact.decided_at.desc(), fact.id))).all()


def _accepted(owner_id: UUID, documents: Documents) -> Select[OrganizationFact]:
    fact = OrganizationFact
    return select(fact).where(fact.owner_id == owner_id, fact.state == FactState.ACCEPTED, _counts(fact, documents))


async def for_drafts(
    session: AsyncSession, owner_id: UUID, documents: Documents, *, restricted: Select[UUID]
) -> list[tuple[OrganizationFact, bool, bool, bool]]:
    """Return current facts: accepted ones first, and then proposed ones of the searched documents that no accepted one disagrees with. Each
    comes with whether it is disputed, whether its document is searched, and whether that is restricted."""
    judged = _judged(owner_id, documents)
    fact = _facts_of(judged)
    is_searched, is_restricted = (
        func.coalesce(fact.document_id.in_(chosen), False) for chosen in (documents.searched, restricted)
    )
    is_usable = and_(fact.state == FactState.PROPOSED, is_searched, ~judged.c.is_repeated, ~judged.c.has_rival)
    found = (
        select(fact, judged.c.is_disputed, is_searched, is_restricted)
        .join_from(judged, fact, true())
        .where(fact.status == FactStatus.CURRENT, or_(judged.c.is_accepted, is_usable))
    )
    kind = case({kind.value: place for place, kind in enumerate(FactKind)}, value=fact.kind)
    ordered = found.order_by(judged.c.is_accepted.desc(), kind, fact.document_id, fact.start, fact.id)
    rows = await session.execute(ordered.execution_options(populate_existing=True))
    return [(each, is_disputed, is_searched, is_restricted) for each, is_disputed, is_searched, is_restricted in rows]


async def list_all(session: AsyncSession, owner_id: UUID) -> Sequence[OrganizationFact]:
    """Return everything that is kept, also of documents in the trash, oldest first."""
    fact = OrganizationFact
    return (await session.scalars(select(fact).where(fact.owner_id == owner_id).order_by(fact.created_at, fact.id))).all()


async def get(session: AsyncSession, owner_id: UUID, fact_id: UUID, documents: Documents) -> tuple[OrganizationFact, bool]:
    """Return a fact with whether it is disputed. Raises NotFound, also for one that is hidden from the reader."""
    one, same = aliased(OrganizationFact), aliased(OrganizationFact)
    kind, key = (
        select(column).where(one.owner_id == owner_id, one.id == fact_id).scalar_subquery() for column in (one.kind, one.key)
    )
    digests = select(same.digest).where(same.owner_id == owner_id, same.kind == kind, same.key == key)
    fact = OrganizationFact
    judged = _judged(owner_id, documents, about=or_(and_(fact.kind == kind, fact.key == key), fact.digest.in_(digests)))
    fact = _facts_of(judged)
    found = select(fact, judged.c.is_disputed).join_from(judged, fact, true()).where(judged.c.id == fact_id)
    row = (await session.execute(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(t("The fact"))
    return row[0], row[1]


async def lock(session: AsyncSession, owner_id: UUID, fact_ids: Collection[UUID]) -> Sequence[OrganizationFact]:
    """Return those of the facts that there are. No other request can change them until the transaction ends."""
    fact = OrganizationFact
    wanted = select(fact).where(fact.owner_id == owner_id, fact.id.in_(fact_ids)).order_by(fact.id)
    return (await session.scalars(wanted.with_for_update().execution_options(populate_existing=True))).all()


async def lock_of_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> Sequence[OrganizationFact]:
    """Return what a document states, locked like with `lock`."""
    fact = OrganizationFact
    wanted = select(fact).where(fact.owner_id == owner_id, fact.document_id == document_id).order_by(fact.id)
    return (await session.scalars(wanted.with_for_update().execution_options(populate_existing=True))).all()


async def refresh_statistics(session: AsyncSession) -> None:
    """Refresh the planner's statistics. Without those of many new facts, it compares each fact with all others."""
    await database.refresh_statistics(session, OrganizationFact)


async def add(session: AsyncSession, fact: dict[str, object]) -> bool:
    """Return whether there was no fact with its id yet."""
    added = insert(OrganizationFact).values(fact).on_conflict_do_nothing(index_elements=[OrganizationFact.id])
    return await session.scalar(added.returning(OrganizationFact.id)) is not None


async def remove(session: AsyncSession, fact_ids: Collection[UUID]) -> None:
    await session.execute(delete(OrganizationFact).where(OrganizationFact.id.in_(fact_ids)))


async def list_owners(session: AsyncSession, document_ids: Collection[UUID]) -> Sequence[UUID]:
    """Return the workspaces with facts of these documents."""
    fact = OrganizationFact
    return (await session.scalars(select(fact.owner_id).where(fact.document_id.in_(document_ids)).distinct())).all()


async def forget_documents(
    session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID], *, wholly: ColumnElement[bool]
) -> None:
    """Remove the facts of documents but those that are accepted, and these, too, of the documents that are `wholly` forgotten."""
    fact = OrganizationFact
    await session.execute(
        delete(fact).where(
            fact.owner_id == owner_id,
            fact.document_id.in_(document_ids),
            or_(fact.state != FactState.ACCEPTED, wholly),
        )
    )
