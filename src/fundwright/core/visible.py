"""Names, titles, and texts that people can see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters without a glyph, and those that change the direction of the text after them. Joiners stay: Persian words and emoji
need them."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")
"""Letters and symbols that look like a space, and the replacement of an unprintable character."""
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]")
"""Characters that PostgreSQL or XML cannot hold, and those that change the direction of the text after them."""
_ACCENTS = "\u0300-\u036f\u200c\u200d\ufe00-\ufe0f"
"""Combining accents, joiners, and variation selectors, which mail programs take for part of a word."""
_AFTER_WORD = rf"(?<=[\w{_ACCENTS}])"
_LINKED = (
    rf"{_AFTER_WORD}:(?=/{{1,3}}[\w\[])|{_AFTER_WORD}[.\u3002\uff0e\uff61](?=(?:[^\W\d_][{_ACCENTS}]*){{2}})|{_AFTER_WORD}@(?=\w)"
    r"|(?<=\d)\.(?=\d{1,3}\.\d{1,3}\.\d{1,3}[/:])"
)
"""The characters that let mail programs read an address: those of “https://…”, “example.org”, “203.0.113.5”, and “ada@…”, but not those of “U.S.”
and “1.2”."""


def visible_line(text: str, *, most: int) -> str:
    """Return the text in one line of at most `most` characters, without hidden characters; "" if nothing of it is visible."""
    shown = _HIDDEN.sub("", " ".join(text.split()))  # line breaks become spaces
    line = " ".join(shown.split())[:most].rstrip()
    is_visible = any(unicodedata.category(character)[0] in "LNPS" and character not in _BLANK for character in line)
    return line if is_visible else ""


def without_links(text: str, *, keep: Collection[str] = ()) -> str:
    """Return the text with a space in each web and email address, so that no program makes it a link. The email addresses in `keep` stay
    as they are."""
    kept = "".join(rf"(?<![\w.+%-]){re.escape(address)}(?![\w-]|\.\w)|" for address in keep)
    return re.sub(kept + _LINKED, lambda found: found[0] if len(found[0]) > 1 else f"{found[0]} ", text)


def fit_text(value: object) -> object:
    """Return a text of one or more lines without unfit characters and spaces around it, and anything else as it is: for `BeforeValidator`."""
    return _UNFIT.sub("", value.replace("\r\n", "\n").replace("\r", "\n")).strip() if isinstance(value, str) else value
