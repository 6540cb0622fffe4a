from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import pytest

from fundwright.core import computing as module
from fundwright.core.assembly import Core
from fundwright.core.computing import Busy, Computing, Ended, TookTooLong, TookTooMuchMemory, Turns
from fundwright.core.database import ConnectionHeld
from fundwright.core.errors import NotFound
from fundwright.core.messages import using_language
from fundwright.core.sandbox import Sandbox
from fundwright.core.scopes import Scope, acting_in
from tests.core import computed

R = TypeVar("R")


@pytest.fixture
async def computing(tmp_path: Path) -> AsyncIterator[Computing]:
    sandbox = Sandbox(tmp_path)
    opened = Computing(sandbox, private=tmp_path, processes=4)
    yield opened
    opened.close()
    await sandbox.close()


def is_running(pid: int) -> bool:
    with suppress(OSError):
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return False


async def ended(pid: int) -> bool:
    for _ in range(200):
        if not is_running(pid):
            return True
        await asyncio.sleep(0.05)
    return False


class TestRun:
    async def test_answers_from_a_process_that_stays(self, computing: Computing) -> None:
        first = await computing.run(partial(computed.process))
        assert first != os.getpid()
        assert await computing.run(partial(computed.process)) == first

    async def test_uses_the_language_of_the_caller(self, computing: Computing) -> None:
        with using_language("de"):
            assert await computing.run(partial(computed.greeting)) == "Abbrechen"
        assert await computing.run(partial(computed.greeting)) == "Cancel"

    async def test_raises_what_the_function_raises(self, computing: Computing) -> None:
        with pytest.raises(NotFound, match="The roof was not found"):
            await computing.run(partial(computed.refuse))
        with pytest.raises(ValueError, match="no roof"):
            await computing.run(partial(computed.fail))

    async def test_is_refused_inside_a_transaction(self, committed: Core) -> None:
        async with committed.database.transaction():
            with pytest.raises(ConnectionHeld):
                await committed.computing.run(partial(computed.process))

    @pytest.mark.security(46)
    async def test_a_process_has_no_network_and_no_keys(self, computing: Computing, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FUNDWRIGHT_SECRET", "secret")
        assert await computing.run(partial(computed.connect, 80)) == "PermissionError"
        assert "FUNDWRIGHT_SECRET" not in await computing.run(partial(computed.environment))


class TestEnding:
    @pytest.mark.security(53)
    async def test_a_deadline_ends_the_process(self, computing: Computing) -> None:
        pid = await computing.run(partial(computed.process))
        with pytest.raises(TookTooLong, match="more than 0.2 seconds"):
            async with asyncio.timeout(20):
                await computing.run(partial(computed.never, "0" * 1_000), deadline_s=0.2)
        assert await ended(pid)

    @pytest.mark.security(53)
    async def test_a_function_that_makes_no_progress_is_ended_before_its_deadline(self, computing: Computing) -> None:
        async with asyncio.timeout(20):
            with pytest.raises(TookTooLong, match="more than 0.2 seconds"):
                await computing.run(partial(computed.never), deadline_s=60, silent_s=0.2)

    async def test_a_function_that_makes_progress_has_until_its_deadline(self, computing: Computing) -> None:
        await computing.run(partial(computed.advance, 4), silent_s=3)

    @pytest.mark.security(53)
    async def test_a_caller_that_is_canceled_ends_the_process(self, computing: Computing) -> None:
        pid = await computing.run(partial(computed.process))
        waiting = asyncio.create_task(computing.run(partial(computed.never, "")))
        await asyncio.sleep(0.2)
        assert is_running(pid)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert await ended(pid)

    async def test_too_much_memory_is_refused(self, computing: Computing) -> None:
        with pytest.raises(TookTooMuchMemory):
            await computing.run(partial(computed.fill_memory))
        assert await computing.run(partial(computed.process))

    async def test_a_process_that_is_killed_is_replaced(self, computing: Computing) -> None:
        pid = await computing.run(partial(computed.process))
        os.kill(pid, 9)
        await ended(pid)
        assert await computing.run(partial(computed.process)) != pid
        with pytest.raises(Ended):
            await computing.run(partial(computed.end_itself))

    async def test_a_process_that_is_stopped_is_replaced(self, computing: Computing) -> None:
        pid = await computing.run(partial(computed.process))
        os.kill(pid, signal.SIGSTOP)
        assert await computing.run(partial(computed.process), deadline_s=1) != pid
        assert await ended(pid)

    async def test_a_text_is_not_blamed_for_a_process_that_does_nothing(self, computing: Computing) -> None:
        with pytest.raises(Ended):
            await computing.run(partial(computed.sleep, Path("a"), 3_600), deadline_s=1)

    async def test_closing_ends_the_processes(self, tmp_path: Path) -> None:
        sandbox = Sandbox(tmp_path)
        opened = Computing(sandbox, private=tmp_path)
        pid = await opened.run(partial(computed.process))
        opened.close()
        assert await ended(pid)
        await sandbox.close()


class Held:
    """Turns that are held until they are let go."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._tasks = turns, list[asyncio.Task[None]]()
        self.order: list[str] = []

    async def take(self, party: str, count: int = 1, *, patience_s: float | None = None) -> None:
        self._tasks += [asyncio.create_task(self._hold(party, patience_s)) for _ in range(count)]
        await asyncio.sleep(0)

    async def _hold(self, party: str, patience_s: float | None) -> None:
        async with self._turns.turn(party, patience_s=patience_s):
            self.order.append(party)
            await asyncio.sleep(3600)

    def end(self, place: int) -> None:
        self._tasks[place].cancel()

    async def settle(self) -> list[str]:
        for _ in range(5):
            await asyncio.sleep(0)
        return self.order

    async def end_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.fixture
async def held() -> AsyncIterator[Held]:
    opened = Held(Turns(4))
    yield opened
    await opened.end_all()


@pytest.mark.security(53)
class TestTurns:
    async def test_no_account_has_more_than_half(self, held: Held) -> None:
        await held.take("hostile", 50)
        assert await held.settle() == ["hostile"] * 2
        await held.take("ada")
        assert await held.settle() == ["hostile"] * 2 + ["ada"]

    async def test_some_are_reserved_for_those_who_compute_little(self, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_LITTLE_S", 0.05)
        for party in ("a", "b"):
            await held.take(party, 9)
        assert await held.settle() == ["a", "a", "b", "b"]
        await asyncio.sleep(0.1)
        await held.take("ada", 2)
        assert (await held.settle())[4:] == ["ada"]
        for party in ("c", "d"):
            await held.take(party)
        assert (await held.settle())[5:] == ["c"]

    async def test_some_are_reserved_for_those_who_compute_less_than_others(
        self, held: Held, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "_LITTLE_S", 0.0)
        await held.take("ada")
        await held.settle()
        await asyncio.sleep(0.02)
        held.end(0)
        for party in ("a", "b"):
            await held.take(party, 9)
        assert await held.settle() == ["ada", "a", "a", "b", "b"]
        await held.take("ada")
        assert (await held.settle())[5:] == []
        await asyncio.sleep(0.05)
        await held.take("ada")
        assert (await held.settle())[5:] == ["ada"]

    async def test_those_who_used_the_least_come_first(self, held: Held) -> None:
        for party in "abcdef":
            await held.take(party)
        await held.settle()
        await held.take("a", 5)
        await held.take("new")
        held.end(1)
        assert (await held.settle())[6:] == ["new"]

    async def test_whoever_stops_waiting_is_forgotten(self, held: Held) -> None:
        await held.take("a", 3)
        await held.settle()
        held.end(2)
        await held.settle()
        held.end(0)
        await held.take("a")
        assert await held.settle() == ["a"] * 3

    async def test_too_many_are_refused(self, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MOST_WAITING_OF_PARTY", 3)
        await held.take("hostile", 5)
        await held.settle()
        with pytest.raises(Busy) as refused:
            async with held._turns.turn("hostile", patience_s=60):
                pass
        assert (refused.value.status, refused.value.retry_after_s) == (503, 10)
        await held.take("ada")
        assert (await held.settle())[-1] == "ada"

    async def test_background_work_waits_however_much_is_waiting(self, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MOST_WAITING", 2)
        await held.take("hostile", 6)
        await held.take("ada")
        assert "ada" in await held.settle()

    async def test_nobody_waits_longer_than_patient(self, held: Held) -> None:
        await held.take("a", 2)
        await held.settle()
        with pytest.raises(Busy):
            async with held._turns.turn("a", patience_s=0.05):
                pass


@pytest.mark.security(53)
async def test_a_text_for_which_a_function_takes_forever_delays_nobody_else(computing: Computing) -> None:
    ada = Scope(account_id=uuid4())
    with acting_in(ada):
        await computing.run(partial(computed.process))
    hostile = list[asyncio.Task[None]]()
    for _ in range(3):  # fewer than the reserved processes allow
        with acting_in(Scope(account_id=uuid4())):
            hostile += [asyncio.create_task(computing.run(partial(computed.never, "1" * 9), deadline_s=60)) for _ in range(8)]
    await asyncio.sleep(0.5)
    start = time.monotonic()
    with acting_in(ada):
        await computing.run(partial(computed.process), deadline_s=10)
    taken_s = time.monotonic() - start
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    assert taken_s < 5  # the others hold all that they may for a minute
