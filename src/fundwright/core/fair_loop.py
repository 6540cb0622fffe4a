"""An event loop in which parties take turns, so that nobody's work makes everyone else wait."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple


class _Work(NamedTuple):
    """Whose work a step is, and what a second of it costs. An account with pages and jobs has two turns, one for each price."""

    party: Hashable = None
    price: float = 1.0


_SERVER = _Work()
_work: ContextVar[_Work] = ContextVar("work", default=_SERVER)

_SLICE_S = 0.001
"""How long steps of one party follow each other; a step that takes longer ends its turn."""
_CREDIT_S = _DEBT_S = 0.3
"""How much a party can save while it uses less than its share, and owe."""
_BEHIND_PAGES_PRICE = 4.0
"""The price of jobs and API requests, in seconds charged for each second used. Pages pay 1."""
_MANY = 16
"""With more steps ready at once than this, a party pays more for each, so that those who flood the server wait for those who click. Opening a page
sends about this many queries."""
_HIGHEST_FACTOR = 4
_EXPECTED_S = 0.003
_EXPECTED_SAVINGS_S = 0.05
"""The loop waits this long for the next step of a page that has saved this much, before it serves those without savings: the database answers
in 1 to 2 ms, and one of their steps may take 50. Opening a page has some 30 such moments."""
_PATIENCE_S = 0.005
"""How long those without savings wait in all before one of them is served."""
_LEAST_WAIT_S = 0.0005
_FORGET_ABOVE = 1_000
_ACCEPTED_AT_ONCE = 16
"""Connections between two turns. asyncio accepts as many as may wait, and thousands that come at once would make everyone wait."""


def work_for(party: Hashable) -> None:
    """Count the work of the current task, and of tasks that it starts from now on, for this party: an account, the readers of a member's links, or a
    network address. None is the server itself, which takes no turns and waits for at most one turn of a party."""
    _work.set(_work.get()._replace(party=party))


def work_for_page() -> None:
    """Let the current task, and those that it starts, work for a page at which a person looks."""
    _work.set(_work.get()._replace(price=1.0))


def work_behind_pages() -> None:
    """Let the current task, and those that it starts, leave most of the loop to pages: no one waits for it on a screen."""
    _work.set(_work.get()._replace(price=_BEHIND_PAGES_PRICE))


def current_party() -> Hashable:
    """For whom the current task works."""
    return _work.get().party


def of_the_server() -> Context:
    """The context of a task that serves everyone although it was started for one of them. Otherwise, everyone would wait for that one's turn."""
    context = copy_context()
    context.run(_work.set, _SERVER)
    return context


class FairEventLoop(asyncio.SelectorEventLoop):
    """Runs ready steps, first those of the party that has used the least time lately (borrowed virtual time, Duda and Cheriton 1999). The more
    steps a party has ready at once, the more each costs it.

    A party that has used less than its share, such as a person who clicks, waits for about one turn of another party. The loop looks for
    input after each turn, and idles for a few milliseconds at most while something is ready.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ready_of: dict[_Work, deque[asyncio.Handle]] = {}
        self._order: list[tuple[float, int, _Work]] = []
        """A heap of those that wait, each with the virtual time at which it may continue."""
        self._count = count()
        self._is_scheduled = False
        self._now = 0.0
        """Virtual time, in seconds: it grows by what the party that is served has used, and while nobody is."""
        self._idle_since: float | None = None
        self._forget_above = _FORGET_ABOVE
        self._used_until: dict[_Work, float] = {}
        """Until when, in virtual time, each has had its share."""
        self._expected: _Work | None = None
        """The page that was served last and has nothing ready."""
        self._expected_until = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._waiting_since = 0.0
        self._patience_s = _PATIENCE_S

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        work = _work.get() if context is None else context.get(_work, _SERVER)
        if work.party is None:
            return super().call_soon(callback, *args, context=context)
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        handle = asyncio.Handle(callback, args, self, context)
        ready = self._ready_of.get(work)
        if ready is not None:
            ready.append(handle)
        else:
            self._ready_of[work] = deque((handle,))
            self._line_up(work)
        return handle

    def _start_serving(
        self, protocol_factory: Any, sock: Any, sslcontext: Any = None, server: Any = None, backlog: int = 100, *rest: Any
    ) -> None:
        """asyncio uses one number for how many connections the system keeps waiting and for how many it accepts in one step; there is no
        public way to lower only the second."""
        super()._start_serving(protocol_factory, sock, sslcontext, server, min(backlog, _ACCEPTED_AT_ONCE), *rest)  # type: ignore[misc]

    def _line_up(self, work: _Work) -> None:
        if self._idle_since is not None:
            self._now += time.perf_counter() - self._idle_since
            self._idle_since = None
        at = max(self._used_until.get(work, 0.0), self._now - _CREDIT_S)
        heappush(self._order, (at, next(self._count), work))
        if self._waiting is not None and at < self._now:
            self._stop_waiting()
        self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            super().call_soon(self._serve_next, context=_SERVER_CONTEXT)

    def _serve_next(self) -> None:
        """Run steps of the party whose turn it is. Everything else that the loop does comes between two turns."""
        self._is_scheduled = False
        if self._is_worth_waiting():
            return
        at, _, work = heappop(self._order)
        if at >= self._now:
            self._patience_s = _PATIENCE_S
        self._now = max(self._now, at)
        ready = self._ready_of[work]
        at_once = len(ready)
        began = time.perf_counter()
        used = 0.0
        try:
            while ready and used < _SLICE_S:
                handle = ready.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001
                used = time.perf_counter() - began
        finally:  # a step may end the process, and what ends with it takes turns, too
            price = work.price * min(max(1, at_once / _MANY), _HIGHEST_FACTOR)
            self._used_until[work] = min(at + (time.perf_counter() - began) * price, self._now + _DEBT_S)
            self._expected = None
            if ready:
                self._line_up(work)
            else:
                del self._ready_of[work]
                if work.price <= 1 and self._used_until[work] < self._now - _EXPECTED_SAVINGS_S:
                    self._expected, self._expected_until = work, time.perf_counter() + _EXPECTED_S
            if self._order:
                self._schedule()
            else:
                self._idle_since = time.perf_counter()
        if len(self._used_until) > self._forget_above:
            self._used_until = {each: until for each, until in self._used_until.items() if until > self._now - _CREDIT_S}
            self._forget_above = max(_FORGET_ABOVE, 2 * len(self._used_until))

    def _is_worth_waiting(self) -> bool:
        """Whether the page that was served last should be next, and will soon be ready. The loop looks for input meanwhile."""
        if self._expected is None or self._expected in self._ready_of or self._order[0][0] < self._now:
            return False
        now = time.perf_counter()
        left_s = min(self._expected_until - now, self._patience_s)
        if left_s <= 0:
            return False
        self._is_scheduled = True
        self._waiting_since = now
        self._waiting = self.call_later(left_s, self._stop_waiting_and_serve, context=_SERVER_CONTEXT)
        return True

    def _stop_waiting_and_serve(self) -> None:
        self._stop_waiting()
        self._serve_next()

    def _stop_waiting(self) -> None:
        assert self._waiting is not None
        self._waiting.cancel()
        waited_s = time.perf_counter() - self._waiting_since
        self._patience_s -= max(waited_s, _LEAST_WAIT_S)
        self._now += waited_s  # so that those who wait become due
        if self._expected in self._used_until:
            self._used_until[self._expected] += waited_s
        self._waiting = self._expected = None
        self._is_scheduled = False


_SERVER_CONTEXT = Context()
