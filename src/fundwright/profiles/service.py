"""Reading and saving the profile of a workspace's organization."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotAllowed
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.opportunities.display_names import naics_in_words
from fundwright.profiles import repository
from fundwright.profiles.models import OrganizationProfile
from fundwright.profiles.schemas import OrganizationProfileContent, OrganizationProfileForm, OrganizationProfileRead
from fundwright.training import adding
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access

PATH = "/dashboard/workspace?tab=profile"
DOCUMENT_TITLE = "Organization profile"
"""The same in every language, because the text is English like the proposals."""

_FILENAME = "organization-profile.md"

CHANGED = ActivityKind(
    "profile.changed", later("Profile changed"), later("{person} changed the profile of “{subject}”"), combining=Combining.SOON
)


class ProfileChangedMeanwhile(Conflict):
    """The profile has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("The profile has been changed since you opened it. Copy your text, then reload the page."))


def profile_topic(owner_id: UUID) -> str:
    """The live topic of a workspace's profile."""
    return f"profile:{owner_id}"


@needs(Permission.READ)
async def get_profile(session: AsyncSession, actor: Actor) -> OrganizationProfileRead | None:
    """Return the profile of the actor's workspace, or None until one is saved."""
    profile = await repository.find(session, actor.workspace_id)
    return await _read(session, actor, profile) if profile else None


@needs(Permission.WORK)
async def save_profile(session: AsyncSession, actor: Actor, core: Core, form: OrganizationProfileForm) -> OrganizationProfileRead:
    """Save the profile, and keep its text as a document, which is trained in a job. Saving it again as it is changes nothing. Raises
    ProfileChangedMeanwhile (409), NotAllowed if others restricted the document, and what `training.keep_text` raises."""
    known = await repository.lock(session, actor.workspace_id)
    content = OrganizationProfileContent.model_validate(form.model_dump(exclude={"based_on"}))
    if (
        known is not None
        and content == OrganizationProfileContent.model_validate(known)
        and await _has_document(session, actor, known)
    ):
        return await _read(session, actor, known)
    if form.based_on != (known.changed_at if known else None):
        raise ProfileChangedMeanwhile
    document_id = known.document_id if known else None
    if document_id is not None and not await restrictions.may(session, actor, document_id, Access.EDIT):
        raise NotAllowed(
            t("The document “{title}” is restricted. Ask someone who can edit it to save the profile.", title=DOCUMENT_TITLE)
        )
    text = PastedText(title=DOCUMENT_TITLE, text=as_document(content))
    document = await adding.keep_text(session, actor, core, document_id, text, filename=_FILENAME)
    profile = known or OrganizationProfile(owner_id=actor.workspace_id)
    for name, value in content:
        setattr(profile, name, value)
    profile.document_id, profile.changed_by, profile.changed_at = document.id, actor.id, now()
    session.add(profile)
    await session.flush()
    await activity.record(session, actor, CHANGED, Subject("profile", actor.workspace_id, content.name, PATH))
    await publish(session, profile_topic(actor.workspace_id))
    return await _read(session, actor, profile)


@needs(Permission.READ)
async def is_profile(session: AsyncSession, actor: Actor, document_id: UUID) -> bool:
    """Return whether a document is the text of the profile of the actor's workspace."""
    profile = await repository.find(session, actor.workspace_id)
    return profile is not None and profile.document_id == document_id


async def _has_document(session: AsyncSession, actor: Actor, profile: OrganizationProfile) -> bool:
    if profile.document_id is None:
        return False
    return bool(await training.kinds_of(session, actor, [profile.document_id]))


async def _read(session: AsyncSession, actor: Actor, profile: OrganizationProfile) -> OrganizationProfileRead:
    names = await workspaces.names_of(session, actor, [profile.changed_by])
    content = OrganizationProfileContent.model_validate(profile)
    return OrganizationProfileRead(
        **content.model_dump(),
        changed_by=names.get(profile.changed_by),
        changed_at=profile.changed_at,
        has_document=await _has_document(session, actor, profile),
    )


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
