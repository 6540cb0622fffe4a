"""What people did: the activity of a workspace, and that of one document, draft, category, or opportunity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import groupby
from uuid import UUID
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from pydantic import BaseModel
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivePerson, ActivityQuery, ActivityRead, SentencePart
from fundwright.core.choices import unknown_values
from fundwright.core.database import now
from fundwright.core.messages import current_language, nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import (
    day_filter,
    existing_page,
    export_button,
    has_filters,
    list_bar,
    narrow,
    no_match,
    pages,
    search_box,
    use_listing,
)
from fundwright_ui.ui import Option, empty, icon, loading, moment, pagination, problem, section, select_field, stack
from fundwright_ui.ui.elements import Child

_EXPORT = "/api/activity/export.csv"
_SHOWN_BESIDE = 5
_ICONS: Mapping[str, str] = {
    "category": "category",
    "document": "train",
    "draft": "generate",
    "member": "people",
    "pursuit": "pipeline",
    "workspace": "people",
}


class Feed(BaseModel):
    """What the feed of a workspace shows."""

    entries: Page[ActivityRead]
    people: list[ActivePerson]


@component
def activity_feed() -> VdomDict:
    """The activity of the workspace by day, with filters."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(ActivityQuery, url)
    kinds = activity.list_kinds(connection.core)
    url.report(["kind"], unknown_values(query, kind=kinds))

    async def read(session: AsyncSession) -> Feed:
        return Feed(
            entries=await existing_page(partial(activity.list_activity, session, actor, connection.core), query),
            people=await activity.list_people(session, actor),
        )

    listing = use_listing(
        read,
        query,
        lambda feed: feed.entries,
        id=lambda entry: entry.id,
        key=[actor.workspace_id],
        topics=[activity.activity_topic(actor.workspace_id)],
    )
    feed = listing.answer
    if feed is None:
        return listing.pending(t("Loading activity"))
    if not feed.entries.total and not listing.rows.shown and not has_filters(query):
        return empty(
            t(
                "No activity yet. What people do with documents, drafts, saved searches, and other items will be listed here for a year."
            ),
            icon_name="history",
        )
    labels = sorted((str(kind.label), kind.name) for kind in kinds.values())
    return stack(
        list_bar(
            search_box(
                url,
                query,
                t("Search activity"),
                select_field(
                    "person",
                    t("Who"),
                    [Option("", t("Everyone")), *(Option(str(person.id), person.name) for person in feed.people)],
                    value=str(query.person or ""),
                    on_change=narrow(url, "person"),
                    id="activity-person",
                ),
                select_field(
                    "kind",
                    t("Kind"),
                    [Option("", t("Any")), *(Option(name, label) for label, name in labels)],
                    value=query.kind,
                    on_change=narrow(url, "kind"),
                    id="activity-kind",
                ),
                day_filter(url, query, "first", t("Start date")),
                day_filter(url, query, "last", t("End date")),
            ),
            nt("{n} entry", "{n} entries", feed.entries.total),
            export_button(connection, _EXPORT, len(listing.rows.shown), query),
        ),
        listing.more(),
        _days([each.item for each in listing.rows.shown], activity.zone_of(actor))
        if listing.rows.shown
        else no_match(url, query, t("No entries match. Change the filters.")),
        pages(url, feed.entries),
    )


def _days(entries: Sequence[ActivityRead], zone: ZoneInfo) -> VdomDict:
    def day_of(entry: ActivityRead) -> date:
        return entry.at.astimezone(zone).date()

    return html.div(
        {"className": "fw-stack", "key": "days"},
        *(
            html.section(
                {"aria-label": _day_name(day, zone), "key": day.isoformat()},
                html.h2({"className": "fw-feed-day"}, _day_name(day, zone)),
                html.ol({"className": "fw-feed"}, *(_entry(entry, _clock(entry.at, zone)) for entry in of_day)),
            )
            for day, of_day in groupby(entries, key=day_of)
        ),
    )


def _day_name(day: date, zone: ZoneInfo) -> str:
    today = now().astimezone(zone).date()
    if day == today:
        return t("Today")
    return t("Yesterday") if day == today - timedelta(days=1) else format_date(day, format="full", locale=current_language())


def _clock(at: datetime, zone: ZoneInfo) -> VdomDict:
    return html.time({"dateTime": at.isoformat()}, format_time(at.astimezone(zone), "short", locale=current_language()))


@component
def activity_of(subject_id: UUID) -> VdomDict | None:
    """The latest activity of one document, draft, or opportunity; nothing as long as there is none."""
    actor, connection = use_actor(), use_connection()
    number, set_number = use_state(1)
    query = ActivityQuery(subject_id=subject_id, page=number, page_size=_SHOWN_BESIDE)
    found = use_query(
        lambda session: existing_page(partial(activity.list_activity, session, actor, connection.core), query),
        key=[subject_id, number],
        topics=[activity.activity_topic(actor.workspace_id)],
    )
    title = t("Activity")
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(title, loading(t("Loading activity")))
    if not found.value.total:
        return None
    return section(
        title,
        html.ol(
            {"className": "fw-feed fw-feed-beside"},
            *(_entry(entry, moment(entry.at), of=subject_id) for entry in found.value.items),
        ),
        pagination(found.value.page, -(-found.value.total // _SHOWN_BESIDE), on_page=set_number),
        actions=[export_button(connection, _EXPORT, found.value.total, query, variant="text")],
    )


def _entry(entry: ActivityRead, shown: VdomDict, *, of: UUID | None = None) -> VdomDict:
    """`of` is what the page shows, which needs no link."""
    sentence = [_part(part, "" if entry.subject_id == of else entry.path) for part in entry.parts]
    return html.li(
        {"key": str(entry.id)},
        icon(_ICONS.get(entry.subject_kind, "circle"), small=True) if of is None else None,
        html.p(*sentence),
        html.span({"className": "fw-muted fw-small"}, shown),
    )


def _part(part: SentencePart, path: str) -> Child:
    if part.names is None:
        return part.text
    if part.names == "person":
        return html.bdi({"className": "fw-strong", "key": "person"}, part.text)
    name = html.bdi({"key": "subject"}, part.text)
    return html.a({"className": "fw-link", "href": use_connection().href(path), "key": "subject"}, name) if path else name
