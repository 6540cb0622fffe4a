"""New links that are shown once: of invitations, and of what is shared."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.ui import alert, row
from fundwright_ui.widgets import copy_button


def secret_link(link: str, sentence: str, *, title: str) -> VdomDict:
    """A link that is shown once. `sentence` says to whom to send it and how long it works. A link that works on this computer only says
    so."""
    return alert(
        sentence,
        row(html.code(link), copy_button(link, t("Copy link"), is_small=True)),
        html.p(
            t(
                "The link works on this computer only. For other computers, set FUNDWRIGHT_PUBLIC_URL to the public address, restart Fundwright, and create a new link."
            )
        )
        if use_connection().core.settings.is_local
        else None,
        variant="success",
        title=title,
    )
