"""Titles of documents: one line that people can see."""

from __future__ import annotations

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.core.visible import visible_line

MAX_TITLE_CHARACTERS = 200


def visible_title(title: str, *, is_filename: bool = False) -> str:
    """Return the title in one line, without hidden characters, and shortened. Raises Invalid if nothing of it is visible; with
    `is_filename`, the message asks the person to rename the file."""
    line = visible_line(title, most=MAX_TITLE_CHARACTERS)
    if not line:
        raise Invalid(
            t("The file name has no visible characters. Rename the file and add it again.")
            if is_filename
            else t("The title has no visible characters. Enter another title.")
        )
    return line
