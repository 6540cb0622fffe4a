"""Reads Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fundwright.training.readers import Block
from fundwright.training.readers.text import decode, is_text, read_text


class MarkdownReader:
    media_type = "text/markdown"
    label = "Markdown"

    def recognizes(self, head: bytes, filename: str) -> bool:
        return filename.lower().endswith((".md", ".markdown")) and is_text(head)

    def read(self, path: Path, filename: str) -> list[Block]:
        return list(self._blocks(decode(read_text(path, filename), filename).splitlines()))

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


_ADDRESS = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
_TAG = re.compile(
    r" ?<(?:img|br|hr)\b[^<>]{0,1000}>|</?(?:a|b|i|u|em|strong|span|div|p|sub|sup|small|center|font|picture|source|details|summary|kbd|mark)(?:\s[^<>]{0,1000})?>",
    re.IGNORECASE,
)


def _without_markup(line: str) -> str:
    line = re.sub(rf" ?!\[[^\[\]]*\]{_ADDRESS}", "", line)
    line = re.sub(rf"\[([^\[\]]*)\]{_ADDRESS}", r"\1", line)
    line = _TAG.sub("", line)
    line = re.sub(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1", r"\2", line)
    line = re.sub(r"(?<![\w*])[*_](?=\S)([^*_]+?)(?<=\S)[*_](?![\w*])", r"\1", line)
    line = re.sub(r"`([^`]+)`", r"\1", line)
    line = re.sub(r"^\s*>\s?", "", line)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|>-])", r"\1", line)
