"""The board: a column of cards for each open stage, and the outcomes beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from babel.dates import format_date
from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_ref, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import current_language, nt, number, percent, t
from fundwright.opportunities.display_names import display_title, short_agency_name
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import (
    MOST_IN_REASON,
    NEED_REASON,
    OUTCOMES,
    BoardColumn,
    PursuitDetails,
    PursuitRead,
    Stage,
    StageChange,
)
from fundwright.tasks.schemas import OpenTasks
from fundwright_ui.hooks import UrlState, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.events import handler, read_value
from fundwright_ui.screens.pipeline.amounts import due_mark, lead_name, short_dollars
from fundwright_ui.ui import button, chip, text_area
from fundwright_ui.ui.avatars import avatar
from fundwright_ui.ui.elements import attributes, classes
from fundwright_ui.widgets import Board, CardMoved, form_dialog


class _Reason(BaseModel):
    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    reason: str = Field(min_length=1, max_length=MOST_IN_REASON)


@dataclass(frozen=True)
class _Move:
    pursuit: PursuitRead
    stage: Stage


_NONE: _Move | None = None


@component
def pipeline_board(columns: Sequence[BoardColumn], tasks: Mapping[UUID, OpenTasks], reload: Callable[[], object]) -> VdomDict:
    """The columns as they were read, with the open `tasks` of their opportunities. `reload` is called after a move, and after one that was refused."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    known = use_ref(_NONE)
    # Counts the moves, so that a select shows the stage again in which the card really is.
    round_, set_round = use_state(0)
    may_change = actor.may(Permission.WORK)
    cards = {str(item.id): item for column in columns for item in column.items}
    asked = known.current = _asked(url, cards, known.current)

    async def move(session: AsyncSession, wanted: _Move) -> PursuitDetails:
        return await make(session, wanted, "")

    async def give(session: AsyncSession, given: _Reason) -> PursuitDetails:
        assert asked
        return await make(session, asked, given.reason)

    async def make(session: AsyncSession, wanted: _Move, reason: str) -> PursuitDetails:
        change = StageChange(stage=wanted.stage, reason=reason, based_on=wanted.pursuit.revision)
        return await pipeline.move(session, actor, wanted.pursuit.id, change)

    def tell(moved: PursuitDetails) -> None:
        title = display_title(moved.title)
        connection.toast(t("“{title}” was moved to “{stage}”.", title=title, stage=moved.stage.label))

    def close() -> None:
        if asked:
            url.set(moving=None, to=None)
        set_round(lambda count: count + 1)
        reload()

    def told(moved: PursuitDetails) -> None:
        tell(moved)
        close()

    moving, giving = use_action(move, then=tell), use_action(give, then=told)

    async def ask(pursuit: PursuitRead, stage: str) -> None:
        wanted = _Move(pursuit, Stage(stage))
        if wanted.stage in NEED_REASON:
            url.set(moving=pursuit.id, to=stage)
        else:
            await moving.run(wanted)
            close()

    async def drop(moved: CardMoved) -> None:
        if (pursuit := cards.get(moved.id)) is not None and moved.stage in list(Stage):
            await ask(pursuit, moved.stage)

    content = [
        *(
            _column(column, tasks, url, ask if may_change else None, round_, key=column.stage.value)
            for column in columns
            if column.stage.is_open
        ),
        _outcomes([column for column in columns if not column.stage.is_open], url, key="outcomes"),
    ]
    return html.fragment(
        Board(children=content, on_move=drop, key="board")
        if may_change
        else html.div({"className": "fw-board", "key": "board"}, *content),
        form_dialog(
            t("Move to “{stage}”", stage=asked.stage.label if asked else ""),
            text_area(
                "reason", t("Reason"), rows=4, required=True, maxlength=MOST_IN_REASON, id="pipeline-reason", key=_key_of(asked)
            ),
            is_open=asked is not None,
            on_submit=giving,
            on_close=close,
            model=_Reason,
            submit=t("Move"),
            name=f"move {_key_of(asked)}",
            key="reason",
        ),
    )


def _asked(url: UrlState, cards: Mapping[str, PursuitRead], known: _Move | None) -> _Move | None:
    """The move whose reason is asked for. What is `known` of it stays while others move the card."""
    id, stage = url.get("moving"), url.get("to")
    if known and (str(known.pursuit.id), known.stage) == (id, stage):
        return known
    return _Move(cards[id], Stage(stage)) if id in cards and stage in NEED_REASON else None


def _key_of(asked: _Move | None) -> str:
    return f"{asked.pursuit.id} {asked.stage}" if asked else "closed"


def _column(
    column: BoardColumn,
    tasks: Mapping[UUID, OpenTasks],
    url: UrlState,
    ask: Callable[[PursuitRead, str], object] | None,
    round_: int,
    *,
    key: str,
) -> VdomDict:
    left = column.count - len(column.items)
    shown = len(column.items) + pipeline.SHOWN
    return html.section(
        {"className": "fw-board-column", "data-stage": column.stage.value, "aria-label": str(column.stage.label), "key": key},
        html.div(
            {"className": "fw-board-header"},
            html.h2(str(column.stage.label)),
            html.span({"className": "fw-board-count"}, number(column.count)),
            html.p({"className": "fw-muted fw-small"}, short_dollars(column.value)) if column.value else None,
        ),
        html.ul(
            {"className": "fw-board-cards"},
            *(_card(item, tasks.get(item.opportunity_id), url, ask, round_) for item in column.items),
        )
        if column.items
        else html.p({"className": "fw-board-empty fw-muted fw-small"}, t("None")),
        button(
            nt("Show {n} more", "Show {n} more", min(left, pipeline.SHOWN)),
            size="small",
            variant="text",
            on_click=lambda: url.go(**{column.stage.value: shown}),
        )
        if left > 0
        else None,
    )


def _card(
    pursuit: PursuitRead, tasks: OpenTasks | None, url: UrlState, ask: Callable[[PursuitRead, str], object] | None, round_: int
) -> VdomDict:
    title = display_title(pursuit.title)
    figures = [
        short_dollars(pursuit.value) if pursuit.value is not None else "",
        percent(pursuit.probability / 100) if pursuit.probability is not None else "",
    ]
    id = str(pursuit.id)
    return html.li(
        attributes(
            className=classes("fw-pursuit", "fw-pursuit-open" if url.get("open") == id else None),
            data_card=id,
            data_row=True,
            draggable="true" if ask else None,
            key=id,
        ),
        html.a({"className": "fw-title-link", "href": url.href(open=id), "draggable": "false", "name": "open"}, title),
        html.p({"className": "fw-muted fw-small"}, short_agency_name(pursuit.agency)) if pursuit.agency else None,
        html.div(
            {"className": "fw-pursuit-facts"},
            due_mark(pursuit),
            html.span({"className": "fw-small"}, " · ".join(filter(None, figures))) if any(figures) else None,
        ),
        _tasks(tasks) if tasks else None,
        html.p(
            {"className": "fw-pursuit-lead fw-small"},
            avatar(pursuit.lead.name, None, size="small"),
            lead_name(pursuit.lead),
        )
        if pursuit.lead
        else None,
        _stage_select(pursuit, title, partial(ask, pursuit), key=f"{pursuit.stage} {round_}") if ask else None,
    )


def _tasks(tasks: OpenTasks) -> VdomDict:
    return html.div(
        {"className": "fw-pursuit-facts fw-small"},
        nt("{n} task", "{n} tasks", tasks.count),
        chip(nt("{n} overdue", "{n} overdue", tasks.overdue), color="error")
        if tasks.overdue
        else html.span({"className": "fw-muted"}, t("due {date}", date=format_date(tasks.next_due_on, locale=current_language())))
        if tasks.next_due_on
        else None,
    )


def _stage_select(pursuit: PursuitRead, title: str, choose: Callable[[str], object], *, key: str) -> VdomDict:
    return html.select(
        {
            "className": "fw-input fw-input-small",
            "name": "stage",
            "aria-label": t("Stage of “{title}”", title=title),
            "value": pursuit.stage.value,
            "onChange": handler(choose, read=read_value),
            "key": key,
        },
        *(html.option({"value": stage.value, "key": stage.value}, str(stage.label)) for stage in Stage),
    )


def _outcomes(columns: Sequence[BoardColumn], url: UrlState, *, key: str) -> VdomDict:
    """Where pursuits end. Their lists are in the table."""
    assert [column.stage for column in columns] == list(OUTCOMES)
    return html.section(
        {"className": "fw-board-outcomes", "aria-label": t("Outcomes"), "key": key},
        html.div({"className": "fw-board-header"}, html.h2(t("Outcomes"))),
        *(
            html.a(
                {
                    "className": f"fw-board-outcome fw-board-{column.stage.value}",
                    "data-stage": column.stage.value,
                    "href": url.href(view="table", stage=column.stage.value, open=None, page=None),
                    "draggable": "false",
                    "key": column.stage.value,
                },
                html.span({"className": "fw-strong"}, str(column.stage.label)),
                html.span({"className": "fw-board-count"}, number(column.count)),
                html.span({"className": "fw-muted fw-small"}, short_dollars(column.value)) if column.value else None,
            )
            for column in columns
        ),
    )
