"""Pictures of text, as scanners and cameras make them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import pypdf
import pypdfium2
from PIL import Image, ImageDraw, ImageFont
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, StreamObject

Placed = tuple[int, int, str]
"""The left and the top in pixels, and a text."""


def page_of(*lines: str, size: tuple[int, int] = (1275, 1650), left: int = 120) -> Image.Image:
    """A page of 8.5 by 11 inches at 150 dpi, with a line of 12 points in each fifth of an inch. Empty lines separate paragraphs."""
    return page_with([(left, 120 + 31 * number, line) for number, line in enumerate(lines)], size=size)


def page_with(texts: Iterable[Placed], *, size: tuple[int, int] = (1275, 1650)) -> Image.Image:
    page = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(24)
    for left, top, text in texts:
        draw.text((left, top), text, "black", font)
    return page


def page_with_table(
    rows: Sequence[Sequence[str]], widths: Sequence[int], *, is_ruled: bool, dpi: int = 150, above: str = "Schedule of rates"
) -> Image.Image:
    """A page with a paragraph, a table whose columns have these widths in pixels at 150 dpi, and another paragraph."""
    scale, height = dpi / 150, 44
    page = Image.new("RGB", (round(1275 * scale), round(1650 * scale)), "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(24 * scale)
    lefts, top = [120 + sum(widths[:column]) for column in range(len(widths) + 1)], 200
    bottom = top + height * len(rows)
    draw.text((120 * scale, 100 * scale), f"{above}\nThe prices apply from January to December.", "black", font)
    for number, row in enumerate(rows):
        for left, text in zip(lefts, row, strict=False):
            draw.text(((left + 10) * scale, (top + height * number + 8) * scale), text, "black", font)
    if is_ruled:
        for left in lefts:
            draw.line([(left * scale, top * scale), (left * scale, bottom * scale)], "black", round(2 * scale))
        for number in range(len(rows) + 1):
            y = (top + height * number) * scale
            draw.line([(lefts[0] * scale, y), (lefts[-1] * scale, y)], "black", round(2 * scale))
    draw.text((120 * scale, (bottom + 30) * scale), "Travel is billed at cost, with receipts.", "black", font)
    return page


def saved(*pages: Image.Image, form: str = "PNG", **options: object) -> bytes:
    several = {"save_all": True, "append_images": pages[1:]} if form in ("PDF", "TIFF") else {}
    pages[0].save(target := io.BytesIO(), form, **several, **options)
    return target.getvalue()


def picture_of(*lines: str, form: str) -> bytes:
    return saved(page_of(*lines), form=form)


def pdf_with_a_font_without_a_character_map(lines: Sequence[str]) -> bytes:
    """A font of bitmaps whose codes and names say nothing, as old TeX writes them."""
    writer = pypdf.PdfWriter()
    font, letters = ImageFont.load_default(48), sorted({letter for line in lines for letter in line})
    glyphs, widths = DictionaryObject(), list[float]()
    for number, letter in enumerate(letters):
        width = max(8, round(font.getlength(letter)))
        bitmap = Image.new("1", (width, 64), 1)
        ImageDraw.Draw(bitmap).text((0, 0), letter, 0, font)
        glyph = StreamObject()
        glyph.set_data(
            b"%d 0 0 -16 %d 48 d1 q %d 0 0 64 0 -16 cm BI /IM true /W %d /H 64 /BPC 1 ID " % (width, width, width, width)
            + bitmap.tobytes()
            + b"\nEI Q"
        )
        glyphs[NameObject(f"/g{number}")] = writer._add_object(glyph)
        widths.append(width)
    names = ArrayObject([NumberObject(1), *(NameObject(f"/g{number}") for number in range(len(letters)))])
    type3 = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type3"), NameObject("/CharProcs"): glyphs,
            NameObject("/FontBBox"): ArrayObject(map(NumberObject, (0, -16, 64, 48))),
            NameObject("/FontMatrix"): ArrayObject(map(FloatObject, (1 / 48, 0, 0, 1 / 48, 0, 0))),
            NameObject("/Encoding"): DictionaryObject({NameObject("/Type"): NameObject("/Encoding"), NameObject("/Differences"): names}),
            NameObject("/FirstChar"): NumberObject(1), NameObject("/LastChar"): NumberObject(len(letters)),
            NameObject("/Widths"): ArrayObject(map(FloatObject, widths)),
        }
    )  # fmt: skip
    page = writer.add_blank_page(width=612, height=792)
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): type3})})
    content = StreamObject()
    shown = " T* ".join("<" + "".join(f"{letters.index(letter) + 1:02x}" for letter in line) + "> Tj" for line in lines)
    content.set_data(f"BT /F1 12 Tf 15 TL 60 700 Td {shown} ET".encode())
    page[NameObject("/Contents")] = writer._add_object(content)
    writer.write(target := io.BytesIO())
    return target.getvalue()


def pages_of_pdf(content: bytes, *, dpi: int) -> list[Image.Image]:
    return [page.render(scale=dpi / 72).to_pil().convert("RGB") for page in pypdfium2.PdfDocument(content)]
