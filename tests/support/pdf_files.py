"""PDF files with given words."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence

import pypdf
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, StreamObject, TextStringObject


def written_pdf(*pages: Sequence[bytes], encoding: str = "/WinAnsiEncoding", before: bytes = b"") -> bytes:
    """Pages with these strings, each in a line of its own. `before` sets the state of the graphics."""
    texts = [b" T* ".join(line + b" Tj" for line in lines) for lines in pages]
    return painted_pdf(*(b"BT /F1 11 Tf 14 TL 60 700 Td " + before + b" " + text + b" ET" for text in texts), encoding=encoding)


def painted_pdf(
    *pages: bytes, encoding: str = "/WinAnsiEncoding", changed: Callable[[pypdf.PdfWriter], None] | None = None
) -> bytes:
    """Pages with these streams of contents. `changed` adds to the file."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font |= {NameObject("/BaseFont"): NameObject("/Helvetica"), NameObject("/Encoding"): NameObject(encoding)}
    fonts = DictionaryObject({NameObject("/F1"): font})
    for painted in pages:
        page = writer.add_blank_page(width=612, height=792)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        content = StreamObject()
        content.set_data(painted)
        page[NameObject("/Contents")] = writer._add_object(content)
    if changed is not None:
        changed(writer)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def with_field(writer: pypdf.PdfWriter) -> None:
    """Add a field with the value “Harbor Works”, which no text of the page says, from 100 to 300 and from 695 to 712 points."""
    add_fields(writer, {(100, 695, 300, 712): "Harbor Works"})


def add_fields(writer: pypdf.PdfWriter, values: Mapping[tuple[int, int, int, int], str]) -> None:
    """Add fields with these values, which no text of the page says, by their left, bottom, right, and top."""
    fields = ArrayObject()
    for number, (place, value) in enumerate(values.items()):
        field = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/Widget"), NameObject("/FT"): NameObject("/Tx"),
                NameObject("/T"): TextStringObject(f"name{number}"), NameObject("/V"): TextStringObject(value), NameObject("/F"): NumberObject(4),
                NameObject("/Rect"): ArrayObject(map(FloatObject, place)),
            }
        )  # fmt: skip
        fields.append(writer._add_object(field))
    writer.pages[0][NameObject("/Annots")] = fields
    writer.root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/Fields"): fields})
