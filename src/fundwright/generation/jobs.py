"""Jobs of generation."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fundwright.core.jobs import JobRun
from fundwright.generation import drafting
from fundwright.identity.schemas import Actor


async def draft(run: JobRun) -> dict[str, Any]:
    """Write the sections that a draft still lacks."""
    return await drafting.write(run, Actor.model_validate(run.payload["actor"]), UUID(run.payload["draft_id"]))
