"""Routes of templates."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient, Uploader, request_slot
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright.core.uploads import UPLOAD, receive_file
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.templates import files, service
from fundwright.templates.schemas import NewCopy, NewTemplate, TemplateQuery, TemplateRead, TemplateRow, TemplateSave

router = APIRouter(prefix="/api/templates", tags=["templates"])


@router.get("")
async def list_templates(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[TemplateQuery, Query()]
) -> Page[TemplateRow]:
    """List the templates of the workspace and the included ones. The `name` of a workspace's own template is its id."""
    return await service.list_templates(session, actor, core, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_templates(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[TemplateQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("templates.csv", lambda session: service.export_templates(session, actor, core, query))


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_template(session: DbSession, actor: CurrentActor, core: CoreDep, new: NewTemplate) -> TemplateRead:
    """Make a template. The content of a template's file is accepted, too."""
    return await service.create(session, actor, core, new)


@router.post("/files", status_code=status.HTTP_201_CREATED, openapi_extra=UPLOAD)
async def upload_template(request: Request, core: CoreDep, actor: Uploader) -> TemplateRead:
    """Make a template of a file that was downloaded (form field `file`; JSON, at most 1 MB). If its title is taken, it gets a number."""
    require(actor, Permission.WORK)
    received = await receive_file(
        core,
        request,
        service.receive,
        account_id=actor.id,
        max_bytes=service.MOST_BYTES,
        otherwise=t("Choose another file."),
    )
    content = await core.computing.run(partial(files.read, received.kept))
    async with request_slot(core, actor), core.database.transaction() as session:
        return await service.upload(session, actor, core, content)


@router.get("/{template_id}")
async def get_template(session: DbSession, actor: CurrentActor, core: CoreDep, template_id: str) -> TemplateRead:
    """Get a template of the workspace by its id, or an included one by its name."""
    return await service.get_template(session, actor, core, template_id)


@router.get("/{template_id}/file", response_class=Response)
async def download_template(session: DbSession, actor: CurrentActor, core: CoreDep, template_id: str) -> Response:
    """Download a template as a JSON file, which `POST /api/templates` accepts."""
    template = await service.get_template(session, actor, core, template_id)
    return Response(
        service.as_file(template),
        media_type="application/json",
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(f'{template.title}.json', safe='')}",
            "X-Content-Type-Options": "nosniff",
        },
    )


@router.post("/{template_id}/copies", status_code=status.HTTP_201_CREATED)
async def duplicate_template(
    session: DbSession, actor: CurrentActor, core: CoreDep, template_id: str, new: NewCopy
) -> TemplateRead:
    """Make a copy of a template of the workspace or of an included one."""
    return await service.duplicate(session, actor, core, template_id, new)


@router.put("/{template_id}")
async def save_template(
    session: DbSession, actor: CurrentActor, core: CoreDep, template_id: UUID, given: TemplateSave
) -> TemplateRead:
    """Replace the content of a template. Returns 409 if it was changed since `based_on`, its earlier `changed_at`. Existing drafts do not
    change."""
    return await service.save(session, actor, core, template_id, given)


@router.delete("/{template_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_template(session: DbSession, actor: CurrentActor, client: RequestClient, template_id: UUID) -> None:
    """Move a template to the trash, where `PUT /api/trash/{template_id}/restoration` restores it for 30 days. Existing drafts do not
    change."""
    await service.delete(session, actor, template_id, client=client)
