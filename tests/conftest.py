"""Fixtures for all tests: one embedded PostgreSQL per run, and a rolled-back transaction or an empty database per test."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import psycopg
import pytest
import structlog
from passlib.context import CryptContext
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright import hooks
from fundwright.accounts import passwords
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core, open_core
from fundwright.core.fair_loop import work_for, work_for_page
from fundwright.core.migrations import upgrade
from fundwright.core.plugins import Plugins
from fundwright.core.postgres import EmbeddedPostgres
from fundwright.core.scopes import acting_in
from fundwright_ui import extension
from tests.support.accounts import add_account
from tests.support.blocking import blocking_calls
from tests.support.cores import Cores, settings_of
from tests.support.databases import Databases, as_owner, as_superuser
from tests.support.embedding import embedded_once
from tests.support.routes import routes_built_once
from tests.support.scopes import INSTALLATION
from tests.support.snapshots import Snapshots

_PROJECT = Path(__file__).parent.parent
_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2_000_000_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.database)


def pytest_collection_finish() -> None:
    """Exclude everything loaded so far from garbage collection, and collect less often: Python's 700 objects cost a fifth of the
    processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """Fails a test in which our code blocks the event loop."""
    with blocking_calls() as found:
        yield
    assert not found, f"These calls held up the event loop: {', '.join(found)}. Await them in a thread, or make them a job."


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[CryptContext]:
    """Hashes passwords with the least work that argon2 allows. Yields the hasher that is used outside tests."""
    full = passwords._context
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_context", full.copy(argon2__memory_cost=8, argon2__time_cost=1))
        yield full


@pytest.fixture(scope="session", autouse=True)
def quick_tracebacks() -> None:
    """Exceptions are logged as Python formats them, as by the product. What rich does by default takes seconds."""
    structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


@pytest.fixture(scope="session", autouse=True)
def quick_routes() -> Iterator[None]:
    with routes_built_once():
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_embedding() -> Iterator[None]:
    with embedded_once():
        yield


@pytest.fixture(autouse=True)
def installation() -> Iterator[None]:
    """Tests themselves see all workspaces, and work for the server. Requests, pages, and jobs act for those whom their boundaries authenticate. Fixtures of
    the session that send requests would otherwise leave the party and the price of these to all tests after them."""
    work_for(None)
    work_for_page()
    with acting_in(INSTALLATION):
        yield


@pytest.fixture
def full_hashes(quick_hashes: CryptContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes passwords as outside tests."""
    monkeypatch.setattr(passwords, "_context", quick_hashes)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a server that lives as long as the test run."""
    folder = tempfile.TemporaryDirectory(prefix="fundwright-test-", dir=_quick_folder())
    with folder as name, EmbeddedPostgres(Path(name)).use() as url:
        with psycopg.connect(as_superuser(url), autocommit=True) as connection:
            # Tests do not simulate power failures.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url


def _quick_folder() -> Path | None:
    """In memory, if there is enough."""
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES else None


@pytest.fixture(scope="session")
async def template(postgres: str) -> str:
    """A migrated database that tests copy."""
    await upgrade(as_owner(postgres))
    return "fundwright"


@pytest.fixture(scope="session")
def databases(postgres: str, template: str) -> Iterator[Databases]:
    opened = Databases(postgres, template)
    yield opened
    opened.close()


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """An empty migrated database for this test."""
    name = databases.take()
    yield databases.address(name)
    databases.give_back(name)


@pytest.fixture(scope="session")
async def cores(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cores]:
    lending = Cores(databases, tmp_path_factory.getbasetemp())
    yield lending
    await lending.close()


@pytest.fixture(scope="session")
def snapshots(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    return Snapshots(databases, tmp_path_factory.mktemp("snapshots"))


@pytest.fixture
async def committed(cores: Cores, tmp_path: Path) -> AsyncIterator[Core]:
    """A Core with an empty database; changes are discarded after the test."""
    async with cores.lent(tmp_path) as core:
        yield core


@pytest.fixture(scope="session")
async def core(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Core]:
    """A Core shared by all tests. Use it with `session`, and never commit to it."""
    name = databases.take()
    async with open_core(
        settings_of(databases.address(name), tmp_path_factory.mktemp("data")), Plugins([hooks, extension])
    ) as opened:
        yield opened


@pytest.fixture
async def session(core: Core) -> AsyncIterator[AsyncSession]:
    """A transaction that is rolled back after the test."""
    async with core.database.engine.connect() as connection:
        with acting_in(INSTALLATION):
            outer = await connection.begin()
        async with AsyncSession(connection, expire_on_commit=False, join_transaction_mode="create_savepoint") as opened:
            yield opened
        await outer.rollback()


@pytest.fixture
async def actor(session: AsyncSession) -> Actor:
    return await add_account(session)


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The small files that were read wrong; tests that need them are skipped if they are missing."""
    return _shared("cases")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project; tests that need it are skipped if it is missing."""
    return _shared("data")


def _shared(name: str) -> Path:
    folder = _PROJECT.parent / "shared" / name
    if not folder.exists():
        pytest.skip(f"the folder shared/{name} is missing")
    return folder
