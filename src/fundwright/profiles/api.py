"""Routes of the profile."""

from __future__ import annotations

from fastapi import APIRouter

from fundwright.accounts.dependencies import CurrentActor
from fundwright.core.web import CoreDep, DbSession
from fundwright.profiles import service
from fundwright.profiles.schemas import OrganizationProfileForm, OrganizationProfileRead

router = APIRouter(prefix="/api/workspace/profile", tags=["workspaces"])


@router.get("")
async def get_profile(session: DbSession, actor: CurrentActor) -> OrganizationProfileRead | None:
    """Get what the workspace says about its organization, or `null` until a profile is saved."""
    return await service.get_profile(session, actor)


@router.put("")
async def save_profile(
    session: DbSession, actor: CurrentActor, core: CoreDep, form: OrganizationProfileForm
) -> OrganizationProfileRead:
    """Save the profile. Its text becomes a document, which answers and drafts cite. Returns 409 if the profile was changed since
    `based_on`, which is null for the first one."""
    return await service.save_profile(session, actor, core, form)
