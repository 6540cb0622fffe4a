"""The button that opens theme and language."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright_ui.hooks import Connection
from fundwright_ui.messages import LANGUAGES, t
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.widgets import Language, SettingsDrawer


def settings_drawer(connection: Connection) -> VdomDict:
    return SettingsDrawer(
        language=connection.language,
        languages=[Language(code=code, label=label) for code, label in LANGUAGES.items()],
        fallback=[icon_button(t("Settings"), "settings")],
    )
