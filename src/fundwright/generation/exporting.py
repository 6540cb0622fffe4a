"""A draft as a Markdown or Word file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from babel.dates import format_date
from markdown_it import MarkdownIt
from markdown_it.token import Token

from fundwright.core.messages import current_language, t
from fundwright.generation.schemas import CitationRead, DraftRead, ExportedDraft, ExportFormat

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph

_MEDIA_TYPES = {
    ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_LISTS = {"bullet_list_open": "List Bullet", "ordered_list_open": "List Number"}
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def export(draft: DraftRead, form: ExportFormat) -> ExportedDraft:
    """The whole draft as one file, named after its title, in the current language. CPU-bound: call it in a thread."""
    content = markdown(draft).encode() if form is ExportFormat.MARKDOWN else _word(draft)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", draft.title).strip("-")[:80] or "draft"
    return ExportedDraft(filename=f"{stem}.{form}", media_type=_MEDIA_TYPES[form], content=content)


def markdown(draft: DraftRead) -> str:
    """The whole draft as one text."""
    parts = [f"# {draft.title}", _origin(draft)]
    for section in draft.sections:
        parts += [f"## {t(section.heading)}", section.text or f"_{_unanswered()}_"]
    if draft.open_questions:
        parts += [f"## {t('Open questions')}", "\n".join(f"- {question}" for question in _open_questions(draft))]
    if draft.citations:
        parts += [f"## {t('Sources')}", "\n".join(f"- [{source.number}] {_source(source)}" for source in draft.citations)]
    return "\n\n".join(parts) + "\n"


def _word(draft: DraftRead) -> bytes:
    from docx import Document  # takes a tenth of a second, which every command would wait for

    document = Document()
    document.core_properties.title = _clean(draft.title)[:255]
    document.add_heading(_clean(draft.title), level=0)
    document.add_paragraph(_clean(_origin(draft)))
    for section in draft.sections:
        document.add_heading(_clean(t(section.heading)), level=1)
        _add_markdown(document, section.text or f"*{_unanswered()}*")
    if draft.open_questions:
        document.add_heading(t("Open questions"), level=1)
        for question in _open_questions(draft):
            document.add_paragraph(_clean(question), style="List Bullet")
    if draft.citations:
        document.add_heading(t("Sources"), level=1)
        for source in draft.citations:
            document.add_paragraph(_clean(f"[{source.number}] {_source(source)}"))
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _origin(draft: DraftRead) -> str:
    number = f" ({draft.opportunity_number})" if draft.opportunity_number else ""
    return t(
        "For: {opportunity}. Drafted on {date} with {writer}.",
        opportunity=f"{draft.opportunity_title}{number}",
        date=format_date(draft.created_at, format="long", locale=current_language()),
        writer=t(draft.writer_label) if draft.writer_label else "Fundwright",
    )


def _unanswered() -> str:
    return t("Your documents do not cover this section.")


def _open_questions(draft: DraftRead) -> Iterator[str]:
    for heading, missing in draft.open_questions:
        yield t("{heading}: add {missing}.", heading=t(heading), missing=t(missing))


def _source(citation: CitationRead) -> str:
    page = t("page {page}", page=citation.page) if citation.page is not None else ""
    heading = f"“{citation.heading}”" if citation.heading else ""
    return ", ".join(filter(None, (citation.document_title, page, heading)))


def _add_markdown(document: WordDocument, text: str) -> None:
    """Headings, paragraphs and lists with bold and italic; anything else as plain text."""
    styles: list[str] = []
    style, level = "Normal", 0
    for token in MarkdownIt("commonmark", {"html": False}).parse(text):
        if token.type in _LISTS:
            styles.append(_LISTS[token.type])
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            styles.pop()
        elif token.type == "heading_open":
            level = min(int(token.tag[1:]) + 1, 9)
        elif token.type == "inline":
            style = styles[-1] if styles else "Normal"
            _add_runs(document.add_heading(level=level) if level else document.add_paragraph(style=style), token)
            level = 0
        elif token.type in ("fence", "code_block"):
            document.add_paragraph(_clean(token.content))


def _add_runs(paragraph: Paragraph, inline: Token) -> None:
    is_bold = is_italic = False
    for token in inline.children or ():
        if token.type in ("strong_open", "strong_close"):
            is_bold = token.type == "strong_open"
        elif token.type in ("em_open", "em_close"):
            is_italic = token.type == "em_open"
        else:
            content = " " if token.type in ("softbreak", "hardbreak") else token.content
            run = paragraph.add_run(_clean(content))
            run.bold, run.italic = is_bold or None, is_italic or None


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("", text)
