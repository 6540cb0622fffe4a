"""Finds the structure of plain text: headings, labeled values, table rows, list items, and sentences.

Text that a reader has extracted from a file still shows its layout: “Value: $742,000”, columns separated by tabs or bars, lines in
capitals, list markers, and wrapped sentences. Nothing here depends on the topic of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from itertools import groupby, pairwise

from fundwright.language import field_labels
from fundwright.language.topics import Topic, topics_of
from fundwright.reading.sentences import spans_of

MAX_CHARACTERS = 2_000
"""The maximum length of a block, so that code that reads blocks never gets very long text."""
_LONG_LINE = 400
"""A longer line is prose."""
_CACHED_LINES = 20
"""The number of lines whose labels are cached, because each line is also examined as a neighbor."""
_LINE_CHARACTERS = 110
_MIN_WRAPPED = 56
"""A shorter line was not wrapped to fit a page."""
_MIN_COLUMN_WIDTH = 36
"""The minimum width of a column on a page."""
_HEADING_WORDS, _HEADING_CHARACTERS = 12, 100
_LABEL_WORDS = 6
_RUN_IN_WORDS = 2
_TITLE_WORDS = 5
_TITLE_SHARE = 0.7
_ALONE_WORDS = 8
_MIN_PARTS = 3
_WINDOW = 2
_MIN_KNOWN_SHARE = 0.6
_MAX_WORD_LENGTH, _MIN_CUT_LINES = 13, 3
_MIN_KNOWN_LABELS = 3
_SECTION_TOPICS = frozenset((Topic.PROFILE, Topic.CAPABILITIES, Topic.DIFFERENTIATORS, Topic.FACILITIES))
_CODE_TOPICS = frozenset((Topic.COMPANY_DATA,))

_MARKS = "-*•–—▪●○◦■□►➢➤✓✔☒»›·§‣⁃∙\u2022\uf0a7\uf0b7\uf0d8\uf0fc"
_BULLET = re.compile(rf"[ \t]{{0,40}}(?:[{re.escape(_MARKS)}]|o(?=\s)|\(?(?:\d{{1,2}}|[a-z])[.)])\s{{1,20}}(?=\S)")
_PRIVATE_MARK = re.compile(r"[ \t]{0,40}[\ue000-\uf8ff]\s{0,20}(?=\S)")
_NUMBERED = re.compile(r"\s{0,20}(?:\d{1,2}(?:(?:\.\d{1,2}){1,3}[.)]?|[.)])|[IVX]{1,5}\.|[A-Z]\.)\s{1,20}(?=[A-ZÄÖÜÉÀ])")
_CLAUSE = re.compile(r"\s{0,20}\d{1,2}(?:\.\d{1,2}){2}")
_RULE = re.compile(r"[\s|:=_*~+.-]{3,}")
_HEAD_RULE = re.compile(r"\s{0,3}\|(?:\s?:?-{1,100}:?\s?\|){1,100}\s{0,10}")
"""Between the names of columns and the rows, as in Markdown, where a table of two columns often has a labeled value above the rule."""
_PAGE = re.compile(
    r"\W{0,20}(?:(?:page|seite)\s{0,5})?\d{1,4}(?:\s{0,5}(?:of|/|von|de|sur)\s{0,5}\d{1,4})?\W{0,20}", re.IGNORECASE
)
_PAGE_MARGIN = re.compile(
    r".{0,80}\b(?:proprietary|confidential|all rights reserved|table of contents|vertraulich|confidentiel)\b.{0,80}",
    re.IGNORECASE,
)
_MESSAGE_HEADER = re.compile(
    r"[>\s*]{0,10}(?:from|to|cc|bcc|sent|date|reply-to|subject|importance|attachments?|von|an|gesendet|datum|betreff|de|à|envoyé|objet)(?:\*\*)?\s{0,3}:(?!//).{0,400}",
    re.IGNORECASE,
)
"""The header of a message: sender, recipient, date, and subject."""
_SENDER_HEADER = re.compile(r"[>\s*]{0,10}(?:from|von|de)\b", re.IGNORECASE)
_MIN_HEADERS = 2
_QUESTION_LABEL = re.compile(r"(?:What|How|Why|Where|Who) (?:\w+ ){1,4}\w+[.:]")
"""“What came of it.” before its answer."""
_QUESTION_WORD = re.compile(r"(?:What|How|Why|Where|Who)\b")
RUN_IN_CHALLENGES = re.compile(
    r"(?:problems?|challenges?|difficulties|obstacles|setbacks?|issues|lessons?)(?: (?:learned|encountered|faced|and|&) ?.{0,40})?[.:]",
    re.IGNORECASE,
)
"""“Problems and what we did.” within a paragraph whose markup is lost."""
_LABEL = r"[A-ZÄÖÜÉÀ0-9(#][^:|\t]{0,48}"
_PAIR = re.compile(
    rf"\s{{0,40}}({_LABEL}?)\s{{0,30}}(?::(?!//)(?!(?<=\d:)\d)|\.{{3,60}}|(?<=\s)\.\.(?=\s)|…{{1,60}})\s{{0,40}}(\S.{{0,400}})"
)
_NUMBER_PAIR = re.compile(
    r"\s{0,40}((?:\w{2,20} ){1,2}(?:[Nn]o\.?|[Nn]r\.?|[Nn]umber|#|N°))\s{1,10}((?:[A-Z][\w.]{0,9} )?[\w/.-]{0,30}\d[\w/ .-]{0,30})"
)
_DASH_PAIR = re.compile(r"\s{0,40}([A-ZÄÖÜÉÀ][^\W\d]{2,20}(?: [^\W\d]{2,20}){0,2})\s{1,10}[-–—]\s{1,10}([^.]{0,40}\d[^.]{0,40})")
_SMALL_PAIR = re.compile(r"\s{0,40}([a-z][\w /().'#&-]{1,40}?)\s{0,10}:\s{1,40}(\S.{0,400})")
_BARE_LABEL = re.compile(rf"\s{{0,40}}({_LABEL}?)\s{{0,10}}:\s{{0,10}}")
_COLUMNS = re.compile(r"\t{1,20}|(?<=\S) {3,60}(?=\S)")
_SENTENCE_END = re.compile(r"[.!?…;,][\"”’')\]]{0,2}\s{0,20}$")
_SENTENCE_BREAK = re.compile(r"[a-zäöüß\d]{2}[.!?]\s{1,20}(?:[A-Z][a-z]{0,15}|\d{1,4}) [\w']{1,20} ")
"""The end of a sentence and the beginning of another, within the lines."""
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
    """A line that is not a sentence, such as a line of an address."""


@dataclass(frozen=True, slots=True)
class Block:
    """`text` has no list markers and line breaks; `start` and `end` are its position. A pair has a label, a row has cells, and an item or
    a heading may have a number, such as “2.1.1.”."""

    kind: BlockKind
    text: str
    start: int
    end: int
    label: str = ""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """The column headers above the cells of a row."""
    number: str = ""


@dataclass(slots=True)
class _Reading:
    text: str
    blocks: list[Block] = field(default_factory=list[Block])
    lines: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Lines of a paragraph or of an item that are not a block yet."""
    is_item: bool = False
    columns: tuple[str, ...] = ()
    is_ruled: bool = False
    """Whether a rule below the columns says that they are names."""
    wrapped: int = _MIN_WRAPPED
    """A shorter line was not wrapped to fit the page or its column."""
    beside: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """Labeled values without a separator, by the start of their line."""

    def line(self, place: tuple[int, int]) -> str:
        return self.text[place[0] : place[1]]

    def close(self) -> None:
        """Group lines that belong together into blocks."""
        if not self.lines:
            return
        start, end = self.lines[0][0], self.lines[-1][1]
        lines, self.lines, is_item = self.lines, [], self.is_item
        self.is_item = False
        if is_item:
            marked = self.text[start : start + _LONG_LINE]
            mark = _BULLET.match(marked) or _PRIVATE_MARK.match(marked) or _NUMBERED.match(marked)
            start += mark.end() if mark else 0
            # An item with several sentences is one item: its first words name it.
            self._add(BlockKind.ITEM, start, end, number=_number_in(mark))
        elif (
            not any(_SENTENCE_END.search(self.line(line)) for line in lines)
            and not _SENTENCE_BREAK.search(self.text[start:end])
            and max(line[1] - line[0] for line in lines) < _LINE_CHARACTERS
        ):
            for first, last in self._join_continuations(lines):
                self._add(BlockKind.LINE, first, last)
        else:
            # Short lines after the last full stop were not wrapped: each is a block.
            ended = max(
                (place for place, line in enumerate(lines) if _SENTENCE_END.search(self.line(line))), default=len(lines) - 1
            )
            apart = lines[ended + 1 :]
            if any(line[1] - line[0] >= self.wrapped for line in apart):
                apart = []
            end = lines[ended][1] if apart else end
            label = ""
            for place, (first, last) in enumerate(spans_of(self.text[start:end])):
                text = self.text[start + first : start + last]
                is_run_in = (not place and not re.search(r"\d{3}|\w\d\w", text)) or re.fullmatch(r"[A-Z]\w+ \d{1,2}[.:]", text)
                is_short = len(text.split()) <= _RUN_IN_WORDS or _QUESTION_LABEL.fullmatch(text)
                is_label = (is_run_in and is_short) or RUN_IN_CHALLENGES.fullmatch(text)
                if is_label and last < end - start and text[0].isupper():
                    label = text.rstrip(".")
                    continue
                self._add(BlockKind.SENTENCE, start + first, start + last, label=label)
                label = ""
            for first, last in apart:
                self._add(BlockKind.LINE, first, last)

    def _join_continuations(self, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Join each line that starts in lower case with the previous one."""
        whole: list[tuple[int, int]] = []
        for place in lines:
            if whole and self.line(place).lstrip()[:1].islower() and place[0] - whole[-1][0] >= _MIN_COLUMN_WIDTH:
                whole[-1] = (whole[-1][0], place[1])
            else:
                whole.append(place)
        return whole

    def _add(self, kind: BlockKind, start: int, end: int, *, label: str = "", number: str = "") -> None:
        if end - start > MAX_CHARACTERS:
            return  # encoded data, or a table without separators: it cannot be quoted
        text = " ".join(self.text[start:end].split())
        if text:
            self.blocks.append(Block(kind, text, start, end, label=label, number=number))


def read(text: str) -> list[Block]:
    """Return the blocks of a text in order."""
    places = list(_lines(text))
    reading = _Reading(text, wrapped=_min_wrapped_length(text, places), beside=_unseparated_pairs(text, places))
    after: tuple[int, int] | None = None
    followed_by: list[tuple[int, int] | None] = []
    for start, end in reversed(places):
        followed_by.append(after)
        after = (start, end) if text[start:end].strip() else after
    headers = _header_lines(text, places)
    below, done = _labels_above_values(text, places), -1
    for index, (place, after) in enumerate(zip(places, reversed(followed_by), strict=True)):
        if place[0] in headers:
            reading.close()
        elif place[0] in below:
            label, value, done = below[place[0]]
            reading.close()
            _add_pairs(reading, [(label, value)], (place[0], done))
        elif place[1] > done:
            _read_line(reading, place, places[index - 1] if index else None, after)
    reading.close()
    return _resolve_headings(text, _split_section_labels(_fill_labels_down(_transpose_tables(reading.blocks))))


def _number_in(mark: re.Match[str] | None) -> str:
    """“2.1.1.” for a mark with a number or a letter, "" for a bullet."""
    number = mark[0].strip() if mark else ""
    return number if len(number) > 1 else ""


def _header_lines(text: str, places: list[tuple[int, int]]) -> frozenset[int]:
    """Return the starts of the header lines of a message: several consecutive lines, one of which names the sender."""
    found: list[int] = []
    run: list[tuple[int, int]] = []
    for place in [*places, None]:
        if place is not None and _MESSAGE_HEADER.fullmatch(text[place[0] : place[1]]):
            run.append(place)
            continue
        if len(run) >= _MIN_HEADERS and any(_SENDER_HEADER.match(text[start:end]) for start, end in run):
            found += [start for start, _ in run]
        run = []
    return frozenset(found)


def _split_section_labels(blocks: list[Block]) -> list[Block]:
    """“About: Meridian provides interpreters.” is a heading and a sentence, not a labeled value."""
    apart: list[Block] = []
    for block in blocks:
        if block.kind == BlockKind.PAIR and Topic.PLAN in topics_of(block.label):
            apart.append(replace(block, kind=BlockKind.HEADING, text=f"{block.label}: {block.text}", label=""))
        elif _is_section(block) and not _is_enumeration(block.text) and _is_prose(block.text):
            apart.append(Block(BlockKind.HEADING, block.label, block.start, block.start))
            spans = spans_of(block.text)
            apart += [Block(BlockKind.SENTENCE, block.text[first:last], block.start, block.end) for first, last in spans]
        else:
            apart.append(block)
    return apart


def _is_section(block: Block) -> bool:
    return block.kind == BlockKind.PAIR and bool(_SECTION_TOPICS & topics_of(block.label))


def _is_enumeration(text: str) -> bool:
    """“streamgage installation, sonde calibration, telemetry”: one sentence with several parts, none of which starts with a name."""
    parts = [part.strip() for part in re.split("[,;]", text)]
    return len(parts) >= _MIN_PARTS and len(spans_of(text)) == 1 and all(part[:1].islower() for part in parts[1:])


def _is_prose(text: str) -> bool:
    return len(text.split()) > _TITLE_WORDS and re.search(r"[a-zäöüß)\d][.!]$", text) is not None


def _resolve_headings(text: str, blocks: list[Block]) -> list[Block]:
    """A heading has text below it. A short line alone in a paragraph, with text below it, is a heading."""
    settled: list[Block] = []
    for index, block in enumerate(blocks):
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.kind == BlockKind.HEADING and not topics_of(block.text) and not _is_heading_of(text, settled, block, after):
            settled.append(replace(block, kind=BlockKind.LINE, text=" ".join(text[block.start : block.end].split())))
        elif (block.kind == BlockKind.LINE and after is not None and _is_heading_above(text, block, after)) or (
            block.kind == BlockKind.SENTENCE
            and block.text.endswith("?")
            and topics_of(block.text)
            and _precedes_blank_line(text, block)
        ):
            settled.append(replace(block, kind=BlockKind.HEADING))
        elif _is_section(block) and _is_enumeration(block.text):
            settled.append(block)
        elif block.kind == BlockKind.PAIR and not index and (after is None or after.kind not in (BlockKind.PAIR, BlockKind.ROW)):
            # The title of the document, as in “Past performance: Harbor & Pine”.
            settled.append(replace(block, kind=BlockKind.HEADING, text=f"{block.label}: {block.text}", label=""))
        else:
            settled.append(block)
    return settled


def _fill_labels_down(blocks: list[Block]) -> list[Block]:
    """Give a value without a label the label above it: “| | OSHA 500 trainer |”."""
    filled: list[Block] = []
    for block in blocks:
        above = filled[-1] if filled else None
        is_blank = block.kind == BlockKind.ROW and not block.cells[0] and len(block.cells) == 2 and bool(block.cells[1])
        if is_blank and above is not None and above.kind == BlockKind.PAIR:
            filled.append(replace(block, kind=BlockKind.PAIR, text=block.cells[1], label=above.label, cells=()))
        else:
            filled.append(block)
    return filled


def _label_rows(rows: list[Block]) -> list[Block]:
    """Convert rows that start with labels to labeled values."""
    if any(row.columns for row in rows) or sum(field_labels.is_known(row.cells[0]) for row in rows) < _MIN_KNOWN_LABELS:
        return rows
    pairs: list[Block] = []
    for row in rows:
        label = row.cells[0].strip('*:" ') or (pairs[-1].label if pairs else "")
        value = ", ".join(filter(None, row.cells[1:]))
        is_pair = label and value and len(label.split()) <= _LABEL_WORDS
        pairs.append(replace(row, kind=BlockKind.PAIR, text=value, label=label, cells=()) if is_pair else row)
    return pairs


def _transpose_tables(blocks: list[Block]) -> list[Block]:
    """Transpose tables with labels in the first column, so that each other column becomes a row."""
    transposed: list[Block] = []
    for is_row, group in groupby(blocks, key=lambda block: block.kind == BlockKind.ROW and len(block.cells)):
        rows = list(group)
        transposed += _transpose(rows) if is_row and is_row > 2 and len(rows) > 1 else rows
    return transposed


def _transpose(rows: list[Block]) -> list[Block]:
    head = rows[0].columns
    if sum(field_labels.is_known(row.cells[0]) for row in rows) < max(2, len(rows) * _MIN_KNOWN_SHARE):
        return _label_rows(rows)
    named = [*([head] if len(head) == len(rows[0].cells) else []), *(row.cells for row in rows)]
    columns = tuple(cells[0].strip("*: ") for cells in named)
    start, end = rows[0].start, rows[-1].end
    across = [tuple(cells[place] for cells in named) for place in range(1, len(named[0]))]
    transposed = [
        Block(BlockKind.ROW, " | ".join(filter(None, cells)), start, end, cells=cells, columns=columns) for cells in across
    ]
    return transposed if all(len(block.text) <= MAX_CHARACTERS for block in transposed) else rows


def _is_heading_of(text: str, before: list[Block], block: Block, after: Block | None) -> bool:
    """Whether an apparent heading is one, not a line of an address or of a list without markers."""
    above = before[-1] if before else None
    is_right_below = above is not None and above.kind == BlockKind.HEADING and not _precedes_blank_line(text, above)
    if is_right_below and "," in block.text and above is not None and topics_of(above.text):
        return False
    if block.text.isupper():
        return True
    if _is_list_line(text, before, block):
        return False
    if after is None or (after.kind == BlockKind.HEADING and (above is None or above.kind == BlockKind.HEADING)):
        return False
    return after.kind != BlockKind.HEADING or _precedes_blank_line(text, block)


def _is_heading_above(text: str, block: Block, after: Block) -> bool:
    words = block.text.split()
    if after.kind in (BlockKind.LINE, BlockKind.HEADING) or not block.text[0].isupper() or not _precedes_blank_line(text, block):
        return False
    if len(words) > _ALONE_WORDS and _is_enumeration(block.text):
        return False
    if after.kind == BlockKind.SENTENCE and len(words) <= _HEADING_WORDS and not re.search(r"[@|]|\d{5}", block.text):
        return True
    marks = "@|" if _QUESTION_WORD.match(block.text) else "@,|"
    return len(words) <= _ALONE_WORDS and not any(character.isdigit() or character in marks for character in block.text)


def _is_list_line(text: str, settled: list[Block], block: Block) -> bool:
    """Whether it is between the short lines of a list without markers."""
    before = settled[-1] if settled else None
    return (
        before is not None
        and before.kind == BlockKind.LINE
        and not text[before.end : block.start].count("\n") > 1
        and not _precedes_blank_line(text, block)
    )


def _precedes_blank_line(text: str, block: Block) -> bool:
    """Whether a blank line follows."""
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
        listed = field_labels.several(line.strip()) if len(line) <= MAX_CHARACTERS else []
        if listed:
            reading.close()
            _add_pairs(reading, listed, place)
        else:
            reading.lines.append(place)
        return
    if _PAGE.fullmatch(line.strip()) or _RULE.fullmatch(line) or _is_page_margin(line):
        reading.close()
        return
    cells = _cells(line)
    if len(cells) > 2 and 2 * sum(map(bool, cells)) > len(cells) and after and _HEAD_RULE.fullmatch(reading.line(after)):
        reading.close()
        reading.columns, reading.is_ruled = cells, True
        return
    reading.is_ruled = reading.is_ruled and len(cells) == len(reading.columns) > 0
    if reading.is_ruled:
        reading.close()
        reading.blocks.append(_row(cells, place, reading.columns))
        return
    if cells and "|" in line and len(listed := _pairs(line)) > 1:
        reading.close()
        _add_pairs(reading, listed, place)
        return
    if cells:
        reading.close()
        _add_cells(reading, cells, place, after)
        return
    reading.columns = ()
    follows_prose = bool(reading.lines) and not reading.is_item and not _SENTENCE_END.search(reading.line(reading.lines[-1]))
    is_wrapped = follows_prose and before is not None and len(reading.line(before)) >= reading.wrapped
    numbered = _numbered_item(reading, line, place)
    bullet = _BULLET.match(line) or _PRIVATE_MARK.match(line) or numbered
    is_short = len(line.split()) <= _ALONE_WORDS and not _SENTENCE_END.search(line) and not re.search(r"[:|@]\s*\S", line)
    pairs = _pairs(line) or ((reading.beside[start],) if start in reading.beside else ())
    is_named = is_short and not pairs and bool(topics_of(line))
    is_titled = (
        not is_wrapped
        and not pairs
        and not _continues_below(reading, place)
        and (is_heading(line) or _is_inline_title(reading, line, after) or (is_short and _is_above_items(reading, line, after)))
    )
    if (is_titled or is_named) and not numbered and (not bullet or _is_numbered_heading(reading, line, after)):
        reading.close()
        mark = _NUMBERED.match(line)
        text = line[mark.end() :].strip().rstrip(":").strip("*_# ") if mark else line.strip(" :*_#")
        reading.blocks.append(Block(BlockKind.HEADING, " ".join(text.split()), start, end, number=_number_in(mark)))
        return
    if bullet:
        listed = [pair for pair in _pairs(line[bullet.end() :]) if field_labels.is_known(pair[0])]
        reading.close()
        if listed:
            _add_pairs(reading, listed, place)
        else:
            reading.lines, reading.is_item = [place], True
        return
    if pairs and (not is_wrapped or len(pairs) > 1):
        reading.close()
        _add_pairs(reading, pairs, place)
        return
    bare = None if is_wrapped else _BARE_LABEL.fullmatch(line)
    if bare and len(bare[1].split()) <= _LABEL_WORDS:
        reading.close()
        reading.blocks.append(Block(BlockKind.HEADING, " ".join(bare[1].split()), start, end))
        return
    if _continues_value(reading, line, before):
        last = reading.blocks.pop()
        value = f"{last.text} {' '.join(line.split())}"
        _add_pairs(reading, field_labels.several(f"{last.label}: {value}") or [(last.label, value)], (last.start, end))
        return
    if (
        reading.is_item
        and not line.startswith((" ", "\t"))
        and before is not None
        and len(reading.line(before)) < reading.wrapped
    ):
        reading.close()
    reading.lines.append(place)


def _is_page_margin(line: str) -> bool:
    """Whether it is a line of a page's header or footer."""
    return len(line.split()) <= _HEADING_WORDS and _PAGE_MARGIN.fullmatch(line) is not None


def _cells(line: str) -> tuple[str, ...]:
    """The columns of a line with bars or tabs; empty for other lines."""
    if "|" in line:
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
    else:
        # In “CAGE code : 4W9D8”, the colon is not part of the value.
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
    is_labeled = (
        field_labels.is_known(first)
        and any(map(field_labels.is_known, follows[:1]))
        and not any(map(field_labels.is_known, cells[1:2]))
    )
    above = reading.blocks[-1] if reading.blocks else None
    is_among_rows = above is not None and above.kind == BlockKind.ROW and not above.columns and len(above.cells) == len(cells)
    begins_table = (
        len(cells) > 2
        and not is_labeled
        and not is_among_rows
        and not reading.columns
        and not any(re.search(r"\d{3}|\$\s?\d", cell) for cell in cells)
    )
    if begins_table and (len(follows) == len(cells) or (after and _RULE.fullmatch(reading.line(after)))):
        reading.columns = cells
        return
    reading.blocks.append(_row(cells, place, reading.columns if len(reading.columns) == len(cells) else ()))


def _row(cells: tuple[str, ...], place: tuple[int, int], columns: tuple[str, ...]) -> Block:
    return Block(BlockKind.ROW, " | ".join(cell for cell in cells if cell), *place, cells=cells, columns=columns)


@lru_cache(maxsize=_CACHED_LINES)
def _pairs(line: str) -> tuple[tuple[str, str], ...]:
    """(label, value) of a line such as “UEI: QK7LN4XVB2M9      CAGE: 7R2T4”."""
    parts = [part for part in re.split(r"\t{1,20}| {3,60}| [·;|~/] ", line.strip()) if part]
    several = [pair for part in parts if (pair := _pair(part))]
    is_named = len(several) == len(parts) - 1 and bool(parts) and not _pair(parts[0]) and parts[0].isalpha()
    if len(several) > 1 - is_named and len(several) + is_named == len(parts):
        return tuple(several)  # “Codes NAICS 541930”: the first part names the line
    if listed := field_labels.several(line.strip()):
        return tuple(listed)
    whole = _pair(line)
    return (whole,) if whole else ()


def _add_pairs(reading: _Reading, pairs: Sequence[tuple[str, str]], place: tuple[int, int]) -> None:
    reading.blocks += [Block(BlockKind.PAIR, value, *place, label=label) for label, value in pairs]


def _min_wrapped_length(text: str, places: list[tuple[int, int]]) -> int:
    """The minimum length of a wrapped line, estimated from lines whose next line starts in lower case."""
    cut = [end - start for (start, end), (after, _) in pairwise(places) if text[after : after + 1].islower()]
    return min(_MIN_WRAPPED, max(_MIN_COLUMN_WIDTH, max(cut) - _MAX_WORD_LENGTH)) if len(cut) >= _MIN_CUT_LINES else _MIN_WRAPPED


def _labels_above_values(text: str, places: list[tuple[int, int]]) -> dict[int, tuple[str, str, int]]:
    """(label, value, end) of labels whose value is the single line below, by the start of their line."""
    found: dict[int, tuple[str, str, int]] = {}
    lines = [text[start:end] for start, end in places]
    last = -1
    for place, line in enumerate(lines[:-1]):
        # The file's reader may have separated a label from its value.
        is_apart = not lines[place + 1].strip() and line.rstrip(" *_").endswith(":") and field_labels.is_known(line)
        below = place + 1 + is_apart
        if place <= last or below >= len(lines):
            continue
        value = lines[below].strip("*_ \t")
        label = _sole_label(line, has_figure=bool(re.search(r"\d", value)))
        following = lines[below + 1] if below + 1 < len(lines) else ""
        is_single = not following.strip() or bool(_sole_label(following) or _pairs(following))
        is_value = (
            0 < len(value) <= _LINE_CHARACTERS
            and not _sole_label(value)
            and not _BULLET.match(value)
            and not _PAIR.fullmatch(value)
        )
        is_bare = not _SENTENCE_END.search(_ABBREVIATED.sub("", value))
        if label and is_single and is_value and is_bare and not (is_apart and topics_of(label)):
            found[places[place][0]] = (label, " ".join(value.split()), places[below][1])
            last = below
    return found


@lru_cache(maxsize=_CACHED_LINES)
def _sole_label(line: str, *, has_figure: bool = False) -> str:
    """Return the label that makes up the line, or ''. A label without a colon must be a known one that does not name a section.
    Labels of codes, such as “UEI”, may name a section if a figure follows."""
    bare = _BARE_LABEL.fullmatch(line.replace("*", ""))
    if bare and len(bare[1].split()) <= _LABEL_WORDS:
        return " ".join(bare[1].split()).strip("_ ")
    text = line.strip("*_ \t")
    is_label = text[:1].isupper() and len(text.split()) <= _LABEL_WORDS and field_labels.is_known(text)
    return text if is_label and topics_of(text) <= (_CODE_TOPICS if has_figure else frozenset()) else ""


def _unseparated_pairs(text: str, places: list[tuple[int, int]]) -> dict[int, tuple[str, str]]:
    """“Value $742,000” near other labeled values, at least one with a digit, by the start of its line."""
    lines = [(start, text[start:end]) for start, end in places if text[start:end].strip()]
    beside = [field_labels.code_beside(line) or field_labels.beside(line) for _, line in lines]
    found: dict[int, tuple[str, str]] = {}
    for place, pair in enumerate(beside):
        # The first line of a text is a title: “Contract Reference 1”.
        if pair is None or (not place and not field_labels.code_beside(lines[0][1])):
            continue
        nearby = [other for other in beside[max(0, place - _WINDOW) : place] + beside[place + 1 : place + 1 + _WINDOW] if other]
        around = [line for _, line in lines[max(0, place - 1) : place] + lines[place + 1 : place + 2]]
        nearby += [other for line in around for other in _pairs(line)[:1]]
        is_code = field_labels.code_beside(lines[place][1]) is not None
        if is_code or (nearby and any(re.search(r"\d", value) for _, value in (pair, *nearby))):
            found[lines[place][0]] = pair
    return found


def _pair(line: str) -> tuple[str, str] | None:
    found = _PAIR.fullmatch(line.rstrip()) or _NUMBER_PAIR.fullmatch(line.rstrip()) or _DASH_PAIR.fullmatch(line.rstrip())
    if not found and (small := _SMALL_PAIR.fullmatch(line.rstrip())) and field_labels.is_known(small[1]):
        found = small
    if not found:
        return field_labels.divided(line.rstrip()) or field_labels.code_beside(line)
    label, value = " ".join(found[1].split()).strip("*_ "), " ".join(found[2].split()).strip("*_ ")
    words = label.split()
    if not 1 <= len(words) <= _LABEL_WORDS or not value or not any(character.isalpha() for character in label):
        return None
    if label.endswith((".", ",")) and not re.fullmatch(r".{0,40}\b(?:No|Nr|no)\.", label):
        return None
    return label, value


def is_heading(line: str) -> bool:
    """Whether a line on its own can be the heading of what follows."""
    text = line.strip().strip("*_#")
    number = _NUMBERED.match(text)
    text = text[number.end() if number else 0 :].strip()
    bare = _IN_BRACKETS.sub("", text)
    words = text.rstrip(":").split()
    if (
        not 1 <= len(bare.split()) <= _HEADING_WORDS
        or len(text) > _HEADING_CHARACTERS
        or _SENTENCE_END.search(_ABBREVIATED.sub("", text))
    ):
        return False
    if ".." in text or (not bare.isupper() and re.search(r"\d{3}|\d\)?$|\d\s?%|,.*,", text)):
        return False
    letters = sum(character.isalpha() for character in text)
    if letters < 3 or letters < len(text.replace(" ", "")) * 0.6 or "@" in text or ": " in text or text[0].islower():
        return False
    if bare.isupper():
        return True
    large = [word for word in words if word.casefold() not in _SMALL_WORDS]
    capitalized = sum(not word[0].islower() for word in large)
    return capitalized >= len(large) * _TITLE_SHARE or (len(words) <= 5 and words[0][0].isupper() and text.endswith(("?", ":")))


def _is_inline_title(reading: _Reading, line: str, after: tuple[int, int] | None) -> bool:
    """A few words between two sentences, or a few more at the beginning of a paragraph."""
    words = line.split()
    if (
        len(words) > (_TITLE_WORDS if reading.lines else _ALONE_WORDS)
        or not words[0][0].isupper()
        or _SENTENCE_END.search(line)
        or re.search(r"[\d@:|]", line)
        or after is None
    ):
        return False
    previous = reading.line(reading.lines[-1]) if reading.lines else ""
    following = reading.line(after).strip()
    is_ended = not reading.lines or re.search(r"[.!?][\"”)]?$", previous) is not None
    is_prose = len(following) >= reading.wrapped or (not reading.lines and following.endswith("."))
    if not (is_ended and following[:1].isupper() and is_prose) or reading.is_item:
        return False
    # The first line of a list without markers has no sentence below it.
    paragraph = _BLANK_LINE.split(reading.text[after[0] : after[0] + MAX_CHARACTERS], maxsplit=1)[0]
    return re.search(r"[.!?][\"”)]?(?:\s|$)", paragraph) is not None


def _continues_below(reading: _Reading, place: tuple[int, int]) -> bool:
    """Whether the next line continues in lower case, as text below a heading does not."""
    line, following = reading.line(place), reading.text[place[1] + 1 : place[1] + 1 + _LINE_CHARACTERS].split("\n")[0].lstrip()
    is_cut = len(line) >= _MIN_COLUMN_WIDTH or line.split()[-1].casefold() in _SMALL_WORDS
    return is_cut and not line.isupper() and following[:1].islower()


def _is_numbered_heading(reading: _Reading, line: str, after: tuple[int, int] | None) -> bool:
    """“1. Statement of Need” is a heading above prose, but an item among other items."""
    if not _NUMBERED.match(line) or reading.is_item or _continues_numbering(reading, line):
        return False
    following = reading.line(after) if after else ""
    return not _BULLET.match(following) or _mark_shape(following) != _mark_shape(line) or _mark_number(following) == 1


def _numbered_item(reading: _Reading, line: str, place: tuple[int, int]) -> re.Match[str] | None:
    """The marker of “2.3 Rope access” directly above or below “2.4 Underwater inspection”, or of “2.1.1 The contractor shall …”."""
    mark = _NUMBERED.match(line)
    if mark is None or "." not in line.split()[0].rstrip(".)"):
        return None
    before = reading.line(reading.lines[0]) if reading.is_item and reading.lines else ""
    below = reading.text[place[1] : place[1] + _LINE_CHARACTERS].lstrip().split("\n")[0]
    number = _mark_number(line)
    nearby = ((before, number - 1), (below, number + 1))
    is_clause = _CLAUSE.match(line) is not None and not is_heading(line)
    is_one_of = (
        is_clause
        or _continues_numbering(reading, line)
        or any(
            _NUMBERED.match(other) and _mark_shape(other) == _mark_shape(line) and _mark_number(other) == expected
            for other, expected in nearby
        )
    )
    return mark if is_one_of else None


def _is_above_items(reading: _Reading, line: str, after: tuple[int, int] | None) -> bool:
    """“2. Education & licenses” above items with another kind of marker."""
    following = reading.line(after) if after else ""
    is_marked = bool(_BULLET.match(following)) and not _NUMBERED.match(following)
    return bool(_NUMBERED.match(line)) and is_marked and len(line.split()) <= _TITLE_WORDS + 1


def _continues_numbering(reading: _Reading, line: str) -> bool:
    """Whether the previous item has the previous number with the same marker."""
    last = reading.blocks[-1] if reading.blocks else None
    if last is None or last.kind != BlockKind.ITEM:
        return False
    mark = reading.text[reading.text.rfind("\n", 0, last.start) + 1 : last.start]
    return bool(mark.strip()) and _mark_shape(mark) == _mark_shape(line) and _mark_number(mark) + 1 == _mark_number(line)


def _mark_shape(line: str) -> str:
    """“0.” for “12. ”, “-” for “- ”."""
    return re.sub(r"\d+", "0", line.split()[0])


def _mark_number(line: str) -> int:
    number = re.match(r"\s*\(?(?:\d{1,2}\.){0,3}(\d+)", line)
    return int(number[1]) if number else 0


def _continues_value(reading: _Reading, line: str, before: tuple[int, int] | None) -> bool:
    """Whether the line continues a value on an indented line."""
    if not reading.blocks or reading.lines or before is None or reading.blocks[-1].kind != BlockKind.PAIR:
        return False
    if before[1] + len(line) - reading.blocks[-1].start > MAX_CHARACTERS:
        return False
    previous = reading.line(before)
    is_adjacent = reading.blocks[-1].end == before[1] and not re.search(r"[|\t]", previous)
    label = reading.text[reading.blocks[-1].start : reading.blocks[-1].end]
    previous = re.sub(r"[ .]{4,}", " ", previous)  # dot leaders do not make a line long
    is_indented = line.startswith(("  ", "\t")) and _indentation(line) > _indentation(label)
    return is_adjacent and (is_indented or len(previous) >= reading.wrapped) and not is_heading(line)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
