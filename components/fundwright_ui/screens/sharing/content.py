"""What the page of a share link shows. It has no scripts, so nothing here has handlers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from uuid import UUID, uuid4

from babel.dates import format_date
from babel.numbers import format_currency
from reactpy import html
from reactpy.types import VdomDict

from fundwright.conversation.schemas import MOST_CHARACTERS_OF_GUESTS, MOST_OF_NAME, CommentRead, CommentState, Thread
from fundwright.core.database import now
from fundwright.core.messages import current_language, nt, number, t
from fundwright.core.paging import Page
from fundwright.generation.citing import count_citations
from fundwright.generation.schemas import CitationRead, DraftRead, DraftSectionRead
from fundwright.opportunities.display_names import (
    agency_name,
    display_title,
    naics_in_words,
    short_agency_name,
    short_set_aside,
    short_type,
    type_name,
)
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRead, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright.sharing.opening import Shared, SharedList
from fundwright_ui.screens.plain_pages import drawn, plain_frame
from fundwright_ui.ui import alert, chip, definition_list, empty, facts, moment, pagination, select_field, text_area, text_field
from fundwright_ui.ui.avatars import avatar
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.feedback import error_id
from fundwright_ui.widgets.markdown import rendered_for_guests


@dataclass(frozen=True)
class Typed:
    """What a guest typed into the form of a comment, by the names of its fields, and what is wrong with it: `errors` of fields, or an
    `error` of the whole."""

    fields: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    def get(self, name: str) -> str:
        return self.fields.get(name, "")


@dataclass(frozen=True)
class Comments:
    """The threads below a draft. Forms are sent to `action`, and `href` is the address of another page of threads."""

    threads: Page[Thread]
    action: str
    href: Callable[[int], str]
    typed: Typed


def message(title: str, sentence: str, *, unsent: str = "") -> VdomDict:
    """A page with one sentence. `unsent` is the comment that could not be sent: the guest can copy it."""
    return plain_frame(
        html.div(
            {"className": "fw-shared-message"},
            html.h1(title),
            html.p(sentence),
            error_id(sentence),
            text_area("unsent", t("Your comment, which was not sent"), default=unsent, rows=8) if unsent else None,
        )
    )


def password_page(title: str, error: str, *, typed: Typed | None = None, action: str | None = None) -> VdomDict:
    """With `typed`, the form sends the password together with the comment to `action`."""
    return plain_frame(
        html.div(
            {"className": "fw-shared-message"},
            html.h1(title),
            html.p({"className": "fw-muted"}, t("The person who sent you this link has protected it with a password.")),
            alert(error) if error else None,
            html.form(
                {"className": "fw-form", "method": "post", "action": action},
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
                *(
                    _comment_fields(
                        typed, "typed", **{name: typed.get(name) for name in ("thread_id", "part_id", "notice_id", "page")}
                    )
                    if typed
                    else ()
                ),
                _submit(t("Add comment") if typed else t("View")),
            ),
        )
    )


def _submit(label: str, *, is_secondary: bool = False) -> VdomDict:
    look = "fw-button-outlined" if is_secondary else "fw-button-contained"
    return html.div({"className": "fw-form-actions"}, html.button({"type": "submit", "className": f"fw-button {look}"}, label))


def drawn_page(page: partial[VdomDict]) -> str:
    """The HTML of what a function below returns."""
    return drawn(page())


def draft_page(shared: Shared, draft: DraftRead, comments: Comments | None = None) -> VdomDict:
    """The written sections with their citations, the list of sources, and the comments."""
    cited = {citation.number for citation in draft.citations}
    written = [part for part in draft.sections if part.text.strip()]
    opportunity = "" if draft.opportunity_title in draft.title else display_title(draft.opportunity_title)
    return plain_frame(
        _heading(shared, draft.title, " · ".join(filter(None, (opportunity, draft.opportunity_number)))),
        html.article({"className": "fw-sheet"}, *(_section(draft, part, cited) for part in written))
        if written
        else html.p({"className": "fw-muted"}, t("No text yet.")),
        _sources(draft, shows_titles=shared.link.shows_titles),
        _conversation(comments, [] if draft.is_letter else [(str(part.id), t(part.heading)) for part in draft.sections])
        if comments
        else None,
        watermark=_watermark_of(shared),
    )


def opportunity_page(shared: Shared, opportunity: OpportunityRead, comments: Comments | None, *, back: str) -> VdomDict:
    """An opportunity of a list, and the comments on it; `back` is the address of the list."""
    language = current_language()

    def day(value: datetime | None) -> str:
        return format_date(day_in_washington(value), locale=language) if value else ""

    about = {
        t("Number"): opportunity.number,
        t("Agency"): agency_name(opportunity.agency),
        t("Type"): type_name(opportunity.type),
        t("Set-aside"): opportunity.set_aside,
        "NAICS": naics_in_words(opportunity.naics) if opportunity.naics else "",
        t("Due"): day(opportunity.due_at),
        t("Posted"): day(opportunity.posted_at),
        t("Value"): _value(opportunity),
        t("Place of performance"): opportunity.place,
    }
    return plain_frame(
        html.p(html.a({"href": back}, t("Back to the list"))),
        _heading(shared, display_title(opportunity.title), shared.title),
        html.section({"className": "fw-card", "aria-label": t("At a glance")}, definition_list(about)),
        html.section(
            {"className": "fw-section", "aria-label": t("Description")},
            html.div({"className": "fw-section-header"}, html.h2(t("Description"))),
            html.div({"className": "fw-prose fw-prewrap", "dir": "auto"}, opportunity.description)
            if opportunity.description
            else html.p({"className": "fw-muted"}, t("The imported file has no description for this notice.")),
            html.p(html.a({"href": opportunity.url, "rel": "noreferrer"}, t("Open the source"))) if opportunity.url else None,
        ),
        _conversation(comments, notice_id=str(opportunity.id)) if comments else None,
        watermark=_watermark_of(shared),
    )


def _section(draft: DraftRead, part: DraftSectionRead, cited: set[int]) -> VdomDict:
    return html.section(
        {"className": "fw-section", "key": str(part.id)},
        html.div({"className": "fw-section-header"}, html.h2(t(part.heading))) if not draft.is_letter else None,
        html.div({"className": "fw-markdown", "dir": "auto"}, *rendered_for_guests(part.text, cited, source=_source_id)),
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
                            t("page {page}", page=citation.page_label or citation.page)
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


def _conversation(comments: Comments, parts: Sequence[tuple[str, str]] = (), **about: str) -> VdomDict:
    """What guests write here, and the replies. A comment on a draft may be about one of its `parts`; `about` are hidden fields that say on
    what it is."""
    threads, typed = comments.threads, comments.typed
    # Also a reply in a thread that was deleted meanwhile.
    is_new = typed.get("thread_id") not in {str(thread.first.id) for thread in threads.items}
    return html.section(
        {"className": "fw-section fw-shared-comments", "id": "comments", "aria-label": t("Comments")},
        html.div({"className": "fw-section-header"}, html.h2(t("Comments"))),
        html.p(
            {"className": "fw-muted fw-small"},
            t("Everyone who has this link can read these comments. Members of the workspace can reply here."),
        ),
        html.form(
            {"className": "fw-form", "method": "post", "action": comments.action, "aria-label": t("New comment")},
            select_field(
                "part_id",
                t("About"),
                [("", t("The whole draft")), *parts],
                default=typed.get("part_id"),
                id="part-new",
            )
            if parts
            else None,
            *_comment_fields(typed if is_new else Typed(), about.get("notice_id", "new"), **about),
            _submit(t("Add comment")),
        ),
        html.ul(
            {"className": "fw-threads", "aria-label": t("Comments")},
            *(_thread(thread, comments, about, key=str(thread.first.id)) for thread in threads.items),
        )
        if threads.items
        else empty(t("No comments yet."), icon_name="feedback"),
        pagination(threads.page, -(-threads.total // threads.page_size), href=comments.href),
    )


def _comment_fields(typed: Typed, id: str, **about: str) -> list[Child]:
    """Fields of a comment, and hidden ones that say what it is `about`. What a lost connection or a second click sends again has the same
    `key`, and is added once."""
    hidden = {"key": typed.get("key") or uuid4().hex, **about}
    return [
        alert(typed.error) if typed.error else None,
        *(html.input({"type": "hidden", "name": name, "value": value}) for name, value in hidden.items() if value),
        text_field(
            "name",
            t("Your name"),
            default=typed.get("name"),
            error=typed.errors.get("name"),
            required=True,
            autocomplete="name",
            maxlength=MOST_OF_NAME,
            id=f"name-{id}",
        ),
        text_area(
            "text",
            t("Your comment"),
            default=typed.get("text"),
            error=typed.errors.get("text"),
            rows=4,
            required=True,
            maxlength=MOST_CHARACTERS_OF_GUESTS,
            id=f"text-{id}",
        ),
    ]


def _thread(thread: Thread, comments: Comments, about: Mapping[str, str], *, key: str) -> VdomDict:
    first, thread_id = thread.first, str(thread.first.id)
    typed = comments.typed if comments.typed.get("thread_id") == thread_id else Typed()
    notes = [
        *([t("About “{section}”", section=first.part)] if first.part else []),
        *([t("Resolved")] if first.state is CommentState.RESOLVED else []),
    ]
    return html.li(
        {"className": "fw-thread", "key": key},
        html.p({"className": "fw-muted fw-small"}, " · ".join(notes)) if notes else None,
        _comment(first),
        html.ul(
            {"className": "fw-replies", "aria-label": t("Replies")},
            *(html.li({"key": str(reply.id)}, _comment(reply)) for reply in thread.replies),
        )
        if thread.replies
        else None,
        html.details(
            {"open": bool(typed.fields)},
            html.summary(t("Reply")),
            html.form(
                {
                    "className": "fw-form",
                    "method": "post",
                    "action": comments.action,
                    "aria-label": t("Reply to {name}", name=first.signature),
                },
                *_comment_fields(typed, thread_id, thread_id=thread_id, page=str(comments.threads.page), **about),
                _submit(t("Reply"), is_secondary=True),
            ),
        ),
    )


def _comment(comment: CommentRead) -> VdomDict:
    if comment.is_deleted:
        return html.p({"className": "fw-muted fw-comment"}, t("This comment was deleted."))
    return html.article(
        {
            "className": "fw-comment",
            "id": f"comment-{comment.id}",
            "aria-label": t("Comment by {name}", name=comment.signature),
        },
        html.div(
            {"className": "fw-comment-header"},
            avatar(comment.author, None),
            html.div(
                html.strong({"dir": "auto"}, comment.signature),
                html.p({"className": "fw-muted fw-small"}, moment(comment.created_at)),
            ),
        ),
        html.div({"className": "fw-comment-text", "dir": "auto"}, comment.text),
    )


def list_page(
    shared: Shared, found: SharedList, *, href: Callable[[int], str], href_of: Callable[[UUID], str] | None = None
) -> VdomDict:
    """A page of the opportunities that the link's query finds now; `href` is the address of another page, and `href_of` that of an
    opportunity if guests can comment on it."""
    listed = found.listed
    count = (
        t("{n}+ opportunities", n=listed.total)
        if listed.has_uncounted
        else nt("{n} opportunity", "{n} opportunities", listed.total)
    )
    filters = _filters(shared.query, found.category)
    return plain_frame(
        _heading(shared, shared.title, count),
        html.ul(
            {"className": "fw-chips", "aria-label": t("Active filters")},
            *(html.li({"key": label}, chip(label)) for label in filters),
        )
        if filters
        else None,
        html.p({"className": "fw-muted fw-small"}, t("Open an opportunity to read it and to comment on it."))
        if href_of
        else None,
        _table(listed.items, found.comments, href_of)
        if listed.items
        else empty(t("No opportunities match now. Open this page again later."), icon_name="search"),
        pagination(listed.page, -(-listed.total // listed.page_size), href=href),
        html.section(
            {"className": "fw-section", "aria-label": t("No longer in the list")},
            html.div({"className": "fw-section-header"}, html.h2(t("No longer in the list"))),
            html.p({"className": "fw-muted fw-small"}, t("The comments on these opportunities are kept.")),
            _table(found.gone, found.comments, href_of),
        )
        if found.gone
        else None,
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
        *map(type_name, query.type),
        *map(short_set_aside, query.set_aside),
        *query.activity_code,
        *query.source,
        *([t("Number {value}", value=query.number)] if query.number else []),
        *(t("NAICS {value}", value=naics_in_words(code)) for code in query.naics),
        *([t("Due on or after {value}", value=day(query.due_from))] if query.due_from else []),
        *([t("Due on or before {value}", value=day(query.due_to))] if query.due_to else []),
        *([t("Posted on or after {value}", value=day(query.posted_from))] if query.posted_from else []),
        *([t("Posted on or before {value}", value=day(query.posted_to))] if query.posted_to else []),
        *([t("Category: {name}", name=category)] if category else []),
    ]


def _table(items: Sequence[OpportunityRow], comments: Mapping[UUID, int], href_of: Callable[[UUID], str] | None) -> VdomDict:
    """With links to those that guests can comment on, and the number of comments. Otherwise without links: the notices of the installation
    are for people with an account."""
    language = current_language()

    def day(value: date) -> str:
        return format_date(value, locale=language)

    def due(item: OpportunityRow) -> str:
        return day(day_in_washington(item.due_at)) if item.due_at else ""

    def title(item: OpportunityRow) -> VdomDict:
        shown = {"className": "fw-strong", "dir": "auto"}
        return (
            html.a(shown | {"href": href_of(item.id)}, display_title(item.title))
            if href_of
            else html.span(shown, display_title(item.title))
        )

    def comment_count(item: OpportunityRow) -> str:
        return number(comments[item.id]) if comments.get(item.id) else ""

    columns: list[tuple[str, Callable[[OpportunityRow], Child]]] = [
        (t("Title"), title),
        (t("Number"), lambda item: item.number),
        (t("Agency"), lambda item: short_agency_name(item.agency)),
        (t("Type"), lambda item: short_type(item.type)),
        (t("Due"), due),
        (t("Posted"), lambda item: day(day_in_washington(item.posted_at))),
        (t("Value"), _value),
        (t("Comments"), comment_count),
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


def _value(item: OpportunityRow) -> str:
    amount = item.value or (item.award.amount if item.award else None)
    return format_currency(amount, "USD", locale=current_language()) if amount else ""


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
