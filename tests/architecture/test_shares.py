"""No account holds more than half of what is there for all: slots of jobs, children of the sandbox, and downloads. The shares themselves are
tested in tests/core: test_jobs.py, test_sandbox.py, test_web.py, and test_computing.py."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest

import fundwright
from fundwright import hooks
from fundwright.core import jobs
from fundwright.core.jobs import JobHandler, Lane
from fundwright.core.plugins import Plugins
from fundwright.core.sandbox import Limits
from fundwright_ui import extension

pytestmark = pytest.mark.security(53)


def _limits() -> dict[str, Limits]:
    """The limits of every reader of files: of documents, imports, templates, and photos."""
    names = (each.name for each in pkgutil.walk_packages(fundwright.__path__, "fundwright.") if ".migrations." not in each.name)
    return {
        f"{name}.{key}": value
        for name in names
        if not name.endswith("__main__")
        for key, value in vars(importlib.import_module(name)).items()
        if isinstance(value, Limits)
    }


@pytest.mark.parametrize(("name", "limits"), _limits().items())
def test_no_account_has_more_than_half_of_the_children_that_read_files(name: str, limits: Limits) -> None:
    assert 2 * limits.at_once_each <= limits.at_once, name


def test_no_account_has_more_than_half_of_the_slots_of_jobs() -> None:
    handlers: list[JobHandler[Any, Any]] = Plugins([hooks, extension]).collect("job_handlers")
    lanes = {handler.payload.job_kind: handler.lane for handler in handlers}
    assert {lanes[kind] for kind in ("draft", "draft_section", "train", "import")} <= {Lane.LONG, Lane.WATCHED}
    assert jobs._ACCOUNTS_AT_ONCE >= 2
