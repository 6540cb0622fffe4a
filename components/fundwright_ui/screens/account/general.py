"""The tab General of the account page: profile, photo, language and time zone, and storage."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import locale_data, photos, preferences
from fundwright.accounts import profile as accounts_profile
from fundwright.accounts.schemas import AccountProfile, LocaleChange, ProfileChange
from fundwright.core.messages import LANGUAGES, t
from fundwright.training import storage
from fundwright.training.schemas import Usage
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import (
    Option,
    button,
    card,
    checkbox,
    definition_list,
    form,
    loading,
    problem,
    row,
    section,
    select_field,
    stack,
    text_area,
    text_field,
)
from fundwright_ui.ui.avatars import avatar
from fundwright_ui.widgets import FileDrop


class General(BaseModel):
    """What the tab shows."""

    model_config = ConfigDict(frozen=True)

    profile: AccountProfile
    usage: Usage
    time_zones: tuple[str, ...]


@component
def general_tab() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def read(session: AsyncSession) -> General:
        return General(
            profile=await accounts_profile.get_profile(session, actor),
            usage=await storage.get_usage(session, actor, connection.core),
            time_zones=await asyncio.to_thread(locale_data.time_zones),
        )

    found = use_query(read, key=[actor.id])
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Loading your account"))
    general = found.value
    return stack(
        _photo(general.profile, key="photo"),
        _profile(general.profile, key="profile"),
        _locale(general.profile, general.time_zones, key="locale"),
        _storage(general.usage),
    )


@component
def _photo(profile: AccountProfile) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    def reload_page() -> None:
        connection.navigate(connection.location.address, reload=True)

    async def remove(session: AsyncSession) -> None:
        await photos.remove_photo(session, actor, client=connection.client)

    removing = use_action(remove, then=reload_page)
    return section(
        t("Photo"),
        card(
            row(
                avatar(profile.display_name, connection.href(profile.photo_url) if profile.photo_url else None, size="large"),
                definition_list({t("Name"): profile.display_name, t("Email"): profile.email, t("Role"): profile.role.label}),
            ),
            FileDrop(
                label=t("Choose photo"),
                hint=t("PNG, JPEG, or WebP, up to 3 MB"),
                upload_url=connection.href("/api/account/photo"),
                accept=".png,.jpg,.jpeg,.webp",
                max_bytes=photos.MAX_BYTES,
                on_uploaded=reload_page,
            ),
            row(button(t("Remove photo"), icon_name="delete", on_click=removing, is_busy=removing.is_running))
            if profile.photo_url
            else None,
            label=t("Photo"),
        ),
    )


@component
def _profile(profile: AccountProfile) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def save(session: AsyncSession, change: ProfileChange) -> None:
        await accounts_profile.change_profile(session, actor, change)

    saving = use_action(save, success=t("Your profile was saved."))
    names = dict(locale_data.countries(connection.language))
    # Fields have the names of the product specification, as those of the API.
    return section(
        t("Profile"),
        form(
            html.div(
                {"className": "fw-form-row"},
                text_field(
                    "displayName",
                    t("Name"),
                    default=profile.display_name,
                    required=True,
                    maxlength=200,
                    autocomplete="name",
                ),
                text_field(
                    "phoneNumber",
                    t("Phone number"),
                    type="tel",
                    default=profile.phone_number or "",
                    maxlength=40,
                    autocomplete="tel",
                ),
            ),
            html.div(
                {"className": "fw-form-row"},
                text_field("address", t("Address"), default=profile.address or "", maxlength=200, autocomplete="street-address"),
                text_field("city", t("City"), default=profile.city or "", maxlength=100, autocomplete="address-level2"),
            ),
            html.div(
                {"className": "fw-form-row"},
                text_field("zipCode", t("ZIP code"), default=profile.zip_code or "", maxlength=20, autocomplete="postal-code"),
                text_field(
                    "state", t("State or region"), default=profile.state or "", maxlength=100, autocomplete="address-level1"
                ),
                select_field(
                    "country",
                    t("Country"),
                    [Option("", t("Not specified")), *(Option(code, name) for code, name in names.items())],
                    default=profile.country if profile.country in names else "",
                ),
            ),
            text_area("about", t("About you"), default=profile.about or "", rows=4, maxlength=2_000),
            checkbox("isPublic", t("Let other signed-in users see your photo"), default=profile.is_public),
            on_submit=saving,
            model=ProfileChange,
            submit=t("Save profile"),
            label=t("Profile"),
        ),
    )


@component
def _locale(profile: AccountProfile, time_zones: tuple[str, ...]) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def save(session: AsyncSession, change: LocaleChange) -> None:
        await preferences.change_locale(session, actor, change)

    saving = use_action(save, then=lambda: connection.navigate(connection.location.address, reload=True))
    return section(
        t("Language and time"),
        form(
            html.div(
                {"className": "fw-form-row"},
                select_field(
                    "language",
                    t("Language"),
                    [Option("", t("Browser default")), *(Option(code, name) for code, name in LANGUAGES.items())],
                    default=profile.language or "",
                    help=t("Used for pages and emails."),
                    id="account-language",
                ),
                select_field(
                    "timeZone",
                    t("Time zone"),
                    [Option("", t("Browser default")), *(Option(zone, zone.replace("_", " ")) for zone in time_zones)],
                    default=profile.time_zone or "",
                    help=t("Used to show times."),
                ),
            ),
            on_submit=saving,
            model=LocaleChange,
            submit=t("Save language and time"),
            is_secondary=True,
            label=t("Language and time"),
        ),
    )


def _storage(usage: Usage) -> VdomDict:
    return section(
        t("Storage"),
        card(
            definition_list({t("Documents that you added in all workspaces"): usage.text}),
            label=t("Storage"),
        ),
        key="storage",
    )
