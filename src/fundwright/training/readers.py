"""Turn a file into blocks of text with headings and pages. Plug-ins add readers through the hook `document_readers`."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.training import columns

HEAD_BYTES = 4_096
_OLE = b"\xd0\xcf\x11\xe0"
_ITEM = "•"
_MOST_LINES_OF_DATA = 2
_MAX_UNPACKED_BYTES = 300_000_000
_MAX_PARTS = 10_000
_MAX_PART_BYTES = 50_000_000
"""The parser needs about ten times the size of a part."""
_MAX_TEXT_BYTES = 50_000_000
"""Text is read whole. This is some 10,000 pages."""
_LONGEST_REPEATED = 200
"""Characters of a merged cell that are read again in each row; more are no label of the rows."""
_MOST_STYLES = 20
"""Based on each other; they may be so in a circle."""


class Unreadable(Invalid):
    """A document cannot be read; the sentence names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a heading of `level` 1 and deeper. `page` counts from 1 where the format has pages."""

    text: str
    level: int | None = None
    page: int | None = None


class Reader(Protocol):
    """Reads one format. `recognises` decides by content first: `head` is the file's first 4 096 bytes."""

    @property
    def media_type(self) -> str: ...

    @property
    def label(self) -> str: ...

    def recognises(self, head: bytes, filename: str) -> bool: ...

    def read(self, path: Path, filename: str) -> list[Block]:
        """Every block in reading order. Runs in the sandbox, see `fundwright.core.sandbox`. Raises Unreadable."""
        ...


def choose_reader(readers: Sequence[Reader], path: Path, filename: str) -> Reader:
    """The first reader that recognises the file. Raises Unreadable when none does."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head.strip():
        raise Unreadable(t("“{filename}” is empty. Choose a file with text in it.", filename=filename))
    for reader in readers:
        if reader.recognises(head, filename):
            return reader
    if head.startswith(_OLE) and filename.lower().endswith(".docx"):  # an encrypted package lies in a container of the old kind
        raise Unreadable(t("“{filename}” is protected by a password. Save a copy without it and add that.", filename=filename))
    if head.startswith(_OLE):
        raise Unreadable(t("“{filename}” is in an old Office format. Save it as DOCX or PDF and add that.", filename=filename))
    formats = ", ".join(reader.label for reader in readers)
    raise Unreadable(
        t("“{filename}” is in a format that is not understood. Add one of these: {formats}.", filename=filename, formats=formats)
    )


def read(reader: Reader, path: Path, filename: str) -> list[Block]:
    """The blocks of a file. Raises Unreadable, whatever the reader stumbled over, and when there is no text in it."""
    try:
        blocks = [
            Block(text=text, level=block.level, page=block.page)
            for block in reader.read(path, filename)
            if (text := block.text.replace("\x00", "").replace("\xa0", " ").strip())
        ]
    except Unreadable:
        raise
    except FileNotFoundError as error:
        raise Unreadable(
            t("The file of “{filename}” is gone from the data folder. Remove the document and add it again.", filename=filename)
        ) from error
    except Exception as error:  # parsers of other people's formats raise everything there is
        raise Unreadable(
            t(
                "“{filename}” is damaged or not really {label} ({kind}). Open it, save it again, and add the new file.",
                filename=filename,
                label=reader.label,
                kind=type(error).__name__,
            )
        ) from error
    if not blocks:
        raise Unreadable(
            t(
                "There is no text in “{filename}”. If it is a scan, run text recognition on it and add the result.",
                filename=filename,
            )
        )
    return blocks


class PdfReader:
    media_type = "application/pdf"
    label = "PDF"

    def recognises(self, head: bytes, filename: str) -> bool:
        return b"%PDF-" in head[:1024]

    def read(self, path: Path, filename: str) -> list[Block]:
        import pypdf

        document = pypdf.PdfReader(path)
        if document.is_encrypted and not document.decrypt(""):
            raise Unreadable(
                t("“{filename}” is protected by a password. Save a copy without it and add that.", filename=filename)
            )
        pages = [_page_lines(page, number, filename) for number, page in enumerate(document.pages, start=1)]
        if not any(line.strip() for page in pages for line in page):
            raise Unreadable(
                t(
                    "“{filename}” has pages but no text: it seems to be a scan. Run text recognition on it and add the result.",
                    filename=filename,
                )
            )
        repeated = _repeated_lines(pages)
        words = _words(line for page in pages for line in page)
        return [
            block
            for number, page in enumerate(pages, start=1)
            for block in _paragraphs([line for line in page if _without_digits(line) not in repeated], words, page=number)
        ]


class DocxReader:
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    label = "DOCX"

    def recognises(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"word/" in head or filename.lower().endswith(".docx"))

    def read(self, path: Path, filename: str) -> list[Block]:
        import docx

        _check_unpacked_size(path, filename)
        return list(_WordBlocks().of(docx.Document(str(path)).iter_inner_content()))


class _WordBlocks:
    """Reads paragraphs and tables, each once, however boxes, tables, and merged cells hold each other."""

    def __init__(self) -> None:
        self._styles = dict[str | None, tuple[int | None, bool]]()
        """Level as a heading, and whether it makes items of lists, by id."""

    def of(self, items: Iterable[Any]) -> Iterator[Block]:
        from docx.table import Table

        for item in items:
            if isinstance(item, Table):
                yield from self._rows(item)
            else:
                yield self._paragraph(item)
                yield from map(self._paragraph, _in_text_boxes(item))

    def _paragraph(self, paragraph: Any) -> Block:
        style_id = paragraph._p.style
        if style_id not in self._styles:
            style = paragraph.style
            self._styles[style_id] = (_heading_level(style.name if style else ""), _makes_items(style))
        level, is_item = self._styles[style_id]
        own = _numbers(paragraph._p)
        text = paragraph.text
        return Block(text=f"{_ITEM} {text}" if text.strip() and (is_item if own is None else own) else text, level=level)

    def _rows(self, table: Any) -> Iterator[Block]:
        """A row of data is one line. Cells that hold headings, lists, or several lines only put text side by side, and are read one after
        another."""
        from docx.blkcntnr import BlockItemContainer

        above = dict[int, _Cell]()
        for row in table._tbl.tr_lst:
            cells = dict[int, _Cell]()
            place = row.grid_before
            for element in row.tc_lst:
                cell = above.get(place) if element.vMerge == "continue" else None
                cells[place] = cell or _Cell(list(self.of(BlockItemContainer(element, table).iter_inner_content())))
                place += max(1, element.grid_span)
            new = {cell for place, cell in cells.items() if cell is not above.get(place)}
            if any(cell.is_layout for cell in cells.values()):
                yield from (block for cell in cells.values() if cell in new for block in cell.blocks)
            elif new:
                lines = (cell.line for cell in cells.values() if cell in new or len(cell.line) <= _LONGEST_REPEATED)
                yield Block(text=" | ".join(filter(None, dict.fromkeys(lines))))
            above = cells


class _Cell:
    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        lines = [line for block in blocks for line in block.text.splitlines() if line.strip()]
        self.is_layout = len(lines) > _MOST_LINES_OF_DATA or any(block.level or block.text.startswith(_ITEM) for block in blocks)
        self.line = " ".join(" ".join(block.text for block in blocks).split())


def _makes_items(style: Any) -> bool:
    """Whether a style, or else the nearest of those it is based on, numbers paragraphs."""
    for _ in range(_MOST_STYLES):
        if style is None:
            break
        numbers = _numbers(style.element)
        if numbers is not None:
            return numbers
        style = style.base_style
    return False


def _numbers(element: Any) -> bool | None:
    """Whether a paragraph or a style makes an item of a list; Word writes the number 0 to take it out of one. None when it does not say."""
    numbering = None if element.pPr is None else element.pPr.numPr
    return None if numbering is None else numbering.numId is None or numbering.numId.val != 0


def _in_text_boxes(paragraph: Any) -> Iterator[Any]:
    """The paragraphs of text boxes anchored in this one, and in these. Word writes each box twice, the second time for old programs."""
    from docx.text.paragraph import Paragraph

    for element in paragraph._p.xpath('.//*[local-name()="txbxContent"]//w:p[not(ancestor::*[local-name()="Fallback"])]'):
        yield Paragraph(element, paragraph)


class HtmlReader:
    media_type = "text/html"
    label = "HTML"

    def recognises(self, head: bytes, filename: str) -> bool:
        if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return False
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return start.startswith((b"<!doctype html", b"<html")) or (filename.lower().endswith((".html", ".htm")) and b"<" in start)

    def read(self, path: Path, filename: str) -> list[Block]:
        from lxml import html

        source = _read_text(path, filename)
        declared = re.search(rb"<meta[^>]+charset=[\"']?([\w-]+)", source[:HEAD_BYTES], re.IGNORECASE)
        text = decode(source, filename, declared.group(1).decode("ascii") if declared else None)
        # lxml refuses text that declares its own encoding.
        text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
        return _HtmlBlocks().of(
            html.document_fromstring(text, parser=html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True))
        )


class MarkdownReader:
    media_type = "text/markdown"
    label = "Markdown"

    def recognises(self, head: bytes, filename: str) -> bool:
        return filename.lower().endswith((".md", ".markdown")) and _is_text(head)

    def read(self, path: Path, filename: str) -> list[Block]:
        return list(self._blocks(decode(_read_text(path, filename), filename).splitlines()))

    def _blocks(self, lines: list[str]) -> Iterator[Block]:
        paragraph: list[str] = []
        is_code = False
        for line in lines:
            if line.lstrip().startswith(("```", "~~~")):
                is_code = not is_code
                continue
            atx = None if is_code else re.match(r" {0,3}(#{1,6})\s+(.*)", line)
            underline = None if is_code or len(paragraph) != 1 else re.match(r"(=+|-{2,})\s*$", line)
            if atx or underline or (not line.strip() and not is_code):
                level = (1 if line.startswith("=") else 2) if underline else None
                yield Block(text="\n".join(paragraph), level=level)
                paragraph = []
                if atx:
                    yield Block(text=_without_markup(atx.group(2).rstrip().rstrip("#").rstrip()), level=len(atx.group(1)))
            elif is_code:
                paragraph.append(line)
            elif not re.fullmatch(r"[\s:|-]{3,}", line):
                paragraph.append(_without_markup(line))
        yield Block(text="\n".join(paragraph))


class TextReader:
    media_type = "text/plain"
    label = "text"

    def recognises(self, head: bytes, filename: str) -> bool:
        return _is_text(head)

    def read(self, path: Path, filename: str) -> list[Block]:
        lines = columns.below_each_other(decode(_read_text(path, filename), filename).splitlines())
        return _paragraphs(lines, _words(lines), page=None)


def decode(source: bytes, filename: str, declared: str | None = None) -> str:
    """Text in the encoding its byte order mark or its declaration names, else UTF-8, else Windows-1252."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if source.startswith(mark):
            return source.decode(encoding, errors="replace")
    if (place := source.find(b"\x00")) >= 0:
        line = source.count(b"\n", 0, place) + 1
        raise Unreadable(
            t(
                "“{filename}” holds binary data in line {line}. Remove it, or add a PDF, DOCX, Markdown, HTML, or text file.",
                filename=filename,
                line=line,
            )
        )
    for encoding in ("utf-8", declared):
        try:
            if encoding:
                return source.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return source.decode("cp1252", errors="replace")


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return b"\x00" not in head and controls < len(head) / 50 and not head.startswith((b"PK\x03\x04", _OLE))


def _read_text(path: Path, filename: str) -> bytes:
    with path.open("rb") as file:
        source = file.read(_MAX_TEXT_BYTES + 1)
    if len(source) > _MAX_TEXT_BYTES:
        raise Unreadable(
            t(
                "“{filename}” has more than {size} bytes of text. Split the document and add its pieces.",
                filename=filename,
                size=_MAX_TEXT_BYTES,
            )
        )
    return source


def _check_unpacked_size(path: Path, filename: str) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise Unreadable(
            t(
                "“{filename}” unpacks to more than {size} bytes or {count} files. Split the document and add its pieces.",
                filename=filename,
                size=_MAX_UNPACKED_BYTES,
                count=_MAX_PARTS,
            )
        )
    if any(part.file_size > _MAX_PART_BYTES and part.filename.lower().endswith((".xml", ".rels")) for part in parts):
        raise Unreadable(
            t(
                "A part of “{filename}” unpacks to more than {size} bytes. Split the document and add its pieces.",
                filename=filename,
                size=_MAX_PART_BYTES,
            )
        )


def _heading_level(style: str | None) -> int | None:
    if style == "Title":
        return 1
    match = re.match(r"(?:Heading|Überschrift|Titre) (\d)", style or "")
    return int(match.group(1)) if match else None


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "#", line.strip())


def _page_lines(page: Any, number: int, filename: str) -> list[str]:
    try:
        text: str = page.extract_text()
    except Exception as error:  # pypdf raises whatever a damaged page makes it stumble over
        raise Unreadable(
            t(
                "Page {number} of “{filename}” is damaged ({kind}). Print the document to a new PDF and add that.",
                number=number,
                filename=filename,
                kind=type(error).__name__,
            )
        ) from error
    return text.splitlines()


def _repeated_lines(pages: list[list[str]]) -> set[str]:
    """Running heads and feet: lines at the edge of most pages, whatever numbers they carry."""
    if len(pages) < 4:
        return set()
    edges: Counter[str] = Counter()
    for page in pages:
        lines = [line for line in page if line.strip()]
        edges.update({_without_digits(line) for line in (*lines[:3], *lines[-3:])})
    return {line for line, count in edges.items() if count > len(pages) * 0.6}


_NUMBERED_HEADING = re.compile(
    r"\s{0,3}(?:(\d{1,2}(?:\.\d{1,2}){0,4})\.?|(?:section|part|attachment)\s+[\dIVXA-Z]{1,5}[.:]?)\s+[A-Z].{2,90}$", re.IGNORECASE
)
_LIST_ITEM = re.compile(r"\s*(?:[-*•–▪●]|\(?[a-z0-9]{1,3}[.)])\s+")


# A pattern holds up the whole process while it matches. So none may try a long run of characters anew from each of them: it begins
# where the run begins, and possessive quantifiers give nothing back.
_CUT_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-[ \t]*\n[ \t]*([^\W_]+)|(?<=[\d/])-[ \t]*\n[ \t]*(?=\d)")


_WHOLE_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?!-\s*$)\b")


def _words(lines: Iterable[str]) -> frozenset[str]:
    """Every word that stands whole in a line, in small letters."""
    return frozenset(word for line in lines for word in _WHOLE_WORD.findall(line.casefold()))


def _uncut(text: str, words: frozenset[str]) -> str:
    """Words cut by a hyphen at the end of a line made whole: “develop-/ment”, if it stands whole elsewhere, and “cost-/plus”."""

    def join(match: re.Match[str]) -> str:
        first, second = match.group(1), match.group(2)
        if first is None:
            return "-"
        return first + second if f"{first}{second}".casefold() in words else f"{first}-{second}"

    return _CUT_WORD.sub(join, text)


def _paragraphs(lines: list[str], words: frozenset[str], *, page: int | None) -> list[Block]:
    """Paragraphs of text without markup. A lone short line that is numbered or in capitals is a heading."""
    blocks: list[Block] = []
    paragraph: list[str] = []

    def flush() -> None:
        if paragraph:
            blocks.append(Block(text=_uncut("\n".join(paragraph), words), page=page))
            paragraph.clear()

    for line in (line.rstrip() for line in lines):
        level = _plain_heading_level(line)
        if not line.strip() or level:
            flush()
        if level:
            blocks.append(Block(text=line.strip(), level=level, page=page))
        elif line.strip():
            if _LIST_ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return blocks


def _plain_heading_level(line: str) -> int | None:
    text = line.strip()
    words = text.split()
    if not 1 <= len(words) <= 14 or text.endswith((".", ",", ";")) or "...." in text:
        return None
    numbered = _NUMBERED_HEADING.match(line)
    if numbered:
        if not any(word[0].isupper() for word in words[1:]):
            return None
        return 1 + (numbered.group(1) or "").count(".")
    letters = sum(character.isalpha() for character in text)
    return 1 if text.isupper() and letters >= 6 and letters > len(text) * 0.6 else None


def _without_markup(line: str) -> str:
    line = re.sub(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)", r"\1", line)
    line = re.sub(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1", r"\2", line)
    line = re.sub(r"(?<![\w*])[*_](?=\S)([^*_]+?)(?<=\S)[*_](?![\w*])", r"\1", line)
    line = re.sub(r"`([^`]+)`", r"\1", line)
    line = re.sub(r"^\s*>\s?", "", line)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|>-])", r"\1", line)


class _HtmlBlocks:
    """Collects blocks from a document tree without recursion: broken pages nest thousands deep."""

    _SKIPPED = frozenset({"script", "style", "noscript", "template", "nav", "head", "svg", "iframe", "button", "select"})
    _INLINE = frozenset(
        [
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
            "i",
            "img",
            "ins",
            "kbd",
            "label",
            "mark",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strike",
            "strong",
            "sub",
            "sup",
            "time",
            "tt",
            "u",
            "var",
            "wbr",
        ]
    )

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._pieces: list[str] = []
        self._level: int | None = None

    def of(self, root: Any) -> list[Block]:
        pending: list[tuple[Any, bool]] = [(root, False)]
        while pending:
            element, is_end = pending.pop()
            tag = element.tag if isinstance(element.tag, str) else ""
            if is_end:
                self._end(tag)
                self._pieces.append(element.tail or "")
                continue
            if not tag or tag in self._SKIPPED:
                self._pieces.append(element.tail or "")
                continue
            self._start(tag)
            self._pieces.append(element.text or "")
            pending.append((element, True))
            pending.extend((child, False) for child in reversed(element))
        self._flush()
        return self._blocks

    def _start(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._pieces.append(" ")
        elif tag == "br":
            self._pieces.append("\n")
        elif tag not in self._INLINE:
            self._flush()
        if re.fullmatch(r"h[1-6]", tag):
            self._level = int(tag[1])

    def _end(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._pieces.append(" | ")
        elif tag not in self._INLINE and tag != "br":
            self._flush()
        if re.fullmatch(r"h[1-6]", tag):
            self._level = None

    def _flush(self) -> None:
        lines = (
            (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
            if self._level is None
            else ["".join(self._pieces)]
        )
        text = " ".join(" ".join(lines).split()).strip(" |")
        if text:
            self._blocks.append(Block(text=text, level=self._level))
        self._pieces.clear()
