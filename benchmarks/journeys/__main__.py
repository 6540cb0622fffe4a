"""Fifteen interactions with the product in headless Chromium: `python -m benchmarks.journeys [--quick] [--keep] [NAME…]`.

Uses 12,309 real notices, over loopback and with 50 ms of latency each way. Times are in milliseconds, measured in the browser.
Bytes are the uncompressed size of socket frames and request bodies; round trips are how often the page waited for the server.
`--quick` runs each interaction once, to check that it works; `--keep` adds the table to docs/performance.md.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Error, sync_playwright

from benchmarks._results import keep
from benchmarks.journeys.interactions import INTERACTIONS, Person, see_suggestions, sign_in, train
from benchmarks.journeys.network import SlowNetwork, Traffic, slow_network
from benchmarks.ui.peers import free_ports
from e2e.application import PROJECT, launch_options, run_command, started

NOTICES = PROJECT.parent / "shared/data/sam/ContractOpportunitiesFullCSV.csv.gz"
SAMPLE = PROJECT / "src/fundwright/opportunities/sample/sam.csv"
LATENCIES_MS = (0, 50)
ROUNDS = {"often": 20, "seldom": 5}
EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"


class Measured(NamedTuple):
    p50: float
    p95: float
    bytes: float
    round_trips: float


def main(arguments: Sequence[str]) -> int:
    rounds = dict.fromkeys(ROUNDS, 1) if "--quick" in arguments else ROUNDS
    found: dict[str, dict[int, Measured]] = {}
    failed: dict[str, str] = {}
    port, target = free_ports(2)
    environment = {"FUNDWRIGHT_ALLOWED_ORIGINS": f'["http://127.0.0.1:{port}"]'}
    with tempfile.TemporaryDirectory(prefix="bench-journeys-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        data.mkdir()
        run_command(data, environment, "import", "sam", str(NOTICES if NOTICES.exists() else SAMPLE))
        with (
            started(data, port=target, environment=environment) as application,
            slow_network(port, target) as network,
            sync_playwright() as playwright,
        ):
            application.add_person(EMAIL, PASSWORD, has_sample=True)
            browser = playwright.chromium.launch(**launch_options())
            page = browser.new_context(base_url=f"http://127.0.0.1:{port}", accept_downloads=True).new_page()
            page.set_default_timeout(60_000)
            person = Person(page, Traffic(page), EMAIL, PASSWORD, Path(folder))
            for prepare in (sign_in, train, see_suggestions):
                prepare(person)
            measure({each for each in arguments if not each.startswith("--")}, person, network, rounds, found, failed)
            browser.close()
    table = tell(found, failed)
    print(table)
    if "--keep" in arguments:
        keep("Interactions", table)
    return 1 if failed else 0


def measure(
    wanted: set[str],
    person: Person,
    network: SlowNetwork,
    rounds: dict[str, int],
    found: dict[str, dict[int, Measured]],
    failed: dict[str, str],
) -> None:
    for name, interaction, often in INTERACTIONS:
        if wanted and name not in wanted:
            continue
        for latency_ms in LATENCIES_MS:
            network.latency_s = latency_ms / 1000
            times: list[float] = []
            sizes: list[int] = []
            trips: list[int] = []
            try:
                for person.number in range(rounds[often]):
                    times.append(interaction(person))
                    sizes.append(person.traffic.bytes)
                    trips.append(person.traffic.round_trips)
            except (Error, AssertionError) as reason:
                failed[name] = str(reason).splitlines()[0][:150]
                break
            p95 = statistics.quantiles(times, n=20)[18] if len(times) > 1 else times[0]
            found.setdefault(name, {})[latency_ms] = Measured(
                statistics.median(times), min(p95, max(times)), statistics.median(sizes), statistics.median(trips)
            )
            print(f"{name}, {latency_ms} ms: {found[name][latency_ms]}", file=sys.stderr, flush=True)


def tell(found: dict[str, dict[int, Measured]], failed: dict[str, str]) -> str:
    lines = [
        "| | p50 | p95 | p50, 50 ms each way | p95, 50 ms each way | bytes | round trips |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, measured in found.items():
        if len(measured) == len(LATENCIES_MS):
            near, far = (measured[latency_ms] for latency_ms in LATENCIES_MS)
            lines.append(
                f"| {name} | {near.p50:.0f} | {near.p95:.0f} | {far.p50:.0f} | {far.p95:.0f} | {near.bytes:,.0f} | {near.round_trips:g} |"
            )
    lines += [f"| {name} | {reason} | | | | | |" for name, reason in failed.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
