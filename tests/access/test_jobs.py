"""A job has the current permissions of the account that started it, not those at the time when it was queued."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import cast, get_args
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import BaseModel
from sqlalchemy import text, update

from fundwright.access import account_changes
from fundwright.accounts import personal_data
from fundwright.accounts.schemas import Actor, Client, Role, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.jobs import Job, JobState
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding, runs
from fundwright.training.schemas import PastedText
from tests.categories.embedding import WordEmbedder
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.support.accounts import add_member
from tests.support.jobs import ended, working

Start = Callable[[Core, Actor], Awaitable[UUID]]


async def start_import(core: Core, actor: Actor) -> UUID:
    async def content() -> AsyncIterator[bytes]:
        yield sam_file(sam_row(NoticeId=notice_id(1)))

    upload = await core.files.spool(content())
    async with core.database.transaction() as session:
        run = await opportunities.start_import(session, actor, core, source="sam", filename="sam.csv", upload=upload)
    assert run.job_id
    return run.job_id


async def start_categorizing(core: Core, actor: Actor) -> UUID:
    async with core.database.transaction() as session:
        await categories.create(session, actor, CategoryCreate(name="Roofs"))
        return (await opportunities.start_categorizing(session, actor, core)).id


async def start_training(core: Core, actor: Actor) -> UUID:
    async with core.database.transaction() as session:
        await adding.add_text(session, actor, core, PastedText(title="Roofs", text="Roofs are repaired."))
    return (await runs.start_run(core, actor)).job_id


async def start_draft(core: Core, actor: Actor) -> UUID:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        notice = (await opportunities.list_opportunities(session, actor, OpportunityQuery())).items[0]
        draft = await generation.start_draft(session, actor, core, opportunity_id=notice.id, template="capability-statement")
    assert draft.job_id
    return draft.job_id


async def start_copy(core: Core, actor: Actor) -> UUID:
    async with core.database.transaction() as session:
        return (await personal_data.start_copy(session, actor, core, client=Client(address="127.0.0.1"))).job.id


WORK = [start_categorizing, start_training, start_draft]


async def demote(core: Core, actor: Actor) -> None:
    """Make an editor a viewer of the workspace, as an owner does."""
    values = {"workspace": actor.workspace_id, "account": actor.id}
    async with core.database.transaction() as session:
        await session.execute(
            text("UPDATE membership SET role = 'viewer' WHERE workspace_id = :workspace AND account_id = :account"), values
        )


@pytest.fixture
async def worker(committed: Core) -> Actor:
    """An editor of a workspace, in an installation with fast models."""
    committed.cache["language.embedder"] = WordEmbedder()
    async with committed.database.transaction() as session:
        return await add_member(session, WorkspaceRole.EDITOR)


class TestQueued:
    @pytest.mark.parametrize("start", WORK, ids=lambda start: start.__name__)
    async def test_of_a_demoted_person_ends_without_having_done_anything(
        self, committed: Core, worker: Actor, start: Start
    ) -> None:
        job_id = await start(committed, worker)
        await demote(committed, worker)
        async with working(committed.jobs):
            job = await ended(committed.jobs, job_id)
        assert job.state is JobState.FAILED
        assert (job.error or "").startswith("You no longer have permission to do this.")
        async with committed.database.transaction() as session:
            done = await session.scalar(
                text(
                    "SELECT (SELECT count(*) FROM opportunity WHERE NOT is_sample) + (SELECT count(*) FROM chunk)"
                    " + (SELECT count(*) FROM label) + (SELECT count(*) FROM draft_section WHERE text <> '')"
                )
            )
        assert done == 0

    @pytest.mark.parametrize("start", [*WORK, start_import, start_copy], ids=lambda start: start.__name__)
    async def test_of_a_disabled_account_ends(self, committed: Core, worker: Actor, start: Start) -> None:
        job_id = await start(committed, worker)
        async with committed.database.transaction() as session:
            await account_changes.disable_account(session, committed, email=worker.email)
        async with working(committed.jobs):
            job = await ended(committed.jobs, job_id)
        assert job.state is JobState.FAILED
        assert "the account that started it is disabled" in (job.error or "")

    async def test_of_an_earlier_version_has_current_permissions(self, committed: Core, worker: Actor) -> None:
        """Such a job contains a copy of the account that started it."""
        job_id = await start_categorizing(committed, worker)
        promoted = worker.model_copy(update={"role": Role.ADMIN}).model_dump(mode="json")
        async with committed.database.transaction() as session:
            await session.execute(update(Job).where(Job.id == job_id).values(payload={"actor": promoted}))
        await demote(committed, worker)
        async with working(committed.jobs):
            assert (await ended(committed.jobs, job_id)).state is JobState.FAILED

    async def test_of_an_earlier_version_is_still_done(self, committed: Core, worker: Actor) -> None:
        job_id = await start_training(committed, worker)
        actor = worker.model_dump(mode="json")
        async with committed.database.transaction() as session:
            job = await session.get_one(Job, job_id)
            job.payload = {**job.payload, "actor": actor}
        async with working(committed.jobs):
            assert (await ended(committed.jobs, job_id)).state is JobState.SUCCEEDED


class TestRunning:
    async def test_of_a_demoted_person_ends_at_the_next_checkpoint(self, committed: Core, worker: Actor) -> None:
        embedder = cast(WordEmbedder, committed.cache["language.embedder"])

        async def demote_first(texts: Sequence[str]) -> NDArray[np.float32]:
            await demote(committed, worker)
            return await WordEmbedder.embed(embedder, texts)

        async with committed.database.transaction() as session:
            await adding.add_text(session, worker, committed, PastedText(title="Gutters", text="Gutters are cleaned."))
        job_id = await start_training(committed, worker)
        embedder.embed = demote_first
        async with working(committed.jobs):
            job = await ended(committed.jobs, job_id)
        assert (job.error or "").startswith("You no longer have permission to do this.")
        async with committed.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM document WHERE trained_at IS NOT NULL")) == 0


class TestPayloads:
    def test_hold_ids_and_plain_values_only(self, core: Core) -> None:
        """A model in a payload would be a copy of data that may have changed when the job runs."""
        for handler in (mail.JOB_HANDLER, *core.plugins.collect("job_handlers")):
            for name, field in handler.payload.model_fields.items():
                kinds = get_args(field.annotation) or (field.annotation,)
                models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, (BaseModel, dict))]
                assert not models, f"{handler.kind}.{name}"
