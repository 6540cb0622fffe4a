"""What questions, drafts, and fit scores find in documents: passages by words and by meaning, and whole texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.messages import t
from fundwright.language.protocols import Embedder, Vectors
from fundwright.reading.kinds import DocumentKind
from fundwright.training.repository import indexing, listing, runs, searching, texts
from fundwright.training.schemas import DocumentText, NearestPassage, Passage, PassageInContext, Unsearched

_MAX_QUERY_CHARACTERS = 4_000
_MAX_CHARACTERS_READ = 1_000_000
_NAMED_DOCUMENTS = 3
_BEGINNING_CHARACTERS, _MAX_BEGINNINGS = 8_000, 12


@needs(Permission.READ)
async def count_outdated(session: AsyncSession, actor: Actor, embedder: Embedder) -> int:
    """Return the number of trained documents that are no longer searchable because the embedding model has changed."""
    return await indexing.count_outdated(session, actor.workspace_id, embedder.id)


@needs(Permission.READ)
async def list_searched(session: AsyncSession, actor: Actor) -> list[tuple[UUID, DocumentKind]]:
    """Return ids and kinds of the documents that questions and drafts search: all that are trained, but not the sample, once one
    of the actor's own is trained."""
    return await listing.list_searched(session, actor.workspace_id)


@needs(Permission.READ)
async def searched(
    session: AsyncSession,
    actor: Actor,
    *,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
) -> Select[UUID]:
    """Select the ids of the documents that questions and drafts search, as a subquery for lists of other slices. If documents and kinds are given,
    only these and their newer versions."""
    return await listing.searched(session, actor.workspace_id, document_ids=document_ids, kinds=kinds)


@needs(Permission.READ)
async def find_passages(
    core: Core,
    actor: Actor,
    query: str,
    *,
    embedder: Embedder,
    limit: int = 8,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
) -> list[Passage]:
    """Return the statements in the actor's documents that are nearest to `query`, nearest first, however distant. If documents and
    kinds are given, only these are searched. Opens its own transaction.

    Raises Conflict if all documents were trained with an embedding model other than the one in use.
    """
    question = _asked(query, actor)
    if not question:
        return []
    vector = (await embedder.embed([question]))[0]
    async with core.database.transaction() as session:
        return await search_passages(
            session, actor, question, vector, embedder=embedder, limit=limit, document_ids=document_ids, kinds=kinds
        )


@needs(Permission.READ)
async def find_phrase(session: AsyncSession, actor: Actor, pattern: str) -> str | None:
    """Return the phrase that matches a regular expression most often in the actor's documents, in lower case."""
    return await searching.find_phrase(session, actor.workspace_id, pattern)


@needs(Permission.READ)
async def nearest_passages(
    session: AsyncSession, actor: Actor, vectors: Mapping[UUID, Vectors], *, model_id: str, kinds: Collection[DocumentKind]
) -> dict[UUID, NearestPassage]:
    """Return, for each of these embeddings by this model, the most similar passage of the actor's documents of these kinds, without the
    sample; nothing if there are no such documents."""
    return await searching.nearest_passages(session, actor.workspace_id, vectors, model_id=model_id, kinds=kinds)


@needs(Permission.READ)
async def list_unsearched(session: AsyncSession, actor: Actor) -> Unsearched:
    """Return the documents that are not trained."""
    return await runs.list_unsearched(session, actor.workspace_id, limit=_NAMED_DOCUMENTS)


def _asked(query: str, actor: Actor) -> str:
    """Return the trimmed question, or "" for an unconfirmed account: it has no documents, so no model need be called."""
    return query.strip()[:_MAX_QUERY_CHARACTERS] if actor.is_confirmed else ""


@needs(Permission.READ)
async def search_passages(
    session: AsyncSession,
    actor: Actor,
    question: str,
    vector: Vectors,
    *,
    embedder: Embedder,
    limit: int,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
    named: Sequence[str] = (),
    with_asides: bool = False,
    with_boxes: bool = False,
) -> list[Passage]:
    """Return the passages that a question with this embedding finds by words and by meaning, best first, and further ones with all words of one
    of the `named`, or `with_boxes` that are not checked. What is no statement of its document is searched only `with_asides`.

    Raises Conflict if all documents were trained with an embedding model other than the one in use.
    """
    passages = await searching.search_chunks(
        session,
        actor.workspace_id,
        question,
        vector,
        model_id=embedder.id,
        limit=limit,
        document_ids=document_ids,
        kinds=kinds,
        named=named,
        with_asides=with_asides,
        with_boxes=with_boxes,
    )
    is_searchable = bool(passages) or await searching.has_vectors(session, actor.workspace_id, embedder.id)
    if not is_searchable and await indexing.count_outdated(session, actor.workspace_id, embedder.id):
        raise Conflict(
            t(
                "Your documents were trained with an embedding model other than {id}, the current one. Train them "
                "again to search them.",
                id=embedder.id,
            )
        )
    return passages


@needs(Permission.READ)
async def read_documents(
    core: Core,
    actor: Actor,
    *,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
    first: Collection[UUID] = (),
) -> list[DocumentText]:
    """Return the text of the actor's trained documents, oldest first. If documents and kinds are given, only these are read. If
    there are more than a million characters, the documents with the passages `first` are kept, and then the newest.

    Opens its own transaction.
    """
    if not actor.is_confirmed:
        return []
    async with core.database.transaction() as session:
        return await texts.read_documents(
            session, actor.workspace_id, document_ids=document_ids, kinds=kinds, first=first, most_characters=_MAX_CHARACTERS_READ
        )


@needs(Permission.READ)
async def read_openings(
    session: AsyncSession, actor: Actor, *, kinds: Collection[DocumentKind], characters: int
) -> list[DocumentText]:
    """Like `read_documents` of these kinds, with at most this many characters of each document and without its passages."""
    if not actor.is_confirmed:
        return []
    return await texts.read_openings(
        session, actor.workspace_id, kinds=kinds, characters=characters, most_characters=_MAX_CHARACTERS_READ
    )


@needs(Permission.READ)
async def read_beginnings(
    session: AsyncSession, actor: Actor, *, kinds: Collection[DocumentKind]
) -> list[tuple[DocumentKind, str]]:
    """Return kind and first few pages of the actor's trained documents of these kinds, those about us first, without the sample.
    If there are many, returns only some."""
    return await texts.read_beginnings(
        session, actor.workspace_id, kinds=kinds, characters=_BEGINNING_CHARACTERS, limit=_MAX_BEGINNINGS
    )


@needs(Permission.READ)
async def get_passage(session: AsyncSession, actor: Actor, passage_id: UUID) -> PassageInContext:
    """Return a passage with the text around it. Raises NotFound."""
    return await texts.get_passage(session, actor.workspace_id, passage_id)
