"""How `fundwright serve` starts, and what it refuses before it opens anything."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.cli import serve
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway, StartRefused
from fundwright.core.jobs import JobQueue


def test_a_prefix_that_is_not_that_of_the_public_url(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "fundwright", "--data", tmp_path / "data", "serve", "--port", "0", "--root-path", "other/"],
        capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"FUNDWRIGHT_PUBLIC_URL": "https://fundwright.test/app/"},
    )  # fmt: skip
    assert done.returncode != 0
    assert "--root-path /other is not the path of FUNDWRIGHT_PUBLIC_URL, https://fundwright.test/app." in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["session.key", "second_factor.key"])
def test_an_empty_key_is_refused_before_anything_is_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / name).touch()
    done = subprocess.run(
        [Path(sys.executable).parent / "fundwright", "--data", tmp_path, "serve", "--port", "0"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"The key file {tmp_path / 'keys' / name} is damaged: it has fewer than 32 bytes. Restore it" in done.stderr
    assert not (tmp_path / "postgres").exists()


class Broken(JobQueue):
    """A queue whose worker cannot work."""

    async def run_worker(self, *, concurrency: int) -> None:
        raise StartRefused("The queue cannot be read. Restart the server.")


async def test_a_worker_that_fails_says_why(committed: Core) -> None:
    with pytest.raises(StartRefused, match="The queue cannot be read"):
        await serve.work(replace(committed, jobs=Broken(committed.database)))


class Interrupted(Database):
    """A database that goes away during the first transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_back = False

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        async with self._database.transaction() as session:
            yield session
            if not self._is_back:
                self._is_back = True
                raise DatabaseAway


async def test_a_database_that_goes_away_during_the_start_is_waited_for(committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_DATABASE_RETRY_S", 0)
    first_admin = await serve.prepare(replace(committed, database=Interrupted(committed.database)))
    assert first_admin is not None and first_admin.startswith("/auth/first-admin/")
