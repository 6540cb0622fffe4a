"""Decisions about a notice that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import LabelRead, LabelSource
from fundwright_ui.hooks.rows import Undo
from fundwright_ui.product import Connection, actor_of, use_connection


class Decided(NamedTuple):
    """The labels of an opportunity before a decision, and the time of the decision; None if a label was removed."""

    before: list[LabelRead]
    decided_at: datetime | None


async def labels_of(session: AsyncSession, actor: Actor, subject_id: UUID) -> list[LabelRead]:
    return (await categories.labels_of(session, actor, [subject_id])).get(subject_id, [])


def decision_time(labels: Sequence[LabelRead]) -> datetime | None:
    """The time of the latest decision in `labels`."""
    return max((label.decided_at for label in labels if label.source == LabelSource.PERSON), default=None)


def undo_of(connection: Connection, subject_id: UUID, decided: Decided) -> Undo:
    async def undo(session: AsyncSession) -> None:
        actor = actor_of(connection)
        await categories.restore(
            session, actor, connection.core, subject_id, decided_at=decided.decided_at, before=decided.before
        )

    return undo


def use_undo_toast(message: str, subject_id: Callable[[], UUID]) -> Callable[[Decided], None]:
    """The `then` of an action that decides: a toast with `message` that offers to undo the decision. This is a hook."""
    connection = use_connection()

    def settle(decided: Decided) -> None:
        connection.toast(message, undo=undo_of(connection, subject_id(), decided))

    return settle
