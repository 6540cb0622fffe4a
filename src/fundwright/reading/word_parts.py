"""Writes a Word file again in the form in which python-docx and docling read all of it.

They skip tracked insertions, content controls, and fields inside of table cells, symbols, check boxes of old forms, rows inside of
content controls, embedded parts, and drawings of diagrams, and they separate words whose letters differ in format. So these are replaced by plain
text of their paragraph before; text that Word does not show gets a sign.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import FORM, HEAD, Mark, note_sign, without_signs
from fundwright.reading.symbols import CHECKED, UNCHECKED, raised, symbol
from fundwright.reading.xml_parts import parsed, rewritten, written

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_UNWRAPPED = ("ins", "moveTo", "del", "moveFrom", "smartTag", "customXml", "fldSimple", "hyperlink", "dir", "bdo")
_REMOVED = (
    "proofErr",
    "bookmarkStart",
    "bookmarkEnd",
    "commentRangeStart",
    "commentRangeEnd",
    "lastRenderedPageBreak",
    "permStart",
    "permEnd",
)
_NOT_TEXT = ("sym", "footnoteReference", "endnoteReference", "checkBox", "ddList")
"""What is read as text, and is deleted with it."""
_FIELDS = ("text", "date", "dropDownList", "comboBox")
"""The kinds of content controls that are fields of forms."""
_SPACES = {"tab": "\t", "noBreakHyphen": "-"}
_MOST_COLUMNS = 1_000
_CODE = re.compile("[0-9A-Fa-f]{2,4}")
_CONTENT_TYPES = "[Content_Types].xml"
_DOCUMENT = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OTHER_KINDS = re.compile(
    rb"application/vnd\.(?:ms-word\.(?:document|template)\.macroEnabled(?:Template)?|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml"
)
"""Templates and documents with macros differ from others only in their content type."""
_INVISIBLE_HALF_POINTS = 4
_MAX_STYLES = 20
"""The maximum depth of styles based on each other, which may form a cycle."""


@dataclass
class WordParts:
    """A Word file as docling reads it, and what stands in other parts of the file."""

    file: io.BytesIO = field(default_factory=io.BytesIO)
    notes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The paragraphs of footnotes and endnotes, by key."""
    embedded: dict[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])
    """Names and contents of documents that are parts of this one, by key. A note sign stands where each belongs."""
    fields: int = 0
    """The number of fields of forms that are filled in."""


def word_parts(content: bytes) -> WordParts:
    """Read a Word file whose unpacked size was checked. Raises anything for a damaged one."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return _Parts(archive).rewritten()


class _Parts:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self._styles = self._chains_of_styles()
        self.result = WordParts()

    def rewritten(self) -> WordParts:
        stories = {name for name in self._names if _is_story(name)}
        for name in ("word/footnotes.xml", "word/endnotes.xml"):
            if name in self._names:
                self._read_notes(self._parsed(name), name.removeprefix("word/").removesuffix("s.xml"))

        def changed(name: str, part: bytes) -> bytes:
            if name in _WITHOUT_NOTES:
                return _WITHOUT_NOTES[name]
            if name in stories:
                self._simplify(root := parsed(part), name)
                return written(root)
            if name == "word/styles.xml":
                _remove((root := parsed(part)).iter(f"{_W}vanish", f"{_W}strike", f"{_W}dstrike"))
                return written(root)
            return _OTHER_KINDS.sub(_DOCUMENT, part) if name == _CONTENT_TYPES else part

        self.result.file = rewritten(self._archive, changed)
        return self.result

    def _parsed(self, name: str) -> Any:
        return parsed(self._archive.read(name))

    def _chains_of_styles(self) -> dict[str, list[Any]]:
        """The styles, each with those that it is based on. That of paragraphs without a style has no name."""
        if "word/styles.xml" not in self._names:
            return {}
        styles = {style.get(f"{_W}styleId", ""): style for style in self._parsed("word/styles.xml").iter(f"{_W}style")}
        chains = dict[str, list[Any]]()
        for name, first in styles.items():
            chain, style = list[Any](), first
            while style is not None and len(chain) < _MAX_STYLES:
                chain.append(style)
                base = style.find(f"{_W}basedOn")
                style = None if base is None else styles.get(base.get(f"{_W}val", ""))
            chains[name] = chain
            if first.get(f"{_W}type") == "paragraph" and first.get(f"{_W}default") in ("1", "true"):
                chains[""] = chain
        return chains

    def _related(self, name: str) -> dict[str, str]:
        """The names of the parts that a part refers to, by id."""
        folder, _, file = name.rpartition("/")
        relationships = f"{folder}/_rels/{file}.rels"
        if relationships not in self._names:
            return {}
        return {
            each.get("Id", ""): posixpath.normpath(posixpath.join(folder, each.get("Target", ""))).lstrip("/")
            if not each.get("Target", "").startswith("/")
            else each.get("Target", "").lstrip("/")
            for each in self._parsed(relationships).iter(_RELATIONSHIP)
            if each.get("TargetMode") != "External"
        }

    def _read_notes(self, root: Any, kind: str) -> None:
        self._simplify(root, "")
        for note in root.iter(f"{_W}{kind}"):
            if note.get(f"{_W}type") in (None, "normal"):
                texts = ["".join(_written(each)).strip() for each in note.iter(f"{_W}p")]
                self.result.notes[f"{kind} {note.get(f'{_W}id')}"] = [text for text in texts if text]

    def _simplify(self, root: Any, name: str) -> None:
        _remove(root.iter(f"{_COMPATIBILITY}Fallback", *(f"{_W}{tag}" for tag in _REMOVED)))
        self.result.fields += sum(map(_is_filled, root.iter(f"{_W}sdtPr"))) + _filled_old_fields(root)
        for control in list(root.iter(f"{_W}sdt")):
            report_progress()
            self._open_control(control)
        for row in list(root.iter(f"{_W}tr")):
            if row.find(f"{_W}trPr/{_W}del") is not None:
                _mark(row, Mark.DELETED)
            elif _is_on(row.find(f"{_W}trPr/{_W}hidden")):
                _mark(row, Mark.HIDDEN)
        for cell in list(root.iter(f"{_W}tc")):
            if cell.find(f"{_W}tcPr/{_W}cellDel") is not None:
                _delete_cell(cell)
        _remove(table for table in root.iter(f"{_W}tbl") if next(table.iter(f"{_W}tc"), None) is None)
        for table in root.iter(f"{_W}tbl"):
            _complete_grid(table)
            _mark_form(table)
        _empty_instructions(root)
        for paragraph in list(root.iter(f"{_W}p")):
            _join_next(paragraph)
        for deleted in root.iter(f"{_W}del", f"{_W}moveFrom"):
            _mark(deleted, Mark.DELETED)
        for element in list(root.iter(*(f"{_W}{tag}" for tag in _UNWRAPPED))):
            _replace(element, list(element))
        for paragraph in list(root.iter(f"{_W}p")):
            style = paragraph.find(f"{_W}pPr/{_W}pStyle")
            chain = self._styles.get("" if style is None else style.get(f"{_W}val", ""), [])
            runs = list(paragraph.iterchildren(f"{_W}r"))
            for run in runs:
                report_progress()
                self._simplify_run(run, chain)
            _join(runs)
        related = self._related(name) if name else {}
        for chunk in list(root.iter(f"{_W}altChunk")):
            target = related.get(chunk.get(f"{_R}id", ""), "")
            if target in self._names:
                key = f"embedded {target}"
                self.result.embedded[key] = (target, self._archive.read(target))
                _replace(chunk, [_paragraph(chunk, note_sign(key))])
        for drawing in list(root.iter(f"{_DGM}relIds")):
            target = related.get(drawing.get(f"{_R}dm", ""), "")
            if target in self._names:
                self._write_diagram(drawing, self._parsed(target))

    def _open_control(self, control: Any) -> None:
        """Replace a content control by its content, and a box by the character for its state."""
        properties, content = control.find(f"{_W}sdtPr"), control.find(f"{_W}sdtContent")
        if content is None:
            control.getparent().remove(control)
            return
        box = None if properties is None else properties.find(f"{_W14}checkbox")
        texts = list(content.iter(f"{_W}t", f"{_W}sym"))
        if box is not None and texts:
            state = box.find(f"{_W14}checked")
            is_checked = state is not None and state.get(f"{_W14}val", "1") in ("1", "true", "on")
            texts[0].tag, texts[0].text = f"{_W}t", CHECKED if is_checked else UNCHECKED
            _remove(texts[1:])
        elif properties is not None and _is_on(properties.find(f"{_W}showingPlcHdr")):
            for text in texts:
                text.tag, text.text = f"{_W}t", ""  # “Click or tap here to enter text.”
        for child in reversed(content):
            control.addnext(child)
        control.getparent().remove(control)

    def _simplify_run(self, run: Any, styles: Sequence[Any]) -> None:
        """Give a run no format, so that no word is divided, but a mark if Word does not show it, by itself or because of the styles of its
        paragraph."""
        from lxml import etree

        properties = run.find(f"{_W}rPr")
        style = None if properties is None else properties.find(f"{_W}rStyle")
        styles = [*(self._styles.get(style.get(f"{_W}val", ""), []) if style is not None else []), *styles]
        mark = _mark_of(
            run, [each for each in (properties, *(style.find(f"{_W}rPr") for style in styles)) if each is not None], styles
        )
        for sign in list(run.iter(f"{_W}sym")):
            text = etree.Element(f"{_W}t")
            code = sign.get(f"{_W}char", "")
            text.text = symbol(int(code, 16), sign.get(f"{_W}font", "")) if _CODE.fullmatch(code) else ""
            _replace(sign, [text])
        for box in list(run.iter(f"{_W}checkBox")):
            states = [box.find(f"{_W}{tag}") for tag in ("checked", "default")]
            state = next((each for each in states if each is not None), None)
            text = etree.SubElement(run, f"{_W}t")
            text.text = f"{CHECKED if _is_on(state) else UNCHECKED} "
            text.set(_XML_SPACE, "preserve")
        for choices in list(run.iter(f"{_W}ddList")):
            text = etree.SubElement(run, f"{_W}t")
            text.text = _chosen(choices)
        lifted = None if properties is None else properties.find(f"{_W}vertAlign")
        is_raised = lifted is not None and lifted.get(f"{_W}val") == "superscript"
        for text in run.iter(f"{_W}t"):
            if text.text in (HEAD, FORM):
                continue
            is_marked = (text.text or "").startswith((Mark.DELETED.sign, Mark.HIDDEN.sign))
            plain = text.text or "" if is_marked else without_signs(text.text or "")
            plain = raised(plain) if is_raised else plain
            text.text = mark.around(plain) if mark and not is_marked else plain
            text.set(_XML_SPACE, "preserve")
        for reference in list(run.iter(f"{_W}footnoteReference", f"{_W}endnoteReference")):
            kind = reference.tag.removeprefix(_W).removesuffix("Reference")
            text = etree.Element(f"{_W}t")
            text.text = "" if mark else note_sign(f"{kind} {reference.get(f'{_W}id')}")
            _replace(reference, [text])
        if properties is not None:
            run.remove(properties)

    def _write_diagram(self, drawing: Any, data: Any) -> None:
        """Put the texts of a diagram below the paragraph that shows it, each as a paragraph."""
        paragraph = next((each for each in drawing.iterancestors(f"{_W}p")), None)
        if paragraph is None:
            return
        for point in reversed(list(data.iter(f"{_DGM}pt"))):
            texts = ["".join(text.text or "" for text in each.iter(f"{_A}t")).strip() for each in point.iter(f"{_A}p")]
            if written := " ".join(filter(None, texts)):
                paragraph.addnext(_paragraph(paragraph, without_signs(written)))


_NOTES = '<?xml version="1.0" encoding="UTF-8"?><w:{kind} xmlns:w="' + _W[1:-1] + '"/>'
_WITHOUT_NOTES = {f"word/{kind}.xml": _NOTES.format(kind=kind).encode() for kind in ("footnotes", "endnotes")}


def _written(paragraph: Any) -> Iterator[str]:
    for each in paragraph.iter(*(f"{_W}{tag}" for tag in ("t", "tab", "br", "cr", "noBreakHyphen"))):
        yield each.text or "" if each.tag == f"{_W}t" else _SPACES.get(each.tag.removeprefix(_W), "\n")


def _mark(element: Any, mark: Mark) -> None:
    """Put signs around all text in an element, and remove what is read as text."""
    _remove(element.iter(f"{_MATH}oMath", *(f"{_W}{tag}" for tag in _NOT_TEXT)))
    for text in element.iter(f"{_W}delText", f"{_W}t"):
        text.tag, text.text = f"{_W}t", mark.around(without_signs(text.text or ""))


def _delete_cell(cell: Any) -> None:
    """Put the text of a cell, marked, into the cell beside it, so that the columns are those that remain."""
    _mark(cell, Mark.DELETED)
    before, after = cell.getprevious(), cell.getnext()
    beside = next((each for each in (before, after) if each is not None and each.tag == cell.tag), None)
    if beside is not None:
        beside.extend(list(cell.iterchildren(f"{_W}p", f"{_W}tbl")))
        cell.getparent().remove(cell)


def _complete_grid(table: Any) -> None:
    """Give the grid of a table as many columns as its longest row has, and mark its rows that are repeated on each page."""
    from lxml import etree

    width = 0
    for row in table.iterchildren(f"{_W}tr", f"{_W}sdt"):
        spans = [
            int(each.get(f"{_W}val", "1"))
            for each in row.iter(f"{_W}gridBefore", f"{_W}gridSpan")
            if each.get(f"{_W}val", "1").isdigit()
        ]
        width = max(
            width, min(_MOST_COLUMNS, sum(1 for _ in row.iterchildren(f"{_W}tc")) + sum(max(0, span - 1) for span in spans))
        )
        first = row.find(f"{_W}tc/{_W}p")
        if first is not None and _is_on(row.find(f"{_W}trPr/{_W}tblHeader")):
            etree.SubElement(etree.SubElement(first, f"{_W}r"), f"{_W}t").text = HEAD
    grid = table.find(f"{_W}tblGrid")
    if grid is None:
        grid = etree.Element(f"{_W}tblGrid")
        properties = table.find(f"{_W}tblPr")
        table.insert(0 if properties is None else table.index(properties) + 1, grid)
    for _ in range(width - len(grid)):
        etree.SubElement(grid, f"{_W}gridCol")


def _mark_form(table: Any) -> None:
    """Mark a table in whose rows bold or shaded labels take turns with values that are not."""
    from lxml import etree

    rows = [list(row.iterchildren(f"{_W}tc")) for row in table.iterchildren(f"{_W}tr")]
    are_forms = (len(row) > 2 and all(_is_emphasized(cell) == (place % 2 == 0) for place, cell in enumerate(row)) for row in rows)
    first = rows[0][0].find(f"{_W}p") if rows and rows[0] and all(are_forms) else None
    if first is not None:
        etree.SubElement(etree.SubElement(first, f"{_W}r"), f"{_W}t").text = FORM


def _is_emphasized(cell: Any) -> bool:
    shading = cell.find(f"{_W}tcPr/{_W}shd")
    runs = [run for run in cell.iter(f"{_W}r") if any(text.text and text.text.strip() for text in run.iter(f"{_W}t"))]
    is_bold = bool(runs) and all(_is_on(run.find(f"{_W}rPr/{_W}b")) for run in runs)
    return is_bold or (shading is not None and shading.get(f"{_W}fill", "auto").upper() not in ("AUTO", "FFFFFF"))


def _join(runs: Sequence[Any]) -> None:
    """Put what neighboring runs have into the first of them: reading a paragraph takes time for each pair of its runs."""
    first = None
    for run in runs:
        if first is not None and run.getprevious() is first:
            first.extend(list(run))
            run.getparent().remove(run)
        else:
            first = run


def _chosen(choices: Any) -> str:
    """The text that is chosen in a list of an old form, by default the first."""
    entries = [each.get(f"{_W}val", "") for each in choices.iter(f"{_W}listEntry")]
    result = choices.find(f"{_W}result")
    place = "0" if result is None else result.get(f"{_W}val", "0")
    return entries[int(place)] if place.isdigit() and int(place) < len(entries) else ""


def _is_filled(properties: Any) -> bool:
    """Whether a content control is a field of a form that is filled in, or a box that is checked."""
    box = properties.find(f"{_W14}checkbox")
    if box is not None:
        state = box.find(f"{_W14}checked")
        return state is not None and state.get(f"{_W14}val", "1") in ("1", "true", "on")
    content = properties.getparent().find(f"{_W}sdtContent")
    is_field = any(properties.find(f"{_W}{kind}") is not None for kind in _FIELDS)
    is_blank = _is_on(properties.find(f"{_W}showingPlcHdr")) or content is None
    return is_field and not is_blank and any((text.text or "").strip() for text in content.iter(f"{_W}t"))


def _filled_old_fields(root: Any) -> int:
    """The number of fields of old forms that are filled in, and of their boxes that are checked."""
    count = 0
    fields = list[list[Any]]()
    """For each open field, its data and the texts of its value."""
    for element in root.iter(f"{_W}fldChar", f"{_W}t"):
        kind = element.get(f"{_W}fldCharType")
        if kind == "begin":
            fields.append([element.find(f"{_W}ffData")])
        elif kind == "end" and fields:
            data, *texts = fields.pop()
            box = None if data is None else data.find(f"{_W}checkBox")
            states = [] if box is None else [box.find(f"{_W}{tag}") for tag in ("checked", "default")]
            is_text = data is not None and data.find(f"{_W}textInput") is not None and any(map(str.strip, texts))
            is_chosen = data is not None and data.find(f"{_W}ddList/{_W}result") is not None
            count += is_text or is_chosen or _is_on(next((each for each in states if each is not None), None))
        elif kind is None and fields:
            fields[-1].append(element.text or "")
    return count


def _is_story(name: str) -> bool:
    """Whether a part has text of the document."""
    folder, _, file = name.rpartition("/")
    return folder == "word" and file.endswith(".xml") and file.startswith(("document", "header", "footer"))


def _is_on(element: Any) -> bool:
    """Whether a property is set. Word writes the value 0 to switch off what a style sets."""
    return element is not None and element.get(f"{_W}val", "1") not in ("0", "false", "off", "none")


def _mark_of(run: Any, formats: Sequence[Any], styles: Sequence[Any]) -> Mark | None:
    """The mark of a run. Its own format comes before those of its styles."""

    def found(tag: str) -> Any:
        return next((each for format in formats if (each := format.find(f"{_W}{tag}")) is not None), None)

    if _is_on(found("vanish")) or _is_on(found("specVanish")):
        return Mark.HIDDEN
    if _is_on(found("strike")) or _is_on(found("dstrike")):
        return Mark.STRUCK
    size, color = found("sz"), found("color")
    if size is not None and size.get(f"{_W}val", "").isdigit() and int(size.get(f"{_W}val")) <= _INVISIBLE_HALF_POINTS:
        return Mark.HIDDEN
    is_white = color is not None and color.get(f"{_W}val", "").upper() == "FFFFFF"
    shadings = [found("shd"), *(style.find(f"{_W}pPr/{_W}shd") for style in styles)]
    return Mark.HIDDEN if is_white and found("highlight") is None and _is_on_white(run, shadings) else None


def _is_on_white(run: Any, shadings: Sequence[Any]) -> bool:
    """Whether the background is white. That of a text in a shape or in a table with a style is not known."""
    shadings = list(shadings)
    for parent in run.iterancestors():
        if parent.tag in (f"{_W}p", f"{_W}tc"):
            shadings.append(parent.find(f"{parent.tag}Pr/{_W}shd"))
        elif parent.tag == f"{_W}tbl":
            style = parent.find(f"{_W}tblPr/{_W}tblStyle")
            if style is not None and style.get(f"{_W}val") not in ("TableGrid", "TableNormal"):
                return False
        elif parent.tag == f"{_W}txbxContent":
            return False
    return all(each is None or each.get(f"{_W}fill", "auto").upper() in ("AUTO", "FFFFFF") for each in shadings)


def _empty_instructions(root: Any) -> None:
    """Remove the text of fields inside the instruction of another field, such as the condition of IF, which Word does not show."""
    fields = list[list[Any] | None]()
    """The texts in the instruction of each open field, and None after it."""
    for element in root.iter(f"{_W}fldChar", *(f"{_W}{tag}" for tag in ("t", "delText", "sym"))):
        kind = element.get(f"{_W}fldCharType")
        if element.tag != f"{_W}fldChar":
            instruction = next((texts for texts in fields if texts is not None), None)
            if instruction is not None:
                instruction.append(element)
        elif kind == "begin":
            fields.append([])
        elif fields and kind in ("separate", "end"):
            _remove(fields.pop() or [])
            fields += [None] if kind == "separate" else []


def _join_next(paragraph: Any) -> None:
    """Put a paragraph whose end is deleted at the beginning of the next one."""
    marks = paragraph.find(f"{_W}pPr/{_W}rPr")
    following = paragraph.getnext()
    is_deleted = marks is not None and any(marks.find(f"{_W}{tag}") is not None for tag in ("del", "moveFrom"))
    if is_deleted and following is not None and following.tag == f"{_W}p":
        properties = following.find(f"{_W}pPr")
        start = 0 if properties is None else following.index(properties) + 1
        following[start:start] = [child for child in paragraph if child.tag != f"{_W}pPr"]
        paragraph.getparent().remove(paragraph)


def _paragraph(like: Any, text: str) -> Any:
    from lxml import etree

    paragraph = etree.Element(f"{_W}p", nsmap=like.nsmap)
    etree.SubElement(etree.SubElement(paragraph, f"{_W}r"), f"{_W}t").text = text
    return paragraph


def _replace(element: Any, others: Iterable[Any]) -> None:
    for other in others:
        element.addprevious(other)
    element.getparent().remove(element)


def _remove(elements: Iterable[Any]) -> None:
    for element in list(elements):
        parent: Any = element.getparent()
        if parent is not None:
            parent.remove(element)
