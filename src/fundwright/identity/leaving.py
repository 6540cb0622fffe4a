"""Deleting one's own account, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import jobs, mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, Invalid
from fundwright.core.messages import current_language, t
from fundwright.identity import audit, entry, letters, reauthentication, repository
from fundwright.identity.permissions import needs
from fundwright.identity.schemas import Actor, Client, Permission, Role, SignInRefused

AccountDeletedHandler = Callable[[Core, AsyncSession, Actor], Awaitable[None]]


class OnlyAdministrator(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t("You are the only administrator. Make somebody else one under People first; then you can delete your account.")
        )


@needs(Permission.READ)
async def delete_account(
    core: Core, session: AsyncSession, actor: Actor, *, email: str, password: str, client: Client
) -> SignInRefused | None:
    """Delete the actor's account for good; invoices and the audit trail stay. Answers why not when the password is wrong.

    `email` is its address, typed to show that this is meant. Raises Invalid, OnlyAdministrator, or
    ProofRequired (see `check_own_password`).
    """
    if email.strip().lower() != actor.email:
        raise Invalid(t("Type {email} to show that you mean this account.", email=actor.email))
    account = await reauthentication.check_own_password(core, session, actor, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    if actor.role is Role.ADMIN and list(await repository.lock_administrators(session)) == [actor.id]:
        raise OnlyAdministrator
    handlers: list[AccountDeletedHandler] = core.plugins.collect("account_deleted_handlers")
    for handler in handlers:
        await handler(core, session, actor)
    await entry.end_sessions(session, account.id)
    await repository.revoke_invitations_from(session, account.id)
    await jobs.forget(session, account.id)
    await mail.forget(session, account.email)
    language = entry.language_of(account, otherwise=current_language())
    await repository.delete_account(session, account)
    await mail.post(core, session, letters.account_deleted(actor.email, language))
    await audit.record(session, "account.deleted", actor=actor, subject=actor.email, client=client)
    return None
