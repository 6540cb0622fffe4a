"""Reads HTML files, and web pages saved with their pictures (MHTML)."""

from __future__ import annotations

import email
import email.policy
import io
import re
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Block, Document, Mark, without_signs
from fundwright.reading.formats import HEAD_BYTES
from fundwright.reading.from_docling import blocks_of, converted
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
_NO_SIZE = re.compile(
    r"(?<![\w-])font-size\s*:\s*0(?:\.\d+)?(?:px|pt|em|rem|%)?\s*(?:;|$)|(?<![\w-])opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_WHITE = re.compile(r"(?<![\w-])color\s*:\s*(?:#fff(?:fff)?\b|white\b|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))", re.IGNORECASE)
_BACKGROUND = re.compile(r"(?<![\w-])background(?:-color|-image)?\s*:", re.IGNORECASE)
_STRIKES = re.compile(r"(?<![\w-])text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_DEEPEST = 200
"""Elements that are nested deeper than this count as children of the element at this depth."""


class HtmlReader:
    media_type = "text/html"
    label = "HTML"
    suffixes = (".html", ".htm")

    def recognizes(self, head: bytes, filename: str) -> bool:
        if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return False
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return start.startswith((b"<!doctype html", b"<html")) or (filename.lower().endswith(self.suffixes) and b"<" in start)

    def read(self, content: bytes, filename: str) -> Document:
        text = decode_html(content, filename)
        return Document(tuple(blocks_of_html(text)), title_of_html(text))


class WebArchiveReader:
    media_type = "multipart/related"
    label = "MHTML"
    suffixes = (".mht", ".mhtml")

    def recognizes(self, head: bytes, filename: str) -> bool:
        start = head.lower()
        return b"mime-version:" in start and (b"multipart/related" in start or filename.lower().endswith(self.suffixes))

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


def blocks_of_html(text: str) -> list[Block]:
    """The blocks of a page, as a browser without scripts shows it. What it hides is marked."""
    from docling.datamodel.backend_options import HTMLBackendOptions
    from lxml import etree, html

    # lxml rejects text that declares its own encoding.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", without_signs(text))
    try:
        root = html.document_fromstring(text, parser=html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True))
    except etree.ParserError:  # there is nothing but comments
        return []
    _simplify(root)
    source = io.BytesIO(etree.tostring(root, method="html", encoding="utf-8"))
    options = HTMLBackendOptions(infer_furniture=False)
    return with_boxes(blocks_of(converted(source, "HTML", "html_backend:HTMLDocumentBackend", options), is_page=True))


def _simplify(root: Any) -> None:
    """Remove what is no text, mark what is not shown, and take the formats off, so that no word is divided."""
    from lxml import etree

    etree.strip_elements(root, *_IGNORED, with_tail=False)
    for picture in root.iter("img"):
        picture.attrib.pop("alt", None)
    for button in list(root.iter("button")):
        if next(button.iterancestors(*_NAMED), None) is not None:
            button.drop_tag()
        else:
            button.drop_tree()
    for option in list(root.iter("option")):
        if "selected" not in option.attrib:
            option.drop_tree()
    _limit_depth(root)
    for element in root.iter(etree.Element):
        report_progress()
        mark = _mark_of(element)
        if mark:
            for text in element.iter(etree.Element):
                text.text = mark.around(text.text or "")
                if text is not element:
                    text.tail = mark.around(text.tail or "")
            element.attrib.pop("style", None)
            element.attrib.pop("hidden", None)
    etree.strip_tags(root, *_FORMATS, *_STRUCK, "span")


def _mark_of(element: Any) -> Mark | None:
    style = element.get("style", "")
    if "hidden" in element.attrib or _NOT_SHOWN.search(style) or _NO_SIZE.search(style):
        return Mark.HIDDEN
    if _WHITE.search(style) and not any(
        _BACKGROUND.search(each.get("style", "")) or "bgcolor" in each.attrib or "class" in each.attrib
        for each in (element, *element.iterancestors())
    ):
        return Mark.HIDDEN
    return Mark.STRUCK if element.tag in _STRUCK or _STRIKES.search(style) else None


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
