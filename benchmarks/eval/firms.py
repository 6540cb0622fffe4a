"""Compares drafts and answers of organizations with files of all formats with what their documents say: `IN_FILES` of tests/firms.

Uses the product's own code: documents are added and trained with the kinds that training suggests, the job drafts each template for the
notice of a funder, and questions are asked as on the Train page. The first runs are in the README there.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.product import Product, open_product
from fundwright.asking import service as asking
from fundwright.language import service as language
from fundwright.reading.facts import FactStatus
from fundwright.templates.builtin import TEMPLATES
from fundwright.training import searching
from tests.firms import IN_FILES, Firm, load_firm
from tests.firms.drafts import add_documents, add_opportunity, draft, flat


async def measure() -> list[Figure]:
    total = Counter[str]()
    for name in IN_FILES:
        firm = load_firm(name)
        async with open_product() as product:
            total += await _draft(product, firm)
            total += await _ask(product, firm)
    return [
        Figure(
            name="facts that appear in drafts", value=total["said"] / total["facts"], target=0.6, note=f"(of {total['facts']})"
        ),
        Figure(name="statements that must never appear", value=total["never"], target=0, is_at_most=True),
        Figure(
            name="questions with the expected statement first",
            value=total["right"] / total["answerable"],
            target=0.75,
            note=f"(of {total['answerable']})",
        ),
        Figure(
            name="questions refused or denied that no document answers",
            value=total["refused"] / total["unanswerable"],
            target=0.9,
            note=f"(of {total['unanswerable']})",
        ),
    ]


async def _draft(product: Product, firm: Firm) -> Counter[str]:
    core, actor = product
    ids = dict(zip(firm.kinds, await add_documents(core, actor, firm), strict=True))
    (notice,) = await searching.read_documents(core, actor, document_ids=[ids[firm.opportunity["notice"]]])
    with tempfile.TemporaryDirectory() as folder:
        opportunity_id = await add_opportunity(core, actor, firm, Path(folder), notice=notice.text)
    total = Counter[str]()
    for template in TEMPLATES:
        for section in (await draft(core, actor, opportunity_id, template)).sections:
            expected, text = firm.sections[template.name, section.heading], flat(section.text)
            missing = [fact for fact in expected.facts if flat(fact) not in text]
            never = [each for each in (*firm.never, *expected.never) if flat(each) in text]
            total += Counter(facts=len(expected.facts), said=len(expected.facts) - len(missing), never=len(never))
            if missing or never:
                print(f"   {firm.name}, {template.name}, {section.heading}: missing {missing}, never {never}")
    return total


async def _ask(product: Product, firm: Firm) -> Counter[str]:
    core, actor = product
    embedder = await language.get_embedder(core)
    asked: list[dict[str, Any]] = tomllib.loads(firm.path("questions.toml").read_text(encoding="utf-8"))["question"]
    total = Counter[str]()
    for each in asked:
        found = (await asking.find_answers(core, actor, each["ask"], embedder=embedder)).answers
        shown = flat(found[0].text[found[0].answer_start : found[0].answer_end]) if found else ""
        if each.get("unanswerable"):
            is_unchecked = bool(found) and found[0].aside is not None and not found[0].is_checked
            is_denied = each.get("denied", False) and bool(found) and (is_unchecked or found[0].status is not FactStatus.CURRENT)
            total += Counter(unanswerable=1, refused=not found or is_denied)
        else:
            total += Counter(answerable=1, right=any(flat(answer) in shown for answer in each["answer"]))
    return total
