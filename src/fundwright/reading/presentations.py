"""Reads presentations: PPTX."""

from __future__ import annotations

import io
import re
import zipfile

from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document, Mark, without_signs
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.word import check_unpacked_size
from fundwright.reading.xml_parts import parsed, rewritten, written

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SLIDE = re.compile(r"ppt/(slides|notesSlides|slideLayouts|slideMasters)/[^/]*\.xml")


class PresentationReader:
    media_type = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    label = "PPTX"
    suffixes = (".pptx", ".pptm", ".potx", ".ppsx")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"ppt/" in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            file = rewritten(archive, _simplified)
        blocks = with_boxes(blocks_of(converted(file, "PPTX", "mspowerpoint_backend:MsPowerpointDocumentBackend")))
        return Document(tuple(blocks), are_slides=True)


def _simplified(name: str, part: bytes) -> bytes:
    """A part with signs around the text that is struck through."""
    if not _SLIDE.fullmatch(name):
        return part
    root = parsed(part)
    for text in root.iter(f"{_A}t"):
        properties = text.getparent().find(f"{_A}rPr")
        plain = without_signs(text.text or "")
        is_struck = properties is not None and properties.get("strike", "noStrike") != "noStrike"
        text.text = Mark.STRUCK.around(plain) if is_struck else plain
    return written(root)
