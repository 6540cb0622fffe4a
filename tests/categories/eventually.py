"""Waiting for what a live message brings about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fundwright_ui.runtime.testing import MountedScreen


async def eventually(screen: MountedScreen, condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds; the screen is re-rendered by a message that travels through PostgreSQL."""
    for _ in range(100):
        await screen.settle()
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"It did not happen. Shown: {screen.text[:800]!r}")
