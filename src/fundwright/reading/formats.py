"""Readers convert files to documents, each for one format. Plug-ins add readers with the hook `document_readers`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.reading.document import Attachment, Block, Cell, Document, Figure, Margin, Note, Table, runs_in, walk
from fundwright.reading.lines import lines_of
from fundwright.reading.recognition import bounded_recognition
from fundwright.reading.unread import with_unread

HEAD_BYTES = 4_096
_DEEPEST = 3
"""How deep files in files are read."""
OLE = b"\xd0\xcf\x11\xe0"


class Unreadable(Invalid):
    """A document cannot be read. The message names it and says what to do."""


def file_missing(filename: str) -> Unreadable:
    return Unreadable(
        t("The file of “{filename}” is missing from the data folder. Remove the document and add it again.", filename=filename)
    )


class Reader(Protocol):
    """Reads one format. `recognizes` decides by content first: `head` is the first 4,096 bytes of the file."""

    @property
    def media_type(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of its files end, such as “.pdf”."""
        ...

    def recognizes(self, head: bytes, filename: str) -> bool: ...

    def read(self, content: bytes, filename: str) -> Document:
        """Return the document in reading order. Runs in the sandbox, see `fundwright.core.sandbox`, and is stopped after a minute
        without `report_progress`. Attachments are read afterward. Raises Unreadable."""
        ...


def reader_of(readers: Sequence[Reader], path: Path, filename: str) -> Reader:
    """Return the first reader that recognizes the file. Raises Unreadable if none does."""
    with path.open("rb") as file:
        return _chosen(readers, file.read(HEAD_BYTES), filename)


def _chosen(readers: Sequence[Reader], head: bytes, filename: str) -> Reader:
    if not head.strip():
        raise Unreadable(t("“{filename}” is empty. Choose a file with text in it.", filename=filename))
    for reader in readers:
        if reader.recognizes(head, filename):
            return reader
    if head.startswith(OLE) and filename.lower().endswith(
        (".docx", ".pptx", ".xlsx")
    ):  # an encrypted package is stored in a container of the old format
        raise Unreadable(t("“{filename}” is password-protected. Save a copy without a password and add that.", filename=filename))
    if head.startswith(OLE):
        raise Unreadable(t("“{filename}” is in an old Office format. Save it as DOCX or PDF and add that.", filename=filename))
    formats = ", ".join(reader.label for reader in readers)
    raise Unreadable(
        t(
            "“{filename}” is in an unsupported format. Save it as PDF or DOCX and add that. Supported formats: {formats}.",
            filename=filename,
            formats=formats,
        )
    )


def read(readers: Sequence[Reader], content: bytes, filename: str) -> Document:
    """Read a file and the files in it. Raises Unreadable for any error of the reader, and if there is no text in it."""
    with bounded_recognition():
        document = _read(readers, content, filename, _DEEPEST)
    if any(line.text for line in lines_of(document, with_asides=True)):
        return document
    if document.blocks and all(isinstance(block, Attachment) for block in document.blocks):
        formats = ", ".join(reader.label for reader in readers)
        raise Unreadable(
            t("None of the files in “{filename}” can be read. Supported formats: {formats}.", filename=filename, formats=formats)
        )
    if any(run.mark for block in walk(document.blocks) for run in runs_in(block)):
        raise Unreadable(
            t(
                "All text in “{filename}” is struck through, deleted, or hidden. Make visible what should be read, save the file, and add it again.",
                filename=filename,
            )
        )
    raise Unreadable(
        t(
            "There is no text in “{filename}”. If it is a scan, scan it again upright at 300 dpi, and add the new file.",
            filename=filename,
        )
    )


def _read(readers: Sequence[Reader], content: bytes, filename: str, depth: int) -> Document:
    reader = _chosen(readers, content[:HEAD_BYTES], filename)
    try:
        document = _with_attachments(readers, reader.read(content, filename), depth)
        return with_unread(document, content, media_type=reader.media_type)
    except Unreadable:
        raise
    except Exception as error:  # third-party parsers can raise anything
        raise Unreadable(
            t(
                "“{filename}” is damaged or not a valid {label} file. Open it, save it again, and add the new file.",
                filename=filename,
                label=reader.label,
            )
        ) from error


def _with_attachments(readers: Sequence[Reader], document: Document, depth: int) -> Document:
    """Read the files in a document, and the files in these. One that cannot be read stays without blocks."""
    unread = list(document.unread)

    def attached(block: Attachment) -> Attachment:
        if depth:
            with suppress(Unreadable):
                inner = _read(readers, block.content, block.filename, depth - 1)
                unread.extend(replace(each, page=None, name=each.name or block.filename) for each in inner.unread)
                return replace(block, content=b"", blocks=inner.blocks)
        return replace(block, content=b"")

    def in_cell(cell: Cell) -> Cell:
        return replace(cell, blocks=tuple(map(resolved, cell.blocks)))

    def resolved(block: Block) -> Block:
        match block:
            case Attachment() if block.content:
                return attached(block)
            case Note() | Margin() | Figure():
                return replace(block, blocks=tuple(map(resolved, block.blocks)))
            case Table():
                rows = (tuple((place, in_cell(cell)) for place, cell in row) for row in block.rows)
                return replace(block, rows=tuple(rows))
            case _:
                return block

    return replace(document, blocks=tuple(map(resolved, document.blocks)), unread=tuple(unread))
