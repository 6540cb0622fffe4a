"""Routes of comments."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.conversation import service
from fundwright.conversation.schemas import CommentChange, CommentForm, CommentQuery, CommentRead, ReplyForm
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession

router = APIRouter(prefix="/api/comments", tags=["comments"])


@router.get("")
async def list_comments(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[CommentQuery, Query()]
) -> Page[CommentRead]:
    """List the comments on a draft, an opportunity, or a document, which `subject_id` names."""
    return await service.list_comments(session, actor, core, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_comments(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[CommentQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("comments.csv", lambda session: service.export_comments(session, actor, core, query))


@router.post("", status_code=status.HTTP_201_CREATED)
async def add_comment(session: DbSession, actor: CurrentActor, core: CoreDep, form: CommentForm) -> CommentRead:
    """Begin a thread."""
    return await service.add_comment(session, actor, core, form)


@router.get("/{comment_id}")
async def get_comment(session: DbSession, actor: CurrentActor, core: CoreDep, comment_id: UUID) -> CommentRead:
    return await service.get_comment(session, actor, core, comment_id)


@router.post("/{comment_id}/replies", status_code=status.HTTP_201_CREATED)
async def reply(session: DbSession, actor: CurrentActor, core: CoreDep, comment_id: UUID, form: ReplyForm) -> CommentRead:
    """Reply in the thread of a comment. A resolved thread is then open again."""
    return await service.reply(session, actor, core, comment_id, form)


@router.patch("/{comment_id}")
async def change_comment(
    session: DbSession, actor: CurrentActor, core: CoreDep, comment_id: UUID, change: CommentChange
) -> CommentRead:
    """Change the text of your own comment."""
    return await service.change_comment(session, actor, core, comment_id, change)


@router.delete("/{comment_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_comment(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, comment_id: UUID) -> None:
    """Delete your own comment. Replies to it stay."""
    await service.delete_comment(session, actor, core, comment_id, client=client)


@router.put("/{comment_id}/resolution", status_code=status.HTTP_204_NO_CONTENT)
async def resolve(session: DbSession, actor: CurrentActor, core: CoreDep, comment_id: UUID) -> None:
    """Mark the thread of a comment as resolved."""
    await service.resolve(session, actor, core, comment_id, is_resolved=True)


@router.delete("/{comment_id}/resolution", status_code=status.HTTP_204_NO_CONTENT)
async def reopen(session: DbSession, actor: CurrentActor, core: CoreDep, comment_id: UUID) -> None:
    """Open a resolved thread again."""
    await service.resolve(session, actor, core, comment_id, is_resolved=False)
