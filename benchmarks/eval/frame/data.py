"""Where the real data is."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
DATA = PROJECT.parent / "shared" / "data"
"""Absent on a machine that has only the project: a module of the evaluation then returns no figures."""
