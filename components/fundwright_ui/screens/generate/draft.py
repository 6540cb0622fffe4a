"""`/generate/slug/{token}`: one draft, during and after writing, with the passages it cites."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core import jobs
from fundwright.core.messages import nt, t
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.citing import numbers_in
from fundwright.generation.schemas import CitationRead, DraftRead, DraftSectionRead, DraftState, DraftTitle, SectionState
from fundwright.language.schemas import nearest_heading
from fundwright_ui.hooks import Action, use_action, use_live, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.generate.draft_checks import claim_counts, unsupported_claims
from fundwright_ui.screens.generate.draft_section import new_section, section_part
from fundwright_ui.screens.generate.draft_sources import draft_sources
from fundwright_ui.screens.generate.generate import deletion_dialog, state_chip
from fundwright_ui.ui import (
    alert,
    button,
    card,
    form,
    icon_button,
    link_button,
    loading,
    moment,
    page,
    problem,
    progress,
    row,
    section,
    text_field,
    text_link,
)
from fundwright_ui.widgets import NamedSection, SectionChosen, UnsavedTexts, copy_button

_UNSUPPORTED = "unsupported"
"""Value of `claims` in the address: show only the claims that no passage supports."""
_SOURCES = "sources"
"""Where a passage opened from the list of sources is shown."""


class Opened(NamedTuple):
    """The section below which a passage is shown, and the number of its citation; 0 shows none."""

    place: str
    number: int


@screen("/generate/slug/{token}", "Draft", area="generate", help="/help/drafting")
def draft_screen() -> VdomDict | Component:
    actor, connection = use_actor(), use_connection()
    slug = connection.location.params.get("token", "")
    url = use_url_state()
    opened, set_opened = use_state(Opened(_SOURCES, 0))
    is_asking, set_asking = use_state(False)
    is_renaming, set_renaming = use_state(False)
    is_choosing, set_choosing = use_state(False)

    found = use_query(
        lambda: generation.get_by_slug(connection.core, actor, slug),
        key=[slug],
        topics=[jobs.jobs_topic(actor.id)],
        with_session=False,
    )
    draft = found.value
    use_live(generation.draft_topic(draft.id) if draft else None, lambda _payload: found.reload())

    async def cancel(session: AsyncSession) -> None:
        if draft is not None:
            await generation.cancel_draft(session, actor, draft.id)

    async def go_on(session: AsyncSession) -> None:
        if draft is not None:
            await generation.continue_draft(session, actor, connection.core, draft.id)

    async def delete(session: AsyncSession) -> None:
        if draft is not None:
            await generation.delete_draft(session, actor, draft.id, client=connection.client)

    async def rename(session: AsyncSession, change: DraftTitle) -> None:
        if draft is not None:
            await editing.rename_draft(session, actor, draft.id, change)

    def stop_renaming() -> None:
        set_renaming(False)
        found.reload()

    renaming = use_action(rename, then=stop_renaming)
    canceling = use_action(cancel, then=found.reload)
    continuing = use_action(go_on, then=found.reload)
    deleting = use_action(
        delete, success=t("The draft was deleted."), then=lambda: connection.navigate("/generate/index", replace=True)
    )

    if draft is not None and found.is_missing and found.is_current:
        return _deleted(draft)
    if found.error:
        return page(
            t("Draft"),
            problem(found.error, on_retry=found.reload),
            actions=[link_button(t("Your drafts"), connection.href("/generate/index"), icon_name="arrow_back")],
        )
    if draft is None:
        return page(t("Draft"), loading(t("Loading draft")))
    connection.set_title(draft.title)
    export = f"/api/drafts/{draft.id}/export?form="
    may_work = actor.may(Permission.WORK)

    def part_of(part: DraftSectionRead) -> Component:
        def open_citation(number: int) -> None:
            set_opened(Opened(str(part.id), number))

        def edit(is_editing: bool) -> None:
            url.set(edit=part.id if is_editing else None)

        return section_part(
            draft,
            part,
            _passage(draft, opened, set_opened, place=str(part.id)),
            open_citation,
            is_editing=url.get("edit") == str(part.id),
            edit=edit,
            key=str(part.id),
        )

    def edit_unsupported(part: DraftSectionRead) -> Callable[[], None]:
        return lambda: url.set(claims=None, edit=part.id)

    def continue_editing(chosen: SectionChosen) -> None:
        url.set(claims=None, edit=chosen.id)

    only_unsupported = url.get("claims") == _UNSUPPORTED
    return page(
        draft.title,
        _title_form(draft.title, renaming, lambda: set_renaming(False)) if is_renaming and may_work else None,
        row(
            state_chip(draft.state),
            html.span(
                {"className": "fw-muted fw-small"},
                moment(draft.created_at),
                f" · {t(draft.writer_label)}" if draft.writer_label else None,
            ),
            text_link(t("New draft for this opportunity"), connection.href(f"/generate/index?opportunity={draft.opportunity_id}"))
            if may_work
            else None,
            button(t("Choose sources"), size="small", variant="text", on_click=lambda: set_choosing(not is_choosing))
            if may_work
            else None,
            html.span(
                {"className": "fw-muted fw-small"}, nt("{n} open question", "{n} open questions", len(draft.open_questions))
            )
            if draft.open_questions
            else None,
        ),
        draft_sources(draft, close=lambda: set_choosing(False)) if is_choosing and may_work else None,
        _progress_text(draft),
        _failure_alert(
            draft,
            button(t("Continue"), on_click=continuing, is_busy=continuing.is_running, variant="contained") if may_work else None,
        ),
        UnsavedTexts(
            path=f"/api/drafts/{draft.id}/sections/",
            sections=[NamedSection(id=str(part.id), heading=t(part.heading)) for part in draft.sections],
            editing="" if only_unsupported else url.get("edit") or "",
            on_continue=continue_editing,
            key="unsaved",
        )
        if may_work
        else None,
        claim_counts(
            draft,
            only_unsupported=only_unsupported,
            show_only_unsupported=lambda is_wanted: url.set(claims=_UNSUPPORTED if is_wanted else None),
        ),
        *(
            unsupported_claims(
                draft,
                lambda place: _passage(draft, opened, set_opened, place=place, is_marked=False),
                lambda place, number: set_opened(Opened(place, number)),
                edit_unsupported if may_work else None,
            )
            if only_unsupported
            else (part_of(part) for part in draft.sections)
        ),
        new_section(draft, key="new") if may_work and not only_unsupported else None,
        _sources(draft, opened, set_opened),
        deletion_dialog(draft.title, deleting, on_cancel=lambda: set_asking(False)) if is_asking else None,
        subtitle=" · ".join(filter(None, (draft.opportunity_title, draft.opportunity_number))),
        actions=[
            button(t("Cancel"), icon_name="stop", on_click=canceling, is_busy=canceling.is_running)
            if not draft.state.is_over
            else None,
            copy_button(generation.as_markdown(draft), t("Copy draft"), key="copy") if draft.state.is_over else None,
            link_button(t("Word"), connection.href(f"{export}docx"), icon_name="download", download=True),
            link_button(
                t("Word without citations"), connection.href(f"{export}docx&citations=none"), icon_name="download", download=True
            ),
            link_button(t("Markdown"), connection.href(f"{export}md"), icon_name="download", download=True),
            icon_button(t("Rename draft"), "edit", on_click=lambda: set_renaming(True)) if may_work else None,
            icon_button(t("Delete draft"), "delete", on_click=lambda: set_asking(True)) if may_work else None,
        ],
    )


@component
def _deleted(draft: DraftRead) -> VdomDict:
    """The draft was deleted on another page while this one was open."""
    connection = use_connection()
    return page(
        draft.title,
        alert(
            t(
                "This draft was deleted in another tab or on another device. Copy it before you leave this page. Unsaved text is listed below."
            ),
            variant="warning",
        ),
        UnsavedTexts(path=f"/api/drafts/{draft.id}/sections/", sections=[], key="unsaved"),
        actions=[
            copy_button(generation.as_markdown(draft), t("Copy draft"), key="copy"),
            link_button(
                t("New draft for this opportunity"), connection.href(f"/generate/index?opportunity={draft.opportunity_id}")
            ),
            link_button(t("Your drafts"), connection.href("/generate/index"), icon_name="arrow_back"),
        ],
    )


def _progress_text(draft: DraftRead) -> VdomDict | None:
    if draft.state.is_over:
        return None
    current = next((part.heading for part in draft.sections if part.state == SectionState.WRITING), None)
    return progress(
        draft.done_sections,
        len(draft.sections),
        label=t("Writing"),
        message=t("Writing “{heading}”", heading=t(current)) if current else t("Waiting to start"),
    )


def _failure_alert(draft: DraftRead, continue_button: VdomDict | None) -> VdomDict | None:
    if draft.is_complete:
        return None
    if draft.state == DraftState.FAILED:
        return alert(draft.error or t("The writer could not continue."), continue_button)
    if draft.state == DraftState.CANCELED:
        return alert(t("Canceled. The text so far was kept."), continue_button, variant="warning")
    return None


def _title_form(title: str, renaming: Action, close: Callable[[], None]) -> VdomDict:
    return card(
        form(
            text_field("title", t("Title"), default=title, required=True, maxlength=300),
            on_submit=renaming,
            model=DraftTitle,
            submit=t("Rename"),
            label=t("Rename draft"),
            actions=[button(t("Cancel"), on_click=close)],
        ),
        label=t("Rename draft"),
        key="rename",
    )


def _sources(draft: DraftRead, opened: Opened, set_opened: Callable[[Opened], None]) -> VdomDict | None:
    """The cited passages by document."""
    numbers = numbers_in("\n".join(part.text for part in draft.sections))
    listed = [citation for citation in draft.citations if citation.number in numbers]
    if not listed:
        return None
    documents: dict[UUID, list[CitationRead]] = {}
    for citation in listed:
        documents.setdefault(citation.document_id, []).append(citation)

    def open_source(number: int) -> Callable[[], None]:
        return lambda: set_opened(Opened(_SOURCES, number))

    return section(
        t("Sources"),
        html.ul(
            {"className": "fw-list", "aria-label": t("Sources")},
            *(
                html.li(
                    {"className": "fw-list-item", "key": str(document_id)},
                    html.span({"className": "fw-strong"}, cited[0].document_title),
                    row(
                        *(
                            button(
                                f"[{citation.number}] {_within(citation) or citation.document_title}",
                                size="small",
                                variant="soft",
                                aria_label=t("Show passage {number}", number=citation.number),
                                on_click=open_source(citation.number),
                                key=str(citation.number),
                            )
                            for citation in cited
                        )
                    ),
                )
                for document_id, cited in documents.items()
            ),
        ),
        _passage(draft, opened, set_opened, place=_SOURCES),
        key="sources",
    )


def _passage(
    draft: DraftRead, opened: Opened, set_opened: Callable[[Opened], None], *, place: str, is_marked: bool = True
) -> VdomDict | None:
    """The opened passage, with the words that support the draft marked. For an unsupported claim, nothing is marked."""
    at, number = opened
    citation = next((citation for citation in draft.citations if citation.number == number), None)
    if at != place or citation is None:
        return None
    return html.aside(
        {
            "className": "fw-card fw-passage-card",
            "aria-label": t("Passage {number}", number=number),
            "role": "region",
            "aria-live": "polite",
            "key": "passage",
        },
        row(
            html.h3({"className": "fw-card-title"}, f"[{number}] {citation.document_title}"),
            icon_button(t("Close passage"), "close", small=True, on_click=lambda: set_opened(Opened(place, 0))),
            spread=True,
        ),
        html.p({"className": "fw-muted fw-small"}, _place(citation)),
        html.blockquote(
            {"className": "fw-passage fw-prewrap", "dir": "auto"}, *(_marked(citation) if is_marked else (citation.text,))
        ),
    )


def _place(citation: CitationRead) -> str:
    return " · ".join(filter(None, (citation.document_title, _within(citation))))


def _within(citation: CitationRead) -> str:
    """The position of the passage in its document."""
    on_page = t("page {page}", page=citation.page) if citation.page is not None else ""
    return " · ".join(filter(None, (nearest_heading(citation.heading), on_page)))


def _marked(citation: CitationRead) -> list[VdomDict | str]:
    """The text of the passage in pieces; quoted ones are in `mark`."""
    cuts = sorted({0, len(citation.text), *(cut for quote in citation.quotes for cut in quote)})
    pieces: list[VdomDict | str] = []
    for start, end in pairwise(cuts):
        text = citation.text[start:end]
        is_quoted = any(first <= start and end <= last for first, last in citation.quotes)
        pieces.append(html.mark(text) if is_quoted else text)
    return pieces
