"""What the opportunities list shows when it is empty, when nothing matches, or when it has only samples."""

from __future__ import annotations

from reactpy import component
from reactpy.types import Component, VdomDict

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.opportunities import service
from fundwright.opportunities.schemas import Kind, OpportunityQuery
from fundwright_ui.hooks import UrlState, use_query
from fundwright_ui.product import actor_of, use_actor, use_connection
from fundwright_ui.screens.notice_address import ANY, PATHS
from fundwright_ui.screens.samples import sample_notice
from fundwright_ui.ui import empty, link_button


def nothing_found(kind: Kind, url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Say which filter hides notices. Closed notices and award notices are hidden by default."""
    connection = use_connection()
    links = [link_button(t("Clear search and filters"), connection.href(PATHS[kind]))]
    if query.availability is None:
        return empty(t("No opportunities match. Remove a filter or change your search."), *links, icon_name="search")
    links.insert(0, link_button(t("Include closed and award notices"), url.href(availability=ANY, page=None)))
    text = {
        "open": t("No open opportunities match. Closed and award notices are hidden."),
        "closed": t("No closed opportunities match. Open and award notices are hidden."),
        "award": t("No award notices match. Open and closed notices are hidden."),
    }[query.availability]
    return empty(text, *links, icon_name="search")


@component
def nothing_yet(kind: Kind) -> VdomDict:
    """Say how many opportunities there are of the other kind."""
    connection, actor = use_connection(), use_actor()
    other: Kind = "contract" if kind == "grant" else "grant"
    facets = use_query(lambda session: service.facets(session, actor, kind=other), key=[other], topics=[service.TOPIC])
    others = facets.value.total if facets.value else 0
    elsewhere = (
        nt("Show {n} contract", "Show {n} contracts", others)
        if other == "contract"
        else nt("Show {n} grant", "Show {n} grants", others)
    )
    links = [link_button(elsewhere, connection.href(PATHS[other]))] if others else []
    return empty(t("No opportunities yet. Import the first ones."), *links, icon_name="opportunities")


def samples_shown(samples: int, *, key: str) -> Component:
    """The notice that some of the opportunities are samples, which administrators remove for everyone."""
    actor, connection = use_actor(), use_connection()
    return sample_notice(
        nt(
            "{n} of these opportunities is a sample and not real.",
            "{n} of these opportunities are samples and not real.",
            samples,
        ),
        of="opportunities",
        question=t("Remove the sample opportunities?"),
        consequence=t("They will be removed for everyone. Imported opportunities will be kept."),
        removed=t("The sample opportunities were removed."),
        remove=(lambda session: service.remove_sample(session, actor, client=connection.client))
        if actor.may(Permission.ADMINISTER)
        else None,
        restore=lambda session: service.restore_sample(session, actor_of(connection), connection.core, client=connection.client),
        key=key,
    )
