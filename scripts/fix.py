"""Formats the code, applies automatic fixes, and regenerates generated files. `make lint` shows what remains."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
COMMANDS = (
    (BIN / "ruff", "check", "--fix", "--quiet", "."),
    (BIN / "ruff", "format", "--quiet", "."),
    (sys.executable, "-m", "fundwright_ui.widgets.typescript"),
    (sys.executable, "-m", "scripts.tables"),
    (sys.executable, "-m", "scripts.units"),
    (sys.executable, "-m", "scripts.messages"),
    ("npm", "run", "--silent", "lint", "--", "--fix"),
)


def main() -> int:
    return max(subprocess.run(command, cwd=PROJECT, check=False).returncode for command in COMMANDS)


if __name__ == "__main__":
    sys.exit(main())
