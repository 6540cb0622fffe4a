"""Compiles the message catalogs before the tests, so that changed translations take effect."""

from __future__ import annotations

import pytest

from scripts.setup import message_catalogs


def pytest_configure(config: pytest.Config) -> None:
    config.option.randomly_reset_seed = False  # what tests make up with `random` must differ
    message_catalogs()
