"""A pursuit: what people entered, the history of its stages, and links to its notice and drafts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from reactpy import component, html, use_ref
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.database import now
from fundwright.core.messages import percent, t
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftQuery, DraftRow
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import (
    MOST_DOLLARS,
    MOST_IN_REASON,
    Move,
    PursuitChange,
    PursuitContent,
    PursuitDetails,
    Stage,
    StageChange,
)
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.pipeline.amounts import dollars, due_mark, duration, lead_name
from fundwright_ui.screens.pipeline.members import list_members
from fundwright_ui.screens.pipeline.stages import stage_color
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.ui import (
    Option,
    button,
    chip,
    definition_list,
    form,
    link_button,
    loading,
    moment,
    problem,
    row,
    select_field,
    side_panel,
    text_area,
    text_field,
    text_link,
)

_DRAFTS = 5


class PursuitEdit(PursuitContent):
    """What the form of a pursuit sends."""

    stage: Stage
    based_on: int


@dataclass(frozen=True)
class _Opened:
    pursuit: PursuitDetails
    members: Sequence[MemberRead]
    opportunity: OpportunityRead | None
    drafts: Sequence[DraftRow]


@component
def pursuit_panel(pursuit_id: UUID) -> VdomDict:
    """The opened pursuit beside the pipeline."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def read(session: AsyncSession) -> _Opened:
        pursuit = await pipeline.get_pursuit(session, actor, pursuit_id)
        drafts = await generation.list_drafts(
            session, actor, DraftQuery(opportunity_id=pursuit.opportunity_id, page_size=_DRAFTS)
        )
        opportunity = await opportunities.get_opportunity(session, actor, pursuit.opportunity_id) if pursuit.has_notice else None
        return _Opened(pursuit, await list_members(session, actor), opportunity, drafts.items)

    found = use_query(
        read,
        key=[pursuit_id],
        topics=[
            pipeline.pipeline_topic(actor.workspace_id),
            generation.drafts_topic(actor.workspace_id),
            workspaces.workspace_topic(actor.workspace_id),
            opportunities.TOPIC,
        ],
    )

    def close() -> None:
        url.set(open=None)

    if found.value is None or found.error:
        return side_panel(
            t("Pursuit"),
            problem(found.error, on_retry=found.reload) if found.error else loading(t("Loading the pursuit")),
            close=t("Close"),
            on_close=close,
            key=f"pursuit-{pursuit_id}",
        )
    opened = found.value
    pursuit = opened.pursuit
    title = display_title(pursuit.title)
    may_change = actor.may(Permission.WORK)
    return side_panel(
        title,
        row(chip(str(pursuit.stage.label), color=stage_color(pursuit.stage)), due_mark(pursuit)),
        row(
            link_button(t("Open notice"), connection.href(f"{PATHS[pursuit.kind]}/{pursuit.opportunity_id}"), size="small")
            if pursuit.has_notice
            else html.span({"className": "fw-muted fw-small"}, t("The notice no longer exists.")),
            _remove_button(pursuit, close, key="remove") if may_change else None,
        ),
        pursuit_form(pursuit, opened.members, opened.opportunity, key="form")
        if may_change
        else definition_list(pursuit_facts(pursuit)),
        _drafts(pursuit, opened.drafts, may_start=may_change and pursuit.has_notice),
        html.section(
            {"className": "fw-stack fw-stack-tight", "aria-label": t("History of stages")},
            html.h3(t("History of stages")),
            html.ol(
                {"className": "fw-stage-history"},
                *(_move(each, place) for place, each in reversed(list(enumerate(pursuit.moves)))),
            ),
        ),
        subtitle=" · ".join(filter(None, (pursuit.number, agency_name(pursuit.agency)))),
        close=t("Close"),
        on_close=close,
        key=f"pursuit-{pursuit.id}",
    )


def pursuit_facts(pursuit: PursuitDetails) -> dict[str, str | None]:
    """What people entered."""
    return {
        t("Stage"): str(pursuit.stage.label),
        t("Lead"): lead_name(pursuit.lead) if pursuit.lead else t("No lead"),
        t("Probability"): percent(pursuit.probability / 100) if pursuit.probability is not None else None,
        t("Value"): dollars(pursuit.value) if pursuit.value is not None else None,
        t("Weighted value"): dollars(pursuit.weighted_value) if pursuit.weighted_value is not None else None,
        t("Reason"): pursuit.reason or None,
    }


@component
def pursuit_form(
    pursuit: PursuitDetails,
    members: Sequence[MemberRead],
    opportunity: OpportunityRead | None,
    then: Callable[[], object] | None = None,
) -> Component:
    """Changes everything that people enter about a pursuit. With `then`, which is called after it was saved, the form is a secondary part
    of the page."""
    actor = use_actor()
    # What others enter while someone edits is not overwritten unseen: the form follows only moves, until saving it has been refused.
    begun, was_refused = use_ref(pursuit), use_ref(False)
    if _entered(begun.current) == _entered(pursuit):
        begun.current = pursuit

    async def save(session: AsyncSession, given: PursuitEdit) -> None:
        # Restored text is based on what it was written for, also once the person has been told that this has changed.
        revision = begun.current.revision if was_refused.current else given.based_on
        try:
            if given.stage is not pursuit.stage:
                change = StageChange(stage=given.stage, reason=given.reason, based_on=revision)
                revision = (await pipeline.move(session, actor, pursuit.id, change)).revision
            content = given.model_dump(include=set(PursuitContent.model_fields))
            begun.current = await pipeline.change(session, actor, pursuit.id, PursuitChange(**content, based_on=revision))
        except pipeline.PursuitChangedMeanwhile:
            begun.current, was_refused.current = pursuit, True
            raise
        was_refused.current = False

    lead = pursuit.lead
    former = [Option(str(lead.id or ""), lead_name(lead))] if lead and not lead.is_member else []
    return form(
        select_field(
            "stage",
            t("Stage"),
            [Option(stage.value, str(stage.label)) for stage in Stage],
            default=pursuit.stage.value,
            id="pursuit-stage",
        ),
        select_field(
            "lead_id",
            t("Lead"),
            [
                *([] if lead and lead.id is None else [Option("", t("No lead"))]),
                *former,
                *(Option(str(member.id), member.name) for member in members),
            ],
            default=str(lead.id or "") if lead else "",
            id="pursuit-lead",
        ),
        text_field(
            "probability",
            t("Probability in %"),
            type="number",
            default=str(pursuit.probability) if pursuit.probability is not None else "",
            min="0",
            max="100",
            help=t("Your estimate that you will win."),
            id="pursuit-probability",
        ),
        text_field(
            "value",
            t("Value in US dollars"),
            type="number",
            default=str(pursuit.value) if pursuit.value is not None else "",
            min="0",
            max=str(MOST_DOLLARS),
            help=_suggested(opportunity),
            id="pursuit-value",
        ),
        text_area(
            "reason",
            t("Reason"),
            default=pursuit.reason,
            rows=3,
            maxlength=MOST_IN_REASON,
            help=t("Why it is in this stage. Required for Lost and No-go."),
            id="pursuit-reason",
        ),
        on_submit=use_action(save, success=t("The pursuit was saved."), then=then),
        model=PursuitEdit,
        submit=t("Save"),
        is_secondary=then is not None,
        label=t("Pursuit"),
        name=f"pursuit:{pursuit.id}",
        based_on=begun.current.revision,
    )


def _entered(pursuit: PursuitDetails) -> tuple[object, ...]:
    return pursuit.lead, pursuit.probability, pursuit.value, pursuit.reason


def _suggested(opportunity: OpportunityRead | None) -> str | None:
    """The amounts in the notice, which are often those of the whole program."""
    if opportunity is None:
        return None
    amounts: list[tuple[str, Decimal | None]] = [
        (t("Awarded"), opportunity.award_amount),
        (t("Award ceiling"), opportunity.award_ceiling),
        (t("Award floor"), opportunity.award_floor),
        (t("Total funding"), opportunity.total_funding),
    ]
    named = ", ".join(f"{name} {dollars(amount)}" for name, amount in amounts if amount)
    return t("In the notice: {amounts}", amounts=named) if named else None


def _drafts(pursuit: PursuitDetails, drafts: Sequence[DraftRow], *, may_start: bool) -> VdomDict | None:
    connection = use_connection()
    if not drafts and not may_start:
        return None
    return html.section(
        {"className": "fw-stack fw-stack-tight", "aria-label": t("Drafts")},
        html.h3(t("Drafts")),
        html.ul(
            {"className": "fw-list"},
            *(
                html.li({"key": str(draft.id)}, text_link(draft.title, connection.href(f"/generate/slug/{draft.slug}")))
                for draft in drafts
            ),
        )
        if drafts
        else None,
        text_link(t("Draft a proposal"), connection.href(f"/generate/index?opportunity={pursuit.opportunity_id}"))
        if may_start
        else None,
    )


def _move(move: Move, place: int) -> VdomDict:
    spent = duration((move.until or now()) - move.at)
    return html.li(
        {"key": str(place)},
        html.p(
            html.span({"className": "fw-strong"}, str(move.to_stage.label)),
            html.span({"className": "fw-muted"}, " · ", t("for {time}", time=spent)),
        ),
        html.p({"className": "fw-muted fw-small"}, move.by or t("Former member"), " · ", moment(move.at)),
        html.p({"className": "fw-small", "dir": "auto"}, move.reason) if move.reason else None,
    )


@component
def _remove_button(pursuit: PursuitDetails, then: Callable[[], object]) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def remove(session: AsyncSession) -> None:
        await pipeline.remove(session, actor, pursuit.id, client=connection.client)

    removing = use_action(
        remove, success=moved_message(display_title(pursuit.title)), undo=undo_of(connection, pursuit.id), then=then
    )
    return button(
        t("Move to trash"),
        size="small",
        variant="text",
        danger=True,
        icon_name="delete",
        on_click=removing,
        is_busy=removing.is_running,
    )
