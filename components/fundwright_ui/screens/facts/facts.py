"""`/dashboard/workspace/facts`: what documents state about the organization, to accept, correct, or reject."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.facts import service as facts
from fundwright.facts.schemas import (
    FactCounts,
    FactKind,
    FactQuery,
    FactRead,
    FactState,
    FactStatus,
    label_of_kind,
    label_of_state,
)
from fundwright.profiles import service as profiles
from fundwright.training import collecting
from fundwright.training import service as training
from fundwright_ui.hooks import Row, Rows, UrlState, query_in_address, use_action, use_rows, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.facts.deciding import Decided, decide, decided_message, outcome_of, undo_of
from fundwright_ui.screens.facts.disagreements import Disagreement, disagreements, disagreements_among
from fundwright_ui.screens.facts.entry import fact_entry
from fundwright_ui.screens.facts.form import ADDED, EDITED, new_fact
from fundwright_ui.screens.listing import (
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
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.ui import (
    Option,
    Tab,
    button,
    checkbox,
    empty,
    fixed_filter,
    link_button,
    menu,
    page,
    select_field,
    tabs,
)

_MENU = "facts-add"


class _Found(NamedTuple):
    listed: Page[FactRead]
    disputed: tuple[Disagreement, ...]
    counts: FactCounts
    document: str
    """The title of the document of the filter."""


@screen(facts.PATH, "Organization facts", help="/help/facts")
def facts_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(edit=("{id}",), add=[kind.value for kind in FactKind])
    may_work = actor.may(Permission.WORK)
    return page(
        t("Organization facts"),
        None if may_work else view_only_notice(),
        _facts(key="facts"),
        subtitle=t("What your documents state about your organization. Drafts use accepted facts first."),
        actions=[
            link_button(t("Organization profile"), connection.href(profiles.PATH), size="small"),
            menu(
                t("Add fact"),
                *(
                    button(
                        label_of_kind(kind),
                        variant="text",
                        closes=_MENU,
                        on_click=partial(_add, url, kind),
                        key=kind.value,
                    )
                    for kind in FactKind
                ),
                id=_MENU,
                variant="outlined",
            )
            if may_work
            else None,
        ],
    )


def _add(url: UrlState, kind: FactKind) -> None:
    url.set(**{ADDED: kind.value, EDITED: None})


@component
def _facts() -> VdomDict | Component:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(FactQuery, url)
    shows_disputed = query.state == FactState.PROPOSED

    async def read(session: AsyncSession) -> _Found:
        listed = await existing_page(
            partial(facts.list_facts, session, actor),
            query.model_copy(update={"is_disputed": False}) if shows_disputed else query,
        )
        disputed = query.model_copy(update={"is_disputed": True, "page": 1, "page_size": 100, "sort": ""})
        found = (await facts.list_facts(session, actor, disputed)).items if shows_disputed else []
        title = await training.titles_of(session, actor, [query.document]) if query.document else {}
        counts = await facts.count_facts(session, actor)
        return _Found(listed, tuple(disagreements_among(found)), counts, next(iter(title.values()), ""))

    topics = [facts.facts_topic(actor.workspace_id), collecting.documents_topic(actor.workspace_id)]
    listing = use_listing(
        read, query, lambda found: found.listed, id=lambda fact: fact.id, key=[actor.workspace_id], topics=topics
    )
    disputed = use_rows(listing.found, lambda found: found.disputed, key=[query, actor.workspace_id], id=lambda each: each.id)
    chosen, set_chosen = use_state(frozenset[str]())
    if listing.answer is None:
        return listing.pending(t("Loading facts"))
    listed, counts, shown = listing.answer.listed, listing.answer.counts, listing.rows.shown
    added = next((kind for kind in FactKind if kind.value == url.get(ADDED)), None)

    def choose(id: str, is_chosen: bool) -> None:
        set_chosen(lambda before: before | {id} if is_chosen else before - {id})

    adding = new_fact(added, listing.load, key=f"add-{added}") if added and actor.may(Permission.WORK) else None
    has_any = listed.total or shown or disputed.shown or counts.accepted or counts.to_decide
    if not has_any and not has_filters(query):
        return html.div({"className": "fw-stack"}, adding, _nothing())
    return html.div(
        {"className": "fw-stack"},
        adding,
        _kinds(url, query, counts),
        list_bar(
            _filters(url, query, listing.answer.document),
            listing.counted(nt("{n} fact", "{n} facts", listed.total + sum(len(each.facts) for each in listing.answer.disputed))),
            export_button(connection, "/api/facts/export.csv", len(shown), query),
        ),
        disagreements(disputed, key="disputed") if disputed.shown else None,
        _bulk(shown, listing.rows, chosen, set_chosen, key="bulk") if shown and actor.may(Permission.WORK) else None,
        html.ul(
            {"className": "fw-list", "aria-label": t("Facts"), "data-row-keys": True, "key": "list"},
            *(
                fact_entry(
                    each,
                    listing.rows,
                    listing.load,
                    is_chosen=each.id in chosen,
                    on_choose=partial(choose, each.id),
                    key=each.id,
                )
                for each in shown
            ),
        )
        if shown
        else no_match(url, query, t("No facts match. Change the filters."))
        if has_filters(query)
        else empty(t("Nothing else to decide."), icon_name="check")
        if disputed.shown
        else empty(
            t("Everything is decided."),
            link_button(t("Show accepted facts"), url.href(state=FactState.ACCEPTED.value, page=None), size="small"),
            icon_name="check",
        ),
        listing.more(),
        pages(url, listed),
    )


def _nothing() -> VdomDict:
    return empty(
        t(
            "No facts yet. Add documents about your organization: when they are trained, the facts that they state are listed here."
        ),
        link_button(t("Add documents"), use_connection().href("/dashboard/train"), size="small"),
        icon_name="people",
    )


def _kinds(url: UrlState, query: FactQuery, counts: FactCounts) -> VdomDict:
    """Tabs for the kinds, with the numbers of facts to decide."""
    return tabs(
        [
            Tab("", t("All"), url.href(kind=None, page=None), sum(counts.to_decide.values())),
            *(
                Tab(kind.value, label_of_kind(kind), url.href(kind=kind.value, page=None), counts.to_decide.get(kind, 0))
                for kind in FactKind
            ),
        ],
        query.kind.value if query.kind else "",
        label=t("Kinds of facts, with what is to decide"),
    )


def _filters(url: UrlState, query: FactQuery, document: str) -> VdomDict:
    return search_box(
        url,
        query,
        t("Search facts"),
        select_field(
            "state",
            t("Decision"),
            [
                *(Option("" if state is FactState.PROPOSED else state.value, label_of_state(state)) for state in FactState),
                Option("all", t("All")),
            ],
            value="" if query.state == FactState.PROPOSED else query.state,
            on_change=narrow(url, "state"),
            id="facts-state",
        ),
        select_field(
            "status",
            t("Status"),
            [Option("", t("All")), *(Option(status.value, status.label) for status in FactStatus)],
            value=query.status.value if query.status else "",
            on_change=narrow(url, "status"),
            id="facts-status",
        ),
        fixed_filter("document", document or t("Document"), on_clear=partial(narrow(url, "document"), ""))
        if query.document
        else None,
    )


@component
def _bulk(
    shown: Sequence[Row[FactRead]],
    rows: Rows[FactRead],
    chosen: frozenset[str],
    set_chosen: Callable[[frozenset[str]], object],
) -> VdomDict:
    """Decisions about several facts at once: those that are selected, or all that are shown and current."""
    actor, connection = use_actor(), use_connection()
    open_ = [each.item for each in shown if not each.outcome and not each.item.is_view_only]
    selected = [fact for fact in open_ if str(fact.id) in chosen]
    acceptable = [fact for fact in open_ if fact.state is FactState.PROPOSED and fact.status is FactStatus.CURRENT]

    async def accept_shown(session: AsyncSession) -> tuple[FactState, dict[UUID, Decided]]:
        return FactState.ACCEPTED, await decide(session, actor, acceptable, FactState.ACCEPTED)

    async def decide_selected(session: AsyncSession, decision: FactState) -> tuple[FactState, dict[UUID, Decided]]:
        return decision, await decide(session, actor, selected, decision)

    def settle(result: tuple[FactState, dict[UUID, Decided]]) -> None:
        decision, decided = result
        changed = [fact for fact in open_ if fact.id in decided]
        for fact in changed:
            rows.settle(fact, outcome_of(decision), undo=undo_of(connection, [decided[fact.id]]))
        set_chosen(frozenset())

        def reopen() -> None:
            for fact in changed:
                rows.reopen(str(fact.id))

        connection.toast(decided_message(decision, len(changed)), undo=undo_of(connection, decided.values(), reopen))

    accepting_all = use_action(accept_shown, then=settle)
    accepting = use_action(partial(decide_selected, decision=FactState.ACCEPTED), then=settle)
    rejecting = use_action(partial(decide_selected, decision=FactState.REJECTED), then=settle)

    def choose_all(is_chosen: bool) -> None:
        set_chosen(frozenset(str(fact.id) for fact in open_) if is_chosen else frozenset())

    count = len(selected)
    return html.div(
        {"className": "fw-row fw-fact-choice"},
        checkbox(
            "all",
            nt("{n} selected", "{n} selected", count) if count else t("Select all"),
            checked=bool(open_) and count == len(open_),
            on_change=choose_all,
            id="facts-all",
        ),
        button(t("Accept selected"), size="small", on_click=accepting, disabled=not count, key="accept"),
        button(t("Reject selected"), size="small", on_click=rejecting, disabled=not count, key="reject"),
        button(
            t("Accept all shown"),
            size="small",
            variant="contained",
            icon_name="check",
            on_click=accepting_all,
            disabled=not acceptable,
            key="accept-all",
        ),
    )
