"""Limits on what is added to a workspace without a quota of its own, such as tasks and notes."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.authentication import throttle
from fundwright.authentication.throttle import Budget
from fundwright.core.errors import Conflict
from fundwright.core.messages import t
from fundwright.workspaces import repository

MOST_ADDED = 20_000
"""Of each kind in a workspace."""
ADDED_BY_ONE = (Budget(2_000, timedelta(hours=1)),)
"""How many things of all kinds one account can add. People do not reach this."""


@needs(Permission.WORK)
async def count(
    session: AsyncSession,
    actor: Actor,
    owner: InstrumentedAttribute[UUID | None],
    *conditions: ColumnElement[bool],
    refusal: str,
) -> None:
    """Count what the actor has just added to the table whose column `owner` names the workspace. Raises OverBudget, or Conflict with `refusal`
    if there are too many that meet the conditions, not counting those in the trash."""
    await throttle.spend(session, "added", actor.id, ADDED_BY_ONE, refusal=_too_many)
    if await repository.count_owned_by(session, owner, actor.workspace_id, *conditions) > MOST_ADDED:
        raise Conflict(refusal)


def _too_many(wait: str) -> str:
    return t("You have added too much in a short time, so this was not saved. Try again in {wait}.", wait=wait)
