"""Expands abbreviated units of measurement, so that “45,000 cy” matches a question about cubic yards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fundwright.reading.unit_symbols import SYMBOLS

_SPELLED_OUT = frozenset(
    (
        *(
            "acre",
            "barrel",
            "cubic foot",
            "cubic foot per minute",
            "cubic foot per second",
            "cubic yard",
            "foot",
            "full-time equivalent",
        ),
        *("gallon", "gallon per day", "gallon per minute", "hectare", "horsepower", "hour", "kilogram", "kilometer", "kilowatt"),
        *(
            "kilowatt-hour",
            "linear foot",
            "megawatt",
            "megawatt-hour",
            "mile",
            "million gallon per day",
            "milliwatt",
            "milliwatt-hour",
        ),
        *("pound", "square foot", "square mile", "square yard", "year"),
    )
)
"""Units that questions name in words where documents abbreviate them."""


def _plural(name: str) -> str:
    first, per, rest = name.partition(" per ")
    if first == "horsepower":
        return name
    several = f"{first.removesuffix('foot')}feet" if first.endswith("foot") else f"{first}s"
    return several + per + rest


def unit_of(written: str) -> str | None:
    """The name of the unit with this symbol. Its case matters if it decides between two: “MW” and “mW”. In “KW” and “Lbs”, it does not, and
    “mw” is the larger of the two. Symbols with capitals may have a plural: “MWs”."""
    one = written if written in SYMBOLS or written.islower() else written.removesuffix("s")
    return SYMBOLS.get(one) or (_FOLDED.get(written.casefold()) if len(written) > 1 else None)


def _by_folded_symbol() -> dict[str, str]:
    """Of symbols that differ in case, the one in lower case, or else that with most capitals: `nm`, but `MW` and `GB`."""
    return {
        symbol.casefold(): name
        for symbol, name in sorted(SYMBOLS.items(), key=lambda each: (each[0].islower(), sum(map(str.isupper, each[0]))))
    }


_FOLDED = _by_folded_symbol()
_UNITS = {
    symbol: _plural(_FOLDED[symbol])
    for symbol in sorted({symbol.casefold() for symbol, name in SYMBOLS.items() if name in _SPELLED_OUT and len(symbol) > 1})
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
    exact = SYMBOLS.get(found[2])
    return f"{before}{space}{_plural(exact) if exact else _UNITS[unit]}"
