"""Readers convert a file to blocks of text with headings and pages. Plug-ins add readers with the hook `document_readers`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from fundwright.core.errors import Invalid
from fundwright.core.messages import t

HEAD_BYTES = 4_096
OLE = b"\xd0\xcf\x11\xe0"


class Unreadable(Invalid):
    """A document cannot be read. The message names it and says what to do."""


def file_missing(filename: str) -> Unreadable:
    return Unreadable(
        t("The file of “{filename}” is missing from the data folder. Remove the document and add it again.", filename=filename)
    )


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a heading of `level` 1 or deeper. `page` counts from 1 if the format has pages."""

    text: str
    level: int | None = None
    page: int | None = None


class Reader(Protocol):
    """Reads one format. `recognizes` decides by content first: `head` is the first 4,096 bytes of the file."""

    @property
    def media_type(self) -> str: ...

    @property
    def label(self) -> str: ...

    def recognizes(self, head: bytes, filename: str) -> bool: ...

    def read(self, path: Path, filename: str) -> list[Block]:
        """Return every block in reading order. Runs in the sandbox, see `fundwright.core.sandbox`, and is stopped after a minute
        without `report_progress`. Raises Unreadable."""
        ...


@runtime_checkable
class TitledReader(Reader, Protocol):
    """A reader of a format whose files have a title in their metadata."""

    def title(self, path: Path) -> str:
        """Return the title, or "". Runs in the sandbox, and may raise anything."""
        ...


def choose_reader(readers: Sequence[Reader], path: Path, filename: str) -> Reader:
    """Return the first reader that recognizes the file. Raises Unreadable if none does."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head.strip():
        raise Unreadable(t("“{filename}” is empty. Choose a file with text in it.", filename=filename))
    for reader in readers:
        if reader.recognizes(head, filename):
            return reader
    if head.startswith(OLE) and filename.lower().endswith(
        ".docx"
    ):  # an encrypted package is stored in a container of the old format
        raise Unreadable(t("“{filename}” is password-protected. Save a copy without a password and add that.", filename=filename))
    if head.startswith(OLE):
        raise Unreadable(t("“{filename}” is in an old Office format. Save it as DOCX or PDF and add that.", filename=filename))
    formats = ", ".join(reader.label for reader in readers)
    raise Unreadable(
        t("“{filename}” is in an unsupported format. Supported formats: {formats}.", filename=filename, formats=formats)
    )


def read(reader: Reader, path: Path, filename: str) -> list[Block]:
    """The blocks of a file. Raises Unreadable for any error of the reader, and if there is no text in it."""
    try:
        blocks = [
            Block(text=text, level=block.level, page=block.page)
            for block in reader.read(path, filename)
            if (text := _storable(block.text).strip())
        ]
    except Unreadable:
        raise
    except FileNotFoundError as error:
        raise file_missing(filename) from error
    except Exception as error:  # third-party parsers can raise anything
        raise Unreadable(
            t(
                "“{filename}” is damaged or not a valid {label} file. Open it, save it again, and add the new file.",
                filename=filename,
                label=reader.label,
            )
        ) from error
    if not blocks:
        raise Unreadable(
            t(
                "There is no text in “{filename}”. If it is a scan, run text recognition on it and add the result.",
                filename=filename,
            )
        )
    return blocks


def title_in(reader: Reader, path: Path) -> str:
    """The title in the metadata of a file, or ""."""
    if not isinstance(reader, TitledReader):
        return ""
    with suppress(Exception):  # third-party parsers can raise anything
        return _storable(reader.title(path))
    return ""


def _storable(text: str) -> str:
    """Remove null characters, and replace each lone surrogate, such as half an emoji in a PDF, with a question mark."""
    return text.replace("\x00", "").replace("\xa0", " ").encode(errors="replace").decode()
