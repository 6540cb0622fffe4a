"""Database URLs, error messages of failed statements, read-only sessions, and dead connections."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.database import ConnectionHeld, Database, WriteRefused, libpq_url, require_no_transaction
from fundwright.core.errors import DatabaseAway, ItemHidden, StartRefused, UnusableText
from fundwright.core.mail import Mail
from fundwright.core.scopes import NOBODY


class TestAddress:
    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("postgresql://ada:a%40b@db:5433/x?sslmode=require", "postgresql://ada:a%40b@db:5433/x?sslmode=require&"),
            ("postgres://ada@db/x", "postgresql://ada@db/x?"),
            ("postgresql+psycopg://ada@db/x", "postgresql://ada@db/x?"),
            ("postgresql://ada@/x?host=/a%20folder", "postgresql://ada@/x?host=/a%20folder&"),
        ],
    )
    def test_common_ways_to_write_it_are_understood(self, written: str, read: str) -> None:
        assert libpq_url(written).startswith(read)

    def test_a_server_that_vanishes_is_noticed_in_less_than_a_minute(self) -> None:
        read = conninfo_to_dict(libpq_url("postgresql://ada@db/x"))
        assert read["connect_timeout"] == "5"
        assert read["tcp_user_timeout"] == "30000"
        idle, interval, count = (int(str(read[f"keepalives_{name}"])) for name in ("idle", "interval", "count"))
        assert idle + interval * count <= 60

    def test_what_the_address_says_of_time_limits_counts(self) -> None:
        read = conninfo_to_dict(libpq_url("postgresql://ada@db/x?connect_timeout=20&keepalives_idle=300"))
        assert (read["connect_timeout"], read["keepalives_idle"], read["keepalives_count"]) == ("20", "300", "3")

    @pytest.mark.parametrize(
        "written",
        [
            "db.example.org",
            "mysql://ada:hidden@db/x",
            "postgresql://ada:hidden@db",
            "postgresql://ada:hidden@db:port/x",
            "postgresql://ada:hid@den@db/x",
            "postgresql://ada:hid%zz@db/x",
            "postgresql://ada:hidden@db/x?unknown=1",
        ],
    )
    def test_anything_else_is_reported_in_one_message_without_the_password(self, written: str) -> None:
        with pytest.raises(StartRefused, match="Write it as postgresql://user:password@host/database") as refused:
            libpq_url(written)
        assert "hid" not in refused.value.sentence


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
    async def test_each_statement_is_independent(self, core: Core) -> None:
        began = text("SELECT now() = statement_timestamp()")
        async with core.database.reading() as session:
            assert [await session.scalar(began) for _ in range(2)] == [True, True]
        async with core.database.transaction() as session:
            assert [await session.scalar(began) for _ in range(2)] == [False, False]

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
            "SELECT setval('counter', 2)",
        ],
    )
    async def test_it_cannot_write_by_sql_as_text(self, committed: Core, statement: str) -> None:
        async with committed.database.transaction() as session:
            await session.execute(text("CREATE SEQUENCE counter"))
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

    @pytest.mark.parametrize(("trusted_s", "last_statement"), [(60.0, "SELECT pg_backend_pid()"), (0.0, ";")])
    async def test_the_server_is_asked_only_after_a_while(
        self, core: Core, single: Database, monkeypatch: pytest.MonkeyPatch, trusted_s: float, last_statement: str
    ) -> None:
        monkeypatch.setattr("fundwright.core.database._TRUSTED_S", trusted_s)
        process = await process_of(single)
        async with single.reading() as session:
            await session.connection()
            async with core.database.reading() as other:
                sent = text("SELECT query FROM pg_stat_activity WHERE pid = :process")
                assert await other.scalar(sent, {"process": process}) == last_statement


@pytest.mark.parametrize("setting", ["set_autocommit", "set_read_only"])
async def test_a_task_that_is_canceled_while_it_gets_a_connection_leaves_none_to_the_garbage_collector(
    single: Database, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    async def read() -> None:
        opened = single.reading() if setting == "set_autocommit" else single.transaction()
        async with opened as session:
            await session.execute(text("SELECT 1"))

    async def cancel(*_: object) -> None:
        (task,) = reading
        task.cancel()
        await asyncio.Event().wait()

    process = await process_of(single)
    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, setting, cancel)
        reading = {asyncio.create_task(read())}
        (done,), _ = await asyncio.wait(reading)
    assert done.cancelled()
    assert single.engine.pool.status().endswith("Current Checked out connections: 0")
    assert await process_of(single) not in (0, process)
