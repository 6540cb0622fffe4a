"""A small file of each format, with most of what its reader looks for."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage

import docx
import odfdo
import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_THEME_COLOR

from tests.reading.pictures import page_with, saved
from tests.support.outlook import written_msg
from tests.support.pdf_files import written_pdf

_HTML = (
    '<!doctype html><meta charset="iso-8859-2"><title>x</title><style>.h{display:none} td.w, #b{color:#fff} @media print{.b:not(.c){background:url(x)}} .o{position:absolute;left:-99em}</style><h2>Our <b>team</b></h2><p>Nine people.<br>All <s>77</s> here.</p>'
    "<table><caption>Rates</caption><tr><th colspan=2>Role<th>Rate<tr><td rowspan=2>Lead<td>A<td>$90<tr><td>B<td>5</table><ul><li><input type=checkbox checked>Yes<li>No</ul>"
    '<pre>a\n b</pre><form><label for=n>Name</label><input id=n value=Ada><select><option selected>One</select></form><img alt="A roof"><p class=h>hidden<p id=b style="font-size:1px">tiny<p class=o>far'
)
_MARKDOWN = (
    "---\ntitle: Plan\n---\n# Team\n\nWe are **nine** [people](http://x.example/a_(b)) ~~77~~ <span hidden>7 <b style='color:#fff'>8</b></span>.[^1]\n\nPlan\n----\n\n```\n# code\n```\n- [x] first\n1. one\n> said\n\n"
    "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n\n[^1]: A note.\n"
)
_TEXT = "STATEMENT OF WORK\n\n1.2 Scope of Services\n\nThe contractor shall main-\ntain 252.227-\n7014 Überprüfung.\n\n• one\n(a) two\n[x] Yes\n\fPage 2\n"
_RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset238 B;}}{\colortbl;\red0\green0\blue0;\red255\green255\blue255;}{\stylesheet{\s1 heading 1;}}\pard\s1 Team\par We hold {\strike 77}{\v 78\u233?\'e9}{\cf2\highlight1 9}{\cf2\fs2\cb2 7}{\deleted\uc2\u233??}12 patents.{\footnote In 2025.}\par"
    r"{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres1}}}{\fldrslt }} Small\par\trowd\cellx1 Item\cell Q1\cell\row\trowd Staff\cell 5\cell\row\pard {\f1 z\'b3oty}\u8364?\par}"
)
_REPLY = (
    "From: a@x.example\nSubject: Re: Fwd: Award\nMIME-Version: 1.0\n\nYes.\n> Who?\n>> I.\n\nOn 4/6/26 09:00, Ann <ann@x.example>\nwrote:\n> It is 5.\n\n---------- Forwarded message ---------\n"
    "From: Ann\nDate: Mon\nTo: Bo;\n bo@x.example\nSubject: x\n\nThe award is 5.\n\n-----Original Message-----\nVon: Ann\nGesendet: 9:00\nBetreff: x\n\nOld.\n"
)
_QUOTED = "<div class=gmail_quote>On Mon 9:00 a@x.example wrote:<blockquote type=cite>Old<table><tr><td>a<td>b</table></blockquote></div><div id=divRplyFwdMsg>From: A<br>Sent: 9<br>To: B</div>Old."
_CSV = 'Item;Q1;Q2\n"Staff; all";1,234.50;5\nTravel;"a\nb";\n;;7\n'
_DRAWN = "We hold 12 patents."


def samples() -> Iterator[tuple[str, bytes]]:
    """Files, each with how its name ends."""
    yield ".pdf", written_pdf([b"(1.2 Scope)", b"(We build boats.)"], [b"(Item    Rate)", b"(Lead    $90)"], before=b"0 0 0 rg")
    yield ".pdf", saved(page_with([(40, 40, _DRAWN)], size=(480, 120)), form="PDF", resolution=150)
    yield ".docx", _docx()
    yield ".docx", strict(_docx())
    yield ".xlsx", _xlsx()
    yield ".pptx", _pptx()
    yield from ((suffix, _odf(kind)) for suffix, kind in ((".odt", "text"), (".ods", "spreadsheet"), (".odp", "presentation")))
    drawn = page_with([(40, 40, _DRAWN)], size=(480, 120))
    yield from ((".jpg", saved(drawn.convert(mode), form="JPEG")) for mode in ("RGB", "L", "CMYK"))
    yield from ((".png", saved(drawn.convert(mode), form="PNG")) for mode in ("RGB", "RGBA", "P", "1", "I;16"))
    yield ".tif", saved(drawn.convert("1"), form="TIFF", compression="group4")
    yield ".tif", saved(drawn.convert("L"), drawn.convert("1"), form="TIFF")
    yield ".tif", saved(drawn.convert("CMYK"), form="TIFF", compression="tiff_lzw")
    yield ".eml", _email()
    yield ".eml", _REPLY.encode()
    yield ".msg", written_msg({0x37: "Award", 0x1000: "The award is $412,900.", 0x0C1A: "Ann", 0x0C1F: "ann@x.example"})
    yield ".msg", written_msg({0x37: "Award", 0x0C1A: "Ann", 0x0C1F: "ann@x.example"}, _HTML.encode())
    yield ".rtf", _RTF.encode()
    yield ".html", _HTML.encode("iso-8859-2")
    yield ".mht", _web_archive()
    yield ".md", _MARKDOWN.encode()
    yield ".csv", _CSV.encode()
    yield ".txt", _TEXT.encode()
    yield ".zip", _zip({"a.md": _MARKDOWN.encode(), "b/b.html": _HTML.encode(), "c.docx": _docx(), ".DS_Store": b""})


def strict(content: bytes) -> bytes:
    """The file as Word saves it in the strict form of the format."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(target := io.BytesIO(), "w") as written:
        for name in archive.namelist():
            part = archive.read(name)
            for kind in (
                b"officeDocument/2006/relationships",
                b"officeDocument/2006/math",
                b"wordprocessingml/2006/",
                b"drawingml/2006/",
            ):
                part = part.replace(
                    b"http://schemas.openxmlformats.org/" + kind, b"http://purl.oclc.org/ooxml/" + kind.replace(b"/2006", b"")
                )
            written.writestr(name, part)
    return target.getvalue()


def _docx() -> bytes:
    document = docx.Document()
    document.add_heading("Team", level=1)
    document.add_paragraph("Two engineers know every component.", style="List Bullet")
    document.add_paragraph("☒ Yes ☐ No").add_run("77").font.strike = True
    table = document.add_table(rows=3, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Lead"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "$90"
    document.sections[0].header.paragraphs[0].text = "Draft"
    document.save(target := io.BytesIO())
    return target.getvalue()


def _xlsx() -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    for row in (["Budget 2025"], ["Item", None, "Cost"], ["Staff", None, 1234.5], ["Hidden", None, "=A1"]):
        sheet.append(row)
    sheet["C3"].number_format = '"$"#,##0.00;[Red]-0'
    sheet.merge_cells("A1:C1")
    sheet.row_dimensions[4].hidden = True
    workbook.save(target := io.BytesIO())
    return target.getvalue()


def _pptx() -> bytes:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Bridges"
    box = slide.shapes.add_group_shape().shapes.add_textbox(0, 0, 9_000, 9_000)
    run = box.text_frame.paragraphs[0].add_run()
    run.text, run.font.size, run.font.color.theme_color = "white", 12_700, MSO_THEME_COLOR.BACKGROUND_1
    slide.shapes.add_table(2, 2, 0, 0, 9_000, 9_000).table.cell(0, 0).text = "Lead"
    data = CategoryChartData()
    data.categories = ["Springfield", "Shelbyville"]
    data.add_series("Bridges", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9_000, 9_000, data)
    slide.notes_slide.notes_text_frame.text = "Say it."
    slides.save(target := io.BytesIO())
    return target.getvalue()


def _odf(kind: str) -> bytes:
    document = odfdo.Document(kind)
    document.body.clear()
    table = odfdo.Table("Sheet")
    table.set_row_values(0, ["Item", "Rate"])
    table.set_row_values(1, ["Lead", 90])
    if kind == "presentation":
        page = odfdo.DrawPage("page1", name="Page 1")
        page.append(odfdo.Frame.text_frame(["Bridges", "Roofs"], size=("7cm", "5cm"), position=("1cm", "1cm")))
        document.body.append(page)
    elif kind == "text":
        document.body.append(odfdo.Header(1, "Team"))
        document.body.append(odfdo.List(["One", "Two"]))
        document.body.append(table)
    else:
        document.body.append(table)
    document.save(target := io.BytesIO())
    return target.getvalue()


def _email() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"], message["Date"] = (
        "Ann <ann@x.example>",
        "Award – task 7",
        "Mon, 6 Apr 2026 09:00:00 +0000",
    )
    message.set_content("The award is $412,900. Work begins on April 6.")
    message.add_alternative(_HTML + _QUOTED, subtype="html")
    message.add_attachment("Award: $50,000", filename="award.txt")
    message.add_attachment(EmailMessage())
    return message.as_bytes()


def _web_archive() -> bytes:
    archive = EmailMessage()
    archive["From"], archive["Subject"] = "<Saved by Blink>", "Our team"
    archive.make_related()
    archive.add_related(_HTML, subtype="html")
    return archive.as_bytes()


def _zip(files: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(target := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()
