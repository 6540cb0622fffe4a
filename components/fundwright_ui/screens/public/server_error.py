"""`/500`: the page for failures."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.message import message_page


@screen("/500", "500 Server error", area="public", status=500)
def server_error_screen() -> VdomDict:
    return message_page(
        use_connection(),
        t("Something went wrong"),
        t("Your saved work is safe. Go back and try again. If it happens again, tell your administrator when it happened."),
        code="500",
    )
