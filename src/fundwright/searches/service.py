"""Saving searches, and what their readers have seen of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from datetime import datetime
from uuid import UUID, uuid4, uuid5

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs, refuse_support
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.categories import service as categories
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict
from fundwright.core.live import publish
from fundwright.core.messages import later, number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import Kind, OpportunityQuery, kind_label
from fundwright.searches import repository
from fundwright.searches.events import NEW_MATCHES
from fundwright.searches.models import SavedSearch
from fundwright.searches.repository import Found
from fundwright.searches.schemas import (
    MOST_NEW,
    SavedSearchForm,
    SavedSearchName,
    SavedSearchQuery,
    SavedSearchRead,
    SearchedQuery,
)
from fundwright.trash import service as trash
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.restrictions import RestrictableItem
from fundwright.workspaces.schemas import Access, RestrictionForm, RestrictionRead

SEARCH = "saved_search"
"""The kind of saved searches in the trash, in activity, and of restrictions."""

_REPEATED = UUID("2c1d9a57-8f0e-4f0b-9a35-6a6de1f5c7b4")
"""The namespace of ids of searches that may be sent repeatedly."""

SAVED = ActivityKind("search.saved", later("Search saved"), later("{person} saved the search “{subject}”"))
RENAMED = ActivityKind(
    "search.renamed", later("Saved search renamed"), later("{person} renamed the saved search “{before}” to “{subject}”")
)
CHANGED = ActivityKind(
    "search.changed",
    later("Saved search changed"),
    later("{person} changed the saved search “{subject}”"),
    combining=Combining.SOON,
)
ACTIVITY = (SAVED, RENAMED, CHANGED)


_OTHERWISE: Kind = "contract"
MOST_SEARCHES = 200
"""Saved searches of a workspace."""


class TooManySearches(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "A workspace can have at most {most} saved searches. Move some that are no longer needed to the trash.",
                most=number(MOST_SEARCHES),
            )
        )


def topics_of(workspace_id: UUID, account_id: UUID) -> tuple[str, str]:
    """The live topics of changes of the workspace's saved searches, and of what the account has seen of them."""
    return _searches_topic(workspace_id), _seen_topic(workspace_id, account_id)


def _searches_topic(workspace_id: UUID) -> str:
    return f"searches:{workspace_id}"


def _seen_topic(workspace_id: UUID, account_id: UUID) -> str:
    return f"searches-seen:{workspace_id}:{account_id}"


@needs(Permission.WORK)
async def save(session: AsyncSession, actor: Actor, form: SavedSearchForm) -> SavedSearchRead:
    """Save a search, and follow it. Raises NotFound for a category of another workspace, or TooManySearches."""
    await _check_category(session, actor, form.query)
    await acquire_lock(session, _searches_topic(actor.workspace_id))
    id = uuid5(_REPEATED, f"{actor.workspace_id} {actor.id} {form.model_dump_json()}") if form.key else uuid4()
    saved_at = now()
    is_new = await repository.add(
        session,
        {
            "id": id,
            "owner_id": actor.workspace_id,
            "name": form.name,
            "query": _stored(form.query),
            "created_by": actor.id,
            "created_at": saved_at,
            "changed_at": saved_at,
        },
    )
    if not is_new:
        return await get_search(session, actor, id)
    async with across_workspaces(session, "saved searches"):  # some may be hidden from the actor
        if await repository.count(session, actor.workspace_id) > MOST_SEARCHES:
            raise TooManySearches
    search = (await repository.get(session, actor.workspace_id, actor.id, id)).search
    await activity.record(session, actor, SAVED, subject_of(search))
    await follow(session, actor, id)
    await publish(session, _searches_topic(actor.workspace_id))
    return await get_search(session, actor, id)


@needs(Permission.READ)
async def get_search(session: AsyncSession, actor: Actor, search_id: UUID) -> SavedSearchRead:
    """Raises NotFound."""
    return (await _read(session, actor, [await repository.get(session, actor.workspace_id, actor.id, search_id)]))[0]


@needs(Permission.READ)
async def list_searches(session: AsyncSession, actor: Actor, query: SavedSearchQuery) -> Page[SavedSearchRead]:
    """Return the workspace's saved searches, by name unless `sort` names a field."""
    found, total = await repository.page(session, actor.workspace_id, actor.id, query)
    return Page(items=await _read(session, actor, found), total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_searches(session: AsyncSession, actor: Actor, core: Core, query: SavedSearchQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[SavedSearchRead], object]]] = [
        (t("Name"), lambda search: search.name),
        (t("Kind"), lambda search: kind_label(search.kind)),
        (t("Saved by"), lambda search: search.saved_by),
        (t("Saved"), lambda search: search.created_at),
        (t("Changed"), lambda search: search.changed_at),
        (t("New"), lambda search: search.new),
        (t("Followed"), lambda search: search.is_followed),
        (t("Link"), lambda search: f"{core.settings.address}{search.path}"),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_searches(session, actor, page), query))


@needs(Permission.WORK)
async def rename(session: AsyncSession, actor: Actor, search_id: UUID, given: SavedSearchName) -> SavedSearchRead:
    """Raises NotFound, or NotAllowed if the search is restricted and the actor may not edit it."""
    search = await _lock(session, actor, search_id)
    if given.name != search.name:
        before, search.name, search.changed_at = search.name, given.name, now()
        await activity.record(session, actor, RENAMED, subject_of(search), before=before, after=given.name)
    return await _changed(session, actor, search)


@needs(Permission.WORK)
async def change_query(session: AsyncSession, actor: Actor, search_id: UUID, query: SearchedQuery) -> SavedSearchRead:
    """Replace the words, filters, and order. Raises NotFound, also for a category of another workspace, or NotAllowed like `rename`."""
    search = await _lock(session, actor, search_id)
    await _check_category(session, actor, query)
    if (given := _stored(query)) != search.query:
        search.query, search.changed_at = given, now()
        await activity.record(session, actor, CHANGED, subject_of(search))
    return await _changed(session, actor, search)


async def _changed(session: AsyncSession, actor: Actor, search: SavedSearch) -> SavedSearchRead:
    await session.flush()
    await publish(session, _searches_topic(actor.workspace_id))
    return await get_search(session, actor, search.id)


async def _lock(session: AsyncSession, actor: Actor, search_id: UUID) -> SavedSearch:
    """Raises NotFound, also for a search that is hidden from the actor, or NotAllowed."""
    search = await repository.lock(session, actor.workspace_id, search_id)
    await restrictions.require(session, actor, search_id)
    return search


@needs(Permission.READ)
async def note_opened(session: AsyncSession, actor: Actor, search_id: UUID) -> None:
    """Record that the actor has opened the search: what the actor was told of it counts as read, and its matches are no longer new, unless
    notices are still being imported or sorted. Nothing is recorded of an administrator with support access. Raises NotFound."""
    search = (await repository.get(session, actor.workspace_id, actor.id, search_id)).search
    if not actor.is_support:
        if until := await _settled_until(session, actor):
            await repository.note_seen(session, actor.workspace_id, actor.id, search_id, until)
        await notifications.mark_seen_of(session, actor, NEW_MATCHES, path_of(search))
        await publish(session, _seen_topic(actor.workspace_id, actor.id))


async def _settled_until(session: AsyncSession, actor: Actor) -> datetime | None:
    """Return when the newest notice was first imported. None, also while other notices are being imported, indexed, or sorted into the
    categories of the actor's workspace: a search may find these later."""
    if actor.workspace_id in await opportunities.categorizing_workspaces(session):
        return None
    return await opportunities.settled_until(session)


@needs(Permission.READ)
async def follow(session: AsyncSession, actor: Actor, search_id: UUID) -> None:
    """Tell the actor of new matches from now on; while notices are being imported or sorted, of those since the actor last opened the
    search or, if never, since it was saved. Raises NotFound, or NotAllowed for an administrator with support access."""
    await _follow(session, actor, search_id, is_followed=True)


@needs(Permission.READ)
async def unfollow(session: AsyncSession, actor: Actor, search_id: UUID) -> None:
    """No longer tell the actor of new matches. Raises NotFound, or NotAllowed for an administrator with support access."""
    await _follow(session, actor, search_id, is_followed=False)


async def _follow(session: AsyncSession, actor: Actor, search_id: UUID, *, is_followed: bool) -> None:
    refuse_support(actor)
    found = await repository.get(session, actor.workspace_id, actor.id, search_id)
    until = await _settled_until(session, actor)
    if found.reader is None:
        await repository.note_seen(session, actor.workspace_id, actor.id, search_id, until or found.search.created_at)
    await repository.follow(session, actor.id, search_id, is_followed=is_followed, until=until)
    await publish(session, _seen_topic(actor.workspace_id, actor.id))


@needs(Permission.WORK)
async def delete(session: AsyncSession, actor: Actor, search_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a saved search to the trash. Raises NotFound, or NotAllowed if it is restricted and the actor may not edit it."""
    search = await _lock(session, actor, search_id)
    await trash.put_in(session, actor, SEARCH, search, title=search.name)
    await audit.record(session, "search.deleted", actor=actor, subject=str(search_id), client=client)
    await publish(session, _searches_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, _core: Core, search: SavedSearch) -> None:
    """Take a saved search out of the trash. Its followers follow it again."""
    await trash.take_out(session, actor, search)
    await publish(session, _searches_topic(actor.workspace_id))


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[SavedSearchRead]:
    """Return the saved searches in the actor's trash."""
    found = await repository.list_trashed(session, actor.workspace_id)
    return await _read(session, actor, [Found(search, None) for search in found])


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, search_id: UUID) -> RestrictionRead:
    """Return who sees a saved search. Raises NotFound."""
    return await restrictions.get_restriction(session, actor, core, SEARCH, search_id)


@needs(Permission.READ)
async def get_restrictable(session: AsyncSession, actor: Actor, search_id: UUID) -> RestrictableItem:
    """Return who saved a search, and its name. Raises NotFound."""
    search = (await repository.get(session, actor.workspace_id, actor.id, search_id)).search
    return RestrictableItem(made_by=search.created_by, subject=subject_of(search))


@needs(Permission.WORK)
async def restrict(
    session: AsyncSession, actor: Actor, core: Core, search_id: UUID, form: RestrictionForm, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Restrict a saved search to chosen members of the workspace. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.restrict(session, actor, core, SEARCH, search_id, form, client=client)


@needs(Permission.WORK)
async def lift_restriction(
    session: AsyncSession, actor: Actor, core: Core, search_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the workspace see a saved search again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.lift(session, actor, core, SEARCH, search_id, client=client)


@needs(Permission.READ)
async def restriction_changed(session: AsyncSession, actor: Actor, _core: Core, search_id: UUID) -> None:
    """Forget the readers from whom a saved search is hidden now, and announce the change."""
    async with across_workspaces(session, "saved searches"):  # row-level security shows each reader only to itself
        readers = await repository.list_readers(session, search_id)
    seeing = await restrictions.may_be_told(session, actor, search_id, readers)
    async with across_workspaces(session, "saved searches"):
        await repository.forget_readers(session, search_id, set(readers) - seeing)
    await publish(session, _searches_topic(actor.workspace_id))


def path_of(search: SavedSearch, **more: object) -> str:
    """The path of the list that shows what the search finds. `more` are parameters of the screen."""
    return opportunities.list_path(query_of(search), saved=search.id, **more)


def query_of(search: SavedSearch) -> SearchedQuery:
    """What the search finds, without filters that are no longer valid; contracts if that is the kind."""
    try:
        return SearchedQuery.model_validate(search.query)
    except ValidationError as error:
        invalid = {found["loc"][0] for found in error.errors()}
        valid = {name: value for name, value in search.query.items() if name not in invalid}
        return SearchedQuery.model_validate({"kind": _OTHERWISE, **valid})


def _stored(query: SearchedQuery) -> dict[str, object]:
    return query.model_dump(mode="json", exclude_defaults=True)


def subject_of(search: SavedSearch) -> Subject:
    """The saved search as the subject of activity."""
    return Subject(SEARCH, search.id, search.name, path_of(search))


async def _check_category(session: AsyncSession, actor: Actor, query: OpportunityQuery) -> None:
    """Raises NotFound, also for a category of another workspace."""
    if query.category is not None:
        await categories.get_category(session, actor, query.category)


async def _read(session: AsyncSession, actor: Actor, found: Collection[Found]) -> list[SavedSearchRead]:
    names = await workspaces.names_of(session, actor, [each.search.created_by for each in found])
    access = await restrictions.access_to(session, actor, [each.search.id for each in found])
    return [await _read_one(session, actor, each, names, access) for each in found]


async def _read_one(
    session: AsyncSession,
    actor: Actor,
    found: Found,
    names: Mapping[UUID | None, str],
    access: Mapping[UUID, Access | None],
) -> SavedSearchRead:
    search, reader = found
    query, seen_until = query_of(search), reader.seen_until if reader else search.created_at
    unseen = query.model_copy(update={"added_after": seen_until})
    return SavedSearchRead(
        id=search.id,
        name=search.name,
        query=query,
        path=path_of(search),
        saved_by=names.get(search.created_by, ""),
        created_at=search.created_at,
        changed_at=search.changed_at,
        is_followed=reader is not None and reader.is_followed,
        seen_until=seen_until,
        new=await opportunities.count_matching(session, actor, unseen, limit=MOST_NEW + 1),
        access=access.get(search.id),
    )
