"""Text that a person does not see, and formats that divide no word."""

from __future__ import annotations

import io
import zipfile

import pptx
import pytest
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.util import Cm, Pt

from fundwright.reading.document import Heading, Item, Mark, Paragraph, walk
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from tests.reading.test_spreadsheets import ODF_NAMES
from tests.reading.test_word import paragraph, row, run, table, word_file

_READERS = list(document_readers())
_STYLES = (
    '<style:style style:name="bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="gone" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="old" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="tiny" style:family="text"><style:text-properties fo:font-size="1pt"/></style:style>'
    '<style:style style:name="white" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>'
    '<style:style style:name="dark" style:family="paragraph"><style:paragraph-properties fo:background-color="#000000"/></style:style>'
    '<style:style style:name="Gone" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="Based" style:family="paragraph" style:parent-style-name="Gone"/>'
    '<style:style style:name="shown" style:family="text"><style:text-properties text:display="true"/></style:style>'
)


def odt(body: str, *, kind: str = "text", styles: str = "") -> bytes:
    source = (
        f"<office:document-content {ODF_NAMES}><office:automatic-styles>{_STYLES}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    with zipfile.ZipFile(target := io.BytesIO(), "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", source)
        archive.writestr("styles.xml", f"<office:document-styles {ODF_NAMES}>{styles}</office:document-styles>")
        archive.writestr("meta.xml", f"<office:document-meta {ODF_NAMES}/>")
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return target.getvalue()


def spans(content: bytes, filename: str) -> list[tuple[str, Mark | None]]:
    blocks = walk(read(_READERS, content, filename).blocks)
    return [(run.text, run.mark) for block in blocks if isinstance(block, Paragraph | Heading | Item) for run in block.runs]


def span(style: str, text: str) -> str:
    return f'<text:span text:style-name="{style}">{text}</text:span>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<text:p>{span('bold', 'H')}ydro{span('up', '2')}</text:p>", [("Hydro²", None)]),
        (f"<text:p>12{span('old', '77')} patents</text:p>", [("12", None), ("77", Mark.STRUCK), (" patents", None)]),
        (f"<text:p>12{span('gone', '77')} patents</text:p>", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
        (f"<text:p>12{span('white', '77')} patents</text:p>", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
        (f"<text:p>12{span('tiny', '77')} patents</text:p>", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
        (f'<text:p text:style-name="dark">12 {span("white", "patents")}</text:p>', [("12 patents", None)]),
        (f'<text:p text:style-name="Based">Old {span("shown", "12 patents")}</text:p>', [("Old ", Mark.HIDDEN), ("12 patents", None)]),
        ('<text:p>Old<text:hidden-paragraph text:is-hidden="true"/></text:p>', [("Old", Mark.HIDDEN)]),
        ('<text:section text:display="none"><text:p>Old</text:p></text:section>', [("Old", Mark.HIDDEN)]),
        (
            '<text:tracked-changes><text:changed-region text:id="c"><text:deletion><text:p>77</text:p></text:deletion></text:changed-region>'
            '</text:tracked-changes><text:p>12<text:change text:change-id="c"/> patents</text:p>',
            [("12", None), ("77", Mark.DELETED), (" patents", None)],
        ),
    ],
)  # fmt: skip
def test_of_texts_is_marked(body: str, expected: list[tuple[str, Mark | None]]) -> None:
    assert spans(odt(f"<text:p>We hold patents.</text:p>{body}"), "a.odt")[1:] == expected


def test_struck_text_of_slides_is_marked_and_slides_are_counted() -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    runs = slide.shapes.title.text_frame.paragraphs[0]
    for text in ("We hold ", "77 ", "12 patents."):
        runs.add_run().text = text
    runs.runs[1]._r.get_or_add_rPr().set("strike", "sngStrike")
    slides.save(target := io.BytesIO())
    assert spans(target.getvalue(), "a.pptx") == [("We hold ", None), ("77 ", Mark.STRUCK), ("12 patents.", None)]
    document = read(_READERS, target.getvalue(), "a.pptx")
    assert [line.text for line in lines_of(document)] == ["We hold 12 patents."]
    assert report_of(document).read_text == "1 slide"


@pytest.mark.parametrize(
    ("source", "mark"),
    [
        ("<style>.a, p#b {color: White}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<style>body {background: #fff none} p {color: #FFFFFF !important}</style><p style='color: red'>77</p>", Mark.HIDDEN),
        ("<style>.a {position: absolute; left: -9999px}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<p style='position: absolute; top: -100em'>77</p>", Mark.HIDDEN),
        ("<p style='text-indent: -9999px'>77</p>", Mark.HIDDEN),
        ("<p style='font-size: 1px'>77</p>", Mark.HIDDEN),
        ("<p><font color='#ffffff'>77</font></p>", Mark.HIDDEN),
        ("<div style='color: #fff'><p>77</p></div>", Mark.HIDDEN),
        ("<style>.a {color: #fff} section.b.c:not(.d) {background: navy}</style><section class='c b'><p class=a>77</p></section>", None),
        ("<style>.a {color: #fff} @media screen {main > div {background: url(x)}}</style><div class=a>77</div>", None),
        ("<style>.a {color: #fff}</style><link rel=stylesheet href=x><p class=a>77</p>", None),
        ("<style>.a {color: #fff}</style><table><tr><td bgcolor=blue class=a>77</table>", None),
        ("<style>.a {color: #fff} .b {color: #000}</style><div class=a><p class=b>77</p></div>", None),
        ("<style>.a {display: none}</style><p class=a style='display: block'>77</p>", None),
        ("<style media=print>.a {display: none}</style><p class=a>77</p>", None),
        ("<style>.tab-pane {display: none} .tab-pane.active {display: block}</style><p class='tab-pane active'>77</p>", None),
        ("<style>.a {display: none} .open .a {display: block}</style><p class=a>77</p>", None),
        ("<style>.a {visibility: hidden} .open > p.a {visibility: visible}</style><p class=a>77</p>", None),
        ("<style>.a {opacity: 0} .a.in {opacity: 1}</style><p class='a in'>77</p>", None),
        ("<style>.a {color: #fff} .b .a {color: #333}</style><p class=a>77</p>", None),
        ("<style>section {display: none} .b section {display: block}</style><section>77</section>", None),
        ("<style>.a {display: none !important} @media (min-width: 9px) {.b {display: block !important}}</style><p class='a b'>77</p>", None),
        ("<style>.a {display: none} .b {display: block}</style><p class='b a'>77</p>", None),
        ("<style>.b {display: block} .a {display: none}</style><p class='a b'>77</p>", Mark.HIDDEN),
        ("<style>.a {display: none !important} .a {display: block}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<style>.a {display: none ! important} .open .a {display: block}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<style>.open .a {display: block}</style><p class=a style='display: none'>77</p>", Mark.HIDDEN),
        ("<style>.a {display: none} .card p {display: block} .a:hover {display: none}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<style>.a {color: #fff} @media print {* {color: #000 !important}}</style><p class=a>77</p>", Mark.HIDDEN),
        ("<p style='color: white; text-shadow: 0 0 2px #000'>77</p>", None),
        ("<p style='font-size: 0.8em'>77</p>", None),
        ("<div style='font-size: 0'><p style='font-size: 13px'>77</p></div>", None),
        ("<p style='position: relative; left: -9999px'>77</p>", None),
    ],
)  # fmt: skip
def test_of_pages_is_marked(source: str, mark: Mark | None) -> None:
    assert ("77", mark) in spans(f"<html><h1>Team</h1>{source}</html>".encode(), "a.html")


_WHITE_ON_NAVY = '<table><tr bgcolor="navy"><td style="color:white">12</td></tr></table>'


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("We hold <span hidden>77 </span>12 patents.", [("We hold ", None), ("77 ", Mark.HIDDEN), ("12 patents.", None)]),
        ("12<b class='a' style='display: none'>7<b>7</b></b> patents", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
        ('12<span style="color:#fff">77</span><i STYLE="font-size:0">78</i>', [("12", None), ("77", Mark.HIDDEN), ("78", Mark.HIDDEN)]),
        ("<div hidden>\n\n# 77\n\n</div>\n12", [("# 77", Mark.HIDDEN), ("12", None)]),
        ("<p hidden>77\n\n12", [("77", Mark.HIDDEN), ("12", None)]),
        ("<p title='a hidden b'>12</p>", [("12", None)]),
        ("Write `<span hidden>` for 12\n", [("Write `` for 12", None)]),
        ("```\n<div hidden>\n```\n12", [("<div hidden>\n12", None)]),
        ("| a | b | c |\n|---|---|---|\n| 12 | 13 <i hidden>| 77</i> | 14 |", [(each, None) for each in ("a", "b", "c", "12", "13 ")] + [("/ 77", Mark.HIDDEN), ("14", None)]),
        ('<div style="background:#003366">\n<span style="color:white">12</span></div>', [("\n12", None)]),
        (_WHITE_ON_NAVY, [(_WHITE_ON_NAVY, None)]),
        ("<div class=a><div>12</div><b style='color:white'>13</b></div><b style='color:white'>77</b>", [("1213", None), ("77", Mark.HIDDEN)]),
        ("<b title='a class=b' style='color:white'>77</b>", [("77", Mark.HIDDEN)]),
        ("<br hidden>12 <span style='color:#fff;background:#000'>patents</span>", [("12 patents", None)]),
    ],
)  # fmt: skip
def test_of_markdown_is_marked(source: str, expected: list[tuple[str, Mark | None]]) -> None:
    assert [(text, mark) for text, mark in spans(f"Team\n\n{source}\n".encode(), "a.md")[1:] if text.strip()] == expected


def test_rows_and_cells_that_are_deleted_or_hidden_are_marked() -> None:
    def cells(*words: str) -> list[str]:
        return [paragraph(run(word)) for word in words]

    names, values = ("Item", "Owner", "Due"), ("Design", "Ann", "June")
    deleted = row(*cells("Old", "77", "May"), properties='<w:trPr><w:del w:id="2" w:author="x"/></w:trPr>')
    hidden = row(*cells("Floor", "78", "Mai"), properties="<w:trPr><w:hidden/></w:trPr>")
    cell = f'<w:tc><w:tcPr><w:cellDel w:id="3" w:author="x"/></w:tcPr>{paragraph(run("79"))}</w:tc>'
    last = row(*cells(*values)).replace("<w:tc>", f"{cell}<w:tc>", 1)
    content = word_file(table(deleted, row(*cells(*names)), hidden, last))
    marked = {text: mark for text, mark in spans(content, "a.docx") if mark}
    assert marked == {
        **dict.fromkeys(("Old", "77", "May", "79"), Mark.DELETED),
        **dict.fromkeys(("Floor", "78", "Mai"), Mark.HIDDEN),
    }
    lines = lines_of(read(_READERS, content, "a.docx"))
    assert [line.text for line in lines] == ["| Item | Owner | Due |\n| - | - | - |\n| Design | Ann | June |"]


_COLORS = r"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;\red31\green78\blue121;}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"12 {\v 77}{\strike 78}{\deleted 79} patents", [("12 ", None), ("77", Mark.HIDDEN), ("78", Mark.STRUCK), ("79", Mark.DELETED), (" patents", None)]),
        (r"{\v \'e9t\u233?\u-559?, caf\uc2\u233 ??!}12\u233 ?\u-559?", [("été, café!", Mark.HIDDEN), ("12é", None)]),
        (r"{\v 77\par 78}12", [("77", Mark.HIDDEN), ("78", Mark.HIDDEN), ("12", None)]),
        (r"12{\cf2 77}{\cf3 13}{\cf2\plain 14}{\fs2 78}", [("12", None), ("77", Mark.HIDDEN), ("1314", None), ("78", Mark.HIDDEN)]),
        (r"{\cf2\highlight3 12}{\cf2\chcbpat3 13}\par\pard\cbpat3{\cf2 14}\par\pard{\cf2\cb2 77}", [("1213", None), ("14", None), ("77", Mark.HIDDEN)]),
        (r"\trowd\clcbpat3\cellx1\cellx2\pard\intbl{\cf2 12}\cell 13\cell\row\pard", [("12", None), ("13", None)]),
        (r"\trowd\cellx1\cellx2\pard\intbl{\cf2 77}\cell 13\cell\row\pard", [("77", Mark.HIDDEN), ("13", None)]),
        (r"{\cf2\chshdng10000\chcfpat3 12}{\cf2\chbgcross 13}{\cf2\highlight3 14\highlight0 77}{\cf2\chshdng0\chcfpat2 78}", [("121314", None), ("7778", Mark.HIDDEN)]),
        (r"\pard\plain\shading10000\cfpat3\cbpat2\cf2 12\par\pard\bgdkhoriz 13\par\pard\shading0\cfpat0\cbpat0 77", [("12", None), ("13", None), ("77", Mark.HIDDEN)]),
        (r"\trowd\clcfpat3\clshdng10000\cellx1\cellx2\pard\intbl\cf2 12\cell 13\cell\row\pard 77", [("12", None), ("13", None), ("77", Mark.HIDDEN)]),
        (r"\trowd\clshdng10000\cellx1\pard\cf2 12\cell 13\cell\row\pard", [("12", None), ("13", None)]),
        (r"\trowd\clshdng0\clcfpat0\clcbpat2\cellx1\pard\intbl\cf2 77\cell\cf1 13\cell\row\pard", [("77", Mark.HIDDEN), ("13", None)]),
        (r"\pard\intbl\cf2 12\cell 13\cell\pard\intbl\trowd\clcbpat3\cellx1\cellx2\row\pard 77", [("12", None), ("13", None), ("77", Mark.HIDDEN)]),
        (r"\pard\itap2\cf2 12\nestcell{\*\nesttableprops\trowd\clcbpat3\cellx1\nestrow}\pard\intbl\itap1 13\cell 14\cell\trowd\cellx2\row\pard\itap0 77", [("12", None), ("13", None), ("14", None), ("77", Mark.HIDDEN)]),
        (r"{\*\background{\shp{\*\shpinst{\sp{\sn fillColor}{\sv 6697728}}}}}\cf2 12", [("12", None)]),
        (r"\pard\tx1{\listtext 1.\tab}{\v 77}12", [("77", Mark.HIDDEN), ("12", None)]),
        (r"{\v {\*\generator x;}77}12", [("77", Mark.HIDDEN), ("12", None)]),
    ],
)  # fmt: skip
def test_of_rtf_is_marked(source: str, expected: list[tuple[str, Mark | None]]) -> None:
    found = spans(rf"{{\rtf1\ansi{_COLORS}Team\par\pard {source}\par}}".encode(), "a.rtf")[1:]
    assert found == expected


def slide_with(*texts: tuple[str, int, dict[str, object]], background: MSO_THEME_COLOR | None = None) -> bytes:
    """A slide with a box for each text, so many centimeters from the left, and its look."""
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    if background is not None:
        slide.background.fill.solid()
        slide.background.fill.fore_color.theme_color = background
    for text, left, look in (("Team", 20, {}), *texts):
        box = slide.shapes.add_textbox(Cm(left), Cm(2), Cm(4), Cm(1))
        run = box.text_frame.paragraphs[0].add_run()
        run.text = text
        if "size" in look:
            run.font.size = Pt(look["size"])
        if "theme" in look:
            run.font.color.theme_color = look["theme"]
        if "color" in look:
            run.font.color.rgb = RGBColor.from_string(look["color"])
        if "fill" in look:
            box.fill.solid()
            box.fill.fore_color.rgb = RGBColor.from_string(look["fill"])
    slides.save(target := io.BytesIO())
    return target.getvalue()


_WHITE_THEME = {"theme": MSO_THEME_COLOR.BACKGROUND_1}


@pytest.mark.parametrize(
    ("content", "mark"),
    [
        (slide_with(("77", 2, {"color": "FFFFFF"})), Mark.HIDDEN),
        (slide_with(("77", 2, {"color": "FFFFFF", "fill": "FFFFFF"})), Mark.HIDDEN),
        (slide_with(("77", 2, _WHITE_THEME)), Mark.HIDDEN),
        (slide_with(("77", 2, _WHITE_THEME), ("12", 10, {"fill": "1F4E79"})), Mark.HIDDEN),
        (slide_with(("77", 2, {"size": 1})), Mark.HIDDEN),
        (slide_with(("77", -10, {})), Mark.HIDDEN),
        (slide_with(("77", 2, _WHITE_THEME | {"fill": "1F4E79"})), None),
        (slide_with(("77", 2, _WHITE_THEME), ("12", 3, {"fill": "1F4E79"})), None),
        (slide_with(("77", 2, _WHITE_THEME), background=MSO_THEME_COLOR.ACCENT_1), None),
        (slide_with(("77", -2, {"size": 8})), None),
    ],
    ids=["white", "white on white", "of the theme", "beside a color", "tiny", "beside the slide", "on a color", "on a shape", "on a background", "in part"],
)  # fmt: skip
def test_white_tiny_and_far_text_of_slides_is_marked(content: bytes, mark: Mark | None) -> None:
    assert ("77", mark) in spans(content, "a.pptx")


_MASTER = (
    '<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout>'
    '</office:automatic-styles><office:master-styles><style:master-page style:name="M" style:page-layout-name="L"/></office:master-styles>'
)
_BLUE = '<style:graphic-properties draw:fill="solid" draw:fill-color="#1f4e79"/>'


def frame(text: str, style: str = "", left: int = 2) -> str:
    place = f'svg:x="{left}cm" svg:y="2cm" svg:width="4cm" svg:height="1cm"'
    return f'<draw:frame draw:style-name="{style}" {place}><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>'


@pytest.mark.parametrize(
    ("shapes", "mark"),
    [
        (frame(span("white", "77")), Mark.HIDDEN),
        (frame(span("white", "77")) + frame("12", "blue", left=10), Mark.HIDDEN),
        (frame(span("tiny", "77")), Mark.HIDDEN),
        (frame("77", left=-10), Mark.HIDDEN),
        (frame(span("white", "77"), "blue"), None),
        (frame("12", "blue") + frame(span("white", "77"), left=3), None),
        (frame("77", left=-2), None),
    ],
    ids=["white", "beside a color", "tiny", "beside the slide", "on a color", "on a shape", "in part"],
)
def test_white_tiny_and_far_text_of_opendocument_slides_is_marked(shapes: str, mark: Mark | None) -> None:
    master = _MASTER.replace("</office:automatic-styles>", f'<style:style style:name="blue" style:family="graphic">{_BLUE}</style:style></office:automatic-styles>')  # fmt: skip
    page = f'<draw:page draw:name="1" draw:master-page-name="M">{shapes}</draw:page>'
    assert ("77", mark) in spans(odt(page, kind="presentation", styles=master), "a.odp")
