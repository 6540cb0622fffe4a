"""Health checks for monitoring: whether this process and what it depends on respond."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

import structlog
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from sqlalchemy import text

from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway, FundwrightError
from fundwright.core.messages import t
from fundwright.core.web import CoreDep

router = APIRouter(tags=["health"])
log = structlog.get_logger()

_TIMEOUT_S = 5
_DATABASE_TIMEOUT_S = 3


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
    try:
        async with asyncio.timeout(_DATABASE_TIMEOUT_S), core.database.reading() as session:
            await session.execute(text("SELECT 1"))
    except TimeoutError as error:
        raise DatabaseAway from error


DATABASE = HealthCheck("database", _query_database)
