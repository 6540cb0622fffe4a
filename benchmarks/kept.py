"""Results with their dates, in the documentation."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import psutil

from e2e.application import PROJECT

_PERFORMANCE = PROJECT / "docs/performance.md"


def keep(section: str, table: str) -> None:
    """Add a table at the end of this section of docs/performance.md."""
    before, own, after = _cut(_PERFORMANCE, section)
    _PERFORMANCE.write_text(f"{before}{own.rstrip()}\n\n### {_circumstances()}\n\n{table}\n{after}")


def keep_latest(page: Path, section: str, name: str, table: str) -> None:
    """Put a table into this section of a page, in place of the one that is there under the same name."""
    before, own, after = _cut(page, section)
    others = re.sub(rf"\n### {re.escape(name)}, .*?(?=\n### |\Z)", "", own.rstrip(), flags=re.DOTALL)
    page.write_text(f"{before}{others.rstrip()}\n\n### {name}, {_circumstances()}\n\n{table}\n{after}")


def _circumstances() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}, {psutil.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f}"


def _cut(page: Path, section: str) -> tuple[str, str, str]:
    """What stands before the content of a section, its content, and what follows from the next heading on."""
    before, title, rest = page.read_text().partition(f"\n## {section}\n")
    assert title, f"{page.name} has no section {section}."
    own, following, others = rest.partition("\n## ")
    return before + title, own, following + others
