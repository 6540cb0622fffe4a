"""All queries of billing. `workspaces` is the list of workspaces: id, name, is_personal, and owners."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, Subquery, case, func, or_, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.billing.models import Payment, Plan, PremiumLink, PremiumLinkUse, QuotaUse, Subscription
from fundwright.billing.schemas import (
    LinkState,
    PaymentQuery,
    PaymentState,
    PlanCode,
    PremiumLinkQuery,
    SubscriberQuery,
)
from fundwright.core.database import acquire_lock, now
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.paging import PageRequest

Workspaces = Select[UUID, str, bool, Sequence[str]]
AnyRow = Row[*tuple[Any, ...]]

_AT_ONCE = 500


# Plans and what they limit


async def list_plans(session: AsyncSession) -> Sequence[Plan]:
    return (await session.scalars(select(Plan).order_by(Plan.position))).all()


async def get_plan(session: AsyncSession, code: PlanCode) -> Plan:
    return await session.get_one(Plan, code, populate_existing=True)


async def plan_of(session: AsyncSession, owner_id: UUID) -> Plan:
    latest = select(Subscription.plan).where(Subscription.owner_id == owner_id, _is_current()).order_by(Subscription.since.desc())
    code = func.coalesce(latest.limit(1).scalar_subquery(), PlanCode.FREE)
    return (await session.scalars(select(Plan).where(Plan.code == code))).one()


async def current_subscription(session: AsyncSession, owner_id: UUID) -> Subscription | None:
    query = select(Subscription).where(Subscription.owner_id == owner_id, _is_current())
    return await session.scalar(query.order_by(Subscription.since.desc()).limit(1))


async def used_in(session: AsyncSession, owner_id: UUID, month: date) -> dict[str, int]:
    """How much of each quota the workspace has used in that month."""
    query = select(QuotaUse.quota, QuotaUse.used).where(QuotaUse.owner_id == owner_id, QuotaUse.month == month)
    return {row.quota: row.used for row in await session.execute(query)}


async def use_one(session: AsyncSession, owner_id: UUID, quota: str, *, month: date, limit: int | None = None) -> bool:
    """Count one more unless that exceeds `limit`, and return whether it was counted.

    A simultaneous second call waits until the first one has committed or rolled back.
    """
    if limit == 0:
        return False
    first = insert(QuotaUse).values(owner_id=owner_id, quota=quota, month=month, used=1)
    another = first.on_conflict_do_update(
        index_elements=[QuotaUse.owner_id, QuotaUse.quota, QuotaUse.month],
        set_={"used": QuotaUse.used + 1},
        where=None if limit is None else QuotaUse.used < limit,
    )
    return await session.scalar(another.returning(QuotaUse.used)) is not None


# Subscriptions


async def page_of_subscribers(
    session: AsyncSession, workspaces: Workspaces, query: SubscriberQuery
) -> tuple[Sequence[AnyRow], int]:
    return await _page(session, _subscribers(workspaces, query), query)


def stream_subscribers(session: AsyncSession, workspaces: Workspaces, query: SubscriberQuery) -> AsyncIterator[AnyRow]:
    return _stream(session, _subscribers(workspaces, query))


async def find_subscriber(session: AsyncSession, workspaces: Workspaces, workspace_id: UUID) -> AnyRow | None:
    workspace = workspaces.subquery()
    return (await session.execute(_with_plan(workspace).where(workspace.c.id == workspace_id))).one_or_none()


async def end_subscriptions(session: AsyncSession, owner_id: UUID) -> None:
    current = update(Subscription).where(Subscription.owner_id == owner_id, _is_current())
    await session.execute(current.values(until=now()))


async def subscriptions_of(session: AsyncSession, owner_id: UUID) -> Sequence[Subscription]:
    """Oldest first."""
    query = select(Subscription).where(Subscription.owner_id == owner_id).order_by(Subscription.since, Subscription.id)
    return (await session.scalars(query)).all()


async def payments_of(session: AsyncSession, owner_id: UUID, email: str) -> Sequence[Payment]:
    """Those of the workspace, and those sent to the address, by number."""
    query = select(Payment).where(or_(Payment.owner_id == owner_id, Payment.email == email)).order_by(Payment.number)
    return (await session.scalars(query)).all()


def _subscribers(workspaces: Workspaces, query: SubscriberQuery) -> Select[*tuple[Any, ...]]:
    workspace = workspaces.subquery()
    found = _with_plan(workspace)
    if query.plan is not None:
        found = found.where(Plan.code == query.plan)
    if query.text:
        found = found.where(contains(query.text, workspace.c.name, func.array_to_string(workspace.c.owners, " ")))
    return found.order_by(ordered_by(query, {
        "name": func.lower(workspace.c.name), "owners": workspace.c.owners, "plan": Plan.position,
        "since": found.selected_columns.since, "until": found.selected_columns.until,
    }, default=func.lower(workspace.c.name)), workspace.c.owners, workspace.c.id)  # fmt: skip


def _with_plan(workspace: Subquery) -> Select[*tuple[Any, ...]]:
    latest = select(Subscription).where(_is_current()).ext(distinct_on(Subscription.owner_id))
    current = latest.order_by(Subscription.owner_id, Subscription.since.desc()).subquery()
    return (
        select(
            workspace.c.id.label("workspace_id"),
            workspace.c.name,
            workspace.c.is_personal,
            workspace.c.owners,
            Plan.code.label("plan"),
            Plan.name.label("plan_name"),
            current.c.since,
            current.c.until,
            current.c.origin,
        )
        .select_from(workspace)
        .outerjoin(current, current.c.owner_id == workspace.c.id)
        .join(Plan, Plan.code == func.coalesce(current.c.plan, PlanCode.FREE))
    )


def _is_current() -> ColumnElement[bool]:
    moment = now()
    return (Subscription.since <= moment) & or_(Subscription.until.is_(None), Subscription.until > moment)


# Payments; with `owner_id`, those of one workspace


async def page_of_payments(
    session: AsyncSession, query: PaymentQuery, *, owner_id: UUID | None = None
) -> tuple[Sequence[Payment], int]:
    rows, total = await _page(session, _payments(query, owner_id), query)
    return [row[0] for row in rows], total


def stream_payments(session: AsyncSession, query: PaymentQuery) -> AsyncIterator[AnyRow]:
    return _stream(session, _payments(query))


async def sums_of_payments(session: AsyncSession, query: PaymentQuery) -> Sequence[AnyRow]:
    listed = _payments(query).order_by(None).subquery()
    group = (listed.c.currency, listed.c.state)
    sums = select(*group, func.sum(listed.c.amount_cents).label("amount_cents"), func.count().label("count"))
    return (await session.execute(sums.group_by(*group).order_by(*group))).all()


async def find_payment(session: AsyncSession, payment_id: UUID) -> Payment | None:
    return await session.get(Payment, payment_id, populate_existing=True)


async def next_payment_number(session: AsyncSession, year: int) -> str:
    """`2026-0001` and so on, without gaps. Nobody else gets a number until the end of the transaction."""
    await acquire_lock(session, "payment number")
    taken = await session.scalar(select(func.count()).where(Payment.number.startswith(f"{year:04d}-"))) or 0
    return f"{year:04d}-{taken + 1:04d}"


async def settle(session: AsyncSession, payment_id: UUID, state: PaymentState) -> Payment | None:
    """Set the final state of an open payment; None if it is not open."""
    paid_at = now() if state is PaymentState.PAID else None
    settled = update(Payment).where(Payment.id == payment_id, Payment.state == PaymentState.OPEN)
    return await session.scalar(
        settled.values(state=state, paid_at=paid_at).returning(Payment), execution_options={"populate_existing": True}
    )


def _payments(query: PaymentQuery, owner_id: UUID | None = None) -> Select[Payment]:
    found = select(Payment)
    if owner_id is not None:
        found = found.where(Payment.owner_id == owner_id)
    if query.state is not None:
        found = found.where(Payment.state == query.state)
    if query.text:
        found = found.where(contains(query.text, Payment.number, Payment.workspace_name, Payment.email, Payment.text))
    return found.order_by(ordered_by(query, {
        "number": Payment.number, "workspace": func.lower(Payment.workspace_name), "email": Payment.email,
        "text": func.lower(Payment.text), "amount": Payment.amount_cents, "issued": Payment.issued, "due": Payment.due,
        "state": Payment.state, "paid_at": Payment.paid_at,
    }, default=Payment.issued.desc()), Payment.number.desc())  # fmt: skip


# Premium links


async def page_of_links(session: AsyncSession, workspaces: Workspaces, query: PremiumLinkQuery) -> tuple[Sequence[AnyRow], int]:
    return await _page(session, _links(workspaces, query), query)


def stream_links(session: AsyncSession, workspaces: Workspaces, query: PremiumLinkQuery) -> AsyncIterator[AnyRow]:
    return _stream(session, _links(workspaces, query))


async def find_link(session: AsyncSession, workspaces: Workspaces, link_id: UUID) -> AnyRow | None:
    return (await session.execute(_links(workspaces, PremiumLinkQuery()).where(PremiumLink.id == link_id))).one_or_none()


async def find_offer(session: AsyncSession, digest: str) -> AnyRow | None:
    """Return the id, plan, plan's name, days, and state of a link."""
    offer = select(PremiumLink.id, PremiumLink.plan, Plan.name.label("plan_name"), PremiumLink.days, _link_state().label("state"))
    found = offer.join(Plan, Plan.code == PremiumLink.plan).where(PremiumLink.digest == digest)
    return (await session.execute(found)).one_or_none()


async def use_link(session: AsyncSession, digest: str) -> PremiumLink | None:
    """Use one of the remaining uses; of two simultaneous attempts at the last one, one succeeds."""
    usable = update(PremiumLink).where(PremiumLink.digest == digest, _link_state() == LinkState.ACTIVE)
    return await session.scalar(
        usable.values(used=PremiumLink.used + 1).returning(PremiumLink), execution_options={"populate_existing": True}
    )


async def renew_link(session: AsyncSession, link_id: UUID, digest: str) -> bool:
    """Give a link another address. Returns whether there is such a link; nobody else adds it until the end of the transaction."""
    await acquire_lock(session, f"premium link {link_id}")
    renewed = update(PremiumLink).where(PremiumLink.id == link_id).values(digest=digest).returning(PremiumLink.id)
    return await session.scalar(renewed) is not None


async def lock_plan(session: AsyncSession, owner_id: UUID) -> None:
    """Nobody else changes the plan of the workspace until the end of the transaction."""
    await acquire_lock(session, f"plan {owner_id}")


async def revoke_link(session: AsyncSession, link_id: UUID) -> bool:
    """Return whether there is such a link. The time of the first revocation stays."""
    revoked = update(PremiumLink).where(PremiumLink.id == link_id)
    moment = func.coalesce(PremiumLink.revoked_at, now())
    return await session.scalar(revoked.values(revoked_at=moment).returning(PremiumLink.id)) is not None


async def page_of_uses(
    session: AsyncSession, request: PageRequest, *, link_id: UUID | None = None, owner_id: UUID | None = None
) -> tuple[Sequence[AnyRow], int]:
    """Those of a link, or of a workspace."""
    uses = _uses()
    if link_id is not None:
        uses = uses.where(PremiumLinkUse.link_id == link_id)
    if owner_id is not None:
        uses = uses.where(PremiumLinkUse.owner_id == owner_id)
    return await _page(session, uses.order_by(ordered_by(request, {
        "at": PremiumLinkUse.at, "plan": Plan.position, "given_by": PremiumLinkUse.given_by, "email": PremiumLinkUse.email,
        "until": PremiumLinkUse.until,
    }, default=PremiumLinkUse.at.desc()), PremiumLinkUse.id), request)  # fmt: skip


async def find_use(session: AsyncSession, use_id: UUID) -> AnyRow | None:
    return (await session.execute(_uses().where(PremiumLinkUse.id == use_id))).one_or_none()


async def find_use_of(session: AsyncSession, link_id: UUID, owner_id: UUID) -> AnyRow | None:
    uses = _uses().where(PremiumLinkUse.link_id == link_id, PremiumLinkUse.owner_id == owner_id)
    return (await session.execute(uses)).one_or_none()


async def uses_of(session: AsyncSession, owner_id: UUID, email: str) -> Sequence[PremiumLinkUse]:
    """Those of the workspace, and those with the address, oldest first."""
    query = select(PremiumLinkUse).where(or_(PremiumLinkUse.owner_id == owner_id, PremiumLinkUse.email == email))
    return (await session.scalars(query.order_by(PremiumLinkUse.at, PremiumLinkUse.id))).all()


def _uses() -> Select[*tuple[Any, ...]]:
    return select(
        PremiumLinkUse.id,
        PremiumLinkUse.owner_id.label("workspace_id"),
        PremiumLinkUse.workspace_name,
        PremiumLinkUse.email,
        PremiumLinkUse.plan,
        Plan.name.label("plan_name"),
        PremiumLinkUse.given_by,
        PremiumLinkUse.at,
        PremiumLinkUse.until,
    ).join(Plan, Plan.code == PremiumLinkUse.plan)


def _links(workspaces: Workspaces, query: PremiumLinkQuery) -> Select[*tuple[Any, ...]]:
    workspace = workspaces.subquery()
    used_by = select(func.string_agg(PremiumLinkUse.email, " ")).where(PremiumLinkUse.link_id == PremiumLink.id)
    found = (
        select(
            PremiumLink.id,
            PremiumLink.owner_id.label("workspace_id"),
            workspace.c.name.label("workspace_name"),
            workspace.c.is_personal,
            PremiumLink.plan,
            Plan.name.label("plan_name"),
            PremiumLink.days,
            PremiumLink.uses,
            PremiumLink.used,
            PremiumLink.expires_on,
            PremiumLink.note,
            _link_state().label("state"),
            PremiumLink.created_at,
            PremiumLink.created_by,
            used_by.scalar_subquery().label("used_by"),
        )
        .join(Plan, Plan.code == PremiumLink.plan)
        .join(workspace, workspace.c.id == PremiumLink.owner_id)
    )
    if query.state is not None:
        found = found.where(_link_state() == query.state)
    return found.order_by(ordered_by(query, {
        "created_at": PremiumLink.created_at, "plan": Plan.position, "days": PremiumLink.days, "used": PremiumLink.used,
        "expires_on": PremiumLink.expires_on, "state": _link_state(), "workspace": func.lower(workspace.c.name),
    }, default=PremiumLink.created_at.desc()), PremiumLink.id)  # fmt: skip


def _link_state() -> ColumnElement[str]:
    return case(
        (PremiumLink.revoked_at.is_not(None), LinkState.REVOKED),
        (PremiumLink.used >= PremiumLink.uses, LinkState.USED_UP),
        (PremiumLink.expires_on < now().date(), LinkState.EXPIRED),
        else_=LinkState.ACTIVE,
    )


# Lists


async def _page(session: AsyncSession, found: Select[*tuple[Any, ...]], request: PageRequest) -> tuple[Sequence[AnyRow], int]:
    total = await count_all(session, found)
    rows = await session.execute(found.offset(request.offset).limit(request.page_size))
    return rows.all(), total


async def _stream(session: AsyncSession, found: Select[*tuple[Any, ...]]) -> AsyncIterator[AnyRow]:
    async for row in await session.stream(found, execution_options={"yield_per": _AT_ONCE}):
        yield row
