"""The results of checking a draft: how many claims are supported, and which are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.generation.citing import numbers_in
from fundwright.generation.schemas import Checking, CheckState, ClaimCheck, DraftRead, DraftSectionRead
from fundwright_ui.ui import button, chip, empty, pagination, row, section
from fundwright_ui.widgets import Citation, CitationOpened, ClaimMark, markdown_view

_CLAIMS_PER_PAGE = 50


def claim_counts(draft: DraftRead, *, only_unsupported: bool, show_only_unsupported: Callable[[bool], None]) -> VdomDict | None:
    """The counts of claims that are supported, not found, and without a source, without zeros, and a filter for the last two.
    Also says whether sections are being checked, or are too long for it."""
    supported, not_found, no_source = (draft.count_claims(state) for state in CheckState)
    too_long = sum(part.checking is Checking.TOO_LONG for part in draft.sections)
    notes: list[str | None] = [
        None if draft.is_checked else t("Checking…"),
        nt("{n} section is too long to check completely", "{n} sections are too long to check completely", too_long)
        if too_long
        else None,
    ]
    if not supported + not_found + no_source and not any(notes):
        return None
    counts: list[str | None] = [
        nt("{n} supported", "{n} supported", supported) if supported else None,
        nt("{n} not found in the source", "{n} not found in the source", not_found) if not_found else None,
        nt("{n} without a source", "{n} without a source", no_source) if no_source else None,
    ]
    if supported and not not_found + no_source:
        counts = [nt("{n} sentence, supported", "{n} sentences, all supported", supported)]
    return html.span(
        {"role": "group", "aria-label": t("Checked sentences"), "key": "claims"},
        html.span({"role": "status"}, " · ".join(each for each in (*counts, *notes) if each)),
        button(
            t("Show full draft") if only_unsupported else t("Show only unsupported sentences"),
            size="small",
            variant="text",
            on_click=lambda: show_only_unsupported(not only_unsupported),
        )
        if only_unsupported or not_found + no_source
        else None,
    )


def marks_of(part: DraftSectionRead) -> list[ClaimMark]:
    """The marks for unsupported claims in the text of a section."""
    return [
        ClaimMark(start=check.start, end=check.end, is_cited=check.state is CheckState.NOT_FOUND, note=_label(check))
        for check in _unsupported(part)
    ]


@component
def unsupported_claims(
    draft: DraftRead,
    open_passage: Callable[[int], None],
    edit: Callable[[DraftSectionRead], Callable[[], None]] | None,
) -> VdomDict:
    """The unsupported claims under the headings of their sections, each with what was not found and its passages, in pages."""
    page, set_page = use_state(1)
    found = [(part, check) for part in draft.sections for check in _unsupported(part)]
    pages = max(1, -(-len(found) // _CLAIMS_PER_PAGE))
    page = min(page, pages)  # some have been corrected meanwhile
    titles = {citation.number: citation.document_title for citation in draft.citations}
    shown: dict[UUID, list[tuple[DraftSectionRead, ClaimCheck]]] = {}
    for part, check in found[(page - 1) * _CLAIMS_PER_PAGE : page * _CLAIMS_PER_PAGE]:
        shown.setdefault(part.id, []).append((part, check))
    if not shown:
        return empty(t("Every checked sentence is supported by the passages it cites."), icon_name="check")
    return html.fragment(
        *(
            section(
                t(part.heading),
                html.ul(
                    {"className": "fw-list", "aria-label": t("Unsupported sentences in {heading}", heading=t(part.heading))},
                    *(_claim(part, check, titles, open_passage, key=str(check.start)) for _, check in of_part),
                ),
                actions=[
                    button(t("Edit"), size="small", aria_label=t("Edit {heading}", heading=t(part.heading)), on_click=edit(part))
                ]
                if edit
                else [],
                key=f"unsupported-{part.id}",
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


def _unsupported(part: DraftSectionRead) -> Sequence[ClaimCheck]:
    return [check for check in part.checks if check.state is not CheckState.SUPPORTED]


def _label(check: ClaimCheck) -> str:
    return t("Not found in the source") if check.state is CheckState.NOT_FOUND else t("No source")


def _reason(check: ClaimCheck) -> str:
    if check.state is CheckState.NO_SOURCE:
        return t("This sentence has no citation.")
    if check.missing:
        return t("Not in the cited passages: {words}", words=", ".join(f"“{word}”" for word in check.missing))
    return t("The cited passages do not clearly say this.")
