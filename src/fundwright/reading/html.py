"""Reads HTML files, and web pages saved with their pictures (MHTML)."""

from __future__ import annotations

import email
import email.policy
import io
import re
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading import css
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.css import StyleSheet
from fundwright.reading.document import Block, Document, Mark, kept, without_signs
from fundwright.reading.formats import HEAD_BYTES
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.quotes import Envelope, mark_quotes, with_quotes
from fundwright.reading.symbols import CHECKED, UNCHECKED, raised
from fundwright.reading.text import decode

_FORMATS = ("b", "strong", "i", "em", "u", "small", "big", "sub", "sup", "font", "mark", "abbr", "acronym", "cite", "code", "kbd", "samp", "tt", "var", "q", "dfn", "time", "data", "bdi", "bdo", "ins", "a", "wbr")  # fmt: skip
_STRUCK = ("s", "strike", "del")
_IGNORED = (
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "svg",
    "iframe",
    "canvas",
    "dialog",
    "title",
    "meta",
    "link",
    "base",
)
_NAMED = ("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "th", "legend")
"""A button in one of these opens what it names. Other buttons are no text."""
_NOT_WRITTEN = ("hidden", "password", "submit", "button", "reset", "image", "file", "color", "range")
_DEEPEST = 200
"""Elements that are nested deeper than this count as children of the element at this depth."""


class HtmlReader:
    media_type = "text/html"
    label = "HTML"
    suffixes = (".html", ".htm", ".xhtml")

    def recognizes(self, head: bytes, filename: str) -> bool:
        if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return False
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        is_xhtml = start.startswith(b"<?xml") and b"<html" in start
        return (
            is_xhtml
            or start.startswith((b"<!doctype html", b"<html"))
            or (filename.lower().endswith(self.suffixes) and b"<" in start)
        )

    def read(self, content: bytes, filename: str) -> Document:
        text = decode_html(content, filename)
        return Document(tuple(blocks_of_html(text)), title_of_html(text))


class WebArchiveReader:
    media_type = "multipart/related"
    label = "MHTML"
    suffixes = (".mht", ".mhtml")

    def recognizes(self, head: bytes, filename: str) -> bool:
        start = head.lower()
        is_archive = (
            filename.lower().endswith(self.suffixes) or b"snapshot-content-location:" in start or b"\nfrom: <saved by" in start
        )
        return b"mime-version:" in start and is_archive

    def read(self, content: bytes, filename: str) -> Document:
        message = email.message_from_bytes(content, policy=email.policy.default)
        page: Any = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
        text = decode_html(page.get_payload(decode=True), filename, page.get_content_charset()) if page is not None else ""
        return Document(tuple(blocks_of_html(text)), title_of_html(text))


def decode_html(content: bytes, filename: str, declared: str | None = None) -> str:
    """Decode a page, in the encoding that it declares unless it is known. Raises Unreadable."""
    found = re.search(rb"<meta[^>]+charset=[\"']?([\w-]+)", content[:HEAD_BYTES], re.IGNORECASE)
    return decode(content, filename, declared or (found.group(1).decode("ascii") if found else None))


def title_of_html(text: str) -> str:
    """The title of a page, or ""."""
    found = re.search(r"<title[^<>]{0,200}>([^<]{1,500})</title", text, re.IGNORECASE)
    return found[1].strip() if found else ""


def blocks_of_html(text: str, *, envelope: Envelope | None = None) -> list[Block]:
    """The blocks of a page, as a browser without scripts shows it. What it hides is marked, and what it quotes if it has the `envelope` of an email."""
    from docling.datamodel.backend_options import HTMLBackendOptions
    from lxml import etree, html

    # lxml rejects text that declares its own encoding.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", without_signs(text))
    try:
        root = html.document_fromstring(text, parser=html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True))
    except etree.ParserError:  # there is nothing but comments
        return []
    if envelope:
        mark_quotes(root)
    _simplify(root)
    source = io.BytesIO(kept(etree.tostring(root, method="html", encoding="unicode")).encode())
    options = HTMLBackendOptions(infer_furniture=False)
    blocks = blocks_of(converted(source, "HTML", "html_backend:HTMLDocumentBackend", options), is_page=True)
    return with_boxes(with_quotes(blocks, envelope) if envelope else blocks)


def _simplify(root: Any) -> None:
    """Remove what is no text, mark what is not shown, write forms as text, and take the formats off, so that no word is divided."""
    from lxml import etree

    sheet = StyleSheet(root)
    etree.strip_elements(root, *_IGNORED, with_tail=False)
    for element in list(root.iter(etree.Element)):
        report_progress()
        _rewrite(element)
    _limit_depth(root)
    _mark_invisible(root, sheet)
    for element in root.iter(etree.Element):
        report_progress()
        mark = Mark.HIDDEN if "hidden" in element.attrib else css.mark_in(sheet.style(element))
        mark = mark or (Mark.STRUCK if element.tag in _STRUCK else None)
        if mark:
            for text in element.iter(etree.Element):
                text.text = mark.around(text.text or "")
                if text.get("alt"):
                    text.set("alt", mark.around(text.get("alt")))
                if text is not element:
                    text.tail = mark.around(text.tail or "")
            element.attrib.pop("style", None)
            element.attrib.pop("hidden", None)
    etree.strip_tags(root, *_FORMATS, *_STRUCK, "span")


def _rewrite(element: Any) -> None:
    """Give an element the form in which docling reads it as a browser shows it."""
    element.attrib.pop("aria-hidden", None)
    match element.tag:
        case "img" if next(element.iterancestors("td", "th"), None) is not None:
            element.tag, element.text = "span", f" {element.get('alt', '')} "  # a figure would take its table apart
        case "tfoot":
            element.tag = "tbody"
        case "ol":
            element.set("start", element.get("start", "1"))
        case "sup":
            element.text = raised(element.text or "")
        case "button":
            if next(element.iterancestors(*_NAMED), None) is not None:
                element.drop_tag()
            else:
                element.drop_tree()
        case "select":
            chosen = element.xpath(".//option[@selected]") or element.xpath(".//option")[:1]
            _become_text(element, ", ".join("".join(option.itertext()).strip() for option in chosen))
        case "textarea":
            _become_text(element, element.text or "")
        case "input":
            kind = element.get("type", "text").lower()
            if kind in ("checkbox", "radio"):
                _become_text(element, CHECKED if "checked" in element.attrib else UNCHECKED)
            else:
                _become_text(element, "" if kind in _NOT_WRITTEN else element.get("value", ""))


def _become_text(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.attrib.clear()
    element.tag, element.text = "span", f" {text} " if text else ""


def _mark(text: str | None, mark: Mark | None) -> str | None:
    return mark.around(text) if mark and text and text.strip() else text


def _mark_invisible(root: Any, sheet: StyleSheet) -> None:
    """Mark tiny text, and white text unless its background may have a color."""
    pending = [(root, False, False, False)]
    while pending:
        report_progress()
        element, is_white, is_tiny, on_color = pending.pop()
        if not isinstance(element.tag, str):
            continue
        style = {"color": element.get("color", "inherit")} if element.tag == "font" else {}
        style |= sheet.style(element)
        own = css.is_white(style)
        is_tiny = css.is_tiny(style, around=is_tiny)
        is_white = own if own is not None else is_white and element.tag != "a"
        on_color = on_color or sheet.may_color(element, style)
        mark = Mark.HIDDEN if is_tiny or (is_white and not on_color) else None
        element.text = _mark(element.text, mark)
        for child in element:
            child.tail = _mark(child.tail, mark)
            pending.append((child, is_white, is_tiny, on_color))


def _limit_depth(root: Any) -> None:
    """Give elements that are nested too deep to the one at the deepest allowed place: broken pages nest thousands of levels."""
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        report_progress()
        if depth == _DEEPEST:
            texts = list(element.itertext())
            for child in list(element):
                element.remove(child)
            element.text = " ".join(texts)
            continue
        pending.extend((child, depth + 1) for child in element)
