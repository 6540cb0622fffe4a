"""All queries of share links, limited to the workspace that owns them."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, func, literal, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.sharing.models import ShareLink
from fundwright.sharing.schemas import ShareKind, ShareQuery, ShareState


class Listed(NamedTuple):
    """A link with its state and its title as of now."""

    link: ShareLink
    state: ShareState
    title: str


def _is_over() -> ColumnElement[bool]:
    return or_(ShareLink.ended_at.is_not(None), ShareLink.created_by.is_(None))


def _is_working() -> ColumnElement[bool]:
    return ~_is_over() & (ShareLink.expires_at > now())


async def find_by_digest(session: AsyncSession, digest: str) -> ShareLink | None:
    """Return the link of any workspace unless it has expired or ended."""
    return await session.scalar(select(ShareLink).where(ShareLink.digest == digest, _is_working()))


async def count_working(session: AsyncSession, owner_id: UUID) -> int:
    return await count_all(session, select(ShareLink.id).where(ShareLink.owner_id == owner_id, _is_working()))


async def lock(session: AsyncSession, owner_id: UUID, share_id: UUID) -> ShareLink:
    """Raises NotFound."""
    query = select(ShareLink).where(ShareLink.owner_id == owner_id, ShareLink.id == share_id)
    link = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if link is None:
        raise NotFound(t("The share link"))
    return link


async def count_open(session: AsyncSession, share_id: UUID) -> bool:
    """Count that the page was opened. Returns False if the link has expired or ended in the meantime."""
    working = update(ShareLink).where(ShareLink.id == share_id, _is_working())
    counted = working.values(opens=ShareLink.opens + 1, last_opened_at=now()).returning(ShareLink.id)
    return await session.scalar(counted) is not None


async def lock_working(session: AsyncSession, share_id: UUID) -> ShareLink | None:
    """Return the link unless it has expired or ended. It cannot end until the transaction does."""
    query = select(ShareLink).where(ShareLink.id == share_id, _is_working())
    return await session.scalar(query.with_for_update(read=True).execution_options(populate_existing=True))


async def count_wrong_password(session: AsyncSession, share_id: UUID) -> None:
    link = update(ShareLink).where(ShareLink.id == share_id)
    await session.execute(link.values(wrong_passwords=ShareLink.wrong_passwords + 1))


async def page(
    session: AsyncSession,
    owner_id: UUID,
    query: ShareQuery,
    *,
    titles: Select[UUID, str],
    editors: Select[UUID],
    restricted: Select[UUID],
    restricted_editors: Select[UUID, UUID],
    created_by: UUID | None,
) -> tuple[list[Listed], int]:
    """`titles` selects the drafts that can be shown, `editors` the members who may share, `restricted` the restricted drafts, and
    `restricted_editors` these with the members who may share them; `created_by` limits the list to the links of one person."""
    drafts = titles.subquery()
    draft_id, draft_title = drafts.c
    is_restricted_for_creator = ShareLink.draft_id.in_(restricted) & tuple_(ShareLink.draft_id, ShareLink.created_by).not_in(
        restricted_editors
    )
    is_draft_shown = draft_id.is_not(None) & ~is_restricted_for_creator
    is_shown = or_(ShareLink.draft_id.is_(None), is_draft_shown) & ShareLink.created_by.in_(editors)
    state = case(
        (_is_over(), literal(ShareState.ENDED.value)),
        (ShareLink.expires_at <= now(), literal(ShareState.EXPIRED.value)),
        (is_shown, literal(ShareState.ACTIVE.value)),
        else_=literal(ShareState.PAUSED.value),
    )
    title = func.coalesce(draft_title, ShareLink.title)
    found = (
        select(ShareLink, state.label("state"), title.label("shown_title"))
        .outerjoin(drafts, draft_id == ShareLink.draft_id)
        .where(and_(*_conditions(owner_id, query, state, title)))
        .execution_options(populate_existing=True)
    )
    if created_by is not None:
        found = found.where(ShareLink.created_by == created_by)
    columns = {
        "title": func.lower(title),
        "recipient": func.lower(ShareLink.recipient),
        "created_at": ShareLink.created_at,
        "expires_at": ShareLink.expires_at,
        "opens": ShareLink.opens,
        "last_opened_at": ShareLink.last_opened_at,
    }
    total = await count_all(session, found)
    order = ordered_by(query, columns, default=ShareLink.created_at.desc())
    rows = await session.execute(found.order_by(order, ShareLink.id).offset(query.offset).limit(query.page_size))
    return [Listed(link, ShareState(state), title) for link, state, title in rows], total


def _conditions(owner_id: UUID, query: ShareQuery, state: Any, title: Any) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [ShareLink.owner_id == owner_id]
    if query.text.strip():
        found.append(contains(query.text.strip(), title, ShareLink.recipient))
    if query.kind is not None:
        found.append(ShareLink.query.is_(None) if query.kind is ShareKind.DRAFT else ShareLink.draft_id.is_(None))
    if query.state is not None:
        found.append(state == query.state.value)
    if query.draft_id is not None:
        found.append(ShareLink.draft_id == query.draft_id)
    return found
