"""Quality of search in the product: the queries and judgments of tests/relevance.

The shared notices are imported and embedded by the product's jobs, and each query goes through the product's own search. It hides
award notices, as the product does by default, and includes closed notices, because most of the shared notices have closed by now. A
notice that nobody judged counts as not relevant. A solicitation counts once, as the product shows it, with the best grade of its
notices; the baseline searches also list each solicitation once. `python -m benchmarks.eval.relevance` prints each query and the
results that nobody has judged.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import text

from benchmarks.eval.frame.bm25 import Bm25, best, count_stems
from benchmarks.eval.frame.data import DATA, PROJECT
from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.notices import import_published
from benchmarks.eval.frame.product import Product, open_product
from benchmarks.eval.frame.ranking import ndcg
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.opportunities import service
from fundwright.opportunities.schemas import OpportunityQuery

QUERIES = PROJECT / "tests" / "relevance" / "queries.jsonl"
_DEPTH = 10
_BETTER = 1.15
_EMBEDDED_CHARACTERS = 800
_AWARD = "Award Notice"
_POOL = 100
"""Enough results to contain ten solicitations."""
_SOLICITATION = "coalesce(nullif(number_key, ''), id::text)"


class Notice(NamedTuple):
    """The identifier in the source."""

    source: str
    external_id: str


class JudgedQuery(NamedTuple):
    organization: str
    text: str
    grades: Mapping[Notice, int]
    """2: worth pursuing; 1: related; 0: not relevant."""


class _Answered(NamedTuple):
    query: JudgedQuery
    grades: Mapping[str, int]
    """Grades of solicitations."""
    found: Mapping[str, Sequence[str]]
    """The first ten solicitations of "product", "words", and "meaning"."""

    def ndcg(self, name: str) -> float:
        return ndcg(self.found[name], self.grades, depth=_DEPTH)

    def first_relevant(self, name: str) -> int | None:
        ranks = (rank for rank, solicitation in enumerate(self.found[name], start=1) if self.grades.get(solicitation, 0))
        return next(ranks, None)


def read_queries() -> list[JudgedQuery]:
    """Raises KeyError or ValueError if the file is malformed."""
    rows = [json.loads(line) for line in QUERIES.read_text().splitlines()]
    return [
        JudgedQuery(
            row["organization"],
            row["query"],
            {Notice(source, id): int(grade) for source, grades in row["grades"].items() for id, grade in grades.items()},
        )
        for row in rows
    ]


async def measure() -> list[Figure]:
    if not DATA.exists():
        return []
    answered = await _answer(read_queries())
    product, words, meaning = (statistics.mean(each.ndcg(name) for each in answered) for name in ("product", "words", "meaning"))
    missed, missed_by_words = (sum(each.first_relevant(name) is None for each in answered) for name in ("product", "words"))
    organizations: dict[str, list[_Answered]] = defaultdict(list)
    for each in answered:
        organizations[each.query.organization].append(each)
    return [
        Figure(
            name=f"relevance of {len(answered)} queries, nDCG@10",
            value=product,
            target=_BETTER * words,
            baseline_name="words alone (BM25)",
            baseline=words,
            note=f"(meaning alone {meaning:.3f}; {product / words:.2f} × words)",
        ),
        Figure(
            name="queries without a relevant notice in the first ten",
            value=missed,
            target=0,
            is_at_most=True,
            baseline_name="words alone (BM25)",
            baseline=missed_by_words,
        ),
        *(
            Figure(
                name=f"  {organization}, nDCG@10",
                value=statistics.mean(each.ndcg("product") for each in of_organization),
                baseline_name="words alone (BM25)",
                baseline=statistics.mean(each.ndcg("words") for each in of_organization),
            )
            for organization, of_organization in organizations.items()
        ),
    ]


async def _answer(queries: Sequence[JudgedQuery]) -> list[_Answered]:
    async with open_product() as product:
        core, actor = product
        await import_published(core, actor)
        listed = await _list_notices(core)
        solicitations = [notice.solicitation for notice in listed.values()]
        words = Bm25(await count_stems(core, [notice.everything for notice in listed.values()]))
        embedder = await language.get_embedder(core)
        vectors = await embedder.embed([notice.embedded for notice in listed.values()])
        texts = [query.text for query in queries]
        stems, asked = await count_stems(core, texts), await embedder.embed(texts)
        solicitation_of = await _solicitations(core)
        found = [
            {
                "product": [solicitation_of[id] for id in await _search(product, query.text)],
                "words": _once(solicitations[place] for place in words.ranking(counts, limit=_POOL)),
                "meaning": _once(solicitations[place] for place in best(vectors @ vector, limit=_POOL)),
            }
            for query, counts, vector in zip(queries, stems, asked, strict=True)
        ]
    return [_Answered(query, _grades(query, listed), each) for query, each in zip(queries, found, strict=True)]


def _once(solicitations: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(solicitations))[:_DEPTH]


def _grades(query: JudgedQuery, listed: Mapping[Notice, _Texts]) -> Mapping[str, int]:
    best_grades: dict[str, int] = {}
    for notice, grade in query.grades.items():
        solicitation = listed[notice].solicitation
        best_grades[solicitation] = max(grade, best_grades.get(solicitation, 0))
    return best_grades


async def _search(product: Product, words: str) -> list[UUID]:
    """The first page of the product's list for a search."""
    core, actor = product
    async with core.database.transaction() as session:
        facets = await service.facets(session, actor)
    types = tuple(each.value for each in facets.types if each.value != _AWARD)
    page = await service.search(core, actor, OpportunityQuery(text=words, type=types, page_size=_DEPTH))
    return [row.id for row in page.items]


class _Texts(NamedTuple):
    solicitation: str
    everything: str
    embedded: str


async def _list_notices(core: Core) -> dict[Notice, _Texts]:
    """The data that the baseline searches use, for each notice that is not an award."""
    query = text(f"""
        SELECT source, external_id, {_SOLICITATION}, concat_ws(' ', title, number, agency, sub_agency, office, description),
               title || E'\n' || left(description, :characters)
        FROM opportunity JOIN opportunity_text ON opportunity_id = id WHERE type <> :award ORDER BY source, external_id
    """)
    async with core.database.transaction() as session:
        rows = await session.execute(query, {"characters": _EMBEDDED_CHARACTERS, "award": _AWARD})
        return {Notice(source, id): _Texts(*texts) for source, id, *texts in rows}


async def _solicitations(core: Core) -> dict[UUID, str]:
    async with core.database.transaction() as session:
        return dict((await session.execute(text(f"SELECT id, {_SOLICITATION} FROM opportunity"))).tuples().all())


def _describe(each: _Answered) -> str:
    ranks = "  ".join(f"{name} {each.ndcg(name):.2f} at {each.first_relevant(name) or '-'}" for name in each.found)
    unjudged = [solicitation for solicitation in each.found["product"] if solicitation not in each.grades]
    return "\n    ".join([f"{ranks}  {each.query.text}", *unjudged])


if __name__ == "__main__":
    for one in asyncio.run(_answer(read_queries())):
        print(_describe(one))
