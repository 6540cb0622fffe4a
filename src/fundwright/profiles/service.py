"""Reading and saving the profile of a workspace's organization."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock
from fundwright.core.errors import Conflict
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.opportunities.display_names import naics_in_words
from fundwright.profiles.models import OrganizationProfile
from fundwright.profiles.schemas import OrganizationProfileContent, OrganizationProfileForm, OrganizationProfileRead
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from fundwright.workspaces import service as workspaces

PATH = "/dashboard/workspace?tab=profile"
DOCUMENT_TITLE = "Organization profile"
"""The same in every language, because the text is English like the proposals."""

CHANGED = ActivityKind(
    "profile.changed", later("Profile changed"), later("{person} changed the profile of “{subject}”"), combining=Combining.SOON
)


class ProfileChangedMeanwhile(Conflict):
    """The profile has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("The profile has been changed since you opened it. Copy your text, then reload the page."))


def profile_topic(owner_id: object) -> str:
    """The live topic of a workspace's profile."""
    return f"profile:{owner_id}"


@needs(Permission.READ)
async def get_profile(session: AsyncSession, actor: Actor) -> OrganizationProfileRead | None:
    """Return the profile of the actor's workspace, or None until one is saved."""
    profile = await session.get(OrganizationProfile, actor.workspace_id, populate_existing=True)
    if profile is None:
        return None
    names = await workspaces.names_of(session, actor, [profile.changed_by])
    content = OrganizationProfileContent.model_validate(profile)
    return OrganizationProfileRead(
        **content.model_dump(), changed_by=names.get(profile.changed_by), changed_at=profile.changed_at
    )


@needs(Permission.WORK)
async def save_profile(
    session: AsyncSession, actor: Actor, core: Core, form: OrganizationProfileForm
) -> OrganizationProfileRead | None:
    """Save the profile, and keep its text as a document, which is trained in a job. Raises ProfileChangedMeanwhile (409), and what
    `training.keep_text` raises."""
    await acquire_lock(session, profile_topic(actor.workspace_id))
    known = await session.get(OrganizationProfile, actor.workspace_id, populate_existing=True)
    if known is not None and form.based_on is not None and form.based_on != known.changed_at:
        raise ProfileChangedMeanwhile
    content = OrganizationProfileContent.model_validate(form.model_dump(exclude={"based_on"}))
    text = PastedText(title=DOCUMENT_TITLE, text=as_document(content))
    document = await training.keep_text(session, actor, core, known.document_id if known else None, text)
    profile = known or OrganizationProfile(owner_id=actor.workspace_id)
    for name, value in content:
        setattr(profile, name, value)
    profile.document_id, profile.changed_by = document.id, actor.id
    session.add(profile)
    await session.flush()
    await activity.record(session, actor, CHANGED, Subject("profile", actor.workspace_id, content.name, PATH))
    await publish(session, profile_topic(actor.workspace_id))
    return await get_profile(session, actor)


def as_document(profile: OrganizationProfileContent) -> str:
    """The profile as a Markdown text, with the labels that readers of capability statements look for."""
    facts = {
        "Legal name": profile.name,
        "UEI": profile.uei,
        "CAGE code": profile.cage_code,
        "NAICS codes": "; ".join(map(naics_in_words, profile.naics_codes)),
        "Certifications": profile.certifications,
        "Address": profile.address,
        "Website": profile.website,
        "Contact": profile.contact,
    }
    lines = [f"- {label}: {value}" for label, value in facts.items() if value]
    about = ["## About us", profile.about] if profile.about else []
    return "\n\n".join([f"# {profile.name}", *about, "## Company data", "\n".join(lines)])
