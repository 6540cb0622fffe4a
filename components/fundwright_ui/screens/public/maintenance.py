"""`/maintenance`: shown to everyone but administrators during maintenance."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.message import message_page
from fundwright_ui.ui import text_link


@screen("/maintenance", "Maintenance", area="public", stays_open=True, status=503)
def maintenance_screen() -> VdomDict:
    connection = use_connection()
    settings = connection.core.settings
    return message_page(
        connection,
        t("Website currently under maintenance"),
        settings.maintenance or t("Come back in a few minutes. Your saved work is safe."),
        html.p(text_link(t("Administrator sign-in"), connection.href("/auth/login")))
        if settings.is_closed and connection.actor is None
        else None,
    )
