"""How well the classifier sorts assistance listings into 20 funding categories, from 0 examples per category to all of a half, 28 on average.

Run with `.venv/bin/python -m benchmarks.categories`. Needs ../shared/data and the model of `make setup`. Five random halves;
the baselines see the same examples: the most frequent category, and the nearest centroid of TF-IDF vectors.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fundwright.categories.classifier import MINIMUM_CONFIDENCE, Example, classify, phrases_of, probabilities
from fundwright.core.settings import Settings
from fundwright.language.local import OnnxEmbedder

_DATA = Path(__file__).parents[2] / "shared" / "data" / "labels" / "assistance_listings.jsonl.gz"
_ROUNDS = 5
_EXAMPLES = (0, 5, 20, None)

# What somebody who set these categories up would write.
DESCRIPTIONS = {
    "Agricultural": "Farming, crops, livestock, agricultural research, loans and insurance for farmers, plant and animal health.",
    "Business and Commerce": "Small business development, loans, trade, export, manufacturing, minority-owned business.",
    "Community Development": "Neighbourhood and rural development, community facilities, historic preservation, block grants.",
    "Consumer Protection": "Product safety, complaints, inspection of food and goods, fair practices for consumers.",
    "Cultural Affairs": "Arts, humanities, museums, libraries.",
    "Disaster Prevention and Relief": "Emergency preparedness, disaster relief, flood prevention, homeland security, fire fighters.",
    "Education": "Schools, teachers, universities, scholarships, student aid, vocational and special education.",
    "Employment, Labor, and Training": "Jobs, job training, apprenticeship, unemployment, labor standards, workers.",
    "Energy": "Energy conservation, renewable energy, fossil and nuclear energy research, weatherization.",
    "Environmental Quality": "Air and water pollution, pesticides, hazardous waste, clean-up of contaminated sites.",
    "Food and Nutrition": "Food for people, school lunch, nutrition for children and the elderly, food assistance.",
    "Health": "Medical research, health services, disease prevention, mental health, substance abuse, health professions.",
    "Housing": "Home ownership, rental assistance, mortgage insurance, public housing, homelessness, repair of homes.",
    "Income Security and Social Services": "Benefits for disabled and elderly people, veterans, refugees, child care, child welfare.",
    "Information and Statistics": "Census, clearinghouse, statistics, maps and data services.",
    "Law, Justice and Legal Services": "Crime, police, courts, victims of crime, juvenile justice, civil rights, legal services.",
    "Natural Resources": "Wildlife, fish, water conservation, parks, recreation, land and mineral management, forests.",
    "Regional Development": "Economic development of regions, infrastructure planning, Indian tribes, public works.",
    "Science and Technology": "Scientific research, engineering, space, technology development.",
    "Transportation": "Highways, public transit, airports, railroads, shipping, road safety.",
}

Floats = NDArray[np.float32]
Indexes = NDArray[np.intp]


def main() -> None:
    if not _DATA.exists():
        sys.exit("benchmarks/categories.py needs ../shared/data/labels, which is not here.")
    with gzip.open(_DATA, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    texts = [str(row["text"]) for row in rows]
    names = sorted(DESCRIPTIONS)
    truth = np.array([names.index(row["category"]) for row in rows])
    embedder = OnnxEmbedder(Settings().models / "all-MiniLM-L6-v2", id="minilm")
    vectors = asyncio.run(embedder.embed(texts))
    prototypes = [asyncio.run(embedder.embed(phrases_of(name, DESCRIPTIONS[name]))) for name in names]
    tf_idf = _tf_idf(texts)
    print(f"{len(rows)} assistance listings, {len(names)} categories, mean of {_ROUNDS} halves")
    print("at most  | accuracy  macro-F1 | answered  right when answered  mean confidence | majority  TF-IDF | ratio to TF-IDF")
    for number in _EXAMPLES:
        measured = [_measure(number, seed, vectors, prototypes, tf_idf, truth) for seed in range(_ROUNDS)]
        accuracy, f1, answered, right, confidence, majority, centroid = np.mean(measured, axis=0)
        ratio = f"{accuracy / centroid:.2f}" if centroid else "-"
        print(
            f"{'all' if number is None else number:>8} | {accuracy:8.3f}  {f1:8.3f} | {answered:8.3f}  {right:19.3f}  "
            f"{confidence:15.3f} | {majority:8.3f}  {centroid:6.3f} | {ratio}"
        )


def _measure(
    number: int | None, seed: int, vectors: Floats, prototypes: list[Floats], tf_idf: Floats, truth: Indexes
) -> tuple[float, ...]:
    order = np.random.default_rng(seed).permutation(len(truth))
    test, pool = order[: len(order) // 2], order[len(order) // 2 :]
    given = np.concatenate([pool[truth[pool] == label][:number] for label in range(len(prototypes))])
    examples: list[Example] = [(vectors[row], int(truth[row])) for row in given]
    guessed = probabilities(prototypes, examples, vectors[test])[:, :-1].argmax(axis=1)
    answers = [
        (guess, right)
        for guess, right in zip(classify(prototypes, examples, vectors[test]), truth[test], strict=True)
        if guess is not None and guess[1] >= MINIMUM_CONFIDENCE
    ]
    most_frequent = Counter(truth[pool].tolist()).most_common(1)[0][0]
    centroid = _nearest_centroid(tf_idf, given, truth, test) if len(given) else 0.0
    return (
        float((guessed == truth[test]).mean()),
        _macro_f1(guessed, truth[test], len(prototypes)),
        len(answers) / len(test),
        float(np.mean([guess[0] == right for guess, right in answers])),
        float(np.mean([guess[1] for guess, _ in answers])),
        float((truth[test] == most_frequent).mean()),
        centroid,
    )


def _macro_f1(guessed: Indexes, truth: Indexes, count: int) -> float:
    scores: list[float] = []
    for label in range(count):
        hits = int(((guessed == label) & (truth == label)).sum())
        wrong = int((guessed == label).sum() + (truth == label).sum()) - 2 * hits
        scores.append(2 * hits / (2 * hits + wrong) if hits + wrong else 0.0)
    return float(np.mean(scores))


def _tf_idf(texts: list[str]) -> Floats:
    """Rows of unit length over the words that stand in at least two texts."""
    counted = [Counter(re.findall(r"[a-z]{3,}", text.lower())) for text in texts]
    frequency = Counter(word for words in counted for word in words)
    column = {word: index for index, word in enumerate(word for word, count in frequency.items() if count > 1)}
    matrix = np.zeros((len(texts), len(column)), dtype=np.float32)
    for row, words in enumerate(counted):
        for word, count in words.items():
            if word in column:
                matrix[row, column[word]] = (1 + np.log(count)) * np.log(len(texts) / frequency[word])
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def _nearest_centroid(matrix: Floats, given: Indexes, truth: Indexes, test: Indexes) -> float:
    labels = sorted(set(truth[given].tolist()))
    centroids = np.stack([matrix[given[truth[given] == label]].mean(axis=0) for label in labels])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    guessed = np.array(labels)[(matrix[test] @ centroids.T).argmax(axis=1)]
    return float((guessed == truth[test]).mean())


if __name__ == "__main__":
    main()
