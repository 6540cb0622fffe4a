"""The jobs of opportunities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway
from fundwright.core.jobs import JobRun
from fundwright.language import service as language
from fundwright.opportunities import categorizing, embedding, importing, service
from fundwright.opportunities.categorizing import SortingCheckpoint
from fundwright.opportunities.embedding import EmbeddingCheckpoint, EmbeddingResult
from fundwright.opportunities.importing import ImportCheckpoint
from fundwright.opportunities.schemas import (
    CategorizeOpportunities,
    EmbedOpportunities,
    ImportOpportunities,
    ImportResult,
    SortingResult,
)

load_sorter = acting_with(Permission.LABEL)
_load_worker = acting_with(Permission.WORK)


async def load_importer(session: AsyncSession, account_id: UUID | None, owner_id: UUID | None) -> Actor | None:
    """Return None for the installation itself: commands import opportunities without an account."""
    return None if account_id is None else await _load_worker(session, account_id, owner_id)


async def import_file(run: JobRun[ImportOpportunities, Actor | None, ImportCheckpoint]) -> ImportResult:
    core = run.services
    source = service.get_source(core, run.payload.source)
    with _file(core, run.payload) as path:
        counts = await importing.run_import(run, run_id=run.payload.run_id, source=source, path=path)
    async with run.transaction() as session:
        await embedding.embed_later(session, core)
    return {
        "run_id": str(run.payload.run_id),
        "new": counts.new,
        "changed": counts.changed,
        "unchanged": counts.unchanged,
        "rejected": counts.rejected,
        "samples_removed": counts.samples_removed,
    }


@contextmanager
def _file(core: Core, payload: ImportOpportunities) -> Iterator[Path]:
    """Provide the file to import. An upload is removed once its import has ended. If the process is stopped (CancelledError) or
    loses the database, the file is kept for the process that resumes the import."""
    upload = payload.upload
    if upload is None:
        assert payload.path is not None
        yield payload.path
        return
    try:
        yield core.files.path(upload)
    except DatabaseAway:
        raise
    except Exception:
        core.files.remove(upload)
        raise
    core.files.remove(upload)


async def categorize(run: JobRun[CategorizeOpportunities, Actor, SortingCheckpoint]) -> SortingResult:
    embedder = await language.get_embedder(run.services)
    return await categorizing.categorize(run, embedder)


async def embed(run: JobRun[EmbedOpportunities, None, EmbeddingCheckpoint]) -> EmbeddingResult:
    embedder = await language.get_embedder(run.services)
    return await embedding.embed(run, embedder, partial(service.categorize_again, core=run.services))
