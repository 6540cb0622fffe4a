"""Whether this process answers and its database does, for whatever watches over it."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from sqlalchemy import text

from fundwright.core.web import DbSession

router = APIRouter(tags=["health"])


class Health(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: Literal["ok"] = "ok"


@router.get("/api/health")
async def get_health(session: DbSession) -> Health:
    """200 while the server and its database answer, also during maintenance; 503 when the database does not."""
    await session.execute(text("SELECT 1"))
    return Health()
