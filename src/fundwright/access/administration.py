"""Changes to other people's accounts, for administrators. Nobody can act as someone else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import account_changes
from fundwright.accounts import audit, people
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import AccountRead, Actor, Client, Permission, Role
from fundwright.authentication import emails as authentication_emails
from fundwright.authentication import recovery, second_factor, sessions
from fundwright.authentication.reauthentication import needs_recent_authentication
from fundwright.authentication.schemas import SessionRead
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all


class LastAdministrator(Conflict):
    def __init__(self) -> None:
        super().__init__(t("This is the only administrator. Make someone else an administrator first."))


@needs(Permission.ADMINISTER)
async def list_sessions(session: AsyncSession, actor: Actor, account_id: UUID, request: PageRequest) -> Page[SessionRead]:
    """The account's sessions, last used first; or sorted by `created_at`."""
    return await sessions.read_page(session, account_id, request)


@needs(Permission.ADMINISTER)
def export_sessions(session: AsyncSession, actor: Actor, account_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return sessions.export(iterate_all(lambda page: list_sessions(session, actor, account_id, page), request))


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def change_role(
    session: AsyncSession, actor: Actor, core: Core, account_id: UUID, role: Role, *, client: Client
) -> AccountRead:
    """Change the role; the account's sessions end. Raises NotFound, LastAdministrator, or ReauthenticationRequired."""
    person = await people.get_person(session, actor, account_id)
    if role is not Role.ADMIN:
        await _require_another_administrator(session, account_id)
    return await account_changes.change_role(session, core, email=person.email, role=role, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def disable(session: AsyncSession, actor: Actor, core: Core, account_id: UUID, *, client: Client) -> AccountRead:
    """Disable the account; its sessions end. Raises NotFound or LastAdministrator."""
    person = await people.get_person(session, actor, account_id)
    await _require_another_administrator(session, account_id)
    return await account_changes.disable_account(session, core, email=person.email, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def enable(session: AsyncSession, actor: Actor, core: Core, account_id: UUID, *, client: Client) -> AccountRead:
    """Raises NotFound."""
    person = await people.get_person(session, actor, account_id)
    return await account_changes.enable_account(session, core, email=person.email, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def end_sessions(session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> None:
    """End all sessions of the account. Raises NotFound."""
    person = await people.get_person(session, actor, account_id)
    await sessions.end_sessions(session, account_id)
    await audit.record(session, "session.all_ended", actor=actor, subject=person.email, client=client)


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def start_reset(session: AsyncSession, actor: Actor, core: Core, account_id: UUID, *, client: Client) -> None:
    """Send the owner a link to choose a new password; nobody else sees the link or the password.

    Raises NotFound or ReauthenticationRequired.
    """
    person = await people.get_person(session, actor, account_id)
    link = core.settings.address + await recovery.reset_link(session, email=person.email, client=client, by=actor)
    await mail.post(session, core, authentication_emails.reset(person.email, person.language or "en", link=link))


@needs(Permission.ADMINISTER)
async def has_second_factor(session: AsyncSession, actor: Actor, account_id: UUID) -> bool:
    """Return whether the account has an authenticator app or passkeys."""
    return await second_factor.is_protected(session, account_id)


@needs(Permission.ADMINISTER)
@needs_recent_authentication
async def remove_second_factor(session: AsyncSession, actor: Actor, core: Core, account_id: UUID, *, client: Client) -> None:
    """Remove the authenticator app, recovery codes, and passkeys of an account. Raises NotFound or ReauthenticationRequired."""
    person = await people.get_person(session, actor, account_id)
    await second_factor.remove(session, core, email=person.email, client=client, by=actor)


async def _require_another_administrator(session: AsyncSession, account_id: UUID) -> None:
    """Two administrators who demote each other at the same time wait for each other here."""
    if list(await accounts.lock_administrators(session)) == [account_id]:
        raise LastAdministrator
