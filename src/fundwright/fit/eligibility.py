"""Who may respond: what an organization says about itself, against the set-aside of a contract or the applicant types of a grant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from fundwright.facts.schemas import Organization
from fundwright.profiles.schemas import OrganizationProfileContent


class Status(StrEnum):
    """A status of an organization, by the name that people use for it."""

    SMALL = "small business"
    EIGHT_A = "8(a)"
    HUBZONE = "HUBZone"
    SDVOSB = "SDVOSB"
    VOSB = "VOSB"
    WOSB = "WOSB"
    EDWOSB = "EDWOSB"
    ISBEE = "ISBEE"
    IEE = "Indian economic enterprise"
    NONPROFIT = "nonprofit"
    UNIVERSITY = "university"
    GOVERNMENT = "government"
    TRIBE = "tribe"
    FOR_PROFIT = "for-profit"


_PATTERNS: Mapping[Status, re.Pattern[str]] = {
    status: re.compile(pattern, re.IGNORECASE)
    for status, pattern in {
        Status.SMALL: r"(?<!not a )(?<!not )(?<!other than )\bsmall\b(?! business economic)|\bSDB\b",
        Status.EIGHT_A: r"\b8 ?\(a\)|\b8a\b",
        Status.HUBZONE: r"\bhub ?zone\b",
        Status.SDVOSB: r"\bSDVOSBC?\b|\bservice[- ]disabled",
        Status.VOSB: r"\bVOSB\b|(?<!disabled )(?<!disabled-)\bveteran[- ]owned\b",
        Status.WOSB: r"\bWOSB\b|(?<!disadvantaged )\bwom[ae]n[- ]owned\b",
        Status.EDWOSB: r"\bEDWOSB\b|\beconomically disadvantaged wom[ae]n",
        Status.ISBEE: r"\bISBEE\b|\bIndian small business economic enterprise",
        Status.IEE: r"\bIEE\b|\bIndian economic enterprise|\bIndian[- ]owned\b|\bNative[- ]American[- ]owned\b|\btribally[- ]owned\b",
        Status.NONPROFIT: r"\bnon-?profit\b|\bnot[- ]for[- ]profit\b|\b501 ?\(?c\)? ?\(?3\)?",
        Status.UNIVERSITY: r"\buniversity\b|\bcollege\b|\bhigher education\b",
        Status.GOVERNMENT: r"\b(?:state|county|city|local|municipal)[- ](?:government|agency)\b|\bmunicipality\b|\bschool district\b",
        Status.TRIBE: r"\btrib(?:e|al government)\b",
        Status.FOR_PROFIT: r"(?<!not )(?<!not-)\bfor[- ]profit\b|\blarge business\b|\b(?:other than|not|not a) small\b",
    }.items()
}
_NO_LONGER = re.compile(
    r"\b(?:pending|applied|planned|graduated|former(?:ly)?|expired|until|denied|(?:not|no|never)(?![- ](?:for|small|a small)))\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"^\W*(?:none|n/?a|no certifications?)\W*$", re.IGNORECASE)
_IMPLIED: Mapping[Status, frozenset[Status]] = {
    **{status: frozenset({Status.SMALL}) for status in (Status.EIGHT_A, Status.HUBZONE, Status.VOSB, Status.WOSB)},
    Status.SDVOSB: frozenset({Status.VOSB, Status.SMALL}),
    Status.EDWOSB: frozenset({Status.WOSB, Status.SMALL}),
    Status.ISBEE: frozenset({Status.IEE, Status.SMALL}),
}
_SET_ASIDES: Mapping[str, Status] = {
    "SBA": Status.SMALL, "SBP": Status.SMALL, "8A": Status.EIGHT_A, "8AN": Status.EIGHT_A, "HZC": Status.HUBZONE, "HZS": Status.HUBZONE,
    "SDVOSBC": Status.SDVOSB, "SDVOSBS": Status.SDVOSB, "VSA": Status.VOSB, "VSS": Status.VOSB, "WOSB": Status.WOSB,
    "WOSBSS": Status.WOSB, "EDWOSB": Status.EDWOSB, "EDWOSBSS": Status.EDWOSB, "ISBEE": Status.ISBEE, "IEE": Status.IEE,
    "BICIV": Status.IEE,
}  # fmt: skip
"""The status that a set-aside of SAM.gov asks for, by its code in capitals. A local area set-aside asks for none of them."""
PARTIAL = "SBP"
"""The set-aside of a part of the work. Others compete for the rest."""
_APPLICANTS: Mapping[Status, frozenset[str]] = {
    Status.NONPROFIT: frozenset({"12", "13"}),
    Status.UNIVERSITY: frozenset({"06", "20"}),
    Status.GOVERNMENT: frozenset({"00", "01", "02", "04", "05"}),
    Status.TRIBE: frozenset({"07", "11"}),
    Status.FOR_PROFIT: frozenset({"22"}),
    Status.SMALL: frozenset({"23"}),
}
"""Their codes at Grants.gov (schema of the extract, EligibleApplicants)."""
OTHERS, UNRESTRICTED = "25", "99"
"""The codes of applicants that the text of the notice names, and of anyone."""

_NOTHING = Organization()


def statuses_of(profile: OrganizationProfileContent | None, accepted: Organization = _NOTHING) -> frozenset[Status] | None:
    """Return what accepted facts and then the certifications of a profile say, with what follows from it, or None if they say nothing that is known
    here. A certification of the profile does not count if an accepted fact says that it is not held. Only a university or college is recognized by its name, too."""
    said = profile.certifications if profile else ""
    not_held = _named(accepted.not_held)
    found = _named(_held(accepted.certifications)) | (_named(_held([said])) - not_held)
    if any(_PATTERNS[Status.UNIVERSITY].search(name) for name in (accepted.name, profile.name if profile else "")):
        found.add(Status.UNIVERSITY)
    found = found.union(*(_IMPLIED.get(status, ()) for status in found))
    is_none = any(map(_NONE.match, (said, *accepted.certifications)))
    return frozenset(found) if found or not_held or is_none else None


def _held(texts: Iterable[str]) -> list[str]:
    return [part for text in texts for part in re.split(r"[,;\n]", text) if not _NO_LONGER.search(part)]


def _named(texts: Iterable[str]) -> set[Status]:
    return {status for text in texts for status, pattern in _PATTERNS.items() if pattern.search(text)}


def status_for(set_aside_code: str) -> Status | None:
    """Return the status that a set-aside asks for, or None if it is not known here."""
    return _SET_ASIDES.get(set_aside_code.upper())


def is_among(statuses: Collection[Status], codes: Collection[str]) -> bool:
    """Whether any of the statuses is among these types of applicants."""
    return any(_APPLICANTS.get(status, frozenset()) & set(codes) for status in statuses)


def is_applicant_type(statuses: Collection[Status]) -> bool:
    """Whether any of the statuses is a type of applicants."""
    return any(status in _APPLICANTS for status in statuses)
