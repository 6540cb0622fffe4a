"""The plug-in hooks of reading."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.plugins import hookimpl
from fundwright.reading.archives import ZipReader
from fundwright.reading.formats import Reader
from fundwright.reading.html import HtmlReader, WebArchiveReader
from fundwright.reading.images import IMAGE_READERS
from fundwright.reading.mail import EmailReader, OutlookReader
from fundwright.reading.markdown import MarkdownReader
from fundwright.reading.opendocument import OPEN_DOCUMENT_READERS
from fundwright.reading.pdf import PdfReader
from fundwright.reading.presentations import PresentationReader
from fundwright.reading.rtf import RtfReader
from fundwright.reading.spreadsheets import SeparatedReader
from fundwright.reading.text import TextReader
from fundwright.reading.word import WordReader
from fundwright.reading.workbooks import WorkbookReader


@hookimpl
def document_readers() -> Iterable[Reader]:
    # The text reader accepts everything that no other reader recognizes, so it must be last.
    formats = (WebArchiveReader(), EmailReader(), OutlookReader(), RtfReader(), HtmlReader(), MarkdownReader(), SeparatedReader())
    packages = (ZipReader(), PdfReader(), WordReader(), WorkbookReader(), PresentationReader(), *OPEN_DOCUMENT_READERS)
    return [*packages, *IMAGE_READERS, *formats, TextReader()]
