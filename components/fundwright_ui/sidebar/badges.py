"""Numbers beside entries of the sidebar: what is new, and what is running."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories.service import categories_topic
from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import nt
from fundwright.opportunities import service as opportunities
from fundwright.training import service as training
from fundwright_ui.hooks import use_actor, use_connection, use_query

_LISTS = ("/dashboard/nih", "/dashboard/sam")
_MOST = 99


@component
def new_matches() -> VdomDict:
    """Opportunities of the actor's categories that came in since they last looked at a list. Being there is looking."""
    connection, actor = use_connection(), use_actor()
    is_there = connection.location.path in _LISTS

    async def read(session: AsyncSession) -> int:
        if not is_there:
            return await opportunities.count_new(session, actor, limit=_MOST + 1)
        if connection.is_live:
            await opportunities.note_visit(session, actor)
        return 0

    topics = () if is_there else (categories_topic(actor.id), opportunities.visits_topic(actor.id))
    found = use_query(read, key=[is_there], topics=topics)
    number = found.value or 0
    return _badge("/dashboard/nih", number, nt("{n} new", "{n} new", number))


@component
def trainings() -> VdomDict:
    """Trainings of the actor that wait or run."""
    actor = use_actor()
    found = use_query(lambda session: training.count_underway(session, actor), topics=[jobs_topic(actor.id)])
    number = found.value or 0
    return _badge("/dashboard/train", number, nt("{n} running", "{n} running", number))


BADGES: Mapping[str, Callable[[], Any]] = {"/dashboard/nih": new_matches, "/dashboard/train": trainings}
"""The component that counts, by the path of its entry."""


def badge_id(path: str) -> str:
    """The element that tells screen readers what the number is; the link at `path` is described by it."""
    return f"badge{path.replace('/', '-')}"


def _badge(path: str, number: int, text: str) -> VdomDict:
    described = html.span({"id": badge_id(path), "hidden": True}, text if number else "")
    if not number:
        return html.span(described)
    shown = str(number) if number <= _MOST else f"{_MOST}+"
    return html.span({"className": "fw-badge", "aria-hidden": "true", "title": text}, shown, described)
