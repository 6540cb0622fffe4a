"""Runs everything that `make test` checks, three steps at a time, the longest first.

`--style` runs style and types only, as `make lint` does. `--units` also runs the tests that need neither PostgreSQL nor a
browser, as `make check` does. Slow tests are left to `make soak`. Every step runs even if earlier ones fail; the exit code tells
whether one failed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LOGS = PROJECT / "var/check"


@dataclass(frozen=True)
class Check:
    name: str
    command: Sequence[str]
    shows_output: bool = False


@dataclass(frozen=True)
class Result:
    check: Check
    is_passed: bool
    seconds: float


def python(*arguments: str) -> Sequence[str]:
    return (str(BIN / "python"), "-m", *arguments)


AT_ONCE = 3
"""Concurrent checks. Tests often wait, for a browser or a database, so two would leave a third of two cores idle."""
WORKERS = (os.cpu_count() or 1) // 2
"""Processes of each pytest run; each has its own database server and browser."""


def pytest(*arguments: str, markers: str = "not slow") -> Sequence[str]:
    return python("pytest", "--durations=10", "--numprocesses", str(WORKERS if WORKERS > 1 else 0), "-m", markers, *arguments)


STYLE_AND_TYPES = (
    Check("ruff check", (str(BIN / "ruff"), "check", ".")),
    Check("ruff format", (str(BIN / "ruff"), "format", "--check", ".")),
    Check("import ladder", (str(BIN / "lint-imports"), "--no-logo")),
    Check("generated types", python("fundwright_ui.widgets.typescript", "--check")),
    Check("tsc", ("npm", "run", "--silent", "typecheck")),
    Check("oxlint", ("npm", "run", "--silent", "lint")),
    Check("pyrefly", (str(BIN / "pyrefly"), "check", "--progress-bar", "no")),
)
SECOND_HALF = (
    "tests/architecture",
    "tests/cli",
    "tests/generation",
    "tests/pipeline",
    "tests/scripts",
    "tests/tasks",
    "tests/templates",
    "tests/training",
    "tests/ui",
    "tests/workspaces",
)


def python_tests(markers: str = "not slow") -> tuple[Check, Check]:
    """In two halves that take about the same time."""
    others = (f"--ignore={folder}" for folder in SECOND_HALF)
    return (
        Check("Python tests, 1st", pytest("tests", *others, markers=markers), shows_output=True),
        Check("Python tests, 2nd", pytest(*SECOND_HALF, markers=markers), shows_output=True),
    )


VITEST = Check("vitest", ("npm", "run", "--silent", "test"), shows_output=True)
# In their order, because they share one server.
JOURNEYS = Check("journeys", pytest("e2e", "--randomly-dont-reorganize"), shows_output=True)
EVERYTHING = (*python_tests(), JOURNEYS, VITEST, *STYLE_AND_TYPES)
TIERS = {"--style": STYLE_AND_TYPES, "--units": (*python_tests("not slow and not database"), VITEST, *STYLE_AND_TYPES)}


def main(checks: Sequence[Check]) -> bool:
    started = time.monotonic()
    # A shell ignores Ctrl-C for background processes, and so would the programs that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    LOGS.mkdir(parents=True, exist_ok=True)
    results = run_all(checks)
    print(
        "\n" + "\n".join(f"  {row.check.name:<18}{row.seconds:7.1f} s  {'ok' if row.is_passed else 'FAILED'}" for row in results)
    )
    print(f"  {'total':<18}{time.monotonic() - started:7.1f} s")
    return all(row.is_passed for row in results)


def run_all(checks: Sequence[Check]) -> list[Result]:
    """Run some at a time, in this order."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return list(pool.map(run, checks))


def run(check: Check) -> Result:
    started = time.monotonic()
    log = LOGS / f"{re.sub(r'[ ,]+', '-', check.name)}.log"
    with log.open("w") as output, TemporaryDirectory(prefix="fundwright-check-", ignore_cleanup_errors=True) as scratch:
        # The user that runs the embedded PostgreSQL when we are root must be able to enter the folder, which concurrent pytest runs
        # would close to each other.
        Path(scratch).chmod(0o755)
        environment = {
            "CI": "true",
            "FORCE_COLOR": "0",
            "NO_COLOR": "1",
            "VITEST_MAX_WORKERS": "1",
            "PYTEST_DEBUG_TEMPROOT": scratch,
        }
        kept = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }  # compile each module once, not in each process
        done = subprocess.run(
            check.command, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
            env=kept | environment,
        )  # fmt: skip
    result = Result(check, done.returncode == 0, time.monotonic() - started)
    report(result, log)
    return result


def report(result: Result, log: Path) -> None:
    text = f"== {result.check.name}: {'ok' if result.is_passed else 'FAILED'} in {result.seconds:.1f} s"
    if result.check.shows_output or not result.is_passed:
        text += "\n" + log.read_text(errors="replace").rstrip()
    print(text, flush=True)


if __name__ == "__main__":
    tier = sys.argv[1] if len(sys.argv) > 1 else None
    sys.exit(0 if main(TIERS[tier] if tier else EVERYTHING) else 1)
