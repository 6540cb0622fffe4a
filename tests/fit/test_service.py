"""Scores of a workspace: what the reader sees is compared, and members give scores of their own."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.assembly import Core
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.scopes import acting_in
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactForm, FactState
from fundwright.fit import service
from fundwright.fit.personal_data import own_files
from fundwright.fit.schemas import FitPart, FitPartName, FitRead, OwnScore, OwnScoreForm
from fundwright.language import service as language
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.repository import indexing
from fundwright.profiles import service as profiles
from fundwright.profiles.schemas import OrganizationProfileForm
from fundwright.reading.facts import FactField, FactKind
from fundwright.training import adding, restricting, runs
from fundwright.training.schemas import PastedText
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import RestrictionForm
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

T = TypeVar("T")
NUMBER = "sample-sam-0004"
TEXT = "# Past performance\n\nFor the Lake Erie Commission, we built a data platform for water quality measurements. Customer: Lake Erie Commission. Contract LE-22-014, $412,000, completed in 2024."


@dataclass(frozen=True)
class Harbor:
    """A workspace of Ada (owner), Bob (editor), and Vic (viewer), and Eve outside of it. There is one indexed notice."""

    core: Core
    ada: Actor
    bob: Actor
    vic: Actor
    eve: Actor
    notice: UUID

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def fit(self, actor: Actor) -> FitRead:
        with acting_in(actor.scope):
            return await service.get_fit(self.core, actor, self.notice)

    async def part(self, actor: Actor, name: FitPartName) -> FitPart:
        return next(part for part in (await self.fit(actor)).parts if part.name == name)

    async def score(
        self, actor: Actor, score: int = 80, reason: str = "We know the client.", based_on: OwnScore | None = None
    ) -> OwnScore:
        form = OwnScoreForm(score=score, reason=reason, based_on=based_on.changed_at if based_on else None)
        return await self.do(actor, lambda session: service.score(session, actor, self.notice, form))

    async def clear(self, actor: Actor) -> OwnScore | None:
        return await self.do(actor, lambda session: service.clear(session, actor, self.notice))


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> Harbor:
    ada, bob, vic, eve, notice = await snapshots.of(committed, _fill)
    return Harbor(committed, ada, bob, vic, eve, notice)


async def _fill(core: Core) -> tuple[Actor, Actor, Actor, Actor, UUID]:
    embedder = await language.get_embedder(core)
    vectors = await embedder.embed(["Data platform for water quality measurements"])
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Harbor", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        ada, bob, vic = [await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)]
        notice = await opportunities.look_up(session, ada, NUMBER)
        await indexing.save_vectors(session, embedder.id, [(notice.id, notice.version)], vectors)
    return ada, bob, vic, eve, notice.id


class TestComputed:
    async def test_compares_the_profile_and_the_documents(self, harbor: Harbor) -> None:
        assert (await harbor.fit(harbor.vic)).score is None
        form = OrganizationProfileForm(name="Harbor Light LLC", naics_codes="541511")
        await harbor.do(harbor.ada, lambda session: profiles.save_profile(session, harbor.ada, harbor.core, form))
        assert (await harbor.part(harbor.vic, FitPartName.NAICS)).value == 1
        assert (await harbor.part(harbor.vic, FitPartName.DOCUMENTS)).value is None
        document = await harbor.do(
            harbor.ada,
            lambda session: adding.add_text(session, harbor.ada, harbor.core, PastedText(title="Past performance", text=TEXT)),
        )
        with acting_in(harbor.ada.scope):
            await runs.run_inline(harbor.core, harbor.ada, [document.id])
        compared = await harbor.part(harbor.vic, FitPartName.DOCUMENTS)
        assert compared.value is not None and compared.value > 0.5 and "Past performance" in compared.reason
        assert (await harbor.part(harbor.eve, FitPartName.DOCUMENTS)).value is None

    async def test_compares_accepted_facts_before_the_profile(self, harbor: Harbor) -> None:
        values = {FactField.LABEL: "NAICS codes", FactField.VALUE: "541511"}
        form = FactForm(kind=FactKind.DETAIL, values=values)
        added = await harbor.do(harbor.ada, lambda session: facts.add_fact(session, harbor.ada, form))
        assert (await harbor.part(harbor.vic, FitPartName.NAICS)).value == 1
        assert (await harbor.part(harbor.eve, FitPartName.NAICS)).value is None
        await harbor.do(harbor.ada, lambda session: facts.decide(session, harbor.ada, [added.version], FactState.REJECTED))
        assert (await harbor.part(harbor.vic, FitPartName.NAICS)).value is None

    async def test_a_hidden_document_is_not_compared(self, harbor: Harbor) -> None:
        document = await harbor.do(
            harbor.ada,
            lambda session: adding.add_text(session, harbor.ada, harbor.core, PastedText(title="Past performance", text=TEXT)),
        )
        with acting_in(harbor.ada.scope):
            await runs.run_inline(harbor.core, harbor.ada, [document.id])
        await harbor.do(
            harbor.ada,
            lambda session: restricting.restrict_document(
                session, harbor.ada, harbor.core, document.id, RestrictionForm(members=())
            ),
        )
        assert "Past performance" in (await harbor.part(harbor.ada, FitPartName.DOCUMENTS)).reason
        hidden = await harbor.part(harbor.bob, FitPartName.DOCUMENTS)
        assert hidden.value is None and "Past performance" not in hidden.reason and str(document.id) not in hidden.path

    async def test_says_that_there_is_no_such_opportunity(self, harbor: Harbor) -> None:
        with pytest.raises(NotFound):
            await service.get_fit(harbor.core, harbor.ada, uuid4())


class TestOwn:
    async def test_is_shown_beside_the_computed_one_to_the_workspace_alone(self, harbor: Harbor) -> None:
        await harbor.score(harbor.bob)
        own = (await harbor.fit(harbor.vic)).own
        assert own is not None and (own.score, own.reason, own.scored_by) == (80, "We know the client.", "Bob")
        assert (await harbor.fit(harbor.eve)).own is None

    async def test_who_only_reads_does_not_score(self, harbor: Harbor) -> None:
        for work in (harbor.score, harbor.clear):
            with pytest.raises(NotAllowed):
                await work(harbor.vic)

    async def test_does_not_overwrite_what_changed_meanwhile(self, harbor: Harbor) -> None:
        first = await harbor.score(harbor.ada)
        await harbor.score(harbor.bob, 40, "Too far.", first)
        with pytest.raises(service.ScoreChangedMeanwhile):
            await harbor.score(harbor.ada, 90, "Worth it.", first)
        again = await harbor.score(harbor.bob, 40, "Too far.", first)
        assert again.score == 40

    async def test_is_cleared_and_given_again(self, harbor: Harbor) -> None:
        given = await harbor.score(harbor.ada)
        assert await harbor.clear(harbor.bob) == given
        assert await harbor.clear(harbor.bob) is None
        assert (await harbor.fit(harbor.ada)).own is None
        await harbor.score(harbor.bob, given.score, given.reason)
        assert (await harbor.fit(harbor.ada)).shown_score == 80

    async def test_activity_says_what_was_done(self, harbor: Harbor) -> None:
        await harbor.score(harbor.ada)
        await harbor.clear(harbor.bob)
        query = ActivityQuery(subject_id=harbor.notice)
        listed = await harbor.do(harbor.vic, lambda session: activity.list_activity(session, harbor.vic, harbor.core, query))
        assert [entry.sentence.split(" “")[0] for entry in listed.items] == ["Bob cleared the fit score of", "Ada gave"]

    async def test_is_in_the_copy_of_the_data_and_goes_with_the_workspace(self, harbor: Harbor) -> None:
        await harbor.score(harbor.ada)

        async def copied(session: AsyncSession) -> dict[str, dict[str, object]]:
            (file,) = [file async for file in own_files(session, harbor.vic, harbor.core)]
            return json.loads(file.content)

        assert (await harbor.do(harbor.vic, copied))[str(harbor.notice)]["score"] == 80
        async with harbor.core.database.transaction() as session:
            await session.execute(text("DELETE FROM workspace WHERE id = :id"), {"id": harbor.ada.workspace_id})
            assert await session.scalar(text("SELECT count(*) FROM fit_score")) == 0
