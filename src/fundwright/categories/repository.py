"""All queries of categories, limited to one workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Float,
    Row,
    ScalarSelect,
    Select,
    Uuid,
    and_,
    delete,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by, distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories.models import Category, Label
from fundwright.categories.schemas import (
    LOW,
    MEDIUM,
    CategoryColor,
    CategoryRead,
    CountedCategory,
    EarlierLabel,
    LabelRead,
    LabelSource,
    LabelState,
    SuggestionQuery,
)
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import NotFound
from fundwright.core.json_values import JsonObject
from fundwright.core.lists import ordered_by
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.trash import repository as trash

_MAX_EXAMPLES = 10_000
_BATCH = 5_000  # a statement can have at most 65,535 parameters
_KEY = [Label.owner_id, Label.subject_id, Label.category_id]
_DECISION = ("state", "source", "confidence", "model_id", "decided_at")


async def list_all(session: AsyncSession, owner_id: UUID) -> list[CategoryRead]:
    """Return categories by name."""
    found = select(Category).where(Category.owner_id == owner_id).order_by(func.lower(Category.name), Category.id)
    return [
        CategoryRead(
            id=category.id,
            name=category.name,
            description=category.description,
            color=CategoryColor(category.color),
            is_sample=category.is_sample,
            created_at=category.created_at,
            changed_at=category.changed_at,
        )
        for category in await session.scalars(found)
    ]


async def list_counted(session: AsyncSession, owner_id: UUID, among: Sequence[Select[UUID]]) -> list[CountedCategory]:
    """Return categories by name, each with its counts. Suggestions are counted for subjects in one of `among`."""
    accepted = await _counts(session, [Label.owner_id == owner_id, Label.state == LabelState.ACCEPTED])
    suggested = await _counts(session, _waiting(owner_id, among, is_unsure_shown=False))
    return [
        CountedCategory(**dict(category), suggested=suggested.get(category.id, 0), accepted=accepted.get(category.id, 0))
        for category in await list_all(session, owner_id)
    ]


async def _counts(session: AsyncSession, conditions: Sequence[ColumnElement[bool]]) -> dict[UUID, int]:
    """The number of labels by category."""
    rows = await session.execute(select(Label.category_id, func.count()).where(*conditions).group_by(Label.category_id))
    return dict(list(rows))


async def list_for_classifier(session: AsyncSession, owner_id: UUID) -> list[Category]:
    return list(await session.scalars(select(Category).where(Category.owner_id == owner_id).order_by(Category.id)))


async def list_decisions(session: AsyncSession, owner_id: UUID) -> Sequence[Row[UUID, str, str, datetime]]:
    """Return people's decisions, also about categories in the trash, oldest first: subject, name of the category, state, and time."""
    own = or_(Category.owner_id == owner_id, trash.in_trash_of(owner_id, Category))
    query = (
        select(Label.subject_id, Category.name.label("category"), Label.state, Label.decided_at)
        .join(Category, Category.id == Label.category_id)
        .where(own, Label.source == LabelSource.PERSON)
    )
    return (await session.execute(query.order_by(Label.decided_at, Label.id))).all()


async def list_trashed(session: AsyncSession, owner_id: UUID) -> list[Category]:
    """Return the categories in the workspace's trash."""
    return list(
        await session.scalars(select(Category).where(trash.in_trash_of(owner_id, Category)).order_by(Category.name, Category.id))
    )


async def get(session: AsyncSession, owner_id: UUID, category_id: UUID, *, for_update: bool = False) -> Category:
    """Raises NotFound, also for another workspace's category. With `for_update`, others wait to change or delete it, but not to label
    with it."""
    query = select(Category).where(Category.id == category_id, Category.owner_id == owner_id)
    category = await session.scalar(
        query.with_for_update(key_share=True) if for_update else query, execution_options={"populate_existing": True}
    )
    if category is None:
        raise NotFound(t("The category"))
    return category


async def find_named(session: AsyncSession, owner_id: UUID, name: str) -> Category | None:
    """Find a category by name, ignoring case. If the name is free, it stays free until the transaction ends, because other requests
    wait."""
    await _keep_names(session, owner_id)
    # Depending on its locale, the database may lowercase fewer characters than Python, so compare both in the database.
    is_same = func.lower(Category.name) == func.lower(name)
    return await session.scalar(select(Category).where(Category.owner_id == owner_id, is_same))


async def has_sample(session: AsyncSession, owner_id: UUID) -> bool:
    """If there is none, none is added by others until the transaction ends."""
    await _keep_names(session, owner_id)
    return bool(await session.scalar(select(exists().where(Category.owner_id == owner_id, Category.is_sample))))


async def _keep_names(session: AsyncSession, owner_id: UUID) -> None:
    await acquire_lock(session, f"category names:{owner_id}")


async def remove_sample(session: AsyncSession, owner_id: UUID) -> int:
    removed = await session.execute(
        delete(Category).where(Category.owner_id == owner_id, Category.is_sample).returning(Category.id)
    )
    return len(removed.all())


async def clear_label_owner(session: AsyncSession, category_id: UUID) -> None:
    """Clear the owner of the labels of a category that goes to the trash."""
    await session.execute(update(Label).where(Label.category_id == category_id).values(owner_id=None))


async def restore_label_owner(session: AsyncSession, owner_id: UUID, category_id: UUID) -> None:
    """Give the labels of a category from the trash their owner again."""
    await session.execute(update(Label).where(Label.category_id == category_id).values(owner_id=owner_id))


_COUNTS_AS_MEMBER = or_(Label.state == LabelState.ACCEPTED, and_(Label.state == LabelState.SUGGESTED, Label.confidence >= MEDIUM))


def labeled_with(owner_id: UUID, category_id: UUID | None) -> Select[UUID]:
    """Select the ids of subjects in a category, or, with None, in any: a subquery for filters of other slices. A subject is in a
    category if a person accepted it, or if the model suggests it with medium or high confidence."""
    query = select(Label.subject_id).where(Label.owner_id == owner_id, _COUNTS_AS_MEMBER)
    return query if category_id is None else query.where(Label.category_id == category_id)


async def lock_labels(session: AsyncSession, owner_id: UUID, subject_id: UUID) -> list[Label]:
    """Return all labels of a subject. Other requests cannot change or add any until the transaction ends."""
    await lock_additions(session, owner_id)
    query = select(Label).where(Label.owner_id == owner_id, Label.subject_id == subject_id).order_by(Label.category_id)
    return list(await session.scalars(query.with_for_update().execution_options(populate_existing=True)))


async def labels_of(session: AsyncSession, owner_id: UUID, subject_ids: Sequence[UUID]) -> dict[UUID, list[LabelRead]]:
    """Return the labels of each subject that has any, most confident first."""
    found: dict[UUID, list[LabelRead]] = {}
    for start in range(0, len(subject_ids), _BATCH):
        batch = subject_ids[start : start + _BATCH]
        labels = _labels(owner_id).where(Label.subject_id.in_(batch))
        for label, category in await session.execute(labels.order_by(Label.confidence.desc(), func.lower(Category.name))):
            found.setdefault(label.subject_id, []).append(_label_read(label, category))
    return found


@lru_cache(maxsize=256)  # building the statement takes longer than executing it
def labels_in(owner_id: UUID, subject_id: ColumnElement[UUID]) -> ScalarSelect[list[JsonObject] | None]:
    """Select a subject's categories, most confident first, as JSON that `LabelRead` validates, or NULL: a correlated subquery for
    statements of other slices."""
    fields = {
        "subject_id": Label.subject_id,
        "category_id": Label.category_id,
        "category_name": Category.name,
        "color": Category.color,
        "confidence": Label.confidence,
        "state": Label.state,
        "source": Label.source,
        "model_id": Label.model_id,
        "decided_at": Label.decided_at,
    }
    named = [part for name, value in fields.items() for part in (literal_column(f"'{name}'"), value)]
    label = func.jsonb_build_object(*named, type_=JSONB)
    return (
        select(func.jsonb_agg(aggregate_order_by(label, Label.confidence.desc(), func.lower(Category.name)), type_=JSONB))
        .select_from(Label)
        .join(Category, Category.id == Label.category_id)
        .where(Label.owner_id == owner_id, Label.subject_id == subject_id, _COUNTS_AS_MEMBER)
        .scalar_subquery()
    )


def _waiting(owner_id: UUID, among: Sequence[Select[UUID]] | None, *, is_unsure_shown: bool) -> list[ColumnElement[bool]]:
    """The conditions of suggestions that wait for review, of any subject or of those in one of `among`."""
    waiting = [Label.owner_id == owner_id, Label.state == LabelState.SUGGESTED]
    if not is_unsure_shown:
        waiting.append(Label.confidence >= LOW)
    if among is not None:
        waiting.append(or_(false(), *(Label.subject_id.in_(ids) for ids in among)))
    return waiting


async def page_of_suggestions(
    session: AsyncSession, owner_id: UUID, query: SuggestionQuery, among: Sequence[Select[UUID]] | None
) -> tuple[list[LabelRead], int]:
    """Return the most confident suggestion of each subject, or of each subject in one of `among`."""
    waiting = _waiting(owner_id, among, is_unsure_shown=query.is_unsure_shown)
    if query.category_id is not None:
        waiting.append(Label.category_id == query.category_id)
    first = (
        select(Label.id)
        .where(*waiting)
        .ext(distinct_on(Label.subject_id))
        .order_by(Label.subject_id, Label.confidence.desc(), Label.category_id)
    )
    labels = _labels(owner_id).where(Label.id.in_(first.subquery().select()))
    return await _page(
        session, labels, query, ordered_by(query, {"confidence": Label.confidence}, default=Label.confidence.desc())
    )


async def page_of_examples(
    session: AsyncSession, owner_id: UUID, category_id: UUID, request: PageRequest
) -> tuple[list[LabelRead], int]:
    labels = _labels(owner_id).where(Label.category_id == category_id, Label.state == LabelState.ACCEPTED)
    return await _page(session, labels, request, Label.decided_at.desc())


async def _page(
    session: AsyncSession, labels: Select[Label, Category], request: PageRequest, order: ColumnElement[Any]
) -> tuple[list[LabelRead], int]:
    total = await session.scalar(select(func.count()).select_from(labels.with_only_columns(Label.id).subquery())) or 0
    rows = await session.execute(labels.order_by(order, Label.subject_id).offset(request.offset).limit(request.page_size))
    return [_label_read(label, category) for label, category in rows], total


async def decide(
    session: AsyncSession, owner_id: UUID, subject_id: UUID, states: Mapping[UUID, LabelState], decided_at: datetime
) -> None:
    """Save a person's decision about each of these categories."""
    values = {"source": LabelSource.PERSON, "confidence": 1.0, "model_id": None, "decided_at": decided_at}
    await _write(session, owner_id, subject_id, [{"category_id": id, "state": state, **values} for id, state in states.items()])


async def write_labels(
    session: AsyncSession, owner_id: UUID, subject_id: UUID, labels: Iterable[LabelRead | EarlierLabel]
) -> None:
    """Restore labels of a subject that were read earlier."""
    await _write(session, owner_id, subject_id, [label.model_dump(include={"category_id", *_DECISION}) for label in labels])


async def _write(session: AsyncSession, owner_id: UUID, subject_id: UUID, rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        statement = insert(Label).values([{"id": uuid4(), "owner_id": owner_id, "subject_id": subject_id, **row} for row in rows])
        changed = {name: statement.excluded[name] for name in _DECISION}
        await session.execute(statement.on_conflict_do_update(index_elements=_KEY, set_=changed))


async def decided(session: AsyncSession, owner_id: UUID) -> dict[UUID, dict[UUID, str]]:
    """Return the state of each category that a person decided about, by subject, for the latest subjects only."""
    latest = (
        select(Label.subject_id)
        .where(Label.owner_id == owner_id, Label.source == LabelSource.PERSON)
        .group_by(Label.subject_id)
        .order_by(func.max(Label.decided_at).desc(), Label.subject_id)
        .limit(_MAX_EXAMPLES)
    )
    rows = await session.execute(
        select(Label.subject_id, Label.category_id, Label.state)
        .where(Label.owner_id == owner_id, Label.source == LabelSource.PERSON, Label.subject_id.in_(latest))
        .order_by(Label.decided_at, Label.id)
    )
    found: dict[UUID, dict[UUID, str]] = {}
    for subject_id, category_id, state in rows:
        found.setdefault(subject_id, {})[category_id] = state
    return found


async def known_labels(
    session: AsyncSession, owner_id: UUID, subject_ids: Sequence[UUID]
) -> dict[tuple[UUID, UUID], tuple[float, str, str | None]]:
    """Return (confidence, source, model) of each label of these subjects, by subject and category."""
    found: dict[tuple[UUID, UUID], tuple[float, str, str | None]] = {}
    for start in range(0, len(subject_ids), _BATCH):
        rows = await session.execute(
            select(Label.subject_id, Label.category_id, Label.confidence, Label.source, Label.model_id).where(
                Label.owner_id == owner_id, Label.subject_id.in_(subject_ids[start : start + _BATCH])
            )
        )
        found |= {(subject, category): (confidence, source, model) for subject, category, confidence, source, model in rows}
    return found


async def suggest(session: AsyncSession, owner_id: UUID, model_id: str, suggestions: Sequence[tuple[UUID, UUID, float]]) -> None:
    """Save the model's labels (subject, category, confidence), after `lock_additions`. Decisions of people are kept."""
    # Arrays instead of a list of values: compiling thousands of values would block the event loop.
    suggested = (
        func.unnest(
            literal([subject_id for subject_id, _, _ in suggestions], ARRAY(Uuid)),
            literal([category_id for _, category_id, _ in suggestions], ARRAY(Uuid)),
            literal([confidence for _, _, confidence in suggestions], ARRAY(Float)),
        )
        .table_valued("subject_id", "category_id", "confidence")
        .render_derived()
    )
    columns: dict[str, ColumnElement[Any]] = {
        "id": func.gen_random_uuid(),
        "owner_id": literal(owner_id, Uuid),
        "subject_id": suggested.c.subject_id,
        "category_id": suggested.c.category_id,
        "confidence": suggested.c.confidence,
        "state": literal(LabelState.SUGGESTED.value),
        "source": literal(LabelSource.MODEL.value),
        "model_id": literal(model_id),
        "decided_at": literal(now()),
    }
    statement = insert(Label).from_select(list(columns), select(*columns.values()))
    changed = {name: statement.excluded[name] for name in ("confidence", "state", "model_id", "decided_at")}
    await session.execute(
        statement.on_conflict_do_update(index_elements=_KEY, set_=changed, where=Label.source == LabelSource.MODEL)
    )


async def lock_additions(session: AsyncSession, owner_id: UUID) -> None:
    """Until the transaction ends, no other transaction adds labels, or moves a category to the trash or restores one. Call it before
    reading categories to label with, and before locking labels or categories: otherwise, callers could deadlock."""
    await acquire_lock(session, f"labels:{owner_id}")


async def withdraw_suggestions(session: AsyncSession, owner_id: UUID, labels: Sequence[tuple[UUID, UUID]]) -> None:
    """Remove labels of the model (subject, category)."""
    for start in range(0, len(labels), _BATCH):
        await session.execute(
            delete(Label).where(
                Label.owner_id == owner_id,
                Label.source == LabelSource.MODEL,
                tuple_(Label.subject_id, Label.category_id).in_(labels[start : start + _BATCH]),
            )
        )


async def forget_subjects(session: AsyncSession, subject_ids: Sequence[UUID]) -> None:
    for start in range(0, len(subject_ids), _BATCH):
        await session.execute(delete(Label).where(Label.subject_id.in_(subject_ids[start : start + _BATCH])))


def _labels(owner_id: UUID) -> Select[Label, Category]:
    return (
        select(Label, Category)
        .join(Category, Category.id == Label.category_id)
        .where(Label.owner_id == owner_id)
        .execution_options(populate_existing=True)
    )


def _label_read(label: Label, category: Category) -> LabelRead:
    return LabelRead(
        subject_id=label.subject_id,
        category_id=category.id,
        category_name=category.name,
        color=CategoryColor(category.color),
        confidence=label.confidence,
        state=LabelState(label.state),
        source=LabelSource(label.source),
        model_id=label.model_id,
        decided_at=label.decided_at,
    )
