"""Writes the table of unit symbols, `src/fundwright/reading/unit_symbols.py`, from the definitions of pint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pint

TABLE = Path(__file__).resolve().parent.parent / "src/fundwright/reading/unit_symbols.py"

_PREFIXES: Mapping[str, str] = {
    "meter": "kilo centi milli micro nano",
    "gram": "kilo mega milli micro nano",
    "liter": "mega milli micro",
    "second": "mega milli micro nano",
    "ampere": "kilo mega milli micro",
    "ohm": "kilo mega milli",
    "electron_volt": "kilo mega giga tera milli",
    "sievert": "milli mega micro",
    "tesla": "milli mega micro",
    "watt": "kilo mega giga milli",
    "watt_hour": "kilo mega giga milli",
    "volt": "kilo mega milli",
    "joule": "kilo mega milli",
    "hertz": "kilo mega giga milli",
    "pascal": "kilo mega milli",
    "molar": "milli micro nano",
    "byte": "kilo mega giga tera",
    "bit": "kilo mega giga tera",
}
"""Units that proposals name, each with the prefixes that occur with it."""
_PLAIN = [
    "meter",
    "gram",
    "watt",
    "hour",
    "minute",
    "second",
    "year",
    "month",
    "week",
    "foot",
    "yard",
    "mile",
    "acre",
    "hectare",
    "pound",
    "ounce",
    "gallon",
    "barrel",
    "horsepower",
    "percent",
    "cubic_foot",
    "cubic_yard",
    "square_foot",
    "square_yard",
    "square_mile",
]
"""Units that occur without a prefix."""
_DEFINITIONS = """
linear_foot = foot
cubic_foot_per_minute = foot ** 3 / minute
cubic_foot_per_second = foot ** 3 / second
gallon_per_day = gallon / day
gallon_per_minute = gallon / minute
million_gallon_per_day = 1e6 * gallon / day
full_time_equivalent = []
"""
"""Units of contracts that pint does not have."""
_OF_CONTRACTS: Mapping[str, str] = {
    "acre": "ac",
    "bit": "b bps",
    "byte": "Bps",
    "cubic_foot": "cf",
    "cubic_foot_per_minute": "cfm",
    "cubic_foot_per_second": "cfs",
    "cubic_yard": "cy cyd",
    "full_time_equivalent": "fte",
    "gallon_per_day": "gpd",
    "gallon_per_minute": "gpm",
    "hour": "hrs",
    "linear_foot": "lf",
    "million_gallon_per_day": "mgd",
    "month": "mo",
    "pound": "lbs",
    "square_foot": "sf",
    "square_yard": "sy",
    "week": "wk wks",
    "year": "yrs",
}
"""Symbols that contracts use and pint does not have, or has for something else: its `b` is the barn. Rates are spelled out as “megabits per
second”, whose unit is the megabit."""
_LETTERS = frozenset("mghW%")
"""Symbols of one letter that occur after numbers. Others are words, such as `a` (year)."""
_LONGEST = 5
"""Longer ones are names, as are these."""
_NAMES = frozenset(("feet", "litre", "metre", "octet", "amp"))
_PRONOUN = "us"
_MICRO = ("µ", "μ", "u")


def symbols() -> dict[str, str]:
    """The names of units by their symbols, whose case matters."""
    registry: pint.UnitRegistry[float] = pint.UnitRegistry()
    for line in _DEFINITIONS.strip().splitlines():
        registry.define(line)
    found = dict(_found(registry))
    return {
        symbol: name.replace("_hour", "-hour").replace("_volt", "volt").replace("full_time", "full-time").replace("_", " ")
        for symbol, name in sorted(found.items())
    }


def _found(registry: pint.UnitRegistry[float]) -> Iterator[tuple[str, str]]:
    for name, prefixes in _PREFIXES.items():
        for prefix in prefixes.split():
            of_prefix = _MICRO if prefix == "micro" else (registry.get_symbol(f"{prefix}meter").removesuffix("m"),)
            for symbol in _symbols_of(registry, name):
                yield from ((start + symbol, prefix + name) for start in of_prefix if start + symbol != _PRONOUN)
    for name in (*_PLAIN, *(line.split(" ")[0] for line in _DEFINITIONS.strip().splitlines())):
        for symbol in _symbols_of(registry, name):
            if len(symbol) > 1 or symbol in _LETTERS:
                yield symbol, name


def _symbols_of(registry: pint.UnitRegistry[float], name: str) -> Iterator[str]:
    own = [alias for alias in registry if alias != name and registry.get_name(alias) == name]
    for symbol in (*own, *_OF_CONTRACTS.get(name, "").split()):
        if len(symbol) <= _LONGEST and symbol not in _NAMES and symbol != "ℓ":
            yield symbol.replace("_", " ")


def text() -> str:
    lines = "".join(f'    "{symbol}": "{name}",\n' for symbol, name in symbols().items())
    return (
        '"""The symbols of units of measurement, whose case matters, with their names. `scripts.units` writes this table from pint\'s definitions, because\n'
        'loading them takes a second."""\n\n'
        "from __future__ import annotations\n\nfrom collections.abc import Mapping\n\n"
        f"SYMBOLS: Mapping[str, str] = {{\n{lines}}}\n"
    )


if __name__ == "__main__":
    TABLE.write_text(text(), encoding="utf-8")
