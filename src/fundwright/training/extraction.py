"""Reads documents and splits them into chunks in the sandbox, because neither documents nor their parsers can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from fundwright.core.assembly import Core
from fundwright.core.messages import t
from fundwright.core.sandbox import Limits, crashed
from fundwright.core.visible import visible_line
from fundwright.language.schemas import DocumentKind
from fundwright.reading.formats import Reader, Unreadable, file_missing, read
from fundwright.reading.lines import lines_of
from fundwright.training import kinds, titles
from fundwright.training.chunking import MAX_CHARACTERS, ChunkedDocument, ChunkSpan, chunk
from fundwright.training.titles import MAX_TITLE_CHARACTERS

_TEXTS = 3
"""The number of results before the chunks: the kind, the title, and the text."""
_SPANS_PER_RESULT = 100
_MAX_RESULT_BYTES = 5_000_000
"""The maximum size of that many chunks, each with 12 headings of nine levels. The server never parses more at once."""
_MIN_CHARACTERS = 50
"""The minimum text per chunk: two chunks together have at least 60 words that are in no other chunk."""
_MAX_COPIES = 10
"""The maximum ratio of the chunks' total length to the text's. With the overlap, it is usually 1.2, and never 3."""
_LAST_PAGE = 2**31 - 1
_SPANS = TypeAdapter(list[ChunkSpan])

LIMITS = Limits(
    error=Unreadable,
    silent_seconds=60,
    total_seconds=300,
    memory_bytes=1_000_000_000,
    output_bytes=100_000_000,
    modules=(
        *(f"docling.backend.{name}_backend" for name in ("html", "mspowerpoint", "msword", "noop", "opendocument")),
        *("docx", "fundwright.reading.pdf_parser", "lxml.html", "openpyxl", "oxmsg", "pypdf", "pypdfium2", "striprtf.striprtf"),
    ),
)


async def extract(core: Core, readers: Sequence[Reader], path: Path, filename: str, *, title: str) -> ChunkedDocument:
    """Return the text of a file, its chunks, its kind, and its title. Raises Unreadable."""
    work = partial(_extracted, list(readers), path, filename, title)
    name = t("“{name}”", name=filename)
    results = await core.sandbox.run(work, limits=LIMITS, name=name, readable=(path,))
    checked = await core.computing.run(partial(_checked, results), deadline_s=LIMITS.total_seconds, is_background=True)
    if isinstance(checked, str):
        raise crashed(LIMITS, name, reason=checked)
    return checked


def _checked(results: list[bytes]) -> ChunkedDocument | str:
    """Validate the results of a reader, which may be compromised. Returns the name of the error for anything that `chunk` never returns."""
    try:
        return _validated(results)
    except ValueError as error:
        return type(error).__name__


def _validated(results: list[bytes]) -> ChunkedDocument:
    if len(results) < _TEXTS:
        raise ValueError("There is no text.")
    kind, title, text = DocumentKind(results[0].decode()), results[1].decode(), results[2].decode()
    spans: list[ChunkSpan] = []
    length = 0
    for result in results[_TEXTS:]:
        if len(result) > _MAX_RESULT_BYTES:
            raise ValueError("There are too many chunks at once.")
        for span in _SPANS.validate_json(result):
            if not 0 <= span.start < span.end <= len(text) or span.end - span.start > MAX_CHARACTERS:
                raise ValueError("A chunk is not a part of the text.")
            for place in (span, *span.places):
                if any("\x00" in heading for heading in place.heading):
                    raise ValueError("A heading has null characters.")
                if place.page is not None and not 0 < place.page <= _LAST_PAGE:
                    raise ValueError("There is no such page.")
            spans.append(span)
            length += span.end - span.start
        if len(spans) > len(text) // _MIN_CHARACTERS + 2 or length > _MAX_COPIES * len(text):
            raise ValueError("The chunks overlap too much.")
    if "\x00" in text:
        raise ValueError("The text has null characters.")
    if title != visible_line(title, most=MAX_TITLE_CHARACTERS):
        raise ValueError("The title has hidden characters or is too long.")
    return ChunkedDocument(text=text, chunks=spans, kind=kind, title=title)


def _extracted(readers: Sequence[Reader], path: Path, filename: str, title: str) -> Iterator[bytes]:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise file_missing(filename) from error
    document = read(readers, content, filename)
    lines = lines_of(document)
    chunked = chunk(lines)
    yield kinds.propose(title=title, filename=filename, text=chunked.text).encode()
    yield titles.propose([(line.text, line.level is not None) for line in lines], metadata=document.title).encode()
    yield chunked.text.encode()
    for start in range(0, len(chunked.chunks), _SPANS_PER_RESULT):
        yield _SPANS.dump_json(chunked.chunks[start : start + _SPANS_PER_RESULT])
