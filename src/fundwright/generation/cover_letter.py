"""Fills in the beginning of a letter (date, recipient, subject, greeting, and purpose) and of a summary (the applicant)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from babel.dates import format_date

from fundwright.core.messages import current_language, t
from fundwright.generation.plain import as_markdown
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import OpportunityRead

_GIVEN_NAME = re.compile(r"(?!(?:phd|md|jr|sr|mba|pe|pmp|esq|ii|iii)\b)[^\W\d_][\w'’-]+(?: [^\W\d_]\.?)?", re.IGNORECASE)
"""The part after the comma of “Doe, Jane A.”."""
_ASKS_FOR_INFORMATION = re.compile(
    r"\bsources? sought\b|\brequests? for information\b|\bRFI\b|\bmarket (?:research|survey)\b", re.IGNORECASE
)
_ASKS_FOR_OFFERS = re.compile(r"\bsolicitation\b", re.IGNORECASE)
_POSITION = re.compile(
    r"(?:\s[-–]\s|\s?\(|\s)(?:(?:contract(?:s|ing)?|procurement|purchasing|grants?|program)\s)?(?:officer|specialist|manager|agent|analyst)\b.*",
    re.IGNORECASE,
)
"""The position after a name: “Ada Example - Contracting Officer.”"""
_OFFICE = re.compile(
    r"\b(?:mail ?box|inbox|desk|team|office|information|procurement|purchasing|acquisitions?|contract\w*|opportunities|support|cent(?:er|re)|departments?"
    r"|divisions?|agency|institutes?|services?|section|program|grants|officers?|specialists?|solutions|staff|questions?|solicitations?)\b",
    re.IGNORECASE,
)
"""Words of offices and mailboxes, which are often listed as contacts."""


def opening_fields(opportunity: OpportunityRead, company: str, *, today: date) -> dict[str, str]:
    """Return the values of the placeholders in the opening of a section, as Markdown."""
    addressee = next(filter(None, (person_in(contact.name) for contact in opportunity.contacts)), "")
    recipient = [addressee, *dict.fromkeys(map(agency_name, _offices(opportunity)))]
    return {
        "date": format_date(today, "long", locale=current_language()),
        "recipient": "  \n".join(as_markdown(line) for line in recipient if line.strip()),
        "addressee": as_markdown(addressee)
        or (t("Contracting Officer") if opportunity.kind == "contract" else t("Program Officer")),
        "company": as_markdown(company),
        "opportunity": as_markdown(display_title(opportunity.title)),
        "number": as_markdown(opportunity.number),
        "purpose": _purpose(opportunity),
        "applicant": t("**Applicant:** {company}", company=as_markdown(company)) if company.strip() else "",
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
    name = _POSITION.sub("", name)
    return name if 1 < len(name.split()) < 6 and not re.search(r"[\d@]", name) and not _OFFICE.search(name) else ""
