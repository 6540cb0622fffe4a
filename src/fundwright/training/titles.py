"""Titles of documents: one line that people can see."""

from __future__ import annotations

import re
import unicodedata

from fundwright.core.errors import Invalid
from fundwright.core.messages import t

MAX_TITLE_CHARACTERS = 200
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters without a glyph, and those that change the direction of the text after them. Joiners stay: Persian words and emoji
need them."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")
"""Letters and symbols that look like a space, and the replacement of an unprintable character."""


def visible_title(title: str, *, is_filename: bool = False) -> str:
    """Return the title in one line, without hidden characters, and shortened. Raises Invalid if nothing of it is visible; with
    `is_filename`, the message asks the person to rename the file."""
    shown = _HIDDEN.sub("", " ".join(title.split()))  # line breaks become spaces
    line = " ".join(shown.split())[:MAX_TITLE_CHARACTERS].rstrip()
    if not any(unicodedata.category(character)[0] in "LNPS" and character not in _BLANK for character in line):
        raise Invalid(
            t("The file name has no visible characters. Rename the file and add it again.")
            if is_filename
            else t("The title has no visible characters. Enter another title.")
        )
    return line
