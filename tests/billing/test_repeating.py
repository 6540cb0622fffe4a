"""Requests of administrators that are sent again, for example after a lost connection."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sqlalchemy import func, select

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor
from fundwright.billing import service
from fundwright.billing.models import PremiumLink, Subscription
from fundwright.billing.schemas import (
    LinkState,
    Origin,
    PlanCode,
    PremiumLinkCreate,
    PremiumLinkCreated,
    SubscriberRead,
    SubscriptionChange,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from tests.support.signing_in import HERE

TODAY = now().date()


async def count(core: Core, model: type[Subscription | PremiumLink], action: str) -> tuple[int, int]:
    """The rows, and the entries of the audit trail."""
    async with core.database.transaction() as session:
        rows = await session.scalar(select(func.count()).select_from(model)) or 0
        return rows, await session.scalar(select(func.count()).where(AuditEntry.action == action)) or 0


async def test_the_same_plan_again_changes_nothing(committed: Core, boss: Actor, ada: Actor) -> None:
    async def subscribe(change: SubscriptionChange) -> SubscriberRead:
        async with committed.database.transaction() as session:
            return await service.subscribe(session, boss, ada.workspace_id, change, client=HERE)

    pro = SubscriptionChange(plan=PlanCode.PRO, until=TODAY + timedelta(days=30))
    found = await asyncio.gather(*(subscribe(pro) for _ in range(3)))
    assert found == [found[0]] * 3 and await count(committed, Subscription, "subscription.changed") == (1, 1)
    for change in (
        SubscriptionChange(plan=PlanCode.PRO),
        SubscriptionChange(plan=PlanCode.PRO, origin=Origin.INVOICE),
        SubscriptionChange(plan=PlanCode.FREE),
    ):
        await subscribe(change)
        await subscribe(change)
    assert await count(committed, Subscription, "subscription.changed") == (3, 4)


async def test_the_same_premium_link_again_is_no_second_one(committed: Core, boss: Actor) -> None:
    async def create(key: str) -> PremiumLinkCreated:
        async with committed.database.transaction() as session:
            wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, expires_on=TODAY, key=key)
            return await service.create_premium_link(session, boss, wanted, client=HERE)

    first, again = await create("a"), await create("a")
    assert first.id == again.id and first.path != again.path
    async with committed.database.reading() as session:
        states = [(await service.describe_premium_link(session, made.path.rpartition("/")[2])).state for made in (first, again)]
    assert states == [LinkState.UNKNOWN, LinkState.ACTIVE]
    assert await count(committed, PremiumLink, "premium_link.created") == (1, 1)
    await asyncio.gather(create("b"), create("b"))
    await create("")
    await create("")
    assert await count(committed, PremiumLink, "premium_link.created") == (4, 4)
