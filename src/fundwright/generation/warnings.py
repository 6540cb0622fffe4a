"""What a person should check before a draft is submitted: figures that its sources do not state, placeholders, and what is not meant for others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from fundwright.generation.citing import numbers_in, without_marks
from fundwright.generation.claims import CLOSING, PLACEHOLDER
from fundwright.generation.schemas import DraftRead, DraftSectionRead, ExportWarning, ExportWarningKind
from fundwright.reading.sentences import spans_of

_FILLER = re.compile(r"\{\{[^{}\n]{1,80}\}\}|(?<![\w-])X{3,}(?![\w-])|\blorem ipsum\b", re.IGNORECASE)
_INTERNAL = re.compile(
    r"\binternal (?:use )?only\b|\binternal notes?\b|\bnotes? to (?:self|reviewers?)\b|\bnot for (?:release|submission|publication)\b"
    r"|\b(?:do not|don't|don’t|never) (?:cite|quote|share|distribute)\b",
    re.IGNORECASE,
)
_SHORTEST = 2
"""Letters in brackets. “[x]” and “[ ]” are boxes."""
_BLANK = " \t\n\r*_\\-–—"


def warnings_of(draft: DraftRead, internal: Collection[int] = ()) -> list[ExportWarning]:
    """Return what to check, in the order of the draft. `internal` are the numbers of citations whose documents are not meant for others."""
    found: list[ExportWarning] = []
    for place, section in enumerate(draft.sections):
        if not section.text.strip():
            found.append(_warning(ExportWarningKind.EMPTY, section))
            continue
        later = "".join(each.text for each in draft.sections[place + 1 :])
        of_section = [*_unsupported(section), *_in_sentences(section, internal), *_unsigned(section, later)]
        found += sorted(of_section, key=lambda each: each.start or 0)
    return found


def _warning(
    kind: ExportWarningKind, section: DraftSectionRead, start: int = 0, end: int = 0, details: tuple[str, ...] = ()
) -> ExportWarning:
    text = " ".join(without_marks(section.text[start:end]).split())
    return ExportWarning(
        kind=kind, section_id=section.id, heading=section.heading, start=start, end=end, text=text, details=details
    )


def _unsupported(section: DraftSectionRead) -> Iterator[ExportWarning]:
    for check in section.checks:
        if check.missing:
            yield _warning(ExportWarningKind.UNSUPPORTED, section, check.start, check.end, check.missing)


def _in_sentences(section: DraftSectionRead, internal: Collection[int]) -> Iterator[ExportWarning]:
    for start, end in spans_of(section.text):
        sentence = section.text[start:end]
        brackets = (each[0] for each in PLACEHOLDER.finditer(sentence) if len(each[0].strip("[] ")) >= _SHORTEST)
        open_ones = dict.fromkeys([*brackets, *(each[0] for each in _FILLER.finditer(sentence))])
        if open_ones:
            yield _warning(ExportWarningKind.PLACEHOLDER, section, start, end, tuple(open_ones))
        if _INTERNAL.search(sentence) or numbers_in(sentence) & set(internal):
            yield _warning(ExportWarningKind.INTERNAL, section, start, end)


def _unsigned(section: DraftSectionRead, later: str) -> Iterator[ExportWarning]:
    closing = next(iter(reversed([*CLOSING.finditer(section.text)])), None)
    if closing and not (section.text[closing.end() :] + later).strip(_BLANK):
        yield _warning(ExportWarningKind.UNSIGNED, section, closing.start(), closing.end())
