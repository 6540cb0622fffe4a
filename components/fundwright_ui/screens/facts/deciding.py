"""Decisions about facts that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.messages import nt, t
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactRead, FactState, FactVersion
from fundwright_ui.product import Connection, actor_of
from fundwright_ui.runtime.connection import Undo


class Decided(NamedTuple):
    """A fact as it is after a decision, and what it was before."""

    version: FactVersion
    before: FactState


async def decide(session: AsyncSession, actor: Actor, chosen: Sequence[FactRead], decision: FactState) -> dict[UUID, Decided]:
    """Returns the facts whose decision changed."""
    before = {fact.id: fact.state for fact in chosen}
    changed = await facts.decide(session, actor, [fact.version for fact in chosen], decision)
    return {version.id: Decided(version, before[version.id]) for version in changed}


def undo_of(connection: Connection, decided: Iterable[Decided], then: Callable[[], object] = lambda: None) -> Undo:
    """Take decisions back, and then call `then`."""
    kept = list(decided)

    async def undo(session: AsyncSession) -> None:
        actor = actor_of(connection)
        for state in FactState:
            if versions := [each.version for each in kept if each.before == state]:
                await facts.decide(session, actor, versions, state)
        then()

    return undo


def outcome_of(decision: FactState) -> str:
    """What a row says after a decision about it."""
    return {
        FactState.ACCEPTED: t("Accepted"),
        FactState.REJECTED: t("Rejected"),
        FactState.PROPOSED: t("To decide again"),
    }[decision]


def decided_message(decision: FactState, count: int) -> str:
    """The toast after a decision about several facts."""
    if decision is FactState.ACCEPTED:
        return nt("{n} fact was accepted.", "{n} facts were accepted.", count)
    return nt("{n} fact was rejected.", "{n} facts were rejected.", count)
