"""Routes about registration, invitations, other people's accounts, and the outbox."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from fundwright.access import administration, invitations, outbox, registration
from fundwright.access.schemas import InvitationQuery, InvitationRead, InvitationSent
from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient, client_of
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import AccountRead, Permission, Role
from fundwright.authentication import api as authentication_api
from fundwright.authentication import email_confirmation
from fundwright.authentication.api import AccountAnswer, LoginForm
from fundwright.authentication.schemas import SessionQuery, SessionRead
from fundwright.core.errors import FundwrightError
from fundwright.core.mail import MailQuery, MailRead
from fundwright.core.messages import current_language
from fundwright.core.origins import refuse_foreign_page
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession

router = APIRouter(tags=["access"])


class RegisterForm(LoginForm):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    first_name: str = Field(max_length=100)
    last_name: str = Field(max_length=100)


class InvitationForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)
    role: Role = Role.USER


@router.post("/api/account/register", response_model=AccountAnswer)
async def register(
    form: RegisterForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Register and sign in, if the installation has open registration. With uniform errors, an email gives instructions
    instead."""
    refuse_foreign_page(request)
    name, client = f"{form.first_name} {form.last_name}".strip(), client_of(request)
    try:
        if not core.settings.uniform_errors:
            await email_confirmation.count_request(session, email=form.email, client=client)
        async with session.begin_nested():
            if core.settings.uniform_errors:
                kind, token = registration.OPEN
                await registration.register_by_link(
                    session, core, type=kind, token=token, email=form.email, name=name, password=form.password,
                    language=current_language(), client=client,
                )  # fmt: skip
                return JSONResponse({"message": registration.EMAIL_SENT}, status_code=202)
            result = await registration.register(
                session, core, email=form.email, name=name, password=form.password, client=client
            )
    except FundwrightError as error:
        return authentication_api.refused(error.status, type(error).__name__, error.sentence)
    return await authentication_api.entered(session, core, result, response)


@router.get("/api/mails")
async def list_mails(
    core: CoreDep, actor: CurrentActor, client: RequestClient, query: Annotated[MailQuery, Query()]
) -> Page[MailRead]:
    """List the outbox without the messages, newest first unless `sort` is recipient, created_at, or sent_at. For administrators
    who have just re-authenticated."""
    async with core.database.transaction() as session:  # reading it is recorded
        return await outbox.list_mails(session, actor, query, client=client)


@router.get("/api/mails/export.csv", response_class=CsvDownload)
async def export_mails(export: Export, actor: CurrentActor, query: Annotated[MailQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("emails.csv", lambda session: outbox.export_mails(session, actor, query))


@router.get("/api/invitations")
async def list_invitations(
    session: DbSession, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]
) -> Page[InvitationRead]:
    """List invitations in every state, newest first unless `sort` says otherwise."""
    return await invitations.list_invitations(session, actor, query)


@router.get("/api/invitations/export.csv", response_class=CsvDownload)
async def export_invitations(export: Export, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("invitations.csv", lambda session: invitations.export_invitations(session, actor, query))


@router.post("/api/invitations", status_code=201)
async def invite(
    form: InvitationForm, request: Request, core: CoreDep, session: DbSession, actor: CurrentActor
) -> InvitationSent:
    """Send someone a link to register. If the server sends no email, returns the link. For administrators."""
    return await invitations.invite(session, actor, core, email=form.email, role=form.role, client=client_of(request))


class NewLinkForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    by_email: bool = Field(default=True, description="Send the link. Otherwise, the response has it.")


@router.put("/api/invitations/{invitation_id}/link")
async def renew_invitation(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, invitation_id: UUID, form: NewLinkForm
) -> InvitationSent:
    """Give a pending or expired invitation a new link, in place of the previous one. Returns 409 if it was accepted or withdrawn."""
    return await invitations.renew_invitation(session, actor, core, invitation_id, by_email=form.by_email, client=client)


@router.delete("/api/invitations/{invitation_id}", status_code=204)
async def withdraw_invitation(invitation_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> None:
    """Withdraw an invitation, so that its link stops working. Returns 409 if it was accepted."""
    await invitations.withdraw_invitation(session, actor, invitation_id, client=client_of(request))


class RoleForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Role


@router.put("/api/people/{account_id}/role")
async def change_role(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, account_id: UUID, form: RoleForm
) -> AccountRead:
    """Change the role. The account's sessions end."""
    return await administration.change_role(session, actor, core, account_id, form.role, client=client)


@router.put("/api/people/{account_id}/disabled")
async def disable(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, account_id: UUID) -> AccountRead:
    """Disable the account. Its sessions end."""
    return await administration.disable(session, actor, core, account_id, client=client)


@router.delete("/api/people/{account_id}/disabled")
async def enable(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, account_id: UUID) -> AccountRead:
    return await administration.enable(session, actor, core, account_id, client=client)


@router.get("/api/people/{account_id}/sessions")
async def list_sessions(
    session: DbSession, actor: CurrentActor, account_id: UUID, request: Annotated[SessionQuery, Query()]
) -> Page[SessionRead]:
    return await administration.list_sessions(session, actor, account_id, request)


@router.get("/api/people/{account_id}/sessions/export.csv", response_class=CsvDownload)
async def export_sessions(
    export: Export, actor: CurrentActor, account_id: UUID, request: Annotated[SessionQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("sessions.csv", lambda session: administration.export_sessions(session, actor, account_id, request))


@router.delete("/api/people/{account_id}/sessions", status_code=204)
async def end_sessions(session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> None:
    """End all sessions of the account."""
    await administration.end_sessions(session, actor, account_id, client=client)


@router.post("/api/people/{account_id}/reset", status_code=202)
async def start_reset(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, account_id: UUID) -> None:
    """Send the owner a link to choose a new password."""
    await administration.start_reset(session, actor, core, account_id, client=client)


@router.delete("/api/people/{account_id}/second-factor", status_code=204)
async def remove_second_factor(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, account_id: UUID
) -> None:
    """Remove the authenticator app, recovery codes, and passkeys of someone who has lost them."""
    await administration.remove_second_factor(session, actor, core, account_id, client=client)
