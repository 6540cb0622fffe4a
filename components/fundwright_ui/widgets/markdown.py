"""Text that people or models wrote."""

from __future__ import annotations

from collections.abc import Sequence

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.widgets.base import On, Props, Widget


class Citation(Props):
    """What `[number]` in the text stands for."""

    number: int
    title: str


class CitationOpened(Props):
    number: int


class MarkdownView(Widget):
    """Markdown by allow-list: no HTML, no images, no address but http, https and mailto; `[n]` opens a citation."""

    text: str
    citations: Sequence[Citation] = ()
    on_citation: On[CitationOpened] = None


def markdown_view(
    text: str, *, citations: Sequence[Citation] = (), on_citation: On[CitationOpened] = None, key: str | None = None
) -> VdomDict:
    """A `MarkdownView` whose text can be read before any script runs."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    fallback = html.div({"className": "fw-markdown fw-prewrap"}, *(html.p(part) for part in paragraphs))
    return MarkdownView(text=text, citations=citations, on_citation=on_citation, key=key, fallback=[fallback])
