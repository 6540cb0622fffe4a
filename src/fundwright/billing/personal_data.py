"""The data of billing in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.billing import repository
from fundwright.core.assembly import Core

_SUBSCRIPTION = ("plan", "since", "until", "origin")
_PAYMENT = ("number", "workspace_name", "email", "text", "amount_cents", "currency", "issued", "due", "state", "paid_at")

_USE = ("workspace_name", "email", "plan", "given_by", "at", "until")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The plans that the personal workspace had, and its invoices and premium links, with those that the actor was sent or redeemed for other
    workspaces."""
    yield as_csv("billing/subscriptions.csv", _SUBSCRIPTION, await repository.subscriptions_of(session, actor.id))
    yield as_csv("billing/payments.csv", _PAYMENT, await repository.payments_of(session, actor.id, actor.email))
    yield as_csv("billing/premium_links.csv", _USE, await repository.uses_of(session, actor.id, actor.email))
