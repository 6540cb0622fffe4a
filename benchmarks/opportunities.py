"""Import and search of opportunities: `python -m benchmarks.opportunities`. Needs the real data beside the project."""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import psycopg
from sqlalchemy import select, text

from fundwright import hooks
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Role
from fundwright.categories import service as categories
from fundwright.categories.schemas import SuggestionQuery
from fundwright.core.assembly import Core, open_core
from fundwright.core.jobs import Job
from fundwright.core.plugins import Plugins
from fundwright.core.scopes import act_in
from fundwright.core.settings import Settings
from fundwright.language import service as language
from fundwright.opportunities import service, telling
from fundwright.opportunities.repository import indexing
from fundwright.opportunities.schemas import CategorizeOpportunities, ImportOpportunities, OpportunityQuery
from fundwright_ui import extension
from tests.support.databases import as_owner
from tests.support.scopes import INSTALLATION

_DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "sam"
_SMALL = _DATA / "ContractOpportunitiesFullCSV.csv.gz"
LARGE = _DATA / "ContractOpportunitiesFullCSV-large.csv.gz"
_ROUNDS = 5
_REAL_VECTORS, _SAVED_AT_ONCE = 1_000, 2_000
_DECISIONS = 20
_NOISE = 0.03
"""Noise per dimension, of 384: a vector and its source have a cosine of about .86."""

LISTS: tuple[dict[str, Any], ...] = (
    {"kind": "contract"},
    {"kind": "contract", "sort": "due"},
    {"kind": "contract", "sort": "-due", "page": 3},
    {"kind": "contract", "sort": "title"},
    {"kind": "contract", "sort": "agency", "page": 40},
    {"kind": "contract", "page": 2_000},
)
SEARCHES: tuple[dict[str, Any], ...] = tuple(
    {"kind": "contract", "text": words}
    for words in (
        "cyber security", "roof replacement", "janitorial services", "filter element", "software", "services", "contract",
        '"wide area network"', "dredging -army", "SPE4A726RX326", "ultrasound or x-ray", "construction alaska", "the", "zebra",
    )
)  # fmt: skip
_QUESTIONS: tuple[dict[str, Any], ...] = tuple(
    {"kind": "contract", "text": words, **filters}
    for words in (
        "water quality monitoring sensors", "stream gauge maintenance", "remote telemetry for dams",
        "groundwater sampling and lab analysis", "environmental monitoring buoys", "SCADA upgrade water treatment plant",
        "maintenance and repair of medical equipment at a veterans hospital",
    )
    for filters in ({}, {"availability": "closed"}, {"naics": "54"})
)  # fmt: skip
_FILTERS: tuple[dict[str, Any], ...] = (
    {"kind": "contract", "agency": ("DEPT OF DEFENSE",)},
    {"kind": "contract", "agency": ("VETERANS AFFAIRS, DEPARTMENT OF", "INTERIOR, DEPARTMENT OF THE"), "sort": "due"},
    {"kind": "contract", "type": ("Sources Sought",)},
    {"kind": "contract", "naics": "54"},
    {"kind": "contract", "set_aside": ("SBA", "8A")},
    {"kind": "contract", "availability": "open"},
    {"kind": "contract", "availability": "closed"},
    {"kind": "contract", "due_from": "2026-04-01", "due_to": "2026-05-01", "sort": "due"},
    {"kind": "contract", "posted_from": "2026-04-01", "type": ("Award Notice",), "text": "aircraft"},
)


def main() -> None:
    if not _SMALL.exists():
        print("The real data is missing; nothing was measured.")
        return
    with tempfile.TemporaryDirectory(prefix="fundwright-bench-") as folder:
        small = _in_process(_import, Path(folder) / "small", _SMALL)
        copied_s = _in_process(_copy, Path(folder) / "small", _SMALL)
        print(f"import of {small['rows']:,} rows: {small['seconds']:.2f} s, {small['rows'] / small['seconds']:,.0f} rows/s")
        print(f"COPY of the same bytes, same indexes: {copied_s:.2f} s; ratio {small['seconds'] / copied_s:.2f} (goal 4)")
        print(f"the same file again: {small['again_s']:.2f} s")
        large = _in_process(_import, Path(folder) / "large", LARGE)
        print(f"import of {large['rows']:,} rows: {large['seconds']:.2f} s, {large['rows'] / large['seconds']:,.0f} rows/s")
        print(
            f"peak memory: {small['peak_mb']:.0f} MB for {small['rows']:,} rows, {large['peak_mb']:.0f} MB for {large['rows']:,} (goal 300)"
        )
        print(
            "memory in use, most in each quarter of the large file: "
            f"{', '.join(f'{mb:.0f}' for mb in large['quarters_mb'])} MB (goal: not growing)"
        )
        watched = _in_process(_watch, Path(folder) / "small", _SMALL)
        print(
            f"import of {watched['changed']:,} changed notices: {watched['alone_s']:.2f} s without watches, {watched['watched_s']:.2f} s with "
            f"{watched['watches']:,}; ratio {watched['watched_s'] / watched['alone_s']:.2f} (goal 1.05); "
            f"telling {watched['watchers']} watchers: {watched['telling_s']:.2f} s, finding out that there is nothing to tell: "
            f"{watched['idle_s'] * 1000:.1f} ms"
        )
        for name, times in _in_process(_search, Path(folder) / "large", LARGE).items():
            p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
            print(f"{name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms (goal p95 50)")
        sorting = _in_process(_categorize, Path(folder) / "large", LARGE)
        print(
            f"first sorting of {sorting['notices']:,} notices into {sorting['categories']} categories: {sorting['first_s']:.1f} s"
        )
        print(
            f"from {_DECISIONS} decisions to the open ones sorted again: {sorting['open_s']:.1f} s; to all: {sorting['again_s']:.1f} s, "
            f"{sorting['again_s'] / sorting['read_s']:.1f} times reading the vectors and words alone ({sorting['read_s']:.1f} s)"
        )
        for name, times in sorting["clicks"].items():
            p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
            print(f"{name} during that time: p50 {p50:.1f} ms, p95 {p95:.1f} ms, worst {max(times):.0f} ms of {len(times)}")


def _in_process(measure: Callable[[Path, Path], Any], folder: Path, file: Path) -> Any:
    """Run in a separate process, to measure its own peak memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (folder, file))


def _import(folder: Path, file: Path) -> dict[str, Any]:
    async def measure(core: Core, actor: Actor) -> dict[str, Any]:
        sampled: list[float] = []
        sampling = asyncio.create_task(_sample_memory(sampled))
        seconds = await import_once(core, actor, file)
        sampling.cancel()
        peak_mb = _peak_mb()
        quarter = len(sampled) // 4
        quarters_mb = [max(sampled[start * quarter : (start + 1) * quarter]) for start in range(4)]
        rows = (await listing(core, actor, {})).total
        again_s = await import_once(core, actor, file)
        return {"seconds": seconds, "again_s": again_s, "rows": rows, "peak_mb": peak_mb, "quarters_mb": quarters_mb}

    return _with_core(folder, measure)


async def _sample_memory(sampled: list[float]) -> None:
    process = psutil.Process()
    while True:
        sampled.append(process.memory_info().rss / (1024 * 1024))
        await asyncio.sleep(0.05)


async def import_once(core: Core, actor: Actor, file: Path) -> float:
    async with core.database.transaction() as session:
        started = await service.prepare_import(session, actor, core, source="sam", filename=file.name)
    payload = ImportOpportunities(run_id=started.id, source="sam", path=file)
    before = time.perf_counter()
    await core.jobs.run_inline(payload, title="benchmark", owner_id=actor.id)
    return time.perf_counter() - before


_WATCHERS, _WATCHES = 500, 10_000


def _watch(folder: Path, file: Path) -> dict[str, Any]:
    """How long imports take that change all notices, without and with watches of 10,000 of them, and how long it takes to tell everyone."""

    async def measure(core: Core, actor: Actor) -> dict[str, Any]:
        content = gzip.decompress(file.read_bytes())
        changed = folder.with_suffix(".csv")
        await import_once(core, actor, file)
        async with core.database.transaction() as session:
            added = [
                await accounts.add_account(session, email=f"{n}@example.org", name="Watcher", role=Role.USER, password=None)
                for n in range(_WATCHERS)
            ]
        given = {"accounts": [account.id for account in added], "watches": _WATCHES, "watchers": _WATCHERS}
        times: dict[bool, list[float]] = {False: [], True: []}
        # In an order that favors neither. The first one of each is left out: the table grows until then.
        for number, is_watched in enumerate((False, True, True, False, False, True, True, False)):
            async with core.database.transaction(scope=INSTALLATION) as session:
                await session.execute(text("DELETE FROM opportunity_watch"))
                if is_watched:
                    await session.execute(_WATCH, given)
            changed.write_bytes(content.replace(b'"https://sam.gov/', f'"https://sam.gov/{number}/'.encode()))
            times[is_watched].append(await import_once(core, actor, changed))
        told = time.perf_counter()
        await telling.tell_watchers(core)
        idle = time.perf_counter()
        await telling.tell_watchers(core)
        return {
            "changed": (await listing(core, actor, {})).total, "watches": _WATCHES, "watchers": _WATCHERS,
            "alone_s": min(times[False][1:]), "watched_s": min(times[True][1:]), "telling_s": idle - told,
            "idle_s": time.perf_counter() - idle,
        }  # fmt: skip

    return _with_core(folder, measure)


_WATCH = text("""
    WITH watcher AS (SELECT row_number() OVER () AS number, workspace_id, account_id FROM membership WHERE account_id = ANY(:accounts)),
         notice AS (SELECT row_number() OVER () AS number, id FROM opportunity LIMIT :watches)
    INSERT INTO opportunity_watch (owner_id, account_id, opportunity_id, created_at, told_until, reminded_on)
    SELECT workspace_id, account_id, notice.id, now(), now(), current_date
    FROM notice JOIN watcher ON watcher.number = 1 + notice.number % :watchers
""")


def _copy(folder: Path, file: Path) -> float:
    """Seconds that COPY takes to load the file's bytes into a table with its columns and the indexes of `opportunity`."""
    content = gzip.decompress(file.read_bytes())
    columns = next(csv.reader(io.StringIO(content[:10_000].decode("cp1252"))))
    names = [f'"{name}"' for name in columns]
    words = """setweight(to_tsvector('english', "Title"), 'A')
        || setweight(to_tsvector('english', "Sol#" || ' ' || "Department/Ind.Agency" || ' ' || "Sub-Tier" || ' ' || "Office"), 'B')
        || setweight(to_tsvector('english', "Description"), 'D')"""

    async def measure(core: Core, actor: Actor) -> float:
        with psycopg.connect(as_owner(core.database.url), autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS copied")
            connection.execute(
                f"CREATE TABLE copied (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), {', '.join(f'{n} text' for n in names)}, "
                f"search tsvector GENERATED ALWAYS AS ({words}) STORED)".encode()
            )
            connection.execute('CREATE UNIQUE INDEX ON copied ("NoticeId")')
            connection.execute("CREATE INDEX ON copied USING gin (search)")
            connection.execute("CREATE INDEX ON copied USING gin (to_tsvector('english', \"Title\"))")
            connection.execute('CREATE INDEX ON copied ("Title", id)')
            connection.execute('CREATE INDEX ON copied ("Department/Ind.Agency", id)')
            connection.execute('CREATE INDEX ON copied ("PostedDate" DESC, id)')
            connection.execute('CREATE INDEX ON copied ("ResponseDeadLine", id)')
            statement = f"COPY copied ({', '.join(names)}) FROM STDIN WITH (FORMAT csv, HEADER, ENCODING 'WIN1252')"
            before = time.perf_counter()
            with connection.cursor().copy(statement.encode()) as copy:
                copy.write(content)
            return time.perf_counter() - before

    return _with_core(folder, measure)


def _search(folder: Path, _file: Path) -> dict[str, list[float]]:
    async def measure(core: Core, actor: Actor) -> dict[str, list[float]]:
        await prepare_search(core)
        found: dict[str, list[float]] = {}
        slowest: dict[str, float] = {}
        for name, queries, read in (
            ("list", LISTS, listing),
            ("search by words", SEARCHES, listing),
            ("search by words and meaning", (*SEARCHES, *_QUESTIONS), searching),
            ("filter", _FILTERS, listing),
        ):
            for query in queries:
                await read(core, actor, query)
            times: list[float] = []
            for query in queries * _ROUNDS:
                before = time.perf_counter()
                await read(core, actor, query)
                times.append((time.perf_counter() - before) * 1000)
                label = f"{name}: {json.dumps(query)}"
                slowest[label] = max(slowest.get(label, 0), times[-1])
            found[name] = times
        if "--slowest" in sys.argv:
            for label, ms in sorted(slowest.items(), key=lambda item: -item[1])[:12]:
                print(f"  {ms:6.1f} ms  {label}")
        return found

    return _with_core(folder, measure)


def _categorize(folder: Path, _file: Path) -> dict[str, Any]:
    """How soon decisions take effect, and how much categorizing slows down other people who use a list or the review queue."""

    async def measure(core: Core, actor: Actor) -> dict[str, Any]:
        async with core.database.transaction() as session:
            await categories.add_sample(session, actor, core)
        first_s = await _sort(core, actor)
        async with core.database.transaction() as session:
            queue = await categories.list_suggestions(session, actor, core, SuggestionQuery(page_size=_DECISIONS, is_all=True))
        for number, label in enumerate(queue.items):
            async with core.database.transaction() as session:
                decide = categories.reject if number % 4 == 3 else categories.accept
                await decide(session, actor, core, label.subject_id, label.category_id)
        async with core.database.transaction() as session:
            waiting = await service.start_categorizing(session, actor, core)
            await service.cancel_categorizing(session, actor, waiting.id)  # so that only the next job categorizes
        started = time.perf_counter()
        sorting = asyncio.create_task(_sort(core, actor))
        open_s, clicks = None, {"list": list[float](), "queue": list[float]()}
        while not sorting.done():
            before = time.perf_counter()
            await listing(core, actor, {"kind": "contract"})
            between = time.perf_counter()
            async with core.database.transaction() as session:
                await categories.list_suggestions(session, actor, core, SuggestionQuery())
            clicks["list"].append((between - before) * 1000)
            clicks["queue"].append((time.perf_counter() - between) * 1000)
            if open_s is None and await _is_past_the_open(core):
                open_s = time.perf_counter() - started
            await asyncio.sleep(0.05)
        again_s = await sorting
        async with core.database.transaction() as session:
            found = await categories.list_categories(session, actor)
        read_s, notices = await _read_sortable(core)
        return {
            "first_s": first_s, "open_s": again_s if open_s is None else open_s, "again_s": again_s, "read_s": read_s, "clicks": clicks,
            "notices": notices, "categories": len(found),
        }  # fmt: skip

    return _with_core(folder, measure)


async def _sort(core: Core, actor: Actor) -> float:
    before = time.perf_counter()
    await core.jobs.run_inline(CategorizeOpportunities(), title="benchmark", owner_id=actor.id)
    return time.perf_counter() - before


async def _is_past_the_open(core: Core) -> bool:
    async with core.database.transaction() as session:
        job = await session.scalar(
            select(Job).where(Job.kind == CategorizeOpportunities.job_kind).order_by(Job.created_at.desc()).limit(1)
        )
        return job is not None and (job.checkpoint or {}).get("is_open") is False


async def _read_sortable(core: Core) -> tuple[float, int]:
    """Seconds to read the vectors and words of all notices, and the number of notices."""
    model_id = (await language.get_embedder(core)).id
    before, read = time.perf_counter(), 0
    for is_open in (True, False):
        after = None
        async with core.database.transaction() as session:
            while rows := await indexing.sortable_after(session, model_id, after, is_open=is_open, limit=_SAVED_AT_ONCE):
                after, read = rows[-1][0], read + len(rows)
    return time.perf_counter() - before, read


async def prepare_search(core: Core) -> None:
    """Weigh the words as the embedding job does, and give every notice a vector. Embedding them all would take a quarter of an
    hour, and searching vectors that are near those of a thousand notices takes just as long."""
    embedder = await language.get_embedder(core)
    async with core.database.transaction() as session:
        some = await indexing.list_unembedded(session, embedder.id, limit=_REAL_VECTORS)
    real = await embedder.embed([text for _, _, text in some])
    while await _weigh(core):
        pass
    chance = np.random.default_rng(7)
    while True:
        async with core.database.transaction() as session:
            lacking = await indexing.list_unembedded(session, embedder.id, limit=_SAVED_AT_ONCE)
            if not lacking:
                break
            vectors = real[chance.integers(len(real), size=len(lacking))]
            vectors = vectors + chance.normal(scale=_NOISE, size=vectors.shape)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            await indexing.save_vectors(session, embedder.id, [(id, version) for id, version, _ in lacking], vectors)
    async with core.database.transaction() as session:
        await indexing.index_vectors(session, embedder.id, embedder.dimension)
        await indexing.count_words(session)
    with psycopg.connect(as_owner(core.database.url), autocommit=True) as connection:
        for table in ("opportunity", "opportunity_words", "opportunity_word", "opportunity_vector"):
            connection.execute(f"VACUUM ANALYZE {table}".encode())


async def _weigh(core: Core) -> bool:
    async with core.database.transaction() as session:
        return await indexing.weigh_words(session, limit=_SAVED_AT_ONCE)


async def searching(core: Core, actor: Actor, query: dict[str, Any]) -> Any:
    return await service.search(core, actor, OpportunityQuery.model_validate(query))


async def listing(core: Core, actor: Actor, query: dict[str, Any]) -> Any:
    async with core.database.transaction() as session:
        return await service.list_opportunities(session, actor, OpportunityQuery.model_validate(query))


def _with_core(folder: Path, measure: Callable[[Core, Actor], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        settings = Settings(_env_file=None, data=folder, database_url=None)
        async with open_core(settings, Plugins([hooks, extension])) as core:
            async with core.database.transaction() as session:
                actor = await accounts.add_account(
                    session, email=f"{time.time_ns()}@example.org", name="Bench", role=Role.USER, password=None
                )
            act_in(actor.scope)
            return await measure(core, actor)

    return asyncio.run(run())


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
