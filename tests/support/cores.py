"""The application core of this process. It is opened once and emptied after each test, which is much faster than opening it again."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from sqlalchemy import AsyncAdaptedQueuePool, text

from fundwright import hooks
from fundwright.core.assembly import Core, open_core
from fundwright.core.files import FileStore
from fundwright.core.plugins import Plugins
from fundwright.core.settings import Settings
from fundwright_ui import extension
from tests.support.databases import Databases, as_owner

_LISTENING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'")
_PROJECT = Path(__file__).parents[2]
_OURS = tuple(f"{_PROJECT / folder}/" for folder in ("src", "components", "tests"))


class OwnSettings(Settings):
    """Settings from the test alone, without the environment of the person who runs it."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **_others: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def settings_of(url: str, data: Path) -> OwnSettings:
    return OwnSettings(data=data, database_url=SecretStr(url), owner_url=SecretStr(as_owner(url)), models=_PROJECT / "var/models")


@dataclass(frozen=True)
class _Open:
    database: str
    core: Core
    closing: AsyncExitStack


class Cores:
    """Lends the core to one test at a time. `private` contains the data folders of all tests."""

    def __init__(self, databases: Databases, private: Path) -> None:
        self._databases, self._private = databases, private
        self._open: _Open | None = None

    @asynccontextmanager
    async def lent(self, data: Path) -> AsyncIterator[Core]:
        """A core with an empty database and an empty cache, and files in `data`. The test may change anything."""
        opened = self._open = self._open or await self._opened()
        settings = settings_of(self._databases.address(opened.database), data)
        files = FileStore(data / "files", max_bytes=settings.max_upload_bytes)
        core = replace(opened.core, settings=settings, files=files, cache={})
        core.jobs.services = core
        with _changes_undone(core):
            async with _tasks_ended():
                yield core
        if not (self._databases.empty(opened.database) and await _is_intact(core)):
            await self.close()

    async def close(self) -> None:
        if self._open is not None:
            closed, self._open = self._open, None
            await closed.closing.aclose()
            self._databases.give_back(closed.database)

    async def _opened(self) -> _Open:
        database, closing = self._databases.take(), AsyncExitStack()
        settings = settings_of(self._databases.address(database), self._private)
        return _Open(database, await closing.enter_async_context(open_core(settings, Plugins([hooks, extension]))), closing)


async def _is_intact(core: Core) -> bool:
    """Whether every connection is back in the pool and the connection for live messages still listens."""
    if cast(AsyncAdaptedQueuePool, core.database.engine.pool).checkedout():
        return False
    async with core.database.reading() as session:
        return await session.scalar(_LISTENING) == 1


@contextmanager
def _changes_undone(core: Core) -> Iterator[None]:
    """Removes the plug-ins and job handlers that the body adds."""
    plugins, jobs = core.plugins._manager, core.jobs
    before = plugins.get_plugins()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "_handlers", {**jobs._handlers})
        patch.setattr(jobs, "_interrupted", [])
        patch.setattr(jobs, "_in_slots", {})
        yield
    for plugin in plugins.get_plugins() - before:
        plugins.unregister(plugin)


@asynccontextmanager
async def _tasks_ended() -> AsyncIterator[None]:
    """Cancels the tasks that the body leaves running."""
    before = asyncio.all_tasks()
    yield
    left = [task for task in asyncio.all_tasks() - before if _is_ours(task)]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def _is_ours(task: asyncio.Task[Any]) -> bool:
    """False for tasks that a library starts for a connection pool that outlives the test."""
    coroutine = task.get_coro()
    return (
        task is not asyncio.current_task() and inspect.iscoroutine(coroutine) and coroutine.cr_code.co_filename.startswith(_OURS)
    )
