"""What the invitations to the installation and those to a workspace have in common on screens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Row as KeptRow
from fundwright_ui.hooks import use_url_state
from fundwright_ui.screens.listing import Labeled, Listing, choices, listed_table, narrow, search_box
from fundwright_ui.ui import select_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Column, Row, RowOpened

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
        nothing=t("No invitations match. Change the filters."),
        above=above,
        on_open=on_open,
    )
