"""Functions for tests of `core.computing`. Its processes import them by name."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from fundwright.core.errors import NotFound
from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress


def process() -> int:
    return os.getpid()


def greeting() -> str:
    return t("Cancel")


def sleep(file: Path, seconds: float) -> str:
    time.sleep(seconds)
    return file.name


def never(*_texts: object) -> None:
    while True:
        pass


def advance(seconds: float) -> None:
    """Say again and again that there is progress, as a reader of a long document does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        report_progress()


def refuse() -> None:
    raise NotFound("The roof")


def fail() -> None:
    raise ValueError("no roof")


def fill_memory() -> int:
    return len(bytearray(4_000_000_000))


def end_itself() -> None:
    os._exit(1)


def connect(port: int) -> str:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError as error:
        return type(error).__name__
    return "connected"


def environment() -> list[str]:
    return sorted(os.environ)
