"""Reads Markdown files line by line, because people put labels and values on lines of their own, which Markdown would join."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading import css
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Block, Cell, Document, Heading, Mark, Paragraph, Runs, Table, runs_of, without_signs
from fundwright.reading.text import decode, is_text

_FRONT_MATTER = re.compile(r"\A---[ \t]{0,9}\r?\n(?:[^\r\n]{0,1000}\r?\n){0,200}?(?:---|\.\.\.)[ \t]{0,9}(?:\r?\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]{0,9}[\"']?(.{1,300}?)[\"']?[ \t]{0,9}$", re.MULTILINE)
_NOTE = re.compile(r"\[\^[\w-]{1,60}\]:?")
_HTML_COMMENT = re.compile(r"<!--[^<>]{0,5000}-->")
_STRUCK = re.compile(r"~~(?=\S)([^~\n]{1,500})~~|<(?:del|s|strike)>([^<>\n]{1,500})</(?:del|s|strike)>")
_OPENED = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})((?:\s(?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'){0,200})?)>|`")
_HIDDEN = re.compile(r"\shidden(?=[\s=/]|$)", re.IGNORECASE)
_STYLE = re.compile(r"\sstyle\s?=\s?(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_COLORS = re.compile(r"\s(?:bgcolor|background|class)\s?=", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_EMPTY = ("br", "hr", "img", "input", "source", "wbr")
_INLINE = (
    "a",
    "abbr",
    "b",
    "code",
    "del",
    "em",
    "font",
    "i",
    "kbd",
    "li",
    "mark",
    "p",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "td",
    "u",
)
"""Elements that end with their paragraph, even if they are not closed."""
_RULE = re.compile(r"[\s:|-]{3,}")
_FENCES = ("```", "~~~")
_CELL = re.compile(r"(?<!\\)\|")
_MIN_COLUMNS = 3
"""A table of two columns often has a labeled value above the rule, so its rows stay lines."""


class MarkdownReader:
    media_type = "text/markdown"
    label = "Markdown"
    suffixes = (".md", ".markdown")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return filename.lower().endswith(self.suffixes) and is_text(head)

    def read(self, content: bytes, filename: str) -> Document:
        text = _HTML_COMMENT.sub("", without_signs(decode(content, filename)))
        matter = _FRONT_MATTER.match(text)
        title = _TITLE.search(matter[0]) if matter else None
        lines = text[matter.end() if matter else 0 :].splitlines()
        return Document(tuple(with_boxes(list(_blocks(list(_marked(lines)))))), title[1] if title else "")


def _marked(lines: Sequence[str]) -> Iterator[str]:
    """The lines with marks around the text in elements that are not shown, without their tags."""
    is_code, mark, tag, depth = False, None, "", 0
    colored = dict[str, int]()
    """How many elements are open with the names of those that may have a color behind their text."""
    for line in lines:
        report_progress()
        if not mark and line.lstrip().startswith(_FENCES):
            is_code = not is_code
        if mark and not line.strip() and tag in _INLINE:
            mark = None
        if is_code:
            yield line
            continue
        written, start, is_quoted = list[str](), 0, False
        for found in _OPENED.finditer(line):
            closing, name, attributes = found.groups()
            name = (name or "").lower()
            is_quoted = is_quoted != (found[0] == "`")
            if is_quoted or not name or name in _EMPTY:
                continue
            if name in colored or (not closing and _may_color(attributes)):
                colored[name] = colored.get(name, 0) + (-1 if closing else 1)
                if not colored[name]:
                    del colored[name]
            if mark is None and not closing and (mark := _mark_of(attributes, on_color=bool(colored))):
                written.append(line[start : found.start()])
                start, tag, depth = found.end(), name, 1
            elif mark and name == tag:
                depth += -1 if closing else 1
                if not depth:
                    written.append(_unseen(line[start : found.start()], mark))
                    start, mark = found.end(), None
        rest = line[start:]
        yield "".join(written) + (_unseen(rest, mark) if mark else rest)


def _unseen(text: str, mark: Mark) -> str:
    """A bar would end the cell that the mark is in."""
    return mark.around(text.replace("|", "/")) if text.strip() else ""


def _style(attributes: str) -> css.Style:
    found = _STYLE.search(attributes)
    return css.style_of((found[1] or found[2] or "") if found else "")


def _may_color(attributes: str) -> bool:
    """Whether the background of an element with these attributes may not be white."""
    return bool(_COLORS.search(_QUOTED.sub("", attributes))) or css.is_colored(_style(attributes))


def _mark_of(attributes: str, *, on_color: bool) -> Mark | None:
    """The mark of text in an element with these attributes. `on_color` says that its background may not be white."""
    if _HIDDEN.search(_QUOTED.sub("", attributes)):
        return Mark.HIDDEN
    style = _style(attributes)
    is_unseen = css.is_tiny(style, around=False) or (css.is_white(style) and not on_color)
    return Mark.HIDDEN if is_unseen else css.mark_in(style)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    is_code, place = False, 0
    while place < len(lines):
        report_progress()
        line = lines[place]
        place += 1
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
            continue
        if not is_code and place < len(lines) and _begins_table(line, lines[place]):
            yield from _paragraph(paragraph)
            paragraph, first = [], place - 1
            while place < len(lines) and "|" in lines[place]:
                place += 1
            yield _table([lines[first], *lines[first + 2 : place]])
            continue
        atx = None if is_code else re.match(r" {0,3}(#{1,6})\s+(.*)", line)
        underline = None if is_code or len(paragraph) != 1 else re.match(r"(=+|-{2,})\s*$", line)
        if underline:
            yield Heading(_runs(paragraph[0]), 1 if line.startswith("=") else 2)
            paragraph = []
        elif atx or (not line.strip() and not is_code):
            yield from _paragraph(paragraph)
            paragraph = []
            if atx:
                yield Heading(_runs(_without_markup(atx[2].rstrip().rstrip("#").rstrip())), len(atx[1]))
        elif is_code:
            paragraph.append(line)
        elif not _RULE.fullmatch(line):
            paragraph.append(_without_markup(line))
    yield from _paragraph(paragraph)


def _paragraph(lines: Sequence[str]) -> Iterator[Paragraph]:
    if lines:
        yield Paragraph(_runs("\n".join(lines)))


def _runs(text: str) -> Runs:
    return runs_of(text)[0]


def _begins_table(line: str, below: str) -> bool:
    return "|" in below and bool(_RULE.fullmatch(below)) and _MIN_COLUMNS <= len(_cells(line)) == len(_cells(below))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(line.strip().removeprefix("|").removesuffix("|"))]


def _table(lines: Sequence[str]) -> Table:
    rows = ([_without_markup(cell) for cell in _cells(line)] for line in lines)
    return Table(
        tuple(tuple((place, Cell((Paragraph(_runs(cell)),) if cell else ())) for place, cell in enumerate(row)) for row in rows),
        1,
    )


_ADDRESS = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
_TAG = re.compile(
    r" ?<(?:img|br|hr)\b[^<>]{0,1000}>|</?(?:a|b|i|u|em|strong|span|div|p|sub|sup|small|center|font|picture|source|details|summary|kbd|mark)(?:\s[^<>]{0,1000})?>",
    re.IGNORECASE,
)


def _without_markup(line: str) -> str:
    line = _NOTE.sub("", line)
    line = _STRUCK.sub(lambda found: Mark.STRUCK.around(found[1] or found[2]), line)
    line = re.sub(rf" ?!\[[^\[\]]*\]{_ADDRESS}", "", line)
    line = re.sub(rf"\[([^\[\]]*)\]{_ADDRESS}", r"\1", line)
    line = _TAG.sub("", line)
    line = re.sub(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1", r"\2", line)
    line = re.sub(r"(?<![\w*])[*_](?=\S)([^*_]+?)(?<=\S)[*_](?![\w*])", r"\1", line)
    line = re.sub(r"`([^`]+)`", r"\1", line)
    line = re.sub(r"^\s*>\s?", "", line)
    line = re.sub(r"\\([\\`*_{}\[\]()#+.!|>-])", r"\1", line)
    return unescape(line)  # “&mdash;”
