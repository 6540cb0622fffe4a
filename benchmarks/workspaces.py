"""What row-level security costs: `python -m benchmarks.workspaces`.

200 workspaces with 20,000 passages, 800 categories, and labels of made-up notices. Each question is asked with row-level security and without it, in
turns.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import psycopg

from benchmarks.eval.frame.product import open_product
from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import SuggestionQuery
from fundwright.core.assembly import Core
from fundwright.core.scopes import INSTALLATION, acting_in
from fundwright.language import service as language
from fundwright.training import repository, service

_ROUNDS, _AT_ONCE, _ASKED = 10, 20, 8
_GOAL = 1.1

_SEED = """
INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at, verified_at)
  SELECT gen_random_uuid(), number || '@bench.example', '', '', '', '', 'user', false, now(), now() FROM generate_series(1, 200) AS number;
INSERT INTO workspace (id, name, created_at) SELECT id, '', now() FROM account WHERE email LIKE '%@bench.example';
INSERT INTO membership (workspace_id, account_id, role, joined_at) SELECT id, id, 'owner', now() FROM account WHERE email LIKE '%@bench.example';
INSERT INTO document (id, owner_id, title, filename, media_type, sha256, size_bytes, source, is_sample, kind, is_kind_chosen, state, text,
    chunk_count, created_at)
  SELECT gen_random_uuid(), account.id, 'Report ' || number, '', 'text/plain', account.id || '-' || number, 1, 'upload', false, 'about_us', false,
    'trained', '', 10, now() FROM account, generate_series(1, 10) AS number WHERE email LIKE '%@bench.example';
INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, places, start_offset, end_offset, text, search)
  SELECT gen_random_uuid(), document.id, owner_id, ordinal, '{}', '[]', 0, 1, words.text, to_tsvector('english', words.text)
  FROM document, generate_series(1, 10) AS ordinal, LATERAL (
    SELECT string_agg('word' || ((2000 * random() * random())::int + 0 * ordinal * place), ' ') AS text FROM generate_series(1, 120) AS place) AS words
  WHERE source = 'upload' AND size_bytes = 1;
INSERT INTO chunk_vector (chunk_id, model_id, owner_id, dimension, vector)
  SELECT id, {model}, owner_id, 384, (SELECT array_agg(random() - 0.5 + 0 * ordinal * place) FROM generate_series(1, 384) AS place)::real[]::vector::halfvec
  FROM chunk;
INSERT INTO category (id, owner_id, name, description, color, is_sample, created_at, changed_at)
  SELECT gen_random_uuid(), account.id, 'Category ' || number, '', 'blue', false, now(), now()
  FROM account, generate_series(1, 4) AS number WHERE email LIKE '%@bench.example';
INSERT INTO label (id, owner_id, subject_id, category_id, confidence, state, source, decided_at)
  SELECT gen_random_uuid(), owner_id, gen_random_uuid(), id, random(), 'suggested', 'model', now()
  FROM category, generate_series(1, 100);
"""
_GUARDED = "SELECT relname FROM pg_class WHERE relforcerowsecurity"


async def main() -> int:
    async with open_product(embedder="minilm") as (core, _):
        embedder = await language.get_embedder(core)
        with psycopg.connect(core.database.url, autocommit=True) as connection:
            connection.execute("SET app.is_installation = 'on'")
            connection.execute(_SEED.replace("{model}", f"'{embedder.id}'").encode())
            connection.execute("VACUUM ANALYZE")
            some = connection.execute(
                "SELECT id, email FROM account WHERE email LIKE '%%@bench.example' ORDER BY email LIMIT %s", [_ASKED]
            )
            actors = [Actor(id=id, email=email, name="", role="user") for id, email in some]
        for actor in actors:
            async with core.database.transaction(scope=INSTALLATION) as session:
                await repository.count_words(session, actor.workspace_id)

        async def documents(actor: Actor, _number: int) -> None:
            async with core.database.reading() as session:
                await service.list_documents(session, actor)

        async def reviewing(actor: Actor, _number: int) -> None:
            async with core.database.reading() as session:
                await categories.list_suggestions(session, actor, core, SuggestionQuery(is_all=True))

        async def question(actor: Actor, number: int) -> None:
            await service.find_answers(
                core, actor, f"Which word{number} do word{3 * number} and word{7 * number} have?", embedder=embedder
            )

        kept = [await _compare(core, work.__name__, work, actors) for work in (documents, reviewing, question)]
    return 0 if all(kept) else 1


async def _compare(core: Core, name: str, work: Callable[[Actor, int], Awaitable[None]], actors: list[Actor]) -> bool:
    times: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(_ROUNDS):
        for is_on in (turn % 2 == 0, turn % 2 == 1):
            _switch(core, is_on=is_on)
            for number in range(_AT_ONCE):
                actor = actors[number % len(actors)]
                with acting_in(actor.scope):
                    before = time.perf_counter()
                    await work(actor, turn * _AT_ONCE + number)
                    times[is_on].append((time.perf_counter() - before) * 1000)
    _switch(core, is_on=True)
    p50 = {is_on: statistics.median(found) for is_on, found in times.items()}
    p95 = {is_on: statistics.quantiles(found, n=20)[18] for is_on, found in times.items()}
    ratio = p95[True] / p95[False]
    print(
        f"{name:<12} with: p50 {p50[True]:.1f} ms, p95 {p95[True]:.1f} ms; without: p50 {p50[False]:.1f} ms, p95 {p95[False]:.1f} ms; "
        f"ratio of p50 {p50[True] / p50[False]:.2f}, of p95 {ratio:.2f} (goal {_GOAL})"
    )
    return ratio <= _GOAL


def _switch(core: Core, *, is_on: bool) -> None:
    with psycopg.connect(core.database.url, autocommit=True) as connection:
        for (table,) in connection.execute(_GUARDED).fetchall():
            connection.execute(f"ALTER TABLE {table} {'ENABLE' if is_on else 'DISABLE'} ROW LEVEL SECURITY".encode())


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
