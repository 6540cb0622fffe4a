"""How code that runs in the sandbox tells the server that it is not stuck."""

from __future__ import annotations

import time
from collections.abc import Callable

_INTERVAL_S = 1


class _Reports:
    send: Callable[[], None] | None = None
    """None outside of the sandbox."""
    sent_at: float = 0


def begin(send: Callable[[], None]) -> None:
    """Have `report_progress` call `send`, at most once a second."""
    _Reports.send, _Reports.sent_at = send, time.monotonic()


def report_progress() -> None:
    """Call it between steps, as often as you like, in code that yields no result for a while. Outside of the sandbox, it does
    nothing."""
    if _Reports.send is not None and time.monotonic() - _Reports.sent_at >= _INTERVAL_S:
        _Reports.sent_at = time.monotonic()
        _Reports.send()
