"""Runs the modules of this package, each in its own process: all of them, or those named as arguments."""

from __future__ import annotations

import pkgutil
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

import benchmarks

PROJECT = Path(__file__).resolve().parent.parent


def main(wanted: Sequence[str]) -> int:
    names = sorted(
        module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not (module.ispkg or module.name.startswith("_"))
    )
    unknown = set(wanted) - set(names)
    if unknown:
        print(f"There is no benchmark {', '.join(sorted(unknown))}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    memory_gb = psutil.virtual_memory().total / 1e9
    print(
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {psutil.cpu_count()} cores, {memory_gb:.0f} GB"
    )
    failed = [name for name in wanted or names if not run(name)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}")
    return 1 if failed else 0


def run(name: str) -> bool:
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=PROJECT, check=False)
    print(f"   ({time.monotonic() - started:.0f} s)", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
