"""A test finds nothing that an earlier test left in the shared core."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from fundwright.core.jobs import JobHandler, no_actor
from fundwright.core.plugins import hookimpl
from tests.support.accounts import add_account
from tests.support.cores import Cores
from tests.support.databases import as_owner
from tests.support.jobs import Trial
from tests.training.conftest import pieces


class Extra:
    @hookimpl
    def catalogs(self) -> list[Path]:
        return [Path("extra")]


async def forever() -> None:
    await asyncio.Event().wait()


async def never(_run: object) -> None:
    raise AssertionError


async def test_a_core_is_lent_again_as_new(cores: Cores, tmp_path: Path) -> None:
    async with cores.lent(tmp_path / "first") as first:
        async with first.database.transaction() as session:
            await add_account(session)
        async with await psycopg.AsyncConnection.connect(as_owner(first.database.url)) as owner:
            await owner.execute("CREATE INDEX left_behind ON account (display_name)")
        first.plugins.register(Extra())
        first.jobs.register(JobHandler(Trial, never, no_actor))
        first.cache["left"] = "behind"
        spooled = await first.files.spool(pieces(b"left behind"))
        task = asyncio.create_task(forever())
    assert task.cancelled()
    async with cores.lent(tmp_path / "second") as second:
        assert second.database is first.database
        async with second.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM account")) == 0
            assert await session.scalar(text("SELECT to_regclass('left_behind')::text")) is None
        assert Path("extra") not in second.plugins.collect("catalogs")
        with pytest.raises(KeyError):
            await second.jobs.run_inline(Trial(), title="left behind", owner_id=None)
        assert not second.cache
        assert not second.files.path(spooled).exists()


async def test_one_with_a_connection_in_use_is_not(cores: Cores, tmp_path: Path) -> None:
    async with cores.lent(tmp_path / "first") as first:
        connection = await first.database.engine.connect()
        await connection.execute(text("LOCK TABLE account"))
    async with cores.lent(tmp_path / "second") as second:
        assert second.database is not first.database
    await connection.invalidate()
    await connection.close()
