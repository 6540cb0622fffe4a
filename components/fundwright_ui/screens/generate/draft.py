"""`/generate/slug/{token}`: one draft, during and after writing, with the passages it cites."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core import jobs
from fundwright.core.messages import nt, t
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead, DraftSectionRead, DraftState, DraftTitle, SectionState
from fundwright.opportunities.display_names import display_title
from fundwright.workspaces import restrictions
from fundwright_ui.hooks import Action, use_action, use_live, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection, use_visit
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.activity import activity_of
from fundwright_ui.screens.comments import CLOSED, COMMENTS, are_comments_open, comments_button, comments_panel
from fundwright_ui.screens.generate.draft_checks import claim_counts, open_claims
from fundwright_ui.screens.generate.draft_export import EXPORT, export_menu, export_panel
from fundwright_ui.screens.generate.draft_passages import cited_documents, incomplete_documents, passage_panel
from fundwright_ui.screens.generate.draft_section import new_section, section_part
from fundwright_ui.screens.generate.draft_sources import draft_sources
from fundwright_ui.screens.generate.generate import state_chip
from fundwright_ui.screens.generate.left_texts import left_texts
from fundwright_ui.screens.presence import people_here
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.screens.sharing.panel import OPEN as SHARE
from fundwright_ui.screens.sharing.panel import share_panel
from fundwright_ui.screens.tasks.of_subject import CLOSED as TASKS_CLOSED
from fundwright_ui.screens.tasks.of_subject import OPENED, tasks_button, tasks_panel
from fundwright_ui.screens.tasks.panel import open_task
from fundwright_ui.screens.workspaces.restricting import restricted_mark, who_can_see
from fundwright_ui.ui import (
    alert,
    beside,
    button,
    card,
    facts,
    form,
    link_button,
    loading,
    menu,
    moment,
    page,
    problem,
    progress,
    text_field,
)
from fundwright_ui.widgets import NamedSection, SectionChosen, UnsavedTexts, copy_button

_WHO = "who"
"""Value of `open` in the address while the dialog about who sees the draft is open."""
_OPEN = "open"
"""Value of `claims` in the address: show only the claims that a person must look at."""


@screen("/generate/slug/{token}", "Draft", area="generate", help="/help/drafting")
def draft_screen() -> VdomDict | Component:
    actor, connection = use_actor(), use_connection()
    slug = connection.location.params.get("token", "")
    url = use_url_state(
        open=(SHARE, _WHO, "rename", "sources", "section", f"{EXPORT}:{{n}}", "regenerate:{id}", "versions:{id}", "delete:{id}"),
        passage=("{n}",),
        at=("{id}:{n}",),
        edit=("{id}",),
        claims=(_OPEN,),
        **{OPENED: ("{id}",), "tasks": ("open",)},
        **COMMENTS,
    )
    opened, passage = url.get("open"), url.get("passage")

    found = use_query(
        lambda: generation.get_by_slug(connection.core, actor, slug),
        key=[slug],
        topics=[jobs.jobs_topic(actor.workspace_id)],
        with_session=False,
    )
    draft = found.value
    use_live(generation.draft_topic(draft.id) if draft else None, lambda _payload: found.reload())
    edited = url.get("edit") if actor.may(Permission.WORK) else ""
    visit = use_visit("draft", draft.id if draft and found.is_current and not found.is_missing else None, edited)

    async def cancel(session: AsyncSession) -> None:
        if draft is not None:
            await generation.cancel_draft(session, actor, draft.id)

    async def go_on(session: AsyncSession) -> None:
        if draft is not None:
            await generation.continue_draft(session, actor, connection.core, draft.id)

    async def remove(session: AsyncSession) -> None:
        if draft is not None:
            await generation.delete_draft(session, actor, draft.id, client=connection.client)

    async def rename(session: AsyncSession, change: DraftTitle) -> None:
        if draft is not None:
            await editing.rename_draft(session, actor, draft.id, change)

    def close() -> None:
        url.set(open=None)

    def open_part(part: str) -> Callable[[], None]:
        return lambda: url.set(open=part)

    def open_passage(number: int, at: str = "") -> None:
        url.set(**CLOSED | TASKS_CLOSED | {"passage": number, "at": at or None})

    def stop_renaming() -> None:
        close()
        found.reload()

    renaming = use_action(rename, then=stop_renaming)
    canceling = use_action(cancel, then=found.reload)
    continuing = use_action(go_on, then=found.reload)
    removing = use_action(
        remove,
        success=moved_message(draft.title) if draft else None,
        undo=undo_of(connection, draft.id) if draft else None,
        then=lambda: connection.navigate("/generate/index", replace=True),
    )

    if draft is not None and found.is_missing and found.is_current:
        return _gone(draft)
    if found.error:
        return page(
            t("Draft"),
            problem(found.error, on_retry=found.reload),
            left_texts(key="left"),
            actions=[link_button(t("Drafts"), connection.href_back("/generate/index"), icon_name="arrow_back")],
        )
    if draft is None:
        return page(t("Draft"), loading(t("Loading draft")))
    connection.set_title(draft.title)
    may_work = actor.may(Permission.WORK) and draft.is_changeable

    def part_of(part: DraftSectionRead) -> Component:
        def edit(is_editing: bool) -> None:
            url.set(edit=part.id if is_editing else None)

        is_editing = url.get("edit") == str(part.id)
        return section_part(draft, part, open_passage, is_editing=is_editing, edit=edit, visit=visit, key=str(part.id))

    def edit_open(part: DraftSectionRead) -> Callable[[], None]:
        return lambda: url.set(claims=None, edit=part.id)

    def continue_editing(chosen: SectionChosen) -> None:
        url.set(claims=None, edit=chosen.id)

    only_open = url.get("claims") == _OPEN
    return page(
        draft.title,
        html.div(
            {"className": "fw-draft-state", "key": "state"},
            state_chip(draft.state),
            restricted_mark() if draft.access else None,
            facts(
                moment(draft.created_at),
                draft.created_by if actor.is_in_shared_workspace else None,
                t(draft.writer_label) if draft.writer_label else None,
                nt("{n} open question", "{n} open questions", len(draft.open_questions)) if draft.open_questions else None,
                claim_counts(
                    draft,
                    only_open=only_open,
                    show_only_open=lambda is_wanted: url.set(claims=_OPEN if is_wanted else None),
                ),
            ),
            people_here(visit, key="people") if visit else None,
        ),
        who_can_see(generation.DRAFT, draft.id, may_change=may_work, is_open=opened == _WHO, close=close, key="who")
        if actor.is_in_shared_workspace
        else None,
        _title_form(draft.title, renaming, close) if opened == "rename" and may_work else None,
        draft_sources(draft, close=close) if opened == "sources" and may_work else None,
        _progress_text(draft),
        _failure_alert(
            draft,
            button(
                t("Continue"), on_click=continuing, is_busy=continuing.is_running, variant="outlined" if opened else "contained"
            )
            if may_work
            else None,
        ),
        UnsavedTexts(
            path=f"/api/drafts/{draft.id}/sections/",
            sections=[NamedSection(id=str(part.id), heading=t(part.heading)) for part in draft.sections],
            editing="" if only_open or not may_work else url.get("edit") or "",
            on_continue=continue_editing if may_work else None,
            key="unsaved",
        ),
        beside(
            html.div(
                {"className": "fw-sheet"},
                *(
                    [open_claims(draft, open_passage, edit_open if may_work else None, key="open-claims")]
                    if only_open
                    else (part_of(part) for part in draft.sections)
                ),
                new_section(draft, key="new") if may_work and not only_open else None,
            ),
            panel=share_panel(draft_id=draft.id, key="share")
            if opened == SHARE and may_work
            else export_panel(
                draft,
                opened,
                (lambda section_id: url.set(claims=None, edit=section_id)) if may_work else None,
                close,
                key="export-panel",
            )
            if opened.startswith(f"{EXPORT}:")
            else comments_panel(generation.DRAFT, draft.id, key="comments")
            if are_comments_open(url)
            else open_task(OPENED)
            if url.get(OPENED)
            else tasks_panel(draft.id)
            if url.get("tasks")
            else passage_panel(draft, passage, url.get("at"), lambda: url.set(passage=None, at=None), is_marked=not only_open),
            aside=html.fragment(
                cited_documents(draft, passage, open_passage, key="sources"),
                incomplete_documents(draft, key="incomplete"),
                activity_of(draft.id, key="activity"),
            ),
        ),
        subtitle=_opportunity_of(draft),
        actions=[
            comments_button(draft.id, closes=("passage", "at", *TASKS_CLOSED), key="comments"),
            tasks_button(draft.id, closes=("passage", "at", *CLOSED), key="tasks"),
            button(t("Cancel"), icon_name="stop", on_click=canceling, is_busy=canceling.is_running)
            if not draft.state.is_over
            else None,
            button(t("Share"), icon_name="link", on_click=open_part(SHARE), disabled=opened == SHARE) if may_work else None,
            export_menu(
                draft,
                lambda panel: url.set(**CLOSED | TASKS_CLOSED | {"open": panel, "passage": None, "at": None}),
                _copy_draft(draft, key="copy") if draft.state.is_over else None,
                variant="contained" if draft.is_complete and draft.state.is_over and not opened else "outlined",
                key="export",
            ),
            menu(
                t("More actions"),
                button(t("Rename draft"), variant="text", on_click=open_part("rename"), closes="draft-actions"),
                button(t("Choose sources"), variant="text", on_click=open_part("sources"), closes="draft-actions"),
                button(t("Who can see this"), variant="text", on_click=open_part(_WHO), closes="draft-actions")
                if actor.is_in_shared_workspace
                else None,
                link_button(
                    t("New draft for this opportunity"),
                    connection.href(f"/generate/index?opportunity={draft.opportunity_id}"),
                    variant="text",
                ),
                button(t("Move to trash"), variant="text", on_click=removing, closes="draft-actions"),
                id="draft-actions",
                key="more",
            )
            if may_work
            else None,
        ],
    )


def _opportunity_of(draft: DraftRead) -> str:
    """The opportunity's title, unless the draft's title contains it, and its number."""
    title = "" if draft.opportunity_title in draft.title else display_title(draft.opportunity_title)
    return " · ".join(filter(None, (title, draft.opportunity_number)))


@component
def _copy_draft(draft: DraftRead) -> VdomDict | None:
    core = use_connection().core
    revisions = (part.revision for part in draft.sections)
    titles = (citation.document_title for citation in draft.citations)
    text = use_query(
        lambda: generation.to_copy(core, draft), key=[draft.id, draft.title, *revisions, *titles], with_session=False
    ).value
    return None if text is None else copy_button(text, t("Copy draft"), key="copy")


@component
def _gone(draft: DraftRead) -> VdomDict | Component:
    """The draft was deleted, or restricted to others, while this page was open."""
    actor, connection = use_actor(), use_connection()
    hidden = use_query(lambda session: restrictions.hidden_ids(session, actor), key=[draft.id]).value
    if hidden is None:
        return page(t("Draft"), loading(t("Loading draft")))
    if draft.id in hidden:
        connection.set_title(t("Draft"))
        return page(
            t("Draft"),
            alert(t("This draft was restricted to chosen members, and you are not one of them."), variant="warning"),
            actions=[link_button(t("Drafts"), connection.href_back("/generate/index"), icon_name="arrow_back")],
        )
    return _deleted(draft)


@component
def _deleted(draft: DraftRead) -> VdomDict:
    """The draft was moved to the trash or deleted on another page while this one was open."""
    connection = use_connection()
    return page(
        draft.title,
        alert(
            t(
                "This draft was moved to the trash in another tab or on another device. Copy it before you leave this page. Unsaved text is listed below."
            ),
            variant="warning",
        ),
        UnsavedTexts(path=f"/api/drafts/{draft.id}/sections/", sections=[], key="unsaved"),
        actions=[
            _copy_draft(draft, key="copy"),
            link_button(
                t("New draft for this opportunity"), connection.href(f"/generate/index?opportunity={draft.opportunity_id}")
            ),
            link_button(t("Drafts"), connection.href_back("/generate/index"), icon_name="arrow_back"),
        ],
    )


def _progress_text(draft: DraftRead) -> VdomDict | None:
    if draft.state.is_over:
        return None
    current = next((part.heading for part in draft.sections if part.state == SectionState.WRITING), None)
    if current:
        message = t("Writing “{heading}”", heading=t(current))
    else:
        message = t("Writing") if draft.done_sections else t("Waiting to start")
    return progress(draft.done_sections, len(draft.sections), label=t("Writing"), message=message)


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
