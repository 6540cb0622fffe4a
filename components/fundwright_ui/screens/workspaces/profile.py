"""The tab Profile of a workspace: what it says about its organization."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.facts import service as facts
from fundwright.facts.schemas import Organization
from fundwright.opportunities.display_names import naics_in_words
from fundwright.profiles import service as profiles
from fundwright.profiles.schemas import (
    CAGE_LENGTH,
    MOST_IN_DESCRIPTION,
    MOST_IN_LINE,
    UEI_LENGTH,
    OrganizationProfileForm,
    OrganizationProfileRead,
)
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.conflict import use_editing
from fundwright_ui.ui import (
    card,
    definition_list,
    empty,
    form,
    loading,
    problem,
    section,
    stack,
    text_area,
    text_field,
    text_link,
)


@component
def profile_tab() -> VdomDict | Component:
    """What accepted facts state, and the profile as a form, or as a list of facts for those who may not change it."""
    actor = use_actor()

    async def read(session: AsyncSession) -> tuple[OrganizationProfileRead | None, Organization]:
        return await profiles.get_profile(session, actor), await facts.get_organization(session, actor)

    topics = [profiles.profile_topic(actor.workspace_id), facts.facts_topic(actor.workspace_id)]
    found = use_query(read, key=[actor.workspace_id], topics=topics)
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if not found.is_current or found.value is None:
        return loading(t("Loading the profile"))
    profile, accepted = found.value
    if actor.may(Permission.WORK):
        shown = _form(profile, found.reload, key="form")
    elif profile is None:
        shown = empty(t("This workspace has no profile yet. Its owners and editors can add one."), icon_name="people")
    else:
        shown = section(profile.name, card(definition_list(_facts(profile))))
    return stack(_accepted(accepted) if accepted != Organization() else None, shown)


def _accepted(accepted: Organization) -> VdomDict:
    return section(
        t("Accepted facts"),
        html.p(
            {"className": "fw-muted"},
            t("Drafts and fit use these first, then the profile."),
            " ",
            text_link(t("All accepted facts"), use_connection().href(f"{facts.PATH}?state=accepted")),
        ),
        card(
            definition_list(
                {
                    t("Legal business name"): accepted.name,
                    t("UEI"): accepted.uei,
                    t("CAGE code"): accepted.cage_code,
                    t("NAICS codes"): "; ".join(map(naics_in_words, accepted.naics_codes)),
                    t("Certifications"): "; ".join(accepted.certifications),
                    t("Not held"): "; ".join(accepted.not_held),
                    t("Address"): accepted.address,
                }
            )
        ),
    )


@component
def _form(profile: OrganizationProfileRead | None, reload: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    editing = use_editing(profile, profile.changed_at if profile else None, reload)
    edited = editing.item

    async def save(session: AsyncSession, typed: OrganizationProfileForm) -> OrganizationProfileRead:
        given = typed.model_copy(update={"based_on": editing.base_of(typed.based_on)})
        try:
            return await profiles.save_profile(session, actor, connection.core, given)
        except profiles.ProfileChangedMeanwhile:
            editing.refused()
            raise

    def saved(changed: OrganizationProfileRead) -> None:
        editing.saved(changed, changed.changed_at)

    def known(name: str) -> str:
        return str(getattr(edited, name)) if edited else ""

    return section(
        t("About your organization"),
        html.p(
            {"className": "fw-muted"},
            t("Drafts and answers use and cite this profile as the document “{title}”.", title=profiles.DOCUMENT_TITLE)
            if profile is None or profile.has_document
            else t(
                "You do not see the document “{title}”, so your drafts and answers do not use this profile. If it is in the trash, restore it, or save the profile to add it again.",
                title=profiles.DOCUMENT_TITLE,
            ),
            " ",
            text_link(t("Check the facts that your documents state"), connection.href(facts.PATH)),
        ),
        form(
            text_field(
                "name",
                t("Legal business name"),
                default=known("name"),
                required=True,
                maxlength=MOST_IN_LINE,
                autocomplete="organization",
            ),
            text_area(
                "about",
                t("Description"),
                default=known("about"),
                rows=6,
                maxlength=MOST_IN_DESCRIPTION,
                help=t("In a few sentences: when it was founded, where it works, what it does, and for whom."),
            ),
            text_field(
                "uei", t("UEI"), default=known("uei"), maxlength=UEI_LENGTH, help=t("12 letters and digits from SAM.gov.")
            ),
            text_field("cage_code", t("CAGE code"), default=known("cage_code"), maxlength=CAGE_LENGTH),
            text_field(
                "naics_codes",
                t("NAICS codes"),
                default=", ".join(edited.naics_codes) if edited else "",
                maxlength=400,
                help=t("Separate codes with commas."),
            ),
            text_field(
                "certifications",
                t("Certifications"),
                default=known("certifications"),
                maxlength=MOST_IN_LINE,
                help=t("Such as small business, 8(a), or HUBZone."),
            ),
            text_field("address", t("Address"), default=known("address"), maxlength=MOST_IN_LINE, autocomplete="street-address"),
            text_field("website", t("Website"), default=known("website"), type="url", maxlength=MOST_IN_LINE, autocomplete="url"),
            text_field(
                "contact",
                t("Contact"),
                default=known("contact"),
                maxlength=MOST_IN_LINE,
                help=t("Name, title, email, and phone."),
            ),
            on_submit=use_action(save, success=t("The profile was saved."), then=saved),
            model=OrganizationProfileForm,
            submit=t("Save profile"),
            label=t("About your organization"),
            name=f"profile:{actor.workspace_id}",
            based_on=editing.based_on or "",
            key=editing.key,
        ),
        editing.other(definition_list({t("Legal business name"): profile.name, **_facts(profile)})) if profile else None,
    )


def _facts(profile: OrganizationProfileRead) -> dict[str, str | None]:
    return {
        t("UEI"): profile.uei or None,
        t("CAGE code"): profile.cage_code or None,
        t("NAICS codes"): "; ".join(map(naics_in_words, profile.naics_codes)) or None,
        t("Certifications"): profile.certifications or None,
        t("Address"): profile.address or None,
        t("Website"): profile.website or None,
        t("Contact"): profile.contact or None,
        t("Description"): profile.about or None,
    }
