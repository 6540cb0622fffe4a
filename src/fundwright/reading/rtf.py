"""Reads RTF files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import (
    END,
    INVISIBLE_POINTS,
    Block,
    Cell,
    Document,
    Item,
    Mark,
    Paragraph,
    Table,
    runs_of,
    without_signs,
)
from fundwright.reading.from_docling import head_of
from fundwright.reading.paragraphs import paragraphs
from fundwright.reading.symbols import CHECKED, UNCHECKED

_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}]+)", re.DOTALL)
_FONT = re.compile(r"\{\\f(\d{1,5})[^{}]{0,200}?\\fcharset(\d{1,3})")
_CODE_PAGES = {
    0: "cp1252", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 238: "cp1250",
}  # fmt: skip
"""Encodings of the character sets of fonts."""
_MARKS = {"v": Mark.HIDDEN, "deleted": Mark.DELETED, "strike": Mark.STRUCK, "striked": Mark.STRUCK}
_COLORS = re.compile(r"\{\\colortbl([^{}]{0,20000})\}")
_WHITE = re.compile(r"(?:\\(?:red|green|blue)255){3}")
_HATCHES = frozenset(
    f"bg{dark}{lines}" for dark in ("", "dk") for lines in ("bdiag", "cross", "dcross", "fdiag", "horiz", "vert")
)
_OF_CHARACTERS = frozenset({"highlight", "cb", "chcbpat", "chcfpat", "chshdng", *(f"ch{hatch}" for hatch in _HATCHES)})
_OF_PARAGRAPHS = frozenset({"cbpat", "cfpat", "shading", "shptxt", *_HATCHES})
"""What gives characters and paragraphs a ground of another color."""
_IN_TABLES = frozenset({"intbl", "itap"})
_OF_CELLS = re.compile(r"\\((?:raw)?(?:cl|tr|tscell)(?:c[bf]pat|shdng|pct|bg)[a-z]{0,20})(\d{1,10})?")
"""What gives cells, rows, and cells of styles a ground."""
_OF_PAGES = "\\background"
_STYLES = ("s", "cs")
"""Styles of paragraphs and of characters."""
_BOX = "1"
"""The type of a box among the fields of old forms."""
_SIGNS = re.compile(f"([{END}{''.join(mark.sign for mark in Mark)}])")
_ITEM = re.compile(r"\s{0,20}(\S{1,10})\t(.*)", re.DOTALL)
_BULLET = re.compile(r"[^\w(]")
_MIN_BARS = 2


@dataclass(frozen=True, slots=True)
class _Group:
    """The state of a group of the file, which ends with it."""

    marks: frozenset[Mark] = frozenset()
    style_mark: Mark | None = None
    is_white: bool = False
    grounds: frozenset[str] = frozenset()
    """What may give its characters, its paragraph, or the table around it a color."""
    is_tiny: bool = False
    font: int = 0
    skipped: int = 1
    """The number of characters after each Unicode character for programs that do not know it."""
    is_field: bool = False
    end: str = ""
    """What is written where the group ends."""

    def mark(self, *, in_colored_row: bool) -> Mark | None:
        is_unseen = self.is_tiny or (self.is_white and not (self.grounds or in_colored_row))
        return next((mark for mark in _MARKS.values() if mark in self.marks), Mark.HIDDEN if is_unseen else self.style_mark)


class RtfReader:
    media_type = "application/rtf"
    label = "RTF"
    suffixes = (".rtf",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.lstrip().startswith(b"{\\rtf")

    def read(self, content: bytes, filename: str) -> Document:
        from striprtf.striprtf import rtf_to_text

        # RTF is ASCII; its own escapes name other characters.
        text = _joined(rtf_to_text(_simplified(content.decode("cp1252", errors="replace")), errors="replace"))
        return Document(tuple(with_boxes(list(_blocks(text.splitlines())))))


def _simplified(source: str) -> str:
    """The file with signs around text that Word does not show, and with boxes, notes, and characters of other fonts in a form that striprtf reads."""
    encodings = {int(font): _CODE_PAGES.get(int(charset), "") for font, charset in _FONT.findall(source[:200_000])}
    written, groups = list[str](), [_Group()]
    form, box = "", ""
    marks_of_styles, in_row, in_colored_row = _marks_of_styles(source), False, False
    skipped: int = 0
    colors = found[1].split(";") if (found := _COLORS.search(source[:200_000])) else []
    white = {str(place) for place, color in enumerate(colors) if _WHITE.fullmatch("".join(color.split()))}
    if _OF_PAGES in source:
        white = set[str]()
    colorless = white if colors and colors[0].strip() else white | {"0"}
    # Rows may be defined after their cells, and tables in cells are.
    has_colored_cells = any(_is_color(cell[1], cell[2], colorless) for cell in _OF_CELLS.finditer(source))
    ground_words = _OF_CHARACTERS | _OF_PARAGRAPHS | (_IN_TABLES if has_colored_cells else frozenset())
    for token in _TOKEN.finditer(source):
        report_progress()
        word, number, code, sign, brace, text = token.groups()
        group = groups[-1]
        if skipped and (text or code):
            source_text = "" if code else text[skipped:]
            skipped = 0 if text else skipped - 1
            if not source_text:
                continue
            text = source_text
        mark = group.mark(in_colored_row=in_colored_row)
        if brace == "{":
            groups.append(replace(group, is_field=False, end=""))
            written.append(brace)
        elif brace:
            written.append(f"{group.end}}}{box if group.is_field else ''}")
            box = "" if group.is_field else box
            groups.pop()
            if not groups:
                groups.append(_Group())
        elif word in _STYLES:
            style_mark = marks_of_styles.get((word, number)) or (group.style_mark if word == "cs" else None)
            groups[-1] = replace(group, style_mark=style_mark)
            written.append(token[0])
        elif word in _MARKS:
            marks = group.marks - {_MARKS[word]} if number == "0" else group.marks | {_MARKS[word]}
            groups[-1] = replace(group, marks=marks, style_mark=None)
            written.append(token[0])
        elif word == "plain":
            groups[-1] = replace(group, marks=frozenset(), is_white=False, grounds=group.grounds - _OF_CHARACTERS, is_tiny=False)
            written.append(token[0])
        elif word in ("trowd", "intbl", "row", "pard"):
            in_row = word in ("trowd", "intbl")
            in_colored_row = has_colored_cells and (word == "trowd" or (in_colored_row and word != "row"))
            if word == "pard":
                groups[-1] = replace(group, style_mark=None, grounds=group.grounds & _OF_CHARACTERS)
            elif word in ground_words:
                groups[-1] = replace(group, grounds=group.grounds | {word})
            written.append(token[0])
        elif word == "cf":
            groups[-1] = replace(group, is_white=number in white)
            written.append(token[0])
        elif word in ground_words:
            grounds = group.grounds | {word} if _is_color(word, number, colorless) else group.grounds - {word}
            groups[-1] = replace(group, grounds=grounds)
            written.append(token[0])
        elif word == "fs" and number:
            groups[-1] = replace(group, is_tiny=int(number) <= 2 * INVISIBLE_POINTS)
            written.append(token[0])
        elif word == "uc" and number:
            groups[-1] = replace(group, skipped=max(0, int(number)))
            written.append(token[0])
        elif word == "par" and in_row:
            written.append(_escaped(" "))
        elif word == "f" and number:
            groups[-1] = replace(group, font=int(number))
            written.append(token[0])
        elif word == "footnote":
            groups[-1] = replace(group, end=")")
            written.append(" (")
        elif word == "field":
            groups[-1] = replace(group, is_field=True)
            written.append(token[0])
        elif word == "fftype":
            form = number
        elif word in ("ffres", "ffdefres") and form == _BOX and number in ("0", "1"):
            box = _escaped(CHECKED if number == "1" else UNCHECKED)
        elif word == "u" and number and (mark or without_signs(chr(int(number) % 65_536)) == ""):
            written.append(_marked(without_signs(chr(int(number) % 65_536)), mark))
            skipped = group.skipped
        elif mark and code:
            encoding = encodings.get(group.font) or "cp1252"
            written.append(_marked(bytes([int(code, 16)]).decode(encoding, errors="replace"), mark))
        elif mark and (text or (sign and sign not in "*~_-")):
            written.append(f"{_escaped(mark.sign)}{token[0] if sign else text}{_escaped(END)}")
        elif code and int(code, 16) > 127 and encodings.get(group.font):
            written.append(_escaped(bytes([int(code, 16)]).decode(encodings[group.font], errors="replace")))
        elif sign != "-":  # a place where a word may be divided
            written.append(text or token[0])
    return "".join(written)


def _is_color(word: str, number: str | None, colorless: Collection[str]) -> bool:
    """Whether the word gives a ground: its number is a place in the table of colors, or says how dark a pattern is."""
    return number not in (colorless if word in ("highlight", "cb") or "pat" in word else ("0",))


def _marks_of_styles(source: str) -> dict[tuple[str, str], Mark]:
    """The marks of the styles whose text Word does not show, by their kind and number."""
    marks = dict[tuple[str, str], Mark]()
    start = source.find("{\\stylesheet")
    style, depth = ("", ""), 0
    for token in _TOKEN.finditer(source, start) if start >= 0 else ():
        report_progress()
        word, number, _, _, brace, _ = token.groups()
        if brace:
            depth += 1 if brace == "{" else -1
            if not depth:
                break
        elif word in _STYLES:
            style = (word, number)
        elif word in _MARKS and number != "0":
            marks[style] = _MARKS[word]
        elif word == "sbasedon" and (style[0], number) in marks:
            marks.setdefault(style, marks[style[0], number])
    return marks


def _marked(text: str, mark: Mark | None) -> str:
    return _escaped(mark.around(text)) if mark else _escaped(text)


def _joined(text: str) -> str:
    """The text without the ends of marks where the same mark begins again."""
    written, current, has_ended = list[str](), "", False
    for part in filter(None, _SIGNS.split(text)):
        if part == END:
            has_ended = bool(current)
        elif part != current or not has_ended:
            if has_ended:
                written.append(END)
            current = part if _SIGNS.fullmatch(part) else "" if has_ended else current
            written.append(part)
            has_ended = False
        else:
            has_ended = False
    return "".join(written) + (END if has_ended else "")


def _escaped(text: str) -> str:
    return "".join(f"{{\\uc1\\u{ord(character)}?}}" for character in text)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Each line is a paragraph, an item of a list, or a row of a table."""
    rows = list[list[str]]()
    for line in lines:
        report_progress()
        if line.endswith("|") and line.count("|") >= _MIN_BARS:
            rows.append([cell.strip() for cell in line.removesuffix("|").split("|")])
            continue
        if rows:
            yield _table(rows)
            rows = []
        if item := _ITEM.fullmatch(line):
            marker = without_signs(item[1])
            yield Item(runs_of(item[2].strip())[0], "" if _BULLET.match(marker) else marker)
        else:
            yield from paragraphs([line], frozenset())
    if rows:
        yield _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> Table:
    cells = (
        tuple((place, Cell((Paragraph(runs_of(cell)[0]),) if cell else ())) for place, cell in enumerate(row)) for row in rows
    )
    table = Table(tuple(cells))
    return structs.replace(table, head=head_of(table))
