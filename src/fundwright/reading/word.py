"""Reads Word files: DOCX, DOCM, DOTX, and DOTM."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

from fundwright.core.messages import t
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Attachment, Block, Document, Paragraph, runs_of
from fundwright.reading.formats import Unreadable
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.tabs import with_tables
from fundwright.reading.word_parts import word_parts
from fundwright.reading.xml_parts import rewritten

_RELATIONSHIPS = "_rels/.rels"
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(_STRICT + rb"(\w+)/([\w./-]+)")
_MAX_UNPACKED_BYTES = 300_000_000
_MAX_PARTS = 10_000
_MAX_PART_BYTES = 50_000_000
"""The parser needs about ten times the size of a part."""


class WordReader:
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    label = "DOCX"
    suffixes = (".docx", ".docm", ".dotx", ".dotm")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"word/" in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        content = _transitional(content)
        parts = word_parts(content)
        notes: dict[str, Sequence[Block]] = {
            key: [Paragraph(runs_of(text)[0]) for text in texts] for key, texts in parts.notes.items()
        }
        notes |= {key: [Attachment(name.rpartition("/")[2], part)] for key, (name, part) in parts.embedded.items()}
        return Document(
            tuple(
                with_boxes(with_tables(blocks_of(converted(parts.file, "DOCX", "msword_backend:MsWordDocumentBackend"), notes)))
            ),
            _title(content),
            fields=parts.fields,
        )


def _transitional(content: bytes) -> bytes:
    """A strict file with the names of namespaces and relationships that other files have."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if _RELATIONSHIPS not in archive.namelist() or _STRICT not in archive.read(_RELATIONSHIPS):
            return content

        def named(name: str, part: bytes) -> bytes:
            is_xml = name.endswith((".xml", ".rels"))
            return _STRICT_NAME.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", part) if is_xml else part

        return rewritten(archive, named).getvalue()


def _title(content: bytes) -> str:
    import docx

    try:
        return docx.Document(io.BytesIO(content)).core_properties.title
    except Exception:  # properties are often damaged, and only propose a title
        return ""


def check_unpacked_size(content: bytes, filename: str) -> None:
    """Raise Unreadable if a ZIP file unpacks to too much."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.infolist()
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise Unreadable(
            t(
                "“{filename}” unzips to more than {size} bytes or {count} files. Split the document and add its parts.",
                filename=filename,
                size=_MAX_UNPACKED_BYTES,
                count=_MAX_PARTS,
            )
        )
    if any(part.file_size > _MAX_PART_BYTES and part.filename.lower().endswith((".xml", ".rels")) for part in parts):
        raise Unreadable(
            t(
                "A part of “{filename}” unzips to more than {size} bytes. Split the document and add its parts.",
                filename=filename,
                size=_MAX_PART_BYTES,
            )
        )
