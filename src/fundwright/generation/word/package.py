"""Assembles the parts of a Word file and zips them."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from fundwright.core.messages import Language, current_language, t
from fundwright.generation.footnotes import Footnotes
from fundwright.generation.schemas import CitationStyle, DraftRead, DraftSectionRead
from fundwright.generation.word.body import BULLETS, INDENT, NUMBERS, Body
from fundwright.generation.word.elements import NAMESPACES, RunFormat, clean, field, is_right_to_left, runs, w

_LANGUAGES: Mapping[Language, str] = {"en": "en-US", "de": "de-DE", "fr": "fr-FR"}
_LETTER, _A4 = (12240, 15840), (11906, 16838)
"""Paper sizes in twips (1/1,440 inch)."""
_MARGIN = 1440
_MAX_IN_HEADER = 90
_BULLET_SIGNS = ("•", "–", "▪")
_NUMBER_FORMATS = ("decimal", "lowerLetter", "lowerRoman")

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PARTS = {
    "document": f"{_WORD}.document.main+xml",
    "styles": f"{_WORD}.styles+xml",
    "settings": f"{_WORD}.settings+xml",
    "fontTable": f"{_WORD}.fontTable+xml",
    "theme": "application/vnd.openxmlformats-officedocument.theme+xml",
    "numbering": f"{_WORD}.numbering+xml",
    "footnotes": f"{_WORD}.footnotes+xml",
    "header": f"{_WORD}.header+xml",
    "footer": f"{_WORD}.footer+xml",
}
"""Parts in the folder `word`, with their content types."""
_HOUSE_STYLE = ("styles", "settings", "fontTable", "theme")
"""Parts that are the same for all drafts in a language, from the folder `parts`."""


def word_file(draft: DraftRead, *, citations: CitationStyle, author: str) -> bytes:
    """Return the draft as a .docx file in the current language."""
    language = current_language()
    page_size = _LETTER if language == "en" else _A4
    width = page_size[0] - 2 * _MARGIN
    footnotes = Footnotes(draft.citations, citations)
    body = Body(footnotes, width=width)
    if draft.is_letter:
        _add_letter(body, draft)
    else:
        _add_title(body, draft)
        for section in _written(draft):
            body.add("Heading1", section.heading)
            body.add_markdown(section.text)
    parts: dict[str, Element] = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _package_relationships(),
        "docProps/core.xml": _core_properties(draft, draft.company or author, _LANGUAGES[language]),
        "docProps/app.xml": _extended_properties(draft.company),
        "word/document.xml": _root("document", w("body", *body.blocks, _section_properties(page_size))),
        "word/_rels/document.xml.rels": _document_relationships(body.links),
        "word/footnotes.xml": _root("footnotes", *_footnotes(footnotes.texts)),
        "word/numbering.xml": _root("numbering", *_numbering(body.numberings)),
        "word/header.xml": _root("hdr", _paragraph("Header", runs("" if draft.is_letter else _short(draft.title)))),
        "word/footer.xml": _root("ftr", _footer(_short(draft.company or draft.opportunity_number), width)),
    }
    contents = {name: tostring(part, "UTF-8", xml_declaration=True) for name, part in parts.items()}
    for name in _HOUSE_STYLE:
        text = Path(__file__).with_name("parts").joinpath(f"{name}.xml").read_text("utf-8")
        contents[f"word/{name}.xml"] = text.replace("{language}", _LANGUAGES[language]).encode()
    return _zipped(contents)


def _add_title(body: Body, draft: DraftRead) -> None:
    """Add the title and, below it, the opportunity and the applicant. A draft that was never renamed is titled after both."""
    title = draft.title.removesuffix(f": {draft.opportunity_title}")
    body.add("Title", title)
    purpose = " · ".join(filter(str.strip, (draft.opportunity_title, draft.opportunity_number)))
    for line in filter(str.strip, (purpose, draft.company)):
        body.add("Subtitle", line)


def _add_letter(body: Body, draft: DraftRead) -> None:
    """Add the letter below the sender's name, as on a letterhead, with space for the signature."""
    if draft.company.strip():
        body.add("Title", draft.company)
    for section in _written(draft):
        closing, _, signature = section.text.partition("\n\n")
        if signature and closing == t("Sincerely,"):
            body.add("AfterTable", "")
            body.add("BodyText", closing)
            body.add("BodyText", "")
            body.add_markdown(signature)
        else:
            body.add_markdown(section.text)


def _written(draft: DraftRead) -> list[DraftSectionRead]:
    return [section for section in draft.sections if section.text.strip()]


def _section_properties(page_size: tuple[int, int]) -> Element:
    width, height = page_size
    margins = dict.fromkeys(("top", "right", "bottom", "left"), _MARGIN)
    return w(
        "sectPr",
        _related(w("headerReference", type="default"), "header"),
        _related(w("footerReference", type="default"), "footer"),
        w("pgSz", w=width, h=height),
        w("pgMar", **margins, header=720, footer=720, gutter=0),
    )


def _footer(text: str, width: int) -> Element:
    """Return a footer with `text` at the start of the line, and the page number and page count at its end."""
    before, between, after = t("Page {page} of {pages}", page="\0", pages="\0").split("\0")
    content = (
        *runs(text),
        w("r", w("tab")),
        *runs(before),
        *field("PAGE", "1"),
        *runs(between),
        *field("NUMPAGES", "1"),
        *runs(after),
    )
    return _paragraph("Footer", content, w("tabs", w("tab", val="right", pos=width)))


def _paragraph(style: str, content: Iterable[Element], *properties: Element) -> Element:
    return w("p", w("pPr", w("pStyle", val=style), *properties), *content)


def _footnotes(texts: Iterable[str]) -> Iterator[Element]:
    """Return the footnotes, preceded by the two separators that Word requires."""
    for number, kind in ((-1, "separator"), (0, "continuationSeparator")):
        line = w("p", w("pPr", w("spacing", after=0, line=240, lineRule="auto")), w("r", w(kind)))
        yield w("footnote", line, type=kind, id=number)
    mark = RunFormat("FootnoteReference")
    for number, text in enumerate(texts, start=1):
        content = (w("r", *mark.properties(), w("footnoteRef")), *runs(f" {text}"))
        yield w("footnote", _paragraph("FootnoteText", content, *([w("bidi")] if is_right_to_left(text) else [])), id=number)


def _numbering(numberings: Iterable[tuple[int, int]]) -> Iterator[Element]:
    """Return the definitions for bullets and numbers, with a separate start number for each numbered list."""
    for kind, name in ((BULLETS, "bullet"), (NUMBERS, "decimal")):
        levels = (_level(level, name) for level in range(9))
        yield w("abstractNum", w("multiLevelType", val="hybridMultilevel"), *levels, abstractNumId=kind)
    yield w("num", w("abstractNumId", val=BULLETS), numId=BULLETS)
    for number, (level, start) in enumerate(numberings, start=BULLETS + 1):
        override = w("lvlOverride", w("startOverride", val=start), ilvl=level)
        yield w("num", w("abstractNumId", val=NUMBERS), override, numId=number)


def _level(level: int, kind: str) -> Element:
    sign = _BULLET_SIGNS[level % 3] if kind == "bullet" else f"%{level + 1}."
    return w(
        "lvl",
        w("start", val=1),
        w("numFmt", val=kind if kind == "bullet" else _NUMBER_FORMATS[level % 3]),
        w("lvlText", val=sign),
        w("lvlJc", val="left"),
        w("pPr", w("ind", left=INDENT * (level + 1), hanging=INDENT)),
        ilvl=level,
    )


def _content_types() -> Element:
    types = Element("Types", xmlns=f"{_PACKAGE}/content-types")
    SubElement(types, "Default", Extension="rels", ContentType="application/vnd.openxmlformats-package.relationships+xml")
    SubElement(types, "Default", Extension="xml", ContentType="application/xml")
    for name, kind in _PARTS.items():
        SubElement(types, "Override", PartName=f"/word/{name}.xml", ContentType=kind)
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    SubElement(types, "Override", PartName="/docProps/core.xml", ContentType=core)
    extended = "application/vnd.openxmlformats-officedocument.extended-properties+xml"
    SubElement(types, "Override", PartName="/docProps/app.xml", ContentType=extended)
    return types


def _relationships(targets: Iterable[tuple[str, str, str]]) -> Element:
    root = Element("Relationships", xmlns=f"{_PACKAGE}/relationships")
    for name, kind, target in targets:
        SubElement(root, "Relationship", Id=name, Type=kind, Target=target)
    return root


def _package_relationships() -> Element:
    return _relationships(
        (
            ("rIdDocument", f"{_OFFICE}/relationships/officeDocument", "word/document.xml"),
            ("rIdCore", f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
            ("rIdApp", f"{_OFFICE}/relationships/extended-properties", "docProps/app.xml"),
        )
    )


def _document_relationships(links: Mapping[str, str]) -> Element:
    own = (name for name in _PARTS if name != "document")
    root = _relationships((_relation(name), f"{_OFFICE}/relationships/{name}", f"{name}.xml") for name in own)
    for address, name in links.items():
        kind = f"{_OFFICE}/relationships/hyperlink"
        SubElement(root, "Relationship", Id=name, Type=kind, Target=address, TargetMode="External")
    return root


def _related(element: Element, part: str) -> Element:
    element.set("r:id", _relation(part))
    return element


def _relation(part: str) -> str:
    return f"rId{part[0].upper()}{part[1:]}"


def _core_properties(draft: DraftRead, author: str, language: str) -> Element:
    namespaces = {
        "xmlns:cp": f"{_PACKAGE}/metadata/core-properties",
        "xmlns:dc": "http://purl.org/dc/elements/1.1/",
        "xmlns:dcterms": "http://purl.org/dc/terms/",
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    }
    root = Element("cp:coreProperties", namespaces)
    values = {
        "dc:title": draft.title,
        "dc:subject": draft.opportunity_number,
        "dc:creator": author,
        "cp:lastModifiedBy": author,
        "dc:language": language,
    }
    for name, value in values.items():
        if value:
            SubElement(root, name).text = clean(value)
    for name in ("dcterms:created", "dcterms:modified"):
        moment = SubElement(root, name, {"xsi:type": "dcterms:W3CDTF"})
        moment.text = f"{draft.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return root


def _extended_properties(company: str) -> Element:
    root = Element("Properties", xmlns=f"{_OFFICE}/extended-properties")
    if company:
        SubElement(root, "Company").text = clean(company)
    return root


def _root(tag: str, *children: Element) -> Element:
    root = w(tag, *children)
    root.attrib.update(NAMESPACES)
    return root


def _short(text: str) -> str:
    return textwrap.shorten(text, _MAX_IN_HEADER, placeholder=" …")


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()
