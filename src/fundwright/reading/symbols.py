"""Characters of the fonts Wingdings and Symbol, whose codes mean something else in Unicode."""

from __future__ import annotations

import re

CHECKED, UNCHECKED = "☒", "☐"
_RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_PRIVATE = 0xF000
"""Fonts without a table for Unicode have their characters from here on."""
_PRIVATE_CHARACTER = re.compile("[\uf020-\uf0ff]")


def _codes(codes: str, characters: str) -> dict[int, str]:
    return dict(zip((int(code, 16) for code in codes.split()), characters, strict=True))


_SYMBOLS = {
    "wingdings2": _codes("52 53 54 A3 A2 2A 50 4F", "☒☒☒☐☐☐✓✗"),
    "wingdings": _codes("FE FD 78 A8 6F A1 FC FB E0 A7 D8 B7 9F 6C 6E 71 76", "☒☒☒☐☐☐✓✗→▪➢•••■❑❖"),
    "symbol": _codes("B7 B3 A3 B1 B0 6D B4 B9 BB 44 61 62 67 73 70 57", "•≥≤±°μ×≠≈Δαβγσπω"),
}
_BULLET = "•"
"""Most of their other characters are ornaments at the beginning of items."""


def raised(text: str) -> str:
    """Digits of an exponent or of a note, which would become digits of the number before them. Other letters stay."""
    return text.translate(_RAISED) if set(text) <= {chr(code) for code in _RAISED} else text


def symbol(code: int, font: str) -> str:
    """The character with this code, from the private area or not, in such a font."""
    return with_symbols(chr(_PRIVATE + code % 0x100), font)


def with_symbols(text: str, font: str) -> str:
    """Replace characters from the private area. If the font is not known, they are bullets."""
    if not _PRIVATE_CHARACTER.search(text):
        return text
    name = font.casefold().replace(" ", "").replace("-", "")
    symbols = next((table for key, table in _SYMBOLS.items() if key in name), {})
    return _PRIVATE_CHARACTER.sub(lambda found: symbols.get(ord(found[0]) - _PRIVATE, _BULLET), text)
