"""Waiting for events that no page shows: a process responds, a job writes an email. For pages, use `ready`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

_LOOK_EVERY_S = 0.1

T = TypeVar("T")


def eventually(look: Callable[[], T | None], *, within_s: float = 20) -> T:
    """Returns the first true result of `look`. Raises TimeoutError, and whatever `look` raises."""
    deadline = time.monotonic() + within_s
    while (found := look()) is None:
        if time.monotonic() > deadline:
            raise TimeoutError(f"Still nothing after {within_s} s: {look}")
        time.sleep(_LOOK_EVERY_S)
    return found
