"""Runs everything that `make test` checks, three steps at a time, the longest first.

`--style` runs style and types only, as `make lint` does. `--units` also runs the tests that need neither PostgreSQL nor a
browser, as `make check` does. Slow tests are left to `make soak`. Every step runs even if earlier ones fail; the exit code tells
whether one failed.

When a few Python tests or journeys fail, they run once more after everything else. What then passes is printed, so that
someone looks at it: it may have failed because the machine was busy, or because of another test.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LOGS = PROJECT / "var/check"


@dataclass(frozen=True)
class Check:
    name: str
    command: Sequence[str]
    shows_output: bool = False
    cache: Path | None = None
    """Where pytest keeps which tests failed."""
    is_again: bool = False


@dataclass(frozen=True)
class Result:
    check: Check
    code: int
    """The exit code."""
    seconds: float
    passed_alone: Sequence[str] = ()
    """Tests that failed beside other checks."""

    @property
    def is_passed(self) -> bool:
        return self.code == 0


def python(*arguments: str) -> Sequence[str]:
    return (str(BIN / "python"), "-m", *arguments)


AT_ONCE = 3
"""Concurrent checks. Tests often wait, for a browser or a database, so two would leave a third of two cores idle."""
WORKERS = (os.cpu_count() or 1) // 2
"""Processes of each pytest run; each has its own database server and browser."""
TESTS_FAILED = 1
"""The exit code of pytest when nothing else went wrong."""
FEW = 5
"""Failed tests that run once more. More than this usually share a cause other than a busy machine."""


def pytest(name: str, *arguments: str, markers: str = "not slow") -> Check:
    cache = LOGS / f"{slug(name)}.cache"
    options = ("--durations=10", "--numprocesses", str(WORKERS if WORKERS > 1 else 0), "-o", f"cache_dir={cache}", "-m", markers)
    return Check(name, python("pytest", *options, *arguments), shows_output=True, cache=cache)


def slug(name: str) -> str:
    return re.sub(r"[ ,]+", "-", name)


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
    "tests/billing",
    "tests/cli",
    "tests/core",
    "tests/generation",
    "tests/pipeline",
    "tests/scripts",
    "tests/searches",
    "tests/sharing",
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
        pytest("Python tests, 1st", "tests", *others, markers=markers),
        pytest("Python tests, 2nd", *SECOND_HALF, markers=markers),
    )


VITEST = Check("vitest", ("npm", "run", "--silent", "test"), shows_output=True)
# In their order, because they share one server.
JOURNEYS = pytest("journeys", "e2e", "--randomly-dont-reorganize")
EVERYTHING = (*python_tests(), JOURNEYS, VITEST, *STYLE_AND_TYPES)
TIERS = {"--style": STYLE_AND_TYPES, "--units": (*python_tests("not slow and not database"), VITEST, *STYLE_AND_TYPES)}


def main(checks: Sequence[Check]) -> bool:
    started = time.monotonic()
    # A shell ignores Ctrl-C for background processes, and so would the programs that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    LOGS.mkdir(parents=True, exist_ok=True)
    results = [again_alone(result) for result in run_all(checks)]
    print(
        "\n" + "\n".join(f"  {row.check.name:<18}{row.seconds:7.1f} s  {'ok' if row.is_passed else 'FAILED'}" for row in results)
    )
    print(f"  {'total':<18}{time.monotonic() - started:7.1f} s")
    for test in (test for row in results for test in row.passed_alone):
        print(f"  failed at first, and passed when run again: {test}")
    return all(row.is_passed for row in results)


def run_all(checks: Sequence[Check]) -> list[Result]:
    """Run some at a time, in this order."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return list(pool.map(run, checks))


def again_alone(result: Result) -> Result:
    """The result, improved if the tests that failed are few and now pass."""
    failed = failed_tests(result)
    if not 0 < len(failed) <= FEW:
        return result
    check = result.check
    alone = run(
        replace(
            check, name=f"{check.name}, alone", command=(*check.command, "--last-failed", "--numprocesses", "0"), is_again=True
        )
    )
    return replace(
        result, code=alone.code, seconds=result.seconds + alone.seconds, passed_alone=failed if alone.is_passed else ()
    )


def failed_tests(result: Result) -> Sequence[str]:
    """The ids of the tests that failed. Empty if that is not all that went wrong."""
    if result.check.cache is None or result.code != TESTS_FAILED:
        return []
    return sorted(json.loads((result.check.cache / "v/cache/lastfailed").read_text()))


def run(check: Check) -> Result:
    started = time.monotonic()
    log = LOGS / f"{slug(check.name)}.log"
    if check.cache and not check.is_again:
        rmtree(check.cache, ignore_errors=True)
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
    result = Result(check, done.returncode, time.monotonic() - started)
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
