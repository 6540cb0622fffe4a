"""Reads Markdown files."""

from __future__ import annotations

import re

from fundwright.reading.document import Document
from fundwright.reading.html import blocks_of_html
from fundwright.reading.text import decode, is_text

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:[^\r\n]*\r?\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.{1,300}?)[\"']?[ \t]*$", re.MULTILINE)
_NOTE = re.compile(r"^\[\^([\w-]{1,60})\]:[ \t]*", re.MULTILINE)
_REFERENCE = re.compile(r"\[\^[\w-]{1,60}\]")


class MarkdownReader:
    media_type = "text/markdown"
    label = "Markdown"
    suffixes = (".md", ".markdown")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return filename.lower().endswith(self.suffixes) and is_text(head)

    def read(self, content: bytes, filename: str) -> Document:
        from markdown_it import MarkdownIt

        text = decode(content, filename)
        matter = _FRONT_MATTER.match(text)
        title = _TITLE.search(matter[0]) if matter else None
        text = text[matter.end() :] if matter else text
        text = _REFERENCE.sub("", _NOTE.sub("", text))
        rendered = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"]).render(text)
        return Document(tuple(blocks_of_html(rendered)), title[1] if title else "")
