"""The passages that a draft cites: the one that is open beside the draft, and all of them by document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from textwrap import shorten
from typing import Protocol
from uuid import UUID

from pydantic import BaseModel
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.generation.citing import CITATION, count_citations
from fundwright.generation.schemas import CitationRead, ClaimCheck, DraftRead, DraftSectionRead
from fundwright.language.schemas import headings_below, nearest_heading
from fundwright.reading.kinds import DocumentKind
from fundwright.training import collecting, versions
from fundwright.training import service as training
from fundwright.training.schemas import IncompleteDocuments, VersionNote
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.events import handler
from fundwright_ui.screens.generate.draft_checks import provenance_of
from fundwright_ui.ui import moment, pagination, row, section, side_panel, text_link

_PASSAGES_PER_PAGE = 50
_FOLLOWS = re.compile(rf"(?:[\s.,;:!?…\"”’)*_|]|{CITATION.pattern})*")
"""What stands between a sentence and its citation."""
_SHOWN_CHARACTERS = 60
"""Length of the excerpt that stands for a passage without a heading."""


class CitedDocuments(BaseModel):
    """What is known about the cited documents: kinds, what was not read, and versions."""

    kinds: dict[UUID, DocumentKind] = {}
    unread: dict[UUID, str] = {}
    versions: dict[UUID, VersionNote] = {}


class OpenPassage(Protocol):
    """Opens a passage; `at` is the citation that was pressed, as `place_of` writes it."""

    def __call__(self, number: int, at: str = "") -> None: ...


def place_of(part: DraftSectionRead, place: int | None) -> str:
    """The section and the place among its citations, for the address."""
    return f"{part.id}:{place}" if place is not None else ""


def passage_panel(draft: DraftRead, number: str, at: str, close: Callable[[], None], *, is_marked: bool) -> VdomDict | None:
    """The passage with this number, if there is one. The words of the sentence of the citation `at`, or of the whole draft, are
    marked unless its claims are shown as unsupported."""
    citation = next((citation for citation in draft.citations if str(citation.number) == number), None)
    if citation is None:
        return None
    if citation.is_restricted:
        return side_panel(
            f"[{citation.number}] {citation.document_title}",
            html.p(t("This document is restricted to chosen members. Ask the person who started the draft what it says.")),
            label=t("Passage {number}", number=citation.number),
            close=t("Close passage"),
            on_close=close,
            key=f"passage-{citation.number}",
        )
    found = _check_at(draft, at)
    quotes = tuple((quote.start, quote.end) for quote in found[1].quotes if quote.number == citation.number) if found else ()
    citation = citation.model_copy(update={"quotes": quotes or citation.quotes})
    return side_panel(
        f"[{citation.number}] {citation.document_title}",
        provenance_of(found[1], found[0], citation) if found else None,
        html.blockquote(
            {"className": "fw-passage fw-prewrap", "dir": "auto"}, *(_marked(citation) if is_marked else (citation.text,))
        ),
        row(
            text_link(
                t("Show in the document"),
                use_connection().href(training.path_of_passage(citation.document_id, citation.passage_id, citation.quotes)),
            )
        )
        if citation.document_id is not None and citation.passage_id is not None
        else None,
        label=t("Passage {number}", number=citation.number),
        subtitle=_within(citation),
        close=t("Close passage"),
        on_close=close,
        key=f"passage-{citation.number}",
    )


@component
def cited_documents(draft: DraftRead, opened: str, open_passage: Callable[[int], None]) -> VdomDict | None:
    """The documents that the draft cites, with their kinds, how often each is cited, and the cited passages."""
    actor = use_actor()
    page, set_page = use_state(1)
    counts = Counter[int]()
    for part in draft.sections:
        counts.update(count_citations(part.text))
    documents: dict[UUID | None, list[CitationRead]] = {}
    for citation in draft.citations:
        if counts[citation.number]:
            documents.setdefault(citation.document_id, []).append(citation)

    cited = [citation for of_document in documents.values() for citation in of_document]
    pages = -(-len(cited) // _PASSAGES_PER_PAGE)
    page = min(page, pages)
    shown: dict[UUID | None, list[CitationRead]] = {}
    for citation in cited[(page - 1) * _PASSAGES_PER_PAGE : page * _PASSAGES_PER_PAGE]:
        shown.setdefault(citation.document_id, []).append(citation)
    known = sorted(id for id in shown if id is not None)

    async def read(session: AsyncSession) -> CitedDocuments:
        return CitedDocuments(
            kinds=await training.kinds_of(session, actor, known),
            unread=await training.unread_of(session, actor, known),
            versions=await versions.notes_of(session, actor, known),
        )

    found = use_query(read, key=known, topics=[collecting.documents_topic(actor.workspace_id)]).value or CitedDocuments()

    def entry(number: int, label: str) -> VdomDict:
        return html.button(
            {
                "type": "button",
                "className": "fw-source-passage",
                "aria-label": t("Show passage {number}", number=number),
                "aria-current": "true" if str(number) == opened else None,
                "onClick": handler(lambda: open_passage(number)),
                "key": str(number),
            },
            html.span({"className": "fw-source-number"}, str(number)),
            html.span({"dir": "auto"}, label) if label else None,
        )

    def entries(of_document: Sequence[CitationRead]) -> Iterator[VdomDict]:
        """The passages by their places in the document. Several records of one place are listed after its name, which appears once."""
        places: dict[str, list[int]] = {}
        for citation in of_document:
            label = t("Withheld") if citation.is_restricted else _within(citation) or _beginning(citation)
            places.setdefault(label, []).append(citation.number)
        for label, (first, *more) in places.items():
            shown = [entry(number, "") for number in (first, *more)] if more else [entry(first, label)]
            heading = html.span({"dir": "auto", "className": "fw-source-place"}, label) if more else None
            yield html.li({"key": str(first), "className": "fw-source-group" if more else None}, heading, *shown)

    if not shown:
        return None
    return section(
        t("Sources"),
        html.ul(
            {"className": "fw-sources", "aria-label": t("Sources")},
            *(
                html.li(
                    {"key": str(document_id)},
                    html.p({"className": "fw-strong", "dir": "auto"}, of_document[0].document_title),
                    html.p(
                        {"className": "fw-muted fw-small"},
                        " · ".join(
                            [
                                *([found.kinds[document_id].label] if document_id in found.kinds else []),
                                _times(sum(counts[citation.number] for citation in documents[document_id])),
                            ]
                        ),
                    ),
                    _version(found.versions.get(document_id) if document_id else None),
                    html.p({"className": "fw-small fw-warning-text"}, t("Not read: {parts}", parts=found.unread[document_id]))
                    if document_id in found.unread
                    else None,
                    html.ul({"className": "fw-source-passages"}, *entries(of_document)),
                )
                for document_id, of_document in shown.items()
            ),
        ),
        pagination(page, pages, on_page=set_page),
        key="sources",
    )


@component
def incomplete_documents(draft: DraftRead) -> VdomDict | None:
    """The documents that the draft was given and does not cite, if parts of them were not read."""
    actor, connection = use_actor(), use_connection()
    counts = Counter[int]()
    for part in draft.sections:
        counts.update(count_citations(part.text))
    cited = sorted({each.document_id for each in draft.citations if each.document_id is not None and counts[each.number]})

    async def read(session: AsyncSession) -> IncompleteDocuments:
        return await training.list_incomplete(session, actor, document_ids=draft.document_ids or None, except_ids=cited)

    topics = [collecting.documents_topic(actor.workspace_id)]
    found = use_query(read, key=[draft.document_ids, cited], topics=topics).value
    if found is None or not found.documents:
        return None
    return section(
        t("Sources that were not read completely"),
        html.p(
            {"className": "fw-hint"},
            t("The draft does not cite these documents. What was not read in them could not be used."),
        ),
        html.ul(
            {"className": "fw-sources", "aria-label": t("Sources that were not read completely")},
            *(
                html.li(
                    {"key": str(each.id)},
                    html.p({"dir": "auto"}, text_link(each.title, connection.href(f"/dashboard/train/{each.id}"))),
                    html.p({"className": "fw-small fw-warning-text"}, t("Not read: {parts}", parts=each.unread)),
                )
                for each in found.documents
            ),
        ),
        html.p({"className": "fw-hint"}, nt("and {n} more", "and {n} more", found.more)) if found.more else None,
        key="incomplete",
    )


def _version(note: VersionNote | None) -> VdomDict | None:
    """Whether a document is the newest version of others, or was replaced since the draft cited it."""
    if note is not None and note.replaced_at is not None:
        replaced_at = moment(note.replaced_at, shown="date")
        return html.p({"className": "fw-small fw-warning-text"}, t("Replaced by a version added on"), " ", replaced_at)
    if note is not None and note.added is not None:
        added = moment(note.added, shown="date")
        return html.p({"className": "fw-small fw-muted"}, t("Newest version, added on"), " ", added)
    return None


def _times(count: int) -> str:
    return nt("cited {n} time", "cited {n} times", count)


def title_within(citation: CitationRead) -> str:
    """The document and the position of the passage in it, which tells the passages of a document apart."""
    return " · ".join(filter(None, (citation.document_title, _within(citation))))


def _within(citation: CitationRead) -> str:
    """The position of the passage in its document."""
    on_page = t("page {page}", page=citation.page_label or citation.page) if citation.page is not None else ""
    heading = nearest_heading(headings_below(citation.document_title, citation.heading))
    return " · ".join(filter(None, (heading, on_page)))


def _beginning(citation: CitationRead) -> str:
    """The beginning of what is cited; without quotations, of the passage."""
    start = min((start for start, _ in citation.quotes), default=0)
    return shorten(citation.text[start:], _SHOWN_CHARACTERS, placeholder="…")


def _check_at(draft: DraftRead, at: str) -> tuple[DraftSectionRead, ClaimCheck] | None:
    """The check of the sentence of a citation, and its section; none if there is no such citation any more."""
    id, _, place = at.partition(":")
    known = {citation.number for citation in draft.citations}
    for part in draft.sections:
        if str(part.id) != id or not place.isdecimal():
            continue
        cited = [found for found in CITATION.finditer(part.text) if {int(each) for each in re.split("[,;]", found[1])} <= known]
        start = cited[int(place)].start() if int(place) < len(cited) else -1
        before = [check for check in part.checks if check.start <= start]
        return (
            (part, before[-1]) if before and _FOLLOWS.fullmatch(part.text, before[-1].end, max(start, before[-1].end)) else None
        )
    return None


def _marked(citation: CitationRead) -> list[VdomDict | str]:
    """The text of the passage in pieces; quoted ones are in `mark`."""
    cuts = sorted({0, len(citation.text), *(cut for quote in citation.quotes for cut in quote)})
    pieces: list[VdomDict | str] = []
    for start, end in pairwise(cuts):
        text = citation.text[start:end]
        is_quoted = any(first <= start and end <= last for first, last in citation.quotes)
        pieces.append(html.mark(text) if is_quoted else text)
    return pieces
