"""What a person can do with categories, and how subjects get one.

A subject is an id with a vector. What it stands for (an opportunity, say) is known to the package that has it: the hook
`label_subjects` tells which ids exist.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, ScalarSelect, Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import classifier, repository
from fundwright.categories.models import Category
from fundwright.categories.schemas import (
    CategoryChange,
    CategoryCreate,
    CategoryRead,
    Classified,
    Colour,
    EarlierLabel,
    LabelRead,
    LabelSource,
    LabelState,
    SuggestionQuery,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.identity import audit, entry
from fundwright.identity.permissions import needs
from fundwright.identity.schemas import Actor, Client, Permission

SubjectReader = Callable[[AsyncSession, Actor, Collection[UUID]], Awaitable[Collection[UUID]]]
"""Returns which of these ids stand for something that the actor may put into a category. It stays until the transaction ends."""

_SAME_CONFIDENCE = 1e-3


class DecidedSince(Conflict):
    """The decision to undo is no longer the latest one."""

    def __init__(self) -> None:
        super().__init__(t("The category of this notice has changed since then. Reload the page to see the current one."))


class CategoryChangedMeanwhile(Conflict):
    """The category has changed since the edit began."""

    def __init__(self) -> None:
        super().__init__(t("This category has been changed since you opened it. Copy your text, then reload the page."))


class NameTaken(Conflict):
    """Two categories of one account cannot have the same name, capitals aside."""

    def __init__(self, name: str) -> None:
        super().__init__(t("You already have a category named “{name}”. Choose another name, or use that one.", name=name))


class PrototypesOutdated(Conflict):
    """The text of a category, or the model, has changed since its phrases were embedded."""

    def __init__(self) -> None:
        super().__init__(t("A category changed while notices were being sorted. Try again."))


def categories_topic(owner_id: UUID) -> str:
    """Every change of an account's categories and labels."""
    return f"categories:{owner_id}"


@needs(Permission.READ)
async def list_categories(session: AsyncSession, actor: Actor) -> list[CategoryRead]:
    """The actor's categories by name, with what is in each."""
    return await repository.list_with_counts(session, actor.id)


@needs(Permission.READ)
async def get_category(session: AsyncSession, actor: Actor, category_id: UUID) -> CategoryRead:
    """Raises NotFound."""
    for category in await repository.list_with_counts(session, actor.id):
        if category.id == category_id:
            return category
    raise NotFound(t("The category"))


@needs(Permission.LABEL)
async def create(session: AsyncSession, actor: Actor, category: CategoryCreate) -> CategoryRead:
    """Raises NameTaken, or NotAllowed for accounts that only read."""
    return await _add(session, actor, category, is_sample=False)


async def _add(session: AsyncSession, actor: Actor, category: CategoryCreate, *, is_sample: bool) -> CategoryRead:
    if await repository.find_named(session, actor.id, category.name):
        raise NameTaken(category.name)
    added = Category(
        owner_id=actor.id,
        name=category.name,
        description=category.description,
        colour=category.colour,
        is_sample=is_sample,
    )
    session.add(added)
    await session.flush()
    await _announce(session, actor)
    return await get_category(session, actor, added.id)


@needs(Permission.LABEL)
async def change(session: AsyncSession, actor: Actor, category_id: UUID, change: CategoryChange) -> CategoryRead:
    """Rename, describe or recolour. Labels stay; the classifier reads the new text next time. Raises NotFound, NameTaken, CategoryChangedMeanwhile."""
    category = await repository.get(session, actor.id, category_id, for_update=True)
    if change.based_on is not None and change.based_on != category.changed_at:
        raise CategoryChangedMeanwhile
    if change.name is not None:
        holder = await repository.find_named(session, actor.id, change.name)
        if holder is not None and holder.id != category_id:
            raise NameTaken(change.name)
        category.name = change.name
    if change.description is not None:
        category.description = change.description
    if change.colour is not None:
        category.colour = change.colour
    category.changed_at = now()
    await session.flush()
    await _announce(session, actor)
    return await get_category(session, actor, category_id)


@needs(Permission.LABEL)
async def delete(session: AsyncSession, actor: Actor, category_id: UUID, *, client: Client = entry.COMMAND_LINE) -> None:
    """Remove a category and its labels; the subjects stay. Raises NotFound."""
    category = await repository.get(session, actor.id, category_id)
    await session.delete(category)
    await session.flush()
    await audit.record(session, "category.deleted", actor=actor, subject=category.name, client=client)
    await _announce(session, actor)


@needs(Permission.LABEL)
async def remove_sample(session: AsyncSession, actor: Actor, *, client: Client = entry.COMMAND_LINE) -> int:
    """Remove the categories that came with the account; answers how many there were."""
    removed = await repository.remove_sample(session, actor.id)
    await audit.record(session, "sample.deleted", actor=actor, subject="categories", client=client)
    await _announce(session, actor)
    return removed


@needs(Permission.READ)
def labelled_with(actor: Actor, category_id: UUID | None = None) -> Select[UUID]:
    """Ids of the subjects in a category (None: in any), to be used as a sub-query in another slice's filter."""
    return repository.labelled_with(actor.id, category_id)


@needs(Permission.READ)
def label_of(actor: Actor, subject_id: ColumnElement[UUID]) -> ScalarSelect[dict[str, Any] | None]:
    """The actor's label of `subject_id` in a form that `LabelRead` validates, or NULL: a column for the queries of other slices."""
    return repository.label_of(actor.id, subject_id)


@needs(Permission.READ)
async def labels_of(session: AsyncSession, actor: Actor, subject_ids: Sequence[UUID]) -> dict[UUID, LabelRead]:
    """The label of each of these subjects that has one; a rejected one is included."""
    return await repository.labels_of(session, actor.id, subject_ids)


@needs(Permission.READ)
async def list_suggestions(session: AsyncSession, actor: Actor, query: SuggestionQuery) -> Page[LabelRead]:
    """Labels waiting for a person, least sure first (`sort="-confidence"`: surest first)."""
    items, total = await repository.page_of_suggestions(session, actor.id, query)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def list_examples(session: AsyncSession, actor: Actor, category_id: UUID, request: PageRequest) -> Page[LabelRead]:
    """What people put into this category, newest first. Raises NotFound."""
    await repository.get(session, actor.id, category_id)
    items, total = await repository.page_of_examples(session, actor.id, category_id, request)
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def export_categories(session: AsyncSession, actor: Actor) -> AsyncIterator[str]:
    """Yield the actor's categories as lines of CSV."""
    columns: list[tuple[str, Callable[[CategoryRead], object]]] = [
        (t("Name"), lambda category: category.name),
        (t("Description"), lambda category: category.description),
        (t("Accepted"), lambda category: category.accepted),
        (t("Suggested"), lambda category: category.suggested),
        (t("Sample"), lambda category: category.is_sample),
        (t("Created"), lambda category: category.created_at),
    ]
    async for line in csv_lines(columns, await list_categories(session, actor)):
        yield line


@needs(Permission.READ)
def export_suggestions(session: AsyncSession, actor: Actor, query: SuggestionQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return _labels(iterate_all(lambda page: list_suggestions(session, actor, page), query))


@needs(Permission.READ)
def export_examples(session: AsyncSession, actor: Actor, category_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV. Raises NotFound."""
    return _labels(iterate_all(lambda page: list_examples(session, actor, category_id, page), request))


def _labels(found: AsyncIterator[LabelRead]) -> AsyncIterator[str]:
    return csv_lines(
        [
            (t("ID"), lambda label: label.subject_id),
            (t("Category"), lambda label: label.category_name),
            (t("Confidence"), lambda label: label.confidence),
            (t("State"), lambda label: label.state),
            (t("When"), lambda label: label.decided_at),
        ],
        found,
    )


@needs(Permission.LABEL)
async def accept(core: Core, session: AsyncSession, actor: Actor, subject_id: UUID) -> LabelRead:
    """Say that the suggested category is right. Raises NotFound when there is no suggestion, or no such subject any more."""
    await _require_subject(core, session, actor, subject_id)
    label = await repository.find_label(session, actor.id, subject_id)
    if label is None or label.category_id is None:
        raise NotFound(t("The suggestion"))
    return await _decide(session, actor, subject_id, category_id=label.category_id, state=LabelState.ACCEPTED)


@needs(Permission.LABEL)
async def correct(core: Core, session: AsyncSession, actor: Actor, subject_id: UUID, category_id: UUID | None) -> LabelRead:
    """Say which category is right, or with None that none is. The model never overwrites it. Raises NotFound."""
    await _require_subject(core, session, actor, subject_id)
    if category_id is not None:
        await repository.get(session, actor.id, category_id)
        return await _decide(session, actor, subject_id, category_id=category_id, state=LabelState.ACCEPTED)
    label = await repository.find_label(session, actor.id, subject_id)
    was = label.category_id if label else None
    return await _decide(session, actor, subject_id, category_id=was, state=LabelState.REJECTED)


@needs(Permission.LABEL)
async def add_example(core: Core, session: AsyncSession, actor: Actor, category_id: UUID, subject_id: UUID) -> LabelRead:
    """Give a category an example to learn from, which also puts the subject there. Raises NotFound."""
    return await correct(core, session, actor, subject_id, category_id)


@needs(Permission.LABEL)
async def remove_example(session: AsyncSession, actor: Actor, subject_id: UUID) -> None:
    """Take back what a person said of a subject; the model may label it again. Raises NotFound."""
    label = await repository.find_label(session, actor.id, subject_id)
    if label is None or label.source != LabelSource.PERSON:
        raise NotFound(t("The example"))
    await session.delete(label)
    await session.flush()
    await _announce(session, actor)


@needs(Permission.LABEL)
async def restore(
    core: Core,
    session: AsyncSession,
    actor: Actor,
    subject_id: UUID,
    *,
    decided_at: datetime | None,
    before: LabelRead | EarlierLabel | None,
) -> None:
    """Undo the decision made at `decided_at` (None: it removed the label): the subject has the label `before` again, or none.

    Raises DecidedSince when the label has changed again, NotFound when the category of
    `before` or the subject has been deleted.
    """
    if before is not None:
        await _require_subject(core, session, actor, subject_id)
    label = await repository.find_label(session, actor.id, subject_id)
    if (label.decided_at if label else None) != decided_at:
        raise DecidedSince
    if before is not None:
        if before.category_id is not None:
            await repository.get(session, actor.id, before.category_id)
        await repository.write_label(session, actor.id, subject_id, before)
    elif label is not None:
        await session.delete(label)
        await session.flush()
    await _announce(session, actor)


@needs(Permission.READ)
async def examples_lacking_vectors(session: AsyncSession, actor: Actor, *, model_id: str) -> list[UUID]:
    """Subjects a person decided whose vector of this model is not known here. Give them to `supply_vectors`."""
    return await repository.subjects_lacking_vectors(session, actor.id, model_id)


@needs(Permission.LABEL)
async def supply_vectors(
    session: AsyncSession, actor: Actor, vectors: Mapping[UUID, NDArray[np.float32]], *, model_id: str
) -> None:
    """Keep the vectors of decided subjects, so that the classifier learns from them. Other subjects are ignored."""
    packed = {subject: _pack(vector) for subject, vector in vectors.items()}
    await repository.keep_vectors(session, actor.id, model_id, packed)


@needs(Permission.LABEL)
async def list_phrases_to_embed(session: AsyncSession, actor: Actor, *, model_id: str) -> dict[UUID, list[str]]:
    """Phrases of each category whose text or model has changed. Embed them, and pass the vectors to `supply_prototypes`."""
    found: dict[UUID, list[str]] = {}
    for category in await repository.list_for_classifier(session, actor.id):
        phrases = classifier.phrases_of(category.name, category.description)
        if category.prototype_key != _prototype_key(phrases, model_id):
            found[category.id] = phrases
    return found


@needs(Permission.LABEL)
async def supply_prototypes(
    session: AsyncSession,
    actor: Actor,
    phrases: Mapping[UUID, list[str]],
    vectors: Iterable[NDArray[np.float32]],
    *,
    model_id: str,
) -> None:
    """Store the vectors of all `phrases`, given as one sequence. A category whose text has changed since stays outdated."""
    left = iter(vectors)
    packed = {category_id: b"".join(_pack(next(left)) for _ in texts) for category_id, texts in phrases.items()}
    for category in await repository.list_for_classifier(session, actor.id):
        if category.id in packed:
            category.prototype = packed[category.id]
            category.prototype_key = _prototype_key(phrases[category.id], model_id)
    await session.flush()


@needs(Permission.LABEL)
async def classify(
    session: AsyncSession,
    actor: Actor,
    items: Sequence[tuple[UUID, NDArray[np.float32]]],
    *,
    model_id: str,
) -> Classified:
    """Suggest a category for each (subject, unit-length vector of the model), or none when none is sure enough.

    Raises PrototypesOutdated unless `supply_prototypes` was given what `list_phrases_to_embed` asks for. What a person decided is left alone and learned from. Running it twice with nothing changed changes nothing.
    Call it with batches of a few thousand, after `examples_lacking_vectors` / `supply_vectors`.
    """
    if not items:
        return Classified()
    known = await repository.known_labels(session, actor.id, [subject for subject, _ in items])
    decided = {subject for subject, (_, _, source, _) in known.items() if source == LabelSource.PERSON}
    if decided:
        lacking = decided & set(await examples_lacking_vectors(session, actor, model_id=model_id))
        await supply_vectors(
            session, actor, {subject: vector for subject, vector in items if subject in lacking}, model_id=model_id
        )
    open_items = [(subject, vector) for subject, vector in items if subject not in decided]
    categories = await repository.list_for_classifier(session, actor.id)
    guesses = await _guess(session, actor, categories, [vector for _, vector in open_items], model_id)

    changed: list[tuple[UUID, UUID, float]] = []
    withdrawn: list[UUID] = []
    unchanged = abstained = 0
    for (subject, _), guess in zip(open_items, guesses, strict=True):
        before = known.get(subject)
        if guess is None:
            abstained += 1
            if before is not None:
                withdrawn.append(subject)
            continue
        index, confidence = guess
        category_id = categories[index].id
        if (
            before is not None
            and before[0] == category_id
            and abs(before[1] - confidence) < _SAME_CONFIDENCE
            and before[3] == model_id
        ):
            unchanged += 1
        else:
            changed.append((subject, category_id, confidence))
    await repository.suggest(session, actor.id, model_id, changed)
    await repository.withdraw_suggestions(session, actor.id, withdrawn)
    if changed or withdrawn:
        await _announce(session, actor)
    return Classified(labelled=len(changed), unchanged=unchanged, abstained=abstained, kept=len(decided))


async def forget_subjects(session: AsyncSession, subject_ids: Sequence[UUID]) -> None:
    """Drop every account's labels of subjects that no longer exist."""
    await repository.forget_subjects(session, subject_ids)


@needs(Permission.READ)
async def add_sample(_core: Core, session: AsyncSession, actor: Actor) -> None:
    """Give a new account four categories to begin with, marked as sample."""
    for name, description, colour in SAMPLE_CATEGORIES:
        await _add(session, actor, CategoryCreate(name=name, description=description, colour=colour), is_sample=True)


SAMPLE_CATEGORIES = (
    (
        "Health and biomedical research",
        "Studies of disease, diagnosis, treatment and prevention; clinical trials, medical research grants, public health.",
        Colour.RED,
    ),
    (
        "Information technology",
        "Software, cloud hosting, cyber security, data systems, help desk, networks and computer equipment.",
        Colour.BLUE,
    ),
    (
        "Construction and facilities",
        "Building, renovation, roofing, paving, heating and cooling, maintenance and repair of buildings and grounds.",
        Colour.ORANGE,
    ),
    (
        "Environment and energy",
        "Climate, water quality, conservation, habitat restoration, clean-up of pollution, renewable energy.",
        Colour.GREEN,
    ),
)


async def _require_subject(core: Core, session: AsyncSession, actor: Actor, subject_id: UUID) -> None:
    """Call it before any label is locked: removing a subject locks the subject first and then its labels. Raises NotFound."""
    readers: list[SubjectReader] = core.plugins.collect("label_subjects")
    for existing in readers:
        if subject_id in await existing(session, actor, [subject_id]):
            return
    raise NotFound(t("The opportunity"))


async def _decide(
    session: AsyncSession, actor: Actor, subject_id: UUID, *, category_id: UUID | None, state: LabelState
) -> LabelRead:
    await repository.decide(session, actor.id, subject_id, category_id=category_id, state=state)
    await _announce(session, actor)
    return (await repository.labels_of(session, actor.id, [subject_id]))[subject_id]


async def _guess(
    session: AsyncSession,
    actor: Actor,
    categories: list[Category],
    vectors: list[NDArray[np.float32]],
    model_id: str,
) -> list[classifier.Guess | None]:
    if not categories or not vectors:
        return [None] * len(vectors)
    prototypes = [_prototype(category, model_id) for category in categories]
    position = {category.id: index for index, category in enumerate(categories)}
    examples: list[classifier.Example] = []
    for category_id, state, packed in await repository.decided_vectors(session, actor.id, model_id):
        target = None if state == LabelState.REJECTED or category_id is None else position[category_id]
        examples.append((_unpack(packed), target))
    return await asyncio.to_thread(classifier.classify, prototypes, examples, np.stack(vectors))


def _prototype(category: Category, model_id: str) -> NDArray[np.float32]:
    """Embeddings of the category's phrases, (phrases, dimension). Raises PrototypesOutdated when its text or the model changed."""
    phrases = classifier.phrases_of(category.name, category.description)
    if category.prototype_key != _prototype_key(phrases, model_id):
        raise PrototypesOutdated
    return _unpack(category.prototype or b"").reshape(len(phrases), -1)


def _prototype_key(phrases: list[str], model_id: str) -> str:
    return f"{model_id}:{hashlib.sha256(repr(phrases).encode()).hexdigest()[:16]}"


def _pack(vector: NDArray[np.float32]) -> bytes:
    return vector.astype(np.float16).tobytes()


def _unpack(packed: bytes) -> NDArray[np.float32]:
    return np.frombuffer(packed, dtype=np.float16).astype(np.float32)


async def _announce(session: AsyncSession, actor: Actor) -> None:
    await publish(session, categories_topic(actor.id))
