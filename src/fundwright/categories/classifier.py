"""Assigns one of a few categories to an embedding, from no example at all up to thousands.

Each category has the embeddings of the phrases it is described with. Its score without examples is the mean similarity to
the nearest of them: on assistance listings that is right for 61 % of 20 categories, against 47 % for the embedding of the
whole description. Multinomial logistic regression on the examples adds to these scores and moves away from them only as
far as the examples ask for, so that one example helps and a thousand decide. One more class, "none of these", starts at a
constant score: a subject far from every category is left alone. The constants were fitted on assistance listings with some
of the categories left out; benchmarks/categories.py measures what comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Guess = tuple[int, float]
"""Index of the category and the chance in 0..1 that it is right."""
Example = tuple[Floats, int | None]
"""A vector and the index of its category; None: a person said that it is none of them."""

MINIMUM_CONFIDENCE = 0.5

_NEAREST_PHRASES = 5
_MOST_PHRASES = 40
_SHARPNESS = 20.0
"""Logits per unit of similarity."""
_NONE_SIMILARITY = 0.25
"""Similarity at which a category and "none" are equally likely."""
_PRIOR_EXAMPLES = 0.05
"""How many examples the descriptions weigh against."""
_BIAS_STIFFNESS = 10
_STEPS = 150


def phrases_of(name: str, description: str) -> list[str]:
    """What to embed for a category: its name and each phrase of its description, at most 40."""
    phrases = [phrase.strip() for phrase in re.split(r"[.;,:\n•]+", description)]
    return list(dict.fromkeys([name, *(phrase for phrase in phrases if len(phrase) > 1)]))[:_MOST_PHRASES]


def classify(
    prototypes: Sequence[Floats], examples: Sequence[Example], vectors: Floats, *, minimum: float = MINIMUM_CONFIDENCE
) -> list[Guess | None]:
    """The surest category of each row of `vectors` (n, dimension), or None below `minimum`.

    `prototypes` has for each category the embeddings of its phrases, (phrases, dimension). All vectors are unit length.
    """
    chances = probabilities(prototypes, examples, vectors)[:, :-1]
    best = chances.argmax(axis=1)
    sure = chances[np.arange(len(best)), best]
    return [(int(index), float(chance)) if chance >= minimum else None for index, chance in zip(best, sure, strict=True)]


def probabilities(prototypes: Sequence[Floats], examples: Sequence[Example], vectors: Floats) -> Floats:
    """Chance of each category and, in the last column, of none: (n, categories + 1), rows summing to 1."""
    logits = _described(prototypes, vectors)
    if examples:
        weights, bias = _fit(prototypes, examples)
        logits = logits + vectors @ weights.T + bias
    return _softmax(logits)


def _described(prototypes: Sequence[Floats], vectors: Floats) -> Floats:
    """Logits from the descriptions alone."""
    columns = [np.sort(vectors @ phrases.T, axis=1)[:, -_NEAREST_PHRASES:].mean(axis=1) for phrases in prototypes]
    columns.append(np.full(len(vectors), _NONE_SIMILARITY))
    return np.stack(columns, axis=1, dtype=np.float32) * np.float32(_SHARPNESS)


def _fit(prototypes: Sequence[Floats], examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """Weights (categories + 1, dimension) and bias to add to the described logits.

    Nesterov's accelerated gradient on the log loss plus a ridge around zero. Softmax has a curvature of at most one half
    per squared length of its input, here 2 with the bias, which gives the step.
    """
    inputs = np.stack([vector for vector, _ in examples])
    offset = _described(prototypes, inputs)
    targets = np.zeros_like(offset)
    for row, (_, target) in enumerate(examples):
        targets[row, -1 if target is None else target] = 1
    ridge = np.float32(_PRIOR_EXAMPLES / len(examples))
    stiffness = ridge * np.float32(_BIAS_STIFFNESS)
    step_size = np.float32(1 / (1 + stiffness))
    share = np.float32(1 / len(examples))
    weights: Floats = np.zeros((targets.shape[1], inputs.shape[1]), dtype=np.float32)
    bias: Floats = np.zeros(targets.shape[1], dtype=np.float32)
    before, bias_before = weights, bias
    for step in range(_STEPS):
        momentum = np.float32(step / (step + 3))
        ahead: Floats = weights + momentum * (weights - before)
        bias_ahead: Floats = bias + momentum * (bias - bias_before)
        error: Floats = (_softmax(offset + inputs @ ahead.T + bias_ahead) - targets) * share
        before, bias_before = weights, bias
        weights = ahead - step_size * (error.T @ inputs + ridge * ahead)
        bias = bias_ahead - step_size * (error.sum(axis=0, dtype=np.float32) + stiffness * bias_ahead)
    return weights, bias


def _softmax(logits: Floats) -> Floats:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
