"""The kinds of documents, and which of them a document probably is.

A linear classifier over words and pairs of words of the text, of its first lines, and of its title and file name. Numbers, amounts, years, and
addresses count as what they are. `scripts/kinds.py` fits the weights in `kinds.tsv`; `benchmarks/eval/kinds.py` measures them on
organizations that they were not fitted to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from fundwright.core.messages import t


class DocumentKind(StrEnum):
    """The kind of a document: what drafts may quote, what answers questions about us, and what funders and agencies require."""

    ABOUT_US = "about_us"
    PAST_PERFORMANCE = "past_performance"
    RESUME = "resume"
    PREVIOUS_PROPOSAL = "previous_proposal"
    DATA = "data"
    NOTICE = "notice"
    POLICY = "policy"
    INTERNAL = "internal"
    OTHERS = "others"

    @property
    def is_ours(self) -> bool:
        """Whether drafts base claims on it."""
        return self in OUR_KINDS

    @property
    def answers_our_questions(self) -> bool:
        """Whether it answers questions about us. Internal documents do, and nothing in them is drafted."""
        return self in OUR_KINDS or self == DocumentKind.INTERNAL

    @property
    def is_requirement(self) -> bool:
        """Whether it says what funders and agencies require."""
        return self in (DocumentKind.NOTICE, DocumentKind.POLICY)

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            DocumentKind.ABOUT_US: t("About us"),
            DocumentKind.PAST_PERFORMANCE: t("Past performance"),
            DocumentKind.RESUME: t("Résumé"),
            DocumentKind.PREVIOUS_PROPOSAL: t("Previous proposal"),
            DocumentKind.DATA: t("Data"),
            DocumentKind.NOTICE: t("Notice"),
            DocumentKind.POLICY: t("Policy"),
            DocumentKind.INTERNAL: t("Internal"),
            DocumentKind.OTHERS: t("About others"),
        }[self]


OUR_KINDS = frozenset(
    (
        DocumentKind.ABOUT_US,
        DocumentKind.PAST_PERFORMANCE,
        DocumentKind.RESUME,
        DocumentKind.PREVIOUS_PROPOSAL,
        DocumentKind.DATA,
    )
)
KINDS_THAT_ANSWER_US = frozenset(kind for kind in DocumentKind if kind.answers_our_questions)

Weights = Mapping[str, NDArray[np.float64]]
"""By term, the weight for each kind, in their order. There are no constants: those of long documents decided short ones."""

_READ_CHARACTERS, _FIRST_LINES = 6_000, 3
_TITLE_WEIGHT = 0.5
"""Titles say less than texts do: “final v3”."""
_MIN_WORDS = 20
"""Caution is for longer texts."""
_OF_SHORT_TEXTS = np.array([1.0 * (kind is DocumentKind.ABOUT_US) for kind in DocumentKind])
"""A few words say little: people mostly paste what they say of themselves."""
_CAUTIONS = np.array([0.4 * (not kind.is_ours and not kind.is_requirement) for kind in DocumentKind])
"""Added to the scores of kinds: in doubt, a draft rather lacks a document of ours than quotes one that is not."""
_UNIT = 100
_TOKEN = re.compile(
    r"(?P<email>[\w.+-]{1,64}@[\w.-]+)|(?P<money>\$\s?\d[\d,.]*)|(?P<year>\b(?:19|20)\d\d\b)|(?P<percent>\d[\d.,]*\s?%)|(?P<number>\d[\d,./:-]*)"
    r"|(?P<word>[^\W\d_]+(?:['’][a-z]+)?)|(?P<sign>[?!☐☒|])"
)
WEIGHTS = Path(__file__).with_name("kinds.tsv")
"""A line for each term: the term, and its weights in hundredths."""
_stem = lru_cache(maxsize=10_000)(snowballstemmer.stemmer("english").stemWord)


def propose(*, title: str, filename: str, text: str, weights: Weights | None = None) -> DocumentKind:
    """Return the most likely kind of a document. `text` is the text that its reader extracted; a few words are about
    us unless they clearly say otherwise."""
    weights = weights or _stored_weights()
    is_long = len(text[:_READ_CHARACTERS].split()) >= _MIN_WORDS
    scores = (_CAUTIONS if is_long else _OF_SHORT_TEXTS).copy()
    for term, value in features(title=title, filename=filename, text=text).items():
        if term in weights:
            scores += value * weights[term]
    return list(DocumentKind)[int(scores.argmax())]


def features(*, title: str, filename: str, text: str) -> Mapping[str, float]:
    """Return the input of the classifier: by term, the logarithm of its frequency. The terms of each part have length 1 together, and those
    of the title half."""
    text = text[:_READ_CHARACTERS]
    words = list(_tokens(text))
    first = [line for line in text.splitlines() if line.strip()][:_FIRST_LINES]
    named = re.sub(r"[_.-]", " ", f"{title} {filename}")
    return {
        **_part("w", words, 1.0),
        **_part("b", [f"{one} {next_one}" for one, next_one in pairwise(words)], 1.0),
        **_part("f", list(_tokens(" ".join(first))), 1.0),
        **_part("t", list(_tokens(named)), _TITLE_WEIGHT),
    }


def _part(prefix: str, tokens: Sequence[str], length: float) -> Mapping[str, float]:
    logarithms = {f"{prefix}:{token}": np.log1p(count) for token, count in Counter(tokens).items()}
    norm = float(np.linalg.norm(list(logarithms.values())))
    return {term: length * value / norm for term, value in logarithms.items()}


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        match found.lastgroup:
            case "word":
                yield _stem(found[0].lower().replace("’", "'"))
            case "sign":
                yield found[0]
            case _:
                yield f"<{found.lastgroup}>"


@cache
def _stored_weights() -> Weights:
    rows = (line.split("\t") for line in WEIGHTS.read_text(encoding="utf-8").splitlines())
    return {term: np.array(values, dtype=np.float64) / _UNIT for term, *values in rows}
