"""Which of our documents drafts leave out: outdated ones, and those that are about another organization."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from fundwright.reading.company import infer_company, is_named_in, is_of_another
from fundwright.reading.entries import entries_of
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.labels import words_of
from fundwright.training.schemas import DocumentText

_OFFERORS = frozenset(("offeror", "contractor", "vendor", "bidder", "applicant"))
_YEARS = 2
"""A newer document makes another one outdated if it is this many years younger. One of last year is often still right."""
READ_CHARACTERS = 60_000
"""Of each document."""
KINDS_LEFT_OUT = frozenset((DocumentKind.ABOUT_US, DocumentKind.PAST_PERFORMANCE))
"""Kinds of which a document may be left out, because it is about another company or a newer one replaces it."""
_SAID_IN_PROSE = {
    "employees": re.compile(r"\b(\d[\d,]{0,8}) (?:full-time )?(?:employees|staff|people)\b", re.IGNORECASE),
    "phone": re.compile(r"(?<![\d-])(\(?\d{3}\)?[ .-]\d{3}[.-]\d{4})(?![\d-])"),
    "address": re.compile(
        r"\b(\d{1,5} (?:[A-Z][\w.]{0,20} ){1,3}(?:St|Street|Ave|Avenue|Road|Rd|Blvd|Boulevard|Lane|Drive|Parkway|Way)\b)"
    ),
}
"""What organizations say of themselves without a label."""


@dataclass(frozen=True)
class LeftOut:
    """Why drafts leave a document out: the newer one, or None if it is about another organization."""

    newer: UUID | None = None


def used_by_drafts(documents: Sequence[DocumentText], company: str) -> list[DocumentText]:
    """Return the documents that drafts do not leave out."""
    reasons = reasons_to_leave_out(documents, company)
    return [document for document in documents if document.is_always_used or document.id not in reasons]


def reasons_to_leave_out(documents: Sequence[DocumentText], company: str = "") -> Mapping[UUID, LeftOut]:
    """Return the documents that drafts leave out unless a person lets drafts use them. The documents name the company if it is not given.

    A sheet about the projects of another contractor is not ours, and neither is a document about an organization that never names the company, if
    two others do, or one if the name is given. A document about us is outdated if one that is more than two years younger is a version of it, or states another
    value of the same label.
    """
    is_given = bool(company)
    company = company or infer_company([(document.kind, document.text) for document in documents])
    foreign = [each for each in documents if each.kind == DocumentKind.PAST_PERFORMANCE and _is_of_another(each.text, company)]
    about_us = [each for each in documents if each.kind == DocumentKind.ABOUT_US]
    naming = [each for each in documents if is_named_in(each.text, company)]
    if naming and (is_given or len(naming) > 1):  # one document alone does not say whose name it is
        foreign += [each for each in about_us if each not in naming or _presents_another(each, company)]
    found = {each.id: LeftOut() for each in foreign}
    ours = [(each, _stated(each.text)) for each in about_us if each.id not in found]
    for older, stated in ours:
        newer = [
            each for each, other in ours if _is_much_newer(each.dated, older.dated) and _replaces(each, other, older, stated)
        ]
        if newer:
            found[older.id] = LeftOut(max(newer, key=lambda each: each.dated or date.min).id)
    return found


def _is_of_another(text: str, company: str) -> bool:
    """Whether a sheet that never names the company says whose projects it is about: “Offeror: Copper Hill Textiles LLC.”"""
    if is_named_in(text, company):
        return False
    values = (value for entry in entries_of(text[:READ_CHARACTERS], lambda _: ()) for value in entry.values)
    return is_of_another(text, company) or any(_OFFERORS & {*words_of(value.label)} for value in values)


def _presents_another(document: DocumentText, company: str) -> bool:
    """Whether a page presents another organization, although it names ours, as a partner or customer."""
    own = infer_company([(document.kind, document.text)])
    if not own or is_named_in(own, company) or is_named_in(company, own):
        return False
    beginning = document.text[:READ_CHARACTERS]
    return beginning.count(own.partition(",")[0]) > beginning.count(company.split()[0].rstrip(","))


def _is_much_newer(newer: date | None, older: date | None) -> bool:
    return (
        newer is not None
        and older is not None
        and (newer.year - _YEARS, newer.month, newer.day) > (older.year, older.month, older.day)
    )


def _replaces(
    newer: DocumentText, other: Mapping[str, frozenset[str]], older: DocumentText, stated: Mapping[str, frozenset[str]]
) -> bool:
    return newer.resembles == older.id or any(stated[label].isdisjoint(other[label]) for label in stated.keys() & other.keys())


def _stated(text: str) -> Mapping[str, frozenset[str]]:
    """Return the values that a document states, by label."""
    found: dict[str, set[str]] = {}
    for label, value in _values(text[:READ_CHARACTERS]):
        found.setdefault(label, set()).add("".join(re.findall(r"\w", value.casefold())))
    return {label: frozenset(values) for label, values in found.items()}


def _values(text: str) -> Iterator[tuple[str, str]]:
    for label, said in _SAID_IN_PROSE.items():
        yield from ((label, each[1]) for each in said.finditer(text))
    for entry in entries_of(text, lambda _: ()):
        yield from ((value.label.casefold(), value.text) for value in entry.values if value.label)
