"""Documents that an earlier release has read are read again by themselves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace
from sqlalchemy import select, text

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.jobs import Job, JobState
from fundwright.core.scopes import acting_in
from fundwright.reading import stored
from fundwright.reading.document import Paragraph, plain
from fundwright.reading.formats import Unreadable
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, extraction, reading_again, restricting, runs, service
from fundwright.training.schemas import DocumentRead, DocumentState, RunRead
from fundwright.workspaces.schemas import RestrictionForm
from tests.notifications.test_service import listed
from tests.support.jobs import working
from tests.support.polling import eventually
from tests.support.snapshots import Snapshots
from tests.support.teams import Team, team_of
from tests.training.conftest import pieces

FERRY = "# Boats\n\nThe harbor ferry carries forty passengers across the bay every hour of the day."
BREAD = "# Bread\n\nA sourdough loaf rises overnight in a cool kitchen and is baked in a very hot oven."


async def trained(core: Core, actor: Actor, content: str, filename: str) -> DocumentRead:
    with acting_in(actor.scope):
        async with core.database.transaction() as session:
            received = await core.files.receive(pieces(content.encode()))
            added = await adding.add_document(session, actor, core, received, filename=filename, is_trained_later=False)
        await runs.run_inline(core, actor, [added.id])
        async with core.database.transaction() as session:
            return await service.get_document(session, actor, added.id)


async def read_by(core: Core, version: int | None, *documents: DocumentRead) -> None:
    """As if a release with this version of reading, or with none, had read the documents."""
    async with core.database.transaction() as session:
        for document in documents:
            key = f"{version}:{document.sha256}" if version is not None else None
            await session.execute(
                text("UPDATE document SET structure_key = :key WHERE id = :id"), {"key": key, "id": document.id}
            )


async def runs_of(team: Team, actor: Actor) -> list[RunRead]:
    return list((await team.do(actor, lambda session: runs.list_runs(session, actor))).items)


async def state_of(core: Core, *documents: DocumentRead) -> list[tuple[object, ...]]:
    async with core.database.transaction() as session:
        rows = await session.execute(
            text(
                "SELECT document.id, title, kind, is_kind_chosen, state, structure_key, array_agg(chunk.id ORDER BY ordinal)"
                " FROM document JOIN chunk ON document_id = document.id WHERE document.id = ANY(:ids) GROUP BY document.id"
                " ORDER BY document.id"
            ),
            {"ids": [document.id for document in documents]},
        )
        return [tuple(row) for row in rows]


async def passages_of(core: Core, document: DocumentRead) -> list[tuple[UUID, str, int]]:
    """The id, text, and offset of each passage, in order."""
    async with core.database.transaction() as session:
        query = text("SELECT id, text, start_offset FROM chunk WHERE document_id = :id ORDER BY ordinal")
        return [(id, passage, start) for id, passage, start in await session.execute(query, {"id": document.id})]


class TestReadingAgain:
    async def test_documents_of_an_earlier_version_are_read_again_and_stay_what_they_were(
        self, committed: Core, snapshots: Snapshots
    ) -> None:
        team = await team_of(committed, snapshots)
        plain = await trained(committed, team.ada, FERRY, "boats.md")
        hidden = await trained(committed, team.bob, BREAD, "bread.md")
        current = await trained(committed, team.ada, BREAD * 2, "more bread.md")
        await team.do(team.ada, lambda session: service.choose_kind(session, team.ada, committed, plain.id, DocumentKind.POLICY))
        await team.do(
            team.bob, lambda session: restricting.restrict_document(session, team.bob, committed, hidden.id, RestrictionForm())
        )
        before, earlier = await state_of(committed, plain, hidden), len(await runs_of(team, team.ada))
        await read_by(committed, stored.VERSION - 1, plain)
        await read_by(committed, None, hidden)
        for _ in range(2):  # each worker does this when it starts, and once a day
            await reading_again.read_again(committed)
        started = (await runs_of(team, team.ada))[: len(await runs_of(team, team.ada)) - earlier]
        assert [(run.state, run.total, run.failed) for run in started] == [(JobState.QUEUED, 1, ())] * 2
        async with working(committed.jobs):

            async def is_read() -> bool:
                return await state_of(committed, plain, hidden) == before

            await eventually(is_read)
        ended = (await runs_of(team, team.ada))[:2]
        assert [(run.state, run.documents, run.failed) for run in ended] == [(JobState.SUCCEEDED, 1, ())] * 2
        with acting_in(team.ada.scope):
            async with committed.database.transaction() as session:
                listed = {document.id for document in (await service.list_documents(session, team.ada)).items}
        assert listed >= {plain.id, current.id} and hidden.id not in listed
        await reading_again.read_again(committed)
        assert len(await runs_of(team, team.ada)) == earlier + 2

    async def test_passages_that_move_keep_their_ids(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        boats = [f"# Boat {n}\n\n{f'Ferry {n} carries forty passengers across the bay. ' * 12}" for n in range(4)]
        repeated = f"# Crew\n\n{'The crew of nine people repairs boats. ' * 12}"
        document = await trained(committed, owner, "\n\n".join(["Boats in service.", *boats, repeated, repeated]), "boats.md")
        await read_by(committed, stored.VERSION - 1, document)
        before = await passages_of(committed, document)

        async def extract(*values: Any) -> bytes:
            read = stored.unpack(await extraction.extract(*values))
            return stored.pack(replace(read, blocks=(Paragraph(plain("Boats in the service.")), *read.blocks[1:])))

        monkeypatch.setattr("fundwright.training.jobs.extract", extract)
        await runs.run_inline(committed, owner, [document.id])
        after = await passages_of(committed, document)
        assert [text for _, text, _ in after][1:] == [text for _, text, _ in before][1:]
        assert [id for id, _, _ in after][1:] == [id for id, _, _ in before][1:]
        assert len({id for id, _, _ in after}) == len(after) == len(before) > 5
        async with committed.database.transaction() as session:
            (whole,) = await session.scalars(text("SELECT text FROM document WHERE id = :id"), {"id": document.id})
        assert [whole[start : start + len(passage)] for _, passage, start in after] == [passage for _, passage, _ in after]

    async def test_a_newer_version_is_left_alone(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, FERRY, "boats.md")
        await read_by(committed, stored.VERSION + 1, document)
        await reading_again.read_again(committed)
        async with committed.database.transaction() as session:
            assert (await runs.list_runs(session, owner)).total == 1

    async def test_what_nobody_can_change_delays_no_other(self, committed: Core, snapshots: Snapshots) -> None:
        team = await team_of(committed, snapshots)
        hidden = await trained(committed, team.bob, BREAD, "bread.md")
        await team.do(
            team.bob, lambda session: restricting.restrict_document(session, team.bob, committed, hidden.id, RestrictionForm())
        )
        async with committed.database.transaction() as session:
            await session.execute(text("DELETE FROM restriction_member WHERE subject_id = :id"), {"id": hidden.id})
        plain = await trained(committed, team.ada, FERRY, "boats.md")
        await read_by(committed, 1, hidden, plain)
        await reading_again.read_again(committed)
        (run, *_) = await runs_of(team, team.ada)
        assert (run.state, run.total) == (JobState.QUEUED, 1)
        await reading_again.read_again(committed)
        assert (await runs_of(team, team.ada))[1].id != run.id

    async def test_one_that_this_release_cannot_read_stays_trained_and_is_tried_once(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await trained(committed, owner, FERRY, "boats.md")
        await read_by(committed, stored.VERSION - 1, document)
        ((*before, _, chunks),) = await state_of(committed, document)

        async def extract(*_: object) -> bytes:
            raise Unreadable("It has too many boats.")

        monkeypatch.setattr("fundwright.training.jobs.extract", extract)
        await reading_again.read_again(committed)
        async with working(committed.jobs):

            async def is_over() -> bool:
                async with committed.database.transaction() as session:
                    (run, *_) = (await runs.list_runs(session, owner)).items
                return run.state == JobState.SUCCEEDED and run.failed != ()

            await eventually(is_over)
        ((*after, _, chunks_after),) = await state_of(committed, document)
        assert DocumentState.TRAINED in after
        assert (after, chunks_after) == (before, chunks)
        async with committed.database.transaction() as session:
            assert (await service.get_document(session, owner, document.id)).error is None
        assert await listed(committed, owner) == []
        await reading_again.read_again(committed)
        async with committed.database.transaction() as session:
            assert (await runs.list_runs(session, owner)).total == 2
        monkeypatch.undo()
        again = await runs.run_inline(committed, owner, [document.id])
        assert (again.documents, again.failed) == (1, ())

    async def test_its_run_says_what_it_does_and_added_documents_are_trained_in_another(
        self, committed: Core, owner: Actor
    ) -> None:
        await read_by(committed, 1, await trained(committed, owner, FERRY, "boats.md"))
        await reading_again.read_again(committed)
        with acting_in(owner.scope):
            async with committed.database.transaction() as session:
                received = await committed.files.receive(pieces(BREAD.encode()))
                await adding.add_document(session, owner, committed, received, filename="bread.md")
                titles = await session.scalars(select(Job.title).where(Job.state == JobState.QUEUED).order_by(Job.created_at))
                assert list(titles) == ["Read 1 document again", "Train added documents"]
