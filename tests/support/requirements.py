"""What a test needs that not every machine has."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

REQUIRED = "FUNDWRIGHT_SOAK_REQUIRES_ALL"
"""Set by `make soak`."""


def missing(sentence: str) -> NoReturn:
    """Skip the test, and say what to install. `make soak`, after which nothing may be untested, fails instead."""
    if os.environ.get(REQUIRED):
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)
