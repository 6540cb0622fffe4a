"""`/dashboard/train`: the account's documents, training, and questions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import cast
from urllib.parse import urlencode
from uuid import UUID

from pydantic import BaseModel
from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.asking import service as asking
from fundwright.asking.schemas import Answer, Answers, ClosePassage
from fundwright.billing import service as billing
from fundwright.billing.schemas import PlanRead
from fundwright.core.choices import unknown_values
from fundwright.core.errors import NotFound
from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import nt, number, t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.sizes import file_size
from fundwright.generation import service as generation
from fundwright.language import service as language
from fundwright.language.schemas import heading_text, headings_below
from fundwright.profiles import service as profiles
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, collecting, removing, restricting, runs, samples, searching, storage, versions
from fundwright.training import service as training
from fundwright.training.schemas import (
    CollectionRead,
    DateChoice,
    DocumentQuery,
    DocumentRead,
    DocumentSource,
    DocumentState,
    DocumentTitle,
    PastedText,
    Quotes,
    RunRead,
    Unsearched,
    Usage,
    VersionOffer,
    in_months,
)
from fundwright.workspaces import restrictions
from fundwright_ui.hooks import Query, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import actor_of, id_in, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.activity import activity_of
from fundwright_ui.screens.comments import CLOSED, COMMENTS, are_comments_open, comments_button, comments_panel
from fundwright_ui.screens.first_steps import ADD_DOCUMENTS, first_steps
from fundwright_ui.screens.listing import (
    Listing,
    existing_page,
    export_button,
    has_filters,
    narrow,
    no_match,
    page_table,
    use_listing,
)
from fundwright_ui.screens.restoring import moved_message, trash_link, undo_of
from fundwright_ui.screens.samples import sample_notice
from fundwright_ui.screens.training.collecting import PATH as COLLECTIONS
from fundwright_ui.screens.training.collecting import collection_options, found_collection
from fundwright_ui.screens.training.excerpt import excerpt
from fundwright_ui.screens.training.run import progress_text
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.screens.workspaces.joining import own_invitations
from fundwright_ui.screens.workspaces.restricting import who_can_see
from fundwright_ui.ui import (
    Color,
    Fields,
    Option,
    alert,
    beside,
    button,
    card,
    checkbox,
    chip,
    definition_list,
    empty,
    facts,
    form,
    link_button,
    loading,
    menu,
    moment,
    page,
    problem,
    progress,
    row,
    row_actions,
    section,
    select_field,
    side_panel,
    stack,
    text_area,
    text_field,
    text_link,
)
from fundwright_ui.widgets import Chip, Column, DetailCell, FileDrop, Row, RowOpened

_STATE_COLORS: dict[DocumentState, Color] = {
    DocumentState.WAITING: "info",
    DocumentState.TRAINED: "success",
    DocumentState.FAILED: "error",
}
_OUTCOME_S = 2
"""How long the outcome of a decision about a new version stays where the offer was."""


class Overview(BaseModel):
    """The data that the screen shows."""

    documents: Page[DocumentRead]
    collections: list[CollectionRead]
    offers: Page[VersionOffer]
    hidden: frozenset[str]
    """Documents that are hidden from the person."""
    usage: Usage
    plan: PlanRead
    counted: int
    """How many documents count toward the limit of the plan."""
    has_sample: bool
    run: RunRead | None


class Model(BaseModel):
    """The current embedding model, and the number of documents that were trained with another one."""

    id: str
    outdated: int


_SHOWN_PASSAGES = 5
_PASTE = "text"
"""The value of `open` in the address while a form for a text is beside the list."""
_ASK = "ask"
"""The id of the part with the questions, to which a link on narrow screens leads."""
_QUESTION_CHARACTERS = 1_000


@screen("/dashboard/train", "Train", help="/help/training")
def train_screen() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    url = use_url_state(open=(_PASTE,), document=("{id}",), question=("{text}",), asked_in=("{id}",), **COMMENTS)
    request = query_in_address(DocumentQuery, url)

    async def read(session: AsyncSession) -> Overview:
        newest = await runs.list_runs(session, actor, PageRequest(page_size=1))
        return Overview(
            documents=await existing_page(partial(training.list_documents, session, actor), request),
            collections=await collecting.list_all(session, actor),
            offers=await versions.list_offers(session, actor, PageRequest(page_size=1)),
            hidden=frozenset(map(str, await restrictions.hidden_ids(session, actor))),
            usage=await storage.get_usage(session, actor, connection.core),
            plan=(await billing.workspace_plan(session, actor)).plan,
            counted=await storage.count_documents(session, actor),
            has_sample=await samples.has_sample(session, actor),
            run=newest.items[0] if newest.items else None,
        )

    listing = use_listing(
        read,
        request,
        lambda overview: overview.documents,
        id=lambda document: document.id,
        key=[actor.id],
        topics=[collecting.documents_topic(actor.workspace_id), jobs_topic(actor.workspace_id), billing.TOPIC],
    )

    async def load_model() -> Model:
        embedder = await language.get_embedder(connection.core)
        async with connection.core.database.transaction() as session:
            return Model(id=embedder.id, outdated=await searching.count_outdated(session, actor, embedder))

    # A separate query, because a model may load slowly or fail, and the documents must be shown in any case.
    model = use_query(load_model, key=[actor.id], topics=[collecting.documents_topic(actor.workspace_id)], with_session=False)

    started_id, set_started_id = use_state(cast("UUID | None", None))

    async def start() -> RunRead:
        return await runs.start_run(connection.core, actor)

    def started(run: RunRead) -> None:
        set_started_id(run.id)
        listing.found.reload()

    starting = use_action(start, success=t("The training run was started."), then=started, in_transaction=False)

    title = t("Train")
    if (overview := listing.answer) is None:
        return page(title, listing.pending(t("Loading documents")))
    listing.rows.omit(overview.hidden)
    is_running = overview.run is not None and not overview.run.state.is_over
    opened = next((each for each in listing.rows.shown if each.id == url.get("document")), None)
    commented = id_in(url.get("document"))
    collections = overview.collections
    url.report(["collection"], unknown_values(request, collection=[each.id for each in collections]))
    within = found_collection(collections, request.collection)
    adding_to = within if within and within.is_changeable else None
    is_pasting = url.get("open") == _PASTE and actor.may(Permission.WORK)
    # From the click until the run that it started has been read and has ended.
    is_starting = starting.is_running or (started_id is not None and (overview.run is None or overview.run.id != started_id))
    export = export_button(
        connection,
        "/api/training/documents/export.csv",
        len(listing.rows.shown),
        request,
        label=t("Export documents as CSV"),
        variant="text",
    )
    return page(
        title,
        own_invitations(key="invitations"),
        first_steps(key="first-steps"),
        None if actor.may(Permission.WORK) else view_only_notice(),
        alert(model.error, title=t("The embedding model cannot be used")) if model.error else None,
        alert(
            nt(
                "{n} document was trained with a different embedding model. Train it again to include it in answers and drafts.",
                "{n} documents were trained with a different embedding model. Train them again to include them in answers and drafts.",
                model.value.outdated,
            ),
            variant="warning",
        )
        if model.value and model.value.outdated and not is_running
        else None,
        beside(
            section(
                t("Documents"),
                html.div({"id": ADD_DOCUMENTS, "tabIndex": -1}, _add_documents(listing.load, adding_to, key="add"))
                if actor.may(Permission.WORK)
                else None,
                _running(overview.run, key="running") if overview.run is not None and is_running else None,
                _offers(overview.offers, listing.load, key="offers") if actor.may(Permission.WORK) else None,
                _documents(listing, overview.documents, model.value.id if model.value else None, key="documents")
                if overview.documents.total or listing.rows.shown
                else no_match(url, request, t("No documents here. Choose another collection, or move documents to this one."))
                if has_filters(request)
                else empty(
                    t("No documents yet. Drop some above or paste text. They are processed automatically.")
                    if actor.may(Permission.WORK)
                    else t("No documents yet."),
                    icon_name="train",
                ),
                _used(overview),
                actions=[
                    select_field(
                        "collection",
                        t("Collection"),
                        collection_options(collections, t("All documents")),
                        value=str(within.id) if within else "",
                        on_change=narrow(url, "collection"),
                        small=True,
                        id="in-collection",
                    )
                ]
                if collections
                else [],
            ),
            panel=_paste_text(listing.load, adding_to, key="paste")
            if is_pasting
            else comments_panel(training.DOCUMENT, commented, is_titled=True, key=f"comments-{commented}")
            if commented is not None and are_comments_open(url)
            else _document_panel(opened.item, collections, listing, key=f"document-{opened.id}")
            if opened and not opened.outcome
            else _unlisted_panel(commented, collections, listing, key=f"unlisted-{commented}")
            if commented is not None and opened is None
            else None,
            aside=html.div({"id": _ASK, "className": "fw-card", "tabIndex": -1, "key": "ask"}, _ask(collections, key="ask")),
        ),
        sample_notice(
            t("Some of these documents are samples from a fictional company."),
            of="documents",
            question=t("Remove the sample documents?"),
            consequence=t("Answers and drafts will no longer use them. Your own documents will be kept."),
            removed=t("The sample documents were removed."),
            remove=lambda session: samples.remove_sample(session, actor, connection.core, client=connection.client),
            restore=lambda session: samples.restore_sample(
                session, actor_of(connection), connection.core, client=connection.client
            ),
            then=listing.load,
            key="sample",
        )
        if overview.has_sample and actor.may(Permission.WORK)
        else None,
        _models(key="models"),
        subtitle=t("What answers and drafts are based on."),
        actions=[
            html.div({"className": "fw-jump", "key": "jump"}, link_button(t("Ask"), f"#{_ASK}")),
            button(
                t("Train"),
                variant="contained",
                icon_name="train",
                on_click=starting,
                is_busy=starting.is_running,
                disabled=is_running or is_starting or not (overview.documents.total or has_filters(request)),
            )
            if actor.may(Permission.WORK)
            else None,
            menu(
                t("More actions"),
                link_button(t("Collections"), connection.href(COLLECTIONS), variant="text", size="small", icon_name="train"),
                export,
                trash_link(training.DOCUMENT, variant="text"),
                id="train-actions",
            ),
        ],
    )


def _used(overview: Overview) -> VdomDict | None:
    """How many documents the workspace has of those that its plan includes, and how much storage the person's own ones use."""
    if not overview.counted and not overview.usage.size_bytes:
        return None
    count, plan = number(overview.counted), overview.plan
    return html.p(
        {"className": "fw-hint"},
        t("Documents in this workspace: {count}.", count=count)
        if plan.documents is None
        else t(
            "Documents in this workspace: {count} of {limit} ({plan} plan).",
            count=count,
            limit=number(plan.documents),
            plan=plan.name,
        ),
        " ",
        t("The documents that you added in all workspaces use {usage}.", usage=overview.usage.text)
        if overview.usage.size_bytes
        else None,
        " ",
        text_link(t("View usage"), use_connection().href("/dashboard/workspace?tab=plan")),
    )


def _added_to(collection: CollectionRead | None) -> str:
    return t("New documents are added to the collection “{name}”.", name=collection.name) if collection else ""


@component
def _add_documents(load: Callable[[], None], collection: CollectionRead | None) -> VdomDict:
    connection, url = use_connection(), use_url_state()
    address = "/api/training/documents"
    formats = adding.list_formats(connection.core.plugins)
    return html.div(
        {"className": "fw-stack fw-stack-tight", "role": "group", "aria-label": t("Add documents")},
        FileDrop(
            label=t("Choose files"),
            hint=t("Or drop them here: {formats}", formats=", ".join(each.label for each in formats)),
            upload_url=connection.href(f"{address}?collection={collection.id}" if collection else address),
            accept=",".join(suffix for each in formats for suffix in each.suffixes),
            is_multiple=True,
            max_bytes=connection.core.settings.max_upload_bytes,
            children=[button(t("Paste text"), icon_name="edit", on_click=lambda: url.set(open=_PASTE, document=None))],
            on_uploaded=load,
        ),
        html.p({"className": "fw-hint"}, _added_to(collection)) if collection else None,
    )


@component
def _paste_text(load: Callable[[], None], collection: CollectionRead | None) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def paste(session: AsyncSession, pasted: PastedText) -> None:
        wanted = pasted.model_copy(update={"collection_id": collection.id if collection else None})
        await adding.add_text(session, actor, connection.core, wanted)

    def close() -> None:
        url.set(open=None)

    def finish() -> None:
        load()
        close()

    pasting = use_action(paste, success=t("The text was added and is being processed."), then=finish)
    return side_panel(
        t("Paste text"),
        form(
            text_field("title", t("Title"), required=True, maxlength=200, id="pasted-title"),
            text_area("text", t("Text"), required=True, rows=10, id="pasted-text", help=_added_to(collection) or None),
            on_submit=pasting,
            model=PastedText,
            submit=t("Add text"),
            is_secondary=True,
            label=t("Paste text"),
        ),
        close=t("Close"),
        on_close=close,
        key="paste",
    )


@component
def _ask(collections: list[CollectionRead]) -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    url = use_url_state()
    asked = url.get("question").strip()[:_QUESTION_CHARACTERS]
    asked_in = found_collection(collections, id_in(url.get("asked_in")))
    collection_id = asked_in.id if asked_in else None

    async def find() -> Answers:
        embedder = await language.get_embedder(connection.core)
        return await asking.find_answers(
            connection.core, actor, asked, embedder=embedder, limit=_SHOWN_PASSAGES, collection_id=collection_id
        )

    async def nothing() -> Answers:
        return Answers(answers=(), closest=())

    found = use_query(
        find if asked else nothing,
        key=[actor.id, asked, collection_id],
        topics=[collecting.documents_topic(actor.workspace_id)],
        with_session=False,
    )

    def ask(fields: Fields) -> None:
        url.go(question=str(fields.get("question", "")).strip(), asked_in=str(fields.get("asked_in", "")))

    return section(
        t("Ask the knowledge base"),
        form(
            html.div(
                {"className": "fw-filters fw-one-line"},
                text_field(
                    "question",
                    t("Question"),
                    required=True,
                    maxlength=_QUESTION_CHARACTERS,
                    value=asked,
                ),
                button(t("Ask"), type="submit"),
            ),
            select_field(
                "asked_in",
                t("Search in"),
                collection_options(collections, t("All documents")),
                default=str(collection_id or ""),
                small=True,
                id="asked-in",
                key=f"asked-in-{collection_id}",
            )
            if collections
            else None,
            html.p({"className": "fw-hint"}, t("Finds the sentences in your documents that answer your question.")),
            on_submit=ask,
            label=t("Ask the knowledge base"),
        ),
        html.div(
            {"aria-live": "polite", "data-answers": asked if found.is_current else ""},
            _found(found, asked, asked_in) if asked else None,
        ),
        _unsearched(key="unsearched") if asked else None,
    )


def _found(found: Query[Answers], asked: str, asked_in: CollectionRead | None) -> VdomDict:
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None or not found.is_current:
        return loading(t("Looking for answers"))
    answers, closest = found.value.answers, found.value.closest
    if answers:
        return stack(
            alert(t("Your documents disagree. The answer from the newest one comes first."), variant="warning")
            if answers[0].is_disputed
            else None,
            *map(_answer, answers),
            row(_export_answers(asked, asked_in, len(answers))),
        )
    refusal = (
        t("The documents of this collection don't answer this. Search in all documents, or rephrase the question.")
        if asked_in
        else t("Your documents don't answer this. Add a document that does, or rephrase the question.")
    )
    if not closest:
        return empty(refusal, icon_name="search")
    return stack(alert(refusal, variant="info"), html.h3(t("Closest:")), *map(_close, closest))


@component
def _unsearched() -> VdomDict:
    actor = use_actor()

    async def read(session: AsyncSession) -> Unsearched:
        return await searching.list_unsearched(session, actor)

    found = use_query(
        read, key=[actor.id], topics=[collecting.documents_topic(actor.workspace_id), jobs_topic(actor.workspace_id)]
    ).value
    return html.div({"aria-live": "polite"}, alert(_not_searched(found), variant="info") if found and found.count else None)


def _not_searched(unsearched: Unsearched) -> str:
    titles = ", ".join(unsearched.titles) + (" …" if unsearched.count > len(unsearched.titles) else "")
    if unsearched.underway == unsearched.count:
        return t("Still processing and not searched yet: {titles}", titles=titles)
    return t("Not trained and not searched: {titles}", titles=titles)


def _export_answers(question: str, asked_in: CollectionRead | None, count: int) -> VdomDict | None:
    wanted = {"query": question, "limit": _SHOWN_PASSAGES} | ({"collection": asked_in.id} if asked_in else {})
    address = f"/api/answers/export.csv?{urlencode(wanted)}"
    return export_button(use_connection(), address, count, label=t("Export answers as CSV"))


def _answer(answer: Answer) -> VdomDict:
    shown = (
        html.p({"dir": "auto"}, html.mark(answer.answer))
        if answer.is_checked is not None
        else excerpt(answer, answer.answer_start, answer.answer_end)
    )
    if answer.status_label:
        shown = stack(chip(answer.status_label, color="warning", key="status"), shown)
    part = t("Speaker notes") if answer.is_for_speaker else t("Quoted message") if answer.is_quoted else ""
    return _passage(answer, shown, ((answer.answer_start, answer.answer_end),), part)


def _close(passage: ClosePassage) -> VdomDict:
    return _passage(passage, excerpt(passage))


def _passage(passage: ClosePassage, shown: VdomDict, quotes: Quotes = (), part: str = "") -> VdomDict:
    place = [
        passage.document_kind.label,
        heading_text(headings_below(passage.document_title, passage.heading)),
        t("Page {page}", page=passage.page_label or passage.page) if passage.page else "",
        part,
    ]
    href = use_connection().href(training.path_of_passage(passage.document_id, passage.id, quotes))
    return card(
        shown,
        facts((t("Newest version, added on"), moment(passage.document_date, shown="date"))) if passage.document_date else None,
        facts((t("Dated"), in_months(passage.dated))) if passage.dated else None,
        row(text_link(t("Show in the document"), href)),
        title=passage.document_title,
        subtitle=" · ".join(part for part in place if part) or None,
        key=str(passage.id),
    )


@component
def _running(run: RunRead) -> VdomDict:
    actor = use_actor()
    connection = use_connection()

    async def cancel(session: AsyncSession) -> None:
        await runs.cancel_run(session, actor, run.id)

    canceling = use_action(cancel, success=t("The run will be canceled after its current step."))
    return section(
        t("Training"),
        progress(run.done, run.total, label=t("Training"), message=progress_text(run)),
        row(
            button(t("Cancel run"), icon_name="stop", on_click=canceling, is_busy=canceling.is_running)
            if actor.may(Permission.WORK)
            else None,
            text_link(t("Show this run"), connection.href(f"/dashboard/history/{run.id}")),
        ),
    )


@component
def _offers(offers: Page[VersionOffer], reload: Callable[[], None]) -> VdomDict | Component | None:
    """The first offer. One that was decided on stays for a moment with its outcome, so that a second click does not hit the next one."""
    decided, set_decided = use_state(cast(tuple[VersionOffer, str] | None, None))
    offer, outcome = decided or (next(iter(offers.items), None), "")

    async def show(offer: VersionOffer, outcome: str) -> None:
        set_decided((offer, outcome))
        reload()
        await _pause()
        set_decided(None)

    return _offer(offer, offers.total - 1, outcome, show, key=f"offer-{offer.newer.id}") if offer is not None else None


async def _pause() -> None:
    await asyncio.sleep(_OUTCOME_S)


@component
def _offer(offer: VersionOffer, more: int, outcome: str, show: Callable[[VersionOffer, str], Awaitable[None]]) -> VdomDict:
    """An offer to replace an earlier document with one that seems to be its new version. `more` offers follow. `show` shows the outcome of a
    decision for a moment."""
    actor, connection = use_actor(), use_connection()
    newer, earlier = offer.newer, offer.earlier

    async def replace(session: AsyncSession) -> None:
        await versions.replace(session, actor, connection.core, earlier.id, newer.id)

    async def keep_both(session: AsyncSession) -> None:
        await versions.keep_both(session, actor, newer.id)

    def described(document: DocumentRead) -> VdomDict:
        return facts(
            text_link(document.title, connection.href(f"/dashboard/train/{document.id}")),
            (t("Added"), moment(document.created_at)),
            file_size(document.size_bytes),
            document.collection,
            document.filename if document.filename != document.title else "",
            t("Scan") if document.is_scan else "",
            key=str(document.id),
        )

    replacing = use_action(replace, then=partial(show, offer, t("The earlier version was replaced.")))
    keeping = use_action(keep_both, then=partial(show, offer, t("Both versions are kept.")))
    return alert(
        t(
            "“{title}” looks like a new version of “{earlier}”. If you replace the earlier version, answers and new drafts use only the new one.",
            title=newer.title,
            earlier=earlier.title,
        ),
        html.p(
            t(
                "“{title}” is a scan. Its text was recognized and may have errors that “{earlier}” does not have.",
                title=newer.title,
                earlier=earlier.title,
            )
        )
        if offer.is_scan_of_text
        else None,
        described(newer),
        described(earlier),
        row_actions(
            button(t("Replace"), size="small", on_click=replacing, is_busy=replacing.is_running),
            button(t("Keep both"), size="small", variant="text", on_click=keeping),
            html.span({"className": "fw-muted fw-small"}, nt("{n} more to review", "{n} more to review", more)) if more else None,
            outcome=outcome,
        ),
        variant="info",
    )


@component
def _documents(listing: Listing[Overview, DocumentRead], documents: Page[DocumentRead], model_id: str | None) -> VdomDict:
    url = use_url_state()
    rows = listing.rows
    has_problems = any(each.item.error for each in rows.shown)
    state_width = 124 if any(each.item.access for each in rows.shown) else 120 if has_problems else 102
    # The space beside the panel at 1440 pixels, with a scroll bar. A problem is below its title and needs that of the last column.
    count_width = 92 if has_problems else 86  # the last column has a wider margin
    title_width = 683 - 136 - state_width - count_width - (0 if has_problems else 124)

    def open_row(event: RowOpened) -> None:
        url.set(**CLOSED | {"document": event.id, "open": None})

    return stack(
        page_table(
            url,
            listing.query,
            documents,
            label=t("Documents"),
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=title_width / 100, min_width=title_width),
                Column(field="kind", label=t("Kind"), is_sortable=True, flex=1.36, min_width=136),
                Column(
                    field="state",
                    label=t("Status"),
                    kind="chips",
                    is_sortable=True,
                    flex=state_width / 100,
                    min_width=state_width,
                ),
                Column(
                    field="chunk_count",
                    label=t("Passages"),
                    kind="number",
                    is_sortable=True,
                    flex=count_width / 100,
                    min_width=count_width,
                ),
                *(
                    []
                    if has_problems
                    else [
                        Column(
                            field="created_at",
                            label=t("Added"),
                            kind="date",
                            is_sortable=True,
                            is_compact=False,
                            flex=1.24,
                            min_width=124,
                        )
                    ]
                ),
            ],
            rows=[_row(each, model_id) for each in rows.shown],
            on_open=open_row,
        ),
        listing.more(),
    )


@component
def _unlisted_panel(
    document_id: UUID, collections: list[CollectionRead], listing: Listing[Overview, DocumentRead]
) -> VdomDict | Component:
    """A document in the address that is not among the rows of the list, which may be on another page or filtered."""
    actor, url = use_actor(), use_url_state()

    async def read(session: AsyncSession) -> DocumentRead | None:
        with suppress(NotFound):
            return await training.get_document(session, actor, document_id)
        return None

    found = use_query(read, key=[actor.id, document_id], topics=[collecting.documents_topic(actor.workspace_id)])
    if found.value is not None:
        return _document_panel(found.value, collections, listing, key=f"document-{document_id}")
    return side_panel(
        t("Document"),
        problem(found.error, on_retry=found.reload)
        if found.error
        else loading(t("Loading document"))
        if not found.is_current
        else empty(t("This document no longer exists, or you do not have access to it."), icon_name="train"),
        close=t("Close"),
        on_close=lambda: url.set(document=None),
        key="unlisted",
    )


@component
def _document_panel(
    document: DocumentRead, collections: list[CollectionRead], listing: Listing[Overview, DocumentRead]
) -> VdomDict:
    """A document beside the list: what it is, its original, and what can be done with it."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_renaming, set_renaming = use_state(False)
    is_sharing, set_sharing = use_state(False)
    may_work = actor.may(Permission.WORK) and document.is_changeable
    collection = found_collection(collections, document.collection_id)
    targets = [each for each in collections if each.is_changeable or each == collection]

    async def remove(session: AsyncSession) -> None:
        await removing.remove_document(session, actor, document.id, client=connection.client)

    async def rename(session: AsyncSession, change: DocumentTitle) -> None:
        await training.rename_document(session, actor, document.id, change, client=connection.client)

    async def choose_kind(session: AsyncSession, kind: str) -> None:
        await training.choose_kind(session, actor, connection.core, document.id, DocumentKind(kind))

    async def choose_date(session: AsyncSession, choice: DateChoice) -> None:
        await training.choose_date(session, actor, document.id, choice.dated)

    async def move(session: AsyncSession, collection: str) -> None:
        await restricting.move_document(session, actor, connection.core, document.id, id_in(collection))

    async def move_back(session: AsyncSession) -> None:
        await restricting.move_document(session, actor_of(connection), connection.core, document.id, document.collection_id)
        listing.load()

    async def bring_back(session: AsyncSession) -> None:
        await versions.bring_back(session, actor, document.id)

    async def train_again() -> None:
        await runs.start_run(connection.core, actor, [document.id])

    def close() -> None:
        url.set(document=None)

    def settle() -> None:
        listing.rows.settle(document, t("Moved to trash"))
        close()

    def reopen() -> None:
        listing.rows.reopen(str(document.id))

    def stop_renaming() -> None:
        set_renaming(False)
        listing.load()

    remove = use_action(
        remove,
        success=moved_message(document.title),
        undo=undo_of(connection, document.id, reopen),
        then=settle,
    )
    renaming = use_action(rename, success=t("The document was renamed."), then=stop_renaming)
    choosing_kind = use_action(choose_kind, success=t("The kind was changed."), then=listing.load)
    choosing_date = use_action(choose_date, success=t("The date was changed."), then=listing.load)
    bringing_back = use_action(bring_back, success=t("Answers and drafts use this version again."), then=listing.load)
    moving = use_action(move, success=t("The document was moved."), undo=move_back, then=listing.load)
    training_again = use_action(train_again, success=t("The training run was started."), then=close, in_transaction=False)

    return side_panel(
        document.title,
        form(
            text_field("title", t("New title"), default=document.title, required=True, maxlength=200, id=f"title-{document.id}"),
            on_submit=renaming,
            model=DocumentTitle,
            submit=t("Rename"),
            is_secondary=True,
            actions=[button(t("Cancel"), variant="text", on_click=lambda: set_renaming(False))],
            label=t("Rename {title}", title=document.title),
        )
        if is_renaming
        else None,
        _from_profile(document.id, key="profile"),
        _left_out(document, may_work=may_work, key=f"left-out:{document.kind}:{document.dated}:{document.is_always_used}")
        if document.kind.is_ours and document.state == DocumentState.TRAINED
        else None,
        definition_list(
            {
                t("File"): document.filename,
                t("Kind"): None if may_work else document.kind.label,
                t("Dated"): document.dated_text or None,
                t("Collection"): None if may_work else document.collection or None,
                t("Status"): t("Replaced") if document.replaced_by else _state(document).label,
                t("Passages"): nt("{n} passage", "{n} passages", document.chunk_count),
                t("Read"): document.report.read_text or None if document.report else None,
                t("Left out of answers and drafts"): document.report.left_out_text or None if document.report else None,
                t("Recognized with low confidence"): document.report.uncertain_text or None if document.report else None,
                t("Not read"): document.report.unread_text or None if document.report else None,
                t("Size"): file_size(document.size_bytes),
                t("Added by"): document.added_by if actor.is_in_shared_workspace else None,
                t("Visible to"): (
                    t("Members who were chosen for the collection")
                    if collection and collection.access
                    else t("Chosen members")
                    if document.access
                    else t("Everyone in the workspace")
                )
                if actor.is_in_shared_workspace
                else None,
                t("Problem"): document.error,
            }
        ),
        select_field(
            "kind",
            t("Kind"),
            [Option(kind, kind.label) for kind in DocumentKind],
            value=document.kind,
            on_change=choosing_kind,
            help=t(
                "Drafts quote your own documents. Notices and policies are used as requirements. Internal documents only answer your questions, and documents about others are not quoted."
            ),
            small=True,
            id="document-kind",
        )
        if may_work
        else None,
        form(
            text_field(
                "dated",
                t("Date"),
                type="date",
                default=str(document.dated or ""),
                help=t("Drafts leave out documents about you, and proposals, of more than two years ago if there are others."),
                small=True,
                id=f"dated-{document.id}",
            ),
            on_submit=choosing_date,
            model=DateChoice,
            submit=t("Save date"),
            is_secondary=True,
            label=t("Date of {title}", title=document.title),
            key=f"dated:{document.dated}",
        )
        if may_work
        else None,
        select_field(
            "collection",
            t("In collection"),
            collection_options(targets, t("No collection")),
            value=str(document.collection_id or ""),
            on_change=moving,
            help=t("Only the members who were chosen for a restricted collection see the documents in it.")
            if any(each.access for each in targets)
            else None,
            small=True,
            id="document-collection",
        )
        if may_work and collections
        else None,
        row(
            link_button(
                t("Open document"), connection.href(f"/dashboard/train/{document.id}"), size="small", icon_name="visibility"
            ),
            link_button(
                t("Download original"),
                connection.href(f"/api/training/documents/{document.id}/file"),
                size="small",
                icon_name="download",
                download=True,
            ),
            button(t("Who can see this"), icon_name="lock", size="small", on_click=lambda: set_sharing(True))
            if actor.is_in_shared_workspace
            else None,
            comments_button(document.id, small=True, key="comments"),
            *(
                (
                    button(
                        t("Rename…"), icon_name="edit", size="small", on_click=lambda: set_renaming(True), disabled=is_renaming
                    ),
                    button(t("Train again"), icon_name="refresh", size="small", on_click=training_again),
                    button(t("Use this version again"), icon_name="refresh", size="small", on_click=bringing_back)
                    if document.replaced_by
                    else None,
                    button(t("Move to trash"), icon_name="delete", size="small", on_click=remove),
                )
                if may_work
                else ()
            ),
        ),
        activity_of(document.id, key="activity"),
        who_can_see(
            training.DOCUMENT,
            document.id,
            may_change=may_work,
            is_open=is_sharing,
            close=lambda: set_sharing(False),
            key="who",
        )
        if actor.is_in_shared_workspace
        else None,
        close=t("Close"),
        on_close=close,
        key=f"document-{document.id}",
    )


@component
def _left_out(document: DocumentRead, *, may_work: bool) -> VdomDict | None:
    """Says why drafts leave a document out, with a switch to use it anyway."""
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda: generation.why_left_out(connection.core, actor, document.id),
        key=[document.id],
        topics=[collecting.documents_topic(actor.workspace_id)],
        with_session=False,
    )

    async def use(session: AsyncSession, is_always_used: bool) -> None:
        await training.use_always(session, actor, document.id, is_always_used=is_always_used)

    using = use_action(use, success=t("Your choice was saved."))
    if found.value is None:
        return problem(found.error, on_retry=found.reload) if found.error else None
    return html.div(
        {"className": "fw-stack"},
        html.p(found.value.label if document.is_always_used else t("Not used in drafts: {reason}", reason=found.value.label)),
        checkbox("use", t("Use in drafts anyway"), checked=document.is_always_used, on_change=using, id=f"use-{document.id}")
        if may_work
        else None,
    )


@component
def _from_profile(document_id: UUID) -> VdomDict | None:
    """Says of the document with the text of the organization profile where it is edited."""
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda session: profiles.is_profile(session, actor, document_id),
        key=[document_id],
        topics=[profiles.profile_topic(actor.workspace_id)],
    )
    if not found.value:
        return None
    return html.p(
        t("This document has the text of your organization profile, where you edit it."),
        " ",
        text_link(t("Organization profile"), connection.href(profiles.PATH)),
    )


def _state(document: DocumentRead) -> Chip:
    if document.is_underway and document.state != DocumentState.TRAINED:
        return Chip(label=t("Processing"), color="info")
    return Chip(label=document.state.label, color=_STATE_COLORS[document.state])


def state_chip(document: DocumentRead) -> VdomDict:
    """The progress of a document."""
    shown = _state(document)
    return chip(shown.label, color=shown.color)


def _title(document: DocumentRead) -> str | DetailCell:
    """The title. Below it is the problem with the document, if there is one, or the name of the file, unless the title is this name
    or there is no file of the person's."""
    if document.error:
        return DetailCell(label=document.title, detail=document.error)
    has_own_file = not document.is_sample and document.source is DocumentSource.UPLOAD
    named = document.filename.rpartition(".")[0].replace("_", " ")
    if not has_own_file or document.title in (named, document.filename):
        return document.title
    return DetailCell(label=document.title, detail=document.filename)


def _row(shown: KeptRow[DocumentRead], model_id: str | None) -> Row:
    document = shown.item
    labels = [_state(document)]
    if document.state == DocumentState.TRAINED and model_id and document.model_id != model_id:
        labels = [Chip(label=t("Trained with a different model"), color="warning")]
    marks: list[Chip] = []
    if document.is_sample and document.title != t("Sample: {name}", name=document.title.partition(": ")[2]):
        marks.append(Chip(label=t("Sample"), color="secondary"))
    if document.access:
        marks.append(Chip(label=t("Restricted"), color="secondary", is_locked=True))
    if document.replaced_by:
        marks.append(Chip(label=t("Replaced"), color="secondary"))
    elif document.report and document.report.unread:
        marks.append(Chip(label=t("Partly read"), color="warning"))
    # One chip fits, and only other states than the usual one are news.
    is_usual = document.state == DocumentState.TRAINED and labels[0].color == "success"
    labels = [*([] if marks and is_usual else labels), *marks]
    if shown.outcome:
        labels = [Chip(label=shown.outcome, color="secondary")]
    return Row(
        id=shown.id,
        cells={
            "title": _title(document),
            "kind": document.kind.label if document.is_kind_chosen or document.trained_at else "",  # training proposes one
            "state": tuple(labels),
            "chunk_count": document.chunk_count,
            "created_at": document.created_at,
        },
    )


@component
def _models() -> VdomDict:
    connection = use_connection()
    models = language.describe(connection.core)
    return section(
        t("Models in use"),
        definition_list({t("Embedding model"): models.embedder_label, t("Writer"): models.writer_label}),
        text_link(t("Connect other models"), connection.href("/help/language-model")),
    )
