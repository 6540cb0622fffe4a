"""Changes of what accounts may do: disabling, enabling, and roles. Callers check the permission."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import emails, repository
from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import COMMAND_LINE, AccountRead, Actor, Client, Permission, Role
from fundwright.authentication import sessions
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import Language, current_language


async def disable_account(
    session: AsyncSession, core: Core, *, email: str, client: Client = COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Disable an account: its sessions end immediately, nobody can sign in to it, and the invitations that it sent stop working.
    Raises NotFound."""
    account = await accounts.get_account(session, accounts.normalize_email(email))
    was_open, account.disabled_at = account.disabled_at is None, account.disabled_at or now()
    is_signed_out = await sessions.end_sessions(session, account.id)
    await repository.revoke_invitations_from(session, account.id)
    await audit.record(session, "account.disabled", actor=by, subject=account.email, client=client)
    if was_open:
        message = emails.account_disabled(
            account.email, _language_of(account), by_operator=by is None, is_signed_out=is_signed_out
        )
        await mail.post(session, core, message)
    return AccountRead.model_validate(account)


async def enable_account(
    session: AsyncSession, core: Core, *, email: str, client: Client = COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Enable a disabled account. Raises NotFound."""
    account = await accounts.get_account(session, accounts.normalize_email(email))
    was_open, account.disabled_at = account.disabled_at is None, None
    await audit.record(session, "account.enabled", actor=by, subject=account.email, client=client)
    if not was_open:
        link = f"{core.settings.address}/auth/login"
        message = emails.account_enabled(account.email, _language_of(account), by_operator=by is None, link=link)
        await mail.post(session, core, message)
    return AccountRead.model_validate(account)


async def change_role(
    session: AsyncSession, core: Core, *, email: str, role: Role, client: Client = COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Give an account another role. Its sessions end, because its tokens name the old one. If the new role cannot send
    invitations, those that the account has sent stop working. Raises NotFound."""
    account = await accounts.get_account(session, accounts.normalize_email(email))
    previous, account.role = account.role, role
    is_signed_out = await sessions.end_sessions(session, account.id)
    if not accounts.actor_of(account).may(Permission.ADMINISTER):
        await repository.revoke_invitations_from(session, account.id)
    details = {"role": role.value, "previous_role": previous}
    await audit.record(session, "account.role_changed", actor=by, subject=account.email, client=client, **details)
    if role != previous:
        link = f"{core.settings.address}/auth/login"
        message = emails.role_changed(
            account.email, _language_of(account), role=role, by_operator=by is None, is_signed_out=is_signed_out, link=link
        )
        await mail.post(session, core, message)
    return AccountRead.model_validate(account)


def _language_of(account: Account) -> Language:
    return accounts.language_of(account, otherwise=current_language())
