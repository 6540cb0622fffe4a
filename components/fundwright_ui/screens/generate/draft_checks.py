"""The results of checking a draft: where its sentences come from, and which a person must look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import nt, number, t
from fundwright.generation.citing import numbers_in, without_marks
from fundwright.generation.schemas import Checking, CitationRead, ClaimCheck, DraftRead, DraftSectionRead, Provenance
from fundwright_ui.ui import button, chip, empty, pagination, row, section
from fundwright_ui.widgets import Citation, CitationOpened, ClaimMark, markdown_view

_CLAIMS_PER_PAGE = 50
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w+|\W+")


def claim_counts(draft: DraftRead, *, only_open: bool, show_only_open: Callable[[bool], None]) -> VdomDict | None:
    """How many sentences are quoted, edited, in other words, and without a source, without zeros; how many figures and names of those in other words
    were found; and a filter for those that a person must look at. Also says whether sections are being checked, or are too long for it."""
    checks = draft.checks
    quoted, edited, written, without = (sum(check.provenance is each for check in checks) for each in Provenance)
    found, missing = sum(check.found for check in checks), sum(len(check.missing) for check in checks)
    too_long = sum(part.checking is Checking.TOO_LONG for part in draft.sections)
    shown: list[str | None] = [
        nt("{n} quoted", "{n} quoted", quoted) if quoted else None,
        nt("{n} edited quotation", "{n} edited quotations", edited) if edited else None,
        nt("{n} in other words", "{n} in other words", written) if written else None,
        nt("{found} of {n} figure or name found", "{found} of {n} figures and names found", found + missing, found=number(found))
        if found + missing
        else None,
        nt("{n} without a source", "{n} without a source", without) if without else None,
        None if draft.is_checked else t("Checking…"),
        nt("{n} section is too long to check completely", "{n} sections are too long to check completely", too_long)
        if too_long
        else None,
    ]
    if not any(shown):
        return None
    return html.span(
        {"role": "group", "aria-label": t("Checked sentences"), "key": "claims"},
        html.span({"role": "status"}, " · ".join(each for each in shown if each)),
        button(
            t("Show full draft") if only_open else t("Show only sentences to check"),
            size="small",
            variant="text",
            on_click=lambda: show_only_open(not only_open),
        )
        if only_open or any(check.is_open for check in checks)
        else None,
    )


def marks_of(part: DraftSectionRead) -> list[ClaimMark]:
    """The marks for claims that a person must look at, in the text of a section."""
    return [
        ClaimMark(start=check.start, end=check.end, is_cited=check.provenance is not Provenance.NO_SOURCE, note=_label(check))
        for check in _open(part)
    ]


def provenance_of(check: ClaimCheck, part: DraftSectionRead, citation: CitationRead) -> VdomDict:
    """Where a sentence comes from: its words that are not in the passage are marked as inserted."""
    sentence = without_marks(part.text[check.start : check.end])
    source = {word.casefold() for start, end in citation.quotes for word in _WORD.findall(citation.text[start:end])}
    pieces = [
        html.ins(piece) if _WORD.fullmatch(piece) and piece.casefold() not in source else piece
        for piece in _PIECE.findall(sentence)
    ]
    return html.div(
        {"className": "fw-small", "key": "provenance"},
        row(chip(check.provenance.label), html.span({"className": "fw-muted"}, _explained(check))),
        html.p({"dir": "auto", "className": "fw-muted"}, t("In the draft:"), " ", *pieces)
        if check.provenance in (Provenance.EDITED, Provenance.WRITTEN)
        else None,
    )


@component
def open_claims(
    draft: DraftRead,
    open_passage: Callable[[int], None],
    edit: Callable[[DraftSectionRead], Callable[[], None]] | None,
) -> VdomDict:
    """The claims that a person must look at, under the headings of their sections, each with what was not found and its passages, in pages."""
    page, set_page = use_state(1)
    found = [(part, check) for part in draft.sections for check in _open(part)]
    pages = max(1, -(-len(found) // _CLAIMS_PER_PAGE))
    page = min(page, pages)  # some have been corrected meanwhile
    titles = {citation.number: citation.document_title for citation in draft.citations}
    shown: dict[UUID, list[tuple[DraftSectionRead, ClaimCheck]]] = {}
    for part, check in found[(page - 1) * _CLAIMS_PER_PAGE : page * _CLAIMS_PER_PAGE]:
        shown.setdefault(part.id, []).append((part, check))
    if not shown:
        return empty(
            t(
                "No sentences to check. Every sentence cites a source, and all figures and names were found there. The meaning was not checked."
            ),
            icon_name="check",
        )
    return html.fragment(
        *(
            section(
                t(part.heading),
                html.ul(
                    {"className": "fw-list", "aria-label": t("Sentences to check in {heading}", heading=t(part.heading))},
                    *(_claim(part, check, titles, open_passage, key=str(check.start)) for _, check in of_part),
                ),
                actions=[
                    button(t("Edit"), size="small", aria_label=t("Edit {heading}", heading=t(part.heading)), on_click=edit(part))
                ]
                if edit
                else [],
                key=f"open-{part.id}",
            )
            for of_part in shown.values()
            for part, _ in of_part[:1]
        ),
        pagination(page, pages, on_page=set_page),
    )


@component
def _claim(part: DraftSectionRead, check: ClaimCheck, titles: Mapping[int, str], open_passage: Callable[[int], None]) -> VdomDict:
    text = _shown(part.text[check.start : check.end])

    def opened(event: CitationOpened) -> None:
        open_passage(event.number)

    def open_number(number: int) -> Callable[[], None]:
        return lambda: open_passage(number)

    return html.li(
        {"className": "fw-list-item"},
        markdown_view(
            text,
            citations=[Citation(number=number, title=titles[number]) for number in sorted(numbers_in(text) & titles.keys())],
            on_citation=opened,
            key="text",
        ),
        row(chip(_label(check), color="warning"), html.span({"className": "fw-muted fw-small"}, _reason(check))),
        row(
            *(
                button(
                    t("Compare with [{number}] {title}", number=number, title=titles[number]),
                    size="small",
                    variant="soft",
                    on_click=open_number(number),
                    key=str(number),
                )
                for number in check.numbers
            )
        )
        if check.numbers
        else None,
    )


def _shown(claim: str) -> str:
    """A claim on one line, without unbalanced emphasis marks."""
    line = claim.replace("\n", " ")
    for mark in ("**", "__"):
        if line.count(mark) % 2:
            line = line.replace(mark, "")
    return line


def _open(part: DraftSectionRead) -> Sequence[ClaimCheck]:
    return [check for check in part.checks if check.is_open]


def _label(check: ClaimCheck) -> str:
    return t("No source") if check.provenance is Provenance.NO_SOURCE else t("Check against the source")


def _reason(check: ClaimCheck) -> str:
    if check.provenance is Provenance.NO_SOURCE:
        return t("This sentence has no citation.")
    missing = ", ".join(f"“{word}”" for word in check.missing)
    return t("Not found together in the cited passages: {words}", words=missing)


def _explained(check: ClaimCheck) -> str:
    match check.provenance:
        case Provenance.QUOTED:
            return t("The passage says this word for word.")
        case Provenance.EDITED:
            return t("The passage says almost the same. Words that are not in it are marked below.")
        case Provenance.WRITTEN if check.missing:
            return _reason(check)
        case Provenance.WRITTEN if check.found:
            return nt(
                "{n} figure or name was found in the passage. The meaning was not checked.",
                "{n} figures and names were found in the passage. The meaning was not checked.",
                check.found,
            )
        case Provenance.WRITTEN:
            return t("The meaning was not checked.")
        case Provenance.NO_SOURCE:
            return t("This sentence has no citation.")
