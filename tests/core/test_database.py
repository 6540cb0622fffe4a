"""Error messages of failed statements, read-only sessions, and dead connections."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, cast
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database as database_module
from fundwright.core.assembly import Core
from fundwright.core.database import ConnectionHeld, Database, WriteRefused, call_after_commit, require_no_transaction
from fundwright.core.database_address import libpq_url
from fundwright.core.errors import ConnectionsTaken, DatabaseAway, DatabaseSlow, ItemHidden, UnusableText
from fundwright.core.fair_loop import work_for
from fundwright.core.jobs import JobRun, JobState
from fundwright.core.mail import Mail
from fundwright.core.scopes import NOBODY, Scope, acting_in
from tests.support.jobs import Trial, trial
from tests.support.polling import eventually


class TestFailures:
    async def test_a_server_that_accepts_connections_but_does_not_respond_is_unavailable(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2"
            database = Database(libpq_url(address))
            with pytest.raises(DatabaseAway):
                async with database.transaction() as session:
                    await session.execute(text("SELECT 1"))
            await database.close()

    async def test_a_database_whose_connections_are_all_in_use_is_temporarily_unavailable(self, core: Core) -> None:
        database = Database(core.database.url, pool_size=1, pool_timeout_s=0.1)
        async with AsyncExitStack() as in_use:
            for _ in range(2):
                await (await in_use.enter_async_context(database.transaction())).execute(text("SELECT 1"))
            with pytest.raises(DatabaseAway):
                async with database.transaction() as session:
                    await session.execute(text("SELECT 1"))
        async with database.transaction() as session:
            await session.execute(text("SELECT 1"))
        await database.close()

    @pytest.mark.security(53)
    @pytest.mark.parametrize("opened", ["transaction", "reading"])
    async def test_one_party_leaves_connections_to_others(self, core: Core, opened: str) -> None:
        database = Database(core.database.url, pool_size=3, pool_timeout_s=0.5)
        begin = getattr(database, opened)

        async def use(party: str) -> None:
            work_for(party)
            async with begin() as session:
                await session.execute(text("SELECT 1"))
                async with begin() as inner:  # counts as one with the session around it
                    await inner.execute(text("SELECT 1"))
                held.append(party)
                await is_over.wait()

        held, is_over = list[str](), asyncio.Event()
        tasks = [asyncio.create_task(use(party)) for party in (*["busy"] * 6, "quiet")]
        await eventually(lambda: len(held) == 3 and sum(each.done() for each in tasks) == 4)
        assert sorted(held) == ["busy", "busy", "quiet"]
        refused = [each.exception() for each in tasks if each.done()]
        assert len(refused) == 4
        assert {type(each) for each in refused} == {ConnectionsTaken}
        is_over.set()
        await asyncio.wait(tasks)
        await asyncio.create_task(use("quiet"))
        await database.close()

    @pytest.mark.security(53)
    async def test_a_session_that_has_not_read_yet_holds_no_connection(self, core: Core) -> None:
        database = Database(core.database.url, pool_size=3, pool_timeout_s=0.5)
        opened, is_over = list[str](), asyncio.Event()

        async def open_one() -> None:
            work_for("party")
            async with database.transaction():
                opened.append("opened")
                await is_over.wait()

        async def read() -> None:
            work_for("party")
            async with database.reading() as session:
                await session.execute(text("SELECT 1"))

        tasks = [asyncio.create_task(open_one()) for _ in range(6)]
        await eventually(lambda: len(opened) == 6)
        await asyncio.create_task(read())
        is_over.set()
        await asyncio.wait(tasks)
        await database.close()

    @pytest.mark.parametrize("opened", ["transaction", "reading"])
    async def test_a_statement_that_takes_too_long_is_ended(
        self, core: Core, monkeypatch: pytest.MonkeyPatch, opened: str
    ) -> None:
        limit = ContextVar("limit", default=1)
        monkeypatch.setattr("fundwright.core.database._statement_limit_s", limit)
        with pytest.raises(DatabaseSlow):
            async with getattr(core.database, opened)() as session:
                await session.execute(text("SELECT pg_sleep(60)"))

    async def test_jobs_may_take_longer_than_people_wait(self, committed: Core) -> None:
        async def limit() -> str:
            async with committed.database.reading() as session:
                return await session.scalar(text("SHOW statement_timeout")) or ""

        async def run(_job: JobRun[Trial, Any]) -> dict[str, Any]:
            return {"limit": await limit()}

        committed.jobs.register(trial(run))
        job = await committed.jobs.run_inline(Trial(), title="Test", owner_id=None)
        assert (await limit(), job.result) == ("30s", {"limit": "10min"})

    @pytest.mark.security(53)
    async def test_jobs_wait_for_connections_of_their_account(self, committed: Core) -> None:
        """Otherwise, they would end as if the database were unavailable, and begin again."""
        database = Database(committed.database.url, pool_size=3, pool_timeout_s=0.2)
        owner_id, held, has_begun, is_over = uuid4(), list[str](), list[bool](), asyncio.Event()

        async def use() -> None:
            async with database.reading() as session:
                await session.execute(text("SELECT 1"))
                held.append("one")
                await is_over.wait()

        async def hold() -> None:
            work_for(owner_id)
            await use()

        async def run(_job: JobRun[Trial, Any]) -> None:
            has_begun.append(True)
            await use()

        committed.jobs.register(trial(run))
        holding = [asyncio.create_task(hold()) for _ in range(2)]
        await eventually(lambda: len(held) == 2)
        job = asyncio.create_task(committed.jobs.run_inline(Trial(), title="Test", owner_id=owner_id))
        await eventually(lambda: has_begun)
        with pytest.raises(ConnectionsTaken) as refused:
            await asyncio.create_task(hold())  # waits as long as the job would
        assert not job.done() and len(held) == 2
        is_over.set()
        assert (await job).state == JobState.SUCCEEDED and len(held) == 3
        assert not isinstance(refused.value, DatabaseAway), "timers would stop for everyone"
        await asyncio.wait(holding)
        await database.close()

    @pytest.mark.parametrize("statement", ["SELECT CAST(:value AS text)", "SELECT CAST(:value AS jsonb)"])
    async def test_a_character_that_cannot_be_stored_is_reported(self, core: Core, statement: str) -> None:
        value = "a\0b" if "text" in statement else '"a\\u0000b"'
        with pytest.raises(UnusableText):
            async with core.database.transaction() as session:
                await session.execute(text(statement), {"value": value})

    @pytest.mark.security(46)
    async def test_what_row_level_security_hides_by_now_is_not_found(self, core: Core) -> None:
        """An item may be restricted between a check and the statement that adds something to it."""
        added = "INSERT INTO restriction VALUES (gen_random_uuid(), gen_random_uuid(), 'draft', NULL, now())"
        with pytest.raises(ItemHidden):
            async with core.database.transaction(scope=NOBODY) as session:
                await session.execute(text(added))

    async def test_a_failed_statement_does_not_reveal_its_values(self, session: AsyncSession) -> None:
        """The log would contain them: password hashes, token digests, and people's texts."""
        with pytest.raises(DBAPIError) as failed:
            await session.execute(text("SELECT 1 FROM account WHERE password_hash = :hash"), {"hash": b"a-digest"})
        assert "a-digest" not in str(failed.value)


class TestReading:
    async def test_each_statement_sees_what_is_committed_before_it(self, committed: Core) -> None:
        count = text("SELECT count(*) FROM mail")
        async with committed.database.reading() as session:
            assert await session.scalar(count) == 0
            async with committed.database.transaction() as other:
                other.add(Mail(kind="", recipient="", language="en", subject="", text="", html="", state=""))
            assert await session.scalar(count) == 1

    async def test_it_cannot_write(self, core: Core) -> None:
        with pytest.raises(WriteRefused):
            async with core.database.reading() as session:
                await session.execute(insert(Mail).values(recipient="ada@example.org"))
        with pytest.raises(WriteRefused):
            async with core.database.reading() as session:
                session.add(Mail(recipient="ada@example.org"))

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM mail",
            "WITH gone AS (DELETE FROM mail RETURNING id) SELECT count(*) FROM gone",
            "SELECT setval('procrastinate_jobs_id_seq', 2)",
        ],
    )
    async def test_it_cannot_write_by_sql_as_text(self, committed: Core, statement: str) -> None:
        with pytest.raises(WriteRefused):
            async with committed.database.reading() as session:
                await session.execute(text(statement))
        async with committed.database.transaction() as session:
            await session.execute(text(statement))

    async def test_it_holds_a_connection(self, core: Core) -> None:
        with pytest.raises(ConnectionHeld):
            async with core.database.reading():
                require_no_transaction("Reading from an endpoint")
        require_no_transaction("Reading from an endpoint")


async def test_a_call_after_the_commit_does_not_come_at_the_end_of_a_savepoint(core: Core) -> None:
    called: list[str] = []
    async with core.database.transaction() as session:
        call_after_commit(session, lambda: called.append("now"))
        async with session.begin_nested():
            await session.execute(text("SELECT 1"))
        assert called == []
    assert called == ["now"]


@pytest.fixture
async def single(core: Core) -> AsyncIterator[Database]:
    """A database with only one connection."""
    database = Database(core.database.url, pool_size=1)
    yield database
    await database.close()


async def process_of(database: Database) -> int:
    async with database.reading() as session:
        return await session.scalar(text("SELECT pg_backend_pid()")) or 0


class TestDeadConnections:
    async def test_one_that_the_server_has_closed_is_replaced(self, core: Core, single: Database) -> None:
        process = await process_of(single)
        async with core.database.transaction() as session:
            assert await session.scalar(text("SELECT pg_terminate_backend(:process, 10000)"), {"process": process})
        assert await process_of(single) not in (0, process)

    @pytest.mark.parametrize(("trusted_s", "is_asked"), [(60.0, False), (0.0, True)])
    async def test_the_server_is_asked_only_after_a_while(
        self, single: Database, monkeypatch: pytest.MonkeyPatch, trusted_s: float, is_asked: bool
    ) -> None:
        monkeypatch.setattr("fundwright.core.database._TRUSTED_S", trusted_s)
        await process_of(single)
        pings = 0

        def count_ping(connection: Any) -> bool:
            nonlocal pings
            pings += 1
            return True

        monkeypatch.setattr(single.engine.sync_engine.dialect, "do_ping", count_ping)
        await process_of(single)
        assert pings == is_asked


@pytest.mark.parametrize("opened", ["reading", "transaction"])
async def test_a_task_that_is_canceled_while_it_begins_leaves_no_connection_to_the_garbage_collector(
    single: Database, monkeypatch: pytest.MonkeyPatch, opened: str
) -> None:
    async def read() -> None:
        async with getattr(single, opened)() as session:
            await session.execute(text("SELECT 1"))

    async def cancel(*_: object) -> None:
        (task,) = reading
        task.cancel()
        await asyncio.Event().wait()

    process = await process_of(single)
    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncCursor, "execute", cancel)
        reading = {asyncio.create_task(read())}
        (done,), _ = await asyncio.wait(reading)
    assert done.cancelled()
    assert single.engine.pool.status().endswith("Current Checked out connections: 0")
    assert await process_of(single) not in (0, process)


class TestTogether:
    """Reads of one page, in one transaction."""

    async def test_those_that_wait_for_each_other_share_a_transaction(self, core: Core) -> None:
        reading = core.database.together()

        async def read() -> int:
            async with reading() as session:
                return (await session.execute(text("SELECT pg_backend_pid()"))).scalar_one()

        with counted_begins(core.database) as begins:
            assert len(set(await asyncio.gather(*(read() for _ in range(10))))) == 1
            await read()
        assert len(begins) == 2, "the last one began after the others had ended"

    async def test_each_has_a_session_of_its_own(self, core: Core) -> None:
        reading = core.database.together()

        async def read() -> AsyncSession:
            async with reading() as session:
                await session.execute(text("SELECT 1"))
                return session

        first, second = await asyncio.gather(read(), read())
        assert first is not second

    async def test_one_that_fails_leaves_the_others_alone(self, core: Core) -> None:
        reading = core.database.together()

        async def read(statement: str) -> object:
            async with reading() as session:
                return (await session.execute(text(statement))).scalar()

        before, failed, after = await asyncio.gather(*map(read, ("SELECT 1", "SELECT 1 / 0", "SELECT 2")), return_exceptions=True)
        assert (before, after) == (1, 2)
        assert isinstance(failed, DBAPIError)

    async def test_one_that_is_canceled_leaves_the_others_alone(self, core: Core) -> None:
        reading, has_begun = core.database.together(), asyncio.Event()

        async def read(statement: str) -> object:
            async with reading() as session:
                has_begun.set()
                return (await session.execute(text(statement))).scalar()

        canceled, waiting, going_on = (asyncio.create_task(read(each)) for each in ("SELECT pg_sleep(5)", "SELECT 1", "SELECT 2"))
        await has_begun.wait()
        canceled.cancel()
        waiting.cancel()
        assert await going_on == 2

    async def test_one_that_is_canceled_as_its_turn_comes_ends_the_transaction(self, core: Core) -> None:
        database = Database(core.database.url)
        reading, has_begun, may_end = database.together(), asyncio.Event(), asyncio.Event()

        async def read() -> None:
            async with reading() as session:
                await session.execute(text("SELECT 1"))
                has_begun.set()
                await may_end.wait()

        first = asyncio.create_task(read())
        await has_begun.wait()
        second = asyncio.create_task(read())
        await asyncio.sleep(0)
        may_end.set()
        turn: asyncio.Lock = cast(Any, reading).__self__._turn
        while turn.locked():
            await asyncio.sleep(0)
        second.cancel()  # the turn has been released for it, and has not reached it
        await asyncio.wait((first, second))
        assert second.cancelled()
        assert checked_out(database) == 0
        await database.close()

    async def test_each_has_the_scope_of_its_task(self, core: Core) -> None:
        reading = core.database.together()

        async def read(scope: Scope) -> object:
            with acting_in(scope):
                async with reading() as session:
                    return (await session.execute(text("SELECT current_setting('app.account_id')"))).scalar()

        one, other = (Scope(account_id=uuid4()) for _ in range(2))
        assert await asyncio.gather(*map(read, (one, other, one))) == [str(each.account_id) for each in (one, other, one)]

    async def test_one_that_takes_long_does_not_hold_up_the_others(self, core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database_module, "_PATIENCE_S", 0.05)
        reading, may_end = core.database.together(), asyncio.Event()

        async def read_long() -> None:
            async with reading() as session:
                await session.execute(text("SELECT 1"))
                await may_end.wait()

        long = asyncio.create_task(read_long())
        await asyncio.sleep(0)
        async with asyncio.timeout(10), reading() as session:
            assert (await session.execute(text("SELECT 2"))).scalar() == 2
        may_end.set()
        await long

    async def test_one_that_writes_is_refused(self, core: Core) -> None:
        with pytest.raises(WriteRefused):
            async with core.database.together()() as session:
                await session.execute(text("DELETE FROM page_view"))


def checked_out(database: Database) -> int:
    return cast(Any, database.engine.pool).checkedout()


@contextmanager
def counted_begins(database: Database) -> Iterator[list[object]]:
    begins: list[object] = []
    note = begins.append  # the same object for both calls
    event.listen(database.engine.sync_engine, "begin", note)
    try:
        yield begins
    finally:
        event.remove(database.engine.sync_engine, "begin", note)
