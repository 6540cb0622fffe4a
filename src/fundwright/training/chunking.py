"""Splits a document into chunks of about 180 words, along headings and between sentences, with a small overlap.

180 English words are about 240 tokens; the default embedding model reads 256.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from fundwright.core.sandbox_progress import report_progress
from fundwright.language.schemas import DocumentKind
from fundwright.language.sentences import spans_of
from fundwright.training.readers import Block

_WORDS = 180
_OVERLAP_WORDS = 30
_OVERLAP_CHARACTERS = 600
"""In most languages, 30 words are shorter. But 30 codes or addresses can be almost a whole chunk, which would repeat all of them 30
times."""
MAX_CHARACTERS = 4_000
"""Text without words or sentences, such as encoded data, is split at this length. 180 words of any language are shorter."""
_HEADING_CHARACTERS = 300
"""Limited, because every chunk below a heading repeats it."""
_MAX_PLACES = 12
_MIN_WORDS = 60
"""The number of words after which a heading starts a new chunk."""


_WORD = re.compile(rf"\S{{1,{MAX_CHARACTERS}}}")


@dataclass(frozen=True)
class ChunkedDocument:
    """`text` is the whole document; offsets of the chunks count its characters. `kind` and `title` are proposed; the title is "" if the
    document has no good one."""

    text: str
    chunks: list[ChunkSpan]
    kind: DocumentKind = DocumentKind.ABOUT_US
    title: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The path of headings and the page from character `start` of a chunk on."""

    start: int
    heading: tuple[str, ...]
    page: int | None


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """The position of a chunk in the text. `heading` is the path of headings above its first sentence; `places` follow wherever the
    heading or page changes within it."""

    start: int
    end: int
    heading: tuple[str, ...]
    page: int | None
    places: tuple[Place, ...] = ()

    def id(self, document_id: UUID, text: str) -> UUID:
        digest = hashlib.sha256(text[self.start : self.end].encode()).hexdigest()
        return uuid5(document_id, f"{self.start}:{self.end}:{digest}")


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    words: int
    heading: tuple[str, ...]
    page: int | None
    is_heading: bool


def chunk(blocks: Sequence[Block]) -> ChunkedDocument:
    """Join the blocks to one text and split it. Call it in a thread."""
    parts: list[str] = []
    pieces: list[_Piece] = []
    path: list[tuple[int, str]] = []
    offset = 0
    for block in blocks:
        report_progress()
        if block.level is not None:
            title = " ".join(block.text.split())[:_HEADING_CHARACTERS]
            path = [(level, text) for level, text in path if level < block.level] + [(block.level, title)]
        heading = tuple(text for _, text in path if text)
        for start, end in _short_spans(block.text):
            words = len(block.text[start:end].split())
            pieces.append(_Piece(offset + start, offset + end, words, heading, block.page, block.level is not None))
        parts.append(block.text)
        offset += len(block.text) + 2
    return ChunkedDocument(text="\n\n".join(parts), chunks=list(_cut(pieces)))


def _cut(pieces: list[_Piece]) -> list[ChunkSpan]:
    spans: list[ChunkSpan] = []
    current: list[_Piece] = []
    fresh = 0  # words that are in no earlier chunk
    for piece in pieces:
        report_progress()
        words = sum(item.words for item in current)
        is_full = words + piece.words > _WORDS or (bool(current) and piece.end - current[0].start > MAX_CHARACTERS)
        if current and (is_full or (piece.is_heading and fresh >= _MIN_WORDS and not current[-1].is_heading)):
            if fresh:
                spans.append(_close(current))
            current = [] if piece.is_heading else _tail(current, piece)
            fresh = 0
        current.append(piece)
        fresh += piece.words
    if current and fresh:
        spans.append(_close(current))
    return spans


def _tail(pieces: list[_Piece], following: _Piece) -> list[_Piece]:
    tail: list[_Piece] = []
    words = 0
    for piece in reversed(pieces):
        words += piece.words
        has_many_words = words > min(_OVERLAP_WORDS, _WORDS - following.words)
        is_long = pieces[-1].end - piece.start > _OVERLAP_CHARACTERS or following.end - piece.start > MAX_CHARACTERS
        if has_many_words or is_long or piece.is_heading:
            break
        tail.insert(0, piece)
    return tail


def _close(pieces: list[_Piece]) -> ChunkSpan:
    body = next((piece for piece in pieces if not piece.is_heading), pieces[0])
    first = pieces[0].start
    places: list[Place] = []
    for piece in pieces:
        if not places or (places[-1].heading, places[-1].page) != (piece.heading, piece.page):
            places.append(Place(start=piece.start - first, heading=piece.heading, page=piece.page))
    is_one_place = len(places) == 1
    return ChunkSpan(
        start=first,
        end=pieces[-1].end,
        heading=body.heading,
        page=pieces[0].page,
        places=() if is_one_place else tuple(places[:_MAX_PLACES]),
    )


def _short_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences. A sentence longer than a chunk, as in tables, is split between words, and a longer word
    anywhere."""
    spans: list[tuple[int, int]] = []
    for start, end in spans_of(text):
        count = 0
        first = last = start
        for word in _WORD.finditer(text, start, end):
            if count == _WORDS or (count and word.end() - first > MAX_CHARACTERS):
                spans.append((first, last))
                count = 0
            if not count:
                first = word.start()
            count, last = count + 1, word.end()
        spans.append((first, last))
    return spans


def ids_of(document_id: UUID, chunked: ChunkedDocument) -> list[UUID]:
    """Return the ids of the chunks, in order."""
    return [span.id(document_id, chunked.text) for span in chunked.chunks]
