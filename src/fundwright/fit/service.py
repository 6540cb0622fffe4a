"""Scoring opportunities for a workspace, and the scores that its members give themselves."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.categories import service as categories
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.facts import service as facts
from fundwright.fit import repository, scoring
from fundwright.fit.models import FitScore
from fundwright.fit.schemas import FitRead, OwnScore, OwnScoreForm
from fundwright.fit.scoring import Known
from fundwright.language.service import get_embedder
from fundwright.opportunities import service as opportunities
from fundwright.profiles import service as profiles
from fundwright.reading.kinds import DocumentKind
from fundwright.training import collecting, searching
from fundwright.workspaces import service as workspaces

_COMPARED_KINDS = frozenset((DocumentKind.ABOUT_US, DocumentKind.PAST_PERFORMANCE))

SCORED = ActivityKind(
    "fit.scored",
    later("Fit scored"),
    later("{person} gave “{subject}” a fit score of {score}"),
    combining=Combining.SOON,
)
CLEARED = ActivityKind("fit.cleared", later("Fit score cleared"), later("{person} cleared the fit score of “{subject}”"))
ACTIVITY = (SCORED, CLEARED)


class ScoreChangedMeanwhile(Conflict):
    """The score has changed since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(t("The score has been changed since you opened it. Look at the new one, then save yours again."))


def fit_topic(owner_id: UUID) -> str:
    """The live topic of the scores that a workspace's members give."""
    return f"fit:{owner_id}"


def topics_of(owner_id: UUID) -> list[str]:
    """The live topics of everything that changes a workspace's fits."""
    return [
        fit_topic(owner_id),
        profiles.profile_topic(owner_id),
        facts.facts_topic(owner_id),
        collecting.documents_topic(owner_id),
        categories.categories_topic(owner_id),
        opportunities.TOPIC,
    ]


@needs(Permission.READ)
async def scores_of(
    session: AsyncSession, actor: Actor, opportunity_ids: Collection[UUID], *, model_id: str
) -> dict[UUID, FitRead]:
    """Return the fits of those of the opportunities that exist, from what the actor sees. `model_id` is that of the embedding model in use."""
    ids = list(opportunity_ids)
    notices = await opportunities.requirements_of(session, actor, ids)
    profile = await profiles.get_profile(session, actor)
    accepted = await facts.get_organization(session, actor)
    listed = await categories.list_categories(session, actor)
    labels = await categories.labels_of(session, actor, ids)
    vectors = await opportunities.vectors_of(session, actor, ids, model_id=model_id)
    nearest = await searching.nearest_passages(session, actor, vectors, model_id=model_id, kinds=_COMPARED_KINDS)
    own = await repository.list_of(session, actor.workspace_id, ids)
    names = await workspaces.names_of(session, actor, [each.scored_by for each in own.values()])
    own_categories = frozenset(category.id for category in listed if not category.is_sample)
    found: dict[UUID, FitRead] = {}
    for id, notice in notices.items():
        known = Known(profile, profiles.PATH, own_categories, labels.get(id, []), id in vectors, nearest.get(id), accepted)
        given = own.get(id)
        own_score = _read(given, names.get(given.scored_by, "")) if given else None
        found[id] = scoring.score(notice, known, now=now()).model_copy(update={"own": own_score})
    return found


@needs(Permission.READ)
async def get_fit(core: Core, actor: Actor, opportunity_id: UUID) -> FitRead:
    """Return how well an opportunity fits the actor's workspace. Opens its own transaction. Raises NotFound."""
    embedder = await get_embedder(core)
    async with core.database.transaction() as session:
        found = await scores_of(session, actor, [opportunity_id], model_id=embedder.id)
    if opportunity_id not in found:
        raise NotFound(t("The opportunity"))
    return found[opportunity_id]


@needs(Permission.WORK)
async def score(session: AsyncSession, actor: Actor, opportunity_id: UUID, form: OwnScoreForm) -> OwnScore:
    """Give an opportunity the workspace's own score. Giving the same again changes nothing. Raises NotFound or ScoreChangedMeanwhile (409)."""
    subject = await _subject(session, actor, opportunity_id)
    known = await repository.lock(session, actor.workspace_id, opportunity_id)
    if known is None or (known.score, known.reason) != (form.score, form.reason):
        if form.based_on != (known.changed_at if known else None):
            raise ScoreChangedMeanwhile
        given = known or FitScore(owner_id=actor.workspace_id, opportunity_id=opportunity_id)
        given.score, given.reason, given.scored_by, given.changed_at = form.score, form.reason, actor.id, now()
        session.add(given)
        await session.flush()
        await activity.record(session, actor, SCORED, subject, score=str(form.score))
        await publish(session, fit_topic(actor.workspace_id))
        known = given
    names = await workspaces.names_of(session, actor, [known.scored_by])
    return _read(known, names.get(known.scored_by, ""))


@needs(Permission.WORK)
async def clear(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> OwnScore | None:
    """Remove the workspace's own score of an opportunity, and return it; None if there was none. Raises NotFound."""
    subject = await _subject(session, actor, opportunity_id)
    known = await repository.lock(session, actor.workspace_id, opportunity_id)
    if known is None:
        return None
    names = await workspaces.names_of(session, actor, [known.scored_by])
    removed = _read(known, names.get(known.scored_by, ""))
    await session.delete(known)
    await session.flush()
    await activity.record(session, actor, CLEARED, subject)
    await publish(session, fit_topic(actor.workspace_id))
    return removed


@needs(Permission.READ)
async def list_own(session: AsyncSession, actor: Actor) -> dict[UUID, OwnScore]:
    """Return all scores that members of the actor's workspace gave, by opportunity."""
    found = await repository.list_all(session, actor.workspace_id)
    names = await workspaces.names_of(session, actor, [each.scored_by for each in found])
    return {each.opportunity_id: _read(each, names.get(each.scored_by, "")) for each in found}


async def _subject(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> Subject:
    """Raises NotFound. The opportunity cannot be removed until the transaction ends."""
    await opportunities.list_existing(session, actor, [opportunity_id])
    about = await opportunities.get_commented(session, actor, opportunity_id)
    return Subject(opportunities.OPPORTUNITY, opportunity_id, about.title, about.path)


def _read(given: FitScore, scored_by: str) -> OwnScore:
    return OwnScore(score=given.score, reason=given.reason, scored_by=scored_by, changed_at=given.changed_at)
