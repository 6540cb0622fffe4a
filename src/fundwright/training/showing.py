"""Converts blocks to what is shown of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from fundwright.reading.document import (
    Attachment,
    Block,
    Field,
    Figure,
    Heading,
    Item,
    Margin,
    Note,
    Paragraph,
    Quote,
    Runs,
    Table,
    plain,
)
from fundwright.reading.lines import LONGEST_REPEATED, storable
from fundwright.training import highlighting
from fundwright.training.display import Highlight, Piece, Pieces, ShownBlock, ShownCell

_MOST_CHARACTERS, _MOST_BLOCKS = 200_000, 3_000
"""What a portion shows at most, even if its blocks cannot be divided."""
_MOST_COLUMNS = 200
_DEEPEST = 12


class Showing:
    """Converts blocks. `texts` are the visible texts of the blocks, in order; `highlights` is the highlight of each of their characters.
    `read` are the numbers of these texts in the order in which passages have them: a label that spans rows is in each of its rows."""

    def __init__(self, *, show_hidden: bool, highlights: Sequence[Sequence[Highlight | None]] | None = None) -> None:
        self.texts = list[str]()
        self.read = list[int]()
        self.is_cut = False
        self._show_hidden = show_hidden
        self._highlights = highlights
        self._characters = self._blocks = 0

    def words(self) -> list[highlighting.PlacedWord]:
        """The words as passages have them."""
        return highlighting.words_in(self.texts, self.read)

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
            case Note(blocks=inner) | Margin(blocks=inner) | Figure(blocks=inner) | Quote(blocks=inner):
                blocks = self.all(inner, depth + 1)
                match block:
                    case Note():
                        kind = "speaker_notes" if block.is_for_speaker else "note"
                    case Margin():
                        kind = "margin"
                    case Quote():
                        kind = "quote"
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
