"""The plug-in hooks of billing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access.registration import RegistrationLink, RegistrationLinks
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Actor, Client
from fundwright.activity.schemas import ActivityKind
from fundwright.billing import events, service
from fundwright.billing.personal_data import own_files
from fundwright.billing.schemas import LinkState, Redemption
from fundwright.core.assembly import Core
from fundwright.core.messages import nt
from fundwright.core.plugins import hookimpl
from fundwright.notifications.schemas import NotificationKind
from fundwright.workspaces.service import WorkspaceCreationCheck, WorkspaceDeletedHandler

if TYPE_CHECKING:
    from fastapi import APIRouter


class PremiumLinks:
    """`/auth/register/premium/{token}`: a plan for some days."""

    type = "premium"

    async def describe(self, session: AsyncSession, token: str) -> RegistrationLink:
        offer = await service.describe_premium_link(session, token)
        if offer.state is not LinkState.ACTIVE:
            return RegistrationLink(is_open=False, note=offer.sentence)
        days = offer.days or 0
        note = nt(
            "Your personal workspace gets the {plan} plan for {n} day.",
            "Your personal workspace gets the {plan} plan for {n} days.",
            days,
            plan=offer.plan_name,
        )
        return RegistrationLink(is_open=True, note=note, is_for_accounts=True)

    async def redeem(self, session: AsyncSession, actor: Actor, core: Core, token: str, *, client: Client) -> None:
        await service.redeem_premium_link(session, actor, Redemption(link=token), client=client)


@hookimpl
def registration_links() -> Iterable[RegistrationLinks]:
    return [PremiumLinks()]


@hookimpl
def workspace_creation_checks() -> Iterable[WorkspaceCreationCheck]:
    return [service.check_workspaces]


@hookimpl
def workspace_deleted_handlers() -> Iterable[WorkspaceDeletedHandler]:
    return [service.count_deletion]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [service.REDEEMED]


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return [events.REDEEMED]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.billing import api

    return [api.router]
