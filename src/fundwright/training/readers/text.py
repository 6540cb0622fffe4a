"""Reads text files, and decodes the bytes of text formats."""

from __future__ import annotations

from pathlib import Path

from fundwright.core.messages import t
from fundwright.training import columns
from fundwright.training.readers import OLE, Block, Unreadable
from fundwright.training.readers.paragraphs import paragraphs, words_of

_MAX_TEXT_BYTES = 50_000_000
"""Text is read into memory at once. This is about 10,000 pages."""


class TextReader:
    media_type = "text/plain"
    label = "text"

    def recognizes(self, head: bytes, filename: str) -> bool:
        return is_text(head)

    def read(self, path: Path, filename: str) -> list[Block]:
        lines = columns.stack_columns(decode(read_text(path, filename), filename).splitlines())
        return paragraphs(lines, words_of(lines), page=None)


def decode(source: bytes, filename: str, declared: str | None = None) -> str:
    """Decode text by its byte order mark or declared encoding, or else as UTF-8 or Windows-1252."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if source.startswith(mark):
            return source.decode(encoding, errors="replace")
    if (place := source.find(b"\x00")) >= 0:
        line = source.count(b"\n", 0, place) + 1
        raise Unreadable(
            t(
                "“{filename}” contains binary data in line {line}. Remove it, or add a PDF, DOCX, Markdown, HTML, or text file.",
                filename=filename,
                line=line,
            )
        )
    for encoding in ("utf-8", declared):
        try:
            if encoding:
                return source.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return source.decode("cp1252", errors="replace")


def is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return b"\x00" not in head and controls < len(head) / 50 and not head.startswith((b"PK\x03\x04", OLE))


def read_text(path: Path, filename: str) -> bytes:
    with path.open("rb") as file:
        source = file.read(_MAX_TEXT_BYTES + 1)
    if len(source) > _MAX_TEXT_BYTES:
        raise Unreadable(
            t(
                "“{filename}” has more than {size} bytes of text. Split the document and add its parts.",
                filename=filename,
                size=_MAX_TEXT_BYTES,
            )
        )
    return source
