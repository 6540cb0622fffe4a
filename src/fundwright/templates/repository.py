"""All queries of templates, limited to the workspace that owns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import cast, func, select
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from fundwright.core.errors import NotFound
from fundwright.core.lists import count_all
from fundwright.core.messages import t
from fundwright.templates.models import Template
from fundwright.trash import repository as trash


class Listed(NamedTuple):
    """A template with the headings of its sections."""

    template: Template
    headings: Sequence[str]


async def list_all(session: AsyncSession, owner_id: UUID) -> list[Listed]:
    """Return the templates of the workspace by title."""
    headings = func.jsonb_path_query_array(Template.sections, cast("$[*].heading", JSONPATH), type_=JSONB[list[str]]())
    own = select(Template, headings).where(Template.owner_id == owner_id).options(defer(Template.sections, raiseload=True))
    rows = await session.execute(own.order_by(func.lower(Template.title), Template.id))
    return [Listed(template, found) for template, found in rows]


async def count(session: AsyncSession, owner_id: UUID) -> int:
    return await count_all(session, select(Template.id).where(Template.owner_id == owner_id))


async def add(session: AsyncSession, template: dict[str, object]) -> bool:
    """Return whether there was no template with its id yet."""
    added = insert(Template).values(template).on_conflict_do_nothing(index_elements=[Template.id]).returning(Template.id)
    return await session.scalar(added) is not None


async def get(session: AsyncSession, owner_id: UUID, template_id: UUID, *, for_update: bool = False) -> Template:
    """Raises NotFound, also for another workspace's template and for one in the trash."""
    wanted = select(Template).where(Template.owner_id == owner_id, Template.id == template_id)
    if for_update:
        wanted = wanted.with_for_update()
    template = await session.scalar(wanted.execution_options(populate_existing=True))
    if template is None:
        raise NotFound(t("The template"))
    return template


async def find_titled(session: AsyncSession, owner_id: UUID, title: str, *, except_for: UUID | None = None) -> UUID | None:
    """Return the template that has a title, ignoring case."""
    named = select(Template.id).where(Template.owner_id == owner_id, func.lower(Template.title) == func.lower(title))
    return await session.scalar(named.where(Template.id.is_distinct_from(except_for)).limit(1))


async def list_trashed(session: AsyncSession, owner_id: UUID) -> Sequence[Template]:
    """Return the templates in the workspace's trash, oldest first."""
    trashed = select(Template).where(trash.in_trash_of(owner_id, Template))
    return (await session.scalars(trashed.order_by(Template.created_at, Template.id))).all()
