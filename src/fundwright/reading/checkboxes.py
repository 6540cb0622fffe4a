"""Finds check boxes that are characters: “☒ Small business”, “☐ HUBZone”, “Veteran-owned: ☒ Yes ☐ No”, “[x] Done”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Figure,
    Item,
    Margin,
    Note,
    Paragraph,
    Quote,
    Run,
    Runs,
    Table,
    visible,
    walk,
)

_CHECKED = "☒☑✅🗹🗷⊠■◼⬛✔"
_UNCHECKED = "☐□◻▢⬜❑❏🗆"
_SURE = re.compile(r"[☒☑☐🗹🗷🗆⊠]|(?<!\[)\[ ?\](?!\])|\[[xX✓✔]\]")
"""Characters that nothing but a box uses. The others are also bullets, so they count only beside one of these or in both states."""
_BULLET = re.compile(r"[-*+•]|\d{1,3}[.)]")
"""Behind the label in a row of a table of two columns in Markdown, whose rows stay lines."""
_LONGEST_LABEL = 300
_BOX = re.compile(rf"[{_CHECKED}{_UNCHECKED}]|(?<!\[)\[ ?\](?!\])|\[[xX✓✔]\](?!\()")


def with_boxes(blocks: Sequence[Block]) -> list[Block]:
    """Replace paragraphs and list items with such characters by items that are checked or not."""
    texts = [visible(block.runs) for block in walk(blocks) if isinstance(block, Paragraph | Item)]
    has_boxes = any(_SURE.search(text) for text in texts)
    has_both = any(_starts_with(text, _CHECKED) for text in texts) and any(_starts_with(text, _UNCHECKED) for text in texts)
    return list(_of(blocks)) if has_boxes or has_both else list(blocks)


def has_box(text: str) -> bool:
    """Whether a text has a character that nothing but a box uses."""
    return bool(_SURE.search(text))


def _starts_with(text: str, characters: str) -> bool:
    return text.lstrip()[:1] in characters if text.strip() else False


def _of(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Paragraph() | Item() if _BOX.search(visible(block.runs)):
                yield from _split(block)
            case Table():
                yield replace(block, rows=tuple(tuple((place, _cell(cell)) for place, cell in row) for row in block.rows))
            case Paragraph() | Item():
                yield block
            case Note() | Margin() | Figure() | Quote() | Attachment():
                yield replace(block, blocks=tuple(_of(block.blocks)))
            case _:
                yield block


def _cell(cell: Cell) -> Cell:
    return replace(cell, blocks=tuple(_of(cell.blocks)))


def _split(block: Paragraph | Item) -> Iterator[Block]:
    """Each line with boxes becomes items, and the lines between them stay together."""
    hidden: Runs = tuple(run for run in block.runs if run.mark is not None)
    together = list[str]()
    for line in visible(block.runs).split("\n"):
        items = _items(line)
        if not items:
            together.append(line)
            continue
        if any(map(str.strip, together)):
            yield replace(block, runs=(Run("\n".join(together)),))
        together = []
        for label, is_checked in items:
            yield Item((Run(label), *hidden), is_checked=is_checked, page=block.page, box=block.box)
            hidden = ()
    if any(map(str.strip, together)):
        yield replace(block, runs=(Run("\n".join(together)), *hidden))


def _items(line: str) -> list[tuple[str, bool]]:
    """Each box of a line with its label, and whether it is checked. Text before the first box, such as “Veteran-owned:”, names them all. If
    a box ends the line, boxes stand behind their labels. Nothing if a label would be too long for one."""
    boxes = list(_BOX.finditer(line))
    if not boxes:
        return []
    before, after = line[: boxes[0].start()].strip(), line[boxes[-1].end() :].strip()
    before = "" if _BULLET.fullmatch(before) else before.lstrip("| ")
    before = f"{before[:-1].rstrip()}:" if before.endswith("|") else before
    if before and not after:
        starts = [0, *(box.end() for box in boxes[:-1])]
        labels = [line[start : box.start()] for start, box in zip(starts, boxes, strict=True)]
        before = ""
    else:
        ends = [*(box.start() for box in boxes[1:]), len(line)]
        labels = [line[box.end() : end] for box, end in zip(boxes, ends, strict=True)]
    names = [label.strip(" \t;,|/") for label in labels]
    if before:
        names = [f"{before} {name}" for name in names]
    if max(map(len, names)) > _LONGEST_LABEL:
        return []
    return [(name, _is_checked(box[0])) for name, box in zip(names, boxes, strict=True)]


def _is_checked(box: str) -> bool:
    return box in _CHECKED if len(box) == 1 else bool(box.strip("[] "))
