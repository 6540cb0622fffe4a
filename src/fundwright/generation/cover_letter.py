"""Fills in the beginning of a letter: date, recipient, subject, greeting, and purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from babel.dates import format_date

from fundwright.core.messages import current_language, t
from fundwright.generation.plain import as_markdown
from fundwright.opportunities.schemas import OpportunityRead

_GIVEN_NAME = re.compile(r"(?!(?:phd|md|jr|sr|mba|pe|pmp|esq|ii|iii)\b)[^\W\d_][\w'’-]+(?: [^\W\d_]\.?)?", re.IGNORECASE)
"""The part after the comma of “Doe, Jane A.”."""
_ASKS_FOR_INFORMATION = re.compile(
    r"\bsources? sought\b|\brequests? for information\b|\bRFI\b|\bmarket (?:research|survey)\b", re.IGNORECASE
)
_ASKS_FOR_OFFERS = re.compile(r"\bsolicitation\b", re.IGNORECASE)
_AHEAD = re.compile(r"(?:department|dept|office|bureau|agency|administration)(?: of)?(?: the)?", re.IGNORECASE)
_SMALL = frozenset(("OF", "THE", "AND", "FOR", "IN", "AT", "ON", "TO"))
_SHORT_WORDS = frozenset(
    (
        "AIR",
        "AREA",
        "ARMY",
        "BASE",
        "CITY",
        "DEPT",
        "DRUG",
        "EAST",
        "FISH",
        "FOOD",
        "FORT",
        "LAND",
        "NAVY",
        "PARK",
        "WEST",
        "YARD",
    )
)
_LONGEST_ACRONYM = 4


def opening_fields(opportunity: OpportunityRead, company: str, *, today: date) -> dict[str, str]:
    """Return the values of the placeholders in the opening of a section, as Markdown."""
    addressee = next(filter(None, (person_in(contact.name) for contact in opportunity.contacts)), "")
    recipient = [addressee, *dict.fromkeys(map(office_name, _offices(opportunity)))]
    return {
        "date": format_date(today, "long", locale=current_language()),
        "recipient": "  \n".join(as_markdown(line) for line in recipient if line.strip()),
        "addressee": as_markdown(addressee)
        or (t("Contracting Officer") if opportunity.kind == "contract" else t("Program Officer")),
        "company": as_markdown(company),
        "opportunity": as_markdown(opportunity.title),
        "number": as_markdown(opportunity.number),
        "purpose": _purpose(opportunity),
    }


def _offices(opportunity: OpportunityRead) -> Iterator[str]:
    yield from (opportunity.office, opportunity.sub_agency, opportunity.agency)


def _purpose(opportunity: OpportunityRead) -> str:
    if _ASKS_FOR_INFORMATION.search(f"{opportunity.type} {opportunity.title}"):
        return t("We are pleased to respond to your request for information.")
    if opportunity.kind == "grant":
        return t("We are pleased to submit our application for this funding opportunity.")
    if _ASKS_FOR_OFFERS.search(opportunity.type):
        return t("We are pleased to submit our response to your solicitation.")
    return t("We are pleased to respond to your notice.")


def person_in(contact: str) -> str:
    """Return the first person of a contact for a greeting, or '' if there is none. Some funders list several, with labels and
    numbers."""
    first = re.split(r"[;\n]", contact, maxsplit=1)[0].rpartition(":")[2]
    name, _, remaining = (part.strip() for part in first.partition(","))
    if _GIVEN_NAME.fullmatch(remaining):
        name = f"{remaining} {name}"
    return name if 1 < len(name.split()) < 6 and not re.search(r"[\d@]", name) else ""


def office_name(office: str) -> str:
    """Return “Department of the Interior” for “INTERIOR, DEPARTMENT OF THE”. Short words in capitals are assumed to be acronyms."""
    text = " ".join(office.split())
    name, _, kind = text.rpartition(", ")
    if name and _AHEAD.fullmatch(kind):
        text = f"{kind} {name}"
    if not text.isupper():
        return text
    written = re.sub(r"[^\W\d_]+", lambda word: _small(word[0]), text)
    return written[:1].upper() + written[1:]


def _small(word: str) -> str:
    if word in _SMALL:
        return word.lower()
    return word if len(word) <= _LONGEST_ACRONYM and word not in _SHORT_WORDS else word.capitalize()
