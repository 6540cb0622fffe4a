"""Live topics reach subscribers in all processes after the commit."""

import errno
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from fundwright.core.database import Database
from fundwright.core.live import LiveBus, publish
from tests.support.polling import eventually


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
async def bus(database_url: str) -> AsyncIterator[LiveBus]:
    bus = LiveBus(database_url)
    await bus.start()
    yield bus
    await bus.close()


async def wait_for(received: list[dict[str, Any]], count: int) -> None:
    await eventually(lambda: len(received) >= count)


async def test_a_message_arrives_once_the_transaction_commits(bus: LiveBus, database: Database) -> None:
    received: list[dict[str, Any]] = []
    with bus.subscribed("topic", received.append):
        async with database.transaction() as session:
            await publish(session, "topic", {"n": 1})
            async with database.transaction() as other:
                await publish(other, "topic", {"n": 2})
            await wait_for(received, 1)
        await wait_for(received, 2)
    assert received == [{"n": 2}, {"n": 1}]


async def test_a_rolled_back_message_never_arrives(bus: LiveBus, database: Database) -> None:
    received: list[dict[str, Any]] = []
    with bus.subscribed("topic", received.append):
        with suppress(RuntimeError):
            async with database.transaction() as session:
                await publish(session, "topic", {"n": 1})
                raise RuntimeError
        async with database.transaction() as session:
            await publish(session, "topic", {"n": 2})
        await wait_for(received, 1)
    assert received == [{"n": 2}]


async def test_a_payload_too_large_for_a_notification_still_wakes_subscribers(bus: LiveBus, database: Database) -> None:
    received: list[dict[str, Any]] = []
    with bus.subscribed("topic", received.append):
        async with database.transaction() as session:
            await publish(session, "topic", {"text": "x" * 10_000})
        await wait_for(received, 1)
    assert received == [{}]


async def test_after_a_lost_connection_every_subscriber_is_woken(bus: LiveBus, database_url: str) -> None:
    received: list[dict[str, Any]] = []
    with bus.subscribed("topic", received.append):
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        await wait_for(received, 1)
    assert received == [{}]


async def test_it_listens_again_though_starting_the_server_failed(database_url: str) -> None:
    def revive() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    received: list[dict[str, Any]] = []
    bus = LiveBus(database_url, revive=revive)
    await bus.start()
    with bus.subscribed("topic", received.append), capture_logs() as logs:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        await wait_for(received, 1)
    await bus.close()
    assert "live.no_database" in [line["event"] for line in logs]
