"""The plug-in hooks of workspaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access.registration import RegistrationLink, RegistrationLinks
from fundwright.accounts.account_deletion import AccountDeletedHandler
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Actor, Client
from fundwright.activity.schemas import ActivityKind
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobHandler, Lane, no_actor
from fundwright.core.messages import t
from fundwright.core.plugins import hookimpl
from fundwright.notifications.schemas import NotificationKind
from fundwright.workspaces import events, invitations, restrictions, service, support
from fundwright.workspaces.personal_data import own_files

if TYPE_CHECKING:
    from fastapi import APIRouter


class WorkspaceLinks:
    """`/auth/register/workspace/{secret}`: an account for someone with an invitation, which the dashboard offers once the address is
    confirmed."""

    type = invitations.LINK_TYPE

    async def describe(self, session: AsyncSession, token: str) -> RegistrationLink:
        invitation = await invitations.find_open(session, token)
        if invitation is None:
            note = t("This invitation was already used, has expired, or was withdrawn. Request a new one, or sign in.")
            return RegistrationLink(is_open=False, note=note)
        note = t(
            "You're invited to the workspace “{name}”. Join it after you have confirmed your address.", name=invitation.workspace
        )
        return RegistrationLink(is_open=True, note=note, email=invitation.email or "")

    async def redeem(self, session: AsyncSession, actor: Actor, core: Core, token: str, *, client: Client) -> None:
        await invitations.reserve(session, actor, token)


@hookimpl
def registration_links() -> Iterable[RegistrationLinks]:
    return [WorkspaceLinks()]


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [service.leave_all]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [*service.ACTIVITY, *restrictions.ACTIVITY, *support.ACTIVITY]


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [JobHandler(support.EndSupport, support.expire, no_actor, lane=Lane.SHORT)]


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.workspaces import api

    return [api.router]
