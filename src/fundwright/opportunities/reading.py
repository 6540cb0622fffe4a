"""Converts text and amounts of the published files."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import BinaryIO, cast

import nh3
from babel.numbers import NumberFormatError, parse_decimal

from fundwright.core.errors import Invalid
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities.sources import RejectedRow
from fundwright.opportunities.washington import moment

_CONTROL = bytes(set(range(32)) - {9, 10, 13})
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CELL = "\x1f"
"""Stands for the beginning of a cell until the lines are known."""
_LAYOUT = [
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"<\s*+li\b[^<>]*>", "\n• "),
        (r"(?:<\s*+/\s*+t[dh]\s*+>\s*+)?<\s*+t[dh]\b[^<>]*>", _CELL),
        (r"(?:(?<!\s)\s*+<\s*+/\s*+tr\s*+>\s*+)?<\s*+tr\b[^<>]*>\s*+", "\n"),
        (r"<\s*+(?:br|hr|/(?:p|div|li|tr|h[1-6]|ul|ol|table|caption|dt|dd|pre|blockquote|section|article))\b[^<>]*>", "\n"),
        # Parsers of HTML move the text out of a table that has no cells.
        (r"<\s*+/?\s*+(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th)\b[^<>]*>", ""),
    )
]
"""Tags that separate texts, in the order in which they are replaced."""
_TAG = re.compile(r"<\s*+(?:[/!]\s*+)?[a-zA-Z][^<>]*+>|<!--")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});")
_BLANKS = re.compile(r"[ \t\u00a0]+")
_BLANK_LINES = re.compile(r"(?<!\s)\s*\n\s*\n\s*")
_CONTENT_OF = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_ACTIVITY_GROUP = re.compile(r"\(([^()]*)\)")
_ACTIVITY_CODE = re.compile(r"\b(?:[A-Z]\d\d|[DFKOPRSTUV][A-Z]\d|U2[A-Z])\b")
_MAX_LINE_BYTES = 8_000_000


class UnreadableFile(Invalid):
    """The file does not have the expected format."""


class DamagedFile(OSError):
    """The file cannot be read on. `reason` is part of a sentence, in the reader's language."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def damage(error: Exception) -> str:
    """Say what is wrong with a file whose reading raised `error`, as part of a sentence."""
    return error.reason if isinstance(error, DamagedFile) else t("the file is damaged or cut off")


def bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream. A line longer than 8 MB is split, so that no file can exhaust memory."""
    while line := stream.readline(_MAX_LINE_BYTES):
        yield line


def lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a UTF-8 or cp1252 file. The encoding is detected line by line, so that mixed files lose nothing.

    Control characters, which the database cannot store, are removed; bytes that are in neither encoding become U+FFFD.
    """
    is_first = True
    for line in stream:
        if is_first:
            line, is_first = line.removeprefix(b"\xef\xbb\xbf"), False
        if not line.isascii():
            line = line.translate(None, _CONTROL)
            try:
                yield line.decode()
            except UnicodeDecodeError:
                yield line.decode("cp1252", errors="replace")
        else:
            yield line.translate(None, _CONTROL).decode("ascii")


def clean(value: object) -> str:
    """Return a single value as trimmed text that the database can store."""
    return _UNFIT.sub("\ufffd", str(value)).strip() if value is not None else ""


def fit(value: object) -> object:
    """Return the JSON value with every text changed to one that the database can store."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): fit(item) for key, item in cast(dict[str, object], value).items()}
    if isinstance(value, list):
        return [fit(item) for item in cast(list[object], value)]
    if isinstance(value, float) and not (abs(value) < 1e300):
        return None
    return value


def plain_text(text: str) -> str:
    """Convert a description to plain text with paragraphs. Its HTML may be escaped once, twice, or not at all."""
    if "<" not in text and "&" not in text:
        return text
    for _ in range(3):
        if not _ENTITY.search(text):
            break
        text = html.unescape(text)
    if _TAG.search(text):
        text = _CONTENT_OF.sub(" ", text)
        for pattern, replacement in _LAYOUT:
            text = pattern.sub(replacement, text)
        text = html.unescape(nh3.clean(text, tags=set()))
        text = "\n".join(" | ".join(map(_one_line, line.strip().split(_CELL))) for line in text.splitlines())
    return _UNFIT.sub("", _BLANK_LINES.sub("\n\n", text)).strip()


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def name(text: str) -> str:
    """Convert a title or a name to plain text, without characters that change the direction of the text around it."""
    return _DIRECTIONS.sub("", plain_text(text)).strip()


def description(raw: JsonObject, name: str, body: str) -> str:
    """Return the plain text of a body, which is the field `name` of `raw`. The field stays in `raw` only if it is HTML."""
    plain = plain_text(body)
    if plain == body:
        raw.pop(name, None)
    return plain


def posted_at_or_rejection(
    line: int, *, id: tuple[str, str], title: tuple[str, str], posted: tuple[str, str]
) -> datetime | RejectedRow:
    """Return when an opportunity was posted, or reject it if it has no usable id, title, or date. Each is given as its column and its
    text."""
    if not id[1] or len(id[1]) > 200:
        return RejectedRow(line, id[0], t("The opportunity has no usable {column}.", column=id[0]))
    if not title[1]:
        return RejectedRow(line, title[0], t("The opportunity has no title."))
    column, text = posted
    if (posted_at := moment(text)) is not None:
        return posted_at
    reason = t("“{text}” is not a date.", text=text[:60]) if text else t("The opportunity has no posted date.")
    return RejectedRow(line, column, reason)


def amount(value: object) -> Decimal | None:
    """Parse an amount in dollars and cents from `1,250,000.00`, `1.250.000,00`, or a number. Returns None if it is not one or is beyond
    10^15."""
    text = str(value).replace("$", "").strip()
    try:
        read = _grouped(text) if "," in text else Decimal(text)
        return read.quantize(Decimal("0.01")) if read.is_finite() and abs(read) < 10**15 else None
    except ArithmeticError:  # not a number, or an exponent beyond what the context of `decimal` allows
        return None


def _grouped(text: str) -> Decimal:
    """Raises ArithmeticError unless the commas are separators of the United States or, as a spreadsheet program may save them, of Germany."""
    for locale in ("en_US", "de_DE"):
        with suppress(NumberFormatError):
            return parse_decimal(text, locale=locale, strict=True)
    raise InvalidOperation(text)


def count(value: object) -> int | None:
    """Parse a count such as `12` or `12.0`. Returns None if it is not a plausible one."""
    read = amount(value)
    return int(read) if read is not None and 0 <= read < 10**9 else None


def web_address(text: str) -> str:
    """Return the address if it is safe to link to, or else ''."""
    text = text.strip()
    return text if text.lower().startswith(("https://", "http://")) else ""


def activity_codes(title: str) -> list[str]:
    """Return the NIH activity codes in parentheses in a title: R21 and R33 for `(R21/R33 Clinical Trial Optional)`."""
    found = [code for group in _ACTIVITY_GROUP.findall(title) for code in _ACTIVITY_CODE.findall(group)]
    return list(dict.fromkeys(found))
