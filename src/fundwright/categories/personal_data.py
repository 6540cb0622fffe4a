"""The categories in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.categories import repository
from fundwright.core.assembly import Core

_CONTENT = ("id", "name", "description", "color", "created_at")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Yield the categories, also those in the trash, and the decisions about opportunities."""
    yield as_json("categories/categories.json", await repository.list_all(session, actor.workspace_id))
    trashed = await repository.list_trashed(session, actor.workspace_id)
    yield as_json("categories/categories_in_trash.json", [{name: getattr(each, name) for name in _CONTENT} for each in trashed])
    decisions = await repository.list_decisions(session, actor.workspace_id)
    yield as_csv("categories/decisions.csv", ("subject_id", "category", "state", "decided_at"), decisions)
