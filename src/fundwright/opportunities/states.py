"""The states and territories that searches can name, and the notices with a place of performance there."""

from __future__ import annotations

import re

_STATES = {
    "alabama": "AL", "alaska": "AK", "american samoa": "AS", "arizona": "AZ", "arkansas": "AR", "california": "CA", "colorado": "CO",
    "connecticut": "CT", "delaware": "DE", "district of columbia": "DC", "florida": "FL", "georgia": "GA", "guam": "GU", "hawaii": "HI",
    "idaho": "ID", "illinois": "IL", "indiana": "IN", "iowa": "IA", "kansas": "KS", "kentucky": "KY", "louisiana": "LA", "maine": "ME",
    "maryland": "MD", "massachusetts": "MA", "michigan": "MI", "minnesota": "MN", "mississippi": "MS", "missouri": "MO", "montana": "MT",
    "nebraska": "NE", "nevada": "NV", "new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM", "new york": "NY",
    "north carolina": "NC", "north dakota": "ND", "northern mariana islands": "MP", "ohio": "OH", "oklahoma": "OK", "oregon": "OR",
    "pennsylvania": "PA", "puerto rico": "PR", "rhode island": "RI", "south carolina": "SC", "south dakota": "SD", "tennessee": "TN",
    "texas": "TX", "utah": "UT", "vermont": "VT", "virgin islands": "VI", "virginia": "VA", "washington": "WA", "west virginia": "WV",
    "wisconsin": "WI", "wyoming": "WY",
}  # fmt: skip
_NAMED = re.compile(rf"(?<![\w-])((?ai:{'|'.join(sorted(_STATES, key=len, reverse=True))}))(?![\w-])(?!,? (?i:d\.?c)\b)")
"""Ignores the case of ASCII letters only: “ı” is not an “i”."""
_DISTRICT = re.compile(r"\bwashington,? d\.?c\b", re.IGNORECASE)
_CODE = re.compile(rf",\s?({'|'.join(_STATES.values())})\b")
"""After the name of a city. Alone, VA may be Veterans Affairs."""


def states_in(text: str) -> tuple[str, ...]:
    """Return the codes of the states that a search names, such as ME, except after a minus."""
    kept = re.sub(r'(?<!\S)-("[^"]*"|\S+)', " ", text)
    named = [_STATES[name.casefold()] for name in _NAMED.findall(kept)]
    return tuple(dict.fromkeys([*named, *_CODE.findall(kept), *(["DC"] if _DISTRICT.search(kept) else [])]))


def state_of_address(address: str) -> str | None:
    """Return the code of the state in a postal address, such as OH for “12 Washington Street, Toledo, OH 43604”, or None."""
    codes = _CODE.findall(address) or [_STATES[name.casefold()] for name in _NAMED.findall(address)]
    return codes[-1] if codes else None


def place_pattern(states: tuple[str, ...]) -> str:
    """Return a regular expression, for PostgreSQL and Python, that matches places in these states: “Portland, ME, 04101, USA”."""
    return rf"(^|, )({'|'.join(states)})(,|$)"
