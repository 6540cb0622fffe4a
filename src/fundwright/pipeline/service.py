"""The pipeline of a workspace: the opportunities that it pursues, and their stages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from itertools import zip_longest
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, ScalarSelect
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import Subject
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import kind_label
from fundwright.pipeline import events, repository
from fundwright.pipeline.models import Pursuit, PursuitMove
from fundwright.pipeline.repository import Found
from fundwright.pipeline.schemas import (
    NEED_REASON,
    OPEN_STAGES,
    BoardColumn,
    Lead,
    Move,
    PipelineQuery,
    PursuitChange,
    PursuitContent,
    PursuitDetails,
    PursuitForm,
    PursuitRead,
    Stage,
    StageChange,
    StageTotal,
)
from fundwright.trash import service as trash
from fundwright.workspaces import additions
from fundwright.workspaces import service as workspaces

PURSUIT = "pursuit"
"""The kind of pursuits in the trash and in activity."""
PATH = "/dashboard/pipeline"
SHOWN = 20
"""Pursuits in a column of the board at first."""


class PursuitChangedMeanwhile(Conflict):
    """The pursuit has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("Someone else has changed this pursuit in the meantime. Check the current values, then try again."))


class ReasonMissing(Invalid):
    def __init__(self, stage: Stage) -> None:
        super().__init__(t("Enter the reason for “{stage}”.", stage=stage.label))


class PursuedAgain(Conflict):
    """A pursuit is restored while the workspace pursues the opportunity again."""

    def __init__(self, title: str) -> None:
        super().__init__(
            t("“{title}” is in the pipeline again. Remove it from the pipeline, then restore this one.", title=title)
        )


def pipeline_topic(workspace_id: UUID) -> str:
    """The live topic of changes of the workspace's pipeline."""
    return f"pipeline:{workspace_id}"


@needs(Permission.WORK)
async def add(session: AsyncSession, actor: Actor, form: PursuitForm) -> PursuitDetails:
    """Pursue an opportunity. If the workspace already does, nothing changes. Raises NotFound for an unknown opportunity or a lead who is
    no member, or ReasonMissing (422)."""
    opportunity = await opportunities.get_opportunity(session, actor, form.opportunity_id)
    await _lock_opportunity(session, actor, opportunity.id)
    known = await repository.find_of(session, actor.workspace_id, opportunity.id)
    if known is not None:
        return await get_pursuit(session, actor, known)
    await _check_lead(session, actor, form.lead_id)
    _check_reason(form.stage, form.reason)
    id, added_at = uuid4(), now()
    content = form.model_dump(include=set(PursuitContent.model_fields))
    session.add(
        Pursuit(
            **opportunity.model_dump(include={"kind", "title", "number", "agency", "due_at"}),
            **content,
            id=id,
            owner_id=actor.workspace_id,
            opportunity_id=opportunity.id,
            stage=form.stage,
            stage_since=added_at,
            has_lead=form.lead_id is not None,
            added_by=actor.id,
            added_at=added_at,
            revision=1,
        )
    )
    await session.flush()
    await additions.count(session, actor, Pursuit.owner_id, refusal=_too_many())
    pursuit = await repository.lock(session, actor.workspace_id, id)
    session.add(
        PursuitMove(pursuit_id=id, from_stage=None, to_stage=form.stage, reason=form.reason, moved_by=actor.id, at=added_at)
    )
    await activity.record(session, actor, events.ADDED, subject_of(pursuit), related=[pursuit.opportunity_id])
    await _tell_lead(session, actor, pursuit)
    return await _changed(session, actor, pursuit)


def _too_many() -> str:
    return t(
        "A workspace can pursue at most {most} opportunities. Remove some from the pipeline.", most=number(additions.MOST_ADDED)
    )


@needs(Permission.READ)
async def get_pursuit(session: AsyncSession, actor: Actor, pursuit_id: UUID) -> PursuitDetails:
    """Raises NotFound."""
    found = await repository.get(session, actor.workspace_id, opportunities.facts(actor), pursuit_id)
    return (await _with_moves(session, actor, [found]))[0]


@needs(Permission.READ)
async def find_of(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> PursuitDetails | None:
    """Return the workspace's pursuit of an opportunity, if there is one."""
    known = await repository.find_of(session, actor.workspace_id, opportunity_id)
    return await get_pursuit(session, actor, known) if known else None


@needs(Permission.READ)
def stage_in(actor: Actor, opportunity_id: ColumnElement[UUID]) -> ScalarSelect[str]:
    """Select the stage of an opportunity in the actor's pipeline, or NULL: a column for queries of other slices."""
    return repository.stage_in(actor.workspace_id, opportunity_id)


@needs(Permission.READ)
async def list_pursuits(session: AsyncSession, actor: Actor, query: PipelineQuery) -> Page[PursuitRead]:
    """Return the workspace's pursuits, by due date unless `sort` names a field."""
    found, total = await repository.page(session, actor.workspace_id, opportunities.facts(actor), query)
    return Page(items=await _read(session, actor, found), total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def read_totals(session: AsyncSession, actor: Actor, query: PipelineQuery) -> list[StageTotal]:
    """Return the number and the values of the pursuits in each stage, of those that match the query. Its page is ignored."""
    known = await repository.totals(session, actor.workspace_id, opportunities.facts(actor), query)
    by_stage = {total.stage: total for total in known}
    return [by_stage.get(stage, StageTotal(stage=stage)) for stage in Stage]


@needs(Permission.READ)
async def read_board(session: AsyncSession, actor: Actor, query: PipelineQuery, limits: Mapping[Stage, int]) -> list[BoardColumn]:
    """Return each stage with its totals and, if it is open, its first pursuits by due date: up to its limit, or else `SHOWN`."""
    wanted = {stage: limits.get(stage, SHOWN) for stage in OPEN_STAGES}
    found = await repository.first_of_stages(session, actor.workspace_id, opportunities.facts(actor), query, wanted)
    items = await _read(session, actor, found)
    return [
        BoardColumn(**total.model_dump(), items=[item for item in items if item.stage is total.stage])
        for total in await read_totals(session, actor, query)
    ]


@needs(Permission.READ)
def export_pursuits(session: AsyncSession, actor: Actor, core: Core, query: PipelineQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[PursuitRead], object]]] = [
        (t("Title"), lambda pursuit: pursuit.title),
        (t("Number"), lambda pursuit: pursuit.number),
        (t("Agency"), lambda pursuit: agency_name(pursuit.agency)),
        (t("Kind"), lambda pursuit: kind_label(pursuit.kind)),
        (t("Due"), lambda pursuit: pursuit.due_at),
        (t("Stage"), lambda pursuit: pursuit.stage.label),
        (t("In this stage since"), lambda pursuit: pursuit.stage_since),
        (t("Lead"), lambda pursuit: pursuit.lead and (pursuit.lead.name or t("Former member"))),
        (t("Probability in %"), lambda pursuit: pursuit.probability),
        (t("Value in US dollars"), lambda pursuit: pursuit.value),
        (t("Weighted value in US dollars"), lambda pursuit: pursuit.weighted_value),
        (t("Reason"), lambda pursuit: pursuit.reason),
        (t("Added by"), lambda pursuit: pursuit.added_by or t("Deleted account")),
        (t("Added"), lambda pursuit: pursuit.added_at),
        (t("Link"), lambda pursuit: f"{core.settings.address}{path_of(pursuit)}"),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_pursuits(session, actor, page), query))


@needs(Permission.WORK)
async def move(session: AsyncSession, actor: Actor, pursuit_id: UUID, change: StageChange) -> PursuitDetails:
    """Move a pursuit to a stage; if it is there already, nothing changes. Raises NotFound, PursuitChangedMeanwhile (409), or
    ReasonMissing (422)."""
    pursuit = await repository.lock(session, actor.workspace_id, pursuit_id)
    if pursuit.stage == change.stage:
        return await get_pursuit(session, actor, pursuit_id)
    _check_reason(change.stage, change.reason)
    _begin(pursuit, change.based_on)
    before, moved_at = Stage(pursuit.stage), now()
    pursuit.stage, pursuit.stage_since, pursuit.reason = change.stage, moved_at, change.reason
    session.add(
        PursuitMove(
            pursuit_id=pursuit_id,
            from_stage=before,
            to_stage=change.stage,
            reason=change.reason,
            moved_by=actor.id,
            at=moved_at,
        )
    )
    stages = {"old": before.label, "new": change.stage.label}
    await activity.record(session, actor, events.MOVED, subject_of(pursuit), related=[pursuit.opportunity_id], **stages)
    return await _changed(session, actor, pursuit)


@needs(Permission.WORK)
async def change(session: AsyncSession, actor: Actor, pursuit_id: UUID, given: PursuitChange) -> PursuitDetails:
    """Replace what people entered about a pursuit; if it is the same, nothing changes. Raises NotFound, also for a new lead who is no
    member, PursuitChangedMeanwhile (409), or ReasonMissing (422)."""
    pursuit = await repository.lock(session, actor.workspace_id, pursuit_id)
    content = given.model_dump(include=set(PursuitContent.model_fields))
    if content == PursuitContent.model_validate(pursuit).model_dump():
        return await get_pursuit(session, actor, pursuit_id)
    _check_reason(Stage(pursuit.stage), given.reason)
    is_new_lead = given.lead_id != pursuit.lead_id
    if is_new_lead:
        await _check_lead(session, actor, given.lead_id)
        pursuit.has_lead = given.lead_id is not None
    _begin(pursuit, given.based_on)
    for name, value in content.items():
        setattr(pursuit, name, value)
    await activity.record(session, actor, events.CHANGED, subject_of(pursuit), related=[pursuit.opportunity_id])
    if is_new_lead:
        await _tell_lead(session, actor, pursuit)
    return await _changed(session, actor, pursuit)


@needs(Permission.WORK)
async def remove(session: AsyncSession, actor: Actor, pursuit_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a pursuit to the trash, with its history. Raises NotFound."""
    pursuit = await repository.lock(session, actor.workspace_id, pursuit_id)
    await trash.put_in(session, actor, PURSUIT, pursuit, title=display_title(pursuit.title))
    await audit.record(session, "pursuit.deleted", actor=actor, subject=str(pursuit_id), client=client)
    await publish(session, pipeline_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, _core: Core, pursuit: Pursuit) -> None:
    """Take a pursuit out of the trash. Raises PursuedAgain (409)."""
    await _lock_opportunity(session, actor, pursuit.opportunity_id)
    if await repository.find_of(session, actor.workspace_id, pursuit.opportunity_id) is not None:
        raise PursuedAgain(display_title(pursuit.title))
    await trash.take_out(session, actor, pursuit)
    await publish(session, pipeline_topic(actor.workspace_id))


@needs(Permission.READ)
def iterate_with_history(session: AsyncSession, actor: Actor) -> AsyncIterator[PursuitDetails]:
    """Yield all pursuits, with the history of their stages."""

    async def read(query: PipelineQuery) -> Page[PursuitDetails]:
        found, total = await repository.page(session, actor.workspace_id, opportunities.facts(actor), query)
        items = await _with_moves(session, actor, found)
        return Page(items=items, total=total, page=query.page, page_size=query.page_size)

    return iterate_all(read, PipelineQuery())


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[PursuitDetails]:
    """Return the pursuits in the actor's trash."""
    found = await repository.list_trashed(session, actor.workspace_id, opportunities.facts(actor))
    return await _with_moves(session, actor, found)


def path_of(pursuit: Pursuit | PursuitRead) -> str:
    """The path of the pipeline with this pursuit opened."""
    return f"{PATH}?open={pursuit.id}"


def subject_of(pursuit: Pursuit) -> Subject:
    """The pursuit as the subject of activity."""
    return Subject(PURSUIT, pursuit.id, display_title(pursuit.title), path_of(pursuit))


async def _lock_opportunity(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> None:
    """Let nobody else in the workspace begin or restore a pursuit of the opportunity meanwhile."""
    await acquire_lock(session, f"pursuit of {opportunity_id} in {actor.workspace_id}")


def _begin(pursuit: Pursuit, based_on: int) -> None:
    """Raises PursuitChangedMeanwhile."""
    if pursuit.revision != based_on:
        raise PursuitChangedMeanwhile
    pursuit.revision += 1


async def _changed(session: AsyncSession, actor: Actor, pursuit: Pursuit) -> PursuitDetails:
    await session.flush()
    await publish(session, pipeline_topic(actor.workspace_id))
    return await get_pursuit(session, actor, pursuit.id)


def _check_reason(stage: Stage, reason: str) -> None:
    if stage in NEED_REASON and not reason:
        raise ReasonMissing(stage)


async def _check_lead(session: AsyncSession, actor: Actor, lead_id: UUID | None) -> None:
    """Raises NotFound for an account that is no member."""
    if lead_id is not None and not await workspaces.members_among(session, actor, [lead_id]):
        raise NotFound(t("The member"))


async def _tell_lead(session: AsyncSession, actor: Actor, pursuit: Pursuit) -> None:
    if pursuit.lead_id is not None:
        await notifications.notify(
            session,
            events.MADE_LEAD,
            [pursuit.lead_id],
            actor=actor,
            workspace_id=actor.workspace_id,
            subject=display_title(pursuit.title),
            path=path_of(pursuit),
        )


async def _with_moves(session: AsyncSession, actor: Actor, found: Sequence[Found]) -> list[PursuitDetails]:
    moves = await repository.list_moves(session, [each.pursuit.id for each in found])
    names = await workspaces.names_of(session, actor, [move.moved_by for move in moves])
    of_pursuit: dict[UUID, list[PursuitMove]] = {each.pursuit.id: [] for each in found}
    for each in moves:
        of_pursuit[each.pursuit_id].append(each)
    return [
        PursuitDetails(**read.model_dump(exclude={"weighted_value"}), moves=_moves(of_pursuit[read.id], names))
        for read in await _read(session, actor, found)
    ]


def _moves(moves: Sequence[PursuitMove], names: Mapping[UUID | None, str]) -> list[Move]:
    return [
        Move(
            at=each.at,
            until=following.at if following else None,
            by=names.get(each.moved_by, ""),
            from_stage=Stage(each.from_stage) if each.from_stage else None,
            to_stage=Stage(each.to_stage),
            reason=each.reason,
        )
        for each, following in zip_longest(moves, moves[1:])
    ]


async def _read(session: AsyncSession, actor: Actor, found: Collection[Found]) -> list[PursuitRead]:
    leads = {each.pursuit.lead_id for each in found if each.pursuit.lead_id}
    names = await workspaces.names_of(session, actor, {*leads, *(each.pursuit.added_by for each in found)})
    members = await workspaces.members_among(session, actor, leads) if leads else frozenset[UUID]()
    return [_read_one(each, names, members) for each in found]


def _read_one(found: Found, names: Mapping[UUID | None, str], members: Collection[UUID]) -> PursuitRead:
    pursuit = found.pursuit
    lead = Lead(id=pursuit.lead_id, name=names.get(pursuit.lead_id, ""), is_member=pursuit.lead_id in members)
    return PursuitRead.model_validate(
        {
            "id": pursuit.id,
            "opportunity_id": pursuit.opportunity_id,
            "has_notice": found.has_notice,
            "kind": pursuit.kind,
            "title": found.title,
            "number": found.number,
            "agency": found.agency,
            "due_at": found.due_at,
            "stage": pursuit.stage,
            "stage_since": pursuit.stage_since,
            "lead": lead if pursuit.has_lead else None,
            "probability": pursuit.probability,
            "value": pursuit.value,
            "reason": pursuit.reason,
            "added_by": names.get(pursuit.added_by, ""),
            "added_at": pursuit.added_at,
            "revision": pursuit.revision,
        }
    )
