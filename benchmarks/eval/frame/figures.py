"""A measured figure and its comparison values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COLUMNS = ("figure", "measured", "target", "baseline", "its value", "")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """`baseline` is the result of `baseline_name`, a simpler method, with the same data in the same run."""

    name: str
    value: float
    target: float | None = None
    """None: only reported."""
    is_at_most: bool = False
    """The value must not exceed the target. By default, it must not be below the target."""
    baseline_name: str = ""
    baseline: float | None = None
    note: str = ""

    @property
    def is_kept(self) -> bool:
        if self.target is None:
            return True
        return self.value <= self.target if self.is_at_most else self.value >= self.target

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns are `COLUMNS`."""
        target = "" if self.target is None else f"{'≤' if self.is_at_most else '≥'} {_number(self.target)}"
        baseline = "" if self.baseline is None else _number(self.baseline)
        verdict = "" if self.target is None else "ok" if self.is_kept else "MISSED"
        return self.name, _number(self.value), target, self.baseline_name, baseline, " ".join(filter(None, (verdict, self.note)))


def as_text(figures: Sequence[Figure]) -> str:
    rows = [COLUMNS, *(figure.cells for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def as_markdown(figures: Sequence[Figure]) -> str:
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *(figure.cells for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"
