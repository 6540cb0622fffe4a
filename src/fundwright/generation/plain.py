"""Escapes plain text, such as the title of a notice, for use in Markdown."""

from __future__ import annotations

import re

# Signs between letters, as in file_name, have no meaning in Markdown.
_SIGN = re.compile(r"[\\`*\[\]{]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|<(?=[a-z/!?])|&(?=#?\w+;)", re.IGNORECASE)
_LINE_START = re.compile(r"\A(#{1,6}(?=\s)|[-+>](?=\s)|\d+(?=[.)]\s))")


def as_markdown(text: str) -> str:
    """Return one line of Markdown that shows the text literally, without links, images, or citations."""
    line = _SIGN.sub(r"\\\g<0>", " ".join(text.split()))
    return _LINE_START.sub(lambda start: f"{start[0]}\\" if start[0].isdecimal() else f"\\{start[0]}", line)
