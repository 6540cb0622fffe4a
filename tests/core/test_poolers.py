"""Behind PgBouncer, whose connections to the server are shared: scopes do not mix, and what cannot work there is refused at the start."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock
from uuid import UUID

import psycopg
import pytest
import structlog
from pydantic import SecretStr
from sqlalchemy import text

from fundwright import hooks
from fundwright.core.assembly import open_core
from fundwright.core.database import Database
from fundwright.core.errors import StartRefused
from fundwright.core.jobs import ALL_JOBS_TOPIC, JobState
from fundwright.core.migrations import _LOCK, upgrade
from fundwright.core.plugins import Plugins
from fundwright.core.scopes import Scope, across_workspaces, acting_in
from fundwright_ui import extension
from tests.support.cores import settings_of
from tests.support.databases import as_owner
from tests.support.jobs import Trial, ended, trial, working
from tests.support.polling import eventually
from tests.support.pooling import pooled

pytestmark = pytest.mark.database

_PEOPLE = [Scope(workspace_id=UUID(int=number), account_id=UUID(int=number)) for number in range(1, 7)]
_SEEN = text("SELECT current_setting('app.workspace_id', true), current_setting('app.is_installation', true)")

Pooling = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def pooling(database_url: str) -> Pooling:
    return partial(pooled, database_url)


@pytest.fixture
def database(pooling: Pooling) -> Iterator[Database]:
    with pooling(size=1) as url:
        yield Database(url, pool_size=6)


async def mistakes(database: Database, opened: str, person: Scope) -> int:
    """How often a session of this person had the scope of another one."""
    own, found = (str(person.workspace_id), ""), 0
    for number in range(8):
        with acting_in(person):
            async with getattr(database, opened)() as session:
                for _ in range(2):
                    found += tuple((await session.execute(_SEEN)).one()) != own
                    await asyncio.sleep(0)
                if number % 2:
                    async with across_workspaces(session, "unused files"):
                        await session.execute(_SEEN)
                    found += tuple((await session.execute(_SEEN)).one()) != own
    return found


class TestScopes:
    @pytest.mark.security(51)
    @pytest.mark.parametrize("opened", ["transaction", "reading"])
    async def test_people_who_share_a_connection_see_only_what_is_theirs(self, database: Database, opened: str) -> None:
        found = await asyncio.gather(*(mistakes(database, opened, person) for person in _PEOPLE))
        assert sum(found) == 0
        await database.close()

    async def test_nothing_of_a_transaction_stays_on_the_connection(self, database: Database) -> None:
        names = (
            "app.workspace_id",
            "app.account_id",
            "app.is_installation",
            "app.share_id",
            "hnsw.ef_search",
            "transaction_read_only",
        )
        settings = f"SELECT {', '.join(f'current_setting({name!r}, true)' for name in names)}"
        with psycopg.connect(database.url, autocommit=True) as other:
            other.execute("SELECT '[1]'::vector")  # defines the settings of the extension
            before = other.execute(settings.encode()).fetchone()
            async with database.reading(scope=_PEOPLE[0]) as session:
                await session.execute(_SEEN)
            assert other.execute(settings.encode()).fetchone() in (
                before,
                tuple("" if each is None else each for each in before or ()),
            )
        await database.close()


class TestStart:
    async def test_a_pooler_in_transaction_mode_needs_the_address_of_the_server(
        self, pooling: Pooling, database_url: str, tmp_path: Path
    ) -> None:
        with pooling(size=2) as url:
            with pytest.raises(
                StartRefused, match=r"^DATABASE_URL leads through a pooler in transaction mode: set FUNDWRIGHT_DIRECT"
            ):
                async with open_core(settings_of(url, tmp_path), Plugins([hooks, extension])):
                    pass
            direct = settings_of(url, tmp_path).model_copy(update={"direct_url": SecretStr(url)})
            with pytest.raises(StartRefused, match="^FUNDWRIGHT_DIRECT_URL leads through a pooler in transaction mode"):
                async with open_core(direct, Plugins([hooks, extension])):
                    pass

    async def test_with_both_addresses_it_listens_and_runs_jobs(
        self, pooling: Pooling, database_url: str, tmp_path: Path
    ) -> None:
        with pooling(size=2) as url:
            settings = settings_of(database_url, tmp_path).model_copy(
                update={"database_url": SecretStr(url), "direct_url": SecretStr(database_url)}
            )
            async with open_core(settings, Plugins([hooks, extension])) as core:
                heard = list[object]()
                core.jobs.register(trial(AsyncMock(return_value={})))
                async with working(core.jobs, concurrency=1):
                    with core.live.subscribed(ALL_JOBS_TOPIC, heard.append):
                        async with core.database.transaction() as session:
                            job = await core.jobs.enqueue(session, Trial(), title="Test", owner_id=None)
                        assert (await ended(core.jobs, job.id)).state == JobState.SUCCEEDED
                        await eventually(lambda: len(heard) == 3)

    async def test_a_pooler_in_statement_mode_is_refused(self, pooling: Pooling, database_url: str, tmp_path: Path) -> None:
        with pooling(size=2, mode="statement") as url:
            for direct in (None, SecretStr(database_url)):
                settings = settings_of(url, tmp_path).model_copy(update={"direct_url": direct})
                with pytest.raises(StartRefused, match="^DATABASE_URL leads through a pooler in statement mode"):
                    async with open_core(settings, Plugins([hooks, extension])):
                        pass

    @pytest.mark.security(54)
    async def test_the_owner_does_not_serve_through_a_pooler_either(
        self, pooling: Pooling, database_url: str, tmp_path: Path
    ) -> None:
        with pooling(size=2) as url:
            settings = settings_of(database_url, tmp_path).model_copy(
                update={"database_url": SecretStr(as_owner(url)), "direct_url": SecretStr(database_url)}
            )
            with pytest.raises(StartRefused, match="^The account fundwright of DATABASE_URL owns the database"):
                async with open_core(settings, Plugins([hooks, extension])):
                    pass

    async def test_a_pooler_in_session_mode_is_like_the_server(self, pooling: Pooling) -> None:
        with pooling(size=3, mode="session") as url:
            await upgrade(as_owner(url))

    async def test_the_direct_address_of_another_database_is_refused(
        self, database_url: str, postgres: str, tmp_path: Path
    ) -> None:
        settings = settings_of(database_url, tmp_path).model_copy(update={"direct_url": SecretStr(postgres)})
        with pytest.raises(StartRefused, match="does not lead to the database of DATABASE_URL"):
            async with open_core(settings, Plugins([hooks, extension])):
                pass


class TestMigrationLock:
    async def test_who_waits_says_so_and_continues(self, database_url: str) -> None:
        holder = psycopg.connect(as_owner(database_url), autocommit=True)
        holder.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        with structlog.testing.capture_logs() as logs:
            upgrading = asyncio.create_task(upgrade(as_owner(database_url)))

            await eventually(lambda: any("waiting for another process" in log.get("reason", "") for log in logs))
            holder.close()
            await upgrading

    async def test_who_has_waited_too_long_does_not_start(self, database_url: str) -> None:
        with psycopg.connect(as_owner(database_url), autocommit=True) as holder:
            holder.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            process = holder.execute("SELECT pg_backend_pid()").fetchone()
            with pytest.raises(StartRefused, match=f"Waited 0 seconds for another process.*process {process and process[0]}"):
                await upgrade(as_owner(database_url), patience_s=0)
