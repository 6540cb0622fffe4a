"""The checklist of a new account: one line of steps, each with a link, until all are done or the person dismisses it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.facts import service as facts
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftQuery
from fundwright.opportunities import service as opportunities
from fundwright.profiles import service as profiles
from fundwright.training import collecting, storage
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor, use_connection, use_saved_state
from fundwright_ui.screens.notice_address import IMPORT
from fundwright_ui.ui import icon, icon_button, problem

ADD_DOCUMENTS = "add-documents"
"""The id of the part of Train that adds documents."""


@dataclass(frozen=True)
class Step:
    label: str
    path: str
    is_done: bool


@component
def first_steps() -> VdomDict:
    """Nothing for people who only read."""
    dismissed = use_saved_state("first steps.dismissed", False)
    if dismissed.value or not use_actor().may(Permission.WORK):
        return html.fragment()
    return html.fragment(_steps(lambda: dismissed.set(True)))


@component
def _steps(dismiss: Callable[[], Awaitable[None]]) -> VdomDict | None:
    actor, connection = use_actor(), use_connection()

    async def read(session: AsyncSession) -> Sequence[Step]:
        drafts = await generation.list_drafts(session, actor, DraftQuery(page_size=1))
        profile = await profiles.get_profile(session, actor)
        has_documents = await storage.count_documents(session, actor) > (profile is not None)
        counts = await facts.count_facts(session, actor)
        return (
            Step(t("Import opportunities"), IMPORT, await opportunities.has_imported(session, actor)),
            Step(t("Describe your organization"), profiles.PATH, profile is not None),
            Step(t("Add documents"), f"/dashboard/train#{ADD_DOCUMENTS}", has_documents),
            Step(
                t("Check your organization’s facts"),
                facts.PATH,
                bool(counts.accepted or (has_documents and not counts.to_decide)),
            ),
            Step(t("Write your first draft"), "/generate/index", drafts.total > 0),
        )

    topics = [
        opportunities.TOPIC,
        profiles.profile_topic(actor.workspace_id),
        collecting.documents_topic(actor.workspace_id),
        facts.facts_topic(actor.workspace_id),
        generation.drafts_topic(actor.workspace_id),
    ]
    found = use_query(read, key=[actor.id], topics=topics)
    if found.error:
        return problem(found.error, on_retry=found.reload)
    steps = found.value or ()
    done = sum(step.is_done for step in steps)
    if done == len(steps):
        return None
    return html.section(
        {"className": "fw-first-steps", "aria-label": t("First steps")},
        html.div(
            {"className": "fw-section-header"},
            html.h2(t("First steps")),
            html.span({"className": "fw-muted"}, t("{done} of {all} done", done=done, all=len(steps))),
            icon_button(t("Dismiss first steps"), "close", small=True, on_click=dismiss),
        ),
        html.ol(*(html.li({"key": step.path}, _step(step, connection.href(step.path))) for step in steps)),
    )


def _step(step: Step, href: str) -> VdomDict:
    if step.is_done:
        return html.span(
            {"className": "fw-first-step fw-muted"},
            icon("check"),
            step.label,
            html.span({"className": "fw-visually-hidden"}, t("(done)")),
        )
    return html.a({"className": "fw-first-step", "href": href}, icon("chevron_right"), step.label)
