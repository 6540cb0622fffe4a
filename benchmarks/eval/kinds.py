"""Measures the kinds that are proposed for documents of organizations to which the classifier was not fitted.

For each organization of tests/firms, the weights are fitted without it (leave-one-organization-out). The documents of
tests/training/kinds/held_out.txt are never fitted. What matters most is that no draft quotes an internal document or one about others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.eval.frame.figures import Figure
from fundwright.reading.kinds import DocumentKind, Weights, propose
from scripts.kinds import DATA, LabeledDocument, fit, of_examples, of_organizations, of_real, of_sample
from tests.firms import FIRMS, IN_FILES


async def measure() -> list[Figure]:
    if not DATA.exists():
        return []
    documents, examples = list(of_organizations()), [*of_sample(), *of_examples("developed.txt"), *of_real()]
    left_out: dict[str, list[tuple[LabeledDocument, DocumentKind]]] = {}
    for name in (*FIRMS, *IN_FILES):
        weights = fit([*(each for each in documents if each.group != name), *examples])
        left_out[name] = _proposed(weights, (each for each in documents if each.group == name))
    held_out = _proposed(fit([*documents, *examples]), of_examples("held_out.txt"))
    return [
        *_figures("organizations of plain texts", [each for name in FIRMS for each in left_out[name]], target=0.96),
        *_figures("organizations with files of all formats", [each for name in IN_FILES for each in left_out[name]], target=0.9),
        *_figures("held-out examples", held_out, target=0.85),
    ]


def _proposed(weights: Weights, documents: Iterable[LabeledDocument]) -> list[tuple[LabeledDocument, DocumentKind]]:
    return [(each, propose(title=each.title, filename=each.filename, text=each.text, weights=weights)) for each in documents]


def _figures(name: str, proposed: Sequence[tuple[LabeledDocument, DocumentKind]], *, target: float) -> list[Figure]:
    for document, kind in proposed:
        if kind != document.kind:
            print(f"   {document.group}, {document.filename}: {document.kind}, proposed {kind}")
    not_ours = [kind for document, kind in proposed if not document.kind.is_ours]
    return [
        Figure(
            name=f"{name}: documents with their kind",
            value=sum(kind == document.kind for document, kind in proposed) / len(proposed),
            target=target,
            note=f"(of {len(proposed)})",
        ),
        Figure(
            name=f"{name}: documents of others, and internal ones, proposed as ours",
            value=sum(kind.is_ours for kind in not_ours),
            target=1,
            is_at_most=True,
            note=f"(of {len(not_ours)})",
        ),
    ]
