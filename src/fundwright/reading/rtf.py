"""Reads RTF files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Block, Cell, Document, Item, Paragraph, Table, plain, without_signs
from fundwright.reading.from_docling import head_of
from fundwright.reading.paragraphs import paragraphs
from fundwright.reading.symbols import CHECKED, UNCHECKED

_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}]+)", re.DOTALL)
_FONT = re.compile(r"\{\\f(\d{1,5})[^{}]{0,200}?\\fcharset(\d{1,3})")
_CODE_PAGES = {
    0: "cp1252", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 238: "cp1250",
}  # fmt: skip
"""Encodings of the character sets of fonts."""
_HIDES = ("v", "deleted", "strike", "striked")
_STYLES = ("s", "cs")
"""Styles of paragraphs and of characters."""
_BOX = "1"
"""The type of a box among the fields of old forms."""
_ITEM = re.compile(r"\s{0,20}(\S{1,10})\t(.*)", re.DOTALL)
_BULLET = re.compile(r"[^\w(]")
_MIN_BARS = 2


@dataclass(frozen=True, slots=True)
class _Group:
    """The state of a group of the file, which ends with it."""

    is_hidden: bool = False
    is_hidden_by_style: bool = False
    font: int = 0
    is_field: bool = False
    end: str = ""
    """What is written where the group ends."""


class RtfReader:
    media_type = "application/rtf"
    label = "RTF"
    suffixes = (".rtf",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.lstrip().startswith(b"{\\rtf")

    def read(self, content: bytes, filename: str) -> Document:
        from striprtf.striprtf import rtf_to_text

        # RTF is ASCII; its own escapes name other characters.
        text = without_signs(rtf_to_text(_simplified(content.decode("cp1252", errors="replace")), errors="replace"))
        return Document(tuple(with_boxes(list(_blocks(text.splitlines())))))


def _simplified(source: str) -> str:
    """The file without text that Word does not show, and with boxes, notes, and characters of other fonts in a form that striprtf reads."""
    encodings = {int(font): _CODE_PAGES.get(int(charset), "") for font, charset in _FONT.findall(source[:200_000])}
    written, groups = list[str](), [_Group()]
    form, box = "", ""
    hidden_styles, in_row = _hidden_styles(source), False
    for token in _TOKEN.finditer(source):
        report_progress()
        word, number, code, sign, brace, text = token.groups()
        group = groups[-1]
        if brace == "{":
            groups.append(replace(group, is_field=False, end=""))
            written.append(brace)
        elif brace:
            written.append(f"{group.end}}}{box if group.is_field else ''}")
            box = "" if group.is_field else box
            groups = groups[:-1] or [_Group()]
        elif word in _STYLES:
            is_hidden = (word, number) in hidden_styles or (word == "cs" and group.is_hidden_by_style)
            groups[-1] = replace(group, is_hidden_by_style=is_hidden)
            written.append(token[0])
        elif word in _HIDES:
            groups[-1] = replace(group, is_hidden=number != "0", is_hidden_by_style=False)
            written.append(token[0])
        elif word == "plain":
            groups[-1] = replace(group, is_hidden=False)
            written.append(token[0])
        elif word in ("trowd", "intbl", "row", "pard"):
            in_row = word in ("trowd", "intbl")
            groups[-1] = replace(group, is_hidden_by_style=group.is_hidden_by_style and word != "pard")
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
        elif (group.is_hidden or group.is_hidden_by_style) and (text or code or word == "u" or (sign and sign not in "*~_-")):
            continue
        elif code and int(code, 16) > 127 and encodings.get(group.font):
            written.append(_escaped(bytes([int(code, 16)]).decode(encodings[group.font], errors="replace")))
        elif sign != "-":  # a place where a word may be divided
            written.append(token[0])
    return "".join(written)


def _hidden_styles(source: str) -> set[tuple[str, str]]:
    """The styles whose text Word does not show, each with its kind and number."""
    hidden = set[tuple[str, str]]()
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
        elif (word in _HIDES and number != "0") or (word == "sbasedon" and (style[0], number) in hidden):
            hidden.add(style)
    return hidden


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
            yield Item(plain(item[2].strip()), "" if _BULLET.match(item[1]) else item[1])
        else:
            yield from paragraphs([line], frozenset())
    if rows:
        yield _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> Table:
    cells = (tuple((place, Cell((Paragraph(plain(cell)),) if cell else ())) for place, cell in enumerate(row)) for row in rows)
    table = Table(tuple(cells))
    return structs.replace(table, head=head_of(table))
