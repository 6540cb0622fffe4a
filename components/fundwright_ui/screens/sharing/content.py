"""What the page of a share link shows. It has no scripts, so nothing here has handlers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date
from uuid import UUID

from babel.dates import format_date
from babel.numbers import format_currency
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.database import now
from fundwright.core.messages import current_language, nt, t
from fundwright.generation.citing import count_citations
from fundwright.generation.schemas import CitationRead, DraftRead, DraftSectionRead, SectionState
from fundwright.opportunities.display_names import (
    agency_name,
    display_title,
    naics_in_words,
    short_agency_name,
    short_set_aside,
    short_type,
)
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright.sharing.opening import Shared, SharedList
from fundwright_ui.sidebar.logo import logo_mark
from fundwright_ui.ui import alert, chip, empty, facts, pagination
from fundwright_ui.ui.elements import Child, classes
from fundwright_ui.widgets.markdown import rendered_for_visitors

_WATERMARKS = 40
"""How often the watermark is repeated, which covers a large screen."""


def message(title: str, sentence: str) -> VdomDict:
    return _frame(html.div({"className": "fw-shared-message"}, html.h1(title), html.p(sentence)))


def password_page(title: str, error: str) -> VdomDict:
    return _frame(
        html.div(
            {"className": "fw-shared-message"},
            html.h1(title),
            html.p({"className": "fw-muted"}, t("The person who sent you this link has protected it with a password.")),
            alert(error) if error else None,
            html.form(
                {"className": "fw-form", "method": "post"},
                html.div(
                    {"className": "fw-field"},
                    html.label({"className": "fw-label", "htmlFor": "password"}, t("Password")),
                    html.input(
                        {
                            "className": "fw-input",
                            "id": "password",
                            "name": "password",
                            "type": "password",
                            "autoComplete": "off",
                            "required": True,
                            "autofocus": True,
                        }
                    ),
                ),
                html.div(
                    {"className": "fw-form-actions"},
                    html.button({"type": "submit", "className": "fw-button fw-button-contained"}, t("View")),
                ),
            ),
        )
    )


def draft_page(shared: Shared, draft: DraftRead) -> VdomDict:
    """The sections with their citations, and the list of sources. Long texts take a while: call it in a thread."""
    cited = {citation.number for citation in draft.citations}
    opportunity = "" if draft.opportunity_title in draft.title else display_title(draft.opportunity_title)
    return _frame(
        _heading(shared, draft.title, " · ".join(filter(None, (opportunity, draft.opportunity_number)))),
        html.article({"className": "fw-sheet"}, *(_section(draft, part, cited) for part in draft.sections)),
        _sources(draft, shows_titles=shared.link.shows_titles),
        watermark=_watermark_of(shared),
    )


def _section(draft: DraftRead, part: DraftSectionRead, cited: set[int]) -> VdomDict:
    text: list[VdomDict | str] = rendered_for_visitors(part.text, cited, source=_source_id) if part.text.strip() else []
    return html.section(
        {"className": "fw-section", "key": str(part.id)},
        html.div({"className": "fw-section-header"}, html.h2(t(part.heading))) if not draft.is_letter else None,
        html.div({"className": "fw-markdown", "dir": "auto"}, *text)
        if text
        else html.p({"className": "fw-muted"}, t("No text yet.") if part.state is SectionState.DONE else t("Not written.")),
    )


def _source_id(number: int) -> str:
    return f"source-{number}"


def _sources(draft: DraftRead, *, shows_titles: bool) -> VdomDict | None:
    """The cited documents, and where the citations lead. Passages are not shown."""
    counts = sum((count_citations(part.text) for part in draft.sections), Counter[int]())
    documents: dict[UUID | None, list[CitationRead]] = {}
    for citation in draft.citations:
        if counts[citation.number]:
            documents.setdefault(citation.document_id, []).append(citation)
    if not documents:
        return None

    def entry(place: int, cited: list[CitationRead]) -> VdomDict:
        title = cited[0].document_title if shows_titles else t("Document {n}", n=place)
        return html.li(
            {"key": str(place)},
            html.p({"className": "fw-strong", "dir": "auto"}, title),
            html.ul(
                {"className": "fw-source-passages"},
                *(
                    html.li(
                        {"className": "fw-shared-source", "id": _source_id(citation.number), "key": str(citation.number)},
                        html.span({"className": "fw-source-number"}, str(citation.number)),
                        html.span(
                            t("page {page}", page=citation.page)
                            if shows_titles and citation.page is not None
                            else nt("cited {n} time", "cited {n} times", counts[citation.number])
                        ),
                    )
                    for citation in cited
                ),
            ),
        )

    return html.section(
        {"className": "fw-section fw-shared-sources", "aria-label": t("Sources")},
        html.div({"className": "fw-section-header"}, html.h2(t("Sources"))),
        None if shows_titles else html.p({"className": "fw-muted fw-small"}, t("The titles of the documents are not shown.")),
        html.ul({"className": "fw-sources"}, *(entry(place, cited) for place, cited in enumerate(documents.values(), start=1))),
    )


def list_page(shared: Shared, found: SharedList, *, href: Callable[[int], str]) -> VdomDict:
    """A page of the opportunities that the link's query finds now; `href` is the address of another page."""
    listed = found.listed
    count = (
        t("{n}+ opportunities", n=listed.total)
        if listed.has_uncounted
        else nt("{n} opportunity", "{n} opportunities", listed.total)
    )
    filters = _filters(shared.query, found.category)
    return _frame(
        _heading(shared, shared.title, count),
        html.ul(
            {"className": "fw-chips", "aria-label": t("Active filters")},
            *(html.li({"key": label}, chip(label)) for label in filters),
        )
        if filters
        else None,
        _table(listed.items)
        if listed.items
        else empty(t("No opportunities match now. Open this page again later."), icon_name="search"),
        pagination(listed.page, -(-listed.total // listed.page_size), href=href),
        watermark=_watermark_of(shared),
        is_wide=True,
    )


def _filters(query: OpportunityQuery, category: str) -> list[str]:
    """What the list is limited to."""
    language = current_language()

    def day(value: date) -> str:
        return format_date(value, locale=language)

    kinds = {"contract": t("Contracts"), "grant": t("Grants")}
    availabilities = {"open": t("Open"), "closed": t("Closed"), "award": t("Award notices")}
    return [
        *([kinds[query.kind]] if query.kind else []),
        *([availabilities[query.availability]] if query.availability else []),
        *([t("Search: {words}", words=query.text)] if query.text else []),
        *map(agency_name, query.agency),
        *query.type,
        *map(short_set_aside, query.set_aside),
        *query.activity_code,
        *query.source,
        *([t("Number {value}", value=query.number)] if query.number else []),
        *([t("NAICS {value}", value=naics_in_words(query.naics))] if query.naics else []),
        *([t("Due on or after {value}", value=day(query.due_from))] if query.due_from else []),
        *([t("Due on or before {value}", value=day(query.due_to))] if query.due_to else []),
        *([t("Posted on or after {value}", value=day(query.posted_from))] if query.posted_from else []),
        *([t("Posted on or before {value}", value=day(query.posted_to))] if query.posted_to else []),
        *([t("Category: {name}", name=category)] if category else []),
    ]


def _table(items: list[OpportunityRow]) -> VdomDict:
    """Without links: the notices of the installation are for people with an account."""
    language = current_language()

    def day(value: date) -> str:
        return format_date(value, locale=language)

    def due(item: OpportunityRow) -> str:
        return day(day_in_washington(item.due_at)) if item.due_at else ""

    def value(item: OpportunityRow) -> str:
        amount = item.value or (item.award.amount if item.award else None)
        return format_currency(amount, "USD", locale=language) if amount else ""

    columns: list[tuple[str, Callable[[OpportunityRow], Child]]] = [
        (t("Title"), lambda item: html.span({"className": "fw-strong", "dir": "auto"}, display_title(item.title))),
        (t("Number"), lambda item: item.number),
        (t("Agency"), lambda item: short_agency_name(item.agency)),
        (t("Type"), lambda item: short_type(item.type)),
        (t("Due"), due),
        (t("Posted"), lambda item: day(day_in_washington(item.posted_at))),
        (t("Value"), value),
    ]
    shown = [(label, cell) for label, cell in columns if any(cell(item) for item in items)]
    return html.div(
        {"className": "fw-card fw-shared-table"},
        html.table(
            {"className": "fw-table"},
            html.thead(html.tr(*(html.th({"scope": "col"}, label) for label, _ in shown))),
            html.tbody(
                *(
                    html.tr({"key": str(item.id)}, *(html.td({"data-label": label}, cell(item)) for label, cell in shown))
                    for item in items
                )
            ),
        ),
    )


def _heading(shared: Shared, title: str, subtitle: str) -> VdomDict:
    link, language = shared.link, current_language()
    return html.div(
        {"className": "fw-shared-heading"},
        html.h1({"dir": "auto"}, title),
        html.p({"className": "fw-muted"}, subtitle) if subtitle else None,
        facts(
            t("Shared by {name}", name=shared.creator.name),
            t("For {recipient}", recipient=link.recipient),
            t("Available until {date}", date=format_date(link.expires_at, locale=language)),
        ),
    )


def _watermark_of(shared: Shared) -> str:
    if not shared.link.has_watermark:
        return ""
    return f"{shared.link.recipient} · {format_date(now(), locale=current_language())}"


def _frame(*children: Child, watermark: str = "", is_wide: bool = False) -> VdomDict:
    """The name of the product, which leads nowhere, and one column; `watermark` is repeated across the screen and each printed page."""
    return html.div(
        {"className": "fw-public fw-shared"},
        html.header({"className": "fw-public-header"}, html.span({"className": "fw-logo"}, *logo_mark())),
        html.main({"className": classes("fw-public-main", "fw-public-wide" if is_wide else None), "id": "main"}, *children),
        html.div(
            {"className": "fw-watermark", "aria-hidden": "true"},
            *(html.span(watermark) for _ in range(_WATERMARKS)),
        )
        if watermark
        else None,
    )
