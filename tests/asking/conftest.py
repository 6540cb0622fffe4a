"""Documents to ask."""

from __future__ import annotations

from tests.training.conftest import add_file, owner

__all__ = ["add_file", "owner"]
