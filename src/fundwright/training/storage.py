"""The storage that documents take, and how many a plan allows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import Quota
from fundwright.core.assembly import Core
from fundwright.core.messages import t
from fundwright.core.scopes import across_workspaces
from fundwright.core.sizes import file_size
from fundwright.training.repository import listing
from fundwright.training.schemas import RemoveFiles, Usage


def across_all(session: AsyncSession) -> AbstractAsyncContextManager[None]:
    """Also see documents that are hidden from the actor, or in other workspaces, to count or remove them."""
    return across_workspaces(session, "documents")


@needs(Permission.READ)
async def get_usage(session: AsyncSession, actor: Actor, core: Core) -> Usage:
    """Return the storage used by documents that the actor added in any workspace, including the trash but not the sample."""
    return Usage(size_bytes=await _used_bytes(session, actor), most_bytes=_most_bytes(core, actor))


@needs(Permission.READ)
async def count_documents(session: AsyncSession, actor: Actor) -> int:
    """Count the documents that the plan of the actor's workspace limits: all but the sample and the trash, also those that are hidden
    from the actor."""
    async with across_all(session):
        return await listing.count_own(session, actor.workspace_id)


@needs(Permission.WORK)
async def check_quota(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int) -> None:
    """Check that the plan allows another document, and the limit of storage this size. Call it after `adding.unused_title`, which keeps other requests
    from adding documents to the workspace. Raises QuotaSpent."""
    await check_number(session, actor)
    await check_size(session, actor, core, size_bytes=size_bytes)


@needs(Permission.WORK)
async def require_room(core: Core, actor: Actor, size_bytes: int, arriving_bytes: int) -> None:
    """Raise QuotaSpent if a file of this size, and others that are arriving, would exceed the actor's limit now."""
    async with core.database.reading() as session:
        await _require_room(session, actor, core, size_bytes=size_bytes, arriving_bytes=arriving_bytes)


@needs(Permission.WORK)
async def check_size(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int) -> None:
    """Check that the actor's limit of storage allows this size. Raises QuotaSpent."""
    await listing.lock_documents(session, actor.id)  # other requests may add documents in other workspaces
    await _require_room(session, actor, core, size_bytes=size_bytes)


async def _require_room(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int, arriving_bytes: int = 0) -> None:
    used_bytes, most_bytes = arriving_bytes + await _used_bytes(session, actor), _most_bytes(core, actor)
    if most_bytes is not None and used_bytes + size_bytes > most_bytes:
        raise billing.QuotaSpent(
            t(
                "Your documents use {used} of your limit of {limit}, and this one is {size}. Move documents to the trash and empty it, "
                "or ask an administrator to raise FUNDWRIGHT_ACCOUNT_BYTES.",
                used=file_size(used_bytes),
                limit=file_size(most_bytes),
                size=file_size(size_bytes),
            )
        )


@needs(Permission.WORK)
async def check_number(session: AsyncSession, actor: Actor) -> None:
    """Check that the workspace's plan allows another document. Raises QuotaSpent."""
    await billing.check_quota(session, actor, Quota.DOCUMENTS, held=await count_documents(session, actor))


async def _used_bytes(session: AsyncSession, actor: Actor) -> int:
    async with across_all(session):
        return await listing.sum_bytes_of(session, actor.id)


def _most_bytes(core: Core, actor: Actor) -> int | None:
    return None if actor.may(Permission.ADMINISTER) else core.settings.account_bytes


async def remove_files(session: AsyncSession, core: Core, names: Sequence[str]) -> None:
    """Delete files in a job, unless other documents or packages need the same content."""
    if names:
        await core.jobs.enqueue(session, RemoveFiles(sha256=tuple(names)), title="Remove files", owner_id=None)
