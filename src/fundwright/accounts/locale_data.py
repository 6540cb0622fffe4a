"""Countries and time zones that people can choose."""

from __future__ import annotations

import unicodedata
import zoneinfo
from functools import cache

from babel import Locale

# Codes of two letters in Unicode's data that name unions, unknown places or parts of another country.
_NO_COUNTRY = {"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"}
_OLD_NAMES = ("Etc", "SystemV", "US", "Brazil", "Canada", "Chile", "Mexico")


@cache
def country_codes() -> frozenset[str]:
    """ISO 3166 codes of two letters."""
    codes = map(str, Locale("en").territories)
    return frozenset(code for code in codes if len(code) == 2 and code.isalpha()) - _NO_COUNTRY


@cache
def countries(language: str) -> tuple[tuple[str, str], ...]:
    """Code and name of every country in the language's order, accents aside."""
    names = Locale(language).territories
    return tuple(sorted(((code, names[code]) for code in country_codes()), key=lambda each: _plain(each[1])))


@cache
def time_zones() -> tuple[str, ...]:
    """Names such as `Europe/Berlin`, UTC first. It reads folders: call it in a thread."""
    names = (name for name in zoneinfo.available_timezones() if "/" in name and name.partition("/")[0] not in _OLD_NAMES)
    return ("UTC", *sorted(names))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
