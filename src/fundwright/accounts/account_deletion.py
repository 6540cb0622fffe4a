"""Deletion of the person's own account, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, emails, repository, service
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Client, Permission, Role
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.messages import current_language, t
from fundwright.core.scopes import across_workspaces

AccountDeletedHandler = Callable[[AsyncSession, Actor, Core], Awaitable[None]]
"""Cleans up before the rows of the account are deleted."""


class OnlyAdministrator(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t("You are the only administrator. Make someone else an administrator under People before you delete your account.")
        )


@needs(Permission.READ)
async def delete_account(session: AsyncSession, actor: Actor, core: Core, *, client: Client) -> None:
    """Delete the actor's account permanently; invoices and the audit trail stay. The caller has checked the password.

    Raises OnlyAdministrator.
    """
    account = await service.get_account(session, actor.email)
    if actor.role is Role.ADMIN and list(await repository.lock_administrators(session)) == [actor.id]:
        raise OnlyAdministrator
    handlers: list[AccountDeletedHandler] = core.plugins.collect("account_deleted_handlers")
    async with across_workspaces(session, "account deletion"):
        for handler in handlers:
            await handler(session, actor, core)
    await mail.forget(session, account.email)
    language = service.language_of(account, otherwise=current_language())
    await repository.delete_account(session, account)
    await mail.post(session, core, emails.account_deleted(actor.email, language))
    await audit.record(session, "account.deleted", actor=actor, subject=actor.email, client=client)
