"""The facts of an organization: reading proposes them, and people decide. Drafts use accepted ones first."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID, uuid4, uuid5

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.facts import events, repository
from fundwright.facts.models import OrganizationFact
from fundwright.facts.organization import AcceptedFact, organization_of
from fundwright.facts.repository import Documents
from fundwright.facts.schemas import (
    DraftFact,
    FactCorrection,
    FactCounts,
    FactForm,
    FactQuery,
    FactRead,
    FactState,
    FactVersion,
    Organization,
    cleaned,
    digest_of,
    key_of,
    label_of_field,
    label_of_kind,
    label_of_state,
    status_on,
    title_of,
)
from fundwright.reading.dates import last_day_of
from fundwright.reading.facts import FIELDS, Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import OUR_KINDS
from fundwright.training import samples, searching
from fundwright.training import service as training
from fundwright.training.schemas import PassagePlace, TrainedDocument, label_of
from fundwright.workspaces import additions, restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access

PATH = "/dashboard/workspace/facts"
_MOST_OF_DOCUMENT = 2_000
"""Facts that are proposed of one document. Longer tables are data, not facts about the organization."""
_MOST_ABOUT_ONE = 20
"""Of these, the most about the same thing. More are values of a list."""
_RECORD_CHARACTERS = 4_000
_MANY = 100
"""New facts of a document, after which the statistics of the database are refreshed."""

_REPEATED = UUID("5f3d4c55-1f0b-4f5e-9f5a-2f2f1b2f6f0a")
"""The namespace of ids of facts that may be sent repeatedly."""


class FactsChangedMeanwhile(Conflict):
    """Someone else has decided about a fact, or corrected it, or its document was read again, since it was shown."""

    def __init__(self) -> None:
        super().__init__(t("Someone else has changed some of these facts. Check what the list shows now, and decide again."))


class FactChangedMeanwhile(Conflict):
    """The fact has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("This fact has been changed since you opened it. Copy your text, then open it again."))


def facts_topic(owner_id: UUID) -> str:
    """The live topic of every change of a workspace's facts."""
    return f"facts:{owner_id}"


# Listing


@needs(Permission.READ)
async def list_facts(session: AsyncSession, actor: Actor, query: FactQuery) -> Page[FactRead]:
    """Return facts of the actor's organization."""
    found, total = await repository.page(session, actor.workspace_id, query, await _documents(session, actor))
    return Page(items=await _read(session, actor, found), total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_facts(session: AsyncSession, actor: Actor, core: Core, query: FactQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[FactRead], object]]] = [
        (t("Kind"), lambda fact: label_of_kind(fact.kind)),
        *((label_of_field(field), _value_of(field)) for field in FactField),
        (t("Status"), lambda fact: fact.status.label),
        (t("Decision"), lambda fact: label_of_state(fact.state)),
        (t("Corrected"), lambda fact: fact.is_corrected),
        (t("Document"), lambda fact: fact.document),
        (t("Page"), lambda fact: fact.page_label or fact.page),
        (t("Text in the document"), lambda fact: fact.record),
        (t("Decided by"), lambda fact: fact.decided_by),
        (t("Decided"), lambda fact: fact.decided_at),
        (t("Link"), lambda fact: f"{core.settings.address}{fact.path}" if fact.path else ""),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_facts(session, actor, page), query))


def _value_of(field: FactField) -> Callable[[FactRead], object]:
    return lambda fact: fact.values.get(field, "")


@needs(Permission.READ)
async def list_everything(session: AsyncSession, actor: Actor) -> list[FactRead]:
    """Return every fact that is kept and that the actor may see, also proposals that no list shows."""
    return await _read(session, actor, [(fact, False) for fact in await repository.list_all(session, actor.workspace_id)])


@needs(Permission.READ)
async def get_fact(session: AsyncSession, actor: Actor, fact_id: UUID) -> FactRead:
    """Raises NotFound."""
    found = await repository.get(session, actor.workspace_id, fact_id, await _documents(session, actor))
    return (await _read(session, actor, [found]))[0]


@needs(Permission.READ)
async def count_facts(session: AsyncSession, actor: Actor) -> FactCounts:
    """Count the facts that the actor sees."""
    return await repository.count(session, actor.workspace_id, await _documents(session, actor))


@needs(Permission.READ)
async def for_drafts(session: AsyncSession, actor: Actor, document_ids: Collection[UUID] | None = None) -> list[DraftFact]:
    """Return the current facts that a draft of the actor may use: accepted ones first, and then those that documents of ours propose, each
    once. If documents are given, only these, and their newer versions, propose any and can be cited.

    Of facts that were rejected, and of those that disagree with an accepted one, there are none. There are none of restricted documents that
    cannot be cited either, because more people read the draft. An accepted fact that is not current, such as an
    expired certification, is not returned either, nor what disagrees with it.
    """
    documents = Documents(
        await searching.searched(session, actor, document_ids=document_ids, kinds=OUR_KINDS), samples.samples(actor)
    )
    return [
        DraftFact(
            id=fact.id,
            kind=FactKind(fact.kind),
            values=_values(fact.kind, fact.values),
            is_accepted=fact.state == FactState.ACCEPTED,
            is_corrected=fact.is_corrected,
            is_disputed=is_disputed,
            document_id=fact.document_id if is_citable else None,
            passage_id=fact.passage_id if is_citable else None,
            start=fact.start if is_citable else None,
            end=fact.end if is_citable else None,
            heading=fact.heading if is_citable else (),
            page=fact.page if is_citable else None,
            is_restricted=is_restricted,
        )
        for fact, is_disputed, is_searched, is_restricted in await repository.for_drafts(
            session, actor.workspace_id, documents, restricted=restrictions.restricted_ids(actor.workspace_id)
        )
        for is_citable in [is_searched and fact.start is not None]
        if (is_citable or not is_restricted) and _status(fact) is FactStatus.CURRENT
    ]


@needs(Permission.READ)
async def get_organization(session: AsyncSession, actor: Actor) -> Organization:
    """Return what the accepted facts that the actor sees state in a form that can be compared. Of several values, the latest decision counts."""
    accepted = await repository.list_accepted(session, actor.workspace_id, await _documents(session, actor))
    return organization_of(AcceptedFact(FactKind(fact.kind), fact.values, _status(fact)) for fact in accepted)


# Deciding


@needs(Permission.WORK)
async def decide(session: AsyncSession, actor: Actor, facts: Sequence[FactVersion], decision: FactState) -> list[FactVersion]:
    """Accept or reject facts, or take earlier decisions back: then they are as their documents state them. Those that are already decided in
    this way, and whose document states their values, stay as they are. Returns what was decided, for another decision.

    Raises FactsChangedMeanwhile (409) without deciding any if one was changed or removed since it was read, or NotAllowed if the actor may
    only view a document that states one.
    """
    known = {fact.id: fact for fact in await repository.lock(session, actor.workspace_id, [each.id for each in facts])}
    changing: list[OrganizationFact] = []
    for each in facts:
        fact = known.get(each.id)
        is_changed = fact is not None and fact.changed_at != each.based_on
        if fact is None or (is_changed and (fact.state != decision or fact.read_values is not None)):
            raise FactsChangedMeanwhile
        if fact.state != decision:
            changing.append(fact)
    await _require_edit(session, actor, changing)
    for fact in changing:
        _decide(fact, actor, decision)
        if decision is FactState.PROPOSED and fact.read_values is not None:
            fact.values, fact.status = fact.read_values, fact.read_status or FactStatus.CURRENT
            fact.read_values = fact.read_status = None
            fact.key = key_of(FactKind(fact.kind), fact.values)
    if changing:
        await _changed(session, actor, events.DECIDED)
    return [FactVersion(id=fact.id, based_on=fact.changed_at) for fact in changing]


@needs(Permission.WORK)
async def correct(session: AsyncSession, actor: Actor, fact_id: UUID, correction: FactCorrection) -> FactRead:
    """Accept a fact with other values, and keep what its document states beside them. Raises NotFound, Invalid without a value, NotAllowed if the
    actor may only view its document, or FactChangedMeanwhile (409)."""
    fact = next(iter(await repository.lock(session, actor.workspace_id, [fact_id])), None)
    if fact is None:
        raise NotFound(t("The fact"))
    kind = FactKind(fact.kind)
    values = cleaned(kind, correction.values)
    _require_valid(values)
    is_as_wanted = (fact.values, fact.status, fact.state) == (values, correction.status, FactState.ACCEPTED)
    if is_as_wanted:  # also if a request is repeated
        return await get_fact(session, actor, fact_id)
    await _require_edit(session, actor, [fact])
    if correction.based_on != fact.changed_at:
        raise FactChangedMeanwhile
    read = (fact.read_values or fact.values, fact.read_status or fact.status)
    is_corrected = not fact.is_added and read != (values, correction.status)
    fact.read_values, fact.read_status = read if is_corrected else (None, None)
    fact.values, fact.status, fact.key = values, correction.status, key_of(kind, values)
    if fact.is_added:
        fact.digest = digest_of(kind, values, correction.status)
    _decide(fact, actor, FactState.ACCEPTED)
    await _changed(session, actor, events.CORRECTED)
    return await get_fact(session, actor, fact_id)


async def _require_edit(session: AsyncSession, actor: Actor, facts: Iterable[OrganizationFact]) -> None:
    for document_id in await _view_only_ids(session, actor, facts):
        await restrictions.require(session, actor, document_id)


async def _view_only_ids(session: AsyncSession, actor: Actor, facts: Iterable[OrganizationFact]) -> set[UUID]:
    """Return those of the documents that state facts that the actor may only view."""
    access = await restrictions.access_to(session, actor, {fact.document_id for fact in facts if fact.document_id is not None})
    return {id for id, granted in access.items() if granted is not Access.EDIT}


def _decide(fact: OrganizationFact, actor: Actor, decision: FactState) -> None:
    fact.state, fact.changed_at = decision, now()
    fact.decided_by, fact.decided_at = (None, None) if decision is FactState.PROPOSED else (actor.id, fact.changed_at)


@needs(Permission.WORK)
async def add_fact(session: AsyncSession, actor: Actor, form: FactForm) -> FactRead:
    """Add an accepted fact that no document states. Raises Invalid without a value."""
    values, added_at = cleaned(form.kind, form.values), now()
    _require_valid(values)
    id = uuid5(_REPEATED, f"{actor.workspace_id} {actor.id} {form.model_dump_json()}") if form.key else uuid4()
    is_new = await repository.add(
        session,
        {
            "id": id,
            "owner_id": actor.workspace_id,
            "kind": form.kind,
            "key": key_of(form.kind, values),
            "digest": digest_of(form.kind, values, form.status),
            "values": values,
            "status": form.status,
            "state": FactState.ACCEPTED,
            "is_added": True,
            "created_by": actor.id,
            "created_at": added_at,
            "decided_by": actor.id,
            "decided_at": added_at,
            "changed_at": added_at,
        },
    )
    if is_new:
        await additions.count(session, actor, OrganizationFact.owner_id, OrganizationFact.is_added.is_(True), refusal=_too_many())
        await _changed(session, actor, events.ADDED)
    return await get_fact(session, actor, id)


def _require_valid(values: Mapping[FactField, str]) -> None:
    """Raises Invalid if there is no value, or if something expires on what is no date."""
    if not values:
        raise Invalid(t("Enter at least one value."))
    if (expires := values.get(FactField.EXPIRES)) and last_day_of(expires) is None:
        raise Invalid(t("Enter a date such as 06/30/2027 for the expiry, or leave it empty."))


def _too_many() -> str:
    return t(
        "A workspace can have at most {most} facts that people added. Delete some that are no longer needed.",
        most=number(additions.MOST_ADDED),
    )


@needs(Permission.WORK)
async def delete_fact(session: AsyncSession, actor: Actor, fact_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Delete a fact that a person added, or whose document is deleted, for good. Raises NotFound, or Conflict if a document states it."""
    fact = next(iter(await repository.lock(session, actor.workspace_id, [fact_id])), None)
    if fact is None:
        raise NotFound(t("The fact"))
    if fact.document_id is not None:
        raise Conflict(t("A document states this fact. Reject it instead, so that it is not proposed again."))
    await repository.remove(session, [fact_id])
    await audit.record(session, "fact.deleted", actor=actor, subject=str(fact_id), client=client)
    await _changed(session, actor, events.DELETED)


async def _changed(session: AsyncSession, actor: Actor, kind: ActivityKind) -> None:
    await session.flush()
    await activity.record(session, actor, kind, Subject("facts", actor.workspace_id, "", PATH))
    await publish(session, facts_topic(actor.workspace_id))


# Following documents


async def propose(session: AsyncSession, document: TrainedDocument) -> None:
    """Propose what a document states that was just read. Facts that it stated before keep their ids and what people decided; proposals
    that it no longer states are removed."""
    earlier = {fact.digest: fact for fact in await repository.lock_of_document(session, document.owner_id, document.id)}
    stated, about = dict[str, _Stated](), Counter[tuple[str, str]]()
    for each in document.facts:
        values = cleaned(each.kind, each.values)
        digest, subject = digest_of(each.kind, values, each.status), (each.kind, key_of(each.kind, values))
        if values and digest not in stated and len(stated) < _MOST_OF_DOCUMENT and about[subject] < _MOST_ABOUT_ONE:
            stated[digest] = _Stated(each, values)
            about[subject] += 1
    for digest, (fact, values) in stated.items():
        known = earlier.get(digest)
        if known is None:
            known = OrganizationFact(
                owner_id=document.owner_id,
                document_id=document.id,
                kind=fact.kind,
                key=key_of(fact.kind, values),
                digest=digest,
                values=values,
                status=fact.status,
            )
            session.add(known)
        _place(known, fact, document)
    gone = [fact for digest, fact in earlier.items() if digest not in stated]
    for fact in gone:
        fact.passage_id = fact.passage_start = fact.start = fact.end = None
    await session.flush()
    await repository.remove(session, [fact.id for fact in gone if fact.state == FactState.PROPOSED])
    if len(stated.keys() - earlier.keys()) >= _MANY:
        await repository.refresh_statistics(session)
    await publish(session, facts_topic(document.owner_id))


class _Stated(NamedTuple):
    fact: Fact
    values: dict[FactField, str]


def _place(known: OrganizationFact, fact: Fact, document: TrainedDocument) -> None:
    """Keep where a fact is stated."""
    known.start, known.end = fact.start, fact.end
    known.record = document.text[fact.start : fact.end][:_RECORD_CHARACTERS]
    passage = _passage_at(document.passages, fact.start)
    known.passage_id = known.passage_start = known.page = None
    known.heading = ()
    if passage is not None:
        known.passage_id, known.passage_start = passage.id, passage.start
        known.heading, known.page = passage.place_at(fact.start - passage.start)


def _passage_at(passages: Sequence[PassagePlace], offset: int) -> PassagePlace | None:
    """Return the last passage that contains a character. Passages overlap, and what begins in one may continue in the next."""
    place = bisect_right(passages, offset, key=lambda passage: passage.start)
    return passages[place - 1] if place and offset < passages[place - 1].end else None


async def forget_documents(session: AsyncSession, document_ids: Collection[UUID]) -> None:
    """Remove what documents state that this transaction deletes. Accepted facts stay, but not those of restricted documents, which
    everyone would see, and of sample documents."""
    sample_ids = await samples.sample_ids_among(session, document_ids)
    for owner_id in await repository.list_owners(session, document_ids):
        restricted = restrictions.restricted_ids(owner_id)
        fact = OrganizationFact
        wholly = fact.document_id.in_(restricted) | fact.document_id.in_(sample_ids)
        await repository.forget_documents(session, owner_id, document_ids, wholly=wholly)
        await publish(session, facts_topic(owner_id))


async def _documents(session: AsyncSession, actor: Actor) -> Documents:
    return Documents(await searching.searched(session, actor), samples.samples(actor))


def _status(fact: OrganizationFact) -> FactStatus:
    return status_on(now().date(), fact.values, FactStatus(fact.status))


def _values(kind: str, stored: Mapping[FactField, str]) -> dict[FactField, str]:
    """The values of a fact in the order of people."""
    return {field: stored[field] for field in FIELDS[FactKind(kind)] if field in stored}


def _path_of(fact: OrganizationFact) -> str:
    """The path of the page that shows the record in the document."""
    assert fact.document_id is not None
    if fact.passage_id is None or fact.passage_start is None or fact.start is None or fact.end is None:
        return f"/dashboard/train/{fact.document_id}"
    record = (fact.start - fact.passage_start, fact.end - fact.passage_start)
    return training.path_of_passage(fact.document_id, fact.passage_id, (record,))


async def _read(session: AsyncSession, actor: Actor, facts: Iterable[tuple[OrganizationFact, bool]]) -> list[FactRead]:
    found = list(facts)
    document_ids = {fact.document_id for fact, _ in found if fact.document_id is not None}
    titles = await training.titles_of(session, actor, document_ids)
    labels = await training.page_labels_of(session, actor, document_ids)
    names = await workspaces.names_of(session, actor, {fact.decided_by for fact, _ in found})
    view_only_ids = await _view_only_ids(session, actor, (fact for fact, _ in found))
    return [
        FactRead(
            id=fact.id,
            kind=FactKind(fact.kind),
            key=fact.key,
            title=title_of(FactKind(fact.kind), fact.values),
            values=_values(fact.kind, fact.values),
            status=_status(fact),
            state=FactState(fact.state),
            is_added=fact.is_added,
            is_corrected=fact.is_corrected,
            is_disputed=is_disputed,
            is_view_only=fact.document_id in view_only_ids,
            read_values=_values(fact.kind, fact.read_values) if fact.read_values is not None else None,
            read_status=FactStatus(fact.read_status) if fact.read_status else None,
            document_id=fact.document_id if fact.document_id in titles else None,
            document=titles.get(fact.document_id, "") if fact.document_id else "",
            record=fact.record,
            heading=fact.heading,
            page=fact.page,
            page_label=label_of(labels.get(fact.document_id, ()), fact.page) if fact.document_id else "",
            path=_path_of(fact) if fact.document_id in titles else "",
            created_at=fact.created_at,
            decided_by=(names.get(fact.decided_by) or t("Former member")) if fact.decided_at else "",
            decided_at=fact.decided_at,
            changed_at=fact.changed_at,
        )
        for fact, is_disputed in found
    ]
