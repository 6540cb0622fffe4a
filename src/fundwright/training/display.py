"""What the screen of a document shows: its blocks in portions that are not too long, with words highlighted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from heapq import nlargest
from itertools import chain, groupby, islice
from typing import Literal

import numpy as np
from msgspec.structs import replace

from fundwright.reading import stored
from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Document,
    Field,
    Figure,
    Heading,
    Item,
    Margin,
    Mark,
    Note,
    PageBox,
    Paragraph,
    Run,
    Runs,
    Table,
    Word,
    inside,
    plain,
    runs_in,
    visible,
    walk,
)
from fundwright.reading.lines import LONGEST_REPEATED, arranges_text, storable
from fundwright.reading.pdf_pages import PageWords
from fundwright.reading.placed import Line, rows_of
from fundwright.training import highlighting
from fundwright.training.highlighting import CitedWords
from fundwright.training.schemas import ViewQuery

_PORTION = 160
"""How many lines a portion has at most, if its blocks can be divided."""
_LINE_CHARACTERS = 200
_LONGEST_TEXT = 10_000
_MOST_CHARACTERS, _MOST_BLOCKS, _MOST_LINES = 200_000, 3_000, 2_000
"""What a portion shows at most, even if its blocks cannot be divided."""
_MOST_MARKS = 500
"""As many hits of a search are highlighted at once."""
_MOST_COLUMNS = 200
_MOST_HEAD_ROWS = 5
_DEEPEST = 12
_WORD_GAP = 1.5
"""A space between words of a line is smaller than this many times their height."""
_MOST_KEPT_BYTES = 10_000_000
"""A document with a JSON of this size takes at most 70 MB."""
_MOST_LIKELY = 4
"""The cited words are looked for in so many parts that have most of the passage."""
_NOTHING_CITED = CitedWords()


class Highlight(StrEnum):
    CITED = "cited"
    HIT = "hit"
    CURRENT = "current"
    """The hit of the search that was gone to."""


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    hidden_by: Mark | None = None
    highlight: Highlight | None = None


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ShownCell:
    blocks: tuple[ShownBlock, ...] = ()
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """`pieces` are the text, the caption of a table, the value of a field, or the name of an attachment. `label` is the marker of an item or the
    label of a field, `level` that of a heading."""

    kind: Literal[
        "heading",
        "paragraph",
        "preformatted",
        "item",
        "table",
        "field",
        "note",
        "speaker_notes",
        "margin",
        "figure",
        "attachment",
    ]
    pieces: Pieces = ()
    label: Pieces = ()
    level: int = 0
    is_checked: bool | None = None
    rows: tuple[tuple[ShownCell, ...], ...] = ()
    head: int = 0
    blocks: tuple[ShownBlock, ...] = ()


Place = tuple[int, int]
"""A page, or 1 if the format has none, and a part of it, from 1."""


@dataclass(frozen=True, slots=True)
class Position:
    """A part of a page, and the places before and after it. `pages` is 0 if the format has none. `labels` are what the file calls its pages."""

    page: int
    pages: int
    part: int = 1
    parts: int = 1
    labels: tuple[str, ...] = ()
    previous: Place | None = None
    next: Place | None = None


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a document. `hits` counts those of the search in the whole document, and `hit` is the number of the one that was gone to, or 0.
    `is_cut` says whether there is more in this part than is shown, `is_cited` whether words of the passage are highlighted."""

    position: Position
    blocks: tuple[ShownBlock, ...]
    is_cut: bool
    is_cited: bool
    has_hidden: bool
    hits: int
    hit: int
    hit_on_page: int
    """The number of that hit among those of its page, from 0, or -1."""
    previous_hit: int
    next_hit: int


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Words that follow each other on a line of a page, or a highlight, and its box as shares of the page's width and height."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    highlight: Highlight | None = None


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as a picture. `height` is a share of its width."""

    position: Position
    height: float
    lines: tuple[PlacedText, ...]
    marks: tuple[PlacedText, ...]
    is_cited: bool


def shown_page(
    number: int,
    page: PageWords,
    *,
    labels: tuple[str, ...],
    find: str,
    current: int,
    cited: CitedWords = _NOTHING_CITED,
    structure: bytes | None = None,
) -> ShownPage:
    """The words of a page as lines, with highlights. `current` is the number of the hit that was gone to, from 0. Cited words are marked in the blocks of
    the stored document `structure` that have them, or anywhere on the page if their places are not known."""
    words = page.words
    flat = [word.text for word in words]
    blocks = _cited_blocks(_pages_of(structure).on(number), cited) if structure is not None and cited.passage else []
    marks = _marks_in(blocks, page) or [_marked(part, Highlight.CITED) for part in _on_lines(_cited(words, cited))]
    is_cited = bool(marks)
    found = highlighting.hits([flat], find)
    current = min(current, len(found) - 1)
    for which, (first, last) in _nearest(found, current):
        highlight = Highlight.CURRENT if which == current else Highlight.HIT
        marks += [_marked(part, highlight) for part in _on_lines(words[first : last + 1])]
    lines = tuple(_marked(part, None) for part in _on_lines(words)[:_MOST_LINES])
    previous, following = (number - 1, 1) if number > 1 else None, (number + 1, 1) if number < page.pages else None
    position = Position(number, page.pages, labels=labels, previous=previous, next=following)
    return ShownPage(position, page.height, lines, tuple(marks[:_MOST_MARKS]), is_cited)


def _marks_in(blocks: Sequence[tuple[PageBox, CitedWords]], page: PageWords) -> list[PlacedText]:
    """The cited words of each block. What is no text of the page, such as the value of a form field, is marked with all of its block."""
    if page.width is None or not page.height:
        return []
    found = list[PlacedText]()
    size = np.array([page.width, page.width * page.height] * 2)
    places = np.array([(word.left, word.top, word.right, word.bottom) for word in page.words]).reshape(-1, 4)
    middles = (places[:, :2] + places[:, 2:]) / 2
    is_left = np.full(len(middles), fill_value=True)  # each word is of one block
    for points, cited in blocks[:_MOST_MARKS]:
        box = np.array(points) / size
        is_inside = is_left & (box[:2] <= middles).all(axis=1) & (middles <= box[2:]).all(axis=1)
        is_left &= ~is_inside
        words = _cited([page.words[place] for place in np.flatnonzero(is_inside)], cited)
        text = " ".join(cited.passage[start:end] for start, end in cited.quotes)
        marks = [_marked(part, Highlight.CITED) for part in _on_lines(words)]
        left, top, right, bottom = box.tolist()
        found += marks or [PlacedText(text, left, top, right, bottom, Highlight.CITED)]
    return found


def _cited_blocks(blocks: Sequence[Block], cited: CitedWords) -> list[tuple[PageBox, CitedWords]]:
    """The boxes and texts of the blocks on a page that have cited words, and where in them these are."""
    shown = list(walk([block for block in blocks if not isinstance(block, Attachment)]))
    texts = [storable(f"{block.label} {block.value}" if isinstance(block, Field) else visible(runs_in(block))) for block in shown]
    spans = _cited_in(_words_in(texts, range(len(texts))), cited)
    return [(box, CitedWords(texts[place], tuple(own))) for place, own in spans.items() if (box := shown[place].box) is not None]


_Placed = tuple[int, int, int, str]
"""A word with the number of its text, and its start and end there."""


def _cited_in(words: Sequence[_Placed], cited: CitedWords) -> dict[int, list[tuple[int, int]]]:
    """Where cited words that follow each other are, by the number of the text: the first character, and the one after the last."""
    found = highlighting.cited([word for *_, word in words], cited)
    spans = dict[int, list[tuple[int, int]]]()
    for place in sorted(found):
        number, start, end, _ = words[place]
        own = spans.setdefault(number, [])
        follows = bool(own) and place - 1 in found and words[place - 1][0] == number
        own.append((own.pop()[0] if follows else start, end))
    return spans


def _words_in(texts: Sequence[str], numbers: Iterable[int]) -> list[_Placed]:
    """The words of the texts with these numbers."""
    words = (
        (number, found.start(), found.end(), found[0])
        for number in numbers
        for found in highlighting.WORD.finditer(texts[number])
    )
    return list(islice(words, highlighting.MOST_WORDS))


def _cited(words: Sequence[Word], cited: CitedWords) -> list[Word]:
    """The cited words in the order of the file or row by row, whichever are more."""
    orders = (words, _row_by_row(words))
    places = [sorted(highlighting.cited([word.text for word in order], cited)) for order in orders]
    return max(([order[each] for each in own] for order, own in zip(orders, places, strict=True)), key=len)


def _row_by_row(words: Sequence[Word]) -> list[Word]:
    """In the order in which a person reads a table. Some files write one column after another."""
    rows = rows_of(Line(word.text, (word.left, word.top, word.right, word.bottom)) for word in words)
    return [Word(line.text, *line.box) for row in rows for line in row]


def _on_lines(words: Sequence[Word]) -> list[list[Word]]:
    """Groups of words that follow each other on a line without a large space between them."""
    found = list[list[Word]]()
    for word in words:
        before = found[-1][-1] if found else None
        height = word.bottom - word.top
        is_beside = (
            before is not None
            and min(word.bottom, before.bottom) - max(word.top, before.top) > height / 2
            and -height / 2 < word.left - before.right < _WORD_GAP * height
        )
        if is_beside:
            found[-1].append(word)
        else:
            found.append([word])
    return found


def _marked(words: Sequence[Word], highlight: Highlight | None) -> PlacedText:
    return PlacedText(
        storable(" ".join(word.text for word in words)),
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
        highlight,
    )


def portion(structure: bytes, query: ViewQuery, cited: CitedWords = _NOTHING_CITED) -> Portion:
    """The portion of a stored document that is asked for: that of the hit, the given page and part, that of what is cited, or the first."""
    return _Portions(_pages_of(structure), query).find(cited)


def recognized_words(structure: bytes, number: int) -> PageWords | None:
    """The words that were recognized on a page of a stored document, if it is a picture."""
    pages = _pages_of(structure)
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
        """Where the hits of the last search are, which had these words, and hidden text or not."""

    def on(self, page: int) -> list[Block]:
        return self._blocks.get(page, [])

    def parts(self, page: int) -> list[list[Block]]:
        if page not in self._blocks:
            return [[]]
        if page not in self._divided:
            self._divided[page] = _divided(self._blocks[page])
        return self._divided[page]

    def places(self, only: int | None = None) -> Iterator[tuple[Place, list[Block]]]:
        """Each part that has blocks, on all pages or on one."""
        for page in sorted(self._blocks):
            if only is None or page == only:
                for part, blocks in enumerate(self.parts(page), 1):
                    yield (page, part), blocks


def _pages_of(structure: bytes) -> _Pages:
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

    def _read(self, blocks: Sequence[Block]) -> _Showing:
        showing = _Showing(show_hidden=self._query.hidden)
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
        cited_spans = _cited_in(words, cited)
        for number, spans in cited_spans.items():
            for start, end in spans:
                highlights[number][start:end] = [Highlight.CITED] * (end - start)
        found = highlighting.hits([text.split() for text in texts], self._query.find)
        places = [
            (number, word.start(), word.end()) for number, text in enumerate(texts) for word in highlighting.WORD.finditer(text)
        ]
        for which, (first, last) in _nearest(found, current):
            number, start, end = *places[first][:2], places[last][2]
            highlights[number][start:end] = [Highlight.CURRENT if which == current else Highlight.HIT] * (end - start)
        showing = _Showing(show_hidden=self._query.hidden, highlights=highlights)
        return showing.all(blocks), showing.is_cut, bool(cited_spans)


def _nearest(hits: Sequence[tuple[int, int]], current: int) -> list[tuple[int, tuple[int, int]]]:
    """The hits around the current one that are highlighted, with their numbers."""
    start = max(current - _MOST_MARKS // 2, 0)
    return list(enumerate(hits))[start : start + _MOST_MARKS]


class _Showing:
    """Converts blocks. `texts` are the visible texts of the blocks, in order; `highlights` is the highlight of each of their characters.
    `read` are the numbers of these texts in the order in which passages have them: a label that spans rows is in each of its rows."""

    def __init__(self, *, show_hidden: bool, highlights: Sequence[Sequence[Highlight | None]] | None = None) -> None:
        self.texts = list[str]()
        self.read = list[int]()
        self.is_cut = False
        self._show_hidden = show_hidden
        self._highlights = highlights
        self._characters = self._blocks = 0

    def words(self) -> list[_Placed]:
        """The words as passages have them."""
        return _words_in(self.texts, self.read)

    def all(self, blocks: Sequence[Block], depth: int = 0) -> tuple[ShownBlock, ...]:
        found = list[ShownBlock]()
        for block in blocks:
            if depth > _DEEPEST or self._blocks > _MOST_BLOCKS or self._characters > _MOST_CHARACTERS:
                self.is_cut = True
                break
            self._blocks += 1
            shown = self._one(block, depth)
            if shown is not None:
                found.append(shown)
        return tuple(found)

    def _one(self, block: Block, depth: int) -> ShownBlock | None:
        match block:
            case Heading(runs=runs, level=level):
                pieces = self._pieces(runs)
                return ShownBlock("heading", pieces, level=level) if pieces else None
            case Paragraph(runs=runs, is_preformatted=is_preformatted):
                pieces = self._pieces(runs)
                return ShownBlock("preformatted" if is_preformatted else "paragraph", pieces) if pieces else None
            case Item(runs=runs, marker=marker, is_checked=is_checked):
                pieces = self._pieces(runs)
                shown = ShownBlock("item", pieces, label=_unmarked(marker), is_checked=is_checked)
                return shown if pieces or is_checked is not None else None
            case Field(label=label, value=value):
                return ShownBlock("field", label=self._pieces(plain(label)), pieces=self._pieces(plain(value)))
            case Table():
                return self._table(block, depth)
            case Attachment(filename=filename, blocks=inner):
                return ShownBlock("attachment", self._pieces(plain(filename)), blocks=self.all(inner, depth + 1))
            case Margin(blocks=(Margin() as inner,)):
                return self._one(inner, depth)
            case Note(blocks=inner) | Margin(blocks=inner) | Figure(blocks=inner):
                blocks = self.all(inner, depth + 1)
                match block:
                    case Note():
                        kind = "speaker_notes" if block.is_for_speaker else "note"
                    case Margin():
                        kind = "margin"
                    case _:
                        kind = "figure"
                return ShownBlock(kind, blocks=blocks) if blocks or kind == "figure" else None

    def _table(self, table: Table, depth: int) -> ShownBlock:
        caption = self._pieces(table.caption)
        rows = list[tuple[ShownCell, ...]]()
        open_until = dict[int, int]()
        labels = dict[int, list[int]]()
        """The texts of the cells that span rows, by column."""
        for number, row in enumerate(table.rows):
            if self._blocks > _MOST_BLOCKS:
                self.is_cut = True
                break
            self._blocks += len(row)
            labels = {column: texts for column, texts in labels.items() if open_until[column] > number}
            above = sorted(labels.items())
            cells, next_column = list[ShownCell](), 0
            for column, cell in row:
                if column >= _MOST_COLUMNS:
                    self.is_cut = True
                    break
                while above and above[0][0] < column:
                    self.read += above.pop(0)[1]
                start = len(self.read)
                blank = sum(open_until.get(each, 0) <= number for each in range(next_column, column))
                cells += [ShownCell(columns=blank)] if blank else []
                columns = min(cell.columns, _MOST_COLUMNS)
                cells.append(ShownCell(self.all(cell.blocks, depth + 1), min(cell.rows, len(table.rows) - number), columns))
                next_column = column + columns
                open_until |= dict.fromkeys(range(column, next_column), number + cell.rows)
                texts = self.read[start:]
                if cell.rows > 1 and sum(len(self.texts[each]) for each in texts) <= LONGEST_REPEATED:
                    labels[column] = texts
            for _, texts in above:
                self.read += texts
            rows.append(tuple(cells))
        return ShownBlock("table", caption, rows=tuple(rows), head=min(table.head, len(rows)))

    def _pieces(self, runs: Runs) -> Pieces:
        clean = [replace(run, text=storable(run.text)) for run in runs]
        text = "".join(run.text for run in clean if run.mark is None)
        number = len(self.texts)
        self.texts.append(text)
        if text:
            self.read.append(number)
        self._characters += sum(len(run.text) for run in clean)
        self._blocks += len(clean)
        highlights = self._highlights[number] if self._highlights is not None else [None] * len(text)
        found, offset = list[Piece](), 0
        for run in clean:
            if run.mark is not None:
                if self._show_hidden and run.text:
                    found.append(Piece(run.text, hidden_by=run.mark))
                continue
            found += _cut(run.text, highlights[offset : offset + len(run.text)])
            offset += len(run.text)
        return tuple(_joined(found))


def _unmarked(text: str) -> Pieces:
    return (Piece(storable(text)),) if text else ()


def _cut(text: str, highlights: Sequence[Highlight | None]) -> Iterator[Piece]:
    """The text in pieces with one highlight each."""
    start = 0
    for highlight, same in groupby(highlights):
        end = start + len(list(same))
        yield Piece(text[start:end], highlight=highlight)
        start = end


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Words that are hidden for the same reason are one piece with the spaces between them."""
    found = list[Piece]()
    for piece in pieces:
        space = found[-1] if found and found[-1].hidden_by is None and found[-1].text.isspace() else None
        before = (found[-2] if len(found) > 1 else None) if space is not None else found[-1] if found else None
        if piece.hidden_by is not None and before is not None and before.hidden_by is piece.hidden_by:
            text = before.text + (space.text if space is not None else "") + piece.text
            found[-2 if space is not None else -1 :] = [Piece(text, hidden_by=piece.hidden_by)]
        else:
            found.append(piece)
    return found


def _divided(blocks: Sequence[Block]) -> list[list[Block]]:
    """The blocks in portions, at least one."""
    found, weight = [list[Block]()], 0.0
    for block in chain.from_iterable(map(_split, blocks)):
        own = _weight(block)
        if weight > _PORTION / 4 and weight + own > _PORTION:  # a heading is not alone
            found.append([])
            weight = 0.0
        found[-1].append(block)
        weight += own
    return found


def _weight(block: Block) -> float:
    """About how many lines it has."""
    if isinstance(block, Table):
        return 1 + sum(map(_weight_of_row, block.rows))
    return 1 + sum(len(run.text) for run in runs_in(block)) / _LINE_CHARACTERS + sum(map(_weight, inside(block)))


def _weight_of_row(row: Sequence[tuple[int, Cell]]) -> float:
    return 1 + sum(_weight(block) / 4 for _, cell in row for block in cell.blocks)


def _split(block: Block) -> Iterator[Block]:
    """Divide a block that has more than a portion holds."""
    match block:
        case Heading(runs=runs) | Paragraph(runs=runs) | Item(runs=runs) if sum(len(run.text) for run in runs) > _LONGEST_TEXT:
            yield from (Paragraph(part, page=block.page) for part in _split_runs(runs))
        case Table() if arranges_text(block):
            if block.caption:
                yield Paragraph(block.caption, page=block.page)
            yield from chain.from_iterable(_split(inner) for row in block.rows for _, cell in row for inner in cell.blocks)
        case Table() if _weight(block) > _PORTION:
            yield from _slices(block)
        case Attachment(blocks=inner):
            yield replace(block, blocks=(), content=b"")
            yield from chain.from_iterable(map(_split, inner))
        case Note(blocks=inner) | Margin(blocks=inner) | Figure(blocks=inner) if _weight(block) > _PORTION:
            yield from (replace(block, blocks=tuple(part)) for part in _divided(inner))
        case _:
            yield block


def _split_runs(runs: Runs) -> Iterator[Runs]:
    """Runs of at most so many characters, between words where possible."""
    for run in runs:
        start = 0
        while start < len(run.text):
            end = min(start + _LONGEST_TEXT, len(run.text))
            space = run.text.rfind(" ", start, end) if end < len(run.text) else -1
            end = space + 1 if space > start else end
            yield (Run(run.text[start:end], run.mark),)
            start = end


def _slices(table: Table) -> Iterator[Table]:
    """A long table as several, each with the names of the columns. A cell that spans rows continues in the next one."""
    head = table.rows[: table.head] if table.head <= _MOST_HEAD_ROWS else ()
    rows, weight = list[tuple[tuple[int, Cell], ...]](), 0.0
    spanning = dict[int, tuple[Cell, int]]()
    caption = table.caption
    for number, row in enumerate(table.rows[len(head) :]):
        own = _weight_of_row(row)
        if rows and weight + own > _PORTION:
            yield replace(table, rows=(*head, *rows), head=len(head), caption=caption)
            rows, weight, caption = [], 0.0, ()
            continued = [(column, replace(cell, rows=end - number)) for column, (cell, end) in spanning.items() if end > number]
            row = tuple(sorted([*continued, *row], key=lambda each: each[0]))
        for column, cell in row:
            if cell.rows > 1:
                spanning[column] = (cell, number + cell.rows)
        rows.append(row)
        weight += own
    if rows:
        yield replace(table, rows=(*head, *rows), head=len(head), caption=caption)
