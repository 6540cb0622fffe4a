"""The jobs of opportunities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRun
from fundwright.identity.schemas import Actor
from fundwright.language import service as language
from fundwright.opportunities import categorising, importing, service


async def import_file(run: JobRun) -> dict[str, Any]:
    """Payload: `run_id`, `source`, and `upload`, a spooled file, or `path` of a file on this machine."""
    core: Core = run.services
    run_id = UUID(run.payload["run_id"])
    source = service.get_source(core, run.payload["source"])
    with _file(core, run.payload) as path:
        counts = await importing.take_in(run, run_id=run_id, source=source, path=path)
    return {"run_id": str(run_id), **counts.model_dump()}


@contextmanager
def _file(core: Core, payload: dict[str, Any]) -> Iterator[Path]:
    """The file to read. An upload is removed once its import has ended for good; a process that is stopped (CancelledError)
    leaves it for the one that resumes the import."""
    upload = payload.get("upload")
    if not upload:
        yield Path(payload["path"])
        return
    try:
        yield core.files.path(upload)
    except Exception:
        core.files.remove(upload)
        raise
    core.files.remove(upload)


async def categorise(run: JobRun) -> dict[str, Any]:
    """Payload: `actor`, as `service.categorise_payload` makes it."""
    embedder = await language.get_embedder(run.services)
    return await categorising.categorise(run, Actor.model_validate(run.payload["actor"]), embedder)
