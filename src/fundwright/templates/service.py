"""Draft templates: listing, making, and changing them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID, uuid4, uuid5

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.json_values import JsonObject
from fundwright.core.live import publish
from fundwright.core.messages import later, number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.templates import repository
from fundwright.templates.models import Template
from fundwright.templates.schemas import (
    MOST_IN_TITLE,
    DraftTemplate,
    NewCopy,
    NewTemplate,
    TemplateContent,
    TemplateQuery,
    TemplateRead,
    TemplateRow,
    TemplateSave,
)
from fundwright.trash import service as trash
from fundwright.workspaces import service as workspaces

TEMPLATE = "template"
"""The kind of templates in the trash and in activity."""

MOST_TEMPLATES = 100
"""Templates of a workspace."""
MOST_BYTES = 1_000_000
"""The size of a template's file."""

_REPEATED = UUID("8f3d5d4e-5c0b-4a3e-9f5e-2a1d6f0c7b19")
"""The namespace of ids of templates that may be sent repeatedly."""
_LONGEST_COUNT = len(" (99999)")

CREATED = ActivityKind("template.created", later("Template created"), later("{person} created the template “{subject}”"))
CHANGED = ActivityKind(
    "template.changed", later("Template changed"), later("{person} changed the template “{subject}”"), combining=Combining.SOON
)
ACTIVITY = (CREATED, CHANGED)


class TooManyTemplates(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "A workspace can have at most {most} templates. Move some that are no longer needed to the trash.",
                most=number(MOST_TEMPLATES),
            )
        )


class TitleTaken(Conflict):
    def __init__(self, title: str) -> None:
        super().__init__(t("There is already a template named “{title}”. Choose another title.", title=title))


class TemplateChangedMeanwhile(Conflict):
    """Someone else has changed the template since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("The template has been changed since you opened it. Copy your text, then reload the page."))


def templates_topic(owner_id: UUID) -> str:
    """The live topic of every change of the workspace's templates."""
    return f"templates:{owner_id}"


def list_installed(core: Core) -> list[DraftTemplate]:
    """Return the templates that every workspace has: those that come with Fundwright, then those of plug-ins."""
    return core.plugins.collect("draft_templates")


@needs(Permission.READ)
async def list_all(session: AsyncSession, actor: Actor, core: Core) -> list[TemplateRow]:
    """Return every template that a draft of the workspace can be started with: its own by title, then the installed ones."""
    own = await repository.list_all(session, actor.workspace_id)
    people = [account for template, _ in own for account in (template.created_by, template.changed_by)]
    names = await workspaces.names_of(session, actor, people)
    rows = [_row(template, headings, names) for template, headings in own]
    return [*rows, *map(_installed, list_installed(core))]


_SORTS: dict[str, Callable[[TemplateRow], Any]] = {
    "title": lambda row: row.shown_title.lower(),
    "sections": lambda row: len(row.headings),
    "created_at": lambda row: row.created_at,
    "changed_at": lambda row: row.changed_at,
}


@needs(Permission.READ)
async def list_templates(session: AsyncSession, actor: Actor, core: Core, query: TemplateQuery) -> Page[TemplateRow]:
    """Return a page of `list_all`. A workspace has at most MOST_TEMPLATES, so they are filtered and sorted here with the installed ones."""
    wanted = query.text.strip().lower()
    found = [
        row
        for row in await list_all(session, actor, core)
        if query.is_own in (None, row.is_own)
        and any(wanted in text.lower() for text in (row.shown_title, row.shown_description, *row.shown_headings))
    ]
    if query.sort:
        field = _SORTS[query.sort_field]
        with_value = [row for row in found if field(row) is not None]
        without = [row for row in found if field(row) is None]
        found = [*sorted(with_value, key=field, reverse=query.is_descending), *without]
    shown = found[query.offset : query.offset + query.page_size]
    return Page(items=shown, total=len(found), page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_templates(session: AsyncSession, actor: Actor, core: Core, query: TemplateQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[TemplateRow], object]]] = [
        (t("Title"), lambda row: row.shown_title),
        (t("Description"), lambda row: row.shown_description),
        (t("Sections"), lambda row: "; ".join(row.shown_headings)),
        (t("Origin"), origin_label),
        (t("Created by"), lambda row: row.created_by),
        (t("Created"), lambda row: row.created_at),
        (t("Changed by"), lambda row: row.changed_by),
        (t("Changed"), lambda row: row.changed_at),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_templates(session, actor, core, page), query))


def origin_label(row: TemplateRow) -> str:
    """Where a template comes from, in the reader's language."""
    return t("This workspace") if row.is_own else t("Included")


@needs(Permission.READ)
async def get_template(session: AsyncSession, actor: Actor, core: Core, name: str) -> TemplateRead:
    """Return a template by name: the id of the workspace's own, or the name of an installed one. Raises NotFound."""
    for template in list_installed(core):
        if template.name == name:
            return _installed(template)
    return await _read(session, actor, await repository.get(session, actor.workspace_id, _id_of(name)))


@needs(Permission.READ)
async def look_up(session: AsyncSession, actor: Actor, core: Core, reference: str) -> TemplateRead:
    """Return a template by name, or the workspace's own by title, ignoring case. Raises Invalid, listing the templates."""
    try:
        return await get_template(session, actor, core, reference)
    except NotFound as error:
        if own := await repository.find_titled(session, actor.workspace_id, reference.strip()):
            return await get_template(session, actor, core, str(own))
        known = [row.title if row.is_own else row.name for row in await list_all(session, actor, core)]
        raise Invalid(
            t(
                "There is no template named “{name}”. Choose one of these: {templates}.",
                name=reference,
                templates=", ".join(known),
            )
        ) from error


@needs(Permission.WORK)
async def create(session: AsyncSession, actor: Actor, core: Core, new: NewTemplate) -> TemplateRead:
    """Make a template. Raises TitleTaken or TooManyTemplates."""
    return await _create(session, actor, core, new, key=f"{new.key} {new.model_dump_json()}" if new.key else "")


@needs(Permission.WORK)
async def duplicate(session: AsyncSession, actor: Actor, core: Core, name: str, new: NewCopy) -> TemplateRead:
    """Make a copy of a template. Raises NotFound, TitleTaken, or TooManyTemplates."""
    template = await get_template(session, actor, core, name)
    title = new.title or await _free_title(session, actor, core, template.shown_title)
    content = template.content.model_copy(update={"title": title, "description": template.shown_description})
    return await _create(session, actor, core, content, key=f"{name} {new.model_dump_json()}" if new.key else "")


@needs(Permission.WORK)
async def upload(session: AsyncSession, actor: Actor, core: Core, content: TemplateContent) -> TemplateRead:
    """Make a template of what `files.read` returned. Its title gets a number if another one has it. Raises TooManyTemplates."""
    title = await _free_title(session, actor, core, content.title)
    return await _create(session, actor, core, content.model_copy(update={"title": title}), key="")


async def _create(session: AsyncSession, actor: Actor, core: Core, content: TemplateContent, *, key: str) -> TemplateRead:
    await acquire_lock(session, templates_topic(actor.workspace_id))
    id = uuid5(_REPEATED, f"{actor.workspace_id} {actor.id} {key}") if key else uuid4()
    created_at = now()
    is_new = await repository.add(
        session,
        {
            "id": id,
            "owner_id": actor.workspace_id,
            **_stored(content),
            "created_by": actor.id,
            "changed_by": actor.id,
            "created_at": created_at,
            "changed_at": created_at,
        },
    )
    template = await repository.get(session, actor.workspace_id, id)
    if is_new:
        await _check_title(session, actor, core, template)
        if await repository.count(session, actor.workspace_id) > MOST_TEMPLATES:
            raise TooManyTemplates
        await activity.record(session, actor, CREATED, subject_of(template))
        await publish(session, templates_topic(actor.workspace_id))
    return await _read(session, actor, template)


@needs(Permission.WORK)
async def save(session: AsyncSession, actor: Actor, core: Core, template_id: UUID, given: TemplateSave) -> TemplateRead:
    """Replace the content of a template. Drafts that were started with it keep what they were started with. Saving it again as it is changes
    nothing. Raises NotFound, TemplateChangedMeanwhile, or TitleTaken."""
    await acquire_lock(session, templates_topic(actor.workspace_id))
    template = await repository.get(session, actor.workspace_id, template_id, for_update=True)
    content = _stored(given)
    if any(getattr(template, name) != value for name, value in content.items()):
        if given.based_on != template.changed_at:
            raise TemplateChangedMeanwhile
        for name, value in content.items():
            setattr(template, name, value)
        template.changed_by, template.changed_at = actor.id, now()
        await session.flush()
        await _check_title(session, actor, core, template)
        await activity.record(session, actor, CHANGED, subject_of(template))
        await publish(session, templates_topic(actor.workspace_id))
    return await _read(session, actor, template)


@needs(Permission.WORK)
async def delete(session: AsyncSession, actor: Actor, template_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a template to the trash. Raises NotFound."""
    template = await repository.get(session, actor.workspace_id, template_id, for_update=True)
    await trash.put_in(session, actor, TEMPLATE, template, title=template.title)
    await audit.record(session, "template.deleted", actor=actor, subject=str(template_id), client=client)
    await publish(session, templates_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, core: Core, template: Template) -> None:
    """Take a template out of the trash. Its title gets a number if another one has it. Raises TooManyTemplates."""
    await acquire_lock(session, templates_topic(actor.workspace_id))
    template.title = await _free_title(session, actor, core, template.title)
    await trash.take_out(session, actor, template)
    if await repository.count(session, actor.workspace_id) > MOST_TEMPLATES:
        raise TooManyTemplates
    await publish(session, templates_topic(actor.workspace_id))


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[TemplateRead]:
    """Return the templates in the actor's trash."""
    return await _read_all(session, actor, await repository.list_trashed(session, actor.workspace_id))


def as_file(template: TemplateRead) -> bytes:
    """Return the content of a template as a JSON file, which `files.read` reads."""
    return template.content.model_dump_json(indent=2, exclude_defaults=True).encode()


async def receive(pieces: AsyncIterator[bytes]) -> bytes:
    """Read an uploaded file into memory. Raises Invalid if it is too large."""
    content = bytearray()
    async for piece in pieces:
        content += piece
        if len(content) > MOST_BYTES:
            raise Invalid(t("The file is too large. A template’s file can have at most {most} MB.", most=MOST_BYTES // 1_000_000))
    return bytes(content)


def path_of(template: Template | TemplateRow) -> str:
    """The path of the page that shows the template."""
    return f"/generate/templates/{template.id if isinstance(template, Template) else template.name}"


def subject_of(template: Template) -> Subject:
    """The template as the subject of activity."""
    return Subject(TEMPLATE, template.id, template.title, path_of(template))


async def _free_title(session: AsyncSession, actor: Actor, core: Core, title: str) -> str:
    """Return the title, with a number if a template has it."""
    free, numbers = title[:MOST_IN_TITLE], count(2)
    while await _is_taken(session, actor, core, free):
        free = f"{title[: MOST_IN_TITLE - _LONGEST_COUNT]} ({next(numbers)})"
    return free


async def _is_taken(session: AsyncSession, actor: Actor, core: Core, title: str, *, except_for: UUID | None = None) -> bool:
    """Whether a template that the actor sees has a title, ignoring case."""
    if any(title.lower() in (each.title.lower(), t(each.title).lower()) for each in list_installed(core)):
        return True
    return await repository.find_titled(session, actor.workspace_id, title, except_for=except_for) is not None


async def _check_title(session: AsyncSession, actor: Actor, core: Core, template: Template) -> None:
    if await _is_taken(session, actor, core, template.title, except_for=template.id):
        raise TitleTaken(template.title)


def _stored(content: TemplateContent) -> JsonObject:
    sections = [section.model_dump(mode="json") for section in content.sections]
    return {
        "title": content.title,
        "description": content.description,
        "is_letter": content.is_letter,
        "sections": sections,
    }


def _id_of(name: str) -> UUID:
    """Raises NotFound."""
    try:
        return UUID(name)
    except ValueError as error:
        raise NotFound(t("The template")) from error


def _installed(template: DraftTemplate) -> TemplateRead:
    headings = tuple(section.heading for section in template.sections)
    return TemplateRead(**template.model_dump(), headings=headings, is_own=False)


async def _read(session: AsyncSession, actor: Actor, template: Template) -> TemplateRead:
    return (await _read_all(session, actor, [template]))[0]


async def _read_all(session: AsyncSession, actor: Actor, templates: Sequence[Template]) -> list[TemplateRead]:
    people = [account for template in templates for account in (template.created_by, template.changed_by)]
    names = await workspaces.names_of(session, actor, people)
    return [
        TemplateRead(
            **_row(template, [section["heading"] for section in template.sections], names).model_dump(),
            sections=template.sections,
        )
        for template in templates
    ]


def _row(template: Template, headings: Sequence[str], names: Mapping[UUID | None, str]) -> TemplateRow:
    return TemplateRow(
        name=str(template.id),
        title=template.title,
        description=template.description,
        is_letter=template.is_letter,
        headings=tuple(headings),
        is_own=True,
        created_by=names.get(template.created_by, ""),
        changed_by=names.get(template.changed_by, ""),
        created_at=template.created_at,
        changed_at=template.changed_at,
    )
