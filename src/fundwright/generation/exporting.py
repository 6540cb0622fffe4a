"""Exports a draft as a Markdown or Word file with its text and sources, and no text added by the product."""

from __future__ import annotations

import re

from fundwright.generation.footnotes import Footnotes
from fundwright.generation.plain import as_markdown
from fundwright.generation.schemas import CitationStyle, DraftRead, ExportedDraft, ExportFormat
from fundwright.generation.word import word_file

_EMAIL = r"mailto:[^\s?&<>()\\]*+"
_ACTIVE = re.compile(
    r"(?<!\\)((?:\\\\)*+)(\[(?=\^[0-9]+\])|!(?=\[|\Z)"
    r"|<(?!(?:https?://[^\s<>\"'`]*+|mailto:[^\s<>\"'`?&]*+)>)(?=[a-z/!?]|[^\s<>@]*+@|\Z)"
    rf"|(?:\](?=[(:])|\A(?=\())(?!.\s*+(?:<?https?://|<{_EMAIL}>|{_EMAIL}[\s)]))|\{{|\\\Z)",
    re.IGNORECASE,
)
"""Active content that quoted documents may contain: images, HTML, links to anything but web addresses and bare email addresses, text that
looks like one of our footnotes, braces, in which Pandoc reads attributes and the format of raw text, and a final backslash, which would
hide the footnote after it. Group 1 contains the backslashes before it, each of which is escaped."""
_CODE_ATTRIBUTES = re.compile(r"^([ \t>*+\d.)-]*+(?:`{3,}+[^`\n{]*+(?=\{[^`\n]*+$)|~{3,}+[^\n{]*+))\{.*$", re.MULTILINE)
"""The attributes after the fence of a code block, in which Pandoc interprets even an escaped brace. No reader displays them."""
_METADATA = re.compile(r"^(---[ \t]*+\n)(?=[^\n]*\S)", re.MULTILINE)
"""The beginning of a block that Pandoc would read as metadata. Followed by an empty line, it is a horizontal rule instead."""
_MEDIA_TYPES = {
    ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def export(
    draft: DraftRead, form: ExportFormat, *, citations: CitationStyle = CitationStyle.FOOTNOTES, author: str = ""
) -> ExportedDraft:
    """Return the whole draft as one file, named after its title. Title, headings, and text are as stored: English, unless people or a model wrote
    them in another language. What cites sources is in the current language. CPU-bound: call it in a thread.

    If the draft names no company, `author` is named in the properties of a Word file.
    """
    if form is ExportFormat.MARKDOWN:
        content = markdown(draft, citations=citations).encode()
    else:
        content = word_file(draft, citations=citations, author=author)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", draft.title).strip("-")[:80].strip("-") or "draft"
    return ExportedDraft(filename=f"{stem}.{form}", media_type=_MEDIA_TYPES[form], content=content)


def markdown(draft: DraftRead, *, citations: CitationStyle = CitationStyle.FOOTNOTES) -> str:
    """Return the whole draft as one text with footnotes `[^n]`, as GitHub and Pandoc read them. Sections without text and the
    headings of a letter are left out."""
    footnotes = Footnotes(draft.citations, citations)
    parts = [] if draft.is_letter else [f"# {as_markdown(draft.title)}"]
    for section in draft.sections:
        if section.text.strip():
            pieces = footnotes.split(section.text.strip() + "\n")  # nothing is escaped at the end of a section
            text = "".join(
                f"[^{piece}]" if isinstance(piece, int) else _ACTIVE.sub(r"\1\\\2", piece) for piece in pieces
            ).rstrip()
            text = _METADATA.sub(r"\1\n", _CODE_ATTRIBUTES.sub(lambda found: found[1].rstrip("\\ "), text))
            parts += [text] if draft.is_letter else [f"## {as_markdown(section.heading)}", text]
    parts += [f"[^{number}]: {as_markdown(text)}" for number, text in enumerate(footnotes.texts, start=1)]
    return "\n\n".join(parts) + "\n"
