"""Finds what a file holds that is not among the blocks of its document, by comparing the parts of the file with the blocks.

It doesn't ask the reader: what a reader overlooks, it doesn't report either.
"""

from __future__ import annotations

import ctypes
import email
import email.policy
import io
import math
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from lxml import etree, html
from msgspec.structs import replace
from PIL import Image

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import (
    Attachment,
    Block,
    Document,
    Figure,
    Margin,
    Missing,
    Paragraph,
    Table,
    Unread,
    inside,
    runs_in,
    text_in,
    walk,
    without_signs,
)
from fundwright.reading.pdf_objects import objects_on
from fundwright.reading.placed import Box, contains
from fundwright.reading.recognition import may_recognize, recognized
from fundwright.reading.xml_parts import parsed

_WORD = re.compile(r"\w{1,40}")
_ENOUGH = 0.8
"""The share of a part's words that must be among the blocks."""
_MIN_WORDS = 5
"""A part with fewer missing words counts as read: numbers of pages, or a word that is hyphenated."""
_LONG = 200
"""Long texts without pages are compared in parts of so many words, so that a part that is missing is found."""
_MIN_CHARACTERS = 25
_STRANGE = re.compile("[\ufffd\ue000-\uf8ff]")
_MOST_STRANGE = 0.1
_LARGE_SHARE = 0.03
"""The share of a page that a picture without text on it covers to be reported: 2 by 1.5 inches of a letter."""
_MARGIN, _MIN_PAGES, _MIN_SHARE = 0.2, 3, 0.5
"""Pictures in this share of a page at its sides are logos if they stand there on so many pages."""
_CELL_POINTS, _SEGMENTS_OF_RECTANGLE = 12, 5
_LARGE_PIXELS, _SMALL_PIXELS = 250_000, 10_000
_FEW_WORDS = 3
"""Pictures between these sizes are reported if so many words of two characters are recognized in them. A logo has fewer."""
_MOST_REPORTED = 50
_MOST_PICTURE_BYTES = 50_000_000

_KINDS = (
    (re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml|xl/sharedStrings\.xml|content\.xml"), Missing.TEXT),
    (re.compile(r"ppt/slides/slide\d+\.xml"), Missing.TEXT),
    (re.compile(r"ppt/notesSlides/notesSlide\d+\.xml"), Missing.SPEAKER_NOTES),
    (re.compile(r"xl/drawings/drawing\d+\.xml"), Missing.SHAPES),
    (re.compile(r"(word|xl|ppt)/charts/chart\w*\.xml|Object [^/]*/content\.xml"), Missing.CHART),
    (re.compile(r"(word|xl|ppt)/diagrams/data\d*\.xml"), Missing.DIAGRAM),
    (re.compile(r"(word|xl|ppt)/((threadedC|c)omments/)?(c|threadedC|modernC)omments?[^/]*\.xml"), Missing.COMMENTS),
    (re.compile(r"(word|xl|ppt)/media/.*\.(mp4|m4[av]|mov|wmv|avi|mpe?g|mp3|wav|wma)", re.IGNORECASE), Missing.MEDIA),
    (re.compile(r"(word|xl|ppt)/embeddings/(?!Microsoft_Excel_(Work)?[Ss]heet).*"), Missing.OBJECT),  # but not the data of charts
    (re.compile(r"((word|xl|ppt)/media|Pictures)/.*\.(png|jpe?g|gif|tiff?|bmp|webp)", re.IGNORECASE), Missing.PICTURE),
)
_UNITS = ("{*}p", "{*}h", "{*}si", "{*}pt", "{*}text")
"""Elements whose texts are words together: paragraphs, headings, cells, values of a chart, and comments."""
_FORMULAS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
"""Formulas are read as LaTeX, which has other words."""
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_RELATIONS = "xl/_rels/workbook.xml.rels"
_MEDIA_TAGS = "//*[self::video or self::audio or self::iframe[@src] or self::object or self::embed][not(ancestor::noscript)]"
_PICTURES = "//img[not(@alt='') and not(ancestor::noscript or ancestor::template or ancestor::figure[.//figcaption])]"
_FILLED = (
    "//input[(@type='checkbox' or @type='radio') and @checked]"
    " | //input[normalize-space(@value) and (not(@type) or contains(' text email tel url number date search ', concat(' ', @type, ' ')))]"
    " | //textarea[normalize-space()] | //select[.//option[@selected]]"
)
"""The fields of a form that are filled in."""
_NO_TEXT = ("head", "script", "style", "noscript", "template", "nav", "svg", "iframe", "canvas", "dialog", "button", "select", "datalist")  # fmt: skip
_INLINE = html.defs.phrase_tags | html.defs.font_style_tags | {"a", "span", "font", "bdo", "q", "sub", "sup", "mark", "wbr"}
"""Elements that do not end a word."""
_RTF_PICTURE, _RTF_OBJECT = re.compile(rb"\\pict\b"), re.compile(rb"\\objdata\b")
_RTF_TOKEN = re.compile(r"\\([a-z]{1,32})-?\d{0,10} ?|(\\'[0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}]+)", re.DOTALL)
_RTF_NO_TEXT = ("fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "listtable", "fldinst", "filetbl", "xe", "tc", "nonshppict")  # fmt: skip
_RTF_ENDS = ("par", "line", "tab", "cell", "row", "sect", "page", "column")
_ESCAPED = "\ufffd"
_PLAIN_WORD = re.compile(rf"[\w{_ESCAPED}]+")


class _Part(NamedTuple):
    """Something in a file. It was read if its words are among the blocks; something without words was not read."""

    missing: Missing
    words: Sequence[str] | None = None
    page: int | None = None
    name: str = ""


def with_unread(document: Document, content: bytes, *, media_type: str = "") -> Document:
    """The document with the number of its pages and fields, and what was not read. `media_type` is that of its reader. Never fails because of the file."""
    words = _Words(document)
    pages, fields, found = document.pages, document.fields, list(document.unread)
    try:
        if content.startswith(b"%PDF") or b"%PDF-" in content[:1_024]:
            pages, parts = _parts_of_pdf(content, words)
            found += parts
        elif content.startswith(b"PK"):
            slides, parts = _parts_of_package(content)
            pages = pages or slides
            found += _undescribed(words.missing(parts), document)
            found += _missing_sheets(content, document)
        elif content.startswith(b"{\\rtf"):
            found += _undescribed([Unread(Missing.PICTURE)] * len(_RTF_PICTURE.findall(content)), document)
            found += [Unread(Missing.OBJECT)] * len(_RTF_OBJECT.findall(content))
            found += words.missing_text([_words_of_rtf(content)])
        elif media_type in ("message/rfc822", "multipart/related"):
            for alternatives in _texts_of_message(email.message_from_bytes(content, policy=email.policy.default)):
                found += words.missing_text(alternatives)
        elif media_type == "text/html" or re.search(rb"<(html|body|p|div)\b", content[:4_096], re.IGNORECASE):
            page = _page(content)
            found += words.missing(_parts_of_page(page))
            if media_type == "text/html":
                fields = len(page.xpath(_FILLED))
                found += words.missing_text([_words_of_page(page)])
    except Exception:  # third-party parsers can raise anything; the reader could read the file
        found.append(Unread(Missing.UNKNOWN))
    found += [
        Unread(Missing.ATTACHMENT, name=block.filename)
        for block in _own(document.blocks)
        if isinstance(block, Attachment) and not block.blocks
    ]
    pages = max(pages, max((block.page or 0 for block in document.blocks), default=0))  # not those of attachments
    return replace(document, pages=pages, fields=fields, unread=_counted(found))


def _own(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks but those in attachments, which were compared with their own files."""
    pending = list(reversed(blocks))
    while pending:
        block = pending.pop()
        yield block
        if not isinstance(block, Attachment):
            pending.extend(reversed(inside(block)))


def _counted(found: Iterable[Unread]) -> tuple[Unread, ...]:
    """Equal ones together, by page."""
    counts = Counter(found)
    together = [replace(each, count=count) for each, count in counts.items()]
    return tuple(sorted(together, key=lambda each: (each.page or 0, each.missing.value, each.name))[:_MOST_REPORTED])


def _undescribed(found: Iterable[Unread], document: Document) -> Iterator[Unread]:
    """What was not read, without as many pictures as a text describes: those of files without pages, which do not say which ones they are."""
    described = sum(isinstance(block, Figure) and bool(block.blocks) for block in _own(document.blocks))
    for each in found:
        if each.missing is Missing.PICTURE and each.page is None and described:
            described -= 1
        else:
            yield each


class _Words:
    """The words of a document, by page, whether a person sees them or not."""

    def __init__(self, document: Document) -> None:
        self._of_pages = defaultdict[int | None, Counter[str]](Counter)
        self._all, self._in_margins = Counter[str](), Counter[str]()
        self.recognized = {scan.page for scan in document.scans}
        """The pages whose pictures were read."""
        for block in document.blocks:
            found = _words(" ".join(map(text_in, walk([block]))))
            self._of_pages[block.page].update(found)
            self._all.update(found)
            if isinstance(block, Margin):
                self._in_margins.update(found)

    def on(self, page: int) -> Counter[str]:
        """Headers and footers are only among the blocks of the first page that has them."""
        return self._of_pages[page] | self._in_margins if page in self._of_pages else Counter()

    @property
    def have_pages(self) -> bool:
        return set(self._of_pages) != {None}

    def missing(self, parts: Iterable[_Part]) -> Iterator[Unread]:
        for part in parts:
            if part.words is None or _is_missing(part.words, self._all):
                yield Unread(part.missing, part.page, part.name)

    def missing_text(self, alternatives: Iterable[Sequence[str]]) -> Iterator[Unread]:
        """The text if none of its alternatives was read."""
        if all(self._lacks(words) for words in alternatives):
            yield Unread(Missing.TEXT)

    def _lacks(self, words: Sequence[str]) -> bool:
        return any(_is_missing(words[start : start + _LONG], self._all) for start in range(0, len(words), _LONG))


def _is_missing(words: Sequence[str], among: Counter[str]) -> bool:
    missing = sum((Counter(words) - among).values())
    return missing >= min(_MIN_WORDS, len(words)) > 0 and missing > (1 - _ENOUGH) * len(words)


def _lacks_characters(text: str, among: Counter[str]) -> bool:
    """Whether many characters and words of a page are missing. Where words end is a guess, and bold type may be painted twice."""
    words = set(_words(text))
    if len(words - among.keys()) <= (1 - _ENOUGH) * len(words):
        return False
    letters = Counter(filter(str.isalnum, text.casefold()))
    missing = (letters - Counter("".join(among.elements()))).total()
    return missing >= _MIN_CHARACTERS and missing > (1 - _ENOUGH) * letters.total()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _parts_of_pdf(content: bytes, words: _Words) -> tuple[int, list[Unread]]:
    """The number of pages, and pages with text, pictures, comments, or media that are not among the blocks."""
    import pypdfium2

    found, pictures = list[Unread](), defaultdict[int, list[Box]](list)
    file = pypdfium2.PdfDocument(content)
    for number, page in enumerate(file, 1):
        report_progress()
        if number not in words.recognized:
            read = words.on(number) if words.have_pages else None
            missing = _missing_text(page, read)
            found += [Unread(missing, number)] if missing else []
            pictures[number] = list(_pictures_on(page, has_words=bool(read)))
        found += words.missing(_annotations(page, number))
    of_most_pages = Counter(box for boxes in pictures.values() for box in set(boxes))
    least = max(_MIN_PAGES, len(file) * _MIN_SHARE)
    for number, boxes in pictures.items():
        if any(of_most_pages[box] < least or not _is_in_margin(box) for box in boxes):
            found.append(Unread(Missing.PICTURE, number))
    return len(file), found


def _annotations(page: Any, number: int) -> Iterator[_Part]:
    """Files, media, and comments of readers, which are no part of the page."""
    from pypdfium2 import raw

    media = (raw.FPDF_ANNOT_SOUND, raw.FPDF_ANNOT_MOVIE, raw.FPDF_ANNOT_SCREEN, raw.FPDF_ANNOT_RICHMEDIA, raw.FPDF_ANNOT_THREED)
    others = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_WIDGET)
    for place in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, place)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        if subtype in media or subtype == raw.FPDF_ANNOT_FILEATTACHMENT:
            yield _Part(Missing.MEDIA if subtype in media else Missing.ATTACHMENT, page=number)
        elif subtype not in others and not raw.FPDFAnnot_GetFlags(annotation) & raw.FPDF_ANNOT_FLAG_HIDDEN:
            size = raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
            written = ctypes.create_string_buffer(size)
            raw.FPDFAnnot_GetStringValue(annotation, b"Contents", ctypes.cast(written, ctypes.POINTER(raw.FPDF_WCHAR)), size)
            yield _Part(Missing.COMMENTS, _words(written.raw.decode("utf-16-le", errors="replace")), number)
        raw.FPDFPage_CloseAnnot(annotation)


def _missing_text(page: Any, read: Counter[str] | None) -> Missing | None:
    """Whether a page holds other text than was read on it, which is None if nobody knows on which page it was."""
    written = page.get_textpage().get_text_bounded()  # text beside the page is not visible
    if len(_STRANGE.findall(written)) > _MOST_STRANGE * len(written):
        return Missing.CHARACTERS
    return Missing.TEXT if read is not None and _lacks_characters(written, read) else None


def _pictures_on(page: Any, *, has_words: bool) -> Iterator[Box]:
    """The pictures on a page without text on them, as a scanner or a program for text recognition would write it: large ones, and all on a page without
    words. Drawings are pictures, too, such as text that was converted to outlines. The boxes are shares of the page."""
    from pypdfium2 import raw

    texts, pictures, drawn = list[Box](), list[Box](), list[Box]()
    for item, kind, box in objects_on(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT and box[0] < box[2] and box[1] < box[3]:
            texts.append(box)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            pictures.append(box)
        elif kind == raw.FPDF_PAGEOBJ_PATH and (not has_words or raw.FPDFPath_CountSegments(item) > _SEGMENTS_OF_RECTANGLE):
            drawn.append(box)
    width, height = page.get_size()
    least = _LARGE_SHARE * width * height if has_words else 0.0
    for picture in (*pictures, *_drawings(drawn, width, height)):
        left, top, right, bottom = picture
        if (right - left) * (bottom - top) > least and not any(contains(picture, text) for text in texts):
            yield round(left / width, 2), round(top / height, 2), round(right / width, 2), round(bottom / height, 2)


def _drawings(parts: Sequence[Box], width: float, height: float) -> Iterator[Box]:
    """Parts of drawings that touch each other, or almost, together."""
    from scipy import ndimage

    if not parts:
        return
    cells = np.zeros((math.ceil(height / _CELL_POINTS) + 1, math.ceil(width / _CELL_POINTS) + 1), bool)
    for box in parts:
        left, top, right, bottom = (max(0, math.floor(each / _CELL_POINTS)) for each in box)
        cells[top : bottom + 1, left : right + 1] = True
    for down, across in ndimage.find_objects(ndimage.label(cells, np.ones((3, 3)))[0]):
        yield tuple(each * _CELL_POINTS for each in (across.start, down.start, across.stop, down.stop))


def _is_in_margin(share: Box) -> bool:
    left, top, right, bottom = share
    return right <= _MARGIN or bottom <= _MARGIN or left >= 1 - _MARGIN or top >= 1 - _MARGIN


def _parts_of_package(content: bytes) -> tuple[int, list[_Part]]:
    """The parts of an Office file, and its number of slides."""
    slides, parts = 0, list[_Part]()
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        for member in package.infolist():
            report_progress()
            missing = next((missing for pattern, missing in _KINDS if pattern.fullmatch(member.filename)), None)
            slide = _SLIDE.fullmatch(member.filename)
            slides += slide is not None
            page = int(slide[1]) if slide else None
            if missing in (Missing.MEDIA, Missing.OBJECT):
                parts.append(_Part(missing, page=page))
            elif missing is Missing.PICTURE:
                if member.file_size <= _MOST_PICTURE_BYTES and _is_content(package.read(member)):
                    parts.append(_Part(missing))
            elif missing is not None:
                with package.open(member) as part:
                    parts.append(_Part(missing, _words_of_part(part), page))
    return slides, [part for part in parts if part.words is None or part.words]


def _missing_sheets(content: bytes, document: Document) -> Iterator[Unread]:
    """The sheets of a workbook many of whose cells are not among the blocks. How they are shown is not compared: numbers have formats."""
    read = Counter[str]()
    for block in document.blocks:
        if isinstance(block, Table | Paragraph) and block.place is not None:
            read[block.place.sheet] += sum(bool(run.text.strip()) for each in walk([block]) for run in runs_in(each))
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        names = set(package.namelist())
        if _RELATIONS not in names:
            return
        targets = {each.get("Id", ""): each.get("Target", "") for each in parsed(package.read(_RELATIONS))}
        blank = _blank_strings(package) if "xl/sharedStrings.xml" in names else set[str]()
        for sheet in parsed(package.read("xl/workbook.xml")).iter("{*}sheet"):
            target = targets.get(next((value for key, value in sheet.items() if key.endswith("}id")), ""), "")
            part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            if part in names and "worksheets/" in part:
                name = without_signs(sheet.get("name", ""))
                with package.open(part) as cells:
                    filled = sum(_is_filled(cell, blank) for cell in _elements(cells, "{*}c"))
                missing = filled - read[name]
                if missing >= _MIN_WORDS and missing > (1 - _ENOUGH) * filled:
                    yield Unread(Missing.TEXT, name=name)


def _blank_strings(package: zipfile.ZipFile) -> set[str]:
    """The numbers of the shared strings that say nothing."""
    with package.open("xl/sharedStrings.xml") as strings:
        return {str(number) for number, each in enumerate(_elements(strings, "{*}si")) if not "".join(each.itertext()).strip()}


def _is_filled(cell: Any, blank: set[str]) -> bool:
    text = "".join("".join(each.itertext()) for each in cell.iterchildren("{*}v", "{*}is")).strip()
    return bool(text) and not (cell.get("t") == "s" and text in blank)


def _elements(part: Any, tag: str | Sequence[str]) -> Iterator[Any]:
    """The elements of a part, each only until the next one, because parts may be large."""
    for _, element in etree.iterparse(part, tag=tag, resolve_entities=False, no_network=True, recover=True):
        report_progress()
        yield element
        element.clear()


def _page(content: bytes, declared: str | None = None) -> Any:
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", _decoded(content, declared))  # lxml rejects text that declares its own encoding
    return html.document_fromstring(text, parser=html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True))


def _decoded(content: bytes, declared: str | None = None) -> str:
    """A text, with U+FFFD for characters outside of ASCII if it does not declare its encoding."""
    declared = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else declared
    try:
        return content.decode(declared or "ascii", errors="replace")
    except LookupError:
        return content.decode("ascii", errors="replace")


def _plain_words(text: str) -> list[str]:
    """The words in ASCII, whose encoding does not have to be known."""
    return [part for word in _PLAIN_WORD.findall(text) if word.isascii() for part in _words(word)]


def _parts_of_page(page: Any) -> Iterator[_Part]:
    """The media and pictures of a page. A picture is read if the text is that describes it."""
    yield from (_Part(Missing.MEDIA) for _ in page.xpath(_MEDIA_TAGS))
    for each in page.xpath(_PICTURES):
        alt = each.get("alt")
        yield _Part(Missing.PICTURE, None if alt is None else _words(alt))


def _words_of_page(page: Any) -> list[str]:
    """The words of a page, see `_plain_words`. Changes it."""
    etree.strip_elements(page, *_NO_TEXT, with_tail=False)
    texts = list[str]()
    for event, element in etree.iterwalk(page, events=("start", "end")):
        report_progress()
        is_inline = element.tag in _INLINE
        texts += ["" if is_inline else " ", (element.text if event == "start" else element.tail) or ""]
    return _plain_words("".join(texts))


def _texts_of_message(part: Any) -> Iterator[list[list[str]]]:
    """The words of each text of an email, in its alternatives. Attachments were compared before."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        yield [[word for texts in _texts_of_message(each) for word in texts[0]] for each in part.iter_parts()]
    elif part.is_multipart() and kind != "message/rfc822":
        for each in part.iter_parts():
            yield from _texts_of_message(each)
    elif kind in ("text/plain", "text/html") and not part.is_attachment() and not part.get_filename():
        content, charset = part.get_payload(decode=True) or b"", part.get_content_charset()
        yield [_words_of_page(_page(content, charset)) if kind == "text/html" else _plain_words(_decoded(content, charset))]


def _words_of_rtf(content: bytes) -> list[str]:
    """The words of an RTF file, see `_plain_words`."""
    written, are_texts = list[str](), [True]
    for token in _RTF_TOKEN.finditer(content.decode("cp1252", errors="replace")):
        report_progress()
        word, escape, sign, brace, text = token.groups()
        if brace == "{":
            are_texts.append(are_texts[-1])
        elif brace:
            are_texts = are_texts[:-1] or [True]
        elif sign == "*" or word in _RTF_NO_TEXT:
            are_texts[-1] = False
        elif not are_texts[-1]:
            continue
        elif escape or word == "u":
            written.append(_ESCAPED)
        elif word in _RTF_ENDS or sign == "~":
            written.append(" ")
        elif text:
            written.append(text.replace("\r", "").replace("\n", ""))
    return _plain_words("".join(written).replace(f"{_ESCAPED}?", _ESCAPED))


def _words_of_part(part: Any) -> list[str]:
    words = list[str]()
    for unit in _elements(part, _UNITS):
        texts = list(unit.iter("{*}t", "{*}v"))
        written = (each.text or "" for each in texts if not each.tag.startswith(_FORMULAS)) if texts else unit.itertext()
        words += _words("".join(written))
    return words


def _is_content(picture: bytes) -> bool:
    """Whether a picture is large, or has text and is not very small."""
    try:
        opened = Image.open(io.BytesIO(picture))
        pixels = opened.width * opened.height
        if pixels >= _LARGE_PIXELS or pixels < _SMALL_PIXELS or not may_recognize():
            return pixels >= _LARGE_PIXELS
        words = _words(" ".join(line.text for line in recognized(opened).lines))
    except (OSError, ValueError, Image.DecompressionBombError):
        return False
    return sum(len(word) > 1 for word in words) >= _FEW_WORDS
