"""`/dashboard/pipeline`: what the workspace pursues, as a board or as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, percent, t
from fundwright.core.paging import Page
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.washington import day_in_washington
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import (
    NEED_REASON,
    NO_LEAD,
    OPEN_STAGES,
    BoardColumn,
    PipelineQuery,
    PursuitRead,
    Stage,
    StageTotal,
)
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import OpenTasks
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import UrlState, query_in_address, use_query, use_url_state
from fundwright_ui.product import id_in, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.filters import choice_filter, due_filter, kind_filter
from fundwright_ui.screens.listing import (
    existing_page,
    export_button,
    has_filters,
    list_bar,
    listed_table,
    no_match,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.pipeline.amounts import lead_name
from fundwright_ui.screens.pipeline.board import pipeline_board
from fundwright_ui.screens.pipeline.members import list_members
from fundwright_ui.screens.pipeline.panel import pursuit_panel
from fundwright_ui.screens.pipeline.picture import picture
from fundwright_ui.screens.pipeline.stages import stage_color
from fundwright_ui.screens.restoring import trash_link
from fundwright_ui.ui import empty, link_button, loading, page, problem, tabs
from fundwright_ui.ui.display import Tab
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Chip, Column, Row
from fundwright_ui.widgets.data_table import Cell

_EXPORT = "/api/pipeline/export.csv"
TABLE = "table"
"""The value of `view` in the address; the board is the default."""
_MOST_SHOWN = 400
"""Cards of a column of the board, however often more are shown."""


@screen(pipeline.PATH, "Pipeline", help="/help/pipeline")
def pipeline_screen() -> VdomDict:
    url = use_url_state(
        view=("board", TABLE),
        open=("{id}",),
        moving=("{id}",),
        to=sorted(NEED_REASON),
        **dict.fromkeys(OPEN_STAGES, ("{n}",)),
    )
    opened = id_in(url.get("open"))
    is_table = url.get("view") == TABLE
    return page(
        t("Pipeline"),
        _table(key="table") if is_table else _board(key="board"),
        pursuit_panel(opened, key=f"pursuit-{opened}") if opened else None,
        beside=tabs(
            [
                Tab("board", t("Board"), url.href(view=None, stage=None, sort=None, page=None)),
                Tab(TABLE, t("Table"), url.href(view=TABLE, page=None)),
            ],
            TABLE if is_table else "board",
            label=t("View"),
        ),
        actions=[trash_link(pipeline.PURSUIT)],
    )


@component
def _board() -> VdomDict | Component:
    actor, url = use_actor(), use_url_state()
    wanted = query_in_address(PipelineQuery, url)
    query = wanted.model_copy(update={"stage": None, "is_open": None, "sort": "", "page": 1})
    limits = _limits(url)

    async def read(session: AsyncSession) -> tuple[list[BoardColumn], Mapping[UUID, OpenTasks], list[MemberRead]]:
        columns = await pipeline.read_board(session, actor, query, limits)
        shown = [item.opportunity_id for column in columns for item in column.items]
        return columns, await tasks.open_tasks_of(session, actor, shown), await list_members(session, actor)

    found = use_query(read, key=[query, limits], topics=[*_topics(actor.workspace_id), tasks.tasks_topic(actor.workspace_id)])
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Loading the pipeline"))
    columns, open_tasks, members = found.value
    total = sum(column.count for column in columns)
    if not total and not has_filters(query):
        return _nothing_yet()
    return html.fragment(
        picture(columns, url),
        list_bar(
            _narrow(url, query, members),
            nt("{n} pursuit", "{n} pursuits", total),
            export_button(use_connection(), _EXPORT, total, query),
        ),
        pipeline_board(columns, open_tasks, found.reload, key="columns")
        if total
        else no_match(url, query, t("No pursuits match. Change the filters.")),
    )


@component
def _table() -> VdomDict | Component:
    actor, url = use_actor(), use_url_state()
    query = query_in_address(PipelineQuery, url)

    async def read(session: AsyncSession) -> tuple[Page[PursuitRead], list[StageTotal], list[MemberRead]]:
        listed = await existing_page(partial(pipeline.list_pursuits, session, actor), query)
        everything = query.model_copy(update={"stage": None, "is_open": None})
        return listed, await pipeline.read_totals(session, actor, everything), await list_members(session, actor)

    listing = use_listing(
        read, query, lambda answer: answer[0], id=lambda pursuit: pursuit.id, topics=_topics(actor.workspace_id)
    )
    if listing.answer is None:
        return listing.pending(t("Loading the pipeline"))
    listed, totals, members = listing.answer
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return _nothing_yet()
    return html.fragment(
        picture(totals, url),
        *listed_table(
            listing,
            listed,
            label=t("Pipeline"),
            count=nt("{n} pursuit", "{n} pursuits", listed.total),
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=4, min_width=280),
                Column(field="stage", label=t("Stage"), kind="chips", is_sortable=True, min_width=120),
                Column(field="due", label=t("Due"), kind="date", is_sortable=True, min_width=110),
                Column(field="lead", label=t("Lead"), min_width=120, is_shown=any(each.item.lead for each in listing.rows.shown)),
                Column(field="probability", label=t("Probability"), is_sortable=True, min_width=100, is_compact=False),
                Column(field="value", label=t("Value"), kind="money", is_sortable=True, min_width=120),
                Column(
                    field="weighted_value", label=t("Weighted"), kind="money", is_sortable=True, min_width=120, is_compact=False
                ),
                Column(
                    field="stage_since",
                    label=t("In stage since"),
                    kind="date",
                    is_sortable=True,
                    min_width=130,
                    is_compact=False,
                ),
            ],
            row_of=lambda each: Row(id=each.id, cells=_cells(each.item)),
            export=_EXPORT,
            narrow=_narrow(
                url,
                query,
                members,
                choice_filter(url, query, "stage", t("Stage"), {stage.value: str(stage.label) for stage in Stage}),
            ),
            nothing=t("No pursuits match. Change the filters."),
            on_open=open_beside(url),
        ),
    )


def _cells(pursuit: PursuitRead) -> dict[str, Cell]:
    cells: dict[str, Cell | None] = {
        "title": display_title(pursuit.title),
        "stage": (Chip(label=str(pursuit.stage.label), color=stage_color(pursuit.stage)),),
        "due": day_in_washington(pursuit.due_at) if pursuit.due_at else None,
        "lead": lead_name(pursuit.lead) if pursuit.lead else None,
        "probability": percent(pursuit.probability / 100) if pursuit.probability is not None else None,
        "value": pursuit.value,
        "weighted_value": pursuit.weighted_value,
        "stage_since": pursuit.stage_since,
    }
    return {field: cell for field, cell in cells.items() if cell is not None}


def _narrow(url: UrlState, query: PipelineQuery, members: Sequence[MemberRead], *more: Child) -> VdomDict:
    """The search and the filters that board and table share."""
    return search_box(
        url,
        query,
        t("Search the pipeline"),
        html.div(
            {"className": "fw-filters-line"},
            *more,
            choice_filter(
                url, query, "lead", t("Lead"), {NO_LEAD: t("No lead"), **{str(member.id): member.name for member in members}}
            ),
            kind_filter(url, query),
            due_filter(url, query),
        ),
    )


def _nothing_yet() -> VdomDict:
    connection, actor = use_connection(), use_actor()
    return empty(
        t("Nothing in the pipeline yet. Open an opportunity, and choose Add to pipeline.")
        if actor.may(Permission.WORK)
        else t("Nothing in the pipeline yet. Owners and editors of the workspace can add opportunities."),
        link_button(t("Opportunities"), connection.href(PATHS["grant"]), size="small"),
        icon_name="pipeline",
    )


def _limits(url: UrlState) -> dict[Stage, int]:
    """How many cards the address shows of each stage."""
    return {
        stage: min(int(given), _MOST_SHOWN) for stage in OPEN_STAGES if (given := url.get(stage)).isdecimal() and len(given) < 6
    }


def _topics(workspace_id: UUID) -> list[str]:
    return [pipeline.pipeline_topic(workspace_id), workspaces.workspace_topic(workspace_id), opportunities.TOPIC]
