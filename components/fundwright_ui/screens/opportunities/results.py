"""The results of the opportunities list: a table, and close matches below it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from uuid import UUID

from babel.dates import format_date
from babel.numbers import format_currency
from reactpy import html
from reactpy.types import VdomDict

from fundwright.categories.schemas import LabelRead, LabelState
from fundwright.core.database import now
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.opportunities.display_names import agency_name, display_title, short_agency_name
from fundwright.opportunities.schemas import Availability, Award, FoundPage, Kind, Match, OpportunityQuery, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import UrlState
from fundwright_ui.product import use_connection
from fundwright_ui.screens.listing import open_below, page_table, pages
from fundwright_ui.screens.opportunities.address import ANY, AWARD, CLOSED, OPEN, PATHS, notices_path
from fundwright_ui.ui import band_name, category_color, chip, row, section, text_link
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Chip, Column, LinkCell, NoteCell, Row

_SOON_DAYS = 7
"""Deadlines within this number of days are red."""


def is_match(item: OpportunityRow) -> bool:
    return item.match is None or not item.match.is_close


def _is_any(elsewhere: Mapping[Availability, int]) -> bool:
    return bool(elsewhere.get("closed") or elsewhere.get("award"))


def elsewhere_links(url: UrlState, elsewhere: Mapping[Availability, int]) -> VdomDict | None:
    """Link to closed and award notices with all of the words in their titles."""
    if not _is_any(elsewhere):
        return None
    closed, awards = elsewhere.get("closed", 0), elsewhere.get("award", 0)
    return row(
        html.span({"role": "status"}, t("No open notice has all of these words in its title.")),
        text_link(nt("Show {n} closed notice", "Show {n} closed notices", closed), url.href(availability=CLOSED, page=None))
        if closed
        else None,
        text_link(nt("Show {n} award notice", "Show {n} award notices", awards), url.href(availability=AWARD, page=None))
        if awards
        else None,
        key="elsewhere",
    )


def count_text(listed: FoundPage) -> str:
    if listed.has_uncounted:
        return t("{n}+ opportunities", n=listed.total)
    if not all(is_match(item) for item in listed.items):
        return nt("{n} opportunity, including close matches", "{n} opportunities, including close matches", listed.total)
    return nt("{n} opportunity", "{n} opportunities", listed.total)


def results(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: FoundPage,
    labels: dict[UUID, list[LabelRead]],
    elsewhere: Mapping[Availability, int],
    *,
    is_loading: bool,
) -> list[VdomDict | None]:
    """A table of the matches with close matches below it, each with its reason."""
    close = [item for item in listed.items if not is_match(item)]
    if not close:
        return [_table(kind, url, query, listed, labels, is_loading=is_loading), end_of_list(listed)]
    matching = [item for item in listed.items if item not in close]
    whole = Page(items=matching, total=len(matching), page=1, page_size=listed.page_size)
    none = (elsewhere_links(url, elsewhere) or html.p(t("No notice fully matches your search."))) if listed.page == 1 else None
    return [
        _table(kind, url, query, whole, labels, is_loading=is_loading) if matching else none,
        _hidden(url) if query.availability == OPEN and not _is_any(elsewhere) else None,
        section(
            t("Close matches"),
            html.ul(
                {"className": "fw-list", "aria-label": t("Close matches")},
                *(_close_match(kind, item, item.match, key=str(item.id)) for item in close if item.match),
            ),
            key="close",
        ),
        pages(url, listed),
    ]


def end_of_list(listed: FoundPage) -> VdomDict | None:
    """Says on the last page that there are more results than the list shows."""
    if not listed.has_uncounted or listed.page * listed.page_size < listed.total:
        return None
    sentence = t("The list shows only the first {n} opportunities. Narrow your search, or export all of them.", n=listed.total)
    return html.p({"key": "end", "className": "fw-muted"}, sentence)


def _hidden(url: UrlState) -> VdomDict:
    return row(
        html.span({"className": "fw-muted"}, t("Closed and award notices are hidden.")),
        text_link(t("Include closed and award notices"), url.href(availability=ANY, page=None)),
        key="hidden",
    )


def _close_match(kind: Kind, item: OpportunityRow, match: Match, *, key: str) -> VdomDict:
    connection = use_connection()
    reason = {
        "number": t("Number"),
        "all_words": t("All words"),
        "words": t("Some of the words"),
        "meaning": t("Similar meaning"),
    }[match.reason]
    due = t("due {date}", date=format_date(day_in_washington(item.due_at), locale=connection.language)) if item.due_at else ""
    facts = " · ".join(filter(None, (item.number, agency_name(item.agency), item.type, due)))
    parts: list[Child] = []
    end = 0
    for start, stop in match.marks:
        parts += [match.passage[end:start], html.mark(match.passage[start:stop])]
        end = stop
    parts.append(match.passage[end:])
    return html.li(
        {"key": key},
        html.div(
            {"className": "fw-stack fw-stack-tight"},
            row(
                text_link(display_title(item.title), connection.href(f"{PATHS[kind]}/{item.id}")),
                chip(reason, color="info"),
                None if item.is_open else chip(t("Closed"), color="warning"),
                chip(t("Sample")) if item.is_sample else None,
            ),
            html.span({"className": "fw-muted"}, facts),
            award_link(item),
            notices_link(item),
            html.p({"dir": "auto"}, *parts) if match.passage else None,
        ),
    )


def notices_link(item: OpportunityRow) -> VdomDict | None:
    """Link to the other notices of the solicitation, if there are any."""
    connection = use_connection()
    if item.notices == 1:
        return None
    label = (
        nt("{n} notice of this solicitation", "{n} notices of this solicitation", item.notices)
        if item.kind == "contract"
        else nt("{n} notice of this opportunity", "{n} notices of this opportunity", item.notices)
    )
    return text_link(label, connection.href(notices_path(item)))


def award_link(item: OpportunityRow) -> VdomDict | None:
    """Link to the award notice of the solicitation, if there is one."""
    connection, award = use_connection(), item.award
    if award is None:
        return None
    amount = format_currency(award.amount, "USD", locale=connection.language) if award.amount else ""
    label = " · ".join(filter(None, (_awarded(award, connection.language), award.awardee, amount)))
    return text_link(label, connection.href(f"{PATHS[item.kind]}/{award.id}"))


def _awarded(award: Award, language: str) -> str:
    return t("Awarded {date}", date=format_date(award.awarded_on, locale=language)) if award.awarded_on else t("Awarded")


def due_cell(day: date, today: date, language: str) -> NoteCell | date:
    """Return the days until a deadline, with its date, or only the date if it has passed."""
    left = (day - today).days
    if left < 0:
        return day
    label = nt("{n} day", "{n} days", left) if left else t("Today")
    return NoteCell(label=label, note=format_date(day, locale=language), color="error" if left <= _SOON_DAYS else "secondary")


def _table(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: Page[OpportunityRow],
    labels: dict[UUID, list[LabelRead]],
    *,
    is_loading: bool,
) -> VdomDict:
    connection = use_connection()
    today = day_in_washington(now())

    def statuses(item: OpportunityRow) -> tuple[Chip, ...]:
        chips = [Chip(label=t("Awarded"), color="info")] if item.award else []
        if not item.is_open:
            chips.append(Chip(label=t("Closed"), color="warning"))
        if item.is_sample:
            chips.append(Chip(label=t("Sample"), color="secondary"))
        return tuple(chips)

    def categories_of(item: OpportunityRow) -> tuple[Chip, ...]:
        return tuple(
            Chip(
                label=label.category_name + ("" if label.state == LabelState.ACCEPTED else f" · {band_name(label.band)}"),
                color=category_color(label.color),
            )
            for label in labels.get(item.id, ())
        )

    is_repeated = bool(query.text) and any(item.notices > 1 for item in listed.items)
    columns = [
        Column(
            field="title", label=t("Title"), kind="link", is_sortable=True, flex=3.6, min_width=250,
            href_base=connection.href(f"{PATHS[kind]}/"),
        ),
        Column(field="notices", label=t("Notices"), kind="link", is_compact=False, flex=0.6, min_width=84) if is_repeated else None,
        Column(field="agency", label=t("Agency"), is_sortable=True, flex=1.0, min_width=104),
        Column(field="type", label=t("Type"), is_compact=False, flex=1.1, min_width=104),
        Column(field="due", label=t("Due"), kind="date", is_sortable=True, flex=0.6, min_width=72),
        Column(field="posted", label=t("Posted"), kind="date", is_sortable=True, is_compact=False, flex=0.9, min_width=102),
        Column(
            field="code", label=t("Set-aside") if kind == "contract" else t("Activity code"), is_compact=False, flex=0.55, min_width=66
        ),
        Column(field="status", label=t("Status"), kind="chips", flex=0.7, min_width=78) if any(map(statuses, listed.items)) else None,
        Column(field="categories", label=t("Category"), kind="chips", flex=0.8, min_width=74),
    ]  # fmt: skip

    def cells(item: OpportunityRow) -> Row:
        agency = short_agency_name(item.agency)
        texts = {
            "title": display_title(item.title),
            "agency": f"{agency} ({item.sub_agency})" if kind == "grant" and item.sub_agency else agency,
            "type": item.type,
            "due": due_cell(day_in_washington(item.due_at), today, connection.language) if item.due_at else None,
            "posted": day_in_washington(item.posted_at),
            "code": item.set_aside_code if kind == "contract" else ", ".join(item.activity_codes),
            "status": statuses(item),
            "categories": categories_of(item),
            "notices": LinkCell(label=nt("{n} notice", "{n} notices", item.notices), href=connection.href(notices_path(item)))
            if is_repeated and item.notices > 1
            else None,
        }
        return Row(id=str(item.id), cells={field: cell for field, cell in texts.items() if cell})

    return page_table(
        url,
        query,
        listed,
        label=t("Opportunities"),
        columns=list(filter(None, columns)),
        rows=[cells(item) for item in listed.items],
        is_loading=is_loading,
        is_dense=True,
        on_open=open_below(connection, PATHS[kind]),
    )
