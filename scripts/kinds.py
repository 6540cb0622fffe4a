"""Fits the classifier of documents (`src/fundwright/reading/kinds.tsv`): `python -m scripts.kinds`.

Multinomial logistic regression on the documents of the invented organizations in tests/firms, of tests/training/kinds/developed.txt, and on some real
notices and abstracts. What held_out.txt and the tests of real documents use is never fitted.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from fundwright import training
from fundwright.reading.formats import read
from fundwright.reading.kinds import WEIGHTS, DocumentKind, Weights, features
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.training.chunking import chunk
from fundwright.training.titles import title_of_file
from tests.firms import FIRMS, IN_FILES, load_firm

DATA = Path(__file__).resolve().parents[2] / "shared/data"
EXAMPLES = Path(__file__).parents[1] / "tests/training/kinds"
SAMPLE = Path(training.__file__).parent / "sample"
_SAMPLE_KINDS = {
    "Capability": DocumentKind.ABOUT_US,
    "Data": DocumentKind.DATA,
    "Notice": DocumentKind.NOTICE,
    "Past": DocumentKind.PAST_PERFORMANCE,
    "Resume": DocumentKind.RESUME,
}
_MIN_CHARACTERS = 400
_KINDS = list(DocumentKind)
_MIN_DOCUMENTS = 3
"""A term of fewer documents says more about them than about their kind."""
_VARIANCE = 300.0
"""The variance of the prior of a weight."""
_BALANCE = 0.5
"""The exponent of the weight of rare kinds."""
_STEPS = 300


@dataclass(frozen=True)
class LabeledDocument:
    """A document whose kind is known. Those of one group resemble each other, so that one is no test of what the others taught."""

    group: str
    filename: str
    text: str
    kind: DocumentKind

    @property
    def title(self) -> str:
        return title_of_file(self.filename)


def of_organizations(names: Sequence[str] = (*FIRMS, *IN_FILES)) -> Iterator[LabeledDocument]:
    readers = list(document_readers())
    for name in names:
        firm = load_firm(name)
        for filename, kind in firm.kinds.items():
            document = read(readers, firm.path(filename).read_bytes(), filename)
            text = chunk(lines_of(document, with_asides=True)).statements
            yield LabeledDocument(name, filename, text, DocumentKind(kind))


def of_sample() -> Iterator[LabeledDocument]:
    """The documents of an invented company that new accounts get; their names say the kinds."""
    readers = list(document_readers())
    for path in sorted(SAMPLE.iterdir()):
        kind = next(kind for beginning, kind in _SAMPLE_KINDS.items() if path.name.startswith(beginning))
        text = chunk(lines_of(read(readers, path.read_bytes(), path.name), with_asides=True)).statements
        yield LabeledDocument("sample", path.name, text, kind)


def of_examples(name: str) -> Iterator[LabeledDocument]:
    _, *parts = re.split(r"^=== (\w+) \| (.*)\n", (EXAMPLES / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for kind, filename, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield LabeledDocument(filename, filename, text, DocumentKind(kind))


def of_real() -> Iterator[LabeledDocument]:
    """Abstracts of NIH projects, and notices from SAM.gov and NIH."""
    with gzip.open(DATA / "nih/reporter_projects.jsonl.gz", "rt") as file:
        projects = [json.loads(line) for line in file]
    with gzip.open(DATA / "sam/ContractOpportunitiesFullCSV.csv.gz", "rt", encoding="cp1252", errors="replace") as file:
        rows = [row for row in csv.DictReader(io.StringIO(file.read())) if len(row["Description"]) > _MIN_CHARACTERS]
    posted = [json.loads(line) for line in (DATA / "nih/nih_posted.jsonl").read_text().splitlines()]
    texts = [(DocumentKind.PREVIOUS_PROPOSAL, each["abstract"]) for each in projects[3::63] if each.get("abstract")]
    texts += [(DocumentKind.NOTICE, f"{row['Title']}\n\n{row['Description']}") for row in rows[30::540]]
    texts += [(DocumentKind.NOTICE, f"{each['title']}\n\n{each['abstract']}") for each in posted[3::54] if each.get("abstract")]
    return (LabeledDocument("real", "notes.txt", text, kind) for kind, text in texts)


def fit(documents: Sequence[LabeledDocument]) -> Weights:
    found = [features(title=each.title, filename=each.filename, text=each.text) for each in documents]
    counts = Counter(term for each in found for term in each)
    terms = {term: place for place, term in enumerate(sorted(term for term, count in counts.items() if count >= _MIN_DOCUMENTS))}
    inputs = np.zeros((len(documents), len(terms)))
    for row, each in enumerate(found):
        for term in each.keys() & terms.keys():
            inputs[row, terms[term]] = each[term]
    targets = np.array([[document.kind == kind for kind in _KINDS] for document in documents], dtype=np.float64)
    of_kind = np.maximum(targets.sum(axis=0), 1)
    weight = targets @ (of_kind.mean() / of_kind) ** _BALANCE
    # Fewer documents than terms: the weights are a combination of the documents.
    similarities, shape = inputs @ inputs.T, targets.shape

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        combination = values.reshape(shape)
        scores = similarities @ combination
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        errors = weight[:, None] * (np.exp(logs) - targets)
        prior = combination / _VARIANCE
        total = -(weight * (targets * logs).sum(axis=1)).sum() + 0.5 * (prior * (similarities @ combination)).sum()
        return total, (similarities @ (errors + prior)).ravel()

    best = minimize(loss, np.zeros(targets.size), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    weights = inputs.T @ best.reshape(shape)
    return {term: weights[place] for term, place in terms.items()}


def as_file(weights: Weights) -> str:
    return "".join(
        f"{term}\t" + "\t".join(str(round(value * 100)) for value in values) + "\n" for term, values in weights.items()
    )


if __name__ == "__main__":
    WEIGHTS.write_text(
        as_file(fit([*of_organizations(), *of_sample(), *of_examples("developed.txt"), *of_real()])), encoding="utf-8"
    )
