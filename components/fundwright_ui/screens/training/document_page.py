"""A page of a document as a picture, with its words over it as text that can be selected."""

from __future__ import annotations

from collections.abc import Sequence

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright.training.display import Highlight, PlacedText, ShownPage
from fundwright.training.schemas import DocumentRead, PictureWidth, ViewQuery
from fundwright_ui.product import use_connection
from fundwright_ui.ui.elements import attributes

_UNITS = 1_000
"""The width of a page in the units of the drawing."""
_BASELINE = 0.22
"""Of the height of a line, from below."""
_MOST_READ = 2_000
_CLASSES = {Highlight.CITED: "fw-page-cited", Highlight.HIT: "fw-page-hit", Highlight.CURRENT: "fw-page-current"}


def shown_page(document: DocumentRead, page: ShownPage, query: ViewQuery) -> VdomDict:
    number, height = page.position.page, page.height * _UNITS
    width = PictureWidth.LARGE if int(query.zoom) > 100 else PictureWidth.NORMAL
    src = use_connection().href(f"/api/training/documents/{document.id}/pages/{number}?width={width.value}")
    name = f"{number} {query.find} {query.hit} {query.passage} {query.quotes}"
    linked = next(
        (
            mark
            for wanted in (Highlight.CURRENT, Highlight.CITED, Highlight.HIT)
            for mark in page.marks
            if mark.highlight is wanted
        ),
        None,
    )
    marked = " … ".join(mark.text for mark in page.marks)[:_MOST_READ]
    return html.div(
        {
            "className": "fw-pages",
            "data-pages": name,
            "tabIndex": 0,
            "role": "group",
            "aria-label": t("Page {page}", page=number),
            "key": name,
        },
        html.p({"className": "fw-visually-hidden"}, t("Highlighted on this page: {text}", text=marked)) if marked else None,
        html.div(
            {"className": f"fw-picture fw-zoom-{query.zoom}"},
            html.img(
                {
                    "src": src,
                    "alt": t("Picture of page {page}", page=number),
                    "width": str(PictureWidth.NORMAL.value),
                    "height": str(round(PictureWidth.NORMAL * page.height)),
                    "decoding": "async",
                }
            ),
            html.svg(
                {
                    "className": "fw-words",
                    "viewBox": f"0 0 {_UNITS} {height:.0f}",
                    "role": "group",
                    "aria-label": t("Text of page {page}", page=number),
                },
                *_rectangles(page.marks, height, linked),
                *_lines(page.lines, height),
            ),
        ),
    )


def _rectangles(marks: Sequence[PlacedText], height: float, linked: PlacedText | None) -> list[VdomDict]:
    return [
        html.svg.rect(
            attributes(
                className=_CLASSES[mark.highlight],
                x=f"{mark.left * _UNITS:.1f}",
                y=f"{mark.top * height:.1f}",
                width=f"{max(mark.right - mark.left, 0) * _UNITS:.1f}",
                height=f"{max(mark.bottom - mark.top, 0) * height:.1f}",
                data_linked=True if mark is linked else None,
            )
        )
        for mark in marks
        if mark.highlight is not None
    ]


def _lines(lines: Sequence[PlacedText], height: float) -> list[VdomDict]:
    return [
        html.text(
            {
                "x": f"{line.left * _UNITS:.1f}",
                "y": f"{(line.bottom - _BASELINE * (line.bottom - line.top)) * height:.1f}",
                "fontSize": f"{(line.bottom - line.top) * height * (1 - _BASELINE):.1f}",
                "textLength": f"{(line.right - line.left) * _UNITS:.1f}",
                "lengthAdjust": "spacingAndGlyphs",
            },
            line.text,
        )
        for line in lines
        if line.right > line.left and line.bottom > line.top
    ]
