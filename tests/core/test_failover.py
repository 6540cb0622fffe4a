"""With an address of several servers, what was confirmed survives the loss of one: its synchronous standby takes over."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import cast

import psutil
import psycopg
import pytest
from sqlalchemy import text

from fundwright.core.database import Database
from fundwright.core.database_address import libpq_url
from fundwright.core.errors import DatabaseAway, DatabaseSlow
from fundwright.core.postgres import _SUPERUSER, EmbeddedPostgres, _call
from fundwright.core.scopes import NOBODY
from tests.support.polling import eventually

pytestmark = [pytest.mark.database, pytest.mark.slow]

_WRITERS, _ENOUGH = 4, 100


@pytest.fixture
def primary(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path / "primary")
    with server.use():
        yield server


@pytest.fixture
def standby(primary: EmbeddedPostgres, tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    """A server that has everything that the primary confirms."""
    server = EmbeddedPostgres(tmp_path / "standby")
    server._folder.mkdir()
    server._create_private_folder(server._cluster)
    source = f"host={primary._sockets} user={_SUPERUSER} application_name=standby"
    call(server, "pg_basebackup", "--write-recovery-conf", "--checkpoint=fast", f"--dbname={source}")
    with psycopg.connect(primary._url(_SUPERUSER, _SUPERUSER), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        connection.execute("SELECT pg_reload_conf()")
    with server.use():
        yield server


@pytest.fixture
async def database(primary: EmbeddedPostgres, standby: EmbeddedPostgres) -> AsyncIterator[Database]:
    address = f"postgresql://fundwright@/fundwright?host={standby._sockets},{primary._sockets}&target_session_attrs=read-write"
    opened = Database(libpq_url(address))
    yield opened
    await opened.close()


def call(server: EmbeddedPostgres, command: str, *arguments: str) -> None:
    with TemporaryFile("w+") as output:
        code = _call(server._cluster, command, *arguments, output=cast(TextIOWrapper, output))
        output.seek(0)
        assert code == 0, output.read()


def kill(server: EmbeddedPostgres) -> None:
    process_id = server._process_id()
    assert process_id
    process = psutil.Process(process_id)
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            each.kill()


async def test_nothing_confirmed_is_lost(primary: EmbeddedPostgres, standby: EmbeddedPostgres, database: Database) -> None:
    numbers, confirmed = itertools.count(), set[int]()

    async def write() -> None:
        while True:
            number = next(numbers)
            try:
                async with database.transaction(scope=NOBODY) as session:
                    await session.execute(text("INSERT INTO written VALUES (:number)"), {"number": number})
            except (DatabaseAway, DatabaseSlow):
                await asyncio.sleep(0.1)
            else:
                confirmed.add(number)

    async with database.transaction(scope=NOBODY) as session:
        await session.execute(text("CREATE TABLE written (number int)"))
    writers = [asyncio.create_task(write()) for _ in range(_WRITERS)]
    await eventually(lambda: len(confirmed) > _ENOUGH)
    await asyncio.to_thread(kill, primary)
    before = len(confirmed)
    await asyncio.to_thread(call, standby, "pg_ctl", "-w", "promote")
    await eventually(lambda: len(confirmed) > before + _ENOUGH, within_s=90)
    for writer in writers:
        writer.cancel()
    await asyncio.wait(writers)
    async with database.reading(scope=NOBODY) as session:
        stored = set(await session.scalars(text("SELECT number FROM written")))
    assert confirmed <= stored
