"""Pages of PDF files as pictures with words."""

from __future__ import annotations

from pathlib import Path

import pytest

from fundwright.reading import pdf_pages
from fundwright.reading.formats import Unreadable
from tests.support.pdf_files import written_pdf


def test_a_page_that_is_only_counted_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "counted.pdf"
    path.write_bytes(written_pdf([b"(We build boats.)"]).replace(b"/Count 1", b"/Count 9"))
    for shown in (pdf_pages.words(path, "counted.pdf", 2), pdf_pages.picture(path, "counted.pdf", 2, 100, 0.0)):
        with pytest.raises(Unreadable, match="“counted.pdf” cannot be shown"):
            next(shown)
