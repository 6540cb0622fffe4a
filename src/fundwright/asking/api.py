"""Routes of asking."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from fundwright.accounts.dependencies import CurrentActor, Export
from fundwright.asking import service
from fundwright.asking.schemas import Answers
from fundwright.core.web import CoreDep, CsvDownload
from fundwright.language import service as language

router = APIRouter(prefix="/api/answers", tags=["asking"])


@router.get("")
async def find_answers(
    core: CoreDep,
    actor: CurrentActor,
    query: Annotated[str, Query(min_length=1, max_length=4_000)],
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
    collection: UUID | None = None,
) -> Answers:
    """Return the passages that answer the query, or else `closest`: passages that are close to it but do not answer."""
    embedder = await language.get_embedder(core)
    return await service.find_answers(core, actor, query, embedder=embedder, limit=limit, collection_id=collection)


@router.get("/export.csv", response_class=CsvDownload)
async def export_answers(
    core: CoreDep,
    export: Export,
    actor: CurrentActor,
    query: Annotated[str, Query(min_length=1, max_length=4_000)],
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
    collection: UUID | None = None,
) -> CsvDownload:
    """Export the passages that answer the query as CSV."""
    embedder = await language.get_embedder(core)
    found = await service.find_answers(core, actor, query, embedder=embedder, limit=limit, collection_id=collection)
    return export("answers.csv", lambda _session: service.answers_as_csv(found.answers))
