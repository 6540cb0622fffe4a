"""Measures the quality of the results: `make eval`, or `python -m benchmarks.eval [--keep] [NAME…]`.

Every module of this package has `async def measure() -> list[Figure]`. Each module, or each one named, runs in its own process. The
program prints each figure beside its target and its baseline, and fails if a figure misses its target. `--keep` writes the tables to
docs/quality.md.
"""

from __future__ import annotations

import pkgutil
import sys
import time
import traceback
from collections.abc import Sequence

import benchmarks.eval
from benchmarks._results import keep_latest
from benchmarks.eval.frame.data import PROJECT
from benchmarks.eval.frame.figures import as_markdown, as_text
from benchmarks.eval.frame.processes import measure_apart

PAGE = PROJECT / "docs" / "quality.md"


def main(arguments: Sequence[str]) -> int:
    wanted = [argument for argument in arguments if argument != "--keep"]
    names = sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.eval.__path__)
        if not (module.ispkg or module.name == "__main__")
    )
    unknown = set(wanted) - set(names)
    if unknown:
        print(f"There is no evaluation {', '.join(sorted(unknown))}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    failed = [name for name in wanted or names if not _evaluate(name, is_kept="--keep" in arguments)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}")
    return 1 if failed else 0


def _evaluate(name: str, *, is_kept: bool) -> bool:
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    try:
        figures = measure_apart(name)
    except Exception:
        traceback.print_exc()
        return False
    if not figures:
        print("The real data is missing; nothing was measured.")
        return True
    print(f"{as_text(figures)}\n   ({time.monotonic() - started:.0f} s)", flush=True)
    if is_kept:
        keep_latest(PAGE, "Results", name, as_markdown(figures))
    return all(figure.is_kept for figure in figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
