"""A page as a picture: its words as lines, and where the highlighted ones are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fundwright.reading.document import Attachment, Block, Field, PageBox, Word, runs_in, visible, walk
from fundwright.reading.lines import storable
from fundwright.reading.pdf_pages import PageWords
from fundwright.reading.placed import Line, rows_of
from fundwright.training import highlighting, portions
from fundwright.training.display import Highlight, PlacedText, Position, ShownPage
from fundwright.training.highlighting import CitedWords

_MOST_LINES = 2_000
"""How many lines of words are shown on a page at most."""
_WORD_GAP = 1.5
"""A space between words of a line is smaller than this many times their height."""


def shown_page(
    number: int,
    page: PageWords,
    *,
    labels: tuple[str, ...],
    find: str,
    current: int,
    cited: CitedWords = highlighting.NOTHING_CITED,
    structure: bytes | None = None,
) -> ShownPage:
    """The words of a page as lines, with highlights. `current` is the number of the hit that was gone to, from 0. Cited words are marked in the blocks of
    the stored document `structure` that have them, or anywhere on the page if their places are not known."""
    words = page.words
    flat = [word.text for word in words]
    blocks = _cited_blocks(portions.pages_of(structure).on(number), cited) if structure is not None and cited.passage else []
    marks = _marks_in(blocks, page) or [_marked(part, Highlight.CITED) for part in _on_lines(_cited(words, cited))]
    is_cited = bool(marks)
    found = highlighting.hits([flat], find)
    current = min(current, len(found) - 1)
    for which, (first, last) in highlighting.nearest(found, current):
        highlight = Highlight.CURRENT if which == current else Highlight.HIT
        marks += [_marked(part, highlight) for part in _on_lines(words[first : last + 1])]
    lines = tuple(_marked(part, None) for part in _on_lines(words)[:_MOST_LINES])
    previous, following = (number - 1, 1) if number > 1 else None, (number + 1, 1) if number < page.pages else None
    position = Position(number, page.pages, labels=labels, previous=previous, next=following)
    return ShownPage(position, page.height, lines, tuple(marks[: highlighting.MOST_MARKS]), is_cited)


def _marks_in(blocks: Sequence[tuple[PageBox, CitedWords]], page: PageWords) -> list[PlacedText]:
    """The cited words of each block. What is no text of the page, such as the value of a form field, is marked with all of its block."""
    if page.width is None or not page.height:
        return []
    found = list[PlacedText]()
    size = np.array([page.width, page.width * page.height] * 2)
    places = np.array([(word.left, word.top, word.right, word.bottom) for word in page.words]).reshape(-1, 4)
    middles = (places[:, :2] + places[:, 2:]) / 2
    is_left = np.full(len(middles), fill_value=True)  # each word is of one block
    for points, cited in blocks[: highlighting.MOST_MARKS]:
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
    spans = highlighting.cited_in(highlighting.words_in(texts, range(len(texts))), cited)
    return [(box, CitedWords(texts[place], tuple(own))) for place, own in spans.items() if (box := shown[place].box) is not None]


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
