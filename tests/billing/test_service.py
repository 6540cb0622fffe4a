from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import preferences
from fundwright.accounts.schemas import Actor
from fundwright.billing import service
from fundwright.billing.schemas import (
    LinkState,
    Origin,
    PaymentCreate,
    PaymentQuery,
    PaymentRead,
    PaymentState,
    PlanChange,
    PlanCode,
    PremiumLinkCreate,
    PremiumLinkCreated,
    PremiumLinkQuery,
    Quota,
    Redemption,
    SubscriberQuery,
    SubscriptionChange,
)
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.messages import Language
from fundwright.core.paging import PageRequest
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding, removing, samples
from fundwright.training.schemas import PastedText
from tests.billing.conftest import HERE, at_once
from tests.support.accounts import add_account

TODAY = now().date()


async def limit(session: AsyncSession, admin: Actor, quota: Quota, most: int | None) -> None:
    """Set this limit of the Free plan to `most`."""
    limits: dict[str, Any] = {"price_cents": 0, "documents": 1_000, "drafts": 200, "imports": 500, "workspaces": 10, quota: most}
    await service.change_plan(session, admin, PlanCode.FREE, PlanChange(**limits), client=HERE)


async def put_on(session: AsyncSession, admin: Actor, account: Actor, plan: PlanCode, **change: Any) -> None:
    await service.subscribe(session, admin, account.id, SubscriptionChange(plan=plan, **change), client=HERE)


async def plan_of(session: AsyncSession, admin: Actor, account: Actor) -> PlanCode:
    return (await service.get_subscriber(session, admin, account.id)).plan


async def write(
    session: AsyncSession, admin: Actor, core: Core, account: Actor, cents: int = 4_900, **change: Any
) -> PaymentRead:
    invoice = PaymentCreate.model_validate(
        {
            "workspace_id": account.workspace_id,
            "email": account.email,
            "text": "Pro",
            "amount_cents": cents,
            "issued": TODAY,
            "due": TODAY,
            **change,
        }
    )
    return await service.add_payment(session, admin, core, invoice, client=HERE)


async def make(session: AsyncSession, admin: Actor, **change: Any) -> PremiumLinkCreated:
    wanted = PremiumLinkCreate.model_validate({"plan": "pro", "days": 30, "expires_on": TODAY, **change})
    return await service.create_premium_link(session, admin, wanted, client=HERE)


def token_of(link: PremiumLinkCreated) -> str:
    return link.path.rpartition("/")[2]


async def lines(found: AsyncIterator[str]) -> list[str]:
    return [line.rstrip("\r\n") async for line in found]


async def audited(session: AsyncSession) -> list[tuple[str, str, dict[str, str]]]:
    rows = await session.execute(text("SELECT action, subject, details FROM audit_entry ORDER BY at, id"))
    return [(action, subject, details) for action, subject, details in rows if not action.startswith("account.")]


class TestPlans:
    async def test_the_first_ones_are_generous(self, session: AsyncSession) -> None:
        plans = await service.list_plans(session)
        assert [(plan.name, plan.price_cents, plan.currency) for plan in plans] == [
            ("Free", 0, "usd"),
            ("Pro", 4_900, "usd"),
            ("Team", 19_900, "usd"),
        ]
        assert (plans[0].documents, plans[0].drafts, plans[0].imports) == (1_000, 200, 500)
        assert (plans[2].documents, plans[2].drafts, plans[2].imports) == (None, None, None)

    @pytest.mark.security(45)
    async def test_a_change_counts_and_is_audited(self, session: AsyncSession, admin: Actor) -> None:
        change = PlanChange(price_cents=5_900, documents=None, drafts=7, imports=8, workspaces=9)
        changed = await service.change_plan(session, admin, PlanCode.PRO, change, client=HERE)
        assert changed == (await service.list_plans(session))[1]
        assert (changed.price_cents, changed.documents, changed.drafts) == (5_900, None, 7)
        assert await audited(session) == [
            (
                "plan.changed",
                "pro",
                {"price_cents": "5900", "documents": "unlimited", "drafts": "7", "imports": "8", "workspaces": "9"},
            )
        ]


class TestQuota:
    async def test_what_is_counted_by_the_month_ends_at_the_limit(
        self, session: AsyncSession, admin: Actor, actor: Actor
    ) -> None:
        await limit(session, admin, Quota.DRAFTS, 2)
        for _ in range(2):
            await service.check_quota(session, actor, Quota.DRAFTS)
        with pytest.raises(
            service.QuotaSpent, match=r"The Free plan of this workspace includes 2 drafts per month.* wait until \w+ 1, \d{4}"
        ) as spent:
            await service.check_quota(session, actor, Quota.DRAFTS)
        assert spent.value.status == 402
        await service.check_quota(session, actor, Quota.IMPORTS)

    async def test_a_limit_of_one_is_in_the_singular(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        await limit(session, admin, Quota.IMPORTS, 1)
        await service.check_quota(session, actor, Quota.IMPORTS)
        with pytest.raises(service.QuotaSpent, match="includes 1 import per month, and it has been used"):
            await service.check_quota(session, actor, Quota.IMPORTS)

    async def test_ten_sections_may_be_regenerated_for_each_draft_of_the_plan(
        self, session: AsyncSession, admin: Actor, actor: Actor
    ) -> None:
        await limit(session, admin, Quota.DRAFTS, 1)
        for _ in range(10):
            await service.check_quota(session, actor, Quota.SECTIONS)
        with pytest.raises(service.QuotaSpent, match="includes 10 regenerated sections per month"):
            await service.check_quota(session, actor, Quota.SECTIONS)
        await limit(session, admin, Quota.DRAFTS, None)
        await service.check_quota(session, actor, Quota.SECTIONS)

    async def test_a_new_month_starts_over(
        self, session: AsyncSession, admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await limit(session, admin, Quota.IMPORTS, 1)
        await service.check_quota(session, actor, Quota.IMPORTS)
        with pytest.raises(service.QuotaSpent, match="import per month"):
            await service.check_quota(session, actor, Quota.IMPORTS)
        next_month = now() + timedelta(days=31)
        monkeypatch.setattr(service, "now", lambda: next_month)
        await service.check_quota(session, actor, Quota.IMPORTS)

    async def test_a_limit_of_none_allows_everything_and_0_allows_nothing(
        self, session: AsyncSession, admin: Actor, actor: Actor
    ) -> None:
        await limit(session, admin, Quota.DRAFTS, 0)
        with pytest.raises(service.QuotaSpent):
            await service.check_quota(session, actor, Quota.DRAFTS)
        await limit(session, admin, Quota.DRAFTS, None)
        for _ in range(3):
            await service.check_quota(session, actor, Quota.DRAFTS)

    async def test_administrators_have_no_limits(self, session: AsyncSession, admin: Actor) -> None:
        await limit(session, admin, Quota.DRAFTS, 0)
        await service.check_quota(session, admin, Quota.DRAFTS)

    async def test_a_larger_plan_counts_at_once(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        await limit(session, admin, Quota.DOCUMENTS, 3)
        with pytest.raises(service.QuotaSpent, match="includes 3 documents, and that limit has been reached. Remove some"):
            await service.check_quota(session, actor, Quota.DOCUMENTS, held=3)
        await put_on(session, admin, actor, PlanCode.PRO)
        await service.check_quota(session, actor, Quota.DOCUMENTS, held=3)

    async def test_two_clicks_at_once_do_not_pass_it(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await limit(session, boss, Quota.DRAFTS, 3)

        async def click(session: AsyncSession) -> None:
            await service.check_quota(session, ada, Quota.DRAFTS)

        assert await at_once(committed, [click] * 8, refused_with=service.QuotaSpent) == 3

    async def test_what_fails_afterward_was_not_used(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await limit(session, boss, Quota.DRAFTS, 1)
        with suppress(RuntimeError):
            async with committed.database.transaction() as session:
                await service.check_quota(session, ada, Quota.DRAFTS)
                raise RuntimeError
        async with committed.database.transaction() as session:
            await service.check_quota(session, ada, Quota.DRAFTS)


@pytest.mark.security(42)
class TestEnforcing:
    async def test_documents_and_their_files(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await samples.add_sample(session, ada, committed)
            await limit(session, boss, Quota.DOCUMENTS, 1)
            before = {path for path in (committed.settings.data / "files").rglob("*") if path.is_file()}
            kept = await adding.add_text(session, ada, committed, PastedText(title="Boats", text="The ferry carries forty."))
        async with committed.database.transaction() as session:
            with pytest.raises(service.QuotaSpent, match="document"):
                await adding.add_text(session, ada, committed, PastedText(title="Bread", text="The oven is hot."))
        after = {path for path in (committed.settings.data / "files").rglob("*") if path.is_file()}
        assert len(after - before) == 1
        async with committed.database.transaction() as session:
            await removing.remove_document(session, ada, kept.id)
            await adding.add_text(session, ada, committed, PastedText(title="Bread", text="The oven is hot."))

    async def test_documents_added_at_once(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await limit(session, boss, Quota.DOCUMENTS, 2)

        async def add(number: int) -> bool:
            try:
                async with committed.database.transaction() as session:
                    await adding.add_text(session, ada, committed, PastedText(title="Notes", text=f"Number {number}."))
            except service.QuotaSpent:
                return False
            return True

        assert sum(await asyncio.gather(*(add(number) for number in range(5)))) == 2

    async def test_drafts(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            await limit(session, boss, Quota.DRAFTS, 1)
            notice = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items[0]
            draft = await generation.add_draft(session, ada, committed, opportunity_id=notice.id, template="cover-letter")
            await generation.delete_draft(session, ada, draft.id)
            with pytest.raises(service.QuotaSpent, match="draft"):
                await generation.add_draft(session, ada, committed, opportunity_id=notice.id, template="cover-letter")

    async def test_imports_and_their_files(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async def content() -> AsyncIterator[bytes]:
            yield b"NoticeId\r\n"

        upload = await committed.files.spool(content())
        async with committed.database.transaction() as session:
            await limit(session, boss, Quota.IMPORTS, 0)
            with pytest.raises(service.QuotaSpent, match="import"):
                await opportunities.start_import(session, ada, committed, source="sam", filename="x.csv", upload=upload)
        assert not committed.files.path(upload).exists()


class TestSubscriptions:
    async def test_without_one_an_account_is_on_free(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        found = await service.get_subscriber(session, admin, actor.id)
        assert (found.plan, found.plan_name, found.since, found.origin) == (PlanCode.FREE, "Free", None, None)

    @pytest.mark.security(45)
    async def test_a_change_ends_what_was_and_is_audited(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        await put_on(session, admin, actor, PlanCode.TEAM, origin=Origin.INVOICE)
        await put_on(session, admin, actor, PlanCode.PRO, until=TODAY)
        found = await service.get_subscriber(session, admin, actor.id)
        assert (found.plan, found.origin) == (PlanCode.PRO, Origin.MANUAL)
        assert found.until is not None and timedelta(0) < found.until - now() <= timedelta(days=1)
        assert [(action, details["was"], details["plan"]) for action, _, details in await audited(session)] == [
            ("subscription.changed", "free", "team"),
            ("subscription.changed", "team", "pro"),
        ]
        await put_on(session, admin, actor, PlanCode.FREE)
        assert await plan_of(session, admin, actor) == PlanCode.FREE

    async def test_an_end_that_has_passed_leads_back_to_free(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        await put_on(session, admin, actor, PlanCode.PRO, until=TODAY)
        await session.execute(text("UPDATE subscription SET until = now() - interval '1 second'"))
        assert await plan_of(session, admin, actor) == PlanCode.FREE

    async def test_nonsense_is_refused_with_what_to_do(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        with pytest.raises(Invalid, match="Choose today or a later date"):
            await put_on(session, admin, actor, PlanCode.PRO, until=TODAY - timedelta(days=1))
        with pytest.raises(Invalid, match="The Free plan has no end date"):
            await put_on(session, admin, actor, PlanCode.FREE, until=TODAY)
        with pytest.raises(NotFound):
            await service.subscribe(session, admin, uuid4(), SubscriptionChange(plan=PlanCode.PRO), client=HERE)

    async def test_the_list_is_searched_filtered_sorted_and_paged(self, session: AsyncSession, admin: Actor) -> None:
        people = [await add_account(session, f"{name}@example.org") for name in ("carl", "dora", "emil")]
        await put_on(session, admin, people[0], PlanCode.PRO)
        await put_on(session, admin, people[2], PlanCode.TEAM)

        async def found(**query: Any) -> list[str]:
            listed = await service.list_subscribers(session, admin, SubscriberQuery(**query))
            return [each.owners[0].partition("@")[0] for each in listed.items]

        assert await found(sort="owners") == ["admin", "carl", "dora", "emil"]
        assert await found(plan="free") == ["admin", "dora"]
        assert await found(text="ORA") == ["dora"]
        assert await found(text="%") == []
        assert (await found(sort="-plan"))[:2] == ["emil", "carl"]
        assert await found(page=2, page_size=3) == ["emil"]
        exported = await lines(service.export_subscribers(session, admin, SubscriberQuery(plan=PlanCode.TEAM)))
        assert exported[0] == "Workspace,Owners,Plan,Since,Until,Source"
        assert exported[1].startswith("Ada Example (personal),emil@example.org,Team,")
        assert len(exported) == 2


class TestPayments:
    async def test_numbers_follow_each_other_in_each_year(
        self, session: AsyncSession, admin: Actor, core: Core, actor: Actor
    ) -> None:
        earlier = TODAY.replace(year=2020, day=1)
        numbers = [(await write(session, admin, core, actor, issued=day)).number for day in (earlier, TODAY, TODAY)]
        assert numbers == ["2020-0001", f"{TODAY.year}-0001", f"{TODAY.year}-0002"]

    async def test_its_description_has_no_hidden_characters(
        self, session: AsyncSession, admin: Actor, core: Core, actor: Actor
    ) -> None:
        written = await write(session, admin, core, actor, text="Pro\u202e plan\x07\u200b for\n 2026")
        assert written.text == "Pro plan for 2026"
        with pytest.raises(ValueError, match="Enter a description"):
            await write(session, admin, core, actor, text="\u200b\u202e")

    async def test_repeated_requests_create_it_once(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async def add(**change: Any) -> PaymentRead:
            async with committed.database.transaction() as session:
                return await write(session, boss, committed, ada, **change)

        sent = await asyncio.gather(*(add(key="a") for _ in range(3)))
        assert sent == [sent[0]] * 3
        others = [await add(key="b"), await add(key="a", text="Team"), await add(), await add()]
        assert [payment.number for payment in others] == [f"{TODAY.year}-000{n}" for n in range(2, 6)]
        async with committed.database.reading() as session:
            assert (await mail.list_messages(session, PageRequest())).total == 5

    @pytest.mark.parametrize(
        ("language", "subject", "sentence"),
        [
            ("en", "Invoice {number}", "The amount due is $1,234.50. Pay by bank transfer by "),
            (
                "de",
                "Rechnung {number}",
                "Zu zahlen sind 1.234,50\N{NO-BREAK SPACE}$. Überweisen Sie den Betrag bis zum ",
            ),
            (
                "fr",
                "Facture {number}",
                "Le montant dû est de 1\N{NARROW NO-BREAK SPACE}234,50\N{NO-BREAK SPACE}$US. Payez par virement bancaire au plus tard le ",
            ),
        ],
    )
    async def test_the_payer_gets_it_by_email(
        self, session: AsyncSession, admin: Actor, core: Core, actor: Actor, language: Language, subject: str, sentence: str
    ) -> None:
        await preferences.choose_language(session, actor, language)
        payment = await write(session, admin, core, actor, 123_450, text="Pro, one year")
        (message,) = (await mail.list_messages(session, PageRequest())).items
        assert (message.recipient, message.subject) == (actor.email, subject.format(number=payment.number))
        assert sentence in message.text
        for each in (payment.number, "Pro, one year", admin.email, "/payment"):
            assert each in message.text

    async def test_two_written_at_once_have_two_numbers(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async def add() -> str:
            async with committed.database.transaction() as session:
                return (await write(session, boss, committed, ada)).number

        numbers = await asyncio.gather(*(add() for _ in range(4)))
        assert sorted(numbers) == [f"{TODAY.year}-000{n}" for n in range(1, 5)]

    @pytest.mark.security(45)
    async def test_every_change_is_audited(self, session: AsyncSession, admin: Actor, core: Core, actor: Actor) -> None:
        first, second = await write(session, admin, core, actor), await write(session, admin, core, actor)
        paid = await service.mark_paid(session, admin, first.id, client=HERE)
        assert (paid.state, paid.paid_at is not None) == (PaymentState.PAID, True)
        void = await service.void_payment(session, admin, second.id, client=HERE)
        assert (void.state, void.paid_at) == (PaymentState.VOID, None)
        details = {"workspace": actor.name, "account": actor.email, "amount_cents": "4900", "currency": "usd"}
        assert await audited(session) == [
            ("payment.created", first.number, details),
            ("payment.created", second.number, details),
            ("payment.paid", first.number, details),
            ("payment.void", second.number, details),
        ]

    async def test_a_paid_or_void_one_stays_as_it_is(self, session: AsyncSession, admin: Actor, core: Core, actor: Actor) -> None:
        paid, void = await write(session, admin, core, actor), await write(session, admin, core, actor)
        await service.mark_paid(session, admin, paid.id, client=HERE)
        await service.void_payment(session, admin, void.id, client=HERE)
        with pytest.raises(service.AlreadySettled, match="is paid and can't be changed. Create a new invoice"):
            await service.void_payment(session, admin, paid.id, client=HERE)
        with pytest.raises(service.AlreadySettled, match="is void and can't be changed"):
            await service.mark_paid(session, admin, void.id, client=HERE)
        assert (await service.get_payment(session, admin, paid.id)).state == PaymentState.PAID

    async def test_of_paid_and_void_at_once_one_wins(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            payment = await write(session, boss, committed, ada)

        async def pay(session: AsyncSession) -> None:
            await service.mark_paid(session, boss, payment.id, client=HERE)

        async def void(session: AsyncSession) -> None:
            await service.void_payment(session, boss, payment.id, client=HERE)

        assert await at_once(committed, [pay, void], refused_with=service.AlreadySettled) == 1

    async def test_nonsense_is_refused_with_what_to_do(
        self, session: AsyncSession, admin: Actor, core: Core, actor: Actor
    ) -> None:
        with pytest.raises(service.NotAnOwner, match="nobody@example.org is not an owner of “Ada Example”. Choose one"):
            await write(session, admin, core, actor, email="Nobody@example.org")
        with pytest.raises(Invalid, match="due before it is issued"):
            await write(session, admin, core, actor, due=TODAY - timedelta(days=1))
        with pytest.raises(NotFound, match="The invoice was not found"):
            await service.mark_paid(session, admin, uuid4(), client=HERE)

    async def test_the_list_is_filtered_sorted_summed_and_exported(
        self, session: AsyncSession, admin: Actor, core: Core, actor: Actor
    ) -> None:
        cheap = await write(session, admin, core, actor, 100, text="=1+1")
        dear = await write(session, admin, core, actor, 123_456)
        await service.mark_paid(session, admin, dear.id, client=HERE)

        async def found(**query: Any) -> list[str]:
            return [each.number for each in (await service.list_payments(session, admin, PaymentQuery(**query))).items]

        assert await found() == [dear.number, cheap.number]
        assert await found(sort="amount") == [cheap.number, dear.number]
        assert await found(state="paid") == [dear.number]
        assert await found(text="1+1") == [cheap.number]
        sums = await service.sum_payments(session, admin, PaymentQuery())
        assert [(each.currency, each.state, each.amount_cents, each.count) for each in sums] == [
            ("usd", "open", 100, 1),
            ("usd", "paid", 123_456, 1),
        ]
        assert [each.state for each in await service.sum_payments(session, admin, PaymentQuery(state=PaymentState.OPEN))] == [
            "open"
        ]
        exported = await lines(service.export_payments(session, admin, PaymentQuery(sort="amount")))
        assert exported[0] == "Number,Workspace,Sent to,Description,Amount,Currency,Issued,Due,Status,Paid on"
        assert exported[1] == f"{cheap.number},{actor.name},{actor.email},'=1+1,1.00,USD,{TODAY},{TODAY},Unpaid,"
        assert ",1234.56,USD," in exported[2]

    async def test_the_ledger_outlives_the_account(self, session: AsyncSession, admin: Actor, core: Core, actor: Actor) -> None:
        payment = await write(session, admin, core, actor)
        for table in ("workspace", "account"):
            await session.execute(text(f"DELETE FROM {table} WHERE id = :id"), {"id": actor.id})
        kept = await service.get_payment(session, admin, payment.id)
        assert (kept.workspace_name, kept.email, kept.workspace_id) == (actor.name, actor.email, None)


class TestPremiumLinks:
    async def test_only_a_digest_of_the_secret_is_kept(self, session: AsyncSession, admin: Actor) -> None:
        link = await make(session, admin)
        assert link.path.startswith("/auth/register/premium/")
        assert len(token_of(link)) == 43
        kept = (await session.execute(text("SELECT to_json(premium_link)::text FROM premium_link"))).scalar_one()
        assert token_of(link) not in kept
        assert token_of(link) not in str(await audited(session))

    async def test_it_says_what_it_gives(self, session: AsyncSession, admin: Actor) -> None:
        offer = await service.describe_premium_link(session, token_of(await make(session, admin)))
        assert (offer.state, offer.plan_name, offer.days, offer.sentence) == (LinkState.ACTIVE, "Pro", 30, "")

    @pytest.mark.security(45)
    async def test_who_uses_it_is_on_its_plan(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        link = await make(session, admin, plan="team", days=10)
        use = await service.redeem_premium_link(session, actor, Redemption(link=token_of(link)), client=HERE)
        assert (use.plan, use.workspace_id, use.given_by) == (PlanCode.TEAM, actor.workspace_id, admin.email)
        found = await service.get_subscriber(session, admin, actor.id)
        assert (found.plan, found.origin) == (PlanCode.TEAM, Origin.PREMIUM_LINK)
        assert found.until is not None and timedelta(days=9, hours=23) < found.until - now() <= timedelta(days=10)
        uses = await service.list_premium_link_uses(session, admin, link.id, PageRequest())
        assert [use.email for use in uses.items] == [actor.email]
        assert [action for action, _, _ in await audited(session)] == ["premium_link.created", "premium_link.used"]

    async def test_why_it_does_not_work(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        used_up, revoked, expired = await make(session, admin), await make(session, admin), await make(session, admin)
        await service.redeem_premium_link(session, actor, Redemption(link=token_of(used_up)), client=HERE)
        await service.revoke_premium_link(session, admin, revoked.id, client=HERE)
        await session.execute(
            text("UPDATE premium_link SET expires_on = :day WHERE id = :id"), {"day": TODAY - timedelta(days=1), "id": expired.id}
        )
        for token, state, sentence in (
            (token_of(used_up), LinkState.USED_UP, "reached its maximum number of uses"),
            (token_of(revoked), LinkState.REVOKED, "was revoked"),
            (token_of(expired), LinkState.EXPIRED, "has expired"),
            ("nonsense", LinkState.UNKNOWN, "is not valid. Check that you copied"),
        ):
            assert (await service.describe_premium_link(session, token)).state == state
            with pytest.raises(service.PremiumLinkSpent, match=sentence) as spent:
                await service.redeem_premium_link(session, await add_account(session), Redemption(link=token), client=HERE)
            assert (spent.value.state, spent.value.status) == (state, 410)

    async def test_of_two_last_uses_at_once_one_wins(self, committed: Core, boss: Actor) -> None:
        async with committed.database.transaction() as session:
            link = await make(session, boss, uses=2)
            people = [await add_account(session) for _ in range(5)]

        async def redeem(session: AsyncSession, person: Actor) -> None:
            await service.redeem_premium_link(session, person, Redemption(link=token_of(link)), client=HERE)

        calls = [partial(redeem, person=person) for person in people]
        assert await at_once(committed, calls, refused_with=service.PremiumLinkSpent) == 2
        async with committed.database.transaction() as session:
            assert (await service.list_premium_link_uses(session, boss, link.id, PageRequest())).total == 2

    async def test_the_list_is_filtered_sorted_and_exported(self, session: AsyncSession, admin: Actor, actor: Actor) -> None:
        short, long = await make(session, admin, days=5, note="=Fair"), await make(session, admin, days=50)
        await service.redeem_premium_link(session, actor, Redemption(link=token_of(short)), client=HERE)
        listed = await service.list_premium_links(session, admin, PremiumLinkQuery(sort="-days"))
        assert [link.id for link in listed.items] == [long.id, short.id]
        listed = await service.list_premium_links(session, admin, PremiumLinkQuery(state=LinkState.USED_UP))
        assert [(link.id, link.used, link.uses) for link in listed.items] == [(short.id, 1, 1)]
        exported = await lines(service.export_premium_links(session, admin, PremiumLinkQuery(sort="days")))
        assert exported[1].startswith(f"{admin.name} (personal),Pro,5,1,1,{TODAY},Used up,'=Fair,")
        assert exported[1].endswith(f",{admin.email},{actor.email}")

    async def test_nonsense_is_refused_with_what_to_do(self, session: AsyncSession, admin: Actor) -> None:
        with pytest.raises(Invalid, match="is in the past. Choose today"):
            await make(session, admin, expires_on=TODAY - timedelta(days=1))
        with pytest.raises(NotFound):
            await service.revoke_premium_link(session, admin, uuid4(), client=HERE)
