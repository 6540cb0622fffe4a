"""The results of the opportunities list: a table, and close matches below it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from babel.dates import format_date
from babel.numbers import format_currency
from reactpy import html
from reactpy.types import VdomDict

from fundwright.categories.schemas import LabelRead, LabelState
from fundwright.core.database import now
from fundwright.core.messages import nt, number, t
from fundwright.core.paging import Page
from fundwright.opportunities.display_names import (
    agency_name,
    display_title,
    naics_in_words,
    short_agency_name,
    short_set_aside,
    short_type,
    type_name,
)
from fundwright.opportunities.schemas import Availability, FoundPage, Kind, Match, OpportunityQuery, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright.pipeline.schemas import Stage
from fundwright_ui.hooks import UrlState
from fundwright_ui.product import use_connection
from fundwright_ui.screens.deadlines import due_cell
from fundwright_ui.screens.listing import open_below, page_table, pages
from fundwright_ui.screens.notice_address import ANY, AWARD, CLOSED, OPEN, PATHS, notices_path
from fundwright_ui.screens.opportunities.table_view import TableView, optional_columns
from fundwright_ui.screens.pipeline.stages import stage_color
from fundwright_ui.ui import category_color, chip, row, section, text_link
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Chip, Column, LinkCell, On, Row, RowOpened, WatchCell

_GRANTS_GOV = "grants"
"""The source whose sub-agencies are only codes of the agencies, such as DOI-BLM, and not institutes."""
_WIDE = ("posted", "code", "type", "value")
"""Columns that are shown only in wide windows while there are categories, states, or links to other notices, the least important
first. The column by which the list is sorted is always shown."""


class Watches(NamedTuple):
    """Which of the listed opportunities the person watches, and what the buttons in their rows do."""

    watched: Collection[UUID]
    on_press: On[RowOpened]


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
    return nt("{n} opportunity", "{n} opportunities", listed.total)


def results(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: FoundPage,
    labels: dict[UUID, list[LabelRead]],
    elsewhere: Mapping[Availability, int],
    watches: Watches | None,
    *,
    stages: Mapping[UUID, str],
    view: TableView,
    is_loading: bool,
) -> list[VdomDict | None]:
    """A table of the matches with close matches below it, each with its reason."""
    close = [item for item in listed.items if not is_match(item)]
    if not close:
        return [
            _table(kind, url, query, listed, labels, watches, stages=stages, view=view, is_loading=is_loading),
            end_of_list(listed),
        ]
    matching = [item for item in listed.items if item not in close]
    whole = Page(items=matching, total=len(matching), page=1, page_size=listed.page_size)
    none = (
        (elsewhere_links(url, elsewhere) or html.p(t("No notice has all of these words in its title.")))
        if listed.page == 1
        else None
    )
    return [
        _table(kind, url, query, whole, labels, watches, stages=stages, view=view, is_loading=is_loading) if matching else none,
        _hidden(url) if query.availability == OPEN and not _is_any(elsewhere) else None,
        section(
            t("Close matches"),
            html.ul(
                {"className": "fw-list", "aria-label": t("Close matches")},
                *(_close_match(kind, item, item.match, stages.get(item.id), key=str(item.id)) for item in close if item.match),
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


def _close_match(kind: Kind, item: OpportunityRow, match: Match, stage: str | None, *, key: str) -> VdomDict:
    connection = use_connection()
    reason = {
        "number": t("Number"),
        "all_words": t("All words in the text"),
        "words": t("Some of the words"),
        "meaning": t("Similar meaning"),
    }[match.reason]
    due = t("due {date}", date=format_date(day_in_washington(item.due_at), locale=connection.language)) if item.due_at else ""
    facts = " · ".join(filter(None, (item.number, agency_name(item.agency), type_name(item.type), due)))
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
                chip(str(Stage(stage).label), color=stage_color(Stage(stage))) if stage else None,
                None if item.is_open else chip(t("Closed"), color="warning"),
                chip(t("Sample")) if item.is_sample else None,
            ),
            html.span({"className": "fw-muted"}, facts),
            award_line(item),
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


def award_line(item: OpportunityRow) -> VdomDict | None:
    """Say to whom the solicitation was awarded, with a link to the award notice unless this is it."""
    connection, award = use_connection(), item.award
    if award is None:
        return None
    amount = format_currency(award.amount, "USD", locale=connection.language) if award.amount else ""
    awarded_on = format_date(award.awarded_on, locale=connection.language) if award.awarded_on else ""
    awarded = t("Awarded to {awardee}", awardee=award.awardee) if award.awardee else t("Awarded")
    label = " · ".join(filter(None, (awarded, amount, awarded_on)))
    if item.is_award:
        return html.p({"className": "fw-strong"}, label)
    return text_link(label, connection.href(f"{PATHS[item.kind]}/{award.id}"))


def value_of(item: OpportunityRow) -> Decimal | None:
    return item.value or (item.award.amount if item.award else None)


def code_of(item: OpportunityRow) -> str:
    """The short name of the set-aside of a contract, or the activity codes of a grant."""
    return short_set_aside(item.set_aside_code) if item.kind == "contract" else ", ".join(item.activity_codes)


def _table(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: Page[OpportunityRow],
    labels: dict[UUID, list[LabelRead]],
    watches: Watches | None,
    *,
    stages: Mapping[UUID, str],
    view: TableView,
    is_loading: bool,
) -> VdomDict:
    connection = use_connection()
    names = optional_columns(kind)
    today = day_in_washington(now())

    def statuses(item: OpportunityRow) -> tuple[Chip, ...]:
        chips = [Chip(label=t("Awarded"), color="info")] if item.award else []
        if not item.is_open and not item.is_award:
            chips.append(Chip(label=t("Closed"), color="warning"))
        if (stage := stages.get(item.id)) is not None:
            chips.append(Chip(label=str(Stage(stage).label), color=stage_color(Stage(stage))))
        if item.is_sample:
            chips.append(Chip(label=t("Sample"), color="secondary"))
        return tuple(chips)

    def categories_of(item: OpportunityRow) -> tuple[Chip, ...]:
        return tuple(
            Chip(
                label=label.category_name + ("" if label.state == LabelState.ACCEPTED else f" · {label.band.label}"),
                color=category_color(label.color),
            )
            for label in labels.get(item.id, ())
        )

    is_award_list = query.availability == AWARD
    has_due_dates = not is_award_list and any(item.due_at for item in listed.items)
    has_values = any(map(value_of, listed.items))
    has_codes = any(map(code_of, listed.items))
    has_statuses = not is_award_list and any(map(statuses, listed.items))
    has_categories = any(labels.get(item.id) for item in listed.items)
    is_repeated = bool(query.text) and any(item.notices > 1 for item in listed.items)
    shown = {"categories": has_categories, "status": has_statuses, "notices": is_repeated} | dict.fromkeys(view.hidden, False)
    sorted_by = query.sort_field or ("" if query.text else "posted")
    wide = set(_WIDE[: 3 * shown["categories"] + 2 * shown["status"] + shown["notices"]]) - {sorted_by}
    columns = [
        Column(
            field="title", label=t("Title"), kind="link", is_sortable=True, min_width=400,
            href_base=connection.href(f"{PATHS[kind]}/"),
        ),
        Column(field="notices", label=t("Notices"), kind="link", is_compact=False, is_shown=is_repeated),
        Column(field="agency", label=names["agency"], is_sortable=True),
        *(
            [Column(field="awardee", label=t("Awarded to"))]
            if is_award_list
            else [
                Column(field="type", label=names["type"], is_compact=False),
                Column(field="due", label=names["due"], kind="date", is_sortable=True),
            ]
        ),
        Column(field="value", label=names["value"], kind="money", is_shown=has_values, is_compact=not has_statuses),
        Column(field="posted", label=names["posted"], kind="date", is_sortable=True, is_compact=not has_due_dates),
        Column(field="code", label=names["code"], is_compact=False, is_shown=has_codes),
        *([Column(field="naics", label="NAICS", is_compact=False)] if "naics" in names else []),
        Column(field="status", label=t("Status"), kind="chips", is_shown=has_statuses),
        Column(field="categories", label=names["categories"], kind="chips", is_shown=has_categories),
        *([Column(field="watch", label=names["watch"], is_compact=False)] if watches else []),
    ]  # fmt: skip

    def cells(item: OpportunityRow) -> Row:
        agency = short_agency_name(item.agency)
        has_institute = kind == "grant" and item.source != _GRANTS_GOV and bool(item.sub_agency)
        texts = {
            "title": display_title(item.title),
            "agency": f"{agency} ({item.sub_agency})" if has_institute else agency,
            "type": short_type(item.type),
            "due": due_cell(day_in_washington(item.due_at), today, connection.language) if item.due_at else None,
            "awardee": item.award.awardee if item.award else None,
            "value": value_of(item),
            "posted": day_in_washington(item.posted_at),
            "code": code_of(item),
            "naics": naics_in_words(item.naics),
            "status": statuses(item),
            "categories": categories_of(item),
            "notices": LinkCell(label=number(item.notices), href=connection.href(notices_path(item)))
            if is_repeated and item.notices > 1
            else None,
            "watch": WatchCell(is_watched=item.id in watches.watched) if watches else None,
        }
        return Row(id=str(item.id), cells={field: cell for field, cell in texts.items() if cell and field not in view.hidden})

    table = page_table(
        url,
        query,
        listed,
        label=t("Opportunities"),
        columns=[replace(column, is_wide=column.field in wide) for column in columns if column.field not in view.hidden],
        rows=[cells(item) for item in listed.items],
        is_loading=is_loading,
        is_dense=True,
        on_open=open_below(connection, PATHS[kind]),
        on_action=watches.on_press if watches else None,
    )
    return html.div({"className": "fw-compact-rows" if view.is_compact else ""}, table)
