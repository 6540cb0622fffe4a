"""The process that the sandbox forks its children from: `python -m fundwright.core.sandbox_forks FD`.

It is started with an empty environment and no open files, so no key or password of the server is in its memory or in that of its
children. It imports the parsers before it forks, so that a child costs milliseconds. It reads no untrusted bytes itself.

Protocol on the Unix socket FD: each request is one message with JSON, the modules to import and whether the child stays, and two
sockets, the child's channel and the parent's watch. The answer is the number of the child's process. When the child has ended, its exit status is sent to the
watch as four bytes; when the watch is closed, the child is killed. When FD is closed, all children are killed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import selectors
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

from fundwright.core import sandbox_progress
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import keeping_messages, to_stored, using_language
from fundwright.core.sandbox_limits import confine, missing

FRAME = struct.Struct(">cQ")
"""Kind and length of what follows: D (a result), P (progress, nothing follows), R (a refusal, the sentence), M (out of memory), X (a traceback), or E (the end)."""
LENGTH = struct.Struct(">Q")
STATUS = struct.Struct(">i")
PROCESS = struct.Struct(">i")
CHANNEL = 3
"""The file descriptor of the channel in a child."""
_MESSAGE_BYTES = 65_536
_TRACEBACK_CHARACTERS = 4_000
_MAX_OPEN_FILES = 65_536
_NICENESS, _YOUNG_S, _OLD_NICENESS = 10, 1, 19
"""Children leave the processor to the server. After a second, they also leave it to younger ones, so that what is small is not
held up by what is large."""


@dataclass(frozen=True)
class Work:
    """What a child is to do."""

    function: partial[Iterator[bytes]]
    language: str
    memory_bytes: int
    cpu_seconds: int
    readable: tuple[Path, ...]
    private: Path


def main() -> None:
    server = socket.socket(fileno=int(sys.argv[1]))
    server.set_inheritable(False)
    woken, wakes = socket.socketpair()
    for end in (woken, wakes):
        end.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches the whole group; the server decides
    missing()  # loads what each child needs to confine itself
    watches: dict[int, socket.socket] = {}
    young: dict[int, float] = {}
    """When each child that still has the niceness of a young one stops being young."""
    with selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select(max(0, next(iter(young.values())) - time.monotonic()) if young else None):
                if key.fileobj is server:
                    message, received, _, _ = socket.recv_fds(server, _MESSAGE_BYTES, 2)
                    if not message:
                        for pid in watches:
                            _kill(pid)
                        os._exit(0)  # the signals of their ends would interrupt what ends the interpreter
                    request = json.loads(message)
                    pid, watch = _fork(request["modules"], *received)
                    watches[pid] = watch
                    if not request["stays"]:
                        young[pid] = time.monotonic() + _YOUNG_S
                    selector.register(watch, selectors.EVENT_READ, pid)
                    server.sendall(PROCESS.pack(pid))
                elif key.fileobj is woken:
                    woken.recv(_MESSAGE_BYTES)
                    for pid, status in _ended():
                        watch = watches.pop(pid)
                        young.pop(pid, None)
                        with suppress(KeyError):
                            selector.unregister(watch)
                        with suppress(OSError):
                            watch.sendall(STATUS.pack(os.waitstatus_to_exitcode(status)))
                        watch.close()
                elif key.data in watches:  # it may have ended in the same round, and its watch is then closed
                    _kill(key.data)
                    selector.unregister(key.fileobj)
            for pid in [pid for pid, until in young.items() if until <= time.monotonic()]:
                del young[pid]
                os.setpriority(os.PRIO_PROCESS, pid, _OLD_NICENESS)  # it has not been waited for, so the number is still its own


def _ended() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            yield pid, status


def _kill(pid: int) -> None:
    """Kill a child that has not been waited for, and its process group."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _fork(modules: list[str], channel: int, watch: int) -> tuple[int, socket.socket]:
    if new := [name for name in modules if name not in sys.modules]:
        for name in new:
            with suppress(Exception):  # the child fails in the same way, and says so
                importlib.import_module(name)
        gc.collect()
        gc.freeze()
    pid = os.fork()
    if not pid:
        _child(channel)
    os.close(channel)
    return pid, socket.socket(fileno=watch)


def _child(channel: int) -> NoReturn:
    try:
        os.setsid()
        os.nice(_NICENESS)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        os.dup2(channel, CHANNEL)
        os.closerange(CHANNEL + 1, _MAX_OPEN_FILES)
        _work()
    finally:
        os._exit(1)


def _work() -> NoReturn:
    try:
        work = cast(Work, pickle.loads(receive()))  # noqa: S301 (from the server)
        sandbox_progress.begin(partial(_send, b"P", b""))
        confine(memory_bytes=work.memory_bytes, cpu_seconds=work.cpu_seconds, readable=work.readable, private=work.private)
        with using_language(work.language), keeping_messages():
            for result in work.function():
                _send(b"D", result)
        _send(b"E", b"")
    except BaseException as error:
        if _is_out_of_memory(error):
            _send(b"M", b"")
        elif isinstance(error, FundwrightError):
            _send(b"R", to_stored(error.sentence).encode(errors="replace"))
        else:
            _send(b"X", "".join(traceback.format_exception(error))[-_TRACEBACK_CHARACTERS:].encode(errors="replace"))
    os._exit(0)


def _is_out_of_memory(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error is not None


def receive() -> bytes:
    """The next message from the server, in a child. Ends the child if there is no server any more."""
    return _read(LENGTH.unpack(_read(LENGTH.size))[0])


def _read(size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        piece = os.read(CHANNEL, size - len(found))
        if not piece:
            os._exit(1)
        found += piece
    return bytes(found)


def _send(kind: bytes, content: bytes) -> None:
    for part in (FRAME.pack(kind, len(content)), content):
        left = memoryview(part)
        while left:
            left = left[os.write(CHANNEL, left) :]


if __name__ == "__main__":
    main()
