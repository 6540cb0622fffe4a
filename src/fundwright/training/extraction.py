"""Reads documents and cuts them into chunks in the sandbox, because neither documents nor their parsers can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from fundwright.core.messages import t
from fundwright.core.sandbox import Limits, Sandbox
from fundwright.training.chunking import ChunkedDocument, Cut, chunk
from fundwright.training.readers import Reader, Unreadable, choose_reader, read

_CUTS_AT_ONCE = 1_000
_CUTS = TypeAdapter(list[Cut])

LIMITS = Limits(
    error=Unreadable,
    silent_seconds=300,
    total_seconds=300,
    memory_bytes=1_000_000_000,
    output_bytes=100_000_000,
    modules=("docx", "docx.table", "lxml.html", "pypdf"),
)


async def extract(sandbox: Sandbox, readers: Sequence[Reader], path: Path, filename: str) -> ChunkedDocument:
    """The text of a file and its chunks. Raises Unreadable."""
    work = partial(_extracted, list(readers), path, filename)
    name = t("“{name}”", name=filename)
    async with aclosing(sandbox.stream(work, limits=LIMITS, name=name, readable=(path,))) as results:
        text = (await anext(results)).decode()
        cuts = [cut async for result in results for cut in _CUTS.validate_json(result)]
    return ChunkedDocument(text=text, chunks=cuts)


def _extracted(readers: Sequence[Reader], path: Path, filename: str) -> Iterator[bytes]:
    try:
        reader = choose_reader(readers, path, filename)
    except FileNotFoundError as error:
        raise Unreadable(
            t("The file of “{filename}” is gone from the data folder. Remove the document and add it again.", filename=filename)
        ) from error
    chunked = chunk(read(reader, path, filename))
    yield chunked.text.encode(errors="replace")
    for start in range(0, len(chunked.chunks), _CUTS_AT_ONCE):
        yield _CUTS.dump_json(chunked.chunks[start : start + _CUTS_AT_ONCE])
