"""Text of presentations and OpenDocument texts that a person does not see, and formats that divide no word."""

from __future__ import annotations

import io
import zipfile

import pptx
import pytest

from fundwright.reading.document import Heading, Mark, Paragraph, walk
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from tests.reading.test_spreadsheets import ODF_NAMES

_READERS = list(document_readers())
_STYLES = (
    '<style:style style:name="bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="gone" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="old" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="white" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>'
    '<style:style style:name="dark" style:family="paragraph"><style:paragraph-properties fo:background-color="#000000"/></style:style>'
    '<style:style style:name="Gone" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="Based" style:family="paragraph" style:parent-style-name="Gone"/>'
    '<style:style style:name="shown" style:family="text"><style:text-properties text:display="true"/></style:style>'
)


def odt(body: str) -> bytes:
    source = (
        f"<office:document-content {ODF_NAMES}><office:automatic-styles>{_STYLES}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    with zipfile.ZipFile(target := io.BytesIO(), "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", source)
        archive.writestr("styles.xml", f"<office:document-styles {ODF_NAMES}/>")
        archive.writestr("meta.xml", f"<office:document-meta {ODF_NAMES}/>")
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return target.getvalue()


def spans(content: bytes, filename: str) -> list[tuple[str, Mark | None]]:
    blocks = walk(read(_READERS, content, filename).blocks)
    return [(run.text, run.mark) for block in blocks if isinstance(block, Paragraph | Heading) for run in block.runs]


def span(style: str, text: str) -> str:
    return f'<text:span text:style-name="{style}">{text}</text:span>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<text:p>{span('bold', 'H')}ydro{span('up', '2')}</text:p>", [("Hydro²", None)]),
        (f"<text:p>12{span('old', '77')} patents</text:p>", [("12", None), ("77", Mark.STRUCK), (" patents", None)]),
        (f"<text:p>12{span('gone', '77')} patents</text:p>", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
        (f"<text:p>12{span('white', '77')} patents</text:p>", [("12", None), ("77", Mark.HIDDEN), (" patents", None)]),
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
