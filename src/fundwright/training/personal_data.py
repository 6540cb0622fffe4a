"""The documents and collections in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest, iterate_all
from fundwright.training import runs
from fundwright.training.repository import collecting, listing, texts
from fundwright.training.schemas import DocumentRead
from fundwright.workspaces import restrictions


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Yield documents as they were uploaded, also those in the trash, the text extracted from each, and the training runs."""
    collections = await collecting.list_all_collections(session, actor.workspace_id)
    found = await listing.list_all(session, actor.workspace_id), await listing.list_trashed(session, actor.workspace_id)
    contents = await restrictions.containers_of(session, actor, [each.id for listed in found for each in listed])
    names = {collection.id: collection.name for collection in collections}
    named = {document: {"collection_id": id, "collection": names.get(id, "")} for document, id in contents.items()}
    documents, trashed = (
        [DocumentRead.model_validate(each).model_copy(update=named.get(each.id)) for each in listed] for listed in found
    )
    yield as_json(
        "training/collections.json",
        [{"id": each.id, "name": each.name, "is_in_trash": each.owner_id is None} for each in collections],
    )
    yield as_json("training/documents.json", documents)
    yield as_json("training/documents_in_trash.json", trashed)
    for document in (*documents, *trashed):
        yield DataFile(f"training/files/{document.id}/{document.filename}", core.files.path(document.sha256))
        text = await texts.text_of(session, actor.workspace_id, document.id)
        if text:
            yield DataFile(f"training/texts/{document.id}.txt", text.encode())
    trained = [each async for each in iterate_all(lambda page: runs.list_runs(session, actor, page), PageRequest())]
    yield as_json("training/runs.json", trained)
