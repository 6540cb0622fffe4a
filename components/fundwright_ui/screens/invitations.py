"""What the invitations to the installation and those to a workspace have in common on screens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Row as KeptRow
from fundwright_ui.hooks import use_url_state
from fundwright_ui.product import use_connection
from fundwright_ui.screens.listing import Labeled, Listing, choices, listed_table, narrow, search_box
from fundwright_ui.ui import alert, empty, row, select_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Column, Row, RowOpened, copy_button

T = TypeVar("T")


def invitation_table(
    listing: Listing[Page[T], T],
    listed: Page[T],
    *,
    columns: Sequence[Column],
    row_of: Callable[[KeptRow[T]], Row],
    export: str,
    states: Iterable[Labeled],
    above: Child = None,
    on_open: Callable[[RowOpened], None] | None,
) -> list[Child]:
    """A `listed_table` with a search, and a filter for one of the `states`."""
    url = use_url_state()
    return listed_table(
        listing,
        listed,
        label=t("Invitations"),
        count=nt("{n} invitation", "{n} invitations", listed.total),
        columns=columns,
        row_of=row_of,
        export=export,
        narrow=search_box(
            url,
            listing.query,
            t("Search invitations"),
            select_field("state", t("Status"), choices(states, t("Any")), value=url.get("state"), on_change=narrow(url, "state")),
        ),
        nothing=empty(t("No invitations match. Change the filters.")),
        above=above,
        on_open=on_open,
    )


def invitation_link(link: str, sentence: str, *, title: str = "") -> VdomDict:
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
        title=title or t("Invitation link"),
    )
