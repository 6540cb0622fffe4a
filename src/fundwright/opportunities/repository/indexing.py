"""Stores and reads data for searches and the classifier: embeddings, word weights, and terms."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    not_,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.language import search_sql
from fundwright.language.protocols import Vectors
from fundwright.opportunities.models import (
    Opportunity,
    OpportunitySpelling,
    OpportunityTerms,
    OpportunityText,
    OpportunityVector,
    OpportunityWord,
    OpportunityWords,
)
from fundwright.opportunities.repository.filters import IS_OPEN
from fundwright.opportunities.repository.scoring import WEIGHTS
from fundwright.opportunities.repository.writing import EMBEDDED_CHARACTERS, READ_CHARACTERS, change_alone
from fundwright.opportunities.schemas import (
    CategorizeOpportunities,
    EmbedOpportunities,
)

_RARE = 4
"""Words in this many notices or fewer are not counted."""
_SPELLED_CHARACTERS = 400
"""Characters of a description that are read for spelling correction. Reading all of it would take a minute."""
_MIN_SPELLED = 3
"""The number of notices in which a word must occur to count as known."""
_SORTED_AT_ONCE = 5_000


def _lacks_vector(model_id: str) -> ColumnElement[bool]:
    return not_(exists().where(OpportunityVector.opportunity_id == Opportunity.id, OpportunityVector.model_id == model_id))


async def count_lacking_vectors(session: AsyncSession, model_id: str) -> int:
    return await session.scalar(select(func.count()).select_from(Opportunity).where(_lacks_vector(model_id))) or 0


async def count_embedded(session: AsyncSession, model_id: str) -> tuple[int, int]:
    """Return how many opportunities this model has embedded, and how many there are."""
    vector = and_(OpportunityVector.opportunity_id == Opportunity.id, OpportunityVector.model_id == model_id)
    counted = select(func.count(OpportunityVector.opportunity_id), func.count()).select_from(Opportunity)
    embedded, total = (await session.execute(counted.outerjoin(OpportunityVector, vector))).one()
    return embedded, total


async def lock_embedding(session: AsyncSession) -> None:
    await database.acquire_lock(session, "embedding of opportunities")


async def is_embedding_underway(session: AsyncSession) -> bool:
    """Whether a waiting or running job has yet to look for notices without vectors. Until the transaction ends, the job does not
    end either."""
    await lock_embedding(session)
    underway = and_(Job.kind == EmbedOpportunities.job_kind, Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
    will_look = and_(not_(Job.cancel_requested), Job.checkpoint["is_ending"].astext.is_(None))
    return bool(await session.scalar(select(exists().where(underway, will_look))))


async def find_embedding(session: AsyncSession) -> Job | None:
    """The latest embedding job, in any state."""
    latest = select(Job).where(Job.kind == EmbedOpportunities.job_kind).order_by(Job.created_at.desc()).limit(1)
    return await session.scalar(latest.execution_options(populate_existing=True))


async def list_unembedded(session: AsyncSession, model_id: str, *, limit: int) -> Sequence[tuple[UUID, int, str]]:
    """Return (id, version, text to embed) of opportunities that this model has not embedded, open ones first, newest first."""
    words = Opportunity.title + literal("\n") + func.left(OpportunityText.description, EMBEDDED_CHARACTERS)
    order = (IS_OPEN.desc(), Opportunity.posted_at.desc())
    # Select the ids first, so that sorting does not read the texts of all notices.
    ids = select(Opportunity.id).where(_lacks_vector(model_id)).order_by(*order).limit(limit)
    joined = select(Opportunity.id, Opportunity.version, words).join(OpportunityText)
    rows = await session.execute(joined.where(Opportunity.id.in_(ids.scalar_subquery())).order_by(*order))
    return [(id, version, words) for id, version, words in rows]


_SPELLED = f"""
    SELECT to_tsvector('simple', title || ' ' || left(description, {_SPELLED_CHARACTERS}))
    FROM opportunity JOIN opportunity_text ON opportunity_id = id
"""  # noqa: S608 (a constant)


async def weigh_words(session: AsyncSession, *, limit: int) -> bool:
    """Compute word weights for opportunities that lack them. Returns whether there were any."""
    await change_alone(session)
    lacks = not_(exists().where(OpportunityWords.opportunity_id == Opportunity.id))
    some = select(Opportunity.id, WEIGHTS).where(lacks).limit(limit)
    added = insert(OpportunityWords).from_select(["opportunity_id", "words"], some).returning(OpportunityWords.opportunity_id)
    return bool((await session.scalars(added)).all())


async def count_words(session: AsyncSession) -> None:
    """Recount in how many opportunities each word occurs, and update the words for spelling correction."""
    await database.acquire_lock(session, "opportunity_word")
    await session.execute(delete(OpportunityWord).where(OpportunityWord.place != search_sql.EMBEDDED_TEXTS))
    words = func.ts_stat("SELECT search FROM opportunity").table_valued("word", "ndoc", "nentry")
    place, notices = func.word_place(words.c.word), func.sum(words.c.ndoc)
    each = select(place, notices).group_by(place).having(notices > _RARE)
    everything = select(literal(search_sql.ALL_TEXTS), func.count()).select_from(Opportunity)
    await session.execute(insert(OpportunityWord).from_select(["place", "notices"], each.union_all(everything)))
    await session.execute(delete(OpportunitySpelling))
    spelled = func.ts_stat(_SPELLED).table_valued("word", "ndoc", "nentry")
    known = select(spelled.c.word, spelled.c.ndoc).where(
        spelled.c.ndoc >= _MIN_SPELLED, spelled.c.word.regexp_match("^[a-z]{5,40}$")
    )
    await session.execute(insert(OpportunitySpelling).from_select(["word", "notices"], known))


async def note_embedded(session: AsyncSession, notices: int | None) -> None:
    """Note how many opportunities are embedded so far, so that searches rely on meaning in proportion; None when all are."""
    place = search_sql.EMBEDDED_TEXTS
    if notices is None:
        await session.execute(delete(OpportunityWord).where(OpportunityWord.place == place))
        return
    noted = upsert(OpportunityWord).values(place=place, notices=notices)
    await session.execute(noted.on_conflict_do_update(index_elements=[OpportunityWord.place], set_={"notices": notices}))


async def refresh_search_statistics(session: AsyncSession) -> None:
    """Refresh the planner's statistics at the end of an embedding job, which keeps searches fast."""
    await database.refresh_statistics(session, OpportunityWords, OpportunityWord, OpportunitySpelling, OpportunityVector)


async def save_vectors(session: AsyncSession, model_id: str, versions: Sequence[tuple[UUID, int]], vectors: Vectors) -> None:
    """Save the vectors of opportunities whose version has not changed."""
    await change_alone(session)
    current = select(Opportunity.id, Opportunity.version).where(Opportunity.id.in_([id for id, _ in versions]))
    found = {(id, version) for id, version in await session.execute(current)}
    rows = [
        {"opportunity_id": id, "model_id": model_id, "vector": vector}
        for (id, version), vector in zip(versions, vectors, strict=True)
        if (id, version) in found
    ]
    if rows:
        await session.execute(upsert(OpportunityVector).on_conflict_do_nothing(), rows)


async def list_unread(session: AsyncSession, *, limit: int) -> list[tuple[UUID, str, str, str]]:
    """Return (id, title, description, agency) of opportunities whose terms have not been read."""
    unread = not_(exists().where(OpportunityTerms.opportunity_id == Opportunity.id))
    agency = func.coalesce(func.nullif(Opportunity.sub_agency, ""), Opportunity.agency)
    joined = select(Opportunity.id, Opportunity.title, func.left(OpportunityText.description, READ_CHARACTERS), agency)
    rows = await session.execute(joined.join(OpportunityText).where(unread).limit(limit))
    return [(id, title, description, of) for id, title, description, of in rows]


async def add_terms(session: AsyncSession, terms: Mapping[UUID, bytes]) -> None:
    """Save the terms of opportunities that still exist."""
    there = await session.scalars(select(Opportunity.id).where(Opportunity.id.in_(list(terms))))
    if rows := [{"opportunity_id": id, "terms": terms[id]} for id in there]:
        await session.execute(upsert(OpportunityTerms).on_conflict_do_nothing(), rows)


async def list_last_sorters(session: AsyncSession, memberships: Select[UUID, UUID]) -> Sequence[tuple[UUID, UUID]]:
    """Return each workspace that has ever categorized, always in the same order, with the account that did so last of those that
    `memberships` has."""
    latest = (
        select(Job.owner_id, Job.account_id)
        .where(Job.kind == CategorizeOpportunities.job_kind, tuple_(Job.owner_id, Job.account_id).in_(memberships))
        .ext(distinct_on(Job.owner_id))
        .order_by(Job.owner_id, Job.created_at.desc())
    )
    return [(owner_id, account_id) for owner_id, account_id in await session.execute(latest) if owner_id and account_id]


async def count_sortable(session: AsyncSession, model_id: str) -> int:
    return await session.scalar(select(func.count()).select_from(_sortable(model_id).subquery())) or 0


async def sortable_after(
    session: AsyncSession, model_id: str, after: UUID | None, *, is_open: bool, limit: int
) -> list[tuple[UUID, bytes, bytes]]:
    """Return (id, words, vector of this model) of open opportunities, or of all others, in the order of their ids."""
    found = _sortable(model_id).where(IS_OPEN if is_open else not_(IS_OPEN))
    if after is not None:
        found = found.where(OpportunityTerms.opportunity_id > after)
    rows = await session.execute(found.order_by(OpportunityTerms.opportunity_id).limit(limit))
    return [(id, terms, vector) for id, terms, vector in rows]


async def sortable_of(session: AsyncSession, model_id: str, ids: Sequence[UUID]) -> list[tuple[UUID, bytes, bytes]]:
    """Like `sortable_after`, for these ids."""
    found: list[tuple[UUID, bytes, bytes]] = []
    for start in range(0, len(ids), _SORTED_AT_ONCE):
        some = OpportunityTerms.opportunity_id.in_(ids[start : start + _SORTED_AT_ONCE])
        found += [(id, terms, vector) for id, terms, vector in await session.execute(_sortable(model_id).where(some))]
    return found


async def sortable_sample(session: AsyncSession, model_id: str, *, limit: int) -> list[tuple[UUID, bytes, bytes]]:
    """Like `sortable_after`, for a small sample that is the same each time. Ids are random."""
    rows = await session.execute(_sortable(model_id).order_by(OpportunityTerms.opportunity_id.desc()).limit(limit))
    return [(id, terms, vector) for id, terms, vector in rows]


def _sortable(model_id: str) -> Select[UUID, bytes, bytes]:
    # The binary form is read much faster than the text form.
    vector = func.halfvec_send(OpportunityVector.vector, type_=LargeBinary())
    joined = select(OpportunityTerms.opportunity_id, OpportunityTerms.terms, vector).join(
        OpportunityVector, OpportunityVector.opportunity_id == OpportunityTerms.opportunity_id
    )
    return joined.join(Opportunity, Opportunity.id == OpportunityTerms.opportunity_id).where(
        OpportunityVector.model_id == model_id
    )


async def vectors_of(session: AsyncSession, model_id: str, ids: Sequence[UUID]) -> dict[UUID, NDArray[np.float32]]:
    found = select(OpportunityVector.opportunity_id, OpportunityVector.vector)
    rows = await session.execute(found.where(OpportunityVector.model_id == model_id, OpportunityVector.opportunity_id.in_(ids)))
    return {id: np.asarray(vector, dtype=np.float32) for id, vector in rows}


async def vector_of(session: AsyncSession, model_id: str, opportunity_id: UUID) -> NDArray[np.float32] | None:
    """Return the opportunity's unit-length embedding by this model, or None if there is none yet. Raises NotFound."""
    is_of_model = and_(OpportunityVector.opportunity_id == Opportunity.id, OpportunityVector.model_id == model_id)
    found = select(OpportunityVector.vector).select_from(Opportunity).outerjoin(OpportunityVector, is_of_model)
    row = (await session.execute(found.where(Opportunity.id == opportunity_id))).one_or_none()
    if row is None:
        raise NotFound(t("The opportunity"))
    return None if row.vector is None else np.asarray(row.vector, dtype=np.float32)


async def index_vectors(session: AsyncSession, model_id: str, dimension: int) -> None:
    """Create the HNSW index of this model's vectors if it does not exist."""
    name = "ix_opportunity_vector_hnsw_" + hashlib.sha256(model_id.encode()).hexdigest()[:12]
    await search_sql.create_vector_index(session, "opportunity_vector", name, dimension=dimension, of=("model_id", model_id))
