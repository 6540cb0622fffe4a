"""Work that several share."""

from __future__ import annotations

import asyncio

import pytest

from fundwright.core.concurrency import SharedRead
from fundwright.core.fair_loop import current_party, work_for


class Source:
    """Counts up with each read, which takes as long as the test wants."""

    def __init__(self) -> None:
        self.reads = 0
        self.gate = asyncio.Event()

    async def read(self) -> int:
        self.reads += 1
        number = self.reads
        await self.gate.wait()
        return number

    async def fail(self) -> int:
        raise RuntimeError("broken")


async def begun(*waiting: asyncio.Task[int]) -> None:
    for _ in range(5 * len(waiting)):
        await asyncio.sleep(0)


class TestSharedRead:
    async def test_reads_once_for_all_and_never_gives_what_was_read_before(self) -> None:
        source, shared = Source(), SharedRead[int]()
        first = [asyncio.create_task(shared.result(source.read)) for _ in range(100)]
        await begun(*first[:1])
        later = [asyncio.create_task(shared.result(source.read)) for _ in range(100)]
        await begun(*later[:1])
        source.gate.set()
        assert set(await asyncio.gather(*first)) == {1}
        assert set(await asyncio.gather(*later)) == {2}
        assert await shared.result(source.read) == 3

    async def test_goes_on_for_others_if_one_leaves_or_a_read_fails(self) -> None:
        source, shared = Source(), SharedRead[int]()
        leaving, staying = (asyncio.create_task(shared.result(source.read)) for _ in range(2))
        await begun(leaving)
        leaving.cancel()
        source.gate.set()
        assert await staying == 1
        with pytest.raises(RuntimeError, match="broken"):
            await shared.result(source.fail)
        assert await shared.result(source.read) == 2

    @pytest.mark.security(53)
    async def test_a_shared_read_works_for_the_server(self) -> None:
        async def read() -> object:
            return current_party()

        async def ask() -> object:
            work_for("the one who asked first")
            return await SharedRead[object]().result(read)

        assert await asyncio.create_task(ask()) is None
