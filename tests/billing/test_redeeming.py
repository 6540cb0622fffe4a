"""Owners redeem premium links for workspaces that exist. All act in their own scope, as on a page, so that PostgreSQL hides other rows."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import account_deletion
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.billing import personal_data, service
from fundwright.billing.schemas import (
    LinkState,
    PlanCode,
    PremiumLinkCreate,
    PremiumLinkCreated,
    PremiumLinkQuery,
    PremiumLinkUseRead,
    Redemption,
    SubscriptionChange,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotAllowed
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import NOBODY, acting_in
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.workspaces import service as workspaces
from tests.billing.conftest import HERE, at_once, do
from tests.support.accounts import add_account
from tests.support.scopes import INSTALLATION

TODAY = now().date()


async def make(core: Core, boss: Actor, **change: Any) -> PremiumLinkCreated:
    wanted = PremiumLinkCreate.model_validate({"plan": "pro", "days": 30, "uses": 5, "expires_on": TODAY, **change})
    return await do(core, boss, lambda session: service.create_premium_link(session, boss, wanted, client=HERE))


async def redeem(core: Core, actor: Actor, link: str, **change: Any) -> PremiumLinkUseRead:
    redemption = Redemption(link=link, **change)
    return await do(core, actor, lambda session: service.redeem_premium_link(session, actor, redemption, client=HERE))


async def subscribe(core: Core, boss: Actor, workspace: Actor, plan: PlanCode, *, days: int | None = None) -> None:
    change = SubscriptionChange(plan=plan, until=None if days is None else TODAY + timedelta(days=days))
    await do(core, boss, lambda session: service.subscribe(session, boss, workspace.workspace_id, change, client=HERE))


async def plan_of(core: Core, actor: Actor) -> PlanCode:
    return (await do(core, actor, lambda session: service.workspace_plan(session, actor))).plan.code


async def listed(core: Core, actor: Actor) -> list[PremiumLinkUseRead]:
    page = await do(core, actor, lambda session: service.list_workspace_premium_links(session, actor, PageRequest()))
    return list(page.items)


async def uses_of(core: Core, boss: Actor, link: PremiumLinkCreated) -> list[tuple[str, str]]:
    page = await do(core, boss, lambda session: service.list_premium_link_uses(session, boss, link.id, PageRequest()))
    return [(use.workspace_name, use.email) for use in page.items]


class TestRedeeming:
    @pytest.mark.parametrize("written", ["{path}", "https://office.example/base{path}?from=mail", " {code} ", "{path}/"])
    async def test_gives_the_workspace_the_plan(self, committed: Core, boss: Actor, harbor: Actor, written: str) -> None:
        link = await make(committed, boss)
        code = link.path.rpartition("/")[2]
        use = await redeem(committed, harbor, written.format(path=link.path, code=code))
        assert (use.workspace_id, use.workspace_name, use.email) == (harbor.workspace_id, "Harbor", harbor.email)
        assert (use.plan, use.given_by) == (PlanCode.PRO, boss.email)
        assert timedelta(days=29, hours=23) < use.until - now() <= timedelta(days=30)
        assert await plan_of(committed, harbor) is PlanCode.PRO
        assert await listed(committed, harbor) == [use]
        assert await uses_of(committed, boss, link) == [("Harbor", harbor.email)]

    async def test_is_possible_once_for_each_workspace(self, committed: Core, boss: Actor, ada: Actor, harbor: Actor) -> None:
        link = await make(committed, boss)
        await redeem(committed, harbor, link.path)
        with pytest.raises(service.AlreadyRedeemed, match="Each workspace can redeem it once"):
            await redeem(committed, harbor, link.path)
        await redeem(committed, ada, link.path)  # in the personal workspace
        assert len(await uses_of(committed, boss, link)) == 2

    async def test_again_with_the_same_key_changes_nothing(self, committed: Core, boss: Actor, harbor: Actor) -> None:
        link = await make(committed, boss)
        first, again = [await redeem(committed, harbor, link.path, key="a") for _ in range(2)]
        assert first == again and len(await uses_of(committed, boss, link)) == 1

    async def test_twice_at_once_uses_the_link_once(self, committed: Core, boss: Actor, harbor: Actor) -> None:
        link = await make(committed, boss)

        async def once(session: AsyncSession) -> None:
            await service.redeem_premium_link(session, harbor, Redemption(link=link.path), client=HERE)

        with acting_in(harbor.scope):
            assert await at_once(committed, [once] * 3, refused_with=service.AlreadyRedeemed) == 1
        shown = await do(committed, boss, lambda session: service.get_premium_link(session, boss, link.id))
        assert shown.used == 1

    async def test_of_two_workspaces_at_once_one_gets_the_last_use(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor
    ) -> None:
        link = await make(committed, boss, uses=1)

        async def once(session: AsyncSession, actor: Actor) -> None:
            await service.redeem_premium_link(session, actor, Redemption(link=link.path), client=HERE)

        with acting_in(INSTALLATION):
            calls = [partial(once, actor=actor) for actor in (ada, harbor)]
            assert await at_once(committed, calls, refused_with=service.PremiumLinkSpent) == 1
        assert len(await uses_of(committed, boss, link)) == 1

    async def test_is_refused_with_the_reason(self, committed: Core, boss: Actor, harbor: Actor) -> None:
        revoked = await make(committed, boss)
        await do(committed, boss, lambda session: service.revoke_premium_link(session, boss, revoked.id, client=HERE))
        for link, sentence in ((revoked.path, "was revoked"), ("nonsense", "Check that you copied the whole link")):
            with pytest.raises(service.PremiumLinkSpent, match=sentence):
                await redeem(committed, harbor, link)
        assert await plan_of(committed, harbor) is PlanCode.FREE

    @pytest.mark.security(40)
    async def test_is_for_owners(self, committed: Core, boss: Actor, harbor: Actor, bob: Actor) -> None:
        link = await make(committed, boss)
        for work in (
            lambda session: service.redeem_premium_link(session, bob, Redemption(link=link.path), client=HERE),
            lambda session: service.preview_premium_link(session, bob, link.path),
            lambda session: service.list_workspace_premium_links(session, bob, PageRequest()),
        ):
            with pytest.raises(NotAllowed, match="Only owners"):
                await do(committed, bob, work)

    async def test_tells_the_other_owners_and_is_in_the_activity(
        self, committed: Core, boss: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await do(
            committed,
            harbor,
            lambda session: workspaces.change_role(session, harbor, bob.id, WorkspaceRole.OWNER),
        )
        await redeem(committed, harbor, (await make(committed, boss)).path)

        async def told(actor: Actor) -> list[str]:
            query = NotificationQuery(kind="premium_link.redeemed")
            found = await do(committed, actor, lambda session: notifications.list_notifications(session, actor, committed, query))
            return [each.title for each in found.items]

        assert await told(harbor) == []
        [title] = await told(bob)
        assert title.startswith("Ada Example redeemed a premium link: “Harbor” is on the Pro plan until ")
        shown = await do(committed, bob, lambda session: activity.list_activity(session, bob, committed, ActivityQuery()))
        assert "Ada Example redeemed a premium link for the Pro plan" in [each.sentence for each in shown.items]


class TestRunningPlan:
    @pytest.mark.parametrize(
        ("plan", "days", "sentence"),
        [
            (PlanCode.TEAM, 10, "on the Team plan until"),
            (PlanCode.TEAM, None, "on the Team plan, which has no end date"),
            (PlanCode.PRO, 90, "on the Pro plan until"),
            (PlanCode.PRO, None, "on the Pro plan, which has no end date"),
        ],
    )
    async def test_that_is_better_is_replaced_only_on_request(
        self, committed: Core, boss: Actor, harbor: Actor, plan: PlanCode, days: int | None, sentence: str
    ) -> None:
        await subscribe(committed, boss, harbor, plan, days=days)
        before = await do(committed, harbor, lambda session: service.workspace_plan(session, harbor))
        link = await make(committed, boss)
        preview = await do(
            committed, harbor, lambda session: service.preview_premium_link(session, harbor, link.path.rpartition("/")[2])
        )
        assert sentence in preview.loss
        with pytest.raises(service.PlanReplaced, match="The link would replace it with the Pro plan until") as refused:
            await redeem(committed, harbor, link.path)
        assert str(refused.value) == preview.loss and refused.value.status == 409
        assert await do(committed, harbor, lambda session: service.workspace_plan(session, harbor)) == before
        assert await uses_of(committed, boss, link) == []
        await redeem(committed, harbor, link.path, replaces_plan=True)
        after = await do(committed, harbor, lambda session: service.workspace_plan(session, harbor))
        assert after.plan.code is PlanCode.PRO and after.until is not None

    @pytest.mark.parametrize(("plan", "days"), [(PlanCode.PRO, 10), (PlanCode.PRO, 29)])
    async def test_that_is_worse_is_replaced(
        self, committed: Core, boss: Actor, harbor: Actor, plan: PlanCode, days: int
    ) -> None:
        await subscribe(committed, boss, harbor, plan, days=days)
        link = await make(committed, boss, plan="team", days=60)
        await redeem(committed, harbor, link.path)
        assert await plan_of(committed, harbor) is PlanCode.TEAM

    async def test_a_larger_plan_for_a_shorter_time_is_a_loss_too(self, committed: Core, boss: Actor, harbor: Actor) -> None:
        await subscribe(committed, boss, harbor, PlanCode.PRO)
        with pytest.raises(service.PlanReplaced, match="after that the workspace would be on the Free plan"):
            await redeem(committed, harbor, (await make(committed, boss, plan="team")).path)

    async def test_the_preview_says_what_was_redeemed(self, committed: Core, boss: Actor, harbor: Actor) -> None:
        link = await make(committed, boss)
        await redeem(committed, harbor, link.path)
        token = link.path.rpartition("/")[2]
        preview = await do(committed, harbor, lambda session: service.preview_premium_link(session, harbor, token))
        assert (preview.state, preview.loss) == (LinkState.ACTIVE, "")
        assert preview.sentence.startswith("This workspace redeemed the link on ")


class TestOwner:
    async def test_is_the_workspace_in_which_the_link_was_created(
        self, committed: Core, boss: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await do(
            committed,
            harbor,
            lambda session: session.execute(
                text("INSERT INTO membership (workspace_id, account_id, role, joined_at) VALUES (:workspace, :account, 'editor', now())"),
                {"workspace": harbor.workspace_id, "account": boss.id},
            ),
        )  # fmt: skip
        there = await do(committed, boss, lambda session: workspaces.actor_in(session, boss, harbor.workspace_id))
        own, shared = await make(committed, boss), await make(committed, there)
        query = PremiumLinkQuery(sort="workspace")
        found = await do(committed, boss, lambda session: service.list_premium_links(session, boss, query))
        titles = {each.id: each.workspace_title for each in found.items}
        assert titles == {own.id: f"{boss.name} (personal)", shared.id: "Harbor"}
        await redeem(
            committed, bob.model_copy(update={"workspace_id": bob.id, "workspace_role": WorkspaceRole.OWNER}), shared.path
        )
        await redeem(committed, harbor, own.path)
        await do(committed, harbor, lambda session: workspaces.delete_workspace(session, harbor, committed, name="Harbor"))
        assert (
            await do(committed, boss, lambda session: service.describe_premium_link(session, shared.path.rpartition("/")[2]))
        ).state is LinkState.UNKNOWN
        [kept] = await listed(committed, bob.model_copy(update={"workspace_id": bob.id}))
        assert (kept.plan, kept.given_by) == (PlanCode.PRO, boss.email)
        [use] = (
            await do(committed, boss, lambda session: service.list_premium_link_uses(session, boss, own.id, PageRequest()))
        ).items
        assert (use.workspace_name, use.workspace_id) == ("Harbor", None)

    @pytest.mark.security(40)
    async def test_is_no_workspace_that_an_administrator_may_only_view(self, committed: Core, boss: Actor, ada: Actor) -> None:
        viewing = {"workspace_id": ada.workspace_id, "workspace_role": WorkspaceRole.VIEWER, "is_support": True}
        helping = boss.model_copy(update=viewing)
        with pytest.raises(NotAllowed):
            await make(committed, helping)

    async def test_of_a_use_has_it_in_the_copy_of_its_data(self, committed: Core, boss: Actor, ada: Actor, harbor: Actor) -> None:
        link = await make(committed, boss)
        await redeem(committed, harbor, link.path)
        with acting_in(INSTALLATION):
            async with committed.database.transaction() as session:
                files = [file async for file in personal_data.own_files(session, ada, committed)]
        [uses] = [file for file in files if file.name == "billing/premium_links.csv"]
        assert isinstance(uses.content, bytes)
        assert uses.content.decode().splitlines()[1].startswith(f"Harbor,{ada.email},pro,{boss.email},")

    async def test_a_visitor_who_registers_sees_it_in_the_personal_workspace(self, committed: Core, boss: Actor) -> None:
        link = await make(committed, boss)
        with acting_in(NOBODY):
            async with committed.database.transaction() as session:
                new = await add_account(session)
                await service.redeem_premium_link(session, new, Redemption(link=link.path), client=HERE)
        [use] = await listed(committed, new)
        assert (use.workspace_id, use.workspace_name) == (new.id, new.name)

    async def test_of_a_use_may_leave(self, committed: Core, boss: Actor, ada: Actor) -> None:
        link = await make(committed, boss)
        await redeem(committed, ada, link.path)
        with acting_in(INSTALLATION):
            async with committed.database.transaction() as session:
                await account_deletion.delete_account(session, ada, committed, client=HERE)
        assert await uses_of(committed, boss, link) == [(ada.name, ada.email)]
