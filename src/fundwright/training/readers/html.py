"""Reads HTML files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.training.readers import HEAD_BYTES, Block
from fundwright.training.readers.text import decode, read_text


class HtmlReader:
    media_type = "text/html"
    label = "HTML"

    def recognizes(self, head: bytes, filename: str) -> bool:
        if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return False
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return start.startswith((b"<!doctype html", b"<html")) or (filename.lower().endswith((".html", ".htm")) and b"<" in start)

    def read(self, path: Path, filename: str) -> list[Block]:
        from lxml import html

        source = read_text(path, filename)
        declared = re.search(rb"<meta[^>]+charset=[\"']?([\w-]+)", source[:HEAD_BYTES], re.IGNORECASE)
        text = decode(source, filename, declared.group(1).decode("ascii") if declared else None)
        # lxml rejects text that declares its own encoding.
        text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
        return _HtmlBlocks().of(
            html.document_fromstring(text, parser=html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True))
        )


class _HtmlBlocks:
    """Collects blocks from a document tree without recursion, because broken pages can nest thousands of levels deep."""

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
            report_progress()
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
