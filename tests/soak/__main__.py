"""`make soak`: the slow tests, all other tests in another random order, simulated people whose server processes are killed, hostile
people who must not stop another one, then the kill test, the frame fuzzer, hostile documents, and the other fuzzers with large numbers.

At the end, LibreOffice renders exported drafts, if it is installed or can be.

SOAK_MINUTES (30), SOAK_PEOPLE (100), SOAK_HOSTILE_MINUTES (10), SOAK_KILLS (50), SOAK_FRAMES (200000), SOAK_FILES (5000 for each reader),
and SOAK_FUZZING_MINUTES (30) set the amounts; 0 skips a part. SOAK_RENDERING=0 skips the drafts, SOAK_SLOW=0 the slow tests, and SOAK_ORDER=0 the others; each run of tests prints the seed of its
order. A test whose program is missing, such as PgBouncer, strace, or nginx, fails. The exit code is 1 if anything was lost or duplicated, if
memory grew, if someone was stopped, or if a test failed. The logs of the web process and the worker are in var/soak. The fuzzers print how many examples of
each target they have tried, and each failed example.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.availability.measuring import nobody_stops_anybody
from tests.soak.installation import Installation
from tests.soak.people import Person
from tests.soak.rendering import is_rendered
from tests.support.requirements import REQUIRED

PROJECT = Path(__file__).resolve().parent.parent.parent
LOGS = PROJECT / "var/soak"

MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
PEOPLE = int(os.environ.get("SOAK_PEOPLE", "100"))
HOSTILE_MINUTES = float(os.environ.get("SOAK_HOSTILE_MINUTES", "10"))
KILLS = os.environ.get("SOAK_KILLS", "50")
FRAMES = os.environ.get("SOAK_FRAMES", "200000")
FILES = os.environ.get("SOAK_FILES", "5000")
FUZZING_MINUTES = os.environ.get("SOAK_FUZZING_MINUTES", "30")
RENDERING = os.environ.get("SOAK_RENDERING", "1")
SLOW = os.environ.get("SOAK_SLOW", "1")
ORDER = os.environ.get("SOAK_ORDER", "1")

_MAX_GROWTH = 1.05
_KILL_EVERY_S = (5.0, 25.0)
_SAMPLE_EVERY_S = 1.0
# In the first half, web, worker, and database are killed. In the second half only the database is, so that the memory of the
# same process can be compared: after its first 40 percent of that half, and in the last 10 percent.
_EVERYTHING_DIES = 0.5
_WARM, _WINDOW = 0.4, 0.1

Sample = tuple[int, int]
"""Maximum resident memory of the web process and of the worker, in bytes."""


async def people_at_work() -> bool:
    """Whether every acknowledged change exists exactly once and memory did not grow after the warm-up."""
    chance, kills, samples = random.Random(12), Counter[str](), list[Sample]()
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="fundwright-soak-") as folder:
        installation = Installation(Path(folder) / "data", logs=LOGS, has_worker=True)
        emails = await installation.add_people(PEOPLE)
        async with installation.running():
            people = [Person(installation.url, email, seed) for seed, email in enumerate(emails)]
            await asyncio.gather(*(person.sign_in() for person in people))
            async with asyncio.TaskGroup() as working:
                for person in people:
                    working.create_task(person.work())
                half = MINUTES * 60 * _EVERYTHING_DIES
                await kill(installation, ("web", "worker", "database"), half, chance, kills)
                sampling = working.create_task(sample(installation, samples))
                await kill(installation, ("database",), MINUTES * 60 - half, chance, kills)
                sampling.cancel()
                for person in people:
                    person.is_done = True
            wrong = [each for person in people for each in await person.check()]
            for person in people:
                await person.close()
    print(f"{PEOPLE} people, {sum(person.actions for person in people):,} actions, {sum(p.pages for p in people):,} pages opened")
    print(f"killed: {', '.join(f'{what} {count}' for what, count in sorted(kills.items()))}")
    changes = {
        "texts": sum(len(person.titles) for person in people),
        "decisions": sum(len(person.decisions) for person in people),
        "drafts": sum(person.drafts for person in people),
    }
    print(f"acknowledged: {', '.join(f'{count:,} {what}' for what, count in changes.items())}; wrong: {len(wrong)}")
    print("\n".join(wrong))
    return not wrong and is_memory_steady(samples)


async def kill(
    installation: Installation, targets: Sequence[str], seconds: float, chance: random.Random, kills: Counter[str]
) -> None:
    """Kill one or two of the targets every few seconds."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        await asyncio.sleep(min(chance.uniform(*_KILL_EVERY_S), left))
        for target in chance.sample(targets, k=min(len(targets), chance.choice((1, 1, 2)))):
            kills[target] += 1
            if target == "database":
                installation.kill_database()
            elif target == "worker":
                installation.kill_worker()
                installation.start_worker()
            else:
                installation.kill_web()
                await installation.start_web()


async def sample(installation: Installation, samples: list[Sample]) -> None:
    while True:
        samples.append(installation.memory_bytes())
        await asyncio.sleep(_SAMPLE_EVERY_S)


def is_memory_steady(samples: Sequence[Sample]) -> bool:
    window = max(1, int(len(samples) * _WINDOW))
    warm = int(len(samples) * _WARM)
    is_steady = True
    for place, name in enumerate(("web", "worker")):
        before = median(each[place] for each in samples[warm : warm + window])
        after = median(each[place] for each in samples[-window:])
        growth = after / before
        print(f"memory of {name}: {before / 1e6:.0f} MB after warming up, {after / 1e6:.0f} MB at the end ({growth - 1:+.1%})")
        is_steady = is_steady and growth <= _MAX_GROWTH
    return is_steady


def passes(test: str, *options: str, **environment: str) -> bool:
    """Whether the test passes with larger numbers than in `make test`."""
    command = [sys.executable, "-m", "pytest", *options, test]
    return subprocess.run(command, cwd=PROJECT, env={**os.environ, REQUIRED: "1", **environment}, check=False).returncode == 0


def main() -> int:
    results = dict[str, bool]()
    if SLOW != "0":
        for folder in ("tests", "e2e"):  # not in one run, see scripts/checklists.py
            print(f"\n== slow tests, {folder}", flush=True)
            results[f"slow tests, {folder}"] = passes(folder, "-m", "slow")
    if ORDER != "0":
        for folder in ("tests", "e2e"):  # each in one process, so that any two of its files can meet
            print(f"\n== another order, {folder}", flush=True)
            results[f"another order, {folder}"] = passes(folder, "-m", "not slow")
        print("\n== another order, web", flush=True)
        results["another order, web"] = (
            subprocess.run(["npm", "run", "--silent", "test"], cwd=PROJECT, check=False).returncode == 0
        )
    if MINUTES:
        print(f"== simulated people, {MINUTES:g} minutes", flush=True)
        results["people at work"] = asyncio.run(people_at_work())
    if HOSTILE_MINUTES:
        print(f"\n== hostile people, {HOSTILE_MINUTES:g} minutes", flush=True)
        results["hostile people"] = asyncio.run(nobody_stops_anybody(minutes=HOSTILE_MINUTES))
    if KILLS != "0":
        print(f"\n== {KILLS} kills", flush=True)
        results["kills"] = passes("tests/soak/test_kills.py", "-q", "-s", FUNDWRIGHT_SOAK_KILLS=KILLS)
    if FRAMES != "0":
        print(f"\n== {FRAMES} frames", flush=True)
        results["frames"] = passes("tests/ui/runtime/test_frames.py", "-q", "-s", FUNDWRIGHT_SOAK_FRAMES=FRAMES)
    if FILES != "0":
        print(f"\n== {FILES} documents for each reader", flush=True)
        results["documents"] = passes("tests/reading/test_hostile.py", "-q", "-s", FUNDWRIGHT_SOAK_FILES=FILES)
    if float(FUZZING_MINUTES):
        print(f"\n== fuzzing, {FUZZING_MINUTES} minutes", flush=True)
        results["fuzzing"] = passes("tests/fuzzing", "-v", "--tb=short", FUNDWRIGHT_SOAK_FUZZING_MINUTES=FUZZING_MINUTES)
    if RENDERING != "0":
        print("\n== rendering of exported drafts", flush=True)
        results["rendering"] = is_rendered(LOGS / "rendering")
    for name, is_passed in results.items():
        print(f"  {name:<18}{'ok' if is_passed else 'FAILED'}")
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
