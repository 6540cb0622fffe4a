"""What workspaces cost: `python -m benchmarks.workspaces`. Needs the real data beside the project for its 59,269 notices.

Row-level security: with 200 workspaces, which have 20,000 passages, 800 categories, and 80,000 labels, the same work is done with row-level
security and without it, in turns. Growth: the same work in a workspace of a product that has only this one, and in one of a product with
10,000, most of which have 10 passages, 4 categories, and 40 labels, in turns.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence

import psycopg

from benchmarks.eval.frame.product import open_product
from benchmarks.opportunities import LARGE, LISTS, SEARCHES, import_once, listing, prepare_search, searching
from fundwright.accounts.schemas import Actor, Role
from fundwright.asking import service as asking
from fundwright.categories import service as categories
from fundwright.categories.schemas import SuggestionQuery
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.language import service as language
from fundwright.language.protocols import Embedder
from fundwright.training import service
from fundwright.training.repository import indexing
from tests.support.databases import as_owner
from tests.support.scopes import INSTALLATION

_ROUNDS, _AT_ONCE, _ASKED = 10, 20, 8
_GOAL = 1.1
_PROMISED = ("notices", "search", "question")
_GUARDED_WORKSPACES, _MOST_WORKSPACES = 200, 10_000

_SEED = """
CREATE TEMPORARY TABLE added AS SELECT gen_random_uuid() AS id, place FROM generate_series(%(first)s, %(last)s) AS place;
INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at, verified_at)
  SELECT id, place || '@bench.example', '', '', '', '', 'user', false, now(), now() FROM added;
INSERT INTO workspace (id, name, created_at) SELECT id, '', now() FROM added;
INSERT INTO membership (workspace_id, account_id, role, joined_at) SELECT id, id, 'owner', now() FROM added;
INSERT INTO document (id, owner_id, title, filename, media_type, sha256, size_bytes, source, is_sample, kind, is_kind_chosen, state, text,
    chunk_count, created_at)
  SELECT gen_random_uuid(), added.id, 'Report ' || number, '', 'text/plain', added.id || '-' || number, 1, 'upload', false, 'about_us', false,
    'trained', '', 10, now() FROM added, generate_series(1, %(documents)s) AS number;
INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, places, start_offset, end_offset, text, search)
  SELECT gen_random_uuid(), document.id, owner_id, ordinal, '{}', '[]', 0, 1, words.text, to_tsvector('english', words.text)
  FROM added JOIN document ON owner_id = added.id, generate_series(1, 10) AS ordinal, LATERAL (
    SELECT string_agg('word' || ((2000 * random() * random())::int + 0 * ordinal * place), ' ') AS text FROM generate_series(1, 120) AS place) AS words;
INSERT INTO chunk_vector (chunk_id, model_id, owner_id, dimension, vector)
  SELECT chunk.id, %(model)s, owner_id, 384,
    (SELECT array_agg(random() - 0.5 + 0 * ordinal * place) FROM generate_series(1, 384) AS place)::real[]::vector::halfvec
  FROM added JOIN chunk ON owner_id = added.id;
INSERT INTO category (id, owner_id, name, description, color, is_sample, created_at, changed_at)
  SELECT gen_random_uuid(), added.id, 'Category ' || number, '', 'blue', false, now(), now() FROM added, generate_series(1, 4) AS number;
INSERT INTO label (id, owner_id, subject_id, category_id, confidence, state, source, decided_at)
  SELECT gen_random_uuid(), owner_id, gen_random_uuid(), category.id, random(), 'suggested', 'model', now()
  FROM added JOIN category ON owner_id = added.id, generate_series(1, %(labels)s);
DROP TABLE added;
"""
"""Workspaces `first` to `last`, each with 10 passages per document and `labels` per category."""
_GUARDED = "SELECT relname FROM pg_class WHERE relforcerowsecurity"

Work = Callable[[Actor, int], Awaitable[object]]
Times = Mapping[str, list[float]]
"""Milliseconds by the name of the work."""


async def main() -> int:
    if not LARGE.exists():
        print("The real data is not here: nothing to measure.")
        return 0
    async with open_product(embedder="minilm") as (small, small_owner), open_product(embedder="minilm") as (core, owner):
        for product, importer in ((small, small_owner), (core, owner)):
            with acting_in(importer.scope):
                await import_once(product, importer, LARGE)
                await prepare_search(product)
        embedder = await language.get_embedder(core)
        only = await _seed(small, embedder, first=1, last=1, documents=10, labels=100)
        actors = await _seed(core, embedder, first=1, last=_GUARDED_WORKSPACES, documents=10, labels=100)
        is_cheap = await _compare_security(core, embedder, actors[:_ASKED])
        await _seed(core, embedder, first=_GUARDED_WORKSPACES + 1, last=_MOST_WORKSPACES, documents=1, labels=10)
        is_steady = await _compare_growth({True: (core, actors[:1]), False: (small, only)}, embedder)
    return 0 if is_cheap and is_steady else 1


def _works(core: Core, embedder: Embedder) -> Mapping[str, Work]:
    async def documents(actor: Actor, _number: int) -> object:
        async with core.database.reading() as session:
            return await service.list_documents(session, actor)

    async def queue(actor: Actor, _number: int) -> object:
        async with core.database.reading() as session:
            return await categories.list_suggestions(session, actor, core, SuggestionQuery(is_all=True))

    async def notices(actor: Actor, number: int) -> object:
        return await listing(core, actor, LISTS[number % len(LISTS)])

    async def search(actor: Actor, number: int) -> object:
        return await searching(core, actor, SEARCHES[number % len(SEARCHES)])

    async def question(actor: Actor, number: int) -> object:
        words = f"Which word{number} do word{3 * number} and word{7 * number} have?"
        return (await asking.find_answers(core, actor, words, embedder=embedder)).answers

    return {work.__name__: work for work in (documents, queue, notices, search, question)}


async def _seed(core: Core, embedder: Embedder, *, first: int, last: int, documents: int, labels: int) -> list[Actor]:
    with psycopg.connect(as_owner(core.database.url), autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET app.is_installation = 'on'")
        values = {"first": first, "last": last, "documents": documents, "labels": labels, "model": embedder.id}
        connection.execute(_SEED, values)
        connection.execute("VACUUM ANALYZE")
        found = connection.execute("SELECT id, email FROM account WHERE email LIKE '%%@bench.example' ORDER BY created_at DESC")
        actors = [Actor(id=id, email=email, name="", role=Role.USER) for id, email in found.fetchmany(last - first + 1)]
    for actor in actors[:_ASKED]:
        async with core.database.transaction(scope=INSTALLATION) as session:
            await indexing.count_words(session, actor.workspace_id)
    return actors


async def _measure(works: Mapping[str, Work], actors: Sequence[Actor], *, turn: int) -> Times:
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(turn * _AT_ONCE, (turn + 1) * _AT_ONCE):
        actor = actors[number % len(actors)]
        for name, work in works.items():
            with acting_in(actor.scope):
                before = time.perf_counter()
                await work(actor, number)
                times[name].append((time.perf_counter() - before) * 1000)
    return times


async def _compare_security(core: Core, embedder: Embedder, actors: Sequence[Actor]) -> bool:
    """Whether row-level security costs no more than the goal."""
    works = _works(core, embedder)

    async def measure(is_on: bool, turn: int) -> Times:
        _switch(core, is_on=is_on)
        return await _measure(works, actors, turn=turn)

    is_kept = await _compare(("row-level security", "none"), measure)
    _switch(core, is_on=True)
    return is_kept


async def _compare_growth(products: Mapping[bool, tuple[Core, Sequence[Actor]]], embedder: Embedder) -> bool:
    """Whether the product with many workspaces (`True`) is slower than the other by no more than the goal."""

    async def measure(is_large: bool, turn: int) -> Times:
        core, actors = products[is_large]
        return await _measure(_works(core, embedder), actors, turn=turn)

    return await _compare((f"{_MOST_WORKSPACES:,} workspaces", "one"), measure)


async def _compare(titles: tuple[str, str], measure: Callable[[bool, int], Awaitable[Times]]) -> bool:
    """Measure with and without something in turns, which begin with either."""
    times: dict[bool, dict[str, list[float]]] = {True: defaultdict(list), False: defaultdict(list)}
    for turn in range(_ROUNDS):
        for is_with in (turn % 2 == 0, turn % 2 == 1):
            for name, found in (await measure(is_with, turn)).items():
                times[is_with][name] += found
    return _report(titles, times[True], times[False])


def _report(titles: tuple[str, str], times: Times, others: Times) -> bool:
    ratios = {}
    for name, found in times.items():
        other = others[name]
        p50, p95, other_p50, other_p95 = (
            value for each in (found, other) for value in (statistics.median(each), statistics.quantiles(each, n=20)[18])
        )
        ratios[name] = p95 / other_p95
        print(
            f"{name:<10} {titles[0]}: p50 {p50:.1f} ms, p95 {p95:.1f} ms; {titles[1]}: p50 {other_p50:.1f} ms, p95 {other_p95:.1f} ms; "
            f"ratio of p50 {p50 / other_p50:.2f}, of p95 {ratios[name]:.2f}{f' (goal {_GOAL})' if name in _PROMISED else ''}",
            flush=True,
        )
    return max(ratios[name] for name in _PROMISED) <= _GOAL


def _switch(core: Core, *, is_on: bool) -> None:
    with psycopg.connect(as_owner(core.database.url), autocommit=True) as connection:
        for (table,) in connection.execute(_GUARDED).fetchall():
            connection.execute(f"ALTER TABLE {table} {'ENABLE' if is_on else 'DISABLE'} ROW LEVEL SECURITY".encode())


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
