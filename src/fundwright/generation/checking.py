"""Checks whether the cited passages support a sentence. The result is “not found in the source”, never “false”.

The modules of `contrasts` each detect one kind of contradiction: a number, name, or code that is missing, an added or missing
negation, “more than” for “less than”, someone else's work. A logistic regression weighs them together with the similarity between
the sentence and the source. `python -m benchmarks.eval.checking --fit` fits it on the pairs in tests/checking and writes
checking.json; `python -m benchmarks.eval checking` measures it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from fundwright.generation.contrasts import contradictions_of
from fundwright.generation.contrasts.actors import AWARDS
from fundwright.generation.contrasts.imagined import is_of_another_case_at
from fundwright.generation.contrasts.pair import ROLES, Pair
from fundwright.generation.normalizing import PLAIN_NEGATIONS, Text, Token, is_year, read_text, stem
from fundwright.generation.schemas import CheckState

_WEAK = ("negation", "polarity", "invented", "replaced")
"""Signs of contradiction that also occur in paraphrases. Each has its own weight."""
_LONG_PART = 6
_QUOTE_GAP = 3
"""The maximum number of words between two words of a quote that are not in the sentence."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A character range of a passage, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check. `probability` is the probability that the sentence is supported. `quotes` contain the words that
    support it; `missing` are words of the sentence that are not supported."""

    state: CheckState
    probability: float
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = ()


def check(sentence: str, passages: Sequence[str], *, company: str = "", about: str = "") -> Verdict:
    """Compare a sentence with the passages it cites. The company's name needs no support, nor do names and years in `about`, the
    titles and headings of the passages."""
    claim = Text(sentence)
    if not passages:
        return Verdict(CheckState.NO_SOURCE, 0.0)
    if not claim.content:
        return Verdict(CheckState.SUPPORTED, 1.0)
    pair = Pair(claim, read_text("\n\n".join(passages)), read_text(_known(company, about)))
    if unsupported := _unsupported(pair, read_text(company)):
        return Verdict(CheckState.NOT_FOUND, 0.0, missing=unsupported)
    missing = tuple(dict.fromkeys(token.text for token in pair.missing_tokens))
    probability = 1.0 if _is_verbatim(pair) else 1 - _MODEL.probability(_features(pair))
    if probability < _MODEL.least:
        return Verdict(CheckState.NOT_FOUND, probability, missing=missing)
    return Verdict(CheckState.SUPPORTED, probability, quotes=_quotes(claim, passages), missing=missing)


def features_of(sentence: str, passages: Sequence[str], *, about: str = "") -> dict[str, float]:
    """Return the features of the regression by name."""
    return _features(Pair(Text(sentence), read_text("\n\n".join(passages)), read_text(_known("", about))))


@lru_cache(maxsize=200)
def _known(company: str, about: str) -> str:
    """Return the company's name and the names and years in titles and headings, but no other numbers, codes, roles, or awards."""
    tokens = read_text(about).tokens
    names = (token.text for token in tokens if is_year(token) or (token.is_name and not token.is_measure))
    return "\n\n".join([company, " ".join(name for name in names if stem(name.lower()) not in ROLES | AWARDS)])


def _unsupported(pair: Pair, company: Text) -> tuple[str, ...]:
    """Return the words of a claim that consists only of names in titles and headings."""
    content = [token for token in pair.claim.content if token.key not in company.places]
    is_known = all(token.key in pair.known.places and token.key not in pair.source.places for token in content)
    return tuple(dict.fromkeys(token.text for token in content)) if is_known else ()


@dataclass(frozen=True)
class Model:
    """The logistic regression, which computes the probability that a sentence is not supported. If the probability of support is
    below `least`, the sentence counts as not found."""

    least: float
    bias: float
    weights: Mapping[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        return 1 / (1 + math.exp(-self.bias - sum(self.weights[name] * value for name, value in features.items())))


def _features(pair: Pair) -> dict[str, float]:
    contradictions = contradictions_of(pair)
    strong = sum(is_found for name, is_found in contradictions.items() if name not in _WEAK)
    return {
        "contradicted": min(strong, 1.0),
        "contradicted_twice": min(max(strong - 1, 0), 1.0),
        **{name: float(contradictions[name]) for name in _WEAK},
        "distance": 1 - pair.nearness,
    }


def _is_verbatim(pair: Pair) -> bool:
    """Whether each part of the claim appears verbatim in the source, with no negation just before it, and not in a statement about
    a hypothetical case or a competitor."""
    return all(_is_quoted(pair, part) for part in _parts(pair.claim))


def _is_quoted(pair: Pair, tokens: Sequence[Token]) -> bool:
    source = pair.source
    keys = [token.key for token in tokens]
    for place in source.places.get(keys[0], ()):
        if source.keys[place : place + len(keys)] == keys:
            around = source.around(place, 3, 0)[:-1]
            is_negated = any(token.word in PLAIN_NEGATIONS and not _is_number_sign(source, token) for token in around)
            return not (is_negated or is_of_another_case_at(pair, place))
    return False


def _is_number_sign(source: Text, token: Token) -> bool:
    """Whether it is the “No.” of “Contract No.: 12”."""
    return token.word == "no" and source.text[token.end : token.end + 1] == "."


def _parts(claim: Text) -> list[list[Token]]:
    """Split a claim at semicolons and sentence ends, and after a colon if a long text follows."""
    parts: list[list[Token]] = []
    for place, token in enumerate(claim.tokens):
        before = claim.tokens[place - 1] if place else token
        gap = claim.text[before.end : token.start]
        is_heading = ":" in gap and len(claim.tokens) - place >= _LONG_PART
        if not parts or before.sentence != token.sentence or ";" in gap or "\n" in gap or is_heading:
            parts.append([])
        parts[-1].append(token)
    return parts


def _quotes(claim: Text, passages: Sequence[str]) -> tuple[Quote, ...]:
    """Return the runs of shared words in the sentences that support the claim: the smallest number of sentences with all shared
    words."""
    texts = [read_text(passage) for passage in passages]
    sentences = [
        (passage, tokens, keys)
        for passage, text in enumerate(texts)
        for tokens, keys in zip(text.sentences, text.sentence_keys, strict=True)
    ]
    wanted = {token.key for token in claim.content}
    quotes: list[Quote] = []
    while wanted:
        passage, best, keys = max(sentences, key=lambda item: len(wanted & item[2]), default=(0, [], frozenset()))
        shared = wanted & keys
        if not shared or (quotes and len(shared) < 2 and not any(token.is_measure and token.key in shared for token in best)):
            break
        wanted -= shared
        claim_keys = {token.key for token in claim.content}
        quotes += [Quote(passage, start, end) for start, end in _runs(best, claim_keys)]
    return tuple(sorted(set(quotes), key=lambda quote: (quote.passage, quote.start)))


def _runs(tokens: Sequence[Token], keys: Collection[str]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    last = -_QUOTE_GAP - 2
    for place, token in enumerate(tokens):
        if token.key not in keys:
            continue
        if runs and place - last <= _QUOTE_GAP + 1:
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
        last = place
    return runs


_MODEL = Model(**json.loads(files("fundwright.generation").joinpath("checking.json").read_text("utf-8")))
