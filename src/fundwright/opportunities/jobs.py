"""The jobs of opportunities."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRun
from fundwright.identity.schemas import Actor
from fundwright.language import service as language
from fundwright.opportunities import categorising, importing, service


async def import_file(run: JobRun) -> dict[str, Any]:
    """Payload: `run_id`, `source`, and `sha256` of a stored file or `path` of one on this machine."""
    core: Core = run.services
    sha256 = run.payload.get("sha256")
    path = core.files.path(sha256) if sha256 else Path(run.payload["path"])
    run_id = UUID(run.payload["run_id"])
    counts = await importing.take_in(run, run_id=run_id, source=service.get_source(core, run.payload["source"]), path=path)
    return {"run_id": str(run_id), **counts.model_dump()}


async def categorise(run: JobRun) -> dict[str, Any]:
    """Payload: `actor`, as `service.categorise_payload` makes it."""
    embedder = await language.get_embedder(run.services)
    return await categorising.categorise(run, Actor.model_validate(run.payload["actor"]), embedder)
