"""The results of checking a draft: how many claims are supported, and which are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.generation.schemas import Checking, CheckState, ClaimCheck, DraftRead, DraftSectionRead
from fundwright_ui.ui import button, chip, empty, row, section
from fundwright_ui.widgets import Citation, CitationOpened, ClaimMark, markdown_view


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


def unsupported_claims(
    draft: DraftRead,
    open_passage: Callable[[int], None],
    edit: Callable[[DraftSectionRead], Callable[[], None]] | None,
) -> list[VdomDict]:
    """The unsupported claims under the headings of their sections, each with what was not found and its passages."""
    found = [
        section(
            t(part.heading),
            html.ul(
                {"className": "fw-list", "aria-label": t("Unsupported sentences in {heading}", heading=t(part.heading))},
                *(_claim(draft, part, check, open_passage) for check in _unsupported(part)),
            ),
            actions=[
                button(t("Edit"), size="small", aria_label=t("Edit {heading}", heading=t(part.heading)), on_click=edit(part))
            ]
            if edit
            else [],
            key=f"unsupported-{part.id}",
        )
        for part in draft.sections
        if _unsupported(part)
    ]
    return found or [empty(t("Every checked sentence is supported by the passages it cites."), icon_name="check")]


def _claim(draft: DraftRead, part: DraftSectionRead, check: ClaimCheck, open_passage: Callable[[int], None]) -> VdomDict:
    titles = {citation.number: citation.document_title for citation in draft.citations}

    def opened(event: CitationOpened) -> None:
        open_passage(event.number)

    def open_number(number: int) -> Callable[[], None]:
        return lambda: open_passage(number)

    return html.li(
        {"className": "fw-list-item", "key": f"{part.id}:{check.start}"},
        markdown_view(
            _shown(part.text[check.start : check.end]),
            citations=[Citation(number=number, title=title) for number, title in titles.items()],
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
