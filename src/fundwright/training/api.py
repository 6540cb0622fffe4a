"""Routes of training."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request, status
from fastapi.responses import FileResponse, Response

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient, Uploader, request_slot
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.core.paging import Page
from fundwright.core.uploads import UPLOAD, receive_file
from fundwright.core.web import CoreDep, CsvDownload, DbSession, json_body, receive_json
from fundwright.language import service as language
from fundwright.language.schemas import ModelsInUse
from fundwright.training import (
    adding,
    blocks,
    collecting,
    removing,
    restricting,
    runs,
    samples,
    searching,
    service,
    storage,
    versions,
    viewing,
)
from fundwright.training.schemas import (
    AcceptedFormat,
    BlockPage,
    BlockQuery,
    CollectionChoice,
    CollectionForm,
    CollectionQuery,
    CollectionRead,
    DateChoice,
    DocumentFailure,
    DocumentQuery,
    DocumentRead,
    DocumentTitle,
    KindChoice,
    PageText,
    PassageInContext,
    PastedText,
    PictureWidth,
    Replacement,
    RunDocumentQuery,
    RunFailureQuery,
    RunQuery,
    RunRead,
    RunStart,
)
from fundwright.workspaces.schemas import RestrictionForm, RestrictionRead

router = APIRouter(prefix="/api/training", tags=["training"])


_MAX_TEXT_BYTES = 16_000_000
"""Each of the two million characters of a text may take several bytes in JSON."""

PageNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.post("/documents", status_code=status.HTTP_201_CREATED, openapi_extra=UPLOAD)
async def add_document(
    request: Request, core: CoreDep, session: DbSession, actor: Uploader, collection: UUID | None = None
) -> DocumentRead:
    """Upload a file (form field `file`), to a collection if one is given. Its type is detected from its content."""
    require(actor, Permission.WORK)
    room = partial(storage.require_room, core, actor)
    received = await receive_file(core, request, core.files.receive, account_id=actor.id, require_room=room)
    async with request_slot(core, actor):
        return await adding.add_document(
            session, actor, core, received.kept, filename=received.filename, collection_id=collection
        )


@router.post("/texts", status_code=status.HTTP_201_CREATED, openapi_extra=json_body(PastedText))
async def add_text(request: Request, core: CoreDep, actor: Uploader) -> DocumentRead:
    require(actor, Permission.WORK)
    pasted = await receive_json(request, core, PastedText, max_bytes=_MAX_TEXT_BYTES)
    async with request_slot(core, actor), core.database.transaction() as session:
        return await adding.add_text(session, actor, core, pasted)


@router.get("/formats")
async def list_formats(core: CoreDep, actor: CurrentActor) -> list[AcceptedFormat]:
    """Return the formats of files that can be added."""
    require(actor, Permission.READ)
    return adding.list_formats(core.plugins)


@router.get("/documents")
async def list_documents(
    session: DbSession, actor: CurrentActor, request: Annotated[DocumentQuery, Query()]
) -> Page[DocumentRead]:
    return await service.list_documents(session, actor, request)


@router.get("/documents/export.csv", response_class=CsvDownload)
async def export_documents(export: Export, actor: CurrentActor, request: Annotated[DocumentQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("documents.csv", lambda session: service.export_documents(session, actor, request))


@router.delete("/documents/sample")
async def remove_sample(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient) -> dict[str, int]:
    return {"removed": await samples.remove_sample(session, actor, core, client=client)}


@router.post("/documents/sample", status_code=status.HTTP_204_NO_CONTENT)
async def restore_sample(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient) -> None:
    """Add the sample documents again, and train them, unless they are there."""
    await samples.restore_sample(session, actor, core, client=client)


@router.get("/documents/{document_id}")
async def get_document(session: DbSession, actor: CurrentActor, document_id: UUID) -> DocumentRead:
    return await service.get_document(session, actor, document_id)


@router.put("/documents/{document_id}/kind")
async def choose_kind(
    session: DbSession, actor: CurrentActor, core: CoreDep, document_id: UUID, choice: KindChoice
) -> DocumentRead:
    """Set the kind of a document. It is kept when the document is trained again."""
    return await service.choose_kind(session, actor, core, document_id, choice.kind)


@router.put("/documents/{document_id}/date")
async def choose_date(session: DbSession, actor: CurrentActor, document_id: UUID, choice: DateChoice) -> DocumentRead:
    """Set the date of a document. It is kept when the document is trained again."""
    return await service.choose_date(session, actor, document_id, choice.dated)


@router.put("/documents/{document_id}/use")
async def use_always(session: DbSession, actor: CurrentActor, document_id: UUID) -> DocumentRead:
    """Let drafts use the document although a newer one, or another organization, would make them leave it out."""
    return await service.use_always(session, actor, document_id, is_always_used=True)


@router.delete("/documents/{document_id}/use")
async def use_as_proposed(session: DbSession, actor: CurrentActor, document_id: UUID) -> DocumentRead:
    """Leave the document out of drafts again if a newer one, or another organization, is a reason to."""
    return await service.use_always(session, actor, document_id, is_always_used=False)


@router.put("/documents/{document_id}/collection")
async def move_document(
    session: DbSession, actor: CurrentActor, core: CoreDep, document_id: UUID, choice: CollectionChoice
) -> DocumentRead:
    """Move a document to a collection, or out of the one that it is in."""
    return await restricting.move_document(session, actor, core, document_id, choice.collection_id)


@router.put("/documents/{document_id}/title")
async def rename_document(
    session: DbSession, actor: CurrentActor, client: RequestClient, document_id: UUID, change: DocumentTitle
) -> DocumentRead:
    return await service.rename_document(session, actor, document_id, change, client=client)


@router.put("/documents/{document_id}/replacement")
async def replace_document(
    session: DbSession, actor: CurrentActor, core: CoreDep, document_id: UUID, by: Replacement
) -> DocumentRead:
    """Replace the document with a newer version. It stays readable and cited, but questions and drafts search the newer one."""
    return await versions.replace(session, actor, core, document_id, by.document_id)


@router.delete("/documents/{document_id}/replacement")
async def bring_back_document(session: DbSession, actor: CurrentActor, document_id: UUID) -> DocumentRead:
    """Let questions and drafts search a replaced document again."""
    return await versions.bring_back(session, actor, document_id)


@router.delete("/documents/{document_id}/resemblance")
async def keep_both_documents(session: DbSession, actor: CurrentActor, document_id: UUID) -> DocumentRead:
    """Keep the document and the earlier one that it resembles."""
    return await versions.keep_both(session, actor, document_id)


@router.get("/documents/{document_id}/restriction")
async def get_restriction(session: DbSession, actor: CurrentActor, core: CoreDep, document_id: UUID) -> RestrictionRead:
    """Return who sees the document: everyone in the workspace, or only chosen members."""
    return await restricting.get_restriction(session, actor, core, document_id)


@router.put("/documents/{document_id}/restriction")
async def restrict_document(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, document_id: UUID, form: RestrictionForm
) -> RestrictionRead:
    """Restrict the document to chosen members of the workspace, instead of earlier ones. You are always one of them, and may edit it."""
    return await restricting.restrict_document(session, actor, core, document_id, form, client=client)


@router.delete("/documents/{document_id}/restriction")
async def lift_restriction(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, document_id: UUID
) -> RestrictionRead:
    """Let everyone in the workspace see the document again."""
    return await restricting.lift_restriction(session, actor, core, document_id, client=client)


@router.get("/documents/{document_id}/file", response_class=FileResponse)
async def download_document(core: CoreDep, actor: CurrentActor, document_id: UUID) -> FileResponse:
    """Download the original file. Browsers save it instead of showing it."""
    document, path = await service.find_file(core, actor, document_id)
    return FileResponse(
        path, media_type=document.media_type, filename=document.filename, headers={"X-Content-Type-Options": "nosniff"}
    )


@router.get(
    "/documents/{document_id}/pages/{number}",
    response_class=Response,
    responses={200: {"content": {"image/webp": {}}}, 304: {"description": "The picture is the same."}},
)
async def get_page_picture(
    request: Request,
    core: CoreDep,
    actor: CurrentActor,
    document_id: UUID,
    number: PageNumber,
    width: PictureWidth = PictureWidth.NORMAL,
) -> Response:
    """Return a page of a PDF or image document as a picture of this width in pixels."""
    known_tags = request.headers.get("If-None-Match", "")
    tag, content = await viewing.get_page_picture(core, actor, document_id, number, width, known_tags=known_tags)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Content-Disposition": "inline"}
    if content is None:
        return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(content, media_type="image/webp", headers=headers)


@router.get("/documents/{document_id}/pages/{number}/words")
async def get_page_words(core: CoreDep, actor: CurrentActor, document_id: UUID, number: PageNumber) -> PageText:
    """Return the words of a page of a PDF or image document with their places."""
    return PageText.model_validate(await viewing.get_page_words(core, actor, document_id, number))


@router.get("/documents/{document_id}/blocks", response_model_exclude_defaults=True)
async def list_blocks(core: CoreDep, actor: CurrentActor, document_id: UUID, query: Annotated[BlockQuery, Query()]) -> BlockPage:
    """Return what was read of a document: headings, paragraphs, items, tables with cells, form fields, notes, and attached files, also what is
    struck through, deleted, or hidden."""
    return await blocks.list_blocks(core, actor, document_id, query)


@router.delete("/documents/{document_id}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_document(session: DbSession, actor: CurrentActor, client: RequestClient, document_id: UUID) -> None:
    """Move a document to the trash, where `PUT /api/trash/{document_id}/restoration` restores it for 30 days."""
    await removing.remove_document(session, actor, document_id, client=client)


@router.get("/collections")
async def list_collections(
    session: DbSession, actor: CurrentActor, query: Annotated[CollectionQuery, Query()]
) -> Page[CollectionRead]:
    """List the collections of the workspace, each with the number of its documents that you see."""
    return await collecting.list_collections(session, actor, query)


@router.get("/collections/export.csv", response_class=CsvDownload)
async def export_collections(export: Export, actor: CurrentActor, query: Annotated[CollectionQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("collections.csv", lambda session: collecting.export_collections(session, actor, query))


@router.post("/collections", status_code=status.HTTP_201_CREATED)
async def create_collection(session: DbSession, actor: CurrentActor, form: CollectionForm) -> CollectionRead:
    return await collecting.create(session, actor, form)


@router.get("/collections/{collection_id}")
async def get_collection(session: DbSession, actor: CurrentActor, collection_id: UUID) -> CollectionRead:
    return await collecting.get_collection(session, actor, collection_id)


@router.put("/collections/{collection_id}/name")
async def rename_collection(session: DbSession, actor: CurrentActor, collection_id: UUID, form: CollectionForm) -> CollectionRead:
    return await collecting.rename(session, actor, collection_id, form)


@router.delete("/collections/{collection_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_collection(session: DbSession, actor: CurrentActor, client: RequestClient, collection_id: UUID) -> None:
    """Move a collection to the trash. Its documents stay. `PUT /api/trash/{collection_id}/restoration` restores it with them."""
    await collecting.delete(session, actor, collection_id, client=client)


@router.get("/collections/{collection_id}/restriction")
async def get_collection_restriction(
    session: DbSession, actor: CurrentActor, core: CoreDep, collection_id: UUID
) -> RestrictionRead:
    """Return who sees the collection and its documents: everyone in the workspace, or only chosen members."""
    return await collecting.get_restriction(session, actor, core, collection_id)


@router.put("/collections/{collection_id}/restriction")
async def restrict_collection(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, collection_id: UUID, form: RestrictionForm
) -> RestrictionRead:
    """Restrict the collection and its documents to chosen members of the workspace. You and those who added the documents stay among
    them."""
    return await collecting.restrict(session, actor, core, collection_id, form, client=client)


@router.delete("/collections/{collection_id}/restriction")
async def lift_collection_restriction(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, collection_id: UUID
) -> RestrictionRead:
    """Let everyone in the workspace see the collection again."""
    return await collecting.lift_restriction(session, actor, core, collection_id, client=client)


@router.post("/runs", status_code=status.HTTP_202_ACCEPTED)
async def start_run(core: CoreDep, actor: CurrentActor, start: RunStart) -> RunRead:
    return await runs.start_run(core, actor, start.document_ids)


@router.get("/runs")
async def list_runs(session: DbSession, actor: CurrentActor, request: Annotated[RunQuery, Query()]) -> Page[RunRead]:
    return await runs.list_runs(session, actor, request)


@router.get("/runs/export.csv", response_class=CsvDownload)
async def export_runs(export: Export, actor: CurrentActor, request: Annotated[RunQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("runs.csv", lambda session: runs.export_runs(session, actor, request))


@router.get("/runs/{run_id}")
async def get_run(session: DbSession, actor: CurrentActor, run_id: UUID) -> RunRead:
    return await runs.get_run(session, actor, run_id)


@router.get("/runs/{run_id}/documents")
async def list_run_documents(
    session: DbSession, actor: CurrentActor, run_id: UUID, request: Annotated[RunDocumentQuery, Query()]
) -> Page[DocumentRead]:
    """List the documents of a run that still exist, in the order of the run unless `sort` is set."""
    return await runs.list_run_documents(session, actor, run_id, request)


@router.get("/runs/{run_id}/documents/export.csv", response_class=CsvDownload)
async def export_run_documents(
    export: Export, actor: CurrentActor, run_id: UUID, request: Annotated[RunDocumentQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("run-documents.csv", lambda session: runs.export_run_documents(session, actor, run_id, request))


@router.get("/runs/{run_id}/failures")
async def list_run_failures(
    session: DbSession, actor: CurrentActor, run_id: UUID, request: Annotated[RunFailureQuery, Query()]
) -> Page[DocumentFailure]:
    """List the documents that a run could not train, in the order of the run unless `sort` is `title` or `reason`."""
    return await runs.list_run_failures(session, actor, run_id, request)


@router.get("/runs/{run_id}/failures/export.csv", response_class=CsvDownload)
async def export_run_failures(
    export: Export, actor: CurrentActor, run_id: UUID, request: Annotated[RunFailureQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("run-failures.csv", lambda session: runs.export_run_failures(session, actor, run_id, request))


@router.put("/runs/{run_id}/cancellation")
async def cancel_run(session: DbSession, actor: CurrentActor, run_id: UUID) -> RunRead:
    return await runs.cancel_run(session, actor, run_id)


@router.post("/runs/{run_id}/repetitions", status_code=status.HTTP_202_ACCEPTED)
async def repeat_run(session: DbSession, actor: CurrentActor, core: CoreDep, run_id: UUID) -> RunRead:
    return await runs.repeat_run(session, actor, core, run_id)


@router.get("/passages/{passage_id}")
async def get_passage(session: DbSession, actor: CurrentActor, passage_id: UUID) -> PassageInContext:
    return await searching.get_passage(session, actor, passage_id)


@router.get("/models")
async def describe_models(core: CoreDep, _actor: CurrentActor) -> ModelsInUse:
    return language.describe(core)
