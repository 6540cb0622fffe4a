"""Opens everything a process needs, in order, and closes it again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fundwright.core import mail
from fundwright.core.database import Database, libpq_url
from fundwright.core.files import FileStore, start_errors
from fundwright.core.jobs import JobQueue
from fundwright.core.live import LiveBus
from fundwright.core.migrations import upgrade
from fundwright.core.plugins import Plugins
from fundwright.core.postgres import EmbeddedPostgres
from fundwright.core.sandbox import Sandbox
from fundwright.core.settings import Settings


@dataclass(frozen=True)
class Core:
    """The services every slice may use. One per process."""

    settings: Settings
    database: Database
    live: LiveBus
    jobs: JobQueue
    files: FileStore
    plugins: Plugins
    sandbox: Sandbox
    cache: dict[str, Any] = field(default_factory=dict)
    """Things made once per process, such as a loaded model. Keyed by module name."""


@asynccontextmanager
async def open_core(settings: Settings, plugins: Plugins) -> AsyncIterator[Core]:
    """Start the database if it is ours, bring its schema up to date and connect. Raises StartRefused."""
    async with AsyncExitStack() as stack:
        if settings.database_url is None:
            embedded = EmbeddedPostgres(settings.data)
            url = stack.enter_context(embedded.use())
            live = LiveBus(url, revive=embedded.revive)
        else:
            url = libpq_url(settings.database_url.get_secret_value())
            live = LiveBus(url)
        await upgrade(url)
        database = Database(url)
        stack.push_async_callback(database.close)
        await live.start()
        stack.push_async_callback(live.close)
        jobs = JobQueue(database)
        await stack.enter_async_context(jobs.opened())
        for handler in (mail.JOB_HANDLER, *plugins.collect("job_handlers")):
            jobs.register(handler)
        with start_errors(settings.data):
            files = FileStore(settings.data / "files", max_bytes=settings.max_upload_bytes)
        sandbox = Sandbox(settings.data)
        stack.push_async_callback(sandbox.close)
        core = Core(settings=settings, database=database, live=live, jobs=jobs, files=files, plugins=plugins, sandbox=sandbox)
        jobs.services = core
        yield core
