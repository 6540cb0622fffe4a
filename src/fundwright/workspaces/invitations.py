"""Invitations to workspaces, by email or by link."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Workspace
from fundwright.accounts.permissions import needs, refuse_programs, require_confirmed
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission, WorkspaceRole
from fundwright.authentication import throttle
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish_to
from fundwright.core.messages import t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.workspaces import emails, events, repository, service
from fundwright.workspaces.models import WorkspaceInvitation
from fundwright.workspaces.schemas import InvitationForm, InvitationQuery, InvitationRead, InvitationSent, InvitationState

LINK_TYPE = "workspace"
"""The type of the links with which invited people register."""


class InvitationOver(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "This invitation was already used, has expired, was withdrawn, or is for another email address. Sign in with the address it was sent to, or ask for a new one."
            )
        )


class AlreadyMember(Conflict):
    def __init__(self, email: str) -> None:
        super().__init__(t("{email} is already a member of this workspace.", email=email))


@needs(Permission.READ)
async def invite(
    session: AsyncSession, actor: Actor, core: Core, form: InvitationForm, *, client: Client = COMMAND_LINE
) -> InvitationSent:
    """Invite people to the actor's workspace. The result has the link, which an email carries as well if the form has an address.
    An earlier invitation of that address stops working.

    Raises NotAllowed, PersonalWorkspace, Invalid, AlreadyMember, or TooManyTries.
    """
    workspace = await service.lock_as_owner(session, actor)
    require_confirmed(actor)
    email = accounts.normalize_email(form.email) if form.email else None
    account = await accounts.find_account(session, email) if email else None
    if email is not None:
        if account is not None and await repository.is_member(session, workspace.id, account.id):
            raise AlreadyMember(email)
        await throttle.enforce_rate_limit(session, "workspace", subject=email, address=client.address)
        await repository.end_invitations_for(session, workspace.id, email)
    secret = tokens.new_secret()
    invitation = WorkspaceInvitation(
        workspace_id=workspace.id,
        email=email,
        role=form.role,
        digest=tokens.digest(secret),
        most_uses=1 if email else form.most_uses,
        invited_by=actor.id,
        expires_at=now() + timedelta(days=form.lasts_days),
    )
    session.add(invitation)
    await session.flush()
    link = f"{core.settings.address}/workspaces/join/{secret}"
    if email is not None:
        language = (account.language if account else None) or actor.language or "en"
        await mail.post(
            session,
            core,
            emails.invitation(
                email, language, inviter=actor.name, workspace=workspace.name, lasts_days=form.lasts_days, link=link
            ),
        )
    await audit.record(
        session, "workspace.invited", actor=actor, subject=email or workspace.name, client=client, workspace=workspace.name,
        role=form.role.value,
    )  # fmt: skip
    await _announce(session, invitation)
    if account is not None and account.verified_at is not None:
        await notifications.notify(
            session, events.INVITED, [account.id], actor=actor, workspace_id=None, subject=workspace.name, path=events.PATH,
            event=events.invitation_to(workspace.id),
        )  # fmt: skip
    sent = repository.read_invitation(invitation, workspace.name, actor.name)
    return InvitationSent(**sent.model_dump(exclude={"state"}), link=link)


@needs(Permission.READ)
async def list_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> Page[InvitationRead]:
    """Return the invitations to the actor's workspace, in every state."""
    items, total = await repository.page_of_invitations(session, actor.workspace_id, query)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return _lines(iterate_all(lambda page: list_invitations(session, actor, page), query))


@needs(Permission.READ)
async def withdraw(session: AsyncSession, actor: Actor, invitation_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """End an invitation to the actor's workspace. Raises NotAllowed, PersonalWorkspace, or NotFound."""
    workspace = await service.lock_as_owner(session, actor)
    invitation = await repository.lock_invitation(session, invitation_id)
    if invitation.workspace_id != workspace.id:
        raise NotFound(t("The invitation"))
    invitation.ended_at = invitation.ended_at or now()
    await audit.record(
        session, "workspace.invitation_withdrawn", actor=actor, subject=invitation.email or workspace.name, client=client,
        workspace=workspace.name,
    )  # fmt: skip
    await _announce(session, invitation)


@needs(Permission.READ)
async def list_own(session: AsyncSession, actor: Actor) -> list[InvitationRead]:
    """Return the working invitations of the actor's address."""
    return await repository.list_invitations_for(session, actor.email) if actor.is_confirmed else []


@needs(Permission.READ)
async def export_own(session: AsyncSession, actor: Actor) -> AsyncIterator[str]:
    """Yield the working invitations of the actor's address as lines of CSV."""
    async for line in _lines(await list_own(session, actor)):
        yield line


def _lines(found: Iterable[InvitationRead] | AsyncIterable[InvitationRead]) -> AsyncIterator[str]:
    return csv_lines(
        [
            (t("Workspace"), lambda invitation: invitation.workspace),
            (t("Email"), lambda invitation: invitation.email or ""),
            (t("Role"), lambda invitation: invitation.role.label),
            (t("Status"), lambda invitation: invitation.state.label),
            (t("Uses"), lambda invitation: invitation.uses),
            (t("Invited by"), lambda invitation: invitation.invited_by or ""),
            (t("Sent"), lambda invitation: invitation.created_at),
            (t("Expires"), lambda invitation: invitation.expires_at),
        ],
        found,
    )


async def find_open(session: AsyncSession, secret: str) -> InvitationRead | None:
    """Return the invitation of a link that still works. The secret stands in for an account."""
    found = await repository.find_invitation_by_digest(session, tokens.digest(secret))
    return found if found is not None and found.state is InvitationState.PENDING else None


@needs(Permission.READ)
async def reserve(session: AsyncSession, actor: Actor, secret: str) -> None:
    """Use an invitation without an address for a new account: it becomes one of its address, so that each use registers one account.
    Raises InvitationOver."""
    found = await find_open(session, secret)
    if found is None:
        raise InvitationOver
    if found.email is not None:
        return
    invitation = await repository.lock_invitation(session, found.id)
    if invitation.uses >= invitation.most_uses or invitation.ended_at is not None:
        raise InvitationOver
    invitation.uses += 1
    session.add(
        WorkspaceInvitation(
            workspace_id=invitation.workspace_id,
            email=actor.email,
            role=invitation.role,
            digest=tokens.digest(tokens.new_secret()),
            most_uses=1,
            invited_by=invitation.invited_by,
            expires_at=invitation.expires_at,
        )
    )
    await session.flush()
    await publish_to(session, [service.workspace_topic(invitation.workspace_id)])


@needs(Permission.READ)
async def describe_link(session: AsyncSession, actor: Actor, secret: str) -> InvitationRead:
    """Return the invitation of a link. Raises InvitationOver, also if it is for another address. One that was used leads its members
    to the workspace again."""
    found = await repository.find_invitation_by_digest(session, tokens.digest(secret))
    if found is None or found.email not in (None, actor.email):
        raise InvitationOver
    is_used = found.state is InvitationState.USED and await repository.is_member(session, found.workspace_id, actor.id)
    if found.state is not InvitationState.PENDING and not is_used:
        raise InvitationOver
    return found


@needs(Permission.READ)
async def accept_link(session: AsyncSession, actor: Actor, secret: str, *, client: Client = COMMAND_LINE) -> UUID:
    """Join the workspace of a link, and return its id. Raises NotAllowed, InvitationOver, or TooManyWorkspaces."""
    found = await describe_link(session, actor, secret)
    return await _join(session, actor, found, client=client)


@needs(Permission.READ)
async def accept(session: AsyncSession, actor: Actor, invitation_id: UUID, *, client: Client = COMMAND_LINE) -> UUID:
    """Join the workspace of an invitation of the actor's address, and return its id.

    Raises NotAllowed, NotFound, InvitationOver, or TooManyWorkspaces.
    """
    found = await _get_own(session, actor, invitation_id)
    return await _join(session, actor, found, client=client)


@needs(Permission.READ)
async def decline(session: AsyncSession, actor: Actor, invitation_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """End a pending invitation of the actor's address. Raises NotFound."""
    await _get_own(session, actor, invitation_id)
    invitation = await repository.lock_invitation(session, invitation_id)
    if invitation.uses >= invitation.most_uses:
        raise NotFound(t("The invitation"))
    invitation.ended_at = invitation.ended_at or now()
    workspace = await session.get_one(Workspace, invitation.workspace_id)
    await audit.record(
        session, "workspace.invitation_declined", actor=actor, subject=actor.email, client=client, workspace=workspace.name
    )
    await _announce(session, invitation)


async def _get_own(session: AsyncSession, actor: Actor, invitation_id: UUID) -> WorkspaceInvitation:
    require_confirmed(actor)
    invitation = await session.get(WorkspaceInvitation, invitation_id)
    if invitation is None or invitation.email != actor.email:
        raise NotFound(t("The invitation"))
    return invitation


async def _join(session: AsyncSession, actor: Actor, found: InvitationRead | WorkspaceInvitation, *, client: Client) -> UUID:
    """Use an invitation that the caller has found to be for the actor."""
    require_confirmed(actor)
    refuse_programs(actor)
    workspace = await repository.lock(session, found.workspace_id)
    invitation = await repository.lock_invitation(session, found.id)
    if await repository.is_member(session, workspace.id, actor.id):
        return workspace.id
    if invitation.uses >= invitation.most_uses or invitation.ended_at is not None or invitation.expires_at <= now():
        raise InvitationOver
    await service.require_room(session, actor)
    invitation.uses += 1
    await session.flush()
    await repository.end_invitations_for(session, workspace.id, actor.email)
    await repository.add_member(session, workspace.id, actor.id, WorkspaceRole(invitation.role))
    await notifications.forget_event(session, events.invitation_to(workspace.id), [actor.id])
    await notifications.notify(
        session, events.JOINED, await repository.list_owner_ids(session, workspace.id), actor=actor, workspace_id=workspace.id,
        subject=workspace.name, path=events.PATH,
    )  # fmt: skip
    await audit.record(
        session,
        "workspace.joined",
        actor=actor,
        subject=actor.email,
        client=client,
        workspace=workspace.name,
        role=invitation.role,
    )
    joined = actor.model_copy(update={"workspace_id": workspace.id})
    async with across_workspaces(session, "invitations"):  # the actor acts in another workspace
        await service.record_member(session, joined, service.JOINED, actor.id, WorkspaceRole(invitation.role))
    await service.announce(session, workspace.id)
    return workspace.id


async def _announce(session: AsyncSession, invitation: WorkspaceInvitation) -> None:
    """Update the lists of the workspace and of the account that the invitation is for. It was told about an earlier one, or about this
    one, which has ended."""
    account = await accounts.find_account(session, invitation.email) if invitation.email else None
    invited = [service.workspaces_topic(account.id)] if account else []
    if account is not None:
        await notifications.forget_event(session, events.invitation_to(invitation.workspace_id), [account.id])
    await publish_to(session, [service.workspace_topic(invitation.workspace_id), *invited])
