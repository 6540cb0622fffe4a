"""Plans and quotas, invoices, and premium links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID, uuid4, uuid5

from babel.dates import format_date
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.billing import emails, repository
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
    Quota,
    SubscriberQuery,
    SubscriberRead,
    SubscriptionChange,
    WorkspacePlan,
)
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import current_language, nt, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.workspaces import service as workspaces

_SECTIONS_PER_DRAFT = 10
_REPEATED = UUID("05778fc9-45de-4968-ace6-68342d018060")
_DELETED = "deleted_workspaces"
"""What a personal workspace has used, beside quotas: how many shared workspaces its account deleted after they had used some."""

TOPIC = "billing"
"""The live topic for every change of plans, subscriptions, payments, and premium links."""


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
    async with across_workspaces(session):  # the actor may act in another workspace
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
        async with across_workspaces(session):
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
    return format_date((_month() + timedelta(days=31)).replace(day=1), "long", locale=current_language())


# Subscriptions


@needs(Permission.ADMINISTER)
async def list_subscribers(session: AsyncSession, actor: Actor, query: SubscriberQuery) -> Page[SubscriberRead]:
    """All workspaces and their plans."""
    async with across_workspaces(session):
        rows, total = await repository.page_of_subscribers(session, workspaces.directory(actor), query)
    items = [SubscriberRead.model_validate(row) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def get_subscriber(session: AsyncSession, actor: Actor, workspace_id: UUID) -> SubscriberRead:
    """Raises NotFound."""
    async with across_workspaces(session):
        row = await repository.find_subscriber(session, workspaces.directory(actor), workspace_id)
    if row is None:
        raise Missing(t("The workspace was not found. It may have been deleted. Go back to the list."))
    return SubscriberRead.model_validate(row)


@needs(Permission.ADMINISTER)
async def export_subscribers(session: AsyncSession, actor: Actor, query: SubscriberQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    async with across_workspaces(session):
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
    async with across_workspaces(session):  # of an administrator, or of a visitor who registers
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
    async with across_workspaces(session):
        payments, total = await repository.page_of_payments(session, query)
    return _page_of(payments, total, query)


@needs(Permission.ADMINISTER)
async def sum_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> list[PaymentSum]:
    """The sums of the whole list, by currency and state."""
    async with across_workspaces(session):
        return [PaymentSum.model_validate(row) for row in await repository.sums_of_payments(session, query)]


@needs(Permission.ADMINISTER)
async def get_payment(session: AsyncSession, actor: Actor, payment_id: UUID) -> PaymentRead:
    """Raises NotFound."""
    async with across_workspaces(session):
        return PaymentRead.model_validate(await _payment(session, payment_id))


@needs(Permission.ADMINISTER)
async def export_payments(session: AsyncSession, actor: Actor, query: PaymentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV; amounts in whole units of the currency, such as 49.00."""
    async with across_workspaces(session):
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
    async with across_workspaces(session):
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
    async with across_workspaces(session):
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
    """Newest first unless `query.sort` says otherwise: created_at, plan, days, used, expires_on, or state."""
    rows, total = await repository.page_of_links(session, query)
    items = [PremiumLinkRead.model_validate(row) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def get_premium_link(session: AsyncSession, actor: Actor, link_id: UUID) -> PremiumLinkRead:
    """Raises NotFound."""
    row = await repository.find_link(session, link_id)
    if row is None:
        raise _no_such_link()
    return PremiumLinkRead.model_validate(row)


@needs(Permission.ADMINISTER)
async def list_premium_link_uses(
    session: AsyncSession, actor: Actor, link_id: UUID, request: PageRequest
) -> Page[PremiumLinkUseRead]:
    """Who registered with the link, newest first. Raises NotFound."""
    await get_premium_link(session, actor, link_id)
    uses, total = await repository.page_of_uses(session, link_id, request)
    items = [PremiumLinkUseRead(email=use.email, account_id=use.owner_id, at=use.at) for use in uses]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.ADMINISTER)
def export_premium_link_uses(session: AsyncSession, actor: Actor, link_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises NotFound."""
    return csv_lines(
        [(t("Account"), lambda use: use.email), (t("When"), lambda use: use.at)],
        iterate_all(lambda page: list_premium_link_uses(session, actor, link_id, page), request),
    )


@needs(Permission.ADMINISTER)
async def export_premium_links(session: AsyncSession, actor: Actor, query: PremiumLinkQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV, with the email addresses of the accounts that used each link."""
    lines = csv_lines(
        [
            (t("Plan"), lambda link: link.plan_name),
            (t("Days"), lambda link: link.days),
            (t("Maximum uses"), lambda link: link.uses),
            (t("Times used"), lambda link: link.used),
            (t("Valid through"), lambda link: link.expires_on),
            (t("Status"), lambda link: LinkState(link.state)),
            (t("Note"), lambda link: link.note),
            (t("Created"), lambda link: link.created_at),
            (t("Created by"), lambda link: link.created_by),
            (t("Used by"), lambda link: link.used_by),
        ],
        repository.stream_links(session, query),
    )
    async for line in lines:
        yield line


@needs(Permission.ADMINISTER)
async def create_premium_link(
    session: AsyncSession, actor: Actor, wanted: PremiumLinkCreate, *, client: Client
) -> PremiumLinkCreated:
    """Create a link; its address is in the result and nowhere else. Raises Invalid."""
    if wanted.expires_on < now().date():
        raise Invalid(t("The expiration date is in the past. Choose today or a later date."))
    secret = tokens.new_secret()
    id, digest = uuid5(_REPEATED, f"{actor.id} {wanted.model_dump_json()}") if wanted.key else uuid4(), tokens.digest(secret)
    if not await repository.renew_link(session, id, digest):
        session.add(PremiumLink(id=id, digest=digest, created_by=actor.email, **wanted.model_dump(exclude={"key"})))
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
    return PremiumLinkCreated(**made.model_dump(), path=f"/auth/register/premium/{secret}")


@needs(Permission.ADMINISTER)
async def revoke_premium_link(session: AsyncSession, actor: Actor, link_id: UUID, *, client: Client) -> PremiumLinkRead:
    """Revoke a link immediately; accounts that registered with it keep the plan. Raises NotFound."""
    if not await repository.revoke_link(session, link_id):
        raise _no_such_link()
    await audit.record(session, "premium_link.revoked", actor=actor, subject=str(link_id), client=client)
    await publish(session, TOPIC)
    return await get_premium_link(session, actor, link_id)


async def describe_premium_link(session: AsyncSession, token: str) -> PremiumOffer:
    """What the link of this token gives, or why it does not work; for its holder, signed in or not."""
    row = await repository.find_link_by_digest(session, tokens.digest(token))
    if row is None:
        return PremiumOffer(state=LinkState.UNKNOWN, sentence=_refusal_reason(LinkState.UNKNOWN))
    link = PremiumLinkRead.model_validate(row)
    return PremiumOffer(state=link.state, plan_name=link.plan_name, days=link.days, sentence=_refusal_reason(link.state))


@needs(Permission.READ)
async def redeem_premium_link(session: AsyncSession, actor: Actor, token: str, *, client: Client) -> PlanRead:
    """Put the personal workspace of the actor, whose account is new, on the plan of the link. Of two simultaneous attempts at the last use, one succeeds.

    Raises PremiumLinkSpent (410).
    """
    link = await repository.use_link(session, tokens.digest(token))
    if link is None:
        raise PremiumLinkSpent(await describe_premium_link(session, token))
    session.add(PremiumLinkUse(link_id=link.id, owner_id=actor.id, email=actor.email))
    until = now() + timedelta(days=link.days)
    await _set_plan(session, actor.id, PlanCode(link.plan), until=until, origin=Origin.PREMIUM_LINK)
    await audit.record(session, "premium_link.used", actor=actor, subject=str(link.id), client=client, plan=link.plan)
    return PlanRead.model_validate(await repository.get_plan(session, PlanCode(link.plan)))


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
