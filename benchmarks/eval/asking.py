"""Measures whether a question gets the statement that answers it: `tests/firms/questions.py` and questions about the sample.

Uses the product's own code: the documents are added and trained, and the questions are asked as on the Train page. The baseline shows
the first sentence of the nearest passage.
"""

from __future__ import annotations

import re
from collections import Counter

from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.product import Product, open_product
from fundwright.asking import service as asking
from fundwright.language import service as language
from fundwright.reading.sentences import sentences_of
from fundwright.training import runs, samples, searching, service
from tests.asking.test_answers import ANSWERED, NOT_ANSWERED
from tests.firms import load_firm
from tests.firms.drafts import add_documents
from tests.firms.questions import QUESTIONS

_SAMPLE = (
    *((question, re.escape(expected)) for question, expected in ANSWERED),
    *((question, None) for question in NOT_ANSWERED),
)


async def measure() -> list[Figure]:
    total = Counter[str]()
    for name, questions in QUESTIONS.items():
        async with open_product() as product:
            await add_documents(*product, load_firm(name))
            for question, expected in questions:
                total += await _ask(product, question, expected)
    async with open_product() as product:
        await _add_sample(product)
        for question, expected in _SAMPLE:
            total += await _ask(product, question, expected)
    return [
        Figure(
            name="questions with the expected statement first",
            value=total["right"] / total["answerable"],
            target=0.8,
            baseline_name="first sentence of the nearest passage",
            baseline=total["baseline"] / total["answerable"],
            note=f"(of {total['answerable']}; {total['silent']} not answered)",
        ),
        Figure(
            name="questions answered that no document answers",
            value=total["answered"] / total["unanswerable"],
            target=0.17,
            is_at_most=True,
            note=f"(of {total['unanswerable']})",
        ),
    ]


async def _ask(product: Product, question: str, expected: str | None) -> Counter[str]:
    """Counts for this question: `right` has the expected statement first, `baseline` has it in the first sentence of the nearest
    passage."""
    core, actor = product
    embedder = await language.get_embedder(core)
    found = (await asking.find_answers(core, actor, question, embedder=embedder)).answers
    if expected is None:
        return Counter(unanswerable=1, answered=bool(found))
    shown = " ".join(found[0].text[found[0].answer_start : found[0].answer_end].split()) if found else ""
    is_right = bool(found) and found[0].document_kind.is_ours and re.search(expected, shown) is not None
    nearest = await searching.find_passages(core, actor, question, embedder=embedder, limit=1)
    first = next(iter(sentences_of(nearest[0].text)), "") if nearest else ""
    return Counter(answerable=1, right=is_right, silent=not found, baseline=re.search(expected, first) is not None)


async def _add_sample(product: Product) -> None:
    core, actor = product
    async with core.database.transaction() as session:
        await samples.add_sample(session, actor, core)
        documents = (await service.list_documents(session, actor)).items
    await runs.run_inline(core, actor, [document.id for document in documents])
