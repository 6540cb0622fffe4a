"""The current state of the account that a job acts for: a job may wait for hours and run for hours."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import repository, service
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.jobs import ActorLoader
from fundwright.core.messages import t


class PermissionLost(NotAllowed):
    """The account that started the job no longer has the permission."""

    def __init__(self) -> None:
        super().__init__(
            t(
                "You no longer have permission to do this. Work done so far was kept. Ask an owner of the workspace for access, and then start the job again."
            )
        )


class AccountDisabled(NotAllowed):
    """The account that started the job has been disabled."""

    def __init__(self) -> None:
        super().__init__(t("The job was canceled because the account that started it is disabled. Work done so far was kept."))


def acting_with(permission: Permission) -> ActorLoader[Actor]:
    """Return the `load_actor` of jobs that act for an account in a workspace, which needs `permission` while the job runs.

    It raises NotFound, AccountDisabled, or PermissionLost.
    """

    async def load(session: AsyncSession, account_id: UUID | None, owner_id: UUID | None) -> Actor:
        account = await repository.find_account_by_id(session, account_id) if account_id else None
        if account is None:
            raise NotFound(t("The account that started the job"))
        if account.disabled_at is not None:
            raise AccountDisabled
        actor = await service.actor_in(session, account, owner_id or account.id)
        if actor is None or not actor.may(permission):
            raise PermissionLost
        return actor

    return load
