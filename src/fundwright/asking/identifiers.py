"""Finds the identifiers in a question, such as “Gauge 061”, “PO-2044”, or “2.1.1”, and rates which statements have them.

A row, a labeled value, or a clause that an identifier names begins with it; others only mention it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

_NAMED, _BELOW, CELL, _MENTIONED = 1.0, 0.9, 0.75, 0.2
"""What a statement gets that an identifier names, that is below a heading with it, that has it in another cell, or that mentions it.
"""
_OF_ANOTHER = -1.0
"""What a statement gets that another identifier of the same form names."""
_MAX_IDENTIFIERS = 5
_RUN = re.compile(r"\d+|[^\W\d_]+")
_DASHES = r"\-–—"
_SEPARATORS = rf"{_DASHES}_/.:("
_BETWEEN = rf"[\s#{_SEPARATORS}]"
_NUMBER_OF = r"(?:numbers?|num|no|nr|id|#)"
_WORD = rf"(?P<word>[^\W\d_]{{2,30}})\s(?:{_NUMBER_OF}(?!\w)\.?\s?)?"
_CODE = rf"(?=\S{{0,24}}\d)[^\W_]{{1,30}}(?:[{_SEPARATORS}]{{1,2}}[^\W_]{{1,30}}){{0,8}}"
_LETTER = r"(?-i:[A-HJ-Z]|[IVX]{2,5})(?![.'’])"
_UNIT = r"\s?(?:(?:thousand|million|billion|milliard|dollar|euro)(?:s|e|en)?|mio|tausend|USD|EUR|CHF|GBP)\b"
"""What follows an amount."""
_ASKED = re.compile(rf"(?<![\w$€£,.])(?:{_WORD})?(?P<code>(?>{_CODE}|{_LETTER}))(?!\w|\s?%|,\d|{_UNIT})", re.IGNORECASE)
_NO_WORDS = frozenset(
    [
        *("about", "after", "an", "and", "are", "as", "at", "before", "by", "did", "do", "does", "for", "from", "had", "has"),
        *("have", "in", "is", "least", "most", "of", "on", "only", "or", "over", "since", "than", "that", "the", "these"),
        *("those", "to", "under", "until", "was", "were", "which", "with", "within"),
    ]
)
"""Words before numbers that are no part of an identifier: “in 2025”."""
_AMOUNTS = frozenset(
    [
        *("amount", "budget", "budgets", "cost", "costs", "fee", "fees"),
        *("price", "prices", "revenue", "sum", "total", "value", "worth"),
        *("dollars", "euro", "euros", "usd", "eur", "chf", "gbp"),
        *("betrag", "gesamt", "kosten", "preis", "summe", "umsatz", "wert"),
        *("coût", "coûts", "montant", "prix", "recettes", "somme", "valeur"),
    ]
)
"""Words before a number that is an amount: “a value 1234567”."""
_SECTION = r"(?:(?:sub)?section|clause|article|paragraph|chapter|part|item|requirement|question|abschnitt|artikel|kapitel|ziffer|chapitre)"
_IS_SECTION = re.compile(_SECTION, re.IGNORECASE)
"""What a text may leave out before the number of a part."""
_BEGINNING = r"[\s|*•#§\"“(\[]{0,6}"
_GOES_ON = r"(?!(?-i:\s{1,3}[a-zäöüßéàè]))"
"""“Section 2.1.1 requires …” mentions the section, “Section 2.1.1. The contractor …” is the section."""
_WIDTHS = (1, 2, 3, 4)
"""With zeros before them, the numbers in a table are as wide as this."""


@dataclass(frozen=True)
class Identifier:
    """A code, and the word before it. A code that is only a number or a letter needs the word, as in “Gauge 061”."""

    code: str
    word: str = ""

    @property
    def is_complete(self) -> bool:
        is_amount = self.word.casefold() in _AMOUNTS and not any(map(str.isalpha, self.code))
        return not is_amount and (bool(self.word) or not self._is_bare)

    @cached_property
    def spellings(self) -> list[str]:
        """How documents may write it, for searches by words."""
        runs, parts = _RUN.findall(self.code), re.split(rf"[{_SEPARATORS}]+", self.code)
        parts = runs if len(runs) == 2 else parts  # “PO2044”
        forms = [self.code.lstrip("0").zfill(width) for width in _WIDTHS] if self.code.isdigit() else [*parts[-1:]]
        before = [self.word] if self._is_bare and not self._is_section else parts[:-1]
        joined = [separator.join((*before, form)) for form in forms for separator in (" ", "-", "")]
        return list(dict.fromkeys([*joined, *([] if self._is_bare else [self.code])]))

    def rating(self, cells: Sequence[tuple[str, str]], headings: Sequence[str]) -> float:
        """Rate a statement below these headings: from `_OF_ANOTHER` to `_NAMED`, or 0 if it has no identifier of this form. `cells` are what names it
        and then the rest of it, each with the name of its column or label."""
        (name, column), *others = cells
        above = " ".join((column, *headings))
        if self._exact.names(name, above):
            return _NAMED
        if any(self._exact.begins.match(heading) for heading in headings):
            return _BELOW
        if any(self._exact.names(cell, column) for cell, column in others):
            return CELL
        if any(map(self._exact.written.search, (name, *(f"{column}: {cell}" for cell, column in others), *headings))):
            return _MENTIONED
        return _OF_ANOTHER if self._alike.names(name, above) else 0.0

    @property
    def _is_bare(self) -> bool:
        return self.code.isdigit() or self.code.isalpha()

    @property
    def _is_section(self) -> bool:
        return _IS_SECTION.fullmatch(self.word) is not None

    @cached_property
    def _exact(self) -> _Patterns:
        zeros = "0{0,6}" if self.code.isdigit() else ""
        return self._patterns(lambda run: zeros + re.escape(run.lstrip("0") if zeros else run))

    @cached_property
    def _alike(self) -> _Patterns:
        """All identifiers of this form."""
        return self._patterns(lambda run: r"\d{1,20}" if run.isdigit() else re.escape(run))

    def _patterns(self, written: Callable[[str], str]) -> _Patterns:
        first, *runs = _RUN.finditer(self.code)
        code = written(first[0])
        for before, run in pairwise((first, *runs)):
            code += _between(before[0], self.code[before.end() : run.start()], run[0]) + written(run[0])
        code += rf"(?![^\W_]|[{_SEPARATORS}][^\W_])"
        word = rf"{self.word}s?{_BETWEEN}{{0,3}}(?:{_NUMBER_OF}(?!\w){_BETWEEN}{{0,3}})?" if self.word else ""
        whole = word + code if self._is_bare else code
        prefixes = [each for each in (word, rf"{_SECTION}\W{{1,3}}") if each]
        is_alone = not self._is_bare or self._is_section
        prefixed = f"(?:{'|'.join(prefixes)}){code}{_GOES_ON}" if is_alone else word + code
        return _Patterns(
            begins=re.compile(f"{_BEGINNING}(?:{prefixed}|{code if is_alone else whole})", re.IGNORECASE),
            alone=re.compile(code, re.IGNORECASE),
            written=re.compile(rf"(?<![^\W_])(?<![^\W_][{_SEPARATORS}]){whole}", re.IGNORECASE),
            word=re.compile(rf"\b{self.word}" if self._is_bare else "", re.IGNORECASE),
        )


@dataclass(frozen=True)
class _Patterns:
    begins: re.Pattern[str]
    alone: re.Pattern[str]
    """The code alone, which the word in the name of its column or in a heading explains."""
    written: re.Pattern[str]
    word: re.Pattern[str]

    def names(self, text: str, above: str) -> bool:
        """Whether the text begins with the identifier, or is the code below its word."""
        return bool(self.begins.match(text) or (self.alone.fullmatch(text.strip()) and self.word.search(above)))


def _between(before: str, separator: str, after: str) -> str:
    """Between two numbers, the separator matters."""
    if not (before.isdigit() and after.isdigit()):
        return f"{_BETWEEN}{{0,2}}"
    return f"[{_DASHES}]" if separator in _DASHES else re.escape(separator)


def identifiers_in(question: str) -> list[Identifier]:
    """Return the first few identifiers. Only a few, because each is searched in all of the account's documents."""
    found: list[Identifier] = []
    for asked in _ASKED.finditer(question):
        word = asked["word"] or ""
        identifier = Identifier(asked["code"], "" if word.casefold() in _NO_WORDS else word)
        if identifier.is_complete:
            found.append(identifier)
    return list(dict.fromkeys(found))[:_MAX_IDENTIFIERS]
