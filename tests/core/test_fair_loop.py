"""Parties take turns on the event loop: first those who have used the least time, and last those with the most to do at once."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from time import perf_counter
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

import pytest

from fundwright.core.fair_loop import (
    _DEBT_S,
    FairEventLoop,
    _work,
    current_party,
    of_the_server,
    work_behind_pages,
    work_for,
    work_for_page,
)
from fundwright.core.scopes import NOBODY, Scope, act_in
from fundwright.core.web import RequestId
from fundwright_ui.product.host import ProductHost

pytestmark = pytest.mark.security(53)

T = TypeVar("T")

_STEP_S = 0.002


class Clock:
    """The clock of the loop, which only the steps of these tests move."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def perf_counter(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("fundwright.core.fair_loop.time", clock)
    return clock


async def steps(clock: Clock, party: object, order: list[object], *, times: int = 1) -> None:
    work_for(party)
    for _ in range(times):
        await asyncio.sleep(0)
        order.append(party)
        clock.now_s += _STEP_S


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `main` returns. Assertions belong outside: pytest cannot show those that fail on another loop."""
    with asyncio.Runner(loop_factory=FairEventLoop) as runner:
        return runner.run(main())


class TestTurns:
    def test_a_party_that_has_done_nothing_waits_for_two_steps_at_most(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()
            busy = [asyncio.create_task(steps(clock, number, order, times=4)) for number in range(24)]
            while len(order) < 30:
                await asyncio.sleep(0)
            before = len(order)
            await asyncio.create_task(steps(clock, "quiet", order))
            await asyncio.gather(*busy)
            return order[before:]

        assert run(main).index("quiet") <= 2

    def test_a_party_with_much_at_once_gets_less_than_one_with_little(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()
            await asyncio.gather(
                *(steps(clock, "much", order, times=5) for _ in range(48)), steps(clock, "little", order, times=20)
            )
            return order

        assert run(main)[:28].count("little") >= 19

    def test_pages_wait_little_for_jobs_and_programs(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()

            async def behind(party: str) -> None:
                work_behind_pages()
                await steps(clock, party, order, times=200)

            async def page() -> None:
                work_behind_pages()
                work_for_page()
                await steps(clock, "page", order, times=200)

            await asyncio.gather(behind("job"), behind("program"), page())
            return order

        assert 110 < run(main)[:180].count("page") < 130  # two thirds: 1 / (1 + 2 / 4)

    def test_an_account_does_not_wait_on_its_page_for_its_own_jobs(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()

            async def job() -> None:
                work_behind_pages()
                await steps(clock, "account", order, times=400)

            working = asyncio.create_task(job())
            while len(order) < 300:
                await asyncio.sleep(0)
            before = len(order)

            async def page() -> None:
                work_for("account")
                await asyncio.sleep(0)
                order.append("page")

            await asyncio.create_task(page())
            await working
            return order[before:]

        assert run(main).index("page") <= 2

    @pytest.mark.parametrize(
        ("waits_s", "answers_in_s", "comes_next"), [(10.0, 0.001, True), (0.003, 0.3, False)], ids=["soon", "late"]
    )
    def test_a_page_that_uses_little_is_waited_for_while_the_database_answers(
        self, clock: Clock, monkeypatch: pytest.MonkeyPatch, waits_s: float, answers_in_s: float, comes_next: bool
    ) -> None:
        monkeypatch.setattr("fundwright.core.fair_loop._EXPECTED_S", waits_s)
        monkeypatch.setattr("fundwright.core.fair_loop._PATIENCE_S", waits_s)

        async def main() -> list[object]:
            order = list[object]()

            async def page() -> None:
                work_for("page")
                await asyncio.sleep(0)
                order.append("page")
                await asyncio.sleep(answers_in_s)
                order.append("page")
                monkeypatch.setattr("fundwright.core.fair_loop._EXPECTED_S", 0.0)  # so that the test ends

            busy = [asyncio.create_task(steps(clock, number, order, times=200_000)) for number in range(3)]
            while len(order) < 600:
                await asyncio.sleep(0)
            async with asyncio.timeout(5):
                await asyncio.create_task(page())
            for each in busy:
                each.cancel()
            return order[order.index("page") + 1 :]

        assert (run(main)[0] == "page") is comes_next

    def test_pages_with_tiny_steps_leave_turns_to_others(self) -> None:
        """On the real clock: the database answers in two milliseconds, again and again. Also to those who owe much, for many long steps."""

        async def main() -> int:
            order = list[str]()

            async def page() -> None:
                work_for("page")
                for _ in range(60):
                    await asyncio.sleep(0.002)
                    order.append("page")

            async def busy() -> None:
                work_for("busy")
                while True:
                    await asyncio.sleep(0)
                    order.append("busy")
                    end = perf_counter() + 0.005
                    while perf_counter() < end:
                        pass

            going = [asyncio.create_task(busy()) for _ in range(64)]
            await asyncio.sleep(0.5)
            order.clear()
            await asyncio.create_task(page())
            for each in going:
                each.cancel()
            await asyncio.wait(going)
            return order.count("busy")

        assert run(main) > 25

    def test_nobody_waits_for_a_page_that_uses_as_much(self, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright.core.fair_loop._EXPECTED_S", 10.0)

        async def main() -> list[object]:
            loop = cast("FairEventLoop", asyncio.get_running_loop())
            found = list[object]()

            async def page() -> None:
                await steps(clock, "page", [], times=300)
                loop.call_later(0.01, lambda: found.append(loop._waiting), context=of_the_server())
                await asyncio.sleep(0.05)
                monkeypatch.setattr("fundwright.core.fair_loop._EXPECTED_S", 0.0)

            going = asyncio.create_task(steps(clock, "busy", [], times=200_000))
            await asyncio.create_task(page())
            going.cancel()
            return found

        assert run(main) == [None]

    def test_a_party_that_was_idle_gets_limited_credit(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()
            await asyncio.create_task(steps(clock, "early", order, times=300))
            late, early = (asyncio.create_task(steps(clock, name, order, times=300)) for name in ("late", "early"))
            await asyncio.wait((late, early), return_when=asyncio.FIRST_COMPLETED)
            return order[300:]

        assert run(main).count("early") >= 100

    def test_a_party_owes_no_more_for_a_long_step_than_it_can_save(self, clock: Clock) -> None:
        async def main() -> list[object]:
            order = list[object]()

            async def long_step() -> None:
                work_for("burst")
                await asyncio.sleep(0)
                order.append("long")
                clock.now_s += 1.0

            going = asyncio.create_task(steps(clock, "going", order, times=5_000))
            await asyncio.wait(
                [asyncio.create_task(each) for each in (long_step(), *(steps(clock, "burst", order, times=2) for _ in range(20)))]
            )
            going.cancel()
            return order[order.index("long") :]

        assert run(main).index("burst") * _STEP_S <= 2 * _DEBT_S

    def test_time_in_which_nothing_happens_counts(self, clock: Clock) -> None:
        async def main() -> int:
            loop = cast("FairEventLoop", asyncio.get_running_loop())
            for number in range(3_000):
                await asyncio.create_task(steps(clock, number, []))
                clock.now_s += _STEP_S
            return len(loop._used_until)

        assert run(main) < 2_000

    def test_the_server_itself_waits_for_one_turn(self, clock: Clock) -> None:
        async def main() -> list[int]:
            order = list[object]()
            busy = [asyncio.create_task(steps(clock, "busy", order)) for _ in range(24)]
            passes = list[int]()
            while not all(each.done() for each in busy):
                before = len(order)
                await asyncio.sleep(0)
                passes.append(len(order) - before)
            return passes

        assert max(run(main)) == 1

    def test_steps_of_one_party_keep_their_order(self) -> None:
        async def main() -> list[int]:
            order = list[int]()
            work_for("one")
            for number in range(50):
                asyncio.get_running_loop().call_soon(order.append, number)
            asyncio.get_running_loop().call_soon(order.append, -1).cancel()
            for _ in range(50):
                await asyncio.sleep(0)
            return order

        assert run(main) == list(range(50))

    def test_a_step_that_ends_the_process_leaves_the_others_to_end_themselves(self) -> None:
        ended = list[str]()

        async def waits() -> None:
            work_for("one")
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("waits")

        async def main() -> None:
            work_for("one")
            waiting = asyncio.create_task(waits())
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(sys.exit)
            await waiting

        with pytest.raises(SystemExit):
            run(main)
        assert ended == ["waits"]

    def test_a_closed_loop_takes_no_steps(self) -> None:
        loop = FairEventLoop()

        async def end() -> None:
            work_for("party")
            loop.call_soon(loop.stop)  # it is in line when the loop ends
            await asyncio.sleep(0)

        loop.run_until_complete(end())
        loop.close()
        context = copy_context()
        context.run(work_for, "party")
        for _ in range(2):
            with pytest.raises(RuntimeError, match="closed"):
                loop.call_soon(lambda: None, context=context)


def test_many_connections_are_accepted_a_few_at_a_time() -> None:
    """Otherwise a thousand of them make everyone else wait."""
    made: list[int] = []
    turns = 0

    class Accepted(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            made.append(turns)
            transport.close()

    async def main() -> None:
        nonlocal turns
        listening = socket.create_server(("127.0.0.1", 0), backlog=200)
        clients.extend(socket.create_connection(listening.getsockname()) for _ in range(100))
        async with await asyncio.get_running_loop().create_server(Accepted, sock=listening, backlog=200):
            while len(made) < 100:
                turns += 1
                await asyncio.sleep(0)

    clients: list[socket.socket] = []
    run(main)
    for each in clients:
        each.close()
    assert max(Counter(made).values()) <= 16


class TestParty:
    async def test_of_a_request_is_behind_pages_and_that_of_a_page_is_not(self) -> None:
        async def app(_scope: object, _receive: object, _send: object) -> None:
            found.append(_work.get().price)
            ProductHost.act_for(cast("Any", None), None)
            found.append(_work.get().price)

        found = list[float]()
        await asyncio.create_task(
            RequestId(app, account_of=lambda _: None)(
                {"type": "http", "client": ("127.0.0.1", 1)}, cast("Any", None), cast("Any", None)
            )
        )
        assert found[0] > found[1] == 1

    @pytest.mark.parametrize(("signed", "party"), [(None, "198.51.100.7"), (UUID(int=1), ("198.51.100.7", UUID(int=1)))])
    async def test_of_a_request_is_that_of_its_token_before_anyone_asks_the_database(
        self, signed: UUID | None, party: object
    ) -> None:
        """People at one address, such as an office, would otherwise share one turn until they are recognized. Others, at another address, take none of
        theirs with a token that they have stolen."""

        async def app(_scope: object, _receive: object, _send: object) -> None:
            assert current_party() == party

        scope = {"type": "websocket", "client": ("198.51.100.7", 1)}
        await asyncio.create_task(RequestId(app, account_of=lambda _: signed)(scope, cast("Any", None), cast("Any", None)))

    async def test_is_that_of_the_account_for_which_a_task_acts(self) -> None:
        account_id = uuid4()

        async def party() -> object:
            return current_party()

        async def acts() -> None:
            act_in(Scope(account_id=account_id))
            assert await asyncio.create_task(party()) == account_id
            act_in(NOBODY)
            assert current_party() == account_id

        await asyncio.create_task(acts())
        assert current_party() is None
