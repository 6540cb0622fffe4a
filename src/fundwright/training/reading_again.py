"""Reads documents again that an earlier release has read: in runs that start by themselves, one for each workspace, and one for each member who
alone sees some of its documents."""

from __future__ import annotations

from uuid import UUID

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.scopes import Scope, installation
from fundwright.training import runs
from fundwright.training.repository import indexing
from fundwright.workspaces import service as workspaces

_load_member = acting_with(Permission.WORK)


async def read_again(core: Core) -> None:
    """Start runs for the trained documents whose structure is missing or of an earlier version, unless they are underway. Opens its own
    transactions."""
    async with core.database.transaction(scope=installation("documents to read again")) as session:
        outdated = await indexing.list_read_earlier(session)
    for workspace_id, document_ids in outdated.items():
        async with core.database.transaction(scope=installation("documents to read again")) as session:
            member_ids = await workspaces.list_editor_ids(session, workspace_id)
        waiting = set(document_ids)
        for member_id in member_ids:
            if not waiting:
                break
            waiting -= await _read_as(core, workspace_id, member_id)


async def _read_as(core: Core, workspace_id: UUID, member_id: UUID) -> set[UUID]:
    """Start a run of the documents that a member may change, and return these. Opens its own transaction."""
    async with core.database.transaction(scope=Scope(workspace_id=workspace_id, account_id=member_id)) as session:
        try:
            actor = await _load_member(session, member_id, workspace_id)
        except (NotAllowed, NotFound):
            return set()
        return await runs.read_again(session, actor, core)
