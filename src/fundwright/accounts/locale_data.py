"""Countries and time zones."""

from __future__ import annotations

import unicodedata
import zoneinfo
from functools import cache

from babel import Locale

# Two-letter codes in Unicode's data for unions, unknown places, or parts of another country.
_NO_COUNTRY = {"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"}
_OLD_NAMES = ("Etc", "SystemV", "US", "Brazil", "Canada", "Chile", "Mexico")


@cache
def country_codes() -> frozenset[str]:
    """Two-letter ISO 3166 codes."""
    codes = map(str, Locale("en").territories)
    return frozenset(code for code in codes if len(code) == 2 and code.isalpha()) - _NO_COUNTRY


@cache
def countries(language: str) -> tuple[tuple[str, str], ...]:
    """Code and name of every country in the language's alphabetical order, ignoring accents."""
    names = Locale(language).territories
    return tuple(sorted(((code, names[code]) for code in country_codes()), key=lambda each: _plain(each[1])))


@cache
def time_zones() -> tuple[str, ...]:
    """Names such as `Europe/Berlin`, UTC first. Reads folders: call it in a thread."""
    names = (name for name in zoneinfo.available_timezones() if "/" in name and name.partition("/")[0] not in _OLD_NAMES)
    return ("UTC", *sorted(names))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
