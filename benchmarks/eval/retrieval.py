"""Quality of search for passages and notices.

Passages: the Cranfield collection through the product's own code: documents are added, trained by the job, and found by
`find_passages`. To measure the response time in a large account, the passages are then copied until there are 20,000.

Notices: from the titles of a vendor's past awards to the solicitation that it won later, among all notices that are not awards.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import text

from benchmarks.eval.frame import cranfield
from benchmarks.eval.frame.bm25 import Bm25, best, count_stems
from benchmarks.eval.frame.data import DATA
from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.product import Product, open_product
from benchmarks.eval.frame.ranking import ndcg, recall
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.language.local import create_minilm
from fundwright.language.protocols import Vectors
from fundwright.language.retrieval import DEPTH
from fundwright.training import searching

_NOTICES = DATA / "sam" / "ContractOpportunitiesFullCSV-large.csv.gz"
_VENDORS = DATA / "retrieval" / "sam_capability_queries.jsonl.gz"
_LARGE = 20_000
_WON = 100
_GROUP = 0.5
"""Bonus of a notice if all past awards are in its product group."""


async def measure() -> list[Figure]:
    if not DATA.exists():
        return []
    async with open_product() as product:
        return [*await _passages(product), *await _notices(product.core)]


async def _passages(product: Product) -> list[Figure]:
    core, actor = product
    documents, questions, judgments = cranfield.documents(), cranfield.questions(), cranfield.judgments()
    numbers, _ = await cranfield.train(core, actor)
    embedder = await language.get_embedder(core)
    words = Bm25(await count_stems(core, list(documents.values())))
    asked_words = await count_stems(core, questions)
    asked_vectors = await embedder.embed(questions)
    document_ids, vectors = await cranfield.vectors(core)
    order = list(documents)
    found: dict[str, list[list[int]]] = {"product": [], "words": [], "vectors": []}
    for question, stems, vector in zip(questions, asked_words, asked_vectors, strict=True):
        passages = await searching.find_passages(core, actor, question, embedder=embedder, limit=2 * DEPTH)
        found["product"].append(_ranking([passage.document_id for passage in passages], numbers))
        found["words"].append([order[place] for place in words.ranking(stems, limit=DEPTH)])
        found["vectors"].append(_ranking([document_ids[place] for place in best(vectors @ vector, limit=2 * DEPTH)], numbers))
    gains = {
        name: statistics.mean(
            ndcg(ranking, dict.fromkeys(relevant, 1)) for ranking, relevant in zip(rankings, judgments, strict=True)
        )
        for name, rankings in found.items()
    }
    recalls = {
        name: statistics.mean(recall(ranking, relevant) for ranking, relevant in zip(rankings, judgments, strict=True))
        for name, rankings in found.items()
    }
    await _grow(core)
    p50, p95 = await _time(product, questions)
    return [
        _beside_both("Cranfield nDCG@10", gains, 0.45),
        _beside_both("Cranfield recall@100", recalls, 0.82),
        Figure(
            name="a question on 20,000 passages, p95 ms",
            value=p95,
            target=60,
            is_at_most=True,
            baseline_name="its median",
            baseline=p50,
        ),
    ]


def _beside_both(name: str, values: dict[str, float], target: float) -> Figure:
    return Figure(
        name=name,
        value=values["product"],
        target=target,
        baseline_name="words alone (BM25)",
        baseline=values["words"],
        note=f"(meaning alone {values['vectors']:.3f})",
    )


def _ranking(document_ids: Sequence[UUID], numbers: dict[UUID, int]) -> list[int]:
    """Documents in the order of their best passage."""
    return list(dict.fromkeys(numbers[document_id] for document_id in document_ids))


async def _grow(core: Core) -> None:
    """Copy the passages until there are `_LARGE`."""
    async with core.database.transaction() as session:
        count = await session.scalar(text("SELECT count(*) FROM chunk"))
        await session.execute(
            text("""
                CREATE TEMP TABLE copied ON COMMIT DROP AS
                SELECT c.*, gen_random_uuid() AS new_id FROM chunk c CROSS JOIN generate_series(1, :times) LIMIT :missing
            """),
            {"times": _LARGE // count, "missing": _LARGE - count},
        )
        await session.execute(
            text("""
                INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, page, start_offset, end_offset, text, search)
                SELECT new_id, document_id, owner_id, ordinal, heading, page, start_offset, end_offset, text, search FROM copied
            """)
        )
        await session.execute(
            text("""
                INSERT INTO chunk_vector (chunk_id, model_id, owner_id, dimension, vector)
                SELECT new_id, model_id, v.owner_id, dimension, vector FROM copied JOIN chunk_vector v ON v.chunk_id = copied.id
            """)
        )
        await session.execute(text("UPDATE chunk_word SET chunks = chunks * :grown"), {"grown": _LARGE // count})
        await session.execute(text("SELECT refresh_statistics('chunk', 'chunk_vector', 'chunk_word')"))


async def _time(product: Product, questions: Sequence[str]) -> tuple[float, float]:
    """p50 and p95 of a question's response time in milliseconds, including its embedding."""
    embedder = create_minilm(product.core)
    times: list[float] = []
    for question in questions:
        started = time.perf_counter()
        await searching.find_passages(product.core, product.actor, question, embedder=embedder)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


async def _notices(core: Core) -> list[Figure]:
    notices = _solicitations()
    titles = list(notices.values())
    words = Bm25(await count_stems(core, titles))
    embedder = await language.get_embedder(core)
    vectors = await embedder.embed(titles)
    groups = np.array([_group(title) for title in titles])
    places = {notice: place for place, notice in enumerate(notices)}
    vendors = _vendors()
    asked = await count_stems(core, [" ".join(vendor.awards) for vendor in vendors])
    ranks: dict[str, list[int]] = {"all": [], "words": [], "vectors": []}
    for vendor, stems in zip(vendors, asked, strict=True):
        by_words = words.scores(stems)
        by_meaning = vectors @ (await embedder.embed(vendor.awards)).mean(axis=0)
        in_group = np.zeros(len(titles), dtype=np.float32)
        for group, number in Counter(_group(award) for award in vendor.awards).items():
            if group:
                in_group[groups == group] = number / len(vendor.awards)
        scores = {
            "all": _scaled(by_words) + _scaled(by_meaning) + _GROUP * in_group,
            "words": by_words,
            "vectors": by_meaning,
        }
        won = [places[notice] for notice in vendor.won if notice in places]
        for name, each in scores.items():
            # For equal scores, the first in the file comes first.
            ranks[name].append(min(int((each > each[place]).sum() + (each[:place] == each[place]).sum()) for place in won))
    success = {name: float(np.mean([rank < _WON for rank in each])) for name, each in ranks.items()}
    return [
        Figure(
            name="capability queries, success@100",
            value=success["all"],
            target=0.24,
            baseline_name="words alone (BM25)",
            baseline=success["words"],
            note=f"(meaning alone {success['vectors']:.3f}; median rank {statistics.median(ranks['all']) + 1:,.0f})",
        )
    ]


class _Vendor(NamedTuple):
    """`awards` are titles, `won` the ids of notices."""

    awards: list[str]
    won: list[str]


def _vendors() -> list[_Vendor]:
    with gzip.open(_VENDORS, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [_Vendor([re.split(r"\.\s", f"{line} ")[0] for line in row["query"].splitlines()], row["relevant"]) for row in rows]


def _solicitations() -> dict[str, str]:
    """Ids and titles of all notices that are not awards."""
    csv.field_size_limit(sys.maxsize)
    with gzip.open(_NOTICES, "rt", encoding="cp1252", newline="") as file:
        return {row["NoticeId"]: row["Title"] for row in csv.DictReader(file) if row["Type"] != "Award Notice"}


def _group(title: str) -> str:
    """The product group at the beginning of a title of the Defense Logistics Agency: "53--BOLT,MACHINE"."""
    found = re.match(r"(\d\d)--", title)
    return found.group(1) if found else ""


def _scaled(scores: Vectors) -> Vectors:
    return (scores - scores.min()) / max(float(scores.max() - scores.min()), 1e-9)
