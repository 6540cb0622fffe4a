"""Speed of embedding, training, asking, and extractive writing: `python -m benchmarks.training`. Needs the real data beside the
project.

The Cranfield collection goes through the product's own code: documents are added, trained by the job, and found by `find_passages`.
The alternatives answer the same questions from the same passages in the same run. `make eval` measures the quality of the answers.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import time

import numpy as np
from sqlalchemy import text

from benchmarks.eval.frame import cranfield
from benchmarks.eval.frame.data import DATA
from benchmarks.eval.frame.product import open_product
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.language.protocols import NumberedPassage, SectionRequest
from fundwright.language.retrieval import DEPTH
from fundwright.training import searching


async def main() -> int:
    if not DATA.exists():
        print("The real data is missing; nothing was measured.")
        return 0
    async with open_product(embedder="minilm") as (core, actor):
        rows = [*await _embedding(core), *await _asking(core, actor), *await _writing(core)]
    failed = [name for name, value, unit, limit, is_kept in rows if _print(name, value, unit, limit, is_kept=is_kept)]
    return 1 if failed else 0


Measure = tuple[str, float, str, str, bool]


def _print(name: str, value: float, unit: str, limit: str, *, is_kept: bool) -> bool:
    print(f"{name:<52}{value:>10.3g} {unit:<10}{limit:<16}{'' if is_kept else 'MISSED'}")
    return not is_kept


async def _embedding(core: Core) -> list[Measure]:
    started = time.perf_counter()
    embedder = await language.get_embedder(core)
    loading_s = time.perf_counter() - started
    words = " ".join(cranfield.documents().values()).split()
    texts = [" ".join(words[start : start + 200]) for start in range(0, 20_000, 200)]
    started = time.perf_counter()
    await embedder.embed(texts)
    per_second = len(texts) / (time.perf_counter() - started)
    queries: list[float] = []
    for question in cranfield.questions():
        started = time.perf_counter()
        await embedder.embed([question])
        queries.append((time.perf_counter() - started) * 1000)
    return [
        ("loading the embedding model", loading_s, "s", "< 3", loading_s < 3),
        ("texts of 200 words embedded", per_second, "per s", "> 20 (goal 57)", per_second > 20),
        ("one question embedded, p50", statistics.median(queries), "ms", "< 10", statistics.median(queries) < 10),
    ]


async def _asking(core: Core, actor: Actor) -> list[Measure]:
    started = time.perf_counter()
    _, passages = await cranfield.train(core, actor)
    per_second = passages / (time.perf_counter() - started)
    embedder = await language.get_embedder(core)
    _, vectors = await cranfield.vectors(core)
    times: list[float] = []
    apart: list[float] = []
    for question in cranfield.questions():
        started = time.perf_counter()
        await searching.find_passages(core, actor, question, embedder=embedder)
        times.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        asked = (await embedder.embed([question]))[0]
        np.argsort(-(vectors @ asked))[: 2 * DEPTH]
        await _rank_by_words(core, question)
        apart.append((time.perf_counter() - started) * 1000)
    (p50, p95), (peers_p50, peers_p95) = (
        (statistics.median(each), statistics.quantiles(each, n=20)[-1]) for each in (times, apart)
    )
    return [
        ("passages trained (1 398 documents)", per_second, "per s", "> 10", per_second > 10),
        ("question answered, p50", p50, "ms", f"< {2 * peers_p50:.3g} (twice)", p50 < 2 * peers_p50),
        ("question answered, p95", p95, "ms", f"< {2 * peers_p95:.3g} (twice)", p95 < 2 * peers_p95),
        ("  peers: embedded and NumPy, then ts_rank_cd, p50", peers_p50, "ms", "", True),
        ("  peers: embedded and NumPy, then ts_rank_cd, p95", peers_p95, "ms", "", True),
    ]


async def _rank_by_words(core: Core, question: str) -> None:
    query = text(
        "SELECT document_id FROM chunk, (SELECT replace(plainto_tsquery('english', :question)::text, ' & ', ' | ')::tsquery) AS asked (stems) "
        "WHERE search @@ stems ORDER BY ts_rank_cd(search, stems, 1) DESC, id LIMIT :depth"
    )
    async with core.database.transaction() as session:
        (await session.scalars(query, {"question": question, "depth": 2 * DEPTH})).all()


async def _writing(core: Core) -> list[Measure]:
    writer = await language.get_writer(core)
    # The collection is in lower case, and the writer quotes only text that begins like a sentence.
    texts = [
        re.sub(r"(^|\.\s+)([a-z])", lambda match: match.group().upper(), text)
        for text in list(cranfield.documents().values())[:12]
    ]
    asked = SectionRequest(
        heading="Approach",
        questions=(cranfield.questions()[0],),
        instructions="About 160 words.",
        opportunity="Aeroelastic models",
        passages=tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(texts, start=1)),
        language="en",
    )
    started = time.perf_counter()
    async for _ in writer.write(asked):
        pass
    seconds = time.perf_counter() - started
    return [("a section of 12 passages written", seconds, "s", "< 2", seconds < 2)]


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
