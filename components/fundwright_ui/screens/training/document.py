"""`/dashboard/train/{id}`: a document, page by page. `/dashboard/passage/{id}` is the document of a passage, opened at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, percent, t
from fundwright.training import collecting, viewing
from fundwright.training.display import Place, Position
from fundwright.training.schemas import DocumentState, ViewQuery
from fundwright.training.viewing import DocumentView
from fundwright_ui.hooks import UrlState, query_in_address, use_query, use_url_state
from fundwright_ui.product import id_in, parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.training.document_blocks import shown_blocks
from fundwright_ui.screens.training.document_page import shown_page
from fundwright_ui.ui import (
    Fields,
    Option,
    Tab,
    alert,
    checkbox,
    empty,
    form,
    icon,
    icon_button,
    link_button,
    loading,
    page,
    problem,
    select_field,
    tabs,
    text_field,
    text_link,
)
from fundwright_ui.ui.elements import Child, attributes

PATH = "/dashboard/train"
_ZOOMS = ("50", "75", "100", "150", "200")


@dataclass(frozen=True)
class _UnknownPage:
    """A page that was typed and does not exist, and what was shown then."""

    page: str = ""
    place: Position | None = None


@screen("/dashboard/train/{id}", "Document", help="/help/training")
def document_screen() -> VdomDict:
    return html.div(_viewer(use_connection().location.params.get("id", ""), None, key="viewer"))


@screen("/dashboard/passage/{id}", "Passage", help="/help/asking")
def passage_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    passage_id = connection.location.params.get("id", "")

    async def read(session: AsyncSession) -> UUID:
        return await viewing.find_document_of(session, actor, parse_id(passage_id, t("The passage")))

    found = use_query(read, key=[actor.id, passage_id], topics=[collecting.documents_topic(actor.workspace_id)])
    if found.is_missing:
        return page(
            t("Passage"),
            empty(t("This passage no longer exists. Its document was removed or changed."), _back(), icon_name="train"),
        )
    if found.error:
        return page(t("Passage"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(t("Passage"), loading(t("Loading passage")))
    return html.div(_viewer(str(found.value), id_in(passage_id), key="viewer"))


def _back() -> VdomDict:
    return link_button(t("All documents"), use_connection().href_back(PATH), icon_name="arrow_back")


@component
def _viewer(document_id: str, passage_id: UUID | None) -> VdomDict:
    """A document, opened at a passage if one is given or in the address."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    unknown, set_unknown = use_state(_UnknownPage())
    query = query_in_address(ViewQuery, url)
    if passage_id is not None:
        query = query.model_copy(update={"passage": passage_id})

    async def read() -> DocumentView:
        return await viewing.read_view(connection.core, actor, parse_id(document_id, t("The document")), query)

    found = use_query(
        read,
        key=[actor.id, document_id, query.model_copy(update={"zoom": "100"})],
        topics=[collecting.documents_topic(actor.workspace_id)],
        with_session=False,
    )
    if found.is_missing:
        return page(
            t("Document"),
            empty(t("This document no longer exists, or you do not have access to it."), _back(), icon_name="train"),
        )
    if found.error:
        return page(t("Document"), problem(found.error, on_retry=found.reload), actions=[_back()])
    if found.value is None:
        return page(t("Document"), loading(t("Loading document")), actions=[_back()])
    view = found.value
    return page(
        view.document.title,
        *_notices(view, query),
        _bar(view, query, url, unknown.page if unknown.place == view.place else "", set_unknown) if view.place else None,
        _content(view, query),
        subtitle=view.document.filename if view.document.filename != view.document.title else None,
        actions=[
            link_button(
                t("Download original"),
                connection.href(f"/api/training/documents/{view.document.id}/file"),
                icon_name="download",
                download=True,
            ),
            _back(),
        ],
    )


def _missing_place(view: DocumentView, query: ViewQuery) -> str:
    """What is said if the address names a page or part that does not exist, and what is shown instead."""
    place = view.place
    if place is None or query.hit is not None:
        return ""
    if query.page is not None and query.page > max(place.pages, 1):
        if not place.pages:
            return t("This document has no pages. Showing its text.")
        return nt(
            "There is no page {page}. This document has {n} page; it is shown.",
            "There is no page {page}. This document has {n} pages; the last one is shown.",
            place.pages,
            page=query.page,
        )
    if view.page is None and query.part is not None and query.part > place.parts:
        return nt(
            "There is only {n} part here. Showing the last one.",
            "There are only {n} parts here. Showing the last one.",
            place.parts,
        )
    return ""


def _notices(view: DocumentView, query: ViewQuery) -> list[Child]:
    """What was read of the document, what was not, and why nothing, no passage, or another page is shown."""
    document, report = view.document, view.document.report
    notices: list[Child] = []
    if missing := _missing_place(view, query):
        notices.append(alert(missing, variant="info"))
    if document.replaced_by is not None:
        newer = text_link(t("Show the newer version"), use_connection().href(f"/dashboard/train/{document.replaced_by}"))
        notices.append(alert(t("A newer version has replaced this document."), newer, variant="info"))
    if report is not None and report.read_text:
        notices.append(html.p({"className": "fw-muted"}, t("Read: {parts}.", parts=report.read_text)))
    if report is not None and report.left_out_text:
        said = t("Left out of answers and drafts: {parts}.", parts=report.left_out_text)
        notices.append(html.p({"className": "fw-muted"}, said))
    if report is not None and report.unread_text:
        notices.append(alert(t("Not read: {parts}.", parts=report.unread_text), variant="warning"))
    if report is not None and report.uncertain_text:
        notices.append(alert(t("Recognized with low confidence: {pages}.", pages=report.uncertain_text), variant="warning"))
    if document.error:
        notices.append(alert(document.error))
    elif view.portion is None and document.is_underway:
        notices.append(
            alert(t("This document is being processed. Its text appears here as soon as it has been read."), variant="info")
        )
    elif view.portion is None and document.state == DocumentState.TRAINED:
        notices.append(alert(t("An earlier release read this document. Train it again to see its text."), variant="info"))
    elif view.portion is None:
        notices.append(alert(t("This document is not trained yet. Train it to see its text."), variant="info"))
    if view.problem and not document.error:
        notices.append(alert(view.problem, variant="warning"))
    if view.is_passage_missing:
        notices.append(alert(t("This passage is no longer in the document. The document has changed."), variant="info"))
    if view.portion is not None and view.portion.is_cut and view.page is None:
        notices.append(alert(t("This part is too long to show in full. Download the original to see all of it."), variant="info"))
    return notices


def _content(view: DocumentView, query: ViewQuery) -> Child:
    if view.page is not None:
        return shown_page(view.document, view.page, query)
    if view.portion is None:
        return None
    if not view.portion.blocks:
        return html.div({"data-pages": _name_of(view, query)}, empty(t("There is no text on this page."), icon_name="train"))
    return shown_blocks(view.portion.blocks, name=_name_of(view, query))


def _name_of(view: DocumentView, query: ViewQuery) -> str:
    return f"{view.place} {query.find} {query.hit} {query.passage} {query.quotes}"


def _bar(
    view: DocumentView, query: ViewQuery, url: UrlState, unknown: str, set_unknown: Callable[[_UnknownPage], None]
) -> VdomDict:
    """The controls: pages, how they are shown, and the search. `unknown` is a page that does not exist, but was typed."""

    def zoom(value: str) -> None:
        url.go(zoom=None if value == "100" else value)

    def show_hidden(is_shown: bool) -> None:
        url.go(hidden="true" if is_shown else None)

    views = [Tab("pages", t("Pages"), url.href(view=None)), Tab("text", t("Text"), url.href(view="text"))]
    return html.div(
        {"className": "fw-viewer-bar", "role": "group", "aria-label": t("Document view"), "data-page-keys": True},
        _pages(view, url, unknown, set_unknown),
        _search(view, query, url),
        tabs(views, query.view, label=t("View")) if view.has_pictures else None,
        select_field(
            "zoom",
            t("Zoom"),
            [Option(each, percent(int(each) / 100)) for each in _ZOOMS],
            value=query.zoom,
            on_change=zoom,
            small=True,
        )
        if view.page is not None
        else None,
        checkbox("hidden", t("Show hidden text"), checked=query.hidden, on_change=show_hidden)
        if view.page is None and view.portion is not None and view.portion.has_hidden
        else None,
    )


def _pages(view: DocumentView, url: UrlState, unknown: str, set_unknown: Callable[[_UnknownPage], None]) -> VdomDict | None:
    """The links to the next and the previous page, and a field for the number of a page."""
    place = view.place
    if place is None or (place.previous is None and place.next is None):
        return None

    def link(label: str, at: Place | None, icon_name: str, shortcut: str) -> VdomDict:
        href = url.href(page=at[0], part=at[1] if at[1] > 1 else None, hit=None) if at is not None else None
        return _icon_link(label, href, icon_name, shortcut=shortcut)

    def go(fields: Fields) -> None:
        typed = str(fields.get("page", "")).strip()
        number = (
            place.labels.index(typed) + 1 if typed in place.labels else int(typed) if typed.isdecimal() and len(typed) < 10 else 0
        )
        is_known = 1 <= number <= (place.pages or place.parts)
        set_unknown(_UnknownPage() if is_known or not typed else _UnknownPage(typed, place))
        if not is_known:
            return
        if place.pages:
            url.go(page=number, part=None, hit=None)
        else:
            url.go(page=None, part=number, hit=None)

    label = place.labels[place.page - 1] if place.labels else ""
    if place.pages:
        shown = t("Page {page} of {pages}", page=place.page, pages=place.pages)
        if label and label != str(place.page):
            shown = t("Page {label} ({page} of {pages})", label=label, page=place.page, pages=place.pages)
        if place.parts > 1:
            shown += " · " + t("Part {part} of {parts}", part=place.part, parts=place.parts)
    else:
        shown = t("Part {part} of {parts}", part=place.part, parts=place.parts)
    return html.div(
        {"className": "fw-viewer-pages", "role": "group", "aria-label": t("Pages")},
        link(t("Previous page"), place.previous, "chevron_left", "p PageUp"),
        form(
            text_field(
                "page",
                t("Page") if place.pages else t("Part"),
                value=label or str(place.page if place.pages else place.part),
                error=_unknown_page(place, unknown) if unknown else None,
                type="search" if place.labels else "number",  # never kept as unsaved text
                maxlength=20,
                small=True,
            ),
            on_submit=go,
            label=t("Go to page"),
        ),
        link(t("Next page"), place.next, "chevron_right", "n PageDown"),
        html.p({"className": "fw-muted fw-small", "role": "status"}, shown),
    )


def _unknown_page(place: Position, typed: str) -> str:
    if not place.pages:
        return t("There is no part “{part}”. Enter a number from 1 to {parts}.", part=typed, parts=place.parts)
    label = next((label for number, label in enumerate(place.labels, 1) if label != str(number)), "")
    if label:
        return t(
            "There is no page “{page}”. Enter a number from 1 to {pages}, or a label such as “{label}”.",
            page=typed,
            pages=place.pages,
            label=label,
        )
    return t("There is no page “{page}”. Enter a number from 1 to {pages}.", page=typed, pages=place.pages)


def _search(view: DocumentView, query: ViewQuery, url: UrlState) -> VdomDict | None:
    """The search within the document, and its matches."""
    portion = view.portion
    if portion is None:
        return None

    def search(fields: Fields) -> None:
        words = str(fields.get("find", "")).strip()
        url.go(find=words, hit=1 if words else None)

    def link(label: str, hit: int, icon_name: str) -> VdomDict:
        return _icon_link(label, url.href(hit=hit, page=None, part=None), icon_name)

    is_searched = bool(query.find.strip())
    return html.div(
        {"className": "fw-viewer-search", "role": "search"},
        form(
            text_field(
                "find",
                t("Search in this document"),
                type="search",
                value=query.find,
                maxlength=200,
                small=True,
                end=icon_button(t("Search"), "search", type="submit", small=True),
            ),
            on_submit=search,
            label=t("Search in this document"),
        ),
        html.p(
            {"className": "fw-muted fw-small", "role": "status"},
            None
            if not is_searched
            else t("Match {number} of {hits}", number=portion.hit, hits=portion.hits)
            if portion.hit
            else nt("{n} match", "{n} matches", portion.hits),
        ),
        link(t("Previous match"), portion.previous_hit, "arrow_up") if is_searched and portion.hits else None,
        link(t("Next match"), portion.next_hit, "arrow_down") if is_searched and portion.hits else None,
    )


def _icon_link(label: str, href: str | None, icon_name: str, *, shortcut: str | None = None) -> VdomDict:
    """A link with only an icon, or a disabled button in its place."""
    if href is None:
        return icon_button(label, icon_name, small=True, disabled=True, key=label)
    return html.a(
        attributes(
            className="fw-icon-button fw-icon-button-small",
            href=href,
            aria_label=label,
            title=label,
            aria_keyshortcuts=shortcut,
            key=label,
        ),
        icon(icon_name),
    )
