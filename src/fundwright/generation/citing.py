"""Citations in a draft's text: numbers checked while it streams in, and the words of a passage they rest on."""

from __future__ import annotations

import re
from collections.abc import Callable

_CITATION = re.compile(r"\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
# White space is matched from where it begins, never again from each of its characters, which would take quadratic time.
# However long a list of numbers is: what is let through before its end is not checked.
_UNFINISHED = re.compile(r"(?<!\s)\s*+\[[\d\s,;]*+$")
_SENTENCE = re.compile(r"(?:[^.!?\n]|\n(?![^\S\n]*\n)|[.!?](?!\s|$))+[.!?]*")
_WORD = re.compile(r"\w+")
_LEAST_OVERLAP = 0.6


class CitationStream:
    """Rewrites the writer's citations piece by piece.

    `renumber(n)` answers the draft's number for the passage the writer knows as n, or None when there is no such
    passage; those are taken out and counted in `dropped`. A citation cut in two by the streaming is held back
    until it is whole.
    """

    def __init__(self, renumber: Callable[[int], int | None]) -> None:
        self._renumber = renumber
        self._held = ""
        self.dropped = 0

    def feed(self, piece: str) -> str:
        """Text that is ready to be shown."""
        text = self._held + piece
        unfinished = _UNFINISHED.search(text)
        cut = unfinished.start() if unfinished else len(text.rstrip())
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def close(self) -> str:
        """What was held back at the end."""
        text, self._held = self._held, ""
        return self._rewrite(text)

    def _rewrite(self, text: str) -> str:
        return re.sub(r"(?<!\s)(\s*+)" + _CITATION.pattern, self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        kept: list[int] = []
        for written in re.findall(r"\d+", match.group(2)):
            number = self._renumber(int(written))
            if number is None:
                self.dropped += 1
            elif number not in kept:
                kept.append(number)
        return match.group(1) + "".join(f"[{number}]" for number in kept) if kept else ""


def claims_of(text: str, number: int) -> list[str]:
    """What a draft says between the citation before and [number]; the last sentence of it is what the number proves."""
    claims: list[str] = []
    for line in text.splitlines():
        start, cited_to = 0, 0
        for match in _CITATION.finditer(line):
            if line[cited_to : match.start()].strip():
                start = cited_to
            cited_to = match.end()
            if str(number) in re.findall(r"\d+", match.group(1)):
                claim = _CITATION.sub("", line[start : match.start()]).strip(" .;,-*#>")
                if claim:
                    claims.append(claim)
    return claims


def quotes_in(passage: str, claims: list[str]) -> tuple[tuple[int, int], ...]:
    """Character ranges of a passage that the claims rest on: said word for word, or sharing most of their words."""
    ranges: set[tuple[int, int]] = set()
    for claim in claims:
        sentences = [sentence.group().strip() for sentence in _SENTENCE.finditer(claim)]
        verbatim = _find_verbatim(passage, claim) or (_find_verbatim(passage, sentences[-1]) if sentences else None)
        if verbatim:
            ranges.add(verbatim)
        else:
            ranges.update(_overlapping_sentences(passage, claim))
    return tuple(sorted(ranges))


def _find_verbatim(passage: str, claim: str) -> tuple[int, int] | None:
    words = claim.rstrip(" .").split()
    if not words:
        return None
    match = re.search(r"\s+".join(re.escape(word) for word in words), passage)
    return match.span() if match else None


def _overlapping_sentences(passage: str, claim: str) -> list[tuple[int, int]]:
    asked = {word.lower() for word in _WORD.findall(claim) if len(word) > 3}
    found: list[tuple[int, int]] = []
    for sentence in _SENTENCE.finditer(passage):
        said = {word.lower() for word in _WORD.findall(sentence.group()) if len(word) > 3}
        if said and len(asked & said) / len(said) >= _LEAST_OVERLAP:
            start = sentence.start() + len(sentence.group()) - len(sentence.group().lstrip())
            found.append((start, sentence.end()))
    return found
