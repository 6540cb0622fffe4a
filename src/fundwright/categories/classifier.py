"""Estimates how likely a notice belongs to each of a few categories, from no example at all to thousands.

Kernel ridge regression, one category against the rest. The similarity of two notices combines the cosines of their words, of their
character sequences, and of their embeddings, plus a small bonus for the same agency. Each category is an example of itself (its
name and description). The regression fits the difference between the targets, 1 and -1, and the prediction of the description
alone, which is the mean similarity to the nearest of its phrases. One example therefore helps, and a thousand decide.

Logistic regression turns a score into a probability. It is fitted on the scores of the examples, each computed as if the example
were unknown (leave-one-out), and of undecided notices. Nearly all of these belong to no category, so a notice that resembles none
gets a low probability for all of them. benchmarks/eval/categories.py measures the results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from fundwright.categories.terms import Matrix, Terms, Weighting, terms_of
from fundwright.core.unpickling import sent

Floats = NDArray[np.floating[Any]]

_NEAREST_PHRASES = 5
_MAX_PHRASES = 40
_PRIOR = 0.1
"""The increase of a score for one standard deviation of similarity to a description."""
_MIN_SPREAD = 0.05
"""The minimum standard deviation of similarities to descriptions. For a few notices that are much alike, the actual one means
nothing."""
_DESCRIPTION_WEIGHT = 2.0
"""The weight of a description, in examples."""
_MAX_EXACT = 3_000
"""The number of examples up to which the equations are solved exactly. For more, an iterative solver takes less memory and time."""
_STEPS = 80
"""The number of iterations. Stopping early also regularizes the solution."""
_BALANCE_OF_MANY = 0.5
"""The exponent of the weight of rare categories above that number."""
_UNKNOWN_WEIGHT = 0.1
"""The maximum weight of an undecided notice, in examples of none of the categories."""
_UNKNOWN_AT_FIRST, _UNKNOWN_PER_EXAMPLE = 3.0, 10.0
"""The maximum total weight of undecided notices. People mostly decide about suggested notices, which belong to a category more
often than others do, so every decision needs a counterweight. Set on solicitations whose codes name their subject: with 2 per example,
the first accepted notice multiplied the suggestions for its category by five, of which a third as many were right."""
_USUAL = np.array([5.0, 4.0, 3.0, -2.5])
"""Initial coefficients: logits per unit of score, of lead over the next category, and of distance behind the best one, and the
constant. Fitted on solicitations sorted into four of twelve categories by their descriptions; most belong to none."""


class Subject(NamedTuple):
    """The classifier's input for a notice: its terms (`terms_of`) and its unit-length embedding."""

    terms: Terms
    vector: Floats


@dataclass(frozen=True)
class Description:
    """A category: its name, its description, and the embeddings of the phrases in them (`phrases_of`)."""

    name: str
    text: str
    phrases: Floats

    def as_subject(self) -> Subject:
        mean = self.phrases.mean(axis=0)
        return Subject(terms_of(self.name, self.text), mean / max(float(np.linalg.norm(mean)), 1e-9))


class Example(NamedTuple):
    """A notice and, for each category, a person's decision: 1 for yes, -1 for no, 0 for unknown."""

    subject: Subject
    verdicts: Sequence[int]


def phrases_of(name: str, description: str) -> list[str]:
    """Return the texts to embed for a category: its name and each phrase of its description, at most 40."""
    phrases = [phrase.strip() for phrase in re.split(r"[.;,:\n•]+", description)]
    return list(dict.fromkeys([name, *(phrase for phrase in phrases if len(phrase) > 1)]))[:_MAX_PHRASES]


@sent
class Classifier:
    """Trained on `categories`, `examples`, and `others`: a random sample of a few thousand undecided notices, which show how rare
    each word is."""

    def __init__(self, categories: Sequence[Description], examples: Sequence[Example], others: Sequence[Subject]) -> None:
        self._categories = categories
        described = [category.as_subject() for category in categories]
        rows = [*described, *(example.subject for example in examples)]
        self._weighting = Weighting([subject.terms for subject in [*rows, *others]])
        known = _Features(self._weighting, rows)
        unknown = _Features(self._weighting, others)
        similarities = self._similarities(unknown.vectors if others else known.vectors)
        self._usual, self._spread = float(similarities.mean()), max(float(similarities.std()), _MIN_SPREAD)

        count = len(categories)
        verdicts = np.array([example.verdicts for example in examples], dtype=np.int8).reshape(-1, count)
        targets = np.vstack([2 * np.eye(count, dtype=np.int8) - 1, verdicts])
        weights = _weights(verdicts, len(rows))
        prior = self._prior(known.vectors)
        # Those of the terms that the rows share. All columns of 50 categories are 87 MB, and are sent to a process with every 500 notices.
        self._columns = np.unique(known.terms.indices[known.terms.data != 0])
        self._terms_weights = np.zeros((len(self._columns), count), dtype=np.float32)
        self._vector_weights = np.zeros((known.vectors.shape[1], count), dtype=np.float32)
        scores = np.full(targets.shape, np.nan)
        # Categories with decisions about the same examples share their equations.
        masks, group_of = np.unique(targets != 0, axis=1, return_inverse=True)
        for group in range(masks.shape[1]):
            columns, lines = np.flatnonzero(group_of == group), np.flatnonzero(masks[:, group])
            of_group = known.take(lines)
            wanted = targets[np.ix_(lines, columns)] - prior[np.ix_(lines, columns)]
            factors, left_out = _solve(of_group, weights[lines], wanted.astype(np.float32))
            self._terms_weights[:, columns] = of_group.terms[:, self._columns].T @ factors
            self._vector_weights[:, columns] = of_group.vectors.T @ factors
            scores[np.ix_(lines, columns)] = left_out + prior[np.ix_(lines, columns)]
        self._calibration = _calibrate(scores[count:], verdicts, self._scores(unknown) if others else np.zeros((0, count)))

    def probabilities(self, subjects: Sequence[Subject]) -> Floats:
        """Return the probability that each subject belongs to each category, (subjects, categories) in 0..1. A subject can belong
        to several."""
        scores = self._scores(_Features(self._weighting, subjects))
        return _sigmoid(_evidence(scores) @ self._calibration)

    def _scores(self, features: _Features) -> Floats:
        learned = features.terms[:, self._columns] @ self._terms_weights + features.vectors @ self._vector_weights
        return learned + self._prior(features.vectors)

    def _prior(self, vectors: Floats) -> Floats:
        return _PRIOR * (self._similarities(vectors) - self._usual) / self._spread

    def _similarities(self, vectors: Floats) -> Floats:
        """Return the mean similarity to the nearest phrases of each category."""
        nearest = [np.sort(vectors @ each.phrases.T, axis=1)[:, -_NEAREST_PHRASES:].mean(axis=1) for each in self._categories]
        return np.stack(nearest, axis=1)


class _Features:
    """Rows whose products are the similarities of the kernel."""

    def __init__(self, weighting: Weighting, subjects: Sequence[Subject]) -> None:
        self.terms: Matrix = weighting.matrix([subject.terms for subject in subjects])
        self.vectors: Floats = np.array([subject.vector for subject in subjects], dtype=np.float32)

    def take(self, rows: NDArray[np.intp]) -> _Features:
        taken = object.__new__(_Features)
        taken.terms, taken.vectors = cast(Matrix, self.terms[rows]), self.vectors[rows]
        return taken


def _weights(verdicts: NDArray[np.int8], count: int) -> Floats:
    """Return the weights of the rows, descriptions first. All categories, and the absence of a category, have the same total
    weight, regardless of their number of examples."""
    belongs = verdicts > 0
    is_none = ~belongs.any(axis=1)
    sizes = np.append(belongs.sum(axis=0), is_none.sum()) + 1
    balance = 1.0 if count <= _MAX_EXACT else _BALANCE_OF_MANY
    of_category = (sizes.sum() / (len(sizes) * sizes)) ** balance
    shared = belongs @ of_category[:-1] / np.maximum(belongs.sum(axis=1), 1)
    return np.concatenate([_DESCRIPTION_WEIGHT * of_category[:-1], np.where(is_none, of_category[-1], shared)]).astype(np.float32)


def _solve(rows: _Features, weights: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients of the rows, and their leave-one-out scores (NaN if not computed)."""
    if len(weights) > _MAX_EXACT:
        factors = _descend(rows, weights, targets)
        some = slice(len(weights) - _MAX_EXACT // 2, None)
        left_out = np.full(targets.shape, np.nan)
        left_out[some] = _solve(rows.take(np.arange(len(weights))[some]), weights[some], targets[some])[1]
        return factors, left_out
    kernel = (rows.terms @ rows.terms.T).toarray() + rows.vectors @ rows.vectors.T
    inverse = linalg.inv(kernel.astype(np.float64) + np.diag(1 / weights), overwrite_a=True, check_finite=False)
    factors = inverse @ targets
    return factors.astype(np.float32), targets - factors / np.diag(inverse)[:, None]


def _descend(rows: _Features, weights: Floats, targets: Floats) -> Floats:
    """Return the same coefficients by conjugate gradients with a Jacobi preconditioner, for all columns at once."""
    transposed = rows.terms.T.tocsr()
    ridge = (1 / weights)[:, None]
    scale = 1 / (np.asarray(rows.terms.multiply(rows.terms).sum(axis=1)) + (rows.vectors**2).sum(axis=1)[:, None] + ridge)
    factors = np.zeros_like(targets)
    residual = targets.copy()
    ahead = scale * residual
    direction = ahead.copy()
    size = (residual * ahead).sum(axis=0)
    for _ in range(_STEPS):
        image = rows.terms @ (transposed @ direction) + rows.vectors @ (rows.vectors.T @ direction) + ridge * direction
        length = size / np.maximum((direction * image).sum(axis=0), 1e-12)
        factors += length * direction
        residual -= length * image
        ahead = scale * residual
        size, before = (residual * ahead).sum(axis=0), size
        direction = ahead + size / np.maximum(before, 1e-12) * direction
    return factors


def _evidence(scores: Floats) -> Floats:
    """Return (..., 4) for each score: the score, its lead if it is the best of its row, its distance behind the best otherwise, and
    1."""
    ordered = np.sort(scores, axis=1)
    best = ordered[:, -1:]
    next_best = ordered[:, -2:-1] if scores.shape[1] > 1 else best
    lead = np.where(scores == best, best - next_best, 0)
    return np.stack([scores, lead, scores - best, np.ones_like(scores)], axis=-1)


def _calibrate(scores: Floats, verdicts: NDArray[np.int8], unknown: Floats) -> Floats:
    """Return the coefficients of the evidence: logistic regression, regularized toward the initial ones."""
    from scipy.optimize import minimize  # imported here because it would account for a tenth of every process's startup time

    is_complete = ~np.isnan(scores).any(axis=1)
    evidence = np.concatenate([_evidence(scores[is_complete]).reshape(-1, 4), _evidence(unknown).reshape(-1, 4)])
    known, others = verdicts[is_complete].ravel(), np.full(unknown.size, -1)
    answers = (np.concatenate([known, others]) > 0).astype(np.float64)
    most_unknown = _UNKNOWN_AT_FIRST + _UNKNOWN_PER_EXAMPLE * len(verdicts)
    of_unknown = min(_UNKNOWN_WEIGHT, most_unknown / max(len(unknown), 1))
    weights = np.concatenate([(known != 0).astype(np.float64), np.full(len(others), of_unknown)])

    def loss(coefficients: Floats) -> tuple[float, Floats]:
        logits = evidence @ coefficients
        away = coefficients - _USUAL
        missed = weights @ (np.logaddexp(0, logits) - answers * logits)
        return float(missed + away @ away / 2), evidence.T @ (weights * (_sigmoid(logits) - answers)) + away

    # A higher score must never mean a lower probability.
    found = minimize(loss, _USUAL, jac=True, method="L-BFGS-B", bounds=[(0, None)] * 3 + [(None, None)])
    return np.asarray(found.x)


def _sigmoid(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
