"""What people did in a workspace: recording and listing it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission, WorkspaceRole
from fundwright.activity import repository
from fundwright.activity.models import Activity
from fundwright.activity.schemas import (
    KEPT,
    ActivePerson,
    ActivityKind,
    ActivityQuery,
    ActivityRead,
    Combining,
    SentencePart,
    Subject,
)
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.database import acquire_lock, now
from fundwright.core.live import publish
from fundwright.core.messages import Message, from_stored, nt, t, to_stored
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import installation
from fundwright.core.spreadsheets import csv_lines

_SOON = timedelta(minutes=30)
_JUST_NOW = timedelta(minutes=1)
_MARKS = re.compile("(\x00[ps])")
_MOST_RELATED = 1_000


def activity_topic(owner_id: UUID) -> str:
    """The live topic of a workspace's activity."""
    return f"activity:{owner_id}"


def list_kinds(core: Core) -> dict[str, ActivityKind]:
    """Return all kinds by name."""
    kinds: list[ActivityKind] = core.plugins.collect("activity_kinds")
    return {kind.name: kind for kind in kinds}


def refuse_unknown_kind(core: Core, query: ActivityQuery) -> None:
    """Raise Invalid, naming kinds that there are."""
    refuse_unknown_values(query, kind=list_kinds(core))


@needs(Permission.READ)
async def record(
    session: AsyncSession,
    actor: Actor,
    kind: ActivityKind,
    subject: Subject,
    *,
    related: Collection[UUID] = (),
    **details: str | Message,
) -> None:
    """Add an entry to the activity of the actor's workspace, in the caller's transaction. Earlier entries about the subject get its
    current title and path. `related` are the ids of other things whose activity it belongs to. `after` in the details is the title that
    the subject got then: it stays.
    """
    stored = {name: to_stored(value) for name, value in details.items()}
    if kind.combining is not Combining.NEVER:
        latest = await _find_latest(session, actor, kind, subject, stored)
        if latest is not None:
            await _combine(session, kind, latest, subject, related)
            return
    entry = Activity(
        owner_id=actor.workspace_id,
        account_id=None if kind.is_automatic else actor.id,
        kind=kind.name,
        subject_kind=subject.kind,
        subject_id=subject.id,
        subject_title=subject.title,
        path=subject.path,
        related_ids=list(related),
        details=stored,
    )
    await repository.update_subject(session, actor.workspace_id, subject)
    session.add(entry)
    await session.flush()
    await publish(session, activity_topic(actor.workspace_id))


async def update_subject(session: AsyncSession, owner_id: UUID, subject: Subject) -> None:
    """Give the entries about a subject its current title and path."""
    await repository.update_subject(session, owner_id, subject)
    await publish(session, activity_topic(owner_id))


async def unlink(session: AsyncSession, subject_ids: Collection[UUID]) -> None:
    """Remove the paths of things that are deleted."""
    await repository.unlink(session, subject_ids)


@needs(Permission.READ)
async def take_back(
    session: AsyncSession, actor: Actor, kind: ActivityKind, subject: Subject, *, related: Collection[UUID] = ()
) -> None:
    """Undo the last `record` of a kind that is combined, unless it is over for the day."""
    latest = await _find_latest(session, actor, kind, subject, {})
    if latest is None:
        return
    latest.times -= 1
    latest.related_ids = [id for id in latest.related_ids if id not in related]
    if not latest.times:
        await session.delete(latest)
    await session.flush()
    await publish(session, activity_topic(actor.workspace_id))


async def _find_latest(
    session: AsyncSession, actor: Actor, kind: ActivityKind, subject: Subject, details: Mapping[str, str]
) -> Activity | None:
    await acquire_lock(session, f"activity:{actor.workspace_id}:{actor.id}:{kind.name}:{subject.id}")
    moment = now()
    since = moment - _SOON if kind.combining is Combining.SOON else _midnight_before(moment, zone_of(actor))
    return await repository.find_latest(
        session, actor.workspace_id, actor.id, kind.name, subject.id, since=since, details=details
    )


async def _combine(
    session: AsyncSession, kind: ActivityKind, latest: Activity, subject: Subject, related: Collection[UUID]
) -> None:
    if kind.combining is Combining.SOON and latest.at > now() - _JUST_NOW:
        return  # someone is typing: an entry a minute is enough
    latest.at = now()
    latest.times += 1
    latest.subject_title, latest.path = subject.title, subject.path
    latest.related_ids = [*dict.fromkeys([*latest.related_ids, *related])][-_MOST_RELATED:]
    await session.flush()
    await publish(session, activity_topic(latest.owner_id))


@needs(Permission.READ)
def zone_of(actor: Actor) -> ZoneInfo:
    """The time zone in which the days of the actor begin: the one chosen under Account, or else that of the browser, or else UTC."""
    return ZoneInfo(actor.time_zone or actor.browser_time_zone or "UTC")


def _midnight_before(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


@needs(Permission.READ)
async def list_activity(session: AsyncSession, actor: Actor, core: Core, query: ActivityQuery) -> Page[ActivityRead]:
    """Return the activity of the actor's workspace, newest first unless `sort` is `at`."""
    kinds = list_kinds(core)
    rows, total = await repository.page(
        session,
        actor.workspace_id,
        query,
        zone_of(actor),
        stand_ins=[kind.name for kind in kinds.values() if kind.stands_in],
        is_owner=actor.workspace_role is WorkspaceRole.OWNER,
    )
    items = [_read(row, kinds, of=query.subject_id) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def export_activity(session: AsyncSession, actor: Actor, core: Core, query: ActivityQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    kinds = list_kinds(core)

    def named(entry: ActivityRead, what: str) -> str:
        return next((part.text for part in entry.parts if part.names == what), "")

    columns: list[tuple[str, Callable[[ActivityRead], object]]] = [
        (t("When"), lambda entry: entry.at),
        (t("Who"), lambda entry: named(entry, "person")),
        (t("Kind"), lambda entry: kinds[entry.kind].label if entry.kind in kinds else entry.kind),
        (t("Target"), lambda entry: named(entry, "subject")),
        (t("Activity"), lambda entry: entry.sentence),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_activity(session, actor, core, page), query)):
        yield line


@needs(Permission.READ)
async def list_people(session: AsyncSession, actor: Actor) -> list[ActivePerson]:
    """Return everyone with an entry in the actor's workspace, by name, also former members."""
    return await repository.list_people(session, actor.workspace_id)


async def forget(session: AsyncSession, subject_ids: Collection[UUID], *, stand_in: ActivityKind) -> None:
    """Remove the entries about things that are deleted and were not visible to the whole workspace, and those that stand in for them."""
    await repository.remove_of(session, subject_ids, stand_in=stand_in.name)


async def remove_old(core: Core) -> None:
    """Remove what happened more than a year ago. Opens its own transaction."""
    async with core.database.transaction(scope=installation("old activity")) as session:
        await repository.remove_before(session, now() - KEPT)


def _read(row: repository.Entry, kinds: Mapping[str, ActivityKind], *, of: UUID | None) -> ActivityRead:
    """`of` is the subject whose entries are read: one related to an entry was affected once."""
    entry = row[0]
    times = 1 if of is not None and of in entry.related_ids else entry.times
    return ActivityRead(
        id=entry.id,
        at=entry.at,
        kind=entry.kind,
        person_id=entry.account_id,
        subject_kind=entry.subject_kind,
        subject_id=entry.subject_id,
        path=entry.path,
        times=times,
        parts=tuple(_parts(row, kinds.get(entry.kind), times)),
    )


def _parts(row: repository.Entry, kind: ActivityKind | None, times: int) -> list[SentencePart]:
    """The sentence of an entry. That of a package which is no longer installed is replaced by the name of its kind."""
    entry, person, member = row
    sentence = kind.sentence if kind else Message(f"{{person}}: {entry.kind}, {{subject}}")
    values = {name: from_stored(value) for name, value in entry.details.items()} | {"person": "\x00p", "subject": "\x00s"}
    text = nt(sentence.text, sentence.plural, times, **values) if sentence.plural else t(sentence.text, **values)
    title = from_stored(entry.details["after"]) if "after" in entry.details else entry.subject_title
    named = {
        "\x00p": SentencePart(text=person or t("Former member"), names="person"),
        "\x00s": SentencePart(text=title or member or t("Former member"), names="subject"),
    }
    return [named.get(piece) or SentencePart(text=piece) for piece in _MARKS.split(text) if piece]
