"""Members watch notices, and are told of their changes and due dates once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway, NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.core.scopes import acting_in
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import ChoiceChange, EmailTiming, NotificationQuery
from fundwright.opportunities import events, service, telling, watching
from fundwright.opportunities.personal_data import own_files
from fundwright.opportunities.repository import watches
from fundwright.opportunities.schemas import ImportOpportunities, OpportunityQuery
from fundwright.opportunities.washington import day_in_washington
from fundwright.workspaces import repository
from fundwright.workspaces import service as workspaces
from tests.opportunities.conftest import run_import
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.support.accounts import add_account
from tests.support.scopes import INSTALLATION
from tests.support.snapshots import Snapshots
from tests.support.statements import statements

T = TypeVar("T")
TODAY = day_in_washington(datetime.now(UTC))
FIRST = {"NoticeId": notice_id(1), "Sol#": "W91-26-R-0007", "Title": "Runway repair", "ResponseDeadLine": "2030-12-01"}
OTHER = {"NoticeId": notice_id(2), "Sol#": "N00-26-R-0001", "Title": "Submarine paint", "ResponseDeadLine": "2030-12-01"}


@dataclass(frozen=True)
class Lookout:
    """A workspace of Ada (owner), Bob (editor), and Vic (viewer), and Eve outside of it."""

    core: Core
    folder: Path
    ada: Actor
    bob: Actor
    vic: Actor
    eve: Actor

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def arrive(self, *rows: dict[str, str]) -> None:
        """Import a file with these notices."""
        path = self.folder / "notices.csv"
        path.write_bytes(sam_file(*(sam_row(**row) for row in rows)))
        await run_import(self.core, self.eve, path, source="sam")

    async def find(self, number: int) -> UUID:
        async with self.core.database.transaction() as session:
            return (await service.look_up(session, self.ada, notice_id(number))).id

    async def watch(self, actor: Actor, number: int = 1) -> None:
        id = await self.find(number)
        await self.do(actor, lambda session: watching.watch(session, actor, id))

    async def unwatch(self, actor: Actor, number: int = 1) -> None:
        id = await self.find(number)
        await self.do(actor, lambda session: watching.unwatch(session, actor, id))

    async def watchers(self, actor: Actor, number: int = 1) -> tuple[bool, list[str]]:
        id = await self.find(number)
        found = await self.do(actor, lambda session: watching.get_watch(session, actor, id))
        return found.is_watched, found.others

    async def listed(self, actor: Actor, **query: object) -> list[str]:
        wanted = OpportunityQuery.model_validate(query)
        found = await self.do(actor, lambda session: service.list_opportunities(session, actor, wanted))
        return sorted(row.title for row in found.items)

    async def told(self, actor: Actor, language: Any = "en") -> list[str]:
        """The sentences about watched notices, oldest first."""
        with using_language(language):
            found = await self.do(
                actor, lambda session: notifications.list_notifications(session, actor, self.core, NotificationQuery())
            )
        return [each.title for each in reversed(found.items) if each.kind.startswith("watch.")]

    async def tell(self) -> None:
        await telling.tell_watchers(self.core)


@pytest.fixture
async def lookout(committed: Core, snapshots: Snapshots, tmp_path: Path) -> Lookout:
    return Lookout(committed, tmp_path, *await snapshots.of(committed, _fill))


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Lookout", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)], eve]


class TestWatch:
    async def test_members_see_who_watches_and_nobody_outside_of_the_workspace_does(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.bob)
        await lookout.watch(lookout.vic)
        await lookout.watch(lookout.vic)
        assert await lookout.watchers(lookout.ada) == (False, ["Bob", "Vic"])
        assert await lookout.watchers(lookout.bob) == (True, ["Vic"])
        assert await lookout.watchers(lookout.eve) == (False, [])
        assert await lookout.watchers(lookout.ada, 2) == (False, [])
        await lookout.unwatch(lookout.ada)
        assert await lookout.watchers(lookout.ada) == (False, ["Bob", "Vic"])
        await lookout.unwatch(lookout.vic)
        assert await lookout.watchers(lookout.ada) == (False, ["Bob"])

    async def test_all_notices_of_the_solicitation_are_watched(self, lookout: Lookout) -> None:
        amendment = {**FIRST, "NoticeId": notice_id(3), "Sol#": "w9126r0007", "Title": "Runway repair, amended"}
        await lookout.arrive(FIRST, OTHER, amendment)
        await lookout.watch(lookout.ada)
        await lookout.watch(lookout.ada, 3)
        assert await lookout.watchers(lookout.ada, 3) == (True, [])
        assert await lookout.listed(lookout.ada, watched="me") == ["Runway repair", "Runway repair, amended"]
        await lookout.unwatch(lookout.ada, 3)
        assert await lookout.watchers(lookout.ada) == (False, [])

    async def test_the_filter_combines_with_others_and_with_a_search(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        await lookout.watch(lookout.bob, 2)
        assert await lookout.listed(lookout.ada, watched="me") == ["Runway repair"]
        assert await lookout.listed(lookout.ada, watched="anyone") == ["Runway repair", "Submarine paint"]
        assert await lookout.listed(lookout.eve, watched="anyone") == []
        assert await lookout.listed(lookout.ada, watched="anyone", text="paint") == ["Submarine paint"]
        assert await lookout.listed(lookout.ada, watched="me", text="paint") == []
        assert await lookout.listed(lookout.ada, watched="me", kind="grant") == []
        counted = OpportunityQuery(kind="contract", watched="me")
        assert await lookout.do(lookout.ada, lambda session: service.count_matching(session, lookout.ada, counted)) == 1

    async def test_too_many_are_refused(self, lookout: Lookout, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watching, "MOST_WATCHED", 1)
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        with pytest.raises(watching.TooManyWatched):
            await lookout.watch(lookout.ada, 2)
        await lookout.watch(lookout.bob, 2)

    async def test_several_at_once_return_those_that_were_not_watched_before(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        ids = [await lookout.find(1), await lookout.find(2), UUID(int=1)]
        added = await lookout.do(lookout.ada, lambda session: watching.watch_all(session, lookout.ada, ids))
        assert added == ids[1:2]
        await lookout.do(lookout.ada, lambda session: watching.unwatch_all(session, lookout.ada, added))
        assert await lookout.listed(lookout.ada, watched="me") == ["Runway repair"]

    async def test_a_notice_that_does_not_exist_is_not_watched(self, lookout: Lookout) -> None:
        with pytest.raises(NotFound):
            await lookout.do(lookout.ada, lambda session: watching.watch(session, lookout.ada, UUID(int=1)))

    async def test_the_watches_of_a_member_who_is_removed_end_at_once(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.bob)
        await lookout.do(lookout.ada, lambda session: workspaces.remove_member(session, lookout.ada, lookout.bob.id))
        assert await lookout.watchers(lookout.ada) == (False, [])

    async def test_an_administrator_with_support_access_does_not_watch(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        supporter = lookout.ada.model_copy(update={"is_support": True})
        for change in (watching.watch, watching.unwatch):
            with pytest.raises(NotAllowed):
                await lookout.do(supporter, partial(change, actor=supporter, opportunity_id=await lookout.find(1)))

    async def test_a_copy_of_personal_data_has_what_the_account_watches(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        await lookout.watch(lookout.bob, 2)
        async with lookout.core.database.transaction(scope=INSTALLATION) as session:
            files = {file.name: file.content async for file in own_files(session, lookout.ada, lookout.core)}
        watched = str(files["opportunities/watched.csv"])
        assert "Runway repair" in watched and "Submarine paint" not in watched


class TestTell:
    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"ResponseDeadLine": "2030-12-15"}, "due date moved from Dec 1, 2030 to Dec 15, 2030"),
            ({"ResponseDeadLine": ""}, "no longer due on Dec 1, 2030"),
            ({"Description": "Other words", "PrimaryContactFullname": "Cy"}, "changed: description, contacts"),
            ({"AdditionalInfoLink": "https://sam.gov/file"}, "an attachment was added"),
            ({"Title": "CANCELED: Runway repair"}, "canceled; changed: title"),
            ({"Active": "No"}, "archived by the source"),
            ({"FPDS Code": "7"}, "changed: other fields"),
        ],
    )
    async def test_watchers_are_told_once_what_changed(self, lookout: Lookout, change: dict[str, str], sentence: str) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []
        await lookout.arrive({**FIRST, **change}, OTHER | {"Title": "Submarine primer"})
        for _ in range(3):
            await lookout.tell()
        assert await lookout.told(lookout.ada) == [f"“{(FIRST | change)['Title']}”: {sentence}"]
        assert await lookout.told(lookout.bob) == []
        await lookout.arrive({**FIRST, **change})
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1

    async def test_the_sentence_is_in_the_language_of_the_reader(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "ResponseDeadLine": "2030-12-15"})
        await lookout.tell()
        (german,) = await lookout.told(lookout.ada, "de")
        assert "01.12.2030" in german and "15.12.2030" in german

    @pytest.mark.parametrize(
        ("type", "sentence"),
        [
            ("Award Notice", "awarded"),
            ("Solicitation", "new notice (Solicitation)"),
            ("Account locked.\n\nVerify at https://evil.example", "1 new notice"),
        ],
    )
    async def test_watchers_are_told_of_new_notices_of_the_solicitation(self, lookout: Lookout, type: str, sentence: str) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive(FIRST, {**FIRST, "NoticeId": notice_id(3), "Type": type, "Title": "Runway repair again"}, OTHER)
        await lookout.tell()
        assert await lookout.told(lookout.ada) == [f"“Runway repair again”: {sentence}"]

    async def test_everything_about_a_solicitation_since_the_last_time_is_one_notification(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        await lookout.arrive(
            {**FIRST, "ResponseDeadLine": "2030-12-15", "Description": "Even more"},
            *({**FIRST, "NoticeId": notice_id(number)} for number in (3, 4)),
        )
        await lookout.tell()
        changes = "due date moved from Dec 1, 2030 to Dec 15, 2030; 2 new notices; changed: description"
        assert await lookout.told(lookout.ada) == [f"“Runway repair”: {changes}"]

    async def test_a_change_that_is_taken_back_is_not_told(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        await lookout.arrive(FIRST)
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []

    async def test_changes_before_the_watch_are_not_told(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        await lookout.watch(lookout.bob)
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1
        assert await lookout.told(lookout.bob) == []

    async def test_two_workers_tell_once(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        await asyncio.gather(*(lookout.tell() for _ in range(4)))
        assert len(await lookout.told(lookout.ada)) == 1

    async def test_a_worker_that_is_killed_before_the_end_tells_nothing_and_the_next_one_everything(
        self, lookout: Lookout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await lookout.arrive(FIRST, OTHER)
        await lookout.watch(lookout.ada)
        await lookout.watch(lookout.ada, 2)
        await lookout.arrive({**FIRST, "Description": "More"}, {**OTHER, "Description": "More"})

        async def dies(*_given: object) -> None:
            raise DatabaseAway

        mark_told = watches.mark_told
        monkeypatch.setattr(watches, "mark_told", dies)
        with pytest.raises(DatabaseAway):
            await lookout.tell()
        assert await lookout.told(lookout.ada) == []
        monkeypatch.setattr(watches, "mark_told", mark_told)
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 2

    async def test_many_notifications_take_as_many_statements_as_one(self, lookout: Lookout) -> None:
        rows = [{**FIRST, "NoticeId": notice_id(number), "Sol#": f"W91-26-R-{number}"} for number in range(1, 21)]
        await lookout.arrive(*rows)
        counts = []
        for actor, number in ((lookout.ada, 1), (lookout.bob, 20)):
            for watched in range(1, number + 1):
                await lookout.watch(actor, watched)
            await lookout.arrive(*({**row, "Description": f"More for {actor.name}"} for row in rows))
            with statements(lookout.core.database.engine.sync_engine) as seen:
                await lookout.tell()
            counts.append(len(seen))
            assert len(await lookout.told(actor)) == number
            for watched in range(1, number + 1):
                await lookout.unwatch(actor, watched)
        assert counts[0] == counts[1]

    async def test_waits_until_imports_have_ended(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        async with lookout.core.database.transaction() as session:
            payload = ImportOpportunities(run_id=UUID(int=1), source="sam", path=Path("none"))
            job = await lookout.core.jobs.enqueue(session, payload, title="test", owner_id=None)
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []
        async with lookout.core.database.transaction() as session:
            await session.execute(text("UPDATE job SET state = 'succeeded' WHERE id = :id"), {"id": job.id})
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1

    async def test_one_who_cannot_be_told_keeps_no_other_waiting(
        self, lookout: Lookout, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        await lookout.arrive(FIRST)
        for each in (lookout.ada, lookout.bob):
            await lookout.watch(each)
        await lookout.arrive({**FIRST, "Description": "More"})
        add = notifications.notify_all

        async def fails_once(*given: Any, **options: Any) -> None:
            monkeypatch.setattr(notifications, "notify_all", add)
            raise RuntimeError

        monkeypatch.setattr(notifications, "notify_all", fails_once)
        await lookout.tell()
        caplog.clear()
        assert sorted(map(len, [await lookout.told(lookout.ada), await lookout.told(lookout.bob)])) == [0, 1]
        await lookout.tell()
        assert sorted(map(len, [await lookout.told(lookout.ada), await lookout.told(lookout.bob)])) == [1, 1]

    async def test_disabled_accounts_are_skipped(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        await lookout.arrive({**FIRST, "Description": "More"})
        async with lookout.core.database.transaction() as session:
            await session.execute(text("UPDATE account SET disabled_at = now() WHERE id = :id"), {"id": lookout.ada.id})
        await lookout.tell()
        async with lookout.core.database.transaction() as session:
            await session.execute(text("UPDATE account SET disabled_at = NULL"))
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []

    async def test_members_choose_how_they_are_told(self, lookout: Lookout) -> None:
        await lookout.arrive(FIRST)
        await lookout.watch(lookout.ada)
        choice = ChoiceChange(is_listed=False, email=EmailTiming.OFF)
        await lookout.do(
            lookout.ada,
            lambda session: notifications.choose(session, lookout.ada, lookout.core, events.WATCHED_CHANGED.key, choice),
        )
        await lookout.arrive({**FIRST, "Description": "More"})
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []


class TestRemind:
    @pytest.mark.parametrize(
        ("days", "sentences"),
        [
            (8, []),
            (7, ["in 7 days"]),
            (5, ["in 5 days"]),  # no worker ran for two days
            (1, ["in 1 day"]),
            (0, ["today"]),
            (-1, []),
        ],
    )
    async def test_watchers_are_reminded_once(self, lookout: Lookout, days: int, sentences: list[str]) -> None:
        due = TODAY + timedelta(days=days)
        await lookout.arrive({**FIRST, "ResponseDeadLine": due.isoformat()}, {**OTHER, "ResponseDeadLine": due.isoformat()})
        await lookout.watch(lookout.ada)
        await self.reminded_before(lookout, 6)
        for _ in range(2):
            await lookout.tell()
        shown = f"{due:%b} {due.day}, {due.year}"
        assert await lookout.told(lookout.ada) == [f"“Runway repair” is due {each}, on {shown}" for each in sentences]

    async def reminded_before(self, lookout: Lookout, days: int) -> None:
        """As if nobody had been reminded since."""
        async with lookout.core.database.transaction() as session:
            await session.execute(text("UPDATE opportunity_watch SET reminded_on = :day"), {"day": TODAY - timedelta(days=days)})

    async def test_each_of_both_reminders_comes_on_its_day(self, lookout: Lookout) -> None:
        due = TODAY + timedelta(days=1)
        await lookout.arrive({**FIRST, "ResponseDeadLine": due.isoformat()})
        await lookout.watch(lookout.ada)
        await lookout.tell()
        assert await lookout.told(lookout.ada) == []  # whoever begins to watch has just seen the date
        await self.reminded_before(lookout, 1)
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1

    async def test_notices_of_a_solicitation_with_the_same_due_date_are_one_reminder(self, lookout: Lookout) -> None:
        due = (TODAY + timedelta(days=7)).isoformat()
        notices = [{**FIRST, "NoticeId": notice_id(number), "ResponseDeadLine": due} for number in (1, 3, 4)]
        await lookout.arrive(*notices, {**FIRST, "NoticeId": notice_id(5), "ResponseDeadLine": due, "Active": "No"})
        await lookout.watch(lookout.ada)
        await self.reminded_before(lookout, 1)
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1

    async def test_reminders_do_not_wait_for_imports(self, lookout: Lookout) -> None:
        await lookout.arrive({**FIRST, "ResponseDeadLine": (TODAY + timedelta(days=7)).isoformat()})
        await lookout.watch(lookout.ada)
        await self.reminded_before(lookout, 1)
        async with lookout.core.database.transaction() as session:
            payload = ImportOpportunities(run_id=UUID(int=1), source="sam", path=Path("none"))
            await lookout.core.jobs.enqueue(session, payload, title="test", owner_id=None)
        await lookout.tell()
        assert len(await lookout.told(lookout.ada)) == 1
