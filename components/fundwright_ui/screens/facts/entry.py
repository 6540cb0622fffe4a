"""One fact of a list: its values, where it is stated, and what those may do with it who work in the workspace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactKind, FactRead, FactState, FactStatus, label_of_field, label_of_state
from fundwright_ui.hooks import Action, Row, Rows, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.events import handler, read_checked
from fundwright_ui.screens.facts.deciding import Decided, decide, outcome_of, undo_of
from fundwright_ui.screens.facts.form import EDITED, edit_fact
from fundwright_ui.ui import Color, button, chip, list_row, row_actions
from fundwright_ui.ui.elements import Child, attributes

_STATUS_COLORS: dict[FactStatus, Color] = {
    FactStatus.ENDED: "warning",
    FactStatus.PLANNED: "info",
    FactStatus.DENIED: "error",
    FactStatus.OF_OTHERS: "secondary",
}


@component
def fact_entry(
    shown: Row[FactRead],
    rows: Rows[FactRead],
    reload: Callable[[], None],
    *,
    is_chosen: bool,
    on_choose: Callable[[bool], object],
) -> VdomDict | Component:
    """`reload` loads the list again."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    fact = shown.item
    may_work = actor.may(Permission.WORK) and not fact.is_view_only

    async def decide_one(session: AsyncSession, decision: FactState) -> tuple[FactState, Decided | None]:
        return decision, (await decide(session, actor, [fact], decision)).get(fact.id)

    async def remove(session: AsyncSession) -> None:
        await facts.delete_fact(session, actor, fact.id, client=connection.client)

    def settle(result: tuple[FactState, Decided | None]) -> None:
        decision, decided = result
        undo = undo_of(connection, [decided]) if decided is not None and not fact.is_corrected else None
        rows.settle(fact, outcome_of(decision), undo=undo)

    accepting = use_action(partial(decide_one, decision=FactState.ACCEPTED), then=settle)
    rejecting = use_action(partial(decide_one, decision=FactState.REJECTED), then=settle)
    reopening = use_action(partial(decide_one, decision=FactState.PROPOSED), then=settle)
    removing = use_action(remove, then=lambda: rows.settle(fact, t("Deleted")))
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    if may_work and url.get(EDITED) == str(fact.id) and not shown.outcome:
        return list_row(edit_fact(fact, reload, key="edit"))
    title = title_text(fact)
    choice = html.label(
        {"key": "choice"},
        html.input(
            attributes(
                type="checkbox",
                name="chosen",
                aria_label=t("Select {title}", title=title),
                checked=is_chosen,
                disabled=True if shown.outcome else None,
                onChange=handler(on_choose, read=read_checked),
            )
        ),
    )
    return html.li(
        attributes(className="fw-list-item fw-fact", data_row=True),
        choice if may_work else None,
        html.div({"className": "fw-grow", "key": "content"}, _heading(fact), _details(fact), _source(fact)),
        row_actions(
            _button(t("Accept"), t("Accept {title}", title=title), "accept", "a", accepting, icon_name="check")
            if fact.state is not FactState.ACCEPTED
            else None,
            _button(t("Reject"), t("Reject {title}", title=title), "reject", "n", rejecting)
            if fact.state is not FactState.REJECTED
            else None,
            button(
                t("Edit"),
                size="small",
                variant="text",
                name="edit",
                shortcut="e",
                aria_label=t("Edit {title}", title=title),
                on_click=lambda: url.set(**{EDITED: fact.id}),
            ),
            _button(t("Delete"), t("Delete {title}", title=title), "delete", None, removing)
            if fact.is_added
            else _button(t("Decide again"), t("Decide again about {title}", title=title), "reopen", None, reopening)
            if fact.state is not FactState.PROPOSED
            else None,
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        )
        if may_work
        else None,
    )


def _button(
    label: str, name: str, action: str, shortcut: str | None, on_click: Action, *, icon_name: str | None = None
) -> VdomDict:
    return button(
        label,
        size="small",
        variant="soft" if icon_name else "text",
        icon_name=icon_name,
        name=action,
        shortcut=shortcut,
        aria_label=name,
        on_click=on_click,
    )


def title_text(fact: FactRead) -> str:
    """A fact as a title: of data, also the value."""
    return ": ".join(fact.values.values()) if fact.kind is FactKind.DETAIL else fact.title


def status_chip(status: FactStatus) -> VdomDict | None:
    """None for what is current."""
    return None if status is FactStatus.CURRENT else chip(status.label, color=_STATUS_COLORS[status], key="status")


def _heading(fact: FactRead) -> VdomDict:
    return html.div(
        {"className": "fw-row", "key": "heading"},
        html.span({"className": "fw-strong", "dir": "auto", "key": "title"}, title_text(fact)),
        status_chip(fact.status),
        chip(t("Corrected"), color="info", key="corrected") if fact.is_corrected else None,
    )


def _details(fact: FactRead) -> VdomDict | None:
    """The other values with their labels."""
    named = next(iter(fact.values), None)
    others = {} if fact.kind is FactKind.DETAIL else {field: value for field, value in fact.values.items() if field != named}
    if not others:
        return None
    return html.dl(
        {"className": "fw-fact-values", "key": "values"},
        *(
            html.div({"key": field.value}, html.dt(f"{label_of_field(field)}"), html.dd({"dir": "auto"}, value))
            for field, value in others.items()
        ),
    )


def _source(fact: FactRead) -> VdomDict:
    parts: list[Child] = [source_link(fact)]
    if fact.read_values is not None:
        stated = "; ".join(fact.read_values.values())
        if fact.read_status and fact.read_status is not fact.status:
            stated += f" ({fact.read_status.label})"
        parts.append(t("The document states: {text}", text=stated))
    if fact.decided_by and use_actor().is_in_shared_workspace:
        parts.append(t("{decision} by {name}", decision=label_of_state(fact.state), name=fact.decided_by))
    spread: list[Child] = []
    for part in parts:
        spread += [" · ", part] if spread else [part]
    return html.p({"className": "fw-muted fw-small", "key": "source"}, *spread)


def source_link(fact: FactRead) -> Child:
    """Where the fact is stated."""
    if not fact.path:
        return source_text(fact)
    return html.a(
        {"className": "fw-link", "href": use_connection().href(fact.path), "dir": "auto", "key": "source"}, source_text(fact)
    )


def source_text(fact: FactRead) -> str:
    """The title of the document that states the fact, and the page."""
    if not fact.document:
        return t("Added by hand") if fact.is_added else t("Its document was deleted or is in the trash")
    page = fact.page_label or fact.page
    return t("{title}, page {page}", title=fact.document, page=page) if page else fact.document
