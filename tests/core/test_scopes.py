"""Database sessions see what belongs to those for whom the task acts, whichever session used the connection before."""

from collections.abc import AsyncIterator
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import UnusableText
from fundwright.core.mail import Mail
from fundwright.core.scopes import NOBODY, Scope, across_workspaces, act_in, acting_in
from tests.support.scopes import INSTALLATION

ADA, BOB = (Scope(workspace_id=UUID(int=number), account_id=UUID(int=number + 10)) for number in (1, 2))
_SETTINGS = text(
    "SELECT current_setting('app.workspace_id', true), current_setting('app.account_id', true), "
    "substr(current_setting('app.is_installation', true), 65), current_setting('app.share_id', true)"
)


async def settings(session: AsyncSession) -> tuple[str, ...]:
    return tuple((await session.execute(_SETTINGS)).one())


async def write_across_workspaces(single: Database, row: Mail) -> None:
    async with single.transaction() as session, across_workspaces(session, "unused files"):
        session.add(row)
        await session.flush()


def values(scope: Scope) -> tuple[str, ...]:
    return tuple(str(each or "") for each in (scope.workspace_id, scope.account_id, scope.purpose, scope.share_id))


@pytest.fixture
async def single(core: Core) -> AsyncIterator[Database]:
    """A database whose sessions share one connection."""
    database = Database(core.database.url, pool_size=1)
    yield database
    await database.close()


async def test_tests_act_for_the_installation(core: Core) -> None:
    async with core.database.reading() as session:
        assert await settings(session) == values(INSTALLATION)


@pytest.mark.parametrize("opened", ["transaction", "reading"])
async def test_a_session_has_the_scope_of_the_task_that_begins_to_use_it(single: Database, opened: str) -> None:
    for scope in (ADA, BOB, ADA, NOBODY, INSTALLATION, NOBODY):
        async with getattr(single, opened)() as session:
            with acting_in(scope):  # a request opens its session before it is authenticated
                assert await settings(session) == values(scope)
            with acting_in(INSTALLATION):
                assert await settings(session) == values(scope)


async def test_a_session_may_be_given_a_scope(single: Database) -> None:
    act_in(ADA)
    async with single.transaction(scope=INSTALLATION) as session:
        assert await settings(session) == values(INSTALLATION)
    async with single.reading(scope=BOB) as session:
        assert await settings(session) == values(BOB)
    async with single.transaction(is_snapshot=True) as session:
        assert await settings(session) == values(ADA)
        isolation = await session.scalar(text("SHOW transaction_isolation"))
        assert isolation == "repeatable read"


async def read_and_fail(database: Database, scope: Scope) -> None:
    async with database.transaction() as session:
        assert await settings(session) == values(scope)
        raise ZeroDivisionError


async def test_a_rollback_does_not_bring_back_an_earlier_scope(single: Database) -> None:
    for scope in (ADA, BOB):
        act_in(scope)
        with pytest.raises(ZeroDivisionError):
            await read_and_fail(single, scope)
        async with single.reading() as session:
            assert await settings(session) == values(scope)


class TestAcrossWorkspaces:
    @pytest.mark.parametrize("opened", ["transaction", "reading"])
    async def test_ends_with_its_context(self, single: Database, opened: str) -> None:
        act_in(ADA)
        for _ in range(2):
            async with getattr(single, opened)() as session:
                async with across_workspaces(session, "unused files"):
                    assert await settings(session) == values(INSTALLATION)
                    async with across_workspaces(session, "unused files"):
                        assert await settings(session) == values(INSTALLATION)
                    assert await settings(session) == values(INSTALLATION)
                assert await settings(session) == values(ADA)

    async def test_includes_savepoints(self, single: Database) -> None:
        act_in(ADA)
        async with single.transaction() as session, across_workspaces(session, "unused files"), session.begin_nested():
            assert await settings(session) == values(INSTALLATION)

    async def test_ends_with_an_error(self, single: Database) -> None:
        act_in(ADA)
        async with single.transaction() as session:
            with pytest.raises(ZeroDivisionError):
                async with across_workspaces(session, "unused files"):
                    raise ZeroDivisionError
            assert await settings(session) == values(ADA)
        with pytest.raises(DBAPIError):
            async with single.transaction() as session, across_workspaces(session, "unused files"):
                await session.execute(text("SELECT 1 / 0"))
        async with single.reading() as session:
            assert await settings(session) == values(ADA)
        with pytest.raises(UnusableText):
            await write_across_workspaces(single, Mail(kind="", recipient="", language="en", subject="\0", text="", html=""))
        async with single.reading() as session:
            assert await settings(session) == values(ADA)
        async with single.transaction() as session:
            with pytest.raises(DBAPIError):
                async with session.begin_nested(), across_workspaces(session, "unused files"):
                    await session.execute(text("SELECT 1 / 0"))
            assert await settings(session) == values(ADA)


@pytest.mark.security(51)
@pytest.mark.parametrize("opened", ["transaction", "reading"])
async def test_a_scope_ends_with_its_transaction(single: Database, opened: str) -> None:
    """A pooler lets another process use the connection to the server next."""
    async with getattr(single, opened)(scope=ADA) as session:
        assert await settings(session) == values(ADA)
    async with single.engine.connect() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert isinstance(driver, psycopg.AsyncConnection)
        rows = await (await driver.execute(str(_SETTINGS).encode())).fetchone()
    assert not any(rows or [True])
