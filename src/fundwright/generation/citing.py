"""Citations in a draft's text: numbers checked while it streams in, and the words of a passage they rest on."""

from __future__ import annotations

import re
from collections.abc import Callable

_CITATION = re.compile(r"\[([0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*)\]")
# What may become a citation, brackets in brackets included: were only the inner ones taken out, the outer ones could
# close around a number that nobody checked. A run is matched whole, never again from each of its characters, which
# would take quadratic time.
_BRACKETED = re.compile(r"(?<!\s)(?P<space>\s*+)\[(?P<numbers>[0-9\s,;\[]*+)(?P<end>\]?)")
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,4}(?![0-9])")
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
        unfinished = (run.start() for run in _BRACKETED.finditer(text) if run.end() == len(text) and not run["end"])
        cut = next(unfinished, len(text.rstrip()))
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def close(self) -> str:
        """What was held back at the end."""
        text, self._held = self._held, ""
        return self._rewrite(text)

    def _rewrite(self, text: str) -> str:
        return _BRACKETED.sub(self._replace, text)

    def _replace(self, run: re.Match[str]) -> str:
        written = _NUMBER.findall(run["numbers"])
        if not (written and run["end"]):
            return run.group()
        numbers = [self._renumber(int(number)) for number in written]
        self.dropped += numbers.count(None)
        kept = dict.fromkeys(number for number in numbers if number is not None)
        return run["space"] + "".join(f"[{number}]" for number in kept) if kept else ""


def numbers_in(text: str) -> set[int]:
    """The numbers that a text cites."""
    return {int(number) for match in _CITATION.finditer(text) for number in _NUMBER.findall(match.group(1))}


def claims_of(text: str, number: int) -> list[str]:
    """What a draft says between the citation before and [number]; the last sentence of it is what the number proves."""
    claims: list[str] = []
    for line in text.splitlines():
        start, cited_to = 0, 0
        for match in _CITATION.finditer(line):
            if line[cited_to : match.start()].strip():
                start = cited_to
            cited_to = match.end()
            if str(number) in re.findall(r"[0-9]+", match.group(1)):
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
