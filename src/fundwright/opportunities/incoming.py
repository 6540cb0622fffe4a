"""Reads a file with its source, in batches that are ready for the database. Runs in the sandbox."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import json
import math
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Any, cast

from pydantic import BaseModel, Field

from fundwright.core.errors import NotFound
from fundwright.core.messages import from_untrusted, t, to_stored
from fundwright.opportunities.reading import DamagedFile, UnreadableFile, clean, damage, fit
from fundwright.opportunities.schemas import MAX_LISTED, TextDeadline
from fundwright.opportunities.sources import ParsedNotice, RejectedRow, Source

BATCH_ROWS = 2_000
_BATCH_CHARACTERS = 4_000_000
_WARNING_CHARACTERS = 100
_HEAD_BYTES = 10_000_000
"""More than the rejection reasons of a whole batch need."""
_SKIPPED_AT_ONCE = 20_000
_BUFFER_BYTES = 1 << 18
_UNPACKED_TIMES = 200
"""The maximum compression ratio of a file. Published files reach 15, a ZIP bomb 1,000."""
_UNPACKED_ANYWAY_BYTES = 64_000_000
_READ_AT_ONCE_BYTES = 4_000_000
# Control characters, which no notice contains, replace COPY's special characters until a whole batch is escaped together.
_NEXT_FIELD, _NEXT_ROW, _NULL = "\x1f", "\x1e", "\x1d"

KEYS = ("position", "line", "content_hash", "external_id", "status")

COPIED = (
    "position", "content_hash", "external_id", "number", "title", "agency", "sub_agency", "office", "type", "status",
    "naics", "psc", "set_aside_code", "set_aside", "activity_codes", "assistance_listings", "posted_at", "due_at", "due_note",
    "archive_at", "closes_at", "place", "contacts", "award_amount", "award_ceiling", "award_floor", "total_funding",
    "expected_awards", "eligibility", "description", "url", "raw",
)  # fmt: skip
"""The columns of a batch, in order."""
TEXTS = ("description", "eligibility", "contacts", "url", "raw")
"""The columns that are stored in another table because lists do not read them."""


_SHORT = (
    "external_id",
    "title",
    "number",
    "agency",
    "sub_agency",
    "office",
    "type",
    "naics",
    "psc",
    "set_aside_code",
    "set_aside",
)
_MAX_CHARACTERS = 600
"""Twice the longest published value, and as much as an index holds. In a broken row, one field may contain the whole rest of the
file."""


@dataclass(slots=True)
class Batch:
    """Rows of a file. `items` counts every row of the file up to the end of this batch, including rejected ones."""

    items: int = 0
    bytes_read: int = 0
    keys: list[str] = field(default_factory=list[str])
    """The columns KEYS, which determine whether a row is new, ready to be escaped."""
    rows: list[str] = field(default_factory=list[str])
    """The columns COPIED of the same rows."""
    rejections: list[RejectedRow] = field(default_factory=list[RejectedRow])
    deadlines: list[TextDeadline] = field(default_factory=list[TextDeadline])
    """Those of the same rows that are not dates."""
    unused_columns: list[str] = field(default_factory=list[str])
    characters: int = 0

    def add(self, row: ParsedNotice | RejectedRow) -> None:
        if isinstance(row, RejectedRow):
            self.rejections.append(row)
            return
        for name in _SHORT:
            if len(getattr(row, name)) > _MAX_CHARACTERS:
                reason = t("The value is longer than {most} characters. Is a quotation mark missing?", most=_MAX_CHARACTERS)
                self.rejections.append(RejectedRow(row.line, name, reason))
                return
        if row.due_note and row.due_at is None:
            self.deadlines.append(TextDeadline(line=row.line, text=clean(row.due_note)[:_WARNING_CHARACTERS]))
        for column in row.unused_columns:
            name = clean(column)[:_WARNING_CHARACTERS]
            if name not in self.unused_columns and len(self.unused_columns) < MAX_LISTED:
                self.unused_columns.append(name)
        digest = hashlib.blake2b(row.content.encode(errors="replace"), digest_size=16).hexdigest()
        position = str(len(self.rows))
        self.keys.append(_joined(position, str(row.line), digest, row.external_id, row.status))
        self.rows.append(_copy_row(position, digest, row))
        self.characters += len(self.rows[-1])

    @property
    def size(self) -> int:
        """The number of rows, including rejected ones."""
        return len(self.rows) + len(self.rejections)

    def to_bytes(self) -> bytes:
        """A line of JSON, then `keys` and `rows`."""
        rejections = [(rejected.line, rejected.column, to_stored(rejected.reason)) for rejected in self.rejections]
        head = {
            "items": self.items,
            "bytes_read": self.bytes_read,
            "rows": len(self.rows),
            "rejections": rejections,
            "deadlines": [(deadline.line, deadline.text) for deadline in self.deadlines],
            "unused_columns": self.unused_columns,
        }
        return f"{json.dumps(head)}\n{_NEXT_ROW.join((*self.keys, *self.rows))}".encode(errors="replace")

    @classmethod
    def from_bytes(cls, content: bytes) -> Batch:
        """Parse the result of `to_bytes` from a process that may be compromised. Raises ValueError if it is invalid."""
        start, _, body = content.partition(b"\n")
        if len(start) > _HEAD_BYTES:
            raise ValueError("A batch has too many rejections.")
        head = _Head.model_validate_json(start)
        lines = body.decode().split(_NEXT_ROW, 2 * BATCH_ROWS) if body else []
        if len(lines) != 2 * head.rows:
            raise ValueError("A batch has other rows than it says.")
        return cls(
            items=head.items,
            bytes_read=head.bytes_read,
            keys=lines[: head.rows],
            rows=lines[head.rows :],
            rejections=[RejectedRow(line, column, from_untrusted(reason)) for line, column, reason in head.rejections],
            deadlines=[TextDeadline(line=line, text=clean(text)) for line, text in head.deadlines],
            unused_columns=list(map(clean, head.unused_columns)),
        )


_WarningText = Annotated[str, Field(max_length=_WARNING_CHARACTERS)]


class _Head(BaseModel):
    """The header that `Batch.to_bytes` writes before the rows."""

    items: int
    bytes_read: int
    rows: Annotated[int, Field(ge=0, le=BATCH_ROWS)]
    rejections: list[tuple[int, str, str]]
    deadlines: Annotated[list[tuple[int, _WarningText]], Field(max_length=BATCH_ROWS)] = []
    unused_columns: Annotated[list[_WarningText], Field(max_length=MAX_LISTED)] = []


class Incoming:
    """A file to import: uncompressed, gzip, or the only file of the source's format in a ZIP file.

    `skip` is the number of rows that an earlier run has imported. Raises NotFound if the file is gone, and UnreadableFile if it is
    empty or a ZIP file with nothing to read.
    """

    def __init__(self, path: Path, source: Source, *, skip: int = 0, batch_rows: int = BATCH_ROWS) -> None:
        try:
            self._file = _File(path)
        except OSError as error:
            raise NotFound(t("The file {name}", name=path.name)) from error
        self.size_bytes = path.stat().st_size
        try:
            if not self.size_bytes:
                raise UnreadableFile(t("The file is empty. Choose another one."))
            self._content = _Content(self._file, source, size_bytes=self.size_bytes)
        except BaseException:
            self._file.close()
            raise
        self._rows = source.parse(io.BufferedReader(_Text(self._content), _BUFFER_BYTES))
        self._skip = skip
        self._batch_rows = batch_rows
        self._items = 0

    @property
    def bytes_read(self) -> int:
        """How far the file on disk has been read."""
        return self._content.bytes_read

    def close(self) -> None:
        self._file.close()

    def next_batch(self) -> Batch | None:
        """Return the next rows, or None at the end of the file. An empty batch reports progress while many rows are skipped. Raises
        UnreadableFile."""
        batch = Batch()
        is_over = True
        try:
            for row in self._rows:
                self._items += 1
                if self._items <= self._skip:
                    if self._items % _SKIPPED_AT_ONCE:
                        continue
                else:
                    batch.add(row)
                    if batch.size < self._batch_rows and batch.characters < _BATCH_CHARACTERS:
                        continue
                is_over = False
                break
        except OSError as error:
            raise UnreadableFile(
                t("The file could not be read: {error}. Get a new copy and try again.", error=damage(error))
            ) from error
        batch.items, batch.bytes_read = self._items, self.bytes_read
        return None if is_over and not batch.size else batch


def read_batches(path: Path, source: Source, *, skip: int, batch_rows: int, others: Sequence[Source] = ()) -> Iterator[bytes]:
    """Yield every batch of a file as `Batch.to_bytes`. Raises UnreadableFile, which names the one of `others` that reads the file if
    `source` reads nothing of it."""
    is_begun = skip > 0
    try:
        incoming = Incoming(path, source, skip=skip, batch_rows=batch_rows)
        while (batch := incoming.next_batch()) is not None:
            is_begun = True
            yield batch.to_bytes()
        incoming.close()
    except UnreadableFile as error:
        reader = None if is_begun else next((other for other in others if _reads(other, path)), None)
        if reader is None:
            raise
        raise UnreadableFile(t("This file has another format. Import it again as “{label}”.", label=t(reader.label))) from error


def _reads(source: Source, path: Path) -> bool:
    """Whether the source can read the beginning of the file."""
    try:
        incoming = Incoming(path, source, batch_rows=1)
        batch = incoming.next_batch()
        incoming.close()
    except UnreadableFile:
        return False
    return batch is not None and bool(batch.rows)


def batch_of(rows: Iterable[ParsedNotice | RejectedRow]) -> Batch:
    """Return a batch of a few rows."""
    batch = Batch()
    for row in rows:
        batch.add(row)
    return batch


def copy_text(rows: Iterable[str]) -> bytes:
    """Return the rows of a batch in the text format of COPY."""
    text = _NEXT_ROW.join(rows).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    text = text.replace(_NULL, "\\N").replace(_NEXT_FIELD, "\t").replace(_NEXT_ROW, "\n")
    return (text + "\n").encode(errors="replace") if text else b""


class _File(io.FileIO):
    """A file with limited reads: the directory of a ZIP file is read at once and may be a bomb itself."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _READ_AT_ONCE_BYTES:
            raise DamagedFile(t("the ZIP file contains too many files"))
        return cast(bytes, super().read(size))


class _Content(io.RawIOBase):
    """The unpacked content of a file. Every kind of damage is an OSError, and so is a file that unpacks without end."""

    def __init__(self, file: _File, source: Source, *, size_bytes: int) -> None:
        start = file.read(4)
        file.seek(0)
        self._file = file
        # `read` and `readinto` of an unpacked file read several pieces at once and lose all of them if the last one is damaged.
        self._read: Callable[[int], bytes] = file.read
        self._left: float = max(_UNPACKED_TIMES * size_bytes, _UNPACKED_ANYWAY_BYTES)
        if start[:2] == b"\x1f\x8b":
            self._read = gzip.GzipFile(fileobj=file).read1
        elif start in (b"PK\x03\x04", b"PK\x05\x06"):
            self._read = _only_member(file, source).read1
        else:
            self._left = math.inf
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._read(len(buffer))
        except (zlib.error, EOFError, zipfile.BadZipFile) as error:
            raise DamagedFile(t("the compressed file is damaged or cut off")) from error
        self._left -= len(piece)
        if self._left < 0:
            raise DamagedFile(t("it unzips to more than {times} times its size", times=_UNPACKED_TIMES))
        self.bytes_read = self._file.tell()
        buffer[: len(piece)] = piece
        return len(piece)


class _Text(io.RawIOBase):
    """A text file in UTF-8 or a code page, with line feeds, also if it is in UTF-16 or its lines end with carriage returns only."""

    def __init__(self, content: _Content) -> None:
        self._content = content
        self._convert: Callable[[bytes], bytes] | None = None
        self._converted = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._converted and (piece := self._content.read(len(buffer))):
            self._convert = self._convert or _conversion(piece)
            self._converted = self._convert(piece)
        size = min(len(buffer), len(self._converted))
        buffer[:size], self._converted = self._converted[:size], self._converted[size:]
        return size


def _conversion(head: bytes) -> Callable[[bytes], bytes]:
    """Return what converts the pieces of a text file that begins with `head`."""
    encoding = ""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif len(head) >= 4 and b"\0" in head[:4]:  # without a byte order mark, half of an ASCII letter
        encoding = "utf-16-le" if head[0] else "utf-16-be"
    if encoding:
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        return lambda piece: decoder.decode(piece).encode()
    if b"\r" in head[:-1] and b"\n" not in head:
        return lambda piece: piece.replace(b"\r", b"\n")
    return lambda piece: piece


def _only_member(file: _File, source: Source) -> zipfile.ZipExtFile:
    """Return the file in a ZIP file that the source can read. Raises UnreadableFile unless there is exactly one."""
    endings = ", ".join(source.file_suffixes)
    try:
        archive = zipfile.ZipFile(cast(IO[bytes], file))
        found = [
            member
            for member in archive.infolist()
            if member.filename.lower().endswith(source.file_suffixes) and not member.filename.startswith("__MACOSX/")
        ]
        if len(found) != 1:
            raise UnreadableFile(
                t(
                    "The ZIP file contains {count} files that end in {endings} instead of one. Unzip it and import the right one.",
                    count=len(found),
                    endings=endings,
                )
            )
        (member,) = found
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadableFile(
                t(
                    "{filename} in the ZIP file is encrypted or uses an unsupported compression. Unzip it yourself.",
                    filename=member.filename,
                )
            )
        return cast(zipfile.ZipExtFile, archive.open(member))
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise UnreadableFile(
            t("The ZIP file cannot be read: {error}. Get a new copy and try again.", error=damage(error))
        ) from error


def _copy_row(position: str, digest: str, notice: ParsedNotice) -> str:
    return _joined(
        position,
        digest,
        notice.external_id,
        notice.number,
        notice.title,
        notice.agency,
        notice.sub_agency,
        notice.office,
        notice.type,
        notice.status,
        notice.naics,
        notice.psc,
        notice.set_aside_code,
        notice.set_aside,
        _array(notice.activity_codes),
        _array(notice.assistance_listings),
        str(notice.posted_at),
        _moment(notice.due_at),
        notice.due_note,
        _moment(notice.archive_at),
        _moment(notice.closes_at),
        notice.place,
        _json(notice.contacts),
        _number(notice.award_amount),
        _number(notice.award_ceiling),
        _number(notice.award_floor),
        _number(notice.total_funding),
        _number(notice.expected_awards),
        notice.eligibility,
        notice.description,
        notice.url,
        _json(notice.raw),
    )


def _joined(*values: str) -> str:
    text = _NEXT_FIELD.join(values)
    if text.count(_NEXT_FIELD) != len(values) - 1 or _NEXT_ROW in text or "\x00" in text:
        text = _NEXT_FIELD.join(value if value == _NULL else clean(value) for value in values)
    return text


def _array(values: list[str]) -> str:
    if not values:
        return "{}"
    return "{" + ",".join('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values) + "}"


def _moment(value: datetime | None) -> str:
    return _NULL if value is None else str(value)


def _number(value: object) -> str:
    return _NULL if value is None else str(value)


def _json(value: object) -> str:
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(fit(value), ensure_ascii=False) if "\\u0000" in text else text
