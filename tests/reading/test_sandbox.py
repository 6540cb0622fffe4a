"""Each reader works where documents are read: without new modules, files, threads, or programs."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import odfdo
import openpyxl
import pptx
import pytest

from fundwright.core.assembly import Core
from fundwright.reading.plugin import document_readers
from fundwright.training import extraction
from tests.reading.pictures import picture_of
from tests.support.outlook import written_msg
from tests.support.pdf_files import written_pdf

_TEXT = "We hold 12 patents."


def _docx() -> bytes:
    document = docx.Document()
    document.add_paragraph(_TEXT)
    document.save(target := io.BytesIO())
    return target.getvalue()


def _xlsx() -> bytes:
    workbook = openpyxl.Workbook()
    workbook.worksheets[0].append([_TEXT])
    workbook.save(target := io.BytesIO())
    return target.getvalue()


def _pptx() -> bytes:
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = _TEXT
    slides.save(target := io.BytesIO())
    return target.getvalue()


def _odf(kind: str) -> bytes:
    document = odfdo.Document(kind)
    document.body.clear()
    if kind == "spreadsheet":
        document.body.append(table := odfdo.Table("Sheet"))
        table.set_row_values(0, [_TEXT])
    else:
        document.body.append(odfdo.Paragraph(_TEXT))
    document.save(target := io.BytesIO())
    return target.getvalue()


def _email() -> bytes:
    message = EmailMessage()
    message["From"] = "ann@x.example"
    message.set_content(_TEXT)
    message.add_attachment(_docx(), "application", "octet-stream", filename="plan.docx")
    return message.as_bytes()


def _zip() -> bytes:
    with zipfile.ZipFile(target := io.BytesIO(), "w") as archive:
        archive.writestr("plans/plan.docx", _docx())
    return target.getvalue()


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("a.pdf", written_pdf([f"({_TEXT})".encode()])), ("a.docx", _docx()), ("a.xlsx", _xlsx()), ("a.pptx", _pptx()),
        ("a.odt", _odf("text")), ("a.ods", _odf("spreadsheet")), ("a.eml", _email()), ("a.html", f"<html><p>{_TEXT}".encode()),
        ("scan.pdf", picture_of(_TEXT, form="PDF")), ("a.jpg", picture_of(_TEXT, form="JPEG")), ("a.png", picture_of(_TEXT, form="PNG")),
        ("a.tif", picture_of(_TEXT, form="TIFF")), ("a.zip", _zip()),
        ("a.rtf", rf"{{\rtf1 {_TEXT}\par}}".encode()), ("a.md", _TEXT.encode()), ("a.csv", _TEXT.encode()), ("a.txt", _TEXT.encode()), ("a.msg", written_msg({0x0C1F: "ann@x.example", 0x1000: _TEXT})),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
async def test_a_document_is_read(core: Core, tmp_path: Path, filename: str, content: bytes) -> None:
    (path := tmp_path / "content").write_bytes(content)
    content = await extraction.extract(core, list(document_readers()), path, filename)
    assert _TEXT in (await extraction.divide(core, content, filename, title="A")).text
