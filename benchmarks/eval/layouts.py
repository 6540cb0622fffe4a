"""Measures whether the writer finds the same facts in documents with different layouts: `tests/firms/layouts.py`.

Each invented firm is drafted once for each layout of its documents, without a database. The baseline is the documents' original
layout.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.eval.frame.embedding import open_embedder
from benchmarks.eval.frame.figures import Figure
from fundwright.language.protocols import Embedder
from fundwright.templates.builtin import TEMPLATES
from tests.firms import FIRMS, load_firm
from tests.firms.drafts import flat
from tests.firms.layouts import LAYOUTS, Layout
from tests.firms.quickly import sections

_MIN_RECALL, _MIN_OF_ONE = 0.97, 0.9
_QUESTIONS = {(template.name, section.heading): len(section.questions) for template in TEMPLATES for section in template.sections}


class Found(NamedTuple):
    facts: int = 0
    said: int = 0
    empty: int = 0
    """Answered questions that are listed as open."""
    filled: int = 0
    forbidden: int = 0

    @property
    def recall(self) -> float:
        return self.said / self.facts


async def measure() -> list[Figure]:
    embedder = open_embedder()
    as_they_are = await _write(str, embedder)
    found = {name: await _write(layout, embedder) for name, layout in LAYOUTS.items()}
    total = Found(*(sum(counts) for counts in zip(*found.values(), strict=True)))
    worst = min(found, key=lambda name: found[name].recall)
    drafted = f"{len(LAYOUTS)} layouts of {len(FIRMS)} firms"
    return [
        Figure(
            name="facts that appear, all layouts",
            value=total.recall,
            target=_MIN_RECALL,
            baseline_name="the documents as they are",
            baseline=as_they_are.recall,
            note=drafted,
        ),
        Figure(
            name="facts that appear, the worst layout",
            value=found[worst].recall,
            target=_MIN_OF_ONE,
            note=worst.replace("_", " "),
        ),
        Figure(name="questions wrongly called open in one draft", value=total.empty / len(LAYOUTS) / len(FIRMS)),
        Figure(name="gaps wrongly filled", value=total.filled, target=0, is_at_most=True),
        Figure(name="what has to be absent", value=total.forbidden),
    ]


async def _write(layout: Layout, embedder: Embedder) -> Found:
    counts = Found()
    for name in FIRMS:
        firm = load_firm(name)
        for key, (text, opened) in (await sections(firm, layout, embedder)).items():
            expected = firm.sections[key]
            gaps = frozenset(range(_QUESTIONS[key])) if expected.gap else frozenset(expected.gaps)
            facts = [fact for fact in expected.facts if not fact.startswith("Dear ")]  # not written by the writer
            added = (
                len(facts),
                sum(flat(fact) in flat(text) for fact in facts),
                len(opened - gaps),
                len(gaps - opened),
                sum(flat(never) in flat(text) for never in (*firm.never, *expected.never)),
            )
            counts = Found(*map(sum, zip(counts, added, strict=True)))
    return counts
