"""Actions of a hostile parser, for tests of the sandbox. The sandboxed processes import these functions by name."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress


def echo(*contents: bytes) -> Iterator[bytes]:
    yield from contents


def count_from(first: int) -> Iterator[bytes]:
    """Yields numbers up to 4 with the process that counts. After 0 and 2, it waits to be killed, so that another process has to
    continue."""
    for number in range(first, 5):
        yield f"{number} {os.getpid()}".encode()
        if number in (0, 2):
            time.sleep(3600)


def loop_with_the_interpreter_locked() -> Iterator[bytes]:
    yield b"before"
    # A repeated pattern holds the GIL in C code.
    import re

    re.match(r"(a+)+$", "a" * 60 + "b")
    yield b"after"


def sleep() -> Iterator[bytes]:
    time.sleep(3600)
    yield b""


def spin_after_own_pid() -> Iterator[bytes]:
    yield str(os.getpid()).encode()
    while True:
        pass


def work_in_steps(seconds: float) -> Iterator[bytes]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        report_progress()
    yield b"done"


def drip() -> Iterator[bytes]:
    while True:
        time.sleep(0.2)
        yield b"."


def allocate(size: int) -> Iterator[bytes]:
    block = bytearray(size)
    yield str(len(block)).encode()


def allocate_and_hide_it(size: int) -> Iterator[bytes]:
    try:
        yield bytes(bytearray(size))
    except MemoryError as error:
        raise Invalid("This page is damaged.") from error


def print_much() -> Iterator[bytes]:
    for _ in range(100):
        sys.stdout.write("x" * 1_000_000)
        sys.stderr.write("x" * 1_000_000)
    yield b"printed"


def give_much(size: int) -> Iterator[bytes]:
    yield bytes(size)


def give_many(count: int, result: bytes) -> Iterator[bytes]:
    for _ in range(count):
        yield result


def refuse() -> Iterator[bytes]:
    yield b"first"
    raise Invalid(t("The file is empty. Choose another one."))


def fail() -> Iterator[bytes]:
    raise ZeroDivisionError("secret")
    yield b""


def crash() -> Iterator[bytes]:
    ctypes.string_at(0)
    yield b""


def leave() -> Iterator[bytes]:
    yield b"first"
    os._exit(0)


def kill_itself() -> Iterator[bytes]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield b"alive"


def try_signals(victim: int) -> Iterator[bytes]:
    """The names of the signals that can be sent."""
    yield from _succeeding(
        {
            "to its parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
            "to the server": lambda: os.kill(victim, signal.SIGKILL),
            "to the group of the server": lambda: os.killpg(os.getpgid(victim), signal.SIGKILL),
            "to everybody": lambda: os.kill(-1, signal.SIGKILL),
        }
    )


def try_to_reach(victim: int, folder: Path) -> Iterator[bytes]:
    """The names of possible ways to reach other processes, observe them, or use uncounted memory."""
    library = ctypes.CDLL(None, use_errno=True)

    def call(name: str, *arguments: object) -> int:
        if (result := getattr(library, name)(*arguments)) == -1:
            raise OSError(ctypes.get_errno(), name)
        return result

    def lock() -> None:
        with Path(os.__file__).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    with Path(os.devnull).open("rb") as file:
        yield from _succeeding(
            {
                "the priority of the server": lambda: os.sched_setparam(victim, os.sched_param(0)),
                "signals to the server about a file": lambda: fcntl.fcntl(file, fcntl.F_SETOWN, victim),
                "what changes in a folder": lambda: call("inotify_add_watch", call("inotify_init"), bytes(folder), 0xFFF),
                "a lock on a file of Python": lock,
                "a working folder": lambda: os.chdir(folder),
                "a pipe": os.pipe,
                "a thread": lambda: threading.Thread(target=time.time).start(),
                "life after the death of its parent": lambda: call("prctl", 1, 0, 0, 0, 0),
                "memory taken from everybody": lambda: call("madvise", None, 0, 100),
                "shared memory": lambda: call("shmget", 0, 4096, 0o1600),
            }
        )


def try_everything(port: int, folder: Path, secret: Path) -> Iterator[bytes]:
    """The names of the actions that succeed."""
    existing = folder / "existing"
    actions = {
        "a TCP socket": lambda: socket.create_connection(("127.0.0.1", port), 1),
        "a UDP socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "a Unix socket": lambda: socket.socket(socket.AF_UNIX),
        "a new file": lambda: (folder / "new").write_bytes(b"x"),
        "an empty new file": lambda: (folder / "empty").touch(),
        "a changed file": lambda: existing.write_bytes(b"x"),
        "a truncated file": lambda: os.truncate(existing, 0),
        "changed permissions": lambda: existing.chmod(0o777),
        "a new folder": lambda: (folder / "new folder").mkdir(),
        "a renamed file": lambda: existing.rename(existing),
        "a removed file": lambda: existing.unlink(),
        "another file read": lambda: secret.read_bytes(),
        "a folder listed": lambda: list(secret.parent.iterdir()),
        "an environment read": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "a program": lambda: subprocess.run(["/bin/true"], check=True),
        "a fork": lambda: os.fork() or os._exit(0),
    }
    yield from _succeeding(actions)


NEWER_SYSTEM_CALLS = {
    "mount_setattr": 442, "memfd_secret": 447, "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467,
    "file_setattr": 469,
}  # fmt: skip
"""The C library does not have all of them. Their numbers are the same on x86_64 and arm64."""


def call_newer_system_calls() -> Iterator[bytes]:
    """The names of system calls that are not blocked, whether or not the kernel has them."""
    library = ctypes.CDLL(None, use_errno=True)
    for name, number in NEWER_SYSTEM_CALLS.items():
        if library.syscall(number, -1, b"missing", -1, -1, -1) != -1 or ctypes.get_errno() != errno.EPERM:
            yield name.encode()


def _succeeding(actions: Mapping[str, Callable[[], object]]) -> Iterator[bytes]:
    for name, action in actions.items():
        try:
            action()
        except (OSError, RuntimeError):
            continue
        yield name.encode()


def read_file(path: Path) -> Iterator[bytes]:
    yield path.read_bytes()


def readable_of(*files: Path) -> Iterator[bytes]:
    yield from _succeeding({str(file): file.read_bytes for file in files})


def environment() -> Iterator[bytes]:
    yield "\n".join(os.environ).encode()


def parents_pid() -> Iterator[bytes]:
    yield str(os.getppid()).encode()


def hold_while_there(path: Path) -> Iterator[bytes]:
    with path.open():
        while path.exists():
            time.sleep(0.02)
    yield b"held"


def fall_silent() -> Iterator[bytes]:
    """Close every file, as if the process had ended."""
    os.closerange(0, 1_024)
    time.sleep(3600)
    yield b""


def own_pid() -> Iterator[bytes]:
    yield str(os.getpid()).encode()
    time.sleep(3600)
