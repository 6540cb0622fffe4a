"""How long each target is fuzzed: a small, reproducible run, or as long as `make soak` says.

FUNDWRIGHT_SOAK_FUZZING_MINUTES is the total time for all targets; each test in this folder gets an equal share. Without it, there
are few examples, the same in each run.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import SearchStrategy

from tests.access.test_ids import world

__all__ = ["world"]

MINUTES = float(os.environ.get("FUNDWRIGHT_SOAK_FUZZING_MINUTES", "0"))
_TIMES_EXAMPLES = 12


class Fuzz:
    """Tries examples of one target and counts them."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        self.tried = 0
        """The number of examples; in a scenario, each request counts as one."""
        self.outcomes = Counter[str]()
        """The outcomes of the examples."""

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.most_common())
        return f"{self._name}: {self.tried:,} examples{f' ({outcomes})' if outcomes else ''}"

    @property
    def is_long(self) -> bool:
        return self._seconds > 0

    def __call__(
        self,
        check: Callable[..., None],
        *,
        examples: int = 100,
        outcomes: Sequence[str] = (),
        **strategies: SearchStrategy[Any],
    ) -> None:
        """Call `check` with examples of these strategies. A failure shows the smallest failing example.

        `examples` is the number in a small run. Each of `outcomes` must occur, because a target that rejects everything tests
        nothing.
        """

        def one(**example: Any) -> None:
            self.tried += 1
            check(**example)

        one.__name__ = one.__qualname__ = check.__name__
        for number in self.rounds():
            run = settings(self.settings(examples), phases=[Phase.generate, Phase.shrink])(given(**strategies)(one))
            (seed(number)(run) if self.is_long else run)()
        assert [outcome for outcome in outcomes if not self.outcomes[outcome]] == [], str(self)

    def rounds(self, count_in_small_run: int = 1) -> Iterator[int]:
        """A seed for each round: a few in a small run, otherwise as many as the time permits."""
        if not self.is_long:
            yield from range(count_in_small_run)
        else:
            first, ends = secrets.randbits(32), time.monotonic() + self._seconds
            for number in count(first):
                if time.monotonic() > ends:
                    break
                yield number

    def settings(self, examples: int) -> settings:
        """The settings of one round. Nothing is saved in the project."""
        return settings(
            max_examples=examples * (_TIMES_EXAMPLES if self.is_long else 1),
            derandomize=not self.is_long,
            database=None,
            deadline=None,
            print_blob=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )


_FUZZED = pytest.StashKey[list[Fuzz]]()


@pytest.fixture
def fuzz(request: pytest.FixtureRequest, tmp_path: Path) -> Fuzz:
    set_hypothesis_home_dir(tmp_path)  # otherwise, it would save files in the project
    fuzz = Fuzz(request.node.name, MINUTES * 60 / len(request.session.items))
    request.config.stash.setdefault(_FUZZED, []).append(fuzz)
    return fuzz


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if MINUTES:
        terminalreporter.section("examples per target")
        for fuzz in config.stash.get(_FUZZED, []):
            terminalreporter.write_line(str(fuzz))
