"""Receives uploaded files: passed on while they arrive, a few of each account at a time, and refused before they are sent if there is no room."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, Invalid
from fundwright.core.messages import t
from fundwright.core.web import set_body_limit

T = TypeVar("T")

_FORM_BYTES = 1 << 20
"""What a form may contain beside the file."""
_ENVELOPE_BYTES = 1_000
"""More than the borders of a form that contains only the file. Until the file has arrived, its size is known only to this accuracy."""
_MOST_PARTS = 10
_OF_ACCOUNT = 3
_OF_ALL = 24

UPLOAD: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""`openapi_extra` of a route that calls `receive_file`."""


class TooManyUploads(FundwrightError):
    status = 429
    retry_after_s = 5

    def __init__(self) -> None:
        super().__init__(
            t("Too many files are being uploaded at the same time. Wait until one of them has arrived, and send this one again.")
        )


class Received(NamedTuple, Generic[T]):
    """An uploaded file, and the name under which it is stored."""

    filename: str
    kept: T


@dataclass
class _Uploads:
    """The uploads that this process is receiving."""

    running: Counter[UUID] = field(default_factory=Counter[UUID])
    bytes: Counter[UUID] = field(default_factory=Counter[UUID])

    @contextmanager
    def underway(self, account_id: UUID, size_bytes: int) -> Iterator[int]:
        """The bytes that the other running uploads of the account will have when they have arrived. Raises TooManyUploads.

        The first upload of an account always has a place, so that others cannot take it.
        """
        if self.running[account_id] >= _OF_ACCOUNT or (self.running[account_id] and self.running.total() >= _OF_ALL):
            raise TooManyUploads
        self.running[account_id] += 1
        self.bytes[account_id] += size_bytes
        try:
            yield self.bytes[account_id] - size_bytes
        finally:
            self.running[account_id] -= 1
            self.bytes[account_id] -= size_bytes
            if not self.running[account_id]:
                del self.running[account_id], self.bytes[account_id]


async def receive_file(
    core: Core,
    request: Request,
    keep: Callable[[AsyncIterator[bytes]], Awaitable[T]],
    *,
    account_id: UUID,
    require_room: Callable[[int, int], Awaitable[None]] | None = None,
    max_bytes: int | None = None,
    otherwise: str = "",
) -> Received[T]:
    """Pass the chunks of form field `file` to `keep` while they arrive: to `core.files.receive`, or `spool` for one job. Raises Invalid or
    TooManyUploads.

    A file larger than `max_bytes` (by default the limit in the settings) is refused before any of it is stored; `otherwise` says
    what to do then. `require_room` gets the size of the file and of the account's other files that are arriving, in bytes, and raises an
    error unless there is room for all of them. The caller checks again when the file has arrived: only then is its exact size known.

    A route calls this after it has authenticated the request: a parameter of type UploadFile would read the whole body before.
    """
    length = request.headers.get("content-length", "")
    limit = min(core.settings.max_upload_bytes, max_bytes or core.settings.max_upload_bytes)
    if not length.isdecimal() or int(length) > limit + _FORM_BYTES:
        next_step = otherwise or t("Split the file, or import it from the command line: `fundwright --help`.")
        raise Invalid(t("The upload must state its size, at most {size} bytes. {next_step}", size=limit, next_step=next_step))
    uploads: _Uploads = core.shared(f"{__name__}.uploads", _Uploads)
    with uploads.underway(account_id, int(length)) as arriving_bytes:
        if require_room is not None:
            await require_room(max(int(length) - _ENVELOPE_BYTES, 0), arriving_bytes)
        set_body_limit(request, int(length))
        form = _Form(request)
        async for _ in form.until_file():
            pass
        if form.filename is None:
            raise Invalid(t("The upload has no file. Send it as form field `file`."))
        kept = await keep(form.pieces())
        await form.drain()
        return Received(form.filename or "upload", kept)


class _Form:
    """Finds the file in the body of a request while it arrives."""

    def __init__(self, request: Request) -> None:
        kind, options = parse_options_header(request.headers.get("content-type", ""))
        self.filename: str | None = None
        self._stream = request.stream()
        self._parts = 0
        self._header, self._headers = (bytearray(), bytearray()), dict[bytes, bytes]()
        self._is_file = self._is_complete = False
        self._pieces: list[bytes] = []
        self._parser: MultipartParser | None = None
        if kind == b"multipart/form-data" and options.get(b"boundary"):
            self._parser = MultipartParser(
                options[b"boundary"],
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                    "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._end_headers,
                    "on_part_data": self._take,
                    "on_part_end": self._end_part,
                },
            )

    async def until_file(self) -> AsyncIterator[None]:
        """Read until the file begins, or the body ends."""
        while self._parser is not None and self.filename is None and await self._read():
            yield

    async def pieces(self) -> AsyncIterator[bytes]:
        """The content of the file. Raises HTTPException (400) if the form ends before the file does."""
        while True:
            pieces, self._pieces = self._pieces, []
            if pieces:
                yield b"".join(pieces)
            elif self._is_complete:
                return
            elif not await self._read():
                raise _malformed()

    async def drain(self) -> None:
        while await self._read():
            pass

    async def _read(self) -> bool:
        """Parse the next chunk of the body. Returns False at its end."""
        assert self._parser is not None
        chunk = await anext(self._stream, None)
        if chunk is None:
            return False
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise _malformed() from error
        return True

    def _begin_part(self) -> None:
        self._parts += 1
        self._headers = {}
        if self._parts > _MOST_PARTS:
            raise _malformed()

    def _end_header(self) -> None:
        name, value = self._header
        self._headers[bytes(name).lower()] = bytes(value)
        self._header = (bytearray(), bytearray())

    def _end_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._is_file = options.get(b"name") == b"file" and b"filename" in options
        if self._is_file:
            if self.filename is not None:
                raise _malformed()
            self.filename = options[b"filename"].decode("utf-8", "replace")

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._is_file:
            self._pieces.append(data[start:end])

    def _end_part(self) -> None:
        self._is_complete = self._is_complete or self._is_file
        self._is_file = False


def _malformed() -> HTTPException:
    return HTTPException(400, "The form is malformed or contains more than one file")
