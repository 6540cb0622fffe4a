"""Portions of a document: the one that is asked for, with highlights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nlargest

from fundwright.reading import stored
from fundwright.reading.document import Block, Document, runs_in, walk
from fundwright.reading.pdf_pages import PageWords
from fundwright.training import dividing, highlighting
from fundwright.training.display import Highlight, Place, Portion, Position, ShownBlock
from fundwright.training.highlighting import CitedWords
from fundwright.training.schemas import ViewQuery
from fundwright.training.showing import Showing

_MOST_KEPT_BYTES = 10_000_000
"""A document with a JSON of this size takes at most 70 MB."""
_MOST_LIKELY = 4
"""In how many parts, those with most of the passage, the cited words are looked for."""


def portion(structure: bytes, query: ViewQuery, cited: CitedWords = highlighting.NOTHING_CITED) -> Portion:
    """The portion of a stored document that is asked for: that of the hit, the given page and part, that of what is cited, or the first."""
    return _Portions(pages_of(structure), query).find(cited)


def recognized_words(structure: bytes, number: int) -> PageWords | None:
    """The words that were recognized on a page of a stored document, if it is a picture."""
    pages = pages_of(structure)
    scan = pages.scans.get(number)
    return PageWords(max(pages.count, 1), scan.height, scan.words, scan.width) if scan is not None else None


class _Pages:
    """The blocks of a document by page, in parts that are not too long."""

    def __init__(self, document: Document) -> None:
        self.has_hidden = any(run.mark for block in walk(document.blocks) for run in runs_in(block))
        self.count = max([document.pages, *(block.page or 0 for block in document.blocks)])
        self.labels = document.page_labels if len(document.page_labels) == self.count else ()
        self.scans = {scan.page: scan for scan in document.scans}
        self._blocks = dict[int, list[Block]]()
        page = 1
        for block in document.blocks:
            page = block.page or page
            self._blocks.setdefault(page, []).append(block)
        self._divided = dict[int, list[list[Block]]]()
        self.hits = dict[tuple[str, bool], list[Place]]()
        """The places of the hits of the last search, by its words and whether it included hidden text."""

    def on(self, page: int) -> list[Block]:
        return self._blocks.get(page, [])

    def parts(self, page: int) -> list[list[Block]]:
        if page not in self._blocks:
            return [[]]
        if page not in self._divided:
            self._divided[page] = dividing.divided(self._blocks[page])
        return self._divided[page]

    def places(self, only: int | None = None) -> Iterator[tuple[Place, list[Block]]]:
        """Each part that has blocks, on all pages or on one."""
        for page in sorted(self._blocks):
            if only is None or page == only:
                for part, blocks in enumerate(self.parts(page), 1):
                    yield (page, part), blocks


def pages_of(structure: bytes) -> _Pages:
    content = stored.decompressed(structure)
    return _kept_pages(content) if len(content) <= _MOST_KEPT_BYTES else _Pages(stored.decoded(content))


@lru_cache(maxsize=2)
def _kept_pages(content: bytes) -> _Pages:
    """Those who turn pages need the same document again, whose JSON takes long to decode."""
    return _Pages(stored.decoded(content))


class _Portions:
    def __init__(self, pages: _Pages, query: ViewQuery) -> None:
        self._query = query
        self._pages = pages

    def find(self, cited: CitedWords) -> Portion:
        query = self._query
        hits = self._hits()
        hit = min(query.hit or 0, len(hits))
        if not hit and hits and query.page is query.part is None and not cited.passage:
            hit = 1
        if hit:
            page, part = hits[hit - 1]
        elif query.page is not None or query.part is not None:
            page, part = query.page or 1, query.part or 1
        else:
            page, part = self._place_of(cited)
        page = min(page, max(self._pages.count, 1))
        parts = self._pages.parts(page)
        part = min(part, len(parts))
        here = (page, part)
        blocks, is_cut, is_cited = self._shown(parts[part - 1], cited, hit - 1 - sum(each < here for each in hits) if hit else -1)
        position = Position(
            page,
            self._pages.count,
            part,
            len(parts),
            labels=self._pages.labels,
            previous=(page, part - 1) if part > 1 else (page - 1, len(self._pages.parts(page - 1))) if page > 1 else None,
            next=(page, part + 1) if part < len(parts) else (page + 1, 1) if page < self._pages.count else None,
        )
        before = sum(each < here for each in hits)
        return Portion(
            position,
            blocks,
            is_cut=is_cut,
            is_cited=is_cited,
            has_hidden=self._pages.has_hidden,
            hits=len(hits),
            hit=hit,
            hit_on_page=sum(each[0] == page for each in hits[: hit - 1]) if hit else -1,
            previous_hit=(hit - 1 if hit else before) or len(hits),
            next_hit=(hit or before) % len(hits) + 1 if hits else 0,
        )

    def _read(self, blocks: Sequence[Block]) -> Showing:
        showing = Showing(show_hidden=self._query.hidden)
        showing.all(blocks)
        return showing

    def _hits(self) -> list[Place]:
        find, hidden = self._query.find, self._query.hidden
        if not find.strip():
            return []
        if (find, hidden) not in self._pages.hits:
            hits = [
                place
                for place, blocks in self._pages.places()
                for _ in highlighting.hits([text.split() for text in self._read(blocks).texts], find)
            ]
            self._pages.hits = {(find, hidden): hits}
        return self._pages.hits[find, hidden]

    def _place_of(self, cited: CitedWords) -> Place:
        """Where most of the cited words are, of the places with most of the passage."""
        if not cited.passage:
            return (1, 1)
        places = [
            (place, [word for *_, word in self._read(blocks).words()]) for place, blocks in self._pages.places(only=cited.page)
        ]
        likely = nlargest(_MOST_LIKELY, places, key=lambda each: highlighting.shared(each[1], cited.passage))
        found = [(len(highlighting.cited(words, cited)), place) for place, words in likely]
        return max(found, key=lambda each: each[0], default=(0, (cited.page or 1, 1)))[1]

    def _shown(self, blocks: Sequence[Block], cited: CitedWords, current: int) -> tuple[tuple[ShownBlock, ...], bool, bool]:
        """The blocks with highlights, whether something is left out, and whether words are cited. `current` is the number of the hit that was
        gone to, from 0."""
        read = self._read(blocks)
        texts, words = read.texts, read.words()
        highlights: list[list[Highlight | None]] = [[None] * len(text) for text in texts]
        cited_spans = highlighting.cited_in(words, cited)
        for number, spans in cited_spans.items():
            for start, end in spans:
                highlights[number][start:end] = [Highlight.CITED] * (end - start)
        found = highlighting.hits([text.split() for text in texts], self._query.find)
        places = [
            (number, word.start(), word.end()) for number, text in enumerate(texts) for word in highlighting.WORD.finditer(text)
        ]
        for which, (first, last) in highlighting.nearest(found, current):
            number, start, end = *places[first][:2], places[last][2]
            highlights[number][start:end] = [Highlight.CURRENT if which == current else Highlight.HIT] * (end - start)
        showing = Showing(show_hidden=self._query.hidden, highlights=highlights)
        return showing.all(blocks), showing.is_cut, bool(cited_spans)
