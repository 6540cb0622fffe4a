"""Runs the parts in sequence, each in its own process: all of them, or those named as arguments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PARTS = ("peers", "lists", "sessions", "memory")


def main(wanted: Sequence[str]) -> int:
    modules = [f"benchmarks.ui.{part}" for part in wanted or PARTS]
    there = [module for module in modules if find_spec(module)]
    return max(subprocess.run([sys.executable, "-m", module], cwd=PROJECT, check=False).returncode for module in there)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
