"""Converts citations `[n]` to footnotes, one for each cited place in a document, numbered in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fundwright.core.messages import t
from fundwright.generation.schemas import CitationRead, CitationStyle
from fundwright.language.schemas import heading_text

_CITED = re.compile(
    r"(?<!\s)(?P<before>\s*+)(?P<cited>\[[0-9]{1,4}(?:\s*+[,;]\s*+[0-9]{1,4})*+\](?:\s*+\[[0-9]{1,4}(?:\s*+[,;]\s*+[0-9]{1,4})*+\])*)"
    r"(?P<after>[.,;:!?…]*[”»]?)"
)
_AFTER_QUESTION = re.compile(r"(?<=[?!])[.,](?=”)")
"""The period or comma after a heading that asks, as in “Why Tidemark?”"""
_NUMBER = re.compile(r"[0-9]+")


class Footnotes:
    """Collects footnotes while the text is read from start to end. `texts[n - 1]` is the text of footnote n."""

    def __init__(self, citations: Sequence[CitationRead], style: CitationStyle) -> None:
        self._places = {citation.number: _place(citation) for citation in citations}
        self._numbers: dict[str, int] = {}
        self._style = style

    @property
    def texts(self) -> list[str]:
        return list(self._numbers)

    def split(self, text: str) -> Iterator[str | int]:
        """Return the text without its citations, and the footnote numbers in their positions, after the punctuation.

        Numbers in brackets that are not citations remain text.
        """
        end = 0
        for match in _CITED.finditer(text):
            cited = [int(number) for number in _NUMBER.findall(match["cited"])]
            if not all(number in self._places for number in cited):
                continue
            yield text[end : match.start()] + match["after"]
            end = match.end()
            if self._style is CitationStyle.FOOTNOTES:
                places = dict.fromkeys(self._places[number] for number in cited)
                yield from [self._numbers.setdefault(place, len(self._numbers) + 1) for place in places]
        yield text[end:]


def _place(citation: CitationRead) -> str:
    """Name document, heading, and page for a reader. Headings that repeat the document's title are left out."""
    title, page = citation.document_title, citation.page_label or citation.page
    path = [part for part in citation.heading if part.casefold() not in title.casefold()]
    heading = heading_text(path)
    if heading and page is not None:
        return _AFTER_QUESTION.sub(
            "", t("{document}, “{heading},” page {page}.", document=title, heading=heading, page=str(page))
        )
    if heading:
        return _AFTER_QUESTION.sub("", t("{document}, “{heading}.”", document=title, heading=heading))
    if page is not None:
        return t("{document}, page {page}.", document=title, page=str(page))
    return f"{title.rstrip('.')}."
