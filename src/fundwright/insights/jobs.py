"""Background work on page views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fundwright.core.assembly import Core
from fundwright.insights import service
from fundwright.insights.schemas import Viewed

if TYPE_CHECKING:
    from httpx2 import AsyncClient


async def keep(core: Core, views: Sequence[Viewed]) -> None:
    async with core.database.transaction() as session:
        await service.keep_views(session, views)


async def tell(http: AsyncClient, url: str, views: Sequence[Viewed]) -> None:
    """Send the visited pages to an analytics service, without who visited them. Raises httpx2.HTTPError."""
    for view in views:
        answer = await http.post(url, json={"page_path": view.path})
        answer.raise_for_status()
