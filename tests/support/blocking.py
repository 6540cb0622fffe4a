"""Fails a test in which our code blocks the event loop, even if the code catches the error."""

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

# Implemented outside Python, so only their callers can be watched.
BEYOND_PYTHON = [
    (psycopg, "connect"),
    (onnxruntime.InferenceSession, "run"),
    (argon2.low_level, "hash_secret"),
    (argon2.low_level, "verify_secret"),
]

# One system call for one name takes less time than starting a thread.
_QUICK = ["os.stat", "os.path.abspath", "os.mkdir", "os.unlink", "os.replace", "os.link", "os.statvfs"]

# The server handles no requests before these are done.
_STARTS = [("core/postgres.py", "use"), ("core/plugins.py", "__init__")]

_ALLOWED = [
    # A few kB, once for each build of the web client.
    ("io.TextIOWrapper.read", "runtime/bundle.py", "_read"),
    ("io.TextIOWrapper.read", "runtime/bundle.py", "_text"),
    ("io.TextIOWrapper.read", "runtime/bundle.py", "strings"),
    # Each built file once; later from memory.
    ("io.BufferedReader.read", "runtime/assets.py", "_read"),
    # A language's date formats and the current offset of a time zone, once each.
    ("io.BufferedReader.read", "zoneinfo/_common.py", "load_data"),
    ("io.BufferedReader.read", "babel/localedata.py", "load"),
    ("os.readlink", "babel/localtime/_unix.py", "_get_localzone"),
    # The messages of a language, once each: 4 ms.
    ("io.BufferedReader.read", "gettext.py", "_parse"),
    # 32 bytes of each key, after a change.
    ("os.listdir", "authentication/keyring.py", "_paths"),
    ("io.BufferedReader.read", "core/keys.py", "read_key"),
    ("io.BufferedReader.read", "core/keys.py", "lasting_key"),
    ("io.BufferedWriter.write", "core/keys.py", "create_key"),
    # The names of five files, once for each account.
    ("os.listdir", "training/samples.py", "add_sample"),
    # Before the server handles requests.
    ("io.BufferedReader.read", "opportunities/service.py", "load_sample_once"),
    ("io.BufferedReader.read", "runtime/modules.py", "__init__"),
    ("io.TextIOWrapper.read", "help/topics.py", "_read"),
    # The certificates of authorities, once for each client that a process starts with.
    ("os.listdir", "core/fetch.py", "__init__"),
    ("io.TextIOWrapper.read", "core/fetch.py", "__init__"),
    # In a thread with its own event loop.
    ("os.listdir", "language/openai_compatible.py", "_client"),
    ("io.TextIOWrapper.read", "language/openai_compatible.py", "_client"),
    # Log lines.
    ("io.TextIOWrapper.write", "structlog/_output.py", "msg"),
    ("io.TextIOWrapper.write", "logging/__init__.py", "emit"),
    ("io.BufferedWriter.write", "structlog/_output.py", "msg"),
    ("io.BufferedWriter.write", "logging/__init__.py", "emit"),
    # On purpose, for the guard to detect.
    ("time.sleep", "ui/runtime/test_lag.py", "doze"),
    # Waits for a thread that is done.
    ("threading.Lock.acquire", "opportunities/importing.py", "run_import"),
]


@contextmanager
def blocking_calls() -> Iterator[list[str]]:
    """Calls that block the loop in this context raise BlockingError and are added to the list."""
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
