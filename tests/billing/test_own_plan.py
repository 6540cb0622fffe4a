"""How accounts see their own plan."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.billing import service
from fundwright.billing.schemas import PlanCode, Quota, SubscriptionChange
from tests.billing.conftest import HERE


class TestOwnPlan:
    async def test_is_free_and_unused_at_first(self, session: AsyncSession, actor: Actor) -> None:
        own = await service.own_plan(session, actor)
        assert (own.plan.code, own.until, own.is_limited, own.drafts, own.imports) == (PlanCode.FREE, None, True, 0, 0)

    async def test_counts_what_was_used(self, session: AsyncSession, actor: Actor) -> None:
        for quota in (Quota.DRAFTS, Quota.DRAFTS, Quota.IMPORTS):
            await service.check_quota(session, actor, quota)
        own = await service.own_plan(session, actor)
        assert (own.drafts, own.imports) == (2, 1)

    async def test_follows_the_subscription(self, session: AsyncSession, actor: Actor, admin: Actor) -> None:
        await service.subscribe(session, admin, actor.id, SubscriptionChange(plan=PlanCode.PRO), client=HERE)
        assert (await service.own_plan(session, actor)).plan.code is PlanCode.PRO

    async def test_does_not_hold_administrators(self, session: AsyncSession, admin: Actor) -> None:
        assert not (await service.own_plan(session, admin)).is_limited
