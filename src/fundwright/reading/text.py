"""Reads text files, and decodes the bytes of text formats."""

from __future__ import annotations

import re
from contextlib import suppress

from fundwright.core.messages import t
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.columns import stack_columns
from fundwright.reading.document import Document, without_signs
from fundwright.reading.formats import HEAD_BYTES, OLE, Unreadable
from fundwright.reading.paragraphs import paragraphs, words_of
from fundwright.reading.tabs import with_tables

_MAX_TEXT_BYTES = 50_000_000
"""This is about 10,000 pages."""
_SAMPLE_BYTES = 100_000
_MAX_FOREIGN = 0.3
"""With a greater share of letters outside of ASCII, a text is not in Latin letters."""
_FOREIGN = re.compile(rb"[\x81-\x84\x86-\x90\x98\x9a-\x9f\xc0-\xff]{3,}")
"""Letters outside of ASCII, in Windows-1252, of which words in Latin letters seldom have three in a row."""
_ODD_WORD = re.compile(
    r"[a-zß-öø-ÿ][À-ÖØ-ÞŠŽŒŸĂĄĆČĎĐĘĚŁŃŇŐŘŚŞŤŢŮŰŹŻ](?![A-ZÀ-Þ])|[^\W\d_][£¯³¹¼¾½¢¥§©®¬¦²º»¶±][^\W\d_]|(?:^|\s)[¯³¹¼¾¢¥¦²£][^\W\d_]|[\x80-\x9f]"
)
"""A capital after a small letter, or a sign inside of a word or at its beginning."""
_MIN_ZEROS = 0.6
_AS_BROWSERS = dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "ascii", "us-ascii"), "cp1252")
"""The encodings of the WHATWG: nearly all texts that declare these have letters of Windows."""
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class TextReader:
    media_type = "text/plain"
    label = "text"
    suffixes = (".txt", ".text")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return is_text(head)

    def read(self, content: bytes, filename: str) -> Document:
        lines = stack_columns(without_signs(decode(content, filename)).splitlines())
        return Document(tuple(with_boxes(with_tables(paragraphs(lines, words_of(lines))))))


def decode(content: bytes, filename: str, declared: str | None = None) -> str:
    """Decode text by its byte order mark or declared encoding, or else as UTF-8 or by its letters. Raises Unreadable if it is too long or
    binary."""
    if len(content) > _MAX_TEXT_BYTES:
        raise Unreadable(
            t(
                "“{filename}” has more than {size} bytes of text. Split the document and add its parts.",
                filename=filename,
                size=_MAX_TEXT_BYTES,
            )
        )
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    if wide := _wide(content[:HEAD_BYTES]):
        return content.decode(wide, errors="replace")
    if (place := content.find(b"\x00")) >= 0:
        line = content.count(b"\n", 0, place) + 1
        raise Unreadable(
            t("“{filename}” contains binary data in line {line}. Remove it, or add another file.", filename=filename, line=line)
        )
    for encoding in ("utf-8", _AS_BROWSERS.get((declared or "").lower(), declared)):
        with suppress(UnicodeDecodeError, LookupError):
            if encoding:
                return content.decode(encoding)
    return content.decode(_guessed(content[:_SAMPLE_BYTES]), errors="replace")


def _guessed(sample: bytes) -> str:
    """The encoding of a text that is not Unicode and declares none. Libraries guess short texts in Latin letters wrong, so for these it
    is the first common encoding in which no word looks odd."""
    from charset_normalizer import from_bytes

    foreign = sum(len(run) for run in _FOREIGN.findall(sample))
    if foreign > _MAX_FOREIGN * (foreign + sum(byte < 128 and chr(byte).isalpha() for byte in sample)):
        best = from_bytes(sample).best()
        return best.encoding if best else "cp1252"
    for encoding in ("cp1252", "cp1250", "iso8859_2", "mac_roman"):
        with suppress(UnicodeDecodeError):
            if not _ODD_WORD.search(sample.decode(encoding)):
                return encoding
    return "cp1252"


def _wide(head: bytes) -> str:
    """UTF-16 without a byte order mark: nearly every second byte is zero, or as in most text, many are."""
    even, odd = head[::2], head[1::2]
    if len(odd) > 1 and odd.count(0) > _MIN_ZEROS * len(odd) and not even.count(0):
        return "utf-16-le"
    if len(odd) > 1 and even.count(0) > _MIN_ZEROS * len(even) and not odd.count(0):
        return "utf-16-be"
    return ""


def is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _wide(head):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return b"\x00" not in head and controls < len(head) / 50 and not head.startswith((b"PK\x03\x04", OLE))
