"""Decisions about a notice that can be undone."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import LabelRead
from fundwright.core.assembly import Core
from fundwright_ui.hooks.rows import Undo


class Decided(NamedTuple):
    """The labels of an opportunity before a decision, and the time of the decision; None if a label was removed."""

    before: list[LabelRead]
    decided_at: datetime | None


async def labels_of(session: AsyncSession, actor: Actor, subject_id: UUID) -> list[LabelRead]:
    return (await categories.labels_of(session, actor, [subject_id])).get(subject_id, [])


def undo_of(core: Core, actor: Actor, subject_id: UUID, decided: Decided) -> Undo:
    async def undo(session: AsyncSession) -> None:
        await categories.restore(session, actor, core, subject_id, decided_at=decided.decided_at, before=decided.before)

    return undo
