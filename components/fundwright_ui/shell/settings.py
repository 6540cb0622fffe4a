"""The button that opens the settings for theme and language."""

from __future__ import annotations

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import preferences
from fundwright.core.messages import LANGUAGES, t, using_language
from fundwright.core.messages import Language as LanguageCode
from fundwright_ui.hooks import Action, use_action
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.widgets import Language, LanguageChosen, LanguageOffer, OfferedLanguage, SettingsDrawer


def settings_drawer(on_language: Action) -> VdomDict:
    return SettingsDrawer(
        language=use_connection().language,
        languages=[Language(code=code, label=label) for code, label in LANGUAGES.items()],
        on_language=on_language,
        fallback=[icon_button(t("Settings"), "settings")],
    )


def language_offer() -> VdomDict | None:
    """Offer the browser's language on an English page, unless the account has chosen English."""
    connection = use_connection()
    actor = connection.actor
    if connection.language != "en" or (actor is not None and actor.language is not None):
        return None
    return LanguageOffer(languages=[_offered(code) for code in LANGUAGES if code != "en"])


def _offered(code: LanguageCode) -> OfferedLanguage:
    with using_language(code):
        return OfferedLanguage(code=code, accept=t("Show Fundwright in your language"), dismiss=t("Keep English"))


def use_language() -> Action:
    """Save the chosen language for the account and reload the page in it."""
    connection, actor = use_connection(), use_actor()

    async def choose(session: AsyncSession, chosen: LanguageChosen) -> None:
        await preferences.choose_language(session, actor, chosen.code)

    return use_action(choose, then=lambda: connection.navigate(connection.location.address, reload=True))
