"""Plans, limits, and invoices belong to workspaces. All act in their own scope here, as on a page, so that PostgreSQL hides other rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import account_deletion
from fundwright.accounts.schemas import Actor, Role, WorkspaceRole
from fundwright.billing import personal_data, service
from fundwright.billing.schemas import (
    PaymentCreate,
    PaymentQuery,
    PaymentRead,
    PlanChange,
    PlanCode,
    PremiumLinkCreate,
    Quota,
    Redemption,
    SubscriberQuery,
    SubscriptionChange,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotAllowed
from fundwright.core.scopes import NOBODY, acting_in
from fundwright.training import adding, restricting, storage
from fundwright.training.schemas import PastedText
from fundwright.workspaces import service as workspaces
from fundwright.workspaces import support
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm, SupportForm, WorkspaceForm
from tests.billing.conftest import HERE, at_once, do
from tests.support.accounts import add_account

TODAY = now().date()


async def limit(core: Core, boss: Actor, **limits: int | None) -> None:
    change = PlanChange(**({"price_cents": 0, "documents": 1_000, "drafts": 200, "imports": 500, "workspaces": 10} | limits))
    await do(core, boss, lambda session: service.change_plan(session, boss, PlanCode.FREE, change, client=HERE))


async def subscribe(core: Core, boss: Actor, workspace: Actor, plan: PlanCode) -> None:
    change = SubscriptionChange(plan=plan)
    await do(core, boss, lambda session: service.subscribe(session, boss, workspace.workspace_id, change, client=HERE))


async def use(core: Core, actor: Actor, quota: Quota = Quota.DRAFTS) -> None:
    await do(core, actor, lambda session: service.check_quota(session, actor, quota))


async def plan_of(core: Core, actor: Actor) -> PlanCode:
    return (await do(core, actor, lambda session: service.workspace_plan(session, actor))).plan.code


async def write(core: Core, boss: Actor, workspace: Actor, **change: Any) -> PaymentRead:
    invoice = PaymentCreate.model_validate(
        {"workspace_id": workspace.workspace_id, "email": workspace.email, "text": "Pro", "amount_cents": 4_900, "issued": TODAY,
         "due": TODAY, **change}
    )  # fmt: skip
    return await do(core, boss, lambda session: service.add_payment(session, boss, core, invoice, client=HERE))


async def add_text(core: Core, actor: Actor, title: str) -> Any:
    pasted = PastedText(title=title, text=f"{title}: forty seats.")
    return await do(core, actor, lambda session: adding.add_text(session, actor, core, pasted))


class TestPlan:
    async def test_is_free_and_unused_at_first(self, committed: Core, ada: Actor) -> None:
        own = await do(committed, ada, lambda session: service.workspace_plan(session, ada))
        assert (own.plan.code, own.until, own.is_limited) == (PlanCode.FREE, None, True)
        assert (own.drafts, own.sections, own.most_sections, own.imports) == (0, 0, 2_000, 0)

    async def test_of_one_workspace_is_not_that_of_another(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await subscribe(committed, boss, harbor, PlanCode.TEAM)
        await subscribe(committed, boss, ada, PlanCode.PRO)
        assert [await plan_of(committed, actor) for actor in (harbor, bob, ada)] == [PlanCode.TEAM, PlanCode.TEAM, PlanCode.PRO]
        assert await plan_of(committed, bob.model_copy(update={"workspace_id": bob.id})) is PlanCode.FREE

    async def test_administrators_see_all_with_their_owners(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await subscribe(committed, boss, harbor, PlanCode.TEAM)
        query = SubscriberQuery(text="ada@")
        listed = await do(committed, boss, lambda session: service.list_subscribers(session, boss, query))
        found = [(each.title, each.owners, each.plan) for each in listed.items]
        assert found == [
            ("Ada Example (personal)", (ada.email,), PlanCode.FREE),
            ("Harbor", (ada.email,), PlanCode.TEAM),
        ]

    async def test_of_a_premium_link_is_that_of_the_personal_workspace(self, committed: Core, boss: Actor) -> None:
        wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, expires_on=TODAY)
        made = await do(committed, boss, lambda session: service.create_premium_link(session, boss, wanted, client=HERE))
        with acting_in(NOBODY):  # a visitor, who registers
            async with committed.database.transaction() as session:
                new = await add_account(session)
                await service.redeem_premium_link(session, new, Redemption(link=made.path), client=HERE)
        assert await plan_of(committed, new) is PlanCode.PRO


@pytest.mark.security(42)
class TestLimits:
    async def test_are_of_the_workspace_that_two_members_share(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await limit(committed, boss, drafts=2)
        await use(committed, harbor)
        await use(committed, bob)
        for actor in (harbor, bob):
            with pytest.raises(service.QuotaSpent, match="The Free plan of this workspace includes 2 drafts"):
                await use(committed, actor)
        await use(committed, ada)  # in the personal workspace
        assert (await do(committed, bob, lambda session: service.workspace_plan(session, bob))).drafts == 2

    async def test_hold_when_two_members_click_at_once(self, committed: Core, boss: Actor, harbor: Actor, bob: Actor) -> None:
        await limit(committed, boss, imports=1)

        def click(actor: Actor) -> Callable[[AsyncSession], Awaitable[None]]:
            return lambda session: service.check_quota(session, actor, Quota.IMPORTS)

        assert await at_once(committed, [click(harbor), click(bob)], refused_with=service.QuotaSpent) == 1

    async def test_of_documents_count_those_of_all_members_also_hidden_ones(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await limit(committed, boss, documents=1)
        added = await add_text(committed, harbor, "Boats")
        form = RestrictionForm(members=(ChosenMember(account_id=ada.id, access=Access.EDIT),))
        await do(committed, harbor, lambda session: restricting.restrict_document(session, harbor, committed, added.id, form))
        assert await do(committed, bob, lambda session: storage.count_documents(session, bob)) == 1
        with pytest.raises(service.QuotaSpent, match="includes 1 document,"):
            await add_text(committed, bob, "Piers")
        await add_text(committed, ada, "Piers")  # in the personal workspace

    async def test_do_not_hold_administrators_but_count_what_they_use(
        self, committed: Core, boss: Actor, harbor: Actor, bob: Actor
    ) -> None:
        await limit(committed, boss, drafts=1)
        admin = bob.model_copy(update={"role": Role.ADMIN})
        await use(committed, admin)
        await use(committed, admin)
        assert not (await do(committed, admin, lambda session: service.workspace_plan(session, admin))).is_limited
        with pytest.raises(service.QuotaSpent):
            await use(committed, harbor)

    async def test_of_workspaces_is_that_of_the_personal_one(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        async def create(actor: Actor) -> None:
            form = WorkspaceForm(name="Tideline")
            await do(committed, actor, lambda session: workspaces.create_workspace(session, actor, committed, form))

        await limit(committed, boss, workspaces=1)
        await subscribe(committed, boss, harbor, PlanCode.TEAM)
        for actor in (ada, harbor):
            with pytest.raises(service.QuotaSpent, match="You own 1 shared workspace, as many as the Free plan"):
                await create(actor)
        await create(bob)  # who is a member of one, but owns none
        await subscribe(committed, boss, ada, PlanCode.TEAM)
        await create(harbor)

    async def test_do_not_begin_again_in_another_workspace(self, committed: Core, boss: Actor, ada: Actor, harbor: Actor) -> None:
        async def delete(actor: Actor, name: str) -> None:
            await do(committed, actor, lambda session: workspaces.delete_workspace(session, actor, committed, name=name))

        async def create() -> Actor:
            form = WorkspaceForm(name="Tideline")
            made = await do(committed, ada, lambda session: workspaces.create_workspace(session, ada, committed, form))
            return await do(committed, ada, lambda session: workspaces.actor_in(session, ada, made.id))

        await limit(committed, boss, workspaces=1)
        await delete(harbor, "Harbor")
        unused = await create()
        await use(committed, unused)
        await delete(unused, "Tideline")
        with pytest.raises(
            service.QuotaSpent, match="includes 1 shared workspace. Those that you deleted this month count until"
        ):
            await create()
        await limit(committed, boss, workspaces=2)
        await use(committed, await create())
        await do(committed, ada, lambda session: account_deletion.delete_account(session, ada, committed, client=HERE))


class TestInvoices:
    @pytest.mark.security(40)
    async def test_are_for_owners_only(self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor) -> None:
        written = await write(committed, boss, harbor)
        assert (written.workspace_name, written.email) == ("Harbor", ada.email)

        async def listed(actor: Actor) -> list[str]:
            payments = await do(committed, actor, lambda session: service.list_workspace_payments(session, actor, PaymentQuery()))
            return [payment.number for payment in payments.items]

        assert await listed(harbor) == [written.number]
        assert await listed(ada) == []
        await do(committed, harbor, lambda session: support.grant(session, harbor, committed, SupportForm()))
        helper = boss.model_copy(
            update={"workspace_id": harbor.workspace_id, "workspace_role": WorkspaceRole.VIEWER, "is_support": True}
        )
        for actor in (bob, helper):
            with pytest.raises(NotAllowed, match="Only owners"):
                await listed(actor)

    async def test_are_sent_to_an_owner(self, committed: Core, boss: Actor, harbor: Actor, bob: Actor) -> None:
        with pytest.raises(service.NotAnOwner, match=r"bob@example\.org is not an owner of “Harbor”"):
            await write(committed, boss, harbor, email=bob.email)

    async def test_outlive_the_workspace_with_its_name(self, committed: Core, boss: Actor, ada: Actor, harbor: Actor) -> None:
        written = await write(committed, boss, harbor)
        await subscribe(committed, boss, harbor, PlanCode.PRO)
        await use(committed, harbor)
        await do(committed, harbor, lambda session: workspaces.delete_workspace(session, harbor, committed, name="Harbor"))
        kept = await do(committed, boss, lambda session: service.get_payment(session, boss, written.id))
        assert (kept.number, kept.workspace_id, kept.workspace_name, kept.email) == (written.number, None, "Harbor", ada.email)
        async with committed.database.transaction() as session:
            for table in ("subscription", "quota_use"):
                left = text(f"SELECT count(*) FROM {table} WHERE owner_id = :id")
                assert await session.scalar(left, {"id": harbor.workspace_id}) == 0, table
            files = {file.name: file.content async for file in personal_data.own_files(session, ada, committed)}
        assert b"Harbor," in bytes(files["billing/payments.csv"])
