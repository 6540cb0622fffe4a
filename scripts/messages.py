"""Brings the message catalogs up to date with the sources, with pybabel.

`python -m scripts.messages` adds new messages without a translation, keeps existing translations, and removes messages that are
no longer in use. Then translate what tests/architecture/test_messages.py lists as missing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCALES = PROJECT / "src/fundwright/core/locales"
SOURCES = ("src", "components", "web/src")
KEYWORDS = ("t", "later", "nt:1,2", "nlater:1,2")
# Run as a module, so that pybabel finds the package `scripts`.
PYBABEL = (sys.executable, "-m", "babel.messages.frontend", "--quiet")
WIDTH = ("--width", "120")


def extract(template: Path) -> None:
    """Write every message with the files it occurs in to `template`."""
    template.parent.mkdir(exist_ok=True)
    keywords = [part for keyword in KEYWORDS for part in ("--keyword", keyword)]
    layout = ("--add-location", "file", "--sort-by-file", "--omit-header", *WIDTH)
    mapping = ("--mapping", "pyproject.toml", "--no-default-keywords")
    run("extract", *mapping, *keywords, *layout, "--output", str(template), *SOURCES)


def update(template: Path) -> None:
    """Write the catalogs of all languages."""
    matching = ("--no-fuzzy-matching", "--ignore-obsolete", "--ignore-pot-creation-date")
    run("update", *matching, *WIDTH, "--input-file", str(template), "--output-dir", str(LOCALES))


def run(*command: str) -> None:
    subprocess.run([*PYBABEL, *command], cwd=PROJECT, check=True)


if __name__ == "__main__":
    extract(PROJECT / "var/messages.pot")
    update(PROJECT / "var/messages.pot")
