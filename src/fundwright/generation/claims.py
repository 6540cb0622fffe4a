"""The claims of a section: the sentences of its Markdown, its list items, and the cells of its tables, each with its citations.

Headings, text above the greeting of a letter, greetings, signatures, questions, lines that introduce a list, and placeholders in
brackets are not claims.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import inf
from uuid import UUID

from fundwright.generation.checking import Verdict, check
from fundwright.generation.citing import CITATION, numbers_in
from fundwright.generation.schemas import CitationRead, ClaimCheck, DraftRead, PassageQuote, Provenance
from fundwright.language.schemas import heading_text
from fundwright.reading.sentences import spans_of

_LEADING_CITATIONS = re.compile(rf"\A(?:[\s.,;]{{0,3}}{CITATION.pattern})+")
_LINK_ADDRESS = re.compile(r"\]\([^()\s]{1,2000}\)")
_HEADING = re.compile(r"\A(?:[ ]{0,3}#{1,6}(?:\s|$))")
_RULE = re.compile(r"\A(?:[ ]{0,3}(?:-{3,}|\*{3,}|_{3,}|={3,})[ ]*$)")
_FENCE = re.compile(r"\A(?:[ ]{0,3}(?:```|~~~))")
_ITEM = re.compile(r"\A(?:[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+|[ \t]*>[ \t]?)")
_TABLE_RULE = re.compile(r"\A(?:[ \t:|-]{3,}$)")
_CELL = re.compile(r"[^|]+")
_GREETING = re.compile(
    r"(?:dear|to whom|hello|greetings|sincerely|respectfully|best regards|kind regards|yours|guten tag|sehr geehrte|mit freundlichen|bonjour|"
    r"madame|monsieur|veuillez agréer|cordialement)\b",
    re.IGNORECASE,
)
_LETTER_HEAD = re.compile(
    r"\A(?:(?!\[\d)[\s\S]){0,2000}?^(?=(?:Dear|Guten Tag|Sehr geehrte|Bonjour|Madame|Monsieur)\b)", re.MULTILINE
)
CLOSING = re.compile(
    r"^(?:Sincerely|Respectfully(?: submitted)?|(?:Best|Kind) regards|Yours .{4,10}|Mit freundlichen Grüßen|Cordialement|Veuillez agréer.{0,80})[,.]?$",
    re.MULTILINE,
)
_SUBMISSION = re.compile(
    r"we are pleased to (?:respond|submit)|please accept (?:this|our|the)\b|wir freuen uns|anbei erhalten sie\b|nous avons le plaisir|"
    r"veuillez trouver ci-joint\b",
    re.IGNORECASE,
)
"""Opening sentences of a letter."""
PLACEHOLDER = re.compile(r"\[[^\]\d][^\]]{0,200}\](?!\()|\bTODO\b|\bTBD\b|_{4,}")
_WORD = re.compile(r"[^\W_]+")
CHECKER = 7
"""The version of the checker. A new one checks the claims of all sections again, when their drafts are opened."""
_MAX_CLAIMS = 500
"""The number of claims that are checked in a section; later ones are not."""
MAX_CLAIMS_OF_DRAFT = 3_000
"""The number of claims that are checked in a draft, twice the usual number of the longest. Each page that shows the draft reads them."""
_MAX_CHECKED_CHARACTERS = 300_000
"""The number of characters that are checked in a draft, several times the usual length. Sections beyond it are not checked."""
_MAX_CITED = 6
"""The maximum number of passages that a claim is compared with."""
_MAX_CHARACTERS = 800
"""A longer sentence is split into several claims."""
_MAX_GREETING_WORDS = 12
_LABEL_AND_VALUE = 2
"""The number of cells in a row that consists of a label and a value."""
_MAX_INTRODUCING_WORDS = 12
MAX_VALUES = 100
"""Cells of longer rows are not compared and count as not found."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A character range of a section's text, without the citations that follow it, and the numbers it cites.

    If it cites nothing itself, `following` has the numbers that a later sentence of the paragraph or list item cites. For a table
    cell, `row` has the texts of its row.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    following: tuple[int, ...] = ()
    row: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A cited passage. `about` contains the title of its document and its headings."""

    text: str
    about: str


def sources_of(text: str, citations: Iterable[CitationRead]) -> tuple[tuple[int, Source], ...]:
    """Return the citations that a text cites, by number, as what its claims are compared with."""
    cited = numbers_in(text)
    return tuple(
        (each.number, Source(each.text, f"{each.document_title}\n\n{heading_text(each.heading)}"))
        for each in citations
        if each.number in cited
    )


def checked_ids(draft: DraftRead) -> frozenset[UUID]:
    """Return the ids of the sections whose claims are checked: those before more text than anyone submits."""
    ends = accumulate(len(section.text) for section in draft.sections)
    return frozenset(section.id for section, end in zip(draft.sections, ends, strict=True) if end <= _MAX_CHECKED_CHARACTERS)


def with_quotes(draft: DraftRead) -> DraftRead:
    """Return the draft with the quotes of its citations, which are those of its checks."""
    quotes: dict[int, set[tuple[int, int]]] = {}
    for section in draft.sections:
        for checked in section.checks:
            for quote in checked.quotes:
                quotes.setdefault(quote.number, set()).add((quote.start, quote.end))
    citations = (each.model_copy(update={"quotes": tuple(sorted(quotes.get(each.number, ())))}) for each in draft.citations)
    return draft.model_copy(update={"citations": tuple(citations)})


def check_claims(
    text: str, sources: Sequence[tuple[int, Source]], company: str, *, first: int = 0, seconds: float = inf
) -> tuple[tuple[ClaimCheck, ...], int | None]:
    """Check the claims of a section, from the one with index `first`, against the passages they cite, which are given by number.

    Returns their checks, and the index of the first claim that is left after `seconds`, or None. At least one is checked. Takes a few
    milliseconds for each claim that was not checked before, and half a second for the worst.
    """
    end = time.monotonic() + seconds
    by_number, found = dict(sources), claims_of(text)
    checks: list[ClaimCheck] = []
    for place, claim in enumerate(found[first:], start=first):
        if checks and time.monotonic() >= end:
            return tuple(checks), place
        checks.append(_check(text, claim, by_number, company).model_copy(update={"cited": claim.numbers or claim.following}))
    return tuple(checks), None


def _check(text: str, claim: Claim, sources: Mapping[int, Source], company: str) -> ClaimCheck:
    check = _compare(text, claim, claim.numbers, sources, company)
    if check.provenance is Provenance.NO_SOURCE and claim.following:
        # A citation at the end of a paragraph counts for all of its sentences of which nothing is missing there.
        shared = _compare(text, claim, claim.following, sources, company)
        return check if shared.missing or not shared.quotes else shared
    return check


def _compare(text: str, claim: Claim, cited: tuple[int, ...], sources: Mapping[int, Source], company: str) -> ClaimCheck:
    numbers = tuple(number for number in cited if number in sources)[:_MAX_CITED]
    passages = [sources[number] for number in numbers]
    about = "\n\n".join(source.about for source in passages)
    sentence = _without_marks(text[claim.start : claim.end])
    if len(claim.row) > MAX_VALUES and passages:
        verdict = Verdict(Provenance.WRITTEN, missing=(sentence,))
    else:
        verdict = _verdict(sentence, tuple(source.text for source in passages), company, about, claim.row)
    return ClaimCheck(
        start=claim.start,
        end=claim.end,
        provenance=verdict.provenance,
        numbers=numbers,
        quotes=tuple(PassageQuote(number=numbers[quote.passage], start=quote.start, end=quote.end) for quote in verdict.quotes),
        found=verdict.found,
        missing=verdict.missing,
    )


@lru_cache(maxsize=5_000)
def _verdict(sentence: str, passages: tuple[str, ...], company: str, about: str, row: tuple[str, ...]) -> Verdict:
    """Cached, because a section that is saved again has few new claims."""
    return check(sentence, passages, company=company, about=about, row=row)


def claims_of(text: str) -> list[Claim]:
    """Return the claims of a section in order."""
    claims: list[Claim] = []
    head, closing = _LETTER_HEAD.match(text), CLOSING.search(text)
    for start, end, is_row in _blocks(text):
        if (head and end <= head.end()) or (closing and start > closing.end() and not numbers_in(text[start:end])):
            continue
        claims += _row_claims(text, start, end) if is_row else _sentence_claims(text, start, end)
        if len(claims) >= _MAX_CLAIMS:
            break
    return claims[:_MAX_CLAIMS]


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is a table row) of paragraphs, list items, and table rows below the header."""
    lines: list[tuple[int, int]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        lines.append((start, start + len(line.rstrip())))
        start += len(line)
    begun: tuple[int, int] | None = None
    is_code = is_table = False
    for place, (first, last) in enumerate(lines):
        line = text[first:last]
        is_fence = bool(_FENCE.match(line))
        following = text[slice(*lines[place + 1])] if place + 1 < len(lines) else ""
        is_head = not is_table and "|" in line and "|" in following and bool(_TABLE_RULE.match(following))
        is_table = (is_table or is_head) and "|" in line
        item = _ITEM.match(line)
        is_apart = is_fence or is_code or is_table or not line or _HEADING.match(line) or _RULE.match(line)
        if begun and (is_apart or item):
            yield *begun, False
            begun = None
        if is_fence:
            is_code = not is_code
        elif is_table and not is_head and not _TABLE_RULE.match(line):
            yield first, last, True
        elif not is_apart:
            begun = (begun[0] if begun else first + (item.end() if item else 0), last)
    if begun:
        yield *begun, False


def _sentence_claims(text: str, start: int, end: int) -> Iterator[Claim]:
    block = text[start:end]
    spans = spans_of(block)
    bounds: list[list[int]] = []
    for first, last in spans:
        # “… in 2024. [1] Crews …”: the citation belongs to the text before it.
        leading = _LEADING_CITATIONS.match(block[first:last]) if bounds else None
        if leading:
            first += leading.end()
            bounds[-1][1] = first
        if block[first:last].strip():
            bounds.append([first, last])
    claims = [claim for first, last in bounds if (claim := _claim(text, start + first, start + last))]
    following: tuple[int, ...] = ()
    for place in range(len(claims) - 1, -1, -1):
        following = claims[place].numbers or following
        claims[place] = replace(claims[place], following=following)
    for claim in claims:
        if not _claims_nothing(text[claim.start : claim.end]):
            yield from _cut(text, claim)


def _cut(text: str, claim: Claim) -> Iterator[Claim]:
    start = claim.start
    while claim.end - start > _MAX_CHARACTERS:
        space = text.rfind(" ", start, start + _MAX_CHARACTERS)
        end = space if space > start else start + _MAX_CHARACTERS
        yield replace(claim, start=start, end=end)
        start = end
    yield replace(claim, start=start)


def _row_claims(text: str, start: int, end: int) -> Iterator[Claim]:
    """Return the cells of a row that has a citation; a row without one is a single claim. In a row of two cells, the first is a
    label."""
    row = _claim(text, start, end)
    if row is None:
        return
    if not row.numbers:
        yield from _cut(text, row)
        return
    written = [(start + cell.start(), start + cell.end()) for cell in _CELL.finditer(text[start:end]) if cell.group().strip()]
    cells = [(cell, place) for place, (first, last) in enumerate(written) if (cell := _claim(text, first, last))]
    texts = tuple(_without_marks(text[cell.start : cell.end]) for cell, _ in cells[: MAX_VALUES + 1])
    for cell, place in cells:
        if place or len(written) != _LABEL_AND_VALUE:
            yield from _cut(text, Claim(cell.start, cell.end, cell.numbers or row.numbers, row=texts))


def _claim(text: str, start: int, end: int) -> Claim | None:
    """Return the claim between two positions, without surrounding whitespace and citations, or None if it has no words."""
    numbers = tuple(sorted(numbers_in(text[start:end])))
    while True:
        part = text[start:end]
        stripped = part.strip(" \t\r\n|")
        start += len(part) - len(part.lstrip(" \t\r\n|"))
        end = start + len(stripped)
        last = text.rfind("[", start, end)
        if last < 0 or not stripped.endswith("]") or not CITATION.fullmatch(text, last, end):
            break
        end = last
    return Claim(start, end, numbers) if _WORD.search(_without_marks(text[start:end])) else None


def _claims_nothing(sentence: str) -> bool:
    plain = CITATION.sub("", sentence).strip(" *_")
    words = len(_WORD.findall(plain))
    is_greeting = bool(_SUBMISSION.match(plain)) or (words <= _MAX_GREETING_WORDS and bool(_GREETING.match(plain)))
    is_introduction = words <= _MAX_INTRODUCING_WORDS and plain.endswith(":")
    is_emphasized_line = sentence.startswith(("**", "__")) and sentence.endswith(("**", "__")) and words <= _MAX_INTRODUCING_WORDS
    return is_greeting or is_introduction or is_emphasized_line or plain.endswith("?") or bool(PLACEHOLDER.search(sentence))


def _without_marks(text: str) -> str:
    """Remove link addresses and citations, which end a part of a sentence."""
    return CITATION.sub("; ", _LINK_ADDRESS.sub(" ", text))
