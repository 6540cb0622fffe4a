"""Routes of billing."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.billing import service
from fundwright.billing.schemas import (
    PaymentCreate,
    PaymentQuery,
    PaymentRead,
    PaymentSum,
    PlanChange,
    PlanCode,
    PlanRead,
    PremiumLinkCreate,
    PremiumLinkCreated,
    PremiumLinkQuery,
    PremiumLinkRead,
    PremiumLinkUseQuery,
    PremiumLinkUseRead,
    Redemption,
    SubscriberQuery,
    SubscriberRead,
    SubscriptionChange,
    WorkspacePlan,
)
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession

router = APIRouter(prefix="/api/billing", tags=["billing"])


@router.get("/plans")
async def list_plans(session: DbSession, actor: CurrentActor) -> list[PlanRead]:
    """List the plans. Prices are in cents per month; a limit of null is none."""
    return await service.list_plans(session)


@router.put("/plans/{code}")
async def change_plan(
    session: DbSession, actor: CurrentActor, client: RequestClient, code: PlanCode, change: PlanChange
) -> PlanRead:
    return await service.change_plan(session, actor, code, change, client=client)


@router.get("/workspace")
async def workspace_plan(session: DbSession, actor: CurrentActor) -> WorkspacePlan:
    """Return the plan of your workspace, and what its members have used of it this month."""
    return await service.workspace_plan(session, actor)


@router.get("/workspace/payments")
async def list_workspace_payments(
    session: DbSession, actor: CurrentActor, query: Annotated[PaymentQuery, Query()]
) -> Page[PaymentRead]:
    """List the invoices of your workspace, if you are an owner, newest first; sort as with `/payments`."""
    return await service.list_workspace_payments(session, actor, query)


@router.get("/workspace/payments/export.csv", response_class=CsvDownload)
async def export_workspace_payments(export: Export, actor: CurrentActor, query: Annotated[PaymentQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("payments.csv", lambda session: service.export_workspace_payments(session, actor, query))


@router.get("/workspace/premium-links")
async def list_workspace_premium_links(
    session: DbSession, actor: CurrentActor, request: Annotated[PremiumLinkUseQuery, Query()]
) -> Page[PremiumLinkUseRead]:
    """List the premium links that gave your workspace a plan, if you are an owner, newest first; sort by at, plan, given_by, email, or
    until."""
    return await service.list_workspace_premium_links(session, actor, request)


@router.get("/workspace/premium-links/export.csv", response_class=CsvDownload)
async def export_workspace_premium_links(
    export: Export, actor: CurrentActor, request: Annotated[PremiumLinkUseQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("premium-links.csv", lambda session: service.export_workspace_premium_links(session, actor, request))


@router.post("/workspace/premium-links", status_code=status.HTTP_201_CREATED)
async def redeem_premium_link(
    session: DbSession, actor: CurrentActor, client: RequestClient, redemption: Redemption
) -> PremiumLinkUseRead:
    """Redeem a premium link for your workspace, if you are an owner. If its plan is larger or ends later, the response is 409 and says so;
    `replaces_plan` replaces it anyway."""
    return await service.redeem_premium_link(session, actor, redemption, client=client)


@router.get("/subscribers")
async def list_subscribers(
    session: DbSession, actor: CurrentActor, query: Annotated[SubscriberQuery, Query()]
) -> Page[SubscriberRead]:
    """List all workspaces with their owners and plans."""
    return await service.list_subscribers(session, actor, query)


@router.get("/subscribers/export.csv", response_class=CsvDownload)
async def export_subscribers(export: Export, actor: CurrentActor, query: Annotated[SubscriberQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("subscribers.csv", lambda session: service.export_subscribers(session, actor, query))


@router.get("/subscribers/{workspace_id}")
async def get_subscriber(session: DbSession, actor: CurrentActor, workspace_id: UUID) -> SubscriberRead:
    """Return a workspace with its owners and plan."""
    return await service.get_subscriber(session, actor, workspace_id)


@router.put("/subscribers/{workspace_id}")
async def subscribe(
    session: DbSession, actor: CurrentActor, client: RequestClient, workspace_id: UUID, change: SubscriptionChange
) -> SubscriberRead:
    """Change the plan of a workspace from now on."""
    return await service.subscribe(session, actor, workspace_id, change, client=client)


@router.get("/payments")
async def list_payments(session: DbSession, actor: CurrentActor, query: Annotated[PaymentQuery, Query()]) -> Page[PaymentRead]:
    """List invoices, newest first; sort by number, workspace, email, text, amount, issued, due, state, or
    paid_at."""
    return await service.list_payments(session, actor, query)


@router.get("/payments/sums")
async def sum_payments(session: DbSession, actor: CurrentActor, query: Annotated[PaymentQuery, Query()]) -> list[PaymentSum]:
    """Return the sums of the whole list, by currency and state."""
    return await service.sum_payments(session, actor, query)


@router.get("/payments/export.csv", response_class=CsvDownload)
async def export_payments(export: Export, actor: CurrentActor, query: Annotated[PaymentQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("payments.csv", lambda session: service.export_payments(session, actor, query))


@router.post("/payments", status_code=status.HTTP_201_CREATED)
async def add_payment(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, invoice: PaymentCreate
) -> PaymentRead:
    """Create an invoice of a workspace with the next number of its year, and email it to one of its owners."""
    return await service.add_payment(session, actor, core, invoice, client=client)


@router.get("/payments/{payment_id}")
async def get_payment(session: DbSession, actor: CurrentActor, payment_id: UUID) -> PaymentRead:
    return await service.get_payment(session, actor, payment_id)


@router.put("/payments/{payment_id}/paid")
async def mark_paid(session: DbSession, actor: CurrentActor, client: RequestClient, payment_id: UUID) -> PaymentRead:
    """Mark an open invoice as paid. It cannot be changed afterward."""
    return await service.mark_paid(session, actor, payment_id, client=client)


@router.put("/payments/{payment_id}/void")
async def void_payment(session: DbSession, actor: CurrentActor, client: RequestClient, payment_id: UUID) -> PaymentRead:
    """Void an open invoice. It cannot be changed afterward."""
    return await service.void_payment(session, actor, payment_id, client=client)


@router.get("/premium-links")
async def list_premium_links(
    session: DbSession, actor: CurrentActor, query: Annotated[PremiumLinkQuery, Query()]
) -> Page[PremiumLinkRead]:
    """List the premium links of all workspaces, newest first; sort by created_at, workspace, plan, days, used, expires_on, or
    state."""
    return await service.list_premium_links(session, actor, query)


@router.get("/premium-links/export.csv", response_class=CsvDownload)
async def export_premium_links(export: Export, actor: CurrentActor, query: Annotated[PremiumLinkQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV, with the addresses of those who redeemed each link."""
    require(actor, Permission.ADMINISTER)
    return export("premium-links.csv", lambda session: service.export_premium_links(session, actor, query))


@router.post("/premium-links", status_code=status.HTTP_201_CREATED)
async def create_premium_link(
    session: DbSession, actor: CurrentActor, client: RequestClient, wanted: PremiumLinkCreate
) -> PremiumLinkCreated:
    """Create a link of your workspace. Only this response contains its `path`."""
    return await service.create_premium_link(session, actor, wanted, client=client)


@router.get("/premium-links/{link_id}")
async def get_premium_link(session: DbSession, actor: CurrentActor, link_id: UUID) -> PremiumLinkRead:
    return await service.get_premium_link(session, actor, link_id)


@router.get("/premium-links/{link_id}/uses")
async def list_premium_link_uses(
    session: DbSession, actor: CurrentActor, link_id: UUID, request: Annotated[PremiumLinkUseQuery, Query()]
) -> Page[PremiumLinkUseRead]:
    """List the workspaces that received the plan of the link, newest first."""
    return await service.list_premium_link_uses(session, actor, link_id, request)


@router.get("/premium-links/{link_id}/uses/export.csv", response_class=CsvDownload)
async def export_premium_link_uses(
    export: Export, actor: CurrentActor, link_id: UUID, request: Annotated[PremiumLinkUseQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("uses.csv", lambda session: service.export_premium_link_uses(session, actor, link_id, request))


@router.put("/premium-links/{link_id}/revocation")
async def revoke_premium_link(session: DbSession, actor: CurrentActor, client: RequestClient, link_id: UUID) -> PremiumLinkRead:
    """Revoke a link immediately. Workspaces that redeemed it keep the plan."""
    return await service.revoke_premium_link(session, actor, link_id, client=client)
