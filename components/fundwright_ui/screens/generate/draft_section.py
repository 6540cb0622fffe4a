"""One section of a draft and its actions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Literal, cast

from reactpy import component, html, use_ref, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, number, t
from fundwright.core.presence import Visit
from fundwright.generation import editing
from fundwright.generation.citing import numbers_in
from fundwright.generation.schemas import (
    DraftRead,
    DraftSectionRead,
    MatchDecision,
    NewSection,
    PossibleMatchRead,
    QuestionChange,
    Regeneration,
    Rewriting,
    SectionPosition,
    SectionState,
)
from fundwright_ui.hooks import use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.generate.draft_checks import marks_of
from fundwright_ui.screens.generate.draft_passages import OpenPassage, place_of, title_within
from fundwright_ui.screens.generate.draft_versions import Restored, restored_notice, section_versions
from fundwright_ui.screens.presence import editors_here
from fundwright_ui.screens.section_actions import edit_button, menu_entry
from fundwright_ui.ui import (
    alert,
    button,
    card,
    form,
    link_button,
    list_row,
    menu,
    progress,
    row,
    section,
    select_field,
    text_area,
    text_field,
)
from fundwright_ui.widgets import Citation, CitationOpened, copy_button, delete_dialog, markdown_view, section_editor

_OPEN_AT_FIRST = 40
_NEXT_AFTER_S = 0.05
"""A template has up to 40 sections. The texts of others follow one after the other once the page is open, so that no one waits for a page of hundreds."""

_Panel = Literal["regenerate", "versions", "delete"]


@component
def section_part(
    draft: DraftRead,
    part: DraftSectionRead,
    open_citation: OpenPassage,
    *,
    is_editing: bool,
    edit: Callable[[bool], None],
    visit: Visit | None,
) -> VdomDict:
    """A section under its heading; accounts that only read get no controls."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    opened, _, opened_id = url.get("open").partition(":")
    panel = opened if opened_id == str(part.id) else ""
    restored, set_restored = use_state(cast(Restored | None, None))
    is_shown, set_shown = use_state(part.ordinal < _OPEN_AT_FIRST)
    stays_shown = use_ref(False)
    seen = use_ref(False)
    """Whether this page has seen the section being regenerated: only then is the outcome news."""
    was_editing = use_ref(False)
    is_underway = part.rewriting is Rewriting.UNDERWAY
    seen.current = seen.current or is_underway
    may_work = actor.may(Permission.WORK)
    was_editing.current = is_editing and (may_work or was_editing.current)

    async def move(session: AsyncSession, step: int) -> int:
        place = SectionPosition(position=part.ordinal + step)
        moved = await editing.move_section(session, actor, draft.id, part.id, place)
        return next(each.ordinal for each in moved.sections if each.id == part.id)

    async def move_up(session: AsyncSession) -> int:
        return await move(session, -1)

    async def move_down(session: AsyncSession) -> int:
        return await move(session, 1)

    def tell(place: int) -> None:
        connection.toast(t("“{heading}” is now section {place}.", heading=t(part.heading), place=number(place + 1)))

    async def cancel(session: AsyncSession) -> None:
        await editing.cancel_regeneration(session, actor, draft.id, part.id)

    async def delete(session: AsyncSession) -> None:
        await editing.delete_section(session, actor, draft.id, part.id, client=connection.client)

    moving_up, moving_down, canceling = use_action(move_up, then=tell), use_action(move_down, then=tell), use_action(cancel)
    deleting = use_action(delete, success=t("The section was deleted."))

    def close() -> None:
        url.set(open=None)

    def toggle(wanted: _Panel) -> Callable[[], None]:
        return close if panel == wanted else lambda: url.set(open=f"{wanted}:{part.id}")

    heading, menu_id = t(part.heading), f"section-{part.id}"
    is_wanted = is_editing or bool(panel) or is_underway or url.get("at").startswith(str(part.id))
    stays_shown.current = stays_shown.current or is_wanted
    is_coming = use_ref(False)
    if not is_shown and not is_coming.current and connection.is_live:
        is_coming.current = True
        delay_s = _NEXT_AFTER_S * (part.ordinal - _OPEN_AT_FIRST + 1)
        asyncio.get_running_loop().call_later(delay_s, set_shown, True)
    if not (is_shown or stays_shown.current):
        show = button(
            t("Show section"), size="small", aria_label=t("Show {heading}", heading=heading), on_click=lambda: set_shown(True)
        )
        return section(heading, actions=[show], id=str(part.id))

    entry = partial(menu_entry, closes=menu_id)

    is_over = part.state == SectionState.DONE or draft.state.is_over
    copying = copy_button(part.text, t("Copy"), is_small=True, key="copy") if part.text and is_over else None
    controls = [
        edit_button(heading, lambda: edit(True)) if not is_editing and part.state == SectionState.DONE else None,
        menu(
            t("More actions for {heading}", heading=heading),
            entry(t("Regenerate…"), t("Regenerate {heading}", heading=heading), toggle("regenerate"))
            if not draft.is_being_written
            else None,
            entry(t("Comment…"), t("Comment on {heading}", heading=heading), lambda: url.set(comments="open", about=part.id)),
            entry(t("Versions"), t("Versions of {heading}", heading=heading), toggle("versions")),
            copying,
            entry(t("Move up"), t("Move {heading} up", heading=heading), moving_up, is_possible=part.ordinal > 0),
            entry(
                t("Move down"),
                t("Move {heading} down", heading=heading),
                moving_down,
                is_possible=part.ordinal < len(draft.sections) - 1,
            ),
            entry(
                t("Delete"),
                t("Delete {heading}", heading=heading),
                toggle("delete"),
                is_possible=len(draft.sections) > 1,
                danger=True,
            ),
            id=menu_id,
            key="more",
        ),
    ]
    return section(
        heading,
        editors_here(visit, str(part.id), key="editors") if visit else None,
        _progress(button(t("Cancel"), size="small", icon_name="stop", on_click=canceling) if may_work else None)
        if is_underway
        else None,
        _outcome(part) if seen.current and not is_underway else None,
        _regenerate_form(draft, part, close=close) if panel == "regenerate" and may_work else None,
        restored_notice(draft, part, restored, set_restored) if restored else None,
        _text(draft, part, open_citation, is_editing=was_editing.current, may_save=may_work, done=lambda: edit(False)),
        alert(
            nt(
                "{n} citation was removed because it referred to no passage. Check the sentences without a citation.",
                "{n} citations were removed because they referred to no passage. Check the sentences without a citation.",
                part.dropped_citations,
            ),
            variant="warning",
        )
        if part.dropped_citations
        else None,
        _open_questions(draft, part, open_citation) if part.open_questions or part.done_questions else None,
        section_versions(draft, part, restored=set_restored) if panel == "versions" else None,
        delete_dialog(
            t("Delete this section?"),
            t("“{heading}” and all of its versions will be deleted. This cannot be undone.", heading=heading),
            on_confirm=deleting,
            error=deleting.error,
            on_cancel=close,
        )
        if panel == "delete"
        else None,
        actions=controls if may_work else [copying],
        id=str(part.id),
    )


def _text(
    draft: DraftRead,
    part: DraftSectionRead,
    open_citation: OpenPassage,
    *,
    is_editing: bool,
    may_save: bool,
    done: Callable[[], None],
) -> VdomDict:
    def opened(event: CitationOpened) -> None:
        open_citation(event.number, place_of(part, event.place))

    if is_editing:
        return section_editor(
            path=f"/api/drafts/{draft.id}/sections/{part.id}",
            heading=t(part.heading),
            text=part.text,
            revision=part.revision,
            refusal="" if may_save else t("Your role has changed: you can no longer edit this draft."),
            citations=[Citation(number=each.number, title=title_within(each)) for each in draft.citations],
            on_citation=opened,
            on_done=done,
            key="editor",
        )
    if part.text.strip():
        cited = numbers_in(part.text)
        citations = [Citation(number=each.number, title=each.document_title) for each in draft.citations if each.number in cited]
        return markdown_view(part.text, citations=citations, marks=marks_of(part), on_citation=opened, key="text")
    return html.p({"className": "fw-muted", "key": "without"}, _without_text(draft, part))


def _without_text(draft: DraftRead, part: DraftSectionRead) -> str:
    if part.state == SectionState.DONE:
        return t("Your documents do not answer this.") if part.open_questions else t("No text yet.")
    if part.rewriting is not Rewriting.UNDERWAY and draft.state.is_over:
        return t("Not written.")
    return t("Writing…") if part.state == SectionState.WRITING else t("Waiting…")


def _progress(stop_button: VdomDict | None) -> VdomDict:
    return row(progress(0, None, label=t("Writing"), message=t("Regenerating…")), stop_button, key="progress")


def _outcome(part: DraftSectionRead) -> VdomDict | None:
    """How the last regeneration ended, unless the text itself shows it."""
    match part.rewriting:
        case Rewriting.SAME:
            return alert(t("The writer found nothing else in your documents. The text is unchanged."), variant="info")
        case Rewriting.NOTHING_FOUND:
            return alert(t("Your documents do not answer this. The text is unchanged."), variant="warning")
        case Rewriting.KEPT_AS_VERSION:
            return alert(
                t("You changed the text in the meantime, so your text was kept. The generated text was saved as a version."),
                variant="info",
            )
        case Rewriting.FAILED:
            return alert(part.error or t("The writer could not continue."))
        case _:
            return None


@component
def _regenerate_form(draft: DraftRead, part: DraftSectionRead, *, close: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def regenerate(session: AsyncSession, regeneration: Regeneration) -> None:
        await editing.regenerate_section(session, actor, connection.core, draft.id, part.id, regeneration)

    regenerating = use_action(regenerate, then=close)
    return card(
        form(
            text_area(
                "instructions",
                t("Instructions"),
                rows=3,
                maxlength=2_000,
                help=t(
                    "What the section should say, for example, “Mention our work for the Navy.” The built-in writer looks for it in your "
                    "documents; a language model also follows requests such as “Make it shorter.”"
                ),
                id=f"instructions-{part.id}",
            ),
            on_submit=regenerating,
            model=Regeneration,
            submit=t("Regenerate"),
            label=t("Regenerate {heading}", heading=t(part.heading)),
            actions=[button(t("Cancel"), on_click=close)],
        ),
        html.p({"className": "fw-muted fw-small"}, t("The current text is kept as a version.")),
        label=t("Regenerate {heading}", heading=t(part.heading)),
        key="regenerate",
    )


@component
def _open_questions(draft: DraftRead, part: DraftSectionRead, open_citation: Callable[[int], None]) -> VdomDict:
    """Open questions, and which of them are marked as done."""
    actor, connection = use_actor(), use_connection()
    may_work = actor.may(Permission.WORK)

    async def mark(session: AsyncSession, change: QuestionChange) -> None:
        await editing.mark_question(session, actor, draft.id, part.id, change)

    marking = use_action(mark)

    def control(question: str, *, is_done: bool) -> VdomDict:
        async def press() -> None:
            await marking.run(QuestionChange(question=question, is_done=is_done))

        label, name = (
            (t("Mark as done"), t("Mark as done: {missing}", missing=t(question)))
            if is_done
            else (t("Reopen"), t("Reopen: {missing}", missing=t(question)))
        )
        return button(
            label, size="small", variant="text", aria_label=name, on_click=press, is_busy=marking.is_running, name="mark"
        )

    return html.aside(
        {"className": "fw-gaps", "aria-label": t("Open questions of {heading}", heading=t(part.heading)), "key": "gaps"},
        html.p({"className": "fw-strong"}, t("Open questions")) if part.open_questions else None,
        html.ul(
            {"className": "fw-list"},
            *(
                list_row(
                    html.div(
                        html.span(t("Not in your documents: add {missing}.", missing=t(question))),
                        *(
                            _match(draft, part, match, open_citation, key=f"{match.question}:{match.text}")
                            for match in part.possible_matches
                            if match.question == question
                        ),
                    ),
                    control(question, is_done=True) if may_work else None,
                    key=question,
                )
                for question in part.open_questions
            ),
            *(
                list_row(
                    html.span({"className": "fw-muted"}, t("Done: {missing}", missing=t(question))),
                    control(question, is_done=False) if may_work else None,
                    key=question,
                )
                for question in part.done_questions
            ),
        ),
        link_button(t("Add documents"), connection.href("/dashboard/train"), variant="text", size="small")
        if may_work and part.open_questions
        else None,
    )


@component
def _match(draft: DraftRead, part: DraftSectionRead, match: PossibleMatchRead, open_citation: Callable[[int], None]) -> VdomDict:
    """A possible match, to be added or dismissed."""
    actor, core = use_actor(), use_connection().core

    async def decide(session: AsyncSession, decision: MatchDecision) -> None:
        await editing.decide_match(session, actor, core, draft.id, part.id, decision)

    deciding = use_action(decide)

    def opened(event: CitationOpened) -> None:
        open_citation(event.number)

    def control(label: str, name: str, *, is_accepted: bool) -> VdomDict:
        async def press() -> None:
            await deciding.run(MatchDecision(question=match.question, text=match.text, is_accepted=is_accepted))

        return button(label, size="small", variant="text", aria_label=name, on_click=press, is_busy=deciding.is_running)

    citation = f" [{match.number}]" if match.number is not None else ""
    return html.div(
        {"className": "fw-match"},
        html.p({"className": "fw-muted fw-small"}, t("Possible match")),
        html.blockquote(
            {"className": "fw-passage", "dir": "auto"},
            markdown_view(
                f"{match.text}{citation}",
                citations=[
                    Citation(number=each.number, title=each.document_title)
                    for each in draft.citations
                    if each.number == match.number
                ],
                on_citation=opened,
                key="text",
            ),
        ),
        row(
            control(t("Add to section"), t("Add to section: {text}", text=match.text), is_accepted=True),
            control(t("Dismiss"), t("Dismiss: {text}", text=match.text), is_accepted=False),
        )
        if actor.may(Permission.WORK)
        else None,
    )


@component
def new_section(draft: DraftRead) -> VdomDict:
    """Add a section and generate its text."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None)

    async def add(session: AsyncSession, new: NewSection) -> None:
        await editing.add_section(session, actor, connection.core, draft.id, new)

    adding = use_action(add, success=t("The section was added."), then=close)
    if url.get("open") != "section":
        return html.div(button(t("Add a section"), icon_name="add", variant="text", on_click=lambda: url.set(open="section")))
    last = str(len(draft.sections))
    places = [
        ("0", t("At the beginning")),
        *((str(part.ordinal + 1), t("After “{heading}”", heading=t(part.heading))) for part in draft.sections),
    ]
    return card(
        form(
            text_field("heading", t("Heading"), required=True, maxlength=300, id="new-heading"),
            text_area(
                "instructions",
                t("What to write"),
                rows=3,
                maxlength=2_000,
                help=t("Leave this empty to write the section yourself."),
                id="new-instructions",
            )
            if not draft.is_being_written
            else None,
            select_field("position", t("Position"), places, default=last, id="new-position"),
            on_submit=adding,
            model=NewSection,
            submit=t("Add the section"),
            label=t("New section"),
            actions=[button(t("Cancel"), on_click=close)],
        ),
        title=t("New section"),
    )
