"""`/generate/templates/{id}`: a template, and the editor of its sections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import AwareDatetime, ValidationError
from reactpy import component, html, use_ref
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.errors import Invalid
from fundwright.core.messages import nt, number, t
from fundwright.templates import service as templates
from fundwright.templates.schemas import (
    MOST_IN_TEXT,
    MOST_IN_TITLE,
    MOST_SECTIONS,
    NewCopy,
    TemplateContent,
    TemplateRead,
    TemplateSave,
    TemplateSection,
    Text,
    Title,
)
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.screens.section_actions import edit_button, menu_entry
from fundwright_ui.screens.templates.section_form import SectionForm, section_form
from fundwright_ui.screens.templates.templates_list import PATH
from fundwright_ui.ui import (
    beside,
    button,
    card,
    checkbox,
    chip,
    facts,
    form,
    link_button,
    loading,
    menu,
    moment,
    page,
    problem,
    section,
    text_area,
    text_field,
)

_DETAILS, _ADD = "details", "add"
_WORDS_OF_PAGE = 450


class _Opened(NamedTuple):
    """An open form, and the template that it edits."""

    form: str
    template: TemplateRead


_NONE: _Opened | None = None


@screen(PATH + "/{id}", "Template", area="generate", help="/help/templates")
def template_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=(_DETAILS, _ADD, "edit:{n}"), questions=("{n}",))
    name = connection.location.params["id"]
    editing = use_ref(_NONE)
    found = use_query(
        lambda session: templates.get_template(session, actor, connection.core, name),
        key=[actor.workspace_id, name],
        topics=[templates.templates_topic(actor.workspace_id)],
    )
    back = link_button(t("All templates"), connection.href_back(PATH), icon_name="arrow_back")
    if found.error:
        return page(t("Template"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("Template"), loading(t("Loading template")), actions=[back])
    template = found.value
    wanted = url.get("open") if actor.may(Permission.WORK) and template.is_own else ""
    # What others save must not take the form away or put another section into it: saving it is refused then.
    if (known := editing.current) and known.form == wanted and known.template.name == template.name:
        template = known.template
    opened = _form_in(wanted, template)
    editing.current = _Opened(opened, template) if opened else None
    connection.set_title(template.shown_title)
    return page(
        template.shown_title,
        html.div(
            {"className": "fw-draft-state", "key": "state"},
            chip(templates.origin_label(template), color="info" if template.is_own else "secondary"),
            facts(
                t("Letter") if template.is_letter else None,
                _length(template.sections),
                moment(template.changed_at) if template.changed_at else None,
                template.changed_by if actor.is_in_shared_workspace else None,
            ),
        ),
        _details_form(template, key="details") if opened == _DETAILS else None,
        beside(
            html.div(
                {"className": "fw-sheet"},
                *(_section(template, place, opened, key=f"section-{place}") for place in range(len(template.sections))),
                _new_section(template, opened, key="new") if actor.may(Permission.WORK) and template.is_own else None,
            ),
            aside=_outline(template),
        ),
        subtitle=template.shown_description or None,
        actions=[back, _actions(template, key=f"actions-{template.name}")],
    )


def _form_in(wanted: str, template: TemplateRead) -> str:
    """The form that the address names; "" for none, or for a section that does not exist."""
    sections = [f"edit:{place}" for place in range(len(template.sections))]
    return wanted if wanted in (_DETAILS, _ADD, *sections) else ""


def _length(sections: Sequence[TemplateSection]) -> str:
    words = sum(each.words for each in sections)
    pages = max(1, round(words / _WORDS_OF_PAGE))
    return t("About {words} words, {pages}", words=words, pages=nt("{n} page", "{n} pages", pages))


@component
def _actions(template: TemplateRead) -> VdomDict:
    """For a workspace's own template, using it is the main action; an included one is duplicated first."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    use = f"/generate/index?template={template.name}"

    async def duplicate(session: AsyncSession) -> TemplateRead:
        return await templates.duplicate(session, actor, connection.core, template.name, NewCopy())

    async def remove(session: AsyncSession) -> None:
        await templates.delete(session, actor, template.id, client=connection.client)

    duplicating = use_action(
        duplicate, success=t("The copy was created."), then=lambda made: connection.navigate(templates.path_of(made))
    )
    removing = use_action(
        remove,
        success=moved_message(template.title),
        undo=undo_of(connection, template.id) if template.is_own else None,
        then=lambda: connection.navigate(PATH, replace=True),
    )
    download = link_button(
        t("Download"),
        connection.href(f"/api/templates/{template.name}/file"),
        variant="text",
        icon_name="download",
        download=True,
    )
    if not actor.may(Permission.WORK):
        return menu(t("More actions"), download, id="template-actions")
    is_main = not url.get("open")
    return html.fragment(
        link_button(
            t("Use template"), connection.href(use), key="use", variant="contained" if template.is_own and is_main else "outlined"
        ),
        None
        if template.is_own
        else button(t("Duplicate and change"), variant="contained", on_click=duplicating, is_busy=duplicating.is_running),
        menu(
            t("More actions"),
            *(
                (
                    button(t("Edit details"), variant="text", on_click=lambda: url.set(open=_DETAILS), closes="template-actions"),
                    button(t("Duplicate"), variant="text", on_click=duplicating, closes="template-actions"),
                )
                if template.is_own
                else ()
            ),
            download,
            button(t("Move to trash"), variant="text", on_click=removing, closes="template-actions") if template.is_own else None,
            id="template-actions",
            key="more",
        ),
    )


def _outline(template: TemplateRead) -> VdomDict:
    return section(
        t("Outline"),
        html.ol(
            *(
                html.li(
                    {"key": str(place)},
                    html.a({"href": f"#section-{place}"}, heading),
                    " ",
                    html.span({"className": "fw-muted fw-small"}, nt("{n} word", "{n} words", part.words)),
                )
                for place, (heading, part) in enumerate(zip(template.shown_headings, template.sections, strict=True))
            ),
        ),
    )


def save_of(template: TemplateRead, *, based_on: object = None, **changes: object) -> TemplateSave:
    """The template with changes. Raises Invalid."""
    content = template.content.model_dump() | {"based_on": based_on or template.changed_at} | changes
    try:
        return TemplateSave.model_validate(content)
    except ValidationError as error:
        raise Invalid(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


class _Details(TemplateContent):
    """The submitted form."""

    title: Title
    description: Text = ""
    is_letter: bool = False
    sections: tuple[TemplateSection, ...] = ()
    based_on: AwareDatetime


@component
def _details_form(template: TemplateRead) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None)

    async def save(session: AsyncSession, given: _Details) -> None:
        changes = given.model_dump(include={"title", "description", "is_letter", "based_on"})
        await templates.save(session, actor, connection.core, template.id, save_of(template, **changes))

    return card(
        form(
            text_field("title", t("Title"), default=template.title, required=True, maxlength=MOST_IN_TITLE),
            text_area("description", t("Description"), default=template.description, rows=2, maxlength=MOST_IN_TEXT),
            checkbox("is_letter", t("A letter: without a title and headings"), default=template.is_letter),
            on_submit=use_action(save, success=t("The template was saved."), then=close),
            model=_Details,
            submit=t("Save"),
            label=t("Details"),
            based_on=template.changed_at,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        label=t("Details"),
    )


@component
def _section(template: TemplateRead, place: int, opened: str) -> VdomDict:
    """A section under its heading; only accounts that may change the template get controls."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    part, heading = template.sections[place], template.shown_headings[place]
    may_change = actor.may(Permission.WORK) and template.is_own
    panel = f"edit:{place}"

    async def rearrange(session: AsyncSession, arrange: Callable[[list[TemplateSection]], object]) -> None:
        """Change the order of the sections as they are now, unless this one was changed meanwhile."""
        current = await templates.get_template(session, actor, connection.core, template.name)
        if current.sections[place : place + 1] != (part,):
            raise templates.TemplateChangedMeanwhile
        sections = list(current.sections)
        arrange(sections)
        await templates.save(session, actor, connection.core, template.id, save_of(current, sections=sections))

    async def move(session: AsyncSession, step: int) -> int:
        await rearrange(session, lambda sections: sections.insert(place + step, sections.pop(place)))
        return place + step

    async def move_up(session: AsyncSession) -> int:
        return await move(session, -1)

    async def move_down(session: AsyncSession) -> int:
        return await move(session, 1)

    async def delete(session: AsyncSession) -> None:
        await rearrange(session, lambda sections: sections.pop(place))

    async def bring_back(session: AsyncSession) -> None:
        current = await templates.get_template(session, actor, connection.core, template.name)
        sections = [*current.sections[:place], part, *current.sections[place:]]
        await templates.save(session, actor, connection.core, template.id, save_of(current, sections=sections))

    def tell(to: int) -> None:
        connection.toast(t("“{heading}” is now section {place}.", heading=heading, place=number(to + 1)))

    moving_up, moving_down = use_action(move_up, then=tell), use_action(move_down, then=tell)
    deleting = use_action(delete, success=t("“{heading}” was deleted.", heading=heading), undo=bring_back)

    async def save(session: AsyncSession, given: SectionForm) -> None:
        sections = [given.section(part) if other == place else each for other, each in enumerate(template.sections)]
        saved = save_of(template, based_on=given.based_on, sections=sections)
        await templates.save(session, actor, connection.core, template.id, saved)

    def close() -> None:
        url.set(open=None, questions=None)

    saving = use_action(save, success=t("The section was saved."), then=close)
    menu_id = f"section-{place}-actions"

    entry = partial(menu_entry, closes=menu_id)

    controls = [
        edit_button(heading, lambda: url.set(open=panel, questions=None)),
        menu(
            t("More actions for {heading}", heading=heading),
            entry(t("Move up"), t("Move {heading} up", heading=heading), moving_up, is_possible=place > 0),
            entry(
                t("Move down"),
                t("Move {heading} down", heading=heading),
                moving_down,
                is_possible=place < len(template.sections) - 1,
            ),
            entry(
                t("Delete"),
                t("Delete {heading}", heading=heading),
                deleting,
                is_possible=len(template.sections) > 1,
                danger=True,
            ),
            id=menu_id,
            key="more",
        ),
    ]
    return section(
        heading,
        section_form(
            part,
            saving,
            close,
            label=t("Edit {heading}", heading=heading),
            submit=t("Save section"),
            based_on=template.changed_at,
            key="form",
        )
        if opened == panel
        else _shown(part, is_own=template.is_own),
        actions=controls if may_change and not opened else [],
        id=f"section-{place}",
    )


def _shown(part: TemplateSection, *, is_own: bool) -> VdomDict:
    """The questions and instructions of a section."""
    say: Callable[[str], str] = str if is_own else t
    topics = [question.topic for question in part.planned.questions]
    return html.div(
        {"className": "fw-stack"},
        html.ul(
            {"className": "fw-list"},
            *(
                html.li(
                    {"key": str(place)},
                    html.p(question.ask, " ", chip(topic.label, key="topic") if topic else None),
                    html.p(
                        {"className": "fw-muted fw-small"},
                        t("If it is missing: add {missing}.", missing=say(question.missing_from(""))),
                    ),
                )
                for place, (question, topic) in enumerate(zip(part.questions, topics, strict=True))
            ),
        )
        if part.questions
        else html.p({"className": "fw-muted"}, t("No questions: the section is about its heading.")),
        html.p({"className": "fw-muted fw-small"}, t("Begins with: {opening}", opening=part.opening)) if part.opening else None,
        html.p({"className": "fw-small"}, t("Instructions: {instructions}", instructions=part.instructions))
        if part.instructions
        else None,
    )


@component
def _new_section(template: TemplateRead, opened: str) -> VdomDict | None:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None, questions=None)

    async def add(session: AsyncSession, given: SectionForm) -> None:
        sections = [*template.sections, given.section(None)]
        saved = save_of(template, based_on=given.based_on, sections=sections)
        await templates.save(session, actor, connection.core, template.id, saved)

    adding = use_action(add, success=t("The section was added."), then=close)
    if opened == _ADD:
        return card(
            section_form(
                None,
                adding,
                close,
                label=t("New section"),
                submit=t("Add the section"),
                based_on=template.changed_at,
                key="form",
            ),
            title=t("New section"),
        )
    if opened or len(template.sections) >= MOST_SECTIONS:
        return None
    return html.div(button(t("Add a section"), icon_name="add", variant="text", on_click=lambda: url.set(open=_ADD)))
