"""Assigns one of a few categories to an embedding, from no example at all up to thousands.

Multinomial logistic regression whose prior mean is the zero-shot classifier: the weights start at the categories'
embedded descriptions and move away from them only as far as the examples ask for. One more class, "none of these",
has a constant score, so that a subject far from every category is left alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Guess = tuple[int, float]
"""Index of the category and the chance in 0..1 that it is right."""
Example = tuple[Floats, int | None]
"""A vector and the index of its category; None: a person said that it is none of them."""

MINIMUM_CONFIDENCE = 0.5

_SHARPNESS = 14.0
"""Logits per unit of cosine similarity."""
_NONE_SIMILARITY = 0.22
"""Cosine at which a category and "none" are equally likely."""
_PENALTY = 0.02
_STEPS = 120


def classify(
    prototypes: Floats, examples: list[Example], vectors: Floats, *, minimum: float = MINIMUM_CONFIDENCE
) -> list[Guess | None]:
    """The surest category of each row of `vectors` (n, dimension), or None below `minimum`. All vectors are unit length."""
    chances = probabilities(prototypes, examples, vectors)[:, :-1]
    best = chances.argmax(axis=1)
    sure = chances[np.arange(len(best)), best]
    return [(int(index), float(chance)) if chance >= minimum else None for index, chance in zip(best, sure, strict=True)]


def probabilities(prototypes: Floats, examples: list[Example], vectors: Floats) -> Floats:
    """Chance of each category and, in the last column, of none: (n, categories + 1), rows summing to 1."""
    weights, bias = _fit(prototypes, examples)
    return _softmax(vectors @ weights.T + bias)


def _fit(prototypes: Floats, examples: list[Example]) -> tuple[Floats, Floats]:
    count, dimension = prototypes.shape
    weights = np.zeros((count + 1, dimension), dtype=np.float32)
    weights[:count] = _SHARPNESS * prototypes
    bias = np.zeros(count + 1, dtype=np.float32)
    bias[count] = _SHARPNESS * _NONE_SIMILARITY
    if not examples:
        return weights, bias
    inputs = np.stack([vector for vector, _ in examples])
    targets = np.zeros((len(examples), count + 1), dtype=np.float32)
    for row, (_, target) in enumerate(examples):
        targets[row, count if target is None else target] = 1
    return _descend(weights, bias, inputs, targets)


def _descend(weights: Floats, bias: Floats, inputs: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Nesterov's accelerated gradient on the log loss plus a ridge around the starting weights."""
    start_weights, start_bias = weights, bias
    rate = 1 / (0.5 + _PENALTY)
    previous_weights, previous_bias = weights, bias
    for step in range(_STEPS):
        momentum = step / (step + 3)
        ahead_weights = weights + momentum * (weights - previous_weights)
        ahead_bias = bias + momentum * (bias - previous_bias)
        error = (_softmax(inputs @ ahead_weights.T + ahead_bias) - targets) / len(inputs)
        previous_weights, previous_bias = weights, bias
        weights = ahead_weights - rate * (error.T @ inputs + _PENALTY * (ahead_weights - start_weights))
        bias = ahead_bias - rate * (error.sum(axis=0) + _PENALTY * (ahead_bias - start_bias))
    return weights, bias


def _softmax(logits: Floats) -> Floats:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
