"""Badges of the sidebar: new opportunities and running jobs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reactpy import html, use_ref
from reactpy.types import VdomDict

from fundwright.categories.service import categories_topic
from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import nt
from fundwright.opportunities import service as opportunities
from fundwright.training import runs
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor, use_connection

MATCHES, TRAININGS = "/dashboard/nih", "/dashboard/train"

_LISTS = (MATCHES, "/dashboard/sam")
_MOST = 99


def use_counts(paths: Collection[str]) -> Mapping[str, int]:
    """Count new opportunities in the actor's categories since the last visit to a list (viewing it counts as a visit), and waiting
    and running training runs, by the path of their entry, for those of `paths`. A single query, because each one costs every open
    page."""
    connection, actor = use_connection(), use_actor()
    is_there = connection.location.path in _LISTS

    async def read() -> dict[str, int]:
        counts: dict[str, int] = {}
        database, is_visit = connection.core.database, MATCHES in paths and is_there and connection.is_live
        async with connection.reading() as session:
            if is_visit:
                is_visit = await opportunities.is_visit_due(session, actor)
            elif MATCHES in paths and not is_there:
                counts[MATCHES] = await opportunities.count_new(session, actor, limit=_MOST + 1)
            if TRAININGS in paths:
                counts[TRAININGS] = await runs.count_underway(session, actor)
        if is_visit:
            async with database.transaction() as session:
                await opportunities.note_visit(session, actor)
        return counts

    # The visit is recorded each time the list is shown, and must not trigger another query.
    news = () if is_there else (categories_topic(actor.workspace_id), opportunities.visits_topic(actor.id))
    topics = (*news, jobs_topic(actor.workspace_id)) if MATCHES in paths or TRAININGS in paths else ()
    counted = use_query(read, topics=topics, with_session=False)
    was_there = use_ref(is_there)
    if was_there.current != is_there:
        was_there.current = is_there
        counted.reload_soon()
    counts = counted.value or {}
    return {path: 0 if is_there and path == MATCHES else number for path, number in counts.items()}


def badge_id(path: str) -> str:
    """The element that describes the number to screen readers; the link at `path` refers to it."""
    return f"badge{path.replace('/', '-')}"


def badge(path: str, number: int) -> VdomDict:
    """The number of the entry at `path`, or nothing if it is 0."""
    text = nt("{n} running", "{n} running", number) if path == TRAININGS else nt("{n} new", "{n} new", number)
    described = html.span({"id": badge_id(path), "hidden": True}, text if number else "")
    if not number:
        return html.span(described)
    shown = str(number) if number <= _MOST else f"{_MOST}+"
    return html.span({"className": "fw-badge", "aria-hidden": "true", "title": text}, shown, described)
