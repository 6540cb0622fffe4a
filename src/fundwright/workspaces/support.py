"""Support access: administrators may view a workspace for a time that its owners choose (decision 0120)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import ClassVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.models import Workspace
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.authentication import sessions, throttle
from fundwright.authentication.throttle import Budget
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import JobPayload, JobRun
from fundwright.core.messages import keeping_messages, later, t
from fundwright.core.scopes import installation
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.workspaces import events, repository, service
from fundwright.workspaces.schemas import SupportedWorkspaceRead, SupportForm, SupportRead

GRANTED = ActivityKind(
    "support.granted",
    later("Support access granted"),
    later("{person} let administrators view this workspace (duration: {duration})"),
)
ENDED = ActivityKind("support.ended", later("Support access ended"), later("{person} ended support access"))
ACTIVITY = (GRANTED, ENDED)


GRANTED_BY_ONE = (Budget(30, timedelta(hours=1)),)
"""How often one account can grant it."""


class EndSupport(JobPayload):
    job_kind: ClassVar[str] = "support_expiry"

    workspace_id: UUID


@needs(Permission.READ)
async def get_support(session: AsyncSession, actor: Actor) -> SupportRead:
    """Return until when administrators may view the actor's workspace."""
    return SupportRead(until=await repository.support_until(session, actor.workspace_id))


@needs(Permission.READ)
async def grant(
    session: AsyncSession, actor: Actor, core: Core, form: SupportForm, *, client: Client = COMMAND_LINE
) -> SupportRead:
    """Let administrators view the actor's workspace from now on, also a personal one. This replaces an earlier time.

    Raises NotForPrograms, OverBudget, or NotAllowed unless the actor is an owner.
    """
    workspace = await service.lock_as_any_owner(session, actor)
    await throttle.spend(session, "support", actor.id, GRANTED_BY_ONE, refusal=_too_often_granted)
    until = now() + timedelta(hours=form.duration.hours)
    workspace.support_until = until
    await session.flush()
    at = until.isoformat(timespec="minutes")
    await audit.record(session, "workspace.support_granted", actor=actor, subject=_subject(workspace), client=client, until=at)
    with keeping_messages():
        duration = form.duration.label
    await activity.record(session, actor, GRANTED, Subject("workspace", workspace.id, workspace.name), duration=duration)
    await notifications.notify(
        session, events.SUPPORT_GRANTED, await repository.list_owner_ids(session, workspace.id), actor=actor,
        workspace_id=workspace.id, subject=workspace.name, path=events.PATH, details={"duration": form.duration.value},
    )  # fmt: skip
    ending = EndSupport(workspace_id=workspace.id)
    await jobs.withdraw(session, ending)
    delay_s = form.duration.hours * 3600 + 1
    await core.jobs.enqueue(session, ending, title="End support access", owner_id=None, delay_s=delay_s)
    await service.announce(session, workspace.id)
    return SupportRead(until=until)


@needs(Permission.READ)
async def end(session: AsyncSession, actor: Actor, *, client: Client = COMMAND_LINE) -> None:
    """End support access to the actor's workspace, and close what administrators have open there.

    Raises NotForPrograms, or NotAllowed unless the actor is an owner.
    """
    workspace = await service.lock_as_any_owner(session, actor)
    if workspace.support_until is None or workspace.support_until <= now():
        return
    await audit.record(session, "workspace.support_ended", actor=actor, subject=_subject(workspace), client=client)
    await activity.record(session, actor, ENDED, Subject("workspace", workspace.id, workspace.name))
    await _end(session, workspace)


async def expire(run: JobRun[EndSupport, None]) -> None:
    """The job: update open pages once the time is over. The time itself is checked whenever an administrator acts."""
    async with run.transaction(scope=installation("expired support access")) as session:
        workspace = await repository.lock_if_any(session, run.payload.workspace_id)
        if workspace is not None and workspace.support_until is not None and workspace.support_until <= now():
            await _end(session, workspace)


@needs(Permission.READ)
async def list_supported(session: AsyncSession, actor: Actor) -> list[SupportedWorkspaceRead]:
    """Return the workspaces that the actor may view only as an administrator with support access, by name."""
    return await repository.list_supported(session, actor.id) if actor.may(Permission.ADMINISTER) else []


@needs(Permission.READ)
async def export_supported(session: AsyncSession, actor: Actor) -> AsyncIterator[str]:
    """Yield the workspaces with support access as lines of CSV."""
    columns: list[tuple[str, Callable[[SupportedWorkspaceRead], object]]] = [
        (t("Workspace"), lambda workspace: workspace.title),
        (t("Support access until"), lambda workspace: workspace.until),
    ]
    async for line in csv_lines(columns, await list_supported(session, actor)):
        yield line


def _too_often_granted(wait: str) -> str:
    return t("You have granted support access too often in a short time. Nothing was changed. Try again in {wait}.", wait=wait)


async def _end(session: AsyncSession, workspace: Workspace) -> None:
    workspace.support_until = None
    await session.flush()
    await _recheck(session)
    await service.announce(session, workspace.id)


async def _recheck(session: AsyncSession) -> None:
    await sessions.recheck_pages(session, await repository.list_administrator_ids(session))


def _subject(workspace: Workspace) -> str:
    """For the audit trail: the personal workspace has no name."""
    return workspace.name or str(workspace.id)
