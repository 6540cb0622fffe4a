"""The list of opportunities, which `/dashboard/sam` shows for contracts and `/dashboard/nih` for grants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from reactpy import component, use_ref
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.categories import service as categories
from fundwright.categories.schemas import LabelRead
from fundwright.core.messages import t
from fundwright.opportunities import service, watching
from fundwright.opportunities.schemas import Availability, FoundPage, Kind
from fundwright.pipeline import service as pipeline
from fundwright_ui.hooks import UNCHANGED, use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.screens.listing import export_button
from fundwright_ui.screens.notice_address import CLOSED, OPEN, SEVERAL, query_of
from fundwright_ui.screens.opportunities.empty import nothing_found, nothing_yet, samples_shown
from fundwright_ui.screens.opportunities.importing import import_panel
from fundwright_ui.screens.opportunities.jobs import categorize_button
from fundwright_ui.screens.opportunities.results import Watches, count_text, elsewhere_links, is_match, results
from fundwright_ui.screens.opportunities.table_view import use_table_view
from fundwright_ui.screens.opportunities.toolbar import (
    correction,
    kind_tabs,
    toolbar,
)
from fundwright_ui.screens.opportunities.watching import due_dates, use_watch_toggle
from fundwright_ui.screens.searches.bar import saved_search_bar
from fundwright_ui.screens.searches.menu import SAVE
from fundwright_ui.screens.sharing.panel import OPEN as SHARE
from fundwright_ui.screens.sharing.panel import share_panel
from fundwright_ui.ui import button, loading, menu, page, problem
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import RowOpened


class _Found(NamedTuple):
    """`watched` are the listed opportunities that the person watches, `typed` is the text of the search, and `searched` the same with
    misspelled words corrected; `elsewhere` is the number of matching notices when no open one matches, and `unknown` the sentences
    about filters that no notice can match."""

    listed: FoundPage
    labels: dict[UUID, list[LabelRead]]
    watched: set[UUID]
    typed: str
    searched: str
    elsewhere: Mapping[Availability, int]
    stages: Mapping[UUID, str]
    unknown: Sequence[str]


@component
def opportunities_list(kind: Kind) -> VdomDict:
    connection = use_connection()
    actor = use_actor()
    url = use_url_state(open=(SHARE, SAVE), saved=("{id}",), filters=("{text}",), **{"import": (OPEN, CLOSED)})
    query = query_of(kind, url)
    view = use_table_view(kind)
    began_empty = use_ref(False)

    stage_in = partial(pipeline.stage_in, actor)

    async def search() -> _Found:
        understood, meaning = await service.understand(connection.core, query)
        async with connection.reading() as session:
            listed, labels, stages, watched = await service.list_with_labels(
                session, actor, understood, meaning=meaning, extra=stage_in
            )
            elsewhere: Mapping[Availability, int] = {}
            if query.availability == OPEN and listed.page == 1 and not any(is_match(item) for item in listed.items):
                elsewhere = await service.count_titled(session, actor, understood)
            unknown = await service.list_unknown_values(session, actor, connection.core, query)
        return _Found(listed, labels, watched, query.text, understood.text, elsewhere, stages, unknown)

    async def read(session: AsyncSession) -> _Found:
        listed, labels, stages, watched = await service.list_with_labels(session, actor, query, extra=stage_in)
        unknown = await service.list_unknown_values(session, actor, connection.core, query)
        return _Found(listed, labels, watched, query.text, query.text, {}, stages, unknown)

    async def read_totals(session: AsyncSession) -> Mapping[Kind, int]:
        return await service.count_by_kind(session, actor, query.availability) if query.availability else {}

    found = use_query(
        search if query.text else read,
        key=[query],
        topics=[
            service.TOPIC,
            categories.categories_topic(actor.workspace_id),
            watching.watches_topic(actor.workspace_id)
            if query.watched == "anyone"
            else watching.own_watches_topic(actor.workspace_id, actor.id),
            pipeline.pipeline_topic(actor.workspace_id),
        ],
        with_session=not query.text,
    )
    facets = use_query(lambda session: service.facets(session, actor, kind=kind), key=[kind], topics=[service.TOPIC])
    # Those of all notices are kept with every import.
    totals = use_query(read_totals, key=[query.availability], topics=[service.TOPIC])
    own_categories = use_query(
        lambda session: categories.list_categories(session, actor), topics=[categories.categories_topic(actor.workspace_id)]
    )
    toggle = use_watch_toggle()

    async def press(opened: RowOpened) -> None:
        id = parse_id(opened.id, t("The opportunity"))
        await toggle(id, is_watched=found.value is not None and id in found.value.watched)

    pressing = use_action(press, in_transaction=False)
    if found.can_wait:
        return UNCHANGED
    if facets.value is not None and not facets.value.total:
        began_empty.current = True
    # The panel stays after the first import, because it shows the result.
    is_importing = actor.may(Permission.WORK) and url.get("import", OPEN if began_empty.current else CLOSED) == OPEN

    def shown(*children: Child) -> VdomDict:
        toggle = button(
            t("Hide import") if is_importing else t("Import"),
            variant="text",
            icon_name="upload",
            closes="list-actions",
            on_click=lambda: url.set(**{"import": CLOSED if is_importing else OPEN}),
        )
        exported = found.value.listed.total if found.value and not found.value.unknown else 0  # the API refuses what is not valid
        entries = [
            toggle if actor.may(Permission.WORK) else None,
            button(t("Share"), variant="text", icon_name="link", closes="list-actions", on_click=lambda: url.set(open=SHARE))
            if actor.may(Permission.WORK)
            else None,
            export_button(connection, "/api/opportunities/export.csv", exported, query, variant="text"),
        ]
        return page(
            t("Opportunities"),
            share_panel(query=query, key="share") if url.get("open") == SHARE and actor.may(Permission.WORK) else None,
            *children,
            beside=kind_tabs(kind, url, totals.value or (facets.value.totals if facets.value else {})),
            actions=[
                categorize_button() if actor.may(Permission.LABEL) else None,
                menu(t("More actions"), *entries, id="list-actions") if any(entries) else None,
            ],
        )

    if found.error or facets.error:
        return shown(problem(found.error or facets.error or "", on_retry=found.reload))
    if found.value is None or facets.value is None:
        return shown(loading(t("Loading opportunities")))
    offered = facets.value
    panel = import_panel(kind, key=f"import:{kind}") if is_importing else None
    listed, labels, watched, typed, searched, elsewhere, stages, unknown = found.value
    url.report((*SEVERAL, "category"), unknown)
    if not offered.total:
        return shown(nothing_yet(kind, key="nothing"), panel)
    watches = None if actor.is_support else Watches(watched, pressing)
    is_corrected = searched != typed == query.text  # the list may still be of an earlier search
    return shown(
        panel,
        toolbar(kind, query, count_text(listed), view, offered, own_categories.value or []),
        saved_search_bar(query),
        due_dates(query.watched, key=f"due-{query.watched}") if query.watched else None,
        correction(url, typed, searched) if is_corrected else None,
        *(
            results(
                kind, url, query, listed, labels, elsewhere, watches, stages=stages, view=view.value, is_loading=found.is_slow
            )
            if listed.items
            else [elsewhere_links(url, elsewhere), nothing_found(kind, url, query)]
        ),
        samples_shown(offered.samples, key="sample") if offered.samples else None,
    )
