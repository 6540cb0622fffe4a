"""`/404`: the page for unknown addresses."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.message import message_page


@screen("/404", "404 Page not found", area="public", status=404)
def not_found_screen() -> VdomDict:
    return message_page(
        use_connection(),
        t("Sorry, page not found!"),
        t("This page doesn't exist. It may have been removed, or the address may have a typo."),
        code="404",
    )
