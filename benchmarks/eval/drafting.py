"""Compares drafts of fourteen invented firms and labs with the facts in their documents: `tests/firms`.

Uses the product's own code: documents are added and trained, and the job drafts each template for one funder's notice. The baseline
quotes, for each question of a section, the sentences of all documents that BM25 ranks best, up to the number of words in the draft.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.eval.frame.bm25 import Bm25, count_stems
from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.product import Product, open_product
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.sentences import sentences_of
from fundwright.templates.builtin import TEMPLATES
from fundwright.templates.schemas import DraftTemplate
from tests.firms import FIRMS, Firm, load_firm
from tests.firms.drafts import SectionScore, add_documents, add_opportunity, draft, score

_MIN_RECALL = 0.85
_QUOTED = 6
"""Number of sentences that the baseline quotes per question."""


class Baseline(NamedTuple):
    said: int
    facts: int
    ours: int
    quoted: int


async def measure() -> list[Figure]:
    scores: list[SectionScore] = []
    baselines: dict[str, Baseline] = {}
    for name in FIRMS:
        firm = load_firm(name)
        async with open_product() as product:
            scores += await _draft(product, firm)
            baselines[name] = await _quote(product, firm)
    figures = [
        figure
        for name in baselines
        for figure in _figures(f"{name}: ", [each for each in scores if each.firm == name], baselines[name])
    ]
    total = Baseline(*(sum(counts) for counts in zip(*baselines.values(), strict=True)))
    return [*figures, *_figures("all: ", scores, total)]


async def _draft(product: Product, firm: Firm) -> list[SectionScore]:
    core, actor = product
    with tempfile.TemporaryDirectory() as folder:
        await add_documents(core, actor, firm)
        opportunity_id = await add_opportunity(core, actor, firm, Path(folder))
    scores: list[SectionScore] = []
    for template in TEMPLATES:
        scores += score(firm, await draft(core, actor, opportunity_id, template))
    for each in scores:
        if each.missing or each.forbidden or each.foreign or each.empty or each.filled:
            print(f"   {each.firm}, {each.template}, {each.heading}: missing {each.missing}, forbidden {each.forbidden}, "
                  f"foreign {each.foreign}, wrongly empty {each.empty}, wrongly filled {each.filled}")  # fmt: skip
    return scores


async def _quote(product: Product, firm: Firm) -> Baseline:
    """The best sentences by BM25 alone."""
    sentences = [
        (sentence, DocumentKind(kind)) for name, kind in firm.kinds.items() for sentence in sentences_of(firm.text(name))
    ]
    words = Bm25(await count_stems(product.core, [sentence for sentence, _ in sentences]))
    said = facts = ours = quoted = 0
    for template in TEMPLATES:
        for place, text in enumerate(await _asked(product, template)):
            expected = firm.sections[template.name, template.sections[place].heading]
            found = [sentences[index] for index in words.ranking(text, limit=_QUOTED)]
            flat = " ".join(" ".join(sentence.split()) for sentence, _ in found).casefold()
            said += sum(" ".join(fact.split()).casefold() in flat for fact in expected.facts)
            facts += len(expected.facts)
            ours += sum(kind.is_ours for _, kind in found)
            quoted += len(found)
    return Baseline(said, facts, ours, quoted)


async def _asked(product: Product, template: DraftTemplate) -> Sequence[dict[str, int]]:
    asked = [" ".join((section.heading, *(question.ask for question in section.questions))) for section in template.sections]
    return [dict(counts) for counts in await count_stems(product.core, asked)]


def _figures(name: str, scores: Sequence[SectionScore], baseline: Baseline) -> list[Figure]:
    facts = sum(len(each.facts) for each in scores)
    missing = sum(len(each.missing) for each in scores)
    claims = sum(each.claims for each in scores)
    foreign = sum(len(each.foreign) + len(each.forbidden) for each in scores)
    return [
        Figure(
            name=f"{name}facts that appear",
            value=(facts - missing) / facts,
            target=_MIN_RECALL,
            baseline_name="sentences by words alone",
            baseline=baseline.said / baseline.facts,
        ),
        Figure(
            name=f"{name}claims from our documents",
            value=(claims - foreign) / claims,
            target=1.0,
            baseline_name="sentences by words alone",
            baseline=baseline.ours / baseline.quoted,
        ),
        Figure(
            name=f"{name}questions wrongly called open", value=sum(len(each.empty) for each in scores), target=0, is_at_most=True
        ),
        *_near_misses(name, scores),
        Figure(name=f"{name}gaps wrongly filled", value=sum(len(each.filled) for each in scores), target=0, is_at_most=True),
    ]


def _near_misses(name: str, scores: Sequence[SectionScore]) -> list[Figure]:
    """How many of the passages labeled as near misses are shown as possible matches."""
    labeled = sum(len(each.near) for each in scores)
    if not labeled:
        return []
    found, shown = sum(len(each.near_shown) for each in scores), sum(each.shown for each in scores)
    return [Figure(name=f"{name}near misses shown", value=found / labeled, note=f"{found} of {labeled}; {shown} shown in all")]
