"""The structure of plain text: headings, labeled values, rows of tables, items of lists, and sentences.

What a reader has taken out of a file still shows how it was laid out: “Value: $742,000”, columns between tabs or bars, lines in
capitals, marks before items, sentences cut at the end of a line. Nothing here knows what a text is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from fundwright.language.sentences import spans_of
from fundwright.language.topics import topics_of

MOST_CHARACTERS = 2_000
"""No block is longer, so that what reads blocks need not fear a long text."""
_LONG_LINE = 400
"""A longer line is prose."""
_LINE_CHARACTERS = 110
_WRAPPED = 56
"""A line that is shorter was not cut to fit a page."""
_HEADING_WORDS, _HEADING_CHARACTERS = 12, 100
_LABEL_WORDS = 6
_RUN_IN_WORDS = 2
_TITLE_WORDS = 5
_TITLE_SHARE = 0.7
_ALONE_WORDS = 8

_MARKS = "-*•–—▪●○◦■□►➢➤✓✔»›·§‣⁃∙\u2022\uf0a7\uf0b7\uf0d8\uf0fc"
_BULLET = re.compile(rf"[ \t]{{0,40}}(?:[{re.escape(_MARKS)}]|o(?=\s)|\(?(?:\d{{1,2}}|[a-z])[.)])\s{{1,20}}(?=\S)")
_PRIVATE_MARK = re.compile(r"[ \t]{0,40}[\ue000-\uf8ff]\s{0,20}(?=\S)")
_NUMBERED = re.compile(r"\s{0,20}(?:\d{1,2}(?:(?:\.\d{1,2}){1,3}[.)]?|[.)])|[IVX]{1,5}\.|[A-Z]\.)\s{1,20}(?=[A-ZÄÖÜÉÀ])")
_RULE = re.compile(r"[\s|:=_*~+.-]{3,}")
_PAGE = re.compile(
    r"\W{0,20}(?:(?:page|seite)\s{0,5})?\d{1,4}(?:\s{0,5}(?:of|/|von|de|sur)\s{0,5}\d{1,4})?\W{0,20}", re.IGNORECASE
)
_FURNITURE = re.compile(
    r".{0,80}\b(?:proprietary|confidential|all rights reserved|table of contents|vertraulich|confidentiel)\b.{0,80}",
    re.IGNORECASE,
)
_LABEL = r"[A-ZÄÖÜÉÀ0-9(#][^:|\t]{0,48}"
_PAIR = re.compile(rf"\s{{0,40}}({_LABEL}?)\s{{0,30}}(?::(?!//)|\.{{3,60}}|…{{1,60}})\s{{0,40}}(\S.{{0,400}})")
_NUMBER_PAIR = re.compile(
    r"\s{0,40}((?:\w{2,20} ){1,2}(?:[Nn]o\.?|[Nn]r\.?|[Nn]umber|#|N°))\s{1,10}((?:[A-Z][\w.]{0,9} )?[\w/.-]{0,30}\d[\w/ .-]{0,30})"
)
_DASH_PAIR = re.compile(r"\s{0,40}([A-ZÄÖÜÉÀ]\w{2,20}(?: \w{2,20}){0,2})\s{1,10}[-–—]\s{1,10}([^.]{0,40}\d[^.]{0,40})")
_BARE_LABEL = re.compile(rf"\s{{0,40}}({_LABEL}?)\s{{0,10}}:\s{{0,10}}")
_COLUMNS = re.compile(r"\t{1,20}|(?<=\S) {3,60}(?=\S)")
_IS_ENDED = re.compile(r"[.!?…;,][\"”’')\]]{0,2}\s{0,20}$")
_BLANK_LINE = re.compile(r"[ \t\r]{0,40}\n[ \t\r]{0,40}\n")
_ABBREVIATED = re.compile(r"\b(?:inc|corp|co|ltd|ph\.d|p\.e|p\.g|jr|sr|nos?)\.$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^()]{0,60}\)")
_SMALL_WORDS = frozenset(
    [
        *("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "vs", "via", "with", "&"),
        *("der", "die", "das", "und", "für", "von", "zu", "im", "am", "de", "des", "du", "la", "le", "les", "et", "en", "pour"),
    ]
)


class BlockKind(Enum):
    HEADING = auto()
    PAIR = auto()
    ROW = auto()
    ITEM = auto()
    SENTENCE = auto()
    LINE = auto()
    """A line that is no sentence, such as one of an address."""


@dataclass(frozen=True, slots=True)
class Block:
    """`text` without marks and line ends; `start` and `end` are its place. A pair has a label, a row has cells."""

    kind: BlockKind
    text: str
    start: int
    end: int
    label: str = ""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """What stands above the cells of a row."""


@dataclass(slots=True)
class _Reading:
    text: str
    blocks: list[Block] = field(default_factory=list[Block])
    lines: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Lines of prose, or of an item, that are not yet a block."""
    is_item: bool = False
    columns: tuple[str, ...] = ()

    def line(self, place: tuple[int, int]) -> str:
        return self.text[place[0] : place[1]]

    def close(self) -> None:
        """Make blocks of the lines that belong together."""
        if not self.lines:
            return
        start, end = self.lines[0][0], self.lines[-1][1]
        lines, self.lines, is_item = self.lines, [], self.is_item
        self.is_item = False
        if is_item:
            marked = self.text[start : start + _LONG_LINE]
            mark = _BULLET.match(marked) or _PRIVATE_MARK.match(marked)
            start += mark.end() if mark else 0
            # An item of several sentences is one item: its first words name it.
            self._add(BlockKind.ITEM, start, end)
        elif (
            not any(_IS_ENDED.search(self.line(line)) for line in lines)
            and max(line[1] - line[0] for line in lines) < _LINE_CHARACTERS
        ):
            for first, last in lines:
                self._add(BlockKind.LINE, first, last)
        else:
            # Short lines below the last full stop were not cut to fit a page: each is one.
            ended = max((place for place, line in enumerate(lines) if _IS_ENDED.search(self.line(line))), default=len(lines) - 1)
            apart = lines[ended + 1 :]
            if any(line[1] - line[0] >= _WRAPPED for line in apart):
                apart = []
            end = lines[ended][1] if apart else end
            label = ""
            for place, (first, last) in enumerate(spans_of(self.text[start:end])):
                text = self.text[start + first : start + last]
                if not place and len(text.split()) <= _RUN_IN_WORDS and last < end - start and text[0].isupper():
                    label = text.rstrip(".")
                    continue
                self._add(BlockKind.SENTENCE, start + first, start + last, label=label)
                label = ""
            for first, last in apart:
                self._add(BlockKind.LINE, first, last)

    def _add(self, kind: BlockKind, start: int, end: int, *, label: str = "") -> None:
        if end - start > MOST_CHARACTERS:
            return  # encoded data, or a table without marks: nobody could quote it
        text = " ".join(self.text[start:end].split())
        if text:
            self.blocks.append(Block(kind, text, start, end, label=label))


def read(text: str) -> list[Block]:
    """The blocks of a text in order."""
    reading = _Reading(text)
    places = list(_lines(text))
    after: tuple[int, int] | None = None
    followed_by: list[tuple[int, int] | None] = []
    for start, end in reversed(places):
        followed_by.append(after)
        after = (start, end) if text[start:end].strip() else after
    for index, (place, after) in enumerate(zip(places, reversed(followed_by), strict=True)):
        _read_line(reading, place, places[index - 1] if index else None, after)
    reading.close()
    return _settle_headings(text, reading.blocks)


def _settle_headings(text: str, blocks: list[Block]) -> list[Block]:
    """A heading has something below it. A short line alone in a paragraph, with something below it, is a heading."""
    settled: list[Block] = []
    blocks = _with_values_below(text, blocks)
    for index, block in enumerate(blocks):
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.kind == BlockKind.HEADING and not topics_of(block.text) and not _is_heading_of(text, settled, block, after):
            settled.append(replace(block, kind=BlockKind.LINE, text=" ".join(text[block.start : block.end].split())))
        elif block.kind == BlockKind.LINE and after is not None and _is_heading_above(text, block, after):
            settled.append(replace(block, kind=BlockKind.HEADING))
        elif block.kind == BlockKind.PAIR and not index and (after is None or after.kind not in (BlockKind.PAIR, BlockKind.ROW)):
            # The title of the document, as in “Past performance: Harbor & Pine”.
            settled.append(replace(block, kind=BlockKind.HEADING, text=f"{block.label}: {block.text}", label=""))
        else:
            settled.append(block)
    return settled


def _with_values_below(text: str, blocks: list[Block]) -> list[Block]:
    """“Client:” and its value in the line below make a pair, unless more lines follow, as in a list."""
    joined: list[Block] = []
    for block in blocks:
        label = joined[-1] if joined else None
        if label is not None and _is_value_of(text, label, block):
            joined[-1] = Block(BlockKind.PAIR, block.text, label.start, block.end, label=label.text)
        else:
            joined.append(block)
    return joined


def _is_value_of(text: str, label: Block, block: Block) -> bool:
    is_label = label.kind == BlockKind.HEADING and text[label.start : label.end].rstrip(" *_").endswith(":")
    is_value = block.kind in (BlockKind.LINE, BlockKind.HEADING) and not text[block.start : block.end].rstrip(" *_").endswith(":")
    if not is_label or not is_value or text[label.end : block.start].count("\n") > 1:
        return False
    following = text[block.end : block.end + _LONG_LINE].split("\n")[1:2]
    return not following or not following[0].strip() or _BARE_LABEL.fullmatch(following[0]) is not None


def _is_heading_of(text: str, before: list[Block], block: Block, after: Block | None) -> bool:
    """Whether what looks like a heading is one, and no line of an address or of a list without marks."""
    above = before[-1] if before else None
    is_right_below = above is not None and above.kind == BlockKind.HEADING and not _stands_alone(text, above)
    if is_right_below and "," in block.text and above is not None and topics_of(above.text):
        return False
    if block.text.isupper():
        return True
    if _is_among_lines(text, before, block):
        return False
    if after is None or (after.kind == BlockKind.HEADING and (above is None or above.kind == BlockKind.HEADING)):
        return False
    return after.kind != BlockKind.HEADING or _stands_alone(text, block)


def _is_heading_above(text: str, block: Block, after: Block) -> bool:
    words = block.text.split()
    if after.kind in (BlockKind.LINE, BlockKind.HEADING) or not block.text[0].isupper() or not _stands_alone(text, block):
        return False
    if after.kind == BlockKind.SENTENCE and len(words) <= _HEADING_WORDS and not re.search(r"[@|]|\d{5}", block.text):
        return True
    return len(words) <= _ALONE_WORDS and not any(character.isdigit() or character in "@,|" for character in block.text)


def _is_among_lines(text: str, settled: list[Block], block: Block) -> bool:
    """Between the short lines of a list that has no marks."""
    before = settled[-1] if settled else None
    return (
        before is not None
        and before.kind == BlockKind.LINE
        and not text[before.end : block.start].count("\n") > 1
        and not _stands_alone(text, block)
    )


def _stands_alone(text: str, block: Block) -> bool:
    """A blank line follows."""
    return _BLANK_LINE.match(text, block.end) is not None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip())
        start += len(line)


def _read_line(reading: _Reading, place: tuple[int, int], before: tuple[int, int] | None, after: tuple[int, int] | None) -> None:
    start, end = place
    line = reading.line(place)
    if not line.strip():
        reading.close()
        reading.columns = reading.columns if after and _cells(reading.line(after)) else ()
        return
    if len(line) > _LONG_LINE:
        reading.lines.append(place)
        return
    if _PAGE.fullmatch(line.strip()) or _RULE.fullmatch(line) or _is_furniture(line):
        reading.close()
        return
    cells = _cells(line)
    if cells:
        reading.close()
        _add_cells(reading, cells, place, after)
        return
    reading.columns = ()
    follows_prose = bool(reading.lines) and not reading.is_item and not _IS_ENDED.search(reading.line(reading.lines[-1]))
    is_wrapped = follows_prose and before is not None and len(reading.line(before)) >= _WRAPPED
    bullet = _BULLET.match(line) or _PRIVATE_MARK.match(line)
    is_short = len(line.split()) <= _ALONE_WORDS and not _IS_ENDED.search(line) and not re.search(r"[:|@]\s*\S", line)
    pairs = _pairs(line)
    is_named = is_short and not pairs and bool(topics_of(line))
    is_titled = not is_wrapped and (is_heading(line) or (not pairs and _is_title_of(reading, line, after)))
    if (is_titled or (is_named and not bullet)) and (not bullet or _is_numbered_heading(reading, line, after)):
        reading.close()
        text = (
            _NUMBERED.sub("", line, count=1).strip().rstrip(":").strip("*_# ") if _NUMBERED.match(line) else line.strip(" :*_#")
        )
        reading.blocks.append(Block(BlockKind.HEADING, " ".join(text.split()), start, end))
        return
    if bullet:
        reading.close()
        reading.lines, reading.is_item = [place], True
        return
    if pairs and (not is_wrapped or len(pairs) > 1):
        reading.close()
        for label, value in pairs:
            reading.blocks.append(Block(BlockKind.PAIR, value, start, end, label=label))
        return
    bare = None if is_wrapped else _BARE_LABEL.fullmatch(line)
    if bare and len(bare[1].split()) <= _LABEL_WORDS:
        reading.close()
        reading.blocks.append(Block(BlockKind.HEADING, " ".join(bare[1].split()), start, end))
        return
    if _continues_value(reading, line, before):
        last = reading.blocks[-1]
        value = f"{last.text} {' '.join(line.split())}"
        reading.blocks[-1] = Block(BlockKind.PAIR, value, last.start, end, label=last.label)
        return
    if reading.is_item and not line.startswith((" ", "\t")) and before is not None and len(reading.line(before)) < _WRAPPED:
        reading.close()
    reading.lines.append(place)


def _is_furniture(line: str) -> bool:
    """What stands at the edge of every page."""
    return len(line.split()) <= _HEADING_WORDS and _FURNITURE.fullmatch(line) is not None


def _cells(line: str) -> tuple[str, ...]:
    """The columns of a line with bars or tabs; empty for other lines."""
    if "|" in line:
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
    else:
        # In “CAGE code    : 4W9D8” the colon is no part of the value.
        cells = [" ".join(cell.split()).removeprefix(": ") for cell in _COLUMNS.split(line.strip())]
        if _BULLET.match(line) or len(cells[0].split()) > _LABEL_WORDS:
            return ()
    return tuple(cells) if len(cells) > 1 and any(cells) else ()


def _add_cells(reading: _Reading, cells: tuple[str, ...], place: tuple[int, int], after: tuple[int, int] | None) -> None:
    start, end = place
    first = cells[0]
    labeled = [pair for cell in cells for pair in _pairs(cell)]
    if len(labeled) >= len(cells) or (labeled and len(cells) > 2 and len(labeled) > len(cells) / 2):
        for label, value in labeled:
            reading.blocks.append(Block(BlockKind.PAIR, value, start, end, label=label))
        return
    is_label = len(first.split()) <= _LABEL_WORDS and not re.search(r"@|\d{3}", first)
    if len(cells) == 2 and all(cells) and not reading.columns and is_label:
        label = first.strip(" *_:.")
        reading.blocks.append(Block(BlockKind.PAIR, cells[1], start, end, label=label))
        return
    follows = _cells(reading.line(after)) if after else ()
    begins_table = len(cells) > 2 and not reading.columns and not any(re.search(r"\d{3}|\$", cell) for cell in cells)
    if begins_table and (len(follows) == len(cells) or (after and _RULE.fullmatch(reading.line(after)))):
        reading.columns = cells
        return
    columns = reading.columns if len(reading.columns) == len(cells) else ()
    text = " | ".join(cell for cell in cells if cell)
    reading.blocks.append(Block(BlockKind.ROW, text, start, end, cells=cells, columns=columns))


def _pairs(line: str) -> list[tuple[str, str]]:
    """(label, value) of a line such as “UEI: QK7LN4XVB2M9      CAGE: 7R2T4”."""
    parts = [part for part in re.split(r"\t{1,20}| {3,60}| [·;] ", line.strip()) if part]
    several = [pair for part in parts if (pair := _pair(part))]
    if len(several) > 1 and len(several) == len(parts):
        return several
    whole = _pair(line)
    return [whole] if whole else []


def _pair(line: str) -> tuple[str, str] | None:
    found = _PAIR.fullmatch(line.rstrip()) or _NUMBER_PAIR.fullmatch(line.rstrip()) or _DASH_PAIR.fullmatch(line.rstrip())
    if not found:
        return None
    label, value = " ".join(found[1].split()).strip("*_ "), " ".join(found[2].split()).strip("*_ ")
    words = label.split()
    if not 1 <= len(words) <= _LABEL_WORDS or not value or not any(character.isalpha() for character in label):
        return None
    if label.endswith((".", ",")) and not re.fullmatch(r".{0,40}\b(?:No|Nr|no)\.", label):
        return None
    return label, value


def is_heading(line: str) -> bool:
    """Whether a line alone may be the heading of what follows."""
    text = line.strip().strip("*_#")
    number = _NUMBERED.match(text)
    text = text[number.end() if number else 0 :].strip()
    words = text.rstrip(":").split()
    if not 1 <= len(words) <= _HEADING_WORDS or len(text) > _HEADING_CHARACTERS or _IS_ENDED.search(_ABBREVIATED.sub("", text)):
        return False
    if ".." in text or (not text.isupper() and re.search(r"\d{3}|\d\)?$|\d\s?%|,.*,", text)):
        return False
    letters = sum(character.isalpha() for character in text)
    if letters < 3 or letters < len(text.replace(" ", "")) * 0.6 or "@" in text or ": " in text or text[0].islower():
        return False
    if _IN_BRACKETS.sub("", text).isupper():
        return True
    large = [word for word in words if word.casefold() not in _SMALL_WORDS]
    capitalized = sum(not word[0].islower() for word in large)
    return capitalized >= len(large) * _TITLE_SHARE or (len(words) <= 5 and words[0][0].isupper() and text.endswith(("?", ":")))


def _is_title_of(reading: _Reading, line: str, after: tuple[int, int] | None) -> bool:
    """A few words between two sentences, or some more at the beginning of a paragraph."""
    words = line.split()
    if (
        len(words) > (_TITLE_WORDS if reading.lines else _ALONE_WORDS)
        or not words[0][0].isupper()
        or _IS_ENDED.search(line)
        or re.search(r"[\d@:|]", line)
        or after is None
    ):
        return False
    previous = reading.line(reading.lines[-1]) if reading.lines else ""
    following = reading.line(after).strip()
    is_ended = not reading.lines or re.search(r"[.!?][\"”)]?$", previous) is not None
    is_prose = len(following) >= _WRAPPED or (not reading.lines and following.endswith("."))
    return is_ended and following[:1].isupper() and is_prose and not reading.is_item


def _is_numbered_heading(reading: _Reading, line: str, after: tuple[int, int] | None) -> bool:
    """“1. Statement of Need” above prose is a heading, among other items an item."""
    if not _NUMBERED.match(line):
        return False
    following = reading.line(after) if after else ""
    return not _BULLET.match(following) and not reading.is_item


def _continues_value(reading: _Reading, line: str, before: tuple[int, int] | None) -> bool:
    """A value that runs on in an indented line."""
    if not reading.blocks or reading.lines or before is None or reading.blocks[-1].kind != BlockKind.PAIR:
        return False
    previous = reading.line(before)
    is_adjacent = reading.blocks[-1].end == before[1]
    label = reading.text[reading.blocks[-1].start : reading.blocks[-1].end]
    is_indented = line.startswith(("  ", "\t")) and _indentation(line) > _indentation(label)
    return is_adjacent and (is_indented or len(previous) >= _WRAPPED) and not is_heading(line)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
