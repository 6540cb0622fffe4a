"""What is done with page views in the background."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from urllib.request import Request, urlopen

from fundwright.core.assembly import Core
from fundwright.insights import service
from fundwright.insights.schemas import Viewed

_TIMEOUT_S = 5


async def keep(core: Core, views: Sequence[Viewed]) -> None:
    async with core.database.transaction() as session:
        await service.keep_views(session, views)


async def tell(url: str, views: Sequence[Viewed]) -> None:
    """Tell an analytics service which pages were shown, and nothing of who saw them. Raises OSError."""
    await asyncio.to_thread(_post_each, url, [view.path for view in views])


def _post_each(url: str, paths: Sequence[str]) -> None:
    for path in paths:
        # The settings let http and https through alone.
        request = Request(url, json.dumps({"page_path": path}).encode(), {"Content-Type": "application/json"})  # noqa: S310
        with urlopen(request, timeout=_TIMEOUT_S):  # noqa: S310
            pass
