"""Reads RTF files."""

from __future__ import annotations

from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document, without_signs
from fundwright.reading.paragraphs import paragraphs, words_of


class RtfReader:
    media_type = "application/rtf"
    label = "RTF"
    suffixes = (".rtf",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.lstrip().startswith(b"{\\rtf")

    def read(self, content: bytes, filename: str) -> Document:
        from striprtf.striprtf import rtf_to_text

        # RTF is ASCII; its own escapes name other characters.
        lines = without_signs(rtf_to_text(content.decode("cp1252", errors="replace"), errors="replace")).splitlines()
        return Document(tuple(with_boxes(paragraphs(lines, words_of(lines)))))
