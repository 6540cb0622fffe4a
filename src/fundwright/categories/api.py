"""Routes of categories."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.categories import service
from fundwright.categories.schemas import (
    CategoryChange,
    CategoryCreate,
    CategoryRead,
    CountedCategory,
    Decision,
    DecisionToUndo,
    LabelRead,
    SuggestionQuery,
)
from fundwright.core.paging import Page, PageRequest
from fundwright.core.web import CoreDep, CsvDownload, DbSession

router = APIRouter(prefix="/api/categories", tags=["categories"])


@router.get("")
async def list_categories(session: DbSession, core: CoreDep, actor: CurrentActor) -> list[CountedCategory]:
    """List your categories, each with the number of its examples and of the suggestions that wait for review."""
    return await service.list_counted(session, actor, core)


@router.get("/export.csv", response_class=CsvDownload)
async def export_categories(export: Export, core: CoreDep, actor: CurrentActor) -> CsvDownload:
    """Export the whole list as CSV."""
    return export("categories.csv", lambda session: service.export_categories(session, actor, core))


@router.post("", status_code=status.HTTP_201_CREATED)
async def create(session: DbSession, core: CoreDep, actor: CurrentActor, category: CategoryCreate) -> CategoryRead:
    return await service.create(session, actor, category, core=core)


@router.delete("/sample")
async def remove_sample(session: DbSession, actor: CurrentActor, client: RequestClient) -> dict[str, int]:
    return {"removed": await service.remove_sample(session, actor, client=client)}


@router.post("/sample", status_code=status.HTTP_204_NO_CONTENT)
async def restore_sample(session: DbSession, core: CoreDep, actor: CurrentActor, client: RequestClient) -> None:
    """Create the sample categories again, without earlier decisions about them, unless you have some."""
    await service.restore_sample(session, actor, core, client=client)


@router.get("/suggestions")
async def list_suggestions(
    session: DbSession, core: CoreDep, actor: CurrentActor, query: Annotated[SuggestionQuery, Query()]
) -> Page[LabelRead]:
    """List the most confident suggestion for each open opportunity, or for all opportunities with `is_all`, most confident first;
    `sort=confidence` reverses the order."""
    await service.refuse_unknown_category(session, actor, query)
    return await service.list_suggestions(session, actor, core, query)


@router.get("/suggestions/export.csv", response_class=CsvDownload)
async def export_suggestions(
    export: Export, core: CoreDep, actor: CurrentActor, query: Annotated[SuggestionQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    async with core.database.reading() as session:
        await service.refuse_unknown_category(session, actor, query)
    return export("suggestions.csv", lambda session: service.export_suggestions(session, actor, core, query))


@router.put("/labels/{subject_id}")
async def correct(
    session: DbSession, core: CoreDep, actor: CurrentActor, subject_id: UUID, decision: Decision
) -> list[LabelRead]:
    """Set the right category instead of the suggested ones, or none with null. Returns the subject's labels."""
    return await service.correct(session, actor, core, subject_id, decision.category_id)


@router.put("/labels/{subject_id}/restoration", status_code=status.HTTP_204_NO_CONTENT)
async def undo(session: DbSession, core: CoreDep, actor: CurrentActor, subject_id: UUID, decision: DecisionToUndo) -> None:
    """Undo a decision and restore the earlier labels, including suggestions. Returns 409 if they have changed since."""
    await service.restore(session, actor, core, subject_id, decided_at=decision.decided_at, before=decision.before)


@router.put("/labels/{subject_id}/{category_id}/acceptance")
async def accept(session: DbSession, core: CoreDep, actor: CurrentActor, subject_id: UUID, category_id: UUID) -> LabelRead:
    """Add the subject to the category and leave its other categories alone. It becomes an example for the classifier."""
    return await service.accept(session, actor, core, subject_id, category_id)


@router.put("/labels/{subject_id}/{category_id}/rejection")
async def reject(session: DbSession, core: CoreDep, actor: CurrentActor, subject_id: UUID, category_id: UUID) -> LabelRead:
    """Remove the subject from the category. The rejection becomes an example for the classifier."""
    return await service.reject(session, actor, core, subject_id, category_id)


@router.delete("/labels/{subject_id}/{category_id}", status_code=status.HTTP_204_NO_CONTENT)
async def take_back(session: DbSession, core: CoreDep, actor: CurrentActor, subject_id: UUID, category_id: UUID) -> None:
    """Delete a decision. The classifier may suggest the category again."""
    await service.remove_example(session, actor, core, subject_id, category_id)


@router.get("/{category_id}")
async def get_category(session: DbSession, actor: CurrentActor, category_id: UUID) -> CategoryRead:
    return await service.get_category(session, actor, category_id)


@router.patch("/{category_id}")
async def change(
    session: DbSession, core: CoreDep, actor: CurrentActor, category_id: UUID, change: CategoryChange
) -> CategoryRead:
    return await service.change(session, actor, category_id, change, core=core)


@router.delete("/{category_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete(session: DbSession, actor: CurrentActor, client: RequestClient, category_id: UUID) -> None:
    """Move a category with its labels to the trash, where `PUT /api/trash/{category_id}/restoration` restores it for 30 days."""
    await service.delete(session, actor, category_id, client=client)


@router.get("/{category_id}/examples")
async def list_examples(
    session: DbSession, actor: CurrentActor, category_id: UUID, request: Annotated[PageRequest, Query()]
) -> Page[LabelRead]:
    """List the opportunities that you have put in this category, newest first."""
    return await service.list_examples(session, actor, category_id, request)


@router.get("/{category_id}/examples/export.csv", response_class=CsvDownload)
async def export_examples(
    export: Export, actor: CurrentActor, category_id: UUID, request: Annotated[PageRequest, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("examples.csv", lambda session: service.export_examples(session, actor, category_id, request))
