"""Reads presentations and OpenDocument files."""

from __future__ import annotations

import io

from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.word import check_unpacked_size


class OfficeReader:
    """Reads one of these formats with its backend of docling."""

    def __init__(self, label: str, media_type: str, suffixes: tuple[str, ...], part: bytes, backend: str) -> None:
        """`part` stands at the beginning of each such file, and `backend` is the module and the class."""
        self.label = label
        self.media_type = media_type
        self.suffixes = suffixes
        self._part = part
        self._backend = backend

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (self._part in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        return Document(tuple(with_boxes(blocks_of(converted(io.BytesIO(content), self.label, self._backend)))))


_OPEN = "application/vnd.oasis.opendocument"
OFFICE_READERS = (
    OfficeReader("PPTX", "application/vnd.openxmlformats-officedocument.presentationml.presentation", (".pptx", ".pptm", ".potx", ".ppsx"), b"ppt/", "mspowerpoint_backend:MsPowerpointDocumentBackend"),
    OfficeReader("ODT", f"{_OPEN}.text", (".odt", ".ott"), f"mimetype{_OPEN}.text".encode(), "opendocument_backend:OdtDocumentBackend"),
    OfficeReader("ODS", f"{_OPEN}.spreadsheet", (".ods",), f"mimetype{_OPEN}.spreadsheet".encode(), "opendocument_backend:OdsDocumentBackend"),
    OfficeReader("ODP", f"{_OPEN}.presentation", (".odp",), f"mimetype{_OPEN}.presentation".encode(), "opendocument_backend:OdpDocumentBackend"),
)  # fmt: skip
