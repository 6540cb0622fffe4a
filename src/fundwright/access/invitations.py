"""Invitations to register with a role, by a link."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import emails, repository
from fundwright.access.models import Invitation
from fundwright.access.schemas import InvitationQuery, InvitationRead, InvitationSent
from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs, not_an_administrator
from fundwright.accounts.schemas import Actor, Client, Permission, Role
from fundwright.authentication.reauthentication import needs_recent_authentication
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, FundwrightError, NotFound
from fundwright.core.messages import t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines

TEAM = "team"
_INVITATION_LASTS = timedelta(days=14)


class InvitationWithdrawn(Conflict):
    def __init__(self, email: str) -> None:
        super().__init__(t("The invitation of {email} was withdrawn. Invite this address again.", email=email))


class InvitationAccepted(Conflict):
    def __init__(self, email: str) -> None:
        super().__init__(t("{email} has already accepted the invitation. Disable the account instead.", email=email))


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def invite(session: AsyncSession, actor: Actor, core: Core, *, email: str, role: Role, client: Client) -> InvitationSent:
    """Send someone a link to register with this role. An earlier invitation of the address stops working. If no email is sent, the
    result has the link.

    Raises Invalid, EmailTaken, ReauthenticationRequired, or NotAllowed, also if the actor has just lost the permission.
    """
    await _keep_permission(session, actor)
    invitation, link = await add_invitation(session, core, email=email, role=role, inviter=actor, client=client)
    return _sent(invitation, actor, None if core.settings.sends_mail else link)


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def renew_invitation(
    session: AsyncSession, actor: Actor, core: Core, invitation_id: UUID, *, by_email: bool, client: Client
) -> InvitationSent:
    """Give a pending or expired invitation a new link for two weeks, in place of the previous one. Send it by email, or else return
    it, so that the actor can pass it on. If no email is sent, the result has the link in any case.

    Raises NotFound, InvitationAccepted, InvitationWithdrawn, EmailTaken, ReauthenticationRequired, or NotAllowed.
    """
    await _keep_permission(session, actor)
    secret = tokens.new_secret()
    invitation = await repository.renew_invitation(
        session,
        invitation_id,
        digest=tokens.digest(secret),
        invited_by=actor.id,
        created_at=now(),
        expires_at=now() + _INVITATION_LASTS,
    )
    if invitation is None:
        raise await _why_over(session, invitation_id)
    if await accounts.find_account(session, invitation.email) is not None:
        raise accounts.EmailTaken
    link = _link(core, secret)
    if by_email:
        await _post(session, core, invitation, link, inviter=actor)
    is_shown = not (by_email and core.settings.sends_mail)
    action = "invitation.link_created" if is_shown else "invitation.sent"
    await audit.record(session, action, actor=actor, subject=invitation.email, client=client, role=invitation.role)
    return _sent(invitation, actor, link if is_shown else None)


@needs(Permission.ADMINISTER)
async def list_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> Page[InvitationRead]:
    """Invitations in every state, newest first unless `sort` says otherwise."""
    found, total = await repository.page_of_invitations(session, query)
    items = [_read(invitation, inviter) for invitation, inviter in found]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
def export_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Email"), lambda invitation: invitation.email),
            (t("Role"), lambda invitation: invitation.role),
            (t("Status"), lambda invitation: invitation.state),
            (t("Invited by"), lambda invitation: invitation.invited_by),
            (t("Sent"), lambda invitation: invitation.created_at),
            (t("Expires"), lambda invitation: invitation.expires_at),
            (t("Used"), lambda invitation: invitation.used_at),
            (t("Withdrawn"), lambda invitation: invitation.revoked_at),
        ],
        iterate_all(lambda page: list_invitations(session, actor, page), query),
    )


@needs(Permission.ADMINISTER)
async def withdraw_invitation(session: AsyncSession, actor: Actor, invitation_id: UUID, *, client: Client) -> None:
    """Withdraw an invitation, so that its link stops working. Raises NotFound or InvitationAccepted."""
    invitation = await repository.withdraw_invitation(session, invitation_id)
    if invitation is None:
        raise await _why_over(session, invitation_id)
    await audit.record(session, "invitation.withdrawn", actor=actor, subject=invitation.email, client=client)


async def _keep_permission(session: AsyncSession, actor: Actor) -> None:
    """Wait for a demotion in progress; a later one waits for this transaction and then revokes the invitation."""
    if actor.id not in await accounts.lock_administrators(session):
        raise not_an_administrator()


async def _why_over(session: AsyncSession, invitation_id: UUID) -> FundwrightError:
    invitation = await session.get(Invitation, invitation_id)
    if invitation is None:
        return NotFound(t("The invitation"))
    return InvitationAccepted(invitation.email) if invitation.used_at else InvitationWithdrawn(invitation.email)


def _sent(invitation: Invitation, actor: Actor, link: str | None) -> InvitationSent:
    return InvitationSent(**_read(invitation, actor.email).model_dump(exclude={"state"}), link=link)


def _read(invitation: Invitation, inviter: str | None) -> InvitationRead:
    return InvitationRead(
        id=invitation.id,
        email=invitation.email,
        role=Role(invitation.role),
        invited_by=inviter,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        used_at=invitation.used_at,
        revoked_at=invitation.revoked_at,
    )


async def add_invitation(
    session: AsyncSession, core: Core, *, email: str, role: Role, inviter: Actor | None, client: Client
) -> tuple[Invitation, str]:
    plain = accounts.normalize_email(email)
    if await accounts.find_account(session, plain) is not None:
        raise accounts.EmailTaken
    await acquire_lock(session, f"invitation:{plain}")
    await repository.revoke_invitations(session, plain)
    secret = tokens.new_secret()
    invitation = Invitation(
        email=plain,
        role=role,
        digest=tokens.digest(secret),
        invited_by=inviter.id if inviter else None,
        expires_at=now() + _INVITATION_LASTS,
    )
    session.add(invitation)
    await session.flush()
    link = _link(core, secret)
    await _post(session, core, invitation, link, inviter=inviter)
    await audit.record(session, "invitation.sent", actor=inviter, subject=plain, client=client, role=role.value)
    return invitation, link


def _link(core: Core, secret: str) -> str:
    return f"{core.settings.address}/auth/register/{TEAM}/{secret}"


async def _post(session: AsyncSession, core: Core, invitation: Invitation, link: str, *, inviter: Actor | None) -> None:
    language = inviter.language if inviter and inviter.language else "en"
    name = inviter.name if inviter else t("The administrator")
    await mail.post(session, core, emails.invitation(invitation.email, language, inviter=name, link=link))


@needs(Permission.READ)
async def forget_invitations(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Clean up for an account that is being deleted: invitations that it sent stop working, and the one that created it is
    deleted."""
    await repository.revoke_invitations_from(session, actor.id)
    await repository.delete_invitations(session, actor.email)
