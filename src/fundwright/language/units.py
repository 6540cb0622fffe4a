"""Expands abbreviated units of measurement, so that “45,000 cy” matches a question about cubic yards."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNITS = {
    "ac": "acres",
    "bbl": "barrels",
    "cf": "cubic feet",
    "cfm": "cubic feet per minute",
    "cfs": "cubic feet per second",
    "cu ft": "cubic feet",
    "cu yd": "cubic yards",
    "cy": "cubic yards",
    "cyd": "cubic yards",
    "fte": "full-time equivalents",
    "ft": "feet",
    "gal": "gallons",
    "gpd": "gallons per day",
    "gpm": "gallons per minute",
    "ha": "hectares",
    "hp": "horsepower",
    "hr": "hours",
    "kg": "kilograms",
    "km": "kilometers",
    "kw": "kilowatts",
    "kwh": "kilowatt-hours",
    "lb": "pounds",
    "lf": "linear feet",
    "mgd": "million gallons per day",
    "mi": "miles",
    "mw": "megawatts",
    "mwh": "megawatt-hours",
    "sf": "square feet",
    "sq ft": "square feet",
    "sq mi": "square miles",
    "sy": "square yards",
    "yr": "years",
}
_WRITTEN = "|".join(unit.replace(" ", r"\.? ?") for unit in sorted(_UNITS, key=len, reverse=True)).join(("(?ai:", ")"))
"""Ignores the case of ASCII letters only: “mı” is not “mi”."""
_MEASURED = re.compile(rf"(?<=\d)((?:\s?(?:k|m|thousand|million))?[\s-]?)({_WRITTEN})s?\b", re.IGNORECASE)
_ASKED = re.compile(rf"(\b(?:many|much|per|in|of) )({_WRITTEN})s?\b", re.IGNORECASE)
_LABELED = re.compile(rf"((?<=\()|(?<=, )|(?<=per )|\b(?=[A-Z]+s?\b))({_WRITTEN})s?\b(?![\s-]?\d)")
"""A unit in a label, in parentheses, after a comma, or in capitals: “Volume (cy)”, “CY dredged”."""
_WORDS = {
    unit: re.compile(rf"\b{re.sub(r'feet', '(?:feet|foot)', words).removesuffix('s').replace('-', '[ -]')}", re.IGNORECASE)
    for unit, words in _UNITS.items()
}


def spell_out_units(text: str) -> str:
    """Spell out the units after numbers."""
    return _MEASURED.sub(_spell_out, text)


def spell_out_question(question: str) -> str:
    """Spell out the units in a question: “How many cy” becomes “How many cubic yards”."""
    return spell_out_units(_ASKED.sub(_spell_out, question))


def spell_out_label(label: str) -> str:
    """Spell out the unit in a label or a column header."""
    return _LABELED.sub(_spell_out, label)


def abbreviations_of(text: str) -> Iterator[str]:
    """Return the abbreviations of units that a text spells out."""
    return (unit for unit, words in _WORDS.items() if words.search(text))


def _spell_out(found: re.Match[str]) -> str:
    unit = re.sub(r"(?<=cu|sq)[. ]*", " ", found[2].casefold().replace(".", ""))
    before = found[1] if not found[1] or found[1].endswith(" ") else f"{found[1].rstrip('-')} "
    space = " " if not found[1] and found.string[found.start() - 1 : found.start()].isdigit() else ""
    return f"{before}{space}{_UNITS[unit]}"
