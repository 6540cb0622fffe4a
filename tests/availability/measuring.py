"""Measures what attacks do to another person: `python -m tests.availability.measuring [--minutes 10] [--only NAME …] [--seconds 15]`.

First the person alone, then each attack by three accounts, a guest, or an address, then all of them at once. Fails if the 95th percentile of
the person's clicks grew by more than 100 ms, or if a small job took longer than 10 s. It also fails if an attack tested nothing, because it was
always refused or caused no job of the kind that it is for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
from sqlalchemy import select

from e2e.application import run_command
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.cli.context import load_plugins
from fundwright.core.assembly import open_core
from fundwright.core.jobs import Job
from fundwright.core.settings import Settings
from tests.availability.attacks import ADDRESSES, ATTACKS, GUESTS, derived_attacks
from tests.availability.hostile import EVERYTHING
from tests.availability.people import Account, settle_in, sign_in
from tests.availability.table import ALWAYS_REFUSED, JOBS_OF_ATTACKS
from tests.availability.victim import Times, Victim, p50, p95
from tests.soak.installation import PASSWORD, PROJECT, Installation

MAX_MORE_S = 0.1
MAX_JOB_S = 10.0
HOSTILE_ACCOUNTS = 3
_NOTICES = {"sam": "sam.csv", "nih": "nih.jsonl", "grants": "grants.xml"}
"""The samples, imported: the first import of someone else would remove samples, and with them what the drafts are about."""
_ALONE_S = 20.0
_PATIENCE_S = 120
_PAUSE_S = 2.0
"""After an attack, so that the next one is not blamed for it; jobs that remain are part of what it does."""
_SHARE_AT_ONCE = 0.3
_ALONE = "nobody else"
_REFUSALS = range(400, 500)
_MAIL = {"FUNDWRIGHT_SMTP_HOST": "127.0.0.1", "FUNDWRIGHT_SMTP_PORT": "9", "FUNDWRIGHT_SMTP_SECURITY": "none"}
"""A mail server that cannot be reached, so that emails are tried again and again."""


@dataclass(frozen=True)
class Measured:
    attack: str
    times: Times
    answers: Counter[str]

    @property
    def p95_s(self) -> float:
        return p95(self.times.all_clicks())

    def wrong(self, alone: Measured) -> list[str]:
        """What the promise forbids."""
        name, job_s = self.times.worst_job()
        more_s = self.p95_s - alone.p95_s
        found = [f"clicks take {more_s * 1000:.0f} ms more"] if more_s > MAX_MORE_S else []
        return [*found, *([f"{name} took {job_s:.1f} s"] if job_s > MAX_JOB_S else [])]

    def line(self, alone: Measured) -> str:
        clicks, (name, job_s) = self.times.all_clicks(), self.times.worst_job()
        ratio = self.p95_s / alone.p95_s if alone.p95_s else 0.0
        return (
            f"{self.attack:<44} {len(clicks):>5} {p50(clicks) * 1000:>7.0f} {self.p95_s * 1000:>7.0f} {ratio:>6.1f}  {job_s:>6.1f} {name:<13}"
            f"{'; '.join(self.wrong(alone)) or 'ok'}"
        )


async def nobody_stops_anybody(
    *, minutes: float = 10.0, only: Sequence[str] = (), seconds: float | None = None, logs: Path | None = None
) -> bool:
    """Whether no attack stopped another person. `seconds` for each attack replaces its share of the minutes."""
    with tempfile.TemporaryDirectory(prefix="fundwright-availability-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        installation = Installation(data, logs=logs, environment=_MAIL)
        victim, hostile = await _people(data)
        async with installation.running():
            await asyncio.gather(
                *(_settle(installation.url, person, is_hostile=person is not victim) for person in (victim, *hostile))
            )
            async with httpx.AsyncClient(base_url=installation.url, timeout=_PATIENCE_S) as http:
                schema = (await http.get("/api/openapi.json")).json()
            names = [*ATTACKS, *GUESTS, *ADDRESSES, *derived_attacks(schema)]
            chosen = [name for name in names if not only or any(part in name for part in only)]
            world = Path(folder) / "world.json"
            given = {"url": installation.url, "schema": schema, "guest_address": "127.0.0.20", "address": "127.0.0.30"}
            world.write_text(json.dumps({**given, "accounts": [asdict(each) for each in hostile]}))
            print(_HEAD)
            working = Victim(installation.url, victim)
            alone = await _measure(_ALONE, working, None, _ALONE_S)
            print(alone.line(alone), flush=True)
            share_s = seconds or minutes * 60 * (1 - _SHARE_AT_ONCE) / max(1, len(chosen))
            results = list[Measured]()
            async with _attackers(world) as attackers:
                for name in chosen:
                    results.append(await _measure(name, working, attackers, share_s))
                    print(results[-1].line(alone), flush=True)
                    await asyncio.sleep(_PAUSE_S)
                if not only:
                    results.append(await _measure(EVERYTHING, working, attackers, seconds or minutes * 60 * _SHARE_AT_ONCE))
                    print(results[-1].line(alone), flush=True)
        return _tell(results, alone, _without_jobs([EVERYTHING] if not only else chosen, await _kinds_of_jobs(data, hostile)))


_HEAD = f"{'attack':<44} {'clicks':>5} {'p50 ms':>7} {'p95 ms':>7} {'ratio':>6}  {'job s':>6}"


async def _people(data: Path) -> tuple[Account, Sequence[Account]]:
    """The victim, and those who attack."""
    settings = Settings.read(data=data, database_url=None)
    people = [Account(f"person-{number}@example.org", f"127.0.0.{10 + number}") for number in range(1 + HOSTILE_ACCOUNTS)]
    async with open_core(settings, load_plugins()) as core:
        for person in people:
            async with core.database.transaction() as session:
                await accounts.create_account(
                    session, core, email=person.email, name=person.email[:8], role=Role.USER, password=PASSWORD
                )
    for source, name in _NOTICES.items():
        run_command(data, {}, "import", source, str(PROJECT / "src/fundwright/opportunities/sample" / name))
    return people[0], people[1:]


async def _settle(url: str, person: Account, *, is_hostile: bool) -> None:
    await sign_in(url, person)
    await settle_in(url, person, is_hostile=is_hostile)


async def _measure(name: str, victim: Victim, attackers: asyncio.subprocess.Process | None, seconds: float) -> Measured:
    if attackers is None:
        async with victim.measured() as times:
            await asyncio.sleep(seconds)
        return Measured(name, times, Counter())
    await _tell_attackers(attackers, [name])
    await asyncio.sleep(1)
    async with victim.measured() as times:
        await asyncio.sleep(seconds)
    return Measured(name, times, Counter(await _tell_attackers(attackers, [])))


async def _tell_attackers(attackers: asyncio.subprocess.Process, names: Sequence[str]) -> dict[str, int]:
    assert attackers.stdin is not None and attackers.stdout is not None
    attackers.stdin.write(json.dumps(names).encode() + b"\n")
    return json.loads(await attackers.stdout.readline())


@asynccontextmanager
async def _attackers(world: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.availability.hostile", str(world),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=PROJECT, limit=1 << 24,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        yield process
    finally:
        process.kill()
        await process.wait()


async def _kinds_of_jobs(data: Path, hostile: Sequence[Account]) -> set[str]:
    """The kinds of jobs that ran for hostile accounts, or for nobody."""
    ran = select(Job.kind, Job.account_id).where(Job.started_at.is_not(None)).distinct()
    accounts_of_attack = {None, *(each.ids["account"] for each in hostile)}
    async with open_core(Settings.read(data=data, database_url=None), load_plugins()) as core:
        async with core.database.transaction() as session:
            found = (await session.execute(ran)).all()
    return {kind for kind, account_id in found if (account_id and str(account_id)) in accounts_of_attack}


def _without_jobs(attacks: Collection[str], kinds: Collection[str]) -> list[str]:
    """The attacks for which no job of the kind that they should cause ran."""
    return sorted(
        f"{attack} ({kind})"
        for kind, attack in JOBS_OF_ATTACKS.items()
        if (attack in attacks or EVERYTHING in attacks) and kind not in kinds
    )


def _tell(results: Sequence[Measured], alone: Measured, without_jobs: Sequence[str]) -> bool:
    wrong = {each.attack: found for each in results if (found := each.wrong(alone))}
    by_clicks = max(results, key=lambda each: each.p95_s)
    by_jobs = max(results, key=lambda each: each.times.worst_job()[1])
    print(f"worst for clicks: {by_clicks.attack} ({by_clicks.p95_s * 1000:.0f} ms, alone {alone.p95_s * 1000:.0f} ms)")
    print(f"worst for jobs: {by_jobs.attack} ({by_jobs.times.worst_job()[0]}, {by_jobs.times.worst_job()[1]:.1f} s)")
    for each in results:
        if each.times.failures:
            print(f"  {each.attack}: {len(each.times.failures)} failed, such as {each.times.failures[0]}")
    refused = _always_refused(results)
    for use, statuses in refused.items():
        print(f"TESTED NOTHING, because it was always refused: {use} ({', '.join(map(str, sorted(statuses)))})")
    for attack in without_jobs:
        print(f"TESTED NOTHING, because no job ran: {attack}")
    for name, found in wrong.items():
        print(f"STOPPED by {name}: {'; '.join(found)}")
    return not (wrong or refused or without_jobs)


def _always_refused(results: Sequence[Measured]) -> Mapping[str, set[int]]:
    """Uses that were refused each time, and how, which is a fault of these attacks unless the table allows it."""
    answers: dict[str, set[int]] = {}
    for use in {use for each in results for use in each.answers}:
        route, _, status = use.rpartition(" ")
        answers.setdefault(route, set()).add(int(status))
    return {
        use: statuses
        for use, statuses in sorted(answers.items())
        if use not in ALWAYS_REFUSED and all(status in _REFUSALS for status in statuses)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--seconds", type=float)
    given = parser.parse_args()
    return 0 if asyncio.run(nobody_stops_anybody(minutes=given.minutes, only=given.only, seconds=given.seconds)) else 1


if __name__ == "__main__":
    sys.exit(main())
