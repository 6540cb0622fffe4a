"""Registration through the open link, an invitation, another package's link, or a program.

The response is the same for every address; only the email tells whether the address has an account.
"""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import emails, repository
from fundwright.access.invitations import TEAM
from fundwright.accounts import passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.authentication import email_confirmation, one_time_secrets, revocation, sessions
from fundwright.authentication.schemas import SignedIn
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, FundwrightError
from fundwright.core.messages import Language, current_language, t

OPEN = ("standard", "open")
EMAIL_SENT = "If the address can be registered, an email with instructions is on its way."


class RegistrationClosed(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(t("Registration is by invitation only. Ask an administrator of this server for an invitation."))


class AlreadyRegistered(Conflict):
    """Raised only for someone who holds an invitation of that very address."""

    def __init__(self, email: str) -> None:
        super().__init__(t("{email} already has an account. Sign in.", email=email))


class RegistrationLink(BaseModel):
    """What a link `/auth/register/{type}/{token}` is for. `note` says what it gives or, if it is not open, why it does not work.

    `email` is set if the link is for a single address. People with an account can use a link that `is_for_accounts`, too: it opens
    another page once they have signed in.
    """

    model_config = ConfigDict(frozen=True)

    is_open: bool
    note: str = ""
    email: str = ""
    is_for_accounts: bool = False


class RegistrationLinks(Protocol):
    """Links of one type, which a package creates and manages."""

    type: str

    async def describe(self, session: AsyncSession, token: str) -> RegistrationLink: ...

    async def redeem(self, session: AsyncSession, actor: Actor, core: Core, token: str, *, client: Client) -> None:
        """Give the new account what the link promises. Raises LinkSpent if someone else was faster."""
        ...


async def describe_link(session: AsyncSession, core: Core, *, type: str, token: str) -> RegistrationLink:
    if (type, token) == OPEN:
        return RegistrationLink(is_open=core.settings.open_registration, note="")
    if type == TEAM:
        invitation = await repository.find_invitation(session, tokens.digest(token))
        if invitation is None:
            note = t("This invitation was already used, has expired, or was withdrawn. Request a new one, or sign in.")
            return RegistrationLink(is_open=False, note=note)
        return RegistrationLink(is_open=True, note=t("You're invited."), email=invitation.email)
    links = _links_of(core, type)
    if links is None:
        return RegistrationLink(
            is_open=False, note=t("This link is incomplete. Open the full link from the message that you received.")
        )
    return await links.describe(session, token)


async def register(session: AsyncSession, core: Core, *, email: str, name: str, password: str, client: Client) -> SignedIn:
    """Register and sign in, as the specification defines it for programs. Raises RegistrationClosed, Invalid, WeakPassword, or
    EmailTaken.

    The caller counts the request with `count_request`, outside of what an EmailTaken rolls back.
    """
    if not core.settings.open_registration:
        raise RegistrationClosed
    actor = await accounts.add_account(
        session, email=email, name=name, role=Role.USER, password=password, is_verified=False, client=client
    )
    account = await accounts.get_account(session, actor.email)
    await email_confirmation.ask_to_confirm(session, core, account, language=current_language())
    return await sessions.start_session(session, core, account, remember=True, client=client)


async def register_by_link(
    session: AsyncSession,
    core: Core,
    *,
    type: str,
    token: str,
    email: str,
    name: str,
    password: str,
    language: Language,
    client: Client,
) -> str | None:
    """Register through `/auth/register/{type}/{token}`. Returns a handover code if the link was sent to the address itself;
    otherwise None, whether or not there is an account: an email gives instructions.

    Raises RegistrationClosed, LinkSpent, Invalid, WeakPassword, TooManyTries, or AlreadyRegistered.
    """
    link = await describe_link(session, core, type=type, token=token)
    if not link.is_open:
        raise RegistrationClosed
    if type == TEAM:
        return await _accept_invitation(session, core, token, name=name, password=password, client=client)
    plain, name = accounts.normalize_email(link.email or email), accounts.checked_name(name)
    await email_confirmation.count_request(session, email=plain, client=client)
    password_hash = await passwords.new_hash(password, plain, name)
    actor = await accounts.add_hashed(
        session, email=plain, name=name, role=Role.USER, password_hash=password_hash, is_verified=False, client=client
    )
    if actor is not None and (links := _links_of(core, type)):
        await links.redeem(session, actor, core, token, client=client)
    account = await accounts.get_account(session, plain)
    if account.verified_at is not None:
        forgot = f"{core.settings.address}/auth/reset-password"
        message = emails.already_registered(plain, accounts.language_of(account, otherwise=language), link=forgot)
        await mail.post(session, core, message, recipient_id=account.id)
        return None
    # Of several attempts, the last one counts, and only its email: readers of the emails know which password is theirs.
    account.password_hash, account.display_name = password_hash, name
    # Revoke all credentials of an unverified account when the address's owner registers.
    await revocation.revoke_all_credentials(session, account, client=client)
    await email_confirmation.ask_to_confirm(session, core, account, language=language)
    return None


async def _accept_invitation(session: AsyncSession, core: Core, token: str, *, name: str, password: str, client: Client) -> str:
    invitation = await repository.use_invitation(session, tokens.digest(token))
    if invitation is None:
        raise one_time_secrets.LinkSpent(t("This invitation"), t("Request a new one, or sign in."))
    if await accounts.find_account(session, invitation.email) is not None:
        raise AlreadyRegistered(invitation.email)
    actor = await accounts.create_account(
        session, core, email=invitation.email, name=name, role=Role(invitation.role), password=password, client=client
    )
    return await one_time_secrets.new_handover(session, actor.id, remember=True)


def _links_of(core: Core, type: str) -> RegistrationLinks | None:
    found: list[RegistrationLinks] = core.plugins.collect("registration_links")
    return next((links for links in found if links.type == type), None)
