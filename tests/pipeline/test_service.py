"""The pipeline: who may do what, stages and their history, and what becomes of pursuits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.washington import day_in_washington
from fundwright.pipeline import service
from fundwright.pipeline.personal_data import own_files
from fundwright.pipeline.schemas import OPEN_STAGES, OUTCOMES, BoardColumn, PipelineQuery, PursuitDetails, Stage
from fundwright.trash import service as trash
from tests.pipeline.conftest import Harbor


async def titles(harbor: Harbor, **query: object) -> list[str]:
    return [pursuit.title for pursuit in await harbor.listed(harbor.ada, **query)]


async def board(harbor: Harbor, limits: dict[Stage, int] | None = None, **query: object) -> dict[Stage, BoardColumn]:
    wanted = PipelineQuery.model_validate(query)
    columns = await harbor.do(harbor.ada, lambda session: service.read_board(session, harbor.ada, wanted, limits or {}))
    return {column.stage: column for column in columns}


async def sentences(harbor: Harbor, **query: object) -> list[str]:
    wanted = ActivityQuery.model_validate(query)
    feed = await harbor.do(harbor.ada, lambda session: activity.list_activity(session, harbor.ada, harbor.core, wanted))
    return [entry.sentence for entry in feed.items]


class TestAdd:
    async def test_keeps_the_facts_of_the_notice_and_what_was_entered(self, harbor: Harbor) -> None:
        notice = harbor.notices[0]
        added = await harbor.add(harbor.bob, lead_id=harbor.ada.id, probability=40, value=250_000)
        assert (added.title, added.number, added.agency, added.due_at) == (
            notice.title,
            notice.number,
            notice.agency,
            notice.due_at,
        )
        assert (added.stage, added.lead and added.lead.name, added.added_by) == (Stage.IDENTIFIED, "Ada", "Bob")
        assert (added.value, added.probability, added.weighted_value) == (250_000, 40, 100_000)
        assert [(move.from_stage, move.to_stage, move.by, move.until) for move in added.moves] == [
            (None, Stage.IDENTIFIED, "Bob", None)
        ]

    async def test_an_opportunity_is_pursued_once_also_when_two_add_it_at_the_same_time(self, harbor: Harbor) -> None:
        one, other = await asyncio.gather(harbor.add(), harbor.add(harbor.bob))
        assert one == other == await harbor.add(stage=Stage.WON)
        assert len(await harbor.listed()) == 1

    async def test_each_workspace_has_its_own_pursuit(self, harbor: Harbor) -> None:
        mine, eves = await harbor.add(), await harbor.add(harbor.eve)
        assert mine.id != eves.id and [each.id for each in await harbor.listed(harbor.eve)] == [eves.id]
        with pytest.raises(NotFound):
            await harbor.get(mine.id, harbor.eve)

    async def test_needs_an_opportunity_and_a_lead_who_is_a_member(self, harbor: Harbor) -> None:
        with pytest.raises(NotFound):
            await harbor.add(opportunity_id=uuid4())
        with pytest.raises(NotFound):
            await harbor.add(lead_id=harbor.eve.id)
        with pytest.raises(service.ReasonMissing):
            await harbor.add(stage=Stage.NO_GO)

    async def test_a_viewer_reads_but_does_not_work(self, harbor: Harbor) -> None:
        added = await harbor.add()
        assert [each.id for each in await harbor.listed(harbor.vic)] == [added.id]
        for attempt in (
            harbor.add(harbor.vic, notice=1),
            harbor.move(added, Stage.WON, actor=harbor.vic),
            harbor.change(added, actor=harbor.vic, probability=1),
            harbor.remove(added, harbor.vic),
        ):
            with pytest.raises(NotAllowed):
                await attempt


class TestMove:
    async def test_adds_to_the_history_and_to_both_feeds(self, harbor: Harbor) -> None:
        added = await harbor.add()
        moved = await harbor.move(added, Stage.QUALIFYING, actor=harbor.bob)
        title = display_title(added.title)
        assert (moved.stage, moved.stage_since) == (Stage.QUALIFYING, moved.moves[-1].at)
        assert [(each.from_stage, each.to_stage, each.by) for each in moved.moves] == [
            (None, Stage.IDENTIFIED, "Ada"),
            (Stage.IDENTIFIED, Stage.QUALIFYING, "Bob"),
        ]
        assert [each.until for each in moved.moves] == [moved.stage_since, None]
        told = [f"Bob moved “{title}” from “Identified” to “Qualifying” in the pipeline", f"Ada added “{title}” to the pipeline"]
        assert await sentences(harbor) == told
        assert await sentences(harbor, subject_id=added.opportunity_id) == told

    @pytest.mark.parametrize("stage", [Stage.LOST, Stage.NO_GO])
    async def test_lost_and_no_go_need_a_reason(self, harbor: Harbor, stage: Stage) -> None:
        added = await harbor.add()
        with pytest.raises(service.ReasonMissing):
            await harbor.move(added, stage, "  ")
        moved = await harbor.move(added, stage, "Too small.")
        assert (moved.reason, moved.moves[-1].reason) == ("Too small.", "Too small.")
        with pytest.raises(service.ReasonMissing):
            await harbor.change(moved, reason="")
        with pytest.raises(service.ReasonMissing):
            await harbor.change(moved, reason="\u200b\u3164")
        assert (await harbor.change(moved, reason="Won\u202e by\r\nothers")).reason == "Won by\nothers"

    async def test_a_repeated_request_moves_once(self, harbor: Harbor) -> None:
        added = await harbor.add()
        first = await harbor.move(added, Stage.SUBMITTED)
        assert await harbor.move(added, Stage.SUBMITTED) == first

    async def test_two_people_do_not_overwrite_each_other(self, harbor: Harbor) -> None:
        added = await harbor.add()
        await harbor.move(added, Stage.PREPARING)
        with pytest.raises(service.PursuitChangedMeanwhile):
            await harbor.move(added, Stage.QUALIFYING, actor=harbor.bob)
        with pytest.raises(service.PursuitChangedMeanwhile):
            await harbor.change(added, actor=harbor.bob, probability=10)
        assert (await harbor.get(added.id)).stage is Stage.PREPARING


class TestChange:
    async def test_replaces_what_was_entered_and_is_recorded_once(self, harbor: Harbor) -> None:
        changed = await harbor.change(await harbor.add(), probability=70, value=1_000)
        again = await harbor.change(changed, probability=None)
        assert (again.probability, again.value, again.weighted_value, again.revision) == (None, 1_000, None, 3)
        assert await harbor.change(changed, probability=None) == again
        assert len(await sentences(harbor, kind="pursuit.changed")) == 1

    async def test_tells_the_new_lead_but_nobody_of_what_they_did_themselves(self, harbor: Harbor) -> None:
        added = await harbor.add(lead_id=harbor.ada.id)
        changed = await harbor.change(added, lead_id=harbor.bob.id)
        await harbor.change(changed, probability=5)

        async def told(session: AsyncSession, actor: Actor) -> list[tuple[str, str]]:
            found = await notifications.list_notifications(session, actor, harbor.core, NotificationQuery())
            return [(each.title, each.path) for each in found.items]

        assert await harbor.do(harbor.bob, lambda session: told(session, harbor.bob)) == [
            (f"Ada made you the lead of “{display_title(added.title)}”", f"/dashboard/pipeline?open={added.id}")
        ]
        assert await harbor.do(harbor.ada, lambda session: told(session, harbor.ada)) == []

    async def test_a_lead_who_left_or_deleted_the_account_is_shown_as_a_former_member(self, harbor: Harbor) -> None:
        added = await harbor.add(lead_id=harbor.bob.id)
        await harbor.run("DELETE FROM membership WHERE account_id = :id", id=harbor.bob.id)
        left = (await harbor.get(added.id)).lead
        assert left and (left.name, left.is_member) == ("Bob", False)
        kept = await harbor.change(await harbor.get(added.id), probability=3)
        assert kept.lead == left
        await harbor.run("DELETE FROM account WHERE id = :id", id=harbor.bob.id)
        deleted = (await harbor.get(added.id)).lead
        assert deleted and (deleted.id, deleted.name, deleted.is_member) == (None, "", False)
        assert await harbor.listed(lead="none") == []


class TestList:
    async def test_is_filtered_and_sorted(self, harbor: Harbor) -> None:
        for number, stage in enumerate((Stage.SUBMITTED, Stage.IDENTIFIED, Stage.WON)):
            await harbor.add(
                notice=number, stage=stage, value=100 * number, probability=50, lead_id=harbor.bob.id if number else None
            )
        first, second, third = (notice.title for notice in harbor.notices[:3])
        assert await titles(harbor) == [first, second, third]
        assert await titles(harbor, sort="stage") == [second, first, third]
        assert await titles(harbor, sort="-weighted_value") == [third, second, first]
        assert await titles(harbor, is_open=True) == [first, second]
        assert await titles(harbor, stage=Stage.WON) == [third]
        assert await titles(harbor, lead=harbor.bob.id) == [second, third]
        assert await titles(harbor, lead="none") == [first]
        assert await titles(harbor, text=second[3:20].upper()) == [second]
        due_at = harbor.notices[1].due_at
        assert due_at
        day = day_in_washington(due_at)
        assert second in await titles(harbor, due_from=day, due_to=day)
        assert second not in await titles(harbor, due_to=day - timedelta(days=1))
        assert await titles(harbor, opportunity_id=harbor.notices[2].id) == [third]

    async def test_begins_with_what_is_due_next_and_ends_with_what_was_due(self, harbor: Harbor) -> None:
        for number, due in enumerate(
            ("now() - interval '90 days'", "now() + interval '60 days'", "NULL", "now() - interval '3 days'")
        ):
            await harbor.add(notice=number)
            await harbor.run(f"UPDATE opportunity SET due_at = {due} WHERE id = :id", id=harbor.notices[number].id)
        expected = [harbor.notices[number].title for number in (1, 2, 3, 0)]
        assert await titles(harbor) == expected
        columns = await harbor.do(harbor.ada, lambda session: service.read_board(session, harbor.ada, PipelineQuery(), {}))
        assert [item.title for item in columns[0].items] == expected

    async def test_shows_the_current_facts_of_a_notice_and_the_last_known_ones_once_it_is_gone(self, harbor: Harbor) -> None:
        added = await harbor.add()
        await harbor.run("UPDATE opportunity SET title = 'New title' WHERE id = :id", id=added.opportunity_id)
        assert await titles(harbor) == ["New title"]
        await harbor.run("DELETE FROM opportunity WHERE id = :id", id=added.opportunity_id)
        (kept,) = await harbor.listed()
        assert (kept.title, kept.due_at, kept.has_notice) == (added.title, added.due_at, False)

    async def test_board_has_the_first_pursuits_of_each_open_stage_and_totals_of_all(self, harbor: Harbor) -> None:
        for number in range(3):
            await harbor.add(notice=number, stage=Stage.PREPARING, value=1_000, probability=25 if number else None)
        await harbor.add(notice=3, stage=Stage.WON, value=7)
        columns = await board(harbor, {Stage.PREPARING: 2})
        assert list(columns) == [*OPEN_STAGES, *OUTCOMES]
        preparing = columns[Stage.PREPARING]
        assert [item.title for item in preparing.items] == [notice.title for notice in harbor.notices[:2]]
        assert (preparing.count, preparing.value, preparing.weighted_value) == (3, 3_000, 500)
        assert (columns[Stage.WON].count, columns[Stage.WON].value, columns[Stage.WON].items) == (1, 7, [])
        assert [column.count for column in (await board(harbor, text=harbor.notices[0].title)).values()] == [
            0,
            0,
            1,
            0,
            0,
            0,
            0,
            0,
        ]

    async def test_export_has_all_of_them(self, harbor: Harbor) -> None:
        await harbor.add(probability=5, reason="Strong team")
        await harbor.add(notice=1)

        async def export(session: AsyncSession) -> list[str]:
            return [line async for line in service.export_pursuits(session, harbor.ada, harbor.core, PipelineQuery())]

        lines = await harbor.do(harbor.ada, export)
        assert len(lines) == 3 and lines[0].startswith("Title,Number,Agency,Kind,Due,Stage,") and "Strong team" in lines[1]


class TestRemove:
    async def test_is_restored_with_its_history_unless_it_is_pursued_again(self, harbor: Harbor) -> None:
        added = await harbor.move(await harbor.add(value=5), Stage.QUALIFYING)
        await harbor.remove(added, harbor.bob)
        assert await harbor.listed() == []
        with pytest.raises(NotFound):
            await harbor.get(added.id)
        again = await harbor.add()
        with pytest.raises(service.PursuedAgain):
            await _restore(harbor, added)
        await harbor.remove(again)
        await _restore(harbor, added)
        assert await harbor.get(added.id) == added

    async def test_is_restored_or_pursued_again_of_two_who_do_so_at_once(self, harbor: Harbor) -> None:
        for _ in range(5):
            trashed = await harbor.add()
            await harbor.remove(trashed)
            both = asyncio.gather(_restore(harbor, trashed), harbor.add(harbor.ada), return_exceptions=True)
            failures = [each for each in await both if isinstance(each, BaseException)]
            assert all(isinstance(each, service.PursuedAgain) for each in failures)
            (pursued,) = await harbor.listed()
            await harbor.remove(pursued)

    async def test_copies_of_personal_data_have_pursuits_with_their_history(self, harbor: Harbor) -> None:
        await harbor.remove(await harbor.add(reason="In the trash"))
        await harbor.add(notice=1, reason="In the pipeline")
        listed, trashed = [str(file.content) async for file in _copy(harbor)]
        assert "In the pipeline" in listed and "In the trash" in trashed and "moves" in listed


async def _restore(harbor: Harbor, pursuit: PursuitDetails) -> None:
    await harbor.do(harbor.bob, lambda session: trash.restore(session, harbor.bob, harbor.core, pursuit.id))


async def _copy(harbor: Harbor) -> AsyncIterator[DataFile]:
    async with harbor.core.database.transaction() as session:
        async for file in own_files(session, harbor.ada, harbor.core):
            yield file
