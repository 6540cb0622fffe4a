"""Categories of workspaces, and the labels of subjects.

A subject is an id with its words and a vector. Only the package that owns it knows what it stands for, such as an opportunity: the
hook `label_subjects` returns which ids exist, and `current_subjects` which of them still need a decision.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, ScalarSelect, Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.activity.schemas import Subject as ActivitySubject
from fundwright.categories import classifier, repository
from fundwright.categories.classifier import Classifier, Description, Example, Floats, Subject
from fundwright.categories.models import Category, Label
from fundwright.categories.schemas import (
    LOW,
    MAX_NAME_CHARACTERS,
    CategoryChange,
    CategoryColor,
    CategoryCreate,
    CategoryRead,
    Classified,
    CountedCategory,
    EarlierLabel,
    LabelRead,
    LabelSource,
    LabelState,
    SuggestionQuery,
)
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.json_values import JsonObject
from fundwright.core.live import publish
from fundwright.core.messages import later, nlater, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.trash import service as trash

SubjectReader = Callable[[AsyncSession, Actor, Collection[UUID]], Awaitable[Collection[UUID]]]
"""Returns which of these ids are subjects that the actor may categorize. They cannot be removed until the transaction ends."""

CurrentSubjects = Callable[[Actor], Select[UUID]]
"""Ids of subjects that still need a decision, as a subquery."""

DecisionHandler = Callable[[AsyncSession, Actor, Core], Awaitable[None]]
"""Called in the transaction of a decision about a label, or of a new or changed category text."""

CATEGORY = "category"
"""The kind of categories in the trash and in activity."""

CREATED = ActivityKind("category.created", later("Category created"), later("{person} created the category “{subject}”"))
RENAMED = ActivityKind(
    "category.renamed", later("Category renamed"), later("{person} renamed the category “{before}” to “{subject}”")
)
ACCEPTED = ActivityKind(
    "category.accepted",
    later("Opportunities categorized"),
    nlater("{person} put {n} opportunity in “{subject}”", "{person} put {n} opportunities in “{subject}”", 1),
    combining=Combining.DAILY,
)
DISMISSED = ActivityKind(
    "category.dismissed",
    later("Suggestions dismissed"),
    nlater("{person} dismissed {n} suggestion for “{subject}”", "{person} dismissed {n} suggestions for “{subject}”", 1),
    combining=Combining.DAILY,
)

_SAME_CONFIDENCE = 1e-3
_MIN_CONFIDENCE = 0.1
"""The minimum probability for keeping a subject's most confident category, which is shown on request. Others are kept from the band
"low" up."""


class DecidedSince(Conflict):
    """The decision to undo is no longer the latest one."""

    def __init__(self) -> None:
        super().__init__(t("The category of this notice has changed since then. Reload the page to see the current one."))


class CategoryChangedMeanwhile(Conflict):
    """The category has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("This category has been changed since you opened it. Copy your text, then reload the page."))


class NameTaken(Conflict):
    """A workspace cannot have two categories with the same name, ignoring case."""

    def __init__(self, name: str) -> None:
        super().__init__(t("You already have a category named “{name}”. Choose another name, or use that one.", name=name))


class CategoriesChanged(Conflict):
    """A category was added, deleted, or edited, or the model has changed, since the phrases were embedded."""

    def __init__(self) -> None:
        super().__init__(t("A category changed while notices were being categorized. Try again."))


def categories_topic(owner_id: UUID) -> str:
    """The live topic of every change of a workspace's categories and labels."""
    return f"categories:{owner_id}"


@needs(Permission.READ)
async def list_categories(session: AsyncSession, actor: Actor) -> list[CategoryRead]:
    """Return the actor's categories by name."""
    return await repository.list_all(session, actor.workspace_id)


@needs(Permission.READ)
async def list_counted(session: AsyncSession, actor: Actor, core: Core) -> list[CountedCategory]:
    """Return the actor's categories by name, each with the number of its examples and of the suggestions that `list_suggestions`
    lists for it."""
    return await repository.list_counted(session, actor.workspace_id, _current(actor, core))


def _current(actor: Actor, core: Core) -> list[Select[UUID]]:
    """The ids of subjects that still need a decision."""
    current: list[CurrentSubjects] = core.plugins.collect("current_subjects")
    return [subjects(actor) for subjects in current]


@needs(Permission.READ)
async def get_category(session: AsyncSession, actor: Actor, category_id: UUID) -> CategoryRead:
    """Raises NotFound."""
    for category in await repository.list_all(session, actor.workspace_id):
        if category.id == category_id:
            return category
    raise NotFound(t("The category"))


@needs(Permission.LABEL)
async def create(session: AsyncSession, actor: Actor, category: CategoryCreate, *, core: Core | None = None) -> CategoryRead:
    """Add a category. With `core`, subjects are soon sorted into it. Raises NameTaken, or NotAllowed for accounts that can only
    read."""
    added = await _add(session, actor, category, is_sample=False)
    await activity.record(session, actor, CREATED, _subject(added))
    if core is not None:
        await _call_handlers(session, actor, core)
    return added


async def _add(session: AsyncSession, actor: Actor, category: CategoryCreate, *, is_sample: bool) -> CategoryRead:
    if await repository.find_named(session, actor.workspace_id, category.name):
        raise NameTaken(category.name)
    added = Category(
        owner_id=actor.workspace_id,
        name=category.name,
        description=category.description,
        color=category.color,
        is_sample=is_sample,
    )
    session.add(added)
    await session.flush()
    await _announce(session, actor)
    return await get_category(session, actor, added.id)


@needs(Permission.LABEL)
async def change(
    session: AsyncSession, actor: Actor, category_id: UUID, change: CategoryChange, *, core: Core | None = None
) -> CategoryRead:
    """Change name, description, or color. Labels are kept. With `core`, the classifier soon uses a new text, and otherwise the next
    time it runs. Raises NotFound, NameTaken, or CategoryChangedMeanwhile."""
    category = await repository.get(session, actor.workspace_id, category_id, for_update=True)
    if change.based_on is not None and change.based_on != category.changed_at:
        raise CategoryChangedMeanwhile
    before = (category.name, category.description)
    if change.name is not None:
        holder = await repository.find_named(session, actor.workspace_id, change.name)
        if holder is not None and holder.id != category_id:
            raise NameTaken(change.name)
        category.name = change.name
    if change.description is not None:
        category.description = change.description
    if change.color is not None:
        category.color = change.color
    category.changed_at = now()
    await session.flush()
    if category.name != before[0]:
        await activity.record(session, actor, RENAMED, _subject(category), before=before[0], after=category.name)
    await _announce(session, actor)
    if core is not None and (category.name, category.description) != before:
        await _call_handlers(session, actor, core)
    return await get_category(session, actor, category_id)


@needs(Permission.LABEL)
async def delete(session: AsyncSession, actor: Actor, category_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a category with its labels to the trash. Raises NotFound."""
    await repository.lock_additions(session, actor.workspace_id)
    category = await repository.get(session, actor.workspace_id, category_id, for_update=True)
    await trash.put_in(session, actor, CATEGORY, category, title=category.name)
    await repository.clear_label_owner(session, category_id)
    await audit.record(session, "category.deleted", actor=actor, subject=str(category_id), client=client)
    await _announce(session, actor)


@needs(Permission.LABEL)
async def restore_category(session: AsyncSession, actor: Actor, core: Core, category: Category) -> None:
    """Take a category with its labels out of the trash. It is soon sorted into again. Its name gets a number if another category has
    it."""
    await repository.lock_additions(session, actor.workspace_id)
    category.name = await _unused_name(session, actor, category.name)
    await trash.take_out(session, actor, category)
    await repository.restore_label_owner(session, actor.workspace_id, category.id)
    await _announce(session, actor)
    await _call_handlers(session, actor, core)


async def _unused_name(session: AsyncSession, actor: Actor, name: str) -> str:
    free, numbers = name, itertools.count(2)
    while await repository.find_named(session, actor.workspace_id, free) is not None:
        free = f"{name[: MAX_NAME_CHARACTERS - len(' (99999)')]} ({next(numbers)})"
    return free


@needs(Permission.LABEL)
async def remove_sample(session: AsyncSession, actor: Actor, *, client: Client = COMMAND_LINE) -> int:
    """Remove the workspace's sample categories, and return their number."""
    removed = await repository.remove_sample(session, actor.workspace_id)
    await audit.record(session, "sample.deleted", actor=actor, subject="categories", client=client)
    await _announce(session, actor)
    return removed


@needs(Permission.LABEL)
async def restore_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> None:
    """Create the sample categories again, without earlier decisions about them, unless the workspace has some."""
    if not await repository.has_sample(session, actor.workspace_id):
        await add_sample(session, actor, core)
        await audit.record(session, "sample.restored", actor=actor, subject="categories", client=client)
        await _announce(session, actor)
        await _call_handlers(session, actor, core)


@needs(Permission.READ)
def labeled_with(actor: Actor, category_id: UUID | None = None) -> Select[UUID]:
    """Select the ids of subjects in a category (None: in any), as a subquery for filters of other slices."""
    return repository.labeled_with(actor.workspace_id, category_id)


@needs(Permission.READ)
def labels_in(actor: Actor, subject_id: ColumnElement[UUID]) -> ScalarSelect[list[JsonObject] | None]:
    """Select the actor's categories of `subject_id` as JSON that `LabelRead` validates, or NULL: a column for queries of other
    slices."""
    return repository.labels_in(actor.workspace_id, subject_id)


@needs(Permission.READ)
async def labels_of(session: AsyncSession, actor: Actor, subject_ids: Sequence[UUID]) -> dict[UUID, list[LabelRead]]:
    """Return the labels of each of these subjects that has any, most confident first, including rejected and uncertain ones."""
    return await repository.labels_of(session, actor.workspace_id, subject_ids)


@needs(Permission.READ)
async def refuse_unknown_category(session: AsyncSession, actor: Actor, query: SuggestionQuery) -> None:
    """Raise Invalid for a category that there is not."""
    if query.category_id:
        refuse_unknown_values(query, category_id=[category.id for category in await list_categories(session, actor)])


@needs(Permission.READ)
async def list_suggestions(session: AsyncSession, actor: Actor, core: Core, query: SuggestionQuery) -> Page[LabelRead]:
    """Return the most confident suggestion of each current subject, most confident first (`sort="confidence"`: least confident
    first)."""
    among = None if query.is_all else _current(actor, core)
    items, total = await repository.page_of_suggestions(session, actor.workspace_id, query, among)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def list_examples(session: AsyncSession, actor: Actor, category_id: UUID, request: PageRequest) -> Page[LabelRead]:
    """Return what people have put in this category, newest first. Raises NotFound."""
    await repository.get(session, actor.workspace_id, category_id)
    items, total = await repository.page_of_examples(session, actor.workspace_id, category_id, request)
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def export_categories(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[str]:
    """Yield the actor's categories as lines of CSV."""
    columns: list[tuple[str, Callable[[CountedCategory], object]]] = [
        (t("Name"), lambda category: category.name),
        (t("Description"), lambda category: category.description),
        (t("Accepted"), lambda category: category.accepted),
        (t("Suggested"), lambda category: category.suggested),
        (t("Sample"), lambda category: category.is_sample),
        (t("Created"), lambda category: category.created_at),
    ]
    async for line in csv_lines(columns, await list_counted(session, actor, core)):
        yield line


@needs(Permission.READ)
def export_suggestions(session: AsyncSession, actor: Actor, core: Core, query: SuggestionQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return _labels(iterate_all(lambda page: list_suggestions(session, actor, core, page), query))


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
            (t("Confidence level"), lambda label: label.band),
            (t("Status"), lambda label: label.state),
            (t("When"), lambda label: label.decided_at),
        ],
        found,
    )


@needs(Permission.LABEL)
async def accept(session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, category_id: UUID) -> LabelRead:
    """Accept the category for the subject, in addition to others. Raises NotFound."""
    return await _decide_one(session, actor, core, subject_id, category_id, LabelState.ACCEPTED)


@needs(Permission.LABEL)
async def reject(session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, category_id: UUID) -> LabelRead:
    """Reject the category for the subject. Raises NotFound."""
    return await _decide_one(session, actor, core, subject_id, category_id, LabelState.REJECTED)


@needs(Permission.LABEL)
async def correct(session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, category_id: UUID | None) -> list[LabelRead]:
    """Set the right category instead of the suggested ones, or, with None, decide that none is right. Raises NotFound.

    Returns the labels of the subject. Categories that a person accepted before are kept, unless none is right.
    """
    await _require_subject(session, actor, core, subject_id)
    labels = await repository.lock_labels(session, actor.workspace_id, subject_id)
    known = await repository.list_for_classifier(session, actor.workspace_id)
    if category_id is None:
        states = {category.id: LabelState.REJECTED for category in known}
    else:
        await repository.get(session, actor.workspace_id, category_id)
        states = {label.category_id: LabelState.REJECTED for label in labels if label.state == LabelState.SUGGESTED}
        states[category_id] = LabelState.ACCEPTED
    await _decide(session, actor, core, subject_id, labels, states, known)
    return (await repository.labels_of(session, actor.workspace_id, [subject_id])).get(subject_id, [])


@needs(Permission.LABEL)
async def remove_example(session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, category_id: UUID) -> None:
    """Delete a decision about a subject and a category. The model may suggest the category again. Raises NotFound."""
    labels = await repository.lock_labels(session, actor.workspace_id, subject_id)
    label = next((label for label in labels if label.category_id == category_id), None)
    if label is None or label.source != LabelSource.PERSON:
        raise NotFound(t("The example"))
    await session.delete(label)
    await session.flush()
    await _decided(session, actor, core)


@needs(Permission.LABEL)
async def restore(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    subject_id: UUID,
    *,
    decided_at: datetime | None,
    before: Sequence[LabelRead | EarlierLabel],
) -> None:
    """Undo the decision made at `decided_at` by restoring the labels in `before`. With None, undo the removal of labels that are
    missing now.

    Raises DecidedSince if the labels have changed again, and NotFound if the subject or a category of `before` has been deleted.
    """
    await _require_subject(session, actor, core, subject_id)
    labels = await repository.lock_labels(session, actor.workspace_id, subject_id)
    decisions = {label.category_id: label.decided_at for label in labels if label.source == LabelSource.PERSON}
    earlier = {label.category_id: label for label in before}
    if decided_at is None:
        changed = earlier.keys() - decisions.keys()
    else:
        changed = {category_id for category_id, moment in decisions.items() if moment == decided_at}
    if not changed:
        raise DecidedSince
    states = {label.category_id: label.state for label in labels if label.category_id in changed}
    for label in labels:
        if label.category_id in changed - earlier.keys():
            await session.delete(label)
    await session.flush()
    for category_id in sorted(changed):
        category = await repository.get(session, actor.workspace_id, category_id)
        state = earlier[category_id].state if category_id in earlier else None
        if category_id in states and (kind := _activity_of(state, states[category_id])):
            await activity.take_back(session, actor, kind, _subject(category), related=[subject_id])
    restored = changed & earlier.keys()
    await repository.write_labels(session, actor.workspace_id, subject_id, [earlier[category_id] for category_id in restored])
    await _decided(session, actor, core)


@needs(Permission.LABEL)
async def list_phrases_to_embed(session: AsyncSession, actor: Actor, *, model_id: str) -> dict[UUID, list[str]]:
    """Return the phrases of each category whose text or model has changed. Embed them, and pass the vectors to
    `set_prototypes`."""
    found: dict[UUID, list[str]] = {}
    for category in await repository.list_for_classifier(session, actor.workspace_id):
        phrases = classifier.phrases_of(category.name, category.description)
        if category.prototype_key != _prototype_key(phrases, model_id):
            found[category.id] = phrases
    return found


@needs(Permission.LABEL)
async def set_prototypes(
    session: AsyncSession,
    actor: Actor,
    phrases: Mapping[UUID, list[str]],
    vectors: Iterable[NDArray[np.float32]],
    *,
    model_id: str,
) -> None:
    """Store the vectors of all `phrases`, given as one sequence. A category whose text has changed in the meantime stays outdated."""
    left = iter(vectors)
    packed = {category_id: b"".join(_pack(next(left)) for _ in texts) for category_id, texts in phrases.items()}
    for category in await repository.list_for_classifier(session, actor.workspace_id):
        if category.id in packed:
            category.prototype = packed[category.id]
            category.prototype_key = _prototype_key(phrases[category.id], model_id)
    await session.flush()


@dataclass(frozen=True)
class Lesson:
    """The training data: the categories, each with the key of the embedded text, and people's decisions."""

    model_id: str
    keys: dict[UUID, str]
    descriptions: list[Description]
    decided: dict[UUID, dict[UUID, str]]


@needs(Permission.LABEL)
async def read_lesson(session: AsyncSession, actor: Actor, *, model_id: str) -> Lesson:
    """Raises CategoriesChanged unless `set_prototypes` has stored the vectors for the result of `list_phrases_to_embed`."""
    found = await repository.list_for_classifier(session, actor.workspace_id)
    descriptions = [_description(category, model_id) for category in found]
    keys = {category.id: category.prototype_key or "" for category in found}
    return Lesson(model_id, keys, descriptions, await repository.decided(session, actor.workspace_id))


def learn(lesson: Lesson, examples: Mapping[UUID, Subject], others: Sequence[Subject]) -> Classifier:
    """Train on the lesson's decided subjects in `examples`, and on `others`, which are undecided. Takes seconds for thousands of
    them: call it in `core.computing`."""
    learned = [Example(examples[id], _verdicts(lesson, states)) for id, states in lesson.decided.items() if id in examples]
    return Classifier(lesson.descriptions, learned, others)


def _verdicts(lesson: Lesson, states: Mapping[UUID, str]) -> list[int]:
    """Accepting one category implies that the undecided others are wrong."""
    undecided = -1 if LabelState.ACCEPTED in states.values() else 0
    points = {LabelState.ACCEPTED: 1, LabelState.REJECTED: -1}
    return [points[LabelState(states[id])] if id in states else undecided for id in lesson.keys]


@needs(Permission.LABEL)
async def suggest(
    session: AsyncSession, actor: Actor, lesson: Lesson, subject_ids: Sequence[UUID], probabilities: Floats
) -> Classified:
    """Suggest categories for each subject by their probabilities, (subjects, categories of the lesson). Decisions of people are
    kept.

    Repeating a call without changes changes nothing. Raises CategoriesChanged if the categories are no longer those of the lesson.
    """
    await repository.lock_additions(session, actor.workspace_id)
    current = await repository.list_for_classifier(session, actor.workspace_id)
    if {category.id: category.prototype_key or "" for category in current} != lesson.keys:
        raise CategoriesChanged
    known = await repository.known_labels(session, actor.workspace_id, subject_ids)
    category_ids = list(lesson.keys)
    changed: list[tuple[UUID, UUID, float]] = []
    withdrawn: list[tuple[UUID, UUID]] = []
    numbers = dict.fromkeys(Classified.model_fields, 0)
    for subject_id, row in zip(subject_ids, probabilities.tolist(), strict=True):
        before = {id: known[subject_id, id] for id in category_ids if (subject_id, id) in known}
        decided = {id for id, (_, source, _) in before.items() if source == LabelSource.PERSON}
        suggested = _suggested(dict(zip(category_ids, row, strict=True)), decided)
        news = [
            (subject_id, id, probability)
            for id, probability in suggested.items()
            if id not in before or abs(before[id][0] - probability) >= _SAME_CONFIDENCE or before[id][2] != lesson.model_id
        ]
        gone = [(subject_id, id) for id in before.keys() - decided - suggested.keys()]
        changed += news
        withdrawn += gone
        if len(decided) == len(category_ids):
            numbers["kept"] += 1
        elif news or gone:
            numbers["labeled" if suggested else "abstained"] += 1
        else:
            numbers["unchanged" if suggested else "abstained"] += 1
    await repository.suggest(session, actor.workspace_id, lesson.model_id, changed)
    await repository.withdraw_suggestions(session, actor.workspace_id, withdrawn)
    if changed or withdrawn:
        await _announce(session, actor)
    return Classified(**numbers)


def _suggested(probabilities: Mapping[UUID, float], decided: Collection[UUID]) -> dict[UUID, float]:
    best = max(probabilities, key=probabilities.__getitem__, default=None)
    return {
        id: probability
        for id, probability in probabilities.items()
        if id not in decided and (probability >= LOW or (id == best and probability >= _MIN_CONFIDENCE))
    }


async def forget_subjects(session: AsyncSession, subject_ids: Sequence[UUID]) -> None:
    """Delete every workspace's labels of subjects that no longer exist."""
    async with across_workspaces(session, "deletion forever"):
        await repository.forget_subjects(session, subject_ids)


@needs(Permission.READ)
async def add_sample(session: AsyncSession, actor: Actor, _core: Core) -> None:
    """Give a new account four sample categories."""
    for name, description, color in SAMPLE_CATEGORIES:
        await _add(session, actor, CategoryCreate(name=name, description=description, color=color), is_sample=True)


SAMPLE_CATEGORIES = (
    (
        "Health and biomedical research",
        "Studies of disease, diagnosis, treatment and prevention; clinical trials, medical research grants, public health.",
        CategoryColor.PURPLE,
    ),
    (
        "Information technology",
        "Software, cloud hosting, cyber security, data systems, help desk, networks and computer equipment.",
        CategoryColor.BLUE,
    ),
    (
        "Construction and facilities",
        "Building, renovation, roofing, paving, heating and cooling, maintenance and repair of buildings and grounds.",
        CategoryColor.ORANGE,
    ),
    (
        "Environment and energy",
        "Climate, water quality, conservation, habitat restoration, clean-up of pollution, renewable energy.",
        CategoryColor.GREEN,
    ),
)


async def _require_subject(session: AsyncSession, actor: Actor, core: Core, subject_id: UUID) -> None:
    """Call it before locking any label, because removing a subject locks the subject first and then its labels. Raises NotFound."""
    readers: list[SubjectReader] = core.plugins.collect("label_subjects")
    for existing in readers:
        if subject_id in await existing(session, actor, [subject_id]):
            return
    raise NotFound(t("The opportunity"))


async def _decide_one(
    session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, category_id: UUID, state: LabelState
) -> LabelRead:
    await _require_subject(session, actor, core, subject_id)
    labels = await repository.lock_labels(session, actor.workspace_id, subject_id)
    category = await repository.get(session, actor.workspace_id, category_id)
    await _decide(session, actor, core, subject_id, labels, {category_id: state}, [category])
    labels = (await repository.labels_of(session, actor.workspace_id, [subject_id]))[subject_id]
    return next(label for label in labels if label.category_id == category_id)


async def _decide(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    subject_id: UUID,
    labels: Sequence[Label],
    states: Mapping[UUID, LabelState],
    known: Iterable[Category],
) -> None:
    """`labels` are those from before, and `known` has at least the categories of `states`."""
    before = {label.category_id: label.state for label in labels}
    await repository.decide(session, actor.workspace_id, subject_id, states, now())
    for category in sorted(known, key=lambda category: category.id):  # in the same order everywhere: each one takes a lock
        if category.id in states and (kind := _activity_of(before.get(category.id), states[category.id])):
            await activity.record(session, actor, kind, _subject(category), related=[subject_id])
    await _decided(session, actor, core)


def _activity_of(before: str | None, state: str) -> ActivityKind | None:
    if state == before:
        return None
    if state == LabelState.ACCEPTED:
        return ACCEPTED
    return DISMISSED if before is not None else None


def path_of(category: Category | CategoryRead) -> str:
    """The path of the page that shows the category."""
    return f"/dashboard/category?of={category.id}"


def _subject(category: Category | CategoryRead) -> ActivitySubject:
    return ActivitySubject(CATEGORY, category.id, category.name, path_of(category))


async def _decided(session: AsyncSession, actor: Actor, core: Core) -> None:
    await _announce(session, actor)
    await _call_handlers(session, actor, core)


async def _call_handlers(session: AsyncSession, actor: Actor, core: Core) -> None:
    handlers: list[DecisionHandler] = core.plugins.collect("decision_handlers")
    for handler in handlers:
        await handler(session, actor, core)


def _description(category: Category, model_id: str) -> Description:
    """Raises CategoriesChanged if the text or the model has changed."""
    phrases = classifier.phrases_of(category.name, category.description)
    if category.prototype_key != _prototype_key(phrases, model_id):
        raise CategoriesChanged
    vectors = _unpack(category.prototype or b"").reshape(len(phrases), -1)
    return Description(category.name, category.description, vectors)


def _prototype_key(phrases: list[str], model_id: str) -> str:
    return f"{model_id}:{hashlib.sha256(repr(phrases).encode()).hexdigest()[:16]}"


def _pack(vector: NDArray[np.float32]) -> bytes:
    return vector.astype(np.float16).tobytes()


def _unpack(packed: bytes) -> NDArray[np.float32]:
    return np.frombuffer(packed, dtype=np.float16).astype(np.float32)


async def _announce(session: AsyncSession, actor: Actor) -> None:
    await publish(session, categories_topic(actor.workspace_id))
