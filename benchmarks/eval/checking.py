"""How well the checker distinguishes supported claims from unsupported ones, on the pairs in tests/checking.

Each set of pairs is judged by weights that were fitted on the other sets. `python -m benchmarks.eval.checking --fit` fits them on
all pairs and writes src/fundwright/generation/checking.json; `--each` lists the pairs that are judged wrongly.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from benchmarks.eval.frame.data import PROJECT
from benchmarks.eval.frame.embedding import MODELS, RememberingEmbedder
from benchmarks.eval.frame.figures import Figure
from fundwright.generation.checking import check, features_of
from fundwright.language.local import OnnxEmbedder
from fundwright.language.sentences import sentences_of

_PAIRS = PROJECT / "tests" / "checking" / "pairs.jsonl"
_MODEL = PROJECT / "src" / "fundwright" / "generation" / "checking.json"
_LEAST = 0.5
"""The minimum probability that a sentence is supported. A higher threshold would mean more than one false alarm in ten."""
_SETS = {"first": "dh", "second": "t", "third": "vwx", "fourth": "u", "fifth": "y", "sixth": "z"}
"""The sets of pairs in the order in which they were written, by the first letters of their ids."""
_REGULARIZATION = 30.0
_STEPS = 3_000
_FOUND, _ALARMS = 0.92, 0.10

Numbers = NDArray[np.float64]


class Pair(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    kind: str
    supported: bool
    sentence: str
    heading: str
    passages: tuple[str, ...]


def read_pairs() -> list[Pair]:
    lines = _PAIRS.read_text("utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


async def measure() -> list[Figure]:
    pairs = read_pairs()
    flagged = _left_out(pairs) >= 1 - _LEAST
    cosines = await _cosines(pairs)
    figures = _compare("all sets", pairs, flagged, cosines)
    for name, letters in _SETS.items():
        rows = [row for row, pair in enumerate(pairs) if pair.id[0] in letters]
        figures += _compare(name, [pairs[row] for row in rows], flagged[rows], cosines[rows], has_target=False)
    started = time.process_time()
    for pair in pairs:
        check(pair.sentence, pair.passages, about=pair.heading)
    each_ms = (time.process_time() - started) * 1000 / len(pairs)
    return [*figures, Figure(name="checking a sentence, ms", value=each_ms, target=5, is_at_most=True)]


def _compare(
    name: str, pairs: Sequence[Pair], flagged: NDArray[np.bool_], cosines: Numbers, *, has_target: bool = True
) -> list[Figure]:
    """Compares the checker with a threshold of the cosine to the nearest sentence or two that has at least as many false alarms."""
    is_supported = np.array([pair.supported for pair in pairs])
    found, alarms = float(flagged[~is_supported].mean()), float(flagged[is_supported].mean())
    threshold = np.quantile(cosines[is_supported], alarms, method="higher")
    is_below = cosines <= threshold
    baseline = "cosine of the nearest sentence"
    return [
        Figure(
            name=f"{name}: false claims found",
            value=found,
            target=_FOUND if has_target else None,
            baseline_name=baseline,
            baseline=float(is_below[~is_supported].mean()),
            note=f"(of {(~is_supported).sum()})",
        ),
        Figure(
            name=f"{name}: false alarms",
            value=alarms,
            target=_ALARMS if has_target else None,
            is_at_most=True,
            baseline_name=baseline,
            baseline=float(is_below[is_supported].mean()),
            note=f"(of {is_supported.sum()})",
        ),
    ]


async def _cosines(pairs: Sequence[Pair]) -> Numbers:
    embedder = RememberingEmbedder(OnnxEmbedder(MODELS / "all-MiniLM-L6-v2", id="minilm-l6-v2-int8"))
    cosines: list[float] = []
    for pair in pairs:
        sentences = [sentence for passage in pair.passages for sentence in sentences_of(passage)]
        two = [f"{first} {second}" for first, second in pairwise(sentences)]
        vectors = await embedder.embed([pair.sentence, *sentences, *two])
        cosines.append(float((vectors[1:] @ vectors[0]).max()))
    return np.array(cosines)


def _matrix(pairs: Sequence[Pair]) -> tuple[list[str], Numbers, Numbers]:
    """Names of the features, their values (pairs, features), and 1 where a pair is not supported."""
    rows = [features_of(pair.sentence, pair.passages, about=pair.heading) for pair in pairs]
    return list(rows[0]), np.array([list(row.values()) for row in rows]), np.array([float(not pair.supported) for pair in pairs])


def _fit(pairs: Sequence[Pair], values: Numbers, wanted: Numbers) -> Numbers:
    """Logistic regression by projected gradient descent: the bias, then the weights, which are regularized and never negative.

    In these pairs, false sentences are shorter than true ones, although length is no evidence. The fit therefore includes the
    length, and the result is used as if every sentence had the mean length.
    """
    lengths = np.log([len(pair.sentence.split()) for pair in pairs])
    scales = values.std(axis=0) + 1e-6
    design = np.c_[np.ones(len(values)), (values - values.mean(axis=0)) / scales, (lengths - lengths.mean()) / lengths.std()]
    weights = np.zeros(design.shape[1])
    penalty = np.r_[0.0, np.full(design.shape[1] - 1, _REGULARIZATION / len(values))]
    step = 4 / np.linalg.eigvalsh(design.T @ design / len(values))[-1]
    for _ in range(_STEPS):
        probabilities = 1 / (1 + np.exp(-design @ weights))
        weights -= step * (design.T @ (probabilities - wanted) / len(values) + penalty * weights)
        weights[1:-1] = np.maximum(weights[1:-1], 0)
    of_values = weights[1:-1] / scales
    return np.r_[weights[0] - of_values @ values.mean(axis=0), of_values]


def _left_out(pairs: Sequence[Pair]) -> Numbers:
    """Each pair's probability of not being supported, from weights fitted on the sets of other authors."""
    _, values, wanted = _matrix(pairs)
    sets = np.array([next(name for name, letters in _SETS.items() if pair.id[0] in letters) for pair in pairs])
    probabilities = np.zeros(len(pairs))
    for name in _SETS:
        others = sets != name
        weights = _fit([pair for pair, is_other in zip(pairs, others, strict=True) if is_other], values[others], wanted[others])
        probabilities[~others] = 1 / (1 + np.exp(-np.c_[np.ones((~others).sum()), values[~others]] @ weights))
    return probabilities


def _write() -> None:
    pairs = read_pairs()
    names, values, wanted = _matrix(pairs)
    bias, *weights = (round(float(weight), 3) for weight in _fit(pairs, values, wanted))
    model = {"least": _LEAST, "bias": bias, "weights": dict(zip(names, weights, strict=True))}
    _MODEL.write_text(json.dumps(model, indent=2) + "\n", "utf-8")


def _list_wrong() -> None:
    pairs = read_pairs()
    for pair, probability in zip(pairs, _left_out(pairs), strict=True):
        if (probability >= 1 - _LEAST) == pair.supported:
            print(f"{pair.id} {'alarm' if pair.supported else 'missed'} {probability:.2f} {pair.kind}: {pair.sentence}")


if __name__ == "__main__":
    if "--fit" in sys.argv:
        _write()
    elif "--each" in sys.argv:
        _list_wrong()
    else:
        for figure in asyncio.run(measure()):
            print(figure)
