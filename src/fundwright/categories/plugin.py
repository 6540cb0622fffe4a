"""What categories registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service
from fundwright.core.plugins import hookimpl
from fundwright.identity.schemas import Actor


@hookimpl
def account_created_handlers() -> Iterable[Callable[[AsyncSession, Actor], Awaitable[None]]]:
    return [service.add_sample]
