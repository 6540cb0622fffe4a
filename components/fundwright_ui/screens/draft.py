"""`/generate/slug/{token}`: one draft, while it is written and after, with the passages it cites."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from reactpy import html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import jobs
from fundwright.core.messages import nt, t
from fundwright.generation import service as generation
from fundwright.generation.schemas import CitationRead, DraftRead, DraftSectionRead, DraftState, SectionState
from fundwright.identity.schemas import Permission
from fundwright_ui.hooks import use_action, use_actor, use_connection, use_live, use_query
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.generate import state_chip
from fundwright_ui.ui import (
    alert,
    button,
    icon_button,
    link_button,
    loading,
    moment,
    page,
    problem,
    progress,
    row,
    section,
    text_link,
)
from fundwright_ui.widgets import Citation, CitationOpened, copy_button, delete_dialog, markdown_view

_SOURCES = -1
"""Where a passage is shown that was opened from the list of sources."""


class Opened(NamedTuple):
    """The section under which a passage is shown, and the number of its citation; 0 shows none."""

    place: int
    number: int


@screen("/generate/slug/{token}", "Draft", area="generate")
def draft_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    slug = connection.location.params.get("token", "")
    opened, set_opened = use_state(Opened(_SOURCES, 0))
    is_asking, set_asking = use_state(False)

    found = use_query(
        lambda session: generation.get_by_slug(session, actor, slug), key=[slug], topics=[jobs.jobs_topic(actor.id)]
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

    cancelling = use_action(cancel, then=found.reload)
    continuing = use_action(go_on, then=found.reload)
    deleting = use_action(
        delete, success=t("The draft was deleted."), then=lambda: connection.navigate("/generate/index", replace=True)
    )

    if found.error:
        return page(
            t("Draft"),
            problem(found.error, on_retry=found.reload),
            actions=[link_button(t("Your drafts"), connection.href("/generate/index"), icon_name="arrow_back")],
        )
    if draft is None:
        return page(t("Draft"), loading(t("Loading the draft")))
    connection.set_title(draft.title)
    export = f"/api/drafts/{draft.id}/export?form="
    return page(
        draft.title,
        row(
            state_chip(draft.state),
            html.span(
                {"className": "fw-muted fw-small"},
                moment(draft.created_at),
                f" · {t(draft.writer_label)}" if draft.writer_label else None,
            ),
            text_link(
                t("Another draft for this opportunity"), connection.href(f"/generate/index?opportunity={draft.opportunity_id}")
            )
            if actor.may(Permission.WORK)
            else None,
        ),
        _how_far(draft),
        _trouble(
            draft,
            button(t("Continue"), on_click=continuing, is_busy=continuing.is_running, look="contained")
            if actor.may(Permission.WORK)
            else None,
        ),
        *(_section(draft, part, opened, set_opened) for part in draft.sections),
        _open_questions(draft, connection.href("/dashboard/train")),
        _sources(draft, opened, set_opened),
        delete_dialog(
            t("Delete this draft?"),
            draft.title,
            on_confirm=deleting,
            error=deleting.error,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
        subtitle=" · ".join(filter(None, (draft.opportunity_title, draft.opportunity_number))),
        actions=[
            button(t("Stop"), icon_name="stop", on_click=cancelling, is_busy=cancelling.is_running)
            if not draft.state.is_over
            else None,
            copy_button(generation.as_markdown(draft), t("Copy the draft"), key="copy") if draft.state.is_over else None,
            link_button(t("Word"), connection.href(f"{export}docx"), icon_name="download", download=True),
            link_button(t("Markdown"), connection.href(f"{export}md"), icon_name="download", download=True),
            icon_button(t("Delete this draft"), "delete", on_click=lambda: set_asking(True))
            if actor.may(Permission.WORK)
            else None,
        ],
    )


def _how_far(draft: DraftRead) -> VdomDict | None:
    if draft.state.is_over:
        return None
    current = next((part.heading for part in draft.sections if part.state == SectionState.WRITING), None)
    return progress(
        draft.done_sections,
        len(draft.sections),
        label=t("Writing"),
        message=t("Writing “{heading}”", heading=t(current)) if current else t("Waiting to start"),
    )


def _trouble(draft: DraftRead, continue_button: VdomDict | None) -> VdomDict | None:
    if draft.state == DraftState.FAILED:
        return alert(draft.error or t("The writer could not go on."), continue_button)
    if draft.state == DraftState.STOPPED:
        return alert(t("Stopped. The text so far is kept."), continue_button, variant="warning")
    return None


def _section(draft: DraftRead, part: DraftSectionRead, opened: Opened, set_opened: Callable[[Opened], None]) -> VdomDict:
    def open_citation(event: CitationOpened) -> None:
        set_opened(Opened(part.ordinal, event.number))

    return section(
        t(part.heading),
        markdown_view(
            part.text,
            citations=[Citation(number=citation.number, title=citation.document_title) for citation in draft.citations],
            on_citation=open_citation,
            key="text",
        )
        if part.text.strip()
        else html.p({"className": "fw-muted"}, _without_text(draft, part)),
        alert(
            nt(
                "{n} citation was taken out because it named no passage. Check the sentences without a number.",
                "{n} citations were taken out because they named no passage. Check the sentences without a number.",
                part.dropped_citations,
            ),
            variant="warning",
        )
        if part.dropped_citations
        else None,
        _passage(draft, opened, set_opened, place=part.ordinal),
        actions=[copy_button(part.text, t("Copy"), is_small=True, key="copy")]
        if part.text and (part.state == SectionState.DONE or draft.state.is_over)
        else [],
        key=f"section-{part.ordinal}",
    )


def _without_text(draft: DraftRead, part: DraftSectionRead) -> str:
    if part.state == SectionState.DONE:
        return t("Your documents do not answer this. See the open questions below.")
    if draft.state.is_over:
        return t("Not written.")
    return t("Being written …") if part.state == SectionState.WRITING else t("Waiting …")


def _open_questions(draft: DraftRead, train: str) -> VdomDict | None:
    if not draft.open_questions:
        return None
    return section(
        t("Open questions"),
        html.p(t("Your documents do not answer these. Add what is missing, then draft again.")),
        html.ul(
            *(
                html.li(
                    {"key": f"{heading}:{missing}"},
                    html.strong(t(heading)),
                    ": ",
                    t("add {missing}.", missing=t(missing)),
                )
                for heading, missing in draft.open_questions
            )
        ),
        actions=[link_button(t("Add documents"), train, size="small")] if use_actor().may(Permission.WORK) else [],
        key="open",
    )


def _sources(draft: DraftRead, opened: Opened, set_opened: Callable[[Opened], None]) -> VdomDict | None:
    if not draft.citations:
        return None

    def open_source(number: int) -> Callable[[], None]:
        return lambda: set_opened(Opened(_SOURCES, number))

    return section(
        t("Sources"),
        html.ul(
            {"className": "fw-list", "aria-label": t("Sources")},
            *(
                html.li(
                    {"className": "fw-list-item", "key": str(citation.number)},
                    html.span(f"[{citation.number}] {_place(citation)}"),
                    button(
                        t("Show passage"),
                        size="small",
                        aria_label=t("Show passage {number}", number=citation.number),
                        on_click=open_source(citation.number),
                    ),
                )
                for citation in draft.citations
            ),
        ),
        _passage(draft, opened, set_opened, place=_SOURCES),
        key="sources",
    )


def _passage(draft: DraftRead, opened: Opened, set_opened: Callable[[Opened], None], *, place: int) -> VdomDict | None:
    """The passage that was opened here, with the words the draft rests on marked."""
    at, number = opened
    citation = next((citation for citation in draft.citations if citation.number == number), None)
    if at != place or citation is None:
        return None
    return html.aside(
        {
            "className": "fw-card",
            "aria-label": t("Passage {number}", number=number),
            "role": "region",
            "aria-live": "polite",
            "key": "passage",
        },
        row(
            html.h3({"className": "fw-card-title"}, f"[{number}] {citation.document_title}"),
            icon_button(t("Close the passage"), "close", small=True, on_click=lambda: set_opened(Opened(place, 0))),
            spread=True,
        ),
        html.p({"className": "fw-muted fw-small"}, _place(citation)),
        html.blockquote({"className": "fw-passage fw-prewrap", "dir": "auto"}, *_marked(citation)),
    )


def _place(citation: CitationRead) -> str:
    on_page = t("page {page}", page=citation.page) if citation.page is not None else ""
    return " · ".join(filter(None, (citation.document_title, citation.heading, on_page)))


def _marked(citation: CitationRead) -> list[VdomDict | str]:
    """The passage's text in pieces, those that are quoted in `mark`."""
    cuts = sorted({0, len(citation.text), *(cut for quote in citation.quotes for cut in quote)})
    pieces: list[VdomDict | str] = []
    for start, end in pairwise(cuts):
        text = citation.text[start:end]
        is_quoted = any(first <= start and end <= last for first, last in citation.quotes)
        pieces.append(html.mark(text) if is_quoted else text)
    return pieces
