"""Whether this process answers and its database does, for whatever watches over it."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from sqlalchemy import text

from fundwright.core.errors import DatabaseAway
from fundwright.core.web import CoreDep

router = APIRouter(tags=["health"])

_PATIENCE_S = 3


class Health(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: Literal["ok"] = "ok"


@router.get("/api/health")
async def get_health(core: CoreDep) -> Health:
    """200 while the server and its database answer, also during maintenance; 503 when the database does not."""
    try:
        async with asyncio.timeout(_PATIENCE_S), core.database.reading() as session:
            await session.execute(text("SELECT 1"))
    except TimeoutError as error:
        raise DatabaseAway from error
    return Health()
