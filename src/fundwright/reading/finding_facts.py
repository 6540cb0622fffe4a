"""Finds the facts of an organization in the entries of a document, each in one record: a row, a form, a section about one person or project.

Values come from the record with their labels and nothing else, so a fact never has the value of another record. What a record says about its state
decides whether it is current.
"""

from __future__ import annotations

from collections.abc import Sequence

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.entries import Entry
from fundwright.reading.facts import Fact
from fundwright.reading.finding_details import certifications_in, contacts_in, details_in, forms_in
from fundwright.reading.finding_people import people_in
from fundwright.reading.finding_projects import projects_in
from fundwright.reading.kinds import DocumentKind

_MOST_CHARACTERS = 4_000
"""Longer entries are prose, or no text at all."""


def facts_of(text: str, entries: Sequence[Entry], kind: DocumentKind) -> list[Fact]:
    """Return the facts in a text with these entries, in the order of their kinds. Documents that are not ours have none. What a document dates stays as
    it is stated: whether it has ended depends on the day."""
    if not kind.is_ours:
        return []
    entries = [entry for entry in entries if entry.end - entry.start <= _MOST_CHARACTERS]
    forms = forms_in(entries)
    found = list[Fact]()
    for some in (
        details_in(text, entries, kind, forms),
        certifications_in(entries, kind),
        contacts_in(text, entries, kind),
        people_in(text, entries, kind),
        projects_in([entry for entry in entries if entry.group not in forms], kind),
    ):
        report_progress()
        found += some
    return found
