"""A draft as a Markdown or Word file: its text and its sources, without any text of the product's own."""

from __future__ import annotations

import re

from fundwright.core.messages import t
from fundwright.generation.footnotes import Footnotes
from fundwright.generation.plain import as_markdown
from fundwright.generation.schemas import CitationStyle, DraftRead, ExportedDraft, ExportFormat
from fundwright.generation.word import word_file

_ACTIVE = re.compile(
    r"(?<!\\)((?:\\\\)*+)(\[(?=\^[0-9]+\])|!(?=\[|\Z)|<(?!https?:|mailto:)(?=[a-z/!?]|\Z)|(?:\](?=[(:])|\A(?=\())(?!.\s*+<?(?:https?://|mailto:))"
    r"|\\\Z)",
    re.IGNORECASE,
)
"""Images, HTML, links to other than web and email addresses, what looks like one of our footnotes, and a last backslash, which would hide
the footnote after it. Documents may contain them, and a draft quotes documents. Group 1 are backslashes before, each of which is escaped."""
_MEDIA_TYPES = {
    ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def export(
    draft: DraftRead, form: ExportFormat, *, citations: CitationStyle = CitationStyle.FOOTNOTES, author: str = ""
) -> ExportedDraft:
    """The whole draft as one file, named after its title, in the current language. CPU-bound: call it in a thread.

    `author` is named in the properties of a Word file whose draft names no company.
    """
    if form is ExportFormat.MARKDOWN:
        content = markdown(draft, citations=citations).encode()
    else:
        content = word_file(draft, citations=citations, author=author)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", draft.title).strip("-")[:80].strip("-") or "draft"
    return ExportedDraft(filename=f"{stem}.{form}", media_type=_MEDIA_TYPES[form], content=content)


def markdown(draft: DraftRead, *, citations: CitationStyle = CitationStyle.FOOTNOTES) -> str:
    """The whole draft as one text with footnotes `[^n]`, as GitHub and Pandoc read them. Sections without text are left out, and so
    are the headings of a letter."""
    footnotes = Footnotes(draft.citations, citations)
    parts = [] if draft.is_letter else [f"# {as_markdown(draft.title)}"]
    for section in draft.sections:
        if section.text.strip():
            pieces = footnotes.split(section.text.strip() + "\n")  # nothing is escaped at the end of a section
            text = "".join(
                f"[^{piece}]" if isinstance(piece, int) else _ACTIVE.sub(r"\1\\\2", piece) for piece in pieces
            ).rstrip()
            parts += [text] if draft.is_letter else [f"## {as_markdown(t(section.heading))}", text]
    parts += [f"[^{number}]: {as_markdown(text)}" for number, text in enumerate(footnotes.texts, start=1)]
    return "\n\n".join(parts) + "\n"
