"""Mutation testing: breaks each item of the checklists on purpose and checks that its tests fail. `make mutants`, or `make mutants
ONLY="security/16 pains/05"`.

A mutant is a patch in tests/mutants/security or tests/mutants/pains. Its name begins with the number of the item (`21` or `21+30`),
and its first line describes what it breaks. It is applied to a copy of the source. Then, for each item, a test with the item's
marker must fail. Those that failed before are named below the first line, and run first; with KEEP=1, they are written there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from scripts.checklists import FOLDERS, LISTS, PROJECT, Result, run_marked_tests

MUTANTS = PROJECT / "tests/mutants"
AT_ONCE = 2
_CAUGHT_BY = "Caught by "
SHARED = (".venv", "node_modules")
COPIED = ("web/dist", "var/models")
"""Created by setup. Copied instead of linked, because following a link counts as a blocking call in the server."""


@dataclass(frozen=True)
class Mutant:
    path: Path

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def list_name(self) -> str:
        """`security` or `pains`."""
        return self.path.parent.name

    @property
    def items(self) -> list[int]:
        return [int(item) for item in self.path.stem.partition("-")[0].split("+")]

    @property
    def sentence(self) -> str:
        """The sentence that says what the mutant breaks."""
        return self.path.read_text().partition("\n")[0]

    @property
    def known_tests(self) -> list[str]:
        """The tests that have caught it before."""
        head = self.path.read_text().partition("\ndiff --git ")[0]
        return [line.removeprefix(_CAUGHT_BY) for line in head.splitlines() if line.startswith(_CAUGHT_BY)]

    def keep(self, tests: Iterable[str]) -> None:
        """Name the tests that have caught it."""
        _, separator, changes = self.path.read_text().partition("\ndiff --git ")
        head = [self.sentence, *(f"{_CAUGHT_BY}{test}" for test in dict.fromkeys(tests)), ""]
        self.path.write_text("\n".join(head) + separator + changes)

    @property
    def breaks_browser_code(self) -> bool:
        return "\n+++ b/web/" in self.path.read_text()


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    tests: Sequence[str] = ()
    """For each item, the first test that failed."""
    reason: str = ""
    """Why the mutant counts as not caught."""


def main(only: Sequence[str] = (), *, keeps: bool = False) -> bool:
    """Returns whether every item has a mutant and all of them are caught. `only` contains prefixes of their names. `keeps` says whether to
    write down which tests have caught them."""
    wanted = tuple(only) or ("",)
    mutants = [mutant for mutant in all_mutants() if mutant.name.startswith(wanted)]
    missing = sorted(name for name in without_mutant() if name.startswith(wanted))
    for name in missing:
        print(f"NO MUTANT  {name}")
    with copies(min(AT_ONCE, len(mutants) or 1)) as free, ThreadPoolExecutor(AT_ONCE) as pool:

        def judge(mutant: Mutant) -> Verdict:
            started = time.monotonic()
            copy = free.get()
            try:
                verdict = verdict_on(mutant, copy)
            finally:
                free.put(copy)
            mark = "SURVIVED" if verdict.reason else "caught  "
            took_s = time.monotonic() - started
            print(f"{mark}  {mutant.name}: {mutant.sentence}", flush=True)
            print(f"          {verdict.reason or ', '.join(dict.fromkeys(verdict.tests))} ({took_s:.0f} s)", flush=True)
            return verdict

        verdicts = list(pool.map(judge, mutants))
        fail_anyway = failing_tests(
            {test: verdict.mutant.list_name for verdict in verdicts for test in verdict.tests}, free.get()
        )
    caught = [verdict for verdict in verdicts if not verdict.reason and fail_anyway.isdisjoint(verdict.tests)]
    if keeps:
        for verdict in caught:
            verdict.mutant.keep(verdict.tests)
    for test in sorted(fail_anyway):
        print(f"INVALID, because it also fails without a mutant: {test}")
    print(f"{len(caught)} of {len(verdicts)} mutants caught")
    return bool(caught) and len(caught) == len(verdicts) and not missing


def all_mutants() -> list[Mutant]:
    return [Mutant(path) for path in sorted(MUTANTS.glob("*/*.patch"))]


def without_mutant() -> set[str]:
    """Items of the checklists that no mutant breaks."""
    have = {(mutant.list_name, item) for mutant in all_mutants() for item in mutant.items}
    return {
        f"{name}/{item:02}" for name, (_, items) in LISTS.items() for item in range(1, len(items) + 1) if (name, item) not in have
    }


@contextmanager
def copies(count: int) -> Iterator[SimpleQueue[Path]]:
    """Yields copies of the source in which tests can run."""
    with TemporaryDirectory(prefix="fundwright-mutants-", ignore_cleanup_errors=True) as folder:
        free = SimpleQueue[Path]()
        for number in range(count):
            copy = Path(folder) / str(number) / PROJECT.name
            copy_source(copy)
            free.put(copy)
        yield free


def copy_source(copy: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, copy / name)
    for name in SHARED:
        (copy / name).symlink_to(PROJECT / name)
    for name in COPIED:
        shutil.copytree(PROJECT / name, copy / name)
    if (data := PROJECT.parent / "shared").exists():
        (copy.parent / "shared").symlink_to(data)
    copy.parent.parent.chmod(0o755)  # as root, the embedded PostgreSQL runs as another user
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)  # so that `git apply` ignores outer repositories


def verdict_on(mutant: Mutant, copy: Path) -> Verdict:
    with applied(mutant, copy) as failure:
        if failure := failure or undefined_names(copy):
            return Verdict(mutant, reason=failure)
        failed: list[str] = []
        for item in mutant.items:
            results = results_of(mutant, item, copy)
            test = next((result.test for result in results if result.outcome == "failed"), None)
            if test is None:
                outcome = "pass" if any(result.outcome == "passed" for result in results) else "could not be run"
                return Verdict(mutant, reason=f"the tests of {item} {outcome}")
            failed.append(test)
    return Verdict(mutant, failed)


def undefined_names(copy: Path) -> str | None:
    """Undefined names in the copy. Code that uses one fails for that reason, so such a mutant does not show that the tests work."""
    found = subprocess.run(
        [Path(sys.executable).parent / "ruff", "check", "--quiet", "--isolated", "--select=F821", "--output-format=concise", "src", "components"],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    names = [line for line in found.stdout.splitlines() if "F821" in line]
    return f"it uses undefined names: {'; '.join(names)}" if names else None


def results_of(mutant: Mutant, item: int, copy: Path) -> list[Result]:
    """The results of the item's tests, up to the first failure. Those that have caught the mutant before run first."""
    marker, _ = LISTS[mutant.list_name]
    results: list[Result] = []
    for paths in (*mutant.known_tests, *FOLDERS):
        results += run_marked_tests(marker, "--item", str(item), "--exitfirst", runs=[[paths]], project=copy, is_quiet=True)
        if any(result.outcome == "failed" for result in results):
            break
    return results


def failing_tests(tests: Mapping[str, str], copy: Path) -> set[str]:
    """The tests, given with their checklists, that do not pass in an unchanged copy."""
    passed: set[str] = set()
    for name, (marker, _) in LISTS.items():
        runs = [[test for test in tests if tests[test] == name and test.startswith(f"{folder}/")] for folder in FOLDERS]
        results = by_test(run_marked_tests(marker, runs=filter(None, runs), project=copy, is_quiet=True))
        passed |= {test for test, outcomes in results.items() if outcomes == {"passed"}}
    return set(tests) - passed


def by_test(results: Iterable[Result]) -> dict[str, set[str | None]]:
    outcomes: dict[str, set[str | None]] = {}
    for result in results:
        outcomes.setdefault(result.test, set()).add(result.outcome)
    return outcomes


@contextmanager
def applied(mutant: Mutant, copy: Path) -> Iterator[str]:
    """Yields the reason why the patch cannot be applied, or an empty string."""
    done = apply(mutant.path, copy)
    if done.returncode:
        yield f"it does not apply: {done.stderr.strip()}"
        return
    try:
        if mutant.breaks_browser_code:
            build_web(copy)
        yield ""
    finally:
        apply(mutant.path, copy, "--reverse")
        if mutant.breaks_browser_code:
            build_web(copy)


def apply(patch: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Require only one line of context to match, so that changes nearby do not matter."""
    return subprocess.run(["git", "apply", "-C1", *options, patch], cwd=folder, capture_output=True, text=True, check=False)


def build_web(copy: Path) -> None:
    subprocess.run(["npm", "run", "--silent", "build"], cwd=copy, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    os.environ["CI"] = "true"
    sys.exit(0 if main([each for each in sys.argv[1:] if each != "--keep"], keeps="--keep" in sys.argv) else 1)
