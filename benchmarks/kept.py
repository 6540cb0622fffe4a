"""Results with their dates, in docs/performance.md."""

from __future__ import annotations

from datetime import UTC, datetime

import psutil

from e2e.application import PROJECT

KEPT = PROJECT / "docs/performance.md"


def keep(section: str, table: str) -> None:
    """Add a table at the end of this section."""
    heading = f"### {datetime.now(UTC):%Y-%m-%d}, {psutil.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f}"
    before, title, rest = KEPT.read_text().partition(f"\n## {section}\n")
    own, following, others = rest.partition("\n## ")
    KEPT.write_text(f"{before}{title}{own.rstrip()}\n\n{heading}\n\n{table}\n{following}{others}")
