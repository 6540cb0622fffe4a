"""`/coming-soon`: for features that are announced but not available."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.message import message_page


@screen("/coming-soon", "Coming soon", area="public")
def coming_soon_screen() -> VdomDict:
    return message_page(
        use_connection(),
        t("Coming soon!"),
        t("We're working on this page."),
    )
