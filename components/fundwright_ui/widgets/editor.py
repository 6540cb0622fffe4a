"""The editor of a draft's sections, and its unsaved text."""

from __future__ import annotations

from collections.abc import Sequence

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.widgets.base import Nothing, On, Props, Widget
from fundwright_ui.widgets.markdown import Citation, CitationOpened, rendered


class SectionEditor(Widget):
    """Edit a section as formatted text, and save it to the API at `path` while the person types. Each `[n]` is a chip.

    With a `refusal`, the text can be read and copied, but no longer be edited."""

    path: str
    heading: str
    text: str
    revision: int
    refusal: str = ""
    citations: Sequence[Citation] = ()
    on_citation: On[CitationOpened] = None
    on_done: On[Nothing] = None


class NamedSection(Props):
    id: str
    heading: str


class SectionChosen(Props):
    id: str


class UnsavedTexts(Widget):
    """List unsaved texts that only the browser has, of sections below the API's `path`. The section that is open for editing shows
    its own. Texts of other sections than `sections` can only be copied."""

    path: str
    sections: Sequence[NamedSection]
    editing: str = ""
    on_continue: On[SectionChosen] = None


class LeftTexts(Widget):
    """List unsaved texts that only the browser has, of workspaces other than `workspaces`, to which the person belongs."""

    workspaces: Sequence[str]


def section_editor(
    *,
    path: str,
    heading: str,
    text: str,
    revision: int,
    refusal: str,
    citations: Sequence[Citation],
    on_citation: On[CitationOpened],
    on_done: On[Nothing],
    key: str | None = None,
) -> VdomDict:
    """A `SectionEditor`; until it is loaded, the text can be read."""
    return SectionEditor(
        path=path,
        heading=heading,
        text=text,
        revision=revision,
        refusal=refusal,
        citations=citations,
        on_citation=on_citation,
        on_done=on_done,
        key=key,
        fallback=[html.div({"className": "fw-markdown", "dir": "auto"}, *rendered(text))],
    )
