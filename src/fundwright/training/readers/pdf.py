"""Reads PDF files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress
from fundwright.training.readers import Block, Unreadable
from fundwright.training.readers.paragraphs import paragraphs, words_of

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
"""Single characters for several letters. They are replaced, because nobody searches for them and Word sets its own ligatures."""


class PdfReader:
    media_type = "application/pdf"
    label = "PDF"

    def recognizes(self, head: bytes, filename: str) -> bool:
        return b"%PDF-" in head[:1024]

    def read(self, path: Path, filename: str) -> list[Block]:
        import pypdf

        document = pypdf.PdfReader(path)
        if document.is_encrypted and not document.decrypt(""):
            raise Unreadable(
                t("“{filename}” is password-protected. Save a copy without a password and add that.", filename=filename)
            )
        pages = [_page_lines(page, number, filename) for number, page in enumerate(document.pages, start=1)]
        if not any(line.strip() for page in pages for line in page):
            raise Unreadable(
                t(
                    "“{filename}” has pages but no text: it seems to be a scan. Run text recognition on it and add the result.",
                    filename=filename,
                )
            )
        repeated = _repeated_lines(pages)
        words = words_of(line for page in pages for line in page)
        return [
            block
            for number, page in enumerate(pages, start=1)
            for block in paragraphs([line for line in page if _without_digits(line) not in repeated], words, page=number)
        ]

    def title(self, path: Path) -> str:
        import pypdf

        metadata = pypdf.PdfReader(path).metadata
        return "" if metadata is None else metadata.title or ""


def _page_lines(page: Any, number: int, filename: str) -> list[str]:
    report_progress()
    try:
        text: str = page.extract_text()
    except Exception as error:  # pypdf raises errors of many kinds for damaged pages
        raise Unreadable(
            t(
                "Page {number} of “{filename}” is damaged. Print the document to a new PDF and add that.",
                number=number,
                filename=filename,
            )
        ) from error
    return text.translate(_LIGATURES).splitlines()


def _repeated_lines(pages: list[list[str]]) -> set[str]:
    """Return page headers and footers: lines at the top or bottom of most pages, ignoring numbers."""
    if len(pages) < 4:
        return set()
    edges: Counter[str] = Counter()
    for page in pages:
        lines = [line for line in page if line.strip()]
        edges.update({_without_digits(line) for line in (*lines[:3], *lines[-3:])})
    return {line for line, count in edges.items() if count > len(pages) * 0.6}


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "#", line.strip())
