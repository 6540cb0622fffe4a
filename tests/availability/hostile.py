"""The process of those who attack, apart from the one that measures: `python -m tests.availability.hostile WORLD`.

WORLD is a JSON file. It prints `{}` when it is ready. Each line of its input is a JSON list of names of attacks, which run until the next line; `[]` stops them. After each line
it prints what was answered since the last one.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.availability import attacks
from tests.availability.attacks import ADDRESSES, ATTACKS, GUESTS, World, derived_attacks
from tests.availability.people import Account

EVERYTHING = "everything at once"
_TURN_S = 10.0
_NICE = 19
"""Those who attack have machines of their own; here, they must leave the processor to the server."""
_READY = "{}"


async def main(world_file: Path) -> None:
    given = json.loads(world_file.read_text())
    world = World(
        given["url"],
        given["schema"],
        [Account(**each) for each in given["accounts"]],
        given["guest_address"],
        given["address"],
    )
    by_account = {**ATTACKS, **derived_attacks(world.schema)}
    running: list[asyncio.Task[Any]] = []
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print(_READY, flush=True)
    while line := await lines.readline():
        for task in running:
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError, Exception):
                await task
        print(json.dumps(world.outcomes), flush=True)
        world.outcomes = Counter()
        running = [asyncio.create_task(each) for name in json.loads(line) for each in _who(world, name, by_account)]


def _who(world: World, name: str, by_account: dict[str, attacks.Act]) -> list[Any]:
    if name == EVERYTHING:
        turns = [_in_turn(world, account, by_account, random.Random(number)) for number, account in enumerate(world.accounts)]
        return [*turns, _alternating(GUESTS, world), _alternating(ADDRESSES, world)]
    if name in GUESTS:
        return [GUESTS[name](world)]
    if name in ADDRESSES:
        return [ADDRESSES[name](world)]
    return [by_account[name](world, account) for account in world.accounts]


async def _in_turn(world: World, account: Account, by_account: dict[str, attacks.Act], chance: random.Random) -> None:
    while True:
        for name in chance.sample(list(by_account), len(by_account)):
            with suppress(TimeoutError, Exception):
                await asyncio.wait_for(by_account[name](world, account), _TURN_S)


async def _alternating(chosen: dict[str, Any], world: World) -> None:
    while True:
        for act in chosen.values():
            with suppress(TimeoutError, Exception):
                await asyncio.wait_for(act(world), _TURN_S)


if __name__ == "__main__":
    os.nice(_NICE)
    asyncio.run(main(Path(sys.argv[1])))
