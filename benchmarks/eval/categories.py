"""Quality of the classifier, each figure beside that of a simpler classifier that was trained on the same examples.

Assistance listings: 1,106 objectives in 20 funding categories, five folds, from no example per category to four folds of them. A
listing's agency is the department in the first digits of its number. Contract notices: the 2-digit NAICS sector of 2,057
solicitations, five folds, with the titles of the taxonomy and all other notices of the same SAM.gov file as examples.
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import html
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks.eval.frame.data import DATA
from benchmarks.eval.frame.embedding import open_embedder
from benchmarks.eval.frame.figures import Figure
from fundwright.categories.classifier import Classifier, Description, Example, Floats, Subject, phrases_of
from fundwright.categories.schemas import HIGH, LOW, MEDIUM
from fundwright.categories.terms import Weighting, terms_of, words_of

_FOLDS = 5
_AT_MOST = (0, 3, 10, 30)

# What a person who sets up these categories would write.
DESCRIPTIONS = {
    "Agricultural": "Farming, crops, livestock, agricultural research, loans and insurance for farmers, plant and animal health.",
    "Business and Commerce": "Small business development, loans, trade, export, manufacturing, minority-owned business.",
    "Community Development": "Neighborhood and rural development, community facilities, historic preservation, block grants.",
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

Indexes = NDArray[np.intp]


class Labeled(NamedTuple):
    """Notices, and each one's category as an index into `names`."""

    subjects: list[Subject]
    truth: Indexes
    names: list[str]
    descriptions: list[Description]


async def measure() -> list[Figure]:
    if not DATA.exists():
        return []
    listings, without_agency = await _listings(with_agency=True), await _listings(with_agency=False)
    sectors, awards = await _sectors()
    return await asyncio.to_thread(_compare, listings, without_agency, sectors, awards)


def _compare(listings: Labeled, without_agency: Labeled, sectors: Labeled, awards: list[tuple[Subject, int]]) -> list[Figure]:
    figures: list[Figure] = []
    for number in _AT_MOST:
        probabilities = _cross_validate(listings, at_most=number)
        baseline = _accuracy(_cross_validate_baseline(listings, at_most=number), listings.truth) if number else None
        accuracy = _accuracy(probabilities, listings.truth)
        figures.append(_figure(f"Listings, at most {number} per category: accuracy", accuracy, None, baseline))
    probabilities, baselines = _cross_validate(listings), _cross_validate_baseline(listings)
    figures += _both("Listings with agency", probabilities, baselines, listings.truth, (0.80, 0.70))
    figures += _calibration("Listings with agency", probabilities, listings.truth)
    probabilities, baselines = _cross_validate(without_agency), _cross_validate_baseline(without_agency)
    figures += _both("Listings, text only", probabilities, baselines, without_agency.truth, (0.785, 0.69))
    probabilities, baselines = _cross_validate(sectors, extra=awards), _cross_validate_baseline(sectors, extra=awards)
    return figures + _both("NAICS sectors with award notices", probabilities, baselines, sectors.truth, (0.73, 0.49))


def _figure(name: str, value: float, target: float | None, baseline: float | None) -> Figure:
    return Figure(
        name=name,
        value=value,
        target=target,
        baseline_name="TF-IDF, logistic regression" if baseline is not None else "",
        baseline=baseline,
    )


def _both(name: str, probabilities: Floats, baselines: Floats, truth: Indexes, targets: tuple[float, float]) -> list[Figure]:
    return [
        _figure(f"{name}: accuracy", _accuracy(probabilities, truth), targets[0], _accuracy(baselines, truth)),
        _figure(f"{name}: macro-F1", _macro_f1(probabilities, truth), targets[1], _macro_f1(baselines, truth)),
    ]


def _calibration(name: str, probabilities: Floats, truth: Indexes) -> list[Figure]:
    first, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    is_right = first == truth
    tenths = np.minimum((sure * 10).astype(int), 9)
    error = sum(
        abs(sure[tenths == tenth].mean() - is_right[tenths == tenth].mean()) * float((tenths == tenth).mean())
        for tenth in np.unique(tenths)
    )
    figures = [Figure(name=f"{name}: expected calibration error", value=float(error), target=0.06, is_at_most=True)]
    # Count every suggestion, including the second and third for the same notice.
    suggestions, hits = probabilities.ravel(), np.eye(probabilities.shape[1], dtype=bool)[truth].ravel()
    for band, least, most in (("High", HIGH, 2.0), ("Medium", MEDIUM, HIGH), ("Low", LOW, MEDIUM)):
        is_in = (suggestions >= least) & (suggestions < most)
        right = float(hits[is_in].mean()) if is_in.any() else 0.0
        figures.append(Figure(name=f"{name}: right in band {band}", value=right, note=f"{is_in.sum()} suggestions"))
    return figures


def _folds(truth: Indexes) -> Indexes:
    """The fold of each row, stratified by category."""
    random = np.random.default_rng(0)
    folds = np.empty(len(truth), dtype=np.intp)
    for label in np.unique(truth):
        rows = random.permutation(np.flatnonzero(truth == label))
        folds[rows] = (np.arange(len(rows)) + random.integers(_FOLDS)) % _FOLDS
    return folds


def _given(folds: Indexes, fold: int, truth: Indexes, at_most: int | None) -> Indexes:
    """The rows that are used as examples."""
    rows = np.random.default_rng(fold).permutation(np.flatnonzero(folds != fold))
    return np.concatenate([rows[truth[rows] == label][:at_most] for label in np.unique(truth)]).astype(np.intp)


def _cross_validate(labeled: Labeled, *, at_most: int | None = None, extra: Sequence[tuple[Subject, int]] = ()) -> Floats:
    folds, count = _folds(labeled.truth), len(labeled.names)
    probabilities = np.empty((len(folds), count))
    verdicts: list[list[int]] = (2 * np.eye(count, dtype=np.int8) - 1).tolist()
    for fold in range(_FOLDS):
        rows = _given(folds, fold, labeled.truth, at_most)
        taught = [*extra, *((labeled.subjects[row], int(labeled.truth[row])) for row in rows)]
        examples = [Example(subject, verdicts[label]) for subject, label in taught]
        tested = np.flatnonzero(folds == fold)
        subjects = [labeled.subjects[row] for row in tested]
        probabilities[tested] = Classifier(labeled.descriptions, examples, subjects).probabilities(subjects)
    return probabilities


def _cross_validate_baseline(
    labeled: Labeled, *, at_most: int | None = None, extra: Sequence[tuple[Subject, int]] = ()
) -> Floats:
    """Textbook multinomial logistic regression on TF-IDF (C = 10)."""
    folds, count = _folds(labeled.truth), len(labeled.names)
    subjects = [*labeled.subjects, *(subject for subject, _ in extra)]
    labels = np.concatenate([labeled.truth, np.array([label for _, label in extra], dtype=np.intp)])
    terms = [words_of(subject.terms) for subject in subjects]
    matrix: Any = Weighting(terms).matrix(terms)
    matrix = matrix[:, np.unique(matrix.indices[matrix.data > 0])]
    scores = np.empty((len(folds), count))
    for fold in range(_FOLDS):
        given = np.concatenate([_given(folds, fold, labeled.truth, at_most), np.arange(len(folds), len(subjects))])
        inputs, targets = matrix[given], np.eye(count)[labels[given]]

        def loss(flat: Floats, inputs: Any = inputs, targets: Any = targets) -> tuple[float, Floats]:
            weights = flat.reshape(-1, count)
            logits = inputs @ weights
            error = special.softmax(logits, axis=1) - targets
            missed = -float((special.log_softmax(logits, axis=1) * targets).sum())
            return missed + float((weights**2).sum()) / 20, (inputs.T @ error + weights / 10).ravel()

        start = np.zeros(matrix.shape[1] * count)
        found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 30})
        tested = np.flatnonzero(folds == fold)
        scores[tested] = matrix[tested] @ found.x.reshape(-1, count)
    return scores


def _accuracy(scores: Floats, truth: Indexes) -> float:
    return float((scores.argmax(axis=1) == truth).mean())


def _macro_f1(scores: Floats, truth: Indexes) -> float:
    guessed, each = scores.argmax(axis=1), []
    for label in np.unique(truth):
        hits = int(((guessed == label) & (truth == label)).sum())
        each.append(2 * hits / int((guessed == label).sum() + (truth == label).sum()))
    return float(np.mean(each))


async def _listings(*, with_agency: bool) -> Labeled:
    rows = _read("labels/assistance_listings.jsonl.gz")
    names = sorted(DESCRIPTIONS)
    agencies = [row["id"].partition(".")[0] if with_agency else "" for row in rows]
    subjects = await _subjects([(row["title"], row["text"]) for row in rows], agencies)
    truth = np.array([names.index(row["category"]) for row in rows])
    return Labeled(subjects, truth, names, [await _describe(name, DESCRIPTIONS[name]) for name in names])


async def _sectors() -> tuple[Labeled, list[tuple[Subject, int]]]:
    """The labeled solicitations, and all other notices of the same file that have a NAICS code."""
    labeled = _read("labels/sam_naics_psc.jsonl.gz")
    with gzip.open(DATA / "sam" / "ContractOpportunitiesFullCSV.csv.gz", "rt", encoding="cp1252", errors="replace") as file:
        notices = {row["NoticeId"]: row for row in csv.DictReader(file)}
    names = sorted({row["naics"][:2] for row in labeled})
    agencies = [notices[row["id"]]["Sub-Tier"] for row in labeled]
    subjects = await _subjects([(row["title"], row["text"]) for row in labeled], agencies)
    known = {row["id"] for row in labeled}
    others = [row for id, row in notices.items() if id not in known and row["NaicsCode"][:2] in names]
    texts = [(row["Title"], html.unescape(re.sub(r"<[^>]*>", " ", row["Description"]))) for row in others]
    awards = await _subjects(texts, [row["Sub-Tier"] for row in others])
    titles = json.loads((DATA / "taxonomy" / "naics_2022.json").read_text())["taxonomies"]
    described = {name: [item["name"] for items in titles.values() for item in items if item["id"][:2] == name] for name in names}
    descriptions = [await _describe(name, ". ".join(described[name])) for name in names]
    truth = np.array([names.index(row["naics"][:2]) for row in labeled])
    examples = [(subject, names.index(row["NaicsCode"][:2])) for subject, row in zip(awards, others, strict=True)]
    return Labeled(subjects, truth, names, descriptions), examples


async def _describe(name: str, text: str) -> Description:
    return Description(name, text, await open_embedder().embed(phrases_of(name, text)))


async def _subjects(texts: Sequence[tuple[str, str]], agencies: Sequence[str]) -> list[Subject]:
    vectors = await open_embedder().embed([f"{title}\n{text}" for title, text in texts])
    read = (terms_of(title, text, agency) for (title, text), agency in zip(texts, agencies, strict=True))
    return [Subject(terms, vector) for terms, vector in zip(read, vectors, strict=True)]


def _read(path: str) -> list[dict[str, str]]:
    with gzip.open(DATA / path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
