"""Signing in under load: sign-ins per second, waiting times, the effect on other users, and whether response times reveal which
accounts exist.

Run it with `make bench-auth`. The server runs in this process on a loopback port, and another process signs in over HTTP, so both
and PostgreSQL share this machine's cores. The event loop's lag is the delay with which a task wakes that sleeps one millisecond at
a time. Known and unknown accounts take turns; each is tried once, with a wrong password.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from sqlalchemy import select

from fundwright.accounts import passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.cli.context import load_plugins
from fundwright.cli.serve import answer_requests, listen
from fundwright.core.assembly import Core, open_core
from fundwright.core.settings import Settings
from fundwright_ui.app import build_app

AT_ONCE = 50
ROUNDS = 6
COMPARED = 200
PASSWORD = "a quiet harbor at dawn"
LAG_GOAL_MS = 20.0
READ_GOAL_MS = 100.0
OVERLAP_GOAL = (0.4, 0.6)
"""Limit for the area under the ROC curve. A random guess gets 0.5."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        measured = asyncio.run(measure(Path(folder)))
    alone = hashes_a_second()
    signing_in = sorted(measured["sign_ins_ms"])
    rate = len(signing_in) / measured["seconds"]
    known, unknown = measured["known_ms"], measured["unknown_ms"]
    overlap = area_under_curve(known, unknown)
    lag, reads = sorted(measured["lag_ms"]), sorted(measured["reads_ms"])
    print(f"argon2id, {passwords_parameters()}; {AT_ONCE} people at once, {len(signing_in)} sign-ins")
    tell(
        "sign-ins a second",
        f"{rate:.1f}",
        f"this machine hashes {alone:.1f} a second and does nothing else, ratio {rate / alone:.2f}",
    )
    tell("time of a sign-in, p50", f"{at(signing_in, 0.5):.0f} ms")
    tell(
        "time of a sign-in, p95",
        f"{at(signing_in, 0.95):.0f} ms",
        f"{AT_ONCE} in line at {rate:.0f} a second: {1000 * AT_ONCE / rate:.0f}",
    )
    tell("lag of the event loop during sign-ins, p50", f"{at(lag, 0.5):.1f} ms")
    tell("lag of the event loop during sign-ins, p99", f"{at(lag, 0.99):.1f} ms", f"goal {LAG_GOAL_MS:.0f}")
    tell("lag of the event loop during sign-ins, longest", f"{lag[-1]:.1f} ms")
    tell("someone else's reading of a row, p50", f"{at(reads, 0.5):.1f} ms")
    tell("someone else's reading of a row, p99", f"{at(reads, 0.99):.1f} ms", f"goal {READ_GOAL_MS:.0f}")
    for name, times in (("known", known), ("unknown", unknown)):
        quartiles = " / ".join(f"{quartile:.1f}" for quartile in statistics.quantiles(times, n=4))
        tell(f"refusal of {name} accounts, quartiles", f"{quartiles} ms")
    tell(
        "probability that a known one takes longer",
        f"{overlap:.2f}",
        f"goal {OVERLAP_GOAL[0]} to {OVERLAP_GOAL[1]}; 0.5 tells nothing",
    )
    is_met = at(lag, 0.99) < LAG_GOAL_MS and at(reads, 0.99) < READ_GOAL_MS and OVERLAP_GOAL[0] <= overlap <= OVERLAP_GOAL[1]
    return 0 if is_met else 1


def tell(name: str, value: str, beside: str = "") -> None:
    print(f"  {name:<42}{value:>24}" + (f"   ({beside})" if beside else ""))


def at(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(len(values) * share))]


def area_under_curve(longer: Sequence[float], shorter: Sequence[float]) -> float:
    """How often a value of the first list is greater than one of the second."""
    wins = sum((one > other) + (one == other) / 2 for one in longer for other in shorter)
    return wins / (len(longer) * len(shorter))


async def measure(folder: Path) -> dict[str, Any]:
    # Each client sends its own address; a single address would soon be throttled.
    settings = Settings.read(data=folder, database_url=None, smtp_host=None, public_url=None, trusted_proxies=["127.0.0.1/32"])
    async with open_core(settings, load_plugins()) as core:
        await add_accounts(core)
        socket = listen("127.0.0.1", 0)
        serving = asyncio.create_task(answer_requests(build_app(core), socket, core.settings))
        url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        try:
            await in_process(warm_up, url)
            lag: list[float] = []
            reads: list[float] = []
            sampling = [asyncio.create_task(sample_lag(lag)), asyncio.create_task(sample_reads(core, reads))]
            signed_in = await in_process(sign_in_at_once, url)
            for task in sampling:
                task.cancel()
            return {**signed_in, **await in_process(compare, url), "lag_ms": lag, "reads_ms": reads}
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


async def in_process(work: Any, url: str) -> Any:
    """Run in another process, so that the clients do not slow down the server's event loop."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return await asyncio.to_thread(pool.apply, work, (url,))


async def add_accounts(core: Core) -> None:
    password_hash = await passwords.hash_password(PASSWORD)
    names = [f"person{number}" for number in range(AT_ONCE)] + [f"known{number}" for number in range(COMPARED)]
    async with core.database.transaction() as session:
        for name in names:
            await accounts.add_hashed(
                session, email=f"{name}@example.org", name=name, role=Role.USER, password_hash=password_hash, is_verified=True
            )


async def sample_lag(lag: list[float]) -> None:
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        lag.append((time.perf_counter() - before - 0.001) * 1000)


async def sample_reads(core: Core, reads: list[float]) -> None:
    """Measure how long another user's click waits for the database."""
    while True:
        before = time.perf_counter()
        async with core.database.transaction() as session:
            await session.execute(select(1))
        reads.append((time.perf_counter() - before) * 1000)
        await asyncio.sleep(0.02)


def warm_up(url: str) -> None:
    with httpx.Client(base_url=url) as client:
        for number in range(3):
            _sign_in(client, f"person{number}", PASSWORD)


def sign_in_at_once(url: str) -> dict[str, Any]:
    with httpx.Client(base_url=url, timeout=120, limits=httpx.Limits(max_connections=AT_ONCE)) as client:

        def again_and_again(number: int) -> list[float]:
            return [_sign_in(client, f"person{number}", PASSWORD) for _ in range(ROUNDS)]

        with ThreadPoolExecutor(AT_ONCE) as people:
            started = time.perf_counter()
            times = list(people.map(again_and_again, range(AT_ONCE)))
            seconds = time.perf_counter() - started
    return {"sign_ins_ms": [ms for of_one in times for ms in of_one], "seconds": seconds}


def compare(url: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"known_ms": [], "unknown_ms": []}
    with httpx.Client(base_url=url) as client:
        for number in range(COMPARED):
            kinds = ["known", "unknown"] if number % 2 else ["unknown", "known"]
            for kind in kinds:
                found[f"{kind}_ms"].append(_sign_in(client, f"{kind}{number}", "wrong", is_right=False))
    return found


def _sign_in(client: httpx.Client, name: str, password: str, *, is_right: bool = True) -> float:
    """Returns milliseconds."""
    address = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"
    started = time.perf_counter()
    answer = client.post(
        "/signin", json={"email": f"{name}@example.org", "password": password}, headers={"x-forwarded-for": address}
    )
    took = (time.perf_counter() - started) * 1000
    assert answer.json()["flag"] == ("success" if is_right else "error"), answer.text
    return took


def hashes_a_second() -> float:
    """The maximum that the server's two threads could reach."""

    async def hash_all() -> float:
        started = time.perf_counter()
        await asyncio.gather(*(passwords.hash_password(PASSWORD) for _ in range(100)))
        return 100 / (time.perf_counter() - started)

    return asyncio.run(hash_all())


def passwords_parameters() -> str:
    """The argon2 parameters, read from a hash."""
    return asyncio.run(passwords.hash_password(PASSWORD)).split("$")[3]


if __name__ == "__main__":
    sys.exit(main())
