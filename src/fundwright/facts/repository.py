"""All queries of facts, limited to the workspace that owns them. Row-level security hides facts of documents that the reader may not see.

A proposal is listed once: not if it states the same as a fact that was decided, or as an earlier proposal. It is settled, and no longer
listed, if a fact that has been accepted since then disagrees with it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Text, and_, case, cast, delete, func, or_, select
from sqlalchemy.dialects.postgresql import JSONPATH, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.orm.util import AliasedClass

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.facts.models import OrganizationFact
from fundwright.facts.schemas import FactQuery, FactState
from fundwright.reading.facts import FactField, FactKind, FactStatus

_DESCRIPTIVE = (FactField.WORK, FactField.QUALIFICATIONS)
"""What documents say about the same thing in words of their own, without disagreeing."""

_Facts = type[OrganizationFact] | AliasedClass[OrganizationFact]

_OTHER, _CORRECTED, _ACCEPTED, _PROPOSED = (aliased(OrganizationFact) for _ in range(4))
"""Kept, because making an alias takes longer than the rest of a query that uses it."""


class Documents(NamedTuple):
    """Those that the reader's questions and drafts search, and the sample documents."""

    searched: Select[UUID]
    samples: Select[UUID]


def _counts(fact: _Facts, documents: Documents) -> ColumnElement[bool]:
    """Whether a fact counts: an accepted one is the organization's, and others count while their document is searched."""
    is_ours = and_(fact.state == FactState.ACCEPTED, fact.document_id.not_in(documents.samples))
    return or_(fact.document_id.is_(None), is_ours, fact.document_id.in_(documents.searched))


def _is_about_the_same(fact: _Facts, other: _Facts) -> ColumnElement[bool]:
    return and_(other.owner_id == fact.owner_id, other.kind == fact.kind, other.key == fact.key, other.id != fact.id)


@cache
def _disagrees(fact: _Facts, other: _Facts) -> ColumnElement[bool]:
    """Whether two facts about the same thing differ in their status or in a value that both have."""
    mine = func.jsonb_each_text(fact.values).table_valued("field", "value").render_derived().lateral()
    others = func.jsonb_each_text(other.values).table_valued("field", "value").render_derived().lateral()
    differing = (
        select(mine.c.field)
        .join(others, mine.c.field == others.c.field)
        .where(mine.c.field.not_in(_DESCRIPTIVE), func.lower(mine.c.value) != func.lower(others.c.value))
    )
    return and_(
        _is_about_the_same(fact, other),
        fact.status != FactStatus.OF_OTHERS,
        other.status != FactStatus.OF_OTHERS,
        or_(fact.status != other.status, differing.exists()),
    )


def _is_repeated(fact: _Facts, documents: Documents) -> ColumnElement[bool]:
    """Whether a proposal states the same as a fact that was decided, or as an earlier proposal."""
    is_earlier = and_(
        _OTHER.state == FactState.PROPOSED,
        _counts(_OTHER, documents),
        or_(_OTHER.created_at < fact.created_at, and_(_OTHER.created_at == fact.created_at, _OTHER.id < fact.id)),
    )
    equal = select(_OTHER.id).where(
        _OTHER.owner_id == fact.owner_id,
        _OTHER.digest == fact.digest,
        _OTHER.id != fact.id,
        or_(_OTHER.state != FactState.PROPOSED, is_earlier),
    )
    corrected_to_it = select(_CORRECTED.id).where(
        _is_about_the_same(fact, _CORRECTED),
        _CORRECTED.read_values.is_not(None),
        _CORRECTED.values == fact.values,
        _CORRECTED.status == fact.status,
    )
    return and_(fact.state == FactState.PROPOSED, or_(equal.exists(), corrected_to_it.exists()))


def _has_accepted_rival(fact: _Facts, documents: Documents, *, is_later: bool = False) -> ColumnElement[bool]:
    """Whether a fact was accepted that disagrees, or only, with `is_later`, since this one was read."""
    found = select(_ACCEPTED.id).where(
        _ACCEPTED.state == FactState.ACCEPTED, _counts(_ACCEPTED, documents), _disagrees(fact, _ACCEPTED)
    )
    return (found.where(_ACCEPTED.decided_at >= fact.created_at) if is_later else found).exists()


def _is_open(fact: _Facts, documents: Documents) -> ColumnElement[bool]:
    """Whether a fact is a proposal to decide."""
    return and_(
        fact.state == FactState.PROPOSED,
        _counts(fact, documents),
        ~_is_repeated(fact, documents),
        ~_has_accepted_rival(fact, documents, is_later=True),
    )


def _is_disputed(documents: Documents) -> ColumnElement[bool]:
    """Whether a proposal to decide disagrees with this fact, or this one is a proposal to decide and disagrees with an accepted fact."""
    fact = OrganizationFact
    proposed = select(_PROPOSED.id).where(_disagrees(fact, _PROPOSED), _is_open(_PROPOSED, documents))
    return and_(
        fact.state != FactState.REJECTED,
        or_(proposed.exists(), and_(fact.state == FactState.PROPOSED, _has_accepted_rival(fact, documents))),
    )


async def page(
    session: AsyncSession, owner_id: UUID, query: FactQuery, documents: Documents
) -> tuple[Sequence[tuple[OrganizationFact, bool]], int]:
    """Return facts, each with whether it is disputed."""
    fact, is_disputed = OrganizationFact, _is_disputed(documents)
    found = select(fact, is_disputed).where(fact.owner_id == owner_id, *_conditions(query, documents, is_disputed))
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


def _conditions(query: FactQuery, documents: Documents, is_disputed: ColumnElement[bool]) -> list[ColumnElement[bool]]:
    fact = OrganizationFact
    is_listed = or_(and_(fact.state != FactState.PROPOSED, _counts(fact, documents)), _is_open(fact, documents))
    found = [is_listed]
    if query.is_disputed is not None:
        found.append(is_disputed if query.is_disputed else ~is_disputed)
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


async def count_to_decide(session: AsyncSession, owner_id: UUID, documents: Documents) -> dict[FactKind, int]:
    fact = OrganizationFact
    found = select(fact.kind, func.count()).where(fact.owner_id == owner_id, _is_open(fact, documents)).group_by(fact.kind)
    return {FactKind(kind): count for kind, count in await session.execute(found)}


async def count_disputed(session: AsyncSession, owner_id: UUID, documents: Documents) -> int:
    fact, is_disputed = OrganizationFact, _is_disputed(documents)
    conditions = _conditions(FactQuery(is_disputed=True), documents, is_disputed)
    return await count_all(session, select(fact.id).where(fact.owner_id == owner_id, *conditions))


async def count_accepted(session: AsyncSession, owner_id: UUID, documents: Documents) -> int:
    return await count_all(session, _accepted(owner_id, documents).with_only_columns(OrganizationFact.id))


async def list_accepted(session: AsyncSession, owner_id: UUID, documents: Documents) -> Sequence[OrganizationFact]:
    """Return the accepted facts about the organization's data and certifications, the latest decision first."""
    fact = OrganizationFact
    found = _accepted(owner_id, documents).where(fact.kind.in_((FactKind.DETAIL, FactKind.CERTIFICATION)))
    return (await session.scalars(found.order_by(fact.decided_at.desc(), fact.id))).all()


def _accepted(owner_id: UUID, documents: Documents) -> Select[OrganizationFact]:
    fact = OrganizationFact
    return select(fact).where(fact.owner_id == owner_id, fact.state == FactState.ACCEPTED, _counts(fact, documents))


async def for_drafts(session: AsyncSession, owner_id: UUID, documents: Documents) -> list[tuple[OrganizationFact, bool, bool]]:
    """Return current facts: accepted ones first, and then proposed ones of the searched documents that no accepted one disagrees with. Each
    comes with whether it is disputed, and whether its document is searched."""
    fact = OrganizationFact
    is_accepted = fact.state == FactState.ACCEPTED
    is_usable = and_(
        fact.state == FactState.PROPOSED,
        fact.document_id.in_(documents.searched),
        ~_is_repeated(fact, documents),
        ~_has_accepted_rival(fact, documents),
    )
    found = select(fact, _is_disputed(documents), func.coalesce(fact.document_id.in_(documents.searched), False)).where(
        fact.owner_id == owner_id,
        fact.status == FactStatus.CURRENT,
        or_(and_(is_accepted, _counts(fact, documents)), is_usable),
    )
    kind = case({kind.value: place for place, kind in enumerate(FactKind)}, value=fact.kind)
    ordered = found.order_by(is_accepted.desc(), kind, fact.document_id, fact.start, fact.id)
    rows = await session.execute(ordered.execution_options(populate_existing=True))
    return [(each, is_disputed, is_searched) for each, is_disputed, is_searched in rows]


async def list_all(session: AsyncSession, owner_id: UUID) -> Sequence[OrganizationFact]:
    """Return everything that is kept, also of documents in the trash, oldest first."""
    fact = OrganizationFact
    return (await session.scalars(select(fact).where(fact.owner_id == owner_id).order_by(fact.created_at, fact.id))).all()


async def get(session: AsyncSession, owner_id: UUID, fact_id: UUID, documents: Documents) -> tuple[OrganizationFact, bool]:
    """Return a fact with whether it is disputed. Raises NotFound, also for one that is hidden from the reader."""
    fact = OrganizationFact
    found = select(fact, _is_disputed(documents)).where(fact.owner_id == owner_id, fact.id == fact_id)
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
