"""Opens everything that a process needs, in order, and closes it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar, cast

from pydantic import SecretStr

from fundwright.core import mail, messages
from fundwright.core.computing import Computing
from fundwright.core.database import Database
from fundwright.core.database_address import libpq_url
from fundwright.core.database_role import OWNER_SETTING
from fundwright.core.errors import StartRefused
from fundwright.core.files import FileStore, start_errors
from fundwright.core.jobs import JobQueue
from fundwright.core.live import LiveBus
from fundwright.core.migrations import Migrations, check_schema, serving_role, upgrade
from fundwright.core.plugins import Plugins
from fundwright.core.poolers import check_same
from fundwright.core.postgres import EmbeddedPostgres
from fundwright.core.presence import Presence
from fundwright.core.sandbox import Sandbox
from fundwright.core.settings import PackageSettings, Settings

T = TypeVar("T")
S = TypeVar("S", bound=PackageSettings)


@dataclass(frozen=True)
class Core:
    """The services every slice may use. One per process."""

    settings: Settings
    database: Database
    live: LiveBus
    presence: Presence
    jobs: JobQueue
    files: FileStore
    plugins: Plugins
    sandbox: Sandbox
    computing: Computing
    cache: dict[str, object] = field(default_factory=dict[str, object])
    """Objects created once per process, such as a loaded model, by name. Use `shared` unless creating one has to be awaited."""
    package_settings: tuple[PackageSettings, ...] = ()
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    """What to close when the process ends, before the services above, such as the HTTP client of a model."""

    def shared(self, name: str, create: Callable[[], T]) -> T:
        """Return the process-wide object with this name, creating it on first use."""
        if name not in self.cache:
            self.cache[name] = create()
        return cast(T, self.cache[name])

    def settings_of(self, kind: type[S]) -> S:
        """The settings of a package, by the class that its `settings` hook returns."""
        return next(each for each in self.package_settings if isinstance(each, kind))


async def _prepared_database(settings: Settings, url: SecretStr, migrations: Sequence[Migrations]) -> Database:
    """The database of an operator, with this version's schema. Raises StartRefused."""
    setting = "DATABASE_URL" if settings.direct_url is None else "FUNDWRIGHT_DIRECT_URL"
    direct_url = libpq_url(settings.direct_url.get_secret_value(), setting) if settings.direct_url is not None else None
    database = Database(libpq_url(url.get_secret_value()), direct_url=direct_url)
    role = await serving_role(database.direct_url, setting)
    if direct_url is not None:
        await check_same(database.url, "DATABASE_URL", direct_url, setting)
        if await serving_role(database.url, may_be_pooled=True) != role:
            raise StartRefused(f"DATABASE_URL and {setting} have different accounts. Use the same one in both, and start again.")
    if settings.migrate and settings.owner_url is not None:
        owner_url = libpq_url(settings.owner_url.get_secret_value(), OWNER_SETTING)
        await check_same(owner_url, OWNER_SETTING, database.direct_url, setting)
        await upgrade(owner_url, role=role, packages=migrations)
    else:
        await check_schema(database.direct_url, packages=migrations, setting=setting)
    return database


@asynccontextmanager
async def open_core(settings: Settings, plugins: Plugins) -> AsyncIterator[Core]:
    """Start the database if it is embedded, migrate its schema, and connect. Raises StartRefused."""
    package_settings = tuple(kind.read() for kind in plugins.collect("settings"))
    messages.use_catalogs(plugins.collect("catalogs"))
    async with AsyncExitStack() as stack:
        migrations = plugins.collect("migrations")
        if settings.database_url is None:
            embedded = EmbeddedPostgres(settings.data)
            database = Database(stack.enter_context(embedded.use()))
            if settings.migrate:
                await upgrade(embedded.owner_url, packages=migrations)
            else:
                await check_schema(database.url, packages=migrations)
            live = LiveBus(database.url, revive=embedded.revive)
        else:
            database = await _prepared_database(settings, settings.database_url, migrations)
            live = LiveBus(database.direct_url)
        stack.push_async_callback(database.close)
        await live.start()
        stack.push_async_callback(live.close)
        presence = Presence(database, live)
        stack.push_async_callback(presence.close)
        jobs = JobQueue(database)
        await stack.enter_async_context(jobs.opened())
        for handler in (mail.JOB_HANDLER, *plugins.collect("job_handlers")):
            jobs.register(handler)
        with start_errors(settings.data):
            files = FileStore(settings.data / "files", max_bytes=settings.max_upload_bytes)
        sandbox = Sandbox(settings.data)
        stack.push_async_callback(sandbox.close)
        computing = Computing(sandbox, private=settings.data, catalogs=plugins.collect("catalogs"))
        stack.callback(computing.close)
        core = Core(
            settings=settings,
            database=database,
            live=live,
            presence=presence,
            jobs=jobs,
            files=files,
            plugins=plugins,
            sandbox=sandbox,
            computing=computing,
            package_settings=package_settings,
            closing=await stack.enter_async_context(AsyncExitStack()),
        )
        jobs.services = core
        yield core
