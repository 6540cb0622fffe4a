"""Plans and quotas, invoices, and premium links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID, uuid4, uuid5

from babel.dates import format_date
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs, refuse_support
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.billing import emails, events, repository
from fundwright.billing.models import Payment, Plan, PremiumLink, PremiumLinkUse, Subscription
from fundwright.billing.schemas import (
    LinkState,
    Origin,
    PaymentCreate,
    PaymentQuery,
    PaymentRead,
    PaymentState,
    PaymentSum,
    PlanChange,
    PlanCode,
    PlanRead,
    PremiumLinkCreate,
    PremiumLinkCreated,
    PremiumLinkQuery,
    PremiumLinkRead,
    PremiumLinkUseRead,
    PremiumOffer,
    PremiumPreview,
    Quota,
    Redemption,
    SubscriberQuery,
    SubscriberRead,
    SubscriptionChange,
    WorkspacePlan,
    last_day,
)
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import current_language, later, nt, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.workspaces import service as workspaces

_SECTIONS_PER_DRAFT = 10
_REPEATED = UUID("05778fc9-45de-4968-ace6-68342d018060")
_DELETED = "deleted_workspaces"
"""What a personal workspace has used, beside quotas: how many shared workspaces its account deleted after they had used some."""

LINKS = "/auth/register/premium"
"""The path below which premium links open."""
TOPIC = "billing"
"""The live topic for every change of plans, subscriptions, payments, and premium links."""

REDEEMED = ActivityKind(
    "premium_link.redeemed", later("Premium link redeemed"), later("{person} redeemed a premium link for the {plan} plan")
)


class QuotaSpent(FundwrightError):
    """The workspace's plan allows no more. Names the plan, the limit, and what to do."""

    status = 402


class Missing(NotFound):
    """Like NotFound, with its own message."""

    def __init__(self, sentence: str) -> None:
        FundwrightError.__init__(self, sentence)


class NotAnOwner(Invalid):
    """An invoice is sent to an owner of its workspace."""

    def __init__(self, email: str, name: str) -> None:
        super().__init__(t("{email} is not an owner of “{name}”. Choose one of its owners.", email=email, name=name))


class AlreadySettled(Conflict):
    """A paid or void invoice cannot be changed."""

    def __init__(self, payment: Payment) -> None:
        sentence = (
            t("Invoice {number} is paid and can't be changed. Create a new invoice to correct it.", number=payment.number)
            if payment.state == PaymentState.PAID
            else t("Invoice {number} is void and can't be changed. Create a new invoice to correct it.", number=payment.number)
        )
        super().__init__(sentence)


class AlreadyRedeemed(Conflict):
    """A workspace can redeem a link once."""

    def __init__(self, use: repository.AnyRow) -> None:
        super().__init__(
            t("This workspace redeemed the link on {day}. Each workspace can redeem it once.", day=_long(use.at.date()))
        )


class PlanReplaced(Conflict):
    """The link would replace a plan that is larger or ends later, and the request does not allow that."""


class PremiumLinkSpent(FundwrightError):
    """The link does not work; `state` says why."""

    status = 410

    def __init__(self, offer: PremiumOffer) -> None:
        super().__init__(offer.sentence)
        self.state = offer.state


# Plans and what they limit


async def list_plans(session: AsyncSession) -> list[PlanRead]:
    """The plans, smallest first; everyone may see them."""
    return [PlanRead.model_validate(plan) for plan in await repository.list_plans(session)]


@needs(Permission.ADMINISTER)
async def change_plan(session: AsyncSession, actor: Actor, code: PlanCode, change: PlanChange, *, client: Client) -> PlanRead:
    """Change price and limits, immediately for all subscribers of the plan."""
    plan = await repository.get_plan(session, code)
    for name, value in change:
        setattr(plan, name, value)
    await session.flush()
    details = {name: "unlimited" if value is None else str(value) for name, value in change}
    await audit.record(session, "plan.changed", actor=actor, subject=code, client=client, **details)
    await publish(session, TOPIC)
    return PlanRead.model_validate(plan)


@needs(Permission.READ)
async def workspace_plan(session: AsyncSession, actor: Actor) -> WorkspacePlan:
    """The plan of the actor's workspace and its usage."""
    plan = await repository.plan_of(session, actor.workspace_id)
    subscription = await repository.current_subscription(session, actor.workspace_id)
    used = await repository.used_in(session, actor.workspace_id, _month())
    return WorkspacePlan(
        plan=PlanRead.model_validate(plan),
        until=subscription.until if subscription else None,
        is_limited=not actor.may(Permission.ADMINISTER),
        drafts=used.get(Quota.DRAFTS, 0),
        sections=used.get(Quota.SECTIONS, 0),
        most_sections=_limit(plan, Quota.SECTIONS),
        imports=used.get(Quota.IMPORTS, 0),
    )


@needs(Permission.WORK)
async def check_quota(session: AsyncSession, actor: Actor, quota: Quota, *, held: int = 0) -> None:
    """Use one more unit of a quota of the actor's workspace. Raises QuotaSpent (402). Administrators are not limited, but what they use
    counts.

    Drafts, imports, and sections are counted here by month; a rollback does not count. For documents, the caller passes the current
    number, and other requests cannot add one until the transaction ends.
    """
    plan = await repository.plan_of(session, actor.workspace_id)
    limit = None if actor.may(Permission.ADMINISTER) else _limit(plan, quota)
    if quota is Quota.DOCUMENTS:
        is_free = limit is None or held < limit
    else:
        is_free = await repository.use_one(session, actor.workspace_id, quota, month=_month(), limit=limit)
    if not is_free:
        raise QuotaSpent(_spent(quota, plan.name, limit or 0))


@needs(Permission.READ)
async def check_workspaces(session: AsyncSession, actor: Actor, _core: Core) -> None:
    """Raise QuotaSpent if the actor owns as many shared workspaces as the plan of the personal workspace allows, with those that it deleted
    this month after they had used quotas. Becoming an owner of an existing one is always possible."""
    async with across_workspaces(session, "plans"):  # the actor may act in another workspace
        plan = await repository.plan_of(session, actor.id)
        owned = await workspaces.count_owned(session, actor)
        # After `owned`, because one may be deleted at this moment.
        deleted = (await repository.used_in(session, actor.id, _month())).get(_DELETED, 0)
    limit = None if actor.may(Permission.ADMINISTER) else plan.workspaces
    if limit is None or owned + deleted < limit:
        return
    if owned < limit:
        raise QuotaSpent(
            nt(
                "The {plan} plan of your personal workspace includes {n} shared workspace. Those that you deleted this month count until {day}, because their drafts or imports have been used. Wait until then, or ask an administrator for a larger plan.",
                "The {plan} plan of your personal workspace includes {n} shared workspaces. Those that you deleted this month count until {day}, because their drafts or imports have been used. Wait until then, or ask an administrator for a larger plan.",
                limit,
                plan=plan.name,
                day=_next_month(),
            )
        )
    raise QuotaSpent(
        nt(
            "You own {n} shared workspace, as many as the {plan} plan of your personal workspace includes. Delete it, or ask an administrator for a larger plan.",
            "You own {n} shared workspaces, as many as the {plan} plan of your personal workspace includes. Delete one, or ask an administrator for a larger plan.",
            limit,
            plan=plan.name,
        )
    )


@needs(Permission.READ)
async def count_deletion(session: AsyncSession, actor: Actor, _core: Core) -> None:
    """Count the actor's shared workspace, which is about to be deleted, if it has used a quota this month: another one would begin with
    unused ones."""
    if actor.is_in_shared_workspace and await repository.used_in(session, actor.workspace_id, _month()):
        async with across_workspaces(session, "plans"):
            await repository.use_one(session, actor.id, _DELETED, month=_month())


def _limit(plan: Plan, quota: Quota) -> int | None:
    if quota is Quota.SECTIONS:
        return None if plan.drafts is None else _SECTIONS_PER_DRAFT * plan.drafts
    limit: int | None = getattr(plan, quota)
    return limit


def _spent(quota: Quota, plan: str, limit: int) -> str:
    match quota:
        case Quota.DOCUMENTS:
            return nt(
                "The {plan} plan of this workspace includes {n} document, and that limit has been reached. Remove it, or ask an administrator for a larger plan.",
                "The {plan} plan of this workspace includes {n} documents, and that limit has been reached. Remove some, or ask an administrator for a larger plan.",
                limit,
                plan=plan,
            )
        case Quota.DRAFTS:
            return nt(
                "The {plan} plan of this workspace includes {n} draft per month, and it has been used. Continue it, wait until {day}, or ask an administrator for a larger plan.",
                "The {plan} plan of this workspace includes {n} drafts per month, and all of them have been used. Continue one of them, wait until {day}, or ask an administrator for a larger plan.",
                limit,
                plan=plan,
                day=_next_month(),
            )
        case Quota.IMPORTS:
            return nt(
                "The {plan} plan of this workspace includes {n} import per month, and it has been used. Wait until {day}, or ask an administrator for a larger plan.",
                "The {plan} plan of this workspace includes {n} imports per month, and all of them have been used. Wait until {day}, or ask an administrator for a larger plan.",
                limit,
                plan=plan,
                day=_next_month(),
            )
        case Quota.SECTIONS:
            return nt(
                "The {plan} plan of this workspace includes {n} regenerated section per month, and it has been used. Edit the text yourself, wait until {day}, or ask an administrator for a larger plan.",
                "The {plan} plan of this workspace includes {n} regenerated sections per month, and all of them have been used. Edit the text yourself, wait until {day}, or ask an administrator for a larger plan.",
                limit,
                plan=plan,
                day=_next_month(),
            )


def _month() -> date:
    return now().date().replace(day=1)


def _next_month() -> str:
    return _long((_month() + timedelta(days=31)).replace(day=1))


def _long(day: date) -> str:
    return format_date(day, "long", locale=current_language())


# Subscriptions


@needs(Permission.ADMINISTER)
async def list_subscribers(session: AsyncSession, actor: Actor, query: SubscriberQuery) -> Page[SubscriberRead]:
    """All workspaces and their plans."""
    async with across_workspaces(session, "subscribers"):
        rows, total = await repository.page_of_subscribers(session, workspaces.directory(actor), query)
    items = [SubscriberRead.model_validate(row) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def get_subscriber(session: AsyncSession, actor: Actor, workspace_id: UUID) -> SubscriberRead:
    """Raises NotFound."""
    async with across_workspaces(session, "subscribers"):
        row = await repository.find_subscriber(session, workspaces.directory(actor), workspace_id)
    if row is None:
        raise Missing(t("The workspace was not found. It may have been deleted. Go back to the list."))
    return SubscriberRead.model_validate(row)


@needs(Permission.ADMINISTER)
async def export_subscribers(session: AsyncSession, actor: Actor, query: SubscriberQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    async with across_workspaces(session, "subscribers"):
        lines = csv_lines(
            [
                (t("Workspace"), lambda workspace: workspace.title),
                (t("Owners"), lambda workspace: " ".join(workspace.owners)),
                (t("Plan"), lambda workspace: workspace.plan_name),
                (t("Since"), lambda workspace: workspace.since),
                (t("Until"), lambda workspace: workspace.until),
                (t("Source"), lambda workspace: workspace.origin),
            ],
            (
                SubscriberRead.model_validate(row)
                async for row in repository.stream_subscribers(session, workspaces.directory(actor), query)
            ),
        )
        async for line in lines:
            yield line


@needs(Permission.ADMINISTER)
async def subscribe(
    session: AsyncSession, actor: Actor, workspace_id: UUID, change: SubscriptionChange, *, client: Client
) -> SubscriberRead:
    """Change the plan of a workspace from now on; the current subscription ends. A repeated request changes nothing. Raises NotFound or
    Invalid."""
    await repository.lock_plan(session, workspace_id)
    workspace = await get_subscriber(session, actor, workspace_id)
    if change.plan is PlanCode.FREE and change.until is not None:
        raise Invalid(t("The Free plan has no end date. Leave the date empty, or choose another plan."))
    if change.until is not None and change.until < now().date():
        raise Invalid(t("The end date is in the past. Choose today or a later date."))
    until = None if change.until is None else _end_of(change.until)
    if workspace.plan is change.plan and (
        change.plan is PlanCode.FREE or (workspace.until, workspace.origin) == (until, change.origin)
    ):
        return workspace
    await _set_plan(session, workspace_id, change.plan, until=until, origin=change.origin)
    await audit.record(
        session,
        "subscription.changed",
        actor=actor,
        subject=workspace.owners[0] if workspace.is_personal else workspace.name,
        client=client,
        was=workspace.plan,
        plan=change.plan,
        until=str(change.until or "open"),
        origin=change.origin,
    )
    return await get_subscriber(session, actor, workspace_id)


async def _set_plan(session: AsyncSession, owner_id: UUID, plan: PlanCode, *, until: datetime | None, origin: Origin) -> None:
    async with across_workspaces(session, "plans"):  # of an administrator, or of someone with a premium link
        await repository.end_subscriptions(session, owner_id)
        if plan is not PlanCode.FREE:
            session.add(Subscription(owner_id=owner_id, plan=plan, since=now(), until=until, origin=origin))
            await session.flush()
    await publish(session, TOPIC)


def _end_of(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), UTC)


# Payments


@needs(Permission.ADMINISTER)
async def list_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> Page[PaymentRead]:
    """Newest first unless `query.sort` says otherwise: number, workspace, email, text, amount, issued, due, state, or paid_at."""
    async with across_workspaces(session, "payments"):
        payments, total = await repository.page_of_payments(session, query)
    return _page_of(payments, total, query)


@needs(Permission.ADMINISTER)
async def sum_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> list[PaymentSum]:
    """The sums of the whole list, by currency and state."""
    async with across_workspaces(session, "payments"):
        return [PaymentSum.model_validate(row) for row in await repository.sums_of_payments(session, query)]


@needs(Permission.ADMINISTER)
async def get_payment(session: AsyncSession, actor: Actor, payment_id: UUID) -> PaymentRead:
    """Raises NotFound."""
    async with across_workspaces(session, "payments"):
        return PaymentRead.model_validate(await _payment(session, payment_id))


@needs(Permission.ADMINISTER)
async def export_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV; amounts in whole units of the currency, such as 49.00."""
    async with across_workspaces(session, "payments"):
        found = (PaymentRead.model_validate(payment) async for (payment,) in repository.stream_payments(session, query))
        async for line in _payment_lines(found):
            yield line


@needs(Permission.READ)
async def list_workspace_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> Page[PaymentRead]:
    """The invoices of the actor's workspace, for its owners, in the same order. Raises NotAllowed."""
    await workspaces.require_any_owner(session, actor)
    return _page_of(*await repository.page_of_payments(session, query, owner_id=actor.workspace_id), query)


@needs(Permission.READ)
async def export_workspace_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises NotAllowed."""
    async for line in _payment_lines(iterate_all(lambda page: list_workspace_payments(session, actor, page), query)):
        yield line


def _page_of(payments: Sequence[Payment], total: int, query: PaymentQuery) -> Page[PaymentRead]:
    items = [PaymentRead.model_validate(payment) for payment in payments]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


def _payment_lines(found: AsyncIterator[PaymentRead]) -> AsyncIterator[str]:
    return csv_lines(
        [
            (t("Number"), lambda payment: payment.number),
            (t("Workspace"), lambda payment: payment.workspace_name),
            (t("Sent to"), lambda payment: payment.email),
            (t("Description"), lambda payment: payment.text),
            (t("Amount"), lambda payment: f"{payment.amount_cents // 100}.{payment.amount_cents % 100:02d}"),
            (t("Currency"), lambda payment: payment.currency.upper()),
            (t("Issued"), lambda payment: payment.issued),
            (t("Due"), lambda payment: payment.due),
            (t("Status"), lambda payment: payment.state),
            (t("Paid on"), lambda payment: payment.paid_at),
        ],
        found,
    )


@needs(Permission.ADMINISTER)
async def add_payment(session: AsyncSession, actor: Actor, core: Core, invoice: PaymentCreate, *, client: Client) -> PaymentRead:
    """Create an open invoice of a workspace with the next number of its year, and email it to one of its owners. A repeated request
    returns the first invoice. Raises NotFound, NotAnOwner, or Invalid."""
    if invoice.due < invoice.issued:
        raise Invalid(t("The invoice is due before it is issued. Choose a later date."))
    workspace = await get_subscriber(session, actor, invoice.workspace_id)
    if invoice.email not in workspace.owners:
        raise NotAnOwner(invoice.email, workspace.name)
    id = uuid5(_REPEATED, f"{actor.id} {invoice.model_dump_json()}") if invoice.key else uuid4()
    async with across_workspaces(session, "payments"):
        number = await repository.next_payment_number(session, invoice.issued.year)
        repeated = await repository.find_payment(session, id)
        if repeated is not None:
            return PaymentRead.model_validate(repeated)
        content = invoice.model_dump(exclude={"workspace_id", "key"})
        payment = Payment(id=id, number=number, owner_id=invoice.workspace_id, workspace_name=workspace.name, **content)
        session.add(payment)
        await session.flush()
    await _record_payment(session, "payment.created", payment, actor=actor, client=client)
    written = PaymentRead.model_validate(payment)
    language = accounts.language_of(await accounts.get_account(session, invoice.email), otherwise=current_language())
    link = f"{core.settings.address}/payment"
    await mail.post(session, core, emails.invoice(written, language, sender=actor, link=link))
    return written


@needs(Permission.ADMINISTER)
async def mark_paid(session: AsyncSession, actor: Actor, payment_id: UUID, *, client: Client) -> PaymentRead:
    """Raises NotFound or AlreadySettled."""
    return await _settle(session, actor, payment_id, PaymentState.PAID, client=client)


@needs(Permission.ADMINISTER)
async def void_payment(session: AsyncSession, actor: Actor, payment_id: UUID, *, client: Client) -> PaymentRead:
    """Void this invoice. Raises NotFound or AlreadySettled."""
    return await _settle(session, actor, payment_id, PaymentState.VOID, client=client)


async def _settle(session: AsyncSession, actor: Actor, payment_id: UUID, state: PaymentState, *, client: Client) -> PaymentRead:
    async with across_workspaces(session, "payments"):
        payment = await repository.settle(session, payment_id, state)
        if payment is None:
            raise AlreadySettled(await _payment(session, payment_id))
    await _record_payment(session, f"payment.{state}", payment, actor=actor, client=client)
    return PaymentRead.model_validate(payment)


async def _payment(session: AsyncSession, payment_id: UUID) -> Payment:
    payment = await repository.find_payment(session, payment_id)
    if payment is None:
        raise Missing(t("The invoice was not found. Go back to the list and choose another."))
    return payment


async def _record_payment(session: AsyncSession, action: str, payment: Payment, *, actor: Actor, client: Client) -> None:
    await audit.record(
        session,
        action,
        actor=actor,
        subject=payment.number,
        client=client,
        workspace=payment.workspace_name,
        account=payment.email,
        amount_cents=str(payment.amount_cents),
        currency=payment.currency,
    )
    await publish(session, TOPIC)


# Premium links


@needs(Permission.ADMINISTER)
async def list_premium_links(session: AsyncSession, actor: Actor, query: PremiumLinkQuery) -> Page[PremiumLinkRead]:
    """Those of all workspaces, newest first unless `query.sort` says otherwise: created_at, workspace, plan, days, used, expires_on, or
    state."""
    async with across_workspaces(session, "premium links"):
        rows, total = await repository.page_of_links(session, workspaces.directory(actor), query)
    items = [PremiumLinkRead.model_validate(row) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def get_premium_link(session: AsyncSession, actor: Actor, link_id: UUID) -> PremiumLinkRead:
    """Raises NotFound."""
    async with across_workspaces(session, "premium links"):
        row = await repository.find_link(session, workspaces.directory(actor), link_id)
    if row is None:
        raise _no_such_link()
    return PremiumLinkRead.model_validate(row)


@needs(Permission.ADMINISTER)
async def list_premium_link_uses(
    session: AsyncSession, actor: Actor, link_id: UUID, request: PageRequest
) -> Page[PremiumLinkUseRead]:
    """Which workspaces received the plan of the link, newest first. Raises NotFound."""
    await get_premium_link(session, actor, link_id)
    async with across_workspaces(session, "premium links"):
        uses, total = await repository.page_of_uses(session, request, link_id=link_id)
    return _page_of_uses(uses, total, request)


@needs(Permission.ADMINISTER)
def export_premium_link_uses(session: AsyncSession, actor: Actor, link_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises NotFound."""
    return _use_lines(lambda page: list_premium_link_uses(session, actor, link_id, page), request)


@needs(Permission.READ)
async def list_workspace_premium_links(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[PremiumLinkUseRead]:
    """The premium links that gave the actor's workspace a plan, for its owners, newest first unless `request.sort` says otherwise: at,
    plan, given_by, email, or until. Raises NotAllowed."""
    await workspaces.require_any_owner(session, actor)
    uses, total = await repository.page_of_uses(session, request, owner_id=actor.workspace_id)
    return _page_of_uses(uses, total, request)


@needs(Permission.READ)
def export_workspace_premium_links(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises NotAllowed."""
    return _use_lines(lambda page: list_workspace_premium_links(session, actor, page), request)


def _page_of_uses(uses: Sequence[repository.AnyRow], total: int, request: PageRequest) -> Page[PremiumLinkUseRead]:
    items = [PremiumLinkUseRead.model_validate(use) for use in uses]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


def _use_lines(read: Callable[[PageRequest], Awaitable[Page[PremiumLinkUseRead]]], request: PageRequest) -> AsyncIterator[str]:
    return csv_lines(
        [
            (t("Workspace"), lambda use: use.workspace_name),
            (t("Plan"), lambda use: use.plan_name),
            (t("Created by"), lambda use: use.given_by),
            (t("Redeemed by"), lambda use: use.email),
            (t("Redeemed"), lambda use: use.at),
            (t("Until"), lambda use: use.until),
        ],
        iterate_all(read, request),
    )


@needs(Permission.ADMINISTER)
async def export_premium_links(session: AsyncSession, actor: Actor, query: PremiumLinkQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV, with the email addresses of those who redeemed each link."""
    async with across_workspaces(session, "premium links"):
        lines = csv_lines(
            [
                (t("Workspace"), lambda link: PremiumLinkRead.model_validate(link).workspace_title),
                (t("Plan"), lambda link: link.plan_name),
                (t("Days"), lambda link: link.days),
                (t("Maximum uses"), lambda link: link.uses),
                (t("Times used"), lambda link: link.used),
                (t("Valid through"), lambda link: link.expires_on),
                (t("Status"), lambda link: LinkState(link.state)),
                (t("Note"), lambda link: link.note),
                (t("Created"), lambda link: link.created_at),
                (t("Created by"), lambda link: link.created_by),
                (t("Redeemed by"), lambda link: link.used_by),
            ],
            repository.stream_links(session, workspaces.directory(actor), query),
        )
        async for line in lines:
            yield line


@needs(Permission.ADMINISTER)
async def create_premium_link(
    session: AsyncSession, actor: Actor, wanted: PremiumLinkCreate, *, client: Client
) -> PremiumLinkCreated:
    """Create a link of the actor's workspace; its address is in the result and nowhere else. Raises Invalid, or NotAllowed if the actor
    only has support access."""
    refuse_support(actor)
    if wanted.expires_on < now().date():
        raise Invalid(t("The expiration date is in the past. Choose today or a later date."))
    secret = tokens.new_secret()
    id, digest = uuid5(_REPEATED, f"{actor.id} {wanted.model_dump_json()}") if wanted.key else uuid4(), tokens.digest(secret)
    async with across_workspaces(session, "premium links"):
        if not await repository.renew_link(session, id, digest):
            content = wanted.model_dump(exclude={"key"})
            session.add(PremiumLink(id=id, owner_id=actor.workspace_id, digest=digest, created_by=actor.email, **content))
            await session.flush()
            await audit.record(
                session,
                "premium_link.created",
                actor=actor,
                subject=str(id),
                client=client,
                plan=wanted.plan,
                days=str(wanted.days),
                uses=str(wanted.uses),
            )
            await publish(session, TOPIC)
    made = await get_premium_link(session, actor, id)
    return PremiumLinkCreated(**made.model_dump(), path=f"{LINKS}/{secret}")


@needs(Permission.ADMINISTER)
async def revoke_premium_link(session: AsyncSession, actor: Actor, link_id: UUID, *, client: Client) -> PremiumLinkRead:
    """Revoke a link immediately; workspaces that redeemed it keep the plan. Raises NotFound."""
    async with across_workspaces(session, "premium links"):
        if not await repository.revoke_link(session, link_id):
            raise _no_such_link()
    await audit.record(session, "premium_link.revoked", actor=actor, subject=str(link_id), client=client)
    await publish(session, TOPIC)
    return await get_premium_link(session, actor, link_id)


async def describe_premium_link(session: AsyncSession, token: str) -> PremiumOffer:
    """What the link of this token gives, or why it does not work; for its holder, signed in or not."""
    return _offer(await _find_offer(session, token))


@needs(Permission.READ)
async def preview_premium_link(session: AsyncSession, actor: Actor, token: str) -> PremiumPreview:
    """What the link would do to the plan of the actor's workspace, for its owners. Raises NotAllowed."""
    await workspaces.require_any_owner(session, actor)
    found = await _find_offer(session, token)
    offer = _offer(found)
    until = now() + timedelta(days=offer.days)
    if found is None:
        return PremiumPreview(**offer.model_dump(), until=until)
    async with across_workspaces(session, "premium links"):  # the actor may act in another workspace
        used = await repository.find_use_of(session, found.id, actor.workspace_id)
        if used is not None:
            return PremiumPreview(**offer.model_dump(exclude={"sentence"}), sentence=str(AlreadyRedeemed(used)), until=until)
        loss = await _loss(session, actor.workspace_id, PlanCode(found.plan), until)
    return PremiumPreview(**offer.model_dump(), until=until, loss=loss)


@needs(Permission.READ)
async def redeem_premium_link(
    session: AsyncSession, actor: Actor, redemption: Redemption, *, client: Client
) -> PremiumLinkUseRead:
    """Put the actor's workspace on the plan of the link from now on, once for each workspace and link. Of two simultaneous attempts at the
    last use, one succeeds.

    Raises NotAllowed, AlreadyRedeemed, PlanReplaced, or PremiumLinkSpent (410).
    """
    digest, content = tokens.digest(redemption.link), f"{actor.id} {actor.workspace_id} {redemption.model_dump_json()}"
    id = uuid5(_REPEATED, content) if redemption.key else uuid4()
    await repository.lock_plan(session, actor.workspace_id)
    workspace = await workspaces.lock_as_any_owner(session, actor)
    async with across_workspaces(
        session, "premium links"
    ):  # the link is another workspace's, and a visitor who registers acts in none
        repeated = await repository.find_use(session, id)
        if repeated is not None:
            return PremiumLinkUseRead.model_validate(repeated)
        offer = await repository.find_offer(session, digest)
        used = await repository.find_use_of(session, offer.id, workspace.id) if offer else None
        if used is not None:
            raise AlreadyRedeemed(used)
        until = now() + timedelta(days=offer.days if offer else 0)
        if offer and offer.state == LinkState.ACTIVE and not redemption.replaces_plan:
            loss = await _loss(session, workspace.id, PlanCode(offer.plan), until)
            if loss:
                raise PlanReplaced(loss)
        link = await repository.use_link(session, digest)
        if link is None:
            raise PremiumLinkSpent(await describe_premium_link(session, redemption.link))
        name, plan = workspace.name or actor.name, await repository.get_plan(session, PlanCode(link.plan))
        await _set_plan(session, workspace.id, PlanCode(link.plan), until=until, origin=Origin.PREMIUM_LINK)
        session.add(
            PremiumLinkUse(
                id=id,
                link_id=link.id,
                owner_id=workspace.id,
                workspace_name=name,
                email=actor.email,
                plan=link.plan,
                given_by=link.created_by,
                until=until,
            )
        )
        await session.flush()
        await activity.record(session, actor, REDEEMED, Subject("workspace", workspace.id, workspace.name), plan=plan.name)
        redeemed = PremiumLinkUseRead.model_validate(await repository.find_use(session, id))
    await audit.record(
        session, "premium_link.used", actor=actor, subject=str(link.id), client=client, workspace=name, plan=link.plan
    )
    await notifications.notify(
        session,
        events.REDEEMED,
        await workspaces.list_owner_ids(session, actor),
        actor=actor,
        workspace_id=workspace.id,
        subject=name,
        path=events.PATH,
        details={"plan": plan.name, "last_day": str(last_day(until))},
    )
    return redeemed


async def _find_offer(session: AsyncSession, token: str) -> repository.AnyRow | None:
    async with across_workspaces(session, "premium links"):
        return await repository.find_offer(session, tokens.digest(token))


def _offer(found: repository.AnyRow | None) -> PremiumOffer:
    if found is None:
        return PremiumOffer(state=LinkState.UNKNOWN, sentence=_refusal_reason(LinkState.UNKNOWN))
    state = LinkState(found.state)
    return PremiumOffer(state=state, plan_name=found.plan_name, days=found.days, sentence=_refusal_reason(state))


async def _loss(session: AsyncSession, owner_id: UUID, code: PlanCode, until: datetime) -> str:
    """Say which plan of the workspace is larger than this one or ends after it, and would end now; "" if there is none."""
    current = await repository.current_subscription(session, owner_id)
    if current is None:
        return ""
    was, plan = [await repository.get_plan(session, PlanCode(each)) for each in (current.plan, code)]
    if was.position <= plan.position and current.until is not None and current.until <= until:
        return ""
    day = _long(last_day(until))
    if current.until is None:
        return t(
            "The workspace is on the {current} plan, which has no end date. The link would replace it with the {plan} plan until {day}, and after that the workspace would be on the Free plan.",
            current=was.name,
            plan=plan.name,
            day=day,
        )
    return t(
        "The workspace is on the {current} plan until {end}. The link would replace it with the {plan} plan until {day}, and after that the workspace would be on the Free plan.",
        current=was.name,
        end=_long(last_day(current.until)),
        plan=plan.name,
        day=day,
    )


def _no_such_link() -> Missing:
    return Missing(t("The premium link was not found. Go back to the list and choose another."))


def _refusal_reason(state: LinkState) -> str:
    match state:
        case LinkState.ACTIVE:
            return ""
        case LinkState.EXPIRED:
            return t("This premium link has expired. Ask the person who gave it to you for a new one.")
        case LinkState.USED_UP:
            return t("This premium link has reached its maximum number of uses. Ask the person who gave it to you for a new one.")
        case LinkState.REVOKED:
            return t("This premium link was revoked. Ask the person who gave it to you for a new one.")
        case LinkState.UNKNOWN:
            return t("This premium link is not valid. Check that you copied the whole link, or ask for a new one.")
