"""Reads documents in the sandbox, because neither they nor their parsers can be trusted, and divides what was read into chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from fundwright.core.assembly import Core
from fundwright.core.computing import TookTooLong, TookTooMuchMemory
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t
from fundwright.core.sandbox import Limits, crashed
from fundwright.reading import dates, kinds, stored
from fundwright.reading.entries import entries_of
from fundwright.reading.finding_facts import facts_of
from fundwright.reading.formats import Reader, Unreadable, file_missing, read
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.lines import lines_of
from fundwright.reading.report import page_labels_of, report_of
from fundwright.training import titles
from fundwright.training.chunking import ChunkedDocument, chunk
from fundwright.training.sketches import sketch_of

R = TypeVar("R")

LIMITS = Limits(
    error=Unreadable,
    silent_seconds=60,
    total_seconds=300,
    memory_bytes=1_000_000_000,
    output_bytes=100_000_000,
    modules=(
        *(f"docling.backend.{name}_backend" for name in ("html", "mspowerpoint", "msword", "noop", "opendocument")),
        *("docx", "fundwright.reading.pdf_parser", "lxml.html", "openpyxl", "oxmsg", "pypdf", "pypdfium2", "striprtf.striprtf"),
        *(
            "fundwright.reading.recognition_models",
            "PIL.JpegImagePlugin",
            "PIL.PngImagePlugin",
            "PIL.TiffImagePlugin",
            "scipy.ndimage",
        ),
    ),
)


async def extract(core: Core, readers: Sequence[Reader], path: Path, filename: str) -> bytes:
    """Read a file. Returns the stored form of its document, see `reading.stored`. Raises Unreadable."""
    work = partial(_read, list(readers), path, filename)
    name = t("“{name}”", name=filename)
    results = await core.sandbox.run(work, limits=LIMITS, name=name, readable=(path,))
    with _as_unreadable(name):
        content = await _computed(partial(_checked, results), core)
    if isinstance(content, str):
        raise crashed(LIMITS, name, reason=content)
    return content


async def divide(core: Core, content: bytes, filename: str, *, title: str, kind: DocumentKind | None = None) -> ChunkedDocument:
    """Divide a stored document into chunks, find its facts, and report on its reading. Proposes its kind, unless a person has chosen one, and its
    title. Raises Unreadable."""
    divided = partial(_divided, content, filename, title, kind)
    with _as_unreadable(t("“{name}”", name=filename)):
        return await _computed(divided, core)


async def _computed(function: partial[R], core: Core) -> R:
    return await core.computing.run(function, deadline_s=LIMITS.total_seconds, silent_s=LIMITS.silent_seconds, is_background=True)


@contextmanager
def _as_unreadable(name: str) -> Iterator[None]:
    """What takes too long, or too much memory, or fails is a reason why this document cannot be read, and not the end of a run of several."""
    try:
        yield
    except (TookTooLong, TookTooMuchMemory) as error:
        raise Unreadable(error.sentence) from error
    except FundwrightError:
        raise
    except Exception as error:
        raise crashed(LIMITS, name, reason=str(error)) from error


def _read(readers: Sequence[Reader], path: Path, filename: str) -> Iterator[bytes]:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise file_missing(filename) from error
    yield stored.pack(read(readers, content, filename))


def _checked(results: list[bytes]) -> bytes | str:
    """Validate the result of a reader, which may be compromised. Returns the name of the error for anything that is no document."""
    try:
        (content,) = results
        document = stored.unpack(content)
        lines_of(document)  # blocks may be nested so deeply that nothing but this fails
        return stored.pack(document)
    except (ValueError, RecursionError) as error:
        return type(error).__name__


def _divided(content: bytes, filename: str, title: str, kind: DocumentKind | None = None) -> ChunkedDocument:
    document = stored.unpack(content)
    lines = lines_of(document, with_asides=True)
    chunked = chunk(lines)
    kind = kind or kinds.propose(title=title, filename=filename, text=chunked.statements)
    return replace(
        chunked,
        kind=kind,
        facts=facts_of(chunked.statements, entries_of(chunked.statements, chunked.headings_at), kind),
        dated=dates.date_of(chunked.statements, filename=filename, today=now().date()),
        title=titles.propose(
            [(line.text, line.level is not None) for line in lines if line.aside is None], metadata=document.title
        ),
        report=report_of(document),
        page_labels=page_labels_of(document),
        sketch=sketch_of(chunked.text),
    )
