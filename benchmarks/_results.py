"""Saves results with their dates in the documentation."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import psutil

from e2e.application import PROJECT

_PERFORMANCE = PROJECT / "docs/performance.md"


def keep(section: str, table: str) -> None:
    """Append a table to this section of docs/performance.md."""
    before, own, after = _cut(_PERFORMANCE, section)
    _PERFORMANCE.write_text(f"{before}{own.rstrip()}\n\n### {_circumstances()}\n\n{table}\n{after}")


def keep_latest(page: Path, section: str, name: str, table: str) -> None:
    """Write a table to this section of a page, replacing the earlier one of the same name."""
    before, own, after = _cut(page, section)
    others = re.sub(rf"\n### {re.escape(name)}, .*?(?=\n### |\Z)", "", own.rstrip(), flags=re.DOTALL)
    page.write_text(f"{before}{others.rstrip()}\n\n### {name}, {_circumstances()}\n\n{table}\n{after}")


def _circumstances() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}, {psutil.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f}"


def _cut(page: Path, section: str) -> tuple[str, str, str]:
    """Returns the text before the section's content, the content, and everything from the next heading on."""
    before, title, rest = page.read_text().partition(f"\n## {section}\n")
    assert title, f"{page.name} has no section {section}."
    own, following, others = rest.partition("\n## ")
    return before + title, own, following + others
