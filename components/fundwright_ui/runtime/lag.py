"""Detects a blocked event loop and the handler that blocks it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

import structlog

from fundwright_ui.runtime.events import Handler

log = structlog.get_logger()

LIMIT_S = 0.1
_ROUND_S = 0.05
_HANDLE: CodeType = Handler._handle.__code__  # noqa: SLF001


@contextmanager
def watched_loop(limit_s: float = LIMIT_S) -> Iterator[None]:
    """Log `loop.blocked` with the duration and the blocking code whenever the running loop is blocked for `limit_s` seconds.

    A thread measures this by waking the loop every 50 ms.
    """
    loop, blocked_thread = asyncio.get_running_loop(), threading.get_ident()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_ROUND_S):
            answered = threading.Event()
            started = time.monotonic()
            try:
                loop.call_soon_threadsafe(answered.set)
            except RuntimeError:  # the loop is closed
                return
            if answered.wait(limit_s):
                continue
            place = blocking_place(sys._current_frames().get(blocked_thread))
            while not answered.wait(_ROUND_S):
                if ended.is_set():
                    return
            log.warning("loop.blocked", seconds=round(time.monotonic() - started, 3), **place)

    thread = threading.Thread(target=watch, name="loop watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()


def blocking_place(frame: FrameType | None) -> dict[str, str]:
    """The running handler, if any, and the innermost line of code in the product or an extension."""
    found: dict[str, str] = {}
    while frame is not None:
        if "at" not in found and "site-packages" not in frame.f_code.co_filename and not _is_standard(frame.f_code):
            found["at"] = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        if frame.f_code is _HANDLE:
            operation = frame.f_locals["self"].operation
            found["handler"] = f"{operation.__module__}.{getattr(operation, '__qualname__', operation)}"
            break
        frame = frame.f_back
    return found


def _is_standard(code: CodeType) -> bool:
    return code.co_filename.startswith(("<", sys.base_prefix))
