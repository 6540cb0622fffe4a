"""Health checks for monitoring: whether this process is alive, whether it can do its work, and whether what it depends on responds."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal

import psycopg
import structlog
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict
from sqlalchemy import text

from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway, FundwrightError
from fundwright.core.fair_loop import of_the_server
from fundwright.core.mail import MailState
from fundwright.core.messages import t
from fundwright.core.migrations import NEWEST
from fundwright.core.web import CoreDep

router = APIRouter(tags=["health"])
log = structlog.get_logger()

_TIMEOUT_S = 5
_PATIENCE_S = 3
_READINESS_LASTS_S = 2.0
_MOST_SILENT_S = 60
_LEAST_FREE_BYTES = 200_000_000
_MOST_WAITING_MAIL_S = 15 * 60
_WRITE = "BEGIN READ WRITE; SELECT pg_logical_emit_message(true, 'fundwright', 'ready'); COMMIT"
"""A commit that the server writes to disk and, where there is one, sends to its synchronous standby. It needs no table."""
_FILL = "BEGIN; SET LOCAL work_mem = '64kB'; SELECT count(*) FROM generate_series(1, 150000); ROLLBACK"
"""Makes the server write a temporary file of 2 MB, which it removes at once: what `_WRITE` writes fits into a file that exists already, even on a
full disk."""
_STATE = """
SELECT (SELECT version_num FROM alembic_version),
    (SELECT extract(epoch FROM now() - max(last_heartbeat)) FROM procrastinate_workers),
    (SELECT extract(epoch FROM now() - min(created_at)) FROM mail WHERE state = %s AND (error !~ '^4[0-9]{2} ' OR error ~ '^4(21|54) '))
"""
"""Not emails that the server has put off: it may do so because of the recipient, whom anyone can choose. With 421 and 454, it puts off all."""


@dataclass(frozen=True)
class HealthCheck:
    """`run(core)` raises if the part called `name` does not work. It has five seconds."""

    name: str
    run: Callable[[Core], Awaitable[None]]


class CheckFailed(FundwrightError):
    """A health check failed or timed out. Only the log says why, because the route needs no account."""

    status = 503

    def __init__(self, name: str) -> None:
        super().__init__(t("The health check “{name}” failed. See the server's log for details.", name=name))


class Health(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: Literal["ok"] = "ok"


@router.get("/api/health")
async def get_health(core: CoreDep) -> Health:
    """200 while the server, its database, and everything that packages check respond, also during maintenance; otherwise 503."""
    checks: list[HealthCheck] = core.plugins.collect("health_checks")
    results = await asyncio.gather(*(_run(core, check) for check in checks), return_exceptions=True)
    for failure in results:
        if failure is not None:
            raise failure
    return Health()


@router.get("/healthz", include_in_schema=False)
async def get_liveness() -> Health:
    """200 while this process responds. It depends on nothing else: restarting it would not bring back a database."""
    return Health()


Check = Literal["database", "schema", "workers", "disk", "mail"]


class Ready(BaseModel):
    """`checks` says "ok" or what is wrong, without any detail that strangers should not know."""

    status: Literal["ready", "not ready"]
    checks: dict[Check, str]


@dataclass
class _Readiness:
    """The last result, which is valid for two seconds, so that nobody can keep the server busy with checks."""

    checks: dict[Check, str] = field(default_factory=dict[Check, str])
    at: float = 0.0
    running: asyncio.Task[None] | None = None
    measuring: asyncio.Task[int] | None = None
    """Until the data folder answers, there is only one: a frozen mount would otherwise take one thread after the other."""

    async def get(self, core: Core) -> dict[Check, str]:
        if (self.running is None or self.running.done()) and time.monotonic() - self.at > _READINESS_LASTS_S:
            self.running = asyncio.create_task(self._renew(core), context=of_the_server())
        if self.running is not None:
            await asyncio.shield(self.running)
        return self.checks

    async def _renew(self, core: Core) -> None:
        # Not awaited beyond its time: a connection to a frozen server takes long to give up.
        asking = asyncio.create_task(_ask_database(core))
        if self.measuring is None or self.measuring.done():
            self.measuring = asyncio.create_task(asyncio.to_thread(_free_bytes, core))
        await asyncio.wait([asking, self.measuring], timeout=_PATIENCE_S)
        asking.cancel()
        found: dict[Check, str] = {"database": "does not accept changes, or did not answer in 3 seconds"}
        if asking.done() and not asking.cancelled():
            if (error := asking.exception()) is None:
                found = asking.result()
            else:
                log.warning("health.not_ready", error=f"{type(error).__name__}: {error}")
                if isinstance(error, psycopg.errors.DiskFull):
                    found = {"database": "its disk is full"}
        if not self.measuring.done():
            found["disk"] = "the data folder did not answer in 3 seconds"
        elif (failure := self.measuring.exception()) is not None:
            log.warning("health.not_ready", error=f"{type(failure).__name__}: {failure}")
            found["disk"] = "the data folder cannot be read"
        else:
            found["disk"] = "ok" if self.measuring.result() >= _LEAST_FREE_BYTES else "less than 200 MB are free"
        self.checks, self.at = found, time.monotonic()


@router.get("/readyz", include_in_schema=False)
async def get_readiness(core: CoreDep, response: Response, exclude: Annotated[list[Check], Query()] = []) -> Ready:  # noqa: B006
    """200 if this process can do its work, otherwise 503. `exclude` leaves out checks, such as `workers` for a load balancer: without a worker,
    pages still work."""
    found = await core.shared(f"{__name__}.readiness", _Readiness).get(core)
    checks = {name: text for name, text in found.items() if name not in exclude}
    is_ready = all(text == "ok" for text in checks.values())
    response.status_code = 200 if is_ready else 503
    return Ready(status="ready" if is_ready else "not ready", checks=checks)


def _free_bytes(core: Core) -> int:
    return shutil.disk_usage(core.settings.data).free


async def _ask_database(core: Core) -> dict[Check, str]:
    """Uses a connection of its own, so that it says nothing about how busy the pool is."""
    async with await psycopg.AsyncConnection.connect(core.database.url, autocommit=True) as connection:
        await connection.execute(_WRITE)
        await connection.execute(_FILL)
        row = await (await connection.execute(_STATE, [MailState.WAITING])).fetchone()
    assert row is not None
    version, silent_s, waiting_s = row
    is_served = silent_s is not None and silent_s <= _MOST_SILENT_S
    is_mailed = waiting_s is None or waiting_s <= _MOST_WAITING_MAIL_S
    return {
        "database": "ok",
        "schema": "ok" if version >= NEWEST else "older than this version of Fundwright",
        "workers": "ok" if is_served else "no heartbeat of a worker for a minute",
        "mail": "ok" if is_mailed else "an email has waited for more than 15 minutes",
    }


async def _run(core: Core, check: HealthCheck) -> None:
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await check.run(core)
    except DatabaseAway:
        raise
    except Exception as error:
        log.warning("health.check_failed", check=check.name, error=f"{type(error).__name__}: {error}")
        raise CheckFailed(check.name) from error


async def _query_database(core: Core) -> None:
    asking = asyncio.create_task(_select(core))
    await asyncio.wait([asking], timeout=_PATIENCE_S)
    if not asking.done():
        asking.cancel()  # not awaited: it may wait for a frozen server
        raise DatabaseAway
    await asking


async def _select(core: Core) -> None:
    async with core.database.reading() as session:
        await session.execute(text("SELECT 1"))


DATABASE = HealthCheck("database", _query_database)
