"""Splits a document into chunks of about 180 words, along headings and between sentences, with a small overlap.

180 English words are about 240 tokens; the default embedding model reads 256.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID, uuid5

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.facts import Fact
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.lines import Aside, Line
from fundwright.reading.report import ReadingReport
from fundwright.reading.sentences import spans_of

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
    """`text` is the whole document; offsets of the chunks count its characters. `kind`, `dated`, and `title` are proposed; the title is "" if the
    document has no good one. `report` says what was read, `page_labels` what the file calls its pages,
    `sketch` finds similar texts, and `facts` are those that its records state."""

    text: str
    chunks: list[ChunkSpan]
    kind: DocumentKind = DocumentKind.ABOUT_US
    dated: date | None = None
    title: str = ""
    report: ReadingReport = field(default_factory=ReadingReport)
    page_labels: list[str] = field(default_factory=list[str])
    sketch: list[int] = field(default_factory=list[int])
    facts: list[Fact] = field(default_factory=list[Fact])

    def headings_at(self, offset: int) -> tuple[str, ...]:
        """The headings above a character of the text."""
        after = bisect_right(self.chunks, offset, key=lambda span: span.start)
        return self.chunks[max(after - 1, 0)].heading_at(offset) if self.chunks else ()

    @property
    def statements(self) -> str:
        """The text without what stands aside, which comes last."""
        return self.text[: next((span.start for span in self.chunks if span.aside), len(self.text))]


@dataclass(frozen=True, slots=True)
class Place:
    """The path of headings and the page from character `start` of a chunk on."""

    start: int
    heading: tuple[str, ...]
    page: int | None


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """The position of a chunk in the text, which is all statements of the document or all aside. `heading` is the path of headings above its first sentence; `places` follow wherever the
    heading or page changes within it."""

    start: int
    end: int
    heading: tuple[str, ...]
    page: int | None
    places: tuple[Place, ...] = ()
    aside: Aside | None = None

    def heading_at(self, offset: int) -> tuple[str, ...]:
        """The headings above a character of the text of the document."""
        within = [place.heading for place in self.places if self.start + place.start <= offset]
        return within[-1] if within else self.heading

    def id(self, document_id: UUID, digest: str) -> UUID:
        return uuid5(document_id, f"{self.start}:{self.end}:{digest}")


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    words: int
    heading: tuple[str, ...]
    page: int | None
    is_heading: bool
    is_row: bool
    aside: Aside | None


def chunk(lines: Sequence[Line]) -> ChunkedDocument:
    """Join the lines to one text and split it: first what the document states, then what stands aside. Call it in a thread."""
    return _Cutting().cut(lines)


class _Cutting:
    """A chunk that begins within a table repeats the head of the table, also in the text."""

    def __init__(self) -> None:
        self._parts = list[str]()
        self._offset = 0
        self._current = list[_Piece]()
        self._fresh = 0
        """The number of words in no earlier chunk."""
        self._spans = list[ChunkSpan]()

    def cut(self, lines: Sequence[Line]) -> ChunkedDocument:
        for line, heading in sorted(_below_headings(lines), key=lambda each: each[0].aside is not None):
            report_progress()
            self._write("\n" if line.row > 1 else "\n\n")
            first = self._offset
            spans = [(0, len(line.text))] if line.row and _is_short(line.text) else _short_spans(line.text)
            for start, end in spans:
                words = len(line.text[start:end].split())
                piece = _Piece(
                    first + start, first + end, words, heading, line.page, line.level is not None, line.row > 0, line.aside
                )
                if self._is_full(piece):
                    self._close(piece)
                    if line.head and not start:
                        self._add(replace(piece, end=first + len(line.head), words=0))
                        self._write(f"{line.head}\n")
                        first = self._offset
                        piece = replace(piece, start=first + start, end=first + end)
                self._add(piece)
            self._write(line.text)
        if self._current and self._fresh:
            self._spans.append(_span(self._current))
        return ChunkedDocument(text="".join(self._parts).rstrip("\n"), chunks=self._spans)

    def _write(self, text: str) -> None:
        if self._offset or text.strip():
            self._parts.append(text)
            self._offset += len(text)

    def _add(self, piece: _Piece) -> None:
        self._current.append(piece)
        self._fresh += piece.words

    def _is_full(self, piece: _Piece) -> bool:
        if not self._current:
            return False
        last = self._current[-1]
        if piece.aside is not last.aside or (piece.aside and piece.page != last.page):
            return True
        words = sum(item.words for item in self._current)
        is_full = words + piece.words > _WORDS or piece.end - self._current[0].start > MAX_CHARACTERS
        return is_full or (piece.is_heading and self._fresh >= _MIN_WORDS and not last.is_heading)

    def _close(self, following: _Piece) -> None:
        if self._fresh:
            self._spans.append(_span(self._current))
        is_apart = following.is_heading or following.is_row or following.aside is not None
        self._current = [] if is_apart else _tail(self._current, following)
        self._fresh = 0


def _below_headings(lines: Sequence[Line]) -> Iterator[tuple[Line, tuple[str, ...]]]:
    """The lines, each with the path of headings above it."""
    path: list[tuple[int, str]] = []
    for line in lines:
        if line.level is not None:
            title = " ".join(line.text.split())[:_HEADING_CHARACTERS]
            path = [(level, text) for level, text in path if level < line.level] + [(line.level, title)]
        yield line, tuple(text for _, text in path if text)


def _is_short(row: str) -> bool:
    return len(row) <= MAX_CHARACTERS and len(row.split()) <= _WORDS


def _tail(pieces: list[_Piece], following: _Piece) -> list[_Piece]:
    tail: list[_Piece] = []
    words = 0
    for piece in reversed(pieces):
        words += piece.words
        has_many_words = words > min(_OVERLAP_WORDS, _WORDS - following.words)
        is_long = pieces[-1].end - piece.start > _OVERLAP_CHARACTERS or following.end - piece.start > MAX_CHARACTERS
        if has_many_words or is_long or piece.is_heading or piece.is_row:
            break
        tail.insert(0, piece)
    return tail


def _span(pieces: list[_Piece]) -> ChunkSpan:
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
        aside=pieces[0].aside,
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


def ids_of(document_id: UUID, chunked: ChunkedDocument, earlier: Sequence[tuple[UUID, str]] = ()) -> list[UUID]:
    """Return the ids of the chunks, in order. `earlier` are the ids of the chunks that the document has had, in order, and the digests of their
    texts (SHA-256): a chunk with the text of one of these keeps its id, wherever it is now, so that citations still lead to it."""
    digests = [hashlib.sha256(chunked.text[span.start : span.end].encode()).hexdigest() for span in chunked.chunks]
    ids = [span.id(document_id, digest) for span, digest in zip(chunked.chunks, digests, strict=True)]
    in_place = {id for id, _ in earlier}.intersection(ids)
    moved = defaultdict[str, deque[UUID]](deque)
    for id, digest in earlier:
        if id not in in_place:
            moved[digest].append(id)
    return [
        moved[digest].popleft() if id not in in_place and moved[digest] else id for id, digest in zip(ids, digests, strict=True)
    ]
