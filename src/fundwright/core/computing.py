"""Computes in processes that can be ended, so that a text for which a function takes long delays nobody but its author.

`Computing.run` calls a function in a process that is forked like those of the sandbox: without network, files, and keys, at low
priority. It has a deadline, and a caller that is canceled ends it. Accounts take turns: those that have used the least time lately
come first, none has more than half of the processes, and a few more are only for accounts that have used little. A thread could
do nothing of this: it cannot be ended, and it shares the interpreter with everyone's requests.
"""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import time
from collections import deque
from collections.abc import AsyncIterator, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import structlog

from fundwright.core.computing_child import Answer, Question, serve
from fundwright.core.database import require_no_transaction
from fundwright.core.errors import FundwrightError, Invalid
from fundwright.core.messages import current_language, number, t
from fundwright.core.sandbox import Child, Interrupted, OutputExceeded, Sandbox
from fundwright.core.sandbox_forks import LENGTH, Work
from fundwright.core.scopes import acting
from fundwright.core.unpickling import unpickled

R = TypeVar("R")

log = structlog.get_logger()

DEADLINE_S = 20.0
"""How long a function may take for one request, unless the caller says otherwise."""
_PATIENCE_S = 30.0
"""How long a request waits for its turn."""
_MIN_PROCESSES = 4
_MEMORY_BYTES = 1_000_000_000
_MOST_RESULT_BYTES = 100_000_000
_LARGE_BYTES = 250_000
"""A result of this size takes milliseconds to read, so a thread reads it."""
_MOST_WAITING, _MOST_WAITING_OF_PARTY = 1_000, 64
_RETIREMENT_S = 120.0
"""A process that has computed this long is replaced, with the memory that it has taken."""
_CPU_S = 3_600
"""More than a process computes before it is retired: deadlines end what takes too long."""
_HALF_LIFE_S = 30.0
_LITTLE_S = 2.0
"""An account with nothing running that has used less than this lately, or less than half of what the busiest account has, may start a reserved
process."""
_RETRY_S = 10


class Busy(FundwrightError):
    """Too much is waiting to be computed."""

    status = 503
    retry_after_s = _RETRY_S

    def __init__(self) -> None:
        super().__init__(t("Too many requests are waiting at the moment. Try again in a minute."))


class TookTooLong(Invalid):
    """A function reached its deadline."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            t(
                "This text is too long or too complex: reading it takes more than {n} seconds. Shorten it, and try again.",
                n=number(seconds),
            )
        )


class TookTooMuchMemory(Invalid):
    """A function needed more memory than a process may have, or has returned too much."""

    def __init__(self) -> None:
        super().__init__(t("This text is too long or too complex: reading it needs too much memory. Shorten it, and try again."))


class Ended(FundwrightError):
    """The process was killed or stopped from outside, for example because the system ran out of memory."""

    status = 503
    retry_after_s = _RETRY_S

    def __init__(self) -> None:
        super().__init__(t("The computation was interrupted. Try again."))


@dataclass(eq=False)
class _Process:
    child: Child
    modules: frozenset[str]
    is_new: bool = True
    busy_s: float = 0.0


@dataclass
class _Party:
    """What an account is computing, what waits, and how many seconds it has used lately."""

    waiting: deque[asyncio.Future[float]] = field(default_factory=deque[asyncio.Future[float]])
    started: list[float] = field(default_factory=list[float])
    used_s: float = 0.0
    at: float = 0.0

    def used(self, now: float) -> float:
        """Seconds, of which half are forgotten every half minute."""
        return self.used_s * 0.5 ** ((now - self.at) / _HALF_LIFE_S) + sum(now - start for start in self.started)

    def add(self, seconds: float, now: float) -> None:
        self.used_s, self.at = self.used_s * 0.5 ** ((now - self.at) / _HALF_LIFE_S) + seconds, now


class Turns:
    """Decides whose computation is next. `limit` of them run at once, and half as many are added for accounts that compute little."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parties: dict[Hashable, _Party] = {}

    @asynccontextmanager
    async def turn(self, party: Hashable, *, patience_s: float | None) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the block ends. Raises Busy after `patience_s`, or at once if too much is waiting. Without
        it, what waits is limited by the slots of jobs."""
        self._forget_idle()
        own = self._parties.setdefault(party, _Party())
        waiting = sum(len(each.waiting) for each in self._parties.values())
        if patience_s is not None and (len(own.waiting) >= _MOST_WAITING_OF_PARTY or waiting >= _MOST_WAITING):
            raise Busy
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        own.waiting.append(turn)
        self._start_next()
        try:
            async with asyncio.timeout(patience_s):
                start = await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():  # it was given a turn in the same moment
                own.started.remove(turn.result())
            elif turn in own.waiting:
                own.waiting.remove(turn)
            self._start_next()
            if isinstance(error, TimeoutError):
                raise Busy from error
            raise
        try:
            yield
        finally:
            own.started.remove(start)
            own.add(time.monotonic() - start, time.monotonic())
            self._start_next()

    def _start_next(self) -> None:
        now = time.monotonic()
        while True:
            running, half = sum(len(each.started) for each in self._parties.values()), self._limit // 2
            if running >= self._limit + half:
                return
            little_s = max(_LITTLE_S, max(each.used(now) for each in self._parties.values()) / 2)
            able = [
                each
                for each in self._parties.values()
                if each.waiting
                and (len(each.started) < half if running < self._limit else not each.started and each.used(now) < little_s)
            ]
            if not able:
                return
            chosen = min(able, key=lambda each: (len(each.started), each.used(now)))
            turn = chosen.waiting.popleft()
            if not turn.done():  # its caller may have been canceled in this moment
                chosen.started.append(now)
                turn.set_result(now)

    def _forget_idle(self) -> None:
        now = time.monotonic()
        self._parties = {
            party: each
            for party, each in self._parties.items()
            if each.waiting or each.started or each.used(now) > _LITTLE_S / 100
        }


class Computing:
    """The processes of a server or command that compute. They are killed when it ends."""

    def __init__(self, sandbox: Sandbox, *, private: Path, catalogs: Sequence[Path] = (), processes: int | None = None) -> None:
        self._sandbox = sandbox
        self._private = private
        self._catalogs = tuple(catalogs)
        self._limit = processes or max(_MIN_PROCESSES, os.cpu_count() or 1)
        self._turns = Turns(self._limit)
        self._idle: list[_Process] = []
        self._modules: set[str] = set()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="computing")

    async def run(
        self,
        function: partial[R],
        *,
        deadline_s: float = DEADLINE_S,
        silent_s: float = math.inf,
        is_background: bool = False,
        party: Hashable = None,
    ) -> R:
        """Call `function` and return what it returns; both must be picklable. In the background, it waits for its turn as long as
        necessary. `party` is whose turn it is, by default the account for which the task acts, or the link of a guest. `silent_s` is the
        longest time without a `report_progress`, for a function that calls it.

        Raises what `function` raises, Busy, TookTooLong, TookTooMuchMemory, or Ended; and ConnectionHeld inside a transaction, because a
        caller that waits must not hold a connection or a lock.
        """
        require_no_transaction("Computing")
        question = pickle.dumps(Question(function, current_language()))
        scope = acting()
        own = party or scope.account_id or scope.share_id or scope.workspace_id
        async with self._turns.turn(own, patience_s=None if is_background else _PATIENCE_S):
            answer = await self._answer(_modules_of(function), question, deadline_s, silent_s)
        if answer.error is not None:
            raise answer.error
        return cast(R, answer.value)

    def close(self) -> None:
        """End the processes that wait for work."""
        for process in self._idle:
            process.child.kill()
        self._idle.clear()

    async def _answer(self, modules: frozenset[str], question: bytes, deadline_s: float, silent_s: float) -> Answer:
        self._modules |= modules
        while True:
            process = await self._take(modules)
            start, is_done = time.monotonic(), False
            try:
                answer = await self._ask(process, question, deadline_s, silent_s)
                is_done = True
                return answer
            except EOFError:
                if process.is_new:
                    log.warning("computing.interrupted", modules=sorted(modules))
                    raise Ended from None
                # It was killed or stopped while it waited for work, or killed as the first one that the system chose when it ran out of memory.
            except OutputExceeded:
                raise TookTooMuchMemory from None
            finally:
                process.busy_s += time.monotonic() - start
                if is_done and process.busy_s < _RETIREMENT_S:
                    self._put_back(process)
                else:
                    process.child.kill()

    async def _ask(self, process: _Process, question: bytes, deadline_s: float, silent_s: float) -> Answer:
        writer, loop = process.child.writer, asyncio.get_running_loop()
        end = loop.time() + deadline_s
        try:
            async with asyncio.timeout_at(end) as limit:
                try:
                    writer.write(LENGTH.pack(len(question)))
                    writer.write(question)
                    await writer.drain()
                except ConnectionError as error:
                    raise EOFError from error
                kind, content = b"P", b""  # the function says that it makes progress
                while kind == b"P":
                    limit.reschedule(min(end, loop.time() + silent_s))
                    kind, content = await process.child.result(_MOST_RESULT_BYTES)
        except TimeoutError:
            if await process.child.is_stalled():
                self.close()  # those that wait for work were probably stopped with it
                raise EOFError from None
            raise TookTooLong(deadline_s if loop.time() >= end else silent_s) from None
        if kind == b"M":
            raise TookTooMuchMemory
        if kind != b"D":
            raise RuntimeError(content.decode(errors="replace"))
        if len(content) < _LARGE_BYTES:
            return _read(content)
        return await loop.run_in_executor(self._reader, _read, content)

    async def _take(self, modules: frozenset[str]) -> _Process:
        """An idle process that has imported the modules, or a new one."""
        process = next((each for each in reversed(self._idle) if modules <= each.modules), None)
        if process is not None:
            self._idle.remove(process)
            process.is_new = False
            return process
        return await self._start()

    async def _start(self) -> _Process:
        modules = frozenset(self._modules)
        function = partial(serve, self._catalogs)
        work = Work(function, "en", _MEMORY_BYTES, _CPU_S, (), self._private)
        try:
            return _Process(await self._sandbox.start(work, sorted(modules), stays=True), modules)
        except Interrupted:
            raise Ended from None

    def _put_back(self, process: _Process) -> None:
        """Keep the process for the next call. If there are many, the one that has imported the fewest modules ends."""
        self._idle.append(process)
        if len(self._idle) > self._limit // 2:
            oldest = min(self._idle, key=lambda each: len(each.modules))
            self._idle.remove(oldest)
            oldest.child.kill()


def _modules_of(function: partial[Any]) -> frozenset[str]:
    """The modules of a function and of the classes that it is given, which a process would import for each first call otherwise."""
    return frozenset((function.func.__module__, *(each.__module__ for each in function.args if isinstance(each, type))))


def _read(content: bytes) -> Answer:
    return cast(Answer, unpickled(content))
