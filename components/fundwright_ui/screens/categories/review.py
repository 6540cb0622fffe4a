"""The queue of suggestions to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.categories.schemas import Band, CategoryRead, LabelRead, LabelState, SuggestionQuery
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title, is_only_codes
from fundwright.opportunities.schemas import OpportunityRow
from fundwright_ui.hooks import Row, Rows, UrlState, use_action, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.screens.categories.undo import Decided, decision_time, labels_of, undo_of
from fundwright_ui.screens.listing import existing_page, export_button, filter_row, list_bar, narrow, pages, use_listing
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.ui import (
    Option,
    button,
    category_chip,
    confidence_chip,
    empty,
    list_row,
    row,
    row_actions,
    section,
    select_field,
    text_link,
)

_PAGE_SIZE = 10


class Suggested(NamedTuple):
    """A suggestion with the other labels of the same opportunity. `excerpt` is the beginning of its description if its title is only
    a code."""

    label: LabelRead
    others: tuple[LabelRead, ...]
    opportunity: OpportunityRow
    excerpt: str


@component
def review_queue(found: Sequence[CategoryRead]) -> VdomDict:
    connection, actor, url = use_connection(), use_actor(), use_url_state()
    query = _review_query(url, found)

    async def read(session: AsyncSession) -> tuple[Page[Suggested], int]:
        suggestions = await existing_page(partial(categories.list_suggestions, session, actor, connection.core), query)
        unsure = query.model_copy(update={"is_unsure_shown": True, "page": 1, "page_size": 1})
        more = (await categories.list_suggestions(session, actor, connection.core, unsure)).total - suggestions.total
        ids = [label.subject_id for label in suggestions.items]
        by_id = {opportunity.id: opportunity for opportunity in await opportunities.rows_of(session, actor, ids)}
        labels = await categories.labels_of(session, actor, ids)
        untold = [id for id, opportunity in by_id.items() if is_only_codes(display_title(opportunity.title))]
        excerpts = await opportunities.excerpts_of(session, actor, untold) if untold else {}
        listed = [
            Suggested(label, _other_categories(label, labels), by_id[label.subject_id], excerpts.get(label.subject_id, ""))
            for label in suggestions.items
            if label.subject_id in by_id
        ]
        return Page(items=listed, total=suggestions.total, page=suggestions.page, page_size=suggestions.page_size), more

    topics = [categories.categories_topic(actor.workspace_id)]
    listing = use_listing(read, query, lambda read: read[0], id=lambda suggested: suggested.label.subject_id, topics=topics)
    rows = listing.rows
    if listing.answer is None:
        return section(t("To review"), listing.pending(t("Loading suggestions")))
    suggestions, unsure = listing.answer
    has_choices = bool(suggestions.total or query.category_id or query.sort)
    return section(
        t("To review"),
        list_bar(
            filter_row(
                url,
                query,
                select_field(
                    "of",
                    t("Category"),
                    [Option("", t("All categories")), *(Option(str(category.id), category.name) for category in found)],
                    value=str(query.category_id or ""),
                    on_change=narrow(url, "of"),
                    small=True,
                    id="review-category",
                )
                if has_choices
                else None,
                select_field(
                    "sort",
                    t("Order"),
                    [Option("", t("Highest confidence first")), Option("confidence", t("Lowest confidence first"))],
                    value=query.sort,
                    on_change=narrow(url, "sort"),
                    small=True,
                    id="review-sort",
                )
                if has_choices
                else None,
                select_field(
                    "all",
                    t("Notices"),
                    [Option("", t("Open")), Option("1", t("All, including closed and award notices"))],
                    value="1" if query.is_all else "",
                    on_change=narrow(url, "all"),
                    small=True,
                    id="review-all",
                ),
            ),
            listing.counted(
                nt("{n} suggestion for all notices", "{n} suggestions for all notices", suggestions.total)
                if query.is_all
                else nt("{n} suggestion for open notices", "{n} suggestions for open notices", suggestions.total)
            ),
            export_button(connection, "/api/categories/suggestions/export.csv", len(rows.shown), query),
        ),
        html.p({"className": "fw-muted fw-small"}, _key_hint()) if rows.shown else None,
        html.ul(
            {
                "className": "fw-list fw-queue" if suggestions.total <= _PAGE_SIZE else "fw-list fw-queue fw-queue-paged",
                "aria-label": t("Suggestions"),
                "data-row-keys": True,
            },
            *(_suggestion(each, rows, found, key=each.id) for each in rows.shown),
        )
        if rows.shown
        else empty(_nothing_to_review(unsure, is_all=query.is_all), icon_name="category"),
        listing.more(),
        pages(url, suggestions),
        _unlikely_link(url, unsure, query),
    )


def _other_categories(label: LabelRead, labels: Mapping[UUID, list[LabelRead]]) -> tuple[LabelRead, ...]:
    """The other categories that are suggested or accepted for the opportunity."""
    return tuple(
        other
        for other in labels.get(label.subject_id, ())
        if other.category_id != label.category_id and other.state != LabelState.REJECTED and other.band != Band.UNSURE
    )


def _key_hint() -> VdomDict:
    return html.span(
        *(
            html.span({"key": keys, "className": "fw-key-hint"}, html.kbd({"className": "fw-key"}, keys), f" {action} ")
            for keys, action in (
                ("J", t("next")),
                ("K", t("previous")),
                ("A", t("accept")),
                ("N", t("none of these")),
                ("1–9", t("choose the category with this number")),
                ("U", t("undo")),
            )
        )
    )


def _nothing_to_review(unsure: int, *, is_all: bool) -> str:
    if unsure:
        return t("No likely suggestions.")
    if is_all:
        return t("Nothing to review. Choose “Categorize” to get suggestions.")
    return t("No open notices to review. Choose “Categorize” to get suggestions.")


def _unlikely_link(url: UrlState, number: int, query: SuggestionQuery) -> VdomDict | None:
    """A link to suggestions below the band "low", and back."""
    if query.is_unsure_shown:
        return row(text_link(t("Hide unlikely suggestions"), url.href(unsure=None, page=None)))
    if not number:
        return None
    label = nt("Show {n} unlikely suggestion", "Show {n} unlikely suggestions", number)
    return row(text_link(label, url.href(unsure="1", page=None)))


def _review_query(url: UrlState, found: Sequence[CategoryRead]) -> SuggestionQuery:
    """The query in the address. The screen says what is not valid."""
    given = {
        "page": url.params.get("page") or 1,
        "sort": url.params.get("sort", ""),
        "category_id": next((category.id for category in found if str(category.id) == url.get("of")), None),
        "is_unsure_shown": url.get("unsure") == "1",
        "is_all": url.get("all") == "1",
    }
    names = {name: name for name in ("page", "sort")} | {"of": "category_id", "unsure": "is_unsure_shown", "all": "is_all"}
    return url.parse(SuggestionQuery, given, names).model_copy(update={"page_size": _PAGE_SIZE})


@component
def _suggestion(shown: Row[Suggested], rows: Rows[Suggested], found: Sequence[CategoryRead]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    core = connection.core
    label, others, opportunity, excerpt = shown.item
    title = display_title(opportunity.title)

    async def accept(session: AsyncSession) -> tuple[str, Decided]:
        # The labels that the person saw, even if the classifier has suggested another category since then.
        before = await labels_of(session, actor, label.subject_id)
        accepted = await categories.accept(session, actor, core, label.subject_id, label.category_id)
        return t("Accepted"), Decided(before, accepted.decided_at)

    async def decide(session: AsyncSession, category_id: UUID | None) -> tuple[str, Decided]:
        before = await labels_of(session, actor, label.subject_id)
        after = await categories.correct(session, actor, core, label.subject_id, category_id)
        decided = Decided(before, decision_time(after))
        if category_id is None:
            return t("None of these"), decided
        name = next(each.category_name for each in after if each.category_id == category_id)
        return t("Changed to {category}", category=name), decided

    async def reject(session: AsyncSession) -> tuple[str, Decided]:
        return await decide(session, None)

    async def choose(session: AsyncSession, chosen: str) -> tuple[str, Decided] | None:
        if not chosen:
            return None
        category_id = parse_id(chosen, t("The category"))
        return await (accept(session) if category_id == label.category_id else decide(session, category_id))

    def settle(settled: tuple[str, Decided] | None) -> None:
        if settled is not None:
            outcome, decided = settled
            rows.settle(shown.item, outcome, undo=undo_of(connection, label.subject_id, decided))

    accepting, rejecting = use_action(accept, then=settle), use_action(reject, then=settle)
    choosing = use_action(choose, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    is_busy = accepting.is_running or rejecting.is_running or choosing.is_running

    return list_row(
        html.div(
            {"className": "fw-queue-notice"},
            html.a(
                {
                    "className": "fw-title-link",
                    "dir": "auto",
                    "href": connection.href(f"{PATHS[opportunity.kind]}/{opportunity.id}"),
                    "title": title,
                },
                title,
            ),
            html.p(
                {"className": "fw-muted fw-small", "dir": "auto", "title": excerpt or None},
                " · ".join(filter(None, (agency_name(opportunity.agency), excerpt or opportunity.number))),
            ),
            row(
                category_chip(label.category_name, label.color),
                confidence_chip(label.band, label.confidence),
                *(
                    category_chip(t("also {category}", category=other.category_name), other.color, key=str(other.category_id))
                    for other in others
                ),
            ),
        ),
        row_actions(
            button(
                t("Accept"),
                size="small",
                variant="soft",
                icon_name="check",
                name="accept",
                shortcut="a",
                aria_label=t("Accept {category} for {title}", category=label.category_name, title=title),
                on_click=accepting,
                is_busy=is_busy,
            ),
            button(
                t("None of these"),
                size="small",
                variant="text",
                name="none",
                shortcut="n",
                aria_label=t("None of these for {title}", title=title),
                on_click=rejecting,
                is_busy=is_busy,
            ),
            select_field(
                "correct",
                t("Change category"),
                [
                    Option("", t("Other…")),
                    *(Option(str(category.id), f"{place}. {category.name}") for place, category in enumerate(found, 1)),
                ],
                value="",
                on_change=choosing,
                disabled=choosing.is_running,
                small=True,
                id=f"correct-{label.subject_id}",
            ),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )
