"""Fails a test in which our code holds up the event loop, even where the error is caught on its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_stack
from unittest.mock import patch

import argon2.low_level
import babel.dates  # noqa: F401  # Babel imports it with the first language, which reads a link; the product, as it starts
import httpx2  # noqa: F401  # the product imports it on first use, which reads files
import onnxruntime
import psycopg
from blockbuster import BlockBusterFunction, BlockingError, blockbuster_ctx

import fundwright
import fundwright_ui

_OURS = [fundwright, fundwright_ui]
_FOLDERS = tuple(module.__path__[0] for module in _OURS)

# Done outside Python, where only their callers can be watched.
BEYOND_PYTHON = [
    (psycopg, "connect"),
    (onnxruntime.InferenceSession, "run"),
    (argon2.low_level, "hash_secret"),
    (argon2.low_level, "verify_secret"),
]

# One call of the system about one name is over before a thread would have begun.
_QUICK = ["os.stat", "os.path.abspath", "os.mkdir", "os.unlink", "os.replace", "os.link", "os.statvfs"]

# The server answers nobody before these are done.
_STARTS = [("core/postgres.py", "use"), ("core/plugins.py", "__init__")]

_ALLOWED = [
    # A few kB, once for each build of the browser half.
    ("io.TextIOWrapper.read", "runtime/bundle.py", "_read"),
    ("io.TextIOWrapper.read", "runtime/bundle.py", "_text"),
    ("io.TextIOWrapper.read", "runtime/bundle.py", "strings"),
    # Each built file once, then from memory.
    ("io.BufferedReader.read", "runtime/assets.py", "_read"),
    # How a language writes dates and what the time is in a zone, once for each.
    ("io.BufferedReader.read", "zoneinfo/_common.py", "load_data"),
    ("io.BufferedReader.read", "babel/localedata.py", "load"),
    ("os.readlink", "babel/localtime/_unix.py", "_get_localzone"),
    # The messages of a language, once for each: 4 ms.
    ("io.BufferedReader.read", "gettext.py", "_parse"),
    # 32 bytes of each key, after a change.
    ("os.listdir", "authentication/keyring.py", "_paths"),
    ("io.BufferedReader.read", "core/keys.py", "read_key"),
    ("io.BufferedReader.read", "core/keys.py", "lasting_key"),
    ("io.BufferedWriter.write", "core/keys.py", "create_key"),
    # The names of five files, once for each account.
    ("os.listdir", "training/service.py", "add_sample"),
    # Before the server answers anybody.
    ("io.BufferedReader.read", "opportunities/service.py", "load_sample_once"),
    ("io.BufferedReader.read", "runtime/modules.py", "__init__"),
    ("io.TextIOWrapper.read", "help/topics.py", "_read"),
    # The certificates of authorities, once for each client that a process starts with.
    ("os.listdir", "core/fetch.py", "__init__"),
    ("io.TextIOWrapper.read", "core/fetch.py", "__init__"),
    # In a thread that runs a loop of its own.
    ("os.listdir", "language/openai_compatible.py", "_client"),
    ("io.TextIOWrapper.read", "language/openai_compatible.py", "_client"),
    # Lines of the log.
    ("io.TextIOWrapper.write", "structlog/_output.py", "msg"),
    ("io.TextIOWrapper.write", "logging/__init__.py", "emit"),
    ("io.BufferedWriter.write", "structlog/_output.py", "msg"),
    ("io.BufferedWriter.write", "logging/__init__.py", "emit"),
    # On purpose, for the watch of the loop to see.
    ("time.sleep", "ui/runtime/test_lag.py", "doze"),
    # Waits for a thread that has nothing left to do.
    ("threading.Lock.acquire", "opportunities/importing.py", "run_import"),
]


@contextmanager
def blocking_calls() -> Iterator[list[str]]:
    """What blocks the loop in here raises BlockingError, and is named in the list."""
    found: list[str] = []

    class Noted(BlockingError):
        def __init__(self, call: str) -> None:
            where = next(line for line in reversed(extract_stack()) if line.filename.startswith(_FOLDERS))
            super().__init__(call)
            found.append(f"{call} in {Path(where.filename).name}:{where.lineno}")

    with patch("blockbuster.blockbuster.BlockingError", Noted), blockbuster_ctx(_OURS) as guard:
        for owner, name in BEYOND_PYTHON:
            guard.functions[name] = BlockBusterFunction(owner, name, scanned_modules=_OURS).activate()
        for name in _QUICK:
            guard.functions[name].deactivate()
        for function in guard.functions.values():
            for file, start in _STARTS:
                function.can_block_in(file, start)
        for call, file, function in _ALLOWED:
            guard.functions[call].can_block_in(file, function)
        yield found
