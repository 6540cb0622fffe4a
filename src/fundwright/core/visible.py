"""Names, titles, and texts that people can see."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters without a glyph, and those that change the direction of the text after them. Joiners stay: Persian words and emoji
need them."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")
"""Letters and symbols that look like a space, and the replacement of an unprintable character."""
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]")
"""Characters that PostgreSQL or XML cannot hold, and those that change the direction of the text after them."""


def visible_line(text: str, *, most: int) -> str:
    """Return the text in one line of at most `most` characters, without hidden characters; "" if nothing of it is visible."""
    shown = _HIDDEN.sub("", " ".join(text.split()))  # line breaks become spaces
    line = " ".join(shown.split())[:most].rstrip()
    is_visible = any(unicodedata.category(character)[0] in "LNPS" and character not in _BLANK for character in line)
    return line if is_visible else ""


def fit_text(value: object) -> object:
    """Return a text of one or more lines without unfit characters and spaces around it, and anything else as it is: for `BeforeValidator`."""
    return _UNFIT.sub("", value.replace("\r\n", "\n").replace("\r", "\n")).strip() if isinstance(value, str) else value
