"""The pipeline on the page of an opportunity."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from reactpy import component, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import PursuitDetails, PursuitForm
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import id_in, use_actor, use_connection
from fundwright_ui.screens.pipeline.members import list_members
from fundwright_ui.screens.pipeline.panel import pursuit_facts, pursuit_form
from fundwright_ui.ui import button, definition_list, problem, row, section, text_link


@component
def pursuit_of(address_id: str, opportunity: OpportunityRead | None) -> VdomDict | None:
    """What the workspace has decided about an opportunity in its pipeline, with a form that changes it; nothing if it is not in it. The
    `opportunity` may still be loading."""
    actor, connection = use_actor(), use_connection()
    is_changing, set_changing = use_state(False)

    async def read(session: AsyncSession) -> tuple[PursuitDetails | None, Sequence[MemberRead]]:
        opportunity_id = id_in(address_id)
        pursuit = await pipeline.find_of(session, actor, opportunity_id) if opportunity_id else None
        return pursuit, await list_members(session, actor) if pursuit else []

    found = use_query(read, key=[address_id], topics=[pipeline.pipeline_topic(actor.workspace_id)])
    if found.error:
        return section(t("Pipeline"), problem(found.error, on_retry=found.reload))
    pursuit, members = found.value or (None, [])
    if pursuit is None:
        return None
    return section(
        t("Pipeline"),
        pursuit_form(pursuit, members, opportunity, lambda: set_changing(False), key="form")
        if is_changing
        else definition_list(pursuit_facts(pursuit)),
        row(text_link(t("Open in the pipeline"), connection.href(pipeline.path_of(pursuit)))),
        actions=[
            button(
                t("Cancel") if is_changing else t("Change"),
                size="small",
                variant="text",
                icon_name=None if is_changing else "edit",
                name="change-pursuit",
                on_click=lambda: set_changing(not is_changing),
            )
            if actor.may(Permission.WORK)
            else None
        ],
    )


@component
def add_to_pipeline(opportunity_id: UUID) -> VdomDict | None:
    """The button that adds an opportunity; nothing if it is in the pipeline."""
    actor = use_actor()

    async def read(session: AsyncSession) -> bool:
        return await pipeline.find_of(session, actor, opportunity_id) is not None

    found = use_query(read, key=[opportunity_id], topics=[pipeline.pipeline_topic(actor.workspace_id)])

    async def add(session: AsyncSession) -> None:
        await pipeline.add(session, actor, PursuitForm(opportunity_id=opportunity_id))

    adding = use_action(add, success=t("Added to the pipeline."), then=found.reload)
    if found.value is not False:
        return None
    return button(t("Add to pipeline"), icon_name="pipeline", on_click=adding, is_busy=adding.is_running)
