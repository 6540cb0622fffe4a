"""Reads untrusted bytes in a separate process, so that no parser can harm the server.

`Sandbox.stream` runs a function in a child process that has limits on time, memory, and output, and no keys in its memory. On
Linux, it also has no network, writes nothing, starts no process, and reads only the files of Python and the system, and those it
was given. Accounts take turns, and a child that has run for a while leaves the processor to younger ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import psutil
import structlog

from fundwright.core.errors import FundwrightError
from fundwright.core.messages import current_language, from_untrusted, t
from fundwright.core.sandbox_forks import FRAME, LENGTH, PROCESS, STATUS, Work
from fundwright.core.sandbox_limits import missing
from fundwright.core.scopes import acting
from fundwright.core.turns import Turns

log = structlog.get_logger()

_MEGABYTE = 1_000_000
_FRAME_BYTES = 100 * _MEGABYTE
"""The maximum size of one result: it is in the server's memory as a whole."""
_MIN_BYTES = 10_000
"""The minimum size that a result counts as: each one costs the server time, even an empty one."""
_BUFFER_BYTES = 1 << 18
_REFUSAL_BYTES = 10_000
_ANSWER_S, _MOST_WAITS = 20, 15
"""After how many seconds without processor time the process to fork from is killed with its children, and how often it is waited for so long while it
works: five minutes, far more than importing modules takes on a busy machine."""
_COSTLY_S, _FAILURE_S, _MOST_FAILURES = 1.0, 60.0, 1_000
"""After how long a failure is remembered, for how long, and how many are."""
_OWN_SHARE = 0.8
"""A child that had the processor for less than this share of its time is slow because of others."""
_STALL_S = 1.0
"""A child that uses no processor time and sends nothing for so long is not working."""


@dataclass(frozen=True)
class Limits:
    """The limits for reading one file, and the error to raise if they are exceeded or reading fails."""

    error: type[FundwrightError]
    silent_seconds: int
    """The longest time until the next result or `report_progress`."""
    total_seconds: int
    memory_bytes: int
    output_bytes: int
    at_once: int = 8
    """Further calls with the same limits wait for their turn."""
    at_once_each: int = 2
    """The same for the calls of one account."""
    gives_way_after_s: float | None = None
    """A call that has run for so long ends once another account waits for its turn, and one that others have slowed down is not said to take
    too long itself. Only for `run`."""
    modules: tuple[str, ...] = ()
    """Modules that take long to import. They are imported once, not in each child."""


@dataclass(frozen=True)
class Child:
    """A process of the sandbox: what it sends, what is sent to it, and its exit status."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    watch: socket.socket
    process_id: int

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.writer.transport.abort()
        self.watch.close()

    async def result(self, room: int) -> tuple[bytes, bytes]:
        """The kind and the content of the next frame. Raises OutputExceeded for more than `room` bytes, or EOFError once the child has
        ended."""
        try:
            return await _frame(self.reader, room)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise EOFError from error

    async def is_stalled(self) -> bool:
        """Whether the process does nothing, for example because it was stopped or waits for a disk: then it is not its work that takes long.
        Nothing can be read from it afterward."""
        before_s = await asyncio.to_thread(_processor_s, self.process_id)
        try:
            async with asyncio.timeout(_STALL_S):
                await self.reader.read(1)
        except TimeoutError:
            return await asyncio.to_thread(_processor_s, self.process_id) == before_s
        except ConnectionError:
            pass
        return False


class Sandbox:
    """The child processes of a server or command. They are killed when it ends."""

    def __init__(self, private: Path) -> None:
        """Children can read nothing in the folder `private` but the files that they were given."""
        self._private = private
        self._lock = threading.Lock()
        self._launcher = ThreadPoolExecutor(1, thread_name_prefix="sandbox")
        self._server: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._turns: dict[Limits, Turns] = {}
        self._failures: dict[Hashable, float] = {}
        """What could not be read, and until when that is remembered, oldest first."""

    async def stream(
        self,
        function: partial[Iterator[bytes]],
        *,
        limits: Limits,
        name: str,
        readable: tuple[Path, ...] = (),
        go_on: Callable[[], partial[Iterator[bytes]]] | None = None,
    ) -> AsyncGenerator[bytes]:
        """Run `function`, which must be picklable, in a child and yield its results. `name` tells people what is read. `go_on`
        returns the function that yields the remaining results; it runs if the child was killed or stopped, and again after each further
        result.

        The call counts as one of the account that the current task acts for.

        Raises `limits.error` with a sentence if a limit is exceeded, the child dies, or `function` raises. A caller that closes
        the generator, or is canceled, kills the child.
        """
        work = Work(function, current_language(), limits.memory_bytes, limits.total_seconds, readable, self._private)
        turns = self._turns.setdefault(limits, Turns(limits.at_once, each=limits.at_once_each))
        account, brief_s = acting().account_id, limits.gives_way_after_s
        async with turns.turn(account) if brief_s is None else turns.brief_turn(account, seconds=brief_s):
            may_repeat = True
            while True:
                try:
                    async with aclosing(self._results(work, limits, name)) as results:
                        async for result in results:
                            may_repeat = go_on is not None
                            yield result
                    return
                except Interrupted as end:
                    if not may_repeat:
                        raise (end.error or _interrupted(limits, name)) from None
                    may_repeat = False
                    if go_on is not None:
                        work = replace(work, function=go_on())

    async def _results(self, work: Work, limits: Limits, name: str) -> AsyncGenerator[bytes]:
        """What one child yields. Raises `limits.error`, or Interrupted when it, or the process that it was forked from, was killed
        or stopped."""
        loop = asyncio.get_running_loop()
        start, room = loop.time(), limits.output_bytes
        deadline = start + limits.total_seconds
        child = await self.start(work, limits.modules)
        try:
            while True:
                try:
                    async with asyncio.timeout_at(min(deadline, loop.time() + limits.silent_seconds)):
                        try:
                            kind, content = await child.result(room)
                        except EOFError:
                            raise await _exit_error(child.watch, limits, name) from None
                except TimeoutError:
                    own_s, all_s = await asyncio.to_thread(_processor_s, child.process_id), loop.time() - start
                    if await child.is_stalled():
                        raise Interrupted from None
                    if limits.gives_way_after_s is not None and own_s is not None and own_s < _OWN_SHARE * all_s:
                        raise  # others had the processor
                    raise _timed_out(limits, name) from None
                except OutputExceeded:
                    raise _output_exceeded(limits, name) from None
                if kind == b"E":
                    return
                if kind not in (b"D", b"P"):
                    raise _failed(kind, content, limits, name)
                room -= max(len(content), _MIN_BYTES)
                if kind == b"D":
                    yield content
                await asyncio.sleep(0)  # results that have arrived would be read without a pause, however many they are
        finally:
            child.kill()

    async def start(self, work: Work, modules: Collection[str] = (), *, stays: bool = False) -> Child:
        """Start a child that does `work` until it is killed. `modules` are imported before it is forked. One that `stays`, for many small
        pieces of work, does not lose priority as it ages. Raises Interrupted if no child can be started."""
        (channel, childs_channel), (watch, childs_watch) = socket.socketpair(), socket.socketpair()
        try:
            needed = [work.function.func.__module__, *modules]
            loop = asyncio.get_running_loop()
            request = json.dumps({"modules": needed, "stays": stays}).encode()
            process_id = await loop.run_in_executor(self._launcher, self._launch, request, childs_channel, childs_watch)
            watch.setblocking(False)
            reader, writer = await asyncio.open_unix_connection(sock=channel, limit=_BUFFER_BYTES)
        except BaseException:
            # The child is killed when its watch is closed.
            watch.close()
            channel.close()
            raise
        writer.write(_request(work))
        return Child(reader, writer, watch, process_id)

    async def run(
        self,
        function: partial[Iterator[bytes]],
        *,
        limits: Limits,
        name: str,
        readable: tuple[Path, ...] = (),
        content: Hashable = None,
        is_valid: Callable[[list[bytes]], bool] = lambda _: True,
    ) -> list[bytes]:
        """All results of `function` as a list, in the order in which `stream` yields them. If `content` says what is read, and it
        fails or has invalid results after more than a second, the same is not tried again for a minute."""
        started = asyncio.get_running_loop().time()
        if content is not None and self._failures.get(content, 0.0) > started:
            raise _failed_before(limits, name)
        try:
            async with aclosing(self.stream(function, limits=limits, name=name, readable=readable)) as results:
                found = [result async for result in results]
            if not is_valid(found):
                raise crashed(limits, name, reason="invalid results")
            return found
        except TimeoutError:
            raise _gave_way(limits, name) from None
        except limits.error as error:
            now = asyncio.get_running_loop().time()
            is_interrupted = isinstance(error.__context__, Interrupted)  # which the content is not to blame for
            if content is not None and now >= started + _COSTLY_S and not is_interrupted:
                self._remember(content, until=now + _FAILURE_S)
            raise

    def _remember(self, content: Hashable, *, until: float) -> None:
        self._failures.pop(content, None)
        self._failures[content] = until
        if len(self._failures) > _MOST_FAILURES:
            del self._failures[next(iter(self._failures))]

    async def close(self) -> None:
        """Kill every child."""

        def end() -> None:
            with self._lock:
                self._end()

        await asyncio.get_running_loop().run_in_executor(self._launcher, end)

    def _launch(self, request: bytes, channel: socket.socket, watch: socket.socket) -> int:
        """Have a child forked that has these sockets, and return the number of its process. Blocks for some milliseconds, the first time for half a second. Raises Interrupted."""
        with channel, watch, self._lock:
            for _ in range(2):  # the process to fork from may have been killed
                if self._server is None:
                    self._server = _start()
                process, control = self._server
                with suppress(ConnectionError, TimeoutError):
                    socket.send_fds(control, [request], [channel.fileno(), watch.fileno()])
                    if answer := _answer(process, control):
                        return int(PROCESS.unpack(answer)[0])
                log.warning("sandbox.replaced", reason="The process that the sandbox forks from has ended or does not answer.")
                self._server[0].kill()  # if it resumed, it would fork a second child with these sockets
                self._end()
        raise Interrupted

    def _end(self) -> None:
        """End the process that children are forked from, and so the children. Call it with the lock."""
        if self._server is not None:
            process, control = self._server
            self._server = None
            control.close()
            try:
                process.wait(_ANSWER_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answer(process: subprocess.Popen[bytes], control: socket.socket) -> bytes:
    """What the process sends. Raises TimeoutError once it does nothing: on a busy machine, importing modules can take minutes."""
    used_s = _processor_s(process.pid)
    for _ in range(_MOST_WAITS):
        with suppress(TimeoutError):
            return control.recv(PROCESS.size)
        before_s, used_s = used_s, _processor_s(process.pid)
        if used_s == before_s:
            break
    raise TimeoutError


def _processor_s(process_id: int) -> float | None:
    """The processor time that the process has used; None if it has ended."""
    with suppress(psutil.NoSuchProcess):
        used = psutil.Process(process_id).cpu_times()
        return used.user + used.system
    return None


def _start() -> tuple[subprocess.Popen[bytes], socket.socket]:
    if absent := missing():
        log.warning("sandbox.incomplete", missing=absent, reason="This system does not have these protections.")
    control, theirs = socket.socketpair()
    control.settimeout(_ANSWER_S)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fundwright.core.sandbox_forks", str(theirs.fileno())],
            # No address of a database and no key: a child could read its parent's environment.
            # A child can start no thread, so numpy computes without any.
            env={
                "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
                "LANG": "C.UTF-8",
                "OPENBLAS_NUM_THREADS": "1",
            },
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    return process, control


def _request(work: Work) -> bytes:
    content = pickle.dumps(work)
    return LENGTH.pack(len(content)) + content


class Interrupted(Exception):
    """A child was killed or stopped, maybe through no fault of what was read. `error` says why, if that is known."""

    def __init__(self, error: FundwrightError | None = None) -> None:
        super().__init__()
        self.error = error


class OutputExceeded(Exception):
    """A result is larger than what is left of the output limit."""


async def _frame(reader: asyncio.StreamReader, room: int) -> tuple[bytes, bytes]:
    kind, size = FRAME.unpack(await reader.readexactly(FRAME.size))
    if size > (min(room, _FRAME_BYTES) if kind == b"D" else min(room, _REFUSAL_BYTES) if kind == b"P" else _REFUSAL_BYTES):
        raise OutputExceeded
    return kind, await reader.readexactly(size)


async def _exit_error(watch: socket.socket, limits: Limits, name: str) -> FundwrightError:
    """The error for a child that ended without saying why. Raises Interrupted."""
    status = await asyncio.get_running_loop().sock_recv(watch, STATUS.size)
    if not status:
        raise Interrupted
    code = STATUS.unpack(status)[0]
    if code == -signal.SIGXCPU:
        return _timed_out(limits, name)
    if code == -signal.SIGKILL:  # not sent by us
        raise Interrupted(_killed(limits, name))
    return crashed(limits, name, exit_code=code)


def _failed(kind: bytes, content: bytes, limits: Limits, name: str) -> FundwrightError:
    if kind == b"M":
        return _out_of_memory(limits, name)
    if kind == b"R":
        return limits.error(from_untrusted(content.decode(errors="replace").replace("\x00", "")))
    return crashed(limits, name, traceback=content.decode(errors="replace"))


def _timed_out(limits: Limits, name: str) -> FundwrightError:
    return limits.error(
        t(
            "Reading {name} took too long. Use a smaller or simpler file, and try again.",
            name=name,
        )
    )


def _gave_way(limits: Limits, name: str) -> FundwrightError:
    return limits.error(
        t("Reading {name} is taking a long time, and other people are waiting. Try again in a minute.", name=name)
    )


def _failed_before(limits: Limits, name: str) -> FundwrightError:
    return limits.error(t("Reading {name} failed just now. Use a smaller or simpler file, or try again in a minute.", name=name))


def _out_of_memory(limits: Limits, name: str) -> FundwrightError:
    return limits.error(
        t(
            "Reading {name} needed more than {size} MB of memory. Use a smaller or simpler file, and try again.",
            name=name,
            size=limits.memory_bytes // _MEGABYTE,
        )
    )


def _interrupted(limits: Limits, name: str) -> FundwrightError:
    return limits.error(t("Reading {name} was interrupted. Try again.", name=name))


def _killed(limits: Limits, name: str) -> FundwrightError:
    return limits.error(
        t(
            "Reading {name} was interrupted, perhaps because the server ran out of memory. Try again, or use a smaller file.",
            name=name,
        )
    )


def _output_exceeded(limits: Limits, name: str) -> FundwrightError:
    return limits.error(
        t(
            "Reading {name} produced more than {size} MB. Use a smaller file, and try again.",
            name=name,
            size=min(limits.output_bytes, _FRAME_BYTES) // _MEGABYTE,
        )
    )


def crashed(limits: Limits, name: str, **details: object) -> FundwrightError:
    """The error for a child that did what no reader does. Also for callers that find invalid results."""
    log.warning("sandbox.crashed", name=name, **details)
    return limits.error(t("The reader crashed on {name}. Save the file again or in another format, and try again.", name=name))
