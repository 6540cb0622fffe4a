"""Reads PDF files: text in reading order, tables, forms, annotations, attached files, and pages that are pictures."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import (
    INVISIBLE_POINTS,
    MOST_POINTS,
    Attachment,
    Block,
    Cell,
    Document,
    Field,
    Heading,
    Margin,
    Mark,
    Note,
    PageBox,
    Paragraph,
    Table,
    plain,
    runs_of,
    visible,
    without_signs,
)
from fundwright.reading.formats import Unreadable
from fundwright.reading.from_docling import head_of, is_form
from fundwright.reading.grids import Grid
from fundwright.reading.paragraphs import paragraphs, words_of
from fundwright.reading.placed import GAP, Box, Line, are_in, around, contains, has_right_to_left, joined, rows_of
from fundwright.reading.recognition import HEIGHT, MOST_PIXELS, Recognized, blocks_of, may_recognize, recognized
from fundwright.reading.sides import by_sides
from fundwright.reading.symbols import CHECKED, UNCHECKED, with_symbols
from fundwright.reading.table_rows import between, divided, letters_of, ordered

if TYPE_CHECKING:
    import pypdf

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
"""Single characters for several letters. They are replaced, because nobody searches for them and Word sets its own ligatures."""
_PAGES_AT_ONCE = 10
_BAND = 0.1
"""The share of the page's height that is its margin at the top and at the bottom."""
_LABEL, _MIN_LABELS = "\0label", 2
"""The key of lines that are the number or label of their page."""
_MIN_PAGES, _MIN_SHARE = 3, 0.5
"""A line in the margin is a header or footer if it stands there on so many pages."""
_LINE_GAP = 0.7
"""The space between two lines of a paragraph is smaller than this many times their height."""
_HEADING_LINES, _HEADING_WORDS = 2, 16
_NUMBERED = re.compile(r"\s{0,20}\d{1,2}(?:\.\d{1,2}){1,5}\s")
_NUMBER = re.compile(r"\d+")
_XFA_SHELL = re.compile(r"please wait", re.IGNORECASE)
_TEXT_FIELDS = ("text", "textfield", "combobox", "listbox")
_AROUND_LABEL = " \t:_."
_MARKED = re.compile("[\ufdd0-\ufdef]")
_LABEL_AND_VALUE = 2
_PASSWORD = 1 << 13
"""The flag of fields whose value is not shown, of the PDF standard."""
_MOST_OF_SHELL = 1_000
"""The number of letters that a form for Adobe's programs shows to others at most."""
_PAGE_WORDS = re.compile(r"(?:page|pages|pg|p|seite|seiten|s|blatt|feuille|of|von|sur|de)", re.IGNORECASE)
_FEW_LETTERS, _MOST_OF_PAGE = 50, 0.5
"""A page with fewer letters is a picture if pictures cover more than this share of it."""
_MOST_UNMAPPED = 0.3
"""With a greater share of characters that the fonts do not name, or that no text has, a page is read as a picture."""
_UNMAPPED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uefff\uf100-\uf8ff]")
"""All of the private area but where symbols are, see `symbols`."""
_DPI = 300
_MOST_TURNED = 0.7
"""A page with a greater share of text that is turned like no other text of it lies on its side."""


class PdfReader:
    media_type = "application/pdf"
    label = "PDF"
    suffixes = (".pdf",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return b"%PDF-" in head[:1024]

    def read(self, content: bytes, filename: str) -> Document:
        from fundwright.reading.pdf_layers import divided_by_layers

        attachments, title, has_layers = _outside_pages(content)
        content, unseen = (has_layers and divided_by_layers(content)) or (content, b"")
        pages, packets = _parsed(content, filename)
        if turns := _turns(pages):
            pages, packets = _parsed(content := _turned(content, turns), filename)
            unseen = unseen and _turned(unseen, turns)
        is_shell = sum(len(letters_of(page.text)) for page in pages) < _MOST_OF_SHELL
        if packets and is_shell and any(_XFA_SHELL.search(page.text) for page in pages):
            return Document((*_fields_of_xfa(packets), *attachments), title)
        pictures = _recognized(content, pages)
        looks = _looks(content, pages, has_layers=has_layers)
        if unseen:
            _add_unseen(pages, _parsed(unseen, filename)[0], looks)
        layouts = [
            _Page(page, looks.get(page.page_num, _Looks()), pictures.get(page.page_num), turn=turns.get(page.page_num, 0))
            for page in pages
        ]
        margins = _margins(layouts)
        words = words_of(line.text for page in layouts for line in page.lines)
        seen = set[str]()
        blocks = [block for page in layouts for block in page.blocks(margins, seen, words)]
        labels = tuple(page.label for page in layouts)
        is_labeled = any(page.label != str(page.number) for page in layouts)
        return Document(
            (*with_boxes(blocks), *attachments),
            title,
            pages=len(pages),
            fields=sum(page.filled for page in layouts),
            page_labels=labels if is_labeled else (),
            scans=tuple(each.picture.scan(each.number, each.width) for each in layouts if each.picture is not None),
        )


def _parsed(content: bytes, filename: str) -> tuple[list[Any], list[Any]]:
    from liteparse.types import ParseError

    from fundwright.reading.pdf_parser import PARSER

    pages, packets = list[Any](), list[Any]()
    try:
        for batch in PARSER.parse_batches(content, _PAGES_AT_ONCE):
            report_progress()
            if batch.result.page_errors:
                raise Unreadable(
                    t(
                        "Page {number} of “{filename}” is damaged. Print the document to a new PDF and add that.",
                        number=batch.result.page_errors[0].page_num,
                        filename=filename,
                    )
                )
            pages.extend(batch.result.pages)
            packets = packets or batch.result.xfa_packets or []
    except ParseError as error:
        if "password" in str(error).casefold():
            raise Unreadable(
                t("“{filename}” is password-protected. Save a copy without a password and add that.", filename=filename)
            ) from error
        raise
    return pages, packets


def _turns(pages: Iterable[Any]) -> dict[int, int]:
    """By how many degrees, clockwise, most text of a page is turned, by the number of the page, for pages that have to be turned back. Those that are
    read as pictures are turned then."""
    found = dict[int, int]()
    for page in pages:
        lengths = Counter[int]()
        for item in page.text_items:
            lengths[round(item.rotation or 0) % 360] += len(item.text.strip())
        turn, length = max(lengths.items(), key=lambda each: each[1], default=(0, 0))
        is_most = length >= _FEW_LETTERS and length > _MOST_TURNED * lengths.total()
        if turn in (90, 180, 270) and is_most and not _is_unmapped(page):
            found[page.page_num] = turn
    return found


def _turned(content: bytes, turns: Mapping[int, int]) -> bytes:
    """The file with the pages of `turns` turned back."""
    import pypdfium2

    document, target = pypdfium2.PdfDocument(content), io.BytesIO()
    for number, turn in turns.items():
        page = document[number - 1]
        page.set_rotation((page.get_rotation() - turn) % 360)
    document.save(target)
    return target.getvalue()


def _recognized(content: bytes, pages: Sequence[Any]) -> dict[int, Recognized]:
    """What text recognition reads on pages that are pictures or whose fonts do not say which characters they have, by the number of the page. It replaces what
    liteparse has read there."""
    import pypdfium2

    document: Any = None
    found = dict[int, Recognized]()
    for page in pages:
        letters, is_unmapped = len(letters_of(page.text)), _is_unmapped(page)
        if (letters >= _FEW_LETTERS and not is_unmapped) or not may_recognize():
            continue
        if document is None:
            document = pypdfium2.PdfDocument(content)
            document.init_forms()
        shown = document[page.page_num - 1]
        if is_unmapped or not letters or _covered(shown) > _MOST_OF_PAGE:
            scale = min(_DPI / 72, math.sqrt(MOST_PIXELS / max(shown.get_width() * shown.get_height(), 1.0)))
            picture = recognized(shown.render(scale=scale).to_pil())
            if picture.lines and (is_unmapped or sum(len(letters_of(line.text)) for line in picture.lines) > letters):
                found[page.page_num] = picture
                page.text_items, page.blocks, page.form_fields = [], [], []
    return found


def _is_unmapped(page: Any) -> bool:
    unmapped = sum(len(item.text) if item.font_is_buggy else len(_UNMAPPED.findall(item.text)) for item in page.text_items)
    return unmapped > _MOST_UNMAPPED * sum(len(item.text) for item in page.text_items)


def _covered(page: Any) -> float:
    """The share of a page that pictures cover."""
    from pypdfium2 import raw

    boxes = [item.get_bounds() for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])]
    area = sum(max(right - left, 0.0) * max(top - bottom, 0.0) for left, bottom, right, top in boxes)
    return area / max(page.get_width() * page.get_height(), 1.0)


class _Page:
    """The lines of a page, and the layout block or the recognized paragraph that each belongs to."""

    def __init__(self, page: Any, looks: _Looks, picture: Recognized | None, *, turn: int) -> None:
        """`turn` is by how many degrees the page was turned counterclockwise to be parsed."""
        report_progress()
        self._looks = looks
        self.number: int = page.page_num
        self.label = without_signs(page.page_label or "") or str(self.number)
        self._page = page
        self.picture = picture
        self._turn = turn
        self._height: float = HEIGHT if picture else page.height or 1.0
        self._scale = _upright_height(page, picture.turn) / HEIGHT if picture else 1.0
        width: float = (picture or page).width or 1.0
        self.width = min(max(width * self._scale, 1.0), float(MOST_POINTS))
        struck = [each for each in page.annotations or () if each.subtype.lower() == "strikeout"]
        self._struck = [_rect(rect) for each in struck for rect in each.quadpoint_rects or ([each.rect] if each.rect else [])]
        texts = list(self._texts())
        self._layout = by_sides([block for block in page.blocks or () if block.kind != "rule" and block.bbox is not None], texts)
        self._values = list(self._values_of_fields())
        filled = list(self._filled(texts))
        beside = [_beside(box, texts) or box for _, box in filled]
        places = _innermost([_rect(block.bbox) for block in self._layout], [*(box for _, box in texts), *beside])
        self._items: list[list[tuple[str, Box]]] = [[] for _ in self._layout]
        rest = list[tuple[str, Box]]()
        for item, place in zip([*texts, *filled], places, strict=True):
            (rest if place is None else self._items[place]).append(item)
        self._recognized = picture.parts() if picture else []
        self._rest = [line for part in self._recognized if not isinstance(part, Grid) for line in part] or _lines(rest)
        self._lines = [_lines(items) for items in self._items]
        self.lines = [line for lines in (*self._lines, self._rest) for line in lines]

    def _texts(self) -> Iterator[tuple[str, Box]]:
        number = 0
        for item in self._page.text_items:
            place = 0
            for part in item.words or (item,):
                text = with_symbols(
                    without_signs(self._looks.raised.get(number, part.text)).translate(_LIGATURES), item.font_name or ""
                )
                place = max(item.text.find(part.text, place), place)
                text = f" {text}" if item.text[:place].endswith(" ") else text  # however narrow the space is
                box = _rect(part)
                mark = Mark.HIDDEN if number in self._looks.hidden else Mark.STRUCK if _is_in(self._struck, box) else None
                number += 1
                yield (mark.around(text) if mark else text), box

    def _values_of_fields(self) -> Iterator[tuple[str, Box]]:
        """The values of the fields for text."""
        for field in self._page.form_fields or ():
            if field.rect is not None and field.type.lower() in _TEXT_FIELDS and not field.field_flags & _PASSWORD:
                value = " ".join(without_signs(", ".join(field.selected_options) or field.value or "").split())
                if value:
                    yield value, _rect(field.rect)

    @property
    def filled(self) -> int:
        """The number of fields that are filled in, and of boxes that are checked."""
        return len(self._values) + sum(bool(field.checked) for field in self._page.form_fields or () if _is_box(field))

    def _filled(self, texts: Sequence[tuple[str, Box]]) -> Iterator[tuple[str, Box]]:
        """The boxes of forms, those that are drawn, and the values of fields that are not among the texts."""
        yield from self._looks.boxes
        for field in self._page.form_fields or ():
            if field.rect is not None and _is_box(field):
                yield (CHECKED if field.checked else UNCHECKED), _rect(field.rect)
        yield from ((value, box) for value, box in self._values if not any(contains(box, each) for _, each in texts))

    def keys_of(self, line: Line) -> Iterator[str]:
        """What a line in the margin has in common with those of other pages: all of it, or all but the number of the page."""
        text = " ".join(line.text.split())
        if not text:
            return
        if text == self.label:
            yield _LABEL
        yield text
        for number in list(_NUMBER.finditer(text))[:3]:
            around = re.findall(r"[^\W\d_]+", text[: number.start()])[-1:] + re.findall(r"[^\W\d_]+", text[number.end() :])[:1]
            is_of_page = not around or any(_PAGE_WORDS.fullmatch(word) for word in around)
            if len(number[0]) <= 4 and is_of_page:
                yield f"{text[: number.start()]}\0{int(number[0]) - self.number}\0{text[number.end() :]}"

    def in_margin(self) -> Iterator[Line]:
        """The lines in the margins at the top and at the bottom, other than those of tables."""
        band = self._height * _BAND
        kinds = [*(block.kind for block in self._layout), ""]
        for line in (
            line for kind, lines in zip(kinds, (*self._lines, self._rest), strict=True) if kind != "table" for line in lines
        ):
            if line.box[3] <= band or line.box[1] >= self._height - band:
                yield line

    def blocks(self, margins: set[str], seen: set[str], words: frozenset[str]) -> Iterator[Block]:
        marginal = dict[Line, str]()
        for line in self.in_margin():
            found = next((key for key in self.keys_of(line) if key in margins), None)
            if found is not None:
                marginal[line] = found
        for line, key in marginal.items():
            if key != _LABEL and key not in seen:
                seen.add(key)
                box = self._boxed([line.box])
                yield Margin((Paragraph(runs_of(line.text)[0], self.number, box),), self.number, box)
        if self._recognized:
            body = [
                part if isinstance(part, Grid) else [line for line in part if line not in marginal] for part in self._recognized
            ]
            yield from blocks_of(body, words, self.number, self._boxed)
            return
        rest = [line for line in self._rest if line not in marginal]
        flow = list[Line]()
        for block, items, lines in zip(self._layout, self._items, self._lines, strict=True):
            flow += [line for line in rest if line.box[1] < block.bbox.y]
            rest = [line for line in rest if not line.box[1] < block.bbox.y]
            shown = [line for line in lines if line not in marginal]
            is_heading = (
                block.kind == "heading"
                and len(shown) <= _HEADING_LINES
                and not any(_NUMBERED.match(each.text) for each in shown[1:])
            )
            if block.kind not in ("table", "list_item") and not (is_heading and _is_short(shown)):
                flow += shown
                continue
            if block.kind == "table":
                table, is_named = self._with_names(self._table(block, items), flow)
                if fields := self._fields_in(table):
                    yield from (*self._texts_of(flow, words), *fields)
                    flow = []
                    continue
                yield from self._texts_of(flow[:-1] if is_named else flow, words)
                flow = []
                yield table
                continue
            yield from self._texts_of(flow, words)
            flow = []
            if block.kind == "list_item":
                texts, boxes = [line.text for line in shown], [self._boxed([line.box]) for line in shown]
                yield from paragraphs(texts, words, page=self.number, boxes=boxes, are_items=True)
            else:
                runs, _ = runs_of(" ".join(line.text for line in shown))
                yield Heading(runs, block.level or 1, self.number, self._boxed([line.box for line in shown]))
        yield from self._texts_of([*flow, *rest], words)
        yield from self._annotated()

    def _texts_of(self, lines: Sequence[Line], words: frozenset[str]) -> Iterator[Block]:
        """Paragraphs end where the next line is far below or in another column, and where a line is a field with its label."""
        texts, boxes, before = list[str](), list[PageBox](), None
        for line in lines:
            box = self._boxed([line.box])
            if fields := self._fields_of(line.text, line.box):
                yield from paragraphs(texts, words, page=self.number, boxes=boxes)
                yield from (Field(label, value, self.number, box) for label, value in fields)
                texts, boxes, before = [], [], None
                continue
            if before is not None and not -_LINE_GAP < (line.box[1] - before.box[3]) / before.height < _LINE_GAP:
                texts.append("")
                boxes.append(box)
            texts.append(line.text)
            boxes.append(box)
            before = line
        yield from paragraphs(texts, words, page=self.number, boxes=boxes)

    def _fields_of(self, text: str, place: Box) -> list[tuple[str, str]]:
        """The labels and values of a line, or nothing if there is more on it than fields, each behind its label."""
        fields, start = list[tuple[str, str]](), 0
        beside = [(value, box) for value, box in self._values if box[1] <= (place[1] + place[3]) / 2 <= box[3]]
        for value, _ in sorted(beside, key=lambda each: each[1][0]):
            found = text.find(value, start)
            label = text[start : max(found, 0)].strip(_AROUND_LABEL)
            if not label or _MARKED.search(label):
                return []
            fields.append((label, value))
            start = found + len(value)
        return [] if text[start:].strip() else fields

    def _fields_in(self, table: Table) -> list[Block]:
        """The rows of a table if each of them is a field with its label, or the label of one that is blank."""
        found, is_form = list[Block](), False
        values = {value for value, _ in self._values}
        for row in table.rows if values else ():
            texts = [
                " ".join(visible(block.runs) for block in cell.blocks if isinstance(block, Paragraph)).strip() for _, cell in row
            ]
            boxes = [block.box for _, cell in row for block in cell.blocks if block.box is not None]
            box = around(boxes) if boxes else table.box
            label, value = texts if len(texts) == _LABEL_AND_VALUE else ("", "")
            if not label or (value and value not in values):
                return []
            is_form = is_form or bool(value)
            label = label.strip(_AROUND_LABEL) if value else label
            found.append(Field(label, value, self.number, box) if value else Paragraph(plain(label), self.number, box))
        return found if is_form else []

    def _table(self, block: Any, items: Sequence[tuple[str, Box]]) -> Table:
        written = [*([block.header] if block.header else []), *(block.rows or ())]
        places = [[(_without_markup(cell.text), _rect(cell.bbox or block.bbox)) for cell in row] for row in written]
        texts = ordered(Line(*item) for item in items)
        rows = list[tuple[tuple[int, Cell], ...]]()
        for row, parts in zip(written, divided(places, texts), strict=True):
            if not parts:
                rows.append(tuple((place, Cell(self._cell(cell, block, texts))) for place, cell in enumerate(row)))
            for part in parts:
                rows.append(tuple((place, Cell(self._paragraph(line), span)) for place, (line, span) in sorted(part.items())))
        table = Table(tuple(rows), page=self.number, box=self._boxed([_rect(block.bbox)]))
        return replace(table, head=int(not is_form(table)) if block.header else head_of(table))

    def _cell(self, cell: Any, table: Any, texts: Sequence[Line]) -> tuple[Block, ...]:
        text, box = _without_markup(cell.text), _rect(cell.bbox or table.bbox)
        if cell.bbox is not None:
            rows = [
                joined(row) for row in rows_of(each for each in between(texts, box[1] - 1, box[3] + 1) if contains(box, each.box))
            ]
            inside = "\n".join(row.text for row in rows)
            before, after = letters_of(text), letters_of(inside)
            if before == after or (has_right_to_left(text) and sorted(before) == sorted(after)):
                text, box = inside, around([row.box for row in rows] or [box])
        return self._paragraph(Line(text, box))

    def _paragraph(self, line: Line) -> tuple[Paragraph, ...]:
        return (Paragraph(runs_of(line.text)[0], self.number, self._boxed([line.box])),) if line.text.strip() else ()

    def _with_names(self, table: Table, above: Sequence[Line]) -> tuple[Table, bool]:
        """A table below a line with the names of its columns, which liteparse does not always count to it, and whether there is such a line."""
        names = [part.strip() for part in above[-1].text.split(GAP) if part.strip()] if above and not table.head else []
        if len(names) < 2 or len(names) != max((len(row) for row in table.rows), default=0):
            return table, False
        box = self._boxed([above[-1].box])
        head = tuple((place, Cell((Paragraph(runs_of(name)[0], table.page, box),))) for place, name in enumerate(names))
        named = replace(table, rows=(head, *table.rows), box=around([box, table.box or box]))
        return (replace(named, head=1), True) if head_of(named) else (table, False)

    def _boxed(self, boxes: Sequence[Box]) -> PageBox:
        """The box around others, on the page as it is shown."""
        left, top, right, bottom = (each * self._scale for each in around(boxes))
        width, height = self.width, self._height * self._scale
        match self._turn:
            case 90:
                left, top, right, bottom, width, height = height - bottom, left, height - top, right, height, width
            case 180:
                left, top, right, bottom = width - right, height - bottom, width - left, height - top
            case 270:
                left, top, right, bottom, width, height = top, width - right, bottom, width - left, height, width
            case _:
                pass
        sides = ((math.floor, left, width), (math.floor, top, height), (math.ceil, right, width), (math.ceil, bottom, height))
        left, top, right, bottom = (rounded(min(max(0.0, place), size, MOST_POINTS)) for rounded, place, size in sides)
        return left, top, right, bottom

    def _annotated(self) -> Iterator[Block]:
        """Texts that someone has written on the page. Comments are not part of the document."""
        texts = letters_of(" ".join(line.text for line in self.lines))
        for annotation in self._page.annotations or ():
            text = without_signs(annotation.contents or "").strip()
            if annotation.subtype == "freetext" and text and letters_of(text) not in texts:
                box = self._boxed([_rect(annotation.rect)]) if annotation.rect else None
                yield Note((Paragraph(plain(text), self.number, box),), self.number, box)


def _upright_height(page: Any, turn: float) -> float:
    """The height of a page in points after it was turned by so many degrees."""
    angle = math.radians(turn)
    return max(abs(page.height * math.cos(angle)) + abs(page.width * math.sin(angle)), 1.0)


def _margins(pages: Sequence[_Page]) -> set[str]:
    """The keys of headers and footers, see `_Page.keys_of`."""
    counts = Counter(key for page in pages for key in {key for line in page.in_margin() for key in page.keys_of(line)})
    least = max(_MIN_PAGES, len(pages) * _MIN_SHARE)
    return {key for key, count in counts.items() if count >= (_MIN_LABELS if key == _LABEL else least)}


def _lines(items: Iterable[tuple[str, Box]]) -> list[Line]:
    """Put texts that stand side by side into one line, from top to bottom."""
    return [joined(row) for row in rows_of(Line(*item) for item in items)]


def _is_box(field: Any) -> bool:
    return field.checked is not None and field.type.lower() in ("checkbox", "radiobutton", "radio")


def _is_short(lines: Sequence[Line]) -> bool:
    return 0 < sum(len(line.text.split()) for line in lines) <= _HEADING_WORDS


def _beside(box: Box, texts: Sequence[tuple[str, Box]]) -> Box | None:
    """The nearest text on the same line: the label of a box, or of a field."""
    middle = (box[1] + box[3]) / 2
    on_line = [each for _, each in texts if each[1] - 2 <= middle <= each[3] + 2]
    return min(on_line, key=lambda each: max(each[0] - box[2], box[0] - each[2], 0.0), default=None)


def _is_in(boxes: Sequence[Box], box: Box) -> bool:
    return any(contains(each, box) for each in boxes)


def _rect(rect: Any) -> Box:
    return rect.x, rect.y, rect.x + rect.width, rect.y + rect.height


class _Looks(NamedTuple):
    """How words of a page look, by their places among them."""

    hidden: Collection[int] = ()
    """Those that nobody sees."""
    raised: Mapping[int, str] = {}
    """Those with exponents and the marks of notes, or that are the mark in a check box."""
    boxes: Sequence[tuple[str, Box]] = ()
    """Check boxes that are drawn, as characters."""


def _looks(content: bytes, pages: Sequence[Any], *, has_layers: bool) -> dict[int, _Looks]:
    """How the words of each page look, by its number."""
    import pypdfium2

    from fundwright.reading.pdf_boxes import drawn_boxes
    from fundwright.reading.pdf_objects import objects_on, with_annotations
    from fundwright.reading.pdf_raised import raised_words
    from fundwright.reading.pdf_visible import hidden_words

    document = pypdfium2.PdfDocument(content)
    found = dict[int, _Looks]()
    for page in pages:
        report_progress()
        words = [(part.text, _rect(part)) for item in page.text_items for part in item.words or (item,)]
        if words:
            shown = with_annotations(document, page.page_num)
            objects = list(objects_on(shown))
            tiny = {place for place, (_, box) in enumerate(words) if box[3] - box[1] <= INVISIBLE_POINTS}
            raised = raised_words(shown, objects, words)  # first: texts that were left out of a painting have no characters
            hidden = tiny | hidden_words(shown, objects, words, has_layers=has_layers)
            boxes, marks = drawn_boxes(objects, words)
            fields = [_rect(field.rect) for field in page.form_fields or () if field.rect is not None]
            boxes = [each for each in boxes if not any(contains(field, each[1]) for field in fields)]
            found[page.page_num] = _Looks(hidden, raised | marks, boxes)
    return found


def _add_unseen(pages: Sequence[Any], unseen: Sequence[Any], looks: dict[int, _Looks]) -> None:
    """Add the texts of other pages, which nobody sees, to pages."""
    for page, other in zip(pages, unseen, strict=True):
        count, more = (sum(len(item.words or (item,)) for item in each.text_items) for each in (page, other))
        look = looks.get(page.page_num, _Looks())
        looks[page.page_num] = look._replace(hidden={*look.hidden, *range(count, count + more)})
        page.text_items += other.text_items


def _innermost(outer: Sequence[Box], boxes: Sequence[Box]) -> list[int | None]:
    """For each of the boxes, the place of the smallest of the outer boxes that contains it."""
    found = np.full(len(boxes), -1)
    inside = np.array(boxes).reshape(-1, 4)
    by_area = sorted(enumerate(outer), key=lambda each: (each[1][2] - each[1][0]) * (each[1][3] - each[1][1]))
    for place, box in reversed(by_area):
        found[are_in(box, inside)] = place
    return [None if place < 0 else place for place in found.tolist()]


def _without_markup(text: str) -> str:
    """A text that liteparse has written for Markdown."""
    return re.sub(
        r"\\([\\`*_{}\[\]()#+.!|>~-])", r"\1", re.sub(r"(\*\*|~~)(?=\S)(.{1,500}?)(?<=\S)\1", r"\2", without_signs(text))
    )


def _fields_of_xfa(packets: Sequence[Any]) -> Iterator[Field]:
    """The data of a form that only Adobe's programs show."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    for packet in packets:
        content = (packet.content or "").encode()
        start = content.find(b"<xfa:datasets")
        source = content[start:] if start >= 0 else content if b"datasets" in (packet.name or "").encode() else b""
        root = etree.fromstring(source or content, parser) if source or content else None
        for element in () if root is None else root.iter(etree.Element):
            text = (element.text or "").strip()
            if not len(element) and text and source:
                yield Field(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", etree.QName(element).localname), without_signs(text))


def _outside_pages(content: bytes) -> tuple[list[Attachment], str, bool]:
    """The files in a portfolio, or attached to a document, its title, and whether it has layers that are off when it is opened."""
    import pypdf

    with suppress(Exception):  # third-party parsers can raise anything
        file = pypdf.PdfReader(io.BytesIO(content))
        return _attached(file), _title(file), _has_layers(file)
    return [], "", False


def _attached(file: pypdf.PdfReader) -> list[Attachment]:
    with suppress(Exception):
        return [Attachment(without_signs(name), each) for name, several in file.attachments.items() for each in several]
    return []


def _title(file: pypdf.PdfReader) -> str:
    with suppress(Exception):
        return str((file.metadata and file.metadata.title) or "")
    return ""


def _has_layers(file: pypdf.PdfReader) -> bool:
    from fundwright.reading.pdf_layers import are_off

    with suppress(Exception):
        return are_off(file.root_object)
    return False
