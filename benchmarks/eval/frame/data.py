"""The location of the real data."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
DATA = PROJECT.parent / "shared" / "data"
"""Missing on a machine that has only the project: modules of the evaluation then return no figures."""
