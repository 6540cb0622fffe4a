"""Routes of fits."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from fundwright.accounts.dependencies import CurrentActor
from fundwright.core.web import CoreDep, DbSession
from fundwright.fit import service
from fundwright.fit.schemas import FitRead, OwnScore, OwnScoreForm

router = APIRouter(prefix="/api/opportunities/{opportunity_id}/fit", tags=["fit"])


@router.get("")
async def get_fit(core: CoreDep, actor: CurrentActor, opportunity_id: UUID) -> FitRead:
    """Get how well an opportunity fits your workspace: the computed score with its parts, and your workspace's own score."""
    return await service.get_fit(core, actor, opportunity_id)


@router.put("/score")
async def score(session: DbSession, actor: CurrentActor, opportunity_id: UUID, form: OwnScoreForm) -> OwnScore:
    """Give the opportunity your workspace's own score. Returns 409 if it was changed since `based_on`, which is null for the first one."""
    return await service.score(session, actor, opportunity_id, form)


@router.delete("/score")
async def clear(session: DbSession, actor: CurrentActor, opportunity_id: UUID) -> OwnScore | None:
    """Remove your workspace's own score, and get what it was."""
    return await service.clear(session, actor, opportunity_id)
