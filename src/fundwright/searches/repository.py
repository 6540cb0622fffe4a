"""All queries of saved searches, limited to the workspace that owns them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.searches.models import SavedSearch, SavedSearchReader
from fundwright.searches.schemas import SavedSearchQuery
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import restricted_ids

_kind = SavedSearch.query["kind"].astext


class Found(NamedTuple):
    """A saved search with what its reader has seen of it; None if the reader has never opened it."""

    search: SavedSearch
    reader: SavedSearchReader | None


class Follower(NamedTuple):
    workspace_id: UUID
    account_id: UUID


def _read_by(account_id: UUID) -> Select[SavedSearch, SavedSearchReader]:
    read = (SavedSearchReader.search_id == SavedSearch.id) & (SavedSearchReader.account_id == account_id)
    found = select(SavedSearch, SavedSearchReader).outerjoin(SavedSearchReader, read)
    return found.execution_options(populate_existing=True)


async def count(session: AsyncSession, owner_id: UUID) -> int:
    return await count_all(session, select(SavedSearch.id).where(SavedSearch.owner_id == owner_id))


async def page(session: AsyncSession, owner_id: UUID, account_id: UUID, query: SavedSearchQuery) -> tuple[list[Found], int]:
    found = _read_by(account_id).where(*_conditions(owner_id, account_id, query))
    name = func.lower(SavedSearch.name)
    columns = {"name": name, "kind": _kind, "created_at": SavedSearch.created_at, "changed_at": SavedSearch.changed_at}
    order = ordered_by(query, columns, default=name.asc())
    rows = await session.execute(found.order_by(order, SavedSearch.id).offset(query.offset).limit(query.page_size))
    return [Found(search, reader) for search, reader in rows], await count_all(session, found)


def _conditions(owner_id: UUID, account_id: UUID, query: SavedSearchQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [SavedSearch.owner_id == owner_id]
    if query.text.strip():
        found.append(contains(query.text.strip(), SavedSearch.name))
    if query.kind is not None:
        found.append(_kind == query.kind)
    if query.is_own is not None:
        found.append(SavedSearch.created_by.is_not_distinct_from(account_id) == query.is_own)
    if query.is_followed is not None:
        found.append(func.coalesce(SavedSearchReader.is_followed, False) == query.is_followed)
    if query.is_restricted is not None:
        found.append(SavedSearch.id.in_(restricted_ids(owner_id)) == query.is_restricted)
    return found


async def add(session: AsyncSession, search: dict[str, object]) -> bool:
    """Return whether there was no search with its id yet."""
    added = insert(SavedSearch).values(search).on_conflict_do_nothing(index_elements=[SavedSearch.id]).returning(SavedSearch.id)
    return await session.scalar(added) is not None


async def get(session: AsyncSession, owner_id: UUID, account_id: UUID, search_id: UUID) -> Found:
    """Raises NotFound, also for another workspace's search and for one in the trash."""
    found = _read_by(account_id).where(SavedSearch.owner_id == owner_id, SavedSearch.id == search_id)
    row = (await session.execute(found)).one_or_none()
    if row is None:
        raise NotFound(t("The saved search"))
    return Found(*row)


async def lock(session: AsyncSession, owner_id: UUID, search_id: UUID) -> SavedSearch:
    """Raises NotFound, like `get`."""
    wanted = select(SavedSearch).where(SavedSearch.owner_id == owner_id, SavedSearch.id == search_id)
    search = await session.scalar(wanted.with_for_update().execution_options(populate_existing=True))
    if search is None:
        raise NotFound(t("The saved search"))
    return search


async def list_trashed(session: AsyncSession, owner_id: UUID) -> Sequence[SavedSearch]:
    """Return the saved searches in the workspace's trash, oldest first."""
    trashed = select(SavedSearch).where(trash.in_trash_of(owner_id, SavedSearch))
    return (await session.scalars(trashed.order_by(SavedSearch.created_at, SavedSearch.id))).all()


async def note_seen(session: AsyncSession, owner_id: UUID, account_id: UUID, search_id: UUID, until: datetime) -> None:
    """Record that the member has seen all matches that were imported until then."""
    seen = {"seen_until": until, "told_until": until}
    added = insert(SavedSearchReader).values(
        search_id=search_id, account_id=account_id, owner_id=owner_id, is_followed=False, **seen
    )
    await session.execute(added.on_conflict_do_update(index_elements=["search_id", "account_id"], set_=seen))


async def follow(session: AsyncSession, account_id: UUID, search_id: UUID, *, is_followed: bool, until: datetime | None) -> None:
    """Change whether the member is told of matches that are imported after `until`; None leaves since when."""
    read = update(SavedSearchReader).where(SavedSearchReader.search_id == search_id, SavedSearchReader.account_id == account_id)
    since = {} if until is None else {"told_until": until}
    await session.execute(read.where(SavedSearchReader.is_followed != is_followed).values(is_followed=is_followed, **since))


async def list_readers(session: AsyncSession, search_id: UUID) -> Sequence[UUID]:
    return (await session.scalars(select(SavedSearchReader.account_id).where(SavedSearchReader.search_id == search_id))).all()


async def forget_readers(session: AsyncSession, search_id: UUID, account_ids: Collection[UUID]) -> None:
    gone = delete(SavedSearchReader).where(SavedSearchReader.search_id == search_id)
    await session.execute(gone.where(SavedSearchReader.account_id.in_(account_ids)))


# Telling followers


async def list_due(session: AsyncSession, newest: datetime, busy: Collection[UUID]) -> Sequence[Follower]:
    """Return the followers, of all workspaces except the `busy` ones, who have not been told of notices that were imported until
    `newest`."""
    due = select(SavedSearchReader.owner_id, SavedSearchReader.account_id).join(
        SavedSearch, SavedSearch.id == SavedSearchReader.search_id
    )
    due = due.where(
        SavedSearchReader.is_followed,
        SavedSearchReader.told_until < newest,
        SavedSearch.owner_id == SavedSearchReader.owner_id,
        SavedSearchReader.owner_id.not_in(busy),
    )
    return [Follower(*row) for row in await session.execute(due.distinct().order_by(*due.selected_columns))]


async def lock_due(session: AsyncSession, follower: Follower, newest: datetime) -> list[tuple[SavedSearch, SavedSearchReader]]:
    """Return the searches of which the follower is told now, except what another worker is telling."""
    due = select(SavedSearch, SavedSearchReader).join(SavedSearchReader, SavedSearchReader.search_id == SavedSearch.id)
    due = due.where(
        SavedSearch.owner_id == follower.workspace_id,
        SavedSearchReader.account_id == follower.account_id,
        SavedSearchReader.is_followed,
        SavedSearchReader.told_until < newest,
    )
    rows = await session.execute(
        due.order_by(func.lower(SavedSearch.name), SavedSearch.id)
        .with_for_update(of=SavedSearchReader, skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return [(search, reader) for search, reader in rows]


async def skip(session: AsyncSession, follower: Follower, newest: datetime) -> None:
    """Count the follower as told: for one who may not see anything now."""
    due = update(SavedSearchReader).where(
        SavedSearchReader.owner_id == follower.workspace_id,
        SavedSearchReader.account_id == follower.account_id,
        SavedSearchReader.told_until < newest,
    )
    await session.execute(due.values(told_until=newest))
