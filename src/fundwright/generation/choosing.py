"""Which of our documents drafts leave out: outdated ones, and those that are about another organization."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta
from enum import StrEnum
from uuid import UUID

from fundwright.core.messages import t
from fundwright.reading.company import infer_company, is_named_in, is_of_another
from fundwright.reading.entries import entries_of
from fundwright.reading.finding_details import forms_in, labels_and_values
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.labels import words_of
from fundwright.training.schemas import DocumentText

_OFFERORS = frozenset(("offeror", "contractor", "vendor", "bidder", "applicant"))
_NAMED = _OFFERORS | {"legal", "name", "company", "entity", "organization", "firm"}
_CURRENT_FOR = timedelta(days=731)
"""How long a document stays current. One of last year is often still right."""
_NAME, _CAPITALIZED = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_A-Z]{2,}"), re.compile(r"\b[A-Z][^\W\d_A-Z]{2,}")
_LEAST_SHARED, _SHARE = 3, 0.6
"""With these, 10 of 21 documents about the organizations in tests/firms that never name them are known to be theirs, and 6 of 29 others are taken for
theirs."""
_AGING = (DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL)
READ_CHARACTERS = 60_000
"""Of each document."""
KINDS_LEFT_OUT = frozenset((DocumentKind.ABOUT_US, DocumentKind.PAST_PERFORMANCE, DocumentKind.PREVIOUS_PROPOSAL))
"""Kinds of which a document may be left out, because it is about another company or a newer one replaces it."""


class LeftOut(StrEnum):
    """Why drafts leave a document out."""

    OUTDATED = "outdated"
    ABOUT_ANOTHER = "about_another"
    """About another organization."""

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            LeftOut.OUTDATED: t("It is more than two years old, and your other documents are newer or undated."),
            LeftOut.ABOUT_ANOTHER: t("It seems to be about another organization."),
        }[self]


def used_by_drafts(documents: Sequence[DocumentText], company: str, today: date) -> list[DocumentText]:
    """Return the documents that drafts do not leave out."""
    reasons = reasons_to_leave_out(documents, company, today=today)
    return [document for document in documents if document.is_always_used or document.id not in reasons]


def reasons_to_leave_out(documents: Sequence[DocumentText], company: str = "", *, today: date) -> Mapping[UUID, LeftOut]:
    """Return the documents that drafts leave out unless a person lets drafts use them. The documents name the company if it is not given.

    A sheet about the projects of another contractor is not ours, and neither is a document about an organization that never names the company, if
    two others do, or one if the name is given, unless it is a form that names nobody, or most of the people and places in it are in our other
    documents. A document about us, or a proposal, is outdated if it is more than two years old, unless no other one
    of these is newer or has no date: the people and figures of the only proposal are old, too.
    """
    is_given = bool(company)
    company = company or infer_company([(document.kind, document.text) for document in documents])
    foreign = [each for each in documents if each.kind == DocumentKind.PAST_PERFORMANCE and _is_of_another(each.text, company)]
    naming = {each.id for each in documents if is_named_in(each.text, company)}
    if naming and (is_given or len(naming) > 1):  # one document alone does not say whose name it is
        about_us = [each for each in documents if each.kind == DocumentKind.ABOUT_US]
        foreign += [each for each in about_us if each.id in naming and _presents_another(each, company)]
        doubtful = {each.id for each in foreign} | {each.id for each in about_us if each.id not in naming}
        known = {
            name for each in documents if each.id not in doubtful for name in _CAPITALIZED.findall(each.text[:READ_CHARACTERS])
        }
        unnamed = (each for each in about_us if each.id not in naming)
        foreign += [each for each in unnamed if not (_is_own_form(each.text) or _is_among(known, each.text))]
    found = {each.id: LeftOut.ABOUT_ANOTHER for each in foreign}
    ours = [each for each in documents if each.kind in _AGING and each.id not in found]
    newest = max((each.dated or today for each in ours), default=today)
    old = (each.id for each in ours if each.dated and each.dated < min(newest, today - _CURRENT_FOR))
    return found | dict.fromkeys(old, LeftOut.OUTDATED)


def _is_of_another(text: str, company: str) -> bool:
    """Whether a sheet that never names the company says whose projects it is about: “Offeror: Copper Hill Textiles LLC.”"""
    if is_named_in(text, company):
        return False
    values = (value for entry in entries_of(text[:READ_CHARACTERS], lambda _: ()) for value in entry.values)
    return is_of_another(text, company) or any(_OFFERORS & {*words_of(value.label)} for value in values)


def _is_own_form(text: str) -> bool:
    """Whether a text states registrations without saying whose, as our own worksheets do."""
    entries = entries_of(text[:READ_CHARACTERS], lambda _: ())
    stated = [words_of(label) for entry in entries for label, _ in labels_and_values(entry)]
    return bool(forms_in(entries)) and not any(_NAMED & {*words} for words in stated)


def _is_among(known: Set[str], text: str) -> bool:
    """Whether most of the names in the sentences of a text are known, as those of colleagues and places are. Slides and handouts for ourselves seldom
    say who we are."""
    names = {*_NAME.findall(text[:READ_CHARACTERS])}
    return len(names & known) >= max(_LEAST_SHARED, _SHARE * len(names))


def _presents_another(document: DocumentText, company: str) -> bool:
    """Whether a page presents another organization, although it names ours, as a partner or customer."""
    own = infer_company([(document.kind, document.text)])
    if not own or is_named_in(own, company) or is_named_in(company, own):
        return False
    beginning = document.text[:READ_CHARACTERS]
    return beginning.count(own.partition(",")[0]) > beginning.count(company.split()[0].rstrip(","))
